vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thirty brands: brands.rules, to be copied to /etc/varnish.  Start varnishd with a
 * listener for each way that clients come, as -a web=:80 -a proxy=:6086,PROXY.
 */

import fastmatch;

backend web { .host = "192.0.2.80"; .port = "8080"; }
backend shops { .host = "192.0.2.81"; .port = "8080"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/brands.rules", watch=5s); }
sub vcl_recv { site.apply(); }
sub vcl_backend_fetch { site.apply(); }
sub vcl_backend_response { site.apply(); }
sub vcl_backend_error { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }

# What the rules call
import std;
import vsthrottle;

sub limit {
	if (req.restarts == 0 && req.esi_level == 0 &&
	    vsthrottle.is_denied(req.http.X-Limit-Key,
	    std.integer(req.http.X-Limit, 5), 60s)) {
		return (synth(429));
	}
	unset req.http.X-Limit;
	unset req.http.X-Limit-Key;
}
sub draw {
	set req.http.X-Drawn = "1";
	set req.http.X-Version = "a";
	if (std.random(0, 10) < 2.0) {
		set req.http.X-Version = "b";
	}
}
sub remember {
	if (req.http.X-Drawn && !resp.http.Set-Cookie) {
		set resp.http.Set-Cookie = "version=" + req.http.X-Version +
		    "; Path=/; Max-Age=2592000";
	}
}
sub auth {
	# printf 'group:a word for us' | base64
	if (req.restarts == 0 && req.esi_level == 0 &&
	    req.http.X-Auth != "Basic Z3JvdXA6YSB3b3JkIGZvciB1cw==") {
		return (synth(401));
	}
	unset req.http.X-Auth;
}
sub vcl_init {
	site.backend("shop", shops);
	site.sub("limit", limit);
	site.sub("draw", draw);
	site.sub("remember", remember);
	site.sub("auth", auth);
}
