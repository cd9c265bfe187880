/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the JSON of .report(): the live, the set that serves, the hits of
 * rules and hosts, and the shadow.
 */

#include <stdlib.h>
#include <string.h>

#include "jsonbuf.h"
#include "obj.h"
#include "rules_report.h"

struct report {
	struct fm_jsonbuf	out;
	const struct fm_program	*program;	/* NULL: no version serves,
						 * and the numbers are 0 */
	size_t			nrules;
	size_t			nhosts;
	uint64_t		*totals;	/* hits: of rules, then hosts;
						 * NULL: not counted */
};

#define put(r, ...)	fm_jsonbuf_print(&(r)->out, __VA_ARGS__)
#define put_raw(r, s)	fm_jsonbuf_raw(&(r)->out, s)

/*--------------------------------------------------------------------
 * Lists, with each element on a line
 */

/* Begins element n of a list, from 0; list_end() takes the number of all. */
static void
list_next(struct report *r, const char *indent, size_t n)
{
	put_raw(r, n == 0 ? "[\n" : ",\n");
	put_raw(r, indent);
	put_raw(r, "  ");
}

static void
list_end(struct report *r, const char *indent, size_t n)
{
	if (n == 0) {
		put_raw(r, "[]");
		return;
	}
	put_raw(r, "\n");
	put_raw(r, indent);
	put_raw(r, "]");
}

/*--------------------------------------------------------------------
 * The state of the live
 */

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
		put(r, "%s", line);
	}
	list_end(r, "  ", n);
}

static void
report_head(struct report *r, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_version *version = state->version;

	put(r, "{\n  \"name\": %s,\n  \"vcl\": %s,\n  \"path\": %s",
	    what->name, what->vcl, what->path);
	put(r, ",\n  \"generation\": %ju,\n  \"digest\": %s",
	    (uintmax_t)(version == NULL ? 0 : version->generation),
	    version == NULL ? NULL : version->set->digest);
	put(r, ",\n  \"loaded_at\": %jd,\n  \"watch\": %.3f",
	    (intmax_t)state->facts.loaded_at, state->watch);
	put_raw(r, ",\n  \"backup\": ");
	if (state->backup == NULL)
		put_raw(r, "null");
	else
		put(r, state->facts.backup ?
		    "{\"path\": %s, \"serving\": true}" :
		    "{\"path\": %s, \"serving\": false}", state->backup);
	put(r, ",\n  \"followers\": %ju,\n  \"last_reload\": "
	    "{\"result\": %s, \"at\": %jd},\n  \"last_error\": ",
	    (uintmax_t)state->followers, reload_word(state->last),
	    (intmax_t)(state->last == FM_RELOAD_NEVER ? 0 : state->last_at));
	if (state->diag == NULL) {
		put_raw(r, "null");
		return;
	}
	put(r, "{\"at\": %jd, \"errors\": %ju, \"messages\": ",
	    (intmax_t)state->last_at, (uintmax_t)state->errors);
	report_diag(r, state->diag);
	put_raw(r, "}");
}

/*--------------------------------------------------------------------
 * The set that serves
 */

static void
report_files(struct report *r, const struct fm_sources *sources)
{
	const struct fm_source *source;
	char digest[FM_DIGEST_LEN];
	size_t n = 0;

	put_raw(r, ",\n  \"files\": ");
	source = sources == NULL ? NULL : fm_sources_first(sources);
	for (; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		list_next(r, "  ", n++);
		put(r, "{\"path\": %s", source->path);
		if (source->error != 0)
			put(r, ", \"error\": %s}", strerror(source->error));
		else
			put(r, ", \"digest\": %s, \"bytes\": %ju, "
			    "\"modified\": %jd}",
			    fm_digest_print(source->hash, digest),
			    (uintmax_t)source->st.st_size,
			    (intmax_t)source->st.st_mtim.tv_sec);
	}
	list_end(r, "  ", n);
}

/*--------------------------------------------------------------------
 * Hits of rules and hosts
 */

