/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gives VCL strings that stay, and finds out whether VCL may call a sub that is
 * a value.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vbm.h"

#include "compat.h"
#include "object.h"
#include "task.h"
#include "value.h"

/* Bytes for the message of VRT_check_call(), which is not read. */
#define CHECK_ROOM	128

/*
 * Asks Varnish whether the sub may be called here.  VRT_check_call() prints the
 * reason of a refusal into the workspace, and marks it as overflowed if there
 * is no room.  So the function gets a workspace of its own.
 */
static bool
sub_ask(VRT_CTX, VCL_SUB sub)
{
	char room[CHECK_ROOM] __attribute__((aligned(16)));
	struct vrt_ctx check;
	struct ws ws[1];

	check = *ctx;
	WS_Init(ws, "fmc", room, sizeof room);
	check.ws = ws;
	return (VRT_check_call(&check, sub) == NULL);
}

bool
fm_value_sub_may(VRT_CTX, VCL_SUB sub, unsigned method)
{
	struct vbitmap none = { .nbits = 0 };
	struct vrt_ctx from = *ctx;

	from.method = method;
	from.called = &none;
	return (sub_ask(&from, sub));
}

/* Returns true if a sub is running that could be a value. */
static bool
sub_runs(VRT_CTX)
{
	const struct vbitmap *running = ctx->called;
	const char *bits;
	size_t bytes;

	AN(running);
	bits = (const void *)running->bits;
	bytes = running->nbits / 8;
	/* All bytes are 0 if the first is, and each equals the next one. */
	return (bytes > 0 && (*bits != 0 ||
	    memcmp(bits, bits + 1, bytes - 1) != 0));
}

/*
 * Returns true if VCL may call the sub from this method.  The answer is noted,
 * as it never changes.  But a sub that is running may not be called again:
 * while any is running, Varnish is asked each time.
 */
static bool
sub_is_callable(VRT_CTX, const struct fm_datum *value)
{
	uint32_t *callable = TRUST_ME(&value->callable);
	bool known;

	known = (__atomic_load_n(callable, __ATOMIC_RELAXED) &
	    ctx->method) != 0;
	if (known && !sub_runs(ctx))
		return (true);
	if (!sub_ask(ctx, value->sub))
		return (false);
	if (!known)
		(void)__atomic_fetch_or(callable, ctx->method,
		    __ATOMIC_RELAXED);
	return (true);
}

VCL_SUB
fm_value_sub(VRT_CTX, const struct fm_datum *value, VCL_SUB fallback)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (!fm_value_has(value, FM_VALUE_SUB) ||
	    !sub_is_callable(ctx, value))
		return (fallback);
	return (value->sub);
}

VCL_STRING
fm_value_task_string(VRT_CTX, const struct fm_object *object,
    const struct fm_version *version, const struct fm_datum *value,
    VCL_STRING fallback, const char *method)
{
	const char *copy;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (version == NULL || !fm_value_has(value, FM_VALUE_STRING))
		return (fm_value_string(value, fallback));
	copy = fm_ws_text(ctx->ws, fm_text_of(value->string));
	if (copy != NULL)
		return (copy);
	fm_counters_overflow(ctx, &object->counters, method,
	    "the fallback is returned");
	return (fallback);
}
