vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Magento with tags: magento.rules, to be copied to /etc/varnish.  The rules decide;
 * one sub that they call purges by tags, and one compares what rules can't.
 */

import fastmatch;

backend magento { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/magento.rules", watch=5s); }
sub vcl_recv { site.apply(); }
sub vcl_hash { site.apply(); }
sub vcl_backend_response { site.apply(); }
sub vcl_backend_error { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }

# What the rules call.  After a soft purge one more client gets the old page of each.
import xkey;

sub purge_tags { set req.http.X-Purged = xkey.softpurge(req.http.X-Tags); }
sub same_id {
	if (bereq.http.X-Magento-Cache-Id != beresp.http.X-Magento-Cache-Id) {
		set beresp.uncacheable = true;
	}
}
sub vcl_init {
	site.sub("purge", purge_tags);
	site.sub("same_id", same_id);
}
