/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles and runs regexes with PCRE2 (regex.h), by its JIT if the machine
 * allows that.  Each thread keeps its own memory for matches.
 */

#include <stdatomic.h>

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
 * Memory of a match without the JIT, in KB: for about FM_REGEX_LIMIT steps.
 * A thread that once needed it keeps it.
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
	unsigned		limit;		/* as the context has it */
};

static _Atomic(bool) regex_jit = true;
static const unsigned regex_own_limit = FM_REGEX_LIMIT;
static const volatile unsigned *regex_limit = &regex_own_limit;

void
fm_regex_use_jit(bool jit)
{
	regex_jit = jit;
}

void
fm_regex_follow_limit(const volatile unsigned *steps)
{
	regex_limit = steps != NULL ? steps : &regex_own_limit;
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

static struct regex_thread *
regex_thread_get(void)
{
	struct regex_thread *rt;

	rt = fm_thread_make(FM_THREAD_REGEX, sizeof *rt, REGEX_THREAD_MAGIC,
	    regex_thread_free);
	if (rt == NULL)
		return (NULL);
	if (rt->data == NULL)
		rt->data = pcre2_match_data_create(FM_REGEX_GROUPS, NULL);
	if (rt->context == NULL) {
		rt->context = pcre2_match_context_create(NULL);
		rt->limit = 0;
	}
	if (rt->data == NULL || rt->context == NULL)
		return (NULL);
	if (rt->limit != *regex_limit) {
		rt->limit = *regex_limit;
		(void)pcre2_set_match_limit(rt->context, rt->limit);
		(void)pcre2_set_depth_limit(rt->context, rt->limit);
		(void)pcre2_set_heap_limit(rt->context, REGEX_HEAP_KB);
	}
	return (rt);
}

struct fm_regex *
fm_regex_new(struct fm_text pattern, bool nocase,
    char error[FM_REGEX_ERROR_LEN], size_t *offset)
{
	struct fm_regex *re;
	PCRE2_SIZE erroffset = 0;
	int errcode = PCRE2_ERROR_HEAP_FAILED;

	assert(pattern.b != NULL);
	FM_OBJ_NEW(re, FM_REGEX_MAGIC);
	if (re != NULL)
		re->code = pcre2_compile((PCRE2_SPTR)pattern.b, pattern.len,
		    nocase ? PCRE2_CASELESS : 0, &errcode, &erroffset, NULL);
	*error = '\0';
	*offset = erroffset;
	if (re != NULL && re->code != NULL) {
		/* If there is no executable memory, the regex is slower. */
		if (regex_jit)
			(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
		return (re);
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

/* Calls pcre2_match(), and counts an error in the tally. */
static int
regex_run(const struct fm_regex *re, struct regex_thread *rt,
    struct fm_text subject, size_t offset, uint32_t options,
    struct fm_tally *tally)
{
	int i = PCRE2_ERROR_NOMEMORY;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	assert(offset <= subject.len);
	subject = fm_text_or_empty(subject);
	if (rt != NULL)
		do
			i = pcre2_match(re->code, (PCRE2_SPTR)subject.b,
			    subject.len, offset, options, rt->data,
			    rt->context);
		while (i == PCRE2_ERROR_JIT_STACKLIMIT &&
		    regex_grow_stack(rt));
	tally->no_memory |= i == PCRE2_ERROR_NOMEMORY;
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

unsigned
fm_regex_group_count(const struct fm_regex *re)
{
	uint32_t count = 0;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_CAPTURECOUNT, &count);
	return (count);
}

bool
fm_regex_find(const struct fm_regex *re, struct fm_text subject,
    size_t offset, bool empty, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *tally)
{
	struct regex_thread *rt = regex_thread_get();
	const PCRE2_SIZE *v;
	const char *b = fm_text_or_empty(subject).b;
	int found, i;

	found = regex_run(re, rt, subject, offset,
	    empty ? 0 : PCRE2_NOTEMPTY, tally);
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

size_t
fm_regex_bytes(const struct fm_regex *re)
{
	size_t bytes = 0, jit = 0;

	FM_OBJ_CHECK(re, FM_REGEX_MAGIC);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_SIZE, &bytes);
	(void)pcre2_pattern_info(re->code, PCRE2_INFO_JITSIZE, &jit);
	return (sizeof *re + bytes + jit);
}
