/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The word of the language for each kind (kinds.h).
 */

#include <assert.h>

#include "kinds.h"
#include "tokens.h"

const char *
fm_mode_word(enum fm_pattern_kind mode)
{
	static const char * const words[] = {
		[FM_PATTERN_CONTAINS] = "contains",
		[FM_PATTERN_EXACT] = "is",
		[FM_PATTERN_PREFIX] = "begins",
		[FM_PATTERN_SUFFIX] = "ends",
		[FM_PATTERN_GLOB] = "like",
		[FM_PATTERN_REGEX] = "~",
	};

	assert(mode < sizeof words / sizeof words[0]);
	return (words[mode]);
}

const char *
fm_stmt_word(enum fm_stmt_kind kind)
{
	_Static_assert(T_QUERY + FM_STMT_WHEN == (int)T_WHEN &&
	    T_QUERY + FM_STMT_BUILTIN == (int)T_BUILTIN, "one order");

	assert(kind < FM_STMT__KINDS);
	return (fm_token_names[kind == FM_STMT_USE ? T_USE :
	    (unsigned)T_QUERY + kind]);
}

const char *
fm_subject_word(enum fm_subject_kind kind)
{
	static const char * const words[] = {
		[FM_SUBJECT_URL] = "url",
		[FM_SUBJECT_PATH] = "path",
		[FM_SUBJECT_CLEAN_PATH] = "clean path",
		[FM_SUBJECT_HOST] = "host",
		[FM_SUBJECT_METHOD] = "method",
		[FM_SUBJECT_QUERY] = "query",
		[FM_SUBJECT_COOKIE] = "cookie",
		[FM_SUBJECT_HEADER] = "header",
		[FM_SUBJECT_CLIENT] = "client",
	};

	assert(kind < sizeof words / sizeof words[0]);
	return (words[kind]);
}
