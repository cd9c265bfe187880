# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A blog that sells: what is in the cart passes, prefixes of cookies go, and a
# PURGE of a folder is a ban.

vcl 4.1;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl purge {
	"localhost";
	"10.0.0.0"/8;
}

sub vcl_recv {
	set req.http.Host = std.tolower(req.http.Host);
	set req.http.Host = regsub(req.http.Host, ":[0-9]+", "");
	unset req.http.proxy;

	if (req.method == "PURGE") {
		if (!client.ip ~ purge) {
			return (synth(405, "Purging is not for " + client.ip));
		}
		if (req.http.X-Purge-Method == "regex") {
			ban("obj.http.x-url ~ " + req.url + " && obj.http.x-host == " + req.http.Host);
			return (synth(200, "Purged"));
		}
		return (purge);
	}

	if (req.method != "GET" && req.method != "HEAD" &&
	    req.method != "PUT" && req.method != "POST" &&
	    req.method != "TRACE" && req.method != "OPTIONS" &&
	    req.method != "PATCH" && req.method != "DELETE") {
		return (pipe);
	}

	if (req.http.Upgrade ~ "(?i)websocket") {
		return (pipe);
	}

	# Campaigns, in front and behind others.
	if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|utm_content|gclid|fbclid)=") {
		set req.url = regsuball(req.url, "&(utm_source|utm_medium|utm_campaign|utm_content|gclid|fbclid)=([A-z0-9_\-\.%25]+)", "");
		set req.url = regsuball(req.url, "\?(utm_source|utm_medium|utm_campaign|utm_content|gclid|fbclid)=([A-z0-9_\-\.%25]+)", "?");
		set req.url = regsub(req.url, "\?&", "?");
		set req.url = regsub(req.url, "\?$", "");
	}

	if (req.method != "GET" && req.method != "HEAD") {
		set req.http.X-Cacheable = "NO:METHOD";
		return (pass);
	}

	if (req.url ~ "^/(cart|my-account|checkout|addons|wishlist)" || req.url ~ "\?(add-to-cart|wc-api)=") {
		set req.http.X-Cacheable = "NO:SHOP";
		return (pass);
	}

	if (req.http.Cookie ~ "wordpress_logged_in_|woocommerce_items_in_cart|woocommerce_cart_hash|wp_woocommerce_session_") {
		set req.http.X-Cacheable = "NO:COOKIES";
		return (pass);
	}

	# Measured by somebody else.
	if (req.http.Cookie) {
		set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\s*)(_[_a-z]+|has_js|wooTracker)=[^;]*", "");
		set req.http.Cookie = regsub(req.http.Cookie, "^;\s*", "");
		if (req.http.Cookie ~ "^\s*$") {
			unset req.http.Cookie;
		}
	}

	if (req.url ~ "^[^?]*\.(7z|avi|bmp|css|csv|eot|gif|gz|ico|jpeg|jpg|js|png|svg|ttf|webp|woff2?)(\?.*)?$") {
		unset req.http.Cookie;
		return (hash);
	}

	return (hash);
}

sub vcl_deliver {
	if (req.http.X-Cacheable) {
		set resp.http.X-Cacheable = req.http.X-Cacheable;
	}
}
