# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# The template for everything: a director, the port of the host, sorted
# parameters, campaigns, cookies, a health check's grace in vcl_hit.

vcl 4.1;

import directors;
import std;

backend one {
	.host = "127.0.0.1";
	.port = "8080";
}

acl purge {
	"localhost";
	"127.0.0.1";
	"::1";
}

sub vcl_init {
	new all = directors.round_robin();
	all.add_backend(one);
}

sub vcl_recv {
	set req.backend_hint = all.backend();

	if (req.http.Host) {
		set req.http.Host = regsub(req.http.Host, ":[0-9]+", "");
	}
	unset req.http.proxy;
	set req.url = std.querysort(req.url);

	if (req.method == "PURGE") {
		if (!client.ip ~ purge) {
			return (synth(405, "This address may not purge."));
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
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|utm_content|gclid|cx|ie|cof|siteurl)=") {
		set req.url = regsuball(req.url, "&(utm_source|utm_medium|utm_campaign|utm_content|gclid|cx|ie|cof|siteurl)=([A-z0-9_\-\.%25]+)", "");
		set req.url = regsuball(req.url, "\?(utm_source|utm_medium|utm_campaign|utm_content|gclid|cx|ie|cof|siteurl)=([A-z0-9_\-\.%25]+)", "?");
		set req.url = regsub(req.url, "\?&", "?");
		set req.url = regsub(req.url, "\?$", "");
	}
	if (req.url ~ "\#") {
		set req.url = regsub(req.url, "\#.*$", "");
	}
	if (req.url ~ "\?$") {
		set req.url = regsub(req.url, "\?$", "");
	}

	if (req.http.Cookie !~ "^\s*$") {
		set req.http.Cookie = regsuball(req.http.Cookie, "has_js=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "__utm.=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "_ga=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "_gat=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "utmctr=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "utmcmd.=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "__gads=[^;]+(; )?", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "^;\s*", "");
	}
	if (req.http.cookie ~ "^\s*$") {
		unset req.http.cookie;
	}

	if (req.http.Cache-Control ~ "(?i)no-cache" && client.ip ~ purge) {
		if (!(req.http.Via || req.http.User-Agent ~ "(?i)bot" || req.http.X-Purge)) {
			return (purge);
		}
	}

	if (req.url ~ "^[^?]*\.(7z|avi|bz2|flac|flv|gz|mka|mkv|mov|mp3|mp4|tar|tgz|wav|webm|xz|zip)(\?.*)?$") {
		unset req.http.Cookie;
		return (hash);
	}

	set req.http.Surrogate-Capability = "key=ESI/1.0";

	if (req.http.Authorization) {
		return (pass);
	}
	return (hash);
}

sub vcl_hash {
	if (req.http.Cookie) {
		hash_data(req.http.Cookie);
	}
}
