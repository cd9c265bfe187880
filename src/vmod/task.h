/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The workspace of a task, and what an object remembers in it.
 *
 * Varnish's own WS_Alloc(), WS_Copy(), WS_ReserveSize() and VRT_priv_task()
 * mark a workspace that is too small as overflowed, and a marked workspace
 * turns the request into an error later.  Here nothing is marked: these
 * functions look at the free space first, and return NULL.
 *
 * What Varnish itself needs to answer a request is left to it: so much of the
 * workspace counts as taken.  Otherwise a client could fill a request so that
 * it fails because of what we add.
 */

#ifndef FM_TASK_H
#define FM_TASK_H

#include "text.h"

#define FM_WS_SPARE	2048

/*
 * Bytes for what Varnish itself allocates for a PRIV_TASK, a structure whose
 * size is its own affair (72 in 7.1, 80 later).
 */
#define FM_TASK_PRIV_ROOM	256

/*
 * Returns how many bytes may be allocated.  Looking at the workspace itself
 * takes a tenth of the time of WS_ReserveAll() and WS_Release().
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

/* Returns true if these bytes are a part of what has been allocated. */
static inline bool
fm_ws_has(const struct ws *ws, const char *b, size_t bytes)
{
	return (b >= ws->s && b + bytes <= ws->f);
}

/* Returns bytes aligned for any type; NULL without room. */
void *fm_ws_alloc(struct ws *, size_t bytes);

/* Returns a copy that ends in NUL; NULL without room. */
char *fm_ws_text(struct ws *, struct fm_text);

/*
 * Returns where the free room begins, aligned for any type, and how large it
 * is, to be written to directly.  Nothing of it is taken before fm_ws_keep(),
 * and until then nothing else may use the workspace.
 */
static inline char *
fm_ws_room(const struct ws *ws, size_t *bytes)
{
	*bytes = fm_ws_free(ws);
	return (ws->f);
}

void fm_ws_keep(struct ws *, size_t bytes);

/*
 * Returns what the object `id` remembers in this task, made where there was
 * nothing; NULL without room.  Client request, ESI sub-request and backend
 * fetch are tasks of their own; a restart goes on in the same one.
 */
struct vmod_priv *fm_task_make(VRT_CTX, const void *id);

/* Returns the name of the sub that calls, for messages: "vcl_hash". */
const char *fm_sub_name(VRT_CTX);

#endif
