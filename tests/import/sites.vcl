vcl 4.0;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Several sites on one Varnish: a blog, a forum, a wiki and what moved away;
 * redirects by way of synth.
 */

include "sites-common.vcl";

backend blog { .host = "127.0.0.1"; .port = "8080"; }
backend forum { .host = "127.0.0.1"; .port = "8081"; }
backend wiki { .host = "127.0.0.1"; .port = "8082"; }

sub vcl_recv {
	# So that no redirect goes on with another host.
	if (req.url !~ "^/") {
		return (synth(400, "No path"));
	}

	# What moved.
	if (req.http.host == "old.example.com" ||
	    req.http.host == "www.old.example.com") {
		return (synth(750, "https://www.example.com" + req.url));
	}
	if (req.http.host == "example.com") {
		return (synth(750, "https://www.example.com" + req.url));
	} elsif (req.http.host ~ "^(?i)m\.example\.com$") {
		return (synth(751, "https://www.example.com/mobile"));
	}

	# Who is it?
	if (req.http.host == "www.example.com" || req.http.host == "blog.example.com") {
		set req.backend_hint = blog;
		set req.http.X-Site = "blog";
	} else if (req.http.host ~ "^forum[0-9]*\.example\.com$") {
		set req.backend_hint = forum;
		set req.http.X-Site = "forum";
	} else if (req.http.host ~ "\.wiki\.example\.com$") {
		set req.backend_hint = wiki;
		set req.http.X-Site = "wiki";
	} else {
		return (synth(404, "No such site"));
	}

	# The blog is WordPress.
	if (req.http.X-Site == "blog") {
		if (req.url ~ "^/wp-(login|admin)" || req.url ~ "preview=true") {
			return (pass);
		}
		if (req.http.Cookie ~ "wordpress_logged_in_|comment_author_|wp-postpass_") {
			return (pass);
		}
		unset req.http.Cookie;
	}

	if (req.http.X-Site == "forum" && req.http.Cookie !~ "(^|; )sid=") {
		unset req.http.Cookie;
		set req.http.X-Guest = "1";
	}

	# Long gone: the path of the first wiki.
	if (req.http.X-Site == "wiki") {
		set req.url = regsub(req.url, "^/index\.php/", "/wiki/");
		set req.http.X-Key = req.http.X-Site + "/" + req.method;
	}
	if (req.http.Upgrade ~ "(?i)websocket") {
		return (pipe);
	}
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		return (deliver);
	} elsif (resp.status == 751) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
