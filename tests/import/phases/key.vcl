vcl 4.1;
backend b none;

sub vcl_hash {
	hash_data(req.url);
	if (req.http.host) {
		hash_data(req.http.host);
	} else {
		hash_data(server.ip);
	}
	# Each scheme has pages of its own.
	hash_data(req.http.X-Forwarded-Proto);
	if (req.url !~ "/graphql" && req.http.Cookie ~ "X-Magento-Vary=") {
		hash_data(regsub(req.http.Cookie,
		    "^.*?X-Magento-Vary=([^;]+);*.*$", "\1"));
	}
	if (req.method == "QUERY") {
		hash_data("query " + client.ip);
	}
	return (lookup);
}
