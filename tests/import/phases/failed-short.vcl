vcl 4.1;
backend b none;

sub vcl_backend_error {
	set beresp.http.Content-Type = "text/plain";
	set beresp.body = "Sorry";
	set beresp.ttl = 5s;
	return (deliver);
}

sub vcl_deliver {
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	}
}
