/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns (patset.h).  When a set is made, each pattern gets a way
 * (enum fm_way), by which it is decided:
 *
 *	way	which patterns			how they are decided
 *	HASH	exact texts; prefixes and	a lookup in tied.c
 *		suffixes if there are many
 *	PLACE	a few texts; regexes that	each is tried, one by one
 *		only PCRE2 reads, or that
 *		Hyperscan refuses
 *	SCAN	contains, globs, and regexes	one scan by Hyperscan
 *		that both engines read alike
 *	GATE	other regexes			the same scan says which may
 *						match, and PCRE2 decides
 *
 * Without Hyperscan, or if it fails its self-test, SCAN and GATE are PLACE.
 *
 * A question is answered by a lookup ("struct look"): hash and scan set a bit
 * for each hit, PLACE patterns get a bit untried, and what is not certain is
 * then decided, in ascending order, as far as the question needs it.
 */

#include <time.h>

#include "caps.h"
#include "grow.h"
#include "obj.h"
#include "patset.h"
#include "scan.h"
#include "syntax.h"
#include "thread.h"
#include "tied.h"

/*
 * How many prefixes can be compared in the time of one scan.  A scan touches
 * some 10 KB of memory, a prefix one cache line.
 */
#define PATSET_FEW	12

/*
 * A pattern without a word (syntax.h) adds this to the set's size for each such
 * pattern before it, as the time to compile them grows with the square of their
 * number: 32 take Hyperscan up to 5 s, 100 would take it 40 s.
 */
#define PATSET_WORDLESS	200

/*
 *	patterns	0 is a	1 begins b	2 contains c	3 ~ d(?=e)
 *	ways		HASH	HASH		SCAN		GATE
 *
 *	tied has 0 and 1; scan has 2 and 3; gives_up, as PCRE2 decides 3
 */
struct fm_patset {
	unsigned		magic;
#define FM_PATSET_MAGIC		0x731ab5e2
	uint32_t		n;
	struct fm_pattern	**patterns;
	size_t			room;		/* allocated, in patterns */
	unsigned char		*ways;		/* one enum fm_way per pattern;
						 * NULL: not made yet */
	uint32_t		*placed;	/* PLACE patterns, in ascending
						 * order */
	uint32_t		nplaced;
	bool			gives_up;	/* PCRE2 decides some pattern */
	bool			small;		/* a few texts, all PLACE */
	bool			unscanned;	/* patterns would be scanned
						 * for, but the engine failed */
	double			seconds;	/* CPU time that making took */
	size_t			size;		/* sum of fm_syntax.size */
	struct fm_tied		*tied;		/* HASH; NULL: there are none */
	struct fm_scan		*scan;		/* NULL: nothing to scan for */
	uint64_t		*empty;		/* a bit for each pattern that
						 * matches the empty text */
};

/*--------------------------------------------------------------------
 * Making it
 */

struct fm_patset *
fm_patset_new(void)
{
	struct fm_patset *ps;

	FM_OBJ_NEW(ps, FM_PATSET_MAGIC);
	return (ps);
}

int
fm_patset_add(struct fm_patset *ps, struct fm_pattern **pp)
{
	struct fm_pattern **patterns = NULL;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(ps->ways == NULL);
	assert(pp != NULL && *pp != NULL);
	if (ps->n < FM_PATSET_NONE)
		patterns = fm_grow_room(ps->patterns, &ps->room, ps->n, 1,
		    sizeof *patterns);
	if (patterns == NULL) {
		fm_pattern_free(pp);
		return (-1);
	}
	ps->patterns = patterns;
	ps->patterns[ps->n++] = *pp;
	*pp = NULL;
	return (0);
}

/* Returns the cost of trying a text; PATSET_FEW is the cost of a scan. */
static uint32_t
place_cost(const struct fm_pattern *pattern)
{
	switch (fm_pattern_kind(pattern)) {
	case FM_PATTERN_PREFIX:
	case FM_PATTERN_SUFFIX:
		return (1);
	case FM_PATTERN_CONTAINS:
		return (fm_pattern_nocase(pattern) ? PATSET_FEW : 3);
	case FM_PATTERN_GLOB:
		return (PATSET_FEW / 2);
	case FM_PATTERN_EXACT:	/* always by hash */
		return (0);
	case FM_PATTERN_REGEX:	/* never tried if it can be scanned for */
		break;
	}
	return (PATSET_FEW + 1);
}

