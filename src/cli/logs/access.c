/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads formats of access logs, as varnishncsa's -F has them, into items; and
 * lines by these formats.
 *
 * A value ends where the text that follows its field in the format begins.  A
 * value in quotes ends at the next quote, and the line is refused unless the
 * rest of that text follows.  So a line is read as it was written, or not at
 * all.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "access.h"
#include "cli.h"
#include "obj.h"

#define USUAL		4	/* formats that need no --format */
#define FIELDS_MOST	64	/* of a format */

enum field_kind {
	FIELD_IGNORED,
	FIELD_CLIENT,
	FIELD_HEADER,
	FIELD_LOGNAME,		/* which is always "-" */
	FIELD_METHOD,
	FIELD_PATH,
	FIELD_QUERY,
	FIELD_REQUEST,		/* method, URL and protocol */
	FIELD_STATUS,
	FIELD_TIME,		/* %t, or %{strftime}t */
	FIELD_URL		/* a path and a query beside each other */
};

/*
 * A format of an access log.  An item is a field and the text that follows it:
 *
 *	%t "%r" %s		before "[" (a time has brackets); items:
 *
 *	TIME	after "] \""
 *	REQUEST	after "\" "
 *	IGNORED	after ""
 */
struct access_item {
	enum field_kind		field;
	struct fm_text		header;		/* HEADER: its name */
	struct fm_text		after;		/* up to the next field */
	unsigned		stops;		/* TIME, REQUEST: how many rows
						 * of the byte that ends the
						 * value are in the value */
};

struct access_format {
	struct access_item	items[FIELDS_MOST];
	unsigned		nitems;
	struct fm_text		before;		/* the text before the fields */
	bool			usual;		/* not by --format: a line may
						 * have more words at its end */
};

struct fm_access {
	struct access_format	formats[USUAL];
	unsigned		nformats;
	char			*texts;		/* memory of their texts */
};

/*--------------------------------------------------------------------
 * Formats
 */

