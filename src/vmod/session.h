/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells whether the client's connection is TLS: by the session of a varnishd
 * that ends TLS itself, or by what the PROXY protocol says.  Includes no header
 * of Varnish, so that a test can bring a struct sess of its own.
 */

#ifndef FM_SESSION_H
#define FM_SESSION_H

#include <stdbool.h>
#include <stddef.h>

struct req;
struct sess;

/*
 * The part of varnishd that vmod_proxy calls; no header that is installed has
 * it.  Returns 0 if the peer has sent a TLV of the type, which is a whole one.
 */
int VPX_tlv(const struct req *, int type, const void **value, int *len)
    __attribute__((weak));

/* A TLV of PP2_TYPE_SSL has five bytes or more; the first has flags. */
#define FM_PP2_TYPE_SSL		0x20
#define FM_PP2_CLIENT_SSL	0x01

/* Returns true if the peer says that the client has sent the request by TLS. */
static inline bool
fm_session_is_proxied(const struct req *req)
{
	const void *value;
	int len;

	return (VPX_tlv != NULL &&
	    VPX_tlv(req, FM_PP2_TYPE_SSL, &value, &len) == 0 && len > 0 &&
	    (*(const unsigned char *)value & FM_PP2_CLIENT_SSL) != 0);
}

/* Returns true if varnishd has ended TLS.  Configure looks for the member. */
static inline bool
fm_session_is_tls(const struct sess *sp)
{
#ifdef HAVE_STRUCT_SESS_TLS
	return (sp->tls != NULL);
#else
	(void)sp;
	return (false);
#endif
}

#endif
