/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rule files: their words, and pieces as the text of one.
 */

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "import.h"
#include "tokens.h"

void
fm_import_quote_put(struct fm_text t, FILE *to)
{
	size_t i;

	(void)fputc('"', to);
	for (i = 0; i < t.len; i++) {
		/* A backslash stands for itself unless these follow. */
		if (t.b[i] == '"' || (t.b[i] == '\\' && (i + 1 == t.len ||
		    t.b[i + 1] == '"' || t.b[i + 1] == '\\')))
			(void)fputc('\\', to);
		(void)fputc(t.b[i], to);
	}
	(void)fputc('"', to);
}

/* Bare only where nobody could take it for anything else. */
static bool
is_bare(struct fm_text t)
{
	size_t i;

	if (t.len == 0 || *t.b == '-')
		return (false);
	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.b[i]) &&
		    strchr("._/-:*?%", t.b[i]) == NULL)
			return (false);
	return (fm_reserved_word(t) == NULL);
}

void
fm_import_word_put(struct fm_text t, FILE *to)
{
	if (is_bare(t))
		(void)fwrite(t.b, 1, t.len, to);
	else
		fm_import_quote_put(t, to);
}

void
fm_import_tabs_put(unsigned tabs, FILE *to)
{
	while (tabs-- > 0)
		(void)fputs("    ", to);
}

void
fm_import_line_put(unsigned tabs, FILE *to, const char *fmt, ...)
{
	va_list ap;

	fm_import_tabs_put(tabs, to);
	va_start(ap, fmt);
	(void)vfprintf(to, fmt, ap);
	va_end(ap);
	(void)fputc('\n', to);
}

/* Operands, in lines of a bearable width. */
void
fm_import_words_put(const struct fm_plain *plain, unsigned tabs, FILE *to)
{
	size_t i, width = 0;

	for (i = 0; i < plain->n; i++) {
		width += plain->v[i].len + 1;
		if (width > 60 && i > 0) {
			(void)fputc('\n', to);
			fm_import_tabs_put(tabs + 1, to);
			width = plain->v[i].len;
		} else {
			(void)fputc(' ', to);
		}
		fm_import_word_put(plain->v[i], to);
	}
}

/*--------------------------------------------------------------------
 * A part
 */

/* In the order of enum fm_import_note. */
static const char * const notes[] = {
	"#  - ${url} always starts with '/', and a URL is never empty;\n"
	"#    req.url of a request such as 'OPTIONS *' does not, and VCL\n"
	"#    fails if a URL becomes empty.\n",
	"#  - synth, redirect and purge do nothing in an ESI sub-request.\n",
	"#  - `query` knows parameters by their whole names, as they are\n"
	"#    written and decoded, with any value or none; `*` is any bytes.\n"
	"#    It leaves no stray '?' or '&'.\n",
	"#  - `cookie` knows cookies by their whole names, as they are\n"
	"#    written, with any value or none; `*` is any bytes.  It leaves\n"
	"#    no stray ';'.\n",
	"#  - Hosts are in one spelling, EXAMPLE.com:8080 is example.com.\n",
	"#  - A header that VCL leaves empty is none in rules.\n",
	"#  - `query sort` leaves parameters of one name in their order.\n",
	"#  - \"localhost\" of an acl is 127.0.0.1 and ::1.\n",
	"#  - Rules look at several Cookie or Accept headers as one.\n",
	"#  - `builtin` passes PATCH, and refuses what builtin.vcl refuses.\n"
};

