/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All fuzz targets include this: the entry of libFuzzer, a fact for replay.c,
 * and functions that take an input apart.  tests/fuzz/README.md lists the
 * targets, and says how to run them.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/*
 * fuzz_has_parts says whether an input has two parts, with a line with
 * FUZZ_SEPARATOR alone between them: what an author wrote, and what a client
 * sends.
 */
extern const bool fuzz_has_parts;

#define FUZZ_SEPARATOR	"==="

/* A bug was found: says which, and ends. */
#define FUZZ_CHECK(is, ...)						\
	do {								\
		if (!(is)) {						\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
			abort();					\
		}							\
	} while (0)

/* How a text is shown with "%.*s". */
#define FUZZ_TEXT(t)	(int)(t).len, (t).b

/* Cuts off the next line, without its end; false: there is none. */
static inline bool
fuzz_line(struct fm_text *rest, struct fm_text *line)
{
	const char *end;

	if (rest->len == 0)
		return (false);
	end = memchr(rest->b, '\n', rest->len);
	*line = end == NULL ? *rest : fm_text_span(rest->b, end);
	*rest = end == NULL ? fm_text(rest->b + rest->len, 0) :
	    fm_text(end + 1, rest->len - line->len - 1);
	return (true);
}

/*
 * Cuts off the part before the separator; false: there is no separator, and
 * all of it is that part.
 */
static inline bool
fuzz_part(struct fm_text *input, struct fm_text *part)
{
	struct fm_text rest = *input, line;

	while (fuzz_line(&rest, &line))
		if (fm_text_eq(line, fm_text_of(FUZZ_SEPARATOR))) {
			*part = fm_text_span(input->b, line.b);
			*input = rest;
			return (true);
		}
	*part = *input;
	*input = fm_text(input->b + input->len, 0);
	return (false);
}

/* Returns true if a word stands at the beginning, and cuts it off. */
static inline bool
fuzz_word(struct fm_text *t, const char *word)
{
	size_t len = strlen(word);

	if (t->len < len || memcmp(t->b, word, len) != 0)
		return (false);
	*t = fm_text(t->b + len, t->len - len);
	return (true);
}

/*
 * A copy that ends where its memory ends, so that AddressSanitizer sees a
 * byte too many; for free().
 */
static inline char *
fuzz_copy(struct fm_text t)
{
	char *p = malloc(t.len > 0 ? t.len : 1);

	FUZZ_CHECK(p != NULL, "no memory");
	if (t.len > 0)
		memcpy(p, t.b, t.len);
	return (p);
}

#endif
