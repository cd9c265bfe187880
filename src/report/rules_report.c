/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the JSON of .report(): the live, the set that serves, the hits of
 * rules, the requests and responses of hosts, the shadow, and `next`.
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
	struct fm_hits_responses *responses;	/* of hosts; NULL: not known */
};

#define put(r, ...)	fm_jsonbuf_print(&(r)->out, __VA_ARGS__)
#define put_raw(r, s)	fm_jsonbuf_raw(&(r)->out, s)

/*--------------------------------------------------------------------
 * Lists, with each element on a line
 */

/* Begins element n of a list, from 0; list_end() takes the number of all. */
static void
list_next(struct report *report, const char *indent, size_t n)
{
	put_raw(report, n == 0 ? "[\n" : ",\n");
	put_raw(report, indent);
	put_raw(report, "  ");
}

static void
list_end(struct report *report, const char *indent, size_t n)
{
	if (n == 0) {
		put_raw(report, "[]");
		return;
	}
	put_raw(report, "\n");
	put_raw(report, indent);
	put_raw(report, "]");
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
report_diag(struct report *report, const struct fm_diag *diag)
{
	const char *line;
	unsigned n;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++) {
		list_next(report, "  ", n);
		put(report, "%s", line);
	}
	list_end(report, "  ", n);
}

static void
report_head(struct report *report, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_version *version = state->version;

	put(report, "{\n  \"name\": %s,\n  \"vcl\": %s,\n  \"path\": %s",
	    what->name, what->vcl, what->path);
	put(report, ",\n  \"generation\": %ju,\n  \"digest\": %s",
	    (uintmax_t)(version == NULL ? 0 : version->generation),
	    version == NULL ? NULL : version->set->digest);
	put(report, ",\n  \"loaded_at\": %jd,\n  \"watch\": %.3f",
	    (intmax_t)state->facts.loaded_at, state->watch);
	put_raw(report, ",\n  \"backup\": ");
	if (state->backup == NULL)
		put_raw(report, "null");
	else
		put(report, state->facts.backup ?
		    "{\"path\": %s, \"serving\": true}" :
		    "{\"path\": %s, \"serving\": false}", state->backup);
	put(report, ",\n  \"followers\": %ju,\n  \"last_reload\": "
	    "{\"result\": %s, \"at\": %jd},\n  \"last_error\": ",
	    (uintmax_t)state->followers, reload_word(state->last),
	    (intmax_t)(state->last == FM_RELOAD_NEVER ? 0 : state->last_at));
	if (state->diag == NULL) {
		put_raw(report, "null");
		return;
	}
	put(report, "{\"at\": %jd, \"errors\": %ju, \"messages\": ",
	    (intmax_t)state->last_at, (uintmax_t)state->errors);
	report_diag(report, state->diag);
	put_raw(report, "}");
}

/*--------------------------------------------------------------------
 * The set that serves
 */

static void
report_files(struct report *report, const struct fm_sources *sources)
{
	const struct fm_source *source;
	char digest[FM_DIGEST_LEN];
	size_t n = 0;

	put_raw(report, ",\n  \"files\": ");
	source = sources == NULL ? NULL : fm_sources_first(sources);
	for (; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		list_next(report, "  ", n++);
		put(report, "{\"path\": %s", source->path);
		if (source->error != 0)
			put(report, ", \"error\": %s",
			    strerror(source->error));
		else
			put(report, ", \"digest\": %s, \"bytes\": %ju, "
			    "\"modified\": %jd",
			    fm_digest_print(source->hash, digest),
			    (uintmax_t)source->st.st_size,
			    (intmax_t)source->st.st_mtim.tv_sec);
		if (source->error == 0 && *source->says.version != '\0')
			put(report, ", \"version\": %s, \"date\": %s",
			    source->says.version, source->says.date);
		put_raw(report, "}");
	}
	list_end(report, "  ", n);
}

/*--------------------------------------------------------------------
 * Rules and hosts, and what was counted of them
 */

