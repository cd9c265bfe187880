vcl 4.1;
backend b none;

sub vcl_backend_error {
	if (bereq.retries == 0) {
		return (retry);
	}
	set beresp.http.Content-Type = "text/plain";
	set beresp.body = "Sorry";
	return (deliver);
}

sub vcl_deliver {
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	} else {
		set resp.http.X-Cache = "MISS";
	}
}
