/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters query strings and cookies (params.h), both of which are lists of
 * pieces in two notations.  To drop names, we go through the list once, and
 * copy nothing until a piece has to go.  To sort, or to make unique, we make an
 * array of all pieces first.
 */

#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "percent.h"

/* An array of up to so many pieces (1 KB) is on the stack. */
#define PARAMS_FEW	32

struct params_notation {
	char			separator;
	bool			blanks;		/* blanks don't count */
	struct fm_text		lead;		/* before the first piece */
	struct fm_text		joint;		/* between pieces */
	enum fm_names_code	code;
};

static const struct params_notation params_query_notation = {
	.separator = '&',
	.lead = { "?", 1 },
	.joint = { "&", 1 },
	.code = FM_NAMES_PERCENT
};

static const struct params_notation params_cookies_notation = {
	.separator = ';',
	.blanks = true,
	.lead = { "", 0 },
	.joint = { "; ", 2 },
	.code = FM_NAMES_RAW
};

/* One list to filter, and where the outcome goes. */
struct params_job {
	const struct fm_params		*params;
	const struct params_notation	*notation;
	struct fm_text			head;	/* text before the list */
	struct fm_text			list;
	char				*buf;
	size_t				cap;
	size_t				len;	/* written; more than cap if
						 * there was no room */
	bool				first;	/* no piece is written yet */
	bool				no_memory;	/* to decode a name */
};

/* A parameter or a cookie: its name, `=` and its value. */
struct fm_params_piece {
	const char	*b;
	size_t		len;
	size_t		name_len;
	unsigned	index;		/* in the order of the input */
	bool		coded;		/* the name has a % that may decode */
};

/*--------------------------------------------------------------------
 * Sorting: a client chooses how many pieces there are, so nothing here compares
 * each with each
 */

static struct fm_text
piece_name(const struct fm_params_piece *piece)
{
	return (fm_text(piece->b, piece->name_len));
}

/* Returns a piece from its `=` on, or nothing if it has none. */
static struct fm_text
piece_rest(const struct fm_params_piece *piece)
{
	return (fm_text(piece->b + piece->name_len,
	    piece->len - piece->name_len));
}

static int
piece_compare_names(const struct fm_params_piece *a,
    const struct fm_params_piece *b)
{
	if (a->coded || b->coded)
		return (fm_percent_compare(piece_name(a), piece_name(b)));
	return (fm_text_compare(piece_name(a), piece_name(b)));
}

static int
piece_compare_index(const void *va, const void *vb)
{
	const struct fm_params_piece *piece = va, *b = vb;

	return ((piece->index > b->index) - (piece->index < b->index));
}

/* Compares by name, then by index, as qsort() is not stable. */
static int
piece_compare_sorted(const void *va, const void *vb)
{
	int r = piece_compare_names(va, vb);

	return (r != 0 ? r : piece_compare_index(va, vb));
}

/* Compares by name, then by value, then by index. */
static int
piece_compare_unique(const void *va, const void *vb)
{
	const struct fm_params_piece *piece = va, *b = vb;
	int r = piece_compare_names(piece, b);

	if (r == 0)
		r = fm_text_compare(piece_rest(piece), piece_rest(b));
	return (r != 0 ? r : piece_compare_index(piece, b));
}

static bool
piece_is_twin(const struct fm_params_piece *a, const struct fm_params_piece *b)
{
	return (piece_compare_names(a, b) == 0 &&
	    fm_text_eq(piece_rest(a), piece_rest(b)));
}

/* Drops repeated pieces.  The order of the remaining ones means nothing. */
static size_t
order_unique(struct fm_params_piece *pieces, size_t n)
{
	size_t i, kept = 1;

	qsort(pieces, n, sizeof *pieces, piece_compare_unique);
	for (i = 1; i < n; i++)
		if (!piece_is_twin(&pieces[kept - 1], &pieces[i]))
			pieces[kept++] = pieces[i];
	return (kept);
}

/*
 * Brings pieces, which come in the order of their index, into the order in
 * which they are written, without those that are dropped.  Returns how many
 * remain, and sets *changed if any was dropped or moved.
 */
static size_t
params_order(const struct fm_params *params,
    struct fm_params_piece *pieces, size_t n, bool *changed)
{
	bool unsorted = false, repeated = false;
	size_t i, kept = n;
	int r;

	for (i = 1; i < n; i++) {
		r = piece_compare_names(&pieces[i - 1], &pieces[i]);
		unsorted |= r > 0;
		repeated |= r == 0;
	}
	/* If each name is greater than the one before, none is repeated. */
	if (params->unique && (unsorted || repeated)) {
		kept = order_unique(pieces, n);
		*changed |= kept < n;
		qsort(pieces, kept, sizeof *pieces, params->sort ?
		    piece_compare_sorted : piece_compare_index);
	} else if (params->sort && unsorted)
		qsort(pieces, n, sizeof *pieces, piece_compare_sorted);
	*changed |= params->sort && unsorted;
	return (kept);
}

