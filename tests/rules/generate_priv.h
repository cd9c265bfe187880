/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The grammar of random rules and requests (grammar.c), which generate.c reads.
 *
 * A production has a name and alternatives; one of them is taken at random.  A
 * name that begins with `~` is that of a pool of words: every other time, one
 * of the first three is taken.  An alternative is a text with references
 * between backquotes:
 *
 *	`name`		a production
 *	`'name`		... as a word of the rules, in quotes if it needs them
 *	`name@pool`	... inside of which `@` is this production
 *	`name/xyz`	... changed, by the letters of change() in generate.c
 *	`name?3`	... one time in three, else nothing
 *	`name!3`	... two times in three
 *	`name+3`	... one to three times
 *	`name*3`	... up to three times
 *	`name=3`	... three times
 *	`=TEXT`		this text
 *	`+TEXT`		this text, in the second spelling of the rules alone
 *	`#name`		made by special() in generate.c
 *
 * An alternative that begins with `3*` is taken thrice as often as another one.
 * One that begins with `!` and a letter is taken only where a
 * `when` may stand (`!w`), where there is a ruleset to use (`!s`), or where a
 * regex that PCRE2 may give up on is allowed (`!c`).
 */

#ifndef GENERATE_PRIV_H
#define GENERATE_PRIV_H

#define ALTERNATIVES	36

struct production {
	const char		*name;
	const char		*to[ALTERNATIVES];
};

/* The grammar; a production without a name ends it. */
extern const struct production grammar[];

#endif
