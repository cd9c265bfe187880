vcl 4.1;
import std;
backend b none;

sub vcl_backend_response {
	std.collect(beresp.http.X-Tags);
	set beresp.grace = 1h;
	if (beresp.http.X-Login) {
		set beresp.ttl = 0s;
		return (deliver);
	}
	if (bereq.url ~ "^/a") {
		set beresp.ttl = 1h;
	}
	set beresp.reason = "Fine";
}
