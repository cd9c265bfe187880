/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What only the rules in `response` and `delivery` have: lifetimes, lists in
 * headers of responses, and subjects and values of these.
 */

#include <stdio.h>

#include "duration.h"
#include "obj.h"
#include "run_priv.h"

static const struct fm_text missing = { NULL, 0 };

/*--------------------------------------------------------------------
 * Subjects and values
 */

/* Returns the word that says most about where a response comes from. */
static const char *
cache_word(const struct fm_response *response)
{
	static const struct {
		unsigned	flag;
		const char	*word;
	} words[] = {
		{ FM_CACHE_OWN, "own" }, { FM_CACHE_PASS, "pass" },
		{ FM_CACHE_STALE, "stale" }, { FM_CACHE_HIT, "hit" }
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if ((response->flags & words[i].flag) != 0)
			return (words[i].word);
	return ("miss");
}

struct fm_text
fm_response_subject(struct fm_request *req,
    const struct fm_subject_code *subject)
{
	switch ((enum fm_subject_kind)subject->kind) {
	case FM_SUBJECT_STATUS:
		return (fm_text(req->response->status_text, 3));
	case FM_SUBJECT_CACHE:
		return (fm_text_of(cache_word(req->response)));
	default:
		break;
	}
	return (missing);
}

bool
fm_response_test(const struct fm_exec *exec, const struct fm_test *test)
{
	const struct fm_response *response = exec->req.response;
	double is;

	if (test->kind == FM_TEST_FLAGS)
		return ((response->flags & test->first) != 0);
	is = test->subject.kind == FM_SUBJECT_TTL ? response->ttl :
	    response->size;
	if (test->subject.kind == FM_SUBJECT_SIZE && is < 0)
		return (false);
	return (test->over ? is > test->number : is < test->number);
}

static struct fm_text
number_text(struct fm_exec *exec, double number)
{
	char line[32], *buf;
	int len;

	len = snprintf(line, sizeof line, "%.0f", number < 0 ? 0 : number);
	buf = fm_request_alloc(&exec->req, (size_t)len);
	if (buf == NULL)
		return (fm_text("", 0));
	memcpy(buf, line, (size_t)len);
	return (fm_text(buf, (size_t)len));
}

struct fm_text
fm_response_part(struct fm_exec *exec, enum fm_part_kind kind)
{
	const struct fm_response *response = exec->req.response;

	switch (kind) {
	case FM_PART_STATUS:
		return (fm_text(response->status_text, 3));
	case FM_PART_CACHE:
		return (fm_text_of(cache_word(response)));
	case FM_PART_TTL:
		return (number_text(exec, response->ttl));
	case FM_PART_AGE:
		return (number_text(exec, response->age));
	case FM_PART_HITS:
		return (number_text(exec, (double)response->hits));
	default:
		break;
	}
	return (fm_text("", 0));
}

/*--------------------------------------------------------------------
 * Lifetimes
 */

/* Tells the trace of a number of seconds that a statement has changed. */
static void
tell_seconds(const struct fm_exec *exec, const struct fm_op *op,
    const char *what, double before, double after)
{
	char from[FM_DURATION_PRINT], to[FM_DURATION_PRINT];

	if (exec->trace == NULL)
		return;
	fm_exec_tell(exec, op->rule, before == after ? FM_EFFECT_NONE :
	    FM_EFFECT_CHANGED, fm_text_of(what),
	    fm_text_of(fm_duration_print(before, from)),
	    fm_text_of(fm_duration_print(after, to)));
}

double
fm_response_seconds(const struct fm_exec *exec, const struct fm_op *op)
{
	return (op->a == FM_NONE ? exec->req.response->uncacheable_ttl :
	    op->a + op->status / 1000.);
}

/* Returns true if lifetimes do nothing: the response will not be stored. */
static bool
is_not_stored(const struct fm_response *response)
{
	return (response->uncacheable ||
	    (response->flags & FM_FETCH_PASS) != 0);
}

void
fm_response_uncacheable(struct fm_exec *exec, double seconds)
{
	struct fm_response *response = exec->req.response;

	response->uncacheable = response->uncacheable_set = true;
	response->ttl = seconds;
	response->grace = response->keep = 0;
	response->ttl_set = response->grace_set = response->keep_set = true;
}

/* Returns true if a `ttl` changes the lifetime that the response has. */
static bool
ttl_applies(const struct fm_response *response, enum fm_ttl_what what,
    double seconds)
{
	switch (what) {
	case FM_TTL_DEFAULT:
		return (response->from == FM_LIFETIME_DEFAULT);
	case FM_TTL_LEAST:
		return (response->ttl > 0 && response->ttl < seconds);
	case FM_TTL_MOST:
		return (response->ttl > seconds);
	case FM_TTL_SET:
		break;
	}
	return (true);
}

static void
stmt_ttl(struct fm_exec *exec, const struct fm_op *op, double seconds)
{
	struct fm_response *response = exec->req.response;
	double before = response->ttl;

	if (!is_not_stored(response) && ttl_applies(response,
	    (enum fm_ttl_what)op->what, seconds)) {
		response->ttl = seconds;
		response->ttl_set = true;
		if (op->what == FM_TTL_SET)
			response->from = FM_LIFETIME_KNOWN;
	}
	tell_seconds(exec, op, "ttl", before, response->ttl);
}

static void
stmt_ttl_map(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text value;
	double seconds;

	if (!fm_exec_value(exec, op, op->a, &value, NULL))
		return;
	if (fm_duration_parse(value, &seconds) == FM_DURATION_OK)
		stmt_ttl(exec, op, seconds);
	else
		fm_exec_trace(exec, op->rule, FM_EFFECT_NONE,
		    fm_text_of("ttl"), missing, missing);
}

static void
stmt_life(struct fm_exec *exec, const struct fm_op *op, const char *what,
    double *is, bool *set)
{
	double before = *is;

	if (!is_not_stored(exec->req.response)) {
		*is = fm_response_seconds(exec, op);
		*set = true;
	}
	tell_seconds(exec, op, what, before, *is);
}

static void
stmt_uncacheable(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_response *response = exec->req.response;
	bool pass = (response->flags & FM_FETCH_PASS) != 0;
	char buf[FM_DURATION_PRINT];

	if (pass || response->uncacheable_set) {
		fm_exec_trace(exec, op->rule, FM_EFFECT_NONE,
		    fm_text_of("uncacheable"), missing, missing);
		return;
	}
	fm_response_uncacheable(exec, fm_response_seconds(exec, op));
	fm_exec_trace(exec, op->rule, FM_EFFECT_CHANGED,
	    fm_text_of("uncacheable"), missing,
	    fm_text_of(fm_duration_print(response->ttl, buf)));
}

static void
stmt_flag(struct fm_exec *exec, const struct fm_op *op, const char *what,
    bool *flag)
{
	fm_exec_trace(exec, op->rule, *flag ? FM_EFFECT_NONE :
	    FM_EFFECT_CHANGED, fm_text_of(what), missing, fm_text_of("on"));
	*flag = true;
}

bool
fm_response_retries(const struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_response *response = exec->req.response;

	return (response->can_retry && response->retries < op->a);
}

const char *
fm_response_builtin(struct fm_exec *exec, const struct fm_op *op)
{
	(void)exec;
	(void)op;
	return ("deliver");
}

void
fm_response_stmt(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_response *response = exec->req.response;

	switch ((enum fm_op_code)op->code) {
	case FM_OP_TTL:
		stmt_ttl(exec, op, fm_response_seconds(exec, op));
		break;
	case FM_OP_TTL_MAP:
		stmt_ttl_map(exec, op);
		break;
	case FM_OP_GRACE:
		stmt_life(exec, op, "grace", &response->grace,
		    &response->grace_set);
		break;
	case FM_OP_KEEP:
		stmt_life(exec, op, "keep", &response->keep,
		    &response->keep_set);
		break;
	case FM_OP_UNCACHEABLE:
		stmt_uncacheable(exec, op);
		break;
	case FM_OP_ESI:
		stmt_flag(exec, op, "esi", &response->esi);
		break;
	case FM_OP_GZIP:
		stmt_flag(exec, op, "gzip", &response->gzip);
		break;
	case FM_OP_GUNZIP:
		stmt_flag(exec, op, "gunzip", &response->gunzip);
		break;
	default:
		break;
	}
}