/* Returns true if to try all texts, but exact ones, is cheaper than a scan. */
static bool
are_few(const struct fm_patset *ps)
{
	uint32_t i, cost = 0;

	for (i = 0; i < ps->n && cost <= PATSET_FEW; i++)
		cost += place_cost(ps->patterns[i]);
	return (cost <= PATSET_FEW);
}

/* Returns which engine may decide a contains, a glob or a regex. */
static struct fm_syntax
pattern_syntax(const struct fm_pattern *pattern)
{
	struct fm_text text = fm_pattern_text(pattern);
	struct fm_syntax s = { .engine = FM_SYNTAX_ALIKE };

	switch (fm_pattern_kind(pattern)) {
	case FM_PATTERN_REGEX:
		return (fm_syntax_read(text));
	case FM_PATTERN_GLOB:
		return (fm_syntax_read_glob(text));
	default:
		/* Measured: each text costs 5, and 100 of its bytes cost 1. */
		s.size = 5 + text.len / 100;
		s.wordless = text.len < 2;
		if (text.len > FM_SCAN_LONGEST / FM_SCAN_BYTE)
			s.engine = FM_SYNTAX_PCRE2;
		return (s);
	}
}

static bool
is_end(const struct fm_pattern *pattern)
{
	return (fm_pattern_kind(pattern) == FM_PATTERN_PREFIX ||
	    fm_pattern_kind(pattern) == FM_PATTERN_SUFFIX);
}

/*
 * Returns true if prefixes and suffixes go into a hash table: there are many,
 * or exact texts need the table anyway.
 */
static bool
are_hashed(const struct fm_patset *ps)
{
	uint32_t i, ends = 0;

	for (i = 0; i < ps->n && ends <= PATSET_FEW; i++) {
		if (fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_EXACT)
			return (true);
		ends += is_end(ps->patterns[i]);
	}
	return (ends > PATSET_FEW);
}

/*
 * Returns the way of a pattern.  If the pattern is scanned for, adds its size
 * to *size, and counts it in *wordless if it has no word.
 */
static enum fm_way
pattern_way(const struct fm_pattern *pattern, bool few, bool hashed,
    size_t *size, size_t *wordless)
{
	struct fm_syntax syntax;

	if (fm_pattern_kind(pattern) == FM_PATTERN_EXACT)
		return (FM_WAY_HASH);
	if (is_end(pattern))
		return (hashed ? FM_WAY_HASH : FM_WAY_PLACE);
	syntax = pattern_syntax(pattern);
	if (few || syntax.engine == FM_SYNTAX_PCRE2)
		return (FM_WAY_PLACE);
	*size += syntax.size;
	if (syntax.wordless)
		*size += PATSET_WORDLESS * (*wordless)++;
	return (syntax.engine == FM_SYNTAX_ALIKE ? FM_WAY_SCAN : FM_WAY_GATE);
}

static bool
is_scanned(const struct fm_patset *ps, uint32_t n)
{
	return (ps->ways[n] == FM_WAY_SCAN || ps->ways[n] == FM_WAY_GATE);
}

/*
 * Makes the scan, unless this load only counts.  Without an engine, all SCAN
 * and GATE patterns become PLACE.
 * Returns 0; or -1 if the scan takes more than a load may have.
 */
static int
patset_scan(struct fm_patset *ps, const struct fm_place *place,
    struct fm_diag *diag)
{
	uint32_t i;

	if (fm_caps_only_count())
		return (0);
	ps->scan = fm_scan_new(ps->patterns, ps->ways, ps->n, place, diag);
	if (fm_caps_are_over())
		return (-1);
	for (i = 0; i < ps->n && ps->scan == NULL; i++)
		if (is_scanned(ps, i)) {
			ps->ways[i] = FM_WAY_PLACE;
			ps->unscanned = fm_scan_health() != FM_SCAN_NONE;
		}
	return (0);
}

/* Sets the fields that follow from the ways: placed, gives_up, empty. */
static void
patset_sum_up(struct fm_patset *ps)
{
	struct fm_tally tally = { 0 };
	bool regex;
	uint32_t i;

	for (i = 0; i < ps->n; i++) {
		regex = fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_REGEX;
		if (ps->ways[i] == FM_WAY_PLACE)
			ps->placed[ps->nplaced++] = i;
		ps->gives_up |= regex && ps->ways[i] != FM_WAY_SCAN;
		if (fm_pattern_match(ps->patterns[i], fm_text("", 0), &tally))
			ps->empty[i / 64] |= 1ULL << i % 64;
	}
}

/*
 * Gives each pattern a way.  Returns 0; or -1: there is no memory, or the set
 * takes more than a load may have.
 */
