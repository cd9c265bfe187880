/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of rules for responses that store what is probably not meant, that do
 * nothing, or that are never reached.
 *
 *	when status begins 5 { uncacheable 5s; }	no 5xx after this
 *	ttl 7d;						redirects, too
 *	when status not is 200 { ttl 7d; }		a 404 as well
 *
 * A walk goes through the blocks of each host as a response does: those of
 * always, of the host, of finally.  It notes in the statements what it finds;
 * warnings come when all hosts are known.
 */

#include <stdio.h>

#include "check_priv.h"
#include "duration.h"
#include "glob.h"

#define STORE_USES	50	/* rulesets inside each other */

/* Errors that are looked at; of these 404 alone has a default lifetime. */
static const unsigned errors[] = { 500, 502, 503, 504, 403, 404 };
#define ERRORS		(sizeof errors / sizeof errors[0])
#define ALL_ERRORS	((1U << ERRORS) - 1)
#define IS_404		(ERRORS - 1)

/* The longest lifetimes of errors that get no warning, in seconds. */
#define LONG_5XX	30
#define LONG_4XX	3600

/* Bits of fm_stmt.seen: what the walk has found. */
#define SEEN_LIVE	1U	/* a statement that does something */
#define SEEN_DEAD	2U	/* the response was uncacheable before */
#define SEEN_UNLED	4U	/* no test of the status led there */
#define SEEN_LONG	8U	/* it gives an error its lifetime */
#define SEEN_BUILTIN	16U	/* a `builtin` comes after it */
#define SEEN_CUT	32U	/* nothing gets to this block */
#define SEEN_UNENDED	64U	/* builtin.vcl follows it */

/* The statement that gave an error the longest lifetime, on any way. */
struct life {
	struct fm_stmt		*stmt;		/* NULL: Varnish itself */
	double			seconds;
};

/* The walk knows this of the responses that come to a statement. */
struct flow {
	const struct fm_stmt	*ended;		/* nothing comes here: the
						 * statement that ended it */
	unsigned		may_be;		/* bits of errors that may come,
						 * and can be stored */
	bool			led;		/* tests of the status led here,
						 * on all ways */
	const struct fm_stmt	*uncacheable;	/* that made them so, on all
						 * ways; or NULL */
	struct fm_stmt		*opened;	/* `cache-control drop private`
						 * on a way, or NULL */
	struct fm_stmt		*from;		/* `ttl from`, likewise */
	struct life		lives[ERRORS];
};

/* The walk through an item, up to its end. */
struct walk {
	struct fm_check		*check;
	enum fm_phase		phase;
	struct flow		now;
	struct flow		stopped;	/* what a `stop` let out */
};

static void block_walk(struct walk *, const struct fm_block *);
static void item_walk(struct walk *, const struct fm_block *);

/*--------------------------------------------------------------------
 * Conditions
 */

enum answer { NO, YES, MAYBE };

/* Returns true if an operand fits; sets *unclear for a glob or a regex. */
static bool
operand_fits(enum fm_pattern_kind mode, struct fm_text operand,
    struct fm_text status, bool *unclear)
{
	switch (mode) {
	case FM_PATTERN_EXACT:
		return (fm_text_eq(operand, status));
	case FM_PATTERN_PREFIX:
		return (operand.len <= status.len &&
		    memcmp(operand.b, status.b, operand.len) == 0);
	default:
		*unclear = true;
		return (false);
	}
}

static bool
words_fit(enum fm_pattern_kind mode, const struct fm_words *words,
    struct fm_text status, bool *unclear)
{
	const struct fm_word *word;

	for (word = words->first; word != NULL; word = word->next)
		if (operand_fits(mode, word->text, status, unclear))
			return (true);
	return (false);
}

/* The digits of the status of an error. */
struct digits {
	char			b[3];
};

static struct fm_text
status_text(struct digits *digits, unsigned n)
{
	*digits = (struct digits){ { (char)('0' + errors[n] / 100), '0',
	    (char)('0' + errors[n] % 10) } };
	return (fm_text(digits->b, sizeof digits->b));
}

