/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL object `rules`: the structs that rules.c (makes, fills and asks the
 * object), rules_apply.c (.apply()) and the other rules_*.c files share.
 */

#ifndef FM_VMOD_RULES_H
#define FM_VMOD_RULES_H

#include "hits.h"
#include "live.h"
#include "object.h"
#include "run.h"
#include "vcl_calls.h"

struct fm_shadow;

/* One call of .backend(): the name that rules use, and the VCL's backend. */
struct fm_rules_backend {
	const char			*name;
	struct fm_place			at;
	VCL_BACKEND			backend;
	bool				used;	/* a rule names it */
};

/* One call of .sub(): the name that rules call, and the sub of the VCL. */
struct fm_rules_sub {
	const char			*name;
	struct fm_place			at;
	VCL_SUB				sub;
	unsigned			methods; /* VCL_MET_*: from where
						  * Varnish lets it be called */
	bool				used;	/* a rule calls it */
};

/* The binding of a version: what its names mean in this VCL. */
struct fm_rules_bound {
	const struct fm_rules_sub	**subs;	/* by fm_program_call() */
	VCL_BACKEND			backends[];
};

enum fm_rules_log {
	FM_RULES_LOG_NONE,
	FM_RULES_LOG_VERDICT,
	FM_RULES_LOG_ALL
};

/*
 * The payload of a set of rules.  Only a set of a shadow or of `next` may be
 * without a program: the diag has the reason then, or is NULL if there is no
 * such file.
 */
struct fm_rules_set {
	unsigned			magic;
#define FM_RULES_SET_MAGIC		0x2e5d81b6
	uint8_t				wants;		/* fm_program_wants() */
	bool				names_rule;	/* deliveries name the
							 * rule that decided the
							 * request: ${rule} */
	struct fm_hits			*hits;	/* NULL: a set of a shadow or of
						 * `next`, or no memory */
	struct fm_program		*program;
	const struct fm_program		*key;		/* its phases; NULL: */
	const struct fm_program		*fetch;		/* there are no rules */
	const struct fm_program		*response;
	const struct fm_program		*delivery;
	bool				later;		/* there are some */
	bool				keeps_client;	/* fm_program_
							 * keeps_client() */
	bool				keys_changed;	/* since the first set
							 * of these files */
	uint64_t			first_keys;	/* that one's
							 * fm_program_key_ids()
							 * or 0 */
	bool				sets_host;	/* rules for requests
							 * may */
	bool				tells_cache;	/* they have
							 * `cache-status` */
	struct fm_diag			*diag;
};

/*
 * The object.  From the first WARM on only its live and `told_unfinished`
 * change.
 */
struct vmod_fastmatch_rules {
	struct fm_object		object;		/* first */
	unsigned			magic;
#define FM_RULES_MAGIC			0xc1f8c457
	enum fm_rules_log		log;
	bool				keeps_task;	/* VCL may read what
							 * .apply() decided */
	bool				knows;		/* a sub after vcl_recv
							 * may ask for the host
							 * of a request */
	/* The calls of .sub(), in their order. */
	struct fm_rules_sub		*subs;
	size_t				nsubs, subs_room;

	/* The shadow; NULL: VCL asked for none. */
	struct fm_shadow		*shadow;

	char				*path;

	/* The calls of .backend(), in their order. */
	struct fm_rules_backend		*named;
	size_t				nnamed;
	size_t				room;
	unsigned			backend_calls;
	bool				told;		/* the log has which are
							 * not used */

	unsigned			sub_calls;

	struct fm_vcl_calls		calls;		/* of .apply(), in the
							 * subs of VCL */
	bool				told_unfinished; /* the log has one;
							 * atomic */

	uint64_t			shadow_sample;	/* sample, for
							 * fm_shadow_takes() */
	double				sample;
	uint64_t			next_share;	/* share, for
							 * fm_canary_takes() */
	double				share;		/* percent */
	struct fm_diag			*next_unused;	/* why it did not serve
							 * when the process
							 * started, or NULL */

