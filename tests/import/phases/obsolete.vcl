vcl 4.0;
backend b none;

sub vcl_recv {
	unset req.http.grace;
}
sub vcl_hit {
	if (obj.ttl >= 0s) {
		return (deliver);
	}
	if (obj.ttl + 10s > 0s) {
		set req.http.grace = "limited";
		return (deliver);
	}
	return (miss);
}
sub vcl_miss { return (fetch); }
sub vcl_pass { return (fetch); }
sub vcl_pipe { return (pipe); }
sub vcl_purge { return (synth(200, "Purged")); }
sub vcl_deliver { return (deliver); }
