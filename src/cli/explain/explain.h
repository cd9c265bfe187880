/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain` shows what the rules did to one request, as text or as
 * JSON; to its key; and to a response.  Each run fills a record and a result
 * (explain.c); the parts below show both:
 *
 *	text.c		the host, the verdict, the request before and after
 *	response.c	what becomes of the response; summary.c, in a line
 *	rows.c		which statements ran, and their effects
 *	json.c		all of it as JSON
 *	params.c	parameters of varnishd, and the response of the options
 *	outline.c	where events of the record stand in the model
 */

#ifndef FM_EXPLAIN_H
#define FM_EXPLAIN_H

#include "duration.h"
#include "load.h"
#include "made_request.h"
#include "record.h"
#include "respond.h"
#include "run.h"
#include "steps.h"
#include "term.h"

/* A run that is explained. */
struct fm_explanation {
	const struct fm_model	*model;
	const struct fm_program	*program;
	const struct fm_view	*view;
	const char		*client;	/* --client; NULL: not given */
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
	const struct fm_model	*model;
	struct fm_respond	respond;
	bool			given;		/* the user has a response */
	struct fm_explained	sent;		/* its run is respond's */
	struct fm_explained	stored;		/* its run is respond's */
	struct fm_explained	delivered[4];
	unsigned		ndelivered;
	const char		*summary;	/* "cached: 1h, by ..." */
};

/* A response of the user's. */
struct fm_explain_to {
	struct fm_respond_to	to;
	struct fm_respond_params params;
};

#define FM_NOTE_MOST	60	/* columns of a value, before it is cut */

/*
 * Runs the rules over a view, and over the response to it unless that is NULL,
 * and shows what happened: on a term, or as JSON if there is none.  `brief`:
 * shows only the host, what ran, and what becomes of the response.
 */
void fm_explain(const struct fm_rules *, const struct fm_view *,
    const char *client, const struct fm_explain_to *, const struct fm_term *,
    bool brief);

/*
 * Show an explanation; the key is NULL if rules make none, and the response if
 * there is no fetch either.
 */
void fm_explain_text(const struct fm_explanation *,
    const struct fm_explanation *key, const struct fm_explained_response *,
    const struct fm_term *, bool brief);
void fm_explain_json(const struct fm_explanation *,
    const struct fm_explanation *key, const struct fm_explained_response *);

void fm_explain_rows(const struct fm_explanation *, const struct fm_term *);
/*
 * Returns the status that the verdict of a run gives the client: 0 if others
 * decide that, as where a refused response is abandoned.
 */
unsigned fm_explain_status(const struct fm_explanation *);

void fm_explain_verdict(const struct fm_explanation *, const struct fm_term *);

/* Shows the headers before and after; the first line is before them. */
void fm_explain_steps(const struct fm_explanation *, const struct fm_term *);

/* Shows what the backend is sent, if there are rules for that. */
void fm_explain_fetch(const struct fm_explained_response *,
    const struct fm_term *, bool brief);
/* Shows what becomes of a response. */
void fm_explain_response(const struct fm_explained_response *,
    const struct fm_term *, bool brief);

/* Returns the seconds as varnishd has them, "120s", in a buffer. */
const char *fm_explain_seconds(double, char buf[FM_DURATION_PRINT]);

/* Returns the word of what becomes of a response: "stored". */
const char *fm_explain_fate(const struct fm_respond *);

/* Returns a summary, for free(): "cached: 1h, by ttl at site.rules:12". */
char *fm_explain_summary(const struct fm_explained_response *);

/*
 * Take the response that the options give, if they do, with the parameters of
 * varnishd.  Return 0, or the exit status.
 */
int fm_explain_take(struct fm_made_request *, struct fm_explain_to *,
    bool *given);

/* Fills in the record, after the run. */
void fm_record_outline(struct fm_record *, const struct fm_model *);

/* Returns the place of the first block of a phase in a block of an item. */
const struct fm_place *fm_phase_place(const struct fm_block *, enum fm_phase);

/* Returns the host pattern that the request has met; NULL: none. */
const struct fm_host *fm_record_host(const struct fm_record *,
    const struct fm_model *);

/* Returns the name of the backend that was set, or NULL. */
const char *fm_explain_backend(const struct fm_explanation *);

#endif
