/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the table of texts that are tied to an end of the subject: one piece
 * of memory, with the head, the lengths, the slots and the records.
 */

#include "tied_priv.h"

/* What goes into the table, and how large that is. */
struct plan {
	bool		ends;
	uint32_t	texts;
	uint32_t	lengths;
	uint64_t	bytes;		/* of records */
	/* How many texts of each length; 0 also where they are left out. */
	uint32_t	counts[FM_TIED__ENDS][FM_TIED_LONGEST + 1];
};

/* FM_TIED__FAMILIES: a kind that is tied to no end. */
static enum fm_tied_family
pattern_family(const struct fm_pattern *p)
{
	unsigned nocase = fm_pattern_nocase(p);

	switch (fm_pattern_kind(p)) {
	case FM_PATTERN_EXACT:
		return (FM_TIED_EXACT + nocase);
	case FM_PATTERN_PREFIX:
		return (FM_TIED_PREFIX + nocase);
	case FM_PATTERN_SUFFIX:
		return (FM_TIED_SUFFIX + nocase);
	case FM_PATTERN_CONTAINS:
	case FM_PATTERN_GLOB:
	case FM_PATTERN_REGEX:
		break;
	}
	return (FM_TIED__FAMILIES);
}

/* Where its length is counted; NULL: it isn't. */
static uint32_t *
plan_count(struct plan *plan, const struct fm_pattern *p)
{
	enum fm_tied_family family = pattern_family(p);
	size_t len = fm_pattern_text(p).len;

	if (!plan->ends || family >= FM_TIED__ENDS || len > FM_TIED_LONGEST)
		return (NULL);
	return (&plan->counts[family][len]);
}

static bool
plan_takes(struct plan *plan, const struct fm_pattern *p)
{
	enum fm_tied_family family = pattern_family(p);
	const uint32_t *count = plan_count(plan, p);

	return (family == FM_TIED_EXACT || family == FM_TIED_EXACT_NOCASE ||
	    (count != NULL && *count > 0));
}

/* Leaves out lengths where there are too many. */
static void
plan_lengths(struct plan *plan, uint32_t *counts)
{
	uint32_t len, fewest, n = 0;

	for (len = 1; len <= FM_TIED_LONGEST; len++)
		n += counts[len] > 0;
	for (; n > FM_TIED_LENGTHS; n--) {
		fewest = 0;
		for (len = 1; len <= FM_TIED_LONGEST; len++)
			if (counts[len] > 0 && (fewest == 0 ||
			    counts[len] <= counts[fewest]))
				fewest = len;
		counts[fewest] = 0;
	}
	plan->lengths += n;
}

/* A record begins where a number may. */
static uint64_t
record_bytes(size_t len)
{
	return ((offsetof(struct fm_tied_record, text) + (uint64_t)len + 3) &
	    ~3ULL);
}

static void
plan_make(struct plan *plan, struct fm_pattern * const *patterns, size_t n)
{
	uint32_t *count;
	size_t i, f;

	for (i = 0; i < n; i++) {
		count = plan_count(plan, patterns[i]);
		if (count != NULL)
			++*count;
	}
	for (f = 0; f < FM_TIED__ENDS; f++)
		plan_lengths(plan, plan->counts[f]);
	/* Offset 0 is none. */
	plan->bytes = sizeof(uint32_t);
	for (i = 0; i < n; i++)
		if (plan_takes(plan, patterns[i])) {
			plan->texts++;
			plan->bytes +=
			    record_bytes(fm_pattern_text(patterns[i]).len);
		}
}

/* Without texts, with room for them; NULL: no memory. */
static struct fm_tied *
tied_alloc(const struct plan *plan)
{
	size_t lengths = plan->lengths * sizeof(struct fm_tied_length);
	uint64_t slots = 2ULL * plan->texts, bytes;
	struct fm_tied *tied;

	bytes = sizeof *tied + lengths + slots * sizeof *tied->slots +
	    plan->bytes;
	if (plan->bytes > UINT32_MAX || slots > UINT32_MAX ||
	    bytes > SIZE_MAX)
		return (NULL);
	tied = calloc(1, (size_t)bytes);
	if (tied == NULL)
		return (NULL);
	tied->magic = FM_TIED_MAGIC;
	tied->bytes = (size_t)bytes;
	tied->nslots = (uint32_t)slots;
	tied->slots = (void *)((char *)tied->lengths + lengths);
	tied->records = (void *)(tied->slots + slots);
	tied->seed = fm_fold_seed(tied);
	return (tied);
}

