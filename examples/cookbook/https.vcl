vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For https.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import std;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/https.rules", watch=5s);
}

sub vcl_recv {
	# A client may send this header, too: it counts for nothing.
	if (std.port(server.ip) == 443) {
		set req.http.X-Forwarded-Proto = "https";
	} else {
		set req.http.X-Forwarded-Proto = "http";
	}
	site.apply();
}

sub vcl_synth {
	site.apply();
}
