vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules that follow their file, live.rules, to be copied to /etc/varnish; and
 * for operators, what serves and how often each rule was of use:
 *
 *	http://cache/fastmatch/page			# in a browser
 *	curl http://cache/fastmatch/report
 *	curl -X POST http://cache/fastmatch/reload	# do not wait for the watch
 *
 * The page shows that live, and explains any request.  A reload answers 200, or 422 where the file was refused, with the report
 * in both cases.  The backup serves if varnishd is started while the file is
 * broken; the Debian package made the folder for it.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

acl operators { "127.0.0.1"; "::1"; "192.0.2.0"/24; }

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/live.rules", watch=1s,
	    backup="/var/lib/varnish-fastmatch/live.rules", min_hosts=2);
}

sub vcl_recv {
	if (req.url ~ "^/fastmatch/page(\?|$)") {
		return (synth(1201));
	}
	if (req.url ~ "^/fastmatch/") {
		if (client.ip !~ operators) {
			return (synth(403));
		}
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
	site.apply();
}

sub vcl_deliver {
	# Which rules answered: the same digest on all caches means the same.
	if (client.ip ~ operators) {
		set resp.http.X-Rules = site.digest() + " " +
		    site.generation();
	}
}

sub vcl_synth {
	# The page asks the ACL itself.
	if (resp.status == 1201) {
		site.page(operators);
	}
	# Of a status over 999 clients see the last three digits: these are
	# ours, no rule can give them.
	if (resp.status == 1200 || resp.status == 1422) {
		set resp.http.Content-Type = "application/json";
		set resp.http.Cache-Control = "no-store";
		set resp.body = site.report();
		return (deliver);
	}
	site.apply();
}
