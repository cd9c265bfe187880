vcl 4.1;
backend b none;

sub vcl_recv {
	if (req.url ~ "^/ping") {
		return (synth(700, "Ping"));
	}
	if (req.url == "/old") {
		return (synth(751, "/new"));
	}
}

sub vcl_synth {
	set resp.http.X-Content-Type-Options = "nosniff";
	if (resp.status == 700) {
		set resp.status = 200;
		set resp.reason = "OK";
		set resp.http.Content-Type = "text/plain";
		synthetic({"OK"});
		return (deliver);
	} elsif (resp.status == 751) {
		set resp.http.Location = "https://www.example.com" + resp.reason;
		set resp.status = 301;
		return (deliver);
	}
}
