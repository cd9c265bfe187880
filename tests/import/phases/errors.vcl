vcl 4.1;
backend b none;

sub vcl_backend_response {
	if (beresp.status >= 500 && bereq.is_bgfetch) {
		return (abandon);
	}
	if (beresp.status == 503 && bereq.retries < 2) {
		return (retry);
	}
	if (beresp.status >= 500 && beresp.status < 600) {
		set beresp.uncacheable = true;
		set beresp.ttl = 5s;
		return (deliver);
	}
	if (beresp.http.X-Broken) {
		return (abandon);
	}
	if (beresp.http.X-Pass) {
		return (pass(30s));
	}
	set beresp.http.Vary = regsub(beresp.http.Vary,
	    ",? *User-Agent *", "");
}
