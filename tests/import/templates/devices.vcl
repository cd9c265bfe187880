# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# Device detection: a chain of patterns, a class in a header, phones to a
# backend of their own, and a redirect for those who ask for the desktop.

vcl 4.0;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

backend mobile {
	.host = "127.0.0.1";
	.port = "8081";
}

sub devicedetect {
	unset req.http.X-UA-Device;
	set req.http.X-UA-Device = "pc";

	if (req.http.User-Agent ~ "(?i)(ads|google|bing|msn|yandex|baidu|ahrefs|seznam|)bot" ||
	    req.http.User-Agent ~ "(?i)(slurp|spider|facebookexternalhit)") {
		set req.http.X-UA-Device = "bot";
	} elsif (req.http.User-Agent ~ "(?i)ipad") {
		set req.http.X-UA-Device = "tablet-ipad";
	} elsif (req.http.User-Agent ~ "(?i)ip(hone|od)") {
		set req.http.X-UA-Device = "mobile-iphone";
	} elsif (req.http.User-Agent ~ "(?i)android.*(mobile|mini)") {
		set req.http.X-UA-Device = "mobile-android";
	} elsif (req.http.User-Agent ~ "(?i)android 3" ||
	    req.http.User-Agent ~ "(?i)android.*(tab|galaxy|nexus 7)") {
		set req.http.X-UA-Device = "tablet-android";
	} elsif (req.http.User-Agent ~ "(?i)(smarttv|smart-tv|hbbtv|appletv)") {
		set req.http.X-UA-Device = "tv";
	} elsif (req.http.User-Agent ~ "^(BlackBerry|HTC|LG|MOT|Nokia|SIE-)" ||
	    req.http.User-Agent ~ "(?i)(symbian|fennec|opera mini|windows ce)") {
		set req.http.X-UA-Device = "mobile-generic";
	}
}

sub vcl_recv {
	call devicedetect;

	# It was chosen by hand.
	if (req.http.Cookie ~ "(^|; )device=desktop") {
		set req.http.X-UA-Device = "pc";
	}

	if (req.http.Cookie) {
		set req.http.Cookie = regsuball(req.http.Cookie, "(^|; ) *device=[^;]+;? *", "\1");
		set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\s*)(__utm[a-z]+|_ga)=[^;]*", "");
		set req.http.Cookie = regsub(req.http.Cookie, "^;\s*", "");
		if (req.http.Cookie == "") {
			unset req.http.Cookie;
		}
	}

	if (req.http.X-UA-Device ~ "^mobile" && req.url ~ "^/app/") {
		return (synth(301, "Moved"));
	}

	if (req.http.X-UA-Device ~ "^(mobile|tablet)") {
		set req.backend_hint = mobile;
	}

	if (req.url ~ "\.(css|js|png|jpe?g|gif|ico|svg|woff2?)$") {
		unset req.http.Cookie;
		unset req.http.X-UA-Device;
	}
}

sub vcl_hash {
	if (req.http.X-UA-Device) {
		hash_data(req.http.X-UA-Device);
	}
}
