vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL of deployment.yaml: rules decide. The kubelet and Prometheus ask on a port of
 * their own, and operators by `kubectl port-forward` on another one.
 */

import fastmatch;

# A Service: its name has to be known when the VCL is loaded.
backend web { .host = "web"; .port = "80"; }

acl operators { "127.0.0.1"; "::1"; }
acl prometheus { "127.0.0.1"; "10.0.0.0"/8; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/rules/site.rules", watch=1s,
	    backup="/var/lib/varnish-fastmatch/site.rules");
}

sub vcl_recv {
	if (local.socket == "probes") {
		if (req.url == "/metrics") {
			return (synth(1201));
		}
		return (synth(200));
	}
	if (local.socket == "operators") {
		return (synth(1202));
	}
	site.apply();
}

sub vcl_backend_fetch {
	site.apply();
}

sub vcl_backend_response {
	site.apply();
}

sub vcl_backend_error {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	if (resp.status == 1201) {
		site.metrics(prometheus);
	}
	if (resp.status == 1202) {
		site.page(operators);
	}
	site.apply();
}
