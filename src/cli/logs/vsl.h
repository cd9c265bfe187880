/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads requests by libvarnishapi: from a file that varnishlog -w wrote, or
 * from the shared memory of a running varnishd.  In a build without the library
 * to open either fails.
 */

#ifndef FM_VSL_H
#define FM_VSL_H

#include "message.h"

struct fm_vsl;

/*
 * Is called for each client request and each ESI sub-request, as vcl_recv was
 * given it.  The lines are those that the module has logged, without
 * "fastmatch: "; those of a file are left out.  A restart has no message.
 */
typedef void fm_vsl_f(void *priv, struct fm_message *,
    const struct fm_text *lines, size_t nlines);

/* Each returns NULL where *wrong says why, in words of malloc(). */
struct fm_vsl *fm_vsl_open(const char *path, char **wrong);
struct fm_vsl *fm_vsl_follow(const char *name, char **wrong);	/* as -n */
void fm_vsl_close(struct fm_vsl **);

/*
 * Reads all of the file that is open; *wrong says what is wrong with its end,
 * or is NULL.  Where the library gives up, the process ends and names the path.
 */
void fm_vsl_read(struct fm_vsl *, const char *path, fm_vsl_f *, void *priv,
    char **wrong);

/* Reads what is there.  Returns false while varnishd has no log. */
bool fm_vsl_look(struct fm_vsl *, fm_vsl_f *, void *priv);

#endif
