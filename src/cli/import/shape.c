/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that take parameters or cookies by their names, or all others:
 *
 *	(^|;\s*)  (__utm[a-z]|has_js)  =[^;]*     ;?
 *	front     names                value      back
 *	(^|; )    (?!(session|cart)=)  [^;]*
 *
 * Front and back are separators: `;` and blanks of cookies, `?` and `&` of
 * parameters.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

struct shape {
	struct fm_text		t;
	bool			cookie;
	bool			begin;		/* of what was passed: it may */
	bool			separator;	/* be at the start; has one */
	bool			question;	/* ... a `?` of the URL */
	bool			takes;		/* ... one that goes, too */
	unsigned		groups;
};

static char
at(const struct shape *s, size_t i)
{
	return (i < s->t.len ? s->t.b[i] : '\0');
}

static bool
is_separator(const struct shape *s, char c)
{
	return (c != '\0' && strchr(s->cookie ? "; ,\t" : "?&|", c) != NULL);
}

/* Returns the offset behind a class of separators, or where it was. */
static size_t
pass_class(struct shape *s, size_t start)
{
	size_t i;
	bool question = false, separator = false;

	for (i = start + 1; at(s, i) != ']'; i++) {
		if (at(s, i) == '\\')
			i++;
		if (at(s, i) == '\0')
			return (start);
		if (!is_separator(s, at(s, i)) && !(s->cookie &&
		    at(s, i - 1) == '\\' && strchr("st", at(s, i)) != NULL))
			return (start);
		question |= at(s, i) == '?';
		separator |= at(s, i) == '&' || at(s, i) == ';';
	}
	s->question |= question;
	s->separator |= separator;
	s->takes |= question || separator;
	return (i + 1);
}

/* Returns the offset behind the `)` of the group that starts here. */
static size_t
group_end(const struct shape *s, size_t i)
{
	unsigned depth = 0;

	for (; i < s->t.len; i++) {
		if (at(s, i) == '\\')
			i++;
		else if (at(s, i) == '[')
			while (i < s->t.len && at(s, i) != ']')
				i += at(s, i) == '\\' ? 2 : 1;
		else if (at(s, i) == '(')
			depth++;
		else if (at(s, i) == ')' && --depth == 0)
			return (i + 1);
	}
	return (s->t.len + 1);
}

static size_t pass(struct shape *, size_t, size_t end, bool optional);

/* Returns the offset behind a group of separators, or where it was. */
static size_t
pass_group(struct shape *s, size_t start)
{
	struct shape saved = *s;
	size_t end = group_end(s, start), i = start + 1;

	if (end > s->t.len)
		return (start);
	if (at(s, i) != '?')
		s->groups++;
	else
		while (i < end && strchr("?:=<!", at(s, i)) != NULL)
			i++;
	if (pass(s, i, end - 1, at(s, end) == '?' || at(s, end) == '*') ==
	    end - 1) {
		/* It only looks. */
		if (at(s, start + 1) == '?' && at(s, start + 2) != ':')
			s->takes = saved.takes;
		return (end);
	}
	*s = saved;
	return (start);
}

/* Returns the offset behind one separator, or what quantifies it. */
static size_t
pass_one(struct shape *s, size_t i, bool optional)
{
	char c = at(s, i), next = at(s, i + 1);
	size_t end = i;

	optional |= next == '?' || next == '*';
	if (c == '\\') {
		optional |= at(s, i + 2) == '?' || at(s, i + 2) == '*';
		if (!is_separator(s, next) && !(s->cookie && next == 's'))
			return (i);
		s->question |= next == '?';
		s->takes |= next != 's';
		s->separator |= !optional && (next == ';' || next == '&');
		return (i + 2);
	}
	if (c == '[') {
		struct shape saved = *s;

		end = pass_class(s, i);
		if (strchr("?*", at(s, end)) != NULL && at(s, end) != '\0') {
			s->separator = saved.separator;
			s->question = saved.question;
		}
		return (end);
	}
	if (c == '(')
		return (pass_group(s, i));
	if (c == '{') {
		while (at(s, end) != '\0' && at(s, end) != '}')
			end++;
		return (end + 1);
	}
	s->begin |= c == '^';
	s->takes |= c == ';' || c == '&';
	s->separator |= !optional && (c == ';' || c == '&');
	return (c != '\0' && (strchr("^$|*+?", c) != NULL ||
	    (is_separator(s, c) && c != '?')) ? i + 1 : i);
}

/* Returns the offset behind separators, up to end. */
static size_t
pass(struct shape *s, size_t i, size_t end, bool optional)
{
	size_t next;

	for (; i < end; i = next) {
		next = pass_one(s, i, optional);
		if (next == i || next > end)
			break;
	}
	return (i);
}

/* Returns the offset of the `=`, or the `(=`, that names end with. */
static size_t
find_equal(const struct shape *s, size_t i)
{
	while (i < s->t.len && at(s, i) != '=' &&
	    !(at(s, i) == '(' && at(s, i + 1) == '=')) {
		if (at(s, i) == '(')
			i = group_end(s, i);
		else if (at(s, i) == '[')
			for (i++; i < s->t.len && at(s, i - 1) != ']'; i++)
				continue;
		else
			i += at(s, i) == '\\' ? 2 : 1;
	}
	return (i);
}

