/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirects that lead to themselves: the request that a redirect makes a
 * client send passes by the same tests, for sure.
 *
 *	host a.example {
 *		when path is /x { pass; }
 *		when path begins / { redirect 301 "/y"; }
 *	}
 *
 * `path is /x` is false for /y, and `path begins /` is true.
 */

#include "check_priv.h"
#include "hostname.h"

#define LOOP_DEPTH	100		/* blocks inside each other */

/* Where a redirect leads. */
struct loop {
	char			buf[FM_HOSTNAME_MAX];
	struct fm_text		host;		/* NULL: the same */
	struct fm_text		path;		/* NULL: the same */
	bool			open;		/* path: how it begins */
	bool			no_query;
	bool			scheme;		/* may be another */
	unsigned		edited, asked;	/* what, on the way */
};

/* The statement of a block that a way takes, up to the outermost one. */
struct way {
	const struct way	*up;
	const struct fm_block	*block;
	const struct fm_stmt	*stmt;
	bool			otherwise;	/* of a `when`: its else */
};

/*--------------------------------------------------------------------
 * Conditions
 */

/* Returns true if a text, or all that begins with it, fits for sure. */
static bool
word_fits(const struct fm_cond *test, struct fm_text operand, struct fm_text t,
    bool open)
{
	char buf[FM_HOSTNAME_MAX];
	bool host = test->subject.kind == FM_SUBJECT_HOST;

	if (test->below && fm_text_eq(t, fm_text(operand.b, operand.len - 1)))
		return (true);
	if (host && test->mode == FM_PATTERN_EXACT)
		(void)fm_hostname_canon(operand, buf, &operand);
	return (fm_check_covers(test->mode, operand, open ?
	    FM_PATTERN_PREFIX : FM_PATTERN_EXACT, t, test->nocase ||
	    (host && test->mode != FM_PATTERN_REGEX)));
}

/* Returns true if a text that begins so may fit. */
static bool
word_may_fit(const struct fm_cond *test, struct fm_text operand,
    struct fm_text t)
{
	if (test->mode != FM_PATTERN_EXACT && test->mode != FM_PATTERN_PREFIX)
		return (true);
	if (test->mode == FM_PATTERN_PREFIX && t.len > operand.len)
		t.len = operand.len;
	operand.len = operand.len > t.len ? t.len : operand.len;
	return (fm_text_eq_nocase(operand, t));
}

/* Returns true if a test comes out so for a text, or all that begins so. */
static bool
text_is(const struct fm_cond *test, struct fm_text t, bool open, bool value)
{
	const struct fm_word *word;
	bool fits = false;

	if (test->kind != FM_COND_MODE || test->operands.count > 100)
		return (false);
	for (word = test->operands.first; word != NULL && !fits;
	    word = word->next)
		fits = open && !value ? word_may_fit(test, word->text, t) :
		    word_fits(test, word->text, t, open);
	return (fits == value);
}

static bool
url_stays(struct loop *loop, const struct fm_cond *test, bool value)
{
	enum fm_subject_kind kind = test->subject.kind;
	struct fm_text t = loop->path;
	const char *query = t.len == 0 ? NULL : memchr(t.b, '?', t.len);

	loop->asked |= kind == FM_SUBJECT_QUERY ? FM_CHECK_EDITS_QUERY :
	    kind == FM_SUBJECT_URL ? FM_CHECK_EDITS_QUERY |
	    FM_CHECK_EDITS_PATH : FM_CHECK_EDITS_PATH;
	if (kind == FM_SUBJECT_QUERY)
		return (t.b == NULL && !loop->no_query);
	if (t.b == NULL)
		return (kind != FM_SUBJECT_URL || !loop->no_query);
	if (query == NULL || kind == FM_SUBJECT_URL)
		return (text_is(test, t, loop->open, value));
	return (text_is(test, fm_text_span(t.b, query), false, value));
}

