/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts what a load compiles, and reports when it is too much (caps.h).
 */

#include <stdint.h>
#include <string.h>

#include "caps.h"
#include "obj.h"
#include "syntax.h"

static const struct {
	unsigned	most;
	unsigned	unit;		/* bytes, or 1 */
	const char	*sum;		/* what a VCL has in all; NULL: it
					 * counts for each load */
	const char	*error;
} caps_most[FM_CAP__COUNT] = {
	[FM_CAP_REGEXES] = { FM_LIMIT_REGEXES, 1,
	    "regexes",
	    "with this one there are more than %u regexes: write plain texts "
	    "as contains, or several of them as one regex" },
	[FM_CAP_CODE] = { FM_LIMIT_CODE_MB, 1U << 20,
	    "bytes of regexes, as PCRE2 compiles them",
	    "with this one all regexes are more than %u MB, as PCRE2 compiles "
	    "them: use fewer, or shorter ones" },
	[FM_CAP_REPEATS] = { FM_LIMIT_REPEATS, 1,
	    "bytes and classes of bounded repeats",
	    "with this one bounded repeats such as {1,100} add more than %u "
	    "bytes and classes to all regexes: use smaller bounds, or + or "
	    "*" },
	[FM_CAP_SIZE] = { FM_LIMIT_SIZE, 1,
	    "in size",
	    "with these all contains, globs and regexes have a size of more "
	    "than %u: use fewer, or shorter ones; those without two bytes "
	    "beside each other, such as [a-z]+[0-9], count most" },
	[FM_CAP_DATABASES] = { FM_LIMIT_DATABASES_MB, 1U << 20, NULL,
	    "with these all databases of Hyperscan are more than %u MB: use "
	    "fewer contains, globs and regexes" },
	[FM_CAP_SCRATCH] = { FM_LIMIT_SCRATCH_MB, 1U << 20, NULL,
	    "to scan for these takes each thread more than %u MB: divide "
	    "them among several lists" }
};

static __thread struct fm_caps *caps;	/* NULL: nothing is capped */

void
fm_caps_begin(struct fm_caps *load)
{
	assert(load != NULL);
	if (caps != NULL)
		*load = *caps;
	load->outer = caps;
	caps = load;
}

void
fm_caps_end(bool kept)
{
	struct fm_caps *load = caps, *outer;

	assert(load != NULL);
	outer = load->outer;
	if (outer != NULL && (kept || load->over)) {
		memcpy(outer->used, load->used, sizeof outer->used);
		outer->over = load->over;
	}
	caps = outer;
}

static size_t
caps_most_of(enum fm_cap cap)
{
	return ((size_t)caps_most[cap].most * caps_most[cap].unit);
}

static void
caps_report(enum fm_cap cap, const struct fm_place *place,
    struct fm_diag *diag)
{
	if (fm_caps_are_crowded(caps))
		fm_diag_error(diag, place, "with this one, %s and the other "
		    "files of this VCL have %zu %s, and %zu is the most: "
		    "make one of them smaller",
		    caps->file == NULL ? "this object" : caps->file,
		    caps->used[cap] + caps->others[cap], caps_most[cap].sum,
		    caps_most_of(cap));
	else
		fm_diag_error(diag, place, caps_most[cap].error,
		    caps_most[cap].most);
}

bool
fm_caps_take(enum fm_cap cap, size_t amount, const struct fm_place *place,
    struct fm_diag *diag)
{
	size_t used;

	if (caps == NULL)
		return (true);
	if (caps->over)
		return (false);
	/* Threads have one scratch for all sets. */
	used = cap == FM_CAP_SCRATCH ? 0 : caps->used[cap];
	caps->used[cap] = amount < SIZE_MAX - used ? used + amount : SIZE_MAX;
	if (fm_caps_have_room(caps))
		return (true);
	caps->over = true;
	caps_report(cap, place, diag);
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

bool
fm_caps_only_count(void)
{
	return (caps != NULL && caps->counts);
}

bool
fm_caps_are_shared(void)
{
	unsigned i;

	for (i = 0; i < FM_CAP__COUNT; i++)
		if (caps != NULL && caps->others[i] > 0)
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Sums
 */

void
fm_caps_add(size_t sum[FM_CAP__COUNT], const size_t took[FM_CAP__COUNT])
{
	unsigned i;

	for (i = 0; i < FM_CAP__COUNT; i++)
		if (caps_most[i].sum != NULL)
			sum[i] += took[i];
}

const char *
fm_caps_sum_of(enum fm_cap cap, size_t *most)
{
	*most = caps_most_of(cap);
	return (caps_most[cap].sum);
}

bool
fm_caps_have_room(const struct fm_caps *load)
{
	size_t most;
	unsigned i;

	for (i = 0; i < FM_CAP__COUNT; i++) {
		most = caps_most_of((enum fm_cap)i);
		/* A VCL may be full, and a load take nothing. */
		if (load->used[i] > most || (load->used[i] > 0 &&
		    load->others[i] > most - load->used[i]))
			return (false);
	}
	return (true);
}

bool
fm_caps_are_crowded(const struct fm_caps *load)
{
	struct fm_caps alone = *load;

	memset(alone.others, 0, sizeof alone.others);
	return (load->over && fm_caps_have_room(&alone));
}
