/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds texts that a subject contains (contains.h).  The texts are in eight
 * groups, by their first byte, and have a bit for their group.  Most places of
 * a subject are passed, as their first three or four bytes have no such bit in
 * common.
 *
 *	texts		LGE- HTC HP_i
 *	bits[0]		'L': group 4; 'H': group 0
 *	bits[1]		'G': group 4; 'T' and 'P': group 0
 *	bits[2]		'E': group 4; 'C' and '_': group 0
 *	bits[3]		'-': group 4; any byte: group 0, as HTC has no fourth
 *	texts[]		sorted by pair_hash(); from starts[n] on: those of hash
 *			n
 */

#include "contains.h"
#include "obj.h"

#define CONTAINS_LEAST	3	/* bytes that each text has */
#define CONTAINS_BYTES	4	/* bytes of each text that have bits */
#define CONTAINS_MOST	256	/* bytes: it may nearly match everywhere */
#define CONTAINS_HASHES	256
#define CONTAINS_ALIKE	8	/* most texts of a hash: those that are compared
				 * in one place of a subject */

struct contains_text {
	uint64_t		head;		/* its first eight bytes, */
	uint64_t		mask;		/* those of them that it has */
	const char		*b;
	uint32_t		len;
	uint32_t		number;
};

struct fm_contains {
	unsigned		magic;
#define FM_CONTAINS_MAGIC	0x5ab0d3c7
	uint32_t		n;
	uint8_t			bits[CONTAINS_BYTES][256];
	uint16_t		starts[CONTAINS_HASHES + 1];
	struct contains_text	texts[];
};

static inline unsigned
pair_hash(const char *b)
{
	return (((unsigned char)b[0] * 5U + (unsigned char)b[1]) %
	    CONTAINS_HASHES);
}

/* Returns how many contains a table is for, or 0. */
static uint32_t
count_texts(struct fm_pattern * const *patterns, size_t n)
{
	struct fm_text text;
	uint32_t count = 0;
	size_t i;

	for (i = 0; i < n; i++)
		switch (fm_pattern_kind(patterns[i])) {
		case FM_PATTERN_CONTAINS:
			text = fm_pattern_text(patterns[i]);
			if (fm_pattern_nocase(patterns[i]) ||
			    text.len < CONTAINS_LEAST ||
			    text.len > CONTAINS_MOST)
				return (0);
			count++;
			break;
		case FM_PATTERN_GLOB:
		case FM_PATTERN_REGEX:
			return (0);
		default:
			break;
		}
	return (count);
}

/*
 * Counts the texts of each hash, in starts[] after it.  Returns false if too
 * many have the same.
 */
static bool
table_count(struct fm_contains *table, struct fm_pattern * const *patterns,
    size_t n)
{
	const char *b;
	uint8_t group;
	size_t i, k, len;

	for (i = 0; i < n; i++) {
		if (fm_pattern_kind(patterns[i]) != FM_PATTERN_CONTAINS)
			continue;
		b = fm_pattern_text(patterns[i]).b;
		len = fm_pattern_text(patterns[i]).len;
		group = (uint8_t)(1 << ((unsigned char)b[0] & 7));
		for (k = 0; k < CONTAINS_BYTES && k < len; k++)
			table->bits[k][(unsigned char)b[k]] |= group;
		for (k = 0; k < 256 && len == CONTAINS_LEAST; k++)
			table->bits[CONTAINS_LEAST][k] |= group;
		if (++table->starts[pair_hash(b) + 1] > CONTAINS_ALIKE)
			return (false);
	}
	return (true);
}

/* Puts the texts in their places, and their starts into starts[]. */
static void
table_fill(struct fm_contains *table, struct fm_pattern * const *patterns,
    size_t n)
{
	uint16_t next[CONTAINS_HASHES];
	struct contains_text *text;
	size_t i;

	for (i = 0; i < CONTAINS_HASHES; i++) {
		next[i] = table->starts[i];
		table->starts[i + 1] =
		    (uint16_t)(table->starts[i + 1] + table->starts[i]);
	}
	for (i = 0; i < n; i++) {
		if (fm_pattern_kind(patterns[i]) != FM_PATTERN_CONTAINS)
			continue;
		text = &table->texts[next[pair_hash(
		    fm_pattern_text(patterns[i]).b)]++];
		text->number = (uint32_t)i;
		text->b = fm_pattern_text(patterns[i]).b;
		text->len = (uint32_t)fm_pattern_text(patterns[i]).len;
		text->head = fm_text_word(text->b, text->len);
		text->mask = fm_text_word("\377\377\377\377\377\377\377\377",
		    text->len);
	}
}

