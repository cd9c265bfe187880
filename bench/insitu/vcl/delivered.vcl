
/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Follows each of the deliver-*.vcl: the page has all headers that they remove,
 * and a request with a Cookie finds it, too.
 */

backend www { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_req_cookie {
	if (req.http.Cookie) {
		return;
	}
	return;
}

sub vcl_backend_response {
	set beresp.http.Server = "Apache/2.4.62 (Debian)";
	set beresp.http.X-Powered-By = "PHP/8.2.26";
	set beresp.http.X-Generator = "Drupal 10 (https://www.drupal.org)";
	set beresp.http.X-Drupal-Cache = "MISS";
	set beresp.http.Link = "<https://www.example.com/4711>; rel=shortlink";
}
