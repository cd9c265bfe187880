vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For geo.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/geo.rules", watch=5s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	if (site.verdict() == "redirect" || resp.status == 451) {
		set resp.http.Cache-Control = "private, no-store";
	}
	site.apply();
}
