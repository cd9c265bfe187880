/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A format of an access log, as it is made (access_format.c) and used
 * (access.c).
 */

#ifndef FM_ACCESS_PRIV_H
#define FM_ACCESS_PRIV_H

#include "access.h"

#define FM_ACCESS_USUAL	4	/* formats */
#define FM_ACCESS_FIELDS	64

enum fm_field_kind {
	FM_FIELD_IGNORED,
	FM_FIELD_CLIENT,
	FM_FIELD_HEADER,
	FM_FIELD_LOGNAME,	/* which is always "-" */
	FM_FIELD_METHOD,
	FM_FIELD_PATH,
	FM_FIELD_QUERY,
	FM_FIELD_REQUEST,	/* method, URL and protocol */
	FM_FIELD_TIME,		/* in somebody's own words */
	FM_FIELD_URL		/* a path and a query beside each other */
};

struct fm_access_item {
	enum fm_field_kind	field;
	struct fm_text		header;		/* HEADER: its name */
	struct fm_text		after;		/* up to the next field */
	unsigned		stops;		/* TIME, REQUEST: rows in it of
						 * the byte that ends it */
};

struct fm_access_format {
	struct fm_access_item	items[FM_ACCESS_FIELDS];
	unsigned		nitems;
	struct fm_text		before;		/* the first field */
	bool			usual;		/* nobody asked for it: more
						 * words may follow it */
};

struct fm_access {
	struct fm_access_format	formats[FM_ACCESS_USUAL];
	unsigned		nformats;
	char			*texts;		/* of all that they point to */
};

#endif
