/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of rules for responses by which one client decides what all get, and of
 * a header that is read and removed: after a 304 the rules run again, on what
 * they have stored.
 *
 *	when cookie a present { set X-A = "1"; }	stored for all
 *	when cookie a present { uncacheable; }		silent
 *	when cookie a present { pass; } else { ttl 1h; }	silent, too
 *
 * The walk goes from the end to the start, so that it knows of each statement
 * if a response that comes there may be stored.
 */

#include "check_priv.h"
#include "glob.h"

#define SHARED_USES	50	/* rulesets inside each other */

/* Bits of fm_stmt.seen: a response may be stored after the statement, ... */
#define SEEN_STORED	256U
/* ... and its value is of one client. */
#define SEEN_OF_ONE	512U

/* Bits of fm_cond.found: stored responses differ by this test; ... */
#define FOUND_MATTERS	1U
/* ... it looks at what one client sends. */
#define FOUND_DECIDES	2U

/*
 * The ways from a statement to the end of the rules, on which a response is
 * stored.
 *
 *	ttl 1h;				edited 0: these are the outermost
 *	when cookie a present {
 *		set X-A = "1";		edited 1, from here on
 *		when status is 404 { }
 *	}
 */
struct ways {
	bool			stored;		/* there is such a way */
	unsigned		edited;		/* the innermost `when` in which
						 * one of these has an edit
						 * before it, as a depth */
};

struct walk {
	struct fm_check		*check;
	struct fm_check_client	client;
	struct fm_grow		stmts;		/* struct fm_stmt *, which are
						 * still to do */
	struct ways		left;		/* after a `stop` */
	unsigned		depth;		/* whens around the statement */
	unsigned		passes;		/* of these ask for a pass */
};

/*--------------------------------------------------------------------
 * Headers that are read
 */

/* A 304 brings these again, if they are still right. */
static const char * const refreshed[] = { "Age", "Cache-Control",
	"Content-Location", "Date", "ETag", "Expires", "Set-Cookie", "Vary",
	NULL };

/* Returns the header that a subject reads, and that a 304 leaves out; or "". */
static struct fm_text
header_of(const struct fm_subject *subject)
{
	struct fm_text name = fm_text_of("");

	if (subject->kind == FM_SUBJECT_TYPE)
		name = fm_text_of("Content-Type");
	else if (subject->kind == FM_SUBJECT_HEADER && !subject->agent)
		name = subject->name;
	return (fm_text_is_one_of(name, refreshed) ? fm_text_of("") : name);
}

static bool
parts_read(const struct fm_value *value, struct fm_text glob)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;

	while (part != NULL && (part->kind != FM_PART_HEADER ||
	    fm_text_is_one_of(part->text, refreshed) ||
	    !fm_glob_match_header(glob, part->text)))
		part = part->next;
	return (part != NULL);
}

/* Returns true if a value is made of a header. */
static bool
value_reads(const struct fm_value *value, struct fm_text glob)
{
	const struct fm_line *line;
	struct fm_text name;

	if (value == NULL || value->map == NULL)
		return (parts_read(value, glob));
	name = header_of(&value->subject);
	if (name.len > 0 && fm_glob_match_header(glob, name))
		return (true);
	if (value->map_def == NULL)
		return (false);
	for (line = value->map_def->lines; line != NULL; line = line->next)
		if (parts_read(line->value, glob))
			return (true);
	return (parts_read(value->map_def->otherwise, glob));
}

/*
 * Returns true if a block does nothing but to remove or set one header, and to
 * say what becomes of the body, which a 304 leaves as it is stored.
 */
static bool
block_edits_only(struct fm_check *check, const struct fm_block *block,
    struct fm_text name)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_word *word;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_WHEN) {
			if (!block_edits_only(check, stmt->when.then,
			    name) || !block_edits_only(check,
			    stmt->when.otherwise, name))
				return (false);
		} else if (stmt->kind == FM_STMT_SET &&
		    stmt->set.header != NULL) {
			if (!fm_text_eq_nocase(stmt->set.header->text, name))
				return (false);
		} else if (stmt->kind == FM_STMT_UNSET) {
			word = stmt->unset.headers.first;
			for (; word != NULL; word = word->next)
				if (!fm_text_eq_nocase(word->text, name))
					return (false);
		} else if (stmt->kind != FM_STMT_LOG &&
		    stmt->kind != FM_STMT_ESI && stmt->kind != FM_STMT_GZIP &&
		    stmt->kind != FM_STMT_GUNZIP) {
			return (false);
		}
	return (true);
}

