vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shop as they grow: purges from inside, health checks, static files,
 * campaigns taken out of the URL, sessions that are never cached.
 */

import std;

backend web { .host = "127.0.0.1"; .port = "8080"; }
backend media { .host = "127.0.0.1"; .port = "8081"; }

acl purgers {
	"127.0.0.1";
	"10.0.0.0"/8;
	"2001:db8::"/32;
}

sub strip_tracking {
	# What campaigns and advertisements leave in the URL.
	if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|gclid|fbclid)=") {
		set req.url = regsuball(req.url,
		    "([?&])(utm_source|utm_medium|utm_campaign|gclid|fbclid)=[^&]*(?=&|$)",
		    "\1");
		set req.url = regsuball(req.url, "&&+", "&");
		set req.url = regsub(req.url, "\?&", "?");
		set req.url = regsub(req.url, "[?&]$", "");
	}
}

sub no_cookies {
	unset req.http.Cookie;
	unset req.http.X-Session;
}

sub vcl_recv {
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not from there"));
		}
		return (purge);
	}

	# Methods that no cache has anything to do with.
	if (req.method != "GET" && req.method != "HEAD" &&
	    req.method != "PUT" && req.method != "POST" &&
	    req.method != "TRACE" && req.method != "OPTIONS" &&
	    req.method != "DELETE") {
		return (pipe);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	# The health check of the balancer.
	if (req.url ~ "^/(pub/)?(health_check\.php)$") {
		return (pass);
	}

	# Nothing below these is cached.
	if (req.url ~ "^/(checkout|customer/section/load)" || req.url ~ "/admin/") {
		return (pass);
	}

	call strip_tracking;

	if (req.http.Authorization) {
		return (pass);
	}

	# Ads that only the browser reads.
	if (req.http.Cookie) {
		set req.http.Cookie = regsuball(req.http.Cookie,
		    "(^|; )(_ga|_gid|_fbp)=[^;]*", "");
		set req.http.Cookie = regsub(req.http.Cookie, "^; ", "");
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}

	# Static files are the same for everyone.
	if (req.url ~ "^/(pub/)?(media|static)/") {
		set req.backend_hint = media;
		unset req.http.Https;
		unset req.http.X-Forwarded-Proto;
		call no_cookies;
		return (hash);
	}
	if (req.url ~ "\.(css|js|jpe?g|png|gif|svg|woff2?)$") {
		call no_cookies;
	}

	if (req.http.Cookie ~ "PHPSESSID=") {
		set req.http.X-Session = "yes";
	} else {
		set req.http.X-Session = "no";
	}

	set req.http.X-Grace = std.tolower(req.http.X-Forwarded-Proto);
	if (req.url ~ "^/graphql" && !req.http.X-Cache-Id) {
		return (pass);
	}
	return (hash);
}
