/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain` tells what the rules did to one request, as text or as
 * JSON.
 */

#ifndef FM_EXPLAIN_H
#define FM_EXPLAIN_H

#include "message.h"
#include "outline.h"
#include "run.h"
#include "term.h"

struct fm_explanation {
	const struct fm_model	*model;
	const struct fm_program	*program;
	const struct fm_view	*view;
	const char		*client;	/* as it was given, or NULL */
	const struct fm_record	*record;
	const struct fm_result	*result;
};

#define FM_NOTE_MOST	60	/* columns of a value beside other things */

void fm_explain_text(const struct fm_explanation *, const struct fm_term *);
/* Parts of it: what was looked up, and what ran. */
void fm_explain_head(const struct fm_explanation *, const struct fm_term *);
void fm_explain_rows(const struct fm_explanation *, const struct fm_term *);
void fm_explain_json(const struct fm_explanation *);

/* The name of the backend that was set, or NULL. */
const char *fm_explain_backend(const struct fm_explanation *);

/*
 * The headers before and after, as steps from one to the other, in order:
 * an edit is done in the place of the first of its name, a new header comes
 * last.
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

/* Takes the fields of the view and the edits of the result; malloc'ed. */
struct fm_step *fm_explain_steps(const struct fm_explanation *, size_t *n);

#endif
