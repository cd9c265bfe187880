vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For tags.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import xkey;

backend web { .host = "127.0.0.1"; .port = "8081"; }

# The rules call this, and answer then.
sub purge_tags {
	set req.http.X-Purged = xkey.purge(req.http.X-Tags);
}

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/tags.rules", watch=5s);
	site.sub("purge", purge_tags);
}

sub vcl_recv {
	site.apply();
}

sub vcl_backend_response {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
