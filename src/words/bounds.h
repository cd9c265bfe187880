/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How large rules may be.  All of it is reported with a place, never
 * asserted; the manual page shows this list, made from this file, and that of
 * caps.h.
 */

#ifndef FM_BOUNDS_H
#define FM_BOUNDS_H

#define FM_LIMIT_FILE_MB	64	/* megabytes of a rule file */

/*
 * The limits below are for one rule file with all that it includes and takes
 * with from; a file counts as often as it is named.  A host or an operand takes
 * several times its bytes in memory, so that the megabytes of single files
 * alone are not a bound: ten thousand of them would be terabytes.  Four lists
 * of the largest size, or the most hosts that there may be with names of a
 * hundred bytes, are a gigabyte.
 */
#define FM_LIMIT_FILES		10000	/* files included or named by from */
#define FM_LIMIT_FILES_MB	1024	/* megabytes of all files together */

#define FM_LIMIT_FOLDERS	16	/* folders of a glob of include, after
					 * its first wildcard */
#define FM_LIMIT_ENTRIES	1000000	/* entries of folders that the globs of
					 * include look at, all together */

#define FM_LIMIT_INCLUDES	16	/* includes inside each other */
#define FM_LIMIT_WORD		65536	/* bytes of a word or string */
#define FM_LIMIT_ANSWER	65536	/* bytes of a file of answer */
#define FM_LIMIT_TYPE		200	/* bytes of an answer's media type */
#define FM_LIMIT_NESTING	200	/* whens, else whens, nested */
#define FM_LIMIT_USES		8	/* rulesets that use each other */
#define FM_LIMIT_USED		20000	/* statements of a block, with those of
					 * the rulesets that it uses */
#define FM_LIMIT_CALLS		8	/* different subs that a request, or its
					 * response, may call */
#define FM_LIMIT_CONDITION	64	/* parentheses and nots, nested */
#define FM_LIMIT_TESTS		1000	/* tests of one condition */
#define FM_LIMIT_HEADERS	250	/* different header names, in all */
#define FM_LIMIT_HEADER_NAME	120	/* bytes of a header's name */
#define FM_LIMIT_STATEMENTS	1000000	/* statements, all together */
#define FM_LIMIT_OPERANDS	1000000	/* operands of one list or map */
#define FM_LIMIT_HOSTS		10000000 /* host patterns */

#endif
