/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a Host header to its entry, canonicalisation included: fastmatch at 30
 * and at 100,000 hosts, against the chain of comparisons that VCL makes of
 * `if (req.http.Host == "...") { } elsif ...` at 30 hosts.
 *
 * Every answer is checked before it is timed.  Also tells how long it takes
 * to read a file of 100,000 hosts, and the memory of its table.
 */

#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "hostname.h"
#include "hosttab.h"
#include "listfile.h"

#define FEW		30
#define MANY		100000
#define CALLS		6000
#define HOST_LEN	48

struct hosts {
	char			(*names)[HOST_LEN];
	unsigned		n;
	struct fm_hosttab	*tab;
	char			asked[FEW][HOST_LEN];
	const struct hosts	*few;	/* of the chain: with many hosts
					 * nobody would write one */
};

static void
hosts_name(char *name, unsigned i)
{
	(void)snprintf(name, HOST_LEN, "www.site-%u.%s", i * 7919,
	    i % 3 == 0 ? "example.com" : i % 3 == 1 ? "example" :
	    "shop.example.org");
}

/* A file of one host a line, as sites.load() reads it. */
static void
hosts_write(const struct hosts *h, char *path)
{
	FILE *f;
	unsigned i;
	int fd;

	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f == NULL)
		bench_die("no temporary file");
	for (i = 0; i < h->n; i++)
		fprintf(f, "%s site%u\n", h->names[i], i);
	if (fclose(f) != 0)
		bench_die("no temporary file");
}

static void
hosts_read(struct hosts *h, const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_hosttab_builder *b = fm_hosttab_build_new();
	struct fm_listfile *file = fm_listfile_read(path, NULL, NULL, diag);
	struct fm_text line, host, value;
	struct fm_place place;
	uint32_t n = 0;

	if (b == NULL || file == NULL)
		bench_die("no table");
	while (fm_listfile_next(file, &line, &place, diag)) {
		fm_listfile_word(line, &host, &value);
		if (fm_hosttab_build_add(b, host, n++, &place, diag) != 0)
			bench_die(fm_diag_line(diag, 0));
	}
	h->tab = fm_hosttab_build(b);
	if (h->tab == NULL || n != h->n)
		bench_die("no table");
	fm_hosttab_build_free(&b);
	fm_listfile_free(&file);
	fm_diag_free(&diag);
}

static void
hosts_make(struct hosts *h, unsigned n)
{
	char path[] = "/tmp/fastmatch-bench-XXXXXX";
	size_t bytes = 0;
	unsigned i;
	double t;

	h->n = n;
	h->names = calloc(n, sizeof *h->names);
	if (h->names == NULL)
		bench_die("no memory");
	for (i = 0; i < n; i++) {
		hosts_name(h->names[i], i);
		bytes += strlen(h->names[i]);
	}
	hosts_write(h, path);
	t = bench_now();
	hosts_read(h, path);
	t = bench_now() - t;
	(void)unlink(path);
	printf("%u hosts: read and built in %.1f ms; %.1f bytes a host beside "
	    "its name\n", n, t / 1e6,
	    ((double)fm_hosttab_bytes(h->tab) - (double)bytes) / n);
}

static uint32_t
ask(const struct hosts *h, const char *host)
{
	struct fm_hosttab_hit hit;
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	if (fm_hostname_canon(fm_text_of(host), buf, &canon) !=
	    FM_HOSTNAME_OK || !fm_hosttab_lookup(h->tab, canon, &hit))
		return (UINT32_MAX);
	return (hit.entry);
}

static uint32_t
chain(const struct hosts *h, const char *host)
{
	unsigned i;

	for (i = 0; i < h->n; i++)
		if (strcmp(h->names[i], host) == 0)
			return (i);
	return (UINT32_MAX);
}

static void
check_answers(const struct hosts *h, unsigned step)
{
	char other[HOST_LEN + 1];
	unsigned i;

	for (i = 0; i < h->n; i += step) {
		if (ask(h, h->names[i]) != i)
			bench_die("a wrong answer");
		(void)snprintf(other, sizeof other, "%sx", h->names[i]);
		if (ask(h, other) != chain(h, other))
			bench_die("a wrong answer");
	}
}

static unsigned
ours(const void *priv, unsigned n)
{
	const struct hosts *h = priv;
	unsigned i, hits = 0;

	for (i = 0; i < n; i++)
		hits += ask(h, h->asked[i % FEW]) != UINT32_MAX;
	return (hits);
}

static unsigned
theirs(const void *priv, unsigned n)
{
	const struct hosts *h = priv;
	unsigned i, hits = 0;

	for (i = 0; i < n; i++)
		hits += chain(h->few, h->few->asked[i % FEW]) != UINT32_MAX;
	return (hits);
}

static void
choose_asked(struct hosts *h, bool hit)
{
	unsigned i;

	for (i = 0; i < FEW; i++)
		(void)snprintf(h->asked[i], HOST_LEN, "%.40s%s",
		    h->names[(size_t)i * (h->n / FEW)], hit ? "" : "x");
}

static void
contest(struct hosts *few, struct hosts *many, bool hit)
{
	unsigned hits = hit ? CALLS : 0;

	choose_asked(few, hit);
	choose_asked(many, hit);
	few->few = many->few = few;
	(void)bench_run(hit ? "30 hosts, hit" : "30 hosts, miss", few, ours,
	    theirs, CALLS, hits);
	(void)bench_run(hit ? "100,000 hosts, hit (chain of 30)" :
	    "100,000 hosts, miss (chain of 30)", many, ours, theirs, CALLS,
	    hits);
}

int
main(void)
{
	struct hosts few, many;

	hosts_make(&few, FEW);
	hosts_make(&many, MANY);
	check_answers(&few, 1);
	check_answers(&many, 997);
	bench_head("== chain");
	contest(&few, &many, true);
	contest(&few, &many, false);
	fm_hosttab_free(&few.tab);
	fm_hosttab_free(&many.tab);
	free(few.names);
	free(many.names);
	return (0);
}
