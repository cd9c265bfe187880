/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirects that lead to themselves.  A redirect is endless if the request
 * that it makes a client send gets to the same redirect for sure:
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

struct loop {
	struct fm_text		host;		/* NULL: the same */
	struct fm_text		path;		/* NULL: the same */
	bool			open;		/* path: how it begins */
	bool			no_query;
	bool			scheme;		/* may be another */
	bool			edited;		/* the URL, on the way */
	bool			asked;		/* of the same URL */
};

/* The statement of a block that a way takes, up to the outermost one. */
struct way {
	const struct way	*up;
	const struct fm_block	*block;
	const struct fm_stmt	*stmt;
	bool			otherwise;	/* of a `when`: its else */
	unsigned		depth;
};

/* What is known of a condition that was true (under nots: false) before. */
enum again {
	AGAIN_UNSURE,
	AGAIN_SAME,		/* it is so again, as it was */
	AGAIN_SURE		/* it is so, whatever it was */
};

/*--------------------------------------------------------------------
 * Conditions
 */

static bool
word_fits(const struct fm_cond *test, const struct fm_word *word,
    struct fm_text t)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text text = word->text;
	bool nocase = test->nocase || test->subject.kind == FM_SUBJECT_HOST;
	struct fm_tally tally = { .scans = 0 };
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *regex;
	size_t offset;
	bool fits;

	if (test->below && fm_text_eq(t, fm_text(text.b, text.len - 1)))
		return (true);
	if (test->mode == FM_PATTERN_EXACT) {
		if (test->subject.kind == FM_SUBJECT_HOST)
			(void)fm_hostname_canon(word->text, buf, &text);
		return (nocase ? fm_text_eq_nocase(text, t) :
		    fm_text_eq(text, t));
	}
	if (test->mode != FM_PATTERN_REGEX)
		return (fm_check_covers(test->mode, text,
		    FM_PATTERN_EXACT, t, nocase));
	regex = fm_regex_new(word->text, test->nocase, error, &offset);
	fits = regex != NULL && fm_regex_match(regex, t, &tally);
	if (regex != NULL)
		fm_regex_free(&regex);
	return (fits);
}

/*
 * Returns true if a path that begins so fits an operand for sure; or, under
 * nots, if it may fit.
 */
static bool
may_begin(const struct fm_cond *test, struct fm_text operand, struct fm_text t,
    bool nots)
{
	bool begins = test->mode == FM_PATTERN_PREFIX;

	if (!begins && test->mode != FM_PATTERN_EXACT)
		return (nots);
	if (t.len >= operand.len)
		t.len = operand.len;
	else if (nots)
		operand.len = t.len;
	return ((begins || nots) && (test->nocase ?
	    fm_text_eq_nocase(operand, t) : fm_text_eq(operand, t)));
}

static enum again
known_again(const struct fm_cond *test, struct fm_text t, bool open, bool nots)
{
	const struct fm_word *word;
	bool fits = false;

	if (test->kind != FM_COND_MODE || test->operands.count > 100)
		return (AGAIN_UNSURE);
	for (word = test->operands.first; word != NULL && !fits;
	    word = word->next)
		fits = open ? may_begin(test, word->text, t, nots) :
		    word_fits(test, word, t);
	return (fits != nots ? AGAIN_SURE : AGAIN_UNSURE);
}

static enum again
url_again(struct loop *loop, const struct fm_cond *test, bool nots)
{
	enum fm_subject_kind kind = test->subject.kind;

	if (loop->edited)
		return (AGAIN_UNSURE);
	if (loop->path.b != NULL && kind != FM_SUBJECT_QUERY)
		return (known_again(test, loop->path, loop->open, nots));
	loop->asked = true;
	if (kind == FM_SUBJECT_PATH || kind == FM_SUBJECT_CLEAN_PATH)
		return (AGAIN_SAME);
	if (loop->no_query || loop->path.b != NULL)
		return (AGAIN_UNSURE);
	return (AGAIN_SAME);
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

static enum again
cond_again(struct loop *loop, const struct fm_cond *cond, bool nots)
{
	enum again left, right;

	if (cond == NULL)
		return (AGAIN_UNSURE);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		left = cond_again(loop, cond->left, nots);
		right = cond_again(loop, cond->right, nots);
		if ((cond->kind == FM_COND_AND) == nots &&
		    (left == AGAIN_SURE || right == AGAIN_SURE))
			return (AGAIN_SURE);
		return (left < right ? left : right);
	case FM_COND_NOT:
		return (cond_again(loop, cond->left, !nots));
	default:
		break;
	}
	switch (cond->subject.kind) {
	case FM_SUBJECT_HOST:
		return (loop->host.b == NULL ? AGAIN_SAME :
		    known_again(cond, loop->host, false, nots));
	case FM_SUBJECT_METHOD:
	case FM_SUBJECT_CLIENT:
		return (AGAIN_SAME);
	case FM_SUBJECT_HEADER:
		return (loop->scheme &&
		    fm_check_is_of_scheme(cond->subject.name) ?
		    AGAIN_UNSURE : AGAIN_SAME);
	case FM_SUBJECT_COOKIE:
		return (AGAIN_UNSURE);
	default:
		return (url_again(loop, cond, nots));
	}
}

