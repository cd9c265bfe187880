vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All of a site can be banned at once, and the ban lurker does the work: the
 * canonical host of the request is kept with the object, so a ban asks for
 * nothing but obj.*:
 *
 *	varnishadm "ban obj.http.X-Site == www.example.com"
 *
 * or, from where the editors are:
 *
 *	curl -X BAN -H 'Host: WWW.example.com:80' http://cache/
 *
 * It does not matter how either of them spells the host.
 */

import fastmatch;
import std;

backend web { .host = "127.0.0.1"; .port = "8081"; }

acl editors { "127.0.0.1"; "192.0.2.0"/24; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/ban.rules");
}

sub vcl_recv {
	site.apply();
	if (req.method == "BAN") {
		if (client.ip !~ editors) {
			return (synth(403));
		}
		if (!std.ban("obj.http.X-Site == " + site.host())) {
			return (synth(500, std.ban_error()));
		}
		return (synth(200, "Banned " + site.host()));
	}
}

sub vcl_hash {
	# One object, however the host is spelled.
	hash_data(req.url);
	hash_data(req.http.X-Site);
	return (lookup);
}

sub vcl_backend_response {
	set beresp.http.X-Site = bereq.http.X-Site;
}

sub vcl_deliver {
	unset resp.http.X-Site;
}

sub vcl_synth {
	site.apply();
}
