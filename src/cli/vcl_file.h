/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the VCL that loads rule files (--vcl), for two ends: to know the names
 * that it gives to backends, and to warn of VCL that doesn't suit the rules.
 *
 *	new site = fastmatch.rules("/etc/varnish/site.rules");
 *	site.backend("shop", shop_director.backend());
 *
 * "shop" is all that `backend` may name in site.rules: the names that VCL has
 * for its backends and directors mean nothing to rules.
 *
 * An object loads a rule file if the file's name begins with the last part of
 * the object's path, or of that of its shadow or `next`: site.rules.new in any
 * folder is taken for /etc/varnish/site.rules.  If no object loads the file,
 * all objects count.
 */

#ifndef FM_VCL_FILE_H
#define FM_VCL_FILE_H

#include "check.h"
#include "cli.h"
#include "program.h"

struct fm_vcl_file;

/*
 * Reads the file of --vcl, and puts the backends that the rules may name into
 * the options: those of --backend and those of the VCL; the subs that the rules
 * may call; and the headers that the VCL reads.  If an object loads a
 * file of the rules' name, the options also say that the rules are to serve.
 * Returns false if the VCL can't be read; the diag says why.  *vclp is NULL
 * without --vcl; else the caller closes it, after the last use of the options.
 */
bool fm_vcl_file_open(struct fm_vcl_file **vclp, const struct fm_backends *,
    const char *rules, struct fm_check_options *, struct fm_diag *);
void fm_vcl_file_close(struct fm_vcl_file **vclp);

/*
 * Adds to the diag which subs, where blocks of the rules would run, do not call
 * .apply() of the rules' objects.  Returns false if there is an error.
 */
bool fm_vcl_file_calls(const struct fm_vcl_file *, const char *rules,
    const struct fm_program *, struct fm_diag *);

/* Warns in the diag of VCL that doesn't suit the rules. */
void fm_vcl_file_advise(struct fm_vcl_file *, const char *rules,
    const struct fm_model *, struct fm_diag *);

#endif
