/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements that strip parameters from the URL, or cookies: `query drop`,
 * `query keep`, `cookie drop` or `cookie keep` instead.
 *
 * Nobody can see from a regex that it does just that.  So names are taken
 * from the regexes, and both forms are tried on many URLs, or cookies, as
 * browsers send them; they must agree on all of them, and these must show what
 * each condition and each regex does.
 *
 * They never agree on all that a client can send: rules decode names, leave no
 * stray `?`, know parameters without `=`.  So it is for --well-formed, noted in
 * the rule file; without that it is a hint what to write instead.
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "import.h"
#include "names.h"
#include "params.h"

#define STRIP_TRIALS	1500
#define STRIP_TEXT	2048

struct strip {
	struct fm_import	*im;
	struct fm_trial		trial;
	const struct fm_vstmt	*first;
	size_t			n;
	bool			cookie, keep;
	struct fm_usual		usual;
	struct fm_text		names[FM_USUAL_WORDS];	/* those stripped */
	size_t			nnames;
	struct fm_names		*set;
};

/*--------------------------------------------------------------------
 * Both forms
 */

static bool
run_vcl(struct strip *strip, struct fm_text in, struct fm_text *out)
{
	strip->trial.text = in;
	if (!fm_trial_run(&strip->trial, strip->first, strip->n))
		return (false);
	*out = strip->trial.text;
	return (true);
}

static struct fm_text
run_rules(struct strip *strip, struct fm_text in, char *buf, size_t cap)
{
	struct fm_params params = { .names = strip->set,
	    .mode = strip->keep ? FM_PARAMS_KEEP : FM_PARAMS_DROP };
	struct fm_text out = in;

	if (strip->cookie)
		(void)fm_params_cookies(&params, in, buf, cap, &out);
	else
		(void)fm_params_query(&params, in, buf, cap, &out);
	/* No cookie left: no header. */
	return (strip->cookie && out.len == 0 ? fm_text(NULL, 0) : out);
}

static bool
agree(struct strip *strip, struct fm_text in)
{
	char buf[2 * STRIP_TEXT];
	struct fm_text vcl, rules;

	if (!run_vcl(strip, in, &vcl))
		return (false);
	rules = run_rules(strip, in, buf, sizeof buf);
	return ((vcl.b == NULL) == (rules.b == NULL) &&
	    fm_text_eq(vcl, rules));
}

/*--------------------------------------------------------------------
 * Names
 */

/* Whether VCL takes out the one that is called so; -1: neither. */
static int
strips(struct strip *strip, const char *name)
{
	const char *in = fm_import_printf(strip->im, strip->cookie ?
	    "%s=1; zz1=2" : "/p?%s=1&zz1=2", name);
	struct fm_text out;

	if (!run_vcl(strip, fm_text_of(in), &out))
		return (-1);
	if (fm_text_is(out, in))
		return (0);
	if (out.b != NULL && memmem(out.b, out.len, name, strlen(name)) == NULL)
		return (1);
	return (out.b == NULL ? 1 : -1);
}

/* What is not named: does it go, or stay? */
static bool
names_choose(struct strip *strip)
{
	size_t i;
	int gone = strips(strip, "zzq");

	strip->keep = gone == 1;
	strip->nnames = 0;
	for (i = 0; i < strip->usual.nwords; i++) {
		struct fm_text word = strip->usual.words[i];
		int it = strips(strip, fm_usual_name(&strip->usual, word));

		if (strip->keep) {
			/* zz1 goes as well, so that is no "same". */
			const char *in = fm_usual_name(&strip->usual, word);
			struct fm_text out;

			in = fm_import_printf(strip->im, strip->cookie ?
			    "%s=1" : "/p?%s=1", in);
			it = !run_vcl(strip, fm_text_of(in), &out) ||
			    !fm_text_is(out, in);
			if (it == 0)
				strip->names[strip->nnames++] = word;
		} else if (it == 1) {
			strip->names[strip->nnames++] = word;
		}
	}
	return (strip->nnames > 0);
}

static bool
names_make(struct strip *strip)
{
	static const struct fm_place nowhere = { "a trial", 0, 0, 0 };
	struct fm_names_builder *b = fm_names_build_new();
	bool good = b != NULL;
	size_t i;

	for (i = 0; good && i < strip->nnames; i++)
		good = fm_names_build_add(b, strip->names[i], &nowhere,
		    NULL) == 0;
	strip->set = good ? fm_names_build(b, &nowhere, NULL) : NULL;
	if (b != NULL)
		fm_names_build_free(&b);
	return (strip->set != NULL);
}

/*--------------------------------------------------------------------
 * What is tried
 */

static bool
agree_on_all(struct strip *strip)
{
	struct fm_import *im = strip->im;
	const struct fm_expr *unseen;
	struct fm_text text;
	unsigned n;

	fm_trial_forget(&strip->trial);
	for (n = 0; n < STRIP_TRIALS; n++) {
		text = fm_usual_text(&strip->usual);
		if (!agree(strip, text))
			return (fm_import_refuse(im, &strip->first->at,
			    "it is not quite a `%s %s`: '%.*s' would be "
			    "another", strip->cookie ? "cookie" : "query",
			    strip->keep ? "keep" : "drop", (int)text.len,
			    text.b));
	}
	/* No header at all must stay none. */
	if (strip->cookie && !agree(strip, fm_text(NULL, 0)))
		return (fm_import_refuse(im, &strip->first->at,
		    "it makes an empty Cookie header of none"));
	unseen = fm_trial_unseen(&strip->trial, strip->first, strip->n);
	if (unseen != NULL)
		return (fm_import_refuse(im, &strip->first->at,
		    "whether it is a `%s %s` can't be told: nothing tried "
		    "shows what line %u does", strip->cookie ? "cookie" :
		    "query", strip->keep ? "keep" : "drop",
		    unseen->at.line));
	return (true);
}

