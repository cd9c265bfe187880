vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A node of the fleet.  All have the same VCL, and the same site.rules, to be
 * copied to /etc/varnish; HAProxy (haproxy.cfg) is in front of them.
 *
 *	varnishd -i n1 -f /etc/varnish/cache.vcl \
 *	    -a :6081,PROXY -a operators=127.0.0.1:6083 -a metrics=:6084 ...
 *
 * The PROXY protocol brings the address of the client, so `client in` in the
 * rules means what it says.  Only the node itself (and whoever may log in
 * there) reaches the second port, which tells and does what operators want:
 *
 *	curl http://127.0.0.1:6083/fastmatch/report
 *	curl -X POST http://127.0.0.1:6083/fastmatch/reload
 *
 * The third one is for Prometheus (prometheus.yml).
 */

import fastmatch;

backend web { .host = "192.0.2.80"; .port = "8080"; }
backend shop { .host = "192.0.2.81"; .port = "8080"; }

acl prometheus { "127.0.0.1"; "192.0.2.9"; }

sub vcl_init {
	# The backup serves if varnishd is started while the file is broken.
	new site = fastmatch.rules("/etc/varnish/site.rules", watch=1s,
	    backup="/var/lib/varnish-fastmatch/site.rules", min_hosts=3);
	site.backend("web", web);
	site.backend("shop", shop);
}

sub operators {
	if (req.url == "/fastmatch/report") {
		return (synth(1200));
	}
	if (req.url == "/fastmatch/reload" && req.method == "POST") {
		if (site.reload()) {
			return (synth(1200));
		}
		return (synth(1422));
	}
	return (synth(404));
}

sub vcl_recv {
	if (local.socket == "operators") {
		call operators;
	}
	if (local.socket == "metrics") {
		return (synth(1201));
	}
	# Asked by HAProxy, and by no client from outside: see haproxy.cfg.
	if (req.url == "/fleet/health") {
		return (synth(200, "Healthy"));
	}
	site.apply();
}

sub vcl_hash {
	# One object, however the host is spelled.
	hash_data(req.url);
	hash_data(site.host());
	return (lookup);
}

sub vcl_deliver {
	call who_answers;
	if (obj.hits > 0) {
		set resp.http.X-Cache = "hit";
	} else {
		set resp.http.X-Cache = "miss";
	}
}

sub who_answers {
	set resp.http.X-Node = server.identity;
	set resp.http.X-Rules = site.digest();
}

sub vcl_synth {
	# Of a status over 999 clients see the last three digits: these are
	# ours, no rule can give them.
	if (resp.status == 1201) {
		site.metrics(prometheus);
	}
	if (resp.status == 1200 || resp.status == 1422) {
		set resp.http.Content-Type = "application/json";
		set resp.http.Cache-Control = "no-store";
		set resp.body = site.report();
		return (deliver);
	}
	call who_answers;
	site.apply();
}
