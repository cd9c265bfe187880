vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For purge.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import std;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/purge.rules", watch=5s);
}

sub vcl_recv {
	site.apply();
	if (req.method == "BAN") {
		if (!std.ban("obj.http.X-Site == " + site.host())) {
			return (synth(500, std.ban_error()));
		}
		return (synth(200, "Banned " + site.host()));
	}
}

sub vcl_backend_response {
	set beresp.http.X-Site = bereq.http.X-Site;
}

sub vcl_deliver {
	unset resp.http.X-Site;
}

sub vcl_synth {
	site.apply();
}
