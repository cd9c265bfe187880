/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A small interpreter of VCL: what statements make of one text, the URL or
 * the Cookie header.  Whoever wants to say the same in other words tries it
 * with this.
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "import.h"
#include "pattern.h"

#define TRIAL_DEPTH	16
#define TRIAL_TEXT	(64UL << 10)

struct fm_compiled {
	struct fm_pattern	*pattern;
	struct fm_text		text;
	struct fm_compiled	*next;
};

/* What an expression has been. */
struct fm_seen {
	const struct fm_expr	*e;
	bool			is[2];
	struct fm_seen		*next;
};

static bool trial_stmts(struct fm_trial *, const struct fm_vstmt *, size_t);
static bool trial_value(struct fm_trial *, const struct fm_expr *,
    struct fm_text *);

static const struct fm_pattern *
compiled(struct fm_trial *trial, struct fm_text regex)
{
	static const struct fm_place nowhere = { "a trial", 0, 0, 0 };
	struct fm_compiled *c;

	for (c = trial->regexes; c != NULL; c = c->next)
		if (fm_text_eq(c->text, regex))
			return (c->pattern);
	c = fm_import_alloc(trial->im, sizeof *c);
	c->text = regex;
	c->pattern = fm_pattern_new(FM_PATTERN_REGEX, regex, false, &nowhere,
	    NULL);
	c->next = trial->regexes;
	trial->regexes = c;
	return (c->pattern);
}

void
fm_trial_fini(struct fm_trial *trial)
{
	struct fm_compiled *c;

	for (c = trial->regexes; c != NULL; c = c->next)
		if (c->pattern != NULL)
			fm_pattern_free(&c->pattern);
	trial->regexes = NULL;
}

static struct fm_seen *
seen_of(struct fm_trial *trial, const struct fm_expr *e)
{
	struct fm_seen *seen;

	for (seen = trial->seen; seen != NULL; seen = seen->next)
		if (seen->e == e)
			return (seen);
	seen = fm_import_alloc(trial->im, sizeof *seen);
	memset(seen, 0, sizeof *seen);
	seen->e = e;
	seen->next = trial->seen;
	trial->seen = seen;
	return (seen);
}

static bool
is_subject(const struct fm_trial *trial, const struct fm_expr *e)
{
	return (e->kind == FM_EXPR_NAME &&
	    fm_text_eq_nocase(e->text, trial->name));
}

/* regsub(VALUE, "regex", "text") */
static bool
trial_sub(struct fm_trial *trial, const struct fm_expr *e,
    struct fm_text *value)
{
	const struct fm_expr *a = e->first;
	const struct fm_pattern *pattern;
	struct fm_text subject, regex, text;
	struct fm_tally tally;
	char *b;
	size_t n;
	bool all = fm_text_is(e->text, "regsuball");

	if ((!all && !fm_text_is(e->text, "regsub")) || a == NULL ||
	    a->next == NULL || a->next->next == NULL ||
	    !trial_value(trial, a, &subject) ||
	    !fm_expr_constant(trial->im, a->next, &regex) ||
	    !fm_expr_constant(trial->im, a->next->next, &text))
		return (false);
	pattern = compiled(trial, regex);
	if (pattern == NULL)
		return (false);
	memset(&tally, 0, sizeof tally);
	*value = fm_text_or_empty(subject);
	n = fm_pattern_sub(pattern, *value, text, all, NULL, 0, &tally);
	if (n == FM_PATTERN_SAME)
		return (true);
	seen_of(trial, e)->is[1] = true;
	if (n > TRIAL_TEXT)
		return (false);
	b = fm_cli_alloc(n + 1);
	if (fm_pattern_sub(pattern, *value, text, all, b, n, &tally) != n) {
		free(b);
		return (false);
	}
	value->b = fm_arena_add(&trial->im->arena, fm_text(b, n));
	value->len = n;
	free(b);
	return (value->b != NULL);
}

static bool
trial_value(struct fm_trial *trial, const struct fm_expr *e,
    struct fm_text *value)
{
	if (is_subject(trial, e)) {
		*value = trial->text;
		return (true);
	}
	if (e->kind == FM_EXPR_CALL)
		return (trial_sub(trial, e, value));
	return (fm_expr_constant(trial->im, e, value));
}

static int trial_cond(struct fm_trial *, const struct fm_expr *);

