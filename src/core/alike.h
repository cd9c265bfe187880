/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a scan looks for, and what of it ends alike.
 *
 * Hyperscan finds a literal by its last eight bytes.  Where many end in the
 * same ones (`/a/index.php`, `/b/index.php`) it compares all of them, at each
 * place where these are: and a client can write nothing else.  So the scan
 * looks for that end alone, once, and a trie for the literals where it is
 * there.  And a hit costs it as much as a hundred bytes, which a client can
 * have at each byte of `//`: texts of this kind have the trie alone.  A client
 * can write the words of a list again and again, too; so the trie has all
 * literals, for subjects with many hits.
 */

#ifndef FM_ALIKE_H
#define FM_ALIKE_H

#include "scan.h"

struct fm_alike;

/* NULL: no memory. */
struct fm_alike *fm_alike_new(void);
void fm_alike_free(struct fm_alike **);

/*
 * A literal, not empty, whose hit reports id.  One that is dense is such that
 * a client can write it at each byte, or nearly so: it is not for the scan.
 * One that is only for the scan need not be in a trie of all.  Of the same
 * text those of a lower rank are told before others.  0, or -1: no memory.
 */
enum fm_alike_use { FM_ALIKE_ANY, FM_ALIKE_DENSE, FM_ALIKE_SCAN };

int fm_alike_add(struct fm_alike *, struct fm_text, bool nocase,
    enum fm_alike_use, unsigned rank, uint32_t id);

/*
 * After the last one, once: hands those to the scan that don't end alike and
 * are not dense, and for those that end alike their ends, whose hit reports
 * `end`.  A trie is made of all, but for those that are only for the scan;
 * *left says whether there is one, for fm_alike_find().  0, or -1: no memory.
 */
int fm_alike_scan(struct fm_alike *, struct fm_scan_builder *, uint32_t end,
    bool *left);

/* Whether to find them whatever the scan says: some are dense. */
bool fm_alike_is_dense(const struct fm_alike *);

/*
 * Reports those in the trie that are in the subject, once: all of the same text
 * together, in ascending order of their ranks.  true is enough.  *again says
 * how often one that was told was there again.  0, or -1: no memory.
 */
typedef bool fm_alike_hits_f(void *priv, const uint32_t *ids, uint32_t n);

int fm_alike_find(const struct fm_alike *al, struct fm_text subject,
    fm_alike_hits_f *hits, void *priv, size_t *again);

size_t fm_alike_bytes(const struct fm_alike *);

#endif
