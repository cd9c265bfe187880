/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares names of headers, without case, eight bytes at a time.  Each request
 * compares each of its header lines with the names that rules speak of.
 */

#ifndef FM_NAME_WORDS_H
#define FM_NAME_WORDS_H

#include "text.h"

#define FM_NAME_ALL(c)	(0x0101010101010101ULL * (c))
#define FM_NAME_HIGH	FM_NAME_ALL(0x80)

/* Returns the first eight bytes of a name, or all, padded with zeros. */
static inline uint64_t
fm_name_load(const char *b, size_t len)
{
	uint64_t x = 0;
	uint32_t first, last;

	if (len >= 8) {
		memcpy(&x, b, 8);
		return (x);
	}
	if (len >= 4) {
		memcpy(&first, b, 4);
		memcpy(&last, b + len - 4, 4);
		return (first | (uint64_t)last << 32);
	}
	while (len > 0)
		x = x << 8 | (unsigned char)b[--len];
	return (x);
}

/* Returns true if any byte is less than c, which is at most 0x80. */
static inline bool
fm_name_below(uint64_t x, unsigned char c)
{
	return (((x - FM_NAME_ALL(c)) & ~x & FM_NAME_HIGH) != 0);
}

/* Returns a word in which each letter has its high bit; other bits are any. */
static inline uint64_t
fm_name_letters(uint64_t x)
{
	uint64_t low = (x | FM_NAME_ALL(0x20)) & ~FM_NAME_HIGH;
	uint64_t from = low + FM_NAME_ALL(0x80 - 'a');
	uint64_t behind = low + FM_NAME_ALL(0x80 - 'z' - 1);

	return (from & ~behind & ~x);
}

/* Returns true if all bytes are the same, but for the case of letters. */
static inline bool
fm_name_words_eq(uint64_t a, uint64_t b)
{
	uint64_t differ = a ^ b;

	if (differ == 0)
		return (true);
	if ((differ & ~FM_NAME_ALL(0x20)) != 0)
		return (false);
	return ((differ << 2 & ~fm_name_letters(a)) == 0);
}

/* Returns true if two names of one length are the same, whatever their case. */
static inline bool
fm_name_eq(const char *a, const char *b, size_t len)
{
	for (; len > 8; len -= 8, a += 8, b += 8)
		if (!fm_name_words_eq(fm_name_load(a, 8), fm_name_load(b, 8)))
			return (false);
	return (fm_name_words_eq(fm_name_load(a, len), fm_name_load(b, len)));
}

/*
 * Holds the first eight bytes of a name, to compare them with eight bytes of a
 * request.  `mask` leaves out the bytes after the name.  `fold` has bit 0x20
 * where the name has a letter, so that either case becomes the lower one.
 * `near` has the bits that an alias shares with the name: neither those of a
 * `-` nor the case.  `lower` and `fold` of the last eight bytes are there if
 * the name has more than eight.
 */
struct fm_name_words {
	uint64_t		lower, last_lower;
	uint64_t		fold, last_fold;
	uint64_t		mask;
	uint64_t		near;
};

static inline void
fm_name_word(const char *b, size_t len, uint64_t *lower, uint64_t *fold)
{
	char lowered[8] = "", folded[8] = "";
	size_t i;

	for (i = 0; i < len && i < 8; i++) {
		lowered[i] = (char)fm_lower((unsigned char)b[i]);
		if (lowered[i] >= 'a' && lowered[i] <= 'z')
			folded[i] = 0x20;
	}
	memcpy(lower, lowered, 8);
	memcpy(fold, folded, 8);
}

static inline struct fm_name_words
fm_name_words(struct fm_text name)
{
	struct fm_name_words made = { .mask = 0 };
	char mask[8] = "", near[8] = "";
	size_t i;

	fm_name_word(name.b, name.len, &made.lower, &made.fold);
	if (name.len > 8)
		fm_name_word(name.b + name.len - 8, 8, &made.last_lower,
		    &made.last_fold);
	for (i = 0; i < name.len && i < 8; i++) {
		mask[i] = (char)0xff;
		near[i] = name.b[i] == '-' ? 0 : (char)~0x20;
	}
	memcpy(&made.mask, mask, 8);
	memcpy(&made.near, near, 8);
	return (made);
}

/* Returns true if these are the last eight bytes of a name that has more. */
static inline bool
fm_name_words_end(const struct fm_name_words *words, const char *b)
{
	uint64_t x;

	memcpy(&x, b, 8);
	return ((x | words->last_fold) == words->last_lower);
}

/*
 * Returns true if a name, which is as long as the other one, is an alias of it:
 * has other bytes of fm_is_mark() in place of `-`.  The first byte does not
 * make an alias.
 */
static inline bool
fm_name_is_alias(const char *b, struct fm_text name)
{
	bool differs = false;
	size_t i;

	for (i = 0; i < name.len; i++)
		if (fm_lower((unsigned char)name.b[i]) ==
		    fm_lower((unsigned char)b[i]))
			continue;
		else if (i > 0 && name.b[i] == '-' &&
		    fm_is_mark((unsigned char)b[i]))
			differs = true;
		else
			return (false);
	return (differs);
}

#endif
