vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Is the visitor on a phone?  One set of patterns, one yes or no.
 *
 * Try it:
 *	curl -sI -A 'Nokia6230/2.0' http://127.0.0.1/	-> 302 to the mobile site
 *	curl -sI http://127.0.0.1/			-> the page
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	# A set belongs to this VCL.  All is compiled at vcl.load: a mistake
	# in the file fails vcl.load, never a request.
	new mobile = fastmatch.patterns();

	# One pattern a line, 120 of them.  What is not said otherwise is
	# found anywhere in the text, and upper and lower case differ.
	mobile.load("/usr/share/varnish-fastmatch/lists/mobile-brands.list");

	# And one of our own: what tells today's phones from tablets is not
	# a fixed text.
	mobile.add("Android.*Mobile", regex);
}

sub vcl_recv {
	# match() stops at the first pattern that is found.  It looks at the
	# User-Agent where it is not given anything else; without that header
	# there is nothing to find: no.
	if (req.url == "/" && mobile.match()) {
		return (synth(752, "http://m.example.com" + req.url));
	}
}

sub vcl_synth {
	if (resp.status == 752) {
		set resp.http.Location = resp.reason;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
