/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <assert.h>
#include <stdlib.h>

#include "cases.h"
#include "file.h"

#define CASES_FILE_MAX	(4UL << 20)
#define CASES_LONGEST	(1UL << 20)	/* bytes that \*N{} writes out */

struct reader {
	struct cases		*cases;
	struct fm_diag		*diag;
	struct fm_place		at;
	struct fm_text		*text;	/* of the section, being read */
	struct cases_group	*group;
	struct cases_group	**next_group;
	struct cases_file	**next_file;
	struct cases_one	*one;
	struct cases_one	**next_one;
	struct cases_field	**next_field;
	unsigned		room;	/* in one->fields */
	bool			(*take)(struct reader *, struct fm_text line);
};

static bool
wrong(struct reader *r, const char *what, struct fm_text line)
{
	fm_diag_error(r->diag, &r->at, "%s: '%.*s'", what,
	    (int)(line.len > 60 ? 60 : line.len), line.b);
	return (false);
}

static void *
take_memory(struct reader *r, size_t bytes)
{
	void *p = fm_arena_alloc(&r->cases->arena, bytes);

	assert(p != NULL);
	return (p);
}

/* If the line begins with the word and a blank (or ends), what follows. */
static bool
cut_word(struct fm_text *line, const char *word)
{
	size_t len = strlen(word);

	if (line->len < len || memcmp(line->b, word, len) != 0 ||
	    (line->len > len && line->b[len] != ' '))
		return (false);
	*line = line->len == len ? fm_text(line->b + len, 0) :
	    fm_text(line->b + len + 1, line->len - len - 1);
	return (true);
}

/* Up to the byte, which goes; all of it where the byte is not there. */
static struct fm_text
cut_at(struct fm_text *rest, char c)
{
	const char *p = rest->len == 0 ? NULL :
	    memchr(rest->b, c, rest->len);
	struct fm_text t = *rest;

	if (p == NULL) {
		*rest = fm_text(rest->b + rest->len, 0);
		return (t);
	}
	t = fm_text_span(rest->b, p);
	*rest = fm_text(p + 1, rest->len - t.len - 1);
	return (t);
}

static bool
take_number(struct fm_text t, uint32_t *n)
{
	size_t i;

	*n = 0;
	for (i = 0; i < t.len; i++) {
		if (t.b[i] < '0' || t.b[i] > '9')
			return (false);
		*n = *n * 10 + (uint32_t)(t.b[i] - '0');
	}
	return (t.len > 0 && t.len < 8);
}

/* \*N{TEXT}: how many, and what; *len is how long it is in the line. */
static bool
is_repeat(struct fm_text t, uint32_t *n, struct fm_text *what, size_t *len)
{
	struct fm_text rest, digits;

	if (t.len < 4 || t.b[0] != '\\' || t.b[1] != '*' ||
	    memchr(t.b, '}', t.len) == NULL)
		return (false);
	rest = fm_text(t.b + 2, t.len - 2);
	digits = cut_at(&rest, '{');
	if (!take_number(digits, n))
		return (false);
	*what = cut_at(&rest, '}');
	*len = (size_t)(what->b + what->len + 1 - t.b);
	return (true);
}

/* Writes the bytes that a text stands for; out == NULL: counts them. */
static size_t
expand(struct fm_text t, char *out)
{
	struct fm_text what;
	size_t i, len, n = 0;
	uint32_t times;

	for (i = 0; i < t.len; i += len) {
		len = 1;
		if (t.b[i] == '\\' && i + 3 < t.len && t.b[i + 1] == 'x' &&
		    fm_hex_digit(t.b[i + 2]) >= 0 &&
		    fm_hex_digit(t.b[i + 3]) >= 0) {
			if (out != NULL)
				out[n] = (char)(fm_hex_digit(t.b[i + 2]) << 4 |
				    fm_hex_digit(t.b[i + 3]));
			n++;
			len = 4;
		} else if (is_repeat(fm_text(t.b + i, t.len - i), &times,
		    &what, &len)) {
			while (times-- > 0 && n < CASES_LONGEST)
				n += expand(what, out == NULL ? NULL : out + n);
		} else {
			if (out != NULL)
				out[n] = t.b[i];
			n++;
			len = 1;
		}
	}
	return (n);
}

static struct fm_text
expanded(struct reader *r, struct fm_text t)
{
	size_t len = expand(t, NULL);
	char *p = take_memory(r, len + 1);

	(void)expand(t, p);
	return (fm_text(p, len));
}

/*--------------------------------------------------------------------
 * Requests
 */

