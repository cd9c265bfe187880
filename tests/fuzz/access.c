/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: formats and lines of access logs.
 *
 *	a format, or nothing: the usual ones
 *	===
 *	a line			any number of these
 *
 * A line that is read makes a request that could be one, and the same with
 * the end of a line of another system.  The lines are also values of a request
 * (method, path, query, host, then others), which is written as varnishncsa
 * would write it: where nothing in a value looks like what ends it, the
 * request that is read is the one that was written.
 */

#include <ctype.h>
#include <time.h>

#include "logs/access.h"
#include "fuzz.h"

#define VALUES		12
#define FIELDS		64
#define TIME		'@'	/* for a letter: %{...}t, which %T is not */
#define NAMED		'{'	/* another one with a name: %{...}r is no %r */
#define WHEN		"21/Nov/2026:19:00:00 +0000"

const bool fuzz_has_parts = true;

enum { METHOD, PATH, QUERY, HOST, OTHERS };

/* A line as it is written, and the request that must be read from it. */
struct written {
	struct fm_text		values[VALUES];
	unsigned		next;		/* of the others */
	FILE			*out;
	char			*line;
	size_t			len;
	size_t			starts[FIELDS], ends[FIELDS];
	char			letters[FIELDS];	/* or these */
	unsigned		n;
	struct fm_text		names[FIELDS], headers[FIELDS];
	unsigned		nheaders;
	bool			has_method, has_url, has_query, has_request;
	bool			unknown;	/* cannot be told */
};

/*--------------------------------------------------------------------
 * Writing
 */

/* As varnishncsa does; controls have no way back. */
static void
put_value(struct written *w, struct fm_text value)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < value.len; i++) {
		c = (unsigned char)value.b[i];
		if (c == '"' || c == '\\')
			fprintf(w->out, "\\%c", c);
		else if (c == '\t')
			fputs("\\t", w->out);
		else if (c > 0x7e)
			fprintf(w->out, "\\x%02x", c);
		else
			fputc(c, w->out);
		w->unknown |= (c < ' ' && c != '\t') || c == 0x7f;
	}
}

static struct fm_text
other_value(struct written *w)
{
	return (w->values[OTHERS + w->next++ % (VALUES - OTHERS)]);
}

static void
put_time(struct written *w, struct fm_text name)
{
	static const struct tm when = { .tm_year = 126, .tm_mon = 10,
	    .tm_mday = 21, .tm_wday = 6, .tm_yday = 324, .tm_hour = 19 };
	char *format, text[256];
	size_t len;

	format = strndup(name.b, name.len);
	FUZZ_CHECK(format != NULL, "no memory");
	len = strftime(text, sizeof text, format, &when);
	free(format);
	fwrite(text, 1, len, w->out);
	w->unknown |= memchr(text, '\\', len) != NULL;
}

/* A header has one value, however often it is written. */
static struct fm_text
header_value(struct written *w, struct fm_text name)
{
	struct fm_text value;
	unsigned i;

	for (i = 0; i < w->nheaders; i++)
		if (fm_text_eq_nocase(w->names[i], name))
			break;
	if (fm_text_eq_nocase(name, fm_text_of("Host")))
		value = w->values[HOST];
	else
		value = i < w->nheaders ? w->headers[i] : other_value(w);
	w->names[w->nheaders] = name;
	w->headers[w->nheaders++] = value;
	return (value);
}

static void
put_request(struct written *w)
{
	put_value(w, w->values[METHOD]);
	fputs(" http://", w->out);
	put_value(w, w->values[HOST]);
	put_value(w, w->values[PATH]);
	put_value(w, w->values[QUERY]);
	fputs(" HTTP/1.1", w->out);
	w->has_request = true;
}

