/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters the parameters of a query string, or the cookies of a Cookie
 * header, by a set of names.
 *
 * What is kept keeps its bytes, and its order unless `sort` is on.  What is
 * removed leaves no stray separator: no `?` without a query, no `&&`.  Empty
 * parameters (`a&&b`) are left alone until something else is removed or
 * moved; then they go too.  Filtering what was filtered changes nothing.
 *
 * A query starts after the first `?`.  Only `&` parts its parameters: a
 * second `?`, `;` and `#` are bytes like any other.  The name is what comes
 * before the first `=`, and compares after percent-decoding (percent.h).  `a`
 * and `a=` have the same name and different values; `=x` is a parameter
 * whose name is empty, and not an empty parameter.
 *
 * Cookies are parted by `;`, even between quotes; blanks around a cookie and
 * around its name don't count.  Names compare as they are.  A cookie without
 * `=` is a name without a value.
 */

#ifndef FM_PARAMS_H
#define FM_PARAMS_H

#include "names.h"
#include "text.h"

enum fm_params_mode {
	FM_PARAMS_DROP,		/* the named ones go */
	FM_PARAMS_KEEP		/* only the named ones stay */
};

/*
 * sort: by the bytes of the name (decoded, in a query); those of one name
 * stay in their order.  unique: of those with one name (decoded, in a query)
 * and the same bytes behind it, the first stays.
 */
struct fm_params {
	const struct fm_names	*names;	/* NULL: no names at all */
	enum fm_params_mode	mode;
	bool			sort;
	bool			unique;
};

enum fm_params_result {
	FM_PARAMS_SAME,		/* *out is the input, the same pointer */
	FM_PARAMS_CHANGED,	/* *out is in buf */
	FM_PARAMS_SPACE		/* cap is too little for the change, or there
				 * is no memory to find out; *out is the
				 * input */
};

/*
 * A URL or a path with a query; the bytes before `?` are never looked at.
 * The outcome is never longer than the input: with cap == url.len it fits
 * (no NUL is added).  buf is not touched where the result is SAME, and must
 * not be a part of the input.
 *
 * Memory is needed only to sort, or to find what is not unique, and only for
 * more than a few parameters.
 */
enum fm_params_result fm_params_query(const struct fm_params *,
    struct fm_text url, char *buf, size_t cap, struct fm_text *out);

/*
 * The value of a Cookie header.  What is kept is joined by "; ", so the
 * outcome may be longer than an input with bare `;`: cap should be
 * fm_params_cookies_cap(cookie).  No cookie left: CHANGED and empty.
 */
enum fm_params_result fm_params_cookies(const struct fm_params *,
    struct fm_text cookie, char *buf, size_t cap, struct fm_text *out);
size_t fm_params_cookies_cap(struct fm_text cookie);
/* Returns true if a Cookie has more than separators. */
bool fm_params_cookies_any(struct fm_text cookie);

/*
 * The value of the first parameter of this name in a URL, still encoded (the
 * name is compared decoded, with the given name as it is); of the first cookie
 * of this name in a Cookie header, without the blanks around it.  Empty where
 * it has none (`a`, `a=`).  false: there is no such parameter, no such cookie.
 */
bool fm_params_query_find(struct fm_text url, struct fm_text name,
    struct fm_text *value);
bool fm_params_cookie_find(struct fm_text cookie, struct fm_text name,
    struct fm_text *value);

#endif
