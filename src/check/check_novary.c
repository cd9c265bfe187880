/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out for each host what `no-vary-search` may say: which parameters the
 * rules for its requests drop, keep and sort, whatever the request is.
 *
 *	query drop utm_* fbclid;		fbclid counts; the header can't
 *						have patterns
 *	when path below /api { pass; }		the backend gets the whole query
 *	query sort;				does not count: after the pass
 *
 *	No-Vary-Search: params=("fbclid")
 *
 * A statement counts if each request comes to it, and if no statement before it
 * looks at the query or hands it on.  So all that comes before does the same
 * for two URLs that differ only in what the statement takes away; and after it
 * they are one URL.
 *
 * A `when` before it may end the run with an answer of ours: that never gets
 * the header, so it may even copy the query.
 */

#include <stdarg.h>
#include <stdio.h>

#include "check_priv.h"

/*
 * Longest header in bytes: nginx has 4 KB for all headers of a response that
 * it gets from a server.
 */
#define HEADER_MOST	2048
#define LEFT_MOST	256	/* bytes of patterns, and of reasons, after
				 * which no more are shown */

/* The walk through the rules of a host, and what it knows so far. */
struct walk {
	struct fm_check		*check;
	const struct fm_stmt	*after;		/* the first statement after
						 * which nothing counts, or
						 * NULL */
	const struct fm_stmt	*stop;		/* the same, up to the end of
						 * this item: a `stop` */
	const struct fm_stmt	*keep;		/* the first one that counts */
	bool			sorts;
	bool			drops_all;	/* query drop *; */
	struct fm_check_table	dropped;	/* names */
	struct fm_grow		patterns;	/* bytes: "utm_* ", left out */
	struct fm_grow		left;		/* bytes: other things that are
						 * left out, and why */
	bool			no_memory;
};

/*--------------------------------------------------------------------
 * Texts
 */

static void
put(struct walk *walk, struct fm_grow *to, struct fm_text text)
{
	char *b;

	if (text.len == 0)
		return;
	b = fm_grow_add(to, 1, text.len);
	if (b == NULL)
		walk->no_memory = true;
	else
		memcpy(b, text.b, text.len);
}

/* Adds a reason to those for which something is left out. */
static void __attribute__((format(printf, 2, 3)))
leave(struct walk *walk, const char *format, ...)
{
	char line[4 * FM_PLACE_LEN];
	va_list args;

	if (walk->left.n > LEFT_MOST)
		return;
	if (walk->left.n > 0)
		put(walk, &walk->left, fm_text_of("; "));
	va_start(args, format);
	(void)vsnprintf(line, sizeof line, format, args);
	va_end(args);
	put(walk, &walk->left, fm_text_of(line));
}

/* Returns true if a browser compares a name as the rules do. */
static bool
name_is_plain(struct fm_text name)
{
	size_t i;

	/* A `+` is a blank to browsers. */
	for (i = 0; i < name.len; i++)
		if (name.b[i] <= ' ' || name.b[i] > '~' || name.b[i] == '+' ||
		    name.b[i] == '*' || name.b[i] == '?')
			return (false);
	return (true);
}

/*--------------------------------------------------------------------
 * Statements that take parameters away
 */

/* The words of a `query`, in order: its own, or those of its list. */
struct names {
	const struct fm_line	*line;		/* the next one of the list */
	const struct fm_word	*word;		/* the next one */
	enum fm_pattern_kind	mode;		/* of the last one */
};

static void
names_begin(struct names *names, const struct fm_stmt *stmt)
{
	const struct fm_list_def *list = stmt->params.list_def;

	names->line = list == NULL ? NULL : list->lines;
	names->word = list == NULL ? stmt->params.names.first : NULL;
	names->mode = FM_PATTERN_GLOB;
}

/* Returns the next word; NULL: there are no more. */
static const struct fm_word *
names_next(struct names *names)
{
	const struct fm_word *word;

	while (names->word == NULL && names->line != NULL) {
		names->mode = names->line->matches->mode;
		names->word = names->line->matches->operands.first;
		names->line = names->line->next;
	}
	word = names->word;
	if (word != NULL)
		names->word = word->next;
	return (word);
}

static bool
word_is_name(const struct fm_word *word, enum fm_pattern_kind mode)
{
	return ((mode == FM_PATTERN_EXACT || mode == FM_PATTERN_GLOB) &&
	    name_is_plain(word->text));
}

/* Adds a pattern to those that are left out. */
static void
leave_pattern(struct walk *walk, const struct fm_word *word,
    enum fm_pattern_kind mode)
{
	if (walk->patterns.n > LEFT_MOST)
		return;
	put(walk, &walk->patterns, fm_text_of(mode == FM_PATTERN_SUFFIX ?
	    " *" : " "));
	put(walk, &walk->patterns, word->text);
	if (mode == FM_PATTERN_PREFIX)
		put(walk, &walk->patterns, fm_text_of("*"));
}

