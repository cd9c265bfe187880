# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A site in the manner of TYPO3: editors by their cookie, bans by page.

vcl 4.1;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl editors {
	"127.0.0.1";
	"192.0.2.0"/24;
}

sub vcl_recv {
	if (req.method == "BAN" && client.ip ~ editors) {
		if (req.http.X-Ban-All == "1" && req.http.X-Ban-Site) {
			ban("req.url ~ / && obj.http.X-Site == " + req.http.X-Ban-Site);
			return (synth(200, "All of a site"));
		} else if (req.http.X-Ban-All == "1") {
			ban("req.url ~ /");
			return (synth(200, "All"));
		}
		if (req.http.X-Ban-Page) {
			ban("obj.http.X-Page == " + req.http.X-Ban-Page);
			return (synth(200, "A page"));
		}
	}

	if (req.restarts == 0) {
		if (req.http.x-forwarded-for) {
			set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
		} else {
			set req.http.X-Forwarded-For = client.ip;
		}
	}

	if (req.method != "GET" &&
	    req.method != "HEAD" &&
	    req.method != "PUT" &&
	    req.method != "POST" &&
	    req.method != "TRACE" &&
	    req.method != "OPTIONS" &&
	    req.method != "DELETE") {
		return (pipe);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	# Editors see what is new.
	if (req.http.Cookie ~ "be_typo_user" || req.url ~ "^/typo3" || req.url ~ "(\?|&)eID=") {
		return (pass);
	}

	if (req.url ~ "^/(fileadmin|typo3conf|typo3temp|uploads)/") {
		unset req.http.Cookie;
	}

	if (req.url ~ "[?&](utm_source|utm_medium|utm_campaign|gclid|cHash_old)=") {
		set req.url = regsuball(req.url, "(utm_source|utm_medium|utm_campaign|gclid|cHash_old)=[^&]*&?", "");
		set req.url = regsub(req.url, "[?&]+$", "");
	}

	if (req.http.Authorization) {
		return (pass);
	}
	if (req.http.Cookie ~ "fe_typo_user") {
		return (pass);
	}

	return (hash);
}
