/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warnings about operands and names: valid, and hardly what was meant.
 */

#include "bounds.h"
#include "check_priv.h"
#include "hostname.h"
#include "sources.h"

/*--------------------------------------------------------------------
 * Twice
 */

static void
twice_add(struct fm_check *check, struct fm_check_table *table,
    const struct fm_words *words, enum fm_pattern_kind mode)
{
	const struct fm_word *first;
	struct fm_word *word;
	enum fm_pattern_kind kind;
	char where[FM_PLACE_LEN];
	struct fm_text t;
	void *thing;

	for (word = words->first; word != NULL; word = word->next) {
		/* `like` without a wildcard is `is`. */
		t = word->text;
		kind = fm_check_kind(mode, &t);
		if (fm_check_table_add(table, word->text,
		    kind == FM_PATTERN_EXACT ? kind : mode, word,
		    &thing) != 0) {
			fm_check_memory(check);
			return;
		}
		if (thing == NULL)
			continue;
		first = thing;
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_TWICE,
		    FM_CHECK_QUOTE(word->text),
		    fm_place_print(&first->at, where));
	}
}

void
fm_check_twice(struct fm_check *check, const struct fm_words *words,
    bool nocase)
{
	struct fm_check_table table = { .nocase = nocase };

	if (words->first == NULL || words->first->next == NULL)
		return;
	twice_add(check, &table, words, FM_PATTERN_EXACT);
	fm_check_table_fini(&table);
}

void
fm_check_list_twice(struct fm_check *check, const struct fm_list_def *list)
{
	struct fm_check_table tables[2] = { { .nocase = false },
	    { .nocase = list->nocase } };
	const struct fm_list_line *line;

	/* The case of a regex may be that of an escape: \d, \D. */
	for (line = list->lines; line != NULL; line = line->next)
		twice_add(check, &tables[line->mode != FM_PATTERN_REGEX],
		    &line->operands, line->mode);
	fm_check_table_fini(&tables[0]);
	fm_check_table_fini(&tables[1]);
}

/*--------------------------------------------------------------------
 * Operands that match too much, or nothing
 */

static bool
is_alnum(struct fm_text t)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < t.len; i++) {
		c = fm_lower((unsigned char)t.b[i]);
		if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
			return (false);
	}
	return (true);
}

static bool
is_stars(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len && t.b[i] == '*'; i++)
		continue;
	return (i > 0 && i == t.len);
}

static bool
is_short(enum fm_pattern_kind mode, struct fm_text t, unsigned subjects)
{
	bool broad = (subjects & FM_CHECK_BROAD) != 0;
	bool many = (subjects & (FM_CHECK_BROAD | FM_CHECK_NAMES)) != 0;
	bool slash = t.len == 1 && t.b[0] == '/';

	switch (fm_check_kind(mode, &t)) {
	case FM_PATTERN_CONTAINS:
		if (t.len == 1)
			return (is_alnum(t) || (broad && slash));
		return (broad && t.len == 2 && is_alnum(t));
	case FM_PATTERN_PREFIX:
		return (t.len == 1 && ((broad && slash) ||
		    (many && is_alnum(t))));
	case FM_PATTERN_SUFFIX:
		return (many && t.len == 1 && is_alnum(t));
	default:
		return (false);
	}
}

/*
 * What a header, a cookie or a parameter has in it may well be short: there
 * only single letters are told, or nothing.
 */
void
fm_check_short(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_words *words, unsigned subjects)
{
	const struct fm_word *word;

	if (subjects == FM_CHECK_OTHER)
		return;
	for (word = words->first; word != NULL; word = word->next)
		if (is_short(mode, word->text, subjects))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_SHORT, FM_CHECK_QUOTE(word->text));
		else if (mode == FM_PATTERN_GLOB && is_stars(word->text))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_ALWAYS, fm_mode_word(mode),
			    FM_CHECK_QUOTE(word->text));
}

/* Returns true if it has an escape, two slashes in a row, or a query. */
static bool
is_unclean(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] == '?' || (t.b[i] == '%' && t.len - i > 2 &&
		    fm_hex_digit(t.b[i + 1]) >= 0 &&
		    fm_hex_digit(t.b[i + 2]) >= 0) ||
		    (t.b[i] == '/' && t.len - i > 1 && t.b[i + 1] == '/'))
			return (true);
	return (false);
}

static void
path_operand(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_word *word, bool clean)
{
	struct fm_text t = word->text;
	const char *why = NULL;

	if (t.len == 0)
		return;
	if (mode != FM_PATTERN_CONTAINS && mode != FM_PATTERN_SUFFIX &&
	    is_alnum(fm_text(t.b, 1)))
		why = "a path starts with '/'";
	else if (mode == FM_PATTERN_GLOB)
		return;
	else if (clean && is_unclean(t))
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_CLEAN,
		    FM_CHECK_QUOTE(t));
	else if (!clean && memchr(t.b, '?', t.len) != NULL)
		why = "a path ends before the '?', use url";
	if (why != NULL)
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_PATH,
		    FM_CHECK_QUOTE(t), why);
}