/*--------------------------------------------------------------------
 * Filtering
 */

/* Finds the next piece from *p on that is not empty.  Returns false if none. */
static bool
piece_next(const struct params_job *job, const char **p,
    struct fm_params_piece *piece)
{
	const char *e = job->list.b + job->list.len, *end;
	struct fm_text t, name;

	while (*p < e) {
		end = memchr(*p, job->notation->separator, (size_t)(e - *p));
		if (end == NULL)
			end = e;
		t = fm_text_span(*p, end);
		*p = end < e ? end + 1 : e;
		if (job->notation->blanks)
			t = fm_text_trim(t);
		if (t.len == 0)
			continue;
		end = memchr(t.b, '=', t.len);
		name = end != NULL ? fm_text_span(t.b, end) : t;
		if (job->notation->blanks)
			name = fm_text_trim(name);
		piece->b = t.b;
		piece->len = t.len;
		piece->name_len = name.len;
		return (true);
	}
	return (false);
}

static bool
piece_stays(struct params_job *job, const struct fm_params_piece *piece)
{
	int named = job->params->names == NULL ? 0 :
	    fm_names_match(job->params->names,
	    fm_text(piece->b, piece->name_len), job->notation->code);

	job->no_memory |= named < 0;
	return ((named > 0) == (job->params->mode == FM_PARAMS_KEEP));
}

static void
job_put(struct params_job *job, struct fm_text t)
{
	if (job->len <= job->cap && t.len <= job->cap - job->len &&
	    t.len > 0)
		memcpy(job->buf + job->len, t.b, t.len);
	job->len += t.len;
}

static void
job_put_piece(struct params_job *job, const struct fm_params_piece *piece)
{
	job_put(job, job->first ? job->notation->lead : job->notation->joint);
	job_put(job, fm_text(piece->b, piece->len));
	job->first = false;
}

/* Drops or keeps names, without an array. */
static enum fm_params_result
job_drop(struct params_job *job)
{
	const char *p = job->list.b;
	struct fm_params_piece piece, gone;

	do {
		if (!piece_next(job, &p, &gone))
			return (FM_PARAMS_SAME);
	} while (piece_stays(job, &gone));

	job_put(job, job->head);
	p = job->list.b;
	while (piece_next(job, &p, &piece))
		/* those before it were looked at above */
		if (piece.b < gone.b ||
		    (piece.b > gone.b && piece_stays(job, &piece)))
			job_put_piece(job, &piece);
	return (FM_PARAMS_CHANGED);
}

/* Keeps all that is not empty. */
static enum fm_params_result
job_clean(struct params_job *job)
{
	struct fm_params_piece piece;
	const char *p = job->list.b;

	job_put(job, job->head);
	while (piece_next(job, &p, &piece))
		job_put_piece(job, &piece);
	return (job->len == job->head.len + 1 + job->list.len ?
	    FM_PARAMS_SAME : FM_PARAMS_CHANGED);
}

static enum fm_params_result
job_arrange(struct params_job *job, struct fm_params_piece *pieces)
{
	struct fm_params_piece piece;
	const char *p = job->list.b;
	bool changed = false;
	size_t i, n = 0;

	while (piece_next(job, &p, &piece)) {
		if (!piece_stays(job, &piece)) {
			changed = true;
			continue;
		}
		piece.index = (unsigned)n;
		piece.coded = job->notation->code == FM_NAMES_PERCENT &&
		    memchr(piece.b, '%', piece.name_len) != NULL;
		pieces[n++] = piece;
	}
	n = params_order(job->params, pieces, n, &changed);
	if (!changed)
		return (FM_PARAMS_SAME);
	job_put(job, job->head);
	for (i = 0; i < n; i++)
		job_put_piece(job, &pieces[i]);
	return (FM_PARAMS_CHANGED);
}

/* Drops or keeps names, sorts, and makes unique. */
static enum fm_params_result
job_order(struct params_job *job)
{
	struct fm_params_piece few[PARAMS_FEW], *many, piece;
	enum fm_params_result result;
	const char *p = job->list.b;
	size_t n = 0;

	while (piece_next(job, &p, &piece))
		n++;
	if (n <= PARAMS_FEW)
		return (job_arrange(job, few));
	many = calloc(n, sizeof *many);
	if (many == NULL)
		return (FM_PARAMS_SPACE);
	result = job_arrange(job, many);
	free(many);
	return (result);
}

