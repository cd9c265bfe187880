GET http://grace.example/page, TIME (request N)

From the cache, but stale: it had expired.

Request 127.0.0.1 asked for /page by GET, with Accept-Encoding: identity.
VCL vcl_recv returned hash.
Key URL /page and Host grace.example, as builtin.vcl hashes them. This is computed: vsl_mask leaves out Hash, so the log does not have what VCL hashes beside them.
Lookup A hit: object N was in the cache, but had expired SOME s before. It was delivered stale, as its grace of 100 s allows, and is fetched again in the background.
Fetch It was fetched at TIME, for request N:
Backend Asked default for /page (fetch N), it answered 200 with Cache-Control: max-age=60.
Lifetime Varnish's core gives 60 s, by max-age; grace 10 s, keep 0 s.
VCL's ttl VCL and rules set: ttl 1 s, grace 10 s, keep 0 s; then ttl 1 s, grace 100 s, keep 0 s (the log rounds to seconds).
Stored Object N, for 1 s, until TIME; then grace 100 s, keep 0 s.
Background Fetch N, which is to replace it:
Backend Asked default for /page (fetch N), it answered 200 with Cache-Control: max-age=60.
Lifetime Varnish's core gives 60 s, by max-age; grace 10 s, keep 0 s.
VCL's ttl VCL and rules set: ttl 1 s, grace 10 s, keep 0 s; then ttl 1 s, grace 100 s, keep 0 s (the log rounds to seconds).
Stored Object N, for 1 s, until TIME; then grace 100 s, keep 0 s.
Delivered 200 OK with Age: N, Cache-Control: max-age=60.
