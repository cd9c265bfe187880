/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters query strings and cookies (params.h), both of which are lists of
 * pairs in two notations.  To drop names, we go through the list once, and
 * copy nothing until a pair has to go.  Pairs that are kept and lie beside
 * each other are a run, which is copied as a whole:
 *
 *	/a?b=1&c=2&utm_id=3&d=4		utm_id goes
 *	[--------]          [-]		two runs, joined by "&"
 *
 * To sort, or to make unique, we make an array of all pairs first.
 */

#include <stdlib.h>
#include <string.h>

#include "params.h"
#include "percent.h"

/* An array of at most this number of pairs (1 KB) is on the stack. */
#define PARAMS_FEW	32

struct params_notation {
	char			separator;
	bool			blanks;		/* blanks don't count */
	struct fm_text		lead;		/* before the first pair */
	struct fm_text		joint;		/* between pairs */
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
	const struct fm_params		*const *lists;
	unsigned			nlists;
	unsigned			last;	/* the last of the lists that
						 * has dropped a pair */
	unsigned			unnamed; /* the first list that drops a
						 * pair which no list names */
	const struct params_notation	*notation;
	struct fm_text			head;	/* text before the list */
	struct fm_text			list;
	char				*buf;
	size_t				cap;
	size_t				len;	/* written; more than cap if
						 * there was no room */
	const char			*run_b, *run_e;	/* to be copied next: at
						 * first `head` */
	bool				first;	/* no pair is in a run yet */
	bool				skips;	/* job_skip() may be called */
	uint64_t			firsts;	/* fm_names_firsts(), of all */
	bool				no_memory;	/* to decode a name */
};

/* A parameter or a cookie: its name, `=` and its value. */
struct fm_params_pair {
	const char	*b;
	size_t		len;
	size_t		name_len;
	unsigned	index;		/* in the order of the input */
	bool		coded;		/* the name has a % that may decode */
};

/*--------------------------------------------------------------------
 * Sorting: a client chooses how many pairs there are, so nothing here compares
 * each with each
 */

static struct fm_text
pair_name(const struct fm_params_pair *pair)
{
	return (fm_text(pair->b, pair->name_len));
}

/* Returns a pair from its `=` on, or nothing if it has none. */
static struct fm_text
pair_rest(const struct fm_params_pair *pair)
{
	return (fm_text(pair->b + pair->name_len,
	    pair->len - pair->name_len));
}

static int
pair_compare_names(const struct fm_params_pair *a,
    const struct fm_params_pair *b)
{
	if (a->coded || b->coded)
		return (fm_percent_compare(pair_name(a), pair_name(b)));
	return (fm_text_compare(pair_name(a), pair_name(b)));
}

static int
pair_compare_index(const void *va, const void *vb)
{
	const struct fm_params_pair *pair = va, *b = vb;

	return ((pair->index > b->index) - (pair->index < b->index));
}

/* Compares by name, then by index, as qsort() is not stable. */
static int
pair_compare_sorted(const void *va, const void *vb)
{
	int r = pair_compare_names(va, vb);

	return (r != 0 ? r : pair_compare_index(va, vb));
}

/* Compares by name, then by value, then by index. */
static int
pair_compare_unique(const void *va, const void *vb)
{
	const struct fm_params_pair *pair = va, *b = vb;
	int r = pair_compare_names(pair, b);

	if (r == 0)
		r = fm_text_compare(pair_rest(pair), pair_rest(b));
	return (r != 0 ? r : pair_compare_index(pair, b));
}

static bool
pair_is_twin(const struct fm_params_pair *a, const struct fm_params_pair *b)
{
	return (pair_compare_names(a, b) == 0 &&
	    fm_text_eq(pair_rest(a), pair_rest(b)));
}

/* Drops repeated pairs.  The order of the remaining ones means nothing. */
static size_t
order_unique(struct fm_params_pair *pairs, size_t n)
{
	size_t i, kept = 1;

	qsort(pairs, n, sizeof *pairs, pair_compare_unique);
	for (i = 1; i < n; i++)
		if (!pair_is_twin(&pairs[kept - 1], &pairs[i]))
			pairs[kept++] = pairs[i];
	return (kept);
}

/*
 * Brings pairs, which come in the order of their index, into the order in
 * which they are written, without those that are dropped.  Returns how many
 * remain, and sets *changed if any was dropped or moved.
 */
static size_t
params_order(const struct fm_params *params,
    struct fm_params_pair *pairs, size_t n, bool *changed)
{
	bool unsorted = false, repeated = false;
	size_t i, kept = n;
	int r;

