vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For geoip.rules, to be copied to /etc/varnish: doc/cookbook.rst.
 */

import fastmatch;
import geoip2;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init {
	new country = geoip2.geoip2("/usr/share/GeoIP/GeoLite2-Country.mmdb");
	new site = fastmatch.rules("/etc/varnish/geoip.rules", watch=5s);
}

sub vcl_recv {
	# Before the rules, as they ask for it.  A client's own header counts for
	# nothing.
	set req.http.X-Country = country.lookup("country/iso_code", client.ip);
	site.apply();
}

sub vcl_backend_error {
	site.apply();
}

sub vcl_deliver {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
