/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of .report().
 */

#include <stdlib.h>
#include <string.h>

#include "jsonbuf.h"
#include "obj.h"
#include "rules_report.h"

struct report {
	struct fm_jsonbuf	out;
	const struct fm_program	*program;	/* or NULL: then */
	size_t			nrules;		/* there are none */
	size_t			nhosts;
	uint64_t		*totals;	/* rules, hosts; or NULL */
	bool			any;		/* keys */
};

/*--------------------------------------------------------------------
 * The layout: a key of the top to a line, and of a list an element.
 */

static void
report_key(struct report *r, const char *key)
{
	fm_jsonbuf_raw(&r->out, r->any ? ",\n  \"" : "{\n  \"");
	fm_jsonbuf_raw(&r->out, key);
	fm_jsonbuf_raw(&r->out, "\": ");
	r->any = true;
}

/* Before each element, of which this is the n-th, from 0; and at the end. */
static void
list_next(struct report *r, const char *indent, size_t n)
{
	fm_jsonbuf_raw(&r->out, n == 0 ? "[\n" : ",\n");
	fm_jsonbuf_raw(&r->out, indent);
	fm_jsonbuf_raw(&r->out, "  ");
}

static void
list_end(struct report *r, const char *indent, size_t n)
{
	if (n == 0) {
		fm_jsonbuf_raw(&r->out, "[]");
		return;
	}
	fm_jsonbuf_raw(&r->out, "\n");
	fm_jsonbuf_raw(&r->out, indent);
	fm_jsonbuf_raw(&r->out, "]");
}

/*--------------------------------------------------------------------
 * How the live is
 */

static void
report_backup(struct report *r, const struct fm_live_state *state)
{
	report_key(r, "backup");
	if (state->backup == NULL) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\"path\": ");
	fm_jsonbuf_string(&r->out, state->backup);
	fm_jsonbuf_raw(&r->out, ", \"serving\": ");
	fm_jsonbuf_bool(&r->out, state->facts.backup);
	fm_jsonbuf_raw(&r->out, "}");
}

static const char *
reload_word(enum fm_reload reload)
{
	switch (reload) {
	case FM_RELOAD_NEVER:
		return ("never");
	case FM_RELOAD_SWAPPED:
		return ("swapped");
	case FM_RELOAD_UNCHANGED:
		return ("unchanged");
	case FM_RELOAD_REFUSED:
		return ("refused");
	}
	assert(!"a kind of reload");
	return (NULL);
}

static void
report_diag(struct report *r, const struct fm_diag *diag)
{
	const char *line;
	unsigned n;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++) {
		list_next(r, "  ", n);
		fm_jsonbuf_string(&r->out, line);
	}
	list_end(r, "  ", n);
}

static void
report_reload(struct report *r, const struct fm_live_state *state)
{
	report_key(r, "last_reload");
	fm_jsonbuf_raw(&r->out, "{\"result\": ");
	fm_jsonbuf_string(&r->out, reload_word(state->last));
	fm_jsonbuf_raw(&r->out, ", \"at\": ");
	fm_jsonbuf_time(&r->out,
	    state->last == FM_RELOAD_NEVER ? 0 : state->last_at);
	fm_jsonbuf_raw(&r->out, "}");
	report_key(r, "last_error");
	if (state->diag == NULL) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\"at\": ");
	fm_jsonbuf_time(&r->out, state->last_at);
	fm_jsonbuf_raw(&r->out, ", \"errors\": ");
	fm_jsonbuf_number(&r->out, state->errors);
	fm_jsonbuf_raw(&r->out, ", \"messages\": ");
	report_diag(r, state->diag);
	fm_jsonbuf_raw(&r->out, "}");
}

static void
report_head(struct report *r, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_version *version = state->version;

	report_key(r, "name");
	fm_jsonbuf_string(&r->out, what->name);
	report_key(r, "vcl");
	fm_jsonbuf_string(&r->out, what->vcl);
	report_key(r, "path");
	fm_jsonbuf_string(&r->out, what->path);
	report_key(r, "generation");
	fm_jsonbuf_number(&r->out, version == NULL ? 0 : version->generation);
	report_key(r, "digest");
	fm_jsonbuf_string(&r->out,
	    version == NULL ? NULL : version->set->digest);
	report_key(r, "loaded_at");
	fm_jsonbuf_time(&r->out, (time_t)state->facts.loaded_at);
	report_key(r, "watch");
	fm_jsonbuf_seconds(&r->out, state->watch);
	report_backup(r, state);
	report_key(r, "followers");
	fm_jsonbuf_number(&r->out, state->followers);
	report_reload(r, state);
}

