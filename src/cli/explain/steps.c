/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the steps from the headers as they came to the headers as the rules
 * left them (explain.h).
 */

#include <stdlib.h>

#include "cli.h"
#include "explain.h"

struct steps {
	struct fm_step		*v;
	size_t			n, room;
};

static void
step_add(struct steps *steps, enum fm_step_kind kind, struct fm_text name,
    struct fm_text value)
{
	struct fm_step *step = fm_cli_grow(&steps->v, steps->n++, &steps->room,
	    sizeof *step);

	step->kind = kind;
	step->name = name;
	step->value = value;
}

/* Returns true if a field before field `end` of the view has the name. */
static bool
came_before(const struct fm_view *view, struct fm_text name, unsigned end)
{
	struct fm_text is, value;
	unsigned i;

	for (i = 0; i < end; i++) {
		fm_field_parts(&view->fields[i], &is, &value);
		if (fm_text_eq_nocase(is, name))
			return (true);
	}
	return (false);
}

struct fm_step *
fm_explain_steps(const struct fm_explanation *explanation, size_t *n)
{
	const struct fm_result *result = explanation->result;
	const struct fm_view *view = explanation->view;
	struct steps steps = { NULL, 0, 0 };
	struct fm_text name, value;
	struct fm_edit edit;
	unsigned i, at = 0;
	bool edited, sets;

	for (i = 0; i < view->nfields; i++) {
		fm_field_parts(&view->fields[i], &name, &value);
		edited = fm_edit_of(result, name, &edit);
		sets = edited && edit.set && !came_before(view, name, i);
		if (!edited || (sets && fm_text_eq(value, edit.value))) {
			step_add(&steps, FM_STEP_KEPT, name, value);
			continue;
		}
		step_add(&steps, FM_STEP_REMOVED, name, value);
		if (sets)
			step_add(&steps, FM_STEP_ADDED, edit.name, edit.value);
	}
	while (fm_edit_next(result, &at, &edit))
		if (edit.set && !came_before(view, edit.name, view->nfields))
			step_add(&steps, FM_STEP_ADDED, edit.name, edit.value);
	*n = steps.n;
	return (steps.v);
}
