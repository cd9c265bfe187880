/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters the parameters of a query string, or the cookies of a Cookie
 * header, by a set of names.
 *
 * A parameter that is kept keeps its bytes, and its place unless `sort` is set.
 * A parameter that is dropped leaves no separator: no `?` without a
 * query, no `&&`.  Empty parameters (`a&&b`) stay, unless some other parameter
 * is dropped or moved: then they are dropped, too.  To filter a second time
 * changes nothing.
 *
 * A query begins after the first `?`.  Only `&` separates parameters: a second
 * `?`, `;` and `#` are ordinary bytes.  A name ends at the first `=`, and is
 * compared after percent-decoding (percent.h).  `a` and `a=` have the same name
 * and different values.  `=x` is a parameter with an empty name, but is not an
 * empty parameter.
 *
 * Cookies are separated by `;`, even between quotes.  Blanks around a cookie
 * and around its name don't count.  Names are compared as they are.  A cookie
 * without `=` is a name without a value.
 */

#ifndef FM_PARAMS_H
#define FM_PARAMS_H

#include "names.h"
#include "text.h"

enum fm_params_mode {
	FM_PARAMS_DROP,		/* drop parameters whose name is in names */
	FM_PARAMS_KEEP		/* drop all others */
};

struct fm_params {
	const struct fm_names	*names;	/* NULL: a set without names */
	enum fm_params_mode	mode;
	bool			sort;	/* by name (decoded, in a query);
					 * parameters of the same name keep
					 * their order */
	bool			unique;	/* of parameters with the same name
					 * (decoded, in a query) and the same
					 * value keep the first */
	bool			clean;	/* only drop what is empty, and a `?`
					 * with nothing after it */
};

enum fm_params_result {
	FM_PARAMS_SAME,		/* *out is the input, the same pointer */
	FM_PARAMS_CHANGED,	/* *out is in buf */
	FM_PARAMS_SPACE		/* cap is too small, or there is no memory;
				 * *out is the input */
};

/*
 * Filters the query of a URL, and does not look at the bytes before the `?`.
 * The output is never longer than the input, so cap == url.len is enough (no
 * NUL is added).  buf must not overlap the input, and is not written to if the
 * result is SAME.
 *
 * Allocates only for `sort` and `unique`, and for more than 32 parameters.
 */
enum fm_params_result fm_params_query(const struct fm_params *,
    struct fm_text url, char *buf, size_t cap, struct fm_text *out);

/* Returns true if the parameters that are left stay as they are. */
static inline bool
fm_params_only_filters(const struct fm_params *params)
{
	return (!params->sort && !params->unique &&
	    (params->names != NULL || params->mode == FM_PARAMS_KEEP));
}

/*
 * Filters a query by n lists, as if one after the other.  If n is above 1, each
 * is one that fm_params_only_filters().  `mark` is the offset of the `?`.  If
 * the result is CHANGED, *last is the index of the last list that changed the
 * URL.
 */
enum fm_params_result fm_params_query_lists(
    const struct fm_params * const *lists, unsigned n, struct fm_text url,
    size_t mark, char *buf, size_t cap, struct fm_text *out, unsigned *last);

/*
 * Filters the value of a Cookie header.  Cookies that are kept are joined by
 * "; ", so the output may be longer than an input that has `;` without blanks:
 * a cap of fm_params_cookies_cap(cookie) is always enough.  If no cookie is
 * left, the result is CHANGED, and *out is empty.
 */
enum fm_params_result fm_params_cookies(const struct fm_params *,
    struct fm_text cookie, char *buf, size_t cap, struct fm_text *out);
/* By n lists: see fm_params_query_lists().  The cookie is not empty. */
enum fm_params_result fm_params_cookies_lists(
    const struct fm_params * const *lists, unsigned n, struct fm_text cookie,
    char *buf, size_t cap, struct fm_text *out, unsigned *last);
size_t fm_params_cookies_cap(struct fm_text cookie);
/* Returns true if a Cookie header has a cookie, not only separators. */
bool fm_params_cookies_any(struct fm_text cookie);

/*
 * Find the first parameter or cookie of a name.  Return false if there is none.
 * *value is that of a parameter as it is encoded in the URL, or that of a
 * cookie without the blanks around it; it is empty for `a` and `a=`.  Names in
 * the URL are decoded to be compared with `name`.
 */
bool fm_params_query_find(struct fm_text url, struct fm_text name,
    struct fm_text *value);
bool fm_params_cookie_find(struct fm_text cookie, struct fm_text name,
    struct fm_text *value);

/*
 * Find the next parameter of a name in a query, which begins after the `?`, or
 * the next cookie; and cut off the list what is before its end.
 */
bool fm_params_query_next(struct fm_text *query, struct fm_text name,
    struct fm_text *value);
bool fm_params_cookies_next(struct fm_text *cookies, struct fm_text name,
    struct fm_text *value);

#endif
