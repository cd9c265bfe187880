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
#include "object.h"
#include "run.h"

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

/* The program never changes; from the first WARM on nothing here does. */
struct vmod_fastmatch_rules {
	unsigned			magic;
#define FM_RULES_MAGIC			0xc1f8c457
	struct fm_object		object;
	enum fm_rules_log		log;
	struct fm_program		*program;

	/* In the order of .backend(). */
	struct fm_rules_backend		*named;
	size_t				nnamed;
	size_t				room;
	struct fm_arena			names;
	char				*backend_name;	/* "x.backend()" */
	unsigned			backend_calls;
	bool				told;		/* of those not used */

	/* By the program's number; NULL until WARM. */
	VCL_BACKEND			*backends;
};

/*
 * What a task remembers of the last .apply() in vcl_recv; on its workspace.
 * The rule lives as long as the VCL.
 */
struct fm_rules_task {
	unsigned			magic;
#define FM_RULES_TASK_MAGIC		0xbebc8564
	enum fm_verdict			verdict;	/* that was given */
	unsigned			status;
	unsigned			restarts;	/* when that was */
	const struct fm_rule		*rule;		/* or NULL */
	struct fm_text			host;		/* on the workspace */
	struct fm_text			ruleset;
	const char			*location;	/* "Location: ..." */
};

/* NULL: nothing is remembered here. */
struct fm_rules_task *fm_rules_task(VRT_CTX,
    const struct vmod_fastmatch_rules *);

#endif
