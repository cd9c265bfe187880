vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which backend serves this host?  A table whose entries carry a backend.
 */

import fastmatch;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend shop { .host = "127.0.0.1"; .port = "8082"; }
backend wiki { .host = "127.0.0.1"; .port = "8083"; }

sub vcl_init {
	new sites = fastmatch.hosts();
	sites.add(".example.com", backend=www);
	sites.add("shop.example.com", backend=shop);
	sites.add("shop.example.org", backend=shop);
	sites.add("*.wiki.example", backend=wiki);
}

sub vcl_recv {
	# The answer of match() may be left alone: without a match backend()
	# gives the fallback.  It must be given, for no backend is a 503.
	sites.match();
	set req.backend_hint = sites.backend(www);
}
