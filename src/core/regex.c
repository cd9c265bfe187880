/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PCRE2, with its JIT where the machine allows it.
 */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "obj.h"
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

struct fm_regex {
	unsigned		magic;
#define FM_REGEX_MAGIC		0x52a9e3d1
	pcre2_code		*code;
};

struct regex_thread {
	unsigned		magic;
#define REGEX_THREAD_MAGIC	0x2d80b6f4
	pcre2_match_data	*data;
	pcre2_match_context	*context;
	pcre2_jit_stack		*stack;
};

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
	(void)pcre2_set_match_limit(rt->context, FM_REGEX_MATCH_LIMIT);
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

struct fm_regex *
fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset)
{
	struct fm_regex *re;
	PCRE2_SIZE erroffset = 0;
	int errcode = PCRE2_ERROR_NOMEMORY;

	assert(pattern.b != NULL);
	FM_OBJ_NEW(re, FM_REGEX_MAGIC);
	if (re != NULL)
		re->code = pcre2_compile((PCRE2_SPTR)pattern.b, pattern.len,
		    nocase ? PCRE2_CASELESS : 0, &errcode, &erroffset, NULL);
	if (re != NULL && re->code != NULL) {
		/* Without JIT (no executable memory) it only is slower. */
		(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
		return (re);
	}
	*error = '\0';
	*offset = erroffset;
	if (errcode != PCRE2_ERROR_NOMEMORY &&
	    errcode != PCRE2_ERROR_HEAP_FAILED)
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

/* The one call of pcre2_match(): its result, or an error that is counted. */
static int
regex_run(const struct fm_regex *re, struct regex_thread *rt,
    struct fm_text subject, size_t offset, uint32_t options,
    struct fm_tally *tally)
{
	const char *b;
	int i;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	assert(offset <= subject.len);
	if (tally->over_limit_max != 0 &&
	    tally->over_limit >= tally->over_limit_max) {
		tally->unasked++;
		return (PCRE2_ERROR_MATCHLIMIT);
	}
	if (rt == NULL) {
		tally->over_limit++;
		return (PCRE2_ERROR_NOMEMORY);
	}
	b = subject.b == NULL ? "" : subject.b;
	do {
		i = pcre2_match(re->code, (PCRE2_SPTR)b, subject.len, offset,
		    options, rt->data, rt->context);
	} while (i == PCRE2_ERROR_JIT_STACKLIMIT && regex_grow_stack(rt));
	if (i < 0 && i != PCRE2_ERROR_NOMATCH)
		tally->over_limit++;
	return (i);
}

bool
fm_regex_match(const struct fm_regex *re, struct fm_text subject,
    struct fm_tally *tally)
{
	return (regex_run(re, regex_thread_get(), subject, 0, 0, tally) >= 0);
}

bool
fm_regex_may_be_empty(const struct fm_regex *re)
{
	uint32_t may = 1;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_MATCHEMPTY, &may);
	return (may != 0);
}

/* Whether it matches, and what the groups are then. */
static bool
regex_groups(const struct fm_regex *re, struct fm_text subject,
    size_t offset, bool notempty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	struct regex_thread *rt;
	const PCRE2_SIZE *v;
	const char *b = subject.b == NULL ? "" : subject.b;
	int found, i;

	rt = regex_thread_get();
	found = regex_run(re, rt, subject, offset,
	    notempty ? PCRE2_NOTEMPTY : 0, tally);
	if (found < 0)
		return (false);
	if (found == 0)			/* more groups than we look at */
		found = FM_REGEX_GROUPS;
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
    size_t offset, bool notempty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	return (regex_groups(re, subject, offset, notempty, groups, tally) &&
	    groups[0].b != NULL);
}

bool
fm_regex_groups(const struct fm_regex *re, struct fm_text subject,
    struct fm_text groups[FM_REGEX_GROUPS], struct fm_tally *tally)
{
	return (regex_groups(re, subject, 0, false, groups, tally));
}

size_t
fm_regex_bytes(const struct fm_regex *re)
{
	size_t code = 0, jit = 0;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_SIZE, &code);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_JITSIZE, &jit);
	return (sizeof *re + code + jit);
}
