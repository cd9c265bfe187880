vcl 4.1;
backend b none;

sub vcl_recv {
	if (req.http.host == "example.com") {
		return (synth(750, "https://www.example.com" + req.url));
	}
	if (req.url == "/closed") {
		return (synth(403, "Closed"));
	}
}

sub vcl_deliver {
	unset resp.http.Server;
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		return (deliver);
	}
	set resp.http.Strict-Transport-Security = "max-age=31536000";
	if (resp.status == 403) {
		set resp.http.Content-Type = "text/plain";
		set resp.body = "Closed " + resp.status;
		return (deliver);
	}
}
