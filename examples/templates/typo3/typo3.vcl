vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

import fastmatch;
import std;

backend web { .host = "127.0.0.1"; .port = "8081"; }

sub vcl_init { new site = fastmatch.rules("/etc/varnish/typo3.rules"); }
sub vcl_recv { site.apply(); if (req.http.X-Ban) { call ban_pages; } }
sub ban_pages { std.ban(req.http.X-Ban); return (synth(200, std.ban_error())); }
sub vcl_backend_response { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }
