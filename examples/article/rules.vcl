vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's configuration with a rule file: the policy is in site.rules,
 * and this is all the VCL that is left of it.
 *
 * Decides as before.vcl and after.vcl do.  The three differ only in what no
 * browser sends; besides what after.vcl lists, here:
 *
 *  - a cookie stopMobileRedirect that is there twice: the first counts; and
 *    blanks or tabs around it don't.
 *  - a cookie forum_session is one without a `=` right after it, too.
 *  - a request for a host that no site takes is cleaned up before it gets its
 *    404; nothing reads it any more.
 */

import fastmatch;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend media { .host = "127.0.0.1"; .port = "8082"; }
backend shop { .host = "127.0.0.1"; .port = "8083"; }
backend wiki { .host = "127.0.0.1"; .port = "8084"; }
backend mobile { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/site.rules");
	site.backend("www", www);
	site.backend("media", media);
	site.backend("shop", shop);
	site.backend("wiki", wiki);
	site.backend("mobile", mobile);
	site.backend("api", api);
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	site.apply();		# answers a redirect, and ends here then
}