static void
put_hits(struct report *r, size_t counter)
{
	if (r->totals == NULL)
		put_raw(r, ", \"hits\": null}");
	else
		put(r, ", \"hits\": %ju}", (uintmax_t)r->totals[counter]);
}

/* Writes a rule without the brace at its end. */
static void
put_rule(struct report *r, size_t n)
{
	const struct fm_rule *rule;

	if (!fm_program_rule(r->program, (uint32_t)n, &rule, NULL))
		assert(!"a rule");
	put(r, "{\"at\": %s, \"text\": %s", rule->place, rule->text);
}

static const char *
host_name(const struct report *r, size_t n)
{
	return (fm_program_host(r->program, (uint32_t)n, NULL));
}

static void
report_never_hit(struct report *r)
{
	size_t n, listed;

	if (r->totals == NULL) {
		put_raw(r, ",\n  \"never_hit\": null");
		return;
	}
	put_raw(r, ",\n  \"never_hit\": {\n    \"rules\": ");
	for (n = listed = 0; n < r->nrules; n++)
		if (r->totals[n] == 0) {
			list_next(r, "    ", listed++);
			put_rule(r, n);
			put_raw(r, "}");
		}
	list_end(r, "    ", listed);
	put_raw(r, ",\n    \"hosts\": ");
	for (n = listed = 0; n < r->nhosts; n++)
		if (r->totals[r->nrules + n] == 0) {
			list_next(r, "    ", listed++);
			put(r, "%s", host_name(r, n));
		}
	list_end(r, "    ", listed);
	put_raw(r, "\n  }");
}

static void
report_hits(struct report *r)
{
	size_t n;

	put_raw(r, ",\n  \"rules\": ");
	for (n = 0; n < r->nrules; n++) {
		list_next(r, "  ", n);
		put_rule(r, n);
		put_hits(r, n);
	}
	list_end(r, "  ", n);
	put_raw(r, ",\n  \"hosts\": ");
	for (n = 0; n < r->nhosts; n++) {
		list_next(r, "  ", n);
		put(r, "{\"host\": %s", host_name(r, n));
		put_hits(r, r->nrules + n);
	}
	list_end(r, "  ", n);
}

/*--------------------------------------------------------------------
 * The shadow
 */

static void
put_errors(struct report *r, const struct fm_shadow_told *told)
{
	const char *line = told->messages, *end;
	size_t n;

	put_raw(r, ",\n    \"last_error\": ");
	if (told->errors == 0) {
		put_raw(r, "null");
		return;
	}
	put(r, "{\"at\": %jd, \"errors\": %ju, \"messages\": ",
	    (intmax_t)told->loaded_at, (uintmax_t)told->errors);
	for (n = 0; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		list_next(r, "    ", n++);
		fm_jsonbuf_text(&r->out, fm_text_span(line, end));
	}
	list_end(r, "    ", n);
	put_raw(r, "}");
}

static void
put_side(struct report *r, const struct fm_shadow_rule *rule)
{
	if (rule->at == NULL)
		put_raw(r, "null");
	else
		put(r, "{\"at\": %s, \"text\": %s}", rule->at, rule->text);
}

/* Writes a difference without the brace at its end. */
static void
put_difference(struct report *r, const struct fm_shadow_cell *cell)
{
	put(r, "{\"kind\": %s, \"header\": %s, \"host\": %s, "
	    "\"serving\": ", cell->kind, cell->header, cell->host);
	put_side(r, &cell->rules[FM_OLD]);
	put_raw(r, ", \"shadow\": ");
	put_side(r, &cell->rules[FM_NEW]);
}

static void
put_names(struct report *r, const char * const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(r, i == 0 ? "%s" : ", %s", names[i]);
}

