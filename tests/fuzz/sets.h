/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns, and its twins: what the targets patset and patterns
 * share.
 */

#ifndef SETS_H
#define SETS_H

#include "patset.h"
#include "twin_pattern.h"

#define SETS_MAX	300		/* patterns; others are left out */

struct sets {
	struct fm_patset_builder *builder;
	struct fm_patset	*patset;
	struct twin_pattern	twins[SETS_MAX];
	unsigned		count;
};

void sets_init(struct sets *);
void sets_fini(struct sets *);

/*
 * Adds a pattern, whose text must outlive the sets, where the twin says that
 * it is one; whether it was taken must be the same.
 */
void sets_add(struct sets *, enum fm_pattern_kind, bool nocase,
    struct fm_text);

/* Makes the set of them. */
void sets_make(struct sets *);

/* Every way to ask about a subject, against the twins. */
void sets_check(const struct sets *, struct fm_text subject);

/* "contains", ...; false: there is no such kind. */
bool sets_kind(struct fm_text *line, enum fm_pattern_kind *);

#endif
