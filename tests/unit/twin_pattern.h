/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of a pattern: loops for texts, and for regexes PCRE2
 * without its JIT and with a high limit; or PCRE2 as VCL uses it.
 */

#ifndef TWIN_PATTERN_H
#define TWIN_PATTERN_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "pattern.h"
#include "twin_text.h"

/*
 * PCRE2's limit, in steps: these take 10 ms.  A regex that takes more is not
 * compared, since some would take years.
 */
#define TWIN_STEPS	200000

enum twin_answer { TWIN_NO, TWIN_YES, TWIN_UNKNOWN };

struct twin_pattern {
	enum fm_pattern_kind	kind;
	bool			nocase;
	struct fm_text		text;
	pcre2_code		*code;	/* of a regex */
};

/* Makes a pattern; returns false if PCRE2 refuses the regex. */
static inline bool
twin_pattern_init(struct twin_pattern *p)
{
	PCRE2_SIZE offset;
	int error;

	p->code = NULL;
	switch (p->kind) {
	case FM_PATTERN_EXACT:
	case FM_PATTERN_GLOB:
		return (true);
	case FM_PATTERN_REGEX:
		p->code = pcre2_compile((PCRE2_SPTR)p->text.b, p->text.len,
		    p->nocase ? PCRE2_CASELESS : 0, &error, &offset, NULL);
		return (p->code != NULL);
	default:
		return (p->text.len > 0);
	}
}

static inline void
twin_pattern_fini(struct twin_pattern *p)
{
	pcre2_code_free(p->code);
}

static inline bool
twin_equal(const struct twin_pattern *p, const char *b)
{
	struct fm_text there = fm_text(b, p->text.len);

	return (p->nocase ? fm_text_eq_nocase(p->text, there) :
	    fm_text_eq(p->text, there));
}

static inline enum twin_answer
twin_pattern_regex(const struct twin_pattern *p, struct fm_text s,
    uint32_t steps, uint32_t options)
{
	static pcre2_match_context *context;
	static pcre2_match_data *data;
	int found;

	if (context == NULL) {
		context = pcre2_match_context_create(NULL);
		data = pcre2_match_data_create(1, NULL);
	}
	if (context == NULL || data == NULL)
		abort();
	(void)pcre2_set_match_limit(context, steps);
	found = pcre2_match(p->code, (PCRE2_SPTR)s.b, s.len, 0, options, data,
	    context);
	return (found >= 0 ? TWIN_YES : found == PCRE2_ERROR_NOMATCH ?
	    TWIN_NO : TWIN_UNKNOWN);
}

/* Returns the answer of VCL's `~`, or TWIN_UNKNOWN where `~` would fail. */
static inline enum twin_answer
twin_pattern_vcl(const struct twin_pattern *p, struct fm_text s)
{
	(void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	return (twin_pattern_regex(p, s, 10000, 0));
}

static inline enum twin_answer
twin_pattern_match(const struct twin_pattern *p, struct fm_text s)
{
	size_t i, len = p->text.len;
	bool hit = false;

	s = fm_text_or_empty(s);
	switch (p->kind) {
	case FM_PATTERN_CONTAINS:
		for (i = 0; !hit && i + len <= s.len; i++)
			hit = twin_equal(p, s.b + i);
		break;
	case FM_PATTERN_EXACT:
		hit = s.len == len && twin_equal(p, s.b);
		break;
	case FM_PATTERN_PREFIX:
		hit = s.len >= len && twin_equal(p, s.b);
		break;
	case FM_PATTERN_SUFFIX:
		hit = s.len >= len && twin_equal(p, s.b + s.len - len);
		break;
	case FM_PATTERN_GLOB:
		hit = p->nocase ? twin_glob_nocase(p->text, s) :
		    twin_glob(p->text, s);
		break;
	case FM_PATTERN_REGEX:
		return (twin_pattern_regex(p, s, TWIN_STEPS, PCRE2_NO_JIT));
	}
	return (hit ? TWIN_YES : TWIN_NO);
}

#endif
