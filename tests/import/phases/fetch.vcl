vcl 4.1;
backend b none;

sub vcl_backend_fetch {
	unset bereq.http.X-Internal;
	unset bereq.http.Forwarded;
	if (bereq.is_bgfetch) {
		set bereq.http.X-Renew = "yes";
	}
	if (bereq.url ~ "^/api/") {
		set bereq.first_byte_timeout = 5s;
		set bereq.http.X-Path = bereq.url;
	}
	return (fetch);
}
