vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's policy in C: vmod_floor knows it, and can do nothing else.
 *
 * Decides as examples/article/before.vcl does, but for what no browser sends:
 *
 *  - blanks or tabs around a cookie stopMobileRedirect=true, and tabs before a
 *    cookie forum_session, don't count.
 *  - a host that has more than 253 bytes is not a host: 404.
 *  - of two headers Accept-Encoding the first counts, for who posts, too.
 *  - a header X-Query is one like any other.
 */

import floor;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend media { .host = "127.0.0.1"; .port = "8082"; }
backend shop { .host = "127.0.0.1"; .port = "8083"; }
backend wiki { .host = "127.0.0.1"; .port = "8084"; }
backend mobile { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

sub vcl_init {
	new policy = floor.site(www, media, shop, wiki, mobile, api,
	    "/usr/share/varnish-fastmatch/lists/mobile-brands.list",
	    "/etc/varnish/handsets.list");
}

sub vcl_recv {
	policy.apply();
	return (hash);
}

sub vcl_synth {
	if (resp.status == 752) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