static int
patset_ways(struct fm_patset *ps, const struct fm_place *place,
    struct fm_diag *diag)
{
	bool few = are_few(ps), hashed = are_hashed(ps);
	size_t wordless = 0;
	uint32_t i;

	for (i = 0; i < ps->n; i++)
		ps->ways[i] = pattern_way(ps->patterns[i], few, hashed,
		    &ps->size, &wordless);
	if (!fm_caps_take(FM_CAP_SIZE, ps->size, place, diag) ||
	    fm_tied_new(ps->patterns, ps->ways, ps->n, &ps->tied) != 0 ||
	    patset_scan(ps, place, diag) != 0)
		return (-1);
	patset_sum_up(ps);
	ps->small = few && ps->nplaced == ps->n;
	return (0);
}

static double
seconds_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return ((double)t.tv_sec + (double)t.tv_nsec / 1e9);
}

int
fm_patset_make(struct fm_patset *ps, const struct fm_place *place,
    struct fm_diag *diag)
{
	double began = seconds_now();
	int bad = -1;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(ps->ways == NULL);
	ps->ways = calloc(ps->n + 1, sizeof *ps->ways);
	ps->placed = calloc(ps->n + 1, sizeof *ps->placed);
	ps->empty = calloc(FM_PATSET_WORDS(ps->n) + 1, sizeof *ps->empty);
	if (ps->ways != NULL && ps->placed != NULL && ps->empty != NULL)
		bad = patset_ways(ps, place, diag);
	if (bad != 0 && !fm_caps_are_over())
		fm_diag_error(diag, place, "out of memory");
	ps->seconds = seconds_now() - began;
	return (bad);
}

void
fm_patset_free(struct fm_patset **psp)
{
	struct fm_patset *ps;

	FM_OBJ_TAKE(ps, psp, FM_PATSET_MAGIC);
	if (ps->tied != NULL)
		fm_tied_free(&ps->tied);
	if (ps->scan != NULL)
		fm_scan_free(&ps->scan);
	while (ps->n > 0)
		fm_pattern_free(&ps->patterns[--ps->n]);
	free(ps->patterns);
	free(ps->ways);
	free(ps->placed);
	free(ps->empty);
	FM_OBJ_FREE(ps);
}

size_t
fm_patset_count(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->n);
}

const struct fm_pattern *
fm_patset_pattern(const struct fm_patset *ps, uint32_t n)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return (ps->patterns[n]);
}

size_t
fm_patset_bytes(const struct fm_patset *ps)
{
	size_t bytes;
	uint32_t i;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	bytes = sizeof *ps + ps->n * (sizeof *ps->patterns +
	    sizeof *ps->ways + sizeof *ps->placed) +
	    FM_PATSET_WORDS(ps->n) * sizeof *ps->empty;
	for (i = 0; i < ps->n; i++)
		bytes += fm_pattern_bytes(ps->patterns[i]);
	if (ps->tied != NULL)
		bytes += fm_tied_bytes(ps->tied);
	if (ps->scan != NULL)
		bytes += fm_scan_bytes(ps->scan);
	return (bytes);
}

struct fm_patset_cost
fm_patset_cost(const struct fm_patset *ps)
{
	struct fm_patset_cost cost = { .database = 0 };

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	cost.seconds = ps->seconds;
	cost.size = ps->size;
	if (ps->scan != NULL) {
		cost.database = fm_scan_bytes(ps->scan);
		cost.scratch = fm_scan_scratch_bytes(ps->scan);
	}
	return (cost);
}

enum fm_way
fm_patset_way(const struct fm_patset *ps, uint32_t n)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return ((enum fm_way)ps->ways[n]);
}

const char *
fm_patset_why(const struct fm_patset *ps, uint32_t n)
{
	static const char * const whys[] = {
		[FM_SYNTAX_LOOK] = "a look-ahead or look-behind",
		[FM_SYNTAX_BACK] = "a back reference",
		[FM_SYNTAX_KEEPS] = "an atomic group or a possessive repeat",
		[FM_SYNTAX_UNLIKE] = "syntax that Hyperscan may read otherwise",
		[FM_SYNTAX_REPEATS] = "too many bounded repeats",
		[FM_SYNTAX_LARGE] = "too large",
	};
	struct fm_syntax syntax;

	if (fm_pattern_kind(fm_patset_pattern(ps, n)) != FM_PATTERN_REGEX ||
	    ps->ways[n] == FM_WAY_SCAN)
		return (NULL);
	syntax = pattern_syntax(ps->patterns[n]);
	if (ps->ways[n] == FM_WAY_GATE || syntax.engine == FM_SYNTAX_PCRE2)
		return (whys[syntax.why]);
	if (fm_scan_health() != FM_SCAN_HEALTHY)
		return ("there is no Hyperscan that works");
	return (ps->unscanned ? "there was no memory for Hyperscan" :
	    "Hyperscan refuses it");
}

