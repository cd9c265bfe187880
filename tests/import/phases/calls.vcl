vcl 4.0;

import std;
import xkey;

backend default { .host = "127.0.0.1"; .port = "8080"; }

acl editors { "192.0.2.0"/24; }

sub vcl_recv {
	if (req.method == "BAN") {
		if (client.ip !~ editors) {
			return (synth(405, "Not from there"));
		}
		if (req.http.X-Tags) {
			std.syslog(150, "banned " + req.http.X-Tags);
			ban("obj.http.X-Tags ~ " + req.http.X-Tags);
			return (synth(200, "Banned"));
		}
		xkey.purge(req.http.X-Key);
		return (synth(202, "Banned " + req.url));
	}
	# The header decides later, so this stays between rules.
	if (req.http.X-Lower) {
		set req.http.X-Site = std.tolower(req.http.X-Lower);
		set req.http.X-Seen = "yes";
	}
	if (req.http.X-Site == "a") {
		return (pass);
	}
}

sub vcl_backend_response {
	unset beresp.http.X-First;
	if (bereq.url ~ "^/static/") {
		set beresp.storage_hint = "static";
		unset beresp.http.Set-Cookie;
		set beresp.ttl = 1d;
	}
	set beresp.do_gunzip = false;
	if (beresp.status == 404) {
		set beresp.ttl = 0s;
		set beresp.grace = 10s;
	}
	return (deliver);
}

sub vcl_deliver {
	if (req.http.X-Debug) {
		set resp.http.X-Backend = "b" + std.random(1, 1);
		set resp.http.X-Url = req.url;
	}
	unset resp.http.X-Tags;
}
