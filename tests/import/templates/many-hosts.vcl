# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# Many sites on one machine: one `if` by host after the other, each with a
# backend and a few of its own.

vcl 4.1;

import std;

backend blog {
	.host = "127.0.0.1";
	.port = "8081";
}

backend shop {
	.host = "127.0.0.1";
	.port = "8082";
}

backend wiki {
	.host = "127.0.0.1";
	.port = "8083";
}

sub vcl_recv {
	set req.http.Host = regsub(std.tolower(req.http.Host), ":[0-9]+$", "");

	if (req.url ~ "[?&](utm_[a-z]+|gclid|fbclid)=") {
		set req.url = regsuball(req.url, "[?&](utm_[a-z]+|gclid|fbclid)=[^&]*", "");
		set req.url = regsub(req.url, "^([^?&]*)&", "\1?");
	}

	if (req.http.Host == "blog.example" || req.http.Host == "www.blog.example") {
		set req.backend_hint = blog;
		if (req.url ~ "^/wp-admin") {
			return (pass);
		}
		unset req.http.Cookie;
	}

	if (req.http.Host == "shop.example" || req.http.Host == "www.shop.example") {
		set req.backend_hint = shop;
		if (req.http.X-Forwarded-Proto != "https") {
			return (synth(750, "https://shop.example" + req.url));
		}
		if (req.url ~ "^/(cart|checkout|account)") {
			return (pass);
		}
	}

	if (req.http.Host ~ "(^|\.)wiki\.example$") {
		set req.backend_hint = wiki;
		if (req.http.Cookie ~ "session") {
			return (pass);
		}
	}

	if (req.http.Host == "old.example") {
		return (synth(751, "https://blog.example/"));
	}

	if (req.http.Host == "gone.example") {
		return (synth(410, "Gone"));
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	return (hash);
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		return (deliver);
	}
	if (resp.status == 751) {
		set resp.http.Location = resp.reason;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
