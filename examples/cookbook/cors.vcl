vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For cors.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend api { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/cors.rules", watch=5s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_deliver {
	if (site.ruleset() == "api.example.com") {
		# The rules say who may read this, and not the backend.
		unset resp.http.Access-Control-Allow-Origin;
		unset resp.http.Access-Control-Allow-Credentials;
		if (resp.http.Vary) {
			set resp.http.Vary = resp.http.Vary + ", Origin";
		} else {
			set resp.http.Vary = "Origin";
		}
	}
	if (req.http.X-Cors) {
		set resp.http.Access-Control-Allow-Origin = req.http.X-Cors;
	}
}

sub vcl_synth {
	if (req.http.X-Cors) {
		set resp.http.Access-Control-Allow-Origin = req.http.X-Cors;
		set resp.http.Vary = "Origin";
	}
	if (resp.status == 204) {
		set resp.http.Access-Control-Allow-Methods =
		    "GET, POST, PUT, DELETE";
		set resp.http.Access-Control-Allow-Headers =
		    "Authorization, Content-Type";
		set resp.http.Access-Control-Max-Age = "3600";
		return (deliver);
	}
	site.apply();
}
