vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One object for one page, however the host is spelled: Example.COM,
 * example.com:80 and example.com. are the same host.
 */

import fastmatch;

backend default { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_hash {
	hash_data(req.url);
	# What is not a host at all (`a..b`, `example.com:http`) gives nothing.
	# All of it then shares one key: let vcl_recv refuse it, as here.
	hash_data(fastmatch.host(req.http.Host));
	# Without this builtin.vcl would hash the Host header as it came, too.
	return (lookup);
}

sub vcl_recv {
	if (!fastmatch.host(req.http.Host)) {
		return (synth(400, "What host is that?"));
	}
}
