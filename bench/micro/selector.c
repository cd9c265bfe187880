/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The module does not hide its inner functions, which know nothing of Varnish.
 * They are not an interface: ./run names the module only if it is the version
 * whose functions these are.
 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "bench.h"
#include "selector.h"

/*
 * The module wants these functions of varnishd before it can be loaded; its
 * hash never calls them.
 */
#define VARNISHD(name)							\
	void name(void);						\
	void								\
	name(void)							\
	{								\
		abort();						\
	}

VARNISHD(VCL_Name)
VARNISHD(VRND_RandomCrypto)
VARNISHD(VRT_VSC_Alloc)
VARNISHD(VRT_VSC_Destroy)
VARNISHD(VRT_VSC_Hide)
VARNISHD(VRT_VSC_Reveal)
VARNISHD(VRT_check_call)
VARNISHD(VRT_fail)
VARNISHD(VRT_priv_task)
VARNISHD(VRT_re_match)
VARNISHD(VRT_regsub)
VARNISHD(VSL)
VARNISHD(VSLb)
VARNISHD(WS_Alloc)
VARNISHD(WS_Allocated)
VARNISHD(WS_Assert)
VARNISHD(WS_Copy)
VARNISHD(WS_Release)
VARNISHD(WS_ReserveAll)

extern pthread_t cli_thread;
pthread_t cli_thread;

static union {
	void		*symbol;
	void		(*f)(uint32_t seed[4]);
} ph_init;

static union {
	void		*symbol;
	void		*(*f)(char *const *strings, unsigned n);
} ph_generate;

static union {
	void		*symbol;
	unsigned	(*f)(const void *, char *const *strings,
			    const char *subject);
} ph_lookup;

static union {
	void		*symbol;
	void		(*f)(void *);
} ph_free;

const char *
fm_selector_open(const char *path)
{
	uint32_t seed[4] = { 0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834 };
	void *module;

	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (module == NULL)
		return (dlerror());
	ph_init.symbol = dlsym(module, "PH_Init");
	ph_generate.symbol = dlsym(module, "PH_Generate");
	ph_lookup.symbol = dlsym(module, "PH_Lookup");
	ph_free.symbol = dlsym(module, "PH_Free");
	if (ph_init.symbol == NULL || ph_generate.symbol == NULL ||
	    ph_lookup.symbol == NULL || ph_free.symbol == NULL)
		return ("its module exports no hash");
	ph_init.f(seed);
	return (NULL);
}

bool
fm_selector_init(struct fm_selector *s, char *strings, unsigned n,
    unsigned size)
{
	uint64_t start;
	unsigned i;

	s->strings = fm_bench_alloc(n, sizeof *s->strings);
	for (i = 0; i < n; i++)
		s->strings[i] = strings + (size_t)i * size;
	start = fm_clock_ticks();
	s->hash = ph_generate.f(s->strings, n);
	s->build_ms = fm_clock_ns(fm_clock_ticks() - start) / 1e6;
	return (s->hash != NULL);
}

void
fm_selector_fini(struct fm_selector *s)
{
	if (s->hash != NULL)
		ph_free.f(s->hash);
	free(s->strings);
}

unsigned
fm_selector_lookup(const struct fm_selector *s, const char *name)
{
	return (ph_lookup.f(s->hash, s->strings, name));
}
