/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and filters the lists in headers of responses: Cache-Control and Vary,
 * whose lines are joined by ", "; and reads Set-Cookie and Content-Type.
 *
 *	no-cache="Set-Cookie, X", , Max-Age = 60
 *	[----------------------]    [----------]	two elements
 *	[------]                    [-----]		their names
 *	          [-----------]               []	their values
 *
 * Commas separate elements, but for those between quotes; in quotes a backslash
 * stands before a byte that has no meaning of its own.  A quote that nothing
 * closes is an ordinary byte, so that it does not hide the elements after it.
 * Blanks around elements don't count, nor do empty elements.
 *
 * A name ends before the first `=`, `;` or blank; its case does not count.  It
 * may be empty (`=1`).  A value follows the first `=`, with or without blanks.
 * It is what is between quotes, with its backslashes, or else what comes before
 * the next `;` or blank.
 *
 * Nothing here allocates.  All takes time in proportion to the header (times
 * the names, to add some).  A text that is returned points into the header, or
 * is in `buf`, which must not overlap the header.  What is missing stays so.
 */

#ifndef FM_DIRECTIVES_H
#define FM_DIRECTIVES_H

#include "names.h"
#include "text.h"

enum fm_directives_mode {
	FM_DIRECTIVES_DROP,	/* drop elements whose name is in the set */
	FM_DIRECTIVES_KEEP	/* drop all others */
};

/*
 * Filters a list by a set of names that is `nocase`; NULL: a set without names.
 *
 * The element `*` of Vary is named only by `star`, as a name `*` of the set is
 * a glob, which means all names.  If `star` is false, the element stays in
 * either mode.
 *
 * Returns the list as it is, the same pointer, if no element is dropped; the
 * missing text if none is left; otherwise those that are left, as they were and
 * joined by ", ", in buf.  In the last case there are no empty elements, and
 * filtering once more changes nothing.
 *
 * The cap is the room that buf must have: the list's length, and a blank for
 * each comma.
 */
struct fm_text fm_directives_filter(struct fm_text list,
    const struct fm_names *, enum fm_directives_mode, bool star, char *buf);
size_t fm_directives_cap(struct fm_text list);

/*
 * Adds names that are not in a list yet, in the order of the array.  They are
 * tokens (fm_text_is_token()).  A list that has the element `*` stays as it is.
 *
 * Returns the list as it is, the same pointer, if nothing is added; otherwise
 * the list, without commas and blanks at its end, and what is added, joined by
 * ", ", in buf.  The cap is the room that buf must have.
 */
struct fm_text fm_directives_add(struct fm_text list,
    const struct fm_text *names, size_t n, char *buf);
size_t fm_directives_add_cap(struct fm_text list, const struct fm_text *names,
    size_t n);

/*
 * Returns the value of the first element of a name: the empty text if it has no
 * value, and the missing text if there is no such element.
 */
struct fm_text fm_directives_value(struct fm_text list, struct fm_text name);

/*
 * Returns the name of the cookie that a line of Set-Cookie sets, and its value,
 * both without the blanks around them; quotes are part of a value.  Without a
 * `=` before the first `;` the name is empty, and all before the `;` is the
 * value (RFC 6265bis).  Case matters in names of cookies.
 */
struct fm_text fm_directives_cookie(struct fm_text line,
    struct fm_text *value);

/*
 * Returns the media type of a Content-Type, in lower case: what comes before
 * the first `;`, `,` or blank.  It is in the header if it is in lower case
 * there, or else in buf, which has room for the header.
 */
struct fm_text fm_directives_type(struct fm_text header, char *buf);

#endif
