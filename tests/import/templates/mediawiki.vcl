# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A wiki in the manner of MediaWiki, with builtin.vcl as it used to be written
# out.

vcl 4.0;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

backend test {
	.host = "127.0.0.1";
	.port = "8081";
}

acl wikis {
	"127.0.0.1";
	"198.51.100.7";
}

sub vcl_recv {
	if (req.http.X-Forwarded-For) {
		set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
	} else {
		set req.http.X-Forwarded-For = client.ip;
	}

	if (req.http.host == "test.wiki.example") {
		set req.backend_hint = test;
	} else {
		set req.backend_hint = default;
	}

	if (req.method == "PURGE") {
		if (client.ip !~ wikis) {
			return (synth(405, "Not for you"));
		}
		return (purge);
	}

	# Who has logged in.
	if (req.http.Cookie ~ "(session|Token|UserID|UserName)=" || req.http.Authorization) {
		return (pass);
	}

	# The skin of a phone.
	if (req.url ~ "(\?|&)(useskin|mobileaction)=") {
		return (pass);
	}

	if (req.http.Accept-Encoding) {
		if (req.http.User-Agent ~ "MSIE 6") {
			unset req.http.Accept-Encoding;
		} elsif (req.http.Accept-Encoding ~ "gzip") {
			set req.http.Accept-Encoding = "gzip";
		} elsif (req.http.Accept-Encoding ~ "deflate") {
			set req.http.Accept-Encoding = "deflate";
		} else {
			unset req.http.Accept-Encoding;
		}
	}

	if (req.url ~ "^/(images|skins|resources|load\.php)") {
		unset req.http.Cookie;
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
	if (req.http.Authorization || req.http.Cookie) {
		return (pass);
	}
	return (hash);
}
