vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A whole VCL as people have them; new.vcl and site.rules do the same.
 */

import std;

acl purgers { "127.0.0.1"; "192.0.2.0"/24; }

probe health { .url = "/up"; }
backend web { .host = "192.0.2.10"; .port = "8080"; .probe = health; }
backend media {
	.host = "192.0.2.11";
	.port = "8080";
}

sub vcl_recv {
	unset req.http.X-Device;
	if (req.http.User-Agent ~ "(?i)iphone|android") {
		set req.http.X-Device = "phone";
	}
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(403, "Not from there"));
		}
		return (purge);
	}
	if (req.method == "BAN") {
		if (client.ip !~ purgers) {
			return (synth(403, "Not from there"));
		}
		ban("obj.http.X-Topic == " + req.http.X-Topic);
		return (synth(200, "Forgotten"));
	}
	if (req.url == "/up") {
		return (synth(200, "Up"));
	}
	if (req.url == "/hidden") {
		return (synth(404, "Hidden"));
	}
	std.log("seen:" + req.method);
	if (req.url ~ "^/media/") {
		set req.backend_hint = media;
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.url ~ "^/(cart|account)") {
		return (pass);
	}
	if (req.url ~ "\.(css|js|png)$") {
		unset req.http.Cookie;
	}
	if (req.url ~ "^/search") {
		set req.url = std.querysort(req.url);
	}
	return (hash);
}

sub vcl_hash {
	hash_data(req.http.X-Forwarded-Proto);
	hash_data(req.http.Cookie);
}

sub vcl_backend_response {
	set beresp.grace = 6h;
	if (beresp.status == 500 || beresp.status == 502 ||
	    beresp.status == 503) {
		set beresp.ttl = 5s;
		set beresp.uncacheable = true;
		return (deliver);
	}
	if (bereq.url ~ "\.(css|js|png)$") {
		unset beresp.http.Set-Cookie;
		if (beresp.status == 200) {
			set beresp.ttl = 1w;
		}
	}
	if (beresp.status == 404 || beresp.status == 410) {
		set beresp.ttl = 30s;
		set beresp.grace = 0s;
	}
	# Of such a page our backend sends the beginning.
	if (std.integer(beresp.http.Content-Length, 0) > 10485760) {
		set beresp.ttl = 120s;
		set beresp.uncacheable = true;
		return (deliver);
	}
	if (beresp.http.X-No-Cache == "on") {
		set beresp.ttl = 60s;
		set beresp.uncacheable = true;
	}
	if (beresp.http.Content-Type ~ "^text/") {
		set beresp.do_esi = true;
	}
	unset beresp.http.X-Backend-Node;
	if (beresp.http.X-Kind == "news") {
		set beresp.http.X-Section = "news";
	} else {
		set beresp.http.X-Section = "other";
	}
}

sub shown {
	if (resp.http.Link) {
		set resp.http.X-Linked = "yes";
	}
	if (!resp.http.Vary) {
		set resp.http.Vary = "User-Agent";
	} elsif (resp.http.Vary !~ "(?i)user-agent|\*") {
		set resp.http.Vary = resp.http.Vary + ", User-Agent";
	}
	if (resp.status >= 500) {
		set resp.http.X-Trouble = "yes";
	}
	unset resp.http.X-Powered-By;
	unset resp.http.Server;
	unset resp.http.X-Generator;
}

sub vcl_deliver {
	call shown;
}

sub vcl_synth {
	call shown;
}
