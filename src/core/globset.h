/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many globs over one subject, in one pass, however many they are and whatever
 * the subject: a client can write a header that has the words of all globs of
 * a list, and to try each of them alone takes a pass each.
 *
 * A glob is what it begins and ends with and, between its stars, pieces, each
 * of which it needs behind the one before.  The leftmost place is as good as
 * any, so a glob waits for one piece at a time, and where that is found, it
 * waits for the next.  Whether a piece is there is asked once, for all globs
 * that wait for it.
 */

#ifndef FM_GLOBSET_H
#define FM_GLOBSET_H

#include <stdint.h>

#include "pattern.h"

struct fm_globset;

/*
 * What it takes to try globs one by one where a pass is better: three with
 * case, or two without.  A subject that is made to be slow is so with one.
 */
#define FM_GLOBSET_PASS	3

/*
 * Of the globs of an array of patterns, but for those that have no piece
 * between stars, which it takes no pass to try.  And of its texts (`contains`
 * and globs that are the same), which a scan finds: they are there for a pass
 * for all.  Keeps references to the patterns.  *set is NULL where all the globs
 * together take less than a pass.  0, or -1: no memory.
 */
int fm_globset_new(struct fm_pattern * const *patterns, uint32_t n,
    struct fm_globset **set);
void fm_globset_free(struct fm_globset **);
size_t fm_globset_bytes(const struct fm_globset *);

/* What it takes to try a glob of that array; 0: it is not in the set. */
unsigned fm_globset_cost(const struct fm_globset *, uint32_t number);

/* Whether a pass for all decides it: a glob of the set, or a text. */
bool fm_globset_has(const struct fm_globset *, uint32_t number);

/*
 * Whether no more than a few begin with the same piece: then a pass for all
 * looks at few of those whose words are not there.
 */
bool fm_globset_is_spread(const struct fm_globset *);

/*
 * Of the globs in the set whose bits (by their numbers in the array) are set,
 * which are not more than `most`, clears those that don't match; with `any`
 * one that does is enough, and all others may be cleared.  Other bits stay as
 * they are.  Returns 1 if one matches, or 0; or -1: no memory (or a subject of
 * 2 GB), and nothing is changed.
 *
 * With FM_GLOBSET_ALL it is for all that the set has, whose bits may be
 * anything: of a set that is spread that takes a pass, and then what there is
 * of their pieces in the subject, however many they are.
 *
 * Each time that a glob has its turn takes one of *work.  None are left: then
 * globs whose bits are clear may match, too, but no text.
 */
#define FM_GLOBSET_ALL	UINT32_MAX

int fm_globset_decide(const struct fm_globset *, struct fm_text subject,
    uint64_t *bits, uint32_t most, bool any, uint32_t *work);

/*
 * What a subject may take, however long it is.  A client can write the words of
 * all globs of a list, in their order, and each has its turn as often as it has
 * pieces.
 */
#define FM_GLOBSET_WORK		300

/* Whether there is a subject that takes more than FM_GLOBSET_WORK. */
bool fm_globset_is_much(const struct fm_globset *);

#endif
