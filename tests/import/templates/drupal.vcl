# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A site in the manner of Drupal: sessions are kept by the semicolon's trick,
# and who has one passes.

vcl 4.0;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
	.first_byte_timeout = 300s;
}

acl upstream {
	"127.0.0.1";
	"172.16.0.0"/12;
}

sub vcl_recv {
	if (req.restarts == 0) {
		if (req.http.X-Forwarded-For) {
			set req.http.X-Forwarded-For = req.http.X-Forwarded-For + ", " + client.ip;
		} else {
			set req.http.X-Forwarded-For = client.ip;
		}
	}

	if (req.method == "PURGE") {
		if (!client.ip ~ upstream) {
			return (synth(405, "Not allowed here."));
		}
		return (purge);
	}

	if (req.method == "BAN") {
		if (!client.ip ~ upstream) {
			return (synth(403, "Not allowed here."));
		}
		if (req.http.Cache-Tags) {
			ban("obj.http.Cache-Tags ~ " + req.http.Cache-Tags);
		} else {
			return (synth(403, "There are no Cache-Tags."));
		}
		return (synth(200, "Ban added."));
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	# What only editors need, and what is written while one waits.
	if (req.url ~ "^/status\.php$" ||
	    req.url ~ "^/update\.php$" ||
	    req.url ~ "^/cron\.php$" ||
	    req.url ~ "^/admin$" ||
	    req.url ~ "^/admin/.*$" ||
	    req.url ~ "^/flag/.*$" ||
	    req.url ~ "^.*/ajax/.*$" ||
	    req.url ~ "^.*/ahah/.*$") {
		return (pass);
	}

	if (req.url ~ "(?i)\.(pdf|asc|dat|txt|doc|xls|ppt|tgz|csv|png|gif|jpeg|jpg|ico|swf|css|js)(\?.*)?$") {
		unset req.http.Cookie;
	}

	if (req.http.Cookie) {
		# A blank stands before those to keep.
		set req.http.Cookie = ";" + req.http.Cookie;
		set req.http.Cookie = regsuball(req.http.Cookie, "; +", ";");
		set req.http.Cookie = regsuball(req.http.Cookie, ";(SESS[a-z0-9]+|SSESS[a-z0-9]+|NO_CACHE)=", "; \1=");
		set req.http.Cookie = regsuball(req.http.Cookie, ";[^ ][^;]*", "");
		set req.http.Cookie = regsuball(req.http.Cookie, "^[; ]+|[; ]+$", "");

		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		} else {
			return (pass);
		}
	}
}

sub vcl_backend_response {
	set beresp.http.X-Url = bereq.url;
	set beresp.grace = 6h;
}

sub vcl_deliver {
	unset resp.http.Cache-Tags;
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	} else {
		set resp.http.X-Cache = "MISS";
	}
}