/* Writes a number that may be unknown, which is null. */
static void
put_number(struct report *report, const char *key, const uint64_t *number)
{
	if (number == NULL)
		put(report, ", %s: null", key);
	else
		put(report, ", %s: %ju", key, (uintmax_t)*number);
}

static const uint64_t *
total_of(const struct report *report, size_t counter)
{
	return (report->totals == NULL ? NULL : &report->totals[counter]);
}

/* Writes a rule without the brace at its end. */
static void
put_rule(struct report *report, size_t n)
{
	const struct fm_rule *rule;

	if (!fm_program_rule(report->program, (uint32_t)n, &rule, NULL))
		assert(!"a rule");
	put(report, "{\"at\": %s, \"text\": %s", rule->place, rule->text);
}

static const char *
host_name(const struct report *report, size_t n)
{
	return (fm_program_host(report->program, (uint32_t)n, NULL));
}

static void
report_never_hit(struct report *report)
{
	size_t n, listed;

	if (report->totals == NULL) {
		put_raw(report, ",\n  \"never_hit\": null");
		return;
	}
	put_raw(report, ",\n  \"never_hit\": {\n    \"rules\": ");
	for (n = listed = 0; n < report->nrules; n++)
		if (report->totals[n] == 0) {
			list_next(report, "    ", listed++);
			put_rule(report, n);
			put_raw(report, "}");
		}
	list_end(report, "    ", listed);
	put_raw(report, ",\n    \"hosts\": ");
	for (n = listed = 0; n < report->nhosts; n++)
		if (report->totals[report->nrules + n] == 0) {
			list_next(report, "    ", listed++);
			put(report, "%s", host_name(report, n));
		}
	list_end(report, "    ", listed);
	put_raw(report, "\n  }");
}

/* Writes a host with its requests and responses. */
static void
put_host(struct report *report, size_t n)
{
	static const char * const keys[FM_HITS_RESPONSES] = {
		[FM_HITS_HIT] = "hits",
		[FM_HITS_MISS] = "misses",
		[FM_HITS_PASS] = "passes",
		[FM_HITS_OWN] = "own",
		[FM_HITS_4XX] = "4xx",
		[FM_HITS_5XX] = "5xx"
	};
	unsigned k;

	put(report, "{\"host\": %s", host_name(report, n));
	put_number(report, "requests", total_of(report, report->nrules + n));
	for (k = 0; k < FM_HITS_RESPONSES; k++)
		put_number(report, keys[k], report->responses == NULL ? NULL :
		    &report->responses[n].n[k]);
	put_raw(report, "}");
}

static void
report_hits(struct report *report)
{
	size_t n;

	put_raw(report, ",\n  \"rules\": ");
	for (n = 0; n < report->nrules; n++) {
		list_next(report, "  ", n);
		put_rule(report, n);
		put_number(report, "hits", total_of(report, n));
		put_raw(report, "}");
	}
	list_end(report, "  ", n);
	put_raw(report, ",\n  \"hosts\": ");
	for (n = 0; n < report->nhosts; n++) {
		list_next(report, "  ", n);
		put_host(report, n);
	}
	list_end(report, "  ", n);
}

/*--------------------------------------------------------------------
 * The shadow
 */

static void
put_errors(struct report *report, const struct fm_shadow_told *told)
{
	const char *line = told->messages, *end;
	size_t n;

	put_raw(report, ",\n    \"last_error\": ");
	if (told->errors == 0) {
		put_raw(report, "null");
		return;
	}
	put(report, "{\"at\": %jd, \"errors\": %ju, \"messages\": ",
	    (intmax_t)told->loaded_at, (uintmax_t)told->errors);
	for (n = 0; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		list_next(report, "    ", n++);
		fm_jsonbuf_text(&report->out, fm_text_span(line, end));
	}
	list_end(report, "    ", n);
	put_raw(report, "}");
}

