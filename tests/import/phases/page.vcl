vcl 4.1;
backend b none;

sub vcl_deliver {
	unset resp.http.X-Powered-By;
}

sub vcl_synth {
	set resp.http.Content-Type = "text/html; charset=utf-8";
	set resp.http.Retry-After = "5";
	synthetic({"<h1>"} + resp.status + " " + resp.reason + {"</h1>"});
	return (deliver);
}
