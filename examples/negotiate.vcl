vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Accept-Encoding and Accept-Language come in thousands of spellings.  A
 * backend that answers with "Vary: Accept-Language" fills the cache with a
 * copy for each of them, unless the header is one of a few fixed values.
 *
 *	de-AT,de;q=0.8,en-US;q=0.5,en;q=0.3	-> de
 *	fr-CH, fr;q=0.9				-> en (the fallback)
 *	br;q=0, gzip;q=0.5			-> gzip
 *
 * br is for a varnishd that runs with -p http_gzip_support=off, and a backend
 * that sends br.  Otherwise varnishd itself makes Accept-Encoding gzip, or
 * removes it, after vcl_recv: offer "gzip" alone then, or nothing is compressed.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	# What the client likes best of our offers; where it likes two the
	# same, the first one.  If it wants neither, the header goes: the page
	# as it is.
	fastmatch.normalize(req.http.Accept-Encoding, "br gzip");

	# No header, or nothing that we speak: the fallback.
	fastmatch.set(req.http.Accept-Language, fastmatch.negotiate(
	    req.http.Accept-Language, "en de nl", "en"));
}
