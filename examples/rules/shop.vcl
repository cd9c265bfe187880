vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A site's policy in a rule file: shop.rules, to be copied to /etc/varnish.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/shop.rules");
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