static void
put_side(struct report *report, const struct fm_shadow_rule *rule)
{
	if (rule->at == NULL)
		put_raw(report, "null");
	else
		put(report, "{\"at\": %s, \"text\": %s}", rule->at, rule->text);
}

/* Writes a difference without the brace at its end. */
static void
put_difference(struct report *report, const struct fm_shadow_cell *cell)
{
	put(report, "{\"phase\": %s, \"kind\": %s, \"header\": %s, "
	    "\"host\": %s, \"serving\": ", cell->phase, cell->kind,
	    cell->header, cell->host);
	put_side(report, &cell->rules[FM_OLD]);
	put_raw(report, ", \"shadow\": ");
	put_side(report, &cell->rules[FM_NEW]);
}

static void
put_names(struct report *report, const char * const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(report, i == 0 ? "%s" : ", %s", names[i]);
}

static void
put_example(struct report *report, const struct fm_shadow_example *example)
{
	size_t i;

	put(report, "{\"at\": %jd, \"phase\": %s, \"method\": %s, "
	    "\"host\": %s, \"path\": %s, \"params\": [",
	    (intmax_t)example->at, example->phase, example->method,
	    example->host, example->path);
	put_names(report, example->params, example->nparams);
	put_raw(report, "], \"headers\": [");
	put_names(report, example->headers, example->nheaders);
	put_raw(report, "], \"tested\": [");
	for (i = 0; i < example->ntested; i++)
		put(report, i == 0 ? "{\"header\": %s, \"value\": %s}" :
		    ", {\"header\": %s, \"value\": %s}",
		    example->tested[i].name, example->tested[i].value);
	put_raw(report, "], \"differences\": ");
	for (i = 0; i < example->ncells; i++) {
		list_next(report, "      ", i);
		put_difference(report, example->cells[i]);
		put_raw(report, "}");
	}
	list_end(report, "      ", i);
	put_raw(report, "}");
}

static void
put_differences(struct report *report, const struct fm_shadow_told *told)
{
	size_t i;

	put_raw(report, ",\n    \"differences\": ");
	for (i = 0; i < told->ncells; i++) {
		list_next(report, "    ", i);
		put_difference(report, told->cells[i]);
		put(report, ", \"requests\": %ju}",
		    (uintmax_t)told->cells[i]->requests);
	}
	list_end(report, "    ", i);
	put_raw(report, ",\n    \"examples\": ");
	for (i = 0; i < told->nexamples; i++) {
		list_next(report, "    ", i);
		put_example(report, &told->examples[i]);
	}
	list_end(report, "    ", i);
}

/* Writes what was compared in the phases after that of requests. */
static void
put_later(struct report *report, const struct fm_shadow_told *told)
{
	const struct fm_shadow_counts *counts;
	unsigned phase;

	put_raw(report, ",\n    \"later\": {");
	for (phase = FM_PHASE_KEY; phase < FM_PHASE__KINDS; phase++) {
		counts = &told->later[phase];
		put(report, phase == FM_PHASE_KEY ? "\n      %s: {" :
		    ",\n      %s: {", fm_phase_word(phase));
		put(report, "\"sampled\": %ju, \"differ\": %ju, "
		    "\"no_memory\": %ju, \"unattributed\": %ju}",
		    (uintmax_t)counts->sampled, (uintmax_t)counts->differ,
		    (uintmax_t)counts->no_memory,
		    (uintmax_t)counts->unattributed);
	}
	put_raw(report, "\n    }");
}

