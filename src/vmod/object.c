/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of all VCL objects of this module, from vcl_init to COLD.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vsb.h"

#include "compat.h"
#include "grow.h"
#include "object.h"
#include "pervcl.h"
#include "recipe.h"
#include "task.h"

int
fm_object_init(VRT_CTX, struct fm_object *object, struct fm_vcl *vcl,
    const char *name)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	AN(name);
	INIT_OBJ(object, FM_OBJECT_MAGIC);
	object->name = strdup(name);
	if (object->name == NULL) {
		object->magic = 0;
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		return (-1);
	}
	object->vcl = vcl;
	fm_counters_init(ctx, &object->counters, object->name);
	VTAILQ_INSERT_TAIL(&vcl->objects, object, list);
	return (0);
}

void
fm_object_fini(struct fm_object *object)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	VTAILQ_REMOVE(&object->vcl->objects, object, list);
	fm_counters_live(&object->counters, NULL);
	if (object->beside != NULL)
		fm_live_close(&object->beside);
	if (object->live != NULL)
		fm_live_close(&object->live);
	if (object->recipe != NULL)
		fm_recipe_drop(object->recipe);
	while (object->nbackends > 0)
		VRT_Assign_Backend(&object->backends[--object->nbackends],
		    NULL);
	free(object->backends);
	fm_counters_fini(&object->counters);
	free(object->name);
	object->magic = 0;
}

struct fm_object *
fm_object_new(VRT_CTX, struct fm_vcl *vcl, const char *name,
    const struct fm_recipe_type *type, unsigned options)
{
	struct fm_object *object;
	struct fm_recipe *recipe;

	object = malloc(sizeof *object);
	recipe = fm_recipe_new(type, options, name);
	if (object == NULL || recipe == NULL)
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
	else if (fm_object_init(ctx, object, vcl, name) == 0) {
		object->recipe = recipe;
		return (object);
	}
	if (recipe != NULL)
		fm_recipe_drop(recipe);
	free(object);
	return (NULL);
}

void
fm_object_free(struct fm_object **objectp)
{
	struct fm_object *object;

	TAKE_OBJ_NOTNULL(object, objectp, FM_OBJECT_MAGIC);
	fm_object_fini(object);
	free(object);
}

/*--------------------------------------------------------------------
 * Logging and messages
 */

void
fm_object_tell(void *priv, bool error, const char *line)
{
	(void)priv;
	VSL(error ? SLT_Error : SLT_VCL_Log, NO_VXID, "%s", line);
	if (error)
		syslog(LOG_ERR, "%s", line);
}

/* Logs the messages; Varnish shows nothing of a vcl.load that succeeds. */
static void
diag_log(const struct fm_diag *diag)
{
	const char *line;
	unsigned n;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSL(SLT_VCL_Log, NO_VXID, "fastmatch: %s", line);
}

/* Prints each message on a line.  Returns the number of errors, as text. */
static const char *
diag_print(struct vsb *vsb, const struct fm_diag *diag, char buf[32])
{
	unsigned n, errors = fm_diag_errors(diag);
	unsigned all = errors + fm_diag_warnings(diag);
	const char *line;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSB_printf(vsb, "%s\n", line);
	if (all > n)
		VSB_printf(vsb, "(and %u more)\n", all - n);
	if (errors == 0)
		return ("out of memory");
	(void)snprintf(buf, 32, "%u error%s", errors, errors == 1 ? "" : "s");
	return (buf);
}

/*--------------------------------------------------------------------
 * Filling an object, in vcl_init
 */

bool
fm_object_begin(VRT_CTX, const struct fm_object *object, const char *method,
    struct fm_diag **diagp)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(diagp);
	/* An argument may have failed already. */
	if (VRT_handled(ctx) || FM_OBJECT_MISSING(ctx, object))
		return (false);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (ctx->method != VCL_MET_INIT) {
		VRT_fail(ctx, "fastmatch: %s.%s() can only be called from"
		    " vcl_init", object->name, method);
		return (false);
	}
	AN(ctx->msg);
	*diagp = fm_diag_new();
	if (*diagp != NULL)
		return (true);
	VRT_fail(ctx, "fastmatch: %s: out of memory", object->name);
	return (false);
}

void
fm_object_end(VRT_CTX, const struct fm_object *object, struct fm_diag **diagp,
    bool failed)
{
	char buf[32];

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(diagp);
	if (failed || fm_diag_errors(*diagp) > 0)
		VRT_fail(ctx, "fastmatch: %s: %s", object->name,
		    diag_print(ctx->msg, *diagp, buf));
	else
		diag_log(*diagp);
	fm_diag_free(diagp);
}

/* References a backend while the object lives.  Returns 0, or -1: no memory. */
static int
backend_hold(struct fm_object *object, VCL_BACKEND backend)
{
	VCL_BACKEND *backends;

	backends = fm_grow_room(object->backends, &object->room,
	    object->nbackends, 1, sizeof *backends);
	if (backends == NULL)
		return (-1);
	object->backends = backends;
	backends[object->nbackends] = NULL;
	VRT_Assign_Backend(&backends[object->nbackends++], backend);
	return (0);
}

