vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loaded in front of an example, so that a client sees what the example
 * decided: the verdict, and the request as it is then, in the headers of the
 * answer.  No backend is asked.
 */

sub vcl_pipe {
	return (synth(299, "pipe"));
}

sub vcl_pass {
	return (synth(299, "pass"));
}

sub vcl_miss {
	return (synth(299, "hash"));
}

sub vcl_synth {
	set resp.http.Was-URL = req.url;
	set resp.http.Was-Backend = req.backend_hint;
	if (req.http.Host) {
		set resp.http.Was-Host = req.http.Host;
	}
	if (req.http.Cookie) {
		set resp.http.Was-Cookie = req.http.Cookie;
	}
	if (req.http.Accept) {
		set resp.http.Was-Accept = req.http.Accept;
	}
	if (req.http.Accept-Encoding) {
		set resp.http.Was-Accept-Encoding = req.http.Accept-Encoding;
	}
	if (req.http.Accept-Language) {
		set resp.http.Was-Accept-Language = req.http.Accept-Language;
	}
	if (req.http.Cache-Control) {
		set resp.http.Was-Cache-Control = req.http.Cache-Control;
	}
	if (req.http.Pragma) {
		set resp.http.Was-Pragma = req.http.Pragma;
	}
	if (req.http.User-Agent) {
		set resp.http.Was-User-Agent = req.http.User-Agent;
	}
	if (req.http.X-Site) {
		set resp.http.Was-X-Site = req.http.X-Site;
	}
	if (req.http.X-Device) {
		set resp.http.Was-X-Device = req.http.X-Device;
	}
	if (req.http.X-Query) {
		set resp.http.Was-X-Query = req.http.X-Query;
	}
	if (resp.status == 299) {
		set resp.http.Verdict = resp.reason;
		set resp.body = resp.reason;
		return (deliver);
	}
}
