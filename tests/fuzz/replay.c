/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A main() for a fuzz target where there is no libFuzzer: runs seeds.
 *
 *	fuzz_parse [-w FOLDER] [-p] FILE|FOLDER...
 *
 *	-w FOLDER	write the seeds there, a file each: a corpus for
 *			libFuzzer
 *	-p		write the seeds to stdout, as a .seeds file
 *
 * A file is one of these; all files of a folder are read:
 *
 *	x.case		tests/cases: the requests of each group, or, for a
 *			target whose inputs are of one part, its files
 *	x.seeds		an input a line; what is not printable is \n, \t, \r,
 *			\\ or \xNN, and a line that begins with `#` is a comment
 *	any other	it is an input
 */

#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "file.h"
#include "fuzz.h"

#define TIMEOUT		120		/* seconds of one run */
#define INPUT_MAX	(1UL << 20)

struct seed {
	char			*bytes;
	size_t			len;
};

static struct seed *seeds;
static size_t nseeds, run_number;

static void
add_seed(const char *bytes, size_t len)
{
	struct seed *seed;

	seeds = reallocarray(seeds, nseeds + 1, sizeof *seeds);
	if (seeds == NULL)
		err(2, "seeds");
	seed = &seeds[nseeds++];
	seed->bytes = malloc(len + 1);
	if (seed->bytes == NULL)
		err(2, "seeds");
	if (len > 0)
		memcpy(seed->bytes, bytes, len);
	seed->len = len;
}

/*--------------------------------------------------------------------
 * Cases
 */

/* The rules, the separator, and the request as run.c has it. */
static void
add_request(const struct fm_text rules, const struct fm_case *one)
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
	if (one->restarts > 0)
		fprintf(out, "restarts %.*s\n", (int)one->restarts, "11111");
	if (one->proto.b != NULL)
		fprintf(out, "proto %.*s\n", (int)one->proto.len,
		    one->proto.b);
	if (fclose(out) != 0)
		err(2, "a seed");
	add_seed(text, len);
	free(text);
}

static void
add_cases(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_cases *cases = fm_cases_read(path, diag);
	const struct fm_cases_group *group;
	const struct fm_cases_file *file;
	const struct fm_case *one;

	if (cases == NULL)
		errx(2, "%s", fm_diag_line(diag, 0));
	for (group = cases->groups; group != NULL; group = group->next) {
		for (file = group->files; file != NULL; file = file->next)
			if (!fuzz_has_parts)
				add_seed(file->text.b, file->text.len);
		for (one = group->ones; one != NULL; one = one->next)
			if (fuzz_has_parts)
				add_request(group->files->text, one);
	}
	fm_cases_free(&cases);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * Lines
 */

/* Cuts off a backslash and the bytes after it; returns what they mean. */
static char
take_escape(struct fm_text *t)
{
	char c = t->len > 1 ? t->b[1] : '\\';
	size_t len = t->len > 1 ? 2 : 1;

	if (c == 'x' && t->len > 3 && fm_hex_digit(t->b[2]) >= 0 &&
	    fm_hex_digit(t->b[3]) >= 0) {
		c = (char)(16 * fm_hex_digit(t->b[2]) +
		    fm_hex_digit(t->b[3]));
		len = 4;
	} else if (c == 'n')
		c = '\n';
	else if (c == 't')
		c = '\t';
	else if (c == 'r')
		c = '\r';
	*t = fm_text(t->b + len, t->len - len);
	return (c);
}

static void
add_line(struct fm_text line)
{
	char *bytes = malloc(line.len + 1);
	size_t len = 0;

	if (bytes == NULL)
		err(2, "a seed");
	while (line.len > 0)
		if (*line.b == '\\')
			bytes[len++] = take_escape(&line);
		else {
			bytes[len++] = *line.b++;
			line.len--;
		}
	add_seed(bytes, len);
	free(bytes);
}

static void
add_lines(struct fm_text text)
{
	struct fm_text line;

	while (fuzz_line(&text, &line))
		if (line.len > 0 && *line.b != '#')
			add_line(line);
}

static void
print_seed(const struct seed *seed)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < seed->len; i++) {
		c = (unsigned char)seed->bytes[i];
		if (c == '\\')
			fputs("\\\\", stdout);
		else if (c == '\n')
			fputs("\\n", stdout);
		else if (c == '\t')
			fputs("\\t", stdout);
		else if (c == '\r')
			fputs("\\r", stdout);
		else if (c < ' ' || c >= 0x7f || (c == '#' && i == 0) ||
		    (c == ' ' && i + 1 == seed->len))
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	putchar('\n');
}

static void
seeds_print(void)
{
	size_t i;

	for (i = 0; i < nseeds; i++)
		if (seeds[i].len > 0)
			print_seed(&seeds[i]);
}

/*--------------------------------------------------------------------
 * Files
 */

static bool
ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), tail = strlen(end);

	return (len > tail && strcmp(path + len - tail, end) == 0);
}

static void
add_file(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_file *file;
	struct fm_text text;

	if (ends_in(path, ".case"))
		add_cases(path);
	else {
		file = fm_file_read(path, INPUT_MAX, NULL, diag);
		if (file == NULL)
			errx(2, "%s", fm_diag_line(diag, 0));
		text = fm_text(file->bytes, file->len);
		if (ends_in(path, ".seeds"))
			add_lines(text);
		else
			add_seed(text.b, text.len);
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
seeds_add(const char *path)
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
		seeds_add(inner);
		free(entries[i]);
	}
	free(entries);
}

static void
seeds_write(const char *folder)
{
	char path[4096];
	FILE *out;
	size_t i;

	for (i = 0; i < nseeds; i++) {
		snprintf(path, sizeof path, "%s/seed-%05zu", folder, i);
		out = fopen(path, "w");
		if (out == NULL || fwrite(seeds[i].bytes, 1,
		    seeds[i].len, out) != seeds[i].len ||
		    fclose(out) != 0)
			err(2, "%s", path);
	}
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
	int len = snprintf(line, sizeof line, "\nin the seed that -w writes as "
	    "seed-%05zu\n", run_number);

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

/* Runs a seed exactly as long as it is, so that ASan sees its end. */
static void
run_one(const struct seed *seed)
{
	char *copy = fuzz_copy(fm_text(seed->bytes, seed->len));

	(void)alarm(TIMEOUT);
	(void)LLVMFuzzerTestOneInput((const uint8_t *)copy, seed->len);
	(void)alarm(0);
	free(copy);
}

int
main(int argc, char **argv)
{
	const char *folder = NULL;
	bool print = false;
	int c;

	while ((c = getopt(argc, argv, "pw:")) != -1)
		switch (c) {
		case 'p':
			print = true;
			break;
		case 'w':
			folder = optarg;
			break;
		default:
			return (2);
		}
	for (; optind < argc; optind++)
		seeds_add(argv[optind]);
	if (nseeds == 0 && folder == NULL && !print)
		errx(2, "no seeds: name a file or a folder");

	catch_ends();
	if (folder != NULL)
		seeds_write(folder);
	else if (print)
		seeds_print();
	else
		for (; run_number < nseeds; run_number++)
			run_one(&seeds[run_number]);
	if (!print)
		printf("%zu seeds\n", nseeds);
	while (nseeds > 0)
		free(seeds[--nseeds].bytes);
	free(seeds);
	return (0);
}
