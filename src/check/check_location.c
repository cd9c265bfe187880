/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the Location of redirects, in which no client may choose the host.
 * Each must have one of these forms:
 *
 *	https://www.example.com${url}	a scheme, a host, and anything after
 *	//${host}/a			it; or a host that keeps the scheme
 *	${scheme}://www.example.com/
 *	/a/${1}				a path, which a run guards
 *	${url}#top			a path, too
 *
 * The host ends where ${url} or ${path} begins, or a `/`, `?` or `#` of the
 * rule's text.  ${?query} may be empty: the host goes on after it.
 */

#include "check_priv.h"

/* Returns the text of a part; it is empty where the part is a value. */
static struct fm_text
part_text(const struct fm_part *part)
{
	if (part == NULL || part->kind != FM_PART_TEXT)
		return (fm_text("", 0));
	return (part->text);
}

/* Returns true if a value is the host that was asked for, or the rules' own. */
static bool
is_of_host(const struct fm_part *part)
{
	return (part->kind == FM_PART_HOST || part->kind == FM_PART_DOMAIN ||
	    part->kind == FM_PART_WILD || part->kind == FM_PART_RULESET ||
	    (part->kind == FM_PART_GROUP && part->of_host));
}

/* Returns how many bytes of a text are the host's. */
static size_t
host_span(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] == '/' || t.b[i] == '?' || t.b[i] == '#')
			break;
	return (i);
}

/*--------------------------------------------------------------------
 * The host
 */

/* Returns false, and says why, if the text of a host has what no host has. */
static bool
host_text_check(struct fm_check *check, const struct fm_part *part,
    struct fm_text host)
{
	if (fm_text_has(host, "\\"))
		fm_check_error(check, &part->at, FM_MSG_LOCATION_BACKSLASH);
	else if (fm_text_has(host, " "))
		fm_check_error(check, &part->at, FM_MSG_LOCATION_BLANK);
	else
		return (true);
	return (false);
}

/* Checks the host.  The first part has `before` bytes of scheme and slashes. */
static void
host_check(struct fm_check *check, const struct fm_part *first, size_t before)
{
	const struct fm_part *part;
	struct fm_text t;
	bool empty = true, ended = false;

	for (part = first; part != NULL && !ended; part = part->next) {
		if (part->kind == FM_PART_TEXT) {
			t = part->text;
			if (part == first)
				t = fm_text_span(t.b + before, t.b + t.len);
			/* The run takes these away. */
			while (part->next == NULL && t.len > 0 &&
			    t.b[t.len - 1] == ' ')
				t.len--;
			ended = host_span(t) < t.len;
			t.len = host_span(t);
			if (!host_text_check(check, part, t))
				return;
			/* A port is not a host. */
			if (empty && t.len > 0 && *t.b == ':')
				break;
			empty = empty && t.len == 0;
		} else if (is_of_host(part)) {
			empty = false;
		} else if (part->kind == FM_PART_URL ||
		    part->kind == FM_PART_PATH) {
			ended = true;
		} else if (part->kind != FM_PART_SEARCH) {
			fm_check_error(check, &part->at,
			    FM_MSG_LOCATION_HOST_VALUE);
			return;
		}
	}
	if (empty)
		fm_check_error(check, &first->at, FM_MSG_LOCATION_HOST_EMPTY);
}

/*
 * Returns the host that the text of a Location names, up to its end; it is
 * empty where a value follows, and NULL where there is none.
 */
struct fm_text
fm_check_location_host(struct fm_text t)
{
	const char *mark = fm_text_find(t, fm_text_of("//"));
	struct fm_text host;

	if (mark == NULL || (mark != t.b && (mark[-1] != ':' ||
	    memchr(t.b, '/', (size_t)(mark - t.b)) != NULL)))
		return (fm_text(NULL, 0));
	host = fm_text_span(mark + 2, t.b + t.len);
	host.len = host_span(host);
	return (host);
}

/* Returns true if a client may have written the host of a Location. */
bool
fm_check_location_open(const struct fm_value *value)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;
	struct fm_text t, host;

	if (part != NULL && part->kind == FM_PART_SCHEME)
		part = part->next;
	t = part_text(part);
	host = fm_check_location_host(t);
	/* The host goes on to the end of the text, and what is after it. */
	if (host.b == NULL || host.b + host.len < t.b + t.len)
		return (false);
	for (part = part->next; part != NULL; part = part->next) {
		if (part->kind == FM_PART_HOST ||
		    part->kind == FM_PART_DOMAIN ||
		    part->kind == FM_PART_WILD)
			return (true);
		if (part->kind != FM_PART_TEXT ||
		    host_span(part->text) < part->text.len)
			break;
	}
	return (false);
}

/*--------------------------------------------------------------------
 * The first part
 */

