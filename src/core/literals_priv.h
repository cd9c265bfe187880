/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between literals.c, which knows what follows what in a regex, and
 * literals_atom.c, which knows escapes and classes.
 */

#ifndef FM_LITERALS_PRIV_H
#define FM_LITERALS_PRIV_H

#include <ctype.h>
#include <stdint.h>

#include "literals.h"
#include "obj.h"

struct fm_literals_parser {
	const char	*b, *p, *e;
	unsigned	depth;
	bool		unknown;	/* gave up */
	bool		plain;		/* nothing that only PCRE2 knows */
	const struct fm_common	*common;	/* or NULL */
	char		*bytes;		/* as many as the regex has */
	uint32_t	nbytes;
};

/* What one atom is. */
enum fm_literals_atom {
	ATOM_BYTE,			/* exactly this byte */
	ATOM_ONE,			/* one byte of several */
	ATOM_NOTHING,			/* no width, may not be repeated */
	ATOM_GROUP			/* requires what its set says */
};

static inline enum fm_literals_atom
give_up(struct fm_literals_parser *ps)
{
	ps->unknown = true;
	ps->p = ps->e;
	return (ATOM_NOTHING);
}

static inline bool
peek(const struct fm_literals_parser *ps, char c)
{
	return (ps->p < ps->e && *ps->p == c);
}

static inline bool
take(struct fm_literals_parser *ps, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(ps->e - ps->p) < len || memcmp(ps->p, word, len) != 0)
		return (false);
	ps->p += len;
	return (true);
}

static inline bool
one_of(char c, const char *set)
{
	return (c != '\0' && strchr(set, c) != NULL);
}

/*
 * Reads what stands behind a backslash, or behind `[`; *byte is the byte of an
 * ATOM_BYTE.
 */
enum fm_literals_atom fm_literals_escape(struct fm_literals_parser *,
    char *byte);
enum fm_literals_atom fm_literals_class(struct fm_literals_parser *,
    char *byte);

#endif
