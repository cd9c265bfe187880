/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table of host patterns (hosttab.h).  A pattern has one or two keys,
 * each of them a name, and how a host must fit the name:
 *
 *	example.com		example.com, EXACT
 *	*.example.com		example.com, SUFFIX
 *	.example.com		both of these
 *	www.*			www, PREFIX
 *	*			the empty name, ANY
 *
 * The table consists of buckets of four keys, each in one cache line.  A
 * bucket is filled from its first key on, and overflows into the next bucket.
 * It has the hash of each key, whose lowest three bits are the key's `how`, and
 * the offset of the pattern's struct host, which has the rest:
 *
 *	buckets	| hash hash hash hash at at at at | hash hash ...
 *	hosts	| entry pattern len "example.com" | entry pattern len "www" ...
 *
 * A lookup usually reads one bucket, whether the key is there or not, and takes
 * no branch that depends on the place of the key.
 */

#include <stdio.h>

#include "fold.h"
#include "grow.h"
#include "hostname.h"
#include "hosttab.h"
#include "obj.h"
#include "xxh.h"

/*--------------------------------------------------------------------
 * Patterns
 */

#define FITS(how)	(1U << FM_HOSTTAB_##how)

static const char forms[] = ": the forms are 'example.com', "
    "'*.example.com', '.example.com' (both of these), 'www.*' and '*'";

struct pattern {
	struct fm_text		raw;	/* as it is written */
	const struct fm_place	*place;
	struct fm_diag		*diag;
	unsigned		fits;	/* FITS() of each key */
	struct fm_text		name;	/* canonical; a part of raw, or buf */
	char			*buf;	/* FM_HOSTNAME_MAX bytes */
};

