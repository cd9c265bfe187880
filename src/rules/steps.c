/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the steps from the headers as they came to the headers as the rules
 * left them (steps.h).
 */

#include <stdlib.h>

#include "made_request.h"
#include "steps.h"

struct steps {
	struct fm_step		*v;		/* NULL: no memory */
	size_t			n;
};

static void
step_add(struct steps *steps, enum fm_step_kind kind, struct fm_text name,
    struct fm_text value)
{
	steps->v[steps->n++] = (struct fm_step){ kind, name, value };
}

/* Returns true if a header of the name is there after the steps so far. */
static bool
is_there(const struct steps *steps, struct fm_text name)
{
	size_t i;

	for (i = 0; i < steps->n; i++)
		if (steps->v[i].kind != FM_STEP_REMOVED &&
		    fm_text_eq_nocase(steps->v[i].name, name))
			return (true);
	return (false);
}

/* Returns room for all steps: two for each field, and one for each edit. */
static struct steps
steps_new(const struct fm_view *view, const struct fm_result *result)
{
	struct fm_edit edit;
	unsigned at = 0;
	size_t n;

	for (n = 1 + 2 * (size_t)view->nfields;
	    fm_edit_next(result, &at, &edit); n++)
		continue;
	return ((struct steps){ .v = calloc(n, sizeof(struct fm_step)) });
}

struct fm_step *
fm_steps(const struct fm_view *view, const struct fm_result *result, size_t *n)
{
	struct steps steps = steps_new(view, result);
	struct fm_text name, value;
	struct fm_edit edit;
	unsigned i, at = 0;
	bool edited, sets;

	for (i = 0; steps.v != NULL && i < view->nfields - view->nrequest;
	    i++) {
		fm_field_parts(&view->fields[i], &name, &value);
		edited = fm_edit_field(result, i, &edit);
		sets = edited && edit.set && !is_there(&steps, name);
		if (!edited || (sets && fm_text_eq(value, edit.value))) {
			step_add(&steps, FM_STEP_KEPT, name, value);
			continue;
		}
		step_add(&steps, FM_STEP_REMOVED, name, value);
		if (sets)
			step_add(&steps, FM_STEP_ADDED, edit.name, edit.value);
	}
	while (steps.v != NULL && fm_edit_next(result, &at, &edit))
		if (edit.set && !is_there(&steps, edit.name))
			step_add(&steps, FM_STEP_ADDED, edit.name, edit.value);
	*n = steps.n;
	return (steps.v);
}