/*--------------------------------------------------------------------
 * Statements
 */

static bool
try(struct strip *strip)
{
	struct fm_text out;

	memset(&strip->usual, 0, sizeof strip->usual);
	strip->usual.im = strip->im;
	strip->usual.cookie = strip->cookie;
	strip->usual.seed = 1;
	strip->set = NULL;
	if (!run_vcl(strip, fm_text_of(strip->cookie ? "a=1" : "/a?b=1"),
	    &out))
		return (false);
	fm_trial_regexes(&strip->trial, strip->first, strip->n,
	    fm_usual_regex, &strip->usual);
	return (names_choose(strip) && names_make(strip) &&
	    agree_on_all(strip));
}

static void
put(struct strip *strip, unsigned tabs, FILE *to)
{
	struct fm_plain names = { .v = strip->names, .n = strip->nnames };

	fm_import_tabs_put(tabs, to);
	fprintf(to, "%s %s", strip->cookie ? "cookie" : "query",
	    strip->keep ? "keep" : "drop");
	fm_import_words_put(&names, tabs, to);
	fputs(";\n", to);
	strip->im->joins_seen |= strip->cookie;
	strip->im->notes |= strip->cookie ? FM_NOTE_COOKIE : FM_NOTE_QUERY;
	strip->im->weight += 2;
}

/* What to write instead, if other requests don't count. */
static void
hint(struct strip *strip, unsigned tabs, FILE *to)
{
	struct fm_import *im = strip->im;
	const struct fm_vstmt *s = strip->first;
	char *text = NULL;
	size_t i, len;
	FILE *words = fm_import_memory(&text, &len);

	fprintf(words, "%s %s", strip->cookie ? "cookie" : "query",
	    strip->keep ? "keep" : "drop");
	for (i = 0; i < strip->nnames; i++) {
		fputc(' ', words);
		fm_import_word_put(strip->names[i], words);
	}
	(void)fclose(words);
	if (strip->cookie) {
		(void)fm_import_refuse(im, &s->at, "`%s` is the same only "
		    "for cookies as browsers send them (see --well-formed)",
		    text);
	} else {
		fm_import_tabs_put(tabs, to);
		fprintf(to, "# As browsers send it: %s;\n", text);
	}
	free(text);
	im->hinted_first = s->first;
	for (i = 1; i < strip->n; i++)
		s = s->next;
	im->hinted_last = s->last;
}

/* What a set or a block is about; false: neither the URL nor Cookie. */
static bool
subject_of(struct fm_import *im, const struct fm_vstmt *s, bool *cookie)
{
	if (s->kind == FM_VSTMT_IF) {
		for (s = s->arms->body; s != NULL; s = s->next)
			if (subject_of(im, s, cookie))
				return (true);
		return (false);
	}
	if (s->kind != FM_VSTMT_SET || s->value->kind != FM_EXPR_CALL)
		return (false);
	*cookie = fm_text_eq_nocase(s->name, fm_text_of("req.http.Cookie"));
	return (*cookie || fm_text_is(s->name, "req.url"));
}

/* How many statements from here on are of this subject alone. */
static size_t
run_length(struct strip *strip)
{
	const struct fm_vstmt *s;
	size_t n = 0;

	for (s = strip->first; s != NULL; s = s->next, n++) {
		strip->trial.text = fm_text_of("a=1");
		if (!fm_trial_run(&strip->trial, s, 1))
			break;
	}
	return (n);
}

size_t
fm_import_strip(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	struct strip *strip;
	const char *why = im->why;
	bool cookie, good = false;
	size_t n = 0;

	if (!subject_of(im, s, &cookie) || (s->first >= im->hinted_first &&
	    s->last <= im->hinted_last))
		return (0);
	strip = fm_cli_alloc(sizeof *strip);
	strip->im = strip->trial.im = im;
	strip->first = s;
	strip->cookie = cookie;
	strip->trial.name = fm_text_of(cookie ? "req.http.Cookie" : "req.url");
	for (n = run_length(strip); n > 0 && !good; n--) {
		strip->n = n;
		im->why = why;
		good = try(strip);
		if (good && im->well_formed)
			put(strip, tabs, to);
		else if (good)
			hint(strip, tabs, to);
		if (strip->set != NULL)
			fm_names_free(&strip->set);
	}
	fm_trial_fini(&strip->trial);
	n = good && im->well_formed ? strip->n : 0;
	free(strip);
	/* Of a rewrite of the URL its own reason says more. */
	if (n > 0 || (!good && !cookie))
		im->why = why;
	if (n > 0) {
		im->url_rooted &= cookie;
		if (cookie)
			fm_import_forget(im, fm_text_of("Cookie"));
	}
	return (n);
}
