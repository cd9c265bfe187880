/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A part: pieces as the text of a rule file, and its call in VCL.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

static const struct {
	enum fm_import_note	note;
	const char		*text;
} part_notes[] = {
	{ FM_NOTE_URL,
	"#  - ${url} always starts with '/', and a URL is never empty;\n"
	"#    req.url of a request such as 'OPTIONS *' does not, and VCL\n"
	"#    fails if a URL becomes empty.\n" },
	{ FM_NOTE_HOST,
	"#  - Hosts are in one spelling, EXAMPLE.com:8080 is example.com.\n" },
	{ FM_NOTE_ESI,
	"#  - synth, redirect and purge do nothing in an ESI sub-request.\n" },
	{ FM_NOTE_QUERY,
	"#  - `query` knows parameters by their whole names, decoded, also\n"
	"#    without '=', takes any bytes for `*`, and leaves no stray '?'\n"
	"#    or '&'.\n" },
	{ FM_NOTE_COOKIE,
	"#  - `cookie` knows cookies by their whole names, also without '=',\n"
	"#    takes any bytes for `*`, and leaves no stray ';'.\n" },
	{ FM_NOTE_EMPTY,
	"#  - A header that VCL leaves empty is none in rules.\n" },
	{ FM_NOTE_SORT,
	"#  - `query sort` leaves parameters of one name in their order.\n" },
	{ FM_NOTE_ACL,
	"#  - \"localhost\" of an acl is 127.0.0.1 and ::1.\n" },
	{ FM_NOTE_REPEATED,
	"#  - Rules look at several Cookie or Accept headers as one.\n" },
	{ FM_NOTE_BUILTIN,
	"#  - `builtin` refuses what Varnish's builtin.vcl refuses.\n" }
};

static void
head_put(const struct fm_import *im, const struct fm_piece *first,
    const struct fm_piece *end, FILE *to)
{
	const struct fm_piece *piece;
	unsigned notes = 0;
	bool regexes = false, joins = false;
	size_t i;

	for (piece = first; piece != end; piece = piece->next) {
		notes |= piece->notes;
		regexes |= piece->regexes;
		joins |= piece->joins;
	}
	fprintf(to, "# Made by fastmatch import of %s, from line %u on.\n",
	    im->vcl_path, first->stmt->at.line);
	if (notes != 0)
		fputs("# In this rules and VCL are not quite the same:\n", to);
	for (i = 0; i < sizeof part_notes / sizeof *part_notes; i++)
		if (notes & (unsigned)part_notes[i].note)
			fputs(part_notes[i].text, to);
	fputc('\n', to);
	if (joins && !im->well_formed)
		fputs("# As VCL looks at several Cookie or Accept headers.\n"
		    "repeated first;\n\n", to);
	if (regexes && !im->well_formed)
		fputs("# As VCL does where a regex takes too long.\n"
		    "undecided synth 503 \"VCL failed\";\n\n", to);
}

/* Each list once, however many pieces ask it. */
static void
lists_put(const struct fm_piece *first, const struct fm_piece *end, FILE *to)
{
	const struct fm_piece *piece, *before;
	const struct fm_name *list, *same;
	bool there;

	for (piece = first; piece != end; piece = piece->next)
		for (list = piece->lists; list != NULL; list = list->next) {
			there = false;
			for (before = first; before != piece;
			    before = before->next)
				for (same = before->lists; same != NULL;
				    same = same->next)
					there |= fm_text_eq(same->name,
					    list->name);
			if (!there)
				fputs(list->text, to);
		}
}

/* The comments before a statement, as those of rules. */
static void
comments_put(struct fm_text lead, unsigned tabs, FILE *to)
{
	const char *p = lead.b, *e = lead.b + lead.len, *end;

	for (; p < e; p = end + 1) {
		end = memchr(p, '\n', (size_t)(e - p));
		if (end == NULL)
			end = e;
		while (p < end && (isspace((unsigned char)*p) ||
		    strchr("#/*", *p) != NULL))
			p++;
		lead = fm_text_trim(fm_text_span(p, end));
		while (lead.len > 0 && (lead.b[lead.len - 1] == '/' ||
		    lead.b[lead.len - 1] == '*'))
			lead = fm_text_trim(fm_text(lead.b, lead.len - 1));
		if (lead.len == 0)
			continue;
		fm_import_tabs_put(tabs, to);
		fprintf(to, "# %.*s\n", (int)lead.len, lead.b);
	}
}

void
fm_import_part(struct fm_import *im, const struct fm_piece *first,
    const struct fm_piece *end, FILE *vcl)
{
	struct fm_import_part *part, **tail = &im->parts;
	const struct fm_piece *piece;
	const char *dot;
	bool hosts = false, open = false;
	char *text = NULL;
	size_t len;
	FILE *to = fm_import_memory(&text, &len);

	part = fm_import_alloc(im, sizeof *part);
	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = part;
	head_put(im, first, end, to);
	lists_put(first, end, to);
	for (piece = first; piece != end; piece = piece->next) {
		fputs(piece->items, to);
		part->redirects |= piece->redirects;
	}
	for (piece = first; piece != end; piece = piece->next) {
		if (open && piece->hosts)
			fputs("}\n\n", to);
		else if (!open && !piece->hosts)
			fputs(hosts ? "\nfinally {\n" : "always {\n", to);
		open = !piece->hosts;
		hosts |= piece->hosts;
		if (!piece->stmt->cut && piece->n > 0)
			comments_put(im->tokens[piece->stmt->first].lead,
			    open ? 1 : 0, to);
		fm_import_tabs_put(open ? 1 : 0, to);
		fprintf(to, "# %s:%u%s\n%s", piece->stmt->at.name,
		    piece->stmt->at.line, piece->n == 0 ?
		    " stays VCL, behind the rules" :
		    *piece->rules == '\0' ? ": rules need nothing for it" : "",
		    piece->rules);
		im->ntranslated += fm_vstmts_count(piece->stmt, piece->n);
	}
	fputs(open ? "}\n" : "", to);
	(void)fclose(to);
	part->text = text;
	im->nparts++;
	if (im->nparts == 1) {
		part->path = im->rules_path;
		(void)snprintf(part->object, sizeof part->object, "%s",
		    im->object);
	} else {
		dot = strrchr(im->rules_path, '.');
		if (dot == NULL || strchr(dot, '/') != NULL)
			dot = im->rules_path + strlen(im->rules_path);
		part->path = fm_import_printf(im, "%.*s-%u%s",
		    (int)(dot - im->rules_path), im->rules_path, im->nparts,
		    dot);
		(void)snprintf(part->object, sizeof part->object, "%s_%u",
		    im->object, im->nparts);
	}
	fprintf(vcl, "\n\t%s.apply();", part->object);
}
