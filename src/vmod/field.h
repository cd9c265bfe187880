/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and edits the header fields of the request that a VCL sub is about
 * (req or bereq), in place in Varnish's struct http.
 */

#ifndef FM_FIELD_H
#define FM_FIELD_H

#include "logline.h"
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
 * Returns the number of the first field of this name, in upper or lower case,
 * whose number is at least n; hp->nhd if there is none.
 */
unsigned fm_field_find(const struct http *, unsigned n, struct fm_text name);

/* Returns the value of field n as VCL sees it; a NUL follows it. */
struct fm_text fm_field_value(const struct http *, unsigned n,
    struct fm_text name);

/*
 * Returns the value of the first field of this name in the request; the
 * missing text if there is no such field, or no request.
 */
struct fm_text fm_field_of_request(VRT_CTX, struct fm_text name);

/*
 * Logs field n as VCL does.  The tag is HTTP_HDR_FIRST for a field that was
 * set, and HTTP_HDR_UNSET for one that was removed.
 */
static inline void
fm_field_log(const struct http *hp, unsigned n, unsigned tag)
{
	if (hp->vsl != NULL)
		fm_logline(hp->vsl, (enum VSL_tag_e)((unsigned)hp->logtag +
		    tag - HTTP_HDR_METHOD), hp->hd[n].b,
		    (size_t)(hp->hd[n].e - hp->hd[n].b));
}

/* Makes this line field n, and logs it.  A NUL must follow the line. */
static inline void
fm_field_write(struct http *hp, unsigned n, struct fm_text line)
{
	hp->hd[n].b = line.b;
	hp->hd[n].e = line.b + line.len;
	hp->hdf[n] = 0;
	fm_field_log(hp, n, HTTP_HDR_FIRST);
}

/*
 * Replace or remove one field, and log that.  http_SetHeader() and http_Unset()
 * take several times as long: they look for the end of the line, and for other
 * fields of the same name.
 */
void fm_field_replace(struct http *, unsigned n, struct fm_text line);
void fm_field_remove(struct http *, unsigned n);

#endif
