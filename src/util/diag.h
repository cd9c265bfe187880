/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is wrong with what somebody wrote, and where: a bounded list of
 * messages.  Builders report here and go on to the next thing, so that the
 * author sees all mistakes at once; past the bound messages are counted only.
 * So are those for which there is no memory, but for one, "out of memory",
 * which comes behind those that were kept.
 *
 * A message says what is wrong and what to do, in one line without a newline;
 * whoever shows it puts the place in front.
 */

#ifndef FM_DIAG_H
#define FM_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/*
 * Where something was written.  In a file: name, line and column, from 1.
 * In VCL no line is known to a VMOD: name is what was called ("sites.add()")
 * and call which of these calls it was, from 1.
 */
struct fm_place {
	const char	*name;
	unsigned	line;
	unsigned	column;		/* 0: the whole line */
	unsigned	call;		/* instead of line and column */
};

#define FM_PLACE_LEN	512	/* bytes of a place in a message */

/* As "%.*s" takes a text: a message shows no more of it. */
#define FM_SHOWN	200	/* bytes: three lines */
#define FM_SHOW(text)							\
	(int)((text).len < FM_SHOWN ? (text).len : FM_SHOWN),		\
	(text).len > 0 ? (text).b : ""

/* "name:line:column", "name:line", "name", or "name, call N".  Returns buf. */
const char *fm_place_print(const struct fm_place *, char buf[FM_PLACE_LEN]);

struct fm_diag;

/*
 * NULL where there is no memory; all functions here take a NULL diag, and free
 * a pointer to one.
 */
struct fm_diag *fm_diag_new(void);
void fm_diag_free(struct fm_diag **);

void fm_diag_error(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void fm_diag_warning(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * From here on messages with a place of this name say this instead, for it may
 * be that their reader can't read that file.  NULL: they are shown again.  -1:
 * no memory.
 */
int fm_diag_hide(struct fm_diag *, const char *name, const char *instead);

/* An error with none of the file's text: it is said where that is hidden. */
void fm_diag_error_bare(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A text that stands at the place, as other messages may show it. */
struct fm_text fm_diag_shown(const struct fm_diag *, const struct fm_place *,
    struct fm_text);

/* How many there were, whether kept or not. */
unsigned fm_diag_errors(const struct fm_diag *);
unsigned fm_diag_warnings(const struct fm_diag *);

/*
 * Sorts what was kept: by file (in the order in which files were first named
 * in a message, unless `first` names one that is to come first), line and
 * column; messages of the same place stay in their order, and those without a
 * place come last.
 */
void fm_diag_sort(struct fm_diag *, const char *first);

/* The n-th message that was kept, from 0, in its parts; false past the last. */
struct fm_diag_message {
	bool			error;		/* or a warning */
	struct fm_place		at;		/* name is NULL: no place */
	const char		*text;
	const char		*excerpt;	/* or NULL */
};

bool fm_diag_message(const struct fm_diag *, unsigned n,
    struct fm_diag_message *);

/*
 * Gives the n-th message the lines that show its place, which are copied.
 * Without memory it stays without.
 */
void fm_diag_excerpt(struct fm_diag *, unsigned n, const char *excerpt);

/*
 * The n-th message that was kept, from 0, as "place: error: what" (or
 * "place: warning: what"); NULL past the last.
 */
const char *fm_diag_line(const struct fm_diag *, unsigned n);

#endif