/*--------------------------------------------------------------------
 * The walk
 */

static struct ways block_ways(struct walk *, const struct fm_block *,
    struct ways after);
static struct ways use_ways(struct walk *, const struct fm_stmt *use,
    struct ways after);

/* Returns the ways from a place from which there are two. */
static struct ways
ways_join(struct ways a, struct ways b)
{
	return ((struct ways){ a.stored || b.stored,
	    a.edited > b.edited ? a.edited : b.edited });
}

static struct ways
ways_edit(const struct walk *walk, struct ways after)
{
	if (after.stored && after.edited < walk->depth)
		after.edited = walk->depth;
	return (after);
}

/* Notes the tests of a `when` that make stored responses differ. */
static void
when_note(struct walk *walk, const struct fm_stmt *when, struct ways then,
    struct ways otherwise)
{
	bool in_then = then.edited >= walk->depth;
	bool in_other = otherwise.edited >= walk->depth && then.stored;
	struct fm_cond *test;
	struct fm_text name;
	bool absent;

	if (!in_then && !in_other)
		return;
	for (test = when->when.tests; test != NULL; test = test->next) {
		name = header_of(&test->subject);
		if (name.len > 0 && !(block_edits_only(walk->check,
		    when->when.then, name) && block_edits_only(walk->check,
		    when->when.otherwise, name)))
			test->found |= FOUND_MATTERS;
		/* Only responses for clients without it are stored. */
		absent = !otherwise.stored && (test->nots % 2 == 1 ||
		    test->subject.kind == FM_SUBJECT_METHOD);
		if ((in_other || !absent) &&
		    fm_check_test_of_one(&walk->client, test))
			test->found |= FOUND_DECIDES;
	}
}

static bool
stmt_push(struct walk *walk, struct fm_stmt *stmt)
{
	struct fm_stmt **room;

	room = fm_grow_add(&walk->stmts, sizeof *room, 1);
	if (room == NULL) {
		fm_diag_no_memory(walk->check->diag);
		walk->check->steps = -1;
		return (false);
	}
	*room = stmt;
	return (true);
}

static struct fm_stmt *
stmt_pop(struct walk *walk)
{
	return (*FM_GROW_AT(&walk->stmts, struct fm_stmt *,
	    --walk->stmts.n));
}

/* Goes through a chain of whens. */
static struct ways
chain_ways(struct walk *walk, struct fm_stmt *when, struct ways after)
{
	size_t n = walk->stmts.n;
	struct ways then, otherwise;
	const struct ways none = { .stored = false };
	struct fm_stmt *last;
	bool passes;

	do {
		last = when;
		when = fm_stmt_chained(last);
	} while (stmt_push(walk, last) && when != NULL);
	walk->depth++;
	otherwise = block_ways(walk, last->when.otherwise, after);
	while (walk->stmts.n > n) {
		when = stmt_pop(walk);
		passes = fm_check_asks_pass(when->when.cond);
		walk->passes += passes;
		then = block_ways(walk, when->when.then,
		    passes ? none : after);
		walk->passes -= passes;
		when_note(walk, when, then, otherwise);
		otherwise = ways_join(then, otherwise);
	}
	walk->depth--;
	if (otherwise.edited > walk->depth)
		otherwise.edited = walk->depth;
	return (otherwise);
}

/* Goes through what a ruleset has for responses. */
static struct ways
item_ways(struct walk *walk, const struct fm_block *block, struct ways after)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	size_t n = walk->stmts.n;

	for (; stmt != NULL; stmt = stmt->next)
		if ((stmt->kind == FM_STMT_RESPONSE ||
		    stmt->kind == FM_STMT_USE) && !stmt_push(walk, stmt))
			break;
	while (walk->stmts.n > n) {
		stmt = stmt_pop(walk);
		after = stmt->kind == FM_STMT_USE ?
		    use_ways(walk, stmt, after) :
		    block_ways(walk, stmt->phase.block, after);
	}
	return (after);
}

