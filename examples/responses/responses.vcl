vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All that VCL has to say beside responses.rules, to be copied to /etc/varnish:
 * one .apply() in each sub whose phase the rules have.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/responses.rules");
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