static enum fm_params_result
job_run(struct params_job *job, struct fm_text input, struct fm_text *out)
{
	enum fm_params_result result = FM_PARAMS_SAME;

	job->first = true;
	if (job->params->sort || job->params->unique)
		result = job_order(job);
	else if (job->params->names != NULL ||
	    job->params->mode == FM_PARAMS_KEEP)
		result = job_drop(job);
	else if (job->params->clean)
		result = job_clean(job);
	if ((result == FM_PARAMS_CHANGED && job->len > job->cap) ||
	    job->no_memory)
		result = FM_PARAMS_SPACE;
	*out = result == FM_PARAMS_CHANGED ?
	    fm_text(job->buf, job->len) : input;
	return (result);
}

/* Sets head and list of a job for a URL.  Returns false if it has no `?`. */
static bool
job_split_url(struct params_job *job, struct fm_text url)
{
	const char *mark = NULL;

	if (url.len > 0)
		mark = memchr(url.b, '?', url.len);
	if (mark == NULL)
		return (false);
	job->head = fm_text_span(url.b, mark);
	job->list = fm_text_span(mark + 1, url.b + url.len);
	return (true);
}

enum fm_params_result
fm_params_query(const struct fm_params *params, struct fm_text url, char *buf,
    size_t cap, struct fm_text *out)
{
	struct params_job job = {
		.params = params,
		.notation = &params_query_notation,
		.buf = buf,
		.cap = cap
	};

	if (job_split_url(&job, url))
		return (job_run(&job, url, out));
	*out = url;
	return (FM_PARAMS_SAME);
}

enum fm_params_result
fm_params_cookies(const struct fm_params *params, struct fm_text cookie,
    char *buf, size_t cap, struct fm_text *out)
{
	struct params_job job = {
		.params = params,
		.notation = &params_cookies_notation,
		.head = { "", 0 },
		.list = cookie,
		.buf = buf,
		.cap = cap
	};

	if (cookie.len == 0) {
		*out = cookie;
		return (FM_PARAMS_SAME);
	}
	return (job_run(&job, cookie, out));
}

/* Returns the value of a piece, behind its `=`. */
static struct fm_text
piece_value(const struct params_job *job, const struct fm_params_piece *piece)
{
	const char *e = piece->b + piece->len, *mark;

	mark = memchr(piece->b, '=', piece->len);
	if (mark == NULL)
		return (fm_text(e, 0));
	return (job->notation->blanks ?
	    fm_text_trim(fm_text_span(mark + 1, e)) :
	    fm_text_span(mark + 1, e));
}

/*
 * Finds the next piece of a name, from *p on, and moves *p past it.  Returns
 * false if there is none.
 */
static bool
job_find(const struct params_job *job, const char **p, struct fm_text name,
    struct fm_text *value)
{
	struct fm_params_piece piece;
	const char *s, *e;
	size_t i;

	while (piece_next(job, p, &piece)) {
		s = piece.b;
		e = s + piece.name_len;
		for (i = 0; i < name.len && s < e; i++)
			if ((job->notation->code == FM_NAMES_PERCENT ?
			    fm_percent_next(&s, e) : (unsigned char)*s++) !=
			    (unsigned char)name.b[i])
				break;
		if (i == name.len && s == e) {
			*value = piece_value(job, &piece);
			return (true);
		}
	}
	return (false);
}

/* Finds the next piece of a name in a list, and cuts the list behind it. */
static bool
list_next(const struct params_notation *notation, struct fm_text *list,
    struct fm_text name, struct fm_text *value)
{
	const struct params_job job = { .notation = notation, .list = *list };
	const char *p = list->b, *end = list->b + list->len;
	bool found;

	if (list->len == 0)
		return (false);
	found = job_find(&job, &p, name, value);
	*list = fm_text_span(p, end);
	return (found);
}

bool
fm_params_query_next(struct fm_text *query, struct fm_text name,
    struct fm_text *value)
{
	return (list_next(&params_query_notation, query, name, value));
}

bool
fm_params_cookies_next(struct fm_text *cookies, struct fm_text name,
    struct fm_text *value)
{
	return (list_next(&params_cookies_notation, cookies, name, value));
}

bool
fm_params_query_find(struct fm_text url, struct fm_text name,
    struct fm_text *value)
{
	struct params_job job = { .list = { NULL, 0 } };

	return (job_split_url(&job, url) &&
	    fm_params_query_next(&job.list, name, value));
}

bool
fm_params_cookie_find(struct fm_text cookie, struct fm_text name,
    struct fm_text *value)
{
	return (fm_params_cookies_next(&cookie, name, value));
}

bool
fm_params_cookies_any(struct fm_text cookie)
{
	size_t i = 0;

	while (i < cookie.len && (cookie.b[i] == ';' ||
	    fm_is_blank(cookie.b[i])))
		i++;
	return (i < cookie.len);
}

/* If every other byte is a `;`, each of these gets a blank behind it. */
size_t
fm_params_cookies_cap(struct fm_text cookie)
{
	return (cookie.len + cookie.len / 2);
}
