/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds and reads the source of a VCL (vclsource.h).
 */

#include "config.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "vcl_calls.h"
#include "vclsource.h"

struct fm_vclsource {
	struct fm_vcl_tree	tree;
};

/* The reader of VCL ends with its process where there is no memory. */
static jmp_buf no_memory_in;

static void __attribute__((noreturn))
no_memory(void)
{
	longjmp(no_memory_in, 1);
}

/*
 * Returns the shared object of the VCL in which this address lies, for
 * dlclose(); NULL if that can't be found.
 */
static void *
vcl_of(const void *address)
{
	Dl_info info;

	if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
		return (NULL);
	return (dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD));
}

static struct fm_vclsource *
source_read(const struct VCL_conf *conf)
{
	struct fm_vclsource *source = calloc(1, sizeof *source);

	if (source == NULL)
		return (NULL);
	source->tree.no_memory = no_memory;
	if (setjmp(no_memory_in) != 0 || !fm_vcl_read_sources(&source->tree,
	    conf->srcname, conf->srcbody, (size_t)conf->nsrc) ||
	    !fm_vcl_parse(&source->tree))
		fm_vclsource_close(&source);
	return (source);
}

struct fm_vclsource *
fm_vclsource_open(const void *in)
{
	struct fm_vclsource *source = NULL;
	const struct VCL_conf *conf;
	void *vcl = vcl_of(in);

	ASSERT_CLI();
	if (vcl == NULL)
		return (NULL);
	conf = dlsym(vcl, "VCL_conf");
	if (conf != NULL && conf->magic == VCL_CONF_MAGIC && conf->nsrc > 0)
		source = source_read(conf);
	/* The VCL itself keeps it open. */
	(void)dlclose(vcl);
	return (source);
}

void
fm_vclsource_close(struct fm_vclsource **sourcep)
{
	struct fm_vclsource *source = *sourcep;

	*sourcep = NULL;
	if (source == NULL)
		return;
	fm_vcl_fini(&source->tree);
	free(source);
}

bool
fm_vclsource_may_call(const struct fm_vclsource *source, const char *object,
    const char * const *methods, size_t nmethods)
{
	const struct fm_vcl_token *token;
	size_t n, i;

	if (source == NULL)
		return (true);
	for (n = 0; n < source->tree.ntokens; n++) {
		token = &source->tree.tokens[n];
		if (token->kind == FM_VCL_C || (n > 1 &&
		    fm_text_eq(token->text, fm_text_of("as")) &&
		    fm_text_eq(token[-1].text, fm_text_of(object)) &&
		    fm_text_eq(token[-2].text, fm_text_of("import"))))
			return (true);
		for (i = 0; i < nmethods; i++)
			if (fm_vcl_is_method(token, fm_text_of(object),
			    methods[i]))
				return (true);
	}
	return (false);
}

void
fm_vclsource_calls(const struct fm_vclsource *source, const char *object,
    struct fm_vcl_calls *calls)
{
	memset(calls, 0, sizeof *calls);
	if (source != NULL)
		fm_vcl_calls(&source->tree, fm_text_of(object), calls);
}
