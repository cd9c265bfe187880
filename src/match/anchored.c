/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds texts by hash (anchored.h).  There are six families of texts, by kind
 * and by case.  A text is found by its key: up to the first KEY_MOST bytes of a
 * prefix, the last of a suffix, and all of an exact text.  One hash table with
 * open addressing has all keys; half of its buckets are free.  Texts with the
 * same key share a bucket, and their records are a chain.
 *
 *	buckets		records
 *	free
 *	hash, at -----> 7, next, SUFFIX, ".example.org"
 *	free		   `--> 2, no next, SUFFIX, ".example.org"
 *	hash, at -----> 0, no next, EXACT, "www.example.org"
 *
 * Most probes find nothing.  So each family has a set of edges, as bits: the
 * edge of a suffix is its first byte (the dot of `.example.org`), that of any
 * other text its last byte.  If the subject has another byte there, no hash is
 * made.
 */

#include "fold.h"
#include "obj.h"
#include "anchored.h"

/* Longest key, in bytes: all lengths are bits of one 64-bit word. */
#define KEY_MOST	63

/* The odd families ignore case. */
enum family {
	EXACT,
	EXACT_NOCASE,
	PREFIX,
	PREFIX_NOCASE,
	SUFFIX,
	SUFFIX_NOCASE,
	FAMILIES
};

struct anchored_bucket {
	uint32_t	hash;		/* of the key */
	uint32_t	at;		/* offset of a record; 0: the bucket is
					 * free */
};

struct anchored_record {
	uint32_t	number;		/* of the pattern */
	uint32_t	next;		/* offset of the next record with the
					 * same key; 0: no more */
	uint32_t	len;		/* bytes of text */
	uint32_t	family;
	char		text[];
};

struct fm_anchored {
	unsigned		magic;
#define FM_ANCHORED_MAGIC		0x3e9a70c5
	uint8_t			families;	/* a bit for each family that
						 * has texts */
	uint64_t		lengths[FAMILIES];	/* length_bit()s */
	uint64_t		edges[FAMILIES];	/* edge_bit()s */
	uint64_t		seed;
	uint32_t		nbuckets;
	uint32_t		nbytes;		/* of records */
	struct anchored_bucket	*buckets;
	char			*records;
};

static enum family
pattern_family(const struct fm_pattern *pattern)
{
	enum fm_pattern_kind kind = fm_pattern_kind(pattern);

	return ((kind == FM_PATTERN_EXACT ? EXACT :
	    kind == FM_PATTERN_PREFIX ? PREFIX : SUFFIX) +
	    (fm_pattern_nocase(pattern) ? 1U : 0U));
}

static bool
is_nocase(enum family family)
{
	return ((family & 1) != 0);
}

static inline bool
is_same(enum family family, struct fm_text a, struct fm_text b)
{
	return (is_nocase(family) ? fm_text_eq_nocase(a, b) :
	    fm_text_eq(a, b));
}

/* Returns up to len bytes at the family's end of a text; an exact one whole. */
static inline struct fm_text
text_end(enum family family, struct fm_text text, size_t len)
{
	if (family < PREFIX || text.len <= len)
		return (text);
	return (fm_text(family < SUFFIX ? text.b : text.b + text.len - len,
	    len));
}

static uint64_t
length_bit(size_t len)
{
	return (1ULL << (len < KEY_MOST ? len : KEY_MOST));
}

/* Returns a bit for the edge of a key; `A` and `a` have the same bit. */
static inline uint64_t
edge_bit(enum family family, struct fm_text key)
{
	char c = family < PREFIX && key.len == 0 ? 0 :
	    key.b[family < SUFFIX ? key.len - 1 : 0];

	return (1ULL << ((c & 0x1f) | (c & 0x40) >> 1));
}

/*
 * Returns the hash of a key, by words of eight bytes; the last two may overlap.
 * Without case it ignores the bit in which `A` and `a` differ.
 */
static inline uint32_t
key_hash(const struct fm_anchored *table, enum family family,
    struct fm_text key)
{
	uint64_t lower = is_nocase(family) ? 0x2020202020202020ULL : 0;
	uint64_t hash = table->seed + key.len * FAMILIES + family, word = 0;
	size_t i;

	if (key.len < sizeof word) {
		memcpy(&word, key.b, key.len);
	} else {
		for (i = sizeof word; i < key.len; i += sizeof word) {
			memcpy(&word, key.b + i - sizeof word, sizeof word);
			hash = fm_fold(hash ^ (word | lower),
			    0x243f6a8885a308d3ULL);
		}
		memcpy(&word, key.b + key.len - sizeof word, sizeof word);
	}
	return ((uint32_t)fm_fold(hash ^ (word | lower),
	    0x452821e638d01377ULL));
}

static struct anchored_record *
record_at(const struct fm_anchored *table, uint32_t at)
{
	return ((struct anchored_record *)(void *)(table->records + at));
}

/* Returns the bucket of a key, or the free bucket where the key would be. */
static inline struct anchored_bucket *
key_bucket(const struct fm_anchored *table, enum family family,
    struct fm_text key, uint32_t hash)
{
	size_t i = (uint64_t)hash * table->nbuckets >> 32;
	const struct anchored_record *record;
	struct anchored_bucket *bucket;

	for (;; i = i + 1 < table->nbuckets ? i + 1 : 0) {
		bucket = &table->buckets[i];
		if (bucket->at == 0)
			return (bucket);
		if (bucket->hash != hash)
			continue;
		record = record_at(table, bucket->at);
		if (record->family == family && is_same(family, key, text_end(
		    family, fm_text(record->text, record->len), KEY_MOST)))
			return (bucket);
	}
}

/*--------------------------------------------------------------------
 * Making it
 */

/* Returns the bytes of a record, rounded up so that the next one is aligned. */
static uint64_t
record_bytes(const struct fm_pattern *pattern)
{
	return ((sizeof(struct anchored_record) + fm_pattern_text(pattern).len +
	    3) & ~(uint64_t)3);
}

/* Allocates buckets and records.  Returns 0; or -1 if there is no memory. */
static int
anchored_room(struct fm_anchored *table, struct fm_pattern * const *patterns,
    const unsigned char *matchers, size_t n)
{
	uint64_t nbuckets = 0, nbytes = sizeof(uint32_t);	/* 0: none */
	size_t i;

	for (i = 0; i < n; i++)
		if (matchers[i] == FM_MATCHER_HASH) {
			nbuckets += 2;
			nbytes += record_bytes(patterns[i]);
		}
	if (nbuckets > UINT32_MAX || nbytes > UINT32_MAX)
		return (-1);
	table->nbuckets = (uint32_t)nbuckets;
	table->nbytes = (uint32_t)nbytes;
	table->buckets = calloc(nbuckets + 1, sizeof *table->buckets);
	table->records = malloc(nbytes);
	return (table->buckets == NULL || table->records == NULL ? -1 : 0);
}

static void
anchored_add(struct fm_anchored *table, const struct fm_pattern *pattern,
    uint32_t number, uint32_t at)
{
	struct anchored_record *record = record_at(table, at);
	enum family family = pattern_family(pattern);
	struct fm_text text = fm_pattern_text(pattern);
	struct fm_text key = text_end(family, text, KEY_MOST);
	uint32_t hash = key_hash(table, family, key);
	struct anchored_bucket *bucket = key_bucket(table, family, key, hash);

	*record = (struct anchored_record){ number, bucket->at,
	    (uint32_t)text.len, family };
	memcpy(record->text, text.b, text.len);
	*bucket = (struct anchored_bucket){ hash, at };
	table->lengths[family] |= length_bit(key.len);
	table->edges[family] |= edge_bit(family, key);
	table->families |= (uint8_t)(1U << family);
}

int
fm_anchored_new(struct fm_pattern * const *patterns,
    const unsigned char *matchers, size_t n, struct fm_anchored **tablep)
{
	uint32_t at = sizeof(uint32_t);
	struct fm_anchored *table;
	size_t i;
	int bad;

	*tablep = NULL;
	FM_OBJ_NEW(table, FM_ANCHORED_MAGIC);
	if (table == NULL)
		return (-1);
	table->seed = fm_fold_seed(table);
	bad = anchored_room(table, patterns, matchers, n);
	for (i = 0; bad == 0 && i < n; i++)
		if (matchers[i] == FM_MATCHER_HASH) {
			anchored_add(table, patterns[i], (uint32_t)i, at);
			at += (uint32_t)record_bytes(patterns[i]);
		}
	if (bad == 0 && table->nbuckets > 0)
		*tablep = table;
	else
		fm_anchored_free(&table);
	return (bad);
}

void
fm_anchored_free(struct fm_anchored **tablep)
{
	struct fm_anchored *table;

	FM_OBJ_TAKE(table, tablep, FM_ANCHORED_MAGIC);
	free(table->buckets);
	free(table->records);
	FM_OBJ_FREE(table);
}

size_t
fm_anchored_bytes(const struct fm_anchored *table)
{
	FM_OBJ_CHECK(table, FM_ANCHORED_MAGIC);
	return (sizeof *table + table->nbuckets * sizeof *table->buckets +
	    table->nbytes);
}

/*--------------------------------------------------------------------
 * A lookup
 */

/* One call of fm_anchored_find(). */
struct search {
	const struct fm_anchored	*table;
	struct fm_text		subject;
	fm_anchored_hit_f		*hit;
	void			*priv;
};

/* Tells of the texts with a key that match.  Returns true to stop. */
static bool
search_key(const struct search *s, enum family family, struct fm_text key)
{
	const struct anchored_record *record;
	uint32_t at;

	at = key_bucket(s->table, family, key,
	    key_hash(s->table, family, key))->at;
	for (; at != 0; at = record->next) {
		record = record_at(s->table, at);
		if ((record->len == key.len || is_same(family,
		    fm_text(record->text, record->len),
		    text_end(family, s->subject, record->len))) &&
		    s->hit(s->priv, record->number))
			return (true);
	}
	return (false);
}

/* Probes for each length of a family's keys.  Returns true to stop. */
static inline __attribute__((always_inline)) bool
search_family(const struct search *s, unsigned families, enum family family)
{
	uint64_t lengths = s->table->lengths[family];
	uint64_t bit = length_bit(s->subject.len);
	struct fm_text key = s->subject;

	if ((families & 1U << family) == 0)
		return (false);
	for (lengths &= family < PREFIX ? bit : 2 * bit - 1; lengths != 0;
	    lengths &= lengths - 1) {
		if (family >= PREFIX)
			key.len = (size_t)__builtin_ctzll(lengths);
		if (family >= SUFFIX)
			key.b = s->subject.b + s->subject.len - key.len;
		if ((s->table->edges[family] & edge_bit(family, key)) != 0 &&
		    search_key(s, family, key))
			return (true);
	}
	return (false);
}

void
fm_anchored_find(const struct fm_anchored *table, struct fm_text subject,
    fm_anchored_hit_f *hit, void *priv)
{
	struct search s = { table, subject, hit, priv };
	unsigned f = table->families;

	FM_OBJ_CHECK(table, FM_ANCHORED_MAGIC);
	assert(subject.b != NULL);
	(void)(search_family(&s, f, EXACT) ||
	    search_family(&s, f, EXACT_NOCASE) ||
	    search_family(&s, f, SUFFIX) ||
	    search_family(&s, f, SUFFIX_NOCASE) ||
	    search_family(&s, f, PREFIX) ||
	    search_family(&s, f, PREFIX_NOCASE));
}
