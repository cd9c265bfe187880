/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns (patset.h).  When a set is made, each pattern gets a
 * matcher (enum fm_matcher), by which it is decided:
 *
 *	matcher		which patterns			how they are decided
 *	HASH		exact texts; prefixes and	a lookup in anchored.c
 *			suffixes if there are many
 *	PASS		contains, if there are many	one pass by contains.c
 *			and nothing needs a scan
 *	PLACE		a few texts; regexes that	each is tried, one by
 *			only PCRE2 reads, or that	one
 *			Hyperscan refuses
 *	SCAN		other contains, globs, and	one scan by Hyperscan
 *			regexes that both engines
 *			read alike
 *	PREFILTER	other regexes			the same scan says which
 *							may match, and PCRE2
 *							decides
 *
 * Without Hyperscan, or if it fails its self-test, SCAN and PREFILTER are
 * PLACE.
 *
 * A question is answered by a lookup ("struct lookup"): hash, pass and scan set
 * a bit for each hit, PLACE patterns get a bit untried, and what is not certain
 * is then decided, in ascending order, as far as the question needs it.
 */

#include <time.h>

#include "anchored.h"
#include "caps.h"
#include "contains.h"
#include "grow.h"
#include "obj.h"
#include "patset.h"
#include "scan.h"
#include "syntax.h"
#include "thread.h"

/*
 * How many prefixes can be compared in the time of one scan.  A scan touches
 * some 10 KB of memory, a prefix one cache line.
 */
#define PATSET_FEW	12

/* How many prefixes can be compared in the time of a lookup in tied.c. */
#define PATSET_ENDS	3

/*
 * A pattern without a word (syntax.h) adds this to the set's size for each such
 * pattern before it, as the time to compile them grows with the square of their
 * number: 32 take Hyperscan up to 5 s, 100 would take it 40 s.
 */
#define PATSET_WORDLESS	200

/*
 *	patterns	0 is a	1 begins b	2 contains c	3 ~ d(?=e)
 *	matchers	HASH	HASH		SCAN		PREFILTER
 *
 *	anchored has 0 and 1; scan has 2 and 3; gives_up, as PCRE2 decides 3
 */
struct fm_patset {
	unsigned		magic;
#define FM_PATSET_MAGIC		0x731ab5e2
	uint32_t		n;
	struct fm_pattern	**patterns;
	size_t			room;		/* allocated, in patterns */
	unsigned char		*matchers;	/* one enum fm_matcher per
						 * pattern; NULL: not made yet
						 * */
	uint32_t		*placed;	/* PLACE patterns, in ascending
						 * order */
	uint32_t		nplaced;
	bool			gives_up;	/* PCRE2 decides some pattern */
	bool			prefilters;	/* some pattern is PREFILTER */
	bool			small;		/* a few texts, all PLACE */
	bool			unscanned;	/* patterns would be scanned
						 * for, but the engine failed */
	double			seconds;	/* CPU time that making took */
	size_t			size;		/* sum of fm_syntax.size */
	struct fm_anchored	*anchored;	/* HASH; NULL: there are none */
	struct fm_contains	*contains;	/* PASS; NULL: there are none */
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
	assert(ps->matchers == NULL);
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

	for (i = 0; i < ps->n && ends <= PATSET_ENDS; i++) {
		if (fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_EXACT)
			return (true);
		ends += is_end(ps->patterns[i]);
	}
	return (ends > PATSET_ENDS);
}

/*
 * Returns the matcher of a pattern.  If the pattern is scanned for, adds its
 * size to *size, and counts it in *wordless if it has no word.
 */
