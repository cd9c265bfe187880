vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thirty sites of one agency: sites.rules and the files beside it, to be
 * copied to /etc/varnish.
 */

import fastmatch;

backend web { .host = "192.0.2.80"; .port = "8080"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/sites.rules", watch=5s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	# While the shop is repaired.
	if (resp.status == 503) {
		set resp.http.Retry-After = "3600";
	}
	site.apply();
}
