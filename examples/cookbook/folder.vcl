vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For folder.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }
backend blog { .host = "127.0.0.1"; .port = "8082"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/folder.rules", watch=5s);
	site.backend("wordpress", blog);
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
