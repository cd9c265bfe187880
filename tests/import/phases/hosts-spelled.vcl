vcl 4.1;
import std;
backend b { .host = "127.0.0.1"; .port = "8080"; }
backend c { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_recv {
	set req.http.X-Asked = std.tolower(req.http.Host);
	if (std.tolower(req.http.Host) ~ "^(www\.)?shop.example$") {
		set req.backend_hint = c;
	} elsif (std.tolower(req.http.Host) == "static.example") {
		unset req.http.Cookie;
	} elsif (req.http.Host == "_" || req.http.Host == "") {
		return (synth(404));
	} elsif (req.http.Host == "192.0.2.1") {
		return (pass);
	} else {
		set req.http.X-Other = "1";
	}
	set req.http.Host = regsub(std.tolower(req.http.Host), "^www\.", "");
	set req.http.X-Host = req.http.Host;
}
