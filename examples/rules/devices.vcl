vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A header that says what device it is: devices.rules, to be copied to
 * /etc/varnish.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/devices.rules");
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_response {
	# Objects differ by device, even where the backend does not say so.
	if (!beresp.http.Vary) {
		set beresp.http.Vary = "X-UA-Device";
	} elsif (beresp.http.Vary !~ "(?i)X-UA-Device") {
		set beresp.http.Vary = beresp.http.Vary + ", X-UA-Device";
	}
}

sub vcl_deliver {
	# Between us and the client it is by User-Agent.
	set resp.http.Vary = regsub(resp.http.Vary, "(?i)X-UA-Device",
	    "User-Agent");
}