static void
drop_count(struct walk *walk, const struct fm_stmt *stmt)
{
	const struct fm_word *word;
	struct names names;

	names_begin(&names, stmt);
	while ((word = names_next(&names)) != NULL)
		if (word_is_name(word, names.mode))
			(void)fm_check_table_add(&walk->dropped, word->text,
			    walk, walk->check->diag);
		else if (fm_check_is_stars(names.mode, word->text))
			walk->drops_all = true;
		else
			leave_pattern(walk, word, names.mode);
}

/* A `keep` counts if it has names alone: what they don't fit is dropped. */
static void
keep_count(struct walk *walk, const struct fm_stmt *stmt)
{
	const struct fm_word *word;
	struct names names;
	char where[FM_PLACE_LEN];

	fm_place_print(&stmt->at, where);
	if (stmt->params.list_def != NULL && stmt->params.list_def->nocase) {
		leave(walk, "'query keep' at %s keeps names in any case",
		    where);
		return;
	}
	names_begin(&names, stmt);
	while ((word = names_next(&names)) != NULL) {
		if (word_is_name(word, names.mode))
			continue;
		leave(walk, "'query keep' at %s has the pattern '%.*s'", where,
		    FM_SHOW(word->text));
		return;
	}
	if (walk->keep == NULL)
		walk->keep = stmt;
}

/* Notes a `query`: `sure` is false in a `when`. */
static void
query_walk(struct walk *walk, const struct fm_stmt *stmt, bool sure)
{
	static const char * const words[] = {
		[FM_PARAMS_WHAT_DROP] = "drop", [FM_PARAMS_WHAT_KEEP] = "keep",
		[FM_PARAMS_WHAT_SORT] = "sort"
	};
	const struct fm_stmt *after = walk->after != NULL ? walk->after :
	    walk->stop;
	char where[FM_PLACE_LEN], before[FM_PLACE_LEN];

	if (stmt->params.what > FM_PARAMS_WHAT_SORT)
		return;
	fm_place_print(&stmt->at, where);
	if (after != NULL)
		leave(walk, "'query %s' at %s comes after the '%s' at %s",
		    words[stmt->params.what], where,
		    fm_stmt_word(after->kind),
		    fm_place_print(&after->at, before));
	else if (!sure)
		leave(walk, "'query %s' at %s is in a 'when'",
		    words[stmt->params.what], where);
	else if (stmt->params.what == FM_PARAMS_WHAT_DROP)
		drop_count(walk, stmt);
	else if (stmt->params.what == FM_PARAMS_WHAT_KEEP)
		keep_count(walk, stmt);
	else
		walk->sorts = true;
}

/*--------------------------------------------------------------------
 * Statements that look at the query
 */

static bool
subject_has_query(const struct fm_subject *subject)
{
	return (subject->kind == FM_SUBJECT_URL ||
	    subject->kind == FM_SUBJECT_QUERY);
}

static bool
parts_have_query(const struct fm_value *value)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;
	enum fm_subject_kind kind;

	for (; part != NULL; part = part->next) {
		if (part->kind == FM_PART_TEXT || part->kind == FM_PART_GROUP)
			continue;
		kind = fm_part_subject(part->kind);
		if (kind == FM_SUBJECT_URL || kind == FM_SUBJECT_QUERY)
			return (true);
	}
	return (false);
}

static bool
value_has_query(const struct fm_value *value)
{
	const struct fm_list_def *map = value == NULL ? NULL : value->map_def;
	const struct fm_line *line;

	if (map == NULL)
		return (parts_have_query(value));
	for (line = map->lines; line != NULL; line = line->next)
		if (parts_have_query(line->value))
			return (true);
	return (subject_has_query(&value->subject) ||
	    parts_have_query(map->otherwise));
}

/*
 * Returns true if what a statement does may depend on the query, or if it
 * chooses what follows by it.
 */
static bool
stmt_has_query(const struct fm_stmt *stmt)
{
	const struct fm_ban_test *ban;
	const struct fm_cond *test;

	switch (stmt->kind) {
	case FM_STMT_SET:
		return (stmt->set.header == NULL ||
		    value_has_query(stmt->set.value));
	case FM_STMT_REWRITE:
		return (stmt->rewrite.header == NULL);
	case FM_STMT_NORMALIZE:
		return (value_has_query(stmt->normalize.otherwise));
	case FM_STMT_BAN:
		for (ban = stmt->ban.tests; ban != NULL; ban = ban->next)
			if (value_has_query(ban->argument))
				return (true);
		return (false);
	case FM_STMT_WHEN:
		for (test = stmt->when.tests; test != NULL; test = test->next)
			if (subject_has_query(&test->subject))
				return (true);
		return (false);
	case FM_STMT_REDIRECT:
		/* Where a map gives nothing the rules go on. */
		return (stmt->redirect.to->map != NULL &&
		    subject_has_query(&stmt->redirect.to->subject));
	default:
		return (false);
	}
}

