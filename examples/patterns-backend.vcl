vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which backend serves this part of the site?  Patterns that carry a backend.
 */

import fastmatch;

backend site { .host = "127.0.0.1"; .port = "8081"; }
backend shop { .host = "127.0.0.1"; .port = "8082"; }
backend files { .host = "127.0.0.1"; .port = "8083"; }

sub vcl_init {
	new parts = fastmatch.patterns();

	# The kind comes after the pattern: here the beginning of the URL,
	# and for /healthz all of it.
	parts.add("/shop/sale/files/", prefix, backend=files);
	parts.add("/shop/", prefix, backend=shop);
	parts.add("/static/", prefix, backend=files);
	parts.add("/healthz", exact, backend=site);
	# `*` is any bytes, a slash too; `?` is one byte.
	parts.add("/download/*.zip", glob, backend=files);
}

sub vcl_recv {
	# match() only says whether something was found.  backend() then gives
	# what the first of the found patterns carries: "first" is the order
	# of the lines above, so the long prefix stands before the short one.
	# Nothing found: the fallback, which must be given.
	parts.match(req.url);
	set req.backend_hint = parts.backend(site);
}
