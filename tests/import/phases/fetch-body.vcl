vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }

# A `return (fetch)` that some requests come to keeps their body from builtin.vcl,
# which removes that of a GET.
sub vcl_backend_fetch {
	unset bereq.http.X-Internal;
	if (bereq.url ~ "^/search/") {
		return (fetch);
	}
	set bereq.http.X-Path = bereq.url;
}
