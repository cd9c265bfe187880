vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only the cookies that the backend reads.
 *
 * With a Cookie header Varnish does not cache (builtin.vcl passes); without
 * one it does.  Most visitors have only cookies of analytics scripts: those
 * visitors get pages from the cache.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new wanted = fastmatch.params(mode=keep);
	wanted.add("session");
	wanted.add("cart_*");
}

sub vcl_recv {
	if (req.http.Cookie) {
		set req.http.Cookie = wanted.cookies(req.http.Cookie);

		# Nothing left?  An empty header is still a header, and
		# builtin.vcl would pass: take it away.
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}
}
