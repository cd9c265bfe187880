vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists that come with fastmatch: lists.rules, to be copied to
 * /etc/varnish.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/lists.rules");
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_response {
	# Objects differ by device, even where the backend does not say so.
	if (!beresp.http.Vary) {
		set beresp.http.Vary = "X-Device";
	} elsif (beresp.http.Vary !~ "(?i)X-Device") {
		set beresp.http.Vary = beresp.http.Vary + ", X-Device";
	}
}

sub vcl_deliver {
	# Between us and the client it is by User-Agent.
	set resp.http.Vary = regsub(resp.http.Vary, "(?i)X-Device",
	    "User-Agent");
}
