vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules don't answer an ESI sub-request, whose URL begins with a /: what may
 * take all of that one stays VCL.
 */

backend one { .host = "127.0.0.1"; .port = "8080"; }

sub vcl_recv {
	# These never start with the /.
	set req.url = regsuball(req.url, "&(a|b)=[^&]*", "");
	set req.url = regsuball(req.url, "&ab=[^&]*", "");
	set req.url = regsuball(req.url, "([?&])(c|d)=[^&]*(?=&|$)", "");
	set req.url = regsuball(req.url, "(?:&(i|j)=)k", "");
	# These may.
	set req.url = regsuball(req.url, "&e=[^&]*|/x", "");
	set req.url = regsuball(req.url, "(&f|/)x", "");
	set req.url = regsuball(req.url, "([?&])?/g", "");
	set req.url = regsuball(req.url, "&[(]h|/y", "");
	if (req.url ~ "^/b") {
		return (pass);
	}
}

sub vcl_backend_response {
	set beresp.do_esi = true;
}
