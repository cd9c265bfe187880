vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For ab.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import std;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/ab.rules", watch=5s);
}

sub vcl_recv {
	if (req.restarts == 0 && req.esi_level == 0) {
		set req.http.X-Draw = std.integer(real=std.random(0, 10));
	}
	site.apply();
}

sub vcl_hash {
	if (req.http.X-Version) {
		hash_data(req.http.X-Version);
	}
}

sub vcl_deliver {
	if (req.http.X-Version) {
		# For whatever else caches: this page is of one visitor.
		if (resp.http.Cache-Control !~ "no-store") {
			set resp.http.Cache-Control = "private, no-cache";
		}
		# There is one Set-Cookie here, and the backend's comes first.
		if (req.http.X-Draw && !resp.http.Set-Cookie) {
			set resp.http.Set-Cookie = "version=" +
			    req.http.X-Version + "; Path=/; Max-Age=2592000";
		}
	}
}

sub vcl_synth {
	site.apply();
}
