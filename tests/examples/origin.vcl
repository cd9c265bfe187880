vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loaded in front of a recipe of the cookbook, so that a client sees what the
 * backend was asked, and whether the answer is from the cache.
 */

import std;

sub vcl_backend_response {
	# A client says by these what the backend answers.
	if (bereq.http.Answer-Allow-Origin) {
		set beresp.http.Access-Control-Allow-Origin =
		    bereq.http.Answer-Allow-Origin;
	}
	if (bereq.http.Answer-Set-Cookie) {
		set beresp.http.Set-Cookie = bereq.http.Answer-Set-Cookie;
		set beresp.http.Cache-Control = "no-store";
	}
	if (bereq.http.Answer-Status) {
		set beresp.status = std.integer(bereq.http.Answer-Status, 200);
	}
	if (bereq.http.Answer-Type) {
		set beresp.http.Content-Type = bereq.http.Answer-Type;
	}
	if (bereq.http.Answer-TTL) {
		set beresp.ttl = std.duration(bereq.http.Answer-TTL, 1s);
	}
	if (bereq.http.Answer-Id) {
		set beresp.http.X-Magento-Cache-Id = bereq.http.Answer-Id;
	}
	if (bereq.http.Answer-Tags) {
		set beresp.http.Cache-Tags = bereq.http.Answer-Tags;
	}
	if (bereq.http.Answer-CDN) {
		set beresp.http.CDN-Cache-Control = bereq.http.Answer-CDN;
	}
	set beresp.http.Was-URL = bereq.url;
	set beresp.http.Was-Host = bereq.http.Host;
	set beresp.http.Was-Backend = bereq.backend;
	if (bereq.http.Accept) {
		set beresp.http.Was-Accept = bereq.http.Accept;
	}
	if (bereq.http.Cookie) {
		set beresp.http.Was-Cookie = bereq.http.Cookie;
	}
	if (bereq.http.Origin) {
		set beresp.http.Was-Origin = bereq.http.Origin;
	}
	if (bereq.http.X-Bot) {
		set beresp.http.Was-X-Bot = bereq.http.X-Bot;
	}
	if (bereq.http.X-Currency) {
		set beresp.http.Was-X-Currency = bereq.http.X-Currency;
	}
	if (bereq.http.X-Device) {
		set beresp.http.Was-X-Device = bereq.http.X-Device;
	}
	if (bereq.http.X-Forwarded-Proto) {
		set beresp.http.Was-Proto = bereq.http.X-Forwarded-Proto;
	}
	if (bereq.http.X-Real-IP) {
		set beresp.http.Was-X-Real-IP = bereq.http.X-Real-IP;
	}
	if (bereq.http.X-Version) {
		set beresp.http.Was-X-Version = bereq.http.X-Version;
	}
}

sub vcl_deliver {
	set resp.http.Hits = obj.hits;
	set resp.http.TTL = obj.ttl;
}
