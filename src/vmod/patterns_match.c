/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `patterns`: asking it.
 *
 * .match() stops at the first hit, and remembers the subject.  What else is
 * asked about the match is found out when it is asked, and remembered too.
 * Where an answer depends on a regex that gave up it is "no match", and
 * .undecided() says so.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "field.h"
#include "patterns.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

/* What a task remembers of the last .match(), in its workspace. */
struct match {
	unsigned		magic;
#define MATCH_MAGIC		0x73c5e02f
	bool			undecided;	/* the last answer was */
	bool			hit;		/* else the rest is void */
	bool			first_known;
	bool			first_open;	/* one before it is undecided */
	bool			all_open;	/* one of them is undecided */
	uint32_t		first;
	const struct fm_version	*version;	/* pinned, or NULL */
	const struct fm_patterns_set *set;	/* that was asked */
	struct fm_text		subject;
	const uint32_t		*all;		/* ascending; NULL: unknown */
	size_t			count;
};

/*--------------------------------------------------------------------
 * The match of this task
 */

/* Returns what the task remembers, or NULL. */
static struct match *
match_task(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct vmod_priv *priv;
	struct match *match;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return (NULL);
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	priv = fm_task_get(ctx, patterns);
	if (priv == NULL || priv->priv == NULL)
		return (NULL);
	CAST_OBJ_NOTNULL(match, priv->priv, MATCH_MAGIC);
	return (match);
}

/* Returns the last .match() if it was a hit, or NULL. */
static struct match *
match_get(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct match *match = match_task(ctx, patterns);

	if (match == NULL || !match->hit)
		return (NULL);
	match->undecided = false;
	return (match);
}

void
fm_patterns_forget(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct match *match = match_task(ctx, patterns);

	if (match != NULL)
		match->hit = match->undecided = false;
}

static void
match_fini(VRT_CTX, void *priv)
{
	struct match *match;

	(void)ctx;
	CAST_OBJ_NOTNULL(match, priv, MATCH_MAGIC);
	fm_version_unpin(match->version);
}

static const struct vmod_priv_methods match_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "fastmatch patterns",
	.fini = match_fini
}};

/* Returns one to write to, with a version pinned; NULL without room. */
static struct match *
match_make(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct vmod_priv *priv;
	struct match *match;

	priv = fm_task_make_struct(ctx, patterns, sizeof *match, MATCH_MAGIC);
	if (priv == NULL)
		return (NULL);
	CAST_OBJ_NOTNULL(match, priv->priv, MATCH_MAGIC);
	if (match->version == NULL &&
	    fm_filling_pins(ctx, &patterns->filling)) {
		match->version = fm_live_pin(patterns->object.live);
		priv->methods = match_methods;
	}
	return (match);
}

/*
 * Remembers a hit.  The subject must live as long as the task: what is not in
 * its workspace already (a header of the object in vcl_hit, say) is copied.
 */
static bool
match_keep(VRT_CTX, struct match *match, const struct fm_patterns_set *set,
    struct fm_text subject)
{
	if (match == NULL)
		return (false);
	AZ(match->hit);
	if (!fm_ws_has(ctx->ws, subject.b, subject.len + 1)) {
		subject.b = fm_ws_text(ctx->ws, subject);
		if (subject.b == NULL)
			return (false);
	}
	match->set = set;
	match->subject = subject;
	match->first_known = false;
	match->all = NULL;
	match->count = 0;
	match->hit = true;
	return (true);
}

/*
 * Notes for .undecided() that an answer is not known.  Where there is no room
 * for the note the log and the counters tell of it.
 */
static void
match_undecided(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct match *match = match_make(ctx, patterns);

	if (match != NULL)
		match->undecided = true;
	else
		fm_counters_overflow(ctx, &patterns->object.counters,
		    "undecided", "it is false");
}

/*
 * Returns the number of the first pattern that matches, or FM_PATSET_NONE if
 * one before it is undecided.
 */
