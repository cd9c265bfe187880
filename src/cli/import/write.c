/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes rule files: quotes words, and puts the units of a file together.
 */

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format.h"
#include "import.h"
#include "term.h"
#include "tokens.h"

/*--------------------------------------------------------------------
 * Texts
 */

/* A text that fm_import_put() writes into, and where it has written before. */
struct fm_catch {
	FILE			*up;
	struct fm_written	written;
	struct fm_catch		*next;
};

void
fm_import_catch(struct fm_import *im)
{
	struct fm_catch *c = fm_import_alloc(im, sizeof *c);

	c->up = im->to;
	c->next = im->catch;
	im->catch = c;
	fm_written_begin(&c->written);
	im->to = c->written.to;
}

const char *
fm_import_caught(struct fm_import *im)
{
	struct fm_catch *c = im->catch;
	const char *text;

	fm_written_end(&c->written);
	im->to = c->up;
	im->catch = c->next;
	text = fm_import_printf(im, "%s", c->written.text);
	free(c->written.text);
	return (text);
}

void
fm_import_put(struct fm_import *im, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(im->to, fmt, ap);
	va_end(ap);
}

const char *
fm_import_quote(struct fm_import *im, struct fm_text t)
{
	char *text = fm_import_alloc(im, 2 * t.len + 3), *p = text;
	size_t i;

	*p++ = '"';
	for (i = 0; i < t.len; i++) {
		/* A backslash stands for itself unless these follow. */
		if (t.b[i] == '"' || (t.b[i] == '\\' && (i + 1 == t.len ||
		    t.b[i + 1] == '"' || t.b[i + 1] == '\\')))
			*p++ = '\\';
		*p++ = t.b[i];
	}
	*p = '"';
	return (text);
}

/* Returns true if a text needs no quotes in rules. */
static bool
is_bare(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (!isalnum((unsigned char)t.b[i]) &&
		    strchr("._/-:*?%", t.b[i]) == NULL)
			return (false);
	return (t.len > 0 && *t.b != '-' && fm_reserved_word(t) == NULL);
}

const char *
fm_import_word(struct fm_import *im, struct fm_text t)
{
	return (is_bare(t) ? fm_import_printf(im, "%.*s", FM_ARG(t)) :
	    fm_import_quote(im, t));
}

const char *
fm_import_words(struct fm_import *im, const struct fm_plain *plain)
{
	const char *words = "";
	size_t i;

	for (i = 0; i < plain->n; i++)
		words = fm_import_printf(im, "%s %s", words,
		    fm_import_word(im, plain->v[i]));
	return (words);
}

const char *
fm_import_format(struct fm_import *im, const char *rules)
{
	struct fm_diag *diag = fm_cli_diag();
	const char *copy;
	size_t len;
	char *text;

	text = fm_format("import", fm_text_of(rules), &len, diag);
	copy = text == NULL ? rules : fm_import_printf(im, "%s", text);
	free(text);
	fm_diag_free(&diag);
	return (copy);
}

/*--------------------------------------------------------------------
 * Rule files
 */

void
fm_import_need(struct fm_import *im, const char *path, const char *text)
{
	struct fm_output **need = &im->seen.needs;

	for (; *need != NULL; need = &(*need)->next)
		if (path == NULL && strcmp((*need)->text, text) == 0)
			return;
	*need = fm_import_alloc(im, sizeof **need);
	(*need)->path = path;
	(*need)->text = text;
}