/*--------------------------------------------------------------------
 * The set that serves
 */

static void
report_file(struct report *r, const struct fm_source *source)
{
	char digest[FM_DIGEST_LEN];

	fm_jsonbuf_raw(&r->out, "{\"path\": ");
	fm_jsonbuf_string(&r->out, source->path);
	if (source->error != 0) {
		fm_jsonbuf_raw(&r->out, ", \"error\": ");
		fm_jsonbuf_string(&r->out, strerror(source->error));
	} else {
		fm_jsonbuf_raw(&r->out, ", \"digest\": ");
		fm_jsonbuf_string(&r->out,
		    fm_digest_print(source->hash, digest));
		fm_jsonbuf_raw(&r->out, ", \"bytes\": ");
		fm_jsonbuf_number(&r->out, (uint64_t)source->st.st_size);
		fm_jsonbuf_raw(&r->out, ", \"modified\": ");
		fm_jsonbuf_time(&r->out, source->st.st_mtim.tv_sec);
	}
	fm_jsonbuf_raw(&r->out, "}");
}

static void
report_files(struct report *r, const struct fm_sources *sources)
{
	const struct fm_source *source;
	size_t n = 0;

	report_key(r, "files");
	source = sources == NULL ? NULL : fm_sources_first(sources);
	for (; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		list_next(r, "  ", n++);
		report_file(r, source);
	}
	list_end(r, "  ", n);
}

static void
report_counts(struct report *r, const struct fm_set_facts *facts)
{
	report_key(r, "counts");
	fm_jsonbuf_raw(&r->out, "{\"hosts\": ");
	fm_jsonbuf_number(&r->out, facts->hosts);
	fm_jsonbuf_raw(&r->out, ", \"patterns\": ");
	fm_jsonbuf_number(&r->out, facts->patterns);
	fm_jsonbuf_raw(&r->out, ", \"rules\": ");
	fm_jsonbuf_number(&r->out, facts->rules);
	fm_jsonbuf_raw(&r->out, ", \"bytes\": ");
	fm_jsonbuf_number(&r->out, facts->bytes);
	fm_jsonbuf_raw(&r->out, "}");
}

/*--------------------------------------------------------------------
 * What was counted
 */

static void
put_hits(struct report *r, size_t counter)
{
	fm_jsonbuf_raw(&r->out, ", \"hits\": ");
	if (r->totals == NULL)
		fm_jsonbuf_raw(&r->out, "null");
	else
		fm_jsonbuf_number(&r->out, r->totals[counter]);
}

static void
put_rule(struct report *r, size_t n, bool hits)
{
	const struct fm_rule *rule;
	uint32_t counter;

	if (!fm_program_rule(r->program, (uint32_t)n, &rule, &counter))
		assert(!"a rule");
	fm_jsonbuf_raw(&r->out, "{\"at\": ");
	fm_jsonbuf_string(&r->out, rule->place);
	fm_jsonbuf_raw(&r->out, ", \"text\": ");
	fm_jsonbuf_string(&r->out, rule->text);
	if (hits)
		put_hits(r, n);
	fm_jsonbuf_raw(&r->out, "}");
}

static void
put_host(struct report *r, size_t n)
{
	uint32_t counter;

	fm_jsonbuf_string(&r->out,
	    fm_program_host(r->program, (uint32_t)n, &counter));
}

static void
report_never_hit(struct report *r)
{
	size_t n, listed;

	report_key(r, "never_hit");
	if (r->totals == NULL) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\n    \"rules\": ");
	for (n = listed = 0; n < r->nrules; n++)
		if (r->totals[n] == 0) {
			list_next(r, "    ", listed++);
			put_rule(r, n, false);
		}
	list_end(r, "    ", listed);
	fm_jsonbuf_raw(&r->out, ",\n    \"hosts\": ");
	for (n = listed = 0; n < r->nhosts; n++)
		if (r->totals[r->nrules + n] == 0) {
			list_next(r, "    ", listed++);
			put_host(r, n);
		}
	list_end(r, "    ", listed);
	fm_jsonbuf_raw(&r->out, "\n  }");
}

