/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL object `patterns`: makes its sets, and answers its methods.
 *
 * .match() stops at the first hit and remembers the subject for the task.  The
 * other methods find out more about that match when they are called: the first
 * pattern that matches, or all.  Then this is remembered as well.  If an answer
 * depends on a regex that gave up, the answer is "no match", and .undecided()
 * is true.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "compat.h"
#include "field.h"
#include "inplace.h"
#include "listfile.h"
#include "object.h"
#include "patset.h"
#include "pervcl.h"
#include "task.h"
#include "vcc_fastmatch_if.h"

struct vmod_fastmatch_patterns {
	struct fm_object		object;
};

/* The option of the object; it is in the kind of each entry, too. */
#define PATTERNS_NOCASE			0x100U

/*--------------------------------------------------------------------
 * Making a set, in any thread: pattern n has the values of entry n
 */

static void *
patterns_begin(unsigned options)
{
	(void)options;
	return (fm_patset_new());
}

/* Warns of a regex that matches every text, which is probably not meant. */
static void
pattern_warn(const struct fm_pattern *pattern, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_tally tally = { .scans = 0 };
	struct fm_text text;

	if (fm_pattern_kind(pattern) != FM_PATTERN_REGEX ||
	    !fm_pattern_match(pattern, fm_text("", 0), &tally) ||
	    !fm_pattern_match(pattern, fm_text("\1x", 2), &tally))
		return;
	text = fm_pattern_text(pattern);
	fm_diag_warning(diag, place, "regex '%.*s' matches every text",
	    FM_SHOW(text));
}

static int
patterns_add(void *patset, uint32_t n, const struct fm_entry *entry,
    struct fm_diag *diag)
{
	unsigned kind = (unsigned)entry->kind;
	struct fm_pattern *pattern;

	(void)n;
	pattern = fm_pattern_new((enum fm_pattern_kind)(kind &
	    ~PATTERNS_NOCASE), entry->text, (kind & PATTERNS_NOCASE) != 0,
	    &entry->place, diag);
	if (pattern == NULL)
		return (-1);
	pattern_warn(pattern, &entry->place, diag);
	return (fm_patset_add(patset, &pattern));
}

static int
patterns_end(void *patset, const struct fm_place *first,
    struct fm_set_facts *facts, struct fm_diag *diag)
{
	if (fm_patset_make(patset, first, diag) != 0)
		return (-1);
	facts->patterns = fm_patset_count(patset);
	facts->bytes = fm_patset_bytes(patset);
	return (0);
}

static void
patterns_free(void *priv)
{
	struct fm_patset *patset = priv;

	fm_patset_free(&patset);
}

static const struct fm_object_type patterns_type = {
	.noun = "pattern",
	.counters = FM_COUNTERS_PATTERNS,
	.most = FM_LIMIT_OPERANDS,
	.part = fm_listfile_arrow,
	.begin = patterns_begin,
	.add = patterns_add,
	.end = patterns_end,
	.free = patterns_free
};

/*--------------------------------------------------------------------
 * The object
 */

VCL_VOID
vmod_patterns__init(VRT_CTX, struct vmod_fastmatch_patterns **patternsp,
    const char *name, struct vmod_priv *priv, VCL_BOOL case_sensitive)
{
	AN(patternsp);
	AZ(*patternsp);
	*patternsp = fm_object_new(ctx, fm_vcl_of(priv), name,
	    sizeof **patternsp, &patterns_type,
	    case_sensitive ? 0 : PATTERNS_NOCASE);
}

VCL_VOID
vmod_patterns__fini(struct vmod_fastmatch_patterns **patternsp)
{
	fm_object_close(&(*patternsp)->object);
	fm_object_drop(*patternsp);
	*patternsp = NULL;
}

static enum fm_pattern_kind
pattern_kind_of(VCL_ENUM kind)
{
	if (kind == VENUM(contains))
		return (FM_PATTERN_CONTAINS);
	if (kind == VENUM(exact))
		return (FM_PATTERN_EXACT);
	if (kind == VENUM(prefix))
		return (FM_PATTERN_PREFIX);
	if (kind == VENUM(suffix))
		return (FM_PATTERN_SUFFIX);
	if (kind == VENUM(glob))
		return (FM_PATTERN_GLOB);
	assert(kind == VENUM(regex));
	return (FM_PATTERN_REGEX);
}

/* The object is NULL in vcl_fini, where nothing is added. */
static int
entry_kind(const struct vmod_fastmatch_patterns *patterns, VCL_ENUM kind)
{
	return ((int)(pattern_kind_of(kind) |
	    (patterns == NULL ? 0U : patterns->object.options)));
}

