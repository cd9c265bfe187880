/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL that loads rule files (--vcl): which names it gives to backends, and
 * what in it does not go with the rules.
 *
 *	new site = fastmatch.rules("/etc/varnish/site.rules");
 *	site.backend("shop", shop_director.backend());
 *
 * "shop" is all that `backend` may name in site.rules: the names that VCL has
 * for its backends and directors mean nothing to rules.
 *
 * The objects that load a rule file are those whose path, or that of whose
 * shadow, ends in its name: site.rules.new is site.rules, in any folder.  Where
 * there is none, all objects count.
 */

#ifndef FM_CLI_VCL_H
#define FM_CLI_VCL_H

#include "check.h"
#include "cli.h"

struct fm_vcl_file;

/*
 * Puts the backends that these rules may name into the options: those of
 * --backend, and those of the file of --vcl; and that they are to serve, if
 * an object loads a file of their name.  Returns false, and says why, if
 * that can't be read.  *vclp is NULL without --vcl, and else to be closed when
 * nobody needs the options any more.
 */
bool fm_vcl_file_open(struct fm_vcl_file **vclp, const struct fm_backends *,
    const char *rules, struct fm_check_options *, struct fm_diag *);
void fm_vcl_file_close(struct fm_vcl_file **vclp);

/* Warns of what is amiss in the VCL for these rules. */
void fm_vcl_file_advise(struct fm_vcl_file *, const char *rules,
    const struct fm_model *, struct fm_diag *);

#endif