/* Returns the answer of a test of the status. */
static enum answer
status_is(const struct fm_cond *test, unsigned n)
{
	struct digits digits;
	struct fm_text status = status_text(&digits, n);
	const struct fm_line *line;
	bool fits = false, unclear = false;

	if (test->kind == FM_COND_PRESENT)
		return (YES);
	if (test->kind == FM_COND_MODE)
		fits = words_fit(test->mode, &test->operands, status, &unclear);
	else if (test->kind == FM_COND_IN && test->list_def != NULL)
		for (line = test->list_def->lines; line != NULL && !fits;
		    line = line->next)
			fits = words_fit(line->matches->mode,
			    &line->matches->operands, status, &unclear);
	else
		unclear = true;
	return (fits ? YES : unclear ? MAYBE : NO);
}

/* Returns the answer of a condition for an error, as far as it is known. */
static enum answer
cond_is(const struct fm_cond *cond, unsigned n, const struct flow *flow)
{
	enum answer left, right;

	if (cond == NULL)
		return (MAYBE);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		left = cond_is(cond->left, n, flow);
		right = cond_is(cond->right, n, flow);
		if (cond->kind == FM_COND_OR)
			return (left == YES || right == YES ? YES :
			    left == NO && right == NO ? NO : MAYBE);
		return (left == NO || right == NO ? NO :
		    left == YES && right == YES ? YES : MAYBE);
	case FM_COND_NOT:
		left = cond_is(cond->left, n, flow);
		return (left == MAYBE ? MAYBE : left == YES ? NO : YES);
	default:
		break;
	}
	if (cond->subject.kind == FM_SUBJECT_STATUS)
		return (status_is(cond, n));
	/* Varnish gives the other errors no lifetime. */
	if (cond->subject.kind == FM_SUBJECT_TTL && n != IS_404 &&
	    flow->lives[n].stmt == NULL)
		return (cond->over ? NO : YES);
	return (MAYBE);
}

/* Returns true if a `when` asks for the status, or for the lifetime. */
static bool
when_asks(const struct fm_stmt *when)
{
	const struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next)
		if (test->subject.kind == FM_SUBJECT_STATUS ||
		    test->subject.kind == FM_SUBJECT_TTL)
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * The walk
 */

/* Adds the responses that come by one way to those that come by others. */
static void
flow_join(struct flow *to, const struct flow *from)
{
	unsigned n;

	if (from->ended != NULL)
		return;
	if (to->ended != NULL) {
		*to = *from;
		return;
	}
	to->led &= from->led;
	if (from->uncacheable == NULL)
		to->uncacheable = NULL;
	if (to->opened == NULL)
		to->opened = from->opened;
	if (to->from == NULL)
		to->from = from->from;
	for (n = 0; n < ERRORS; n++)
		if ((from->may_be >> n & 1) != 0 &&
		    ((to->may_be >> n & 1) == 0 ||
		    from->lives[n].seconds > to->lives[n].seconds))
			to->lives[n] = from->lives[n];
	to->may_be |= from->may_be;
}

/* Notes what errors are stored for, at the end of the rules. */
static void
flow_store(const struct flow *flow)
{
	const struct life *life;
	unsigned n;

	for (n = 0; n < ERRORS; n++) {
		life = &flow->lives[n];
		if ((flow->may_be >> n & 1) == 0 || life->stmt == NULL ||
		    life->seconds <= (errors[n] < 500 ? LONG_4XX : LONG_5XX))
			continue;
		if ((life->stmt->seen & SEEN_LONG) == 0)
			life->stmt->life.error = errors[n];
		life->stmt->seen |= SEEN_LONG;
	}
}

/* Returns the lifetime that a line of a map gives; 0: none. */
static double
line_seconds(const struct fm_value *value)
{
	double seconds = 0;

	if (value == NULL ||
	    fm_duration_parse(value->raw, &seconds) != FM_DURATION_OK)
		return (0);
	return (seconds);
}

/* Returns the longest lifetime that a map gives. */
static double
map_most(const struct fm_list_def *map)
{
	const struct fm_line *line;
	double most, seconds;

	if (map == NULL)
		return (0);
	most = line_seconds(map->otherwise);
	for (line = map->lines; line != NULL; line = line->next) {
		seconds = line_seconds(line->value);
		if (seconds > most)
			most = seconds;
	}
	return (most);
}