/* 1, 0, or -1: it depends on something else. */
static int
trial_test(struct fm_trial *trial, const struct fm_expr *e)
{
	const struct fm_pattern *pattern;
	const struct fm_expr *part;
	struct fm_text text;
	struct fm_tally tally;
	int is;

	switch (e->kind) {
	case FM_EXPR_OR:
	case FM_EXPR_AND:
		for (part = e->first; part != NULL; part = part->next) {
			is = trial_cond(trial, part);
			if (is < 0 || is == (e->kind == FM_EXPR_OR))
				return (is);
		}
		return (e->kind == FM_EXPR_AND);
	case FM_EXPR_NOT:
		is = trial_cond(trial, e->first);
		return (is < 0 ? is : !is);
	case FM_EXPR_NAME:
		return (is_subject(trial, e) ? trial->text.b != NULL : -1);
	case FM_EXPR_COMPARE:
		if (!is_subject(trial, e->first) ||
		    !fm_expr_constant(trial->im, e->first->next, &text))
			return (-1);
		break;
	default:
		return (-1);
	}
	if (fm_text_is(e->text, "==") || fm_text_is(e->text, "!=")) {
		is = trial->text.b != NULL && fm_text_eq(trial->text, text);
	} else if (e->text.b[e->text.len - 1] == '~') {
		pattern = compiled(trial, text);
		if (pattern == NULL)
			return (-1);
		memset(&tally, 0, sizeof tally);
		is = fm_pattern_match(pattern, fm_text_or_empty(trial->text),
		    &tally);
	} else {
		return (-1);
	}
	return (*e->text.b == '!' ? !is : is);
}

static int
trial_cond(struct fm_trial *trial, const struct fm_expr *e)
{
	int is = trial_test(trial, e);

	if (is >= 0)
		seen_of(trial, e)->is[is] = true;
	return (is);
}

static bool
trial_if(struct fm_trial *trial, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;
	int is;

	for (arm = s->arms; arm != NULL; arm = arm->next) {
		is = arm->cond == NULL ? 1 : trial_cond(trial, arm->cond);
		if (is < 0)
			return (false);
		if (is)
			return (trial_stmts(trial, arm->body, (size_t)-1));
	}
	return (true);
}

static bool
trial_call(struct fm_trial *trial, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub = fm_import_find(trial->im, "sub", s->name);
	bool good;

	if (sub == NULL || trial->depth == TRIAL_DEPTH)
		return (false);
	trial->depth++;
	good = trial_stmts(trial, sub->body, (size_t)-1);
	trial->depth--;
	return (good);
}

static bool
trial_stmts(struct fm_trial *trial, const struct fm_vstmt *s, size_t n)
{
	struct fm_text text;

	for (; s != NULL && n > 0; s = s->next, n--)
		switch (s->kind) {
		case FM_VSTMT_IF:
			if (!trial_if(trial, s))
				return (false);
			break;
		case FM_VSTMT_CALL:
			if (!trial_call(trial, s))
				return (false);
			break;
		case FM_VSTMT_SET:
			if (!fm_text_eq_nocase(s->name, trial->name) ||
			    !trial_value(trial, s->value, &text))
				return (false);
			trial->text = fm_text_or_empty(text);
			break;
		case FM_VSTMT_UNSET:
			if (!fm_text_eq_nocase(s->name, trial->name))
				return (false);
			trial->text = fm_text(NULL, 0);
			break;
		default:
			return (false);
		}
	return (true);
}

bool
fm_trial_run(struct fm_trial *trial, const struct fm_vstmt *s, size_t n)
{
	return (trial_stmts(trial, s, n));
}

/*--------------------------------------------------------------------
 * What the runs have shown
 */

/*
 * A regex that fits nothing but separators, without the classes that exclude:
 * what a usual text has of these was tried.
 */
static bool
is_separators(struct fm_text regex)
{
	size_t i;
	char last = '\0';

	for (i = 0; i < regex.len; last = regex.b[i++])
		if (regex.b[i] == '{')
			while (i + 1 < regex.len && regex.b[i] != '}')
				i++;
		else if (regex.b[i] == '\\' && i + 1 < regex.len &&
		    strchr("?&|st", regex.b[i + 1]) != NULL)
			i++;
		else if (strchr(last == '(' ? "?&; \t^$()[" :
		    last == '[' ? "?&; \t|" : "?&; \t$()[]|*+",
		    regex.b[i]) == NULL && (i > 0 || regex.b[i] != '^'))
			return (false);
	return (true);
}

