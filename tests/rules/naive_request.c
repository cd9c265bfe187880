/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's request: reads and edits headers, the URL, parameters,
 * cookies.
 */

#include <assert.h>
#include <stdlib.h>

#include "naive_priv.h"
#include "twin_params.h"

static bool
is_letter(char c)
{
	return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

static bool
starts_with(struct fm_text t, const char *prefix)
{
	size_t len = strlen(prefix);

	return (t.len >= len &&
	    fm_text_eq_nocase(fm_text(t.b, len), fm_text(prefix, len)));
}

static struct fm_text
text_join(struct naive *naive, struct fm_text a, const char *between,
    struct fm_text b)
{
	size_t len = strlen(between);
	char *p = naive_alloc(naive, a.len + len + b.len);

	if (a.len > 0)
		memcpy(p, a.b, a.len);
	memcpy(p + a.len, between, len);
	if (b.len > 0)
		memcpy(p + a.len + len, b.b, b.len);
	return (fm_text(p, a.len + len + b.len));
}

/* Cuts off the part before the next separator; false: nothing is left. */
static bool
text_cut(struct fm_text *rest, char separator, struct fm_text *part)
{
	size_t i;

	if (rest->b == NULL)
		return (false);
	for (i = 0; i < rest->len && rest->b[i] != separator; i++)
		continue;
	*part = fm_text(rest->b, i);
	*rest = i == rest->len ? fm_text(NULL, 0) :
	    fm_text(rest->b + i + 1, rest->len - i - 1);
	return (true);
}

/*--------------------------------------------------------------------
 * Headers
 */

struct fm_text
naive_header(struct naive *naive, struct fm_text name)
{
	struct fm_text value = fm_text(NULL, 0);
	const char *joint = NULL;
	unsigned i;

	if (fm_text_eq_nocase(name, fm_text_of("Cookie")))
		joint = "; ";
	if (fm_text_eq_nocase(name, fm_text_of("Accept")) ||
	    starts_with(name, "Accept-"))
		joint = ", ";
	if (naive->model->repeated != NULL)
		joint = NULL;
	for (i = 0; i < naive->nlines; i++) {
		if (!fm_text_eq_nocase(naive->lines[i].name, name))
			continue;
		if (value.b == NULL)
			value = naive->lines[i].value;
		else if (joint != NULL)
			value = text_join(naive, value, joint,
			    naive->lines[i].value);
	}
	return (value);
}

static void
line_remove(struct naive *naive, unsigned i)
{
	naive->nlines--;
	memmove(&naive->lines[i], &naive->lines[i + 1],
	    (naive->nlines - i) * sizeof naive->lines[i]);
}

/*
 * Returns true if other is an alias of name: any mark for `-`, but not at its
 * start.
 */
static bool
is_alias(struct fm_text name, struct fm_text other)
{
	struct fm_text b, d;
	size_t i;

	if (name.len != other.len || fm_text_eq_nocase(name, other))
		return (false);
	for (i = 0; i < name.len; i++) {
		b = fm_text(name.b + i, 1);
		d = fm_text(other.b + i, 1);
		if (!fm_text_eq_nocase(b, d) &&
		    (i == 0 || *b.b != '-' || !twin_is_mark(*d.b)))
			return (false);
	}
	return (true);
}

void
naive_aliases_unset(struct naive *naive, struct fm_text name)
{
	unsigned i = 0;

	while (i < naive->nlines)
		if (is_alias(name, naive->lines[i].name) &&
		    !naive->lines[i].ours)
			line_remove(naive, i);
		else
			i++;
}

void
naive_header_set(struct naive *naive, struct fm_text name,
    struct fm_text value)
{
	unsigned i = 0, first;

	naive_aliases_unset(naive, name);
	first = naive->nlines;
	while (i < naive->nlines) {
		if (!fm_text_eq_nocase(naive->lines[i].name, name))
			i++;
		else if (value.len > 0 && first >= i) {
			first = i;
			naive->lines[i].ours = true;
			naive->lines[i].dropped = false;
			naive->lines[i++].value = value;
		} else
			line_remove(naive, i);
	}
	if (value.len > 0 && first >= naive->nlines) {
		naive->lines[naive->nlines++] = (struct naive_line){
		    .name = name, .value = value, .ours = true };
	}
}

void
naive_header_unset(struct naive *naive, struct fm_text glob)
{
	static const char * const spared[] = { "Host", "Content-Length",
	    "Transfer-Encoding" };
	unsigned i = 0, j;
	bool goes;

	while (i < naive->nlines) {
		goes = naive->lines[i].name.b != NULL &&
		    twin_glob_folded(glob, naive->lines[i].name, true);
		for (j = 0; j < 3; j++)
			if (fm_text_eq_nocase(naive->lines[i].name,
			    fm_text_of(spared[j])))
				goes = false;
		if (goes)
			line_remove(naive, i);
		else
			i++;
	}
}

/*--------------------------------------------------------------------
 * The URL
 */

/* Returns where the path of a URL starts: after scheme and authority. */
static size_t
path_start(struct fm_text url)
{
	size_t i = 0;

	if (url.len == 0 || !is_letter(url.b[0]))
		return (0);
	while (i < url.len && (is_letter(url.b[i]) ||
	    memchr("0123456789+-.", url.b[i], 13) != NULL))
		i++;
	if (url.len - i < 3 || memcmp(url.b + i, "://", 3) != 0)
		return (0);
	for (i += 3; i < url.len; i++)
		if (url.b[i] == '/' || url.b[i] == '?')
			break;
	return (i);
}

struct fm_text
naive_authority(struct fm_text url)
{
	size_t end = path_start(url);
	const char *p;

	if (end == 0)
		return (fm_text(NULL, 0));
	p = memmem(url.b, url.len, "://", 3);
	return (fm_text_span(p + 3, url.b + end));
}

struct fm_text
naive_query(const struct naive *naive)
{
	struct fm_text rest = naive->result.url, part;

	(void)text_cut(&rest, '?', &part);
	return (rest);
}

struct fm_text
naive_path(const struct naive *naive)
{
	struct fm_text rest = naive->result.url, path = fm_text("", 0);
	size_t start = path_start(rest);

	(void)text_cut(&rest, '?', &path);
	if (start > 0 && start >= path.len)
		return (fm_text("/", 1));
	return (fm_text(path.b + start, path.len - start));
}

static struct fm_text
text_slashed(struct naive *naive, struct fm_text t)
{
	if (t.len > 0 && *t.b == '/')
		return (t);
	return (text_join(naive, fm_text("", 0), "/", t));
}

struct fm_text
naive_local_path(struct naive *naive)
{
	return (text_slashed(naive, naive_path(naive)));
}

struct fm_text
naive_local_url(struct naive *naive)
{
	struct fm_text url = naive->result.url;
	size_t start = path_start(url);

	return (text_slashed(naive, fm_text(url.b + start,
	    url.len - start)));
}

static struct fm_text
slashes_merge(struct naive *naive, struct fm_text t)
{
	char *p = naive_alloc(naive, t.len);
	size_t i, n = 0;

	for (i = 0; i < t.len; i++)
		if (t.b[i] != '/' || i == 0 || t.b[i - 1] != '/')
			p[n++] = t.b[i];
	return (fm_text(p, n));
}

static bool
text_begins(struct fm_text t, const char *with)
{
	return (t.len >= strlen(with) && memcmp(t.b, with, strlen(with)) == 0);
}

/* Removes dot segments: steps B, C and E of RFC 3986, 5.2.4. */
static struct fm_text
dots_remove(struct naive *naive, struct fm_text in)
{
	char *out = naive_alloc(naive, in.len + 1);
	size_t n = 0, i;
	bool up;

	while (in.len > 0) {
		up = text_begins(in, "/../") ||
		    fm_text_eq(in, fm_text_of("/.."));
		if (up || text_begins(in, "/./") ||
		    fm_text_eq(in, fm_text_of("/."))) {
			i = up ? 3 : 2;
			in = in.len == i ? fm_text_of("/") :
			    fm_text(in.b + i, in.len - i);
			while (up && n > 0 && out[--n] != '/')
				continue;
			continue;
		}
		do {
			out[n++] = *in.b;
			in = fm_text(in.b + 1, in.len - 1);
		} while (in.len > 0 && *in.b != '/');
	}
	return (fm_text(out, n));
}

struct fm_text
naive_clean_path(struct naive *naive)
{
	struct fm_text path = naive_local_path(naive);

	return (dots_remove(naive, slashes_merge(naive, twin_decode(path,
	    naive_alloc(naive, path.len)))));
}

/*--------------------------------------------------------------------
 * Parameters and cookies
 */

struct fm_text
naive_query_find(struct naive *naive, struct fm_text name)
{
	struct fm_text value;

	return (twin_find(name, naive->result.url, false, &value) ? value :
	    fm_text(NULL, 0));
}

struct fm_text
naive_cookie_find(struct naive *naive, struct fm_text name)
{
	struct fm_text header, value;

	header = naive_header(naive, fm_text_of("Cookie"));
	return (header.b != NULL && twin_find(name, header, true, &value) ?
	    value : fm_text(NULL, 0));
}

static bool
name_in_list(struct naive *naive, const struct fm_list_def *list, bool nocase,
    struct fm_text name)
{
	const struct fm_line *line;
	const struct fm_word *word;

	for (line = list->lines; line != NULL; line = line->next)
		for (word = line->matches->operands.first; word != NULL;
		    word = word->next)
			if (naive_operand(naive, line->matches->mode, nocase ||
			    list->nocase, word, false, name) == FM_TRUE)
				return (true);
	return (false);
}

static bool
name_listed(struct naive *naive, const struct fm_stmt *stmt,
    struct fm_text name)
{
	const struct fm_word *word;

	for (word = stmt->params.names.first; word != NULL; word = word->next)
		if (naive_glob(word->text, name, false))
			return (true);
	return (stmt->params.list != NULL &&
	    name_in_list(naive, stmt->params.list_def, false, name));
}

static bool
name_asked(struct naive *naive, const struct fm_cond *test,
    struct fm_text name)
{
	bool nocase = test->subject.kind == FM_SUBJECT_HEADER;

	if (test->list != NULL)
		return (name_in_list(naive, test->list_def, nocase, name));
	return (naive_glob(test->subject.name, name, nocase));
}

/* Splits a list into pairs, without empty ones. */
static struct twin_pair *
pairs_split(struct naive *naive, struct fm_text list, bool cookies,
    size_t *n)
{
	struct twin_pair *pairs;

	pairs = (struct twin_pair *)(void *)naive_alloc(naive,
	    (list.len + 1) * sizeof *pairs);
	*n = list.b == NULL ? 0 : twin_split(list, cookies, pairs,
	    naive_alloc(naive, list.len));
	return (pairs);
}

bool
naive_has_names(struct naive *naive, const struct fm_cond *test)
{
	bool cookies = test->subject.kind == FM_SUBJECT_COOKIE;
	struct twin_pair *pairs;
	size_t n, i;

	if (test->subject.kind == FM_SUBJECT_HEADER) {
		for (i = 0; i < naive->nlines; i++)
			if (name_asked(naive, test, naive->lines[i].name))
				return (true);
		return (false);
	}
	pairs = pairs_split(naive, cookies ? naive_header(naive,
	    fm_text_of("Cookie")) : naive_query(naive), cookies, &n);
	for (i = 0; i < n; i++)
		if (name_asked(naive, test, pairs[i].decoded))
			return (true);
	return (false);
}

static bool
pair_repeats(const struct twin_pair *pairs, size_t n,
    const struct twin_pair *pair)
{
	size_t i;

	for (i = 0; i < n && !twin_same(&pairs[i], pair); i++)
		continue;
	return (i < n);
}

static bool
pairs_filter(struct naive *naive, struct twin_pair *pairs, size_t *count,
    const struct fm_stmt *stmt)
{
	bool changed = false, goes = false;
	size_t i, n = 0;

	if (stmt->params.what == FM_PARAMS_WHAT_SORT)
		return (twin_sort(pairs, *count));
	for (i = 0; i < *count; i++) {
		switch (stmt->params.what) {
		case FM_PARAMS_WHAT_DROP:
			goes = name_listed(naive, stmt, pairs[i].decoded);
			break;
		case FM_PARAMS_WHAT_KEEP:
			goes = !name_listed(naive, stmt, pairs[i].decoded);
			break;
		default:
			goes = pair_repeats(pairs, n, &pairs[i]);
		}
		if (goes)
			changed = true;
		else
			pairs[n++] = pairs[i];
	}
	*count = n;
	return (changed);
}

static struct fm_text
pairs_join(struct naive *naive, const struct twin_pair *pairs, size_t n,
    const char *lead, const char *joint)
{
	size_t i, len = 1;
	char *p, *b;

	for (i = 0; i < n; i++)
		len += pairs[i].text.len + strlen(joint);
	p = b = naive_alloc(naive, len);
	for (i = 0; i < n; i++) {
		p = stpcpy(p, i == 0 ? lead : joint);
		p = mempcpy(p, pairs[i].text.b, pairs[i].text.len);
	}
	return (fm_text_span(b, p));
}

void
naive_query_filter(struct naive *naive, const struct fm_stmt *stmt)
{
	struct fm_text rest = naive->result.url, before, query;
	struct twin_pair *pairs;
	size_t n;

	(void)text_cut(&rest, '?', &before);
	if (rest.b == NULL)
		return;
	pairs = pairs_split(naive, rest, false, &n);
	if (stmt->params.what != FM_PARAMS_WHAT_CLEAN &&
	    !pairs_filter(naive, pairs, &n, stmt))
		return;
	query = pairs_join(naive, pairs, n, "?", "&");
	naive->result.url = text_join(naive, before, "", query);
	if (naive->result.url.len == 0)
		naive->result.url = fm_text("/", 1);
}

void
naive_cookie_filter(struct naive *naive, const struct fm_stmt *stmt)
{
	struct fm_text cookie = fm_text_of("Cookie"), value;
	struct twin_pair *pairs;
	size_t n;

	value = naive_header(naive, cookie);
	if (value.b == NULL)
		return;
	pairs = pairs_split(naive, value, true, &n);
	/* A header without any cookie is unset, too. */
	if (!pairs_filter(naive, pairs, &n, stmt) && n > 0)
		return;
	naive_header_set(naive, cookie, naive_clean(naive, pairs_join(naive,
	    pairs, n, "", "; ")));
}

bool
naive_has_fragment(const struct naive *naive, const struct fm_subject *subject)
{
	struct fm_text url = naive->result.url;

	switch (subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_QUERY:
		return (url.len > 0 && memchr(url.b, '#', url.len) != NULL);
	default:
		return (false);
	}
}

struct fm_text
naive_subject(struct naive *naive, const struct fm_subject *subject)
{
	switch (subject->kind) {
	case FM_SUBJECT_URL:
		return (naive->result.url);
	case FM_SUBJECT_PATH:
		return (naive_path(naive));
	case FM_SUBJECT_CLEAN_PATH:
		return (naive_clean_path(naive));
	case FM_SUBJECT_HOST:
		return (naive->result.host);
	case FM_SUBJECT_METHOD:
		return (naive->view->method);
	case FM_SUBJECT_QUERY:
		return (naive_query_find(naive, subject->name));
	case FM_SUBJECT_COOKIE:
		return (naive_cookie_find(naive, subject->name));
	case FM_SUBJECT_HEADER:
		return (naive_header(naive, subject->agent ?
		    fm_text_of("User-Agent") : subject->name));
	case FM_SUBJECT_CLIENT:
		return (naive_client_text(naive));
	case FM_SUBJECT_SCHEME:
		return (naive_scheme(naive));
	default:		/* no request has it */
		break;
	}
	abort();
}
