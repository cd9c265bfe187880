/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PCRE2, with its JIT where the machine allows it.
 */

#include <ctype.h>
#include <stdatomic.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "callouts.h"
#include "find.h"
#include "obj.h"
#include "regcost.h"
#include "regex.h"
#include "thread.h"

/*
 * The JIT works on 32 KB of the machine's stack.  A match that needs more
 * gets a stack of its own, once per thread, and gives up at this size.
 */
#define REGEX_STACK_MIN		(32UL << 10)
#define REGEX_STACK_MAX		(512UL << 10)
/*
 * Only without the JIT; about what FM_REGEX_MATCH_LIMIT steps take.  A thread
 * that once needed it keeps it.
 */
#define REGEX_HEAP_KB		2048

/*
 * PCRE2's limit is of each place where a match may begin, and does not count
 * what is passed over.  So a match is tried at first with as much of the limit
 * as fm_regcost_limit() has.  Where that is too little, the same regex with
 * callouts is tried: they may cost as much as REGEX_CAREFUL(), of one regex and
 * of all together that are not over their limit (in rules; in a call of VCL a
 * few times that).
 */
#define REGEX_CAREFUL(len)	(600 + (len) / 16)
#define REGEX_CAREFUL_TRY	20

struct fm_regex {
	unsigned		magic;
#define FM_REGEX_MAGIC		0x52a9e3d1
	pcre2_code		*code;
	pcre2_code		*careful;	/* NULL: without repeats */
	struct fm_regcost	cost;
	size_t			text_len;	/* of its text */
	int			first[2];	/* bytes with which all matches
						 * begin; -1: not known */
};

struct regex_thread {
	unsigned		magic;
#define REGEX_THREAD_MAGIC	0x2d80b6f4
	pcre2_match_data	*data;
	pcre2_match_context	*context;
	pcre2_jit_stack		*stack;
	/* Of a careful match: */
	size_t			left;		/* callouts */
	size_t			start;		/* where this attempt began, */
	size_t			at;		/* and the last one was */
	const struct fm_regex	*regex;
};

static _Atomic(bool) regex_jit = true;

void
fm_regex_use_jit(bool jit)
{
	regex_jit = jit;
}

static void
regex_thread_free(void *priv)
{
	struct regex_thread *rt;

	FM_OBJ_CAST(rt, priv, REGEX_THREAD_MAGIC);
	pcre2_match_data_free(rt->data);
	pcre2_match_context_free(rt->context);
	pcre2_jit_stack_free(rt->stack);
	FM_OBJ_FREE(rt);
}

/* A callout: counts it, and what was passed over since the last one. */
static int
regex_count(pcre2_callout_block *block, void *priv)
{
	struct regex_thread *rt;
	size_t cost;

	FM_OBJ_CAST(rt, priv, REGEX_THREAD_MAGIC);
	/* To begin further on costs nothing: that is one pass in all. */
	if (rt->start != block->start_match)
		rt->at = rt->start = block->start_match;
	cost = fm_regcost_callout(&rt->regex->cost, &(struct fm_regcost_at){
	    .number = block->callout_number,
	    .item = block->pattern_position,
	    .item_len = block->next_item_length,
	    .from = rt->at, .to = block->current_position,
	    .subject_len = block->subject_length,
	    .groups = block->offset_vector, .count = block->capture_top });
	rt->at = block->current_position;
	if (cost > rt->left)
		return (PCRE2_ERROR_MATCHLIMIT);
	rt->left -= cost;
	return (0);
}

static struct regex_thread *
regex_thread_new(void)
{
	struct regex_thread *rt;

	FM_OBJ_NEW(rt, REGEX_THREAD_MAGIC);
	if (rt == NULL)
		return (NULL);
	rt->data = pcre2_match_data_create(FM_REGEX_GROUPS, NULL);
	rt->context = pcre2_match_context_create(NULL);
	if (rt->data == NULL || rt->context == NULL) {
		regex_thread_free(rt);
		return (NULL);
	}
	(void)pcre2_set_callout(rt->context, regex_count, rt);
	(void)pcre2_set_depth_limit(rt->context, FM_REGEX_MATCH_LIMIT);
	(void)pcre2_set_heap_limit(rt->context, REGEX_HEAP_KB);
	return (rt);
}

