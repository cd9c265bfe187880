# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A shop in the manner of Magento: BAN by tags, campaigns, static files.

vcl 4.1;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
	.first_byte_timeout = 600s;
}

acl purge {
	"localhost";
	"127.0.0.1";
}

sub vcl_recv {
	if (req.http.X-Real-Ip) {
		set req.http.X-Forwarded-For = req.http.X-Real-Ip;
	}

	if (req.method == "PURGE") {
		if (client.ip !~ purge) {
			return (synth(405, "Not for you"));
		}
		if (!req.http.X-Tags-Pattern && !req.http.X-Pool) {
			return (synth(400, "Which tags, or which pool?"));
		}
		if (req.http.X-Tags-Pattern) {
			ban("obj.http.X-Tags ~ " + req.http.X-Tags-Pattern);
		}
		if (req.http.X-Pool) {
			ban("obj.http.X-Pool ~ " + req.http.X-Pool);
		}
		return (synth(200, "Done"));
	}

	if (req.method != "GET" &&
	    req.method != "HEAD" &&
	    req.method != "PUT" &&
	    req.method != "POST" &&
	    req.method != "PATCH" &&
	    req.method != "TRACE" &&
	    req.method != "OPTIONS" &&
	    req.method != "DELETE") {
		return (pipe);
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	# Neither the cart nor the search.
	if (req.url ~ "/checkout" || req.url ~ "/catalogsearch") {
		return (pass);
	}

	# The balancer asks whether we live.
	if (req.url ~ "^/(pub/)?health_check.php$") {
		return (pass);
	}

	set req.url = regsub(req.url, "^http[s]?://", "");

	# All cookies in one header.
	std.collect(req.http.Cookie);

	# Campaigns.
	if (req.url ~ "(\?|&)(gclid|cx|ie|cof|siteurl|zanpid|origin|fbclid|mc_[a-z]+|utm_[a-z]+|_bta_[a-z]+)=") {
		set req.url = regsuball(req.url, "(gclid|cx|ie|cof|siteurl|zanpid|origin|fbclid|mc_[a-z]+|utm_[a-z]+|_bta_[a-z]+)=[-_A-z0-9+()%.]+&?", "");
		set req.url = regsub(req.url, "[?|&]+$", "");
	}

	# Files that are the same for everybody.
	if (req.url ~ "^/(pub/)?(media|static)/") {
		unset req.http.Https;
		unset req.http.X-Forwarded-Proto;
		unset req.http.Cookie;
	}

	# A token is somebody.
	if (req.url ~ "/graphql" && req.http.Authorization ~ "^Bearer") {
		return (pass);
	}

	return (hash);
}

sub vcl_hash {
	if (req.http.cookie ~ "X-Vary=") {
		hash_data(regsub(req.http.cookie, "^.*?X-Vary=([^;]+);*.*$", "\1"));
	}
	if (req.http.X-Forwarded-Proto) {
		hash_data(req.http.X-Forwarded-Proto);
	}
}

sub vcl_backend_response {
	set beresp.grace = 3d;
	if (beresp.http.content-type ~ "text") {
		set beresp.do_esi = true;
	}
}
