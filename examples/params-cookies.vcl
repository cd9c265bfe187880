vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only the cookies that the backend reads.
 *
 * With a Cookie header Varnish does not cache (builtin.vcl passes); without
 * one it does.  Most visitors have only cookies of analytics scripts: those
 * visitors get pages from the cache.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new wanted = fastmatch.params(mode=keep);
	wanted.add("session");
	wanted.add("cart_*");
}

sub vcl_recv {
	# Nothing left?  Then the header goes, for builtin.vcl passes an empty
	# one, too.
	wanted.clean_cookies();
}