static void
tied_put_lengths(struct fm_tied *tied, const struct plan *plan)
{
	uint32_t len, n = 0;
	unsigned f;

	for (f = 0; f < FM_TIED__ENDS; f++) {
		for (len = 1; len <= FM_TIED_LONGEST; len++)
			if (plan->counts[f][len] > 0)
				tied->lengths[n++].len = len;
		tied->lengths_end[f] = (uint16_t)n;
	}
}

/* Its place among the lengths, or that behind those of the family. */
static unsigned
tied_length(const struct fm_tied *tied, enum fm_tied_family family,
    size_t len)
{
	unsigned i = fm_tied_lengths_begin(tied, family);

	while (i < tied->lengths_end[family] && tied->lengths[i].len != len)
		i++;
	return (i);
}

/* So that a text is looked for where it may be. */
static void
tied_note(struct fm_tied *tied, enum fm_tied_family family,
    struct fm_text text)
{
	if (family < FM_TIED__ENDS)
		tied->lengths[tied_length(tied, family, text.len)].edges |=
		    fm_tied_edge_bit(text, family, text.len);
	else
		tied->exact[fm_tied_nocase(family)] |=
		    fm_tied_exact_bit(text.len);
}

static void
tied_add(struct fm_tied *tied, uint32_t at, const struct fm_pattern *p,
    uint32_t number)
{
	struct fm_tied_record *record = fm_tied_record(tied, at);
	enum fm_tied_family family = pattern_family(p);
	struct fm_text text = fm_pattern_text(p);
	struct fm_tied_hash hash = fm_tied_hash_start(tied, family);
	struct fm_tied_slot *slot;
	uint32_t h;

	tied_note(tied, family, text);
	record->number = number;
	record->len = (uint32_t)text.len;
	record->family = (unsigned char)family;
	memcpy(record->text, text.b, text.len);
	h = fm_tied_hash_to(&hash, family, text, text.len);
	slot = fm_tied_slot(tied, family, text, h);
	record->next = slot->record;
	*slot = (struct fm_tied_slot){ h, at };
}

int
fm_tied_new(struct fm_pattern * const *patterns, size_t n, bool ends,
    struct fm_tied **tied)
{
	struct plan plan = { .ends = ends };
	uint64_t at = sizeof(uint32_t);
	size_t i;

	*tied = NULL;
	plan_make(&plan, patterns, n);
	if (plan.texts == 0)
		return (0);
	*tied = tied_alloc(&plan);
	if (*tied == NULL)
		return (-1);
	tied_put_lengths(*tied, &plan);
	for (i = 0; i < n; i++)
		if (plan_takes(&plan, patterns[i])) {
			tied_add(*tied, (uint32_t)at, patterns[i],
			    (uint32_t)i);
			at += record_bytes(fm_pattern_text(patterns[i]).len);
		}
	assert(at == plan.bytes);
	return (0);
}

void
fm_tied_free(struct fm_tied **tiedp)
{
	struct fm_tied *tied;

	FM_OBJ_TAKE(tied, tiedp, FM_TIED_MAGIC);
	FM_OBJ_FREE(tied);
}

bool
fm_tied_has(const struct fm_tied *tied, const struct fm_pattern *p)
{
	enum fm_tied_family family = pattern_family(p);

	FM_OBJ_CHECK(tied, FM_TIED_MAGIC);
	if (family >= FM_TIED__ENDS)
		return (family < FM_TIED__FAMILIES);
	return (tied_length(tied, family, fm_pattern_text(p).len) <
	    tied->lengths_end[family]);
}
