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

sub vcl_init {
	new limit = fastmatch.rules("/etc/varnish/limit.rules", watch=5s);
}

sub vcl_recv {
	limit.apply();
	if (req.http.X-Limit && req.restarts == 0 && req.esi_level == 0 &&
	    vsthrottle.is_denied(req.http.X-Client + " " + req.http.X-Limit,
	    std.integer(req.http.X-Limit, 5), 60s)) {
		return (synth(429, "Too Many Requests"));
	}
	# The rules of the site come here: site.apply();
}

sub vcl_synth {
	if (resp.status == 429) {
		set resp.http.Retry-After = "60";
		set resp.body = "Too many requests: try again in a minute.";
		return (deliver);
	}
	# The rules of the site come here, too: site.apply();
}