/* Takes names with the blanks behind them, which may be there. */
static bool
take_names(struct fm_import *im, struct fm_text t, struct fm_plain *names)
{
	static const char * const blanks[] = { "[ \t]*", "[ \\t]*", "\\s*",
	    " *" };
	size_t i, len;

	for (i = 0; i < sizeof blanks / sizeof *blanks; i++) {
		len = strlen(blanks[i]);
		if (t.len > len && memcmp(t.b + t.len - len, blanks[i],
		    len) == 0)
			t.len -= len;
	}
	return (fm_import_globs(im, t, names));
}

/* Returns the offset behind a value: a class, a dot or \w, repeated. */
static size_t
pass_value(struct shape *s, size_t i)
{
	bool group = at(s, i) == '(';
	size_t end = group_end(s, i), start;

	if (group)
		i += at(s, i + 1) == '?' ? 3 : 1;
	/* Digits alone, or letters, are no whole value. */
	if (at(s, i) == '[') {
		start = i;
		for (i++; i < s->t.len && at(s, i) != ']';)
			i += at(s, i) == '\\' ? 2 : 1;
		if (at(s, start + 1) != '^' && (memmem(s->t.b + start,
		    i - start, "0-9", 3) == NULL || memmem(s->t.b + start,
		    i - start, "-z", 2) == NULL))
			return (s->t.len + 1);
	} else if (at(s, i) == '\\' && at(s, i + 1) == 'S')
		i++;
	else if (at(s, i) != '.')
		return (s->t.len + 1);
	i++;
	if (at(s, i) != '*' && at(s, i) != '+')
		return (s->t.len + 1);
	i += at(s, i + 1) == '?' ? 2 : 1;
	if (!group)
		return (i);
	if (i + 1 != end)
		return (s->t.len + 1);
	return (strchr("?*", at(s, end)) != NULL && at(s, end) != '\0' ?
	    end + 1 : end);
}

/* Returns false for names that are nothing but wildcards. */
static bool
names_say(const struct fm_plain *names)
{
	size_t i, j;

	for (i = 0; i < names->n; i++) {
		for (j = 0; j < names->v[i].len; j++)
			if (isalnum((unsigned char)names->v[i].b[j]) ||
			    names->v[i].b[j] == '_')
				break;
		if (j == names->v[i].len)
			return (false);
	}
	return (names->n > 0);
}

/* Takes what is not in the names: (?!(a|b)=) and a value. */
static bool
take_others(struct fm_import *im, struct shape *s, size_t i,
    struct fm_shape *shape)
{
	size_t end = group_end(s, i), equal = find_equal(s, i + 3);

	/* What may match nothing there would let the names match, too. */
	if (memchr(s->t.b, '*', i) != NULL || memchr(s->t.b, '?', i) != NULL)
		return (false);
	if (end > s->t.len || equal >= end || !take_names(im,
	    fm_text(s->t.b + i + 3, equal - i - 3), &shape->names) ||
	    !names_say(&shape->names))
		return (false);
	shape->kind = FM_SHAPE_OTHERS;
	i = pass_value(s, end);
	shape->whole = i <= s->t.len && pass(s, i, s->t.len, false) ==
	    s->t.len;
	shape->behind = s->takes;
	return (true);
}

void
fm_import_shape(struct fm_import *im, struct fm_text regex, bool cookie,
    struct fm_shape *shape)
{
	struct shape s = { .t = regex, .cookie = cookie };
	size_t front, equal, i;

	memset(shape, 0, sizeof *shape);
	if (s.t.len > 4 && memcmp(s.t.b, "(?i)", 4) == 0)
		s.t = fm_text(s.t.b + 4, s.t.len - 4);
	if (fm_import_regex_groups(regex) < 0)
		return;
	front = pass(&s, 0, s.t.len, false);
	if (front == s.t.len) {
		shape->kind = FM_SHAPE_TIDY;
		return;
	}
	/* Without any separator it is found wherever it is. */
	shape->question = s.question && s.takes;
	shape->first = s.begin || s.question || !s.separator;
	shape->later = s.separator || (!s.begin && !s.question);
	shape->before = s.takes;
	s.takes = false;
	shape->group = at(&s, front) == '(' && at(&s, front + 1) != '?' ?
	    s.groups + 1 : 0;
	if (s.t.len - front > 3 && memcmp(s.t.b + front, "(?!", 3) == 0) {
		(void)take_others(im, &s, front, shape);
		return;
	}
	equal = find_equal(&s, front);
	if (equal >= s.t.len || !take_names(im, fm_text(s.t.b + front,
	    equal - front), &shape->names) || !names_say(&shape->names))
		return;
	shape->kind = FM_SHAPE_NAMES;
	i = equal + 1;
	if (at(&s, equal) == '(') {
		/* (=[^;]*)? */
		i = pass_value(&s, equal + 2);
		if (at(&s, i) == ')' && at(&s, i + 1) == '?')
			i += 2;
		else
			i = s.t.len + 1;
	} else if (i == s.t.len) {
		shape->open = true;
	} else {
		i = pass_value(&s, i);
	}
	shape->whole = i <= s.t.len && pass(&s, i, s.t.len, false) == s.t.len;
	shape->behind = s.takes;
}
