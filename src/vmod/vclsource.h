/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the source of the VCL that an object belongs to: which methods of the
 * object it calls, and in which subs.  A compiled VCL has the text of all its
 * sources, also of those that it includes.
 *
 *	source = fm_vclsource_open(name);
 *	fm_vclsource_calls(source, name, &rules->calls);
 *	fm_vclsource_close(&source);
 *
 * All functions take NULL as a source that can't be read.
 */

#ifndef FM_VCLSOURCE_H
#define FM_VCLSOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct fm_vcl_calls;
struct fm_vclsource;

/*
 * Returns the source of the VCL in which this address is: the object's name
 * that its constructor was given, or a PRIV_VCL.  Returns NULL if the source
 * can't be found or is not understood, or there is no memory.  Only the CLI
 * thread opens it.
 */
struct fm_vclsource *fm_vclsource_open(const void *in);
void fm_vclsource_close(struct fm_vclsource **);

/*
 * Returns true if the VCL may call one of these methods of the object, or
 * functions of the module of this name: it has "object.method" outside of
 * comments and strings, or inline C, or imports the module under another name,
 * or its source can't be read.
 */
bool fm_vclsource_may_call(const struct fm_vclsource *, const char *object,
    const char * const *methods, size_t nmethods);

/*
 * Finds the subs that call .apply() of the object.  Places have names that stay
 * as long as the VCL does.
 */
void fm_vclsource_calls(const struct fm_vclsource *, const char *object,
    struct fm_vcl_calls *);

#endif
