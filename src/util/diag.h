/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A diag collects errors and warnings about what somebody wrote (rules, lists,
 * arguments of VCL), each with its place.  A compiler reports an error here and
 * goes on, so that the author sees all mistakes at once.
 *
 *	diag = fm_diag_new();
 *	fm_diag_error(diag, &place, "unknown word '%.*s'", FM_SHOW(word));
 *	fm_diag_line(diag, 0)		"site.rules:3:7: error: unknown ..."
 *
 * The number of messages is bounded; those past the bound are counted only.  A
 * message for which there is no memory becomes "out of memory".
 *
 * A message says in one line, without a newline, what is wrong and what to do.
 *
 * Some readers may not see all of what was written, as a value may be a secret.
 * A format shows a piece of it by %.*s, and own words by %s: what such readers
 * see has "[hidden]" in place of each %.*s, unless fm_diag_public() says that
 * the message quotes no such value.  %-.*s shows what may have values of other
 * places in it: it is hidden always.
 */

#ifndef FM_DIAG_H
#define FM_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/*
 * A place says where something was written: in a file by its name, line and
 * column, from 1.  VCL does not tell a VMOD any line: there the name is what
 * was called ("sites.add()"), and `call` the number of that call, from 1.
 */
struct fm_place {
	const char	*name;
	unsigned	line;
	unsigned	column;		/* 0: the whole line */
	unsigned	call;		/* instead of line and column */
};

#define FM_PLACE_LEN	512	/* bytes of a place in a message */

/* Arguments for "%.*s" that show the first FM_SHOWN bytes of a text. */
#define FM_SHOWN	200	/* bytes: three lines of a terminal */
#define FM_SHOW(text)							\
	(int)((text).len < FM_SHOWN ? (text).len : FM_SHOWN),		\
	(text).len > 0 ? (text).b : ""

/*
 * Writes "name:line:column", "name:line", "name", or "name, call N" into buf,
 * and returns buf.
 */
const char *fm_place_print(const struct fm_place *, char buf[FM_PLACE_LEN]);

/* Orders places by name, line and column; 0: they are the same. */
int fm_place_compare(const struct fm_place *, const struct fm_place *);

struct fm_diag;

/*
 * Returns an empty diag; NULL if there is no memory.  All functions of this
 * file take a NULL diag as well, and fm_diag_free() a pointer to one.
 */
struct fm_diag *fm_diag_new(void);
void fm_diag_free(struct fm_diag **);

void fm_diag_error(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void fm_diag_warning(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Replaces the text of later messages with a place in this file by `instead`,
 * as those who read the messages may not be allowed to read the file.  NULL
 * shows the texts again.  Returns 0, or -1 if there is no memory.
 */
int fm_diag_hide(struct fm_diag *, const char *name, const char *instead);

/* Adds the error "out of memory", once. */
void fm_diag_no_memory(struct fm_diag *);

/*
 * Says that a file is parsed as rules, so that one can tell where it may have
 * secrets.  Returns 0, or -1 if there is no memory.
 */
int fm_diag_rules(struct fm_diag *, const char *name);

/* Says that message n quotes no value that may be a secret. */
void fm_diag_public(struct fm_diag *, unsigned n);

/*
 * Adds an error that fm_diag_hide() does not replace, as it quotes the token at
 * its place, and that only where the file is known to be no secret.
 */
void fm_diag_error_bare(struct fm_diag *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Returns a text of the file at this place, or "..." if it is hidden. */
struct fm_text fm_diag_shown(const struct fm_diag *, const struct fm_place *,
    struct fm_text);

/* Adds all messages of another diag, which may be NULL, with their excerpts. */
void fm_diag_copy(struct fm_diag *to, const struct fm_diag *from);

/* Return the number of errors, or warnings, whether kept or not. */
unsigned fm_diag_errors(const struct fm_diag *);
unsigned fm_diag_warnings(const struct fm_diag *);

/*
 * Sorts the messages that were kept by file, line and column.  Files have the
 * order in which messages first named them, but the file `first` (or NULL)
 * comes before others.  Messages with the same place stay in their order; those
 * without a place come last.
 */
void fm_diag_sort(struct fm_diag *, const char *first);

/*
 * Returns true, and the parts of message n that was kept, from 0; false if
 * there is no such message.
 */
struct fm_diag_message {
	bool			error;		/* false: a warning */
	bool			bare;		/* fm_diag_error_bare() */
	bool			rules;		/* fm_diag_rules() has the
						 * file of its place */
	struct fm_place		at;		/* name is NULL: no place */
	const char		*text;
	const char		*masked;	/* text without values */
	const char		*excerpt;	/* or NULL */
	const char		*masked_excerpt; /* or NULL */
};

bool fm_diag_message(const struct fm_diag *, unsigned n,
    struct fm_diag_message *);

/*
 * Adds a copy of the lines that show its place to message n, and of these lines
 * without values, or NULL.  Without memory the message has none.
 */
void fm_diag_excerpt(struct fm_diag *, unsigned n, const char *excerpt,
    const char *masked);

/*
 * Return message n that was kept, from 0, as "place: error: text" (or "place:
 * warning: text"), and the same without values; NULL if there is no such
 * message.
 */
const char *fm_diag_line(const struct fm_diag *, unsigned n);
const char *fm_diag_masked_line(const struct fm_diag *, unsigned n);

/* Returns the line of the first error; without memory for it "error: ...". */
const char *fm_diag_first_error(const struct fm_diag *);

#define FM_DIAG_HIDDEN	"[hidden]"	/* in place of a value */

#endif
