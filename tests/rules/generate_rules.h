/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that make random rules share: a maker, and functions that put
 * words into the text of the rules.
 *
 * Each function writes both spellings of the rules (generate.h).  A second
 * random source decides how the spellings differ, so that both still mean the
 * same.
 */

#ifndef GENERATE_RULES_H
#define GENERATE_RULES_H

#include "generate_priv.h"

#define LISTS		6
#define MAPS		4
#define RULESETS	3
#define HOSTS		9
#define PATTERNS	40
#define COSTLY		2	/* regexes in a file that may give up */
#define MANY		1100	/* names: too many for a bit each */
#define WORD		256
#define TEST		512
#define TESTS		4
#define NO_REGEX	(~0U)

enum list_kind {
	LIST_NAMES,
	LIST_PATTERNS,
	LIST_NETS
};

struct maker {
	uint64_t		state;
	uint64_t		spelling;
	struct generate_rules	*rules;
	size_t			room[2];
	unsigned		indent;
	unsigned		budget;		/* costly regexes allowed */
	/*
	 * How many groups the nearest `when` with a regex has, and how
	 * many the condition has that is being put; NO_REGEX: no regex.
	 */
	unsigned		groups;
	unsigned		cond_groups;
	unsigned		test_groups;	/* of the test being put */
	unsigned		negations;	/* `not`s around the test */
	/*
	 * Tests to repeat later, when statements may have changed their result.
	 */
	struct put_test {
		char			text[2][TEST];
		unsigned		groups;
	}			tests[TESTS];
	unsigned		ntests;

	enum list_kind		lists[LISTS];
	bool			costly_list[LISTS];
	bool			in_list[LISTS];	/* LIST_NETS by `in` */
	unsigned		nlists;
	bool			costly_map[MAPS];
	bool			location_map[MAPS];
	bool			in_map[MAPS];
	unsigned		nmaps;
	unsigned		nrulesets;
	unsigned		usable;		/* rulesets, by `use` */
	char			patterns[PATTERNS][64];	/* of hosts */
	unsigned		npatterns;
};

static inline unsigned
below(struct maker *m, unsigned n)
{
	return (random_below(&m->state, n));
}

static inline bool
chance(struct maker *m, unsigned one_in)
{
	return (below(m, one_in) == 0);
}

/* generate_spell.c: puts words into both spellings. */

void put(struct maker *, const char *s);
/* Puts what changes nothing into the second spelling, now and then. */
bool put_other(struct maker *, const char *s);
void put_into(struct maker *, unsigned which, const char *s, size_t len);
void put_blank(struct maker *);
void put_newline(struct maker *);
void put_start(struct maker *, const char *s);		/* of a line */
void put_end(struct maker *);				/* of a statement */
void put_open(struct maker *);				/* a block */
void put_close(struct maker *);
void put_quoted(struct maker *, unsigned which, const char *s);
/* Puts a word, in quotes if it needs them, and now and then if it doesn't. */
void put_word(struct maker *, const char *s);
/* Put a blank, and: a word without quotes; a word; a name. */
void put_plain(struct maker *, const char *s);
void put_next(struct maker *, const char *s);
void put_name(struct maker *, const char *s, bool in_is_free);
/* Puts a word and a number, without a blank before. */
void put_number(struct maker *, const char *before, unsigned n);

/* generate_cond.c: operands, subjects and conditions. */

enum { IS, BEGINS, ENDS, CONTAINS, LIKE, REGEX, IN };

extern const char * const mode_words[];

/* The context of a condition, which decides whether it needs parentheses. */
enum { LEVEL_OR, LEVEL_AND, LEVEL_NOT };

unsigned group_count(const char *regex);
void make_regex(struct maker *, const struct pool *, char out[WORD]);
/*
 * Puts operands; `costly`: perhaps a regex that may give up, if one is allowed.
 */
void put_operands(struct maker *, unsigned mode, const struct pool *,
    bool costly);
/* Puts a subject; returns the pool of words that are found in it. */
const struct pool *put_subject(struct maker *);
/* Returns the number of a list of a kind, or LISTS if there is none. */
unsigned list_find(struct maker *, enum list_kind);
/* Puts networks, or a list of them, for `client in` or for another subject. */
void put_networks(struct maker *, bool client);
void put_cond(struct maker *, unsigned level, unsigned depth);

/* generate_stmt.c: values, statements and blocks. */

/* Puts a value; `starts` is what it may start with, or NULL. */
void put_value(struct maker *, const struct pool *starts);
/* Puts the value of a redirect. */
void put_location(struct maker *);
void put_synth(struct maker *);
/*
 * Puts a block with up to `depth` levels of `when`, where most verdicts stand.
 */
void put_block(struct maker *, unsigned depth);

#endif