/* Returns the lifetime that a map of the status gives an error; 0: none. */
static double
map_error(const struct fm_list_def *map, unsigned n)
{
	struct digits digits;
	struct fm_text status = status_text(&digits, n);
	const struct fm_line *line;
	bool unclear = false;

	if (map == NULL)
		return (0);
	for (line = map->lines; line != NULL; line = line->next)
		if (words_fit(line->matches->mode, &line->matches->operands,
		    status, &unclear))
			return (line_seconds(line->value));
	return (unclear ? 0 : line_seconds(map->otherwise));
}

/* Gives an error the lifetime of a `ttl`. */
static void
life_set(struct life *life, struct fm_stmt *stmt, double seconds, bool is_404)
{
	bool applies = false;

	switch (stmt->life.what) {
	case FM_TTL_SET:
		/* A map may have no lifetime for a response. */
		applies = stmt->life.map == NULL || seconds > life->seconds;
		break;
	case FM_TTL_DEFAULT:
		applies = is_404 && (life->stmt == NULL ||
		    life->stmt->life.what == FM_TTL_DEFAULT);
		break;
	case FM_TTL_LEAST:
		applies = (is_404 || life->stmt != NULL) &&
		    seconds > life->seconds;
		break;
	case FM_TTL_MOST:
		if (seconds < life->seconds)
			life->seconds = seconds;
		break;
	case FM_TTL_FROM:
		break;
	}
	if (applies)
		*life = (struct life){ stmt, seconds };
}

static void
ttl_walk(struct fm_stmt *stmt, struct flow *flow)
{
	const struct fm_value *map = stmt->life.map;
	bool by_status = map != NULL &&
	    map->subject.kind == FM_SUBJECT_STATUS;
	double seconds = map != NULL ? map_most(map->map_def) :
	    stmt->life.number;
	unsigned n;

	if (stmt->life.what == FM_TTL_FROM) {
		flow->from = stmt;
		return;
	}
	/* After an error the number is not above 0. */
	if (stmt->life.what == FM_TTL_SET && !flow->led && !by_status &&
	    (map != NULL || seconds > 0))
		stmt->seen |= SEEN_UNLED;
	for (n = 0; n < ERRORS; n++) {
		if (by_status) {
			seconds = map_error(map->map_def, n);
			if (seconds > 0)
				flow->lives[n] = (struct life){ stmt, seconds };
		} else {
			life_set(&flow->lives[n], stmt, seconds, n == IS_404);
		}
	}
}

static void
life_walk(struct fm_stmt *stmt, struct flow *flow)
{
	if (flow->uncacheable != NULL) {
		stmt->seen |= SEEN_DEAD;
		stmt->life.after = flow->uncacheable;
		return;
	}
	stmt->seen |= SEEN_LIVE;
	if (stmt->kind == FM_STMT_TTL)
		ttl_walk(stmt, flow);
}

/* Returns true if a `cache-control` makes a private response public. */
static bool
opens(const struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->params.names.first;

	while (word != NULL && !fm_glob_match_header(word->text,
	    fm_text_of("private")))
		word = word->next;
	return (stmt->params.list == NULL &&
	    (word != NULL) == (stmt->params.what == FM_PARAMS_WHAT_DROP));
}

static void
when_walk(struct walk *walk, const struct fm_stmt *when)
{
	struct flow after = { .ended = when }, before = walk->now, otherwise;
	const struct fm_stmt *first = when;
	bool asked = false, narrowed = before.led;
	unsigned n, yes, no;

	for (; when != NULL; when = fm_stmt_chained(when)) {
		otherwise = walk->now;
		for (n = yes = no = 0; n < ERRORS; n++)
			switch (cond_is(when->when.cond, n, &otherwise)) {
			case YES:
				yes |= 1U << n;
				break;
			case NO:
				no |= 1U << n;
				break;
			case MAYBE:
				break;
			}
		asked |= when_asks(when);
		walk->now.may_be &= ~no;
		walk->now.led |= asked;
		block_walk(walk, when->when.then);
		if (walk->now.ended != NULL || (before.uncacheable == NULL &&
		    walk->now.uncacheable != NULL))
			narrowed |= asked;
		flow_join(&after, &walk->now);
		walk->now = otherwise;
		walk->now.may_be &= ~yes;
		walk->now.led |= asked;
		if (fm_stmt_chained(when) == NULL)
			block_walk(walk, when->when.otherwise);
	}
	if (walk->now.ended != NULL)
		narrowed |= asked;
	flow_join(&walk->now, &after);
	walk->now.led = narrowed;
	if (walk->now.ended != NULL)
		walk->now.ended = first;
}

