vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }

sub vcl_deliver {
	if (req.url !~ "^/api/") {
		set resp.http.Cache-Control = "no-store";
	}
}
