vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One page, one object in the cache: parameters that change nothing on the
 * page leave the URL, and the others get an order.
 *
 *	/?utm_source=mail&b=2&a=1&_=1354844750363	-> /?a=1&b=2
 *	/?gclid=x					-> /
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	# What is named goes, the rest stays.  `*` is any bytes.
	new tracking = fastmatch.params(sort=true);
	tracking.add("utm_*");
	tracking.add("gclid");
	tracking.add("fbclid");
	tracking.add("_");

	# The other way round: what is named stays, the rest goes.
	new search = fastmatch.params(mode=keep, sort=true);
	search.add("q");
	search.add("page");
}

sub vcl_recv {
	# A URL from which nothing goes is left alone.
	if (req.url ~ "^/search(\?|$)") {
		search.clean_url();
	} else {
		tracking.clean_url();
	}
}
