/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `patterns`: filling it, and how its set is made, by whichever
 * thread.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "compat.h"
#include "listfile.h"
#include "patterns.h"
#include "pervcl.h"
#include "vcc_fastmatch_if.h"

/*--------------------------------------------------------------------
 * The set
 */

static void
set_free(void *priv)
{
	struct fm_patterns_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	if (set->patset != NULL)
		fm_patset_free(&set->patset);
	fm_values_fini(&set->values);
	FREE_OBJ(set);
}

static void *
set_begin(unsigned options)
{
	struct fm_patterns_set *set;

	ALLOC_OBJ(set, FM_PATTERNS_SET_MAGIC);
	if (set == NULL)
		return (NULL);
	set->nocase = (options & FM_PATTERNS_NOCASE) != 0;
	fm_values_init(&set->values);
	set->patset = fm_patset_new();
	if (set->patset != NULL)
		return (set);
	set_free(set);
	return (NULL);
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
	    FM_SHOW(text));
}

static int
set_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	struct fm_patterns_set *set;
	struct fm_pattern *pattern;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	AN(set->patset);
	if (fm_patset_count(set->patset) == 0)
		set->first = entry->place;
	fm_caps_begin(&set->caps);
	pattern = fm_pattern_new((enum fm_pattern_kind)entry->kind,
	    entry->text, set->nocase, &entry->place, diag);
	fm_caps_end();
	if (pattern == NULL)
		return (-1);
	pattern_warn(pattern, &entry->place, diag);
	if (fm_values_add(&set->values, entry->text, &entry->given,
	    &entry->place, diag) != 0) {
		fm_pattern_free(&pattern);
		return (-1);
	}
	return (fm_patset_add(set->patset, &pattern));
}

static int
set_end(void *priv, struct fm_set_facts *facts, struct fm_diag *diag)
{
	struct fm_patterns_set *set;
	int bad;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	/* It was tried already. */
	if (set->patset == NULL)
		return (-1);
	fm_caps_begin(&set->caps);
	bad = fm_patset_make(set->patset, fm_patset_count(set->patset) == 0 ?
	    NULL : &set->first, diag);
	fm_caps_end();
	if (bad != 0) {
		fm_patset_free(&set->patset);
		return (-1);
	}
	fm_values_end(&set->values);
	facts->patterns = fm_patset_count(set->patset);
	facts->bytes = sizeof *set + fm_patset_bytes(set->patset) +
	    fm_values_bytes(&set->values);
	return (0);
}

const struct fm_recipe_type fm_patterns_type = {
	.set = {
		.name = "patterns",
		.make = fm_recipe_make,
		.free = set_free,
		.free_recipe = fm_recipe_end
	},
	.most = FM_LIMIT_OPERANDS,
	.part = fm_listfile_arrow,
	.begin = set_begin,
	.add = set_add,
	.end = set_end
};

/*--------------------------------------------------------------------
 * The object
 */

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
