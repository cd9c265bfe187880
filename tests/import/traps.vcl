vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where VCL and rules seem to say the same and don't, or do so only if one
 * looks closely.
 */

backend one { .host = "127.0.0.1"; .port = "8080"; }
# No request looks these up to compare.
backend long { .host = {"long.invalid"}; .port = "8080"; }
backend longer {.host="""longer.invalid""";.host_header="another"; }

sub vcl_recv {
	# A header that is not there is the empty text to a regex,
	if (req.http.X-A ~ "^(a|b)?$") {
		set req.http.X-A1 = "1";
	}
	if (req.http.X-A !~ "a") {
		set req.http.X-A2 = "1";
	}
	# and another one than any text to ==.
	if (req.http.X-A == "") {
		set req.http.X-A3 = "1";
	}
	if (req.http.X-A != "a") {
		set req.http.X-A4 = "1";
	}
	# Hosts compare byte for byte.
	if (req.http.host == "www.example.com") {
		set req.http.X-Host = "same";
		set req.backend_hint = long;
	}
	if (req.http.X-B == "host") {
		set req.http.host = "www.example.net";
		set req.backend_hint = longer;
	}
	if (req.http.host == "www.example.net") {
		set req.http.X-Host = "other";
	}
	# This header is empty, and there.
	set req.http.X-Empty = "";
	set req.http.X-Copy = req.http.X-Not-There;
	if (req.http.X-Empty) {
		set req.http.X-Was-Empty = "1";
	}
	# The ? stays.
	set req.url = regsub(req.url, "[?&]gone=[^&]*", "");
	# $ and \ are not signs of rules.
	set req.http.X-Text = "a$b\c {d}";
	set req.http.X-Template = "${url}";
	set req.http.X-Quoted = {"say "it""};
	# Order: the URL is another one after this.
	set req.url = regsuball(req.url, "//+", "/");
	if (req.url ~ "^/a/b$") {
		set req.http.X-After = "1";
	}
	# This takes gclid out of xgclid, too: it is no `query drop`.
	set req.url = regsuball(req.url, "gclid=[^&]*&?", "");
	# No regex in another, no such values.
	set req.url = regsub(regsuball(req.url, "&(x|y)=[^&]*", ""), "&$", "");
	set req.http.X-Client = client.ip;
	set req.http.X-Server = req.http.X-A + server.hostname;
	# Not a nocase of both sides.
	if (req.http.X-B ~ "(?i)^yes$" || req.http.X-B == "On") {
		set req.http.X-B1 = "1";
	}
	if (req.http.X-A ~ "^a|b$" && !(req.http.X-B ~ "x" || req.http.X-C)) {
		return (synth(200, "both"));
	}
}
