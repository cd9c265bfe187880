/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the parts of a rule file that may be secrets: the values with which
 * conditions compare headers, cookies and parameters, the entries of lists, the
 * patterns of maps, and comments.
 *
 *	when header X-Preview is "letmesee" { pass; }
 *	                         ^^^^^^^^^^
 *
 * The file may be broken anywhere.  After a mistake a word that is neither one
 * of the language, nor almost one, counts as a secret where a value may stand.
 */

#ifndef FM_SECRETS_H
#define FM_SECRETS_H

#include <stddef.h>

#include "grow.h"
#include "text.h"

struct fm_secrets {
	struct fm_grow		ranges;
	bool			no_memory;	/* all of the file is hidden */
};

/* A range of a text: offsets of its first byte, and of the one after it. */
struct fm_range {
	size_t			start, end;
};

void fm_secrets_find(struct fm_secrets *, struct fm_text);
void fm_secrets_fini(struct fm_secrets *);

/* Returns the first range that ends after the offset, or NULL. */
const struct fm_range *fm_secrets_next(const struct fm_secrets *,
    size_t offset);

#endif