/* The head of a rule file, and what all of its rules need. */
static void
head_put(const struct fm_import *im, struct fm_import_part *part,
    const struct fm_piece *first, const struct fm_piece *end, FILE *to)
{
	bool regexes = false, joins = false;
	const struct fm_piece *piece;
	const struct fm_name *list;
	unsigned differs = 0;
	size_t i;

	for (piece = first; piece != end; piece = piece->next) {
		differs |= piece->seen.notes;
		regexes |= piece->seen.regexes;
		joins |= piece->seen.joins;
		part->redirects |= piece->seen.redirects;
	}
	fprintf(to, "# Made by fastmatch import of %s, from line %u on.\n",
	    im->vcl_path, first->stmt->at.line);
	if (differs != 0)
		fputs("# In this rules and VCL are not quite the same:\n", to);
	for (i = 0; i < sizeof notes / sizeof *notes; i++)
		if (differs & 1u << i)
			fputs(notes[i], to);
	fputc('\n', to);
	if (joins && !im->well_formed)
		fputs("# As VCL looks at several Cookie or Accept headers.\n"
		    "repeated first;\n\n", to);
	if (regexes && !im->well_formed)
		fputs("# As VCL does where a regex takes too long.\n"
		    "undecided synth 503 \"VCL failed\";\n\n", to);
	/* Each list once, however many pieces ask it. */
	for (piece = first; piece != end; piece = piece->next)
		for (list = piece->seen.lists; list != NULL;
		    list = list->next) {
			(void)fflush(to);
			if (strstr(part->text, list->text) == NULL)
				fputs(list->text, to);
		}
	for (piece = first; piece != end; piece = piece->next)
		fputs(piece->items, to);
}

/* The comments before a statement, as those of rules. */
static void
comments_put(struct fm_text lead, unsigned tabs, FILE *to)
{
	const char *p = lead.b, *e = lead.b + lead.len, *end, *next;

	for (; p < e; p = next) {
		end = memchr(p, '\n', (size_t)(e - p));
		next = end == NULL ? e : end + 1;
		end = end == NULL ? e : end;
		while (p < end && strchr("#/* \t\r", *p) != NULL)
			p++;
		while (p < end && strchr("/* \t", end[-1]) != NULL)
			end--;
		if (p < end)
			fm_import_line_put(tabs, to, "# %.*s", (int)(end - p),
			    p);
	}
}

/* rules.rules, rules-2.rules, ...: objects rules, rules_2, ... */
static void
part_name(struct fm_import *im, struct fm_import_part *part)
{
	const char *path = im->rules_path, *dot = strrchr(path, '.');

	part->path = path;
	(void)snprintf(part->object, sizeof part->object, "%s", im->object);
	if (++im->nparts == 1)
		return;
	if (dot == NULL || strchr(dot, '/') != NULL)
		dot = path + strlen(path);
	part->path = fm_import_printf(im, "%.*s-%u%s", (int)(dot - path), path,
	    im->nparts, dot);
	(void)snprintf(part->object, sizeof part->object, "%s_%u", im->object,
	    im->nparts);
}

struct fm_import_part *
fm_import_part(struct fm_import *im, const struct fm_piece *first,
    const struct fm_piece *end)
{
	struct fm_import_part *part, **tail = &im->parts;
	bool hosts = false, open = false;
	const struct fm_piece *piece;
	size_t len;
	FILE *to;

	part = fm_import_alloc(im, sizeof *part);
	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = part;
	part_name(im, part);
	to = fm_import_memory(&part->text, &len);
	head_put(im, part, first, end, to);
	for (piece = first; piece != end; piece = piece->next) {
		if (open && piece->hosts)
			fputs("}\n\n", to);
		else if (!open && !piece->hosts)
			fputs(hosts ? "\nfinally {\n" : "always {\n", to);
		open = !piece->hosts;
		hosts |= piece->hosts;
		if (!piece->stmt->cut && piece->n > 0)
			comments_put(im->vcl.tokens[piece->stmt->first].lead,
			    open, to);
		fm_import_line_put(open, to, "# %s:%u%s",
		    piece->stmt->at.name, piece->stmt->at.line,
		    piece->n == 0 ? " stays VCL, behind the rules" :
		    *piece->rules == '\0' ? ": rules need nothing for it" :
		    "");
		fputs(piece->rules, to);
		im->ntranslated += fm_vstmts_count(piece->stmt, piece->n);
	}
	fputs(open ? "}\n" : "", to);
	(void)fclose(to);
	return (part);
}
