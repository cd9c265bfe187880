vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * xkey is a module of the package varnish-modules.
 */

import fastmatch;
import xkey;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/shopware.rules"); }
sub vcl_recv { site.apply(); if (req.http.X-Tags) { call tags; } call bans; }
sub tags { set req.http.n = xkey.purge(req.http.X-Tags); return (synth(200)); }
sub bans { if (req.http.X-Ban) { ban(req.http.X-Ban); return (synth(200)); } }
sub vcl_backend_response { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }
