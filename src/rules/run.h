/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a program on a view of a request: out come edits and a verdict.  The
 * request itself is not touched; to edit it is the caller's part, all of it
 * or nothing.
 *
 *	struct fm_run run;
 *
 *	result = fm_run(&run, program, &view, NULL);
 *	...
 *	fm_run_end(&run);
 */

#ifndef FM_RUN_H
#define FM_RUN_H

#include "hosttab.h"
#include "program.h"
#include "scratch.h"
#include "tally.h"
#include "trace.h"
#include "view.h"

enum fm_verdict {
	FM_VERDICT_NONE,
	FM_VERDICT_PASS,
	FM_VERDICT_PIPE,
	FM_VERDICT_HASH,
	FM_VERDICT_PURGE,
	FM_VERDICT_SYNTH,
	FM_VERDICT_REDIRECT,
	FM_VERDICT_ANSWER,
	FM_VERDICT_REFUSE	/* undecided: nothing else is done, in an ESI
				 * sub-request, too */
};

/* "pass", "redirect", ...; NULL for none. */
const char *fm_verdict_word(enum fm_verdict);

/*
 * A header: all fields of this name (whatever its case) go, and with `set`
 * one "name: value" comes in their place.  A name is in at most one edit, and
 * an edit always changes something.  No byte of a value is CR, LF or NUL.  The
 * rule is the last one that changed it.
 */
struct fm_edit {
	bool			set;
	uint32_t		field;		/* set: of the view, the first
						 * of these; or FM_EDIT_NEW */
	struct fm_text		name;
	struct fm_text		value;
	const struct fm_rule	*rule;
};

#define FM_EDIT_NEW	UINT32_MAX

struct fm_result {
	enum fm_verdict		verdict;
	unsigned		status;		/* of synth, redirect, answer,
						 * refuse */
	struct fm_text		text;		/* reason (missing: none),
						 * Location, or media type */
	struct fm_text		body;		/* of an answer */
	const struct fm_rule	*rule;		/* that decided, or NULL */

	struct fm_text		host;		/* canonical; missing: none */
	bool			host_in_view;	/* its bytes are the view's */
	struct fm_text		site;		/* ${ruleset}; missing: none */
	enum fm_hosttab_how	how;		/* NONE: no entry has it, and */
	bool			otherwise;	/* it gets `default` */
	uint32_t		pattern;	/* of fm_program_host();
						 * UINT32_MAX: none */

	bool			url_changed;
	struct fm_text		url;		/* the new one, or as it was;
						 * never empty once changed */
	const struct fm_rule	*url_rule;	/* changed: by that, at last */
	const struct fm_edit	*edits;
	unsigned		nedits;
	unsigned		nadded;		/* of them, with FM_EDIT_NEW */
	size_t			lines;		/* bytes of all that are set,
						 * as "name: value" and NUL */
	const uint32_t		*gone;		/* the fields of the view that
						 * go, and none comes in their
						 * place, in no order */
	unsigned		ngone;

	bool			backend_set;
	uint32_t		backend;	/* of fm_program_backend() */
	const struct fm_rule	*backend_rule;	/* set: by that */

	struct fm_tally		tally;
	unsigned		undecided;	/* whens, maps, rewrites, */
	const struct fm_rule	*undecided_at;	/* the first of them; or NULL */
	unsigned		ignored;	/* verdicts not for ESI */
	bool			no_memory;	/* no edits, and no verdict:
						 * nothing was decided */
};

struct fm_run {
	unsigned		magic;
#define FM_RUN_MAGIC		0x5e0c7a91
	struct fm_result	result;		/* points into what follows */
	char			host[FM_HOSTNAME_MAX];
	struct fm_scratch	scratch;
};

/*
 * The result points into the run, the view and the program.  trace may be
 * NULL.  Takes no lock, and allocates only for what does not fit into the
 * scratch (some 4 KB of the caller's stack).
 */
const struct fm_result *fm_run(struct fm_run *, const struct fm_program *,
    const struct fm_view *, const struct fm_trace *);
void fm_run_end(struct fm_run *);

/*
 * Finds the client of the view: its peer, or the client that trusted proxies
 * name (`client from`).  Returns false where a trusted proxy asks and what the
 * header says can't be read to its end: rules take the last proxy for the
 * client then, but who is to be let in should not.
 */
bool fm_run_client(const struct fm_program *, const struct fm_view *,
    struct fm_addr *client);

#endif
