/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A main() for a fuzz target where there is no libFuzzer: runs seeds, then
 * mutations of them, the same ones each time.
 *
 *	fuzz_parse [-n RUNS] [-d DICT] [-r RUN] [-w FOLDER] [-p]
 *	    FILE|FOLDER...
 *
 *	-n RUNS		so many runs of mutations
 *	-d DICT		words to put into them (seeds.h: x.dict)
 *	-r RUN		that run alone, whose number a crash has shown, and
 *			its input to stdout
 *	-w FOLDER	write the seeds there, a file each: a corpus for
 *			libFuzzer
 *	-p		write the seeds to stdout, as a .seeds file
 *
 * seeds.h says what a file may be.  FM_SEED makes other mutations.
 */

#include <err.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"
#include "seeds.h"

#define SEED_MAX	(1UL << 16)	/* larger ones are run, not mutated */
#define RUNS		2000
#define TIMEOUT		120		/* seconds of one run */

static struct seeds seeds, words;
static uint64_t state;
static size_t run_number;

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

/* Where the second part of an input begins; 0: there is none. */
static size_t
second_part(const struct seed *s)
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
	const struct seed *other = &seeds.all[below(seeds.count)];
	const struct seed *word = words.count == 0 ? NULL :
	    &words.all[below(words.count)];
	char byte = (char)below(256);
	size_t begin;

	switch (below(word == NULL ? 5 : 7)) {
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
		replace(s, at, 0, word->bytes, word->len);
		break;
	default:
		replace(s, at, some, word->bytes, word->len);
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
	seed = &seeds.all[run < seeds.count ? run : below(seeds.count)];
	s.len = seed->len;
	s.bytes = malloc(s.len > 0 ? s.len : 1);
	if (s.bytes == NULL)
		err(2, "an input");
	if (s.len > 0)
		memcpy(s.bytes, seed->bytes, s.len);
	if (run < seeds.count || s.len > SEED_MAX)
		return (s);
	/* Rules in which much has changed are mostly no rules any more. */
	from = below(3) > 0 ? second_part(&s) : 0;
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
	bool print = false;
	long only = -1;
	int c;

	while ((c = getopt(argc, argv, "d:n:pr:w:")) != -1)
		switch (c) {
		case 'n':
			runs = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			seeds_add(&words, optarg, false);
			break;
		case 'p':
			print = true;
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
		seeds_add(&seeds, argv[optind], fuzz_has_parts);
	if (seeds.count == 0 && folder == NULL && !print)
		errx(2, "no seeds: name a file or a folder");

	catch_ends();
	if (folder != NULL)
		seeds_write(&seeds, folder);
	else if (print)
		seeds_print(&seeds);
	else if (only >= 0)
		run_one((size_t)only, start, true);
	else {
		for (run = 0; run < seeds.count + runs; run++)
			run_one(run, start, false);
		printf("%zu seeds, %zu mutations (FM_SEED=0x%llx)\n",
		    seeds.count, runs, (unsigned long long)start);
	}
	seeds_free(&seeds);
	seeds_free(&words);
	return (0);
}