/* The comments about notes, in the order of enum fm_import_note. */
static const char * const notes[] = {
	"#  - ${url} always starts with '/', and a URL is never empty;\n"
	"#    req.url of 'OPTIONS *' does not; VCL fails on an empty URL.\n",
	"#  - In an ESI sub-request redirect, purge and a synth below 400 do\n"
	"#    nothing, and a synth of 400 or more has no page.\n",
	"#  - `query` knows parameters by their whole names, as they are\n"
	"#    written and decoded, with any value or none; `*` is any bytes.\n"
	"#    It leaves no stray '?' or '&'.\n",
	"#  - `cookie` knows cookies by their whole names, as they are\n"
	"#    written, with any value or none; `*` is any bytes.  It leaves\n"
	"#    no stray ';'.\n",
	"#  - Hosts are in one spelling, EXAMPLE.com:8080 is example.com,\n"
	"#    and a '.' in a regex of hosts is a dot.\n",
	"#  - A header that VCL leaves empty is not there in rules.\n",
	"#  - `query sort` leaves parameters of one name in their order.\n",
	"#  - \"localhost\" of an acl is 127.0.0.1 and ::1.\n",
	"#  - Rules look at several Cookie or Accept headers as one.\n",
	"#  - `builtin` passes PATCH, and refuses what builtin.vcl refuses.\n",
	"#  - `path` is that of an absolute URL, too, and `path ends` does\n"
	"#    not look at an extension in the query.\n",
	"#  - A status is below 600.\n",
	"#  - `uncacheable` and `pass` of a response say for how long that is\n"
	"#    remembered; VCL has the lifetime of the response.\n",
	"#  - Where a retry is impossible, rules go on; VCL fails the fetch.\n",
	"#  - A key has the cookies of whole names.\n",
	"#  - <, >, &, ' and \" are left out of a value in a reason.\n",
	"#  - A value of a ban is one text, also an empty one: VCL reads\n"
	"#    blanks, quotes and && in it as parts of the ban.  An ESI\n"
	"#    sub-request bans nothing.\n",
	"#  - The page of a failed fetch has the usual reason of 503, no Age\n"
	"#    and no Via; so have other pages of 503 that Varnish makes.\n",
	"#  - A '.' between letters or digits of a regex, as in /cart.php\n"
	"#    or ESI/1.0, is a dot.\n"
};

/* Returns the file of a path, which is added if it isn't there. */
static struct fm_output *
file_of(struct fm_import *im, const char *path)
{
	struct fm_output **file = &im->files;

	while (*file != NULL && strcmp((*file)->path, path) != 0)
		file = &(*file)->next;
	if (*file == NULL) {
		*file = fm_import_alloc(im, sizeof **file);
		(*file)->path = path;
	}
	return (*file);
}

/* Gathers what the units of a file have found out, and what they need. */
static void
seen_add(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	struct fm_seen *seen = &im->seen;
	const struct fm_output *need;
	const struct fm_import_unit *unit;

	for (unit = first; unit != end; unit = unit->next) {
		seen->notes |= unit->seen.notes;
		seen->regexes |= unit->seen.regexes;
		seen->joins |= unit->seen.joins;
		seen->redirects |= unit->seen.redirects;
		for (need = unit->seen.needs; need != NULL; need = need->next)
			fm_import_need(im, need->path, need->text);
	}
}

/* The same for a whole file; the first has the other phases, too. */
static void
seen_gather(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	unsigned phase;

	im->seen = (struct fm_seen){ .notes = 0 };
	seen_add(im, first, end);
	for (phase = FM_IN_HASH; im->blocks != NULL && phase < FM_IN__COUNT;
	    phase++)
		seen_add(im, im->subs[phase].from, im->subs[phase].end);
	if (im->blocks != NULL && im->failed.calls)
		seen_add(im, im->failed.units, im->failed.units->next);
}

/* Writes the top of a rule file: comments, and the lists and maps it needs. */
static void
head_put(struct fm_import *im, unsigned line)
{
	const struct fm_seen *seen = &im->seen;
	const struct fm_output *need;
	size_t i;

	fm_import_put(im, "# Made by fastmatch import of %s, from line %u "
	    "on.\n", im->vcl_path, line);
	if (seen->notes != 0)
		fm_import_put(im,
		    "# In this rules and VCL are not quite the same:\n");
	for (i = 0; i < sizeof notes / sizeof *notes; i++)
		if (seen->notes & 1u << i)
			fm_import_put(im, "%s", notes[i]);
	if (seen->notes != 0)
		fm_import_put(im, "#  - Rules that need a URL with a raw '#' "
		    "refuse it.\n");
	fm_import_put(im, "\n");
	if (seen->joins && !im->well_formed)
		fm_import_put(im, "# As VCL looks at several Cookie or Accept "
		    "headers.\nrepeated first;\n\n");
	if (seen->regexes && !im->well_formed)
		fm_import_put(im, "# As VCL does where a regex takes too "
		    "long.\nundecided synth 503 \"VCL failed\";\n\n");
	for (need = seen->needs; need != NULL; need = need->next)
		if (need->path == NULL)
			fm_import_put(im, "%s", need->text);
}

/*
 * Returns true for a line of VCL that was commented out: `set req.url = "/";`,
 * `if (req.url`, `&& req.http.X) {`, `}`, but not for a sentence.
 */
