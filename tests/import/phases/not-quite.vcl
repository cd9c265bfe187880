vcl 4.1;

backend default { .host = "127.0.0.1"; .port = "8080"; }

# Statements that look like what rules have a word for, and do something else.
sub vcl_recv {
	# No header's name: a text.
	if (req.http.X-Field ~ "^(header|age|via)$") {
		return (pass);
	}
}

sub vcl_backend_response {
	# The second one removes a name, too.
	set beresp.http.Vary = regsub(beresp.http.Vary, ",? *User-Agent *", "");
	set beresp.http.Vary = regsub(beresp.http.Vary, "^, *|, *Cookie", "");
	# A ttl of 0 s may be left.
	if (beresp.http.X-None) {
		set beresp.ttl = 0s;
	}
	if (beresp.ttl <= 0s) {
		if (beresp.http.X-Soon) {
			return (deliver);
		}
		set beresp.ttl = 120s;
		set beresp.uncacheable = true;
	}
	return (deliver);
}
