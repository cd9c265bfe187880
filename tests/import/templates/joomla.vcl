# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A site in the manner of Joomla: sub by sub, components that pass, a chain for
# the client's address.

vcl 4.0;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl cleaners {
	"localhost";
}

sub address {
	if (req.restarts == 0) {
		if (req.http.X-Real-IP) {
			set req.http.X-Forwarded-For = req.http.X-Real-IP;
		} else if (req.http.X-Forwarded-For) {
			set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
		} else {
			set req.http.X-Forwarded-For = client.ip;
		}
	}
}

sub cookies {
	set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\s*)(__[a-z]+|__utm*|has_js)=[^;]*", "");
	set req.http.Cookie = regsub(req.http.Cookie, "^;\s*", "");
	if (req.http.Cookie ~ "^\s*$") {
		unset req.http.Cookie;
	}
}

sub vcl_recv {
	call address;

	if (req.method == "PURGE") {
		if (!client.ip ~ cleaners) {
			return (synth(405, "Not from there"));
		}
		return (purge);
	}

	set req.http.Host = regsub(req.http.Host, ":[0-9]+", "");

	if (req.url !~ "administrator") {
		set req.url = std.querysort(req.url);
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	if (req.url ~ "^/administrator" || req.url ~ "option=com_(users|banners|ajax)" || req.url ~ "/component/(banners|users)") {
		return (pass);
	}
	if (req.http.Cookie ~ "joomla_user_state=logged_in|userID") {
		return (pass);
	}
	if (req.http.X-Requested-With == "XMLHttpRequest" || req.url ~ "nocache") {
		return (pass);
	}

	set req.url = regsub(req.url, "(\?|&)(utm_[a-z]+|gclid|fbclid)=[^&]*$", "");
	set req.url = regsub(req.url, "\?$", "");

	call cookies;

	if (req.url ~ "(?i)\.(css|eot|gif|ico|jpe?g|js|pdf|png|svg|swf|ttf|txt|woff)(\?.*)?$") {
		unset req.http.Cookie;
		return (hash);
	}
	if (req.http.Authorization) {
		return (pass);
	}
	return (hash);
}
