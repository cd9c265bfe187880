vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing but hosts, in a chain whose order counts: with --well-formed they
 * are blocks of hosts.
 */

backend shop { .host = "127.0.0.1"; .port = "8081"; }
backend blog { .host = "127.0.0.1"; .port = "8082"; }
backend wiki { .host = "127.0.0.1"; .port = "8083"; }

sub vcl_recv {
	unset req.http.X-Site;
	if (req.http.X-Old-Host) {
		set req.http.Host = "shop.example.com";
	}
	# The wiki has everything below it but what comes before.
	if (req.http.host == "shop.example.com" ||
	    req.http.host ~ "(?i)^(www\.)?shop\.example\.(com|net)$") {
		set req.backend_hint = shop;
		set req.http.X-Site = "shop";
		if (req.url ~ "^/cart") {
			return (pass);
		}
	} elsif (req.http.host == "static.wiki.example.com") {
		unset req.http.Cookie;
		return (hash);
	} elsif (req.http.host ~ "\.wiki\.example\.com$" ||
	    req.http.host == "wiki.example.com") {
		set req.backend_hint = wiki;
		set req.http.X-Site = "wiki";
	} elsif (req.http.host == "de.wiki.example.com" ||
	    req.http.host == "blog.example.com" ||
	    req.http.host == "www.shop.example.com") {
		set req.backend_hint = blog;
		set req.http.X-Site = "blog";
	} else {
		return (synth(404, "No such site"));
	}
	set req.http.X-After = req.http.X-Site + "!";
	if (req.http.X-Site == "blog" && req.url ~ "\.php$") {
		return (pass);
	}
}
