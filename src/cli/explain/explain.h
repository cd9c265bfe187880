/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain` shows what the rules did to one request, as text or as
 * JSON.  The run fills a record and a result (explain.c); the parts below show
 * both:
 *
 *	text.c		the host, the verdict, the request before and after
 *	rows.c		which statements ran, and their effects
 *	json.c		all of it as JSON
 *	outline.c	where events of the record stand in the model
 *	steps.c		the headers before and after, for text.c and json.c
 */

#ifndef FM_EXPLAIN_H
#define FM_EXPLAIN_H

#include "load.h"
#include "made_request.h"
#include "record.h"
#include "run.h"
#include "term.h"

/* A run that is explained. */
struct fm_explanation {
	const struct fm_model	*model;
	const struct fm_program	*program;
	const struct fm_view	*view;
	const char		*client;	/* --client; NULL: not given */
	const struct fm_record	*record;
	const struct fm_result	*result;
};

#define FM_NOTE_MOST	60	/* columns of a value, before it is cut */

/*
 * Runs the rules over a view, and shows what happened: on a term, or as JSON if
 * there is none.  `brief`: shows only the host and what ran.
 */
void fm_explain(const struct fm_rules *, const struct fm_view *,
    const char *client, const struct fm_term *, bool brief);

void fm_explain_text(const struct fm_explanation *, const struct fm_term *,
    bool brief);
void fm_explain_rows(const struct fm_explanation *, const struct fm_term *);
void fm_explain_json(const struct fm_explanation *);

/* Fills in the record, after the run. */
void fm_record_outline(struct fm_record *, const struct fm_model *);

/* Returns the host pattern that the request has met; NULL: none. */
const struct fm_host *fm_record_host(const struct fm_record *,
    const struct fm_model *);

/* Returns the name of the backend that was set, or NULL. */
const char *fm_explain_backend(const struct fm_explanation *);

/*
 * The way from the headers before the rules to those after them, in steps.  An
 * edited header is removed and added at the place of the first of its name; a
 * new header comes last:
 *
 *	KEPT	Host: example.com
 *	REMOVED	Cookie: a=1; b=2
 *	ADDED	Cookie: b=2
 */
enum fm_step_kind {
	FM_STEP_KEPT,
	FM_STEP_REMOVED,
	FM_STEP_ADDED
};

struct fm_step {
	enum fm_step_kind	kind;
	struct fm_text		name, value;
};

/* Returns the n steps of a run, for free(). */
struct fm_step *fm_explain_steps(const struct fm_explanation *, size_t *n);

#endif
