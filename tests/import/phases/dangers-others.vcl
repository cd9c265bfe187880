vcl 4.1;
import std;
backend b none;
acl office { "192.0.2.0"/24; }

sub vcl_recv {
	if (client.ip ~ office) {
		set req.http.x-admin = "1";
	}
	if (req.url ~ "^/admin" && !req.http.x-admin) {
		return (synth(403));
	}
	if (req.http.User-Agent ~ "iPhone") {
		set req.http.X-Device = "phone";
	}
	if (req.http.Cookie ~ "beta=1") {
		set req.http.X-Beta = "1";
	}
}

sub vcl_hash {
	hash_data(req.http.X-Device);
}

sub lifetimes {
	if (beresp.status >= 500) {
		set beresp.ttl = 2d;
	}
	if (beresp.status == 404 && bereq.url ~ "^/img/") {
		set beresp.ttl = 86400s;
	}
	if (beresp.status == 410) {
		set beresp.ttl = 1w;
	}
	if (bereq.url ~ "^/live") {
		set beresp.ttl = 0m;
	}
	if (bereq.url ~ "^/never") {
		set beresp.ttl = -1s;
	}
}

sub vcl_backend_response {
	call lifetimes;
	if (beresp.http.X-TTL) {
		set beresp.ttl = std.duration(beresp.http.x-ttl, 1m);
	}
	unset beresp.http.x-ttl;
	set beresp.grace = std.duration(beresp.http.X-Grace, 1m);
	unset beresp.http.X-Grace;
	if (beresp.http.Cache-Control ~ "private") {
		set beresp.http.X-Cache-Says = "Not cached: private";
	} elsif (bereq.http.Authorization) {
		set beresp.http.X-Cache-Says = "pass";
	} else {
		set beresp.http.X-Cache-Says = "yes";
	}
	return (deliver);
}

sub vcl_backend_error {
	set beresp.ttl = 1d;
}
