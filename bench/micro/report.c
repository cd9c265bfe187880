/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables for people, and an object a line for ./run, which makes JSON of them.
 */

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "bench.h"

static const char * const mode_words[FM_MODE__ALL] = { "warm", "l2", "l3" };
static const char * const mode_titles[FM_MODE__ALL] = { "in a loop",
    "L2 evicted", "L3 evicted" };

void
fm_bench_die(const char *fmt, ...)
{
	va_list ap;

	(void)fflush(stdout);
	fprintf(stderr, "bench: ");
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

void *
fm_bench_alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		fm_bench_die("no memory");
	return (p);
}

/*--------------------------------------------------------------------
 * The program's options
 */

static void
take_modes(struct fm_bench *bench, const char *list)
{
	enum fm_mode mode;
	size_t len;

	memset(bench->mode, 0, sizeof bench->mode);
	for (; *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		for (mode = 0; mode < FM_MODE__ALL; mode++)
			if (strlen(mode_words[mode]) == len &&
			    memcmp(mode_words[mode], list, len) == 0)
				break;
		if (mode == FM_MODE__ALL)
			fm_bench_die("modes are warm, l2 and l3");
		bench->mode[mode] = true;
	}
}

static void
drop_unknown_modes(struct fm_bench *bench)
{
	enum fm_mode mode;

	for (mode = 0; mode < FM_MODE__ALL; mode++)
		if (bench->mode[mode] && !fm_cache_known(mode)) {
			bench->mode[mode] = false;
			fm_bench_skip(bench, "%s: the size of this cache is "
			    "not known here", mode_titles[mode]);
		}
}

void
fm_bench_init(struct fm_bench *bench, const char *group, int argc,
    char **argv, int nargs, const char *usage)
{
	const char *modes = NULL;
	int i;

	memset(bench, 0, sizeof *bench);
	bench->group = group;
	for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--quick") == 0) {
			bench->quick = true;
		} else if (strcmp(argv[i], "--modes") == 0 && i + 1 < argc) {
			modes = argv[++i];
		} else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
			bench->json = fopen(argv[++i], "w");
			if (bench->json == NULL)
				fm_bench_die("can't write %s", argv[i]);
		} else {
			nargs = -1;
		}
	}
	if (argc - i != nargs) {
		fprintf(stderr, "usage: %s [--quick] [--modes warm,l2,l3] "
		    "[--json FILE]%s\n", group, usage);
		exit(2);
	}
	take_modes(bench, modes != NULL ? modes :
	    bench->quick ? "warm,l2" : "warm,l2,l3");
	drop_unknown_modes(bench);
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
}

void
fm_bench_fini(struct fm_bench *bench)
{
	if (bench->json != NULL && fclose(bench->json) != 0)
		fm_bench_die("can't write the JSON");
	bench->json = NULL;
}

/*--------------------------------------------------------------------
 * Words
 */

void
fm_bench_quote(FILE *f, const char *s)
{
	(void)fputc('"', f);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			(void)fputc('\\', f);
		if ((unsigned char)*s >= ' ')
			(void)fputc(*s, f);
	}
	(void)fputc('"', f);
}

static void
json_words(struct fm_bench *bench, const char *kind, const char *words)
{
	if (bench->json == NULL)
		return;
	fprintf(bench->json, "{\"kind\": \"%s\", \"group\": \"%s\", \"text\": ",
	    kind, bench->group);
	fm_bench_quote(bench->json, words);
	fprintf(bench->json, "}\n");
}

#define WORDS(bench, kind, prefix, fmt) do {				\
		char words[512];					\
		va_list ap;						\
									\
		va_start(ap, fmt);					\
		(void)vsnprintf(words, sizeof words, fmt, ap);		\
		va_end(ap);						\
		printf("%s%s\n", prefix, words);			\
		json_words(bench, kind, words);				\
	} while (0)

void
fm_bench_title(struct fm_bench *bench, const char *fmt, ...)
{
	printf("\n");
	WORDS(bench, "title", "", fmt);
	bench->header = false;
}

void
fm_bench_note(struct fm_bench *bench, const char *fmt, ...)
{
	WORDS(bench, "note", "  ", fmt);
}

void
fm_bench_skip(struct fm_bench *bench, const char *fmt, ...)
{
	WORDS(bench, "skip", "  SKIP ", fmt);
}

/*--------------------------------------------------------------------
 * Numbers
 */

/* Three digits that say something, thousands apart. */
static const char *
number(double v, char buf[32])
{
	if (v < 9.995)
		(void)snprintf(buf, 32, "%.2f", v);
	else if (v < 99.95)
		(void)snprintf(buf, 32, "%.1f", v);
	else if (v < 999.5)
		(void)snprintf(buf, 32, "%.0f", v);
	else if (v < 999999.5)
		(void)snprintf(buf, 32, "%lld,%03lld", (long long)(v + .5) /
		    1000, (long long)(v + .5) % 1000);
	else
		(void)snprintf(buf, 32, "%.1fM", v / 1e6);
	return (buf);
}

