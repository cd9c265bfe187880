/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A main() for a fuzz target where there is no libFuzzer: runs seeds, then
 * mutations of them, the same ones each time.
 *
 *	fuzz_parse [-n RUNS] [-r RUN] [-w FOLDER] FILE|FOLDER...
 *
 *	-n RUNS		so many runs of mutations
 *	-r RUN		that run alone, whose number a crash has shown, and
 *			its input to stdout
 *	-w FOLDER	write the seeds there, a file each: a corpus for
 *			libFuzzer
 *
 * A .case file (tests/cases) has many seeds; any other file is one.  FM_SEED
 * makes other mutations.
 */

#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "file.h"
#include "fuzz.h"

#define SEED_MAX	(1UL << 16)	/* larger ones are run, not mutated */
#define INPUT_MAX	(1UL << 20)
#define RUNS		2000
#define TIMEOUT		120		/* seconds of one run */

struct seed {
	char			*bytes;
	size_t			len;
};

static struct seed *seeds;
static size_t nseeds;
static uint64_t state;
static size_t run_number;

/* What is found interesting at a random place. */
static const char * const words[] = {
	"include", "list", "map", "ruleset", "always", "host", "hosts", "from",
	"default", "use", "undecided", "ignore", "query", "cookie", "drop",
	"keep", "in", "sort", "unique", "set", "unset", "normalize", "to",
	"else", "rewrite", "backend", "pass", "pipe", "hash", "synth",
	"redirect", "stop", "when", "and", "or", "not", "present", "client",
	"nocase", "is", "begins", "ends", "contains", "like", "~", "->", "=",
	";", "{", "}", "(", ")", "\"", "\\", "#", "${", "${url}", "${1}", "*",
	"?", "&", "%41", "url", "path", "method", "agent", "header", "Host",
	"Cookie", "Accept", "GET", "http://", "192.0.2.0/24", "::1", "404",
	"302", "\n", "\r\n", "\t", " ", "\"\"", "(a|a)*b", "\xff", "===\n"
};
#define NWORDS		(sizeof words / sizeof words[0])

/*--------------------------------------------------------------------
 * Seeds
 */

static void
add_seed(const char *bytes, size_t len)
{
	struct seed *grown = reallocarray(seeds, nseeds + 1, sizeof *seeds);

	if (grown == NULL)
		err(2, "seeds");
	seeds = grown;
	seeds[nseeds].bytes = malloc(len + 1);
	if (seeds[nseeds].bytes == NULL)
		err(2, "seeds");
	if (len > 0)
		memcpy(seeds[nseeds].bytes, bytes, len);
	seeds[nseeds++].len = len;
}

/* The rules, the separator, and the request as fuzz.h has it. */
static void
add_request(const struct fm_text rules, const struct cases_one *one)
{
	char *text = NULL;
	size_t len = 0;
	unsigned i;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		err(2, "a seed");
	if (rules.len > 0)
		(void)fwrite(rules.b, 1, rules.len, out);
	fputs(FUZZ_SEPARATOR "\n", out);
	(void)fwrite(one->method.b, 1, one->method.len, out);
	fputc(' ', out);
	(void)fwrite(one->url.b, 1, one->url.len, out);
	fputc('\n', out);
	for (i = 0; i < one->nfields; i++) {
		(void)fwrite(one->fields[i].b, 1, (size_t)(one->fields[i].e -
		    one->fields[i].b), out);
		fputc('\n', out);
	}
	if (one->client.b != NULL)
		fprintf(out, "client %.*s\n", (int)one->client.len,
		    one->client.b);
	if (one->esi)
		fputs("esi\n", out);
	if (fclose(out) != 0)
		err(2, "a seed");
	add_seed(text, len);
	free(text);
}

