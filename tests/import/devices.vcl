vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Devices by the User-Agent, in a chain that grew, with a cookie that
 * overrides it; languages and encodings beside it.
 */

import directors;

probe alive { .url = "/alive"; .interval = 60s; }
backend one { .host = "127.0.0.1"; .port = "8080"; .probe = alive; }
backend two { .host = "127.0.0.1"; .port = "8081"; .probe = alive; }

sub vcl_init {
	new pool = directors.round_robin();
	pool.add_backend(one);
	pool.add_backend(two);
	return (ok);
}

sub detect {
	unset req.http.X-UA-Device;
	set req.http.X-UA-Device = "pc";
	if (req.http.Cookie ~ "(?i)X-UA-Device-force=") {
		set req.http.X-UA-Device = regsub(req.http.Cookie,
		    "(?i).*X-UA-Device-force=([^;]+);?.*", "\1");
	} else {
		if (req.http.User-Agent ~ "\(compatible; Googlebot-Mobile/2\.1; \+http://www\.google\.com/bot\.html\)" ||
		    (req.http.User-Agent ~ "(?i)iphone" && req.http.User-Agent ~ "(?i)bingbot")) {
			set req.http.X-UA-Device = "mobile-bot";
		} elsif (req.http.User-Agent ~ "(?i)(ads|google|bing|msn|yandex|baidu|ro|career)bot" ||
		    req.http.User-Agent ~ "(?i)(baidu|jike|symantec)spider") {
			set req.http.X-UA-Device = "bot";
		} elsif (req.http.User-Agent ~ "(?i)ipad") {
			set req.http.X-UA-Device = "tablet-ipad";
		} elsif (req.http.User-Agent ~ "(?i)ip(hone|od)") {
			set req.http.X-UA-Device = "mobile-iphone";
		} elsif (req.http.User-Agent ~ "(?i)android.*(mobile|mini)") {
			set req.http.X-UA-Device = "mobile-android";
		} elsif (req.http.User-Agent ~ "(?i)android" &&
		    !(req.http.User-Agent ~ "(?i)smart-?tv")) {
			set req.http.X-UA-Device = "tablet-android";
		} elsif (req.http.User-Agent ~ "PlayBook; U; RIM Tablet") {
			set req.http.X-UA-Device = "tablet-rim";
		} elsif (req.http.User-Agent ~ "(?i)fennec" ||
		    req.http.User-Agent ~ "(?i)(webos|palmos|opera m(ini|obi))") {
			set req.http.X-UA-Device = "mobile-smartphone";
		}
	}
}

sub vcl_recv {
	set req.backend_hint = pool.backend();
	call detect;

	if (req.http.Accept-Encoding) {
		if (req.url ~ "\.(jpg|png|gif|gz|mp3)$") {
			unset req.http.Accept-Encoding;
		} elsif (req.http.Accept-Encoding ~ "gzip") {
			set req.http.Accept-Encoding = "gzip";
		} else {
			unset req.http.Accept-Encoding;
		}
	}

	if (req.http.X-UA-Device ~ "^mobile" && req.url !~ "^/m/") {
		set req.http.X-Mobile = "1";
	} else {
		unset req.http.X-Mobile;
	}
}