VCL_VOID
vmod_patterns_add(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_add) *args)
{
	const struct fm_entry entry = {
	    .text = fm_text_of(args->arg1),
	    .string = fm_text_of(args->string),
	    .value = FM_VALUE_ARGS(args),
	    .kind = entry_kind(patterns, args->kind) };

	fm_object_add(ctx, (void *)patterns, &entry);
}

VCL_VOID
vmod_patterns_load(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_STRING path, VCL_ENUM kind, VCL_DURATION watch)
{
	fm_object_load(ctx, (void *)patterns, path, entry_kind(patterns, kind),
	    watch);
}

/*--------------------------------------------------------------------
 * The match of this task
 */

/* The last .match() of a task, in its workspace. */
struct match {
	unsigned		magic;
#define MATCH_MAGIC		0x73c5e02f
	bool			undecided;	/* the last answer was */
	bool			hit;		/* false: no more is valid */
	bool			first_known;
	bool			first_open;	/* a pattern before the first
						 * hit is undecided */
	bool			all_open;	/* some pattern is undecided */
	uint32_t		first;
	const struct fm_version	*version;	/* pinned, or NULL */
	const struct fm_filled	*set;		/* that was asked */
	struct fm_text		subject;
	const uint32_t		*all;		/* numbers of all that match,
						 * ascending; NULL: unknown */
	size_t			count;		/* of all */
};

/* Returns what the task remembers, or NULL. */
static struct match *
match_task(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct vmod_priv *priv;
	struct match *match;

	priv = VRT_priv_task_get(ctx, patterns);
	if (priv == NULL || priv->priv == NULL)
		return (NULL);
	CAST_OBJ_NOTNULL(match, priv->priv, MATCH_MAGIC);
	return (match);
}

/* Returns the last .match() if it was a hit, or NULL. */
static struct match *
match_get(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    const char *method)
{
	struct match *match;

	if (!FM_OBJECT_SERVES(ctx, patterns, method))
		return (NULL);
	CHECK_OBJ_NOTNULL(&patterns->object, FM_OBJECT_MAGIC);
	match = match_task(ctx, patterns);
	if (match == NULL || !match->hit)
		return (NULL);
	match->undecided = false;
	return (match);
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

/* Returns the task's match, with a version pinned; NULL if there is no room. */
static struct match *
match_make(VRT_CTX, const struct vmod_fastmatch_patterns *patterns)
{
	struct vmod_priv *priv;
	struct match *match;

	priv = fm_task_make(ctx, patterns, sizeof *match);
	if (priv == NULL)
		return (NULL);
	if (priv->priv == NULL) {
		match = fm_ws_alloc(ctx->ws, sizeof *match);
		AN(match);
		INIT_OBJ(match, MATCH_MAGIC);
		priv->priv = match;
	}
	CAST_OBJ_NOTNULL(match, priv->priv, MATCH_MAGIC);
	if (match->version == NULL && patterns->object.fixed == NULL) {
		match->version = fm_live_pin(patterns->object.live);
		priv->methods = match_methods;
	}
	return (match);
}

/*
 * Remembers a hit.  A subject outside the task's workspace (a header of the
 * object in vcl_hit, for example) is copied into it, to live as long as the
 * task.  Returns false if there is no room.
 */
static bool
match_keep(VRT_CTX, struct match *match, const struct fm_filled *set,
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
 * Notes for .undecided() that an answer is undecided.  If there is no room for
 * the note, logs and counts that.
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
		match->first = fm_patset_first(match->set->made,
		    match->subject, &tally);
		match->first_open = tally.over_limit > 0;
		match->first_known = true;
		fm_counters_tally(ctx, &patterns->object.counters, method,
		    &tally);
	}
	match->undecided = match->first_open;
	return (match->first_open ? FM_PATSET_NONE : match->first);
}