static struct regex_thread *
regex_thread_get(void)
{
	struct regex_thread *rt;

	rt = fm_thread_get(FM_THREAD_REGEX);
	if (rt == NULL) {
		rt = regex_thread_new();
		if (rt == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_REGEX, rt, regex_thread_free)) {
			regex_thread_free(rt);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(rt, REGEX_THREAD_MAGIC);
	return (rt);
}

static pcre2_code *
regex_compile(struct fm_text pattern, uint32_t options, int *errcode,
    PCRE2_SIZE *offset)
{
	pcre2_code *code;

	code = pcre2_compile((PCRE2_SPTR)pattern.b, pattern.len,
	    PCRE2_USE_OFFSET_LIMIT | options, errcode, offset, NULL);
	/* Without JIT (no executable memory) it only is slower. */
	if (code != NULL && regex_jit)
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return (code);
}

/* 0, or why PCRE2 doesn't take it so: no memory, or it is too large. */
static int
regex_be_careful(struct fm_regex *re, struct fm_text pattern,
    uint32_t options)
{
	PCRE2_SIZE offset;
	char *text;
	size_t len;
	int errcode = 0;

	text = malloc(FM_CALLOUTS_LEN(pattern.len));
	if (text == NULL)
		return (PCRE2_ERROR_HEAP_FAILED);
	len = fm_callouts(pattern, text);
	if (len != pattern.len && len > 0)
		re->careful = regex_compile(fm_text(text, len), options,
		    &errcode, &offset);
	if (len != pattern.len && re->careful == NULL) {
		re->careful = regex_compile(pattern,
		    options | PCRE2_AUTO_CALLOUT, &errcode, &offset);
		if (re->careful != NULL) {
			re->cost.text = memcpy(text, pattern.b, pattern.len);
			re->text_len = FM_CALLOUTS_LEN(pattern.len);
			return (0);
		}
	}
	free(text);
	return (len != pattern.len && re->careful == NULL ? errcode : 0);
}

static uint32_t
regex_info(const struct fm_regex *re, uint32_t what)
{
	uint32_t info = 0;

	(void)pcre2_pattern_info(re->code, what, &info);
	return (info);
}

static void
regex_ask(struct fm_regex *re, struct fm_text pattern)
{
	uint32_t options = regex_info(re, PCRE2_INFO_ALLOPTIONS);
	bool known = regex_info(re, PCRE2_INFO_FIRSTCODETYPE) == 1;
	int first = (int)regex_info(re, PCRE2_INFO_FIRSTCODEUNIT);

	fm_regcost_init(&re->cost, pattern,
	    (options & (PCRE2_UTF | PCRE2_UCP)) != 0,
	    regex_info(re, PCRE2_INFO_CAPTURECOUNT),
	    regex_info(re, PCRE2_INFO_BACKREFMAX));
	re->cost.anchored = (options & PCRE2_ANCHORED) != 0;
	/* It may be caseless: that isn't told. */
	re->first[0] = re->first[1] = known ? first : -1;
	if (known && isalpha(first))
		re->first[1] = first ^ ('a' ^ 'A');
}

bool
fm_regex_is_rare(const struct fm_regex *re, struct fm_text subject, size_t few)
{
	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	return (re->cost.anchored || (re->first[0] >= 0 &&
	    fm_find_few(subject, re->first[0], &few) &&
	    (re->first[0] == re->first[1] ||
	    fm_find_few(subject, re->first[1], &few))));
}

struct fm_regex *
fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset)
{
	uint32_t options = nocase ? PCRE2_CASELESS : 0;
	struct fm_regex *re;
	PCRE2_SIZE erroffset = 0;
	int errcode = PCRE2_ERROR_HEAP_FAILED;

	assert(pattern.b != NULL);
	FM_OBJ_NEW(re, FM_REGEX_MAGIC);
	if (re != NULL)
		re->code = regex_compile(pattern, options, &errcode,
		    &erroffset);
	*error = '\0';
	*offset = erroffset;
	if (re != NULL && re->code != NULL) {
		regex_ask(re, pattern);
		errcode = regex_be_careful(re, pattern, options);
		if (errcode == 0)
			return (re);
		pcre2_code_free(re->code);
	}
	if (errcode != PCRE2_ERROR_HEAP_FAILED)
		(void)pcre2_get_error_message(errcode, (PCRE2_UCHAR *)error,
		    FM_REGEX_ERROR_LEN);
	free(re);
	return (NULL);
}