bool
fm_patset_is_small(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->small);
}

bool
fm_patset_scans(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->scan != NULL);
}

bool
fm_patset_gives_up(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->gives_up);
}

/*--------------------------------------------------------------------
 * Candidates: those that match, and those that have yet to be decided
 */

/* A lookup of one subject in one set. */
struct look {
	const struct fm_patset	*ps;
	uint64_t		*bits;		/* one per pattern */
	size_t			first, last;	/* words of `bits` that have a
						 * bit; first > last: none */
	uint32_t		least;		/* lowest number so far that
						 * surely matches */
	bool			any;		/* one match is enough */
};

static void
look_add(struct look *look, uint32_t n)
{
	size_t w = n / 64;

	look->bits[w] |= 1ULL << n % 64;
	if (w < look->first)
		look->first = w;
	if (w > look->last)
		look->last = w;
}

/* Takes a hit of the hash table or the scan.  Returns true to stop it. */
static bool
look_hit(void *priv, uint32_t n)
{
	struct look *look = priv;

	if (n < look->least && look->ps->ways[n] != FM_WAY_GATE)
		look->least = n;
	if (look->any && look->least != FM_PATSET_NONE)
		return (true);
	look_add(look, n);
	return (false);
}

/* Sets all of these bits. */
static void
look_all(struct look *look, const uint64_t *bits)
{
	size_t w, words = FM_PATSET_WORDS(look->ps->n);

	for (w = 0; w < words; w++)
		look->bits[w] |= bits[w];
	look->first = 0;
	look->last = words - 1;
}

/* Sets the bits of all candidates.  Returns FM_PATSET_* flags. */
static unsigned
look_candidates(struct look *look, struct fm_text subject,
    struct fm_tally *tally)
{
	const struct fm_patset *ps = look->ps;
	unsigned known = FM_PATSET_SCANNED;
	uint32_t i;

	if (subject.len == 0 && ps->n > 0) {
		look_all(look, ps->empty);
		return (FM_PATSET_EMPTY);
	}
	if (ps->tied != NULL)
		fm_tied_find(ps->tied, subject, look_hit, look);
	if (look->any && look->least != FM_PATSET_NONE)
		return (known);
	if (ps->scan != NULL) {
		tally->scans++;
		if (!fm_scan_run(ps->scan, subject, look_hit, look)) {
			tally->fallbacks++;
			known = 0;
			for (i = 0; i < ps->n; i++)
				if (is_scanned(ps, i))
					look_add(look, i);
		}
	} else if (ps->unscanned)
		tally->fallbacks++;
	for (i = 0; i < ps->nplaced; i++)
		look_add(look, ps->placed[i]);
	return (known);
}

/* Returns true if candidate n matches: a hit of HASH or SCAN surely does. */
static bool
decide(const struct fm_patset *ps, uint32_t n, struct fm_text subject,
    unsigned known, struct fm_tally *tally)
{
	if (known == FM_PATSET_EMPTY || ps->ways[n] == FM_WAY_HASH ||
	    (ps->ways[n] == FM_WAY_SCAN && known == FM_PATSET_SCANNED))
		return (true);
	return (fm_pattern_match(ps->patterns[n], subject, tally));
}

unsigned
fm_patset_candidates(const struct fm_patset *ps, struct fm_text subject,
    uint64_t *bits, struct fm_tally *tally)
{
	struct look look = { .ps = ps, .bits = bits, .first = SIZE_MAX,
	    .least = FM_PATSET_NONE };

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(bits != NULL);
	return (look_candidates(&look, fm_text_or_empty(subject), tally));
}

bool
fm_patset_decide(const struct fm_patset *ps, uint32_t n,
    struct fm_text subject, unsigned known, struct fm_tally *tally)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return (decide(ps, n, fm_text_or_empty(subject), known, tally));
}

/*--------------------------------------------------------------------
 * Questions that are answered in one call.  Each thread keeps bits for them,
 * all of which are clear between two calls.
 */

struct words {
	unsigned		magic;
#define WORDS_MAGIC		0x25e7908d
	size_t			n;
	uint64_t		*bits;
};

static void
words_free(void *priv)
{
	struct words *words;

	FM_OBJ_CAST(words, priv, WORDS_MAGIC);
	free(words->bits);
	FM_OBJ_FREE(words);
}

