/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `rules`: what rules.c (making and asking it) and rules_apply.c
 * (its work) share.
 */

#ifndef FM_VMOD_RULES_H
#define FM_VMOD_RULES_H

#include "arena.h"
#include "hits.h"
#include "live.h"
#include "object.h"
#include "run.h"

struct fm_shadow;

/* A backend that .backend() named. */
struct fm_rules_backend {
	const char			*name;
	struct fm_place			at;
	VCL_BACKEND			backend;
	bool				used;	/* by the rules */
};

enum fm_rules_log {
	FM_RULES_LOG_NONE,
	FM_RULES_LOG_VERDICT,
	FM_RULES_LOG_ALL
};

/* What a set of rules is: the payload of its fm_set. */
struct fm_rules_set {
	unsigned			magic;
#define FM_RULES_SET_MAGIC		0x2e5d81b6
	struct fm_program		*program; /* NULL: a shadow, and */
	struct fm_diag			*diag;	/* why; NULL: no such file */
	struct fm_hits			*hits;	/* NULL: no memory; a shadow */
};

/* From the first WARM on nothing here changes but the live and `unfinished`. */
struct vmod_fastmatch_rules {
	struct fm_object		object;		/* first */
	unsigned			magic;
#define FM_RULES_MAGIC			0xc1f8c457
	enum fm_rules_log		log;
	char				*path;

	/* In the order of .backend(). */
	struct fm_rules_backend		*named;
	size_t				nnamed;
	size_t				room;
	struct fm_arena			names;
	char				*backend_name;	/* "x.backend()" */
	unsigned			backend_calls;
	bool				told;		/* of those not used */

	bool				unfinished;	/* reported, atomic */

	/* NULL: none was asked for. */
	struct fm_shadow		*shadow;
	uint64_t			share;	/* for fm_shadow_takes() */
	double				sample;
	char				*shadow_path;
};

/*
 * What the names of backends in a program stand for; NULL: only looks whether
 * all are there.  0, or -1 with what is wrong in the diag.
 */
int fm_rules_resolve(struct vmod_fastmatch_rules *, const struct fm_program *,
    VCL_BACKEND *, struct fm_diag *);

/* The type of such sets, and how one is made: the recipe, malloc'ed. */
extern const struct fm_set_type fm_rules_type;

/*
 * Those of a shadow are made of whatever there is, also where that is no file,
 * or one with errors.
 */
extern const struct fm_set_type fm_rules_shadow_type;

struct fm_rules_recipe {
	unsigned			magic;
#define FM_RULES_RECIPE_MAGIC		0x84d07f3a
	uint32_t			min_hosts;
	bool				backup;	/* no rules are a mistake */
	char				*path;
};

/* NULL: no memory. */
struct fm_rules_recipe *fm_rules_recipe(const char *path, bool backup,
    uint32_t min_hosts);

/*
 * What a task remembers of the last .apply() in vcl_recv; on its workspace,
 * with all that it points to, as the rules may be others meanwhile.  The body
 * of an answer is too large for that.
 */
struct fm_rules_task {
	unsigned			magic;
#define FM_RULES_TASK_MAGIC		0xbebc8564
	enum fm_verdict			verdict;	/* that was given */
	unsigned			status;
	unsigned			restarts;	/* when that was */
	const char			*rule;		/* its place, or NULL */
	const char			*host;		/* or NULL */
	const char			*ruleset;	/* or NULL */
	const char			*header;	/* "Location: ..." of a
							 * redirect, of an
							 * answer Content-Type;
							 * or NULL */
	char				*body;		/* of an answer, by
							 * malloc; or NULL */
	size_t				body_len;
	bool				undecided;	/* something was */
	struct vmod_fastmatch_rules	*unfinished;	/* the object, as long
							 * as vcl_synth has to
							 * call .apply() */
};

/* NULL: nothing is remembered here. */
struct fm_rules_task *fm_rules_task(VRT_CTX,
    const struct vmod_fastmatch_rules *);

#endif
