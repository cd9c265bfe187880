vcl 4.1;

import std;

backend b { .host = "127.0.0.1"; .port = "8080"; }

# It would run twice.
sub vcl_builtin_backend_fetch {
	std.log("fetched");
}

sub vcl_backend_fetch {
	call vcl_builtin_backend_fetch;
	return (fetch);
}

sub vcl_deliver {
	unset resp.http.X-Node;
	return (deliver);
}
