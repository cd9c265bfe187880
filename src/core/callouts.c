/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts.
 */

#include <stdio.h>

#include "callouts.h"
#include "regitem.h"

/*
 * Between two callouts are so many steps, or little more; a text is plain, and
 * has none, up to so many.  A group may be in so many.
 */
#define STEPS		440
#define STEPS_PLAIN	32
#define LEVELS		128

struct callouts {
	char		*o;
	bool		plain;
	unsigned	steps;		/* since the last callout, */
	unsigned	depth;		/* and at most, in what the
					 * alternative of each group has: it
					 * may fail there, and the next one
					 * be tried */
	unsigned	most[LEVELS + 1];
};

static void
put(struct callouts *c, struct fm_text text)
{
	c->o = mempcpy(c->o, text.b, text.len);
}

static void
put_callout(struct callouts *c, unsigned number)
{
	c->o = number == 0 ? stpcpy(c->o, "(?C)") :
	    c->o + sprintf(c->o, "(?C%u)", number);
	c->steps = 0;
}

static void
step(struct callouts *c, unsigned steps)
{
	c->steps += steps;
	if (c->steps > c->most[c->depth])
		c->most[c->depth] = c->steps;
}

static bool
open_group(struct callouts *c, const struct fm_regitem *item)
{
	if (c->depth == LEVELS)
		return (false);
	if (item->kind == FM_REGITEM_OPEN_REF)
		put_callout(c, FM_CALLOUTS_REF);
	else if (item->kind == FM_REGITEM_OPEN_CALL || c->steps >= STEPS)
		put_callout(c, 0);
	c->o = stpcpy(c->o, "(?:");
	put(c, item->text);
	step(c, item->steps);
	c->most[++c->depth] = c->steps;
	return (true);
}

static bool
close_group(struct callouts *c, const struct fm_regitem *item)
{
	unsigned most = c->most[c->depth];

	if (c->depth == 0)
		return (false);
	c->depth--;
	if (most > c->most[c->depth])
		c->most[c->depth] = most;
	put(c, item->text);
	put_callout(c, 0);
	c->o = stpcpy(c->o, ")");
	put(c, item->quantifier);
	if (item->quantifier.len > 0)
		put_callout(c, 0);
	return (true);
}

static void
next_alternative(struct callouts *c, const struct fm_regitem *item)
{
	put(c, item->text);
	c->steps = c->most[c->depth];
	if (c->steps >= STEPS)
		put_callout(c, 0);
	c->steps += item->steps;
	c->most[c->depth] = c->steps;
}

static unsigned
at_most(unsigned n, unsigned most)
{
	return (n < most ? n : most);
}

static void
put_item(struct callouts *c, const struct fm_regitem *item)
{
	unsigned n = item->count;

	c->plain &= item->kind == FM_REGITEM_BYTE && item->quantifier.len == 0;
	if (item->kind == FM_REGITEM_REF)
		put_callout(c, FM_CALLOUTS_REF +
		    at_most(n / FM_CALLOUTS_REPEATED, FM_CALLOUTS_MOST));
	else if (n >= FM_CALLOUTS_COUNTED)
		put_callout(c,
		    at_most(n / FM_CALLOUTS_COUNTED, FM_CALLOUTS_MOST));
	else if (c->steps >= STEPS)
		put_callout(c, 0);
	put(c, item->text);
	put(c, item->quantifier);
	step(c, item->steps * (n > 1 && n < FM_CALLOUTS_COUNTED ? n : 1));
	if (item->quantifier.len > 0)
		put_callout(c, 0);
}

/* false: it can't be known where callouts may be. */
static bool
put_any(struct callouts *c, const struct fm_regitem *item)
{
	switch (item->kind) {
	case FM_REGITEM_OPTIONS:
		put(c, item->text);
		return (true);
	case FM_REGITEM_OPEN:
	case FM_REGITEM_OPEN_REF:
	case FM_REGITEM_OPEN_CALL:
		c->plain = false;
		return (open_group(c, item));
	case FM_REGITEM_CLOSE:
		return (close_group(c, item));
	case FM_REGITEM_BAR:
		c->plain = false;
		next_alternative(c, item);
		return (true);
	default:
		put_item(c, item);
		return (true);
	}
}

size_t
fm_callouts(struct fm_text regex, char *out)
{
	struct callouts c = { .o = out, .plain = true };
	struct fm_text rest = regex;
	struct fm_regitem item;

	put_callout(&c, 0);
	while (rest.len > 0)
		if (!fm_regitem_next(&rest, &item) || !put_any(&c, &item))
			return (0);
	if (c.plain && regex.len <= STEPS_PLAIN) {
		memcpy(out, regex.b, regex.len);
		return (regex.len);
	}
	return ((size_t)(c.o - out));
}