static struct ways
use_ways(struct walk *walk, const struct fm_stmt *use, struct ways after)
{
	if (use->use.ruleset == NULL || walk->check->uses >= SHARED_USES)
		return (after);
	walk->check->uses++;
	after = item_ways(walk, use->use.ruleset->block, after);
	walk->check->uses--;
	return (after);
}

/* Notes in a statement that edits what it stores. */
static void
edit_note(struct walk *walk, struct fm_stmt *stmt, struct ways after)
{
	const struct fm_value *value = stmt->kind == FM_STMT_SET ?
	    stmt->set.value : stmt->kind == FM_STMT_TTL ? stmt->life.map :
	    NULL;
	struct fm_check_sent sent;

	if (!after.stored)
		return;
	stmt->seen |= SEEN_STORED;
	if (fm_check_value_of_one(&walk->client, value, &sent))
		stmt->seen |= SEEN_OF_ONE;
}

/* Returns the ways from before a statement. */
static struct ways
stmt_ways(struct walk *walk, struct fm_stmt *stmt, struct ways after)
{
	switch (stmt->kind) {
	case FM_STMT_LOG:
	case FM_STMT_CALL:
	case FM_STMT_RETRY:
		return (after);
	case FM_STMT_WHEN:
		return (chain_ways(walk, stmt, after));
	case FM_STMT_USE:
		return (use_ways(walk, stmt, after));
	case FM_STMT_PREFER:
		after.stored = false;
		return (after);
	case FM_STMT_UNCACHEABLE:
	case FM_STMT_PASS:
	case FM_STMT_ABANDON:
		return ((struct ways){ .stored = false });
	case FM_STMT_STOP:
		return (ways_edit(walk, walk->left));
	case FM_STMT_DELIVER:
	case FM_STMT_BUILTIN:
		return (ways_edit(walk,
		    (struct ways){ .stored = walk->passes == 0 }));
	default:
		edit_note(walk, stmt, after);
		return (ways_edit(walk, after));
	}
}

static struct ways
block_ways(struct walk *walk, const struct fm_block *block, struct ways after)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	size_t n = walk->stmts.n;

	while (stmt != NULL && stmt_push(walk, stmt))
		stmt = stmt->next;
	while (walk->stmts.n > n) {
		stmt = stmt_pop(walk);
		if (--walk->check->steps >= 0)
			after = stmt_ways(walk, stmt, after);
	}
	return (after);
}

/* Goes through the blocks of an item.  Returns if a response may be stored. */
static bool
item_stores(struct walk *walk, const struct fm_block *block, bool stores)
{
	walk->left = (struct ways){ .stored = stores };
	return (item_ways(walk, block, walk->left).stored);
}

static bool
host_stores(struct walk *walk, const struct fm_block *block, bool finally)
{
	fm_check_client_host(&walk->client, block);
	return (item_stores(walk, block, finally));
}

static void
all_walk(struct walk *walk)
{
	const struct fm_model *model = walk->check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	const struct fm_block *host;
	bool finally, stores;

	finally = item_stores(walk, model->finally, true);
	/* A host without a block goes on there. */
	stores = finally && model->otherwise == NULL;
	while ((host = fm_check_item_next(&hosts)) != NULL)
		stores |= host_stores(walk, host, finally);
	fm_check_client_host(&walk->client, NULL);
	(void)item_stores(walk, model->always, stores);
}

/*--------------------------------------------------------------------
 * Warnings
 */

static const struct fm_place *block_reads(struct fm_check *,
    const struct fm_block *, struct fm_text glob);

/* Returns where a stored response depends on a header that fits, or NULL. */
static const struct fm_place *
stmt_reads(struct fm_check *check, const struct fm_stmt *stmt,
    struct fm_text glob)
{
	const struct fm_place *at;
	const struct fm_cond *test;
	const struct fm_word *word;
	struct fm_text name;