static void
report_hits(struct report *r)
{
	size_t n;

	report_key(r, "rules");
	for (n = 0; n < r->nrules; n++) {
		list_next(r, "  ", n);
		put_rule(r, n, true);
	}
	list_end(r, "  ", n);
	report_key(r, "hosts");
	for (n = 0; n < r->nhosts; n++) {
		list_next(r, "  ", n);
		fm_jsonbuf_raw(&r->out, "{\"host\": ");
		put_host(r, n);
		put_hits(r, r->nrules + n);
		fm_jsonbuf_raw(&r->out, "}");
	}
	list_end(r, "  ", n);
}

/*--------------------------------------------------------------------
 * The shadow
 */

/* Before a key that isn't the first one of an object on lines of its own. */
static void
next_key(struct report *r, const char *key)
{
	fm_jsonbuf_raw(&r->out, ",\n    \"");
	fm_jsonbuf_raw(&r->out, key);
	fm_jsonbuf_raw(&r->out, "\": ");
}

static void
put_errors(struct report *r, const struct fm_shadow_told *told)
{
	const char *line = told->messages, *end;
	size_t n;

	next_key(r, "last_error");
	if (told->errors == 0) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\"at\": ");
	fm_jsonbuf_time(&r->out, told->loaded_at);
	fm_jsonbuf_raw(&r->out, ", \"errors\": ");
	fm_jsonbuf_number(&r->out, told->errors);
	fm_jsonbuf_raw(&r->out, ", \"messages\": ");
	for (n = 0; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		list_next(r, "    ", n++);
		fm_jsonbuf_text(&r->out, fm_text_span(line, end));
	}
	list_end(r, "    ", n);
	fm_jsonbuf_raw(&r->out, "}");
}

static void
put_side(struct report *r, const char *side, const struct fm_shadow_rule *rule)
{
	fm_jsonbuf_raw(&r->out, ", \"");
	fm_jsonbuf_raw(&r->out, side);
	fm_jsonbuf_raw(&r->out, "\": ");
	if (rule->at == NULL) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\"at\": ");
	fm_jsonbuf_string(&r->out, rule->at);
	fm_jsonbuf_raw(&r->out, ", \"text\": ");
	fm_jsonbuf_string(&r->out, rule->text);
	fm_jsonbuf_raw(&r->out, "}");
}

/* Without the brace that ends it. */
static void
put_difference(struct report *r, const struct fm_shadow_cell *cell)
{
	fm_jsonbuf_raw(&r->out, "{\"kind\": ");
	fm_jsonbuf_string(&r->out, cell->kind);
	fm_jsonbuf_raw(&r->out, ", \"header\": ");
	fm_jsonbuf_string(&r->out, cell->header);
	fm_jsonbuf_raw(&r->out, ", \"host\": ");
	fm_jsonbuf_string(&r->out, cell->host);
	put_side(r, "serving", &cell->rules[FM_OLD]);
	put_side(r, "shadow", &cell->rules[FM_NEW]);
}

static void
put_names(struct report *r, const char *key, const char * const *names,
    size_t n)
{
	size_t i;

	fm_jsonbuf_raw(&r->out, ", \"");
	fm_jsonbuf_raw(&r->out, key);
	fm_jsonbuf_raw(&r->out, "\": [");
	for (i = 0; i < n; i++) {
		fm_jsonbuf_raw(&r->out, i == 0 ? "" : ", ");
		fm_jsonbuf_string(&r->out, names[i]);
	}
	fm_jsonbuf_raw(&r->out, "]");
}

static void
put_example(struct report *r, const struct fm_shadow_example *example)
{
	size_t i;

	fm_jsonbuf_raw(&r->out, "{\"at\": ");
	fm_jsonbuf_time(&r->out, example->at);
	fm_jsonbuf_raw(&r->out, ", \"method\": ");
	fm_jsonbuf_string(&r->out, example->method);
	fm_jsonbuf_raw(&r->out, ", \"host\": ");
	fm_jsonbuf_string(&r->out, example->host);
	fm_jsonbuf_raw(&r->out, ", \"path\": ");
	fm_jsonbuf_string(&r->out, example->path);
	put_names(r, "params", example->params, example->nparams);
	put_names(r, "headers", example->headers, example->nheaders);
	fm_jsonbuf_raw(&r->out, ", \"tested\": [");
	for (i = 0; i < example->ntested; i++) {
		fm_jsonbuf_raw(&r->out, i == 0 ? "{\"header\": " :
		    ", {\"header\": ");
		fm_jsonbuf_string(&r->out, example->tested[i].name);
		fm_jsonbuf_raw(&r->out, ", \"value\": ");
		fm_jsonbuf_string(&r->out, example->tested[i].value);
		fm_jsonbuf_raw(&r->out, "}");
	}
	fm_jsonbuf_raw(&r->out, "], \"differences\": ");
	for (i = 0; i < example->ncells; i++) {
		list_next(r, "      ", i);
		put_difference(r, example->cells[i]);
		fm_jsonbuf_raw(&r->out, "}");
	}
	list_end(r, "      ", i);
	fm_jsonbuf_raw(&r->out, "}");
}

