/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads requests with libvarnishapi: from a file of `varnishlog -w`, or from
 * the shared memory of a running varnishd.  In a build without the library the
 * functions say so and end the process.
 */

#ifndef FM_VSL_H
#define FM_VSL_H

#include "hits.h"
#include "made_request.h"

struct fm_vsl;

/*
 * The log of a request after vcl_recv got it.  If the log is a file, there are
 * no lines, and the response is not known.
 */
struct fm_vsl_logged {
	bool			restart;	/* of a request that was told
						 * before */
	const struct fm_text	*lines;		/* of the module, without
						 * "fastmatch: " */
	size_t			nlines;

	/*
	 * The response: FM_HITS_HIT to FM_HITS_OWN, as .report() counts it;
	 * FM_HITS_RESPONSES if there is none, as after `return (restart)`.
	 */
	enum fm_hits_response	from;
	unsigned		status;		/* 0: no response */
};

/*
 * Is called for each client request and each ESI sub-request, which is as
 * vcl_recv got it first; and once more for each restart of it.
 */
typedef void fm_vsl_f(void *priv, struct fm_made_request *,
    const struct fm_vsl_logged *);

/*
 * Reads all requests of a file.  Returns NULL, or what is wrong, for free();
 * *read: only with its end, so that what came before counts.  Where the library
 * gives up, the process ends and names the path.
 */
char *fm_vsl_read(const char *path, fm_vsl_f *call, void *priv, bool *read);

/*
 * Is called for each record.  The vxid is 0 for those outside of transactions;
 * the tag is a name such as "ReqURL", which lives as long as the process.
 */
typedef void fm_vsl_record_f(void *priv, uint64_t vxid, const char *tag,
    struct fm_text);

/*
 * Read all records, one after the other: of a file, and of what the log of a
 * varnishd, by its -n or NULL, still has.  They return as fm_vsl_read() does.
 */
char *fm_vsl_records(const char *path, fm_vsl_record_f *call, void *priv,
    bool *read);
char *fm_vsl_records_live(const char *name, fm_vsl_record_f *call, void *priv,
    bool *read);

/* Opens the log of a varnishd, by its -n or NULL; NULL: *wrong says why. */
struct fm_vsl *fm_vsl_follow(const char *name, char **wrong);

/* Reads what varnishd has logged since the last look; false: it has no log. */
bool fm_vsl_look(struct fm_vsl *, fm_vsl_f *, void *priv);

#endif
