/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * URLs and cookies as browsers send them, at random: of words, paths and
 * parameters that stand in the regexes of some statements, and of others.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "import.h"

#define SAMPLE_TEXT	256
#define SAMPLE_DEPTH	16
#define SAMPLE_REPEAT	8

/* A text that a regex fits, more often than not. */
struct sample {
	struct fm_usual		*usual;
	const char		*p, *e;
	unsigned		depth;
	size_t			n;
	char			text[SAMPLE_TEXT];
};

static unsigned
random_below(struct fm_usual *usual, unsigned n)
{
	usual->seed = usual->seed * 6364136223846793005u +
	    1442695040888963407u;
	return ((unsigned)(usual->seed >> 33) % n);
}

/*--------------------------------------------------------------------
 * Samples of a regex
 */

static void sample_alternatives(struct sample *);

static void
sample_byte(struct sample *s, char c)
{
	if (s->n < sizeof s->text)
		s->text[s->n++] = c;
}

/* What a letter behind a backslash may stand for; NUL: for no byte. */
static char
escaped_byte(char c)
{
	const char *at = strchr("dwsDWSt", c);

	if (c == '\0' || !isalnum((unsigned char)c))
		return (c);
	return (at != NULL ? "7w x-x\t"[at - "dwsDWSt"] : '\0');
}

/* One of a class; of what a class excludes, something else. */
static void
sample_class(struct sample *s)
{
	const char *start = s->p, *other = "xX7-";
	bool excludes = s->p < s->e && *s->p == '^';
	unsigned n = 0;
	char c, one = '\0';

	for (s->p += excludes; s->p < s->e; s->p++) {
		c = *s->p;
		if (c == ']' && s->p > start + excludes)
			break;
		if (c == '\\' && s->p + 1 < s->e) {
			c = escaped_byte(*++s->p);
		} else if (c == '[' && s->p + 1 < s->e && s->p[1] == ':') {
			while (s->p + 1 < s->e && s->p[1] != ']')
				s->p++;
			s->p += s->p + 1 < s->e;
			c = 'a';
		}
		if (random_below(s->usual, ++n) == 0)
			one = c;
	}
	if (excludes) {
		other += random_below(s->usual, 4);
		one = memchr(start, *other, (size_t)(s->p - start)) == NULL ?
		    *other : '~';
	}
	if (one != '\0')
		sample_byte(s, one);
	s->p += s->p < s->e;
}

static void
sample_group(struct sample *s)
{
	size_t start = s->n;
	bool excludes = false;

	if (s->depth == SAMPLE_DEPTH) {
		s->p = s->e;
		return;
	}
	if (s->p < s->e && *s->p == '?') {
		while (s->p < s->e && strchr("!:=>)", *s->p) == NULL)
			s->p++;
		if (s->p == s->e || *s->p == ')') {
			s->p += s->p < s->e;
			return;
		}
		excludes = *s->p++ == '!';
	}
	s->depth++;
	sample_alternatives(s);
	s->depth--;
	s->p += s->p < s->e;
	if (excludes)
		s->n = start;
}

static void
sample_atom(struct sample *s)
{
	char c = *s->p++;

	switch (c) {
	case '^':
	case '$':
		break;
	case '(':
		sample_group(s);
		break;
	case '[':
		sample_class(s);
		break;
	case '\\':
		c = s->p < s->e ? escaped_byte(*s->p++) : '\0';
		if (c != '\0')
			sample_byte(s, c);
		break;
	default:
		/* A dot is one of what it stands for. */
		sample_byte(s, c);
		break;
	}
}

/* An atom, and how often. */
static void
sample_piece(struct sample *s)
{
	size_t start = s->n, end, i, least = 1;

	sample_atom(s);
	end = s->n;
	if (s->p == s->e)
		return;
	if (*s->p == '?' || *s->p == '*') {
		least = random_below(s->usual, 2);
	} else if (*s->p == '{' && s->p + 1 < s->e &&
	    isdigit((unsigned char)s->p[1])) {
		for (least = 0, s->p++; s->p < s->e && *s->p != '}'; s->p++)
			if (least < SAMPLE_REPEAT && isdigit(
			    (unsigned char)*s->p))
				least = least * 10 + (size_t)(*s->p - '0');
			else
				while (s->p + 1 < s->e && s->p[1] != '}')
					s->p++;
	} else if (*s->p != '+') {
		return;
	}
	s->p += s->p < s->e;
	if (s->p < s->e && (*s->p == '?' || *s->p == '+'))
		s->p++;
	if (least == 0)
		s->n = start;
	for (; least > 1; least--)
		for (i = start; i < end; i++)
			sample_byte(s, s->text[i]);
}

