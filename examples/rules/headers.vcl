vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Accept, Accept-Encoding, Accept-Language, Cache-Control: headers.rules, to be
 * copied to /etc/varnish.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/headers.rules");
}

sub vcl_recv {
	site.apply();
}