/* Returns true if a header may say that the request came without TLS. */
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

/* Returns true if what came out so for a request does for the next one. */
static bool
cond_stays(struct loop *loop, const struct fm_cond *cond, bool value)
{
	if (cond == NULL)
		return (false);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		return (cond_stays(loop, cond->left, value) &&
		    cond_stays(loop, cond->right, value));
	case FM_COND_NOT:
		return (cond_stays(loop, cond->left, !value));
	default:
		break;
	}
	switch (cond->subject.kind) {
	case FM_SUBJECT_HOST:
		return (loop->host.b == NULL ||
		    text_is(cond, loop->host, false, value));
	case FM_SUBJECT_METHOD:
	case FM_SUBJECT_CLIENT:
		return (true);
	case FM_SUBJECT_HEADER:
		return (!loop->scheme ||
		    !fm_check_is_of_scheme(cond->subject.name));
	case FM_SUBJECT_COOKIE:
		return (false);
	default:
		return (url_stays(loop, cond, value));
	}
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
		if (--check->loop_steps < 0 || stmt->kind == FM_STMT_USE)
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
 * Where it leads
 */

static bool
pattern_is_plain(struct fm_text pattern)
{
	return (pattern.len > 0 && *pattern.b != '.' &&
	    memchr(pattern.b, '*', pattern.len) == NULL);
}

/* Returns true if a host pattern takes a host, unless another one does. */
static bool
pattern_takes(struct fm_text pattern, struct fm_text host)
{
	if (pattern.len == 0)
		return (false);
	if (*pattern.b == '.' && fm_text_eq_nocase(host,
	    fm_text(pattern.b + 1, pattern.len - 1)))
		return (true);
	return (fm_check_covers(*pattern.b == '.' ? FM_PATTERN_SUFFIX :
	    FM_PATTERN_GLOB, pattern, FM_PATTERN_EXACT, host, true));
}

/* Returns true if a host gets the block that is looked at. */
static bool
is_of_site(struct fm_check *check, struct fm_text host)
{
	const struct fm_model *model = check->model;
	bool taken = false;
	size_t i;

	for (i = check->first_host; i < model->nhosts &&
	    model->hosts[i].site == check->site; i++) {
		if (fm_text_eq_nocase(model->hosts[i].pattern, host))
			return (true);
		taken |= pattern_takes(model->hosts[i].pattern, host);
	}
	/* Another block that takes it may be nearer. */
	for (i = 0; taken && i < model->nhosts; i++)
		if (--check->loop_steps < 0 ||
		    (model->hosts[i].site != check->site &&
		    pattern_takes(model->hosts[i].pattern, host)))
			return (false);
	return (taken);
}

/*
 * Notes where a redirect leads; returns false if that is not seen:
 *
 *	${url} ${path}				the same host and path
 *	/a /a${1}				a path, or how it begins
 *	https://a.example, //${host}		any of them may follow
 */
static bool
loop_target(struct fm_check *check, const struct fm_part *part,
    struct loop *loop)
{
	struct fm_text t = fm_text("", 0), host;
	size_t n;

	if (part->kind == FM_PART_TEXT) {
		t = part->text;
		part = part->next;
		host = fm_check_location_host(t);
		loop->scheme = host.b != NULL && *t.b != '/';
		if (host.b != NULL)
			t = fm_text_span(host.b + host.len, t.b + t.len);
		if (host.len > 0 && (check->site == NULL ||
		    fm_hostname_canon(host, loop->buf, &loop->host) !=
		    FM_HOSTNAME_OK || !is_of_site(check, loop->host)))
			return (false);
		if (host.b != NULL && host.len == 0) {
			if (part == NULL || part->kind != FM_PART_HOST)
				return (false);
			part = part->next;
			if (part != NULL && part->kind == FM_PART_TEXT) {
				t = part->text;
				part = part->next;
			}
		}
		for (n = 0; n < t.len && t.b[n] != '#'; n++)
			continue;
		/* A client keeps what is behind it to itself. */
		if (n < t.len)
			part = NULL;
		t.len = n;
		if (t.len == 0 && part == NULL)
			t = fm_text("/", 1);
	}
	loop->open = part != NULL;
	if (t.len > 0) {
		loop->path = t;
		return (*t.b == '/');
	}
	loop->no_query = part->kind == FM_PART_PATH;
	return (part->next == NULL && (loop->no_query ||
	    part->kind == FM_PART_URL));
}