/* Reports an error that quotes as much of the pattern as a host may have. */
#define QUOTE_MAX	(FM_HOSTNAME_MAX + 3)	/* bytes: a name and `.*` */
#define REFUSE(pat, before, after, ...)					\
	fm_diag_error((pat)->diag, (pat)->place,			\
	    before "'%.*s%s'" after, (int)((pat)->raw.len > QUOTE_MAX ?	\
	    QUOTE_MAX : (pat)->raw.len), (pat)->raw.b,			\
	    (pat)->raw.len > QUOTE_MAX ? "..." : "", ##__VA_ARGS__)

/* Reports a wrong pattern: why, and more of what to write, or "". */
static void
refuse(const struct pattern *pat, const char *why, const char *more)
{
	REFUSE(pat, "host pattern ", ": %s%s", why, more);
}

static void
pattern_split(struct pattern *pat)
{
	struct fm_text raw = pat->raw;
	size_t before = 0, after = 0;

	pat->fits = FITS(EXACT);
	if (raw.len == 1 && raw.b[0] == '*') {
		pat->fits = FITS(ANY);
		before = 1;
	} else if (fm_text_begins(raw, "*.")) {
		pat->fits = FITS(SUFFIX);
		before = 2;
	} else if (raw.len >= 2 && memcmp(raw.b + raw.len - 2, ".*", 2) == 0) {
		pat->fits = FITS(PREFIX);
		after = 2;
	} else if (raw.b[0] == '.') {
		pat->fits = FITS(EXACT) | FITS(SUFFIX);
		before = 1;
	}
	pat->name = fm_text(raw.b + before, raw.len - before - after);
}

/* Says that a pattern has a port, and what it is without: `www:80.*`. */
static void
refuse_port(const struct pattern *pat, const char *colon)
{
	size_t len = (size_t)(colon - pat->raw.b);
	bool cut = len > QUOTE_MAX;

	fm_diag_error(pat->diag, pat->place, "a host pattern has no port: "
	    "write '%.*s%s%s'", (int)(cut ? QUOTE_MAX : len), pat->raw.b,
	    cut ? "..." : "", pat->fits == FITS(PREFIX) ? ".*" : "");
}

/* Returns the first byte that no host has, or NULL. */
static const char *
name_bad_byte(struct fm_text name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	size_t i;

	for (i = 0; i < name.len; i++)
		if (memchr(good, fm_lower((unsigned char)name.b[i]),
		    sizeof good - 1) == NULL)
			return (name.b + i);
	return (NULL);
}

/*
 * Finds the keys and the canonical name of a pattern.  Returns -1 with the
 * reason in the diag if the pattern is wrong.
 */
static int
pattern_parse(struct pattern *pat)
{
	struct fm_text canon, *name = &pat->name;
	const char *colon, *bad;
	bool prefix;

	if (pat->raw.len == 0) {
		fm_diag_error(pat->diag, pat->place, "empty host pattern%s",
		    forms);
		return (-1);
	}
	pattern_split(pat);
	if (pat->fits == FITS(ANY))
		return (0);
	prefix = pat->fits == FITS(PREFIX);
	colon = memrchr(name->b, ':', name->len);
	if (name->len == 0)
		refuse(pat, "a wildcard of nothing", forms);
	else if (memchr(name->b, '/', name->len) != NULL)
		refuse(pat, "write the host alone, without scheme and path",
		    "");
	else if (colon != NULL && name->b[0] != '[' &&
	    memchr(name->b, ':', name->len) != colon)
		refuse(pat, "write an IPv6 address in brackets, as in '[::1]'",
		    "");
	else if (colon != NULL && colon > name->b && (name->b[0] != '[' ||
	    memchr(name->b, ']', (size_t)(colon - name->b)) != NULL))
		refuse_port(pat, colon);
	else if (memchr(name->b, '*', name->len) != NULL ||
	    (prefix && name->b[0] == '.'))
		refuse(pat, "'*' is whole labels, at one end", forms);
	else if (name->b[0] == '[' && pat->fits != FITS(EXACT))
		refuse(pat, "an IPv6 address has no labels: write it alone, "
		    "as in '[::1]'", "");
	/* fm_hostname_canon() drops a trailing dot, but before `.*` the label
	 * is empty. */
	else if (!(prefix && name->b[name->len - 1] == '.') &&
	    fm_hostname_canon(*name, pat->buf, &canon) == FM_HOSTNAME_OK) {
		*name = canon;
		return (0);
	} else if (name->b[0] == '[')
		refuse(pat, "that is not an IPv6 address in brackets: write "
		    "one, as in '[::1]'", "");
	else if (memchr(name->b, ',', name->len) != NULL)
		refuse(pat, "hosts are separated by blanks, not by commas", "");
	else if (fm_text_has_any(*name, "~^$()|\\"))
		refuse(pat, "a host pattern is not a regex", forms);
	else if ((bad = name_bad_byte(*name)) != NULL)
		REFUSE(pat, "host pattern ", ": no host has the byte 0x%02x: "
		    "use letters, digits, '-', '_' and '.'%s",
		    (unsigned char)*bad, (unsigned char)*bad < 0x80 ? "" :
		    "; write an international name as 'xn--...'");
	else if (name->len > FM_HOSTNAME_MAX)
		REFUSE(pat, "host pattern ", ": a name of %zu bytes: use at "
		    "most %d", name->len, FM_HOSTNAME_MAX);
	else
		refuse(pat, "an empty label: write something on both sides of "
		    "a dot", "");
	return (-1);
}

uint64_t
fm_hosttab_pattern_id(struct fm_text raw)
{
	static const struct fm_place nowhere = { .name = "" };
	char buf[FM_HOSTNAME_MAX];
	struct pattern pat = { .raw = raw, .place = &nowhere, .buf = buf };
	int bad = pattern_parse(&pat);

	assert(bad == 0);
	return (XXH3_64bits_withSeed(pat.name.b, pat.name.len, pat.fits));
}

/*--------------------------------------------------------------------
 * The hashes of a name
 *
 * A name is read once, as words of eight bytes, from its end: word[0] is the
 * last eight, the last byte of them the lowest.  The bytes of the first,
 * incomplete word have zeros above them.  chain[k] is the hash of the words
 * before word[k].  So the hash of every name that this one ends in is at most
 * one step away: word len / 8 without the bytes in front, on the chain there.
 * Labels of any length cost no branch.
 */

#define WORDS	(FM_HOSTNAME_MAX / 8 + 1)

struct words {
	uint64_t	word[WORDS];
	uint64_t	chain[WORDS];
};

static inline void
words_read(struct words *words, struct fm_text name, uint64_t seed)
{
	size_t k, n = name.len / 8, front = name.len % 8;
	uint64_t x = 0;

	assert(name.len <= FM_HOSTNAME_MAX);
	words->chain[0] = seed;
	for (k = 0; k < n; k++) {
		memcpy(&words->word[k], name.b + name.len - 8 * (k + 1), 8);
		words->word[k] = be64toh(words->word[k]);
		words->chain[k + 1] = fm_fold(
		    words->chain[k] ^ words->word[k], 0x243f6a8885a308d3ULL);
	}
	if (n > 0) {
		memcpy(&x, name.b, sizeof x);
		x = be64toh(x) >> 8 * (7 - front) >> 8;
	} else
		for (k = 0; k < front; k++)
			x = x << 8 | (unsigned char)name.b[k];
	words->word[n] = x;
}

/* Returns the hash of the key whose name is the last len bytes. */
static inline uint32_t
words_hash(const struct words *words, size_t len, enum fm_hosttab_how how)
{
	uint64_t front = (1ULL << 8 * (len % 8)) - 1;

	return (((uint32_t)fm_fold(
	    words->chain[len / 8] ^ (words->word[len / 8] & front),
	    0x452821e638d01377ULL) & ~7U) | how);
}

/*--------------------------------------------------------------------
 * Keys
 */

#define DEPTHS		128	/* labels: 253 bytes are 127 at most */
#define KEYS		4	/* of a bucket */

struct bucket {
	uint32_t	hash[KEYS];	/* 0: free, for no key's how is NONE */
	uint32_t	at[KEYS];	/* in the hosts */
};

/* A pattern; it may be at any address, without alignment. */
struct host {
	uint32_t	entry;
	uint32_t	pattern;
	uint8_t		len;
	char		name[];
} __attribute__((packed));

struct fm_hosttab {
	unsigned	magic;
#define FM_HOSTTAB_MAGIC	0x1f6ab2e9
	uint32_t	any;		/* in the hosts; UINT32_MAX: none */
	struct bucket	*buckets;
	uint32_t	nbuckets;
	uint32_t	used;		/* keys */
	uint64_t	seed;
	struct fm_grow	hosts;		/* bytes */
	bool		wildcards;	/* some key is SUFFIX or PREFIX */
	/* Bit n: the name of some SUFFIX (0) or PREFIX (1) has n labels. */
	uint64_t	depths[2][DEPTHS / 64];
	size_t		count;		/* patterns */
	unsigned	holders;	/* but one */
	struct fm_grow	records;	/* one for each pattern; empty once
					 * the table is sealed */
};

static inline const struct host *
host_at(const struct fm_hosttab *tab, uint32_t at)
{
	return ((const void *)((const char *)tab->hosts.items + at));
}

/*
 * Returns the number of the bucket that a key goes into if there is room.  Keys
 * are in the order of their hashes, so a copy goes through both tables once.
 */
static inline uint32_t
bucket_home(const struct fm_hosttab *tab, uint32_t hash)
{
	return ((uint32_t)((uint64_t)hash * tab->nbuckets >> 32));
}

/* Returns bit i for the i-th key with this hash. */
static inline unsigned
bucket_match(const uint32_t h[KEYS], uint32_t hash)
{
	return ((unsigned)(h[0] == hash) | (unsigned)(h[1] == hash) << 1 |
	    (unsigned)(h[2] == hash) << 2 | (unsigned)(h[3] == hash) << 3);
}

/* Returns the host of a bucket that has the key, or NULL. */
static inline __attribute__((always_inline)) const struct host *
bucket_find(const struct fm_hosttab *tab, const struct bucket *bucket,
    struct fm_text name, uint32_t hash)
{
	unsigned match = bucket_match(bucket->hash, hash);
	const struct host *host;

	for (; match != 0; match &= match - 1) {
		host = host_at(tab, bucket->at[__builtin_ctz(match)]);
		if (host->len == name.len &&
		    fm_bytes_eq(host->name, name.b, name.len))
			return (host);
	}
	return (NULL);
}

/* Returns the host that has the key, or NULL. */
static const struct host *
key_find(const struct fm_hosttab *tab, struct fm_text name, uint32_t hash)
{
	const struct bucket *bucket;
	const struct host *host;
	uint32_t n = bucket_home(tab, hash);

	do {
		bucket = &tab->buckets[n];
		host = bucket_find(tab, bucket, name, hash);
		n = n + 1 == tab->nbuckets ? 0 : n + 1;
	} while (host == NULL && bucket->hash[KEYS - 1] != 0);
	return (host);
}

/* Adds a key, for which there must be room. */
static void
key_put(struct fm_hosttab *tab, uint32_t hash, uint32_t at)
{
	uint32_t n = bucket_home(tab, hash);
	struct bucket *bucket;
	unsigned i = 0;

	while (tab->buckets[n].hash[KEYS - 1] != 0)
		n = n + 1 == tab->nbuckets ? 0 : n + 1;
	bucket = &tab->buckets[n];
	while (bucket->hash[i] != 0)
		i++;
	bucket->hash[i] = hash;
	bucket->at[i] = at;
	tab->used++;
}

/* Moves all keys to another number of buckets.  Returns 0; -1: no memory. */
static int
buckets_resize(struct fm_hosttab *tab, uint32_t nbuckets)
{
	struct bucket *old = tab->buckets, *buckets;
	uint32_t n, nold = tab->nbuckets;
	unsigned i;

	buckets = aligned_alloc(sizeof *buckets, nbuckets * sizeof *buckets);
	if (buckets == NULL)
		return (-1);
	memset(buckets, 0, nbuckets * sizeof *buckets);
	tab->buckets = buckets;
	tab->nbuckets = nbuckets;
	tab->used = 0;
	for (n = 0; n < nold; n++)
		for (i = 0; i < KEYS && old[n].hash[i] != 0; i++)
			key_put(tab, old[n].hash[i], old[n].at[i]);
	free(old);
	return (0);
}

/* Finds the dots of a name, the last one first.  Returns their number. */
static unsigned
dots_find(const char *dots[DEPTHS], struct fm_text name)
{
	const char *dot = name.b + name.len;
	unsigned n = 0;

	while ((dot = memrchr(name.b, '.', (size_t)(dot - name.b))) != NULL) {
		assert(n < DEPTHS - 1);
		dots[n++] = dot;
	}
	return (n);
}

/*--------------------------------------------------------------------
 * Making it
 */

struct record {
	struct fm_place	place;
	unsigned	fits;
};

struct fm_hosttab *
fm_hosttab_new(void)
{
	struct fm_hosttab *tab;

	FM_OBJ_NEW(tab, FM_HOSTTAB_MAGIC);
	if (tab == NULL)
		return (NULL);
	tab->any = UINT32_MAX;
	tab->seed = fm_fold_seed(tab);
	if (buckets_resize(tab, 4) != 0)
		fm_hosttab_free(&tab);
	return (tab);
}

struct fm_hosttab *
fm_hosttab_hold(struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	tab->holders++;
	return (tab);
}

void
fm_hosttab_free(struct fm_hosttab **tabp)
{
	struct fm_hosttab *tab;

	FM_OBJ_TAKE(tab, tabp, FM_HOSTTAB_MAGIC);
	if (tab->holders-- > 0)
		return;
	free(tab->buckets);
	fm_grow_fini(&tab->hosts);
	fm_grow_fini(&tab->records);
	FM_OBJ_FREE(tab);
}

static void
clash_report(const struct record *first, const struct pattern *pat)
{
	char where[FM_PLACE_LEN];

	(void)fm_place_print(&first->place, where);
	if (first->fits == pat->fits)
		REFUSE(pat, "host ", " added twice: first at %s", where);
	else if (first->fits == (FITS(EXACT) | FITS(SUFFIX)))
		REFUSE(pat, "host ", " added twice: '.%.*s' at %s means it "
		    "too", (int)pat->name.len, pat->name.b, where);
	else
		REFUSE(pat, "host ", " added twice: it means '%s%.*s' too, "
		    "which is at %s", first->fits == FITS(SUFFIX) ? "*." : "",
		    (int)pat->name.len, pat->name.b, where);
}

/* Makes room for the keys of a pattern, and adds its host; NULL: no memory. */
static struct host *
host_add(struct fm_hosttab *tab, const struct pattern *pat, uint32_t entry)
{
	struct record *record;
	struct host *host;

	/* A quarter of the places stays free. */
	if (tab->used + 2 > tab->nbuckets * (KEYS * 3ULL / 4) &&
	    buckets_resize(tab, tab->nbuckets * 2) != 0)
		return (NULL);
	host = fm_grow_add(&tab->hosts, 1, sizeof *host + pat->name.len);
	if (host == NULL || (record = fm_grow_add(&tab->records,
	    sizeof *record, 1)) == NULL)
		return (NULL);
	*record = (struct record){ *pat->place, pat->fits };
	*host = (struct host){ entry, (uint32_t)tab->count++,
	    (uint8_t)pat->name.len };
	memcpy(host->name, pat->name.b, pat->name.len);
	return (host);
}

/* Notes how many labels the name of a wildcard has. */
static void
depth_add(struct fm_hosttab *tab, const struct pattern *pat)
{
	const char *dots[DEPTHS];
	unsigned depth = dots_find(dots, pat->name) + 1;

	tab->depths[pat->fits == FITS(PREFIX)][depth / 64] |=
	    1ULL << depth % 64;
	tab->wildcards = true;
}

int
fm_hosttab_add(struct fm_hosttab *tab, struct fm_text pattern,
    uint32_t entry, const struct fm_place *place, struct fm_diag *diag)
{
	char buf[FM_HOSTNAME_MAX];
	struct pattern pat = { .raw = pattern, .place = place, .diag = diag,
	    .buf = buf };
	uint32_t hash[FM_HOSTTAB_ANY + 1], at;
	const struct host *host;
	enum fm_hosttab_how how;
	struct words words;

	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	assert(tab->records.n == tab->count);	/* it is not sealed */
	assert(entry < UINT32_MAX);
	assert(place != NULL && place->name != NULL);
	if (pattern_parse(&pat) != 0)
		return (-1);
	words_read(&words, pat.name, tab->seed);
	for (how = FM_HOSTTAB_EXACT; how <= FM_HOSTTAB_ANY; how++) {
		if ((pat.fits & 1U << how) == 0)
			continue;
		hash[how] = words_hash(&words, pat.name.len, how);
		host = key_find(tab, pat.name, hash[how]);
		if (host != NULL) {
			clash_report(FM_GROW_AT(&tab->records,
			    struct record, host->pattern), &pat);
			return (-1);
		}
	}
	at = (uint32_t)tab->hosts.n;
	if (host_add(tab, &pat, entry) == NULL) {
		REFUSE(&pat, "out of memory for host ", "");
		return (-1);
	}
	for (how = FM_HOSTTAB_EXACT; how <= FM_HOSTTAB_ANY; how++)
		if ((pat.fits & 1U << how) != 0)
			key_put(tab, hash[how], at);
	if ((pat.fits & (FITS(SUFFIX) | FITS(PREFIX))) != 0)
		depth_add(tab, &pat);
	if (pat.fits == FITS(ANY))
		tab->any = at;
	return (0);
}

void
fm_hosttab_seal(struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	fm_grow_fini(&tab->records);
	/* A bucket rarely overflows if half of the places are free. */
	(void)buckets_resize(tab, tab->used / (KEYS / 2) + 1);
	fm_grow_trim(&tab->hosts, 1);
}

/*--------------------------------------------------------------------
 * Looking up hosts
 */

/*
 * Finds the longest wildcard that the host ends in (SUFFIX) or starts with
 * (PREFIX).  Prefixes are rare, and of one length mostly: each is read anew.
 */
static const struct host *
wildcard_find(const struct fm_hosttab *tab, const struct words *words,
    const char *const *dots, unsigned ndots, enum fm_hosttab_how how,
    struct fm_text canon, struct fm_text *wild)
{
	bool prefix = how == FM_HOSTTAB_PREFIX;
	struct words anew;
	const struct host *host;
	struct fm_text ends[2];
	const char *dot;
	unsigned depth;

	for (depth = ndots; depth > 0; depth--) {
		if ((tab->depths[prefix][depth / 64] >> depth % 64 & 1) == 0)
			continue;
		dot = dots[prefix ? ndots - depth : depth - 1];
		ends[0] = fm_text_span(dot + 1, canon.b + canon.len);
		ends[1] = fm_text_span(canon.b, dot);
		if (prefix)
			words_read(&anew, ends[1], tab->seed);
		host = key_find(tab, ends[prefix],
		    words_hash(prefix ? &anew : words, ends[prefix].len, how));
		*wild = ends[!prefix];
		if (host != NULL)
			return (host);
	}
	return (NULL);
}

/* Fills in a hit for the host that has the key, or for none. */
static bool
hit_set(struct fm_hosttab_hit *hit, const struct host *host,
    enum fm_hosttab_how how, struct fm_text wild)
{
	if (host == NULL) {
		*hit = (struct fm_hosttab_hit){ .entry = UINT32_MAX,
		    .pattern = UINT32_MAX };
		return (false);
	}
	hit->how = how;
	hit->entry = host->entry;
	hit->pattern = host->pattern;
	hit->wild = wild;
	return (true);
}

/* Looks up a canonical host that no EXACT key has: wildcards, then `*`. */
static bool
lookup_wildcards(const struct fm_hosttab *tab, const struct words *words,
    struct fm_text canon, struct fm_hosttab_hit *hit)
{
	enum fm_hosttab_how how = FM_HOSTTAB_EXACT;
	const struct host *host = NULL;
	const char *dots[DEPTHS];
	struct fm_text wild;
	unsigned n;

	/* The dots in an IPv6 literal are none between labels. */
	if (tab->wildcards && canon.b[0] != '[') {
		n = dots_find(dots, canon);
		while (host == NULL && how < FM_HOSTTAB_PREFIX)
			host = wildcard_find(tab, words, dots, n, ++how,
			    canon, &wild);
	}
	if (host == NULL) {
		how = FM_HOSTTAB_ANY;
		wild = canon;
		host = tab->any == UINT32_MAX ? NULL : host_at(tab, tab->any);
	}
	return (hit_set(hit, host, how, wild));
}

/*
 * Returns the host whose EXACT key is that name, or NULL.  Most keys are in the
 * bucket of their hash.
 */
static const struct host *
exact_find(const struct fm_hosttab *tab, struct fm_text name,
    struct words *words)
{
	const struct bucket *bucket;
	const struct host *host;
	uint32_t hash;

	words_read(words, name, tab->seed);
	hash = words_hash(words, name.len, FM_HOSTTAB_EXACT);
	bucket = &tab->buckets[bucket_home(tab, hash)];
	host = bucket_find(tab, bucket, name, hash);
	return (host != NULL || bucket->hash[KEYS - 1] == 0 ? host :
	    key_find(tab, name, hash));
}

/*
 * Looks up a host as it comes, first: a Host header is usually canonical, and
 * what is in the table byte by byte needs no check.
 */
bool
fm_hosttab_lookup(const struct fm_hosttab *tab, struct fm_text raw,
    char buf[FM_HOSTNAME_MAX], struct fm_text *canon,
    struct fm_hosttab_hit *hit)
{
	const struct host *host = NULL;
	struct words words;

	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	*canon = raw;
	if (raw.len > 0 && raw.len <= FM_HOSTNAME_MAX)
		host = exact_find(tab, raw, &words);
	if (host == NULL &&
	    fm_hostname_canon(raw, buf, canon) != FM_HOSTNAME_OK)
		return (hit_set(hit, NULL, FM_HOSTTAB_NONE, *canon));
	if (host == NULL && (canon->b != raw.b || canon->len != raw.len))
		host = exact_find(tab, *canon, &words);
	if (host == NULL)
		return (lookup_wildcards(tab, &words, *canon, hit));
	return (hit_set(hit, host, FM_HOSTTAB_EXACT, fm_text(NULL, 0)));
}

bool
fm_hosttab_lookup_wild(const struct fm_hosttab *tab, struct fm_text canon,
    struct fm_hosttab_hit *hit)
{
	struct words words;

	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	words_read(&words, canon, tab->seed);
	return (lookup_wildcards(tab, &words, canon, hit));
}

size_t
fm_hosttab_count(const struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	return (tab->count);
}

void
fm_hosttab_entries(const struct fm_hosttab *tab, uint32_t *entries)
{
	const struct host *host;
	size_t at;

	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	for (at = 0; at < tab->hosts.n; at += sizeof *host + host->len) {
		host = host_at(tab, (uint32_t)at);
		entries[host->pattern] = host->entry;
	}
}

size_t
fm_hosttab_bytes(const struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	return (sizeof *tab + tab->nbuckets * sizeof *tab->buckets +
	    tab->hosts.room + tab->records.room * sizeof(struct record));
}
