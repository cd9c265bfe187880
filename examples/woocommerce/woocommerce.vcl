vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * WordPress with WooCommerce: woocommerce.rules, to be copied to /etc/varnish.  The
 * rules decide; subs that they call count logins and purge by tags.
 */

import fastmatch;

backend wordpress { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/woocommerce.rules", watch=5s); }
sub vcl_recv { site.apply(); }
sub vcl_backend_fetch { site.apply(); }
sub vcl_backend_response { site.apply(); }
sub vcl_backend_error { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }

# What the rules call
import vsthrottle;
import xkey;

sub logins {
	if (vsthrottle.is_denied(req.http.X-Client, 5, 60s)) {
		return (synth(429));
	}
	unset req.http.X-Client;
}
sub purge_tags { set req.http.X-Purged = xkey.purge(req.http.X-Tags); }
sub vcl_init {
	site.sub("logins", logins);
	site.sub("purge", purge_tags);
}
