/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: formats and lines of access logs.
 *
 *	a format, or nothing: the usual ones
 *	===
 *	a line			any number of these
 *
 * A line that is read makes a request that could be one, and the same with
 * the end of a line of another system.  That a request is read as varnishncsa
 * wrote it is for replay.varnishncsa.vtc.
 */

#include <ctype.h>

#include "logs/access.h"
#include "fuzz.h"

const bool fuzz_has_parts = true;

#define TOKEN	"!#$%&'*+-.^_`|~"

static bool
has_only(struct fm_text t, const char *others)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.b[i]) &&
		    (t.b[i] == '\0' || strchr(others, t.b[i]) == NULL))
			return (false);
	return (t.len > 0);
}

static bool
read_copy(const struct fm_access *access, struct fm_text line,
    const char *end, struct fm_made_request *made)
{
	size_t len = line.len + strlen(end);
	struct fm_access_also also;
	char *copy = malloc(len > 0 ? len : 1);
	unsigned format;
	bool is;

	FUZZ_CHECK(copy != NULL, "no memory");
	if (line.len > 0)
		memcpy(copy, line.b, line.len);
	memcpy(copy + line.len, end, strlen(end));
	fm_made_init(made);
	is = fm_access_read(access, copy, len, made, &also, &format);
	free(copy);
	return (is);
}

static void
check_same(const struct fm_made_request *a, const struct fm_made_request *b)
{
	size_t i;

	FUZZ_CHECK(fm_text_eq(a->method, b->method) &&
	    fm_text_eq(a->url, b->url) && a->nfields == b->nfields &&
	    a->client.len == b->client.len, "another request");
	for (i = 0; i < a->nfields; i++)
		FUZZ_CHECK(fm_text_eq(fm_text_span(a->fields[i].b,
		    a->fields[i].e), fm_text_span(b->fields[i].b,
		    b->fields[i].e)), "another header");
}

static void
check_line(const struct fm_access *access, struct fm_text line)
{
	struct fm_made_request made, again;
	bool is = read_copy(access, line, "", &made);

	FUZZ_CHECK(!is || (has_only(made.method, TOKEN) &&
	    made.url.len > 0 && (made.url.b[0] == '/' ||
	    made.url.b[0] == '*')), "\"%.*s %.*s\" is not a request",
	    FUZZ_TEXT(made.method), FUZZ_TEXT(made.url));
	if (line.len == 0 || line.b[line.len - 1] != '\r') {
		FUZZ_CHECK(read_copy(access, line, "\r", &again) == is,
		    "only with another end");
		check_same(&made, &again);
		fm_made_fini(&again);
	}
	fm_made_fini(&made);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char usual[] = "%h %l %u %t \"%r\" %s %b "
	    "\"%{Referer}i\" \"%{User-Agent}i\"";
	struct fm_text rest = fm_text((const char *)data, size), part, line;
	struct fm_access *access;
	const char *wrong;
	char *format;

	(void)fuzz_part(&rest, &part);
	if (part.len > 0 && part.b[part.len - 1] == '\n')
		part.len--;
	if (part.len > 0 && memchr(part.b, '\0', part.len) != NULL)
		return (0);
	format = strndup(part.len == 0 ? usual : part.b,
	    part.len == 0 ? sizeof usual - 1 : part.len);
	FUZZ_CHECK(format != NULL, "no memory");
	access = fm_access_new(part.len == 0 ? NULL : format, &wrong);
	FUZZ_CHECK((access == NULL) == (wrong != NULL), "wrong, or not");
	if (access == NULL) {
		free(format);
		return (0);
	}
	while (fuzz_line(&rest, &line))
		check_line(access, line);
	fm_access_free(&access);
	free(format);
	return (0);
}
