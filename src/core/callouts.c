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
 * Between two callouts are so many steps, or little more; and so many more for
 * each that the first one counts for besides itself, which may be several,
 * where many alternatives follow.  A text is plain, and has none, up to so many
 * steps.  A group may be in so many.
 */
#define STEPS		440
#define STEPS_MORE	540
#define MORE		9
#define ROW		8	/* bytes */
#define STEPS_BACK	12	/* of each alternative that looks behind */
#define STEPS_PLAIN	32
#define LEVELS		128

struct callouts {
	char		*o;
	bool		plain;
	bool		calls;		/* groups: they begin anywhere */
	struct fm_text	here;		/* the regex from this item on */
	unsigned	row;		/* bytes */
	int		steps;		/* since the last callout, less what
					 * that counts for besides, */
	unsigned	depth;		/* and at most, in what the
					 * alternative of each group has: it
					 * may fail there, and the next one
					 * be tried */
	int		most[LEVELS + 1];
	bool		back[LEVELS + 1];	/* a look-behind */
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

/* What an item takes: of many bytes in a row, more. */
static int
steps_of(const struct fm_regitem *item, unsigned *row)
{
	*row = item->kind == FM_REGITEM_BYTE ? *row + 1 : 0;
	return ((int)item->steps + (*row > ROW));
}

/* Steps from here on to where there surely is a callout. */
static int
steps_ahead(struct fm_text rest, int most)
{
	struct fm_regitem item;
	int steps = 0;
	unsigned row = 0;

	while (steps < most && rest.len > 0 && fm_regitem_next(&rest, &item) &&
	    item.quantifier.len == 0 && (item.kind == FM_REGITEM_BYTE ||
	    item.kind == FM_REGITEM_PLACE || item.kind == FM_REGITEM_OPEN ||
	    item.kind == FM_REGITEM_BAR || item.kind == FM_REGITEM_OPTIONS))
		steps += steps_of(&item, &row);
	return (steps);
}

/* As put_callout(): it counts for what is ahead, too. */
static void
put_callout_ahead(struct callouts *c)
{
	int steps = steps_ahead(c->here, STEPS + MORE * STEPS_MORE) - STEPS;
	int n = 0;

	if (steps > 0 && !c->calls)
		n = (steps + STEPS_MORE - 1) / STEPS_MORE;
	put_callout(c, (unsigned)n);
	c->steps = -n * STEPS_MORE;
}

static void
step(struct callouts *c, const struct fm_regitem *item)
{
	unsigned n = item->count;

	c->steps += steps_of(item, &c->row) *
	    (n > 1 && n < FM_CALLOUTS_COUNTED ? (int)n : 1);
	if (c->steps > c->most[c->depth])
		c->most[c->depth] = c->steps;
}

/* Whether the group that begins here may begin again without what is before. */
static bool
is_repeated(struct fm_text rest)
{
	struct fm_regitem item;
	unsigned depth = 0;

	while (rest.len > 0 && fm_regitem_next(&rest, &item)) {
		depth += *item.text.b == '(' &&
		    item.kind != FM_REGITEM_OPTIONS;
		if (item.kind == FM_REGITEM_CLOSE && --depth == 0)
			return (item.quantifier.len > 0);
	}
	return (true);
}

/* A group of much, tried only where what is before it is there. */
static bool
is_wide(const struct callouts *c)
{
	return (!c->calls && c->depth == 0 && c->steps >= 0 &&
	    steps_ahead(c->here, STEPS + 1) > STEPS && !is_repeated(c->here));
}

static bool
begins_with_group(struct fm_text rest)
{
	struct fm_regitem item;

	while (rest.len > 0 && fm_regitem_next(&rest, &item))
		if (item.kind != FM_REGITEM_OPTIONS)
			return (item.kind == FM_REGITEM_OPEN);
	return (false);
}

static bool
calls_groups(struct fm_text rest)
{
	struct fm_regitem item;

	while (rest.len > 0 && fm_regitem_next(&rest, &item))
		if (item.kind == FM_REGITEM_OPEN_CALL ||
		    (item.kind == FM_REGITEM_REF && item.text.b[1] == 'g'))
			return (true);
	return (false);
}

static bool
open_group(struct callouts *c, const struct fm_regitem *item)
{
	if (c->depth == LEVELS)
		return (false);
	if (item->kind == FM_REGITEM_OPEN_REF)
		put_callout(c, FM_CALLOUTS_REF);
	else if (item->kind == FM_REGITEM_OPEN_CALL)
		put_callout(c, 0);
	else if (c->steps >= STEPS || is_wide(c))
		put_callout_ahead(c);
	c->o = stpcpy(c->o, "(?:");
	put(c, item->text);
	if (c->steps < 0 && is_repeated(c->here))
		c->steps = 0;
	step(c, item);
	c->most[++c->depth] = c->steps;
	c->back[c->depth] = c->back[c->depth - 1] ||
	    (item->text.len == 4 && item->text.b[2] == '<');
	return (true);
}

static bool
close_group(struct callouts *c, const struct fm_regitem *item)
{
	int most = c->most[c->depth];

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
	c->row = 0;
	c->steps = c->most[c->depth];
	if (c->steps >= STEPS)
		put_callout_ahead(c);
	c->steps += (int)item->steps + (c->back[c->depth] ? STEPS_BACK : 0);
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
		put_callout_ahead(c);
	put(c, item->text);
	put(c, item->quantifier);
	step(c, item);
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
	struct callouts c = { .o = out, .plain = true, .here = regex,
	    .calls = calls_groups(regex) };
	struct fm_text rest = regex;
	struct fm_regitem item;

	if (begins_with_group(regex))
		put_callout_ahead(&c);
	else
		put_callout(&c, 0);
	c.most[0] = c.steps;
	while (rest.len > 0) {
		c.here = rest;
		if (!fm_regitem_next(&rest, &item) || !put_any(&c, &item))
			return (0);
	}
	if (c.plain && regex.len <= STEPS_PLAIN) {
		memcpy(out, regex.b, regex.len);
		return (regex.len);
	}
	return ((size_t)(c.o - out));
}