static void
add_cases(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct cases *cases = cases_read(path, diag);
	const struct cases_group *group;
	const struct cases_file *file;
	const struct cases_one *one;

	if (cases == NULL)
		errx(2, "%s", fm_diag_line(diag, 0));
	for (group = cases->groups; group != NULL; group = group->next) {
		for (file = group->files; file != NULL; file = file->next)
			if (!fuzz_has_request)
				add_seed(file->text.b, file->text.len);
		for (one = group->ones; one != NULL; one = one->next)
			if (fuzz_has_request)
				add_request(group->files->text, one);
	}
	cases_free(&cases);
	fm_diag_free(&diag);
}

static void
add_file(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_file *file;
	size_t len = strlen(path);

	if (len > 5 && strcmp(path + len - 5, ".case") == 0)
		add_cases(path);
	else {
		file = fm_file_read(path, INPUT_MAX, NULL, diag);
		if (file == NULL)
			errx(2, "%s", fm_diag_line(diag, 0));
		add_seed(file->bytes, file->len);
		fm_file_free(&file);
	}
	fm_diag_free(&diag);
}

static int
is_visible(const struct dirent *entry)
{
	return (entry->d_name[0] != '.');
}

static void
add_path(const char *path)
{
	struct dirent **entries;
	char inner[4096];
	struct stat st;
	int i, n;

	if (stat(path, &st) != 0)
		err(2, "%s", path);
	if (!S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &entries, is_visible, alphasort);
	if (n < 0)
		err(2, "%s", path);
	for (i = 0; i < n; i++) {
		snprintf(inner, sizeof inner, "%s/%s", path,
		    entries[i]->d_name);
		add_path(inner);
		free(entries[i]);
	}
	free(entries);
}

static void
write_seeds(const char *folder)
{
	char path[4096];
	FILE *out;
	size_t i;

	for (i = 0; i < nseeds; i++) {
		snprintf(path, sizeof path, "%s/seed-%05zu", folder, i);
		out = fopen(path, "w");
		if (out == NULL || fwrite(seeds[i].bytes, 1, seeds[i].len,
		    out) != seeds[i].len || fclose(out) != 0)
			err(2, "%s", path);
	}
	printf("%zu seeds\n", nseeds);
}

/*--------------------------------------------------------------------
 * Mutations
 */

static size_t
below(size_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((size_t)((state * 0x2545f4914f6cdd1dULL) >> 33) % n);
}

/* Puts bytes in place of some others. */
static void
replace(struct seed *s, size_t at, size_t gone, const char *bytes, size_t len)
{
	char *p = malloc(s->len - gone + len + 1);

	if (p == NULL)
		err(2, "a mutation");
	memcpy(p, s->bytes, at);
	memcpy(p + at, bytes, len);
	memcpy(p + at + len, s->bytes + at + gone, s->len - at - gone);
	free(s->bytes);
	s->bytes = p;
	s->len += len - gone;
}

/* Where the request of an input begins; 0: there is none. */
static size_t
request_of(const struct seed *s)
{
	const char *line = "\n" FUZZ_SEPARATOR "\n";
	const char *p = s->len == 0 ? NULL :
	    memmem(s->bytes, s->len, line, strlen(line));

	return (p == NULL ? 0 : (size_t)(p - s->bytes) + strlen(line));
}

/* Nothing before `from` is touched. */
static void
mutate(struct seed *s, size_t from)
{
	size_t at = from + below(s->len - from + 1);
	size_t rest = s->len - at;
	size_t some = rest == 0 ? 0 : below(rest < 60 ? rest : 60);
	const struct seed *other = &seeds[below(nseeds)];
	const char *word = words[below(NWORDS)];
	char byte = (char)below(256);
	size_t begin;

	switch (below(7)) {
	case 0:		/* another byte */
		replace(s, at, rest > 0, &byte, 1);
		break;
	case 1:		/* some are gone */
		replace(s, at, some, "", 0);
		break;
	case 2:		/* the end is gone */
		replace(s, at, rest, "", 0);
		break;
	case 3:		/* some twice */
		replace(s, at, 0, s->bytes + at, some);
		break;
	case 4:		/* some of another seed */
		begin = below(other->len + 1);
		if (other->len - begin < some)
			some = other->len - begin;
		replace(s, at, 0, other->bytes + begin, some);
		break;
	case 5:
		replace(s, at, 0, word, strlen(word));
		break;
	default:
		replace(s, at, some, word, strlen(word));
		break;
	}
}

