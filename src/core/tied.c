/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts that are tied to an end of the subject: which of them are there.
 */

#include "tied_priv.h"

/* One call of fm_tied_find(). */
struct search {
	const struct fm_tied	*tied;
	struct fm_text		subject;
	fm_tied_hit_f		*hit;
	void			*priv;
};

/* True: no more is wanted. */
static bool
search_probe(const struct search *s, enum fm_tied_family family, size_t len,
    struct fm_tied_hash *hash)
{
	const struct fm_tied_record *record;
	const struct fm_tied_slot *slot;
	struct fm_text text = fm_text(s->subject.b, len);
	uint32_t at;

	if (fm_tied_from_right(family))
		text.b += s->subject.len - len;
	slot = fm_tied_slot(s->tied, family, text,
	    fm_tied_hash_to(hash, family, s->subject, len));
	for (at = slot->record; at != 0; at = record->next) {
		record = fm_tied_record(s->tied, at);
		if (s->hit(s->priv, record->number))
			return (true);
	}
	return (false);
}

static bool
search_exact(const struct search *s, enum fm_tied_family family)
{
	struct fm_tied_hash hash = fm_tied_hash_start(s->tied, family);

	return ((s->tied->exact[fm_tied_nocase(family)] &
	    fm_tied_exact_bit(s->subject.len)) != 0 &&
	    search_probe(s, family, s->subject.len, &hash));
}

static bool
search_ends(const struct search *s, enum fm_tied_family family)
{
	struct fm_tied_hash hash = fm_tied_hash_start(s->tied, family);
	const struct fm_tied_length *l, *end;

	l = s->tied->lengths + fm_tied_lengths_begin(s->tied, family);
	end = s->tied->lengths + s->tied->lengths_end[family];
	for (; l < end && l->len <= s->subject.len; l++)
		if ((l->edges & fm_tied_edge_bit(s->subject, family,
		    l->len)) != 0 &&
		    search_probe(s, family, l->len, &hash))
			return (true);
	return (false);
}

void
fm_tied_find(const struct fm_tied *tied, struct fm_text subject,
    fm_tied_hit_f *hit, void *priv)
{
	struct search s = { tied, subject, hit, priv };

	FM_OBJ_CHECK(tied, FM_TIED_MAGIC);
	assert(subject.b != NULL);
	(void)(search_exact(&s, FM_TIED_EXACT) ||
	    search_exact(&s, FM_TIED_EXACT_NOCASE) ||
	    search_ends(&s, FM_TIED_SUFFIX) ||
	    search_ends(&s, FM_TIED_SUFFIX_NOCASE) ||
	    search_ends(&s, FM_TIED_PREFIX) ||
	    search_ends(&s, FM_TIED_PREFIX_NOCASE));
}

size_t
fm_tied_bytes(const struct fm_tied *tied)
{
	FM_OBJ_CHECK(tied, FM_TIED_MAGIC);
	return (tied->bytes);
}
