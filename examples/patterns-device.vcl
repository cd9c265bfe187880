vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which kind of device is it?  A set whose patterns carry a label, from a
 * file of "pattern -> label" lines: devices.list, next to this file, is to be
 * copied to /etc/varnish.
 *
 * The backend reads X-Device and answers with "Vary: X-Device": one copy in
 * the cache for each label, instead of one for each User-Agent.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new devices = fastmatch.patterns();
	devices.load("/etc/varnish/devices.list", regex);
}

sub vcl_recv {
	# label() is match() and string() in one: the label of the first line
	# of the file that matches, else the second argument.  So no client
	# sends a label of his own.
	fastmatch.set(req.http.X-Device,
	    devices.label(req.http.User-Agent, "desktop"));
}

sub vcl_deliver {
	# Caches of others know nothing of X-Device.
	if (resp.http.Vary ~ "X-Device") {
		set resp.http.Vary = regsub(resp.http.Vary, "X-Device",
		    "User-Agent");
	}
}
