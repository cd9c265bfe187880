vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For auth.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import digest;
import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new users = fastmatch.patterns();
	users.load("/etc/varnish/auth.list", exact, watch=5s);
	new site = fastmatch.rules("/etc/varnish/auth.rules", watch=5s);
	site.sub("auth", auth);
}

# The rules call this.  It ends the request of whoever has no password.
sub auth {
	if (req.restarts == 0 && req.esi_level == 0 && (!req.http.X-Auth ||
	    !users.match(digest.hash_sha256(req.http.X-Auth)))) {
		return (synth(401));
	}
	unset req.http.X-Auth;
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_error {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
