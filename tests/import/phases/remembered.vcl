vcl 4.1;

import std;

backend default none;

sub vcl_backend_response {
	# This stays, and what the rules say then is not a lifetime.
	if (beresp.status == 404) {
		std.collect(beresp.http.X-Tags);
		set beresp.uncacheable = true;
	}
	if (bereq.url ~ "^/news/") {
		set beresp.ttl = 2h;
	}
}