static uint32_t
match_first(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    struct match *match, const char *method)
{
	struct fm_tally tally = { 0 };

	if (!match->first_known) {
		match->first = fm_patset_first(match->set->patset,
		    match->subject, &tally);
		match->first_open = tally.over_limit > 0;
		match->first_known = true;
		fm_counters_tally(ctx, &patterns->object.counters, method,
		    &tally);
	}
	match->undecided = match->first_open;
	return (match->first_open ? FM_PATSET_NONE : match->first);
}

/* Sees to it that the numbers of all that match are known. */
static bool
match_all(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    struct match *match, const char *method)
{
	struct fm_tally tally = { 0 };
	uint32_t *all;
	size_t bytes, cap, count;

	if (match->all != NULL)
		return (true);
	all = (void *)fm_ws_room(ctx->ws, &bytes);
	cap = bytes / sizeof *all;
	count = fm_patset_all(match->set->patset, match->subject, all, cap,
	    &tally);
	if (count <= cap)
		fm_ws_keep(ctx->ws, count * sizeof *all);
	fm_counters_tally(ctx, &patterns->object.counters, method, &tally);
	if (count > cap) {
		fm_counters_overflow(ctx, &patterns->object.counters, method,
		    "the fallback is returned");
		return (false);
	}
	match->all = all;
	match->count = count;
	match->all_open = tally.over_limit > 0;
	return (true);
}

/* Returns true if pattern n, which is not among all that match, gave up. */
static bool
match_gave_up(const struct match *match, uint32_t n)
{
	struct fm_tally tally = { 0 };

	return (match->all_open && !fm_pattern_match(fm_patset_pattern(
	    match->set->patset, n), match->subject, &tally) &&
	    tally.over_limit > 0);
}

static int
number_compare(const void *key, const void *member)
{
	const uint32_t *a = key, *b = member;

	return (*a < *b ? -1 : *a > *b);
}

/* Whether pattern n, from 1, is among those that matched. */
static bool
match_has(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    struct match *match, VCL_INT n, const char *method)
{
	uint32_t number;

	if (n < 1 || (size_t)n > match->set->values.count)
		return (false);
	if (!match_all(ctx, patterns, match, method))
		return (false);
	number = (uint32_t)(n - 1);
	if (bsearch(&number, match->all, match->count, sizeof number,
	    number_compare) != NULL)
		return (true);
	match->undecided = match_gave_up(match, number);
	return (false);
}

/*
 * The entry that an accessor speaks of, by its set and its number: n if it is
 * given and did match, else the first.  NULL where there is none.
 */
static const struct fm_patterns_set *
match_entry(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool given, VCL_INT n, const char *method, uint32_t *number)
{
	struct match *match;

	match = match_get(ctx, patterns);
	if (match == NULL)
		return (NULL);
	if (!given) {
		*number = match_first(ctx, patterns, match, method);
		if (*number == FM_PATSET_NONE)
			return (NULL);
	} else {
		if (!match_has(ctx, patterns, match, n, method))
			return (NULL);
		*number = (uint32_t)(n - 1);
	}
	assert(*number < match->set->values.count);
	return (match->set);
}

/* The entry itself; NULL where there is none. */
static const struct fm_value *
match_value(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool given, VCL_INT n, const char *method)
{
	const struct fm_patterns_set *set;
	uint32_t number;

	set = match_entry(ctx, patterns, given, n, method, &number);
	return (set == NULL ? NULL : &set->values.entry[number]);
}

/*--------------------------------------------------------------------
 * Matching
 */

/* Counts a look at a set, and what it took. */
static void
patterns_count(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool hit, const char *method, const struct fm_tally *tally)
{
	const struct fm_counters *counters = &patterns->object.counters;
	unsigned shard = fm_shard_take();

	fm_counters_in(counters, shard, FM_COUNT_lookups, 1);
	fm_counters_in(counters, shard, FM_COUNT_hits, hit);
	fm_counters_work(counters, shard, tally);
	fm_shard_give(shard);
	if (fm_counters_has_trouble(tally))
		fm_counters_trouble(ctx, counters, method, tally);
}