static void
json_fact(struct fm_bench *bench, const char *kind, const char *what,
    double value, const char *unit)
{
	fprintf(bench->json, "{\"kind\": \"%s\", \"group\": \"%s\", \"what\": ",
	    kind, bench->group);
	fm_bench_quote(bench->json, what);
	fprintf(bench->json, ", \"value\": %.6g, \"unit\": ", value);
	fm_bench_quote(bench->json, unit);
}

void
fm_bench_fact(struct fm_bench *bench, const char *what, double value,
    const char *unit)
{
	char buf[32];

	printf("  %s: %s %s\n", what, number(value, buf), unit);
	if (bench->json != NULL) {
		json_fact(bench, "fact", what, value, unit);
		fprintf(bench->json, "}\n");
	}
}

void
fm_bench_target(struct fm_bench *bench, const char *what, double value,
    double limit, const char *unit)
{
	bool met = value <= limit;
	char a[32], b[32];

	printf("  %s: %s %s; the target, at most %s: %s\n", what,
	    number(value, a), unit, number(limit, b),
	    met ? "met" : "NOT MET");
	if (bench->json != NULL) {
		json_fact(bench, "target", what, value, unit);
		fprintf(bench->json, ", \"limit\": %.6g, \"met\": %s}\n",
		    limit, met ? "true" : "false");
	}
}

/*--------------------------------------------------------------------
 * Contests
 */

static void
print_header(const struct fm_contest *c)
{
	unsigned i;

	printf("  %-30s %-10s %11s", "ns a call, net of an empty one", "",
	    c->v[0].name);
	for (i = 1; i < c->nv; i++)
		printf("  %19s", c->v[i].name);
	printf("\n");
}

static void
print_absent(struct fm_bench *bench, const struct fm_contest *c)
{
	unsigned i;

	for (i = 0; i < c->nv; i++)
		if (c->v[i].absent != NULL && *c->v[i].absent != '\0')
			fm_bench_skip(bench, "%s, %s: %s", c->what,
			    c->v[i].name, c->v[i].absent);
}

static void
print_score(const struct fm_contest *c, enum fm_mode mode, unsigned i)
{
	const struct fm_score *s = &c->score[mode][i];
	char ns[32], ratio[32];
	int width = i == 0 ? 11 : 11 + 8 + 2;

	if (c->v[i].absent != NULL)
		printf("%*s", width, "-");
	else if (!s->valid)
		printf("%*s", width, "invalid");
	else if (i == 0)
		printf("%*s", width, number(s->ns, ns));
	else if (!c->score[mode][0].valid)
		printf("%13s%8s", number(s->ns, ns), "");
	else
		printf("%12s %7sx", number(s->ns, ns),
		    number(s->ratio, ratio));
}

/* JSON has no word for a ratio to nothing. */
static void
json_number(FILE *f, const char *before, double v)
{
	if (isfinite(v))
		fprintf(f, "%s%.4f", before, v);
	else
		fprintf(f, "%snull", before);
}

static void
json_score(FILE *f, const struct fm_score *s)
{
	fprintf(f, ", \"valid\": %s", s->valid ? "true" : "false");
	json_number(f, ", \"ns\": ", s->ns);
	json_number(f, ", \"quartiles\": [", s->low);
	json_number(f, ", ", s->high);
	json_number(f, "], \"ratio\": ", s->ratio);
	json_number(f, ", \"ratio_quartiles\": [", s->ratio_low);
	json_number(f, ", ", s->ratio_high);
	fprintf(f, "]");
}

static void
json_contest(FILE *f, const char *group, const struct fm_contest *c,
    enum fm_mode mode)
{
	unsigned i;

	fprintf(f, "{\"kind\": \"contest\", \"group\": \"%s\", \"what\": ",
	    group);
	fm_bench_quote(f, c->what);
	fprintf(f, ", \"mode\": \"%s\", \"rounds\": %u, \"questions\": %u, "
	    "\"empty_ns\": %.3f, \"noise_ns\": %.3f, \"contestants\": [",
	    mode_words[mode], c->rounds[mode], c->n, c->empty[mode],
	    c->noise[mode]);
	for (i = 0; i < c->nv; i++) {
		fprintf(f, "%s{\"name\": ", i == 0 ? "" : ", ");
		fm_bench_quote(f, c->v[i].name);
		if (c->v[i].absent != NULL) {
			fprintf(f, ", \"absent\": ");
			fm_bench_quote(f, c->v[i].absent);
		} else {
			json_score(f, &c->score[mode][i]);
		}
		fprintf(f, "}");
	}
	fprintf(f, "]}\n");
}

static enum fm_mode
first_mode(const struct fm_bench *bench)
{
	enum fm_mode mode = FM_MODE_WARM;

	while (mode < FM_MODE__ALL && !bench->mode[mode])
		mode++;
	return (mode);
}

void
fm_contest_print(struct fm_bench *bench, const struct fm_contest *c,
    enum fm_mode mode)
{
	bool first = first_mode(bench) == mode;
	unsigned i;

	if (!bench->header)
		print_header(c);
	bench->header = true;
	if (first)
		print_absent(bench, c);
	printf("  %-30s %-10s", first ? c->what : "", mode_titles[mode]);
	for (i = 0; i < c->nv; i++)
		print_score(c, mode, i);
	printf("\n");
	if (bench->json != NULL)
		json_contest(bench->json, bench->group, c, mode);
}