static void
host_operand(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_word *word)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon, t = word->text;

	if (mode == FM_PATTERN_EXACT &&
	    fm_hostname_canon(t, buf, &canon) != FM_HOSTNAME_OK)
		fm_diag_warning(check->diag, &word->at, FM_MSG_WARN_HOST,
		    FM_CHECK_QUOTE(t), t.len > 0 &&
		    memchr(t.b, '*', t.len) != NULL ?
		    ": use like for a '*'" : "");
}

/* Of a test; no regex. */
void
fm_check_operand(struct fm_check *check, enum fm_pattern_kind mode,
    const struct fm_word *word, const struct fm_subject *subject)
{
	if (subject->kind == FM_SUBJECT_PATH ||
	    subject->kind == FM_SUBJECT_CLEAN_PATH)
		path_operand(check, mode, word,
		    subject->kind == FM_SUBJECT_CLEAN_PATH);
	else if (subject->kind == FM_SUBJECT_HOST)
		host_operand(check, mode, word);
}

/*--------------------------------------------------------------------
 * What excludes each other
 */

#define NEVER_TESTS	32
#define NEVER_OPERANDS	32

/* The `is` tests that an `and` joins, so far. */
struct never {
	const struct fm_cond	*tests[NEVER_TESTS];
	unsigned		n;
};

static bool
subject_equal(const struct fm_subject *a, const struct fm_subject *b)
{
	if (a->kind != b->kind)
		return (false);
	return (a->kind == FM_SUBJECT_HEADER ?
	    fm_text_eq_nocase(a->name, b->name) :
	    fm_text_eq(a->name, b->name));
}

static bool
operand_equal(const struct fm_cond *ca, struct fm_text a,
    const struct fm_cond *cb, struct fm_text b)
{
	char abuf[FM_HOSTNAME_MAX], bbuf[FM_HOSTNAME_MAX];
	struct fm_text acanon, bcanon;

	/* What is no host is told elsewhere. */
	if (ca->subject.kind == FM_SUBJECT_HOST)
		return (fm_hostname_canon(a, abuf, &acanon) !=
		    FM_HOSTNAME_OK ||
		    fm_hostname_canon(b, bbuf, &bcanon) != FM_HOSTNAME_OK ||
		    fm_text_eq(acanon, bcanon));
	return (ca->nocase || cb->nocase ? fm_text_eq_nocase(a, b) :
	    fm_text_eq(a, b));
}

static bool
tests_exclude(const struct fm_cond *a, const struct fm_cond *b)
{
	const struct fm_word *x, *y;

	if (!subject_equal(&a->subject, &b->subject))
		return (false);
	for (x = a->operands.first; x != NULL; x = x->next)
		for (y = b->operands.first; y != NULL; y = y->next)
			if (operand_equal(a, x->text, b, y->text))
				return (false);
	return (true);
}

static void
never_and(struct fm_check *check, const struct fm_cond *cond,
    struct never *never)
{
	char where[FM_PLACE_LEN];
	unsigned i;

	if (cond == NULL)
		return;
	if (cond->kind == FM_COND_AND) {
		never_and(check, cond->left, never);
		never_and(check, cond->right, never);
		return;
	}
	if (cond->kind == FM_COND_OR || cond->kind == FM_COND_NOT) {
		fm_check_never(check, cond);
		return;
	}
	if (cond->kind != FM_COND_MODE || cond->mode != FM_PATTERN_EXACT ||
	    cond->operands.count == 0 ||
	    cond->operands.count > NEVER_OPERANDS || never->n == NEVER_TESTS)
		return;
	for (i = 0; i < never->n; i++)
		if (tests_exclude(never->tests[i], cond)) {
			fm_diag_warning(check->diag, &cond->at,
			    FM_MSG_WARN_NEVER,
			    fm_place_print(&never->tests[i]->at, where));
			return;
		}
	never->tests[never->n++] = cond;
}

void
fm_check_never(struct fm_check *check, const struct fm_cond *cond)
{
	struct never never = { .n = 0 };

	if (cond == NULL)
		return;
	switch (cond->kind) {
	case FM_COND_OR:
		fm_check_never(check, cond->left);
		fm_check_never(check, cond->right);
		break;
	case FM_COND_NOT:
		fm_check_never(check, cond->left);
		break;
	case FM_COND_AND:
		never_and(check, cond, &never);
		break;
	default:
		break;
	}
}

/*--------------------------------------------------------------------
 * Denials by the path as a client writes it
 */

