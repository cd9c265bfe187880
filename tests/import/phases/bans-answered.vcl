vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }

sub forget {
	ban("obj.http.X-Tag == " + req.http.X-Tag);
}

sub vcl_recv {
	# The ban is a rule: the answer stays here.
	if (req.method == "PURGE") {
		call forget;
		return (synth(200, "Purged " + req.url));
	}
	# Both are subs.
	if (req.method == "BAN") {
		ban("obj.http.X-Tag ~ " + req.http.X-Tag);
		return (synth(200, "Banned " + req.url));
	}
	if (req.method == "OLD") {
		if (req.http.X-Tag) {
			ban("obj.http.X-Tag == old");
			return (synth(200));
		}
		return (synth(405, "Not " + req.url));
	}
	return (hash);
}
