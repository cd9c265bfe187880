vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

import fastmatch;

backend web { .host = "192.0.2.10"; .port = "8080"; }
backend media { .host = "192.0.2.11"; .port = "8080"; }

sub vcl_init {
	new site = fastmatch.rules("site.rules");
	site.backend("media", media);
}
sub vcl_recv { site.apply(); }
sub vcl_hash { site.apply(); }
sub vcl_backend_response { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }
