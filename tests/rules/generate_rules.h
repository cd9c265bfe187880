/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the makers of random rules share.
 *
 * What is put goes into both spellings; where they may differ, a second
 * random source decides how, so that they mean the same.
 */

#ifndef GENERATE_RULES_H
#define GENERATE_RULES_H

#include "generate_priv.h"

#define LISTS		6
#define MAPS		4
#define RULESETS	3
#define HOSTS		9
#define PATTERNS	40
#define COSTLY		2	/* in a file: regexes that may be asked */
#define MANY		1100	/* too many to keep a bit for each */
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
	unsigned		budget;		/* of costly regexes */
	/*
	 * How many groups the nearest `when` with a regex has, and the
	 * condition that is being put; NO_REGEX: it has no regex.
	 */
	unsigned		groups;
	unsigned		cond_groups;
	unsigned		test_groups;	/* of one test, likewise */
	unsigned		negations;	/* around the test */
	/* Some that were put, to be put again after what may change them. */
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
	unsigned		usable;		/* of these, by `use` */
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

/* generate_spell.c: what is put stands in both spellings. */

void put(struct maker *, const char *s);
/* What changes nothing: now and then, in the second alone. */
bool put_other(struct maker *, const char *s);
void put_into(struct maker *, unsigned which, const char *s, size_t len);
void put_blank(struct maker *);
void put_newline(struct maker *);
void put_start(struct maker *, const char *s);		/* of a line */
void put_end(struct maker *);				/* of a statement */
void put_open(struct maker *);				/* a block */
void put_close(struct maker *);
void put_quoted(struct maker *, unsigned which, const char *s);
/* With quotes where it needs them, and now and then where it doesn't. */
void put_word(struct maker *, const char *s);
/* A blank, and a word without quotes, a word, a name. */
void put_plain(struct maker *, const char *s);
void put_next(struct maker *, const char *s);
void put_name(struct maker *, const char *s, bool in_is_free);
/* Without a blank. */
void put_number(struct maker *, const char *before, unsigned n);

/* generate_cond.c: operands, subjects and conditions. */

enum { IS, BEGINS, ENDS, CONTAINS, LIKE, REGEX, IN };

extern const char * const mode_words[];

/* What is around a condition, and so what needs no parentheses. */
enum { LEVEL_OR, LEVEL_AND, LEVEL_NOT };

unsigned group_count(const char *regex);
void make_regex(struct maker *, const struct pool *, char out[WORD]);
/* costly: one that may go over its limit, too, if any is left. */
void put_operands(struct maker *, unsigned mode, const struct pool *,
    bool costly);
/* Returns what may be found there. */
const struct pool *put_subject(struct maker *);
/* A list of this kind that may be used, or LISTS. */
unsigned list_find(struct maker *, enum list_kind);
/* A list of networks, or some: asked by the client, or by any subject. */
void put_networks(struct maker *, bool client);
void put_cond(struct maker *, unsigned level, unsigned depth);

/* generate_stmt.c: values, statements and blocks. */

/* starts: what it may start with, or NULL. */
void put_value(struct maker *, const struct pool *starts);
/* The value of a redirect. */
void put_location(struct maker *);
void put_synth(struct maker *);
/* depth: of whens in it; verdicts are rather inside of these. */
void put_block(struct maker *, unsigned depth);

#endif