static void
put_field(struct written *w, char letter, struct fm_text name)
{
	if (name.b != NULL && name.len > 0 && letter == 'i')
		put_value(w, header_value(w, name));
	else if (name.b != NULL && name.len > 0 && letter == 't')
		put_time(w, name);
	else if (name.b != NULL || strchr("hlmqrtU", letter) == NULL)
		put_value(w, other_value(w));
	else if (letter == 'h' || letter == 'l')
		fputs(letter == 'h' ? "192.0.2.9" : "-", w->out);
	else if (letter == 't')
		fputs(WHEN, w->out);
	else if (letter == 'r')
		put_request(w);
	else
		put_value(w, w->values[letter == 'm' ? METHOD :
		    letter == 'q' ? QUERY : PATH]);
	if (name.b == NULL) {
		w->has_method |= letter == 'm';
		w->has_query |= letter == 'q';
		w->has_url |= letter == 'U';
	}
}

/* "%{name}x" from the % on; where it ends. */
static const char *
write_field(struct written *w, const char *f)
{
	struct fm_text name = { NULL, 0 };
	unsigned depth = 0;
	const char *b;
	bool brackets;

	for (f++; *f != '\0' && strchr("<>!,0123456789", *f) != NULL; f++)
		continue;
	if (*f == '{') {
		b = f + 1;
		do
			depth += (*f == '{') - (*f == '}');
		while (depth > 0 && *f++ != '\0');
		name = fm_text_span(b, f++);
	}
	FUZZ_CHECK(isalpha((unsigned char)*f), "a field without a letter");
	FUZZ_CHECK(w->n < FIELDS, "more fields than there may be");
	brackets = *f == 't' && name.b == NULL;
	if (brackets)
		fputc('[', w->out);
	fflush(w->out);
	w->letters[w->n] = name.b == NULL ? *f :
	    *f == 't' && name.len > 0 ? TIME : NAMED;
	w->starts[w->n] = w->len;
	put_field(w, *f, name);
	fflush(w->out);
	w->ends[w->n++] = w->len;
	if (brackets)
		fputc(']', w->out);
	return (f + 1);
}

static void
write_line(struct written *w, const char *f)
{
	w->out = open_memstream(&w->line, &w->len);
	FUZZ_CHECK(w->out != NULL, "no memory");
	while (*f != '\0') {
		if (*f == '%' && f[1] != '%') {
			f = write_field(w, f);
			continue;
		}
		if (*f == '\\' && f[1] != '\0')
			fputc(*++f == 't' ? '\t' : *f == 'n' ? '\n' : *f,
			    w->out);
		else
			fputc(*f == '%' ? *++f : *f, w->out);
		f++;
	}
	fclose(w->out);
	while (w->len > 0 && w->line[w->len - 1] == '\n')
		w->len--;
}

/*--------------------------------------------------------------------
 * Whether it can be told what was written
 */

#define TOKEN	"!#$%&'*+-.^_`|~"

static bool
has_only(struct fm_text t, const char *others)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.b[i]) &&
		    (t.b[i] == '\0' || strchr(others, t.b[i]) == NULL))
			return (false);
	return (t.len > 0);
}

static bool
has_byte(struct fm_text t, char c)
{
	return (t.len > 0 && memchr(t.b, c, t.len) != NULL);
}

/* That it ends at the first place where it can. */
static bool
ends_there(struct fm_text line, size_t start, size_t end, size_t next)
{
	struct fm_text after = fm_text(line.b + end, next - end);
	size_t p = start;

	if (after.b[0] == '\\')
		return (!has_byte(fm_text_span(line.b + start, after.b), '\\'));
	while (p < end)
		if (line.b[p] == '\\')
			p += 2;
		else if (after.b[0] == '"' ? line.b[p] == '"' :
		    line.len - p >= after.len &&
		    memcmp(line.b + p, after.b, after.len) == 0)
			return (false);
		else
			p++;
	return (p == end);
}

/* Rows of what ends it are known to be in it. */
static bool
rows_fit(char letter, struct fm_text value, char stop)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < value.len; i++)
		n += value.b[i] == stop;
	return (value.len > 0 && value.b[0] != stop &&
	    value.b[value.len - 1] != stop && (letter == TIME || n == 2));
}