/* Each is written, and one of them stays. */
static void
sample_alternatives(struct sample *s)
{
	size_t start = s->n, at;
	unsigned n = 0;

	for (;;) {
		at = s->n;
		while (s->p < s->e && *s->p != '|' && *s->p != ')')
			sample_piece(s);
		if (random_below(s->usual, ++n) == 0) {
			memmove(s->text + start, s->text + at, s->n - at);
			s->n -= at - start;
		} else {
			s->n = at;
		}
		if (s->p == s->e || *s->p != '|')
			return;
		s->p++;
	}
}

static const char *
some_sample(struct fm_usual *usual)
{
	struct fm_text regex = usual->regexes[random_below(usual,
	    (unsigned)usual->nregexes)];
	struct sample s = { .usual = usual, .p = regex.b,
	    .e = regex.b + regex.len };

	sample_alternatives(&s);
	return (fm_import_printf(usual->im, "%.*s", (int)s.n, s.text));
}

/*--------------------------------------------------------------------
 * Words
 */

static bool
is_name_byte(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '-');
}

static void
word_add(struct fm_usual *usual, struct fm_text word)
{
	size_t i;

	for (i = 0; i < usual->nwords; i++)
		if (fm_text_eq(usual->words[i], word))
			return;
	if (usual->nwords < FM_USUAL_WORDS)
		usual->words[usual->nwords++] = word;
}

/* Words of a regex; those before a class or a dot as a glob, too. */
void
fm_usual_regex(void *priv, struct fm_text regex)
{
	struct fm_usual *usual = priv;
	size_t i = 0, start;

	if (usual->nregexes < FM_USUAL_WORDS)
		usual->regexes[usual->nregexes++] = regex;
	while (i < regex.len) {
		/* \t and \? are no words; [a-z] has none in it. */
		if (regex.b[i] == '\\') {
			i += 2;
			continue;
		}
		if (regex.b[i] == '[') {
			while (i < regex.len && regex.b[i] != ']')
				i += regex.b[i] == '\\' ? 2 : 1;
			continue;
		}
		if (!is_name_byte(regex.b[i])) {
			i++;
			continue;
		}
		start = i;
		while (i < regex.len && is_name_byte(regex.b[i]))
			i++;
		if (i < regex.len && memchr("[.\\(", regex.b[i], 4) != NULL)
			word_add(usual, fm_text_of(fm_import_printf(usual->im,
			    "%.*s*", (int)(i - start), regex.b + start)));
		else
			word_add(usual, fm_text(regex.b + start, i - start));
	}
}

const char *
fm_usual_name(struct fm_usual *usual, struct fm_text name)
{
	bool glob = name.len > 0 && name.b[name.len - 1] == '*';

	return (fm_import_printf(usual->im, "%.*s%s", (int)name.len - glob,
	    name.b, glob ? "source" : ""));
}

/*
 * Words that are no names, too: of utm_[a-z]+ some are stripped, and of a glob
 * all that it names.
 */
static const char *
some_word(struct fm_usual *usual)
{
	static const char * const tails[] = {
		"", "source", "x", "9", "a_b", "a-b", "a.b", "%61", "Z"
	};
	struct fm_text word = usual->words[random_below(usual,
	    (unsigned)usual->nwords)];

	if (word.len > 0 && word.b[word.len - 1] == '*')
		return (fm_import_printf(usual->im, "%.*s%s",
		    (int)word.len - 1, word.b,
		    tails[random_below(usual, 9)]));
	return (fm_import_printf(usual->im, "%.*s", (int)word.len, word.b));
}