static bool
take_engines(struct reader *r, struct fm_text line)
{
	struct fm_text names, rest = line;

	names = cut_at(&rest, ':');
	if (fm_text_trim(rest).len == 0)
		return (wrong(r, "'only' needs a reason behind a colon", line));
	r->one->engines = 0;
	while (names.len > 0) {
		struct fm_text name = cut_at(&names, ' ');

		if (fm_text_eq(name, fm_text_of("core")))
			r->one->engines |= CASES_CORE;
		else if (fm_text_eq(name, fm_text_of("cli")))
			r->one->engines |= CASES_CLI;
		else if (fm_text_eq(name, fm_text_of("varnishd")))
			r->one->engines |= CASES_VARNISHD;
		else
			return (wrong(r, "no such engine", name));
	}
	return (true);
}

static void
take_field(struct reader *r, struct fm_text line)
{
	struct cases_one *one = r->one;
	struct fm_field *fields;

	if (one->nfields == r->room) {
		r->room = r->room == 0 ? 8 : r->room * 2;
		fields = take_memory(r, r->room * sizeof *fields);
		if (one->nfields > 0)
			memcpy(fields, one->fields,
			    one->nfields * sizeof *fields);
		one->fields = fields;
	}
	line = expanded(r, line);
	one->fields[one->nfields].b = line.b;
	one->fields[one->nfields++].e = line.b + line.len;
}

static bool
take_request(struct reader *r, struct fm_text line)
{
	struct cases_one *one = r->one;
	struct fm_text rest = line;

	if (one->method.b == NULL) {
		one->method = expanded(r, cut_at(&rest, ' '));
		one->url = expanded(r, rest);
	} else if (cut_word(&rest, "client"))
		one->client = rest;
	else if (cut_word(&rest, "esi"))
		one->esi = true;
	else if (cut_word(&rest, "proto"))
		one->proto = rest;
	else if (cut_word(&rest, "only"))
		return (take_engines(r, rest));
	else if (memchr(line.b, ':', line.len) == NULL)
		return (wrong(r, "this is no header", line));
	else
		take_field(r, line);
	return (true);
}

/*--------------------------------------------------------------------
 * Expectations
 */

/* A reason, or a body; nothing stays missing. */
static bool
take_quoted(struct reader *r, struct fm_text t, struct fm_text *out)
{
	if (t.len == 0)
		return (true);
	if (t.len < 2 || t.b[0] != '"' || t.b[t.len - 1] != '"')
		return (wrong(r, "quotes around this are missing", t));
	*out = expanded(r, fm_text(t.b + 1, t.len - 2));
	return (true);
}

/* TYPE "BODY" */
static bool
take_answer(struct reader *r, struct fm_text t)
{
	const char *body = memmem(t.b, t.len, " \"", 2);

	if (body == NULL)
		return (wrong(r, "an answer has a type and a body", t));
	r->one->expected.text = expanded(r, fm_text_span(t.b, body));
	return (take_quoted(r, fm_text_span(body + 1, t.b + t.len),
	    &r->one->expected.body));
}

static bool
take_verdict(struct reader *r, struct fm_text line)
{
	struct cases_expected *x = &r->one->expected;
	struct fm_text rest = line, word;
	int v;

	word = cut_at(&rest, ' ');
	x->verdict = FM_VERDICT_NONE;
	for (v = FM_VERDICT_PASS; v <= FM_VERDICT_REFUSE; v++)
		if (fm_text_eq(word, fm_text_of(
		    fm_verdict_word((enum fm_verdict)v))))
			x->verdict = (enum fm_verdict)v;
	if (x->verdict == FM_VERDICT_NONE)
		return (fm_text_eq(word, fm_text_of("none")) ||
		    wrong(r, "no such verdict", line));
	if (x->verdict < FM_VERDICT_SYNTH)
		return (true);
	if (x->verdict == FM_VERDICT_REFUSE) {
		x->status = 400;
		return (true);
	}
	if (!take_number(cut_at(&rest, ' '), &x->status))
		return (wrong(r, "no status", line));
	if (x->verdict == FM_VERDICT_SYNTH)
		return (take_quoted(r, rest, &x->text));
	if (x->verdict == FM_VERDICT_ANSWER)
		return (take_answer(r, rest));
	x->text = expanded(r, rest);
	return (true);
}

static bool
take_expected_field(struct reader *r, struct fm_text line, bool there)
{
	struct cases_field *f = take_memory(r, sizeof *f);

	f->name = expanded(r, cut_at(&line, ':'));
	if (there)
		f->value = expanded(r, fm_text_trim(line));
	*r->next_field = f;
	r->next_field = &f->next;
	return (true);
}

