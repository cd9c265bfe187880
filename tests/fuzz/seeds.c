/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and writes inputs.
 */

#include <dirent.h>
#include <err.h>
#include <sys/stat.h>

#include "cases.h"
#include "file.h"
#include "fuzz.h"
#include "seeds.h"

#define INPUT_MAX	(1UL << 20)

static void
add_seed(struct seeds *seeds, const char *bytes, size_t len)
{
	struct seed *seed;

	seeds->all = reallocarray(seeds->all, seeds->count + 1,
	    sizeof *seeds->all);
	if (seeds->all == NULL)
		err(2, "seeds");
	seed = &seeds->all[seeds->count++];
	seed->bytes = malloc(len + 1);
	if (seed->bytes == NULL)
		err(2, "seeds");
	if (len > 0)
		memcpy(seed->bytes, bytes, len);
	seed->len = len;
}

void
seeds_free(struct seeds *seeds)
{
	while (seeds->count > 0)
		free(seeds->all[--seeds->count].bytes);
	free(seeds->all);
	seeds->all = NULL;
}

/*--------------------------------------------------------------------
 * Cases
 */

/* The rules, the separator, and the request as run.c has it. */
static void
add_request(struct seeds *seeds, const struct fm_text rules,
    const struct fm_case *one)
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
	if (one->proto.b != NULL)
		fprintf(out, "proto %.*s\n", (int)one->proto.len,
		    one->proto.b);
	if (fclose(out) != 0)
		err(2, "a seed");
	add_seed(seeds, text, len);
	free(text);
}

static void
add_cases(struct seeds *seeds, const char *path, bool parts)
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
			if (!parts)
				add_seed(seeds, file->text.b, file->text.len);
		for (one = group->ones; one != NULL; one = one->next)
			if (parts)
				add_request(seeds, group->files->text, one);
	}
	fm_cases_free(&cases);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * Lines
 */

/* Cuts off a backslash and the bytes behind it; returns what they mean. */
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
add_line(struct seeds *seeds, struct fm_text line)
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
	add_seed(seeds, bytes, len);
	free(bytes);
}

static void
add_lines(struct seeds *seeds, struct fm_text text, bool quoted)
{
	struct fm_text line;
	const char *quote;

	while (fuzz_line(&text, &line)) {
		if (line.len == 0 || *line.b == '#')
			continue;
		if (quoted) {
			quote = memchr(line.b, '"', line.len);
			if (quote == NULL || line.b[line.len - 1] != '"')
				errx(2, "no word: %.*s", FUZZ_TEXT(line));
			line = fm_text_span(quote + 1,
			    line.b + line.len - 1);
		}
		add_line(seeds, line);
	}
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

void
seeds_print(const struct seeds *seeds)
{
	size_t i;

	for (i = 0; i < seeds->count; i++)
		if (seeds->all[i].len > 0)
			print_seed(&seeds->all[i]);
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
add_file(struct seeds *seeds, const char *path, bool parts)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_file *file;
	struct fm_text text;

	if (ends_in(path, ".case"))
		add_cases(seeds, path, parts);
	else {
		file = fm_file_read(path, INPUT_MAX, NULL, diag);
		if (file == NULL)
			errx(2, "%s", fm_diag_line(diag, 0));
		text = fm_text(file->bytes, file->len);
		if (ends_in(path, ".seeds") || ends_in(path, ".dict"))
			add_lines(seeds, text, ends_in(path, ".dict"));
		else
			add_seed(seeds, text.b, text.len);
		fm_file_free(&file);
	}
	fm_diag_free(&diag);
}

static int
is_visible(const struct dirent *entry)
{
	return (entry->d_name[0] != '.');
}

void
seeds_add(struct seeds *seeds, const char *path, bool parts)
{
	struct dirent **entries;
	char inner[4096];
	struct stat st;
	int i, n;

	if (stat(path, &st) != 0)
		err(2, "%s", path);
	if (!S_ISDIR(st.st_mode)) {
		add_file(seeds, path, parts);
		return;
	}
	n = scandir(path, &entries, is_visible, alphasort);
	if (n < 0)
		err(2, "%s", path);
	for (i = 0; i < n; i++) {
		snprintf(inner, sizeof inner, "%s/%s", path,
		    entries[i]->d_name);
		seeds_add(seeds, inner, parts);
		free(entries[i]);
	}
	free(entries);
}

void
seeds_write(const struct seeds *seeds, const char *folder)
{
	char path[4096];
	FILE *out;
	size_t i;

	for (i = 0; i < seeds->count; i++) {
		snprintf(path, sizeof path, "%s/seed-%05zu", folder, i);
		out = fopen(path, "w");
		if (out == NULL || fwrite(seeds->all[i].bytes, 1,
		    seeds->all[i].len, out) != seeds->all[i].len ||
		    fclose(out) != 0)
			err(2, "%s", path);
	}
	printf("%zu seeds\n", seeds->count);
}
