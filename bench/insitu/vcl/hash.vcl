vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * No policy, and not builtin.vcl either: the least that a vcl_recv can do.
 */

backend www { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	return (hash);
}
