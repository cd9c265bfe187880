/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of the screen of `fastmatch top`, which keys change (screen.c), and
 * of which a frame is written (frame.c).
 *
 *	fastmatch top  120.4 requests/s  hit rate 87.3%  4xx 0.5%  5xx 0  NAME
 *	[hosts]  rules   verdicts      keys: h, r, v, Tab, arrows, ...
 *	    per s       %     hit     4xx     5xx hosts
 *	     80.1   66.5%   91.0%    0.4%       0 www.example.com
 *	>    40.3   33.5%   80.2%    0.7%       0 shop.example.com	selected
 *
 * Enter opens the selected host or rule: a page of its numbers, and of the
 * rules of the host or the hosts of the rule.  Lines of these can be opened,
 * too; `path` has all that are open, the last one is shown.  Each list has a
 * filter of its own, which is top->filter while the list is shown.
 */

#ifndef FM_TOP_SCREEN_H
#define FM_TOP_SCREEN_H

#include "term.h"
#include "top.h"

#define FM_SCREEN_PATH	8

/* A host or a rule that is open; its row may be dropped meanwhile. */
struct fm_screen_open {
	enum fm_top_kind	kind;
	uint64_t		hash;
	char			*name, *text;	/* as of the row */
	char			filter[FM_TOP_FILTER]; /* of the list from
						 * which it was opened */
};

/* Keys are bytes, or one of these. */
enum fm_screen_key {
	FM_KEY_UP = 256,	/* the first that moves the selection */
	FM_KEY_DOWN,
	FM_KEY_HOME,
	FM_KEY_END,
	FM_KEY_PAGE_UP,
	FM_KEY_PAGE_DOWN,	/* the last one */
	FM_KEY_LEFT,
	FM_KEY_RIGHT,
	FM_KEY_ESC,
	FM_KEY_OTHER
};

struct fm_screen {
	struct fm_top		*top;
	const char		*name;		/* of the varnishd, or NULL */
	bool			has_log;
	enum fm_top_kind	kind;		/* the table, if `path` is
						 * empty */
	struct fm_screen_open	path[FM_SCREEN_PATH];
	unsigned		depth;		/* how many are open */
	bool			types;		/* a filter */

	/* The first line is selected, or a row, wherever its line goes. */
	bool			follows;
	uint64_t		selected;	/* the hash of that row */

	/* These are of the last frame. */
	size_t			columns, lines;
	size_t			used;		/* lines of the frame */
	size_t			first, at;	/* lines of the list: the first
						 * on the screen; selected */
	size_t			room;		/* for lines of the list */
	uint64_t		*listed;	/* hashes of the list */
	size_t			nlisted;
	bool			is_stale;	/* a key has changed the list */

	char			escape[8];	/* the first bytes of a key */
	size_t			nescape;
	struct fm_term		term;
};

/* Returns what is open and shown; NULL: a table is. */
static inline struct fm_screen_open *
fm_screen_top(struct fm_screen *screen)
{
	return (screen->depth == 0 ? NULL : &screen->path[screen->depth - 1]);
}

/* Returns the kind of the rows that are listed. */
static inline enum fm_top_kind
fm_screen_lists(struct fm_screen *screen)
{
	const struct fm_screen_open *open = fm_screen_top(screen);

	return (open == NULL ? screen->kind :
	    open->kind == FM_TOP_HOSTS ? FM_TOP_RULES : FM_TOP_HOSTS);
}

/* Writes a frame to stdout by a single write(), so that nothing flickers. */
void fm_screen_draw(struct fm_screen *);

#endif
