vcl 4.1;
import std;
backend b none;

sub vcl_recv {
	if (req.http.Cookie ~ "admin=1") {
		set req.http.Admin = "yes";
	}
	if (req.url ~ "^/m/") {
		set req.http.UA-Device = "phone";
	}
	if (req.url ~ "^/admin" && req.http.Admin != "yes") {
		return (synth(403));
	}
	if (req.http.Accept-Encoding ~ "gzip") {
		set req.http.Accept-Encoding = "gzip";
	}
}

sub vcl_hash {
	hash_data(req.http.UA-Device);
	if (req.http.Accept-Encoding) {
		hash_data(req.http.Accept-Encoding);
	}
}

sub strip {
	if (beresp.http.X-Section == "news") {
		set beresp.ttl = 1m;
		unset beresp.http.X-Section;
	}
}

sub vcl_backend_response {
	call strip;
	if (bereq.url ~ "^/live") {
		set beresp.ttl = std.duration("0s", 1h);
	}
	if (bereq.url ~ "^/account") {
		set beresp.uncacheable = true;
		set beresp.ttl = 0s;
		return (deliver);
	}
	if (bereq.url ~ "^/basket") {
		return (pass(0s));
	}
	if (beresp.status != 200) {
		set beresp.ttl = std.duration("2d", 0s);
		return (deliver);
	}
	if (beresp.http.Set-Cookie) {
		set beresp.http.X-Cacheable = "NO: it has a cookie";
		set beresp.grace = 1h;
		return (deliver);
	}
	if (bereq.http.Authorization) {
		set beresp.http.X-Cacheable = "uncacheable";
		return (deliver);
	}
}
