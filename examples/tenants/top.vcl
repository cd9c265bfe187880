vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many tenants, one Varnish: each tenant has a VCL of its own under a label,
 * and this one on top, which is the active one, sends a request to the VCL
 * of its host.  However many hosts there are, that is one lookup; a tenant's
 * VCL is loaded, changed and rolled back without touching the others.
 *
 * The labels must exist before this file is loaded:
 *
 *	varnishadm vcl.load acme_1 /etc/varnish/tenants/acme.vcl
 *	varnishadm vcl.label acme acme_1
 *	varnishadm vcl.load bolt_1 /etc/varnish/tenants/bolt.vcl
 *	varnishadm vcl.label bolt bolt_1
 *	varnishadm vcl.load top_1 /etc/varnish/tenants/top.vcl
 *	varnishadm vcl.use top_1
 *
 * A new version of a tenant's VCL: load it, move the label.  The top VCL
 * stays as it is.
 *
 *	varnishadm vcl.load acme_2 /etc/varnish/tenants/acme.vcl
 *	varnishadm vcl.label acme acme_2
 *
 * A new host of a tenant is one line in vcl_init below; a new tenant is a sub
 * and its hosts.  VCL allows return (vcl(label)) in the active VCL only, so
 * tenants cannot dispatch further.  After the switch the tenant's vcl_recv
 * starts afresh, with the request as the top VCL leaves it.
 */

import fastmatch;

# The tenants have backends; here none is asked.
backend none none;

# One sub for each tenant: what to do with a request of theirs.
sub to_acme {
	return (vcl(acme));
}

sub to_bolt {
	return (vcl(bolt));
}

sub no_tenant {
	return (synth(404, "No such tenant"));
}

sub vcl_init {
	new tenants = fastmatch.hosts();
	tenants.add(".acme.example", sub=to_acme);
	tenants.add("acme.test", sub=to_acme);
	tenants.add("bolt.example", sub=to_bolt);
	tenants.add("*.bolt.example", sub=to_bolt);
}

sub vcl_recv {
	# Without a match subroutine() gives its argument, so this call always
	# has something to call; nothing after it is reached.
	tenants.match();
	call tenants.subroutine(no_tenant);
}
