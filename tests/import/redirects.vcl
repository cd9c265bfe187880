# Redirects as vcl_synth is taught to make them.
vcl 4.1;

backend default {
	.host = "127.0.0.1";
	.port = "8080";
}

sub vcl_recv {
	# To TLS, to the same page.
	if (req.http.host ~ "(?i)^(www\.)?shop\.example$" &&
	    req.http.X-Forwarded-Proto !~ "(?i)https") {
		return (synth(750));
	}
	# To another host, and the same page.
	if (req.http.host == "old.example") {
		return (synth(751, "New host"));
	}
	# To what was chosen here.
	if (req.url ~ "^/blog/feed") {
		set req.http.X-Redirect = "https://feeds.example/blog";
		return (synth(752, "Found"));
	}
	# A prefix of vcl_synth's, a path of ours.
	if (req.url ~ "^/docs/old/") {
		return (synth(753, "/docs/new/"));
	}
	# The status as it is.
	if (req.url ~ "^/moved") {
		return (synth(301));
	}
	if (req.url ~ "^/away") {
		return (synth(301, "Moved Permanently"));
	}
	# With another reason it is vcl_synth's.
	if (req.url ~ "^/elsewhere") {
		return (synth(301, "Gone elsewhere"));
	}
	# Nothing that is known starts it.
	if (req.url ~ "^/any") {
		set req.http.X-Any = req.http.Referer;
		return (synth(754));
	}
	# A client would choose the host.
	if (req.url ~ "^/tenant/") {
		return (synth(756));
	}
	if (req.url ~ "^/help") {
		set req.url = "/support" + req.url;
		return (synth(755, "help.example"));
	}
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.status = 301;
		set resp.http.Location = "https://" + req.http.host + req.url;
		return (deliver);
	}
	if (resp.status == 751) {
		set resp.http.Location = "https://new.example" + req.url;
		set resp.status = 308;
		set resp.reason = "Permanent Redirect";
		return (deliver);
	} elsif (resp.status == 752) {
		set resp.http.Location = req.http.X-Redirect;
		set resp.status = 302;
		return (deliver);
	} elsif (resp.status == 753) {
		set resp.http.Location = "https://docs.example" + resp.reason +
		    "?from=" + req.http.host;
		set resp.status = 302;
		return (deliver);
	}
	if (resp.status == 301) {
		set resp.http.Location = "https://archive.example" + req.url;
		return (deliver);
	}
	if (resp.status == 754) {
		set resp.http.Location = req.http.X-Any;
		set resp.status = 302;
		return (deliver);
	}
	if (resp.status == 756) {
		set resp.http.Location = "https://" + req.http.X-Tenant +
		    ".example/";
		set resp.status = 302;
		return (deliver);
	}
	if (resp.status == 755) {
		set resp.http.Location = "https://" + resp.reason + req.url;
		set resp.status = 307;
		return (deliver);
	}
}