static enum fm_matcher
pattern_matcher(const struct fm_pattern *pattern, bool few, bool hashed,
    bool pass, size_t *size, size_t *wordless)
{
	struct fm_syntax syntax;

	if (fm_pattern_kind(pattern) == FM_PATTERN_EXACT)
		return (FM_MATCHER_HASH);
	if (is_end(pattern))
		return (hashed ? FM_MATCHER_HASH : FM_MATCHER_PLACE);
	syntax = pattern_syntax(pattern);
	if (!pass && (few || syntax.engine == FM_SYNTAX_PCRE2))
		return (FM_MATCHER_PLACE);
	*size += syntax.size;
	if (pass)
		return (FM_MATCHER_PASS);
	if (syntax.wordless)
		*size += PATSET_WORDLESS * (*wordless)++;
	return (syntax.engine == FM_SYNTAX_ALIKE ? FM_MATCHER_SCAN :
	    FM_MATCHER_PREFILTER);
}

static bool
is_scanned(const struct fm_patset *ps, uint32_t n)
{
	return (ps->matchers[n] == FM_MATCHER_SCAN || ps->matchers[n] ==
	    FM_MATCHER_PREFILTER);
}

/*
 * Makes the scan, unless this load only counts.  Without an engine, all SCAN
 * and PREFILTER patterns become PLACE.
 * Returns 0; or -1 if the scan takes more than a load may have.
 */
static int
patset_scan(struct fm_patset *ps, const struct fm_place *place,
    struct fm_diag *diag)
{
	uint32_t i;

	if (fm_caps_only_count())
		return (0);
	ps->scan = fm_scan_new(ps->patterns, ps->matchers, ps->n, place, diag);
	if (fm_caps_are_over())
		return (-1);
	for (i = 0; i < ps->n && ps->scan == NULL; i++)
		if (is_scanned(ps, i)) {
			ps->matchers[i] = FM_MATCHER_PLACE;
			ps->unscanned = fm_scan_health() != FM_SCAN_NONE;
		}
	return (0);
}

/* Sets the fields that follow from the matchers: placed, gives_up, empty. */
static void
patset_sum_up(struct fm_patset *ps)
{
	struct fm_tally tally = { 0 };
	bool regex;
	uint32_t i;

	for (i = 0; i < ps->n; i++) {
		regex = fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_REGEX;
		if (ps->matchers[i] == FM_MATCHER_PLACE)
			ps->placed[ps->nplaced++] = i;
		ps->gives_up |= regex && ps->matchers[i] != FM_MATCHER_SCAN;
		ps->prefilters |= ps->matchers[i] == FM_MATCHER_PREFILTER;
		if (fm_pattern_match(ps->patterns[i], fm_text("", 0), &tally))
			ps->empty[i / 64] |= 1ULL << i % 64;
	}
}

/*
 * Gives each pattern a matcher.  Returns 0; or -1: there is no memory, or the
 * set takes more than a load may have.
 */
static int
patset_matchers(struct fm_patset *ps, const struct fm_place *place,
    struct fm_diag *diag)
{
	bool few = are_few(ps), hashed = are_hashed(ps);
	size_t wordless = 0;
	uint32_t i;

	if (!few && fm_contains_new(ps->patterns, ps->n, &ps->contains) != 0)
		return (-1);
	for (i = 0; i < ps->n; i++)
		ps->matchers[i] = pattern_matcher(ps->patterns[i], few, hashed,
		    ps->contains != NULL, &ps->size, &wordless);
	if (!fm_caps_take(FM_CAP_SIZE, ps->size, place, diag) ||
	    fm_anchored_new(ps->patterns, ps->matchers, ps->n, &ps->anchored) !=
	    0 || patset_scan(ps, place, diag) != 0)
		return (-1);
	patset_sum_up(ps);
	ps->small = few && ps->nplaced == ps->n;
	return (0);
}

