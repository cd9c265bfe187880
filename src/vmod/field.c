/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds, replaces and removes header fields of a struct http.
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "field.h"
#include "name_words.h"

bool
fm_field_is(const char *b, struct fm_text name)
{
	return (fm_name_eq(b, name.b, name.len));
}

struct fm_text
fm_field_first(const struct http *hp, struct fm_text name)
{
	unsigned n = fm_field_find(hp, HTTP_HDR_FIRST, name);

	return (n == hp->nhd ? fm_text(NULL, 0) :
	    fm_field_value(hp, n, name));
}

struct fm_text
fm_field_of_request(VRT_CTX, struct fm_text name)
{
	const struct http *hp = fm_field_http(ctx);

	return (hp == NULL ? fm_text(NULL, 0) : fm_field_first(hp, name));
}

void
fm_field_replace(struct http *hp, unsigned n, struct fm_text line)
{
	assert(n >= HTTP_HDR_FIRST && n < hp->nhd);
	fm_field_log(hp, n, HTTP_HDR_UNSET);
	fm_field_write(hp, n, line);
}

void
fm_field_remove(struct http *hp, unsigned n)
{
	size_t nafter;

	assert(n >= HTTP_HDR_FIRST && n < hp->nhd);
	fm_field_log(hp, n, HTTP_HDR_UNSET);
	nafter = hp->nhd - n - 1U;
	memmove(&hp->hd[n], &hp->hd[n + 1], nafter * sizeof *hp->hd);
	memmove(&hp->hdf[n], &hp->hdf[n + 1], nafter * sizeof *hp->hdf);
	hp->nhd--;
}
