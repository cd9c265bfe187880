vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For limit.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import std;
import vsthrottle;

backend web { .host = "127.0.0.1"; .port = "8081"; }

# The rules call this, after their edits and before their verdict.
sub limit {
	if (req.restarts == 0 && req.esi_level == 0 &&
	    vsthrottle.is_denied(req.http.X-Limit-Key,
	    std.integer(req.http.X-Limit, 5), 60s)) {
		return (synth(429));
	}
	unset req.http.X-Limit;
	unset req.http.X-Limit-Key;
}

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/limit.rules", watch=5s);
	site.sub("limit", limit);
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_error {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
