/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lists that come with fastmatch, which rules name without a path.  The
 * comment at the top of a list says how rules match its entries:
 *
 *	# static-extensions.list: what the path of a static file ends with
 *	#
 *	# Version 1, 2026-11-21.  91 entries.
 *	# Mode: nocase ends
 *
 * A list of one's own may say the same.  Rules of the folder, devices.rules,
 * are included by name.
 */

#ifndef FM_SHIPPED_H
#define FM_SHIPPED_H

#include <stdbool.h>

#include "text.h"

/*
 * The folder of these lists: the one that the build installs.  The command sets
 * another one before it reads rules; the module never does.
 */
extern const char *fm_shipped_folder;

/* The command sets it, as others than installed lists may be meant there. */
extern bool fm_shipped_anywhere;

/* Returns the mode of a list, "nocase ends"; or the missing text. */
struct fm_text fm_shipped_mode(struct fm_text bytes);

/* The version and the date of a list, "1" and "2026-11-21"; "": not said. */
struct fm_shipped_version {
	char		version[24], date[12];
};

void fm_shipped_version(struct fm_text bytes, struct fm_shipped_version *);

#endif
