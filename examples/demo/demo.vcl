vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL of `./quickstart demo`: site.apply(), and around it what is needed
 * to answer every request with a page that explains it.  The page comes from
 * explain.py, which asks `fastmatch explain` about the request as it came, and
 * shows next to it the request as it left varnishd.  /fastmatch/page is the
 * page for operators.
 */

import fastmatch;
import std;

backend explain { .host = "127.0.0.1"; .port = "8089"; }

acl operators { "127.0.0.1"; "::1"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/demo.rules", watch=0.5s,
	    log=all);
}

sub vcl_recv {
	if (req.restarts > 0) {
		return (pass);
	}
	if (req.url ~ "^/fastmatch/page(\?|$)") {
		return (synth(1200));
	}
	# As it came, for the page: the headers that the rules speak of.  One
	# that you add a rule for wants a line here, too.
	unset req.http.Was-Status;
	unset req.http.Was-Location;
	set req.http.Was-URL = req.url;
	set req.http.Was-Host = req.http.Host;
	set req.http.Was-User-Agent = req.http.User-Agent;
	set req.http.Was-Cookie = req.http.Cookie;
	set req.http.Was-Accept-Encoding = req.http.Accept-Encoding;
	set req.http.Was-Accept-Language = req.http.Accept-Language;
	set req.http.Was-Accept = req.http.Accept;
	set req.http.Was-Authorization = req.http.Authorization;
	set req.http.Was-Cache-Control = req.http.Cache-Control;
	set req.http.Was-Referer = req.http.Referer;

	site.apply();
}

sub vcl_synth {
	if (resp.status == 1200) {
		site.page(operators);
	}
	# The page goes on below for a redirect, too.
	site.apply(finish=false);
	if (req.restarts == 0 && site.verdict()) {
		# The page for this comes from there, too.
		set req.http.Was-Status = resp.status;
		set req.http.Was-Location = resp.http.Location;
		return (restart);
	}
}

sub vcl_backend_response {
	site.apply();
}

sub vcl_deliver {
	site.apply();
	if (req.http.Was-Status) {
		set resp.status = std.integer(req.http.Was-Status, 200);
		if (req.http.Was-Location != "") {
			set resp.http.Location = req.http.Was-Location;
		}
	}
}
