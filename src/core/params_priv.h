/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between params.c, which filters, and params_order.c, which sorts and finds
 * what is there twice.
 */

#ifndef FM_PARAMS_PRIV_H
#define FM_PARAMS_PRIV_H

#include "params.h"

/* A parameter or cookie, with its value and without what is around it. */
struct fm_params_piece {
	const char	*b;
	size_t		len;
	size_t		name_len;
	unsigned	index;		/* in the order of the input */
	bool		coded;		/* the name has a % that may decode */
};

/*
 * Brings pieces into the order in which they are to be written, without
 * those that are not to be; they come with index ascending.  Returns how
 * many remain; *changed is set if they are others, or elsewhere.
 */
size_t fm_params_order(const struct fm_params *, struct fm_params_piece *,
    size_t n, bool *changed);

#endif