int
fm_contains_new(struct fm_pattern * const *patterns, size_t n,
    struct fm_contains **tablep)
{
	uint32_t count = count_texts(patterns, n);
	struct fm_contains *table;

	*tablep = NULL;
	if (count == 0 || count > CONTAINS_HASHES * CONTAINS_ALIKE)
		return (0);
	table = calloc(1, sizeof *table + count * sizeof *table->texts);
	if (table == NULL)
		return (-1);
	table->magic = FM_CONTAINS_MAGIC;
	table->n = count;
	*tablep = table;
	if (table_count(table, patterns, n))
		table_fill(table, patterns, n);
	else
		fm_contains_free(tablep);
	return (0);
}

void
fm_contains_free(struct fm_contains **tablep)
{
	struct fm_contains *table;

	FM_OBJ_TAKE(table, tablep, FM_CONTAINS_MAGIC);
	FM_OBJ_FREE(table);
}

size_t
fm_contains_bytes(const struct fm_contains *table)
{
	FM_OBJ_CHECK(table, FM_CONTAINS_MAGIC);
	return (sizeof *table + table->n * sizeof *table->texts);
}

struct search {
	const struct fm_contains *table;
	const char		*end;
	fm_contains_hit_f	*hit;
	void			*priv;
};

/* Reports the texts that are in this place.  Returns true to stop. */
static bool __attribute__((noinline))
search_place(const struct search *search, const char *b)
{
	const struct fm_contains *table = search->table;
	const uint16_t *start = &table->starts[pair_hash(b)];
	const struct contains_text *text = &table->texts[start[0]];
	const struct contains_text *end = &table->texts[start[1]];
	size_t len = (size_t)(search->end - b);
	uint64_t head = fm_text_word(b, len);

	/* Most texts differ in their head: their other bytes are not read. */
	for (; text < end; text++)
		if (((head ^ text->head) & text->mask) == 0 &&
		    text->len <= len && fm_bytes_eq(text->b, b, text->len) &&
		    search->hit(search->priv, text->number))
			return (true);
	return (false);
}

/*
 * Looks at a place, whose first byte is known, and sets that to the next one.
 * `fourth` points to its fourth byte; at the end of the subject, where there is
 * none, to any.  Returns true to stop.
 */
static inline bool
search_step(const struct search *search, const struct fm_contains *table,
    const char *b, const char *fourth, size_t *first)
{
	size_t next = (unsigned char)b[1];
	uint8_t groups = table->bits[0][*first] & table->bits[1][next];

	*first = next;
	return (__builtin_expect(groups != 0, 0) &&
	    (groups & table->bits[2][(unsigned char)b[2]] &
	    table->bits[3][(unsigned char)*fourth]) != 0 &&
	    search_place(search, b));
}

void
fm_contains_find(const struct fm_contains *table, struct fm_text subject,
    fm_contains_hit_f *hit, void *priv)
{
	const struct search search = { table, subject.b + subject.len, hit,
	    priv };
	const char *b = subject.b, *end;
	size_t first;

	FM_OBJ_CHECK(table, FM_CONTAINS_MAGIC);
	if (subject.len < CONTAINS_LEAST)
		return;
	first = (unsigned char)*b;
	/* The places where a text may begin: the last has no fourth byte. */
	end = search.end - CONTAINS_LEAST + 1;
	for (; b + 4 < end; b += 4)
		if (search_step(&search, table, b, b + 3, &first) ||
		    search_step(&search, table, b + 1, b + 4, &first) ||
		    search_step(&search, table, b + 2, b + 5, &first) ||
		    search_step(&search, table, b + 3, b + 6, &first))
			return;
	for (; b < end; b++)
		if (search_step(&search, table, b,
		    b + 3 < search.end ? b + 3 : "", &first))
			return;
}
