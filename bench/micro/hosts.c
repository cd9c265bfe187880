/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a Host header to its entry: 30 to 1,000,000 hosts, against glibc's
 * hash, vmod_selector's, and a comparison with one after the other, as VCL
 * makes of `if (req.http.Host == "...") { } elsif ...`.
 *
 *	hosts MODULE
 *
 * MODULE is that of vmod_selector 2.6.0, or - if there is none.
 *
 * fastmatch canonicalises the header first (case, port, last dot).  All others
 * are given the canonical name.  For wildcards they look up, or compare, all
 * that follows a dot (selector's hash has no wildcards).
 *
 * glibc's hash is of the first eight characters mostly.  In these names they
 * differ, which is the best for it; with `www.` before each of them it took
 * 30 s to make the hash of 100,000.
 */

#include <search.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "hostname.h"
#include "hosttab.h"
#include "file.h"
#include "listfile.h"
#include "selector.h"
#include "words.h"

#define QUESTIONS	256
#define HOST_LEN	64
#define CHAIN_MAX	1000		/* nobody would write more */
#define BUILDS		3

struct hosts {
	char			(*names)[HOST_LEN];	/* as written */
	unsigned		n;
	bool			wild;		/* each tenth is *.name */
	struct fm_hosttab	*tab;
	struct hsearch_data	hash;		/* .name of wildcards */
	struct fm_selector	selector;	/* without wildcards */
};

static bool have_selector;

struct questions {
	char			bytes[QUESTIONS][HOST_LEN + 16];
	struct fm_text		v[QUESTIONS];
	uint64_t		want[QUESTIONS];
	unsigned		n;
};

enum asked { EXACT, MISS, WILDCARD };

/*--------------------------------------------------------------------
 * Tables
 */

static void
make_names(struct hosts *h)
{
	static const char * const ends[] = { "example.com", "example",
	    "shop.example.org" };
	char word[FM_WORD_LEN];
	unsigned i;

	h->names = fm_bench_alloc(h->n, sizeof *h->names);
	for (i = 0; i < h->n; i++) {
		fm_word(i, word);
		word[0] = (char)fm_lower((unsigned char)word[0]);
		(void)snprintf(h->names[i], HOST_LEN, "%s%s%u.%s",
		    h->wild && i % 10 == 0 ? "*." : "", word, i / FM_WORDS,
		    ends[i % 3]);
	}
}

/* A file of one host a line, as sites.load() reads it. */
static void
write_names(const struct hosts *h, char *path)
{
	FILE *f;
	unsigned i;
	int fd;

	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f == NULL)
		fm_bench_die("no temporary file");
	for (i = 0; i < h->n; i++)
		fprintf(f, "%s site%u\n", h->names[i], i);
	if (fclose(f) != 0)
		fm_bench_die("no temporary file");
}

static struct fm_hosttab *
read_table(const struct hosts *h, const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_hosttab *tab = fm_hosttab_new();
	struct fm_file *file = fm_file_read(path, FM_LISTFILE_MAX, NULL, diag);
	struct fm_listfile list = { .name = path };
	struct fm_text line, host, value;
	struct fm_place place;
	uint32_t n = 0;

	if (tab == NULL || file == NULL)
		fm_bench_die("no table");
	list.rest = fm_text(file->bytes, file->len);
	while (fm_listfile_next(&list, &line, &place, diag)) {
		fm_listfile_word(line, &host, &value);
		if (fm_hosttab_add(tab, host, n++, &place, diag) != 0)
			fm_bench_die("%s", fm_diag_line(diag, 0));
	}
	fm_hosttab_seal(tab);
	if (n != h->n)
		fm_bench_die("no table");
	fm_file_free(&file);
	fm_diag_free(&diag);
	return (tab);
}

