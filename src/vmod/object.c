/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the objects have in common.
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
#include "object.h"
#include "pervcl.h"

int
fm_object_init(VRT_CTX, struct fm_object *object, struct fm_vcl *vcl,
    const char *name, fm_object_warm_f *warm, void *priv)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	AN(name);
	INIT_OBJ(object, FM_OBJECT_MAGIC);
	object->name = strdup(name);
	if (object->name == NULL ||
	    asprintf(&object->add_name, "%s.add()", name) < 0) {
		free(object->name);
		object->magic = 0;
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		return (-1);
	}
	object->vcl = vcl;
	object->warm = warm;
	object->priv = priv;
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
	fm_counters_fini(&object->counters);
	free(object->add_name);
	free(object->name);
	object->magic = 0;
}

/* All messages that were kept, one a line. */
static void
diag_print(struct vsb *vsb, const struct fm_diag *diag)
{
	const char *line;
	unsigned n, all;

	if (diag == NULL)
		return;
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSB_printf(vsb, "%s\n", line);
	all = fm_diag_errors(diag) + fm_diag_warnings(diag);
	if (all > n)
		VSB_printf(vsb, "(and %u more)\n", all - n);
}

void
fm_object_log(const struct fm_diag *diag)
{
	const char *line;
	unsigned n;

	if (diag == NULL)
		return;
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSL(SLT_VCL_Log, NO_VXID, "fastmatch: %s", line);
}

/*--------------------------------------------------------------------
 * What serves requests
 */

void
fm_object_tell(bool error, const char *line)
{
	VSL(error ? SLT_Error : SLT_VCL_Log, NO_VXID, "%s", line);
	if (error)
		syslog(LOG_ERR, "%s", line);
}

/* Of the live: in the keeper's thread, or in that of the CLI. */
static void
object_tell(void *priv, bool error, const char *line)
{
	(void)priv;
	fm_object_tell(error, line);
}

int
fm_object_open(struct fm_object *object, struct fm_live_options *options,
    struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(options);
	AZ(object->live);
	options->name = object->name;
	options->tell = object_tell;
	options->priv = object->priv;
	object->live = fm_live_open(options, diag);
	if (object->live == NULL)
		return (-1);
	fm_counters_live(&object->counters, object->live);
	return (0);
}

int
fm_object_warm(VRT_CTX, struct fm_object *object)
{
	struct fm_diag *diag;
	int failed = 0;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(ctx->msg);
	diag = fm_diag_new();
	/* Who has nowhere to say what is wrong would find nothing wrong. */
	if (diag == NULL)
		failed = -1;
	else if (object->warm != NULL)
		failed = object->warm(object->priv, diag);
	AN(failed || object->live != NULL);
	if (!failed)
		failed = fm_live_warm(object->live, diag);
	if (failed) {
		if (fm_diag_errors(diag) == 0)
			VSB_printf(ctx->msg, "fastmatch: %s: out of memory\n",
			    object->name);
		diag_print(ctx->msg, diag);
		VSB_printf(ctx->msg, "fastmatch: %s could not be compiled\n",
		    object->name);
	} else {
		fm_object_log(diag);
		/* Who asks for the digest now takes 0 for another one. */
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
		fm_object_log(diag);
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
 * Filling it
 */

bool
fm_object_begin(VRT_CTX, struct fm_object *object, const char *method,
    struct fm_diag **diagp)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(diagp);
	/* An argument may have failed already. */
	if (VRT_handled(ctx))
		return (false);
	if (ctx->method != VCL_MET_INIT) {
		AN(method);
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
fm_object_end(VRT_CTX, const struct fm_object *object, const char *method,
    struct fm_diag **diagp, bool failed)
{
	const char *dot = method == NULL ? "" : ".";
	const char *call = method == NULL ? "" : "()";
	unsigned errors;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(diagp);
	if (method == NULL)
		method = "";
	errors = fm_diag_errors(*diagp);
	if (errors > 0) {
		diag_print(ctx->msg, *diagp);
		VRT_fail(ctx, "fastmatch: %s%s%s%s: %u error%s",
		    object->name, dot, method, call, errors,
		    errors == 1 ? "" : "s");
	} else if (failed)
		VRT_fail(ctx, "fastmatch: %s%s%s%s: out of memory",
		    object->name, dot, method, call);
	else
		fm_object_log(*diagp);
	fm_diag_free(diagp);
}

struct fm_place
fm_object_place(struct fm_object *object)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	return ((struct fm_place){
	    .name = object->add_name, .call = ++object->adds });
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

bool
fm_object_may_load(const struct fm_object *object, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *diag)
{
	char name[FM_PLACE_LEN];
	const struct fm_place place = { .name = name };

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	(void)snprintf(name, sizeof name, "%s.load()", object->name);
	return (fm_object_may_read(&place, path, watch, diag));
}

bool
fm_in_request(VRT_CTX)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	return ((ctx->method & (VCL_MET_INIT | VCL_MET_FINI)) == 0);
}

bool
fm_object_may_call(VRT_CTX, const struct fm_object *object, const char *method)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (fm_in_request(ctx))
		return (true);
	VRT_fail(ctx, "fastmatch: %s.%s() cannot be called from vcl_init or"
	    " vcl_fini", object->name, method);
	return (false);
}
