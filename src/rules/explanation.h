/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An explanation is what rules did to one request, to its key, to the request
 * that a backend gets, and to a response.  `fastmatch explain` and the page
 * show it:
 *
 *	explained = fm_explain_new(&of);
 *	fm_explain_json(&out, explained);
 *	fm_explain_free(&explained);
 *
 *	explanation.c		runs the rules, with a record of each run
 *	explanation_outline.c	finds where events of a record stand in the
 *				model
 *	explanation_summary.c	what becomes of a response, in a line
 *	explanation_json.c	all of it as JSON
 */

#ifndef FM_EXPLANATION_H
#define FM_EXPLANATION_H

#include "duration.h"
#include "jsonbuf.h"
#include "made_request.h"
#include "model.h"
#include "record.h"
#include "respond.h"
#include "run.h"
#include "steps.h"

/* A response of the user's. */
struct fm_explain_to {
	struct fm_respond_to	to;
	struct fm_respond_to	fresh;		/* its 304, if it has one */
	struct fm_respond_params params;
};

/* The things that are explained, and how much of them may be shown. */
struct fm_explain_of {
	const struct fm_program	*program;
	const struct fm_model	*model;		/* or NULL: no event has a
						 * block */
	const struct fm_view	*view;
	const char		*client;	/* or NULL: FM_MADE_CLIENT */
	const struct fm_explain_to *to;		/* or NULL: no response */
	bool			masked;		/* values with which conditions
						 * compare are hidden */
	const char		*path;		/* of the rule file: places are
						 * relative to its folder; or
						 * NULL */
	size_t			most;		/* bytes of JSON after which
						 * lists end; 0: all is shown */
};

/* A run that is explained. */
struct fm_explanation {
	const struct fm_explain_of *of;
	const struct fm_model	*model;
	const struct fm_program	*program;
	const struct fm_view	*view;
	const char		*client;	/* NULL: not given */
	const struct fm_record	*record;
	const struct fm_result	*result;
	enum fm_phase		phase;
};

/* The run of a phase after that of requests. */
struct fm_explained {
	struct fm_respond_run	run;
	struct fm_record	record;
	struct fm_explanation	explanation;	/* result NULL: no rules */
	const char		*as;		/* of a delivery: "miss"; "own":
						 * of an answer of the rules */
	double			later;		/* seconds after the fetch */
};

/* A fetch, and a response as the rules leave it, and as it is delivered. */
struct fm_explained_response {
	const struct fm_explain_of *of;
	struct fm_respond	respond;
	bool			given;		/* the user has a response */
	struct fm_explained	sent;		/* its run is respond's */
	struct fm_explained	stored;		/* its run is respond's */
	struct fm_explained	delivered[4];
	unsigned		ndelivered;
	char			*summary;	/* "cached: 1h, by ..." */
};

struct fm_explained_request {
	unsigned		magic;
#define FM_EXPLAINED_MAGIC	0x6d0e51c2
	bool			no_memory;
	struct fm_explain_of	of;
	struct fm_run		run;
	struct fm_record	record;
	struct fm_explanation	explanation;

	bool			keyed;		/* the rules make a key */
	struct fm_respond	key_respond;
	struct fm_explained	key;

	bool			fetched;	/* there is a response, or there
						 * are rules for fetches */
	struct fm_explained_response response;
};

/*
 * Runs the rules.  Returns NULL if there is no memory.  The request and what
 * `of` points to must last as long as what is returned.
 */
struct fm_explained_request *fm_explain_new(const struct fm_explain_of *);
void fm_explain_free(struct fm_explained_request **);

/* Writes the JSON that fastmatch(1) describes. */
void fm_explain_json(struct fm_jsonbuf *, const struct fm_explained_request *);

/*
 * Returns the status that the verdict of a run gives the client: 0 if others
 * decide that, as where a refused response is abandoned.
 */
unsigned fm_explain_status(const struct fm_explanation *);

/* Returns the name of the backend that was set, or NULL. */
const char *fm_explain_backend(const struct fm_explanation *);

/* Return the words of a rule, and its place, as they may be shown. */
const char *fm_explain_words(const struct fm_explain_of *,
    const struct fm_rule *);
const char *fm_explain_place(const struct fm_explain_of *,
    const struct fm_rule *);

/* Returns a file, relative to the folder of the rule file at `path`. */
const char *fm_explain_below(const char *path, const char *file);

/* Returns the seconds as varnishd has them, "120s", in a buffer. */
const char *fm_explain_seconds(double, char buf[FM_DURATION_PRINT]);

/* Returns the word of what becomes of a response: "stored". */
const char *fm_explain_fate(const struct fm_respond *);

/*
 * Returns a summary, for free(): "cached: 1h, by ttl at site.rules:12".
 * Returns NULL if there is no memory.
 */
char *fm_explain_summary(const struct fm_explained_response *);

/* Fills in the record, after the run; the model may be NULL. */
void fm_record_outline(struct fm_record *, const struct fm_model *);

/* Returns the host pattern that the request has met; NULL: none. */
const struct fm_host *fm_record_host(const struct fm_record *,
    const struct fm_model *);

#endif
