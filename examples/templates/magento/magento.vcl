vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A page is not stored if it has another id than was asked for: rules do not compare
 * two headers with each other.
 */

import fastmatch;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/magento.rules"); }
sub vcl_recv { site.apply(); if (req.http.X-Ban) { ban(req.http.X-Ban); return (synth(200)); } }
sub vcl_hash { site.apply(); }
sub other_id { set beresp.uncacheable = bereq.http.X-Magento-Cache-Id &&
    bereq.http.X-Magento-Cache-Id != beresp.http.X-Magento-Cache-Id; }
sub vcl_backend_response { call other_id; site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }
