/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inputs to begin with, and words to put into them.
 */

#ifndef SEEDS_H
#define SEEDS_H

#include <stdbool.h>
#include <stddef.h>

struct seed {
	char			*bytes;
	size_t			len;
};

struct seeds {
	struct seed		*all;
	size_t			count;
};

/*
 * Adds what a path names, or ends the program with what is wrong:
 *
 *	x.case		tests/cases: the requests of each group, or, for a
 *			target whose inputs are of one part, its files
 *	x.seeds		an input a line, as seeds_print() writes it; a line
 *			that begins with `#` is a comment
 *	x.dict		libFuzzer's words, "in quotes"
 *	a folder	all that is in it
 *	any other	it is an input
 *
 * What is not printable is \n, \t, \r, \\ or \xNN.
 */
void seeds_add(struct seeds *, const char *path, bool parts);
void seeds_free(struct seeds *);

/* To stdout, a line each; into files of a folder. */
void seeds_print(const struct seeds *);
void seeds_write(const struct seeds *, const char *folder);

#endif
