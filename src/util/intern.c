/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An intern table (intern.h): a hash table with open addressing.
 */

#include "intern.h"
#include "obj.h"
#include "xxh.h"

#define INTERN_FIRST	64	/* buckets */

struct fm_intern_bucket {
	uint64_t	hash;
	struct fm_text	key;		/* missing: the bucket is free */
	uint32_t	number;
};

static void
key_add(struct fm_intern *in, const void *bytes, size_t len)
{
	char *p = fm_grow_room(in->key.items, &in->key.room, in->key.n, len, 1);

	if (p == NULL) {
		in->no_memory = true;
		return;
	}
	in->key.items = p;
	if (len > 0)
		memcpy(p + in->key.n, bytes, len);
	in->key.n += len;
}

void
fm_intern_key(struct fm_intern *in, uint32_t tag)
{
	assert(in != NULL);
	in->key.n = 0;
	in->no_memory = false;
	key_add(in, &tag, sizeof tag);
}

void
fm_intern_key_number(struct fm_intern *in, uint32_t number)
{
	key_add(in, &number, sizeof number);
}

/* Adds the length, too: so no two lists of texts have the same bytes. */
void
fm_intern_key_text(struct fm_intern *in, struct fm_text text)
{
	key_add(in, &text.len, sizeof text.len);
	key_add(in, text.b, text.len);
}

void
fm_intern_key_lower(struct fm_intern *in, struct fm_text text)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < text.len; i++) {
		c = fm_lower((unsigned char)text.b[i]);
		key_add(in, &c, 1);
	}
}

static struct fm_text
intern_key(const struct fm_intern *in)
{
	assert(in->key.n > 0);
	return (fm_text(in->key.items, in->key.n));
}

/* Returns the bucket of the key, or the free bucket where it would be. */
static struct fm_intern_bucket *
intern_bucket(const struct fm_intern *in, struct fm_text key, uint64_t hash)
{
	size_t i = hash & (in->nbuckets - 1);

	while (in->buckets[i].key.b != NULL && (in->buckets[i].hash != hash ||
	    !fm_text_eq(in->buckets[i].key, key)))
		i = (i + 1) & (in->nbuckets - 1);
	return (&in->buckets[i]);
}

/* Makes room for twice as many buckets as keys.  Returns 0; -1: no memory. */
static int
intern_grow(struct fm_intern *in)
{
	struct fm_intern_bucket *old = in->buckets, *buckets;
	size_t i, nold = in->nbuckets;

	if (nold > 0 && in->used < nold / 2)
		return (0);
	in->nbuckets = nold == 0 ? INTERN_FIRST : 2 * nold;
	buckets = calloc(in->nbuckets, sizeof *buckets);
	if (buckets == NULL) {
		in->nbuckets = nold;
		return (-1);
	}
	in->buckets = buckets;
	for (i = 0; i < nold; i++)
		if (old[i].key.b != NULL)
			*intern_bucket(in, old[i].key, old[i].hash) = old[i];
	free(old);
	return (0);
}

int
fm_intern_get(struct fm_intern *in, uint32_t offered, uint32_t *number)
{
	struct fm_intern_bucket *bucket;
	struct fm_text key;
	uint64_t hash;
	const char *copy;

	assert(in != NULL);
	assert(number != NULL);
	if (in->no_memory || intern_grow(in) != 0)
		return (-1);
	key = intern_key(in);
	hash = XXH3_64bits(key.b, key.len);
	bucket = intern_bucket(in, key, hash);
	if (bucket->key.b != NULL) {
		*number = bucket->number;
		return (0);
	}
	copy = fm_arena_add(&in->keys, key);
	if (copy == NULL)
		return (-1);
	*bucket = (struct fm_intern_bucket){ .hash = hash, .number = offered,
	    .key = fm_text(copy, key.len) };
	in->used++;
	*number = offered;
	return (1);
}

bool
fm_intern_find(const struct fm_intern *in, uint32_t *number)
{
	const struct fm_intern_bucket *bucket;
	struct fm_text key;

	assert(in != NULL);
	if (in->no_memory || in->nbuckets == 0)
		return (false);
	key = intern_key(in);
	bucket = intern_bucket(in, key, XXH3_64bits(key.b, key.len));
	if (bucket->key.b == NULL)
		return (false);
	*number = bucket->number;
	return (true);
}

void
fm_intern_fini(struct fm_intern *in)
{
	assert(in != NULL);
	fm_arena_fini(&in->keys);
	fm_grow_fini(&in->key);
	free(in->buckets);
	*in = (struct fm_intern){ 0 };
}
