# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A shop in the manner of Shopware: states in cookies, a long list of
# parameters in one regex, XFF without a look at restarts.

vcl 4.1;

import std;
import cookie;

backend default {
	.host = "127.0.0.1";
	.port = "8000";
}

acl purgers {
	"127.0.0.1";
	"localhost";
	"::1";
	"192.0.2.0"/28;
}

sub vcl_recv {
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(403, "Forbidden"));
		}
		return (purge);
	}

	if (req.method == "BAN") {
		if (!client.ip ~ purgers) {
			return (synth(403, "Forbidden"));
		}
		ban("req.url ~ " + req.url);
		return (synth(200, "Banned " + req.url));
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

	if (req.http.Authorization) {
		return (pass);
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	if (req.url ~ "^/(checkout|account|admin|api)(/.*)?$") {
		return (pass);
	}

	if (req.url ~ "^/(media|thumbnail|theme|bundles)/") {
		unset req.http.Cookie;
	}

	cookie.parse(req.http.Cookie);
	set req.http.X-Cache-Hash = cookie.get("shop-cache-hash");
	set req.http.X-Currency = cookie.get("shop-currency");

	if (req.url == "/widgets/checkout/info" && !cookie.isset("shop-cache-hash")) {
		return (synth(204, ""));
	}

	if (req.url ~ "(\?|&)(pk_campaign|piwik_campaign|pk_kwd|mtm_[a-z]+|adid|camid|siteurl|utm_[a-z]+|_ga|gclid)=") {
		set req.url = regsuball(req.url, "(pk_campaign|piwik_campaign|pk_kwd|mtm_[a-z]+|adid|camid|siteurl|utm_[a-z]+|_ga|gclid)=[A-Za-z0-9\-\_\.\~%]+&?", "");
	}
	set req.url = regsub(req.url, "(\?|\?&|&)$", "");
	set req.url = std.querysort(req.url);

	if (req.http.X-Forwarded-For) {
		set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
	} else {
		set req.http.X-Forwarded-For = client.ip;
	}

	# The store speaks ESI.
	set req.http.Surrogate-Capability = "shop=ESI/1.0";

	return (hash);
}

sub vcl_hash {
	hash_data("hash " + req.http.X-Cache-Hash);
	hash_data("in " + req.http.X-Currency);
}
