vcl 4.1;
backend b none;

sub vcl_backend_response {
	if (beresp.ttl <= 0s || beresp.http.Set-Cookie ||
	    beresp.http.Vary == "*") {
		set beresp.ttl = 120s;
		set beresp.uncacheable = true;
		return (deliver);
	}
	return (deliver);
}