/* An unset subject is matched as an empty one. */
static struct fm_text
patterns_subject(VRT_CTX, const struct VARGS(patterns_match) *args)
{
	return (fm_text_or_empty(args->valid_subject ?
	    fm_text_of(args->subject) :
	    fm_field_of_request(ctx, fm_text("User-Agent", 10))));
}

VCL_BOOL
vmod_patterns_match(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_match) *args)
{
	struct fm_tally tally = { 0 };
	struct fm_reading reading = { NULL };
	struct match *match = NULL;
	const struct fm_patterns_set *set;
	struct fm_text subject;
	bool hit, kept;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return (0);
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	AN(args);
	if (fm_filling_pins(ctx, &patterns->filling))
		match = match_make(ctx, patterns);
	set = match != NULL ?
	    fm_filling_pinned(&patterns->filling, match->version) :
	    fm_filling_read(ctx, &patterns->filling, &reading);
	if (set == NULL)
		return (0);
	CHECK_OBJ(set, FM_PATTERNS_SET_MAGIC);
	subject = patterns_subject(ctx, args);
	hit = fm_patset_match(set->patset, subject, &tally);
	patterns_count(ctx, patterns, hit, "match", &tally);
	/* Where a version is pinned the task has been looked up. */
	if (match == NULL && reading.version == NULL)
		match = hit ? match_make(ctx, patterns) :
		    match_task(ctx, patterns);
	if (match != NULL)
		match->hit = match->undecided = false;
	if (!hit && tally.over_limit > 0)
		match_undecided(ctx, patterns);
	/* In vcl_fini a version can't be kept, which is no lack of room. */
	kept = !hit || (reading.version != NULL ? !fm_in_request(ctx) :
	    match_keep(ctx, match, set, subject));
	fm_filling_done(&reading);
	if (!kept)
		fm_counters_overflow(ctx, &patterns->object.counters, "match",
		    "the match is not kept");
	return (hit);
}

/* Returns what is to be read: the version that the task has pinned, if any. */
static const struct fm_patterns_set *
patterns_read(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct fm_reading *reading)
{
	const struct match *match = NULL;

	reading->version = NULL;
	if (patterns->filling.fixed == NULL)
		match = match_task(ctx, patterns);
	return (match != NULL && match->version != NULL ?
	    fm_filling_pinned(&patterns->filling, match->version) :
	    fm_filling_read(ctx, &patterns->filling, reading));
}

/* Remembers whether .label() was undecided, which is seldom. */
static void
label_undecided(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool undecided)
{
	struct match *match = match_task(ctx, patterns);

	if (match != NULL)
		match->undecided = undecided;
	else if (undecided)
		match_undecided(ctx, patterns);
}

VCL_STRING
vmod_patterns_label(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_STRING s, VCL_STRING fallback)
{
	struct fm_tally tally = { 0 };
	const struct fm_patterns_set *set;
	const struct fm_value *value;
	struct fm_reading reading;
	VCL_STRING string = fallback;
	uint32_t number;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return (fallback);
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	set = patterns_read(ctx, patterns, &reading);
	if (set == NULL)
		return (fallback);
	CHECK_OBJ(set, FM_PATTERNS_SET_MAGIC);
	number = fm_patset_first(set->patset, fm_text_of(s == NULL ? "" : s),
	    &tally);
	if (tally.over_limit > 0)
		number = FM_PATSET_NONE;
	patterns_count(ctx, patterns, number != FM_PATSET_NONE, "label",
	    &tally);
	if (fm_patset_gives_up(set->patset))
		label_undecided(ctx, patterns, tally.over_limit > 0);
	if (number != FM_PATSET_NONE) {
		assert(number < set->values.count);
		value = &set->values.entry[number];
		if (fm_value_has(value, FM_VALUE_STRING))
			string = fm_filling_string(ctx, &patterns->filling,
			    &reading, value->string, fallback, "label");
	}
	fm_filling_done(&reading);
	return (string);
}

