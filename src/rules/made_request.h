/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a request from arguments of the command line, or from a line of a log,
 * as Varnish would have it.  fm_made_view() shows the request to a program.
 */

#ifndef FM_MADE_REQUEST_H
#define FM_MADE_REQUEST_H

#include "arena.h"
#include "view.h"

/* The address of a client of which nothing is told. */
#define FM_MADE_CLIENT	"127.0.0.1"

/*
 * `fastmatch explain -H "Cookie: a=1" http://a.example/x#top` makes
 *
 *	method GET	url /x		proto HTTP/1.1
 *	fields "Host: a.example", "Cookie: a=1"
 */
struct fm_made_request {
	struct fm_text		method;		/* GET unless set */
	struct fm_text		url;
	struct fm_text		proto;		/* HTTP/1.1 unless set */
	struct fm_field		*fields;
	size_t			nfields, room;
	unsigned char		*marks;		/* for the view: a byte for
						 * each field */
	size_t			marks_room;
	struct fm_addr		client;		/* no address unless set */
	bool			esi;		/* an ESI sub-request */
	uint16_t		scheme;		/* of its URL, for the view */
	uint64_t		vxid;		/* in a log of varnishlog; or
						 * 0 */
	struct fm_text		url_host;	/* of a URL http://host/; or
						 * missing */
	struct fm_arena		arena;		/* of all texts */
	bool			no_memory;	/* parts of the request are
						 * lacking */
};

void fm_made_init(struct fm_made_request *);
void fm_made_fini(struct fm_made_request *);

/*
 * Returns two texts in a row, with one between them, in the arena.  Without
 * memory, returns the missing text and sets no_memory.
 */
struct fm_text fm_made_join(struct fm_made_request *, struct fm_text,
    const char *between, struct fm_text);

/* The source of the text of a URL. */
enum fm_url_is {
	FM_URL_SENT,		/* from the request itself: as it is */
	FM_URL_TYPED,		/* from a person: `#` begins a fragment, which
				 * curl would not send */
	FM_URL_LOGGED		/* from varnishncsa, which writes the Host
				 * before what was sent, that may be `*` */
};

void fm_made_method(struct fm_made_request *, struct fm_text);
void fm_made_url(struct fm_made_request *, struct fm_text url, enum fm_url_is);

/* Sets the protocol, if it is one that Varnish speaks. */
void fm_made_proto(struct fm_made_request *, struct fm_text proto);

/* Adds a header, without the blanks around its value. */
void fm_made_header(struct fm_made_request *, struct fm_text name,
    struct fm_text value);

/*
 * Adds a header from a line "Name: value".  Returns NULL, or what is wrong with
 * the line, for a message "-H 'line': what".
 */
const char *fm_made_line(struct fm_made_request *, struct fm_text line);

/*
 * Ends the request: if it has no Host header, the host of its URL becomes the
 * first header.
 */
void fm_made_host(struct fm_made_request *);

void fm_made_view(const struct fm_made_request *, struct fm_view *);

/* Returns the value of the first header of a name, or the missing text. */
struct fm_text fm_made_value(const struct fm_made_request *,
    struct fm_text name);

/* Splits a field into name and value. */
void fm_field_parts(const struct fm_field *, struct fm_text *name,
    struct fm_text *value);

#endif
