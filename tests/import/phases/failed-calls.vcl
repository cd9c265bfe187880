vcl 4.1;

import std;

backend default { .host = "127.0.0.1"; .port = "8080"; }

# An answer of rules would not call what tells of the backend.
sub vcl_deliver {
	if (req.http.X-Debug) {
		std.syslog(150, "delivered " + req.url);
		set resp.http.X-Url = req.url;
	}
	# The verdict of rules would leave out what is called before it.
	if (resp.status == 418) {
		std.syslog(150, "refused " + req.url);
		set resp.http.X-Refused = "1";
		return (synth(403));
	}
}

sub vcl_backend_error {
	set beresp.http.Content-Type = "text/plain";
	set beresp.body = "Come back later.";
	return (deliver);
}
