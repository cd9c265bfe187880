/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of the module for one VCL (its PRIV_VCL): the VCL's objects, so
 * that WARM and COLD reach them; the subs that .add() was given; and the
 * counters of the module's functions.
 *
 * Only the CLI thread uses this: LOAD, vcl_init, WARM, COLD, the objects' fini
 * and DISCARD happen there, one after the other.
 */

#ifndef FM_PERVCL_H
#define FM_PERVCL_H

#include <stdbool.h>

#include "counters.h"
#include "grow.h"

struct fm_object;

struct fm_vcl {
	unsigned			magic;
#define FM_VCL_MAGIC			0x48a2d6f7
	bool				warm;
	struct fm_counters		counters;	/* of the functions */
	VTAILQ_HEAD(, fm_object)	objects;	/* in order of `new` */
	struct fm_grow			subs;		/* VCL_SUB: given to
							 * .add(), each once */
};

/* Makes an fm_vcl and puts it into the priv.  Returns 0, or -1: no memory. */
int fm_vcl_load(VRT_CTX, struct vmod_priv *) __attribute__((cold));

/* Returns the fm_vcl that fm_vcl_load() put into the priv. */
struct fm_vcl *fm_vcl_of(const struct vmod_priv *);

/* Notes a sub that .add() was given.  Returns 0, or -1: no memory. */
int fm_vcl_add_sub(struct fm_vcl *, VCL_SUB) __attribute__((cold));

/*
 * fm_vcl_warm() makes every object ready for requests, and has the watcher
 * watch their files; it returns 0, or -1 with the reason in ctx->msg.
 * fm_vcl_cold() undoes that.
 */
int fm_vcl_warm(VRT_CTX, struct fm_vcl *) __attribute__((cold));
void fm_vcl_cold(struct fm_vcl *);

#endif