/* To (?i) these are the same, and not to rules. */
static const char *
some_loud_word(struct fm_usual *usual)
{
	const char *word = some_word(usual);
	char *loud = fm_import_alloc(usual->im, strlen(word) + 1);
	size_t i;

	for (i = 0; word[i] != '\0'; i++)
		loud[i] = (char)toupper((unsigned char)word[i]);
	return (loud);
}

static const char *
some_name(struct fm_usual *usual)
{
	static const char * const others[] = {
		"a", "id", "q", "page", "zz1", "lang", "session", "X", "utm",
		"b_c", "t1"
	};

	switch (random_below(usual, 9)) {
	case 0:
	case 1:
	case 2:
		return (others[random_below(usual, 11)]);
	case 3:
		return (fm_import_printf(usual->im, "x%s", some_word(usual)));
	case 4:
		return (fm_import_printf(usual->im, "%sx", some_word(usual)));
	case 5:
		return (some_loud_word(usual));
	default:
		return (some_word(usual));
	}
}

static const char *
some_value(struct fm_usual *usual)
{
	/* As long as a click may be. */
	static const char click[] =
	    "CjwKCAjw_eX2AhBkEiwAB1TT4bkCh8lZxQ0mR6oVf3sNdYp9aWc7uLg"
	    "JtGq5iEKrSxvMzBwHnDyPQU2FOhjTAoClkIQAvD_BwE-CjwKCAjw_eX2"
	    "AhBkEiwAB1TT4bkCh8lZxQ0mR6oVf3sNdYp9aWc7uLgJtGq5iEKrSxvM";
	static const char * const values[] = {
		"1", "abc", "a%20b", "A.b-c_d~e", "a,b", "1+2", "a:b", "@x",
		"x%3Dy", "", "42", "a/b", "eyJh=", click
	};

	return (values[random_below(usual, 14)]);
}

/*--------------------------------------------------------------------
 * The texts
 */

/* Of a sample: a path, or what may stand in one. */
static const char *
some_path(struct fm_usual *usual)
{
	static const char * const paths[] = { "/", "/a/b.html", "/p" };
	const char *s = "";
	size_t n, i;

	if (random_below(usual, 3) == 0)
		s = some_sample(usual);
	n = strcspn(s, "?&;#=");
	for (i = 0; i < n; i++)
		if (!isgraph((unsigned char)s[i]))
			break;
	if (n == 0 || i < n || s[n] == '=')
		return (paths[random_below(usual, 3)]);
	return (fm_import_printf(usual->im, "%s%.*s", *s == '/' ? "" : "/",
	    (int)n, s));
}

/* Of a sample: a parameter or cookie.  No text: it has none. */
static const char *
some_pair(struct fm_usual *usual)
{
	const char *s = some_sample(usual), *value;
	size_t n, name, i;

	if (*s == '/')
		s += strcspn(s, "?&");
	s += strspn(s, "?&; \t");
	n = strcspn(s, usual->cookie ? ";" : "&#;");
	for (name = 0; is_name_byte(s[name]) || s[name] == '.'; name++)
		;
	for (i = name; i < n; i++)
		if (!isgraph((unsigned char)s[i]) || s[i] == '"')
			return (NULL);
	if (name == 0 || (name < n && s[name] != '='))
		return (NULL);
	value = name == n ? "=" : "";
	return (fm_import_printf(usual->im, "%.*s%s%s", (int)n, s, value,
	    name == n || random_below(usual, 2) == 0 ? some_value(usual) :
	    ""));
}

/* name=value, each with a name and a sign. */
struct fm_text
fm_usual_text(struct fm_usual *usual)
{
	unsigned n = random_below(usual, 5) + usual->cookie, i;
	const char *text = usual->cookie ? "" : some_path(usual), *pair;

	for (i = 0; i < n; i++) {
		pair = NULL;
		if (random_below(usual, 6) == 0)
			pair = some_pair(usual);
		if (pair == NULL) {
			pair = some_name(usual);
			pair = fm_import_printf(usual->im, "%s=%s", pair,
			    some_value(usual));
		}
		text = fm_import_printf(usual->im, "%s%s%s", text, i > 0 ?
		    (usual->cookie ? "; " : "&") : usual->cookie ? "" : "?",
		    pair);
	}
	return (fm_text_of(text));
}
