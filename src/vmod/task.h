/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates in the workspace of a task (client request, ESI sub-request or
 * backend fetch), and keeps there what an object remembers for the task.
 *
 * Varnish's own WS_Alloc(), WS_Copy(), WS_ReserveSize() and VRT_priv_task()
 * mark a workspace that is too small as overflowed, and Varnish fails a request
 * with a marked workspace.  The functions here look at the free space first and
 * return NULL, so they never mark it.
 *
 * They also leave FM_WS_SPARE bytes for what Varnish itself needs to answer the
 * request.  Otherwise a client could make a request so large that it fails
 * because of what this module adds.
 */

#ifndef FM_TASK_H
#define FM_TASK_H

#include "text.h"

#define FM_WS_SPARE	2048	/* bytes that are left to Varnish, see above */

/*
 * Bytes left for a PRIV_TASK, which Varnish allocates itself: a private
 * structure of 72 bytes in 7.1, and 80 later.
 */
#define FM_TASK_PRIV_ROOM	256

/*
 * Returns how many bytes may be allocated.  Reads the workspace's pointers,
 * which takes a tenth of the time of WS_ReserveAll() and WS_Release().
 */
static inline size_t
fm_ws_free(const struct ws *ws)
{
	size_t room;

	CHECK_OBJ_NOTNULL(ws, WS_MAGIC);
	AZ(ws->r);
	room = (size_t)(ws->e - ws->f);
	return (room > FM_WS_SPARE ? room - FM_WS_SPARE : 0);
}

/* Returns true if these bytes lie in the allocated part of the workspace. */
static inline bool
fm_ws_has(const struct ws *ws, const char *b, size_t bytes)
{
	return (b >= ws->s && b + bytes <= ws->f);
}

/*
 * Workspaces are one piece of memory, from which WS_Alloc() takes the next
 * bytes.  This is not so where varnishd was built with the workspace emulator,
 * which debugs workspaces; fm_ws_try() finds out.
 */
extern bool fm_ws_is_plain;

/* Tries an allocation, at the first WARM. */
void fm_ws_try(struct ws *);

/*
 * Returns bytes that are aligned for any type, for which there is room.  Does
 * what WS_Alloc() does, which checks the whole workspace before and after.
 */
static inline void *
fm_ws_take(struct ws *ws, size_t bytes)
{
	char *p;

	if (__builtin_expect(!fm_ws_is_plain, 0))
		return (WS_Alloc(ws, (unsigned)bytes));
	p = ws->f;
	ws->f = p + PRNDUP(bytes);
	return (p);
}

/* Returns bytes that are aligned for any type; NULL if there is no room. */
static inline void *
fm_ws_alloc(struct ws *ws, size_t bytes)
{
	assert(bytes > 0);
	return (fm_ws_free(ws) < bytes ? NULL : fm_ws_take(ws, bytes));
}

/* Returns a copy that ends in NUL; NULL if there is no room. */
char *fm_ws_text(struct ws *, struct fm_text);

/*
 * Returns the start of the free room, aligned for any type, and sets *bytes to
 * its size.  The caller writes there, then calls fm_ws_keep() to allocate what
 * it has written.  Until then nothing else may use the workspace.
 */
static inline char *
fm_ws_room(const struct ws *ws, size_t *bytes)
{
	*bytes = fm_ws_free(ws);
	return (ws->f);
}

void fm_ws_keep(struct ws *, size_t bytes);

/*
 * Returns the priv of the object `id` in this task, and makes it if there is
 * none; NULL if there is no room for that and for these bytes, which the caller
 * allocates with a new one.  A restart belongs to the same task as the request
 * before it.
 */
static inline struct vmod_priv *
fm_task_make(VRT_CTX, const void *id, size_t bytes)
{
	if (fm_ws_free(ctx->ws) < FM_TASK_PRIV_ROOM + bytes)
		return (VRT_priv_task_get(ctx, id));
	return (VRT_priv_task(ctx, id));
}

/* Returns the name of the sub that VCL is in, such as "vcl_hash". */
const char *fm_sub_name(VRT_CTX);

#endif
