/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `patterns`: filling it.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "compat.h"
#include "patterns.h"
#include "pervcl.h"
#include "vcc_fastmatch_if.h"

static int
patterns_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_patterns *patterns;

	CAST_OBJ_NOTNULL(patterns, priv, FM_PATTERNS_MAGIC);
	return (fm_filling_warm(&patterns->filling, diag));
}

VCL_VOID
vmod_patterns__init(VRT_CTX, struct vmod_fastmatch_patterns **patternsp,
    const char *name, struct vmod_priv *priv, VCL_BOOL case_sensitive)
{
	struct vmod_fastmatch_patterns *patterns;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(patternsp);
	AZ(*patternsp);
	ALLOC_OBJ(patterns, FM_PATTERNS_MAGIC);
	if (patterns == NULL || fm_filling_init(&patterns->filling,
	    &fm_patterns_type, case_sensitive ? 0 : FM_PATTERNS_NOCASE) != 0) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(patterns);
		return;
	}
	if (fm_object_init(ctx, &patterns->object, fm_vcl_of(priv), name,
	    patterns_warm, patterns) != 0) {
		fm_filling_fini(&patterns->filling);
		FREE_OBJ(patterns);
		return;
	}
	fm_filling_of(&patterns->filling, &patterns->object);
	*patternsp = patterns;
}

VCL_VOID
vmod_patterns__fini(struct vmod_fastmatch_patterns **patternsp)
{
	struct vmod_fastmatch_patterns *patterns;

	TAKE_OBJ_NOTNULL(patterns, patternsp, FM_PATTERNS_MAGIC);
	fm_object_fini(&patterns->object);
	fm_filling_fini(&patterns->filling);
	FREE_OBJ(patterns);
}

static enum fm_pattern_kind
pattern_kind_of(VCL_ENUM kind)
{
	if (kind == VENUM(contains))
		return (FM_PATTERN_CONTAINS);
	if (kind == VENUM(exact))
		return (FM_PATTERN_EXACT);
	if (kind == VENUM(prefix))
		return (FM_PATTERN_PREFIX);
	if (kind == VENUM(suffix))
		return (FM_PATTERN_SUFFIX);
	if (kind == VENUM(glob))
		return (FM_PATTERN_GLOB);
	assert(kind == VENUM(regex));
	return (FM_PATTERN_REGEX);
}

VCL_VOID
vmod_patterns_add(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_add) *args)
{
	struct fm_diag *diag;
	struct fm_entry entry;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return;
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	AN(args);
	if (!fm_object_begin(ctx, &patterns->object, "add", &diag))
		return;
	fm_patterns_forget(ctx, patterns);
	entry = (struct fm_entry){
	    .text = fm_text_of(args->arg1),
	    .given = FM_GIVEN_ARGS(args),
	    .place = fm_object_place(&patterns->object),
	    .kind = (int)pattern_kind_of(args->kind) };
	if (args->arg1 == NULL)
		fm_diag_error(diag, &entry.place, "the pattern is NULL");
	else
		failed = fm_filling_add(&patterns->filling, &entry, diag);
	fm_object_end(ctx, &patterns->object, "add", &diag, failed != 0);
}

VCL_VOID
vmod_patterns_load(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_STRING path, VCL_ENUM kind, VCL_DURATION watch)
{
	if (FM_OBJECT_MISSING(ctx, patterns))
		return;
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	fm_filling_vcl_load(ctx, &patterns->filling, path,
	    (int)pattern_kind_of(kind), watch);
	fm_patterns_forget(ctx, patterns);
}