/* The input of a run, exactly as long as it is, so that ASan sees its end. */
static struct seed
input_of(size_t run, uint64_t start)
{
	const struct seed *seed;
	size_t n, from;
	struct seed s;

	state = start ^ (run + 1) * 0x9e3779b97f4a7c15ULL;
	if (state == 0)
		state = 1;
	seed = &seeds[run < nseeds ? run : below(nseeds)];
	s.len = seed->len;
	s.bytes = malloc(s.len > 0 ? s.len : 1);
	if (s.bytes == NULL)
		err(2, "an input");
	if (s.len > 0)
		memcpy(s.bytes, seed->bytes, s.len);
	if (run < nseeds || s.len > SEED_MAX)
		return (s);
	/* Rules in which much has changed are mostly no rules any more. */
	from = below(3) > 0 ? request_of(&s) : 0;
	for (n = 1 + below(from > 0 ? 8 : 3); n > 0; n--)
		mutate(&s, from);
	s.bytes = realloc(s.bytes, s.len > 0 ? s.len : 1);
	if (s.bytes == NULL)
		err(2, "an input");
	return (s);
}

/*--------------------------------------------------------------------
 * Running
 */

/* The sanitizers' way to say that they end the process. */
void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static void
tell_run(void)
{
	char line[100];
	int len = snprintf(line, sizeof line, "\nin run %zu: repeat it with "
	    "-r %zu\n", run_number, run_number);

	(void)!write(STDERR_FILENO, line, (size_t)len);
}

static void
on_signal(int sig)
{
	tell_run();
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

static void
catch_ends(void)
{
	if (__sanitizer_set_death_callback != NULL)
		__sanitizer_set_death_callback(tell_run);
	else
		(void)signal(SIGSEGV, on_signal);
	(void)signal(SIGABRT, on_signal);
	(void)signal(SIGALRM, on_signal);
}

static void
run_one(size_t run, uint64_t start, bool show)
{
	struct seed s = input_of(run, start);

	run_number = run;
	if (show) {
		(void)fwrite(s.bytes, 1, s.len, stdout);
		fflush(stdout);
	}
	(void)alarm(TIMEOUT);
	(void)LLVMFuzzerTestOneInput((const uint8_t *)s.bytes, s.len);
	(void)alarm(0);
	free(s.bytes);
}

int
main(int argc, char **argv)
{
	const char *env = getenv("FM_SEED"), *folder = NULL;
	uint64_t start = env == NULL ? 1 : strtoull(env, NULL, 0);
	size_t run, runs = RUNS;
	long only = -1;
	int c;

	while ((c = getopt(argc, argv, "n:r:w:")) != -1)
		switch (c) {
		case 'n':
			runs = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			only = strtol(optarg, NULL, 10);
			break;
		case 'w':
			folder = optarg;
			break;
		default:
			return (2);
		}
	for (; optind < argc; optind++)
		add_path(argv[optind]);
	if (nseeds == 0)
		errx(2, "no seeds: name a file or a folder");
	catch_ends();
	if (folder != NULL)
		write_seeds(folder);
	else if (only >= 0)
		run_one((size_t)only, start, true);
	else {
		for (run = 0; run < nseeds + runs; run++)
			run_one(run, start, false);
		printf("%zu seeds, %zu mutations (FM_SEED=0x%llx)\n", nseeds,
		    runs, (unsigned long long)start);
	}
	while (nseeds > 0)
		free(seeds[--nseeds].bytes);
	free(seeds);
	return (0);
}