void
fm_object_add(VRT_CTX, struct fm_object *object, const struct fm_entry *entry)
{
	const struct fm_given *given = &entry->given;
	struct fm_diag *diag;
	int failed;

	if (!fm_object_begin(ctx, object, "add", &diag))
		return;
	failed = fm_recipe_add(object->recipe, entry, diag);
	if (failed == 0 && (given->has & FM_VALUE_SUB))
		failed = fm_vcl_add_sub(object->vcl, given->sub);
	if (failed == 0 && (given->has & FM_VALUE_BACKEND))
		failed = backend_hold(object, given->backend);
	fm_object_end(ctx, object, &diag, failed != 0);
}

bool
fm_object_may_read(const struct fm_place *place, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *diag)
{
	if (path == NULL)
		fm_diag_error(diag, place, "the path is NULL");
	else if (*path != '/')
		fm_diag_error(diag, place, "the path must be absolute, from"
		    " the first / on: '%s'", path);
	else if (!(watch >= 0.))
		fm_diag_error(diag, place, "watch must not be negative");
	else
		return (true);
	return (false);
}

void
fm_object_load(VRT_CTX, struct fm_object *object, VCL_STRING path, int kind,
    VCL_DURATION watch)
{
	char name[FM_PLACE_LEN];
	const struct fm_place place = { .name = name };
	struct fm_diag *diag;
	int failed = -1;

	if (!fm_object_begin(ctx, object, "load", &diag))
		return;
	(void)snprintf(name, sizeof name, "%s.load()", object->name);
	if (fm_object_may_read(&place, path, watch, diag))
		failed = fm_recipe_load(object->recipe, path, kind, watch);
	fm_object_end(ctx, object, &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * WARM and COLD
 */

int
fm_object_open(struct fm_object *object, struct fm_live_options *options,
    void *priv, struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(options);
	AZ(object->live);
	options->name = object->name;
	options->tell = fm_object_tell;
	options->priv = priv;
	object->live = fm_live_open(options, diag);
	if (object->live == NULL)
		return (-1);
	fm_counters_live(&object->counters, object->live);
	return (0);
}

/*
 * Compiles the recipe at the first WARM.  If that fails, the recipe is kept, as
 * the VCL may get warm once the files are right.
 */
static int
object_compile(struct fm_object *object, struct fm_diag *diag)
{
	struct fm_live_options options = { .watch = 0. };

	if (object->live != NULL)
		return (0);
	fm_recipe_close(object->recipe, &options);
	if (fm_object_open(object, &options, NULL, diag) != 0)
		return (-1);
	fm_recipe_drop(object->recipe);
	object->recipe = NULL;
	object->stays = options.watch <= 0.;
	return (0);
}

/* Notes the payload of an object without watched files: it stays. */
static void
object_fix(struct fm_object *object)
{
	const struct fm_version *version;

	version = fm_live_get(object->live);
	AN(version);
	object->fixed = version->payload;
	fm_live_put(version);
}

int
fm_object_warm(VRT_CTX, struct fm_object *object)
{
	struct fm_diag *diag;
	char buf[32];
	int failed = -1;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(ctx->msg);
	diag = fm_diag_new();
	/* Without a diag no error would be seen. */
	if (diag != NULL && object_compile(object, diag) == 0)
		failed = fm_live_warm(object->live, diag);
	if (!failed && object->stays)
		object_fix(object);
	if (failed) {
		VSB_printf(ctx->msg, "fastmatch: %s: %s\n", object->name,
		    diag_print(ctx->msg, diag, buf));
	} else {
		diag_log(diag);
		/* Otherwise varnishstat has digest 0 for up to a second. */
		fm_counters_sum(&object->counters);
	}
	fm_diag_free(&diag);
	return (failed);
}

void
fm_object_warm_beside(struct fm_object *object)
{
	struct fm_diag *diag;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->beside == NULL)
		return;
	diag = fm_diag_new();
	if (fm_live_warm(object->beside, diag) != 0)
		diag_log(diag);
	fm_diag_free(&diag);
}

void
fm_object_cold(struct fm_object *object)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->beside != NULL)
		fm_live_cold(object->beside);
	if (object->live != NULL)
		fm_live_cold(object->live);
	fm_counters_sum(&object->counters);
}

/*--------------------------------------------------------------------
 * Asking an object, in a request
 */

bool
fm_object_misused(VRT_CTX, const struct fm_object *object, const char *method)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->method == VCL_MET_INIT)
		VRT_fail(ctx, "fastmatch: %s.%s() cannot be called from"
		    " vcl_init", object->name, method);
	return (false);
}

VCL_STRING
fm_object_string(VRT_CTX, const struct fm_object *object,
    const struct fm_version *version, const char *string, VCL_STRING fallback,
    const char *method)
{
	const char *copy;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (version == NULL)
		return (string);
	copy = fm_ws_text(ctx->ws, fm_text_of(string));
	if (copy != NULL)
		return (copy);
	fm_counters_overflow(ctx, &object->counters, method,
	    "the fallback is returned");
	return (fallback);
}