	for (i = 1; i < n; i++) {
		r = pair_compare_names(&pairs[i - 1], &pairs[i]);
		unsorted |= r > 0;
		repeated |= r == 0;
	}
	/* If each name is greater than the one before, none is repeated. */
	if (params->unique && (unsorted || repeated)) {
		kept = order_unique(pairs, n);
		*changed |= kept < n;
		qsort(pairs, kept, sizeof *pairs, params->sort ?
		    pair_compare_sorted : pair_compare_index);
	} else if (params->sort && unsorted)
		qsort(pairs, n, sizeof *pairs, pair_compare_sorted);
	*changed |= params->sort && unsorted;
	return (kept);
}

/*--------------------------------------------------------------------
 * Filtering
 */

/* Finds the next pair from *p on that is not empty.  Returns false if none. */
static inline bool
pair_next(const struct params_job *job, const char **p,
    struct fm_params_pair *pair)
{
	const struct params_notation *notation = job->notation;
	const char *b = *p, *e = job->list.b + job->list.len, *end;

	while (b < e && (*b == notation->separator ||
	    (notation->blanks && fm_is_blank(*b))))
		b++;
	*p = e;
	if (b == e)
		return (false);
	end = memchr(b, notation->separator, (size_t)(e - b));
	if (end == NULL)
		end = e;
	else
		*p = end + 1;
	while (notation->blanks && fm_is_blank(end[-1]))
		end--;
	pair->b = b;
	pair->len = (size_t)(end - b);
	return (true);
}

/* Finds the name of a pair. */
static void
pair_find_name(const struct params_job *job, struct fm_params_pair *pair)
{
	const char *end = memchr(pair->b, '=', pair->len);
	struct fm_text name = end == NULL ? fm_text(pair->b, pair->len) :
	    fm_text_span(pair->b, end);

	if (job->notation->blanks)
		name = fm_text_trim(name);
	pair->name_len = name.len;
	pair->coded = job->notation->code == FM_NAMES_PERCENT &&
	    name.len > 0 && memchr(name.b, '%', name.len) != NULL;
}

/* Returns true if a name of the set may begin as a pair at b does. */
static inline bool
pair_may_be(const char *b, uint64_t firsts)
{
	unsigned char c = (unsigned char)*b;

	return (c == '%' || (firsts >> c % 64 & 1) != 0);
}

/* Returns true if the set has the name of a pair. */
static bool
pair_is_named(struct params_job *job, const struct fm_names *names,
    struct fm_params_pair *pair)
{
	int named;

	if (fm_names_begin(names, fm_text(pair->b, pair->len)))
		return (true);
	if (!pair_may_be(pair->b, fm_names_firsts(names)))
		return (false);
	pair_find_name(job, pair);
	named = fm_names_match(names, pair_name(pair),
	    pair->coded ? FM_NAMES_PERCENT : FM_NAMES_RAW);
	job->no_memory |= named < 0;
	return (named > 0);
}

/* Returns the list that drops a pair; nlists: none does. */
static unsigned __attribute__((noinline))
pair_dropped_by(struct params_job *job, struct fm_params_pair *pair)
{
	const struct fm_params *params;
	unsigned i;

	for (i = 0; i < job->nlists; i++) {
		params = job->lists[i];
		if ((params->names != NULL && pair_is_named(job,
		    params->names, pair)) ==
		    (params->mode == FM_PARAMS_DROP))
			break;
	}
	return (i);
}

/* Looks for the name of a pair only if a name may begin as the pair does. */
static inline bool
pair_stays(struct params_job *job, struct fm_params_pair *pair)
{
	unsigned by = job->unnamed;

	if (pair_may_be(pair->b, job->firsts))
		by = pair_dropped_by(job, pair);
	if (by == job->nlists)
		return (true);
	if (by > job->last)
		job->last = by;
	return (false);
}

static void
job_put(struct params_job *job, struct fm_text t)
{
	if (job->len <= job->cap && t.len <= job->cap - job->len &&
	    t.len > 0)
		memcpy(job->buf + job->len, t.b, t.len);
	job->len += t.len;
}

/* Begins with the text before the list. */
static void
job_begin(struct params_job *job)
{
	job->run_b = job->head.b;
	job->run_e = job->head.b + job->head.len;
	job->first = true;
}

/* Writes the run. */
static void
job_flush(struct params_job *job)
{
	job_put(job, fm_text_span(job->run_b, job->run_e));
}

static inline struct fm_text
job_joint(const struct params_job *job)
{
	return (job->first ? job->notation->lead : job->notation->joint);
}

/*
 * Returns true if only the joint is between the run and the pair that
 * follows: a single byte between the two is always the separator.
 */