	/* The file of a shadow or of `next`; NULL: VCL has neither. */
	char				*beside_path;
	double				beside_watch;
	uint32_t			beside_min_hosts;
};

/*
 * Returns true if VCL calls .apply() in vcl_deliver, or if that is not known:
 * then responses are counted.
 */
static inline bool
fm_rules_delivers(const struct vmod_fastmatch_rules *rules)
{
	return (rules->calls.subs[FM_VCL_SUB_DELIVER].reach != FM_VCL_NEVER);
}

/*
 * Looks up the backends that a program names, and stores them in the array; an
 * array of NULL: only checks that all are known.  Returns 0, or -1 with the
 * reason in the diag.
 */
int fm_rules_resolve(struct vmod_fastmatch_rules *, const struct fm_program *,
    VCL_BACKEND *, struct fm_diag *) __attribute__((cold));

/* Binds rules that serve: a fm_live_bind_f. */
int fm_rules_bind(void *rules, const struct fm_set *, void **binding,
    struct fm_diag *) __attribute__((cold));

/*
 * Returns false, with the reason in the diag, if VCL does not call .apply()
 * where a block of the rules would run.
 */
bool fm_rules_called(const struct vmod_fastmatch_rules *,
    const struct fm_program *, struct fm_diag *) __attribute__((cold));

/* The type of sets of rules. */
extern const struct fm_set_type fm_rules_type;

/*
 * The type of a shadow's sets.  A set is made even if there is no such file, or
 * the file has errors.
 */
extern const struct fm_set_type fm_rules_shadow_type;

/*
 * The type of sets of `next`.  A set is made even if there is no such file; and
 * if the file has errors, only as the process starts.
 */
extern const struct fm_set_type fm_rules_next_type;

/* The recipe of all types, malloc'ed. */
struct fm_rules_recipe {
	unsigned			magic;
#define FM_RULES_RECIPE_MAGIC		0x84d07f3a
	uint32_t			min_hosts;
	char				*path;
	char				*backup;	/* "": none */
	char				*key;
};

/*
 * Makes a recipe, and fills in the options that belong to it.  Returns 0, or
 * -1 if there is no memory.
 */
int fm_rules_recipe(struct fm_live_options *, const char *path,
    const char *backup, uint32_t min_hosts);

/* A redirect or an answer, which vcl_synth completes. */
struct fm_rules_answer {
	enum fm_verdict			verdict;	/* NONE: there is no
							 * such answer */
	unsigned			status;
	unsigned			restarts;	/* by then */
	const char			*header;	/* redirect: "Location:
							 * ..."; answer:
							 * "Content-Type: ...";
							 * else NULL */
	char				*body;		/* of an answer,
							 * malloc'ed; or NULL */
	size_t				body_len;
	struct vmod_fastmatch_rules	*unfinished;	/* the object, until
							 * vcl_synth has called
							 * its .apply() */
};

/*
 * The last .apply() of a task in vcl_recv, and the last answer.  This struct
 * and its strings are in the workspace, as the rules may be swapped before the
 * task ends.  Only the body is malloc'ed: it may be too large for a workspace.
 */
struct fm_rules_task {
	unsigned			magic;
#define FM_RULES_TASK_MAGIC		0xbebc8564
	enum fm_verdict			verdict;	/* that was given */
	const char			*rule;		/* its place, or NULL */
	const char			*host;		/* or NULL */
	const char			*ruleset;	/* or NULL */
	bool				undecided;	/* some value was */
	struct fm_rules_answer		answer;
	struct vmod_priv		*priv;		/* whose priv this is */
};

/* Returns what the task remembers of this object; NULL: nothing. */
struct fm_rules_task *fm_rules_task(VRT_CTX,
    const struct vmod_fastmatch_rules *);

#endif
