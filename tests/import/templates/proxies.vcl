# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

# A chain of proxies: who the client is, by which headers, and from whom they
# are believed.

vcl 4.1;

import std;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

acl upstream {
	"127.0.0.1";
	"10.0.0.0"/8;
	"192.168.0.0"/16;
}

acl office {
	"203.0.113.0"/24;
}

acl banished {
	"198.51.100.0"/24;
}

sub vcl_recv {
	if (req.restarts == 0) {
		unset req.http.X-Debug;
		if (client.ip ~ upstream && req.http.X-Envoy-Address) {
			set req.http.X-Forwarded-For = req.http.X-Envoy-Address;
			set req.http.X-Real-IP = req.http.X-Envoy-Address;
		} elseif (client.ip ~ upstream && req.http.X-Forwarded-For) {
			set req.http.X-Real-IP = regsub(req.http.X-Forwarded-For, "[, ].*$", "");
		} else {
			set req.http.X-Forwarded-For = client.ip;
			set req.http.X-Real-IP = client.ip;
		}
	}

	if (std.ip(req.http.X-Real-IP, "0.0.0.0") ~ banished) {
		return (synth(403, "Not you"));
	}

	# The office, by its address or by what the proxy says.
	if (client.ip !~ office && std.ip(req.http.X-Real-IP, "0.0.0.0") !~ office) {
		if (req.url ~ "^/(admin|status|metrics)") {
			return (synth(404, "Not found"));
		}
	}

	if (req.http.X-Forwarded-Proto !~ "(?i)https") {
		return (synth(301, "https://www.example.com" + req.url));
	}

	if (req.http.X-Country) {
		set req.http.X-Country-Code = req.http.X-Country;
	} else {
		set req.http.X-Country-Code = "XX";
	}
	set req.http.X-Saved-Origin = req.http.Origin;
	set req.http.Host = req.http.Host.lower();

	if (req.http.X-Real-IP ~ "^127\.") {
		return (pass);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	return (hash);
}

sub vcl_hash {
	hash_data(req.http.X-Country-Code);
}

sub vcl_synth {
	if (resp.status == 301) {
		set resp.http.Location = resp.reason;
		set resp.reason = "Moved Permanently";
		return (deliver);
	}
}
