vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All that is left of before.vcl: the policy is in site.rules.  What is to become
 * of it is tried as next.rules; /fastmatch/page shows both.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }
backend shop { .host = "127.0.0.1"; .port = "8082"; }
backend blog { .host = "127.0.0.1"; .port = "8083"; }
backend forum { .host = "127.0.0.1"; .port = "8084"; }
backend media { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

acl purgers {
	"127.0.0.1";
	"192.0.2.10";
}

sub vcl_init {
	new site = fastmatch.rules("/tmp/tutorial/site.rules", watch=1s,
	    backup="/tmp/tutorial/site.backup", min_hosts=10,
	    shadow="/tmp/tutorial/next.rules", sample=1);
	site.backend("web", web);
	site.backend("shop", shop);
	site.backend("blog", blog);
	site.backend("forum", forum);
	site.backend("media", media);
	site.backend("api", api);
}

sub vcl_recv {
	if (req.url ~ "^/fastmatch/page(\?|$)") {
		return (synth(1200));
	}
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not allowed"));
		}
		return (purge);
	}
	# Shift and reload, from there, fetches the page again.
	if (req.http.Cache-Control ~ "no-cache" && client.ip ~ purgers) {
		set req.hash_always_miss = true;
	}
	site.apply();
}

sub vcl_deliver {
	set resp.http.X-Hits = obj.hits;
}

sub vcl_synth {
	if (resp.status == 1200) {
		site.page(purgers);	# for those of the acl only
	}
	site.apply();		# answers a redirect, and ends here then
}
