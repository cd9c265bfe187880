/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything in which the Varnish versions differ, as far as this module
 * meets it: Varnish Cache 7.1 and later, Vinyl Cache 9.  To be included after
 * cache/cache.h, or in place of it by a file that defines
 * FM_COMPAT_PARAMETERS: then cache_param is there too, from a header that has
 * the daemon's name.  Configure has found out what there is (m4/fm_varnish.m4,
 * which knows two differences of the tools, too).  In what builtin.vcl differs
 * is in src/rules/builtin.h.
 */

#ifndef FM_COMPAT_H
#define FM_COMPAT_H

#ifdef FM_COMPAT_PARAMETERS
#  ifdef HAVE_CACHE_CACHE_VINYLD_H
#    include "cache/cache_vinyld.h"
#  else
#    include "cache/cache_varnishd.h"
#  endif
#endif

#if VRT_MAJOR_VERSION < 15U
#  error "fastmatch needs Varnish Cache 7.1 or later, or Vinyl Cache"
#endif

/* Until 7.2 a VXID was a number. */
#if !HAVE_DECL_NO_VXID
#  define NO_VXID	0
#endif

#endif
