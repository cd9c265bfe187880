/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds and searches the source of a VCL (vclsource.h).
 */

#include "config.h"

#include <ctype.h>
#include <dlfcn.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "vclsource.h"

static bool
goes_on(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '-');
}

/* Returns true if a source has "object.method": VCL allows no blank in it. */
static bool
source_has(const char *source, const char *object, const char *method)
{
	size_t name = strlen(object), len = strlen(method);
	const char *at = source;

	while ((at = strstr(at, object)) != NULL) {
		at += name;
		if (*at == '.' && strncmp(at + 1, method, len) == 0 &&
		    !goes_on(at[1 + len]))
			return (true);
	}
	return (false);
}

static bool
source_may_call(const char *source, const char *object,
    const char * const *methods, size_t nmethods)
{
	size_t i;

	if (strstr(source, "C{") != NULL)
		return (true);
	for (i = 0; i < nmethods; i++)
		if (source_has(source, object, methods[i]))
			return (true);
	return (false);
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

bool
fm_vclsource_may_call(const char *object, const char * const *methods,
    size_t nmethods)
{
	const struct VCL_conf *conf;
	bool may = true;
	void *vcl;
	size_t i;

	vcl = vcl_of(object);
	if (vcl == NULL)
		return (true);
	conf = dlsym(vcl, "VCL_conf");
	if (conf != NULL && conf->magic == VCL_CONF_MAGIC && conf->nsrc > 0) {
		may = false;
		for (i = 0; i < (size_t)conf->nsrc && !may; i++)
			may = source_may_call(conf->srcbody[i], object,
			    methods, nmethods);
	}
	(void)dlclose(vcl);
	return (may);
}
