vcl 4.1;
backend b none;

sub vcl_recv {
	if (req.http.Cookie ~ "session=") {
		set req.http.X-Session = "yes";
	}
}

sub vcl_backend_response {
	if (bereq.http.X-Session) {
		set beresp.http.X-Cacheable = "NO:Got Session";
		return (deliver);
	}
	if (beresp.http.X-Private) {
		unset beresp.http.X-Private;
		set beresp.ttl = 0s;
		return (deliver);
	}
	set beresp.ttl = 1w;
}