static bool
take_expect(struct reader *r, struct fm_text line)
{
	struct cases_expected *x = &r->one->expected;
	struct fm_text rest = line;

	if (cut_word(&rest, "verdict"))
		return (take_verdict(r, rest));
	if (cut_word(&rest, "header"))
		return (take_expected_field(r, rest, true));
	if (cut_word(&rest, "no header"))
		return (take_expected_field(r, rest, false));
	if (cut_word(&rest, "url"))
		x->url = expanded(r, rest);
	else if (cut_word(&rest, "backend"))
		x->backend = rest;
	else if (cut_word(&rest, "ruleset"))
		x->ruleset = rest;
	else if (cut_word(&rest, "no ruleset"))
		x->no_ruleset = true;
	else if (cut_word(&rest, "host"))
		x->host = rest;
	else if (cut_word(&rest, "no host"))
		x->no_host = true;
	else if (cut_word(&rest, "rule"))
		x->rule = rest;
	else if (cut_word(&rest, "scans"))
		return (take_number(rest, &x->scans));
	else if (cut_word(&rest, "undecided"))
		return (take_number(rest, &x->undecided));
	else if (cut_word(&rest, "ignored"))
		return (take_number(rest, &x->ignored));
	else
		return (wrong(r, "no such expectation", line));
	return (true);
}

/*--------------------------------------------------------------------
 * Sections
 */

static void
begin_file(struct reader *r, struct fm_text name)
{
	struct cases_file *file = take_memory(r, sizeof *file);

	file->name = fm_arena_add(&r->cases->arena, name);
	assert(file->name != NULL);
	*r->next_file = file;
	r->next_file = &file->next;
	r->text = &file->text;
	r->take = NULL;
	r->one = NULL;
}

static void
begin_group(struct reader *r, struct fm_text title)
{
	struct cases_group *group = take_memory(r, sizeof *group);

	group->line = r->at.line;
	group->title = title;
	*r->next_group = group;
	r->next_group = &group->next;
	r->group = group;
	r->next_file = &group->files;
	r->next_one = &group->ones;
	begin_file(r, fm_text_of(CASES_MAIN));
}

static void
begin_request(struct reader *r, struct fm_text title)
{
	struct cases_one *one = take_memory(r, sizeof *one);

	one->line = r->at.line;
	one->title = title;
	one->engines = CASES_EVERYWHERE;
	one->expected.scans = CASES_ANY;
	*r->next_one = one;
	r->next_one = &one->next;
	r->one = one;
	r->room = 0;
	r->take = take_request;
	r->next_field = &one->expected.fields;
}

static bool
begin_section(struct reader *r, struct fm_text line)
{
	struct fm_text rest = line;

	r->text = NULL;
	if (cut_word(&rest, "rules")) {
		begin_group(r, rest);
		return (true);
	}
	if (r->group == NULL)
		return (wrong(r, "rules come first", line));
	if (cut_word(&rest, "file"))
		begin_file(r, rest);
	else if (cut_word(&rest, "request"))
		begin_request(r, rest);
	else if (cut_word(&rest, "expect") && r->one != NULL &&
	    r->one->method.b != NULL && r->take == take_request)
		r->take = take_expect;
	else
		return (wrong(r, "this section does not belong here", line));
	return (true);
}

static bool
take_line(struct reader *r, struct fm_text line, const char *next)
{
	struct fm_text rest = line;

	if (cut_word(&rest, "==="))
		return (begin_section(r, rest));
	if (r->text != NULL) {
		if (r->text->b == NULL)
			r->text->b = line.b;
		r->text->len = (size_t)(next - r->text->b);
		return (true);
	}
	if (r->take == NULL || line.len == 0 || line.b[0] == '#')
		return (true);
	return (r->take(r, line));
}

struct cases *
cases_read(const char *path, struct fm_diag *diag)
{
	struct reader r = { .diag = diag, .at = { .name = path } };
	struct fm_text rest, line;
	bool ok = true;

	r.cases = calloc(1, sizeof *r.cases);
	assert(r.cases != NULL);
	r.cases->path = path;
	r.next_group = &r.cases->groups;
	r.cases->file = fm_file_read(path, CASES_FILE_MAX, NULL, diag);
	if (r.cases->file == NULL) {
		cases_free(&r.cases);
		return (NULL);
	}
	rest = fm_text(r.cases->file->bytes, r.cases->file->len);
	while (rest.len > 0) {
		line = cut_at(&rest, '\n');
		r.at.line++;
		ok = take_line(&r, line, rest.b) && ok;
	}
	if (!ok || r.cases->groups == NULL) {
		fm_diag_error(diag, &r.at, "no cases");
		cases_free(&r.cases);
	}
	return (r.cases);
}

void
cases_free(struct cases **cp)
{
	struct cases *c = *cp;

	*cp = NULL;
	if (c == NULL)
		return;
	fm_arena_fini(&c->arena);
	if (c->file != NULL)
		fm_file_free(&c->file);
	free(c);
}

struct fm_view
cases_view(const struct cases_one *one)
{
	struct fm_view view = {
		.method = one->method,
		.url = one->url,
		.proto = one->proto,
		.fields = one->fields,
		.nfields = one->nfields,
		.esi = one->esi
	};
	struct fm_text client = one->client.b != NULL ? one->client :
	    fm_text_of("127.0.0.1");

	if (!fm_addr_parse(client, &view.client))
		view.client.len = 0;
	return (view);
}
