/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists in headers of responses (directives.h).  The backend chooses how long a
 * list is, so each is read once, without going back.
 */

#include <string.h>

#include "directives.h"
#include "obj.h"

/* The rest of a list. */
struct directives_rest {
	const char	*b, *e;
	bool		unclosed;	/* no quote of it is closed */
};

/* Returns the quote that closes the one at b; NULL if there is none. */
static const char *
quote_close(const char *b, const char *e)
{
	for (b++; b < e; b++) {
		if (*b == '"')
			return (b);
		if (*b == '\\' && b + 1 < e)
			b++;
	}
	return (NULL);
}

static struct directives_rest
rest_of(struct fm_text list)
{
	list = fm_text_or_empty(list);
	return ((struct directives_rest){ list.b, list.b + list.len, false });
}

/*
 * Cuts off the next element that is not empty, without the blanks around it.
 * Returns false if there is none.
 */
static bool
rest_next(struct directives_rest *rest, struct fm_text *element)
{
	const char *b = rest->b, *p, *close;

	while (b < rest->e && (*b == ',' || fm_is_blank(*b)))
		b++;
	for (p = b; p < rest->e && *p != ','; p++) {
		if (*p != '"' || rest->unclosed)
			continue;
		/*
		 * If nothing closes this quote, a backslash stands before each
		 * later one, and nothing closes those either: to look for it
		 * once is enough.
		 */
		close = quote_close(p, rest->e);
		rest->unclosed = close == NULL;
		if (close != NULL)
			p = close;
	}
	rest->b = p;
	*element = fm_text_trim(fm_text_span(b, p));
	return (element->len > 0);
}

/* Returns a text up to its first `;`, blank or byte `end`. */
static struct fm_text
text_until(struct fm_text t, char end)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] == ';' || t.b[i] == end || fm_is_blank(t.b[i]))
			break;
	return (fm_text(t.b, i));
}

static struct fm_text
element_name(struct fm_text element)
{
	return (text_until(element, '='));
}

static struct fm_text
element_value(struct fm_text element)
{
	size_t name = element_name(element).len;
	struct fm_text t;
	const char *close;

	t = fm_text_trim(fm_text(element.b + name, element.len - name));
	if (t.len == 0 || t.b[0] != '=')
		return (fm_text(t.b, 0));
	t = fm_text_trim(fm_text(t.b + 1, t.len - 1));
	if (t.len > 0 && t.b[0] == '"') {
		close = quote_close(t.b, t.b + t.len);
		if (close != NULL)
			return (fm_text_span(t.b + 1, close));
	}
	return (text_until(t, ';'));
}

/* Finds the first element of a name.  Returns false if there is none. */
static bool
list_find(struct fm_text list, struct fm_text name, struct fm_text *element)
{
	struct directives_rest rest = rest_of(list);

	while (rest_next(&rest, element))
		if (fm_text_eq_nocase(element_name(*element), name))
			return (true);
	return (false);
}

/* Appends an element to those in buf, of len bytes; returns their length. */
static size_t
list_append(char *buf, size_t len, struct fm_text element)
{
	assert(buf != NULL);
	if (len > 0) {
		buf[len++] = ',';
		buf[len++] = ' ';
	}
	memcpy(buf + len, element.b, element.len);
	return (len + element.len);
}

size_t
fm_directives_cap(struct fm_text list)
{
	size_t cap = list.len, i;

	for (i = 0; i < list.len; i++)
		cap += list.b[i] == ',';
	return (cap);
}

struct fm_text
fm_directives_filter(struct fm_text list, const struct fm_names *names,
    enum fm_directives_mode mode, bool star, char *buf)
{
	struct directives_rest rest = rest_of(list);
	struct fm_text element, name;
	bool keep = mode == FM_DIRECTIVES_KEEP, stays, dropped = false;
	size_t len = 0;

	while (rest_next(&rest, &element)) {
		name = element_name(element);
		if (fm_text_eq(name, fm_text("*", 1)))
			stays = keep || !star;
		else
			stays = keep == (names != NULL && fm_names_match(names,
			    name, FM_NAMES_RAW) == 1);
		if (stays)
			len = list_append(buf, len, element);
		else
			dropped = true;
	}
	if (!dropped)
		return (list);
	return (len > 0 ? fm_text(buf, len) : fm_text_of(NULL));
}

size_t
fm_directives_add_cap(struct fm_text list, const struct fm_text *names,
    size_t n)
{
	size_t cap = list.len, i;

	for (i = 0; i < n; i++)
		cap += 2 + names[i].len;
	return (cap);
}

struct fm_text
fm_directives_add(struct fm_text list, const struct fm_text *names, size_t n,
    char *buf)
{
	struct fm_text head = fm_text_or_empty(list), out = list, element;
	size_t i;

	if (list_find(list, fm_text("*", 1), &element))
		return (list);
	while (head.len > 0 && (head.b[head.len - 1] == ',' ||
	    fm_is_blank(head.b[head.len - 1])))
		head.len--;
	for (i = 0; i < n; i++) {
		if (list_find(out, names[i], &element))
			continue;
		if (out.b != buf) {
			memcpy(buf, head.b, head.len);
			out = fm_text(buf, head.len);
		}
		out.len = list_append(buf, out.len, names[i]);
	}
	return (out);
}

struct fm_text
fm_directives_value(struct fm_text list, struct fm_text name)
{
	struct fm_text element;

	return (list_find(list, name, &element) ? element_value(element) :
	    fm_text_of(NULL));
}

struct fm_text
fm_directives_cookie(struct fm_text line, struct fm_text *value)
{
	struct fm_text pair = line;
	const char *end;

	*value = line;
	if (line.b == NULL)
		return (line);
	end = memchr(pair.b, ';', pair.len);
	if (end != NULL)
		pair = fm_text_span(pair.b, end);
	end = memchr(pair.b, '=', pair.len);
	if (end == NULL) {
		*value = fm_text_trim(pair);
		return (fm_text(pair.b, 0));
	}
	*value = fm_text_trim(fm_text_span(end + 1, pair.b + pair.len));
	return (fm_text_trim(fm_text_span(pair.b, end)));
}

struct fm_text
fm_directives_type(struct fm_text header, char *buf)
{
	struct fm_text type = text_until(fm_text_trim(header), ',');
	size_t i;

	for (i = 0; i < type.len; i++)
		if (type.b[i] >= 'A' && type.b[i] <= 'Z') {
			fm_text_lower(buf, type);
			return (fm_text(buf, type.len));
		}
	return (type);
}
