vcl 4.0;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What all configurations of sites.vcl have in common.
 */

acl banned {
	"192.0.2.0"/24;
	! "192.0.2.7";
}

sub vcl_recv {
	if (client.ip ~ banned) {
		return (synth(403, "Forbidden"));
	}
	unset req.http.Proxy;
	unset req.http.X-Site;
	if (req.restarts == 0) {
		unset req.http.X-Guest;
		unset req.http.X-Key;
		unset req.http.X-Debug;
	}
}