VCL_INT
vmod_patterns_which(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_ENUM select)
{
	struct match *match;
	uint32_t first;

	match = match_get(ctx, patterns);
	if (match == NULL)
		return (0);
	if (select == VENUM(FIRST)) {
		first = match_first(ctx, patterns, match, "which");
		return (first == FM_PATSET_NONE ? 0 : (VCL_INT)first + 1);
	}
	assert(select == VENUM(LAST));
	if (!match_all(ctx, patterns, match, "which"))
		return (0);
	match->undecided = match->all_open;
	if (match->all_open || match->count == 0)
		return (0);
	return ((VCL_INT)match->all[match->count - 1] + 1);
}

VCL_INT
vmod_patterns_nmatches(VRT_CTX, struct vmod_fastmatch_patterns *patterns)
{
	struct match *match;

	match = match_get(ctx, patterns);
	if (match == NULL || !match_all(ctx, patterns, match, "nmatches"))
		return (0);
	match->undecided = match->all_open;
	return ((VCL_INT)match->count);
}

VCL_BOOL
vmod_patterns_undecided(VRT_CTX, struct vmod_fastmatch_patterns *patterns)
{
	const struct match *match = match_task(ctx, patterns);

	return (match != NULL && match->undecided);
}

VCL_BOOL
vmod_patterns_matched(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_INT n)
{
	struct match *match;

	match = match_get(ctx, patterns);
	return (match != NULL &&
	    match_has(ctx, patterns, match, n, "matched"));
}

/*--------------------------------------------------------------------
 * What an entry carries
 */

VCL_STRING
vmod_patterns_pattern(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_pattern) *args)
{
	const struct fm_value *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "pattern");
	return (value == NULL ? NULL : value->pattern);
}

VCL_STRING
vmod_patterns_string(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_string) *args)
{
	const struct fm_value *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "string");
	return (fm_value_has(value, FM_VALUE_STRING) ? value->string :
	    args->fallback);
}

VCL_INT
vmod_patterns_integer(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_integer) *args)
{
	const struct fm_value *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "integer");
	return (fm_value_has(value, FM_VALUE_INTEGER) ? value->integer :
	    args->fallback);
}

VCL_BOOL
vmod_patterns_bool(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_bool) *args)
{
	const struct fm_value *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "bool");
	return (fm_value_has(value, FM_VALUE_FLAG) ? value->flag :
	    args->fallback);
}

VCL_BACKEND
vmod_patterns_backend(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_backend) *args)
{
	const struct fm_value *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "backend");
	return (fm_value_has(value, FM_VALUE_BACKEND) ? value->backend :
	    args->fallback);
}

VCL_SUB
vmod_patterns_subroutine(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_subroutine) *args)
{
	const struct fm_value *value;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return (NULL);
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	if (!fm_object_may_call(ctx, &patterns->object, "subroutine"))
		return (NULL);
	value = match_value(ctx, patterns, args->valid_n, args->n,
	    "subroutine");
	return (fm_value_sub(ctx, value, args->fallback));
}

VCL_STRING
vmod_patterns_sub(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_sub) *args)
{
	struct fm_tally tally = { 0 };
	const struct fm_patterns_set *set;
	const char *subject;
	uint32_t number;
	size_t bytes, len;
	char *room;

	subject = args->subject == NULL ? "" : args->subject;
	set = match_entry(ctx, patterns, args->valid_n, args->n, "sub",
	    &number);
	if (set == NULL)
		return (subject);
	room = fm_ws_room(ctx->ws, &bytes);
	len = fm_pattern_sub(fm_patset_pattern(set->patset, number),
	    fm_text_of(subject), fm_text_of(args->replacement == NULL ? "" :
	    args->replacement), args->all, room, bytes, &tally);
	if (len != FM_PATTERN_SAME && len < bytes) {
		room[len] = '\0';
		fm_ws_keep(ctx->ws, len + 1);
	} else
		room = NULL;
	fm_counters_tally(ctx, &patterns->object.counters, "sub", &tally);
	if (tally.over_limit > 0)
		match_undecided(ctx, patterns);
	if (room != NULL)
		return (room);
	if (len != FM_PATTERN_SAME)
		fm_counters_overflow(ctx, &patterns->object.counters, "sub",
		    "the subject is returned unchanged");
	return (subject);
}
