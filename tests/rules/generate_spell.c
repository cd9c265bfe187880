/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes random rules in two spellings (generate.h).
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate_rules.h"

void
put_into(struct maker *m, unsigned which, const char *s, size_t len)
{
	struct generate_rules *rules = m->rules;

	if (rules->len[which] + len >= m->room[which]) {
		m->room[which] = 2 * m->room[which] + len + 4096;
		rules->text[which] = realloc(rules->text[which],
		    m->room[which]);
		assert(rules->text[which] != NULL);
	}
	memcpy(rules->text[which] + rules->len[which], s, len);
	rules->len[which] += len;
	rules->text[which][rules->len[which]] = '\0';
}

void
put(struct maker *m, const char *s)
{
	put_into(m, 0, s, strlen(s));
	put_into(m, 1, s, strlen(s));
}

/* Puts a text into the second spelling only, one time in three. */
bool
put_other(struct maker *m, const char *s)
{
	if (random_below(&m->spelling, 3) > 0)
		return (false);
	put_into(m, 1, s, strlen(s));
	return (true);
}

void
put_blank(struct maker *m)
{
	static const struct pool blanks = POOL(" ", "  ", "\t", " \t ");
	const char *s = pool_pick(&m->spelling, &blanks);

	put_into(m, 0, " ", 1);
	put_into(m, 1, s, strlen(s));
}

void
put_newline(struct maker *m)
{
	(void)put_other(m, " # \"a comment; { ${");
	put(m, "\n");
}

/* Begins a line with a word. */
void
put_start(struct maker *m, const char *s)
{
	unsigned i;

	for (i = 0; i < m->indent; i++)
		put(m, "\t");
	put(m, s);
}

void
put_end(struct maker *m)
{
	(void)put_other(m, " ");
	put(m, ";");
	put_newline(m);
}

void
put_open(struct maker *m)
{
	put_blank(m);
	put(m, "{");
	m->indent++;
	put_newline(m);
}

void
put_close(struct maker *m)
{
	m->indent--;
	put_start(m, "}");
	put_newline(m);
}

static bool
is_keyword(const char *s)
{
	static const struct pool words = POOL("and", "or", "not", "in", "use",
	    "else", "present", "nocase", "is", "begins", "ends", "contains",
	    "like", "below", "named");
	unsigned i;

	for (i = 0; words.words[i] != NULL; i++)
		if (strcmp(s, words.words[i]) == 0)
			return (true);
	return (false);
}

static bool
may_be_bare(const char *s)
{
	return (*s != '\0' && strpbrk(s, " \t\"';{}()[") == NULL &&
	    strstr(s, "${") == NULL && strchr("#=~", *s) == NULL &&
	    strncmp(s, "->", 2) != 0 && !is_keyword(s));
}

void
put_quoted(struct maker *m, unsigned which, const char *s)
{
	put_into(m, which, "\"", 1);
	for (; *s != '\0'; s++) {
		/* Escapes backslashes that would escape the next byte. */
		if (*s == '"' || (*s == '\\' && (s[1] == '\0' ||
		    s[1] == '"' || s[1] == '\\' ||
		    random_below(&m->spelling, 2) == 0)))
			put_into(m, which, "\\", 1);
		put_into(m, which, s, 1);
	}
	put_into(m, which, "\"", 1);
}

void
put_word(struct maker *m, const char *s)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		if (may_be_bare(s) && random_below(&m->spelling, 4) > 0)
			put_into(m, i, s, strlen(s));
		else
			put_quoted(m, i, s);
}

/* Puts a blank and a word that is never quoted. */
void
put_plain(struct maker *m, const char *s)
{
	put_blank(m);
	put(m, s);
}

void
put_next(struct maker *m, const char *s)
{
	put_blank(m);
	put_word(m, s);
}

/* Puts a name; most keywords need no quotes there. */
void
put_name(struct maker *m, const char *s, bool in_is_free)
{
	put_blank(m);
	if (is_keyword(s) && (in_is_free || strcmp(s, "in") != 0))
		put(m, s);
	else
		put_word(m, s);
}

void
put_number(struct maker *m, const char *before, unsigned n)
{
	char s[32];

	snprintf(s, sizeof s, "%s%u", before, n);
	put(m, s);
}
