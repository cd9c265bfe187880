/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of names is a set of patterns: `utm_*` is a prefix, `*_id` a suffix,
 * `utm_id` an exact text, and the rest globs.  The first NAMES_WORDS names that
 * are exact or prefixes are also words of eight bytes, in chains by their first
 * byte, so that most names of a request are compared with one or two words.
 * The set of patterns is asked for the others.
 *
 *	utm_id utm_* gclid *_id		heads['u'] -> utm_* -> utm_id
 *					heads['g'] -> gclid
 *					asks: any first byte
 */

#include "glob.h"
#include "grow.h"
#include "names.h"
#include "obj.h"
#include "percent.h"

#define NAMES_WORDS	64	/* names of a set, so that a chain is short */

#define NO_BYTE		(-1)	/* is not a byte of a text */

/* Bytes that begin names with the same low five bits have the same chain. */
#define NAMES_CHAINS	32
#define NAMES_CHAIN(c)	((unsigned char)(c) % NAMES_CHAINS)

/* A name of the set, which is the pattern of the same number. */
struct names_word {
	const char		*b;		/* of the pattern */
	uint64_t		word;		/* the first eight bytes */
	uint16_t		len;		/* but for the `*` at its end */
	uint8_t			shift;		/* shifts the bytes after the
						 * name out of a word */
	uint8_t			next;		/* of the chain, plus one; 0:
						 * no more */
	bool			prefix;		/* or the whole name */
};

struct fm_names {
	unsigned		magic;
#define FM_NAMES_MAGIC		0x51c4b8e9
	bool			nocase;
	uint32_t		asks;		/* a bit for each chain: its
						 * words are not all names that
						 * begin so */
	uint8_t			heads[NAMES_CHAINS];
	uint64_t		firsts;		/* fm_names_firsts() */
	struct fm_grow		words;		/* struct names_word */
	struct fm_patset	*set;
};

/*--------------------------------------------------------------------
 * Making it
 */

struct fm_names *
fm_names_new(bool nocase)
{
	struct fm_names *names;

	FM_OBJ_NEW(names, FM_NAMES_MAGIC);
	if (names == NULL)
		return (NULL);
	names->nocase = nocase;
	names->set = fm_patset_new();
	if (names->set == NULL)
		FM_OBJ_FREE(names);
	return (names);
}

void
fm_names_free(struct fm_names **namesp)
{
	struct fm_names *names;

	FM_OBJ_TAKE(names, namesp, FM_NAMES_MAGIC);
	fm_patset_free(&names->set);
	fm_grow_fini(&names->words);
	FM_OBJ_FREE(names);
}

/* Returns why a set can't have such a name, or NULL. */
static const char *
names_fault(struct fm_text name)
{
	size_t i;
	unsigned char c;

	if (name.len == 0)
		return ("is empty");
	for (i = 0; i < name.len; i++) {
		c = (unsigned char)name.b[i];
		if (c == '%')
			return ("has a '%': names are compared decoded, so "
			    "write the byte itself, or '?' for any byte");
		if (c <= ' ' || c == 0x7f)
			return ("has a blank or a control character");
		if (strchr("&=;#", c) != NULL)
			return ("has one of '&', '=', ';' and '#', which "
			    "end a name");
	}
	return (NULL);
}

bool
fm_names_is_name(struct fm_text name, const struct fm_place *place,
    struct fm_diag *diag)
{
	const char *fault;

	if (name.len > FM_NAMES_MAX) {
		fm_diag_error(diag, place,
		    "a name of %zu bytes: no more than %d are allowed",
		    name.len, FM_NAMES_MAX);
		return (false);
	}
	fault = names_fault(name);
	if (fault != NULL)
		fm_diag_error(diag, place, "name '%.*s' %s", FM_SHOW(name),
		    fault);
	return (fault == NULL);
}

/* Returns NULL if there is no memory. */
static struct fm_pattern *
name_pattern(struct fm_text name, bool nocase)
{
	const struct fm_place nowhere = { .name = "" };
	enum fm_pattern_kind kind = FM_PATTERN_GLOB;
	size_t literal = fm_glob_prefix(name);

	if (literal == name.len) {
		kind = FM_PATTERN_EXACT;
	} else if (literal > 0 && literal == name.len - 1 &&
	    name.b[literal] == '*') {
		kind = FM_PATTERN_PREFIX;
		name.len--;
	} else if (name.len > 1 && name.b[0] == '*' && fm_glob_prefix(
	    fm_text(name.b + 1, name.len - 1)) == name.len - 1) {
		kind = FM_PATTERN_SUFFIX;
		name = fm_text(name.b + 1, name.len - 1);
	}
	return (fm_pattern_new(kind, name, nocase, &nowhere, NULL));
}

/* Returns the bits of fm_names_firsts() for a name that begins with c. */
static uint64_t
names_firsts(const struct fm_names *names, unsigned char c)
{
	if (c == '*' || c == '?')
		return (UINT64_MAX);
	if (names->nocase)
		return (1ULL << (c | 0x20) % 64 | 1ULL << (c & ~0x20) % 64);
	return (1ULL << c % 64);
}

