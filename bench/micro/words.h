/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes up names, and reads User-Agents, for the contests.
 */

#ifndef WORDS_H
#define WORDS_H

#include "text.h"

/* The n-th name, "Nokira": all of them are different. */
#define FM_WORDS	64000
#define FM_WORD_LEN	8

void fm_word(unsigned n, char buf[FM_WORD_LEN]);

/*
 * Phrases look like a brand or a model in a User-Agent; regexes are as people
 * write them for such; fm_phrase_fit() gives a text that the n-th fits.
 */
#define FM_PHRASE_LEN	64

void fm_phrase_literal(unsigned n, char buf[FM_PHRASE_LEN]);
void fm_phrase_regex(unsigned n, char buf[FM_PHRASE_LEN]);
void fm_phrase_fit(unsigned n, bool regex, char buf[FM_PHRASE_LEN]);

/* The lines of a list file, without [sections]. */
struct fm_lines {
	struct fm_file		*file;
	struct fm_text		*v;
	size_t			n;
};

void fm_lines_read(struct fm_lines *, const char *path);
void fm_lines_add(struct fm_lines *, struct fm_text);
void fm_lines_fini(struct fm_lines *);

#endif