static double
seconds_now(void)
{
	struct timespec t = { 0 };	/* not every system has it */

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
	assert(ps->matchers == NULL);
	ps->matchers = calloc(ps->n + 1, sizeof *ps->matchers);
	ps->placed = calloc(ps->n + 1, sizeof *ps->placed);
	ps->empty = calloc(FM_PATSET_WORDS(ps->n) + 1, sizeof *ps->empty);
	if (ps->matchers != NULL && ps->placed != NULL && ps->empty != NULL)
		bad = patset_matchers(ps, place, diag);
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
	if (ps->anchored != NULL)
		fm_anchored_free(&ps->anchored);
	if (ps->contains != NULL)
		fm_contains_free(&ps->contains);
	if (ps->scan != NULL)
		fm_scan_free(&ps->scan);
	while (ps->n > 0)
		fm_pattern_free(&ps->patterns[--ps->n]);
	free(ps->patterns);
	free(ps->matchers);
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
	    sizeof *ps->matchers + sizeof *ps->placed) +
	    FM_PATSET_WORDS(ps->n) * sizeof *ps->empty;
	for (i = 0; i < ps->n; i++)
		bytes += fm_pattern_bytes(ps->patterns[i]);
	if (ps->anchored != NULL)
		bytes += fm_anchored_bytes(ps->anchored);
	if (ps->contains != NULL)
		bytes += fm_contains_bytes(ps->contains);
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

enum fm_matcher
fm_patset_matcher(const struct fm_patset *ps, uint32_t n)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return ((enum fm_matcher)ps->matchers[n]);
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
	    ps->matchers[n] == FM_MATCHER_SCAN)
		return (NULL);
	syntax = pattern_syntax(ps->patterns[n]);
	if (ps->matchers[n] == FM_MATCHER_PREFILTER || syntax.engine ==
	    FM_SYNTAX_PCRE2)
		return (whys[syntax.why]);
	if (fm_scan_health() != FM_SCAN_HEALTHY)
		return ("there is no Hyperscan that works");
	if ((syntax.ends & fm_scan_lacks()) != 0)
		return ("this Hyperscan misses matches at the end");
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
	return (ps->scan != NULL || ps->contains != NULL);
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
struct lookup {
	const struct fm_patset	*ps;
	uint64_t		*bits;		/* one per pattern */
	size_t			first, last;	/* words of `bits` that have a
						 * bit; first > last: none */
	uint32_t		least;		/* lowest number so far that
						 * surely matches */
	bool			any;		/* one match is enough */
};

static void
lookup_add(struct lookup *lookup, uint32_t n)
{
	size_t w = n / 64;

	lookup->bits[w] |= 1ULL << n % 64;
	if (w < lookup->first)
		lookup->first = w;
	if (w > lookup->last)
		lookup->last = w;
}

/* Takes a hit of the hash table or the scan.  Returns true to stop it. */
static bool
lookup_hit(void *priv, uint32_t n)
{
	struct lookup *lookup = priv;

	if (n < lookup->least && lookup->ps->matchers[n] !=
	    FM_MATCHER_PREFILTER)
		lookup->least = n;
	if (lookup->any && lookup->least != FM_PATSET_NONE)
		return (true);
	lookup_add(lookup, n);
	return (false);
}

/* Sets all of these bits. */
static void
lookup_all(struct lookup *lookup, const uint64_t *bits)
{
	size_t w, words = FM_PATSET_WORDS(lookup->ps->n);

	for (w = 0; w < words; w++)
		lookup->bits[w] |= bits[w];
	lookup->first = 0;
	lookup->last = words - 1;
}

/* Sets the bits of all candidates.  Returns FM_PATSET_* flags. */
static unsigned
lookup_candidates(struct lookup *lookup, struct fm_text subject,
    struct fm_tally *tally)
{
	const struct fm_patset *ps = lookup->ps;
	unsigned known = FM_PATSET_SCANNED;
	uint32_t i;

