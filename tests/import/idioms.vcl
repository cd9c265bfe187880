vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What many a vcl_recv has: hosts in one spelling, redirects by more than one
 * way, health checks, passwords, campaigns, files, a tablet here and there.
 */

import std;

backend a { .host = "127.0.0.1"; .port = "8081"; }
backend b { .host = "127.0.0.1"; .port = "8082"; }
backend c { .host = "127.0.0.1"; .port = "8083"; }

acl office { "10.1.0.0"/16; "2001:db8:1::"/48; }
acl named { "localhost"; }

sub vcl_recv {
	# Hosts in one spelling.
	set req.http.Host = regsub(std.tolower(req.http.Host), ":[0-9]+$", "");

	if (req.url == "/healthz" || req.url ~ "^/health(\?|$)") {
		return (synth(200, "OK"));
	}
	if (req.method == "PURGE") {
		if (!client.ip ~ office) {
			return (synth(403));
		}
		return (purge);
	}
	if (client.ip ~ named && req.url ~ "^/internal/") {
		return (pass);
	}

	# Redirects: the scheme, the bare name, old paths.
	if (req.http.X-Forwarded-Proto !~ "(?i)^https$" &&
	    req.http.host ~ "(?i)^(www\.)?secure\.example$") {
		return (synth(750, "https://www.secure.example" + req.url));
	}
	if (req.http.host == "example.net") {
		return (synth(750, "https://www." + req.http.host + req.url));
	}
	if (req.url ~ "^/old-shop") {
		return (synth(751, "https://shop.example.net"));
	}
	if (req.url == "/favicon.gif") {
		return (synth(301, "/favicon.ico"));
	}

	# Whose is it?
	if (req.http.host == "a.example" ||
	    req.http.host ~ "(?i)^(www\.)?secure\.example$") {
		set req.backend_hint = a;
	} else if (std.tolower(req.http.host) == "b.example" ||
	    std.tolower(req.http.host) ~ "\.b\.example$") {
		set req.backend_hint = b;
		if (req.http.Authorization !~ "^Basic dXNlcjpwYXNz$") {
			return (synth(401, "Who is it?"));
		}
	} elseif (req.http.host ~ "^[^.]+\.c\.example$") {
		set req.backend_hint = c;
	} else {
		return (synth(404, "unknown host"));
	}

	# Campaigns leave.
	set req.url = regsuball(req.url, "([?&])(utm_[a-z]+|gclid|fbclid)=[^&]*&?", "\1");
	set req.url = regsub(req.url, "[?&]+$", "");
	# One object, in whatever order its parameters come.
	set req.url = std.querysort(req.url);
	# What a browser keeps for itself.
	set req.url = regsub(req.url, "#.*$", "");

	if (req.http.Cookie) {
		set req.http.Cookie = ";" + req.http.Cookie;
		set req.http.Cookie = regsuball(req.http.Cookie, "; +", ";");
		set req.http.Cookie = regsuball(req.http.Cookie, ";(session|lang)=", "; \1=");
		set req.http.Cookie = regsuball(req.http.Cookie, ";[^ ][^;]*", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "^[; ]+|[; ]+$", "");
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}
	if (req.url ~ "\.(png|css)(\?.*)?$") {
		unset req.http.Cookie;
	}

	set req.http.X-Asked = req.url;
	set req.http.X-Key = req.http.host + "|" + req.url;
	if (req.url ~ "^/en/") {
		set req.http.X-Page = "en:" + req.url;
	}

	set req.http.X-Device = "pc";
	if (req.http.User-Agent ~ "(?i)bot") {
		set req.http.X-Device = "bot";
	} elsif (req.http.User-Agent ~ "(?i)(tablet|ipad)") {
		set req.http.X-Device = "tablet";
	} elsif (req.http.User-Agent ~ "(?i)mobile" &&
	    req.http.User-Agent !~ "(?i)tv") {
		set req.http.X-Device = "phone";
	}

	if (req.http.Cookie ~ "session=" || req.http.Authorization) {
		return (pass);
	}
	set req.url = regsub(req.url, "^/app", "");
	return (hash);
}

sub vcl_synth {
	if (resp.status == 750 || resp.status == 752) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		set resp.reason = "Moved Permanently";
		return (deliver);
	}
	if (resp.status == 751) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		return (deliver);
	}
	if (resp.status == 301) {
		set resp.http.Location = resp.reason;
		set resp.reason = "Gone there";
		return (deliver);
	}
	if (resp.status == 401) {
		set resp.http.WWW-Authenticate = "Basic";
	}
}
