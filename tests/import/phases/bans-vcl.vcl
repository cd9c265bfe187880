vcl 4.1;

import std;

backend default none;

sub vcl_recv {
	# The ban lurker can't do these.
	if (req.http.A == "1") {
		ban("req.url ~ " + req.url);
	}
	if (req.http.A == "2") {
		ban("req.http.host == " + req.http.host + " && req.url ~ " +
		    req.url + "$");
	}
	if (req.http.A == "3") {
		ban("req.http.X-Lang == de");
	}
	# A value is a regex, or may be missing.
	if (req.http.A == "4") {
		ban("obj.http.X-Tags ~ " + req.http.X-Tags);
	}
	if (req.http.A == "5") {
		ban("obj.http.X-Tags !~ ^(" + req.http.X-Tags + ")$");
	}
	if (req.http.A == "6") {
		ban("obj.http.X-Site != " + req.http.X-Site);
	}
	# The client, or a regsub(), says what is banned.
	if (req.http.A == "7") {
		ban(req.http.X-Ban);
	}
	if (req.http.A == "8") {
		ban("obj.http.X-" + req.http.X-Name + " == 1");
	}
	if (req.http.A == "9") {
		ban("obj.http.X == " + regsub(req.url, "^/", ""));
	}
	# Rules don't have these.
	if (req.http.A == "10") {
		ban("obj.hits > 3");
	}
	if (req.http.A == "11") {
		ban("obj.status > 400");
	}
	if (req.http.A == "12") {
		ban("obj.http.X == 1 &&");
	}
	if (req.http.A == "13") {
		ban({"obj.http.X == "a b""});
	}
	if (req.http.A == "14") {
		ban({"obj.http.X == ""} + req.http.X + {"""});
	}
	if (req.http.A == "15") {
		ban("obj.http.X == ${host}");
	}
}

sub vcl_deliver {
	if (resp.http.X-Ban) {
		ban("obj.http.X == 1");
	}
}
