vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For maintenance.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/maintenance.rules", watch=1s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
