vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tenant of top.vcl: nothing here knows of the others.
 */

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	unset req.http.Cookie;
}

sub vcl_deliver {
	set resp.http.X-Tenant = "acme";
}
