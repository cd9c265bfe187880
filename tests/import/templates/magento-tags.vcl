# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# The same shop, grown: purged by keys, other values of campaigns, sorted,
# and cookies that a module reads.

vcl 4.1;

import cookie;
import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl purge {
	"localhost";
}

sub vcl_recv {
	# Hosts without their ports.
	if (req.http.Host ~ ":[0-9]+$") {
		set req.http.Host = regsub(req.http.Host, ":[0-9]+$", "");
	}

	# The order says nothing.
	if (req.url ~ "\?.+&.+") {
		set req.url = std.querysort(req.url);
	}

	if (req.restarts > 0) {
		set req.hash_always_miss = true;
	}

	if (req.method == "PURGE") {
		if (client.ip !~ purge) {
			return (synth(405));
		}
		if (req.http.X-Keys) {
			ban("obj.http.X-Keys ~ " + req.http.X-Keys);
			return (synth(200, "Purged"));
		}
		return (purge);
	}

	if (req.method != "GET" && req.method != "HEAD" &&
	    req.method != "PUT" && req.method != "POST" &&
	    req.method != "PATCH" && req.method != "TRACE" &&
	    req.method != "OPTIONS" && req.method != "DELETE") {
		return (synth(405));
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	if (req.http.Authorization ~ "^Bearer") {
		return (pass);
	}

	if (req.url ~ "^/(pub/)?(media|static)/.*\.(ico|jpe?g|png|gif|svg|css|js|woff2?)$") {
		unset req.http.Cookie;
		unset req.http.X-Forwarded-Proto;
	}

	set req.url = regsuball(req.url, "(utm_[a-z]+|gclid|gclsrc|dclid|fbclid|msclkid|ttclid|srsltid)=[^&]+&?", "");
	set req.url = regsub(req.url, "[?&]+$", "");

	std.collect(req.http.Cookie, ";");
	cookie.parse(req.http.Cookie);

	if (cookie.isset("preview")) {
		return (pass);
	}
	if (cookie.get("admin") == "1") {
		return (pass);
	}

	return (hash);
}

sub vcl_hash {
	hash_data(req.http.X-Forwarded-Proto);
}
