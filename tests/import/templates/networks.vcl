# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# Lists of clients as people write them: a name, a mask in quotes, one that is
# taken out again, and a list that asks two.

vcl 4.1;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl operators {
	"localhost";
	"10.0.0.0/8";
	! "10.0.0.5";
	! "10.66.0.0"/16;
}

acl monitors {
	"192.0.2.10";
	"192.0.2.11";
	"2001:db8::"/32;
}

acl crawlers {
	"198.51.100.0"/24;
}

sub vcl_recv {
	if (req.method == "PURGE") {
		if (!client.ip ~ operators) {
			return (synth(405, "Not allowed"));
		}
		return (purge);
	}

	if (req.url ~ "^/(server-status|metrics|health)" && client.ip !~ monitors && client.ip !~ operators) {
		return (synth(403, "Forbidden"));
	}

	if (req.http.User-Agent ~ "(?i)seobot" && client.ip !~ crawlers) {
		return (synth(403, "We don't think that you are " + client.ip));
	}

	if (client.ip ~ monitors) {
		set req.http.X-Monitor = "1";
		return (pass);
	}
	unset req.http.X-Monitor;

	if (req.http.Cookie) {
		set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\s*)(_ga|_gid|_fbp)=[^;]*", "");
		set req.http.Cookie = regsub(req.http.Cookie, "^;\s*", "");
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.http.Authorization || req.http.Cookie) {
		return (pass);
	}
	return (hash);
}