	if (subject.len == 0 && ps->n > 0) {
		lookup_all(lookup, ps->empty);
		return (FM_PATSET_EMPTY);
	}
	if (ps->anchored != NULL)
		fm_anchored_find(ps->anchored, subject, lookup_hit, lookup);
	if (lookup->any && lookup->least != FM_PATSET_NONE)
		return (known);
	tally->scans += fm_patset_scans(ps);
	if (ps->contains != NULL) {
		fm_contains_find(ps->contains, subject, lookup_hit, lookup);
	} else if (ps->scan != NULL) {
		if (!fm_scan_run(ps->scan, subject, lookup_hit, lookup)) {
			tally->fallbacks++;
			known = 0;
			for (i = 0; i < ps->n; i++)
				if (is_scanned(ps, i))
					lookup_add(lookup, i);
		}
	} else if (ps->unscanned)
		tally->fallbacks++;
	for (i = 0; i < ps->nplaced; i++)
		lookup_add(lookup, ps->placed[i]);
	return (known);
}

/* Returns true if candidate n matches: a hit of HASH, PASS or SCAN does. */
static bool
decide(const struct fm_patset *ps, uint32_t n, struct fm_text subject,
    unsigned known, struct fm_tally *tally)
{
	if (known == FM_PATSET_EMPTY || ps->matchers[n] == FM_MATCHER_HASH ||
	    ps->matchers[n] == FM_MATCHER_PASS ||
	    (ps->matchers[n] == FM_MATCHER_SCAN && known == FM_PATSET_SCANNED))
		return (true);
	return (fm_pattern_match(ps->patterns[n], subject, tally));
}

unsigned
fm_patset_candidates(const struct fm_patset *ps, struct fm_text subject,
    uint64_t *bits, struct fm_tally *tally)
{
	struct lookup lookup = { .ps = ps, .bits = bits, .first = SIZE_MAX,
	    .least = FM_PATSET_NONE };

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(bits != NULL);
	return (lookup_candidates(&lookup, fm_text_or_empty(subject), tally));
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
lookup_numbers(struct lookup *lookup, struct fm_text subject, unsigned known,
    uint32_t *numbers, size_t cap, size_t enough, struct fm_tally *tally)
{
	size_t count = 0, w;
	uint64_t bits;
	uint32_t n;

	for (w = lookup->first; w <= lookup->last && lookup->first !=
	    SIZE_MAX; w++) {
		bits = lookup->bits[w];
		lookup->bits[w] = 0;
		for (; bits != 0 && count < enough; bits &= bits - 1) {
			n = (uint32_t)(w * 64 +
			    (size_t)__builtin_ctzll(bits));
			if (!decide(lookup->ps, n, subject, known, tally))
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
	struct lookup lookup = { .ps = ps, .first = SIZE_MAX,
	    .least = FM_PATSET_NONE, .any = any };
	unsigned known;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->n == 0)
		return (0);
	subject = fm_text_or_empty(subject);
	lookup.bits = words_get(ps->n);
	if (lookup.bits == NULL) {
		tally->fallbacks++;
		return (try_each(ps, subject, numbers, cap, enough, tally));
	}
	known = lookup_candidates(&lookup, subject, tally);
	if (any && lookup.least != FM_PATSET_NONE) {
		/* One match is enough: only clear the bits. */
		(void)lookup_numbers(&lookup, subject, known, NULL, 0, 0,
		    tally);
		return (1);
	}
	return (lookup_numbers(&lookup, subject, known, numbers, cap, enough,
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

/* Returns true if any pattern of a set matches of which each hit is a match. */
static bool
match_surely(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	bool match = false;
	uint32_t i;

	if (ps->anchored != NULL)
		fm_anchored_find(ps->anchored, subject, match_hit, &match);
	tally->scans += !match && fm_patset_scans(ps);
	if (ps->contains != NULL && !match) {
		fm_contains_find(ps->contains, subject, match_hit, &match);
	} else if (ps->scan != NULL && !match) {
		if (!fm_scan_run(ps->scan, subject, match_hit, &match)) {
			tally->fallbacks++;
			return (try_each(ps, subject, NULL, 0, 1, tally) > 0);
		}
	}
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
	if (ps->scan == NULL || (!ps->prefilters && subject.len > 0))
		return (match_surely(ps, fm_text_or_empty(subject), tally));
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
