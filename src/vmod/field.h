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

/* Returns true if a line begins with this name, in upper or lower case. */
bool fm_field_is(const char *line, struct fm_text name);

/*
 * Returns true if a field has this name.  Nearly all other names differ in
 * their length or their last byte.
 */
static inline bool
fm_field_has(const txt *field, struct fm_text name)
{
	const char *b = field->b;
	uintptr_t value = (uintptr_t)b + name.len + 1;
	size_t last = name.len - 1;

	/* A field that is a hole has no b, so it is longer than any other. */
	return ((uintptr_t)field->e - value < UINT32_MAX &&
	    b[name.len] == ':' &&
	    ((b[last] ^ name.b[last]) & ~0x20) == 0 && fm_field_is(b, name));
}

/*
 * Returns the number of the first field of this name, in upper or lower case,
 * whose number is at least n; hp->nhd if there is none.
 */
static inline unsigned
fm_field_find(const struct http *hp, unsigned n, struct fm_text name)
{
	const txt *field = hp->hd + n, *end = hp->hd + hp->nhd;

	CHECK_OBJ(hp, HTTP_MAGIC);
	while (field < end && !fm_field_has(field, name))
		field++;
	return ((unsigned)(field - hp->hd));
}

/* Returns the value of field n as VCL sees it; a NUL follows it. */
static inline struct fm_text
fm_field_value(const struct http *hp, unsigned n, struct fm_text name)
{
	const char *b, *e;

	assert(n < hp->nhd);
	b = hp->hd[n].b + name.len + 1;
	e = hp->hd[n].e;
	while (b < e && fm_is_blank(*b))
		b++;
	return (fm_text_span(b, e));
}

/* Returns the value of the first field of this name, or the missing text. */
struct fm_text fm_field_first(const struct http *, struct fm_text name);

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

/* Sets the URL of a request, and logs it.  A NUL must follow the text. */
static inline void
fm_field_set_url(struct http *hp, struct fm_text url)
{
	hp->hd[HTTP_HDR_URL].b = url.b;
	hp->hd[HTTP_HDR_URL].e = url.b + url.len;
	hp->hdf[HTTP_HDR_URL] = 0;
	fm_field_log(hp, HTTP_HDR_URL, HTTP_HDR_URL);
}

/*
 * Replace or remove one field, and log that.  http_SetHeader() and http_Unset()
 * take several times as long: they look for the end of the line, and for other
 * fields of the same name.
 */
void fm_field_replace(struct http *, unsigned n, struct fm_text line);
void fm_field_remove(struct http *, unsigned n);

#endif
