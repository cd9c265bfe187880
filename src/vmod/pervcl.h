/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A VCL (the PRIV_VCL of this module) has a list of its objects, so that a warm
 * event reaches them, and the subs that were handed to them.
 *
 * All of it belongs to the CLI thread: LOAD, vcl_init, WARM, COLD, the
 * objects' fini and DISCARD happen there, one after the other.
 */

#ifndef FM_PERVCL_H
#define FM_PERVCL_H

#include <stdbool.h>

#include "counters.h"

struct fm_object;

struct fm_vcl {
	unsigned			magic;
#define FM_VCL_MAGIC			0x48a2d6f7
	bool				warm;
	struct fm_counters		counters;	/* of the functions */
	VTAILQ_HEAD(, fm_object)	objects;	/* in order of `new` */
	VCL_SUB				*subs;		/* of .add() */
	size_t				nsubs;
	size_t				room;
};

/* Puts itself into the priv.  0, or -1: no memory. */
int fm_vcl_load(VRT_CTX, struct vmod_priv *);

/* Returns the VCL of a priv that was loaded. */
struct fm_vcl *fm_vcl_of(const struct vmod_priv *);

/* 0, or -1: no memory. */
int fm_vcl_add_sub(struct fm_vcl *, VCL_SUB);

/*
 * Makes every object ready for requests, and lets the keeper look after them.
 * 0, or -1 with what is wrong in ctx->msg.  And the end of that.
 */
int fm_vcl_warm(VRT_CTX, struct fm_vcl *);
void fm_vcl_cold(struct fm_vcl *);

#endif