/* Finds the numbers of all that match.  Returns false if there is no room. */
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
	count = fm_patset_all(match->set->made, match->subject, all, cap,
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

/* Returns true if pattern n gave up; n must not be one that matches. */
static bool
match_gave_up(const struct match *match, uint32_t n)
{
	struct fm_tally tally = { 0 };

	return (match->all_open && !fm_pattern_match(fm_patset_pattern(
	    match->set->made, n), match->subject, &tally) &&
	    tally.over_limit > 0);
}

static int
number_compare(const void *key, const void *member)
{
	const uint32_t *a = key, *b = member;

	return (*a < *b ? -1 : *a > *b);
}

/* Returns true if pattern n, from 1, is among those that matched. */
static bool
match_has(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    struct match *match, VCL_INT n, const char *method)
{
	uint32_t number;

	if (n < 1 || (size_t)n > match->set->values.n)
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
 * Returns the set, and sets *number to the entry that a method is about: n if
 * VCL gave n and that matched, else the first match.  Returns NULL if there is
 * none.
 */
static const struct fm_filled *
match_entry(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool given, VCL_INT n, const char *method, uint32_t *number)
{
	struct match *match;

	match = match_get(ctx, patterns, method);
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
	return (match->set);
}

/* Returns the entry of match_entry(); NULL if there is none. */
static const struct fm_datum *
match_value(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    bool given, VCL_INT n, const char *method)
{
	const struct fm_filled *set;
	uint32_t number;

	set = match_entry(ctx, patterns, given, n, method, &number);
	return (set == NULL ? NULL : fm_filled_value(set, number));
}

/*--------------------------------------------------------------------
 * Matching
 */

/* Counts a match, its result and its work. */
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

/* Returns the subject, by default User-Agent; an unset one is empty. */
static struct fm_text
patterns_subject(VRT_CTX, const struct VARGS(patterns_match) *args)
{
	return (fm_text_or_empty(args->valid_subject ?
	    fm_text_of(args->subject) :
	    fm_field_of_request(ctx, fm_text("User-Agent", 10))));
}

/* Returns the set that the task has pinned, or else the one that serves. */
static const struct fm_filled *
match_set(const struct vmod_fastmatch_patterns *patterns,
    const struct match *match, const struct fm_version **version)
{
	const struct fm_filled *set;

	set = match != NULL && match->version != NULL ?
	    match->version->payload :
	    fm_object_read(&patterns->object, version);
	CHECK_OBJ(set, FM_FILLED_MAGIC);
	return (set);
}

VCL_BOOL
vmod_patterns_match(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_match) *args)
{
	const struct fm_version *version = NULL;
	struct fm_tally tally = { 0 };
	struct match *match = NULL;
	const struct fm_filled *set;
	struct fm_text subject;
	bool hit, kept;

	if (!FM_OBJECT_SERVES(ctx, patterns, "match"))
		return (0);
	CHECK_OBJ_NOTNULL(&patterns->object, FM_OBJECT_MAGIC);
	AN(args);
	if (patterns->object.fixed == NULL)
		match = match_make(ctx, patterns);
	set = match_set(patterns, match, &version);
	subject = patterns_subject(ctx, args);
	hit = fm_patset_match(set->made, subject, &tally);
	patterns_count(ctx, patterns, hit, "match", &tally);
	/* A set that stays needs no pin: the task is needed only now. */
	if (patterns->object.fixed != NULL)
		match = hit ? match_make(ctx, patterns) :
		    match_task(ctx, patterns);
	if (match != NULL)
		match->hit = match->undecided = false;
	if (!hit && tally.over_limit > 0)
		match_undecided(ctx, patterns);
	kept = !hit || match_keep(ctx, match, set, subject);
	fm_object_done(version);
	if (!kept)
		fm_counters_overflow(ctx, &patterns->object.counters, "match",
		    "the match is not kept");
	return (hit);
}

/* Notes whether .label() was undecided; makes a note only if it was. */
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

/* Begins and ends a question whose answer the task does not remember. */
static const struct fm_filled *
passing_set(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    const struct fm_version **version)
{
	CHECK_OBJ_NOTNULL(&patterns->object, FM_OBJECT_MAGIC);
	*version = NULL;
	return (match_set(patterns, patterns->object.fixed != NULL ? NULL :
	    match_task(ctx, patterns), version));
}

static void
passing_done(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    const struct fm_filled *set, bool hit, const char *method,
    const struct fm_tally *tally)
{
	patterns_count(ctx, patterns, hit, method, tally);
	if (fm_patset_gives_up(set->made))
		label_undecided(ctx, patterns, !hit && tally->over_limit > 0);
}

/*
 * Returns the entry of the first pattern that matches a subject, or NULL.  The
 * version is to be given back after that.
 */
static const struct fm_datum *
label_find(VRT_CTX, const struct vmod_fastmatch_patterns *patterns,
    struct fm_text subject, const struct fm_version **version,
    const char *method)
{
	struct fm_tally tally = { 0 };
	const struct fm_filled *set;
	uint32_t number;

	set = passing_set(ctx, patterns, version);
	number = fm_patset_first(set->made, subject, &tally);
	if (tally.over_limit > 0)
		number = FM_PATSET_NONE;
	passing_done(ctx, patterns, set, number != FM_PATSET_NONE, method,
	    &tally);
	return (number == FM_PATSET_NONE ? NULL :
	    fm_filled_value(set, number));
}

/* Returns the URL of the request without its query. */
static struct fm_text
request_path(VRT_CTX)
{
	const struct http *hp = fm_field_http(ctx);
	const char *b, *mark;
	size_t len;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	b = hp->hd[HTTP_HDR_URL].b;
	len = (size_t)(hp->hd[HTTP_HDR_URL].e - b);
	mark = memchr(b, '?', len);
	return (mark == NULL ? fm_text(b, len) : fm_text_span(b, mark));
}

VCL_BOOL
vmod_patterns_match_path(VRT_CTX, struct vmod_fastmatch_patterns *patterns)
{
	const struct fm_version *version;
	struct fm_tally tally = { 0 };
	const struct fm_filled *set;
	bool hit;

	if (!FM_OBJECT_SERVES(ctx, patterns, "match_path"))
		return (0);
	set = passing_set(ctx, patterns, &version);
	hit = fm_patset_match(set->made, request_path(ctx), &tally);
	passing_done(ctx, patterns, set, hit, "match_path", &tally);
	fm_object_done(version);
	return (hit);
}

VCL_STRING
vmod_patterns_label(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_STRING s, VCL_STRING fallback)
{
	const struct fm_version *version;
	const struct fm_datum *entry;
	VCL_STRING string = fallback;

	if (!FM_OBJECT_SERVES(ctx, patterns, "label"))
		return (fallback);
	entry = label_find(ctx, patterns, fm_text_of(s == NULL ? "" : s),
	    &version, "label");
	if (entry != NULL)
		string = fm_value_task_string(ctx, &patterns->object, version,
		    entry, fallback, "label");
	fm_object_done(version);
	return (string);
}

VCL_VOID
vmod_patterns_normalize(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_HEADER header, VCL_STRING fallback)
{
	const struct fm_version *version;
	const struct fm_datum *entry;
	struct fm_inplace it;

	if (!fm_inplace_find(&it, ctx, &patterns->object.counters,
	    "normalize", header))
		return;
	entry = label_find(ctx, patterns,
	    fm_field_value(it.hp, it.n, it.name), &version, it.method);
	(void)fm_inplace_set(&it,
	    fm_text_of(fm_value_string(entry, fallback)));
	fm_object_done(version);
}

VCL_INT
vmod_patterns_which(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_ENUM select)
{
	struct match *match;
	uint32_t first;

	match = match_get(ctx, patterns, "which");
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

	match = match_get(ctx, patterns, "nmatches");
	if (match == NULL || !match_all(ctx, patterns, match, "nmatches"))
		return (0);
	match->undecided = match->all_open;
	return ((VCL_INT)match->count);
}

VCL_BOOL
vmod_patterns_undecided(VRT_CTX, struct vmod_fastmatch_patterns *patterns)
{
	const struct match *match;

	if (!FM_OBJECT_SERVES(ctx, patterns, "undecided"))
		return (false);
	match = match_task(ctx, patterns);
	return (match != NULL && match->undecided);
}

VCL_BOOL
vmod_patterns_matched(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_INT n)
{
	struct match *match;

	match = match_get(ctx, patterns, "matched");
	return (match != NULL &&
	    match_has(ctx, patterns, match, n, "matched"));
}

/*--------------------------------------------------------------------
 * The values of an entry
 */

VCL_STRING
vmod_patterns_pattern(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_pattern) *args)
{
	const struct fm_datum *value;

	value = match_value(ctx, patterns, args->valid_n, args->n, "pattern");
	return (value == NULL ? NULL : value->pattern);
}

VCL_STRING
vmod_patterns_string(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_string) *args)
{
	return (fm_value_string(match_value(ctx, patterns, args->valid_n,
	    args->n, "string"), args->fallback));
}

VCL_INT
vmod_patterns_integer(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_integer) *args)
{
	return (fm_value_integer(match_value(ctx, patterns, args->valid_n,
	    args->n, "integer"), args->fallback));
}

VCL_BOOL
vmod_patterns_bool(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_bool) *args)
{
	return (fm_value_flag(match_value(ctx, patterns, args->valid_n,
	    args->n, "bool"), args->fallback));
}

VCL_BACKEND
vmod_patterns_backend(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_backend) *args)
{
	return (fm_value_backend(match_value(ctx, patterns, args->valid_n,
	    args->n, "backend"), args->fallback));
}

VCL_SUB
vmod_patterns_subroutine(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_subroutine) *args)
{
	return (fm_value_sub(ctx, match_value(ctx, patterns, args->valid_n,
	    args->n, "subroutine"), args->fallback));
}

VCL_STRING
vmod_patterns_sub(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_sub) *args)
{
	struct fm_tally tally = { 0 };
	const struct fm_filled *set;
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
	len = fm_pattern_sub(fm_patset_pattern(set->made, number),
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
