vcl 4.1;

backend b { .host = "127.0.0.1"; .port = "8080"; }

sub vcl_backend_response {
	if (beresp.http.X-Private) {
		set beresp.ttl = 60s;
		set beresp.uncacheable = true;
	}
}

sub vcl_backend_response {
	# VCL remembers for this time what both say, and rules for the first.
	if (bereq.url ~ "^/cart/") {
		set beresp.ttl = 30s;
		set beresp.uncacheable = true;
	}
}
