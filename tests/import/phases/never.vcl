vcl 4.1;
backend b none;

sub vcl_backend_response {
	set beresp.grace = 30m;
	set beresp.ttl = 48h;
	unset beresp.http.Server;
	if (beresp.http.Cache-Control ~ "private") {
		set beresp.http.X-Cacheable = "NO:Cache-Control=private";
	} elsif (beresp.ttl < 1s) {
		set beresp.ttl = 120s;
		set beresp.http.X-Cacheable = "YES:FORCED";
	} else {
		set beresp.http.X-Cacheable = "YES";
	}
	if (bereq.method == "POST" || bereq.http.Authorization) {
		set beresp.uncacheable = true;
		set beresp.ttl = 120s;
		return (deliver);
	}
	if (beresp.status == 404) {
		set beresp.ttl = 1m;
	}
	return (deliver);
}