/* Returns true for a verdict by which a backend, or VCL, gets the query. */
static bool
stmt_hands_on(enum fm_stmt_kind kind)
{
	return (kind != FM_STMT_USE && kind != FM_STMT_STOP &&
	    fm_stmt_may_end(kind) && !fm_stmt_answers(kind));
}

/*--------------------------------------------------------------------
 * The walk
 */

static void
block_walk(struct walk *walk, const struct fm_block *block, bool sure)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL; stmt = stmt->next) {
		if (walk->after == NULL && (stmt_has_query(stmt) ||
		    stmt_hands_on(stmt->kind)))
			walk->after = stmt;
		if (stmt->kind == FM_STMT_QUERY) {
			query_walk(walk, stmt, sure);
		} else if (stmt->kind == FM_STMT_STOP && walk->stop == NULL) {
			walk->stop = stmt;
		} else if (stmt->kind == FM_STMT_WHEN) {
			block_walk(walk, stmt->when.then, false);
			block_walk(walk, stmt->when.otherwise, false);
		} else if (stmt->kind == FM_STMT_USE) {
			block_walk(walk, stmt->use.ruleset->block, sure);
		}
	}
}

static void
walk_item(struct walk *walk, const struct fm_block *block)
{
	walk->stop = NULL;
	block_walk(walk, block, true);
}

/*--------------------------------------------------------------------
 * The header
 */

static void
put_comma(struct walk *walk, struct fm_grow *header)
{
	if (header->n > 0)
		put(walk, header, fm_text_of(", "));
}

/* Appends a name, as a string of RFC 8941.  A `%` never is in a name. */
static void
put_name(struct walk *walk, struct fm_grow *header, struct fm_text name)
{
	size_t i;

	if (FM_GROW_AT(header, char, header->n)[-1] != '(')
		put(walk, header, fm_text_of(" "));
	put(walk, header, fm_text_of("\""));
	for (i = 0; i < name.len; i++)
		put(walk, header, name.b[i] == '"' ? fm_text_of("%22") :
		    name.b[i] == '\\' ? fm_text_of("%5C") :
		    fm_text(name.b + i, 1));
	put(walk, header, fm_text_of("\""));
}

static void
put_dropped(struct walk *walk, struct fm_grow *header)
{
	const struct fm_grow *names = &walk->dropped.entries;
	const struct fm_check_entry *entry;
	size_t i;

	put_comma(walk, header);
	put(walk, header, fm_text_of("params=("));
	for (i = 0; i < names->n && !walk->no_memory; i++) {
		entry = FM_GROW_AT(names, struct fm_check_entry, i);
		if (header->n + entry->text.len > HEADER_MOST)
			break;
		put_name(walk, header, entry->text);
	}
	if (i < names->n)
		leave(walk, "%zu more names: the header has at most %d bytes",
		    names->n - i, HEADER_MOST);
	put(walk, header, fm_text_of(")"));
}

static void
put_kept(struct walk *walk, struct fm_grow *header)
{
	const struct fm_word *word;
	struct names names;
	char where[FM_PLACE_LEN];
	size_t before = header->n;

	put_comma(walk, header);
	put(walk, header, fm_text_of("params, except=("));
	names_begin(&names, walk->keep);
	while ((word = names_next(&names)) != NULL && !walk->no_memory)
		put_name(walk, header, word->text);
	put(walk, header, fm_text_of(")"));
	if (header->n <= HEADER_MOST)
		return;
	header->n = before;
	leave(walk, "'query keep' at %s: its names take more than %d bytes",
	    fm_place_print(&walk->keep->at, where), HEADER_MOST);
}

static void
put_header(struct walk *walk, struct fm_grow *header)
{
	if (walk->sorts)
		put(walk, header, fm_text_of("key-order"));
	if (walk->drops_all) {
		put_comma(walk, header);
		put(walk, header, fm_text_of("params"));
	} else if (walk->keep != NULL) {
		put_kept(walk, header);
	} else if (walk->dropped.entries.n > 0) {
		put_dropped(walk, header);
	}
}

/* Writes all that is left out. */
static void
put_left(struct walk *walk, struct fm_grow *left)
{
	if (walk->patterns.n > 0) {
		put(walk, left, fm_text_of("not plain names:"));
		put(walk, left, fm_text(walk->patterns.items,
		    walk->patterns.n));
		if (walk->left.n > 0)
			put(walk, left, fm_text_of("; "));
	}
	put(walk, left, fm_text(walk->left.items, walk->left.n));
}

