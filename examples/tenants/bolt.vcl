vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tenant of top.vcl: nothing here knows of the others.
 */

backend default { .host = "127.0.0.1"; .port = "8082"; }

sub vcl_recv {
	if (req.url ~ "^/admin") {
		return (synth(403, "Not from here"));
	}
}

sub vcl_deliver {
	set resp.http.X-Tenant = "bolt";
}

sub vcl_synth {
	set resp.http.X-Tenant = "bolt";
}
