/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of redirects that lead to themselves: the request that the client sends
 * next has the same outcome in all tests on the way to the redirect, for sure.
 *
 *	host a.example {
 *		when path is /x { pass; }
 *		when path begins / { redirect 301 "/y"; }
 *	}
 *
 * For /y `path is /x` is false, and `path begins /` is true: so /y is
 * redirected to /y, without end.
 */

#include "check_priv.h"
#include "hosttab.h"

#define LOOP_OPERANDS	100		/* of a test that is looked at */

/*
 * The request that a redirect leads to.
 *
 *	301 "https://a.example/x${url}"	host a.example, path "/x", open, scheme
 *	307 "${path}"			no_query, method
 */
struct loop {
	char			buf[FM_HOSTNAME_MAX];	/* bytes of host */
	struct fm_text		host;		/* missing: stays */
	struct fm_text		path;		/* missing: stays */
	bool			open;		/* path is only its start */
	bool			no_query;	/* the query is not known */
	bool			scheme;		/* may be another one */
	bool			method;		/* stays, of 307 and 308 */
	/* FM_CHECK_EDITS_* of statements on the way; parts tests ask for. */
	unsigned		edited, asked;
};

/* The value of a condition for the next request; `and` takes the least. */
enum outcome { IS_FALSE, IS_UNKNOWN, IS_SAME, IS_TRUE };

/*--------------------------------------------------------------------
 * Conditions
 */

/* Returns an operand as it is compared: a host without its port. */
static struct fm_text
operand_text(const struct fm_cond *test, const struct fm_word *word,
    char buf[FM_HOSTNAME_MAX])
{
	struct fm_text t = word->text;

	if (test->subject.kind == FM_SUBJECT_HOST &&
	    test->mode == FM_PATTERN_EXACT)
		(void)fm_hostname_canon(word->text, buf, &t);
	return (t);
}

/* Returns the outcome for a text, or (open) for all that begin with it. */
static enum outcome
text_next(const struct fm_cond *test, struct fm_text t, bool open)
{
	enum fm_pattern_kind kind = open ? FM_PATTERN_PREFIX :
	    FM_PATTERN_EXACT, mode = test->mode;
	bool nocase = test->nocase || (mode != FM_PATTERN_REGEX &&
	    test->subject.kind == FM_SUBJECT_HOST);
	enum outcome outcome = IS_FALSE;
	const struct fm_word *word;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text operand;

	if (test->kind != FM_COND_MODE || test->operands.count > LOOP_OPERANDS)
		return (IS_UNKNOWN);
	for (word = test->operands.first; word != NULL; word = word->next) {
		operand = operand_text(test, word, buf);
		if (fm_check_covers(mode, operand, kind, t, nocase) ||
		    (test->below && fm_text_eq(t, fm_text(operand.b,
		    operand.len - 1))))
			return (IS_TRUE);
		/* Some texts that begin with t may match. */
		if (open && ((mode != FM_PATTERN_EXACT &&
		    mode != FM_PATTERN_PREFIX) ||
		    fm_check_covers(kind, t, mode, operand, true)))
			outcome = IS_UNKNOWN;
	}
	return (outcome);
}

static enum outcome
url_next(struct loop *loop, const struct fm_cond *test)
{
	enum fm_subject_kind kind = test->subject.kind;
	bool query = kind == FM_SUBJECT_QUERY || kind == FM_SUBJECT_URL;

	loop->asked |= (query ? FM_CHECK_EDITS_QUERY : 0) |
	    (kind != FM_SUBJECT_QUERY ? FM_CHECK_EDITS_PATH : 0);
	if (query && loop->no_query)
		return (IS_UNKNOWN);
	if (loop->path.b == NULL)
		return (IS_SAME);
	return (kind == FM_SUBJECT_QUERY ? IS_UNKNOWN :
	    text_next(test, loop->path, loop->open));
}

bool
fm_check_is_of_scheme(struct fm_text name)
{
	static const char * const words[] = { "proto", "scheme", "ssl", "tls",
	    "https", "port", "visitor", "forwarded", "cookie", NULL };
	unsigned i;

	for (i = 0; words[i] != NULL; i++)
		if (fm_check_covers(FM_PATTERN_CONTAINS, fm_text_of(words[i]),
		    FM_PATTERN_EXACT, name, true))
			return (true);
	return (false);
}

