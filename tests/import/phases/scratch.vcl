vcl 4.1;

backend default { .host = "127.0.0.1"; .port = "8080"; }

sub vcl_recv {
	set req.http.X-Wanted = "s3cret";
	if (req.http.X-Key == req.http.X-Wanted) {
		return (purge);
	}
	unset req.http.X-Wanted;
	# A client may have sent this one.
	if (req.http.X-Key == req.http.X-Wanted) {
		return (pass);
	}
	if (req.http.X-Mode) {
		set req.http.X-Other = "b";
	}
	if (req.http.X-Key == req.http.X-Other) {
		return (pipe);
	}
}

sub vcl_backend_response {
	if (beresp.http.Vary ~ "User-Agent") {
		set beresp.http.Vary = regsub(beresp.http.Vary, ",? *User-Agent *", "");
		set beresp.http.Vary = regsub(beresp.http.Vary, "^, *", "");
		if (beresp.http.Vary == "") {
			unset beresp.http.Vary;
		}
	}
	if (beresp.http.Set-Cookie) {
		set beresp.ttl = 0s;
	}
	if (beresp.ttl <= 0s) {
		set beresp.http.X-Cacheable = "no";
		set beresp.uncacheable = true;
		set beresp.ttl = 120s;
		return (deliver);
	} else if (beresp.ttl < 300s) {
		set beresp.ttl = 300s;
	}
}
