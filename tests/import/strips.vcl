vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What strips parameters and cookies, and has something else in it or after
 * it: that is no `query drop`, and must not be lost in one.
 */

backend one { .host = "127.0.0.1"; .port = "8080"; }

sub vcl_recv {
	# The last two are not clean-up.
	set req.url = regsuball(req.url, "([?&])(gclid|fbclid)=[^&]*", "\1");
	set req.url = regsuball(req.url, "&{2,}", "&");
	set req.url = regsub(req.url, "\?&", "?");
	set req.url = regsub(req.url, "[?&]$", "");
	if (req.url ~ "^/static/") {
		set req.url = regsub(req.url, "\?.*$", "");
	}
	set req.url = regsub(req.url, "^/old/", "/new/");
	set req.http.X-1 = req.url;

	# Not everywhere.
	if (req.url !~ "^/checkout") {
		set req.url = regsuball(req.url,
		    "(?<=[?&])(mc_cid|mc_eid)=[^&]*(&|$)", "");
		set req.url = regsub(req.url, "[?&]$", "");
	}
	set req.http.X-2 = req.url;
	if (req.url ~ "[?&](dclid|yclid)=" && req.url !~ "^/a[0-9]+/(ads|b)/") {
		set req.url = regsuball(req.url,
		    "(?<=[?&])(dclid|yclid)=[^&]*(&|$)", "");
		set req.url = regsub(req.url, "[?&]$", "");
	}
	set req.http.X-3 = req.url;

	# One cookie more, of one value.
	if (req.http.Cookie) {
		set req.http.Cookie = regsuball(req.http.Cookie,
		    "(^|; )(_ga|_gid)=[^;]*", "");
		set req.http.Cookie = regsub(req.http.Cookie, "^; ", "");
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}
	if (req.http.Cookie ~ "debug=on") {
		unset req.http.Cookie;
	}
	return (hash);
}
