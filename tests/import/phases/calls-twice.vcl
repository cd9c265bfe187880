vcl 4.1;

import std;

backend default { .host = "127.0.0.1"; .port = "8080"; }

# After the second call a condition asks for what it sets.
sub upper {
	set req.http.X-Upper = std.toupper(req.http.X-Text);
}

sub vcl_recv {
	unset req.http.X-Upper;
	if (req.url ~ "^/upper") {
		set req.http.X-First = "yes";
		call upper;
		return (pass);
	}
	set req.http.X-Second = "yes";
	call upper;
	if (req.http.X-Upper == "HELLO") {
		return (synth(403, "Hello"));
	}
}
