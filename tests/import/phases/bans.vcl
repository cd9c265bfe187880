vcl 4.1;

import std;

backend default none;

acl editors { "192.0.2.0"/24; }

sub vcl_recv {
	# One value is a whole word: it becomes a text, whatever is in it.
	if (req.method == "BAN") {
		if (client.ip !~ editors) {
			return (synth(405));
		}
		if (req.http.X-Page) {
			ban("obj.http.X-Page == " + req.http.X-Page +
			    " && obj.http.X-Site == " + req.http.X-Site);
			return (synth(200, "Banned a page"));
		}
		ban("obj.http.x-host == " + req.http.host +
		    " && obj.http.x-url == " + req.url);
		return (synth(200, "Banned"));
	}

	# What rules and VCL say in the same way.
	if (req.http.X-Old && client.ip ~ editors) {
		ban("obj.age > 1d && obj.status != 200");
		ban("obj.http.X-Kind ~ ^(news|blog)$ && obj.ttl <= 10s");
	}
	if (req.http.X-Images && client.ip ~ editors) {
		std.ban("obj.http.Content-Type ~ ^image/");
	}

	# All of a site; all that there is.
	if (req.http.X-Ban-Site && client.ip ~ editors) {
		ban("req.url ~ /" + " && obj.http.X-Site == " +
		    req.http.X-Ban-Site);
	}
	if (req.http.X-Ban-All && client.ip ~ editors) {
		ban("req.url ~ .");
	}

	# There is no text of which rules could make no ban.
	if (req.http.X-Tell && client.ip ~ editors) {
		if (std.ban("obj.http.X-Page == " + req.http.X-Tell)) {
			return (synth(200, "Ban added"));
		} else {
			return (synth(400, std.ban_error()));
		}
	}
	if (req.http.X-Fail && client.ip ~ editors) {
		if (!std.ban("obj.http.X-Page == p" + req.http.X-Fail)) {
			return (synth(400, std.ban_error()));
		}
		return (synth(200, "Ban added"));
	}
	# This is a text in any case.
	if (req.http.X-Keep && client.ip ~ editors) {
		ban("obj.http.X-Page != p" + req.http.X-Keep);
	}
}
