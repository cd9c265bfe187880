/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads formats of access logs, as varnishncsa's -F has them, into items.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "access_priv.h"
#include "cli.h"

/* The usual formats: combined and common, with the host in %r, or first. */
static const char * const usual_formats[FM_ACCESS_USUAL] = {
	"%h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\"",
	"%{Host}i %h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\"",
	"%h %l %u %t \"%r\" %s %b",
	"%{Host}i %h %l %u %t \"%r\" %s %b"
};

/* This text stands for the first of the formats above. */
static const char default_format[] = "%{Varnish:default_format}x";

/* "{name}", whose name it returns; a missing text where there is none. */
static struct fm_text
take_braces(const char **f)
{
	const char *p = *f;
	struct fm_text name = fm_text(NULL, 0);
	unsigned depth = 0;

	if (*p != '{')
		return (name);
	do {
		depth += *p == '{';
		depth -= *p == '}';
	} while (depth > 0 && *++p != '\0');
	if (depth > 0)
		return (name);
	name = fm_text_span(*f + 1, p);
	*f = p + 1;
	return (name);
}

static enum fm_field_kind
field_of(char letter, struct fm_text braces)
{
	if (braces.b != NULL)
		return (braces.len == 0 ? FM_FIELD_IGNORED :
		    letter == 'i' ? FM_FIELD_HEADER :
		    letter == 't' ? FM_FIELD_TIME : FM_FIELD_IGNORED);
	switch (letter) {
	case 'h':
		return (FM_FIELD_CLIENT);
	case 'l':
		return (FM_FIELD_LOGNAME);
	case 'm':
		return (FM_FIELD_METHOD);
	case 'q':
		return (FM_FIELD_QUERY);
	case 'r':
		return (FM_FIELD_REQUEST);
	case 'U':
		return (FM_FIELD_PATH);
	default:
		return (FM_FIELD_IGNORED);
	}
}

/* Copies the text before the next field to *to, with a NUL behind it. */
static struct fm_text
take_literal(const char **f, char **to)
{
	char *start = *to;

	for (; **f != '\0'; ++*f) {
		if (**f == '%') {
			if ((*f)[1] != '%')
				break;
			++*f;
		} else if (**f == '\\' && (*f)[1] != '\0') {
			++*f;
			if (**f == 't' || **f == 'n') {
				*(*to)++ = **f == 't' ? '\t' : '\n';
				continue;
			}
		}
		*(*to)++ = **f;
	}
	*(*to)++ = '\0';
	return (fm_text(start, (size_t)(*to - 1 - start)));
}

/*
 * Returns how often the byte that ends a value is in the value.  In "%r " the
 * byte is a blank, which is in "GET / HTTP/1.1" twice; in "%{%F %T}t " once.
 * Several in a row count once: before a day of one digit there are two blanks.
 */
static unsigned
stops_in_value(const struct fm_access_item *item)
{
	static const struct tm when = { .tm_year = 126, .tm_mon = 10,
	    .tm_mday = 21, .tm_wday = 6, .tm_yday = 324, .tm_hour = 19 };
	char text[256];
	unsigned n = 0;
	size_t i, len;

	if (item->field == FM_FIELD_REQUEST && item->after.len > 0)
		return (item->after.b[0] == ' ' ? 2 : 0);
	if (item->field != FM_FIELD_TIME || item->after.len == 0)
		return (0);
	len = strftime(text, sizeof text, item->header.b, &when);
	for (i = 1; i < len; i++)
		n += text[i] == item->after.b[0] && text[i - 1] != text[i];
	return (n);
}

/* Reads a field and the text behind it.  Returns NULL, or what is wrong. */
static const char *
take_field(struct fm_access_format *format, const char **f, char **to)
{
	struct fm_access_item *item = &format->items[format->nitems];
	struct fm_text braces;

	if (format->nitems == FM_ACCESS_FIELDS)
		return ("it has too many fields");
	++*f;
	*f += strspn(*f, "<>!,0123456789");
	braces = take_braces(f);
	if (!isalpha((unsigned char)**f))
		return ("a % in it begins no field; %% is one that is none");
	item->field = field_of(**f, braces);
	item->header = fm_text(*to, braces.len);
	if (braces.len > 0)
		memcpy(*to, braces.b, braces.len);
	*to += braces.len;
	*(*to)++ = '\0';
	/* The value of %t has blanks: so its [ ] become texts around it. */
	if (*(*f)++ == 't' && braces.b == NULL) {
		struct fm_text *last = format->nitems == 0 ? &format->before :
		    &item[-1].after;

		((char *)(uintptr_t)last->b)[last->len++] = '[';
		*(*to)++ = ']';
		item->after = take_literal(f, to);
		item->after.b--;
		item->after.len++;
	} else {
		item->after = take_literal(f, to);
	}
	item->stops = stops_in_value(item);
	/* One byte more, for the '[' of a %t that may follow. */
	*(*to)++ = '\0';
	format->nitems++;
	return (NULL);
}

