vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }

# A page that stays VCL, and no rules for what Varnish answers itself: there is
# nothing that the page misses, as it returns before the rules.
sub vcl_recv {
	if (req.url == "/health") {
		return (synth(200, "OK"));
	}
}

sub vcl_deliver {
	unset resp.http.X-Powered-By;
	unset resp.http.Via;
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	}
}

sub vcl_synth {
	if (resp.status == 200) {
		set resp.http.X-Served = "now";
		set resp.body = "OK " + now;
		return (deliver);
	}
}