/*--------------------------------------------------------------------
 * The way from the start to the redirect
 */

static void when_may(const struct fm_stmt *, bool *ends, bool *edits);

/* Adds whether a block may end the run, and edit the URL. */
static void
block_may(const struct fm_block *block, bool *ends, bool *edits)
{
	const struct fm_stmt *stmt;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_QUERY:
		case FM_STMT_REWRITE:
			*edits = true;
			break;
		case FM_STMT_COOKIE:
		case FM_STMT_SET:
		case FM_STMT_UNSET:
		case FM_STMT_NORMALIZE:
		case FM_STMT_BACKEND:
			break;
		case FM_STMT_WHEN:
			when_may(stmt, ends, edits);
			break;
		default:
			*ends = true;
		}
}

/* A chain of `else when` may be longer than the stack is deep. */
static void
when_may(const struct fm_stmt *when, bool *ends, bool *edits)
{
	for (; when != NULL; when = fm_check_chained(when)) {
		block_may(when->when.then, ends, edits);
		if (fm_check_chained(when) == NULL)
			block_may(when->when.otherwise, ends, edits);
	}
}

/* Returns true if the request passes by a statement again. */
static bool
stmt_passes(struct loop *loop, const struct fm_stmt *stmt)
{
	bool then = false, otherwise = false, edits = false;

	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_REWRITE:
		edits = true;
		break;
	case FM_STMT_WHEN:
		block_may(stmt->when.then, &then, &edits);
		if (fm_check_chained(stmt) != NULL)
			when_may(fm_check_chained(stmt), &otherwise, &edits);
		else
			block_may(stmt->when.otherwise, &otherwise, &edits);
		if (otherwise || (then && cond_again(loop, stmt->when.cond,
		    true) == AGAIN_UNSURE))
			return (false);
		break;
	case FM_STMT_USE:
		return (false);
	default:
		break;
	}
	loop->edited |= edits;
	return (true);
}

