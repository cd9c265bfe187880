vcl 4.1;

backend default none;

sub vcl_backend_response {
	# Rules set no ttl in a pass, and what follows asks for it.
	if (bereq.url ~ "^/news/") {
		set beresp.ttl = 2h;
	}
	if (beresp.ttl <= 0s) {
		set beresp.http.X-Cacheable = "no";
	}
	# After a retry this is not so by default.
	if (beresp.http.Content-Type ~ "^image/") {
		set beresp.do_gzip = false;
	} else {
		set beresp.do_gzip = true;
	}
	if (beresp.status == 503 && bereq.retries == 0) {
		return (retry);
	}
}
