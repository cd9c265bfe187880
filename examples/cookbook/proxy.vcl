vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For proxy.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

# The same networks as after "trust" in proxy.rules.
acl proxies { "10.0.0.0"/8; "198.51.100.0"/24; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/proxy.rules", watch=5s);
}

sub vcl_recv {
	if (client.ip !~ proxies) {
		unset req.http.X-Forwarded-Proto;
	}
	site.apply();
}

sub vcl_synth {
	site.apply();
}
