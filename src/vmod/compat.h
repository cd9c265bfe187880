/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file hides the differences between the Varnish versions that the module
 * is built for: Varnish Cache 7.1 and later, and Vinyl Cache.  Configure has
 * found the differences (m4/fm_varnish.m4, which also knows two differences of
 * the build tools); those of builtin.vcl are in src/run/builtin.h.
 *
 * A file includes compat.h after cache/cache.h.  A file that needs cache_param
 * defines FM_COMPAT_PARAMETERS and includes compat.h in place of
 * cache/cache.h: until 9.0 the header with cache_param is named after the
 * daemon.
 */

#ifndef FM_COMPAT_H
#define FM_COMPAT_H

#include <stdbool.h>

#ifdef FM_COMPAT_PARAMETERS
#  ifdef HAVE_CACHE_CACHE_INT_H
#    include "cache/cache_int.h"
#  elif defined HAVE_CACHE_CACHE_VINYLD_H
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

/* Returns true if Varnish would carry out `return (retry)` of this fetch. */
#ifdef FM_COMPAT_PARAMETERS
static inline bool
fm_can_retry(const struct busyobj *bo)
{
#  ifdef HAVE_STRUCT_BUSYOBJ_MAX_RETRIES
	unsigned max = bo->max_retries;
#  else
	unsigned max = cache_param->max_retries;
#  endif

#  if HAVE_DECL_RETRY_DISABLED
	/* VCL has forbidden another connection, not another fetch. */
	if (bo->no_retry == retry_disabled)
		return (bo->retries < max);
#  endif
	return (bo->no_retry == NULL && bo->retries < max);
}
#endif

/* Writes the words in front of a record of the log, at vsl->wlp. */
static inline void
fm_vsl_header(const struct vsl_log *vsl, enum VSL_tag_e tag, uint32_t bytes)
{
	uint32_t *words = vsl->wlp;

#ifdef VSL_VERSION_3
	words[2] = (uint32_t)(vsl->wid.vxid >> 32);
	words[1] = (uint32_t)vsl->wid.vxid;
	words[0] = (uint32_t)tag << VSL_IDSHIFT |
	    VSL_VERSION_3 << VSL_VERSHIFT | bytes;
#else
	words[1] = vsl->wid;
	words[0] = (uint32_t)tag << 24 | bytes;
#endif
}

#endif