static void
put_example(struct report *r, const struct fm_shadow_example *example)
{
	size_t i;

	put(r, "{\"at\": %jd, \"method\": %s, \"host\": %s, \"path\": %s, "
	    "\"params\": [", (intmax_t)example->at, example->method,
	    example->host, example->path);
	put_names(r, example->params, example->nparams);
	put_raw(r, "], \"headers\": [");
	put_names(r, example->headers, example->nheaders);
	put_raw(r, "], \"tested\": [");
	for (i = 0; i < example->ntested; i++)
		put(r, i == 0 ? "{\"header\": %s, \"value\": %s}" :
		    ", {\"header\": %s, \"value\": %s}",
		    example->tested[i].name, example->tested[i].value);
	put_raw(r, "], \"differences\": ");
	for (i = 0; i < example->ncells; i++) {
		list_next(r, "      ", i);
		put_difference(r, example->cells[i]);
		put_raw(r, "}");
	}
	list_end(r, "      ", i);
	put_raw(r, "}");
}

static void
put_differences(struct report *r, const struct fm_shadow_told *told)
{
	size_t i;

	put_raw(r, ",\n    \"differences\": ");
	for (i = 0; i < told->ncells; i++) {
		list_next(r, "    ", i);
		put_difference(r, told->cells[i]);
		put(r, ", \"requests\": %ju}",
		    (uintmax_t)told->cells[i]->requests);
	}
	list_end(r, "    ", i);
	put_raw(r, ",\n    \"examples\": ");
	for (i = 0; i < told->nexamples; i++) {
		list_next(r, "    ", i);
		put_example(r, &told->examples[i]);
	}
	list_end(r, "    ", i);
}

static void
report_shadow(struct report *r, const struct fm_shadow_told *told)
{
	put_raw(r, ",\n  \"shadow\": ");
	if (told == NULL) {
		put_raw(r, "null");
		return;
	}
	put(r, "{\n    \"path\": %s,\n    \"digest\": %s"
	    ",\n    \"generation\": %ju,\n    \"loaded_at\": %jd",
	    told->path, told->digest, (uintmax_t)told->generation,
	    (intmax_t)told->loaded_at);
	put_errors(r, told);
	put(r, ",\n    \"sample\": %.6f,\n    \"since\": %jd"
	    ",\n    \"sampled\": %ju,\n    \"differ\": %ju"
	    ",\n    \"no_memory\": %ju,\n    \"unattributed\": %ju"
	    ",\n    \"other\": %ju", told->sample, (intmax_t)told->since,
	    (uintmax_t)told->sampled, (uintmax_t)told->differ,
	    (uintmax_t)told->no_memory, (uintmax_t)told->unattributed,
	    (uintmax_t)told->other);
	put_differences(r, told);
	put_raw(r, "\n  }");
}

/*--------------------------------------------------------------------*/

/* Reads the hits.  Returns 0, or -1 if there is no memory. */
static int
report_totals(struct report *r, const struct fm_hits *hits)
{
	if (hits == NULL)
		return (0);
	/* One more, as calloc() of nothing may return NULL. */
	r->totals = calloc(r->nrules + r->nhosts + 1, sizeof *r->totals);
	if (r->totals == NULL)
		return (-1);
	fm_hits_totals(hits, r->totals);
	return (0);
}

static void
report_print(struct report *r, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_set *set =
	    state->version == NULL ? NULL : state->version->set;
	const struct fm_set_facts *facts =
	    set == NULL ? &state->facts.set : &set->facts;

	report_head(r, what, state);
	put_raw(r, ",\n  \"warnings\": ");
	report_diag(r, set == NULL ? NULL : set->diag);
	report_files(r, set == NULL ? NULL : set->sources);
	put(r, ",\n  \"counts\": {\"hosts\": %ju, \"patterns\": %ju, "
	    "\"rules\": %ju, \"bytes\": %ju}", (uintmax_t)facts->hosts,
	    (uintmax_t)facts->patterns, (uintmax_t)facts->rules,
	    (uintmax_t)facts->bytes);
	report_never_hit(r);
	report_hits(r);
	report_shadow(r, what->shadow);
	put_raw(r, "\n}\n");
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