static inline bool
job_joins(const struct params_job *job, const struct fm_params_pair *pair)
{
	struct fm_text joint = job_joint(job);

	return (pair->b == job->run_e + joint.len && (joint.len < 2 ||
	    memcmp(job->run_e, joint.b, joint.len) == 0));
}

/* Ends the run with a pair. */
static inline void
job_extend(struct params_job *job, const struct fm_params_pair *pair)
{
	job->run_e = pair->b + pair->len;
	job->first = false;
}

/* Adds a pair to the run, or begins another run with it. */
static inline void
job_keep(struct params_job *job, const struct fm_params_pair *pair)
{
	if (!job_joins(job, pair)) {
		job_flush(job);
		job_put(job, job_joint(job));
		job->run_b = pair->b;
	}
	job_extend(job, pair);
}

/*
 * Extends the run, which ends at the separator before p, by the parameters that
 * follow, up to the first that may have a name of the lists, or is empty.
 * Returns the place of that one.
 */
static const char * __attribute__((noinline))
job_skip(struct params_job *job, const char *p)
{
	const char *e = job->list.b + job->list.len;
	uint64_t firsts = job->firsts;

	while (p < e && *p != '&' && !pair_may_be(p, firsts)) {
		p = memchr(p, '&', (size_t)(e - p));
		if (p == NULL) {
			job->run_e = e;
			return (e);
		}
		p++;
	}
	job->run_e = p - 1;
	return (p);
}

/* Goes on from p, after a pair that was kept: skips what stays as well. */
static inline const char *
job_on(struct params_job *job, const char *p)
{
	return (job->skips && job->run_e < p ? job_skip(job, p) : p);
}

/* Keeps all pairs before a place once more: there are gaps between them. */
static void __attribute__((noinline))
job_keep_before(struct params_job *job, const char *end)
{
	struct fm_params_pair pair;
	const char *p = job->list.b;

	job_begin(job);
	while (pair_next(job, &p, &pair) && pair.b < end)
		job_keep(job, &pair);
}

/* Drops or keeps names, without an array. */
static enum fm_params_result
job_drop(struct params_job *job)
{
	struct fm_params_pair pair;
	const char *p = job->list.b;
	bool gaps = false;

	for (;;) {
		if (!pair_next(job, &p, &pair))
			return (FM_PARAMS_SAME);
		if (!pair_stays(job, &pair))
			break;
		gaps |= !job_joins(job, &pair);
		job_extend(job, &pair);
		p = job_on(job, p);
	}
	if (gaps)
		job_keep_before(job, pair.b);
	while (pair_next(job, &p, &pair)) {
		if (!pair_stays(job, &pair))
			continue;
		job_keep(job, &pair);
		p = job_on(job, p);
	}
	job_flush(job);
	return (FM_PARAMS_CHANGED);
}

/* Keeps all that is not empty. */
static enum fm_params_result
job_clean(struct params_job *job)
{
	struct fm_params_pair pair;
	const char *p = job->list.b;

	while (pair_next(job, &p, &pair))
		job_keep(job, &pair);
	job_flush(job);
	return (job->len == job->head.len + 1 + job->list.len ?
	    FM_PARAMS_SAME : FM_PARAMS_CHANGED);
}

static enum fm_params_result
job_arrange(struct params_job *job, struct fm_params_pair *pairs)
{
	struct fm_params_pair pair;
	const char *p = job->list.b;
	bool changed = false;
	size_t i, n = 0;

	while (pair_next(job, &p, &pair)) {
		if (!pair_stays(job, &pair)) {
			changed = true;
			continue;
		}
		pair_find_name(job, &pair);
		pair.index = (unsigned)n;
		pairs[n++] = pair;
	}
	n = params_order(job->lists[0], pairs, n, &changed);
	if (!changed)
		return (FM_PARAMS_SAME);
	for (i = 0; i < n; i++)
		job_keep(job, &pairs[i]);
	job_flush(job);
	return (FM_PARAMS_CHANGED);
}

