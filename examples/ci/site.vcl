# The VCL that loads site.rules, for `fastmatch check --vcl site.vcl site.rules`.
vcl 4.1;

import fastmatch;

backend default {
	.host = "192.0.2.1";
}

sub vcl_init {
	new site = fastmatch.rules("/etc/varnish/site.rules", watch=1s);
}

sub vcl_recv {
	site.apply();
}

sub vcl_synth {
	site.apply();
}
