/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes lists of texts that rules compare with in several places:
 *
 *	list static ends { .css .js .png .jpg .ico }
 *
 *	when path in static { ... }
 */

#include <string.h>

#include "import.h"

#define TEXTS_LEAST	5	/* texts: fewer are easier to read in place */

/* Texts that something is compared with: "nocase ends .css .js". */
struct run {
	struct fm_text		text;
	struct fm_text		subject;	/* "path", or a header */
	const char		*name;		/* of the list; NULL: once */
	struct run		*next;
};

/* Takes a word, a text in quotes, a mark, or a comment. */
static struct fm_text
token_take(const char **p)
{
	const char *b = *p + strspn(*p, " \n"), *e = b;

	if (*b == '#')
		e += strcspn(b, "\n");
	else if (*b == '"')
		e = fm_import_quoted_end(e);
	else if (*b != '\0' && strchr("(){};", *b) != NULL)
		e++;
	else
		e += strcspn(b, " \n(){};\"");
	*p = e;
	return (fm_text_span(b, e));
}

/* Returns true for what ends the texts of a comparison. */
static bool
ends_texts(struct fm_text token)
{
	static const char * const words[] = { "and", "or", "(", ")", "{", "}",
	    ";", NULL };

	return (token.len == 0 || fm_text_is_one_of(token, words));
}

/* Adds the texts after a mode, if they are enough; `begin` is at the mode. */
static void
run_add(struct fm_import *im, struct run ***last, struct fm_text subject,
    const char *begin, const char **p)
{
	struct fm_text token;
	const char *after = *p, *end = after;
	struct run *run;
	size_t n = 0;

	for (token = token_take(&after); !ends_texts(token);
	    token = token_take(&after), n++)
		*p = end = after;
	if (n < TEXTS_LEAST)
		return;
	run = fm_import_alloc(im, sizeof *run);
	run->text = fm_text_span(begin, end);
	run->subject = subject;
	**last = run;
	*last = &run->next;
}

/* Returns all comparisons with many texts, in their order. */
static struct run *
runs_find(struct fm_import *im, const char *rules)
{
	static const char * const modes[] = { "is", "begins", "ends",
	    "contains", NULL };
	struct fm_text token, before = { NULL, 0 }, subject;
	struct run *first = NULL, **last = &first;
	bool nocase;

	for (subject = before; (token = token_take(&rules)).len > 0;
	    before = token) {
		nocase = before.len > 0 && fm_text_is(before, "nocase");
		if (!fm_text_is_one_of(token, modes))
			subject = fm_text_is(token, "nocase") ? subject : token;
		else
			run_add(im, &last, subject, nocase ? before.b :
			    token.b, &rules);
	}
	return (first);
}

static bool
has_text(const struct run *run, const char *text)
{
	const char *p = run->text.b;
	struct fm_text token;

	while (p < run->text.b + run->text.len) {
		token = token_take(&p);
		if (fm_text_is_nocase(token, text))
			return (true);
	}
	return (false);
}

/* Returns a name for what the texts are; NULL: there is no good one. */
static const char *
name_of(const struct run *run)
{
	bool path = fm_text_is(run->subject, "path") ||
	    fm_text_is(run->subject, "url");

	if (path && has_text(run, "ends"))
		return (has_text(run, ".css") || has_text(run, ".js") ||
		    has_text(run, ".png") ? "static" : "downloads");
	return (path ? "paths" : fm_text_is(run->subject, "agent") ?
	    "agents" : NULL);
}

/* Returns a name that no list or map has. */
static const char *
name_free(struct fm_import *im, const char *name, const char *head,
    const char *lists)
{
	const char *tried = fm_import_free_name(im, name), *word;
	unsigned n;

	for (n = 2;; n++) {
		word = fm_import_printf(im, " %s ", tried);
		if (strstr(head, word) == NULL && strstr(lists, word) == NULL)
			return (tried);
		tried = fm_import_free_name(im, fm_import_printf(im, "%s-%u",
		    name, n));
	}
}

/* Returns the definition of a list. */
static const char *
list_of(struct fm_import *im, const struct run *run)
{
	bool nocase = fm_text_begins(run->text, "nocase ");
	size_t skip = nocase ? strlen("nocase ") : 0, mode;
	const char *text = fm_import_printf(im, "%.*s",
	    (int)(run->text.len - skip), run->text.b + skip);

	mode = strcspn(text, " ");
	return (fm_import_printf(im, "list %s %.*s%s {%s }\n", run->name,
	    (int)mode, text, nocase ? " nocase" : "", text + mode));
}

/* Names the texts that are there more than once; returns their lists. */
static const char *
runs_name(struct fm_import *im, struct run *first, const char *head)
{
	struct run *run, *again;
	const char *lists = "", *name;

	for (run = first; run != NULL; run = run->next) {
		name = run->name != NULL ? NULL : name_of(run);
		for (again = run->next; name != NULL && again != NULL &&
		    !fm_text_eq(again->text, run->text);)
			again = again->next;
		if (name == NULL || again == NULL)
			continue;
		name = name_free(im, name, head, lists);
		for (again = run; again != NULL; again = again->next)
			if (fm_text_eq(again->text, run->text))
				again->name = name;
		lists = fm_import_printf(im, "%s%s", lists, list_of(im, run));
	}
	return (lists);
}

const char *
fm_import_shared(struct fm_import *im, const char *head, const char *rules)
{
	struct run *run = runs_find(im, rules);
	const char *lists = runs_name(im, run, head), *text = "", *p = rules;

	for (; run != NULL; run = run->next)
		if (run->name != NULL) {
			text = fm_import_printf(im, "%s%.*sin %s", text,
			    (int)(run->text.b - p), p, run->name);
			p = run->text.b + run->text.len;
		}
	return (fm_import_printf(im, "%s%s%s%s", head, lists, text, p));
}
