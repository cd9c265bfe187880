/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kinds of what the rule language has: subjects, parts of values,
 * statements; and the word for each.  A model has them (model.h), and the
 * program that is made from it.
 */

#ifndef FM_KINDS_H
#define FM_KINDS_H

#include <stdbool.h>

#include "pattern.h"

/* Names the subject of a test, a map or a variable. */
enum fm_subject_kind {
	FM_SUBJECT_URL,
	FM_SUBJECT_PATH,
	FM_SUBJECT_CLEAN_PATH,
	FM_SUBJECT_HOST,
	FM_SUBJECT_METHOD,
	FM_SUBJECT_QUERY,	/* the parameter of a name */
	FM_SUBJECT_COOKIE,	/* the cookie of a name */
	FM_SUBJECT_HEADER,	/* the header of a name; `agent`: User-Agent */
	FM_SUBJECT_CLIENT	/* the client's address: networks only */
};

/* Says which texts of a subject a test looks at, if there are several. */
enum fm_which {
	FM_WHICH_FIRST,		/* no word: one text, the first of several */
	FM_WHICH_ANY,		/* `any`: true if the test is true of any */
	FM_WHICH_EVERY		/* `every`: true if it is true of each */
};

/* A part of a value: a text, or one variable in ${}. */
enum fm_part_kind {
	FM_PART_TEXT,		/* `text` itself */
	FM_PART_URL,
	FM_PART_PATH,
	FM_PART_QUERY,		/* the whole query string */
	FM_PART_HOST,
	FM_PART_METHOD,
	FM_PART_CLIENT,
	FM_PART_PORT,
	FM_PART_RULESET,
	FM_PART_WILD,
	FM_PART_HEADER,		/* ${header.NAME}: `text` is the name */
	FM_PART_COOKIE,		/* ${cookie.NAME} */
	FM_PART_PARAMETER,	/* ${query.NAME} */
	FM_PART_GROUP,		/* ${1} to ${9}: `group` */
	FM_PART_MAP		/* only in programs: see fm_value */
};

/*
 * Comments name the member of struct fm_stmt that a kind uses.  The order is
 * that of the words in tokens.h, but for the last one.
 */
enum fm_stmt_kind {
	FM_STMT_QUERY,		/* params */
	FM_STMT_COOKIE,		/* params */
	FM_STMT_SET,		/* set */
	FM_STMT_UNSET,		/* unset */
	FM_STMT_NORMALIZE,	/* normalize */
	FM_STMT_REWRITE,	/* rewrite */
	FM_STMT_BACKEND,	/* backend */
	FM_STMT_SYNTH,		/* synth */
	FM_STMT_ANSWER,		/* answer */
	FM_STMT_REDIRECT,	/* redirect */
	FM_STMT_WHEN,		/* when */
	FM_STMT_PASS,
	FM_STMT_PIPE,
	FM_STMT_HASH,
	FM_STMT_PURGE,
	FM_STMT_STOP,
	FM_STMT_BUILTIN,
	FM_STMT_USE		/* use */
};
#define FM_STMT__KINDS	(FM_STMT_USE + 1)

/* Returns true if a statement may end the run, or leave its block. */
static inline bool
fm_stmt_may_end(enum fm_stmt_kind kind)
{
	return (kind >= FM_STMT_SYNTH && kind != FM_STMT_WHEN);
}

enum fm_params_what {
	FM_PARAMS_WHAT_DROP,	/* `query drop`, `cookie drop` */
	FM_PARAMS_WHAT_KEEP,
	FM_PARAMS_WHAT_SORT,	/* query only */
	FM_PARAMS_WHAT_UNIQUE,	/* query only */
	FM_PARAMS_WHAT_CLEAN	/* query only */
};

/* The fate of a request with a rule that is undecided. */
enum fm_undecided_mode {
	FM_UNDECIDED_REFUSE,	/* no `undecided` in the file: status 400 */
	FM_UNDECIDED_IGNORE,	/* the test is not met, the line of the map
				 * does not match */
	FM_UNDECIDED_SYNTH	/* a synth of the user's */
};

/* Return the word of the language for a value: "begins", "redirect", "host". */
const char *fm_mode_word(enum fm_pattern_kind);
const char *fm_stmt_word(enum fm_stmt_kind);
const char *fm_subject_word(enum fm_subject_kind);

#endif
