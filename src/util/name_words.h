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
	uint64_t past = low + FM_NAME_ALL(0x80 - 'z' - 1);

	return (from & ~past & ~x);
}

/* Returns true if any byte is from A to Z. */
static inline bool
fm_name_has_upper(struct fm_text text)
{
	uint64_t x, upper = 0;
	size_t i;

	for (i = 0; i < text.len; i += 8) {
		x = fm_name_load(text.b + i, text.len - i);
		/* Bit 5, which lower case has, moved to the highest one. */
		upper |= fm_name_letters(x) & ~(x << 2);
	}
	return ((upper & FM_NAME_HIGH) != 0);
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
 * Holds the first and the last eight bytes of a name, to compare them with a
 * request's.  `fold` has bit 0x20 where the name has a letter, so that either
 * case becomes the lower one.  `near` has the bytes in which no alias differs,
 * as neither word has a `-` there.
 *
 *	X-Forwarded-For		"x-forwar" and "rded-for"
 *	Host			"host" twice: the rest of a word is left out
 */
struct fm_name_words {
	uint64_t		lower, last_lower;
	uint64_t		fold, last_fold;
	uint64_t		near;
};

/* Returns the number of bits in which a name is shorter than eight bytes. */
static inline unsigned
fm_name_shift(size_t len)
{
	return (len < 8 ? 8 * (8 - (unsigned)len) : 0);
}

/* Returns a word without as many bits, which are those after a short name. */
static inline uint64_t
fm_name_cut(uint64_t x, unsigned shift)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (x << shift);
#else
	return (x >> shift);
#endif
}

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

/* Returns where the last eight bytes of a name begin. */
static inline size_t
fm_name_last(size_t len)
{
	return (len < 8 ? 0 : len - 8);
}

static inline struct fm_name_words
fm_name_words(struct fm_text name)
{
	size_t last = name.len - (name.len < 8 ? name.len : 8), i;
	struct fm_name_words made;
	char near[8];

	fm_name_word(name.b, name.len, &made.lower, &made.fold);
	fm_name_word(name.b + last, name.len - last, &made.last_lower,
	    &made.last_fold);
	for (i = 0; i < 8; i++)
		near[i] = i < name.len && (name.b[i] == '-' ||
		    name.b[last + i] == '-') ? 0 : (char)0xff;
	memcpy(&made.near, near, 8);
	made.near = fm_name_cut(made.near, fm_name_shift(name.len));
	return (made);
}

/*
 * Returns the bits in which eight bytes differ from the first of a name, or
 * others from its last, but for those after a short name; 0: none.
 */
static inline uint64_t
fm_name_differs(const struct fm_name_words *words, uint64_t first,
    uint64_t last, unsigned shift)
{
	return (fm_name_cut(((first | words->fold) ^ words->lower) |
	    ((last | words->last_fold) ^ words->last_lower), shift));
}

/*
 * Returns true if a word is that of a name, whatever the case, but for other
 * bytes of fm_is_mark() in place of `-`; sets *differs if there are any.
 */
static inline bool
fm_name_word_alias(uint64_t x, uint64_t name, bool *differs)
{
	uint64_t left = (x ^ name) & ~FM_NAME_ALL(0x20);
	unsigned shift;

	for (; left != 0; left &= ~(0xffULL << shift)) {
		shift = (unsigned)__builtin_ctzll(left) & ~7U;
		if ((name >> shift & 0xff) != '-' ||
		    !fm_is_mark((unsigned char)(x >> shift)))
			return (false);
		x ^= ((x ^ name) & 0xffULL << shift);
		*differs = true;
	}
	return (fm_name_words_eq(x, name));
}

/*
 * Returns true if a name, which is as long as the other one, is the same or an
 * alias of it: has other bytes of fm_is_mark() in place of `-`, and then sets
 * *differs.  The first byte does not make an alias.
 */
static inline bool
fm_name_is_like(const char *b, struct fm_text name, bool *differs)
{
	size_t i, len;

	*differs = false;
	if (fm_lower((unsigned char)*b) != fm_lower((unsigned char)*name.b))
		return (false);
	for (i = 0; i < name.len; i += 8) {
		len = name.len - i < 8 ? name.len - i : 8;
		if (!fm_name_word_alias(fm_name_load(b + i, len),
		    fm_name_load(name.b + i, len), differs))
			return (false);
	}
	return (true);
}

static inline bool
fm_name_is_alias(const char *b, struct fm_text name)
{
	bool differs;

	return (fm_name_is_like(b, name, &differs) && differs);
}

#endif
