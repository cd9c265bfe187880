# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# Redirects and pages by statuses that no client sees, as vcl_synth makes them.

vcl 4.1;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

sub vcl_recv {
	if (req.http.Host == "www.example.com" && req.http.X-Forwarded-Proto !~ "https") {
		return (synth(750, ""));
	}
	if (req.http.Host ~ "^(?i)example\.com$") {
		return (synth(751, "https://www.example.com" + req.url));
	}
	if (req.url == "/robots.txt" && req.http.Host ~ "^staging\.") {
		return (synth(760, "robots"));
	}
	if (req.url ~ "^/maintenance") {
		return (synth(761));
	}
	if (req.url ~ "^/xmlrpc\.php$") {
		return (synth(401, "Unauthorized"));
	}
	if (req.url ~ "^/old/") {
		return (synth(752, "/new/"));
	}
	if (req.url ~ "^/cookie/off$") {
		return (synth(770, "off"));
	}

	set req.url = regsub(req.url, "\?(fbclid|gclid)=[^&]*$", "");
	set req.url = regsub(req.url, "\?$", "");

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.http.Authorization || req.http.Cookie) {
		return (pass);
	}
	return (hash);
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.status = 301;
		set resp.http.Location = "https://www.example.com" + req.url;
		return (deliver);
	} elseif (resp.status == 751) {
		set resp.http.Location = resp.reason;
		set resp.status = 302;
		return (deliver);
	} elseif (resp.status == 752) {
		set resp.http.Location = resp.reason;
		set resp.status = 308;
		return (deliver);
	} elseif (resp.status == 760) {
		set resp.status = 200;
		set resp.http.Content-Type = "text/plain; charset=utf-8";
		synthetic("User-agent: * Disallow: /");
		return (deliver);
	} elseif (resp.status == 761) {
		set resp.status = 503;
		set resp.http.Content-Type = "text/html; charset=utf-8";
		set resp.body = {"<!DOCTYPE html><title>Soon</title><h1>We are back soon.</h1>"};
		return (deliver);
	} elseif (resp.status == 770) {
		set resp.status = 200;
		set resp.http.Set-Cookie = "seen=" + resp.reason + "; Path=/";
		set resp.http.Content-Type = "text/plain";
		synthetic("It is off.");
		return (deliver);
	}
}
