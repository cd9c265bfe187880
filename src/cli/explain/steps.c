/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the steps from the headers as they came to the headers as the rules
 * left them (explain.h).
 */

#include <stdlib.h>

#include "cli.h"
#include "differ.h"
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

struct fm_step *
fm_explain_steps(const struct fm_explanation *explanation, size_t *n)
{
	const struct fm_result *result = explanation->result;
	struct steps steps = { NULL, 0, 0 };
	const struct fm_edit *edit;
	struct fm_text name, value;
	bool *done;
	unsigned i, k;

	done = fm_cli_alloc((result->nedits + 1) * sizeof *done);
	for (i = 0; i < explanation->view->nfields; i++) {
		fm_field_parts(&explanation->view->fields[i], &name, &value);
		edit = fm_result_edit(result, name);
		k = edit == NULL ? result->nedits :
		    (unsigned)(edit - result->edits);
		if (edit == NULL || (edit->set && !done[k] &&
		    fm_text_eq(value, edit->value))) {
			step_add(&steps, FM_STEP_KEPT, name, value);
		} else {
			step_add(&steps, FM_STEP_REMOVED, name, value);
			if (edit->set && !done[k])
				step_add(&steps, FM_STEP_ADDED, edit->name,
				    edit->value);
		}
		done[k] = true;
	}
	for (k = 0; k < result->nedits; k++)
		if (result->edits[k].set && !done[k])
			step_add(&steps, FM_STEP_ADDED, result->edits[k].name,
			    result->edits[k].value);
	free(done);
	*n = steps.n;
	return (steps.v);
}
