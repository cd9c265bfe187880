/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks into the source of the VCL that an object belongs to.  A compiled VCL
 * has the text of all its sources, also of those that it includes.
 */

#ifndef FM_VCLSOURCE_H
#define FM_VCLSOURCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true if the VCL may call one of these methods of the object.  The
 * object's name is the literal that its constructor was given.  A comment or
 * the name of another object can make the answer a needless yes, and so does
 * inline C, or a source that can't be found.
 *
 *	site.verdict()		"site" may call "verdict"
 *	# site.verdict		a comment: may, too
 *	my_site.verdict()	so may "site", as a needless yes
 *	site.verdicts()		"site" does not call "verdict"
 */
bool fm_vclsource_may_call(const char *object, const char * const *methods,
    size_t nmethods);

#endif
