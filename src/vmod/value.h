/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The values that an entry of `patterns` or `hosts` has for VCL: a string, an
 * integer, a flag, a backend and a sub, each optional.  Entries are numbered
 * from 0 in the order of .add(); the tables of src/match give these numbers.
 */

#ifndef FM_VALUE_H
#define FM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	FM_VALUE_STRING		= 1U << 0,
	FM_VALUE_INTEGER	= 1U << 1,
	FM_VALUE_FLAG		= 1U << 2,
	FM_VALUE_BACKEND	= 1U << 3,
	FM_VALUE_SUB		= 1U << 4
};

struct fm_object;
struct fm_version;

/*
 * An entry: its pattern as written, and copies of its values.  Once the set is
 * made workers write to `callable` alone: it has the methods of VCL from which
 * Varnish has said that the sub may be called.
 */
struct fm_datum {
	const char	*pattern;
	const char	*string;
	VCL_INT		integer;
	VCL_BACKEND	backend;
	VCL_SUB		sub;
	uint32_t	callable;
	uint8_t		has;
	bool		flag;
};

/*
 * The values in the arguments of .add(), which both objects name alike; without
 * its strings.
 */
#define FM_VALUE_ARGS(args) ((struct fm_datum){				\
	.integer = (args)->integer,					\
	.backend = (args)->backend,					\
	.sub = (args)->sub,						\
	.flag = (args)->flag,						\
	.has = ((args)->valid_string ? FM_VALUE_STRING : 0U) |		\
	    ((args)->valid_integer ? FM_VALUE_INTEGER : 0U) |		\
	    ((args)->valid_flag ? FM_VALUE_FLAG : 0U) |			\
	    ((args)->valid_backend ? FM_VALUE_BACKEND : 0U) |		\
	    ((args)->valid_sub ? FM_VALUE_SUB : 0U)			\
    })

/* Returns true if the entry has all of these values; false for NULL. */
static inline bool
fm_value_has(const struct fm_datum *value, unsigned what)
{
	return (value != NULL && (value->has & what) == what);
}

/* Return a value of the entry, or the fallback; the entry may be NULL. */
static inline VCL_STRING
fm_value_string(const struct fm_datum *value, VCL_STRING fallback)
{
	return (fm_value_has(value, FM_VALUE_STRING) ? value->string :
	    fallback);
}

static inline VCL_INT
fm_value_integer(const struct fm_datum *value, VCL_INT fallback)
{
	return (fm_value_has(value, FM_VALUE_INTEGER) ? value->integer :
	    fallback);
}

static inline VCL_BOOL
fm_value_flag(const struct fm_datum *value, VCL_BOOL fallback)
{
	return (fm_value_has(value, FM_VALUE_FLAG) ? value->flag : fallback);
}

static inline VCL_BACKEND
fm_value_backend(const struct fm_datum *value, VCL_BACKEND fallback)
{
	return (fm_value_has(value, FM_VALUE_BACKEND) ? value->backend :
	    fallback);
}

/*
 * Returns the sub of the entry if it has one that VCL may call from here, else
 * the fallback.  The entry may be NULL, as it always is in vcl_init and
 * vcl_fini.
 */
VCL_SUB fm_value_sub(VRT_CTX, const struct fm_datum *, VCL_SUB fallback);

/*
 * Returns true if Varnish lets a sub be called from a method (VCL_MET_*), where
 * no other sub is running.  Is for vcl_init.
 */
bool fm_value_sub_may(VRT_CTX, VCL_SUB, unsigned method);

/*
 * Returns the string of an entry for VCL: the string itself if it stays valid
 * for the task, else a copy in the workspace; or the fallback, if there is none
 * or no room for a copy.
 */
VCL_STRING fm_value_task_string(VRT_CTX, const struct fm_object *,
    const struct fm_version *, const struct fm_datum *, VCL_STRING fallback,
    const char *method);

#endif