static enum outcome
outcome_not(enum outcome outcome)
{
	return (outcome == IS_TRUE ? IS_FALSE : outcome == IS_FALSE ? IS_TRUE :
	    outcome);
}

static enum outcome
outcome_and(enum outcome a, enum outcome b)
{
	return (a < b ? a : b);
}

static enum outcome
test_next(struct loop *loop, const struct fm_cond *cond)
{
	switch (cond->subject.kind) {
	case FM_SUBJECT_HOST:
		return (loop->host.b == NULL ? IS_SAME :
		    text_next(cond, loop->host, false));
	case FM_SUBJECT_METHOD:
		/* Behind 301 to 303 clients send a GET. */
		return (loop->method ? IS_SAME :
		    text_next(cond, fm_text_of("GET"), false));
	case FM_SUBJECT_CLIENT:
		return (IS_SAME);
	case FM_SUBJECT_HEADER:
		return (loop->scheme &&
		    fm_check_is_of_scheme(cond->subject.name) ? IS_UNKNOWN :
		    IS_SAME);
	case FM_SUBJECT_COOKIE:
		return (IS_UNKNOWN);
	default:
		return (url_next(loop, cond));
	}
}

static enum outcome
cond_next(struct loop *loop, const struct fm_cond *cond)
{
	if (cond == NULL)
		return (IS_UNKNOWN);
	switch (cond->kind) {
	case FM_COND_OR:
		return (outcome_not(outcome_and(
		    outcome_not(cond_next(loop, cond->left)),
		    outcome_not(cond_next(loop, cond->right)))));
	case FM_COND_AND:
		return (outcome_and(cond_next(loop, cond->left),
		    cond_next(loop, cond->right)));
	case FM_COND_NOT:
		return (outcome_not(cond_next(loop, cond->left)));
	default:
		return (test_next(loop, cond));
	}
}

/* Returns true if a condition with this value has it again. */
static bool
cond_stays(struct loop *loop, const struct fm_cond *cond, bool value)
{
	enum outcome next = cond_next(loop, cond);

	return (next == IS_SAME || next == (value ? IS_TRUE : IS_FALSE));
}

/*--------------------------------------------------------------------
 * The way from the start to the redirect
 */

/* Returns true if the request passes by the statements before one again. */
static bool
block_passes(struct fm_check *check, struct loop *loop,
    const struct fm_block *block, const struct fm_stmt *end)
{
	const struct fm_stmt *stmt;

	for (stmt = block->first; stmt != end; stmt = stmt->next) {
		if (--check->steps < 0 || stmt->kind == FM_STMT_USE)
			return (false);
		loop->edited |= fm_check_edits(stmt);
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		loop->edited |= stmt->when.edits;
		if (stmt->when.else_ends || (stmt->when.then_ends &&
		    !cond_stays(loop, stmt->when.cond, false)))
			return (false);
	}
	return (true);
}

/*--------------------------------------------------------------------
 * The target of a redirect
 */

/* Returns true if a host gets the block that is looked at. */
static bool
is_of_site(struct fm_check *check, struct fm_text host)
{
	struct fm_hosttab_hit hit;
	struct fm_text canon;
	char buf[FM_HOSTNAME_MAX];

	return (check->site != NULL && check->model->hosttab != NULL &&
	    fm_hosttab_lookup(check->model->hosttab, host, buf, &canon,
	    &hit) &&
	    hit.entry == fm_model_site_block(check->model, check->site));
}

/*
 * Finds where a redirect leads; returns false if only a run knows:
 *
 *	${url} ${path}				the same host and path
 *	/a /a${1}				a path, or how it begins
 *	https://a.example, //${host}		any of them may follow
 */
static bool
loop_target(struct fm_check *check, const struct fm_part *part,
    struct loop *loop)
{
	struct fm_text t = fm_text("", 0), host = fm_text(NULL, 0);
	size_t n = 0;

