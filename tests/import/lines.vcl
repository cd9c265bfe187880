vcl 4.1; import directors;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Several statements in a line, comments between them, names that are ours,
 * and what looks alike for each request and is not.
 */

backend one { .host = "127.0.0.1"; .port = "8080"; } backend two { .host = "127.0.0.1"; .port = "8081"; }
backend site_2 { .host = "127.0.0.1"; .port = "8082"; }

sub vcl_init { new ring = directors.shard(); ring.add_backend(one); ring.add_backend(two); ring.reconfigure(); new turn = directors.round_robin(); turn.add_backend(one); turn.add_backend(two); }

sub tidy { set req.http.X-B = regsub(req.http.X-B, "x+$", ""); if (req.http.X-B == "b") { unset req.http.X-B; } }

sub vcl_recv {
	if (req.http.Cookie !~ "a=b") { unset req.http.Cookie; } else { set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\s*)(__utm[a-z]|has_js)=[^;]*", ""); set req.http.Cookie = regsub(req.http.Cookie, "^;\s*", ""); if (req.http.Cookie ~ "^$") { unset req.http.Cookie; } } // }
	set req.http.X-A = regsub(req.http.X-A, "y", "z"); /* { */ set req.http.X-A = regsub(req.http.X-A, "^a", "b"); # set req.url = "/";
	call tidy; if (req.url ~ "^/ring") { set req.backend_hint = ring.backend(); } elsif (req.url ~ "^/turn") { set req.backend_hint = turn.backend(); } else { set req.backend_hint = site_2; }
	set req.http.X-Kind = "pc";
	if (req.http.User-Agent ~ "phone") { set req.http.X-Kind = "phone "; } elsif (req.http.User-Agent ~ "tablet") { set req.http.X-Kind = "tablet"; } elsif (req.http.User-Agent ~ "tv") { set req.http.X-Kind = "tv"; }
	if (req.http.X-Kind == "tv") { return (pass); } if (req.url ~ "[?&](utm_[a-z]+|gclid)=") { set req.url = regsuball(req.url, "[?&](utm_[a-z]+|gclid)=[^&]*", ""); }
	if (req.http.X-C == "1") { set req.http.X-D = "d"; return (pass); }
}
