/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The request that a sub is about, and its fields: read where they are, and
 * edited in place.
 */

#ifndef FM_FIELD_H
#define FM_FIELD_H

#include "text.h"

/*
 * Returns req in client subs, vcl_pipe among them; bereq in vcl_backend_*;
 * NULL in vcl_init and vcl_fini.
 */
static inline struct http *
fm_field_http(VRT_CTX)
{
	return (ctx->http_req != NULL ? ctx->http_req : ctx->http_bereq);
}

/*
 * Returns the number of the first field of this name from number `n` on;
 * hp->nhd where there is none.  Upper and lower case are the same.
 */
unsigned fm_field_find(const struct http *, unsigned n, struct fm_text name);

/* Returns what VCL has as the field's value; a NUL is behind it. */
struct fm_text fm_field_value(const struct http *, unsigned n,
    struct fm_text name);

/*
 * Returns the value of the first field of this name in the request; the
 * missing text if there is no such field, or no request.
 */
struct fm_text fm_field_of_request(VRT_CTX, struct fm_text name);

/* Both log what VCL logs when it sets or unsets a header. */
void fm_field_replace(struct http *, unsigned n, struct fm_text line);
void fm_field_remove(struct http *, unsigned n);

#endif
