vcl 4.1;
import std;
backend b none;

sub vcl_backend_response {
	set beresp.grace = 6h;
	set beresp.keep = 1d;
	set beresp.do_stream = true;
	set beresp.http.X-Url = bereq.url;
	set beresp.http.X-Host = bereq.http.host;
	if (beresp.http.Surrogate-Control ~ "ESI/1\.0") {
		set beresp.do_esi = true;
	}
	if (beresp.http.Content-Type ~ "^text/") {
		set beresp.do_gzip = true;
	}
	if (std.integer(beresp.http.Content-Length, 0) > 10000000) {
		set beresp.uncacheable = true;
		set beresp.ttl = 120s;
		return (deliver);
	}
	if (beresp.ttl <= 0s || beresp.http.Set-Cookie) {
		set beresp.http.X-Cacheable = "NO";
		set beresp.ttl = 60s;
		set beresp.uncacheable = true;
		return (deliver);
	}
	if (beresp.status == 404 || beresp.status == 410) {
		set beresp.ttl = 10s;
		return (deliver);
	}
	if (beresp.status == 200 && bereq.url ~ "\.(css|js)(\?.*)?$") {
		unset beresp.http.Set-Cookie;
		unset beresp.http.Pragma;
		set beresp.ttl = 7d;
	}
}