static void
put_differences(struct report *r, const struct fm_shadow_told *told)
{
	size_t i;

	next_key(r, "differences");
	for (i = 0; i < told->ncells; i++) {
		list_next(r, "    ", i);
		put_difference(r, told->cells[i]);
		fm_jsonbuf_raw(&r->out, ", \"requests\": ");
		fm_jsonbuf_number(&r->out, told->cells[i]->requests);
		fm_jsonbuf_raw(&r->out, "}");
	}
	list_end(r, "    ", i);
	next_key(r, "examples");
	for (i = 0; i < told->nexamples; i++) {
		list_next(r, "    ", i);
		put_example(r, &told->examples[i]);
	}
	list_end(r, "    ", i);
}

static void
report_shadow(struct report *r, const struct fm_shadow_told *told)
{
	report_key(r, "shadow");
	if (told == NULL) {
		fm_jsonbuf_raw(&r->out, "null");
		return;
	}
	fm_jsonbuf_raw(&r->out, "{\n    \"path\": ");
	fm_jsonbuf_string(&r->out, told->path);
	next_key(r, "digest");
	fm_jsonbuf_string(&r->out, told->digest);
	next_key(r, "generation");
	fm_jsonbuf_number(&r->out, told->generation);
	next_key(r, "loaded_at");
	fm_jsonbuf_time(&r->out, told->loaded_at);
	put_errors(r, told);
	next_key(r, "sample");
	fm_jsonbuf_share(&r->out, told->sample);
	next_key(r, "since");
	fm_jsonbuf_time(&r->out, told->since);
	next_key(r, "sampled");
	fm_jsonbuf_number(&r->out, told->sampled);
	next_key(r, "differ");
	fm_jsonbuf_number(&r->out, told->differ);
	next_key(r, "no_memory");
	fm_jsonbuf_number(&r->out, told->no_memory);
	next_key(r, "unattributed");
	fm_jsonbuf_number(&r->out, told->unattributed);
	next_key(r, "other");
	fm_jsonbuf_number(&r->out, told->other);
	put_differences(r, told);
	fm_jsonbuf_raw(&r->out, "\n  }");
}

/*--------------------------------------------------------------------*/

/* 0, or -1: no memory. */
static int
report_totals(struct report *r, const struct fm_hits *hits)
{
	if (hits == NULL)
		return (0);
	/* One more, so that there is something to allocate. */
	r->totals = calloc(r->nrules + r->nhosts + 1, sizeof *r->totals);
	if (r->totals == NULL || fm_hits_totals(hits, r->totals) != 0)
		return (-1);
	return (0);
}

static void
report_print(struct report *r, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_set *set =
	    state->version == NULL ? NULL : state->version->set;

	report_head(r, what, state);
	report_key(r, "warnings");
	report_diag(r, set == NULL ? NULL : set->diag);
	report_files(r, set == NULL ? NULL : set->sources);
	report_counts(r, set == NULL ? &state->facts.set : &set->facts);
	report_never_hit(r);
	report_hits(r);
	report_shadow(r, what->shadow);
	fm_jsonbuf_raw(&r->out, "\n}\n");
}

char *
fm_rules_report(const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	struct report r = { .program = what->program };
	char *text = NULL;

	assert(what->program != NULL || what->hits == NULL);
	if (r.program != NULL) {
		r.nrules = fm_program_nrules(r.program);
		r.nhosts = fm_program_hosts(r.program);
	}
	if (report_totals(&r, what->hits) == 0) {
		report_print(&r, what, state);
		text = fm_jsonbuf_finish(&r.out);
	}
	free(r.totals);
	return (text);
}
