vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A vcl_deliver that does nothing.
 */

sub vcl_deliver {
}
