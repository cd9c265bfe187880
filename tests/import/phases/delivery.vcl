vcl 4.1;
import std;
backend b none;
acl office { "192.0.2.0"/24; }

sub vcl_deliver {
	# For whom it may concern.
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	} else {
		set resp.http.X-Cache = "MISS";
	}
	set resp.http.X-Cache-Hits = obj.hits;
	unset resp.http.X-Powered-By;
	unset resp.http.Server;
	unset resp.http.X-Url;
	unset resp.http.X-Host;
	if (client.ip !~ office) {
		unset resp.http.X-Debug;
	}
	if (resp.status >= 500) {
		std.log("failed: " + req.url);
	}
	if (req.http.X-Debug) {
		set resp.http.X-Name = server.hostname;
	}
	return (deliver);
}