	if (part->kind == FM_PART_TEXT) {
		t = part->text;
		part = part->next;
		host = fm_check_location_host(t);
	}
	if (host.b != NULL) {
		loop->scheme = *t.b != '/';
		t = fm_text_span(host.b + host.len, t.b + t.len);
	}
	if (host.len > 0) {
		if (!is_of_site(check, host))
			return (false);
		(void)fm_hostname_canon(host, loop->buf, &loop->host);
	} else if (host.b != NULL) {
		if (part == NULL || part->kind != FM_PART_HOST)
			return (false);
		part = part->next;
		if (part != NULL && part->kind == FM_PART_TEXT) {
			t = part->text;
			part = part->next;
		}
	}
	while (n < t.len && t.b[n] != '?' && t.b[n] != '#')
		n++;
	if (n < t.len)
		part = NULL;
	loop->open = part != NULL;
	loop->no_query = n < t.len ||
	    (part != NULL && part->kind == FM_PART_PATH);
	if (n == 0 && part != NULL)
		return (part->next == NULL && (loop->no_query ||
		    part->kind == FM_PART_URL));
	loop->path = n > 0 ? fm_text(t.b, n) : fm_text("/", 1);
	return (n > 0 ? *t.b == '/' : host.b != NULL);
}

/* Returns true if all tests of a chain lead the next request to here, too. */
static bool
chain_stays(struct fm_check *check, struct loop *loop,
    const struct fm_check_way *way)
{
	const struct fm_stmt *when = way->stmt;

	for (; when != NULL; when = fm_stmt_chained(when))
		if (--check->steps < 0 ||
		    !cond_stays(loop, when->when.cond, when == way->when))
			return (false);
		else if (when == way->when)
			break;
	return (true);
}

void
fm_check_loop(struct fm_check *check, const struct fm_check_way *way)
{
	const struct fm_stmt *redirect = way->stmt;
	const struct fm_block *always = check->model->always;
	const struct fm_check_way *up;
	struct loop loop = { .open = false };

	if (redirect->kind != FM_STMT_REDIRECT ||
	    redirect->redirect.code == 0 || redirect->redirect.to == NULL ||
	    redirect->redirect.to->parts == NULL)
		return;
	loop.method = redirect->redirect.code >= 307;
	if (!loop_target(check, redirect->redirect.to->parts, &loop))
		return;
	for (up = way; up != NULL; up = up->up) {
		if (!block_passes(check, &loop, up->block, up->stmt) ||
		    (up != way && !chain_stays(check, &loop, up)))
			return;
		if (up->block == always)
			always = NULL;
	}
	if ((always == NULL || block_passes(check, &loop, always, NULL)) &&
	    (loop.edited & loop.asked) == 0)
		fm_diag_warning(check->diag, &redirect->at,
		    FM_MSG_SLIP_ENDLESS);
}

/*--------------------------------------------------------------------
 * Tests of the host within its own block
 */

void
fm_check_site_test(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_model *model = check->model;
	const struct fm_host *host, *end;
	bool exact = test->mode == FM_PATTERN_EXACT;
	bool any = false, all = true, name, fits;
	const struct fm_word *word = test->operands.first;

	if (check->first_host == model->nhosts ||
	    test->operands.count > LOOP_OPERANDS)
		return;
	host = model->hosts + check->first_host;
	end = model->hosts + model->nhosts;
	for (; host < end && host->site == check->site; host++) {
		check->steps -= (long)test->operands.count;
		if (check->steps < 0)
			return;
		name = host->pattern.len > 0 && *host->pattern.b != '.' &&
		    memchr(host->pattern.b, '*', host->pattern.len) == NULL;
		fits = name && text_next(test, host->pattern, false) ==
		    IS_TRUE;
		any |= fits || (!name && !exact);
		all &= fits;
	}
	for (; exact && word != NULL && !any; word = word->next)
		any = !fm_check_is_host(word->text) ||
		    is_of_site(check, word->text);
	/* A regex may be there for its groups. */
	if (!any || (all && test->groups == 0))
		fm_diag_warning(check->diag, &test->at, any ?
		    FM_MSG_SLIP_BLOCK_ALWAYS : FM_MSG_SLIP_BLOCK_NEVER);
}
