vcl 4.1;
backend b { .host = "127.0.0.1"; .port = "8080"; }
backend shop { .host = "127.0.0.1"; .port = "8081"; }
acl purgers { "192.0.2.0"/24; }

sub vcl_recv {
	if (req.http.host == "old.example") {
		set req.http.X-Redirect = "https://www.example.com" + req.url;
		return (synth(750));
	}
	if (req.http.host == "docs.old.example") {
		set req.http.X-Redirect = "https://docs.example/";
		return (synth(750));
	}
	set req.backend_hint = b; # all but the shop
	if (req.http.host ~ "shop.example$") {
		set req.backend_hint = shop;
	}
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not allowed"));
		} else {
			return (purge);
		}
	}
	# The basket
	if (req.method == "GET" && req.url ~ "^/basket.php") {
		return (pass);
	}
	# The checkout
	if (req.method == "GET" && (req.url ~ "^/checkout" ||
	    req.url ~ "^/order.php")) {
		return (pass);
	}
	# The account
	if (req.method == "GET" && req.url ~ "^/account") {
		return (pass);
	}
	if (req.http.accept-encoding) {
		if (req.url ~ "\.(jpg|png|gz)$") {
			unset req.http.accept-encoding;
		} elsif (req.http.accept-encoding ~ "gzip") {
			set req.http.Accept-Encoding = "gzip";
		} else {
			unset req.http.accept-encoding;
		}
	}
	if (req.url ~ "\.(css|js|png|jpg|gif|ico)(\?.*)?$") {
		unset req.http.cookie;
		set req.url = regsub(req.url, "\?.*$", "");
	}
	if (req.url ~ "^/(media|files)/.*\.(zip|mp4)$") {
		return (pipe);
	}
	if (req.http.Cookie) {
		if (req.http.Cookie ~ "session=") {
			return (pass);
		} else {
			unset req.http.Cookie;
		}
	}
	if (req.http.X-Old) {
		unset req.http.X-Old;
	}
	if (req.http.X-Blank ~ "^ *$") {
		unset req.http.X-Blank;
	}
	if (req.url ~ "^/feed") {
		if (req.http.User-Agent ~ "Reader" || req.http.X-Reader) {
			set req.http.X-Kind = "feed";
		}
	}
	return (hash);
}

sub vcl_hash {
	if (req.http.X-Forwarded-Proto) {
		hash_data(req.http.X-Forwarded-Proto);
	}
	if (req.http.Accept-Language && req.url ~ "^/intl") {
		hash_data(req.http.Accept-Language);
	}
}

sub vcl_backend_response {
	if (bereq.url ~ "\.(css|js|png|jpg|gif|ico)(\?.*)?$") {
		unset beresp.http.set-cookie;
		set beresp.ttl = 1d;
	} else {
		if (beresp.http.Surrogate-Control ~ "ESI/1.0") {
			set beresp.do_esi = true;
		} else {
			set beresp.grace = 1h;
		}
	}
}

sub vcl_deliver {
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	} else {
		set resp.http.X-Cache = "MISS";
	}
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.status = 301;
		set resp.http.Location = req.http.X-Redirect;
		return (deliver);
	}
}