/* Returns true if any of the operands says how a text begins. */
static bool
words_begin(enum fm_pattern_kind mode, const struct fm_words *words)
{
	const struct fm_word *word;
	enum fm_pattern_kind kind;
	struct fm_text t;

	for (word = words->first; word != NULL; word = word->next) {
		t = word->text;
		kind = fm_check_kind(mode, &t);
		if (kind == FM_PATTERN_EXACT || kind == FM_PATTERN_PREFIX)
			return (true);
		if (mode != FM_PATTERN_GLOB)
			break;
	}
	return (false);
}

static bool
list_begins(struct fm_check *check, const struct fm_list_def *list)
{
	struct fm_check_uses *uses = &check->list_uses[list->number];
	const struct fm_list_line *line;

	if (!uses->begins_seen)
		for (line = list->lines; line != NULL && !uses->begins;
		    line = line->next)
			uses->begins = words_begin(line->mode,
			    &line->operands);
	uses->begins_seen = true;
	return (uses->begins);
}

static void
denied_test(struct fm_check *check, const struct fm_cond *test)
{
	bool begins = false;

	if (test->subject.kind != FM_SUBJECT_PATH)
		return;
	if (test->kind == FM_COND_MODE)
		begins = words_begin(test->mode, &test->operands);
	else if (test->kind == FM_COND_IN && test->list_def != NULL)
		begins = list_begins(check, test->list_def);
	if (begins)
		fm_diag_warning(check->diag, &test->at, FM_MSG_WARN_DENIED);
}

void
fm_check_denied(struct fm_check *check, const struct fm_cond *cond)
{
	if (cond == NULL)
		return;
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		fm_check_denied(check, cond->left);
		fm_check_denied(check, cond->right);
		break;
	case FM_COND_NOT:
		fm_check_denied(check, cond->left);
		break;
	default:
		denied_test(check, cond);
	}
}

/*--------------------------------------------------------------------
 * Whether a name is elsewhere
 */

/*
 * A statement that was not understood may have used what nothing else uses:
 * what is not used then is told only if its name stands nowhere else in the
 * files.
 */
#define MENTIONS_MAX	20		/* names to look for */

static bool
is_name_byte(const char *b, const char *e, const char *at)
{
	return (at >= b && at < e && (is_alnum(fm_text(at, 1)) ||
	    *at == '-' || *at == '_'));
}

/* How often a word is in a text; from two on it is often enough. */
static unsigned
mentions(struct fm_text text, struct fm_text word)
{
	const char *at = text.b, *e = text.b + text.len;
	unsigned n = 0;

	while (n < 2 && word.len > 0) {
		at = memmem(at, (size_t)(e - at), word.b, word.len);
		if (at == NULL)
			break;
		if (!is_name_byte(text.b, e, at - 1) &&
		    !is_name_byte(text.b, e, at + word.len))
			n++;
		at += word.len;
	}
	return (n);
}

static bool
is_mentioned(struct fm_check *check, struct fm_text name)
{
	const struct fm_source_file *source = check->model->files;
	struct fm_sources *sources;
	struct fm_file *file;
	unsigned n = 0;

	sources = check->options == NULL ? NULL : check->options->sources;
	if (source == NULL || check->mentions++ >= MENTIONS_MAX)
		return (true);
	for (; source != NULL && n < 2; source = source->next) {
		file = fm_sources_read(sources, source->name,
		    (size_t)FM_LIMIT_FILE_MB << 20, NULL, NULL);
		if (file == NULL)
			return (true);
		n += mentions(fm_text(file->bytes, file->len), name);
		fm_file_free(&file);
	}
	return (n > 1);
}

/*--------------------------------------------------------------------
 * Unused
 */

/* Of two with one name the first is looked up; of the other enough was said. */
static void
unused(struct fm_check *check, const struct fm_check_table *table,
    const char *what, const struct fm_word *name, const void *thing)
{
	if (name == NULL ||
	    fm_check_table_find(table, name->text, 0) != thing ||
	    (check->broken && is_mentioned(check, name->text)))
		return;
	fm_diag_warning(check->diag, &name->at, FM_MSG_WARN_UNUSED, what,
	    FM_CHECK_QUOTE(name->text));
}

void
fm_check_unused(struct fm_check *check)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_list_def *list;
	const struct fm_map_def *map;

	for (list = check->model->lists; list != NULL; list = list->next)
		if (!list->used)
			unused(check, &check->lists, "list", list->name, list);
	for (map = check->model->maps; map != NULL; map = map->next)
		if (!map->used)
			unused(check, &check->maps, "map", map->name, map);
	for (ruleset = check->model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (!ruleset->used)
			unused(check, &check->rulesets, "ruleset",
			    ruleset->name, ruleset);
}