static double
make_hash(struct hosts *h)
{
	uint64_t start = fm_clock_ticks();
	ENTRY entry, *found;
	unsigned i;

	if (hcreate_r(h->n + h->n / 4, &h->hash) == 0)
		fm_bench_die("no memory");
	for (i = 0; i < h->n; i++) {
		entry.key = h->names[i] + (h->names[i][0] == '*');
		entry.data = h->names[i];
		if (hsearch_r(entry, ENTER, &found, &h->hash) == 0)
			fm_bench_die("no memory");
	}
	return (fm_clock_ns(fm_clock_ticks() - start) / 1e6);
}

static void
make_table(struct fm_bench *bench, struct hosts *h, unsigned n, bool wild)
{
	char path[] = "/tmp/fastmatch-bench-XXXXXX", what[80];
	double ms[BUILDS], hash;
	unsigned i, builds = bench->quick ? 1 : BUILDS;
	size_t bytes = 0;
	uint64_t start;

	memset(h, 0, sizeof *h);
	h->n = n;
	h->wild = wild;
	make_names(h);
	for (i = 0; i < n; i++)
		bytes += strlen(h->names[i]);
	write_names(h, path);
	for (i = 0; i < builds; i++) {
		if (h->tab != NULL)
			fm_hosttab_free(&h->tab);
		start = fm_clock_ticks();
		h->tab = read_table(h, path);
		ms[i] = fm_clock_ns(fm_clock_ticks() - start) / 1e6;
	}
	(void)unlink(path);
	hash = make_hash(h);
	if (wild)
		return;
	if (have_selector && !fm_selector_init(&h->selector, h->names[0], n,
	    HOST_LEN))
		fm_bench_skip(bench, "%u hosts: selector makes no hash of "
		    "them", n);
	(void)snprintf(what, sizeof what, "%u hosts, read and built", n);
	ms[0] = fm_spread_of(ms, builds).median;
	if (n == 100000)
		fm_bench_target(bench, what, ms[0], 1000, "ms");
	else
		fm_bench_fact(bench, what, ms[0], "ms");
	(void)snprintf(what, sizeof what, "%u hosts, memory", n);
	fm_bench_target(bench, what, ((double)fm_hosttab_bytes(h->tab) -
	    (double)bytes) / n, 100, "bytes a host beside its name");
	fm_bench_note(bench, "glibc's hash: built in %.1f ms", hash);
	if (h->selector.hash != NULL)
		fm_bench_note(bench, "selector's hash: built in %.1f ms",
		    h->selector.build_ms);
}

static void
free_table(struct hosts *h)
{
	fm_hosttab_free(&h->tab);
	hdestroy_r(&h->hash);
	if (have_selector)
		fm_selector_fini(&h->selector);
	free(h->names);
}

/*--------------------------------------------------------------------
 * Contestants; their answer is a number, or UINT32_MAX
 */

static uint64_t
lookup(const void *priv, struct fm_text canon)
{
	const struct hosts *h = priv;
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;

	(void)fm_hosttab_lookup(h->tab, canon, buf, &canon, &hit);
	return (hit.entry);
}

static uint64_t
header_to_entry(const void *priv, struct fm_text raw)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	if (fm_hostname_canon(raw, buf, &canon) != FM_HOSTNAME_OK)
		return (UINT32_MAX);
	return (lookup(priv, canon));
}

static uint64_t
hash_find(const struct hosts *h, const char *name)
{
	union {
		const char	*in;
		char		*key;
	} u = { .in = name };
	ENTRY entry = { .key = u.key }, *found;
	struct hsearch_data copy = h->hash;	/* it is not const */
	char (*at)[HOST_LEN];

	if (hsearch_r(entry, FIND, &found, &copy) == 0)
		return (UINT32_MAX);
	at = found->data;
	return ((uint64_t)(at - h->names));
}

static uint64_t
hash_lookup(const void *priv, struct fm_text canon)
{
	const struct hosts *h = priv;
	const char *dot = canon.b;
	uint64_t entry = hash_find(h, canon.b);

	while (h->wild && entry == UINT32_MAX &&
	    (dot = strchr(dot + 1, '.')) != NULL)
		entry = hash_find(h, dot);
	return (entry);
}

