/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The URL of a request and its parts, and what else tests and maps look at.
 *
 * A URL mostly is a path and a query; it may be of absolute form
 * (http://host/path?query) as well, or anything else that a client sends, `*`
 * for one.
 */

#include "obj.h"
#include "params.h"
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

/*
 * Behind the scheme and the authority of an absolute form; the URL itself
 * where it is none.
 */
static struct fm_text
url_behind_authority(struct fm_text url)
{
	size_t i = 0;

	while (i < url.len && is_scheme_byte(url.b[i], i == 0))
		i++;
	if (i == 0 || url.len - i < 3 || memcmp(url.b + i, "://", 3) != 0)
		return (url);
	for (i += 3; i < url.len; i++)
		if (url.b[i] == '/' || url.b[i] == '?')
			break;
	return (fm_text(url.b + i, url.len - i));
}

void
fm_request_mark(struct fm_request *req)
{
	const char *mark = NULL;

	if (req->url.len > 0)
		mark = memchr(req->url.b, '?', req->url.len);
	req->mark = mark == NULL ? req->url.len : (size_t)(mark - req->url.b);
}

struct fm_text
fm_request_path(struct fm_request *req)
{
	struct fm_text rest;

	if (req->path.b != NULL || req->url.b == NULL)
		return (req->path);
	req->path = fm_text(req->url.b, req->mark);
	if (req->mark > 0 && *req->url.b == '/')
		return (req->path);
	rest = url_behind_authority(req->path);
	if (rest.len == 0 && rest.b != req->url.b)
		rest = fm_text("/", 1);
	req->path = rest;
	return (req->path);
}

/* With a `/` in front where there is none. */
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
	return (url_rooted(req, url_behind_authority(req->url)));
}

struct fm_text
fm_request_target_path(struct fm_request *req)
{
	return (url_rooted(req, fm_request_path(req)));
}

struct fm_text
fm_request_query(const struct fm_request *req)
{
	if (req->mark == req->url.len)
		return (fm_text("", 0));
	return (fm_text_span(req->url.b + req->mark + 1,
	    req->url.b + req->url.len));
}

bool
fm_request_edit_url(struct fm_request *req, struct fm_text url, bool path)
{
	if (url.len == 0) {
		url = fm_text("/", 1);
		path = true;
	}
	if (fm_text_eq(url, req->url))
		return (false);
	req->url = url;
	fm_request_mark(req);
	req->url_version++;
	req->path = fm_text(NULL, 0);
	if (path)
		req->path_version++;
	return (true);
}

static struct fm_text
subject_query(struct fm_request *req, struct fm_text name)
{
	struct fm_text value;

	if (req->url.len == 0 ||
	    !fm_params_query_find(req->url, name, &value))
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
fm_request_subject_of(struct fm_request *req, const struct fm_subject_code *s)
{
	switch ((enum fm_subject_kind)s->kind) {
	case FM_SUBJECT_URL:
		return (req->url);
	case FM_SUBJECT_PATH:
		return (fm_request_path(req));
	case FM_SUBJECT_HOST:
		return (req->host);
	case FM_SUBJECT_METHOD:
		return (req->view->method);
	case FM_SUBJECT_QUERY:
		return (subject_query(req, req->program->texts[s->name]));
	case FM_SUBJECT_COOKIE:
		return (subject_cookie(req, req->program->texts[s->name]));
	case FM_SUBJECT_HEADER:
		return (fm_request_header(req, s->slot));
	case FM_SUBJECT_CLIENT:
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
fm_request_version(struct fm_request *req, const struct fm_subject_code *s)
{
	switch ((enum fm_subject_kind)s->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_QUERY:
		return (req->url_version);
	case FM_SUBJECT_PATH:
		return (req->path_version);
	case FM_SUBJECT_COOKIE:
		return (slot_version(req, FM_SLOT_OF_COOKIE));
	case FM_SUBJECT_HEADER:
		return (slot_version(req, s->slot));
	case FM_SUBJECT_HOST:
	case FM_SUBJECT_METHOD:
	case FM_SUBJECT_CLIENT:
		break;
	}
	return (1);
}