static void
stmt_walk(struct walk *walk, struct fm_stmt *stmt)
{
	struct fm_check *check = walk->check;
	struct flow *flow = &walk->now;

	switch (stmt->kind) {
	case FM_STMT_TTL:
	case FM_STMT_GRACE:
	case FM_STMT_KEEP:
		if (walk->phase == FM_PHASE_RESPONSE)
			life_walk(stmt, flow);
		break;
	case FM_STMT_UNCACHEABLE:
		if (flow->uncacheable == NULL)
			flow->uncacheable = stmt;
		flow->may_be = 0;
		break;
	case FM_STMT_CACHE_CONTROL:
		if (walk->phase == FM_PHASE_RESPONSE && opens(stmt))
			flow->opened = stmt;
		break;
	case FM_STMT_BROWSER:
		if (walk->phase == FM_PHASE_RESPONSE)
			flow->opened = stmt;
		break;
	case FM_STMT_WHEN:
		when_walk(walk, stmt);
		break;
	case FM_STMT_USE:
		if (stmt->use.ruleset == NULL || check->uses >= STORE_USES)
			break;
		check->uses++;
		item_walk(walk, stmt->use.ruleset->block);
		check->uses--;
		break;
	case FM_STMT_REDIRECT:
		if (fm_check_redirects(stmt))
			flow->ended = stmt;
		break;
	case FM_STMT_STOP:
		flow_join(&walk->stopped, flow);
		flow->ended = stmt;
		break;
	case FM_STMT_BUILTIN:
		if (flow->opened != NULL)
			flow->opened->seen |= SEEN_BUILTIN;
		/* FALLTHROUGH */
	case FM_STMT_DELIVER:
		flow_store(flow);
		/* FALLTHROUGH */
	default:
		if (fm_stmts[stmt->kind].ends >= FM_ENDS_BLOCK)
			flow->ended = stmt;
		break;
	}
}

static void
block_walk(struct walk *walk, const struct fm_block *block)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && walk->now.ended == NULL; stmt = stmt->next)
		if (--walk->check->steps < 0)
			walk->now.ended = stmt;
		else
			stmt_walk(walk, stmt);
}

/* Walks through the blocks of an item, or of a ruleset that is used. */
static void
item_walk(struct walk *walk, const struct fm_block *block)
{
	enum fm_stmt_kind kind = fm_phase_stmt(walk->phase);
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_stmt *ended = walk->now.ended;

	for (; stmt != NULL && --walk->check->steps >= 0; stmt = stmt->next) {
		if (stmt->kind == kind && ended == NULL &&
		    walk->now.ended != NULL) {
			stmt->seen |= SEEN_CUT;
			stmt->phase.after = walk->now.ended;
		} else if (stmt->kind == kind) {
			block_walk(walk, stmt->phase.block);
		} else if (stmt->kind == FM_STMT_USE &&
		    walk->now.ended == NULL) {
			stmt_walk(walk, stmt);
		}
	}
}

/* Walks through an item: after it, what was stopped goes on, too. */
static void
item_all(struct walk *walk, const struct fm_block *block)
{
	walk->stopped.ended = block == NULL ? NULL : block->first;
	if (block == NULL || block->first == NULL)
		return;
	item_walk(walk, block);
	flow_join(&walk->now, &walk->stopped);
}