/* Returns what was found out before with the same texts; NULL: no memory. */
static const struct fm_no_vary *
says_of(struct fm_check *check, struct fm_check_table *known,
    struct fm_text both, size_t header)
{
	struct fm_no_vary *says = fm_check_table_find(known, both);

	if (says != NULL)
		return (says);
	says = fm_arena_alloc(&check->model->arena, sizeof *says);
	both.b = fm_arena_add(&check->model->arena, both);
	if (says == NULL || both.b == NULL)
		return (NULL);
	says->header = fm_text(both.b, header);
	says->left = fm_text(both.b + header, both.len - header);
	return (fm_check_table_add(known, both, says, check->diag));
}

/* Finds out what can be said of a host with this block, or none. */
static const struct fm_no_vary *
host_says(struct fm_check *check, struct fm_check_table *known,
    const struct fm_block *block)
{
	struct walk walk = { .check = check };
	struct fm_grow text = { .n = 0 };
	const struct fm_no_vary *says = NULL;
	size_t header;

	walk_item(&walk, check->model->always);
	walk_item(&walk, block);
	walk_item(&walk, check->model->finally);
	put_header(&walk, &text);
	header = text.n;
	put_left(&walk, &text);
	if (!walk.no_memory)
		says = says_of(check, known, fm_text(text.items, text.n),
		    header);
	if (says == NULL)
		fm_diag_no_memory(check->diag);
	fm_check_table_fini(&walk.dropped);
	fm_grow_fini(&walk.patterns);
	fm_grow_fini(&walk.left);
	fm_grow_fini(&text);
	return (says);
}

/*--------------------------------------------------------------------
 * Hosts, and statements that say nothing
 */

/* A host, and what can be said of it. */
struct tell {
	struct fm_check		*check;
	struct fm_text		host;
	const struct fm_no_vary	*says;
};

static void tell_item(const struct tell *, const struct fm_block *);

/* Warns of each statement of `delivery`, once. */
static void
tell_delivery(const struct tell *tell, const struct fm_block *block)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	struct fm_text left = tell->says->left;
	const char *first = left.len == 0 ? NULL : memchr(left.b, ';',
	    left.len);

	if (first != NULL)
		left = fm_text_span(left.b, first);
	if (left.len == 0)
		left = fm_text_of("no 'query drop', 'query keep' or "
		    "'query sort' is there");
	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_STMT_NO_VARY_SEARCH &&
		    !stmt->no_vary.told) {
			stmt->no_vary.told = true;
			fm_diag_warning(tell->check->diag, &stmt->at,
			    FM_MSG_WARN_NO_VARY, FM_SHOW(tell->host),
			    FM_SHOW(left));
		} else if (stmt->kind == FM_STMT_WHEN) {
			tell_delivery(tell, stmt->when.then);
			tell_delivery(tell, stmt->when.otherwise);
		} else if (stmt->kind == FM_STMT_USE) {
			tell_item(tell, stmt->use.ruleset->block);
		}
	}
}

/* Warns of the statements in what an item has for `delivery`. */
static void
tell_item(const struct tell *tell, const struct fm_block *block)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_DELIVERY)
			tell_delivery(tell, stmt->phase.block);
		else if (stmt->kind == FM_STMT_USE)
			tell_item(tell, stmt->use.ruleset->block);
}

/* Finds out what can be said of a host.  Returns true if that is anything. */
static bool
host_check(struct fm_check *check, struct fm_check_table *known,
    const struct fm_block *block, struct fm_text host,
    const struct fm_no_vary **says)
{
	*says = host_says(check, known, block);
	if (*says == NULL || (*says)->header.len > 0)
		return (true);
	tell_item(&(struct tell){ check, host, *says }, block);
	return (false);
}

void
fm_check_no_vary(struct fm_check *check)
{
	struct fm_model *model = check->model;
	struct fm_check_table known = { .what = NULL };
	struct fm_ruleset_def *ruleset;
	struct fm_site *site;
	struct tell none;
	bool any;

	/* After an error there are no rules, and the model has holes. */
	if (!model->has_no_vary || fm_diag_errors(check->diag) > 0)
		return;
	any = host_check(check, &known, NULL, fm_text("", 0), &model->no_vary);
	for (site = model->sites; site != NULL; site = site->next)
		if (site->block != NULL)
			any |= host_check(check, &known, site->block,
			    site->label, &site->no_vary);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (ruleset->serves)
			any |= host_check(check, &known, ruleset->block,
			    ruleset->name->text, &ruleset->no_vary);
	none = (struct tell){ check, fm_text_of("any host"), model->no_vary };
	if (!any) {
		tell_item(&none, model->always);
		tell_item(&none, model->finally);
	}
	fm_check_table_fini(&known);
}
