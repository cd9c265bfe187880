# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A blog in the manner of WordPress: a chain of passes, cookies dropped one
# by one, Accept-Encoding the old way.

vcl 4.0;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl purge {
	"localhost";
	"127.0.0.1";
	"::1";
}

sub vcl_recv {
	unset req.http.proxy;

	if (req.restarts == 0) {
		if (req.http.X-Forwarded-For) {
			set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
		} else {
			set req.http.X-Forwarded-For = client.ip;
		}
	}

	if (req.method == "PURGE") {
		if (!client.ip ~ purge) {
			return (synth(405, "Not from there."));
		}
		return (purge);
	}

	if (req.http.Accept-Encoding) {
		if (req.url ~ "\.(gif|jpg|jpeg|swf|flv|mp3|mp4|pdf|ico|png|gz|tgz|bz2)(\?.*|)$") {
			unset req.http.Accept-Encoding;
		} elsif (req.http.Accept-Encoding ~ "gzip") {
			set req.http.Accept-Encoding = "gzip";
		} elsif (req.http.Accept-Encoding ~ "deflate") {
			set req.http.Accept-Encoding = "deflate";
		} else {
			unset req.http.Accept-Encoding;
		}
	}

	if (req.url ~ "\#") {
		set req.url = regsub(req.url, "\#.*$", "");
	}
	if (req.url ~ "\?$") {
		set req.url = regsub(req.url, "\?$", "");
	}

	# Not logged in, not posting, no feed.
	if (req.http.Authorization || req.method == "POST") {
		return (pass);
	}
	if (req.http.X-Requested-With == "XMLHttpRequest") {
		return (pass);
	}
	if (req.url ~ "/wp-(login|admin|cron)" || req.url ~ "preview=true" || req.url ~ "xmlrpc\.php") {
		return (pass);
	}
	if (req.url ~ "/feed") {
		return (pass);
	}
	if (req.url ~ "\?s=") {
		return (pass);
	}

	# Cookies that no page depends on.
	set req.http.Cookie = regsuball(req.http.Cookie, "has_js=[^;]+(; )?", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "__utm.=[^;]+(; )?", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "__qc.=[^;]+(; )?", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "wp-settings-1=[^;]+(; )?", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "wp-settings-time-1=[^;]+(; )?", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "wordpress_test_cookie=[^;]+(; )?", "");

	if (req.http.cookie ~ "^ *$") {
		unset req.http.cookie;
	}

	if (req.url ~ "\.(css|js|png|gif|jp(e)?g|swf|ico)") {
		unset req.http.cookie;
	}

	if (req.http.Cookie ~ "wordpress_" || req.http.Cookie ~ "comment_") {
		return (pass);
	}
	if (!req.http.cookie) {
		unset req.http.cookie;
	}
	return (hash);
}

sub vcl_backend_response {
	if (bereq.url !~ "wp-admin|wp-login") {
		unset beresp.http.set-cookie;
	}
}