/* Walks through the blocks of a host, or of none, from the end of `always`. */
static void
host_walk(struct walk *walk, const struct flow *always,
    const struct fm_block *block)
{
	walk->now = *always;
	item_all(walk, block);
	if (walk->now.ended != NULL)
		return;
	item_all(walk, walk->check->model->finally);
	if (walk->now.ended != NULL)
		return;
	/* VCL goes on, most likely in builtin.vcl. */
	if (walk->now.opened != NULL)
		walk->now.opened->seen |= SEEN_BUILTIN;
	if (walk->now.from != NULL)
		walk->now.from->seen |= SEEN_UNENDED;
	flow_store(&walk->now);
}

/*--------------------------------------------------------------------
 * Warnings of an item
 */

/* A block of a phase, and where it stands. */
struct tell {
	struct fm_check		*check;
	enum fm_phase		phase;
	const struct fm_block	*item;		/* of a host or a ruleset */
	const struct fm_block	*outer;		/* the block of the phase */
	bool			passes;		/* a test asks for passes */
};

/* Returns true if a block may set a header of the request. */
static bool
block_sets(struct fm_check *check, const struct fm_block *block,
    struct fm_text name)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((stmt->kind == FM_STMT_SET && stmt->set.header != NULL &&
		    fm_text_eq_nocase(stmt->set.header->text, name)) ||
		    stmt->kind == FM_STMT_USE || stmt->kind == FM_STMT_CALL ||
		    (stmt->kind == FM_STMT_WHEN &&
		    (block_sets(check, stmt->when.then, name) ||
		    block_sets(check, stmt->when.otherwise, name))))
			return (true);
	return (stmt != NULL);
}

/* Returns true if a request may leave a block for the backend. */
static bool
block_leaves(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((stmt->kind != FM_STMT_WHEN &&
		    fm_stmt_may_end(stmt->kind) &&
		    !fm_stmt_answers(stmt->kind)) ||
		    (stmt->kind == FM_STMT_WHEN &&
		    (block_leaves(check, stmt->when.then) ||
		    block_leaves(check, stmt->when.otherwise))))
			return (true);
	return (stmt != NULL);
}

bool
fm_check_unsets(const struct fm_stmt *stmt, struct fm_text name)
{
	const struct fm_word *word;

	for (word = stmt->unset.headers.first; word != NULL; word = word->next)
		if (fm_glob_match_header(word->text, name))
			return (true);
	return (false);
}

bool
fm_check_drops_all(const struct fm_stmt *stmt)
{
	return (stmt->params.what == FM_PARAMS_WHAT_DROP &&
	    stmt->params.names.first != NULL &&
	    fm_text_eq(stmt->params.names.first->text, fm_text_of("*")));
}

/*
 * Finds the statement of a block that removes a header of every request before
 * any goes on to the backend.  Returns false if a request may leave the block.
 */
static bool
block_removes(struct fm_check *check, const struct fm_block *block,
    struct fm_text name, const struct fm_stmt **by)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	struct fm_block one = { .first = NULL };
	struct fm_stmt copy;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next) {
		if ((stmt->kind == FM_STMT_UNSET &&
		    fm_check_unsets(stmt, name)) ||
		    (stmt->kind == FM_STMT_COOKIE &&
		    fm_check_drops_all(stmt) &&
		    fm_text_eq_nocase(name, fm_text_of("Cookie")))) {
			*by = stmt;
			continue;
		}
		copy = *stmt;
		copy.next = NULL;
		one.first = &copy;
		if (block_sets(check, &one, name))
			*by = NULL;
		if (*by == NULL && block_leaves(check, &one))
			return (false);
	}
	return (stmt == NULL);
}

