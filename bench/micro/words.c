/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names that nobody has, so that a User-Agent has those only that were put
 * there.
 */

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "file.h"
#include "listfile.h"
#include "words.h"

void
fm_word(unsigned n, char buf[FM_WORD_LEN])
{
	static const char syllables[40][3] = { "ba", "be", "bo", "da", "di",
	    "do", "fa", "fu", "ga", "gi", "ha", "ho", "ka", "ki", "ko", "la",
	    "li", "lo", "ma", "mi", "mo", "na", "ni", "no", "pa", "pi", "ra",
	    "ri", "ro", "sa", "so", "ta", "ti", "to", "va", "vi", "wa", "xo",
	    "za", "zu" };
	unsigned i, x;

	/* A permutation, as 64,000 is 2 and 5 only. */
	x = (n * 27737u + 4711u) % FM_WORDS;
	for (i = 0; i < 3; i++, x /= 40)
		(void)strcpy(buf + 2 * i, syllables[x % 40]);
	buf[0] = (char)(buf[0] - 'a' + 'A');
}

#define REGEXES	8

static const struct {
	const char	*regex, *fit;
} phrases[REGEXES] = {
	{ "%s[ /_-]?[0-9]{2,4}",		"%s 123" },
	{ "(?i)%s(phone|tab|pad)",		"%sPhone" },
	{ "\\b%s/[0-9]+\\.[0-9]+",		"%s/4.2" },
	{ "%s.*Mobile",				"%s S2; Mobile" },
	{ "(%s|%s)[ _-](Pro|Max|Lite)",		"%s-Pro" },
	{ "^%s-[A-Z]+[0-9]",			"%s-AB1" },
	{ "compatible; %s/",			"compatible; %s/" },
	{ "%s [A-Z][a-z]+ Build",		"%s Alpha Build" },
};

void
fm_phrase_literal(unsigned n, char buf[FM_PHRASE_LEN])
{
	static const char * const ends[] = { "", "-", "/", " " };
	char word[FM_WORD_LEN];

	fm_word(n, word);
	(void)snprintf(buf, FM_PHRASE_LEN, "%s%s", word, ends[n % 4]);
}

/* Most regexes are of one word, and leave the other one. */
void
fm_phrase_regex(unsigned n, char buf[FM_PHRASE_LEN])
{
	char word[FM_WORD_LEN], other[FM_WORD_LEN];

	fm_word(n, word);
	fm_word(n + FM_WORDS / 2, other);
	(void)snprintf(buf, FM_PHRASE_LEN, phrases[n % REGEXES].regex, word,
	    other);
}

void
fm_phrase_fit(unsigned n, bool regex, char buf[FM_PHRASE_LEN])
{
	char word[FM_WORD_LEN];

	if (!regex) {
		fm_phrase_literal(n, buf);
		return;
	}
	fm_word(n, word);
	(void)snprintf(buf, FM_PHRASE_LEN, phrases[n % REGEXES].fit, word);
}

void
fm_lines_add(struct fm_lines *lines, struct fm_text t)
{
	lines->v = reallocarray(lines->v, lines->n + 1, sizeof *lines->v);
	if (lines->v == NULL)
		fm_bench_die("no memory");
	lines->v[lines->n++] = t;
}

void
fm_lines_read(struct fm_lines *lines, const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_listfile list = { .name = path };
	struct fm_place place;
	struct fm_text t;

	lines->file = fm_file_read(path, FM_LISTFILE_MAX, NULL, diag);
	if (lines->file != NULL)
		list.rest = fm_text(lines->file->bytes, lines->file->len);
	while (fm_listfile_next(&list, &t, &place, diag))
		if (t.b[0] != '[')
			fm_lines_add(lines, t);
	if (fm_diag_errors(diag) > 0)
		fm_bench_die("%s", fm_diag_line(diag, 0));
	fm_diag_free(&diag);
}

void
fm_lines_fini(struct fm_lines *lines)
{
	if (lines->file != NULL)
		fm_file_free(&lines->file);
	free(lines->v);
}
