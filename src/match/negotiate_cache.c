/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps the last answers of fm_negotiate() for each thread, as most clients
 * send one of a few values.  A header has one entry where its answer may be, so
 * a client that sends other values only takes entries from others.
 *
 *	"en-US,en;q=0.7" "en de"	0, 2: the answer is "en"
 *	"fr" "en de"			none fits
 */

#include "fold.h"
#include "negotiate.h"
#include "obj.h"
#include "thread.h"

#define CACHE_ENTRIES	32
#define CACHE_BYTES	184	/* of header and offers; 6 KB a thread */

struct cache_entry {
	uint16_t	header;		/* lengths of what `bytes` begins with;
					 * 0: the entry is free */
	uint16_t	offers;
	uint16_t	at, len;	/* the answer, as a part of the offers;
					 * len is 0: no offer fits */
	char		bytes[CACHE_BYTES];
};

struct cache {
	unsigned		magic;
#define CACHE_MAGIC		0x2f6d81b7
	struct cache_entry	entries[CACHE_ENTRIES];
};

static void
cache_free(void *priv)
{
	struct cache *cache;

	FM_OBJ_CAST(cache, priv, CACHE_MAGIC);
	FM_OBJ_FREE(cache);
}

/* Returns the entry of a header; NULL if its answer is not to be kept. */
static struct cache_entry *
cache_entry(struct fm_text header, struct fm_text offers)
{
	struct cache *cache;
	uint64_t hash;
	size_t i;

	if (header.len == 0 || header.len + offers.len > CACHE_BYTES)
		return (NULL);
	cache = fm_thread_make(FM_THREAD_NEGOTIATE, sizeof *cache, CACHE_MAGIC,
	    cache_free);
	if (cache == NULL)
		return (NULL);
	hash = header.len << 8 ^ offers.len;
	for (i = 0; i < header.len; i += 8)
		hash = fm_fold(hash ^ fm_text_word(header.b + i,
		    header.len - i), 0x243f6a8885a308d3ULL);
	return (&cache->entries[hash % CACHE_ENTRIES]);
}

static bool
is_entry_of(const struct cache_entry *entry, struct fm_text header,
    struct fm_text offers)
{
	return (fm_text_eq(header, fm_text(entry->bytes, entry->header)) &&
	    fm_text_eq(offers, fm_text(entry->bytes + entry->header,
	    entry->offers)));
}

static void
entry_fill(struct cache_entry *entry, struct fm_text header,
    struct fm_text offers, struct fm_text best)
{
	entry->header = (uint16_t)header.len;
	entry->offers = (uint16_t)offers.len;
	entry->at = (uint16_t)(best.b == NULL ? 0 : best.b - offers.b);
	entry->len = (uint16_t)best.len;
	memcpy(entry->bytes, header.b, header.len);
	if (offers.len > 0)
		memcpy(entry->bytes + header.len, offers.b, offers.len);
}

struct fm_text
fm_negotiate_cached(struct fm_text header, struct fm_text offers)
{
	struct cache_entry *entry = cache_entry(header, offers);
	struct fm_text best;

	if (entry == NULL)
		return (fm_negotiate(header, offers));
	if (is_entry_of(entry, header, offers))
		return (entry->len == 0 ? fm_text(NULL, 0) :
		    fm_text(offers.b + entry->at, entry->len));
	best = fm_negotiate(header, offers);
	entry_fill(entry, header, offers, best);
	return (best);
}