static void
report_shadow(struct report *report, const struct fm_shadow_told *told)
{
	put_raw(report, ",\n  \"shadow\": ");
	if (told == NULL) {
		put_raw(report, "null");
		return;
	}
	put(report, "{\n    \"path\": %s,\n    \"digest\": %s"
	    ",\n    \"generation\": %ju,\n    \"loaded_at\": %jd",
	    told->path, told->digest, (uintmax_t)told->generation,
	    (intmax_t)told->loaded_at);
	put_errors(report, told);
	put(report, ",\n    \"sample\": %.6f,\n    \"since\": %jd"
	    ",\n    \"sampled\": %ju,\n    \"differ\": %ju"
	    ",\n    \"no_memory\": %ju,\n    \"unattributed\": %ju"
	    ",\n    \"other\": %ju", told->sample, (intmax_t)told->since,
	    (uintmax_t)told->sampled, (uintmax_t)told->differ,
	    (uintmax_t)told->no_memory, (uintmax_t)told->unattributed,
	    (uintmax_t)told->other);
	put_later(report, told);
	put_differences(report, told);
	put_raw(report, "\n  }");
}

static void
report_next(struct report *report, const struct fm_next_told *told)
{
	const struct fm_version *version;

	put_raw(report, ",\n  \"next\": ");
	if (told == NULL) {
		put_raw(report, "null");
		return;
	}
	version = told->state->version;
	put(report, "{\n    \"path\": %s,\n    \"share\": %.6f"
	    ",\n    \"digest\": %s,\n    \"generation\": %ju"
	    ",\n    \"loaded_at\": %jd,\n    \"last_error\": ",
	    told->path, told->share,
	    told->serves ? version->set->digest : NULL,
	    (uintmax_t)told->state->facts.generation,
	    (intmax_t)told->state->facts.loaded_at);
	if (told->diag == NULL) {
		put_raw(report, "null\n  }");
		return;
	}
	put(report, "{\"errors\": %ju, \"messages\": ",
	    (uintmax_t)fm_diag_errors(told->diag));
	report_diag(report, told->diag);
	put_raw(report, "}\n  }");
}

/*--------------------------------------------------------------------*/

/* Reads hits and responses.  Returns 0, or -1 if there is no memory. */
static int
report_totals(struct report *report, const struct fm_rules_reported *what)
{
	struct fm_hits_numbers numbers = { .totals = NULL };

	if (what->hits == NULL)
		return (0);
	/* One more, as calloc() of nothing may return NULL. */
	report->totals = calloc(report->nrules + report->nhosts + 1,
	    sizeof *report->totals);
	report->responses = calloc(report->nhosts + 1,
	    sizeof *report->responses);
	if (report->totals == NULL || report->responses == NULL)
		return (-1);
	numbers.totals = report->totals;
	numbers.responses = report->responses;
	fm_hits_read(what->hits, what->clock, &numbers);
	if (!numbers.responding) {
		free(report->responses);
		report->responses = NULL;
	}
	return (0);
}

static void
report_print(struct report *report, const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	const struct fm_set *set =
	    state->version == NULL ? NULL : state->version->set;
	const struct fm_set_facts *facts =
	    set == NULL ? &state->facts.set : &set->facts;

	report_head(report, what, state);
	put_raw(report, ",\n  \"warnings\": ");
	report_diag(report, set == NULL ? NULL : set->diag);
	report_files(report, set == NULL ? NULL : set->sources);
	put(report, ",\n  \"counts\": {\"hosts\": %ju, \"patterns\": %ju, "
	    "\"rules\": %ju, \"bytes\": %ju}", (uintmax_t)facts->hosts,
	    (uintmax_t)facts->patterns, (uintmax_t)facts->rules,
	    (uintmax_t)facts->bytes);
	report_never_hit(report);
	report_hits(report);
	report_shadow(report, what->shadow);
	report_next(report, what->next);
	put_raw(report, "\n}\n");
}

char *
fm_rules_report(const struct fm_rules_reported *what,
    const struct fm_live_state *state)
{
	struct report report = { .program = what->program };
	char *text = NULL;

	assert(what->program != NULL || what->hits == NULL);
	if (report.program != NULL) {
		report.nrules = fm_program_nrules(report.program);
		report.nhosts = fm_program_hosts(report.program);
	}
	if (report_totals(&report, what) == 0) {
		report_print(&report, what, state);
		text = fm_jsonbuf_finish(&report.out);
	}
	free(report.totals);
	free(report.responses);
	return (text);
}
