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

/*
 * Logs a field as VCL does: the tag is HTTP_HDR_FIRST for one that is set,
 * HTTP_HDR_UNSET for one that is taken away.
 */
static inline void
fm_field_log(const struct http *hp, unsigned n, unsigned tag)
{
	if (hp->vsl != NULL)
		VSLbt(hp->vsl, (enum VSL_tag_e)((unsigned)hp->logtag + tag -
		    HTTP_HDR_METHOD), hp->hd[n]);
}

/* Makes a field this line, which a NUL ends. */
static inline void
fm_field_write(struct http *hp, unsigned n, struct fm_text line)
{
	hp->hd[n].b = line.b;
	hp->hd[n].e = line.b + line.len;
	hp->hdf[n] = 0;
	fm_field_log(hp, n, HTTP_HDR_FIRST);
}

/*
 * Edit one field, and log that.  http_SetHeader() and http_Unset() take several
 * times as long: they look for the line's end, and for each field of its name.
 */
void fm_field_replace(struct http *, unsigned n, struct fm_text line);
void fm_field_remove(struct http *, unsigned n);

#endif