void
fm_regex_free(struct fm_regex **rep)
{
	struct fm_regex *re;

	FM_OBJ_TAKE(re, rep, FM_REGEX_MAGIC);
	pcre2_code_free(re->code);
	pcre2_code_free(re->careful);
	free(re->cost.text);
	FM_OBJ_FREE(re);
}

/* Gives this thread a larger stack for the JIT; false: it has it already. */
static bool
regex_grow_stack(struct regex_thread *rt)
{
	if (rt->stack != NULL)
		return (false);
	rt->stack = pcre2_jit_stack_create(REGEX_STACK_MIN, REGEX_STACK_MAX,
	    NULL);
	if (rt->stack == NULL)
		return (false);
	pcre2_jit_stack_assign(rt->context, NULL, rt->stack);
	return (true);
}

struct regex_ask {
	struct fm_text	subject;
	size_t		offset;
	bool		here;		/* a match begins there or nowhere */
	bool		quick;		/* or not at all, and not counted */
	unsigned	nth;		/* of this subject: the others are
					 * counted from the start */
	size_t		places;		/* to begin at, at most; 0: all */
	uint32_t	options;
};

/* The one call of pcre2_match(). */
static int
regex_call(const pcre2_code *code, struct regex_thread *rt,
    const struct regex_ask *ask, size_t limit, size_t left)
{
	int i;

	(void)pcre2_set_match_limit(rt->context, (uint32_t)limit);
	(void)pcre2_set_offset_limit(rt->context,
	    ask->here ? ask->offset : PCRE2_UNSET);
	do {
		rt->left = left;
		rt->start = rt->at = ask->offset;
		i = pcre2_match(code, (PCRE2_SPTR)ask->subject.b,
		    ask->subject.len, ask->offset, ask->options, rt->data,
		    rt->context);
	} while (i == PCRE2_ERROR_JIT_STACKLIMIT && regex_grow_stack(rt));
	return (i);
}

/* Callouts for careful matches in one subject, of what all have. */
static size_t
regex_left(const struct fm_tally *tally, size_t len)
{
	size_t here = tally->careful_before + REGEX_CAREFUL(len);
	size_t all = fm_tally_ration(tally) * REGEX_CAREFUL(len);

	if (here > all)
		here = all;
	return (here > tally->careful ? here - tally->careful : 0);
}

/* What of the limit may be spent on this without more ado. */
static size_t
regex_limit(const struct fm_regex *re, const struct regex_ask *ask)
{
	size_t len = ask->subject.len - ask->offset + 1, limit;

	if (re->careful == NULL)
		return (FM_REGEX_MATCH_LIMIT);
	if (ask->nth > 0)
		return (0);
	limit = fm_regcost_limit(&re->cost, len, ask->here ? 1 :
	    ask->places == 0 ? len : ask->places);
	return (limit < FM_REGEX_MATCH_LIMIT ? limit : FM_REGEX_MATCH_LIMIT);
}

