/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Required literals of a regex: escapes and classes.
 */

#include "literals_priv.h"

/* Behind \x: two digits; the other forms are left to PCRE2. */
static enum fm_literals_atom
parse_hex(struct fm_literals_parser *ps, char *byte)
{
	int hi, lo;

	if (ps->e - ps->p < 2)
		return (give_up(ps));
	hi = fm_hex_digit(ps->p[0]);
	lo = fm_hex_digit(ps->p[1]);
	if (hi < 0 || lo < 0)
		return (give_up(ps));
	ps->p += 2;
	*byte = (char)(hi * 16 + lo);
	return (ATOM_BYTE);
}

/* Behind a backslash that is not in a class. */
enum fm_literals_atom
fm_literals_escape(struct fm_literals_parser *ps, char *byte)
{
	static const char from[] = "tnrfae", to[] = "\t\n\r\f\a\033";
	char c;

	if (ps->p == ps->e)
		return (give_up(ps));
	c = *ps->p++;
	if (one_of(c, from)) {
		*byte = to[strchr(from, c) - from];
		return (ATOM_BYTE);
	}
	if (c == 'x')
		return (parse_hex(ps, byte));
	if (one_of(c, "dDwWsS"))
		return (ATOM_ONE);
	if (one_of(c, "hHvV")) {
		ps->plain = false;	/* another meaning in Hyperscan */
		return (ATOM_ONE);
	}
	if (one_of(c, "bBAZz"))
		return (ATOM_NOTHING);
	if (c > ' ' && c < 0x7f && !isalnum((unsigned char)c)) {
		*byte = c;
		return (ATOM_BYTE);
	}
	return (give_up(ps));		/* back references, \Q, \R, \K, ... */
}

/*
 * One member of a class.  true: a single byte, in *byte.  Gives up on what
 * is rarely written and easily misread.
 */
static bool
parse_member(struct fm_literals_parser *ps, char *byte)
{
	char c;

	if (take(ps, "[:")) {
		(void)take(ps, "^");
		while (ps->p < ps->e && islower((unsigned char)*ps->p))
			ps->p++;
		if (!take(ps, ":]"))
			give_up(ps);
		return (false);
	}
	c = *ps->p++;
	if (c == '\0' || (c == '[' && (peek(ps, '.') || peek(ps, '='))))
		give_up(ps);
	*byte = c;
	if (c != '\\')
		return (true);
	if (ps->p == ps->e) {
		give_up(ps);
		return (false);
	}
	*byte = c = *ps->p++;
	if (c > ' ' && c < 0x7f && !isalnum((unsigned char)c))
		return (true);
	if (!one_of(c, "dDwWsStnrf"))
		give_up(ps);
	return (false);
}

/* Behind `[`.  A class of one byte, as in `[.]`, is that byte. */
enum fm_literals_atom
fm_literals_class(struct fm_literals_parser *ps, char *byte)
{
	bool negated, single = false;
	unsigned n;

	negated = take(ps, "^");
	for (n = 0; ps->p < ps->e && (n == 0 || !peek(ps, ']')); n++)
		single = parse_member(ps, byte);
	if (ps->unknown || !take(ps, "]"))
		return (give_up(ps));
	return (n == 1 && single && !negated ? ATOM_BYTE : ATOM_ONE);
}
