vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of hosts whose entries carry data: what to say to the backend, and
 * whether a site may be cached at all.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	# However many hosts there are, a request costs one lookup.
	new sites = fastmatch.hosts();
	sites.add("www.example.com", "main");

	# The name itself and all below it.
	sites.add(".blog.example.com", "blog");

	# All below it, but not the name itself; and no caching there.
	sites.add("*.staging.example.com", "staging", flag=true);

	# The exact name wins over every wildcard, the longer wildcard over
	# the shorter.  The order of the lines means nothing.
	sites.add("new.staging.example.com", "preview");

	# www. under every domain that is not listed.
	sites.add("www.*", "parked");
}

sub vcl_recv {
	# The request's Host header as it came: upper case, a port and a dot at
	# the end make no difference.
	if (!sites.match()) {
		return (synth(404, "No such site"));
	}

	# What the entry carries.  An entry without a value gives the
	# fallback: "" and false, if no other one is given.
	fastmatch.set(req.http.X-Site, sites.string());
	if (sites.bool()) {
		return (pass);
	}
}