/*
 * Makes one field of %U%q, and checks that a format has all that is needed.
 * Returns NULL, or what is wrong.
 */
static const char *
join_fields(struct fm_access_format *format)
{
	struct fm_access_item *item = format->items;
	struct fm_access_item *end = item + format->nitems;
	bool has_url = false, has_host = false;

	for (; item < end; item++) {
		if (item + 1 < end && item->after.len == 0 &&
		    item->field == FM_FIELD_PATH &&
		    item[1].field == FM_FIELD_QUERY) {
			item->field = FM_FIELD_URL;
			item->after = item[1].after;
			memmove(item + 1, item + 2, (size_t)(end - item - 2) *
			    sizeof *item);
			end--;
			format->nitems--;
		}
		if (item + 1 < end && item->after.len == 0)
			return ("two fields with nothing between them can't "
			    "be told apart");
		has_url |= item->field == FM_FIELD_PATH ||
		    item->field == FM_FIELD_URL ||
		    item->field == FM_FIELD_REQUEST;
		has_host |= item->field == FM_FIELD_REQUEST ||
		    (item->field == FM_FIELD_HEADER &&
		    fm_text_eq_nocase(item->header, fm_text_of("Host")));
	}
	if (!has_url)
		return ("it has no URL, which is in %r and in %U%q");
	if (!has_host)
		return ("it has no host, which is in %r and in %{Host}i");
	return (NULL);
}

/*
 * Drops newlines from the end of a format; returns false if there are others.
 */
static bool
is_one_line(struct fm_access_format *format)
{
	struct fm_text *last = &format->items[format->nitems - 1].after;
	unsigned i;

	while (last->len > 0 && last->b[last->len - 1] == '\n')
		last->len--;
	for (i = 0; i < format->nitems; i++)
		if (memchr(format->items[i].after.b, '\n',
		    format->items[i].after.len) != NULL)
			return (false);
	return (memchr(format->before.b, '\n', format->before.len) == NULL);
}

static const char *
format_parse(struct fm_access_format *format, const char *f, char **to)
{
	const char *wrong = NULL;

	format->nitems = 0;
	format->before = take_literal(&f, to);
	*(*to)++ = '\0';
	while (wrong == NULL && *f != '\0')
		wrong = take_field(format, &f, to);
	if (wrong == NULL)
		wrong = join_fields(format);
	if (wrong == NULL && !is_one_line(format))
		wrong = "a request would be more than a line";
	return (wrong);
}

static char *
expand_default(const char *f)
{
	char *expanded = fm_cli_copy(f, strlen(f)), *old;
	const char *p;

	while ((p = strstr(expanded, default_format)) != NULL) {
		old = expanded;
		if (asprintf(&expanded, "%.*s%s%s", (int)(p - old), old,
		    usual_formats[0], p + strlen(default_format)) < 0)
			fm_cli_no_memory();
		free(old);
	}
	return (expanded);
}

struct fm_access *
fm_access_new(const char *format, const char **wrong)
{
	struct fm_access *access = fm_cli_alloc(sizeof *access);
	char *to, *expanded = NULL;
	size_t i, len = 0;

	for (i = 0; i < FM_ACCESS_USUAL; i++)
		len += strlen(usual_formats[i]);
	/* Beside its bytes a field has three NULs and a bracket at most. */
	if (format != NULL) {
		expanded = expand_default(format);
		len = strlen(expanded);
	}
	to = access->texts = fm_cli_alloc(4 * (len + FM_ACCESS_USUAL));
	*wrong = NULL;
	if (expanded != NULL) {
		access->nformats = 1;
		*wrong = format_parse(&access->formats[0], expanded, &to);
		free(expanded);
	} else {
		access->nformats = FM_ACCESS_USUAL;
		for (i = 0; i < FM_ACCESS_USUAL && *wrong == NULL; i++) {
			*wrong = format_parse(&access->formats[i],
			    usual_formats[i], &to);
			access->formats[i].usual = true;
		}
	}
	if (*wrong != NULL)
		fm_access_free(&access);
	return (access);
}

void
fm_access_free(struct fm_access **access)
{
	free((*access)->texts);
	free(*access);
	*access = NULL;
}
