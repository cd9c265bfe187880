vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }

# All paths come to a `return (fetch)`: one after the rules is enough.
sub vcl_backend_fetch {
	unset bereq.http.X-Internal;
	if (bereq.url ~ "^/search/") {
		return (fetch);
	}
	set bereq.http.X-Path = bereq.url;
	return (fetch);
}