/* Drops or keeps names, sorts, and makes unique. */
static enum fm_params_result
job_order(struct params_job *job)
{
	struct fm_params_pair few[PARAMS_FEW], *many, pair;
	enum fm_params_result result;
	const char *p = job->list.b;
	size_t n = 0;

	while (pair_next(job, &p, &pair))
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

/* Sets what pair_stays() needs of the lists. */
static void
job_filter(struct params_job *job)
{
	const struct fm_params *params;
	unsigned i = job->nlists;

	job->unnamed = job->nlists;
	while (i-- > 0) {
		params = job->lists[i];
		if (params->mode == FM_PARAMS_KEEP)
			job->unnamed = i;
		if (params->names != NULL)
			job->firsts |= fm_names_firsts(params->names);
	}
	job->skips = !job->notation->blanks && job->unnamed == job->nlists;
}

static enum fm_params_result
job_run(struct params_job *job, struct fm_text input, struct fm_text *out)
{
	const struct fm_params *params = job->lists[0];
	enum fm_params_result result = FM_PARAMS_SAME;

	job_begin(job);
	job_filter(job);
	if (params->sort || params->unique)
		result = job_order(job);
	else if (fm_params_only_filters(params))
		result = job_drop(job);
	else if (params->clean)
		result = job_clean(job);
	if ((result == FM_PARAMS_CHANGED && job->len > job->cap) ||
	    job->no_memory)
		result = FM_PARAMS_SPACE;
	*out = result == FM_PARAMS_CHANGED ?
	    fm_text(job->buf, job->len) : input;
	return (result);
}

enum fm_params_result
fm_params_query_lists(const struct fm_params * const *lists, unsigned n,
    struct fm_text url, size_t mark, char *buf, size_t cap,
    struct fm_text *out, unsigned *last)
{
	struct params_job job = {
		.lists = lists,
		.nlists = n,
		.notation = &params_query_notation,
		.head = { url.b, mark },
		.list = { url.b + mark + 1, url.len - mark - 1 },
		.buf = buf,
		.cap = cap
	};
	enum fm_params_result result = job_run(&job, url, out);

	*last = job.last;
	return (result);
}

/* Finds the query of a URL.  Returns false if the URL has no `?`. */
static bool
query_find(struct fm_text url, struct fm_text *query)
{
	const char *mark = NULL;

	if (url.len > 0)
		mark = memchr(url.b, '?', url.len);
	if (mark == NULL)
		return (false);
	*query = fm_text_span(mark + 1, url.b + url.len);
	return (true);
}

enum fm_params_result
fm_params_query(const struct fm_params *params, struct fm_text url, char *buf,
    size_t cap, struct fm_text *out)
{
	struct fm_text query;
	unsigned last;

	if (query_find(url, &query))
		return (fm_params_query_lists(&params, 1, url,
		    (size_t)(query.b - 1 - url.b), buf, cap, out, &last));
	*out = url;
	return (FM_PARAMS_SAME);
}

enum fm_params_result
fm_params_cookies_lists(const struct fm_params * const *lists, unsigned n,
    struct fm_text cookie, char *buf, size_t cap, struct fm_text *out,
    unsigned *last)
{
	struct params_job job = {
		.lists = lists,
		.nlists = n,
		.notation = &params_cookies_notation,
		.head = { cookie.b, 0 },
		.list = cookie,
		.buf = buf,
		.cap = cap
	};
	enum fm_params_result result = job_run(&job, cookie, out);

	*last = job.last;
	return (result);
}

enum fm_params_result
fm_params_cookies(const struct fm_params *params, struct fm_text cookie,
    char *buf, size_t cap, struct fm_text *out)
{
	unsigned last;

	if (cookie.len > 0)
		return (fm_params_cookies_lists(&params, 1, cookie, buf, cap,
		    out, &last));
	*out = cookie;
	return (FM_PARAMS_SAME);
}

/* Returns the value of a pair, after its `=`. */
static struct fm_text
pair_value(const struct params_job *job, const struct fm_params_pair *pair)
{
	const char *e = pair->b + pair->len, *mark;

	mark = memchr(pair->b, '=', pair->len);
	if (mark == NULL)
		return (fm_text(e, 0));
	return (job->notation->blanks ?
	    fm_text_trim(fm_text_span(mark + 1, e)) :
	    fm_text_span(mark + 1, e));
}

/*
 * Finds the next pair of a name, from *p on, and moves *p past it.  Returns
 * false if there is none.
 */
static bool
job_find(const struct params_job *job, const char **p, struct fm_text name,
    struct fm_text *value)
{
	struct fm_params_pair pair;
	const char *s, *e;
	size_t i;

	while (pair_next(job, p, &pair)) {
		pair_find_name(job, &pair);
		s = pair.b;
		e = s + pair.name_len;
		for (i = 0; i < name.len && s < e; i++)
			if ((job->notation->code == FM_NAMES_PERCENT ?
			    fm_percent_next(&s, e) : (unsigned char)*s++) !=
			    (unsigned char)name.b[i])
				break;
		if (i == name.len && s == e) {
			*value = pair_value(job, &pair);
			return (true);
		}
	}
	return (false);
}

/* Finds the next pair of a name in a list, and cuts the list after it. */
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
	struct fm_text query;

	return (query_find(url, &query) &&
	    fm_params_query_next(&query, name, value));
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

/* If every other byte is a `;`, each of these gets a blank after it. */
size_t
fm_params_cookies_cap(struct fm_text cookie)
{
	return (cookie.len + cookie.len / 2);
}
