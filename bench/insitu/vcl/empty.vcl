vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * No vcl_recv: Varnish's own decides, as wherever a policy returns nothing.
 * It asks for a Cookie as ever, but does not pass for one: a request that a
 * policy finds in the cache is to be found there with this one, too.
 */

backend www { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_req_cookie {
	if (req.http.Cookie) {
		return;
	}
	return;
}
