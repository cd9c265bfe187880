/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a task remembers of .apply(): the result in vcl_recv for VCL, and the
 * answer that vcl_synth completes.
 */

#ifndef FM_RULES_TASK_H
#define FM_RULES_TASK_H

#include "rules.h"
#include "task.h"

/*
 * Returns the task, and sets *room to this number of bytes.  A new task is
 * empty.  Returns NULL if there is too little workspace.
 */
struct fm_rules_task *fm_task_get(VRT_CTX,
    const struct vmod_fastmatch_rules *, size_t bytes, char **room);

/*
 * Returns the task with a result, if that `is_told` to VCL or to later rules,
 * and nothing of what it had before, and sets *room to these bytes; NULL: as
 * above.
 */
struct fm_rules_task *fm_task_write(VRT_CTX,
    const struct vmod_fastmatch_rules *, const struct fm_result *,
    bool is_told, size_t bytes, char **room);

/*
 * Sets *room to this number of bytes, where no task is needed.  Returns false
 * if there is too little workspace.
 */
static inline bool
fm_task_room(VRT_CTX, size_t bytes, char **room)
{
	*room = NULL;
	if (WS_Overflowed(ctx->ws))
		return (false);
	if (bytes > 0)
		*room = fm_ws_alloc(ctx->ws, bytes);
	return (bytes == 0 || *room != NULL);
}

void fm_task_forget(struct fm_rules_task *);

/*
 * Copies the body of an answer, as the rules may be swapped before vcl_synth.
 * Returns NULL if there is no memory.
 */
char *fm_task_body(struct fm_text);

/*
 * Leaves a redirect or an answer to vcl_synth, with its header line and its
 * body from fm_task_body() or NULL.  Its absence there will be reported.
 */
void fm_task_answer(VRT_CTX, struct vmod_fastmatch_rules *,
    struct fm_rules_task *, const struct fm_result *, const char *header,
    char *body);

#endif
