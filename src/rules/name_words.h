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
 * Holds up to eight bytes of a name, to compare them with eight bytes of a
 * request.  `mask` leaves out the bytes behind the name.  `fold` has bit 0x20
 * where the name has a letter, so that either case becomes the lower one.
 */
struct fm_name_word {
	uint64_t		lower;
	uint64_t		fold;
	uint64_t		mask;
};

static inline struct fm_name_word
fm_name_word(const char *b, size_t len)
{
	struct fm_name_word word = { 0, 0, 0 };
	char lower[8] = "", fold[8] = "", mask[8] = "";
	size_t i;

	for (i = 0; i < len && i < 8; i++) {
		lower[i] = (char)fm_lower((unsigned char)b[i]);
		fold[i] = lower[i] >= 'a' && lower[i] <= 'z' ? 0x20 : 0;
		mask[i] = (char)0xff;
	}
	memcpy(&word.lower, lower, 8);
	memcpy(&word.fold, fold, 8);
	memcpy(&word.mask, mask, 8);
	return (word);
}

static inline bool
fm_name_word_is(const struct fm_name_word *word, const char *b)
{
	uint64_t x;

	memcpy(&x, b, 8);
	return (((x | word->fold) & word->mask) == word->lower);
}

/*
 * Returns false if any byte differs in more than its case, or than `-` does
 * from `_`: almost always the first eight bytes say so.
 */
static inline bool
fm_name_nearly(const char *a, const char *b, size_t len)
{
	const uint64_t dash = FM_NAME_ALL('-' ^ '_');	/* has 0x20, for case */

	for (; len > 8; len -= 8, a += 8, b += 8)
		if (((fm_name_load(a, 8) ^ fm_name_load(b, 8)) & ~dash) != 0)
			return (false);
	return (((fm_name_load(a, len) ^ fm_name_load(b, len)) & ~dash) == 0);
}

#endif