static bool
can_be_told(const struct written *w)
{
	struct fm_text line = fm_text(w->line, w->len);
	size_t start, end, next;
	unsigned i;
	bool fits;

	for (i = 0; i < line.len; i++)
		if (line.b[i] == 0x7f ||
		    ((unsigned char)line.b[i] < ' ' && line.b[i] != '\t'))
			return (false);
	for (i = 0; i < w->n; i++) {
		start = w->starts[i];
		end = w->ends[i];
		next = i + 1 < w->n ? w->starts[i + 1] : w->len;
		/* The last one, or a path before its query. */
		if (end >= next)
			continue;
		if (i > 0 && w->ends[i - 1] == start && w->letters[i] == 'q')
			start = w->starts[i - 1];
		if (w->letters[i] == TIME || (w->letters[i] == 'r' &&
		    line.b[end] == ' '))
			fits = rows_fit(w->letters[i], fm_text(line.b + start,
			    end - start), line.b[end]);
		else
			fits = ends_there(line, start, end, next);
		if (!fits)
			return (false);
	}
	return (!w->unknown);
}

/* A request that Varnish would have had, and that all fields can hold. */
static bool
is_request(const struct written *w)
{
	struct fm_text path = w->values[PATH], query = w->values[QUERY];
	unsigned i;

	for (i = 0; i < w->nheaders; i++)
		if (has_byte(w->names[i], ':'))
			return (false);
	if ((w->has_method || w->has_request) &&
	    (!has_only(w->values[METHOD], TOKEN) ||
	    w->values[METHOD].b[0] == '-'))
		return (false);
	if (!w->has_request)
		return (path.len > 0 && (path.b[0] == '/' ||
		    path.b[0] == '*') && !fm_text_eq(query, fm_text_of("-")));
	return (has_only(w->values[HOST], ".-:[]") && path.len > 0 &&
	    (path.b[0] == '/' || (path.b[0] == '*' && path.len == 1 &&
	    query.len == 0)) && !has_byte(path, ' ') && !has_byte(path, '\t') &&
	    !has_byte(query, ' ') && !has_byte(query, '\t'));
}

/*--------------------------------------------------------------------
 * Checks
 */

static bool
read_copy(const struct fm_access *access, struct fm_text line,
    const char *end, struct fm_message *message)
{
	size_t len = line.len + strlen(end);
	char *copy = malloc(len > 0 ? len : 1);
	unsigned format;
	bool is;

	FUZZ_CHECK(copy != NULL, "no memory");
	if (line.len > 0)
		memcpy(copy, line.b, line.len);
	memcpy(copy + line.len, end, strlen(end));
	fm_message_init(message);
	is = fm_access_read(access, copy, len, message, &format);
	free(copy);
	return (is);
}

static void
check_same(const struct fm_message *a, const struct fm_message *b)
{
	size_t i;

	FUZZ_CHECK(fm_text_eq(a->method, b->method) &&
	    fm_text_eq(a->url, b->url) && a->nfields == b->nfields &&
	    a->client.len == b->client.len, "another request");
	for (i = 0; i < a->nfields; i++)
		FUZZ_CHECK(fm_text_eq(fm_text_span(a->fields[i].b,
		    a->fields[i].e), fm_text_span(b->fields[i].b,
		    b->fields[i].e)), "another header");
}

static void
check_line(const struct fm_access *access, struct fm_text line)
{
	struct fm_message message, again;
	bool is = read_copy(access, line, "", &message);

	FUZZ_CHECK(!is || (has_only(message.method, TOKEN) &&
	    message.url.len > 0 && (message.url.b[0] == '/' ||
	    message.url.b[0] == '*')), "\"%.*s %.*s\" is no request",
	    FUZZ_TEXT(message.method), FUZZ_TEXT(message.url));
	if (line.len == 0 || line.b[line.len - 1] != '\r') {
		FUZZ_CHECK(read_copy(access, line, "\r", &again) == is,
		    "only with another end");
		check_same(&message, &again);
		fm_message_fini(&again);
	}
	fm_message_fini(&message);
}