	if (stmt->kind == FM_STMT_WHEN) {
		for (test = stmt->when.tests; test != NULL; test = test->next) {
			name = header_of(&test->subject);
			if ((test->found & FOUND_MATTERS) != 0 &&
			    fm_glob_match_header(glob, name))
				return (&test->at);
		}
		at = block_reads(check, stmt->when.then, glob);
		return (at != NULL ? at : block_reads(check,
		    stmt->when.otherwise, glob));
	}
	if ((stmt->seen & SEEN_STORED) == 0)
		return (NULL);
	if (stmt->kind == FM_STMT_SET)
		return (value_reads(stmt->set.value, glob) ? &stmt->at : NULL);
	if (stmt->kind != FM_STMT_TTL)
		return (NULL);
	if (stmt->life.map != NULL && value_reads(stmt->life.map, glob))
		return (&stmt->at);
	for (word = stmt->life.what != FM_TTL_FROM ? NULL :
	    stmt->life.headers.first; word != NULL; word = word->next)
		if (fm_glob_match_header(glob, word->text))
			return (&word->at);
	return (NULL);
}

static const struct fm_place *
block_reads(struct fm_check *check, const struct fm_block *block,
    struct fm_text glob)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_place *at = NULL;

	for (; stmt != NULL && at == NULL && --check->steps >= 0;
	    stmt = stmt->next)
		at = stmt_reads(check, stmt, glob);
	return (at);
}

/* Looks for such a header in the responses of an item. */
static const struct fm_place *
item_reads(struct fm_check *check, const struct fm_block *block,
    struct fm_text glob)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_place *at = NULL;

	for (; stmt != NULL && at == NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_RESPONSE)
			at = block_reads(check, stmt->phase.block, glob);
	return (at);
}

/* Looks in all items that may run together with one. */
static const struct fm_place *
items_read(struct fm_check *check, const struct fm_block *item,
    struct fm_text glob)
{
	const struct fm_model *model = check->model;
	struct fm_check_items items = { .model = model };
	const struct fm_place *at = item_reads(check, item, glob);
	const struct fm_block *other;

	if (at == NULL)
		at = item_reads(check, model->always, glob);
	if (at == NULL)
		at = item_reads(check, model->finally, glob);
	if (item == model->always || item == model->finally)
		while (at == NULL &&
		    (other = fm_check_item_next(&items)) != NULL)
			at = item_reads(check, other, glob);
	return (at);
}

/* Warns of a header that is removed from what is stored, and read before. */
static void
unset_tell(struct fm_check *check, const struct fm_block *item,
    const struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->unset.headers.first;
	const struct fm_place *at;
	char where[FM_PLACE_LEN];

	for (; (stmt->seen & SEEN_STORED) != 0 && word != NULL;
	    word = word->next) {
		at = items_read(check, item, word->text);
		if (at != NULL && check->steps >= 0)
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_REFRESH, FM_SHOW(word->text),
			    fm_place_print(at, where));
	}
}

static void
block_tell(struct fm_check *check, const struct fm_block *item,
    const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_cond *test;
	struct fm_check_sent sent;
	char cure[FM_CHECK_CURE_LEN];

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_UNSET)
			unset_tell(check, item, stmt);
		if ((stmt->seen & SEEN_STORED) != 0)
			fm_check_vary_stored(check, stmt);
		if ((stmt->seen & SEEN_OF_ONE) != 0)
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_OF_ONE);
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		for (test = stmt->when.tests; test != NULL; test = test->next)
			if ((test->found & FOUND_DECIDES) != 0) {
				sent = fm_check_test_sent(test,
				    FM_PHASE_RESPONSE);
				fm_diag_warning(check->diag, &test->at,
				    FM_MSG_WARN_DECIDES,
				    fm_check_cure(&sent, cure));
			}
		block_tell(check, item, stmt->when.then);
		block_tell(check, item, stmt->when.otherwise);
	}
}

static void
item_tell(struct fm_check *check, const struct fm_block *item)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_RESPONSE)
			block_tell(check, item, stmt->phase.block);
}

void
fm_check_shared(struct fm_check *check)
{
	struct fm_check_items items = { .model = check->model };
	struct walk walk = { .check = check };
	const struct fm_block *item;

	if (check->uses_told || check->broken ||
	    !fm_model_has(check->model, FM_PHASE_RESPONSE))
		return;
	check->steps = FM_CHECK_STEPS;
	fm_check_client_begin(&walk.client, check, FM_PHASE_RESPONSE);
	all_walk(&walk);
	fm_check_client_fini(&walk.client);
	fm_grow_fini(&walk.stmts);
	if (check->steps < 0)
		return;
	while ((item = fm_check_item_next(&items)) != NULL)
		item_tell(check, item);
}
