# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# Cookies by the module of that name: parsed, asked for, kept or filtered, put
# back.

vcl 4.1;

import cookie;
import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

backend account {
	.host = "127.0.0.1";
	.port = "8081";
}

sub vcl_recv {
	std.collect(req.http.Cookie, ";");
	cookie.parse(req.http.Cookie);

	if (cookie.isset("preview") || cookie.isset("debug")) {
		return (pass);
	}
	if (req.url ~ "^/account") {
		set req.backend_hint = account;
		return (pass);
	}
	if (cookie.get("beta") == "yes") {
		set req.http.X-Beta = "1";
	} else {
		unset req.http.X-Beta;
	}

	# The shop needs three of them, the rest of the site no trackers.
	if (req.http.Cookie) {
		if (req.url ~ "^/shop/") {
			cookie.parse(req.http.Cookie);
			cookie.keep("session,cart,currency");
			set req.http.Cookie = cookie.get_string();
		} else {
			cookie.parse(req.http.Cookie);
			cookie.filter_re("^(_ga|_gid|__utm)");
			cookie.filter("has_js,_fbp");
			set req.http.Cookie = cookie.get_string();
		}
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}

	if (req.http.Cookie) {
		return (pass);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	return (hash);
}

sub vcl_deliver {
	if (req.http.X-Beta) {
		set resp.http.X-Beta = "1";
	}
}
