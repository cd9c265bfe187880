/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles `query` and `cookie` statements, and tests of names (`cookie wp_*
 * present`), to params[]: which names to drop or to keep.
 */

#include "compile_priv.h"
#include "obj.h"

/* Adds an operand of a list as a glob: `begins x` is `x*`. */
static void
name_add(struct fm_compile *compile, struct fm_names *names,
    enum fm_pattern_kind mode, const struct fm_word *word)
{
	char buf[FM_NAMES_MAX + 1], *p = buf;
	struct fm_text name = word->text;

	if ((mode == FM_PATTERN_PREFIX || mode == FM_PATTERN_SUFFIX) &&
	    name.len < sizeof buf) {
		if (mode == FM_PATTERN_SUFFIX)
			*p++ = '*';
		memcpy(p, name.b, name.len);
		p += name.len;
		if (mode == FM_PATTERN_PREFIX)
			*p++ = '*';
		name = fm_text_span(buf, p);
	}
	if (fm_names_add(names, name, &word->at, compile->diag) != 0)
		fm_compile_fail(compile);
}

/* Adds words; with `star`, all but the `*` of Vary. */
static void
names_add(struct fm_compile *compile, struct fm_names *names,
    enum fm_pattern_kind mode, const struct fm_words *words, bool star)
{
	const struct fm_word *word;

	for (word = words->first; word != NULL; word = word->next)
		if (!star || !fm_text_eq(word->text, fm_text_of("*")))
			name_add(compile, names, mode, word);
}

/* Fills in params, which own the names from the first one on. */
static void
names_build(struct fm_compile *compile, const struct fm_stmt *stmt, bool nocase,
    struct fm_params *params)
{
	const struct fm_list_def *list = stmt->params.list_def;
	const struct fm_line *line;
	struct fm_names *names;

	names = fm_names_new(nocase || (list != NULL && list->nocase));
	params->names = names;
	if (names == NULL)
		fm_compile_no_memory(compile);
	names_add(compile, names, FM_PATTERN_GLOB, &stmt->params.names,
	    stmt->kind == FM_STMT_VARY);
	line = list == NULL ? NULL : list->lines;
	for (; line != NULL; line = line->next)
		names_add(compile, names, line->matches->mode,
		    &line->matches->operands, false);
	if (fm_names_make(names, &stmt->at, compile->diag) != 0)
		fm_compile_fail(compile);
}

static void
names_tell(struct fm_compile *compile, const struct fm_names *names,
    const struct fm_place *at)
{
	const struct fm_patset *set = fm_names_set(names);
	uint32_t n;

	for (n = 0; n < fm_patset_count(set) && compile->tell != NULL; n++)
		compile->tell(compile->tell_priv, set, n,
		    fm_patset_pattern(set, n), at);
}

static void
params_key(struct fm_compile *compile, const struct fm_stmt *stmt, bool nocase)
{
	const struct fm_word *word;

	fm_intern_key(&compile->intern, FM_TAG_PARAMS);
	fm_intern_key_number(&compile->intern, stmt->params.what);
	fm_intern_key_number(&compile->intern, nocase);
	fm_intern_key_number(&compile->intern, stmt->kind == FM_STMT_VARY);
	fm_intern_key_number(&compile->intern, stmt->params.list_def == NULL ?
	    FM_NONE : stmt->params.list_def->number);
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		fm_intern_key_text(&compile->intern, word->text);
}

static void
params_add(struct fm_compile *compile, const struct fm_stmt *stmt, bool nocase)
{
	enum fm_params_what what = stmt->params.what;
	struct fm_params *p = fm_compile_add(compile, &compile->params,
	    sizeof *p, 1);

	p->mode = what == FM_PARAMS_WHAT_KEEP ? FM_PARAMS_KEEP :
	    FM_PARAMS_DROP;
	p->sort = what == FM_PARAMS_WHAT_SORT;
	p->unique = what == FM_PARAMS_WHAT_UNIQUE;
	p->clean = what == FM_PARAMS_WHAT_CLEAN;
	if (p->sort || p->unique || p->clean)
		return;
	names_build(compile, stmt, nocase, p);
	names_tell(compile, p->names, &stmt->at);
}

/* Finds or adds params[]: equal statements share them, in all blocks. */
static uint32_t
params_get(struct fm_compile *compile, const struct fm_stmt *stmt, bool nocase)
{
	uint32_t number;

	params_key(compile, stmt, nocase);
	if (fm_compile_new(compile, compile->params.n, &number))
		params_add(compile, stmt, nocase);
	return (number);
}

uint32_t
fm_compile_params(struct fm_compile *compile, const struct fm_stmt *stmt)
{
	return (params_get(compile, stmt, stmt->kind == FM_STMT_VARY ||
	    stmt->kind == FM_STMT_CACHE_CONTROL));
}

uint32_t
fm_compile_names(struct fm_compile *compile, const struct fm_cond *test)
{
	struct fm_word glob = { .text = test->subject.name,
	    .at = test->subject.at };
	struct fm_stmt drop = { .kind = FM_STMT_QUERY, .at = test->at };

	drop.params.what = FM_PARAMS_WHAT_DROP;
	drop.params.list = test->list;
	drop.params.list_def = test->list_def;
	if (test->list == NULL)
		drop.params.names = (struct fm_words){ &glob, &glob, 1 };
	return (params_get(compile, &drop,
	    test->subject.kind == FM_SUBJECT_HEADER));
}