static bool
way_again(struct loop *loop, const struct way *way, long *steps)
{
	const struct fm_stmt *stmt;

	if (way->up != NULL && !way_again(loop, way->up, steps))
		return (false);
	for (stmt = way->block->first; stmt != way->stmt; stmt = stmt->next)
		if (--*steps < 0 || !stmt_passes(loop, stmt))
			return (false);
	return (stmt->kind != FM_STMT_WHEN || cond_again(loop,
	    stmt->when.cond, way->otherwise) != AGAIN_UNSURE);
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

/* Of more hosts than these the patterns are not compared. */
#define SITE_HOSTS	10000

/* Returns true if a host gets the block that is looked at. */
static bool
is_of_site(const struct fm_check *check, struct fm_text host)
{
	const struct fm_model *model = check->model;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;
	bool taken = false;
	size_t i;

	if (fm_hostname_canon(host, buf, &canon) != FM_HOSTNAME_OK)
		return (false);
	for (i = check->first_host; i < model->nhosts &&
	    model->hosts[i].site == check->site; i++) {
		if (fm_text_eq_nocase(model->hosts[i].pattern, canon))
			return (true);
		taken |= pattern_takes(model->hosts[i].pattern, canon);
	}
	/* Of others that take it, one may be nearer. */
	for (i = 0; taken && i < model->nhosts; i++)
		if (model->nhosts > SITE_HOSTS ||
		    (model->hosts[i].site != check->site &&
		    pattern_takes(model->hosts[i].pattern, canon)))
			return (false);
	return (taken);
}

/* Notes where a redirect leads; returns false if that is not seen. */
static bool
loop_target(const struct fm_check *check, const struct fm_value *value,
    struct loop *loop)
{
	const struct fm_part *part = value->parts;
	struct fm_text t, host;
	size_t end;

	if (part == NULL)
		return (false);
	if (part->kind == FM_PART_TEXT) {
		t = part->text;
		host = fm_check_location_host(t);
		loop->scheme = host.b != NULL && *t.b != '/';
		if (host.len > 0 && part->next != NULL &&
		    host.b + host.len == t.b + t.len &&
		    part->next->kind != FM_PART_URL &&
		    part->next->kind != FM_PART_PATH)
			return (false);
		if (host.len > 0) {
			if (check->site == NULL || !is_of_site(check, host))
				return (false);
			loop->host = host;
			while (loop->host.len > 0 && strchr("0123456789:",
			    host.b[loop->host.len - 1]) != NULL &&
			    memchr(host.b, ':', loop->host.len) != NULL)
				loop->host.len--;	/* the port */
			t = fm_text_span(host.b + host.len, t.b + t.len);
		} else if (host.b != NULL) {
			part = part->next;
			if (part == NULL || part->kind != FM_PART_HOST)
				return (false);
			t = fm_text("", 0);
			if (part->next != NULL &&
			    part->next->kind == FM_PART_TEXT) {
				part = part->next;
				t = part->text;
			}
			if (t.len > 0 && *t.b != '/')
				return (false);
		}
		part = part->next;
		for (end = 0; end < t.len && strchr("?#", t.b[end]) == NULL;
		    end++)
			continue;
		loop->open = part != NULL && end == t.len;
		loop->path = fm_text(t.b, end);
		if (t.len > 0)
			return (true);
		loop->path = part == NULL ? fm_text("/", 1) : fm_text(NULL, 0);
		loop->open = false;
		if (part == NULL)
			return (true);
	}
	loop->no_query = part->kind == FM_PART_PATH;
	return (part->next == NULL && (loop->no_query ||
	    part->kind == FM_PART_URL));
}

static const struct fm_stmt *
outermost(const struct way *way)
{
	while (way->up != NULL)
		way = way->up;
	return (way->block->first);
}

static void
redirect_loop(struct fm_check *check, const struct way *way, long *steps)
{
	const struct fm_value *to = way->stmt->redirect.to;
	const struct fm_block *always = check->model->always;
	struct loop loop = { .open = false };
	const struct fm_stmt *stmt;

	if (to == NULL || to->map != NULL || !loop_target(check, to, &loop))
		return;
	if (always != NULL && always->first != outermost(way))
		for (stmt = always->first; stmt != NULL; stmt = stmt->next)
			if (!stmt_passes(&loop, stmt))
				return;
	if (!way_again(&loop, way, steps) || (loop.edited && loop.asked))
		return;
	fm_diag_warning(check->diag, &way->stmt->at, FM_MSG_SLIP_ENDLESS);
}

static void
block_loops(struct fm_check *check, const struct fm_block *block,
    const struct way *up, long *steps)
{
	struct way way = { .up = up, .block = block,
	    .depth = up == NULL ? 0 : up->depth + 1 };
	const struct fm_stmt *stmt;

	if (block == NULL || way.depth > LOOP_DEPTH)
		return;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		way.stmt = stmt;
		way.otherwise = false;
		if (stmt->kind == FM_STMT_REDIRECT &&
		    stmt->redirect.code != 0 && --*steps > 0)
			redirect_loop(check, &way, steps);
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		block_loops(check, stmt->when.then, &way, steps);
		way.otherwise = true;
		block_loops(check, stmt->when.otherwise, &way, steps);
	}
}

void
fm_check_loops(struct fm_check *check, const struct fm_block *block)
{
	block_loops(check, block, NULL, &check->loop_steps);
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
			if (word_fits(test, word, pattern))
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
	const struct fm_list_line *line = test->list_def == NULL ? NULL :
	    test->list_def->lines;
	struct fm_cond of_line = { .kind = FM_COND_MODE,
	    .subject = test->subject };
	size_t i, n = 0, fits = 0, words = test->operands.count;
	struct fm_text pattern;
	bool plain = true, found;

	for (; line != NULL; line = line->next)
		words += line->operands.count;
	for (i = check->first_host; i < check->model->nhosts &&
	    check->model->hosts[i].site == check->site; i++) {
		if (++n * words > 10000)
			return;
		pattern = check->model->hosts[i].pattern;
		plain = plain && pattern_is_plain(pattern);
		found = pattern_fits(pattern, test);
		line = test->list_def == NULL ? NULL : test->list_def->lines;
		for (; line != NULL && !found; line = line->next) {
			of_line.mode = line->mode;
			of_line.operands = line->operands;
			of_line.nocase = test->list_def->nocase;
			found = pattern_fits(pattern, &of_line);
		}
		fits += found;
	}
	if (n > 0 && fits == 0)
		fm_diag_warning(check->diag, &test->at,
		    FM_MSG_SLIP_BLOCK_NEVER);
	/* A regex with groups is there for these. */
	else if (n > 0 && fits == n && plain && test->groups == 0)
		fm_diag_warning(check->diag, &test->at,
		    FM_MSG_SLIP_BLOCK_ALWAYS);
}