/* The usual formats: combined and common, with the host in %r, or first. */
static const char * const usual_formats[USUAL] = {
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

static enum field_kind
field_of(char letter, struct fm_text braces)
{
	if (braces.b != NULL)
		return (braces.len == 0 ? FIELD_IGNORED :
		    letter == 'i' ? FIELD_HEADER :
		    letter == 't' ? FIELD_TIME : FIELD_IGNORED);
	switch (letter) {
	case 'h':
		return (FIELD_CLIENT);
	case 'l':
		return (FIELD_LOGNAME);
	case 'm':
		return (FIELD_METHOD);
	case 'q':
		return (FIELD_QUERY);
	case 'r':
		return (FIELD_REQUEST);
	case 's':
		return (FIELD_STATUS);
	case 't':
		return (FIELD_TIME);
	case 'U':
		return (FIELD_PATH);
	default:
		return (FIELD_IGNORED);
	}
}

/* Copies the text before the next field to *to, with a NUL after it. */
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
stops_in_value(const struct access_item *item)
{
	static const struct tm when = { .tm_year = 126, .tm_mon = 10,
	    .tm_mday = 21, .tm_wday = 6, .tm_yday = 324, .tm_hour = 19 };
	char text[256];
	unsigned n = 0;
	size_t i, len;

	if (item->field == FIELD_REQUEST && item->after.len > 0)
		return (item->after.b[0] == ' ' ? 2 : 0);
	if (item->field != FIELD_TIME || item->after.len == 0)
		return (0);
	len = strftime(text, sizeof text, item->header.b, &when);
	for (i = 1; i < len; i++)
		n += text[i] == item->after.b[0] && text[i - 1] != text[i];
	return (n);
}

/* Reads a field and the text after it.  Returns NULL, or what is wrong. */
static const char *
take_field(struct access_format *format, const char **f, char **to)
{
	struct access_item *item = &format->items[format->nitems];
	struct fm_text braces;

	if (format->nitems == FIELDS_MOST)
		return ("it has too many fields");
	++*f;
	*f += strspn(*f, "<>!,0123456789");
	braces = take_braces(f);
	if (!isalpha((unsigned char)**f))
		return ("a % in it does not begin a field; write %% for a "
		    "percent sign");
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
join_fields(struct access_format *format)
{
	struct access_item *item = format->items;
	struct access_item *end = item + format->nitems;
	bool has_url = false, has_host = false;

	for (; item < end; item++) {
		if (item + 1 < end && item->after.len == 0 &&
		    item->field == FIELD_PATH &&
		    item[1].field == FIELD_QUERY) {
			item->field = FIELD_URL;
			item->after = item[1].after;
			memmove(item + 1, item + 2, (size_t)(end - item - 2) *
			    sizeof *item);
			end--;
			format->nitems--;
		}
		if (item + 1 < end && item->after.len == 0)
			return ("two fields with nothing between them can't "
			    "be told apart");
		has_url |= item->field == FIELD_PATH ||
		    item->field == FIELD_URL ||
		    item->field == FIELD_REQUEST;
		has_host |= item->field == FIELD_REQUEST ||
		    (item->field == FIELD_HEADER &&
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
is_one_line(struct access_format *format)
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
format_parse(struct access_format *format, const char *f, char **to)
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

	for (i = 0; i < USUAL; i++)
		len += strlen(usual_formats[i]);
	/* Beside its bytes a field has three NULs and a bracket at most. */
	if (format != NULL) {
		expanded = expand_default(format);
		len = strlen(expanded);
	}
	to = access->texts = fm_cli_alloc(4 * (len + USUAL));
	*wrong = NULL;
	if (expanded != NULL) {
		access->nformats = 1;
		*wrong = format_parse(&access->formats[0], expanded, &to);
		free(expanded);
	} else {
		access->nformats = USUAL;
		for (i = 0; i < USUAL && *wrong == NULL; i++) {
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

/*--------------------------------------------------------------------
 * Lines
 */

/* The value of a field: a part of the line, which may be overwritten. */
struct value {
	char			*b;
	size_t			len;
};

static bool
text_is_at(const char *p, const char *end, struct fm_text text)
{
	return ((size_t)(end - p) >= text.len &&
	    memcmp(p, text.b, text.len) == 0);
}

static bool
take_text(char **p, const char *end, struct fm_text text)
{
	if (!text_is_at(*p, end, text))
		return (false);
	*p += text.len;
	return (true);
}

/*
 * Returns where a byte comes next, other than after a backslash; or the end.
 */
static char *
find_end(char *p, const char *end, char stop)
{
	for (; p < end && *p != stop; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return (p);
}

static char *
skip_row(char *p, const char *end, char of)
{
	while (p < end && *p == of)
		p++;
	return (p);
}

static char *
find_value_end(char *p, char *end, const struct access_item *item)
{
	unsigned n = item->stops;
	char stop;

	if (item->after.len == 0)
		return (end);
	stop = item->after.b[0];
	/* A day of one digit may have a blank before it. */
	if (item->field == FIELD_TIME)
		p = skip_row(p, end, stop);
	for (; n > 0; n--)
		p = skip_row(find_end(p, end, stop), end, stop);
	for (;; p++) {
		p = find_end(p, end, stop);
		if (p == end || stop == '"' ||
		    text_is_at(p, end, item->after))
			return (p);
	}
}

static bool
match_line(const struct access_format *format, char *p, char *end,
    struct value *values)
{
	const struct access_item *item;
	unsigned i;
	char *stop;

	assert(format->nitems > 0);
	if (!take_text(&p, end, format->before))
		return (false);
	for (i = 0; i < format->nitems; i++) {
		item = &format->items[i];
		stop = find_value_end(p, end, item);
		values[i] = (struct value){ p, (size_t)(stop - p) };
		p = stop;
		if (!take_text(&p, end, item->after))
			return (false);
		/* The "-" of %l tells the usual formats apart. */
		if (format->usual && item->field == FIELD_LOGNAME &&
		    (values[i].len != 1 || *values[i].b != '-'))
			return (false);
	}
	i = format->nitems - 1;
	if (!format->usual)
		return (p == end);
	if (format->items[i].after.len == 0)
		return (memchr(values[i].b, ' ', values[i].len) == NULL);
	return (p == end || fm_is_blank(*p));
}

/*
 * Undoes the backslashes of varnishncsa.  An escape for a control character
 * stays, since no request with such a byte gets as far as VCL.
 */
static struct fm_text
unescape(struct value value)
{
	char *from, *to, *end = value.b + value.len;
	int high, low;

	from = memchr(value.b, '\\', value.len);
	if (from == NULL)
		return (fm_text(value.b, value.len));
	for (to = from; from < end; *to++ = *from++) {
		if (*from != '\\' || end - from < 2)
			continue;
		if (from[1] == '"' || from[1] == '\\') {
			from++;
		} else if (from[1] == 't') {
			*++from = '\t';
		} else if (from[1] == 'x' && end - from >= 4) {
			high = fm_hex_digit(from[2]);
			low = fm_hex_digit(from[3]);
			if (high < 2 || low < 0 || (high == 7 && low == 15))
				continue;
			from += 3;
			*from = (char)(high << 4 | low);
		}
	}
	return (fm_text_span(value.b, to));
}

/*
 * Returns true if a line has no control, which varnishncsa would have escaped.
 */
static bool
is_clean(const char *line, size_t len)
{
	unsigned char c;
	bool bad = false;
	size_t i;

	for (i = 0; i < len; i++) {
		c = (unsigned char)line[i];
		bad |= (c < ' ' && c != '\t') || c == 0x7f;
	}
	return (!bad);
}

static struct fm_text
take_word(struct fm_text *rest)
{
	struct fm_text word;
	size_t len;

	*rest = fm_text_trim(*rest);
	for (len = 0; len < rest->len; len++)
		if (fm_is_blank(rest->b[len]))
			break;
	word = fm_text(rest->b, len);
	*rest = fm_text(rest->b + len, rest->len - len);
	return (word);
}

static bool
is_there(struct fm_text value)
{
	return (value.len > 0 && !fm_text_eq(value, fm_text_of("-")));
}

static bool
begins(struct fm_text text, const char *with)
{
	size_t len = strlen(with);

	return (text.len >= len && strncasecmp(text.b, with, len) == 0);
}

/* The request line, in parts. */
struct parts {
	struct fm_text		method, url, query, proto;
};

/*
 * Splits "GET http://www.example.com/ HTTP/1.1".  All between the first word
 * and the last is the URL, since the Host that varnishncsa puts into it may
 * have blanks.
 */
static void
split_request(struct parts *parts, struct fm_text request)
{
	size_t len;

	parts->method = take_word(&request);
	parts->query = fm_text(NULL, 0);
	request = fm_text_trim(request);
	parts->url = request;
	for (len = request.len; len > 0; len--)
		if (fm_is_blank(request.b[len - 1]))
			break;
	if (len > 0 && begins(fm_text(request.b + len, request.len - len),
	    "HTTP/")) {
		parts->url = fm_text_trim(fm_text(request.b, len));
		parts->proto = fm_text(request.b + len, request.len - len);
	}
}

/*
 * Returns true for a method that is a token, and a URL like /a, * or http://a/.
 */
static bool
parts_fit(const struct parts *parts)
{
	struct fm_text method = parts->method, url = parts->url;

	if (method.b != NULL && (!fm_text_is_token(method, "") ||
	    method.b[0] == '-'))
		return (false);
	return ((url.len > 0 && (url.b[0] == '/' || url.b[0] == '*')) ||
	    begins(url, "http://") || begins(url, "https://"));
}

static void
set_parts(struct fm_made_request *made, const struct parts *parts)
{
	char *url;

	assert(parts->url.b != NULL);
	fm_made_proto(made, parts->proto);
	if (parts->method.b != NULL)
		fm_made_method(made, parts->method);
	if (!is_there(parts->query)) {
		fm_made_url(made, parts->url, FM_URL_LOGGED);
		return;
	}
	url = fm_cli_alloc(parts->url.len + parts->query.len);
	memcpy(url, parts->url.b, parts->url.len);
	memcpy(url + parts->url.len, parts->query.b, parts->query.len);
	fm_made_url(made, fm_text(url, parts->url.len +
	    parts->query.len), FM_URL_LOGGED);
	free(url);
}

/*
 * Reads a time as strftime() has written it.  Returns the seconds since 1970,
 * or 0 if it is not one.
 */
static double
read_time(const struct access_item *item, struct fm_text value)
{
	static const char usual[] = "%d/%b/%Y:%H:%M:%S %z";
	struct tm when = { .tm_mday = 1 };
	char buf[64];
	time_t seconds;
	long offset;

	if (value.len >= sizeof buf)
		return (0);
	memcpy(buf, value.b, value.len);
	buf[value.len] = '\0';
	if (strptime(buf, item->header.len == 0 ? usual : item->header.b,
	    &when) == NULL)
		return (0);
	offset = when.tm_gmtoff;
	seconds = timegm(&when);
	return (seconds < 0 ? 0 : (double)(seconds - offset));
}

/* Reads a status of three digits; returns 0 for anything else. */
static unsigned
read_status(struct fm_text value)
{
	unsigned status = 0;
	size_t i;

	for (i = 0; i < value.len; i++) {
		if (value.b[i] < '0' || value.b[i] > '9')
			return (0);
		status = status * 10 + (unsigned)(value.b[i] - '0');
	}
	return (value.len == 3 ? status : 0);
}

/* Takes a field that is not a part of the request line. */
static void
take_also(const struct access_item *item, struct fm_text text,
    struct fm_made_request *made, struct fm_access_also *also)
{
	if (item->field == FIELD_CLIENT)
		(void)fm_addr_parse(text, &made->client);
	else if (item->field == FIELD_HEADER && is_there(text))
		fm_made_header(made, item->header, text);
	else if (item->field == FIELD_TIME)
		also->time = read_time(item, text);
	else if (item->field == FIELD_STATUS)
		also->status = read_status(text);
}

static bool
make_request(const struct access_format *format, const struct value *values,
    struct fm_made_request *made, struct fm_access_also *also)
{
	struct fm_text texts[FIELDS_MOST], of[FIELD_URL + 1] = { { NULL, 0 } };
	struct parts parts;
	unsigned i;

	for (i = 0; i < format->nitems; i++)
		if (format->items[i].field != FIELD_IGNORED)
			of[format->items[i].field] = texts[i] =
			    unescape(values[i]);
	parts = (struct parts){ .method = of[FIELD_METHOD],
	    .url = of[FIELD_PATH], .query = of[FIELD_QUERY] };
	/* A whole URL or request line counts more than its parts. */
	if (of[FIELD_URL].b != NULL)
		parts = (struct parts){ .method = parts.method,
		    .url = of[FIELD_URL] };
	if (of[FIELD_REQUEST].b != NULL)
		split_request(&parts, of[FIELD_REQUEST]);
	if (!parts_fit(&parts))
		return (false);
	set_parts(made, &parts);
	for (i = 0; i < format->nitems; i++)
		take_also(&format->items[i], texts[i], made, also);
	fm_made_host(made);
	return (true);
}

bool
fm_access_read(const struct fm_access *access, char *line, size_t len,
    struct fm_made_request *made, struct fm_access_also *also,
    unsigned *number)
{
	struct value values[FIELDS_MOST];
	const struct access_format *format;
	unsigned i;

	*also = (struct fm_access_also){ .time = 0 };
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (!is_clean(line, len))
		return (false);
	for (i = 0; i < access->nformats; i++) {
		format = &access->formats[i];
		*number = i;
		if (match_line(format, line, line + len, values))
			return (make_request(format, values, made, also));
	}
	return (false);
}

static bool
item_has(const struct access_item *item, enum fm_access_part part,
    struct fm_text header)
{
	switch (part) {
	case FM_ACCESS_CLIENT:
		return (item->field == FIELD_CLIENT);
	case FM_ACCESS_METHOD:
		return (item->field == FIELD_METHOD ||
		    item->field == FIELD_REQUEST);
	case FM_ACCESS_QUERY:
		return (item->field == FIELD_QUERY ||
		    item->field == FIELD_URL ||
		    item->field == FIELD_REQUEST);
	default:
		return (item->field == FIELD_HEADER &&
		    fm_text_eq_nocase(item->header, header));
	}
}

bool
fm_access_has(const struct fm_access *access, unsigned number,
    enum fm_access_part part, struct fm_text header)
{
	const struct access_format *format = &access->formats[number];
	unsigned i;

	/* Each format has the Host, if only in the URL. */
	if (part == FM_ACCESS_HEADER &&
	    fm_text_eq_nocase(header, fm_text_of("Host")))
		return (true);
	for (i = 0; i < format->nitems; i++)
		if (item_has(&format->items[i], part, header))
			return (true);
	return (false);
}