/* Returns the thread's bits, for n patterns; NULL if there is no memory. */
static uint64_t *
words_get(size_t n)
{
	struct words *words;
	uint64_t *bits;

	words = fm_thread_make(FM_THREAD_PATSET, sizeof *words, WORDS_MAGIC,
	    words_free);
	if (words == NULL)
		return (NULL);
	FM_OBJ_CHECK(words, WORDS_MAGIC);
	if (words->n < FM_PATSET_WORDS(n)) {
		bits = calloc(FM_PATSET_WORDS(n), sizeof *bits);
		if (bits == NULL)
			return (NULL);
		free(words->bits);
		words->bits = bits;
		words->n = FM_PATSET_WORDS(n);
	}
	return (words->bits);
}

/*
 * Tries each pattern, in ascending order, until `enough` match.  Writes up to
 * `cap` numbers, and returns how many match.  Needs no memory.
 */
static size_t
try_each(const struct fm_patset *ps, struct fm_text subject,
    uint32_t *numbers, size_t cap, size_t enough, struct fm_tally *tally)
{
	size_t count = 0;
	uint32_t n;

	for (n = 0; n < ps->n && count < enough; n++) {
		if (!fm_pattern_match(ps->patterns[n], subject, tally))
			continue;
		if (count < cap)
			numbers[count] = n;
		count++;
	}
	return (count);
}

/*
 * Decides the candidates in ascending order, until `enough` match, and clears
 * all bits.  Writes up to `cap` numbers, and returns how many match.
 */
static size_t
look_numbers(struct look *look, struct fm_text subject, unsigned known,
    uint32_t *numbers, size_t cap, size_t enough, struct fm_tally *tally)
{
	size_t count = 0, w;
	uint64_t bits;
	uint32_t n;

	for (w = look->first; w <= look->last && look->first != SIZE_MAX; w++) {
		bits = look->bits[w];
		look->bits[w] = 0;
		for (; bits != 0 && count < enough; bits &= bits - 1) {
			n = (uint32_t)(w * 64 +
			    (size_t)__builtin_ctzll(bits));
			if (!decide(look->ps, n, subject, known, tally))
				continue;
			if (count < cap)
				numbers[count] = n;
			count++;
		}
	}
	return (count);
}

static size_t
patset_numbers(const struct fm_patset *ps, struct fm_text subject,
    uint32_t *numbers, size_t cap, size_t enough, bool any,
    struct fm_tally *tally)
{
	struct look look = { .ps = ps, .first = SIZE_MAX,
	    .least = FM_PATSET_NONE, .any = any };
	unsigned known;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->n == 0)
		return (0);
	subject = fm_text_or_empty(subject);
	look.bits = words_get(ps->n);
	if (look.bits == NULL) {
		tally->fallbacks++;
		return (try_each(ps, subject, numbers, cap, enough, tally));
	}
	known = look_candidates(&look, subject, tally);
	if (any && look.least != FM_PATSET_NONE) {
		/* One match is enough: only clear the bits. */
		(void)look_numbers(&look, subject, known, NULL, 0, 0, tally);
		return (1);
	}
	return (look_numbers(&look, subject, known, numbers, cap, enough,
	    tally));
}

static bool
match_hit(void *priv, uint32_t n)
{
	bool *match = priv;

	(void)n;
	*match = true;
	return (true);
}

/* Returns true if any pattern of a set without a scan matches. */
static bool
match_unscanned(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	bool match = false;
	uint32_t i;

	if (ps->tied != NULL)
		fm_tied_find(ps->tied, subject, match_hit, &match);
	tally->fallbacks += ps->unscanned && !match;
	for (i = 0; i < ps->nplaced && !match; i++)
		match = fm_pattern_match(ps->patterns[ps->placed[i]], subject,
		    tally);
	return (match);
}

bool
fm_patset_match(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->scan == NULL)
		return (match_unscanned(ps, fm_text_or_empty(subject),
		    tally));
	return (patset_numbers(ps, subject, NULL, 0, 1, true, tally) > 0);
}

uint32_t
fm_patset_first(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	uint32_t n = FM_PATSET_NONE;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->small)
		(void)try_each(ps, subject, &n, 1, 1, tally);
	else
		(void)patset_numbers(ps, subject, &n, 1, 1, false, tally);
	return (n);
}

size_t
fm_patset_all(const struct fm_patset *ps, struct fm_text subject,
    uint32_t *numbers, size_t cap, struct fm_tally *tally)
{
	return (patset_numbers(ps, subject, numbers, cap, SIZE_MAX, false,
	    tally));
}
