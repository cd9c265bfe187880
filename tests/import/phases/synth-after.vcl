vcl 4.1;
backend b none;

sub vcl_recv {
	if (req.url == "/old") {
		return (synth(751, "/new"));
	}
}

sub vcl_synth {
	if (resp.status == 751) {
		set resp.http.Location = "https://www.example.com" + resp.reason;
		set resp.status = 301;
		return (deliver);
	}
	set resp.http.Retry-After = "5";
}