static uint64_t
selector_lookup(const void *priv, struct fm_text canon)
{
	const struct hosts *h = priv;

	return (fm_selector_lookup(&h->selector, canon.b));
}

static bool
fits(const char *name, struct fm_text canon)
{
	size_t len;

	if (name[0] != '*')
		return (strcmp(name, canon.b) == 0);
	len = strlen(name + 1);
	return (canon.len > len &&
	    memcmp(canon.b + canon.len - len, name + 1, len) == 0);
}

static uint64_t
chain(const void *priv, struct fm_text canon)
{
	const struct hosts *h = priv;
	unsigned i;

	for (i = 0; i < h->n; i++)
		if (fits(h->names[i], canon))
			return (i);
	return (UINT32_MAX);
}

/*--------------------------------------------------------------------
 * Contests
 */

static void
ask(const struct hosts *h, struct questions *q, enum asked asked)
{
	const char *name;
	unsigned i, at;

	q->n = h->n < QUESTIONS ? h->n : QUESTIONS;
	if (asked == WILDCARD && q->n > h->n / 10)
		q->n = h->n / 10;
	for (i = 0; i < q->n; i++) {
		at = (unsigned)((uint64_t)i * h->n / q->n);
		if (asked == WILDCARD)
			at -= at % 10;
		name = h->names[at];
		if (asked == WILDCARD)
			(void)snprintf(q->bytes[i], sizeof q->bytes[i],
			    "%s%s", i % 2 == 0 ? "shop" : "a.shop", name + 1);
		else
			(void)snprintf(q->bytes[i], sizeof q->bytes[i],
			    "%s%s", asked == MISS ? "x" : "", name);
		q->v[i] = fm_text_of(q->bytes[i]);
		/* At most one name fits, so this loop is the naive answer. */
		q->want[i] = chain(h, q->v[i]);
		if ((asked == MISS) != (q->want[i] == UINT32_MAX))
			fm_bench_die("no question: %s", q->bytes[i]);
	}
}

static void
contest(struct fm_bench *bench, const struct hosts *h, enum asked asked)
{
	static const char * const words[] = { "hit", "miss", "wildcard" };
	static struct questions q;
	struct fm_contest c = { .questions = q.v, .want = q.want, .v = {
	    { "fastmatch", header_to_entry, h, NULL },
	    { "its lookup alone", lookup, h, NULL },
	    { "glibc's hash", hash_lookup, h, NULL },
	    { "selector's hash", selector_lookup, h,
	    h->selector.hash == NULL ? "" : NULL },
	    { "one after the other", chain, h, NULL } }, .nv = 5 };
	char what[64];

	ask(h, &q, asked);
	c.n = q.n;
	if (h->n > CHAIN_MAX)
		c.v[4].absent = "";
	(void)snprintf(what, sizeof what, "%u hosts, %s", h->n, words[asked]);
	c.what = what;
	fm_contest_run(bench, &c);
}

int
main(int argc, char **argv)
{
	static const unsigned sizes[] = { 30, 1000, 100000, 1000000 };
	struct fm_bench bench;
	const char *why = NULL;
	struct hosts h;
	unsigned i;

	fm_bench_init(&bench, "hosts", argc, argv, 1, " MODULE");
	fm_bench_title(&bench, "From a Host header to its entry");
	if (strcmp(argv[argc - 1], "-") != 0) {
		why = fm_selector_open(argv[argc - 1]);
		have_selector = why == NULL;
		if (!have_selector)
			fm_bench_skip(&bench, "selector's hash: %s", why);
	}
	for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		if (bench.quick && (i == 1 || i == 3))
			continue;
		make_table(&bench, &h, sizes[i], false);
		contest(&bench, &h, EXACT);
		contest(&bench, &h, MISS);
		free_table(&h);
		make_table(&bench, &h, sizes[i], true);
		contest(&bench, &h, WILDCARD);
		free_table(&h);
	}
	fm_bench_fini(&bench);
	return (0);
}
