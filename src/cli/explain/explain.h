/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain` shows what the rules did to one request, to its key, and
 * to a response (explanation.h), as JSON or as text:
 *
 *	text.c		the host, the verdict, the request before and after
 *	response.c	what becomes of the response
 *	rows.c		which statements ran, and their effects
 *	params.c	parameters of varnishd, and the response of the options
 *	logged.c	the request and the response of Varnish's log
 */

#ifndef FM_EXPLAIN_H
#define FM_EXPLAIN_H

#include "explanation.h"
#include "load.h"
#include "made_request.h"
#include "term.h"

#define FM_NOTE_MOST	60	/* columns of a value, before it is cut */

/*
 * Runs the rules over a view, and over the response to it unless that is NULL,
 * and shows what happened: on a term, or as JSON if there is none.  `brief`:
 * shows only the host, what ran, and what becomes of the response.
 */
void fm_explain(const struct fm_rules *, const struct fm_view *,
    const char *client, const struct fm_explain_to *, const struct fm_term *,
    bool brief);

/*
 * Shows an explanation; the key is NULL if rules make none, and the response if
 * there is no fetch either.
 */
void fm_explain_text(const struct fm_explanation *,
    const struct fm_explanation *key, const struct fm_explained_response *,
    const struct fm_term *, bool brief);

void fm_explain_rows(const struct fm_explanation *, const struct fm_term *);

void fm_explain_verdict(const struct fm_explanation *, const struct fm_term *);

/* Shows the headers before and after; the first line is before them. */
void fm_explain_steps(const struct fm_explanation *, const struct fm_term *);

/* Shows what the backend is sent, if there are rules for that. */
void fm_explain_fetch(const struct fm_explained_response *,
    const struct fm_term *, bool brief);
/* Shows what becomes of a response. */
void fm_explain_response(const struct fm_explained_response *,
    const struct fm_term *, bool brief);

/* A request of Varnish's log, and the response to it. */
struct fm_explain_logged {
	struct fm_made_request	request;
	char			*client;	/* or NULL; malloc'ed */
	unsigned		restarts;	/* before it */

	unsigned		status;		/* of the response; 0: the log
						 * has none */
	struct fm_made_request	response;	/* its headers */
	size_t			nfresh;		/* the first of them are of a
						 * 304; 0: it is none */
	unsigned		flags;		/* for struct fm_respond_to */
	double			now;
	bool			has_ttl;	/* Varnish has logged what it
						 * found itself: */
	double			ttl, grace, keep;
};

/* Returns true if --log or --vxid is given. */
bool fm_explain_is_logged(void);

/*
 * Takes the request and the response that --log and --vxid name, into a struct
 * that is initialized.  Returns 0, or the exit status.
 */
int fm_explain_logged(struct fm_explain_logged *);

/*
 * Takes the response that the options give, if they do, or the one that is
 * logged, with the parameters of varnishd.  `logged` is empty unless
 * fm_explain_is_logged(); its response gets the headers of the options.
 * Returns 0, or the exit status.
 */
int fm_explain_take(struct fm_explain_logged *, struct fm_explain_to *,
    bool *given);

#endif
