/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts what a load compiles, and says when it is too much (caps.h).
 */

#include "caps.h"
#include "obj.h"
#include "syntax.h"

static const struct {
	unsigned	most;
	unsigned	unit;		/* bytes, or 1 */
	const char	*error;
} caps_most[FM_CAP__COUNT] = {
	[FM_CAP_REGEXES] = { FM_LIMIT_REGEXES, 1,
	    "with this one there are more than %u regexes: write plain texts "
	    "as contains, or several of them as one regex" },
	[FM_CAP_CODE] = { FM_LIMIT_CODE_MB, 1U << 20,
	    "with this one all regexes are more than %u MB, as PCRE2 compiles "
	    "them: use fewer, or shorter ones" },
	[FM_CAP_REPEATS] = { FM_LIMIT_REPEATS, 1,
	    "with this one bounded repeats such as {1,100} add more than %u "
	    "bytes and classes to all regexes: use smaller bounds, or + or "
	    "*" },
	[FM_CAP_SIZE] = { FM_LIMIT_SIZE, 1,
	    "with these all contains, globs and regexes have a size of more "
	    "than %u: use fewer, or shorter ones; those without two bytes "
	    "beside each other, such as [a-z]+[0-9], count most" },
	[FM_CAP_DATABASES] = { FM_LIMIT_DATABASES_MB, 1U << 20,
	    "with these all databases of Hyperscan are more than %u MB: use "
	    "fewer contains, globs and regexes" },
	[FM_CAP_SCRATCH] = { FM_LIMIT_SCRATCH_MB, 1U << 20,
	    "to scan for these takes each thread more than %u MB: divide "
	    "them among several lists" }
};

static __thread struct fm_caps *caps;	/* NULL: nothing is capped */
static __thread unsigned caps_depth;

void
fm_caps_begin(struct fm_caps *account)
{
	assert(account != NULL);
	if (caps_depth++ == 0)
		caps = account;
}

void
fm_caps_end(void)
{
	assert(caps_depth > 0);
	if (--caps_depth == 0)
		caps = NULL;
}

bool
fm_caps_take(enum fm_cap cap, size_t amount, const struct fm_place *place,
    struct fm_diag *diag)
{
	size_t most = (size_t)caps_most[cap].most * caps_most[cap].unit;

	if (caps == NULL)
		return (true);
	if (caps->over)
		return (false);
	if (cap == FM_CAP_SCRATCH)
		caps->used[cap] = 0;	/* threads have one for all sets */
	if (amount <= most - caps->used[cap]) {
		caps->used[cap] += amount;
		return (true);
	}
	caps->over = true;
	fm_diag_error(diag, place, caps_most[cap].error, caps_most[cap].most);
	return (false);
}

bool
fm_caps_take_regex(struct fm_text regex, size_t code,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_syntax syntax = fm_syntax_read(regex);

	return (fm_caps_take(FM_CAP_REGEXES, 1, place, diag) &&
	    fm_caps_take(FM_CAP_CODE, code, place, diag) &&
	    (syntax.engine == FM_SYNTAX_PCRE2 ||
	    fm_caps_take(FM_CAP_REPEATS, syntax.repeats, place, diag)));
}

void
fm_caps_refused(void)
{
	/*
	 * A refused regex is an error that was already reported.  PCRE2 may
	 * take 250 ms to refuse a regex, so a load ends after a hundred
	 * refused regexes.
	 */
	(void)fm_caps_take(FM_CAP_REGEXES, FM_LIMIT_REGEXES / 100, NULL,
	    NULL);
}

bool
fm_caps_are_over(void)
{
	return (caps != NULL && caps->over);
}