static void
redirect_loop(struct fm_check *check, const struct way *way)
{
	const struct fm_value *to = way->stmt->redirect.to;
	const struct fm_block *always = check->model->always;
	struct loop loop = { .open = false };
	const struct way *up;

	if (to == NULL || to->parts == NULL ||
	    !loop_target(check, to->parts, &loop))
		return;
	for (up = way; up != NULL; up = up->up)
		if (!block_passes(check, &loop, up->block, up->stmt) ||
		    (up->stmt->kind == FM_STMT_WHEN && !cond_stays(&loop,
		    up->stmt->when.cond, !up->otherwise)))
			return;
		else if (up->block == always)
			always = NULL;
	if ((always == NULL || block_passes(check, &loop, always, NULL)) &&
	    (loop.edited & loop.asked) == 0)
		fm_diag_warning(check->diag, &way->stmt->at,
		    FM_MSG_SLIP_ENDLESS);
}

static void
block_loops(struct fm_check *check, const struct fm_block *block,
    const struct way *up, unsigned depth)
{
	struct way way = { .up = up, .block = block };
	const struct fm_stmt *stmt;

	if (block == NULL || depth > LOOP_DEPTH)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		way.stmt = stmt;
		way.otherwise = false;
		if (stmt->kind == FM_STMT_REDIRECT &&
		    stmt->redirect.code != 0)
			redirect_loop(check, &way);
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		block_loops(check, stmt->when.then, &way, depth + 1);
		way.otherwise = true;
		block_loops(check, stmt->when.otherwise, &way, depth + 1);
	}
}

void
fm_check_loops(struct fm_check *check, const struct fm_block *block)
{
	block_loops(check, block, NULL, 0);
}

/*--------------------------------------------------------------------
 * Tests of the host within its own block
 */

/* Returns true if a host that the pattern takes may fit the operands. */
static bool
pattern_fits(struct fm_text pattern, const struct fm_cond *test)
{
	char buf[FM_HOSTNAME_MAX];
	const struct fm_word *word;
	struct fm_text canon;

	for (word = test->operands.first; word != NULL; word = word->next) {
		if (pattern_is_plain(pattern)) {
			if (word_fits(test, word->text, pattern, false))
				return (true);
			continue;
		}
		if (test->mode != FM_PATTERN_EXACT ||
		    fm_hostname_canon(word->text, buf, &canon) !=
		    FM_HOSTNAME_OK)
			return (true);
		if (pattern_takes(pattern, canon))
			return (true);
	}
	return (false);
}

void
fm_check_site_test(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_host *host = check->model->hosts + check->first_host;
	const struct fm_host *end = check->model->hosts + check->model->nhosts;
	size_t n = 0, fits = 0;
	bool plain = true;

	for (; host < end && host->site == check->site; host++, n++) {
		check->loop_steps -= (long)test->operands.count;
		if (check->loop_steps < 0)
			return;
		plain = plain && pattern_is_plain(host->pattern);
		fits += pattern_fits(host->pattern, test);
	}
	if (n > 0 && fits == 0)
		fm_diag_warning(check->diag, &test->at,
		    FM_MSG_SLIP_BLOCK_NEVER);
	/* A regex with groups is there for these. */
	else if (n > 0 && fits == n && plain && test->groups == 0)
		fm_diag_warning(check->diag, &test->at,
		    FM_MSG_SLIP_BLOCK_ALWAYS);
}