/* regsub(VALUE, "&&", "&") and the like. */
static bool
is_clean_up(struct fm_trial *trial, const struct fm_expr *call)
{
	const struct fm_expr *regex;
	struct fm_text text;

	regex = call->first == NULL ? NULL : call->first->next;
	return (regex != NULL && regex->next != NULL &&
	    fm_expr_constant(trial->im, regex, &text) &&
	    is_separators(text) &&
	    fm_expr_constant(trial->im, regex->next, &text) &&
	    is_separators(text));
}

static const struct fm_expr *
unseen_expr(struct fm_trial *trial, const struct fm_expr *e, bool cond)
{
	const struct fm_expr *part, *unseen;
	const struct fm_seen *seen;
	bool leaf = cond && (e->kind == FM_EXPR_NAME ||
	    e->kind == FM_EXPR_COMPARE);

	if (leaf || e->kind == FM_EXPR_CALL) {
		seen = seen_of(trial, e);
		if ((!seen->is[1] || (leaf && !seen->is[0])) &&
		    (leaf || !is_clean_up(trial, e)))
			return (e);
	}
	for (part = e->first; part != NULL; part = part->next) {
		unseen = unseen_expr(trial, part, cond && !leaf);
		if (unseen != NULL)
			return (unseen);
	}
	return (NULL);
}

static const struct fm_expr *
unseen_stmt(struct fm_trial *trial, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub;
	const struct fm_expr *unseen = NULL;
	const struct fm_arm *arm;

	if (s->kind == FM_VSTMT_SET)
		return (unseen_expr(trial, s->value, false));
	if (s->kind == FM_VSTMT_CALL && trial->depth < TRIAL_DEPTH) {
		sub = fm_import_find(trial->im, "sub", s->name);
		trial->depth++;
		if (sub != NULL)
			unseen = fm_trial_unseen(trial, sub->body, (size_t)-1);
		trial->depth--;
	}
	for (arm = s->arms; arm != NULL && unseen == NULL; arm = arm->next) {
		if (arm->cond != NULL)
			unseen = unseen_expr(trial, arm->cond, true);
		if (unseen == NULL)
			unseen = fm_trial_unseen(trial, arm->body, (size_t)-1);
	}
	return (unseen);
}

const struct fm_expr *
fm_trial_unseen(struct fm_trial *trial, const struct fm_vstmt *s, size_t n)
{
	const struct fm_expr *unseen = NULL;

	for (; s != NULL && n > 0 && unseen == NULL; s = s->next, n--)
		unseen = unseen_stmt(trial, s);
	return (unseen);
}

void
fm_trial_forget(struct fm_trial *trial)
{
	trial->seen = NULL;
}

/*--------------------------------------------------------------------
 * The regexes of statements
 */

static void
expr_regexes(struct fm_trial *trial, const struct fm_expr *e,
    void (*each)(void *, struct fm_text), void *priv)
{
	const struct fm_expr *part;
	struct fm_text text;

	if (e->kind == FM_EXPR_CALL && e->first != NULL &&
	    e->first->next != NULL &&
	    fm_expr_constant(trial->im, e->first->next, &text))
		each(priv, text);
	if (e->kind == FM_EXPR_COMPARE &&
	    fm_expr_constant(trial->im, e->first->next, &text))
		each(priv, text);
	for (part = e->first; part != NULL; part = part->next)
		expr_regexes(trial, part, each, priv);
}

void
fm_trial_regexes(struct fm_trial *trial, const struct fm_vstmt *s, size_t n,
    void (*each)(void *, struct fm_text), void *priv)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	for (; s != NULL && n > 0; s = s->next, n--) {
		if (s->kind == FM_VSTMT_CALL && trial->depth < TRIAL_DEPTH) {
			sub = fm_import_find(trial->im, "sub", s->name);
			trial->depth++;
			if (sub != NULL)
				fm_trial_regexes(trial, sub->body, (size_t)-1,
				    each, priv);
			trial->depth--;
		}
		if (s->kind == FM_VSTMT_SET)
			expr_regexes(trial, s->value, each, priv);
		for (arm = s->arms; arm != NULL; arm = arm->next) {
			if (arm->cond != NULL)
				expr_regexes(trial, arm->cond, each, priv);
			fm_trial_regexes(trial, arm->body, (size_t)-1, each,
			    priv);
		}
	}
}