/* Notes that the patterns are asked for a name: at any byte for a wildcard. */
static void
names_ask(struct fm_names *names, char c)
{
	names->asks |= c == '*' || c == '?' ? UINT32_MAX :
	    1U << NAMES_CHAIN(c);
}

/* Adds the word of a name.  Returns -1: no memory. */
static int
names_add_word(struct fm_names *names, struct fm_text name,
    const struct fm_pattern *pattern)
{
	struct names_word *word;
	size_t literal = fm_glob_prefix(name);
	uint8_t *head = &names->heads[NAMES_CHAIN(name.b[0])];

	if (names->nocase || names->words.n == NAMES_WORDS) {
		names_ask(names, name.b[0]);
		return (0);
	}
	word = fm_grow_add(&names->words, sizeof *word, 1);
	if (word == NULL)
		return (-1);
	word->prefix = literal > 0 && literal == name.len - 1 &&
	    name.b[literal] == '*';
	if (literal < name.len && !word->prefix) {
		names_ask(names, name.b[0]);
		return (0);
	}
	word->b = fm_pattern_text(pattern).b;
	word->len = (uint16_t)literal;
	word->shift = literal < 8 ? (uint8_t)(64 - 8 * literal) : 0;
	word->word = fm_text_word(name.b, literal);
	word->next = *head;
	*head = (uint8_t)names->words.n;
	return (0);
}

int
fm_names_add(struct fm_names *names, struct fm_text name,
    const struct fm_place *place, struct fm_diag *diag)
{
	const struct fm_pattern *added;
	struct fm_pattern *pattern;

	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	if (!fm_names_is_name(name, place, diag))
		return (-1);
	names->firsts |= names_firsts(names, (unsigned char)name.b[0]);
	pattern = name_pattern(name, names->nocase);
	added = pattern;
	if (pattern != NULL && fm_patset_add(names->set, &pattern) == 0 &&
	    names_add_word(names, name, added) == 0)
		return (0);
	fm_diag_error(diag, place, "out of memory");
	return (-1);
}

int
fm_names_make(struct fm_names *names, const struct fm_place *place,
    struct fm_diag *diag)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	fm_grow_trim(&names->words, sizeof(struct names_word));
	return (fm_patset_make(names->set, place, diag));
}

const struct fm_patset *
fm_names_set(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (names->set);
}

size_t
fm_names_bytes(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (sizeof *names + names->words.room * sizeof(struct names_word) +
	    fm_patset_bytes(names->set));
}

/*--------------------------------------------------------------------
 * Asking it
 */

/*
 * Returns true if bytes are equal, of which the first eight are: without a
 * call, so that match_word() saves no registers.
 */
static inline bool
rest_eq(const char *a, const char *b, size_t len)
{
	uint64_t x, y;
	size_t i, at;

	for (i = 8; i < len; i += 8) {
		at = i + 8 <= len ? i : len - 8;
		memcpy(&x, a + at, 8);
		memcpy(&y, b + at, 8);
		if (x != y)
			return (false);
	}
	return (true);
}

/*
 * Returns true if a word of the set is the name in front of a text, which goes
 * on to the byte `end` or to the end of the text.
 */
static bool
match_word(const struct fm_names *names, struct fm_text text, int end)
{
	const struct names_word *word;
	uint64_t is = fm_text_word(text.b, text.len);
	unsigned n = names->heads[NAMES_CHAIN(*text.b)];

	for (; n != 0; n = word->next) {
		word = FM_GROW_AT(&names->words, struct names_word, n - 1);
		if ((is ^ word->word) << word->shift != 0 ||
		    text.len < word->len)
			continue;
		if (!word->prefix && text.len > word->len &&
		    (unsigned char)text.b[word->len] != end)
			continue;
		if (rest_eq(word->b, text.b, word->len))
			return (true);
	}
	return (false);
}

static bool
match_bytes(const struct fm_names *names, struct fm_text name)
{
	unsigned chain = name.len == 0 ? 0 : NAMES_CHAIN(name.b[0]);
	struct fm_tally tally = { 0 };

	if (name.len > 0 && match_word(names, name, NO_BYTE))
		return (true);
	return ((names->asks >> chain & 1) != 0 &&
	    fm_patset_match(names->set, name, &tally));
}

static int
match_decoded(const struct fm_names *names, struct fm_text name)
{
	const char *p = name.b, *e = p + name.len;
	char buf[FM_NAMES_MAX], *room = buf;
	size_t n = 0;
	bool match;

	if (name.len > sizeof buf)
		room = malloc(name.len);
	if (room == NULL)
		return (-1);
	while (p < e)
		room[n++] = (char)fm_percent_next(&p, e);
	match = match_bytes(names, fm_text(room, n));
	if (room != buf)
		free(room);
	return (match);
}

bool
fm_names_begin(const struct fm_names *names, struct fm_text text)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (match_word(names, text, '='));
}

uint64_t
fm_names_firsts(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (names->firsts);
}

int
fm_names_match(const struct fm_names *names, struct fm_text name,
    enum fm_names_code code)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (code == FM_NAMES_PERCENT ? match_decoded(names, name) :
	    match_bytes(names, name));
}
