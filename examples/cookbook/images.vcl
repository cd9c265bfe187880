vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For images.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/images.rules", watch=5s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_response {
	# These are the values that the rules leave.
	if (bereq.http.Accept ~ "^image/(avif|webp|\*)$") {
		if (!beresp.http.Vary) {
			set beresp.http.Vary = "Accept";
		} else if (beresp.http.Vary !~ "(?i)\bAccept\b(?!-)") {
			set beresp.http.Vary = beresp.http.Vary + ", Accept";
		}
	}
}

sub vcl_synth {
	site.apply();
}