/* Warns of a test of a header that rules have removed from the request. */
static void
removed_tell(const struct tell *tell, const struct fm_cond *test)
{
	struct fm_check *check = tell->check;
	const struct fm_check_named *named;
	const struct fm_stmt *by = NULL;
	char where[FM_PLACE_LEN];
	struct fm_text name;

	if (test->subject.kind == FM_SUBJECT_COOKIE)
		name = fm_text_of("Cookie");
	else if (test->subject.kind == FM_SUBJECT_REQUEST_HEADER ||
	    test->subject.agent)
		name = test->subject.name;
	else
		return;
	/* The block of a host, or a sub that it calls, may set it again. */
	named = fm_check_table_find(&check->headers, name);
	if ((tell->item == check->model->always ||
	    tell->item == check->model->finally) &&
	    (check->calls || (named != NULL && named->set)))
		return;
	if (!block_removes(check, check->model->always, name, &by) ||
	    (tell->item != check->model->always &&
	    !block_removes(check, tell->item, name, &by)) || by == NULL)
		return;
	fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_REMOVED,
	    FM_SHOW(name), fm_place_print(&by->at, where));
}

/* Warns of a status that Varnish makes after the rules for delivery. */
static void
made_tell(const struct tell *tell, const struct fm_cond *test)
{
	const struct fm_word *word = test->operands.first;

	if (tell->phase != FM_PHASE_DELIVERY || tell->passes ||
	    test->subject.kind != FM_SUBJECT_STATUS ||
	    test->kind != FM_COND_MODE || test->mode != FM_PATTERN_EXACT)
		return;
	for (; word != NULL; word = word->next)
		if (fm_text_eq(word->text, fm_text_of("304")) ||
		    fm_text_eq(word->text, fm_text_of("206")))
			fm_check_word_warn(tell->check, word,
			    FM_MSG_WARN_MADE_LATER);
}

/* Returns true if a `when` asks whether a response is that of a pass. */
static bool
asks_pass(const struct fm_stmt *when)
{
	const struct fm_cond *test;
	const struct fm_word *word;

	for (test = when->when.tests; test != NULL; test = test->next)
		for (word = test->subject.kind == FM_SUBJECT_CACHE ?
		    test->operands.first : NULL; word != NULL;
		    word = word->next)
			if (fm_text_eq(word->text, fm_text_of("pass")))
				return (true);
	return (false);
}

static void
life_tell(const struct tell *tell, const struct fm_stmt *stmt)
{
	struct fm_diag *diag = tell->check->diag;
	char where[FM_PLACE_LEN];

	if ((stmt->seen & (SEEN_LIVE | SEEN_DEAD)) == SEEN_DEAD)
		fm_diag_warning(diag, &stmt->at, FM_MSG_WARN_NOT_STORED,
		    fm_stmt_word(stmt->kind),
		    fm_place_print(&stmt->life.after->at, where));
	else if ((stmt->seen & SEEN_UNLED) != 0)
		fm_diag_warning(diag, &stmt->at, FM_MSG_WARN_TTL_ALL);
	else if ((stmt->seen & SEEN_LONG) != 0)
		fm_diag_warning(diag, &stmt->at, FM_MSG_WARN_TTL_ERROR,
		    stmt->life.error, stmt->life.error,
		    stmt->life.error < 500 ? "ttl at most 1m" :
		    "prefer stale; uncacheable 5s");
}

static void block_tell(const struct tell *, const struct fm_block *);

static void
when_tell(const struct tell *tell, const struct fm_stmt *when)
{
	const struct fm_cond *test;
	struct tell inner;

	for (; when != NULL; when = fm_stmt_chained(when)) {
		inner = *tell;
		inner.passes |= asks_pass(when);
		for (test = when->when.tests; test != NULL;
		    test = test->next) {
			removed_tell(tell, test);
			made_tell(&inner, test);
			if (test->subject.kind == FM_SUBJECT_HEADER &&
			    !test->subject.agent)
				fm_check_request_set(tell->check,
				    test->subject.name, &test->at);
		}
		block_tell(&inner, when->when.then);
		if (fm_stmt_chained(when) == NULL)
			block_tell(tell, when->when.otherwise);
	}
}

