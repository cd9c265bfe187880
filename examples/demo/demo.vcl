vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL of `./quickstart demo`: answers every request itself, with a page
 * that says what fastmatch made of it.  No backend is asked.
 */

import fastmatch;

backend none none;

sub vcl_init {
	new sites = fastmatch.hosts();
	sites.add("www.example.com", "the main site");
	sites.add(".shop.example.com", "the shop, with all below it");
	sites.add("*.wiki.example", "a wiki in some language");
	sites.add("*.m.wiki.example", "a wiki for phones: the longer name wins");
	sites.add("meta.wiki.example", "one wiki: the exact name wins");
	sites.add("www.*", "any other name that starts with www");
	sites.add("localhost", "this machine");
	sites.add("[::1]", "this machine, by its address");
	sites.add("*", "none of the other entries: the rest");

	new brands = fastmatch.patterns();
	brands.load(
	    "/usr/share/varnish-fastmatch/lists/mobile-brands.list");

	new tracking = fastmatch.params(sort=true);
	tracking.add("utm_*");
	tracking.add("gclid");
	tracking.add("fbclid");
	tracking.add("_");

	new visitor = fastmatch.params(mode=keep);
	visitor.add("session");
	visitor.add("cart_*");
}

sub vcl_recv {
	# Varnish rewrites Accept-Encoding itself when vcl_recv is done.
	set req.http.X-Encodings = req.http.Accept-Encoding;
	return (synth(200, "OK"));
}

sub vcl_synth {
	set resp.http.Content-Type = "text/plain; charset=utf-8";
	set resp.http.Cache-Control = "no-store";
	set resp.body = "fastmatch " + fastmatch.version() + {"

"};

	# What a match found is remembered for the rest of the request.
	if (sites.match(req.http.Host)) {
		set resp.body += {"host       "} + req.http.Host + {"
  is       "} + fastmatch.host(req.http.Host) + {"
  entry    "} + sites.pattern() + {"
  which is "} + sites.string() + {"
"};
	} else {
		set resp.body += {"host       none, or no name of a host
"};
	}

	if (brands.match(req.http.User-Agent)) {
		set resp.body += {"
agent      "} + req.http.User-Agent + {"
  phone    yes: "} + brands.nmatches() + {" of the list of brands
  first    "} + brands.pattern(brands.which(FIRST)) + {"
  last     "} + brands.pattern(brands.which(LAST)) + {"
"};
	} elsif (req.http.User-Agent) {
		set resp.body += {"
agent      "} + req.http.User-Agent + {"
  phone    no: 0 of the list of brands
"};
	}

	set resp.body += {"
url        "} + req.url + {"
  cleaned  "} + tracking.query(req.url) + {"
"};

	if (req.http.Cookie) {
		set resp.body += {"
cookies    "} + req.http.Cookie + {"
  kept     "} + visitor.cookies(req.http.Cookie) + {"
"};
	}

	# Without the header, or where nothing fits, the fallback.
	set resp.body += {"
encoding   "} + fastmatch.negotiate(req.http.X-Encodings, "br gzip",
	    "identity") + {"
language   "} + fastmatch.negotiate(req.http.Accept-Language, "en de fr",
	    "en") + {"
"};
	return (deliver);
}
