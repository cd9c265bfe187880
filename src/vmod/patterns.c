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
#include "listfile.h"
#include "patterns.h"
#include "pervcl.h"
#include "vcc_fastmatch_if.h"

static int
patterns_warm(void *priv, struct fm_diag *diag)
{
	struct vmod_fastmatch_patterns *patterns;

	CAST_OBJ_NOTNULL(patterns, priv, FM_PATTERNS_MAGIC);
	return (fm_patterns_compile(patterns, diag));
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
	if (patterns == NULL) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		return;
	}
	if (fm_object_init(ctx, &patterns->object, fm_vcl_of(priv), name,
	    patterns_warm, patterns) != 0) {
		FREE_OBJ(patterns);
		return;
	}
	fm_values_init(&patterns->values);
	patterns->nocase = !case_sensitive;
	*patternsp = patterns;
}

VCL_VOID
vmod_patterns__fini(struct vmod_fastmatch_patterns **patternsp)
{
	struct vmod_fastmatch_patterns *patterns;

	TAKE_OBJ_NOTNULL(patterns, patternsp, FM_PATTERNS_MAGIC);
	if (patterns->builder != NULL)
		fm_patset_build_free(&patterns->builder);
	if (patterns->set != NULL)
		fm_patset_free(&patterns->set);
	fm_values_fini(&patterns->values);
	fm_object_fini(&patterns->object);
	FREE_OBJ(patterns);
}

/*--------------------------------------------------------------------
 * Between the builder and the set
 */

/* The patterns of a set, in a builder again. */
static struct fm_patset_builder *
patset_reopen(const struct fm_patset *set, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_patset_builder *builder;
	const struct fm_pattern *old;
	struct fm_pattern *pattern;
	uint32_t i;

	builder = fm_patset_build_new();
	if (builder == NULL)
		return (NULL);
	for (i = 0; i < fm_patset_count(set); i++) {
		old = fm_patset_pattern(set, i);
		pattern = fm_pattern_new(fm_pattern_kind(old),
		    fm_pattern_text(old), fm_pattern_nocase(old), place, diag);
		if (pattern == NULL ||
		    fm_patset_build_add(builder, &pattern) != 0) {
			fm_patset_build_free(&builder);
			return (NULL);
		}
	}
	return (builder);
}

/* The builder to add to.  NULL: no memory. */
static struct fm_patset_builder *
patterns_open(struct vmod_fastmatch_patterns *patterns,
    const struct fm_place *place, struct fm_diag *diag)
{
	if (patterns->builder != NULL)
		return (patterns->builder);
	if (patterns->set == NULL) {
		patterns->builder = fm_patset_build_new();
		return (patterns->builder);
	}
	/* It was asked already, in this vcl_init. */
	patterns->builder = patset_reopen(patterns->set, place, diag);
	if (patterns->builder != NULL)
		fm_patset_free(&patterns->set);
	return (patterns->builder);
}

int
fm_patterns_compile(struct vmod_fastmatch_patterns *patterns,
    struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	if (patterns->set != NULL)
		return (0);
	if (patterns->builder == NULL)
		patterns->builder = fm_patset_build_new();
	if (patterns->builder == NULL)
		return (-1);
	patterns->set = fm_patset_build(&patterns->builder, diag);
	AZ(patterns->builder);
	return (patterns->set == NULL ? -1 : 0);
}

/*--------------------------------------------------------------------
 * .add() and .load()
 */

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

/* A regex that matches every text is valid, and hardly what was meant. */
static void
pattern_warn(const struct fm_pattern *pattern, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_tally tally = { .scans = 0 };
	struct fm_text text;

	if (fm_pattern_kind(pattern) != FM_PATTERN_REGEX ||
	    !fm_pattern_match(pattern, fm_text("", 0), &tally) ||
	    !fm_pattern_match(pattern, fm_text("\1x", 2), &tally))
		return;
	text = fm_pattern_text(pattern);
	fm_diag_warning(diag, place, "regex '%.*s' matches every text",
	    (int)(text.len < 200 ? text.len : 200), text.b);
}

/* 0, or -1 with the reason in the diag, or for want of memory. */
static int
patterns_add(struct vmod_fastmatch_patterns *patterns,
    enum fm_pattern_kind kind, struct fm_text text,
    const struct fm_given *given, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_patset_builder *builder;
	struct fm_pattern *pattern;

	builder = patterns_open(patterns, place, diag);
	if (builder == NULL)
		return (-1);
	pattern = fm_pattern_new(kind, text, patterns->nocase, place, diag);
	if (pattern == NULL)
		return (-1);
	pattern_warn(pattern, place, diag);
	if (fm_values_add(&patterns->values, patterns->object.vcl, text, given,
	    place, diag) != 0) {
		fm_pattern_free(&pattern);
		return (-1);
	}
	return (fm_patset_build_add(builder, &pattern));
}

VCL_VOID
vmod_patterns_add(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    struct VARGS(patterns_add) *args)
{
	struct fm_diag *diag;
	struct fm_place place;
	struct fm_given given;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return;
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	AN(args);
	if (!fm_object_begin(ctx, &patterns->object, "add", &diag))
		return;
	fm_patterns_forget(ctx, patterns);
	place = fm_object_place(&patterns->object);
	given = FM_GIVEN_ARGS(args);
	if (args->arg1 == NULL)
		fm_diag_error(diag, &place, "the pattern is NULL");
	else
		failed = patterns_add(patterns, pattern_kind_of(args->kind),
		    fm_text_of(args->arg1), &given, &place, diag);
	fm_object_end(ctx, &patterns->object, "add", &diag, failed != 0);
}

/* All lines, also after a mistake: the author shall see all mistakes. */
static int
patterns_load(struct vmod_fastmatch_patterns *patterns,
    enum fm_pattern_kind kind, struct fm_listfile *file, struct fm_diag *diag)
{
	struct fm_text line, key, string;
	struct fm_place place;
	struct fm_given given;
	int failed = 0;

	while (fm_listfile_next(file, &line, &place, diag)) {
		fm_listfile_arrow(line, &key, &string);
		given = fm_given_string(string);
		if (patterns_add(patterns, kind, key, &given, &place,
		    diag) != 0)
			failed = -1;
	}
	return (failed);
}

VCL_VOID
vmod_patterns_load(VRT_CTX, struct vmod_fastmatch_patterns *patterns,
    VCL_STRING path, VCL_ENUM kind, VCL_DURATION watch)
{
	struct fm_diag *diag;
	struct fm_listfile *file;
	int failed = -1;

	if (FM_OBJECT_MISSING(ctx, patterns))
		return;
	CHECK_OBJ_NOTNULL(patterns, FM_PATTERNS_MAGIC);
	if (!fm_object_begin(ctx, &patterns->object, "load", &diag))
		return;
	fm_patterns_forget(ctx, patterns);
	if (fm_object_may_load(&patterns->object, path, watch, diag)) {
		file = fm_listfile_read(path, NULL, diag);
		if (file != NULL) {
			failed = patterns_load(patterns,
			    pattern_kind_of(kind), file, diag);
			fm_listfile_free(&file);
		}
	}
	fm_object_end(ctx, &patterns->object, "load", &diag, failed != 0);
}
