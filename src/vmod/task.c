/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The workspace of a task, what an object remembers in it, and what all of
 * them do.
 */

#include "config.h"

#include <string.h>

#include "cache/cache.h"
#include "vrt_obj.h"

#include "bounds.h"
#include "compat.h"
#include "task.h"

/*
 * Room for what Varnish itself allocates for a PRIV_TASK, a structure whose
 * size is its own affair (72 bytes in 7.1, 80 later).
 */
#define TASK_PRIV_ROOM	256

struct task {
	const void	*of;		/* of Varnish: a request, a fetch; */
	double		since;		/* it is used again for the next */
};

/* Of the last task of this thread that had any. */
static __thread struct {
	struct task	task;
	unsigned	regexes;
} over_limit;

void *
fm_ws_alloc(struct ws *ws, size_t bytes)
{
	size_t room;
	void *p;

	assert(bytes > 0);
	p = fm_ws_room(ws, &room);
	/* What is kept is rounded up; the room is a multiple already. */
	if (bytes > room)
		p = NULL;
	fm_ws_keep(ws, p == NULL ? 0 : bytes);
	return (p);
}

char *
fm_ws_text(struct ws *ws, struct fm_text text)
{
	char *p;

	p = fm_ws_alloc(ws, text.len + 1);
	if (p == NULL)
		return (NULL);
	if (text.len > 0)
		memcpy(p, text.b, text.len);
	p[text.len] = '\0';
	return (p);
}

char *
fm_ws_room(struct ws *ws, size_t *bytes)
{
	size_t all;

	AN(bytes);
	all = WS_ReserveAll(ws);
	*bytes = all > FM_WS_SPARE ? all - FM_WS_SPARE : 0;
	return (WS_Reservation(ws));
}

void
fm_ws_keep(struct ws *ws, size_t bytes)
{
	WS_Release(ws, (unsigned)bytes);
}

struct vmod_priv *
fm_task_get(VRT_CTX, const void *id)
{
	return (VRT_priv_task_get(ctx, id));
}

struct vmod_priv *
fm_task_make(VRT_CTX, const void *id)
{
	struct vmod_priv *priv;
	size_t room;

	priv = VRT_priv_task_get(ctx, id);
	if (priv != NULL)
		return (priv);
	(void)fm_ws_room(ctx->ws, &room);
	fm_ws_keep(ctx->ws, 0);
	if (room < TASK_PRIV_ROOM)
		return (NULL);
	return (VRT_priv_task(ctx, id));
}

/*
 * What is the same in all of a task, restarts and retries too, and in no
 * other.  false: it is none, as in vcl_init.
 */
static bool
task_of(VRT_CTX, struct task *task)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->req != NULL) {
		task->of = ctx->req;
		task->since = VRT_r_req_time(ctx);
	} else if (ctx->bo != NULL) {
		task->of = ctx->bo;
		task->since = VRT_r_bereq_time(ctx);
	} else
		return (false);
	return (true);
}

static bool
is_of(const struct task *a, const struct task *b)
{
	return (a->of == b->of && !(a->since < b->since) &&
	    !(a->since > b->since));
}

unsigned
fm_task_over_limit(VRT_CTX)
{
	struct task task;

	if (over_limit.regexes == 0 || !task_of(ctx, &task) ||
	    !is_of(&task, &over_limit.task))
		return (0);
	return (over_limit.regexes);
}

void
fm_task_add_over_limit(VRT_CTX, unsigned n)
{
	struct task task;

	if (n == 0 || !task_of(ctx, &task))
		return;
	if (!is_of(&task, &over_limit.task))
		over_limit.regexes = 0;
	over_limit.task = task;
	over_limit.regexes += n;
}

struct fm_tally
fm_task_tally(VRT_CTX)
{
	return ((struct fm_tally){ .over_limit_max = FM_LIMIT_REGEXES,
	    .over_limit_before = fm_task_over_limit(ctx) });
}
