/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes the URL of a request apart and edits it, and finds the subjects of
 * tests and maps.
 *
 * A URL is usually a path and a query.  A client may also send the absolute
 * form (http://host/path?query), or anything else, for example `*`.
 */

#include "obj.h"
#include "params.h"
#include "percent.h"
#include "request.h"

static bool
is_scheme_byte(char c, bool first)
{
	char lower = (char)(c | 0x20);

	if (lower >= 'a' && lower <= 'z')
		return (true);
	return (!first && ((c >= '0' && c <= '9') || c == '+' || c == '-' ||
	    c == '.'));
}

struct fm_text
fm_request_authority(struct fm_text url)
{
	size_t i = 0, start;

	while (i < url.len && is_scheme_byte(url.b[i], i == 0))
		i++;
	if (i == 0 || url.len - i < 3 || memcmp(url.b + i, "://", 3) != 0)
		return (fm_text(NULL, 0));
	start = i + 3;
	for (i = start; i < url.len; i++)
		if (url.b[i] == '/' || url.b[i] == '?')
			break;
	return (fm_text(url.b + start, i - start));
}

/* Returns the URL after its authority; all of it if it has no authority. */
static struct fm_text
url_after_authority(struct fm_text url)
{
	struct fm_text authority = fm_request_authority(url);

	if (authority.b == NULL)
		return (url);
	return (fm_text_span(authority.b + authority.len, url.b + url.len));
}

/* Sets the path if the URL begins with it; else the path is not read yet. */
static inline void
path_begin(struct fm_request *req)
{
	req->path = req->mark > 0 && *req->url.b == '/' ?
	    fm_text(req->url.b, req->mark) : fm_text(NULL, 0);
}

void
fm_request_mark(struct fm_request *req)
{
	const char *mark = NULL;

	req->fragment = false;
	if (req->url.len > 0) {
		mark = memchr(req->url.b, '?', req->url.len);
		req->fragment = memchr(req->url.b, '#', req->url.len) != NULL;
	}
	req->mark = mark == NULL ? req->url.len : (size_t)(mark - req->url.b);
	path_begin(req);
}

struct fm_text
fm_request_path(struct fm_request *req)
{
	struct fm_text rest;

	if (req->path.b != NULL || req->url.b == NULL)
		return (req->path);
	rest = url_after_authority(fm_text(req->url.b, req->mark));
	if (rest.len == 0 && rest.b != req->url.b)
		rest = fm_text("/", 1);
	req->path = rest;
	return (req->path);
}

/* Returns the text with a `/` in front, unless it has one. */
static struct fm_text
url_rooted(struct fm_request *req, struct fm_text t)
{
	char *buf;

	if (t.len > 0 && *t.b == '/')
		return (t);
	if (t.len == 0)
		return (fm_text("/", 1));
	buf = fm_request_alloc(req, t.len + 1);
	if (buf == NULL)
		return (fm_text("/", 1));
	buf[0] = '/';
	memcpy(buf + 1, t.b, t.len);
	return (fm_text(buf, t.len + 1));
}

struct fm_text
fm_request_target(struct fm_request *req)
{
	return (url_rooted(req, url_after_authority(fm_request_url(req))));
}

struct fm_text
fm_request_target_path(struct fm_request *req)
{
	return (url_rooted(req, fm_request_path(req)));
}

/*--------------------------------------------------------------------
 * The path as most backends take it
 */

/*
 * Resolves the last segment of b, from `segment` to `end`, if it is `.` or
 * `..`.  Returns the new end.
 */
static size_t
segment_resolve(const char *b, size_t segment, size_t end)
{
	size_t len = end - segment;

	if (len == 1 && b[segment] == '.')
		return (segment);
	if (len != 2 || b[segment] != '.' || b[segment + 1] != '.')
		return (end);
	/* `..` removes the segment before it, unless it is the first one. */
	if (segment > 1)
		for (segment--; b[segment - 1] != '/'; segment--)
			continue;
	return (segment);
}

/*
 * Writes the clean path, which is no longer than the path, to b.  Returns its
 * length.
 */
static size_t
path_clean(struct fm_text path, char *b)
{
	const char *from = path.b, *end = path.b + path.len;
	size_t len = 1, segment = 1;
	char c;

	b[0] = '/';
	while (from < end) {
		c = (char)fm_percent_next(&from, end);
		if (c != '/') {
			b[len++] = c;
			continue;
		}
		len = segment_resolve(b, segment, len);
		if (b[len - 1] != '/')
			b[len++] = '/';
		segment = len;
	}
	return (segment_resolve(b, segment, len));
}

struct fm_text
fm_request_clean_path(struct fm_request *req)
{
	struct fm_text path;
	size_t len;
	char *buf;

	if (req->clean_path.b != NULL)
		return (req->clean_path);
	path = fm_request_target_path(req);
	if (!fm_readings_one(path)) {
		buf = fm_request_alloc(req, path.len);
		if (buf == NULL)
			return (path);
		len = path_clean(path, buf);
		fm_scratch_shrink(req->scratch, buf, path.len, len);
		path = fm_text(buf, len);
	}
	req->clean_path = path;
	return (path);
}

/*--------------------------------------------------------------------
 * Edits, and parts that have a name
 */

struct fm_text
fm_request_query(struct fm_request *req)
{
	struct fm_text url = fm_request_url(req);

	if (req->mark == url.len)
		return (fm_text("", 0));
	return (fm_text_span(url.b + req->mark + 1, url.b + url.len));
}

struct fm_text
fm_request_search(struct fm_request *req)
{
	struct fm_text query = fm_request_query(req);

	if (query.len == 0)
		return (query);
	return (fm_text(query.b - 1, query.len + 1));
}

bool
fm_request_edit_url(struct fm_request *req, struct fm_text url, bool path,
    uint32_t rule)
{
	if (url.len == 0) {
		url = fm_text("/", 1);
		path = true;
	}
	if (fm_text_eq(url, req->url))
		return (false);
	req->url = url;
	req->url_rule = rule;
	req->url_version++;
	if (path || req->fragment)
		fm_request_mark(req);
	else if (req->mark > url.len)
		req->mark = url.len;	/* the query is gone */
	path_begin(req);
	if (path) {
		req->path_version++;
		req->clean_path = fm_text(NULL, 0);
	}
	return (true);
}

/* Returns true if params[n] can take one pass with the queries that wait. */
static bool
queries_join(const struct fm_request *req, uint32_t n)
{
	const struct fm_params *params = req->program->params;

	return (req->nqueries < FM_REQUEST_FILTERS &&
	    fm_params_only_filters(&params[n]) && fm_params_only_filters(
	    &params[req->queries[req->nqueries - 1].params]));
}

/* A URL that may become empty does not wait: it gets another path then. */
void
fm_request_filter_query(struct fm_request *req, uint32_t n, uint32_t rule)
{
	if (req->nqueries > 0 && !queries_join(req, n))
		fm_request_filter_query_now(req);
	if (req->mark == req->url.len)
		return;
	req->queries[req->nqueries].params = n;
	req->queries[req->nqueries++].rule = rule;
	/* A `#` may be in a parameter that is dropped. */
	if (req->mark == 0 || req->fragment)
		fm_request_filter_query_now(req);
}

void
fm_request_filter_query_now(struct fm_request *req)
{
	const struct fm_params *lists[FM_REQUEST_FILTERS];
	struct fm_text url = req->url, out;
	unsigned i, n = req->nqueries, last;
	char *buf;

	req->nqueries = 0;
	buf = fm_request_alloc(req, url.len);
	if (buf == NULL)
		return;
	for (i = 0; i < n; i++)
		lists[i] = &req->program->params[req->queries[i].params];
	if (fm_params_query_lists(lists, n, url, req->mark, buf, url.len,
	    &out, &last) == FM_PARAMS_SPACE)
		req->no_memory = true;
	fm_scratch_shrink(req->scratch, buf, url.len,
	    out.b == buf ? out.len : 0);
	if (out.b != url.b)
		(void)fm_request_edit_url(req, out, false,
		    req->queries[last].rule);
}

static struct fm_text
subject_query(struct fm_request *req, struct fm_text name)
{
	struct fm_text url = fm_request_url(req), value;

	if (url.len == 0 || !fm_params_query_find(url, name, &value))
		return (fm_text(NULL, 0));
	return (fm_text_or_empty(value));
}

static struct fm_text
subject_cookie(struct fm_request *req, struct fm_text name)
{
	struct fm_text cookie, value;

	cookie = fm_request_header(req, FM_SLOT_OF_COOKIE);
	if (cookie.len == 0 || !fm_params_cookie_find(cookie, name, &value))
		return (fm_text(NULL, 0));
	return (fm_text_or_empty(value));
}

struct fm_text
fm_request_subject_of(struct fm_request *req,
    const struct fm_subject_code *subject)
{
	switch ((enum fm_subject_kind)subject->kind) {
	case FM_SUBJECT_URL:
		return (fm_request_url(req));
	case FM_SUBJECT_PATH:
		return (fm_request_path(req));
	case FM_SUBJECT_CLEAN_PATH:
		return (fm_request_clean_path(req));
	case FM_SUBJECT_HOST:
		return (req->host);
	case FM_SUBJECT_METHOD:
		return (req->view->method);
	case FM_SUBJECT_QUERY:
		return (subject_query(req, req->program->texts[subject->name]));
	case FM_SUBJECT_COOKIE:
		return (subject_cookie(req,
		    req->program->texts[subject->name]));
	case FM_SUBJECT_HEADER:
		return (fm_request_header(req, subject->slot));
	case FM_SUBJECT_CLIENT:
		return (fm_request_client(req));
	case FM_SUBJECT_SCHEME:
		return (fm_request_scheme(req));
	case FM_SUBJECT_STATUS:
	case FM_SUBJECT_TYPE:
	case FM_SUBJECT_SET_COOKIE:
	case FM_SUBJECT_CACHE_CONTROL:
	case FM_SUBJECT_CACHE:
	case FM_SUBJECT_TTL:
	case FM_SUBJECT_SIZE:
	case FM_SUBJECT_FETCH:
	case FM_SUBJECT_RESTARTS:
		return (fm_response_subject(req, subject));
	case FM_SUBJECT_REQUEST_HEADER:	/* the compiler makes a HEADER */
		break;
	}
	assert(!"a kind of subject");
	return (fm_text(NULL, 0));
}

static uint32_t
slot_version(struct fm_request *req, unsigned slot)
{
	if (slot == FM_SLOT_OF_COOKIE && req->nfilters > 0)
		fm_request_filter_now(req);
	return (req->slots[slot].version + 1);
}

uint32_t
fm_request_version(struct fm_request *req,
    const struct fm_subject_code *subject)
{
	switch ((enum fm_subject_kind)subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_QUERY:
		(void)fm_request_url(req);
		return (req->url_version);
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
		return (req->path_version);
	case FM_SUBJECT_COOKIE:
		return (slot_version(req, FM_SLOT_OF_COOKIE));
	case FM_SUBJECT_HEADER:
	case FM_SUBJECT_TYPE:
	case FM_SUBJECT_SET_COOKIE:
	case FM_SUBJECT_CACHE_CONTROL:
		return (slot_version(req, subject->slot));
	default:
		break;
	}
	return (1);
}
