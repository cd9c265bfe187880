/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks a model, between the parser and the compiler: finds what each name
 * stands for, and reports every error and every warning.
 */

#ifndef FM_CHECK_H
#define FM_CHECK_H

#include "model.h"

struct fm_check_options {
	/*
	 * The backends that rules may name.  NULL: they are not known yet, and
	 * the check says nothing about backends (the VMOD does when the VCL
	 * gets warm).
	 */
	const char * const	*backends;
	size_t			nbackends;
	/* The subs that rules may call; NULL: as of backends. */
	const char * const	*subs;
	size_t			nsubs;
	/* Headers of the request that VCL reads, and doesn't set itself. */
	const char * const	*vcl_reads;
	size_t			nvcl_reads;
	/* Fewer host patterns than this are an error. */
	uint32_t		min_hosts;
	/* The rules will serve requests: a file of lists only is an error. */
	bool			serving;
};

/*
 * Reports to the diag, and fills in the fields of the model that are commented
 * "check".  Returns true if the diag has no errors, of the parser either: then
 * the model may be compiled.  `options` may be NULL, the diag not.
 */
bool fm_check(struct fm_model *, const struct fm_check_options *,
    struct fm_diag *);

/*
 * Returns what the check says of a text that stands after `mode`, and looks as
 * if it were written for another one: "the mode for a regex is '~'"; or NULL.
 * If `bars`, a `|` is not unusual in such texts.
 */
const char *fm_check_other_mode(enum fm_pattern_kind mode, struct fm_text,
    bool bars);

#endif