static void
check_field(const struct fm_message *message, size_t n, struct fm_text name,
    struct fm_text value)
{
	struct fm_text got_name, got;

	FUZZ_CHECK(n < message->nfields, "no %.*s", FUZZ_TEXT(name));
	fm_field_parts(&message->fields[n], &got_name, &got);
	FUZZ_CHECK(fm_text_eq(got_name, name) &&
	    fm_text_eq(got, fm_text_trim(value)),
	    "%.*s: %.*s, and not %.*s: %.*s", FUZZ_TEXT(got_name),
	    FUZZ_TEXT(got), FUZZ_TEXT(name), FUZZ_TEXT(value));
}

static bool
is_there(struct fm_text value)
{
	return (value.len > 0 && !fm_text_eq(value, fm_text_of("-")));
}

static void
check_fields(const struct written *w, const struct fm_message *message)
{
	bool has_host = false;
	size_t n = 0;
	unsigned i;

	for (i = 0; i < w->nheaders; i++)
		has_host |= is_there(w->headers[i]) &&
		    fm_text_eq_nocase(w->names[i], fm_text_of("Host"));
	if (!has_host && w->has_request)
		check_field(message, n++, fm_text_of("Host"),
		    w->values[HOST]);
	for (i = 0; i < w->nheaders; i++)
		if (is_there(w->headers[i]))
			check_field(message, n++, w->names[i], w->headers[i]);
	FUZZ_CHECK(n == message->nfields, "more headers than were written");
}

static void
check_written(const struct fm_access *access, const struct written *w)
{
	struct fm_text line = fm_text(w->line, w->len), path, query, url;
	struct fm_message message;

	FUZZ_CHECK(read_copy(access, line, "", &message),
	    "can't read: %.*s", FUZZ_TEXT(line));
	path = w->values[PATH];
	query = w->values[QUERY];
	if (!w->has_request && !(w->has_query && w->has_url))
		query.len = 0;
	url = message.url;
	FUZZ_CHECK(url.len == path.len + query.len &&
	    memcmp(url.b, path.b, path.len) == 0 && (query.len == 0 ||
	    memcmp(url.b + path.len, query.b, query.len) == 0),
	    "URL %.*s from: %.*s", FUZZ_TEXT(url), FUZZ_TEXT(line));
	FUZZ_CHECK(!(w->has_method || w->has_request) ||
	    fm_text_eq(message.method, w->values[METHOD]),
	    "method %.*s from: %.*s", FUZZ_TEXT(message.method),
	    FUZZ_TEXT(line));
	check_fields(w, &message);
	fm_message_fini(&message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char usual[] = "%h %l %u %t \"%r\" %s %b "
	    "\"%{Referer}i\" \"%{User-Agent}i\"";
	struct fm_text rest = fm_text((const char *)data, size), part, line;
	struct written w = { .n = 0 };
	struct fm_access *access;
	const char *wrong;
	char *format;
	unsigned i;

	(void)fuzz_part(&rest, &part);
	if (part.len > 0 && part.b[part.len - 1] == '\n')
		part.len--;
	if (has_byte(part, '\0'))
		return (0);
	format = strndup(part.len == 0 ? usual : part.b,
	    part.len == 0 ? sizeof usual - 1 : part.len);
	FUZZ_CHECK(format != NULL, "no memory");
	access = fm_access_new(part.len == 0 ? NULL : format, &wrong);
	FUZZ_CHECK((access == NULL) == (wrong != NULL), "wrong, or not");
	if (access == NULL) {
		free(format);
		return (0);
	}
	for (i = 0; fuzz_line(&rest, &line); i++) {
		check_line(access, line);
		if (i < VALUES)
			w.values[i] = line;
	}
	/* What stands for another format is written by its own name. */
	if (strstr(format, "default_format") == NULL) {
		write_line(&w, format);
		if (is_request(&w) && can_be_told(&w))
			check_written(access, &w);
		free(w.line);
	}
	fm_access_free(&access);
	free(format);
	return (0);
}
