vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What examples/templates/security does, by hand.
 */

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	if (req.http.X-Forwarded-Proto == "http" &&
	    (req.method == "GET" || req.method == "HEAD")) {
		return (synth(751, "https://" + req.http.Host + req.url));
	}
	if (req.method == "OPTIONS" &&
	    req.http.Access-Control-Request-Method) {
		return (synth(204));
	}
}

sub vcl_backend_error {
	set beresp.http.X-Failed = "1";
}

sub secure {
	set resp.http.Strict-Transport-Security =
	    "max-age=31536000; includeSubDomains";
	set resp.http.X-Content-Type-Options = "nosniff";
	set resp.http.Referrer-Policy = "strict-origin-when-cross-origin";
	if (resp.http.Content-Type ~ "(?i)^text/html" &&
	    !resp.http.Content-Security-Policy) {
		set resp.http.Content-Security-Policy =
		    "frame-ancestors 'self'";
	}
	unset resp.http.Server;
	unset resp.http.X-Powered-By;
	unset resp.http.Access-Control-Allow-Origin;
	unset resp.http.Access-Control-Allow-Credentials;
	if (resp.http.Vary) {
		set resp.http.Vary = resp.http.Vary + ", Origin";
	} else {
		set resp.http.Vary = "Origin";
	}
	if (req.http.Origin == "https://a.example" ||
	    req.http.Origin == "https://b.example") {
		set resp.http.Access-Control-Allow-Origin = req.http.Origin;
		if (req.method == "OPTIONS") {
			set resp.http.Access-Control-Allow-Methods =
			    "GET, POST, PUT, DELETE";
			set resp.http.Access-Control-Allow-Headers =
			    "Authorization, Content-Type";
			set resp.http.Access-Control-Max-Age = "3600";
		}
	}
}

sub vcl_deliver {
	if (resp.status >= 500 && (resp.http.X-Failed ||
	    resp.http.Content-Length == "0")) {
		return (synth(753));
	}
	call secure;
}

sub vcl_synth {
	if (resp.status == 751) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		call secure;
		return (deliver);
	}
	if (resp.status == 204) {
		call secure;
		return (deliver);
	}
	if (resp.status == 753 || resp.status >= 500) {
		set resp.status = 503;
		set resp.http.Content-Type = "text/html; charset=utf-8";
		call secure;
		set resp.body = {"<!DOCTYPE html>
<title>Back soon</title>
<h1>We are working on it</h1>
"};
		return (deliver);
	}
	call secure;
}
