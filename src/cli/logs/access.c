/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads lines of an access log.
 *
 * A value ends where the text that follows its field in the format begins.  A
 * value in quotes ends at the next quote, and the line is refused unless the
 * rest of that text follows.  So a line is read as it was written, or not at
 * all.
 */

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#include "access_priv.h"
#include "cli.h"

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
 * Returns where a byte comes next, other than behind a backslash; or the end.
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
find_value_end(char *p, char *end, const struct fm_access_item *item)
{
	unsigned n = item->stops;
	char stop;

	if (item->after.len == 0)
		return (end);
	stop = item->after.b[0];
	/* A day of one digit may have a blank before it. */
	if (item->field == FM_FIELD_TIME)
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
match_line(const struct fm_access_format *format, char *p, char *end,
    struct value *values)
{
	const struct fm_access_item *item;
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
		if (format->usual && item->field == FM_FIELD_LOGNAME &&
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
set_parts(struct fm_message *message, const struct parts *parts)
{
	char *url;

	assert(parts->url.b != NULL);
	fm_message_proto(message, parts->proto);
	if (parts->method.b != NULL)
		fm_message_method(message, parts->method);
	if (!is_there(parts->query)) {
		fm_message_url(message, parts->url, FM_URL_LOGGED);
		return;
	}
	url = fm_cli_alloc(parts->url.len + parts->query.len);
	memcpy(url, parts->url.b, parts->url.len);
	memcpy(url + parts->url.len, parts->query.b, parts->query.len);
	fm_message_url(message, fm_text(url, parts->url.len +
	    parts->query.len), FM_URL_LOGGED);
	free(url);
}

static bool
make_message(const struct fm_access_format *format, const struct value *values,
    struct fm_message *message)
{
	struct parts parts = { .url = { NULL, 0 } };
	struct fm_text texts[FM_ACCESS_FIELDS], request = { NULL, 0 };
	struct fm_text url = { NULL, 0 };
	unsigned i;

	for (i = 0; i < format->nitems; i++) {
		if (format->items[i].field == FM_FIELD_IGNORED)
			continue;
		texts[i] = unescape(values[i]);
		switch (format->items[i].field) {
		case FM_FIELD_METHOD:
			parts.method = texts[i];
			break;
		case FM_FIELD_QUERY:
			parts.query = texts[i];
			break;
		case FM_FIELD_PATH:
			parts.url = texts[i];
			break;
		case FM_FIELD_URL:
			url = texts[i];
			break;
		case FM_FIELD_REQUEST:
			request = texts[i];
			break;
		default:
			break;
		}
	}
	/* A whole URL or request line counts more than its parts. */
	if (url.b != NULL) {
		parts.url = url;
		parts.query = fm_text(NULL, 0);
	}
	if (request.b != NULL)
		split_request(&parts, request);
	if (!parts_fit(&parts))
		return (false);
	set_parts(message, &parts);
	for (i = 0; i < format->nitems; i++) {
		if (format->items[i].field == FM_FIELD_CLIENT)
			(void)fm_addr_parse(texts[i], &message->client);
		else if (format->items[i].field == FM_FIELD_HEADER &&
		    is_there(texts[i]))
			fm_message_header(message, format->items[i].header,
			    texts[i]);
	}
	fm_message_host(message);
	return (true);
}

bool
fm_access_read(const struct fm_access *access, char *line, size_t len,
    struct fm_message *message, unsigned *number)
{
	struct value values[FM_ACCESS_FIELDS];
	const struct fm_access_format *format;
	unsigned i;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (!is_clean(line, len))
		return (false);
	for (i = 0; i < access->nformats; i++) {
		format = &access->formats[i];
		*number = i;
		if (match_line(format, line, line + len, values))
			return (make_message(format, values, message));
	}
	return (false);
}

static bool
item_has(const struct fm_access_item *item, enum fm_access_part part,
    struct fm_text header)
{
	switch (part) {
	case FM_ACCESS_CLIENT:
		return (item->field == FM_FIELD_CLIENT);
	case FM_ACCESS_METHOD:
		return (item->field == FM_FIELD_METHOD ||
		    item->field == FM_FIELD_REQUEST);
	case FM_ACCESS_QUERY:
		return (item->field == FM_FIELD_QUERY ||
		    item->field == FM_FIELD_URL ||
		    item->field == FM_FIELD_REQUEST);
	default:
		return (item->field == FM_FIELD_HEADER &&
		    fm_text_eq_nocase(item->header, header));
	}
}

bool
fm_access_has(const struct fm_access *access, unsigned number,
    enum fm_access_part part, struct fm_text header)
{
	const struct fm_access_format *format = &access->formats[number];
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
