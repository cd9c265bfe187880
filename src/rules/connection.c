/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks the fields that a Connection header names (connection.h).
 */

#include "connection.h"

static bool
has_name(const struct fm_field *field, struct fm_text name)
{
	return (field->b != NULL &&
	    (size_t)(field->e - field->b) > name.len &&
	    field->b[name.len] == ':' &&
	    fm_text_eq_nocase(fm_text(field->b, name.len), name));
}

static void
mark_named(const struct fm_field *fields, unsigned nfields,
    unsigned char *marks, struct fm_text name)
{
	unsigned i;

	for (i = 0; i < nfields; i++)
		if (has_name(&fields[i], name))
			marks[i] = FM_MARK_DROPPED;
}

void
fm_connection_mark(const struct fm_field *fields, unsigned nfields,
    unsigned char *marks)
{
	const struct fm_text connection = fm_text_of("Connection");
	const char *b, *comma;
	struct fm_text name;
	unsigned i;

	for (i = 0; i < nfields; i++)
		marks[i] = 0;
	for (i = 0; i < nfields; i++) {
		if (!has_name(&fields[i], connection))
			continue;
		for (b = fields[i].b + connection.len; b < fields[i].e;
		    b = comma) {
			b++;
			comma = memchr(b, ',', (size_t)(fields[i].e - b));
			if (comma == NULL)
				comma = fields[i].e;
			name = fm_text_trim(fm_text_span(b, comma));
			if (name.len > 0)
				mark_named(fields, nfields, marks, name);
		}
	}
}
