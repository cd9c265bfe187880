vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL of compose.yaml: rules decide, and /fastmatch/page is for operators.
 */

import fastmatch;

backend origin { .host = "origin"; .port = "80"; }

# A browser on the machine that runs the container comes from a private network.
acl operators {
	"127.0.0.0"/8;
	"10.0.0.0"/8;
	"172.16.0.0"/12;
	"192.168.0.0"/16;
}

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/site.rules", watch=1s,
	    backup="/var/lib/varnish-fastmatch/site.rules");
}

sub vcl_recv {
	if (req.url ~ "^/fastmatch/page(\?|$)") {
		return (synth(1200));
	}
	site.apply();
}

sub vcl_synth {
	if (resp.status == 1200) {
		site.page(operators);
	}
	site.apply();
}
