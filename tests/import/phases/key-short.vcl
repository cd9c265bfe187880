vcl 4.1;
backend b none;

sub vcl_hash {
	hash_data(req.url);
	hash_data(req.http.X-Device);
	return (lookup);
}
