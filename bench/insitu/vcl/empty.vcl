vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * No policy at all: what a request costs before any policy is asked, and so
 * what the benchmark subtracts from all the others.
 */

backend www { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	return (hash);
}
