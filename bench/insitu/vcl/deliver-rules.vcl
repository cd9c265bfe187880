vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * deliver-vcl.vcl as rules.
 */

import fastmatch;

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/delivery.rules");
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