/* Reports a Location that begins with a value, unless that is a path. */
static void
first_value_check(struct fm_check *check, const struct fm_part *part)
{
	bool url = fm_text_begins(part_text(part->next), "://");

	if (part->kind == FM_PART_URL || part->kind == FM_PART_PATH)
		return;
	if (part->kind == FM_PART_SCHEME && url)
		host_check(check, part->next, strlen("://"));
	else if (url)
		fm_check_error(check, &part->at, FM_MSG_LOCATION_SCHEME);
	else if (is_of_host(part))
		fm_check_error(check, &part->at, FM_MSG_LOCATION_HOST_FIRST);
	else
		fm_check_error(check, &part->at, FM_MSG_LOCATION_FIRST);
}

/* Reports a text that is neither a path nor a URL. */
static void
bare_tell(struct fm_check *check, const struct fm_part *part, struct fm_text t)
{
	const char *mark = fm_text_find(t, fm_text_of("://"));
	struct fm_text host = t;

	/* The text before it is not a scheme. */
	if (mark != NULL)
		host = fm_text_span(mark + 3, t.b + t.len);
	fm_check_error(check, &part->at, FM_MSG_LOCATION_BARE,
	    FM_SHOW(t), FM_SHOW(host), FM_SHOW(t));
}

/* Checks a Location that does not begin with a slash: there is a scheme. */
static void
scheme_check(struct fm_check *check, const struct fm_part *part,
    struct fm_text t)
{
	size_t before = part->text.len - t.len, n = 0;
	struct fm_text scheme, after;

	while (n < t.len && (fm_check_is_letter(t.b[n]) || (n > 0 &&
	    (fm_check_is_digit(t.b[n]) || strchr("+-.", t.b[n]) != NULL))))
		n++;
	scheme = fm_text(t.b, n);
	after = fm_text(t.b + n, t.len - n);
	if (n > 0 && fm_text_begins(after, "://"))
		host_check(check, part, before + n + 3);
	else if (n > 0 && after.len == 0 && part->next != NULL &&
	    fm_text_begins(part_text(part->next->next), "://"))
		fm_check_error(check, &part->next->at, FM_MSG_LOCATION_SCHEME);
	/* Digits after a colon are a port. */
	else if (n > 0 && fm_text_begins(after, ":") &&
	    !(after.len > 1 && fm_check_is_digit(after.b[1])))
		fm_check_error(check, &part->at, FM_MSG_LOCATION_SLASHES,
		    FM_SHOW(scheme));
	else
		bare_tell(check, part, t);
}

/* Checks a Location that begins with a text; its blanks are left out. */
static void
first_text_check(struct fm_check *check, const struct fm_part *part,
    struct fm_text t)
{
	size_t before = part->text.len - t.len;

	if (fm_text_begins(t, "//"))
		host_check(check, part, before + 2);
	else if (fm_text_begins(t, "\\") || fm_text_begins(t, "/\\"))
		fm_check_error(check, &part->at, FM_MSG_LOCATION_BACKSLASH);
	else if (*t.b == '?' || *t.b == '#')
		fm_check_error(check, &part->at, FM_MSG_LOCATION_QUERY,
		    FM_SHOW(t), *t.b == '?' ? "${path}" : "${url}",
		    FM_SHOW(t));
	else if (*t.b != '/')
		scheme_check(check, part, t);
}

/* Returns false, and says so, if a text has a control character. */
static bool
controls_check(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part;
	struct fm_text t;
	size_t i;

	for (part = value->parts; part != NULL; part = part->next) {
		t = part_text(part);
		for (i = 0; i < t.len; i++)
			if (fm_check_is_control(t.b[i])) {
				fm_check_error(check, &part->at,
				    FM_MSG_LOCATION_CONTROL);
				return (false);
			}
	}
	return (true);
}

void
fm_check_query_mark(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part, *query;
	struct fm_text t;

	for (part = value->parts; part != NULL; part = part->next) {
		t = part_text(part);
		query = part->next;
		if (t.len > 0 && t.b[t.len - 1] == '?' &&
		    memchr(t.b, '?', t.len - 1) == NULL &&
		    query != NULL && query->kind == FM_PART_QUERY &&
		    (query->next == NULL ||
		    fm_text_begins(part_text(query->next), "#")))
			fm_diag_warning(check->diag, &query->at,
			    FM_MSG_WARN_QUERY_MARK);
	}
}

void
fm_check_location(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part;
	struct fm_text t;

	if (value == NULL || value->map != NULL ||
	    fm_check_value_empty(value) || !controls_check(check, value))
		return;
	fm_check_query_mark(check, value);
	for (part = value->parts; part != NULL; part = part->next) {
		if (part->kind != FM_PART_TEXT) {
			first_value_check(check, part);
			return;
		}
		/* The run takes blanks away. */
		for (t = part->text; t.len > 0 && *t.b == ' '; t.len--)
			t.b++;
		if (t.len > 0) {
			first_text_check(check, part, t);
			return;
		}
	}
}
