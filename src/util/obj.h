/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects with a magic number, and the assertions about them.
 *
 * Every structure that outlives the function which made it starts with
 * "unsigned magic", and a define of its own next to it:
 *
 *	struct fm_thing {
 *		unsigned	magic;
 *	#define FM_THING_MAGIC	0x1badcafe
 *
 * A wrong magic is a programming error and ends the process: asserts are
 * contracts, they are never compiled out.  Bad input is never asserted, it
 * is reported (diag.h).
 */

#ifndef FM_OBJ_H
#define FM_OBJ_H

#ifdef NDEBUG
#  error "fastmatch relies on its assertions: build without NDEBUG"
#endif

#include <stdlib.h>

void fm_assert_failed(const char *condition, const char *file, int line)
    __attribute__((cold, noreturn));

/* Sets p to a zeroed object; to NULL if there is no memory. */
#define FM_OBJ_NEW(p, m)						\
	do {								\
		(p) = calloc(1, sizeof *(p));				\
		if ((p) != NULL)					\
			(p)->magic = (m);				\
	} while (0)

/* This is one assertion, as each takes 30 bytes. */
#define FM_OBJ_CHECK(p, m)						\
	do {								\
		assert((p) != NULL && (p)->magic == (m));		\
	} while (0)

/* Sets `to` to the object that a void pointer points to. */
#define FM_OBJ_CAST(to, from, m)					\
	do {								\
		(to) = (from);						\
		FM_OBJ_CHECK((to), (m));				\
	} while (0)

/* Moves an object from *from to `to`; *from is NULL then. */
#define FM_OBJ_TAKE(to, from, m)					\
	do {								\
		assert((from) != NULL);					\
		(to) = *(from);						\
		*(from) = NULL;						\
		FM_OBJ_CHECK((to), (m));				\
	} while (0)

#define FM_OBJ_FREE(p)							\
	do {								\
		(p)->magic = 0;						\
		free(p);						\
		(p) = NULL;						\
	} while (0)

#endif

/*
 * assert() of our own, which replaces any other one each time that this file
 * is included.  The place says which function it is: the names of all
 * functions would take 14 KB of the module.
 */
#undef assert
#define assert(condition)						\
	do {								\
		if (!(condition))					\
			fm_assert_failed(#condition, __FILE__,		\
			    __LINE__);					\
	} while (0)