static bool
is_code(const char *p, const char *e)
{
	static const char * const begins[] = { "if (", "if(", "elsif (",
	    "elsif(", "elseif (", "else if (", "else {", "&& ", "|| ", "}",
	    "{", NULL };
	static const char * const words[] = { "set ", "unset ", "remove ",
	    "call ", "return", "ban", "purge", "hash_data", "synthetic",
	    "import ", "include ", "error ", NULL };
	struct fm_text line = fm_text_span(p, e);
	bool ends = strchr(";{", e[-1]) != NULL;
	size_t i;

	for (i = 0; begins[i] != NULL; i++)
		if (fm_text_begins(line, begins[i]))
			return (true);
	for (i = 0; words[i] != NULL && ends; i++)
		if (fm_text_begins(line, words[i]))
			return (true);
	for (; ends && p < e; p++)
		if (strchr("=(\"", *p) != NULL)
			return (true);
	return (false);
}

/* Writes comments of VCL as comments of rules, but for VCL in comments. */
static void
comments_put(struct fm_import *im, struct fm_text lead)
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
		if (p < end && !is_code(p, end))
			fm_import_put(im, "# %.*s\n", (int)(end - p), p);
	}
}

/*
 * Writes the comments before a unit's statements, and the one after them in
 * their last line.
 */
void
fm_import_comments(struct fm_import *im, const struct fm_import_unit *unit)
{
	const struct fm_vcl_token *tokens = im->vcl.tokens;
	const struct fm_vstmt *last = unit->stmt;
	struct fm_text lead;
	const char *line;
	size_t n;

	if (unit->n == 0 || unit->stmt->cut)
		return;
	lead = tokens[unit->stmt->first].lead;
	line = memchr(lead.b, '\n', lead.len);
	/* The first line is about the statement before. */
	if (line != NULL && unit->stmt->first > 0 &&
	    !fm_text_is(tokens[unit->stmt->first - 1].text, "{"))
		lead = fm_text_span(line, lead.b + lead.len);
	comments_put(im, lead);
	for (n = 1; n < unit->n; n++)
		last = last->next;
	lead = tokens[last->last + 1].lead;
	line = memchr(lead.b, '\n', lead.len);
	if (line != NULL)
		comments_put(im, fm_text_span(lead.b, line));
}

/* Returns true if there is a comment before a statement. */
static bool
has_comment(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text lead = im->vcl.tokens[stmt->first].lead;

	return (memchr(lead.b, '#', lead.len) != NULL ||
	    memchr(lead.b, '/', lead.len) != NULL);
}

static bool
is_unset(const struct fm_import_unit *unit)
{
	return (unit->n == 1 && unit->stmt->kind == FM_VSTMT_UNSET);
}

/* Returns the length of "when TEST {\n" of an `if` with one arm; else 0. */
static size_t
when_length(const struct fm_import_unit *unit)
{
	const char *brace = strstr(unit->rules, "{\n");

	return (unit->n != 1 || unit->stmt->arms == NULL ||
	    unit->stmt->arms->next != NULL || brace == NULL ||
	    strncmp(unit->rules, "when ", 5) != 0 ||
	    fm_vstmts_end(unit->stmt->arms->body) ? 0 :
	    (size_t)(brace - unit->rules) + 2);
}

bool
fm_import_joins_units(struct fm_import *im, const struct fm_import_unit *unit,
    const struct fm_import_unit *next)
{
	size_t len;

	if (next == NULL || next->rules == NULL || unit->hosts || next->hosts)
		return (false);
	if (is_unset(unit) && is_unset(next))
		return (!has_comment(im, next->stmt));
	len = when_length(unit);
	return (len > 0 && len == when_length(next) &&
	    memcmp(unit->rules, next->rules, len) == 0 &&
	    fm_vstmts_keep(&im->vcl, unit->stmt->arms->body, (size_t)-1,
	    unit->stmt->arms));
}

void
fm_import_unit_put(struct fm_import *im, const struct fm_import_unit *unit,
    bool begun, bool goes_on)
{
	const char *text = unit->rules;
	size_t len;

	/* "unset A;\n" and "when TEST {\n...}\n" end in two bytes. */
	if (begun)
		text += is_unset(unit) ? strlen("unset") : when_length(unit);
	len = strlen(text);
	fm_import_put(im, "%.*s", (int)(len - (goes_on ? 2 : 0)), text);
}

/*
 * Returns a new rule file: site.rules of object site, site-2.rules of site_2,
 * ...
 */
