/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A format of an access log, which access_format.c makes and access.c uses.  An
 * item is a field and the text that follows it:
 *
 *	%t "%r" %s		before "[" (a time has brackets); items:
 *
 *	TIME	after "] \""
 *	REQUEST	after "\" "
 *	IGNORED	after ""
 */

#ifndef FM_ACCESS_PRIV_H
#define FM_ACCESS_PRIV_H

#include "access.h"

#define FM_ACCESS_USUAL	4	/* formats that need no --format */
#define FM_ACCESS_FIELDS	64	/* of a format */

enum fm_field_kind {
	FM_FIELD_IGNORED,
	FM_FIELD_CLIENT,
	FM_FIELD_HEADER,
	FM_FIELD_LOGNAME,	/* which is always "-" */
	FM_FIELD_METHOD,
	FM_FIELD_PATH,
	FM_FIELD_QUERY,
	FM_FIELD_REQUEST,	/* method, URL and protocol */
	FM_FIELD_TIME,		/* %t, or %{strftime}t */
	FM_FIELD_URL		/* a path and a query beside each other */
};

struct fm_access_item {
	enum fm_field_kind	field;
	struct fm_text		header;		/* HEADER: its name */
	struct fm_text		after;		/* up to the next field */
	unsigned		stops;		/* TIME, REQUEST: how many rows
						 * of the byte that ends the
						 * value are in the value */
};

struct fm_access_format {
	struct fm_access_item	items[FM_ACCESS_FIELDS];
	unsigned		nitems;
	struct fm_text		before;		/* the text before the fields */
	bool			usual;		/* not by --format: a line may
						 * have more words at its end */
};

struct fm_access {
	struct fm_access_format	formats[FM_ACCESS_USUAL];
	unsigned		nformats;
	char			*texts;		/* memory of their texts */
};

#endif