static void
block_tell(const struct tell *tell, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_TTL:
			if ((stmt->seen & SEEN_UNENDED) != 0)
				fm_diag_warning(tell->check->diag, &stmt->at,
				    FM_MSG_WARN_TTL_FROM);
			/* FALLTHROUGH */
		case FM_STMT_GRACE:
		case FM_STMT_KEEP:
			life_tell(tell, stmt);
			break;
		case FM_STMT_CACHE_CONTROL:
			if ((stmt->seen & SEEN_BUILTIN) != 0)
				fm_diag_warning(tell->check->diag, &stmt->at,
				    FM_MSG_WARN_PRIVATE);
			break;
		case FM_STMT_BROWSER:
			if ((stmt->seen & SEEN_BUILTIN) != 0)
				fm_diag_warning(tell->check->diag, &stmt->at,
				    FM_MSG_WARN_BROWSER);
			break;
		case FM_STMT_SET:
		case FM_STMT_UNSET:
		case FM_STMT_VARY:
			if (tell->phase == FM_PHASE_DELIVERY)
				fm_check_vary(tell->check, tell->outer, stmt);
			break;
		case FM_STMT_WHEN:
			when_tell(tell, stmt);
			break;
		default:
			break;
		}
}

/* Warns of what the blocks of an item have, and of blocks never reached. */
static void
item_tell(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	struct tell tell = { .check = check, .item = block };
	char where[FM_PLACE_LEN];

	for (; stmt != NULL; stmt = stmt->next) {
		if (!fm_stmt_is_phase(stmt->kind) ||
		    !fm_phase_is_response(fm_stmt_phase(stmt->kind)))
			continue;
		if ((stmt->seen & SEEN_CUT) != 0)
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_UNREACHABLE,
			    fm_stmt_word(stmt->phase.after->kind),
			    fm_place_print(&stmt->phase.after->at, where));
		tell.phase = fm_stmt_phase(stmt->kind);
		tell.outer = stmt->phase.block;
		block_tell(&tell, stmt->phase.block);
	}
}

/* Warns if `always` ends a phase, so that no other block of it is reached. */
static void
always_tell(struct fm_check *check, enum fm_phase phase,
    const struct fm_stmt *end)
{
	const struct fm_model *model = check->model;
	const struct fm_site *site = model->sites;
	char where[FM_PLACE_LEN], what[60];

	if (end->kind == FM_STMT_WHEN || check->steps < 0)
		return;
	fm_place_print(&end->at, where);
	while (site != NULL && !fm_block_has(site->block != NULL ?
	    site->block : site->ruleset == NULL ? NULL : site->ruleset->block,
	    phase))
		site = site->next;
	if (site != NULL) {
		(void)snprintf(what, sizeof what, "no host's '%s' is ever",
		    fm_phase_word(phase));
		fm_diag_warning(check->diag, &site->at,
		    FM_MSG_WARN_ALWAYS_ENDS, what, fm_stmt_word(end->kind),
		    where);
	}
	if (fm_block_has(model->finally, phase)) {
		(void)snprintf(what, sizeof what, "the '%s' of 'finally' is "
		    "never", fm_phase_word(phase));
		fm_diag_warning(check->diag, &model->finally->at,
		    FM_MSG_WARN_ALWAYS_ENDS, what, fm_stmt_word(end->kind),
		    where);
	}
}

/*--------------------------------------------------------------------
 * All hosts
 */

static void
phase_walk(struct fm_check *check, enum fm_phase phase)
{
	struct walk walk = { .check = check, .phase = phase,
	    .now = { .may_be = ALL_ERRORS } };
	const struct fm_model *model = check->model;
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;
	struct flow always;

	item_all(&walk, model->always);
	always = walk.now;
	if (always.ended != NULL) {
		always_tell(check, phase, always.ended);
		return;
	}
	host_walk(&walk, &always, NULL);
	for (site = model->sites; site != NULL; site = site->next)
		if (fm_block_has(site->block, phase))
			host_walk(&walk, &always, site->block);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (fm_phase_has(ruleset->phases, phase) && !ruleset->within)
			host_walk(&walk, &always, ruleset->block);
}

void
fm_check_store(struct fm_check *check)
{
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item;

	if (check->uses_told || check->broken)
		return;
	check->steps = FM_CHECK_STEPS;
	phase_walk(check, FM_PHASE_RESPONSE);
	phase_walk(check, FM_PHASE_DELIVERY);
	if (check->steps < 0)
		return;
	check->steps = FM_CHECK_STEPS;
	while ((item = fm_check_item_next(&items)) != NULL)
		item_tell(check, item);
}