static struct fm_output *
file_new(struct fm_import *im)
{
	const char *path = im->rules_path, *dot = strrchr(path, '.');
	const char *object = im->object;
	struct fm_output *file;

	if (dot == NULL || strchr(dot, '/') != NULL)
		dot = path + strlen(path);
	if (++im->nfiles > 1) {
		object = fm_import_printf(im, "%s_%u", object, im->nfiles);
		path = fm_import_printf(im, "%.*s-%u%s", (int)(dot - path),
		    path, im->nfiles, dot);
	}
	file = file_of(im, path);
	file->object = object;
	return (file);
}

struct fm_import_unit *
fm_import_file_end(struct fm_import_unit *unit)
{
	bool hosts = false, sets_host = false;

	for (; unit != NULL && unit->rules != NULL; unit = unit->next) {
		if (unit->hosts && (hosts || sets_host))
			break;
		hosts |= unit->hosts;
		sets_host |= unit->seen.sets_host;
	}
	return (unit);
}

/* Writes the units of a file, and the blocks of other phases. */
static void
units_put(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	bool hosts = false, open = false, begun = false, goes_on;
	const struct fm_import_unit *unit;

	if (im->blocks != NULL && (first == end || first->hosts))
		fm_import_put(im, "always {\n%s}\n\n", im->blocks);
	for (unit = first; unit != end; unit = unit->next) {
		if (open && unit->hosts)
			fm_import_put(im, "%s}\n\n", im->blocks == NULL ||
			    hosts ? "" : im->blocks);
		else if (!open && !unit->hosts)
			fm_import_put(im, hosts ? "\nfinally {\n" :
			    "always {\n");
		open = !unit->hosts;
		hosts |= unit->hosts;
		fm_import_comments(im, unit);
		if (unit->n == 0)
			fm_import_put(im, "# %s:%u stays VCL, after the "
			    "rules\n", unit->stmt->at.name,
			    unit->stmt->at.line);
		goes_on = unit->next != end &&
		    fm_import_joins_units(im, unit, unit->next);
		fm_import_unit_put(im, unit, begun, goes_on);
		begun = goes_on;
	}
	if (open)
		fm_import_put(im, "%s}\n", im->blocks == NULL || hosts ? "" :
		    im->blocks);
}

const char *
fm_import_file_text(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	const char *head, *rules;

	seen_gather(im, first, end);
	fm_import_catch(im);
	head_put(im, first == end ? 1 : first->stmt->at.line);
	head = fm_import_caught(im);
	fm_import_catch(im);
	units_put(im, first, end);
	rules = fm_import_tidied(im, fm_import_caught(im));
	return (fm_import_format(im, fm_import_shared(im, head, rules)));
}

struct fm_output *
fm_import_file(struct fm_import *im, const struct fm_import_unit *first,
    const struct fm_import_unit *end)
{
	const struct fm_import_unit *unit;
	const struct fm_output *need;
	struct fm_output *file;
	bool any = false;

	for (unit = first; unit != end; unit = unit->next) {
		im->ntranslated += fm_import_unit_count(unit);
		any |= *unit->rules != '\0';
	}
	if (!any)
		return (NULL);
	file = file_new(im);
	if (im->nfiles == 1) {
		im->first = first;
		im->first_end = end;
	}
	for (unit = first; unit != end; unit = unit->next)
		fm_import_called(im, unit, file->object);
	file->text = fm_import_file_text(im, first, end);
	file->redirects = im->seen.redirects;
	for (need = im->seen.needs; need != NULL; need = need->next)
		if (need->path != NULL)
			file_of(im, need->path)->text = need->text;
	return (file);
}

void
fm_import_file_blocks(struct fm_import *im)
{
	struct fm_output *file;
	const struct fm_output *need;
	const char *text;

	fm_import_catch(im);
	fm_import_subs_rules(im);
	text = fm_import_caught(im);
	if (*text == '\0')
		return;
	im->blocks = text;
	file = im->nfiles > 0 ? file_of(im, im->rules_path) : file_new(im);
	file->text = fm_import_file_text(im, im->first, im->first_end);
	file->redirects |= im->seen.redirects;
	for (need = im->seen.needs; need != NULL; need = need->next)
		if (need->path != NULL)
			file_of(im, need->path)->text = need->text;
	im->blocks = NULL;
	im->no_subs = !fm_import_stands(im, file->text);
}
