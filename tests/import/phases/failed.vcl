vcl 4.1;
backend b none;

sub vcl_backend_error {
	# The page says what happened.
	set beresp.http.Content-Type = "text/html; charset=utf-8";
	set beresp.http.Retry-After = "5";
	set beresp.ttl = 5s;
	synthetic({"<h1>Error "} + beresp.status + " " + beresp.reason +
	    {"</h1>
"});
	return (deliver);
}

sub vcl_deliver {
	set resp.http.X-Served-By = "edge";
	unset resp.http.Via;
}

sub vcl_synth {
	set resp.http.X-Frame-Options = "DENY";
}