/* As pcre2_match(); an error is counted. */
static int
regex_run(const struct fm_regex *re, struct regex_thread *rt,
    struct regex_ask ask, struct fm_tally *tally)
{
	int i = PCRE2_ERROR_MATCHLIMIT;
	size_t limit, left = 0;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	assert(ask.offset <= ask.subject.len);
	if (fm_tally_is_spent(tally)) {
		tally->unasked++;
		return (PCRE2_ERROR_MATCHLIMIT);
	}
	if (rt == NULL) {
		tally->over_limit++;
		tally->no_memory = true;
		return (PCRE2_ERROR_NOMEMORY);
	}
	rt->regex = re;
	ask.subject = fm_text_or_empty(ask.subject);
	if (ask.nth == 0)
		tally->careful_before = tally->careful;
	limit = regex_limit(re, &ask);
	if (limit > 0)
		i = regex_call(re->code, rt, &ask, limit, SIZE_MAX);
	if (i == PCRE2_ERROR_MATCHLIMIT && ask.quick)
		return (i);
	if (i == PCRE2_ERROR_MATCHLIMIT && limit < FM_REGEX_MATCH_LIMIT) {
		left = regex_left(tally, ask.subject.len);
		i = regex_call(re->careful, rt, &ask, FM_REGEX_MATCH_LIMIT,
		    left);
		/* A call takes something, too. */
		left += ask.nth > 0 ? 1 : REGEX_CAREFUL_TRY;
	}
	tally->no_memory |= i == PCRE2_ERROR_NOMEMORY;
	if (i < 0 && i != PCRE2_ERROR_NOMATCH)
		tally->over_limit++;
	else if (left > 0)
		tally->careful += (unsigned)(left - rt->left);
	return (i);
}

bool
fm_regex_match(const struct fm_regex *re, struct fm_text subject,
    struct fm_tally *tally)
{
	return (regex_run(re, regex_thread_get(),
	    (struct regex_ask){ .subject = subject }, tally) >= 0);
}

bool
fm_regex_try(const struct fm_regex *re, struct fm_text subject, size_t places,
    bool *match, struct fm_tally *tally)
{
	int i = regex_run(re, regex_thread_get(), (struct regex_ask){
	    .subject = subject, .quick = true, .places = places }, tally);

	*match = i >= 0;
	return (i != PCRE2_ERROR_MATCHLIMIT);
}

bool
fm_regex_may_be_empty(const struct fm_regex *re)
{
	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	return (regex_info(re, PCRE2_INFO_MATCHEMPTY) != 0);
}

unsigned
fm_regex_group_count(const struct fm_regex *re)
{
	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	return (regex_info(re, PCRE2_INFO_CAPTURECOUNT));
}

/* Whether it matches, and what the groups are then. */
static bool
regex_groups(const struct fm_regex *re, struct regex_ask ask,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	struct regex_thread *rt;
	const PCRE2_SIZE *v;
	const char *b = fm_text_or_empty(ask.subject).b;
	int found, i;

	rt = regex_thread_get();
	found = regex_run(re, rt, ask, tally);
	if (found < 0)
		return (false);
	found = found == 0 ? FM_REGEX_GROUPS : found;	/* there are more */
	v = pcre2_get_ovector_pointer(rt->data);
	for (i = 0; i < FM_REGEX_GROUPS; i++) {
		groups[i] = fm_text(NULL, 0);
		/* \K in a look-ahead can end a match before its start. */
		if (i < found && v[2 * i] != PCRE2_UNSET &&
		    v[2 * i] <= v[2 * i + 1])
			groups[i] = fm_text(b + v[2 * i],
			    v[2 * i + 1] - v[2 * i]);
	}
	return (true);
}

bool
fm_regex_find(const struct fm_regex *re, struct fm_text subject,
    size_t offset, unsigned nth, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	struct regex_ask ask = { .subject = subject, .offset = offset,
	    .nth = nth, .options = nth > 0 ? PCRE2_NOTEMPTY : 0 };

	return (regex_groups(re, ask, groups, tally) && groups[0].b != NULL);
}

bool
fm_regex_groups(const struct fm_regex *re, struct fm_text subject,
    size_t start, bool here, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	return (regex_groups(re, (struct regex_ask){ .subject = subject,
	    .offset = start, .here = here }, groups, tally));
}

static size_t
regex_code_bytes(const pcre2_code *code)
{
	size_t bytes = 0, jit = 0;

	(void)pcre2_pattern_info(code, PCRE2_INFO_SIZE, &bytes);
	(void)pcre2_pattern_info(code, PCRE2_INFO_JITSIZE, &jit);
	return (bytes + jit);
}

size_t
fm_regex_bytes(const struct fm_regex *re)
{
	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	return (sizeof *re + re->text_len + regex_code_bytes(re->code) +
	    (re->careful != NULL ? regex_code_bytes(re->careful) : 0));
}
