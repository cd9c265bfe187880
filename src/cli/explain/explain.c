/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain`: makes a request of the options, runs the rules over it
 * with a trace, and over the response to it if one is given, and shows what
 * happened (explain.h).
 */

#include <stdlib.h>

#include "cli.h"
#include "explain.h"
#include "json.h"
#include "load.h"
#include "options.h"

/* Takes the headers, --method and --client; returns 0, or the exit status. */
static int
take_options(struct fm_made_request *made)
{
	const char *method = fm_option(FM_OPTION_METHOD);
	const char *client = fm_option(FM_OPTION_CLIENT), *wrong, **headers;
	size_t i, n;

	headers = fm_option_all(FM_OPTION_HEADER, &n);
	for (i = 0; i < n; i++) {
		wrong = fm_made_line(made, fm_text_of(headers[i]));
		if (wrong != NULL)
			return (fm_options_usage("-H '%.60s': %s", headers[i],
			    wrong));
	}
	if (method != NULL)
		made->method = fm_text_of(method);
	if (made->method.len == 0)
		return (fm_options_usage("--method takes a method, as GET"));
	if (!fm_addr_parse(fm_text_of(client == NULL ? FM_CLI_CLIENT : client),
	    &made->client))
		return (fm_options_usage("--client takes an IP address, not "
		    "'%s'", client));
	return (0);
}

/* Makes the request; returns 0, or the exit status. */
static int
take_arguments(struct fm_made_request *made, int argc, char **argv,
    const char **file)
{
	const char *url = fm_option(FM_OPTION_URL);
	const char *host = fm_option(FM_OPTION_HOST);
	bool raw = fm_option(FM_OPTION_RAW) != NULL;
	int status;

	if (argc == 2 && url == NULL)
		url = argv[--argc];
	status = take_options(made);
	if (status == 0)
		status = fm_options_file(argc, argv, file);
	if (status != 0)
		return (status);
	if (url == NULL || *url == '\0')
		return (fm_options_usage("a URL is needed after the file, as "
		    "http://www.example.com/"));
	fm_made_url(made, fm_text_of(url),
	    raw ? FM_URL_SENT : FM_URL_TYPED);
	if (made->no_memory)
		fm_cli_no_memory();
	if (!raw && !fm_given.json && made->url.b[0] != '/' &&
	    strcmp(url, "*") != 0)
		fm_complain("fastmatch explain: a path begins with '/', and"
		    " http://HOST/PATH gives a host: '%s' is taken as it is",
		    url);
	if (!raw && !fm_given.json && strchr(url, '#') != NULL &&
	    !fm_text_has(made->url, "#"))
		fprintf(stderr, "fastmatch explain: the URL is cut at its '#', "
		    "as browsers do: with --raw it is taken as it is\n");
	if (host != NULL)
		fm_made_header(made, fm_text_of("Host"),
		    fm_text_of(host));
	fm_made_host(made);
	return (0);
}

const char *
fm_explain_backend(const struct fm_explanation *explanation)
{
	return (!explanation->result->backend_set ? NULL :
	    fm_program_backend(explanation->program,
	    explanation->result->backend, NULL));
}

/* Begins the record of a run, for its trace. */
static void
explained_begin(struct fm_explained *explained)
{
	fm_record_init(&explained->record);
}

/* Ends it, so that it can be shown. */
static void
explained_end(struct fm_explained *explained, const struct fm_model *model,
    const struct fm_respond *respond, const struct fm_respond_run *run,
    enum fm_phase phase)
{
	if (explained->record.no_memory || respond->no_memory)
		fm_cli_no_memory();
	fm_record_outline(&explained->record, model);
	explained->explanation = (struct fm_explanation){ .model = model,
	    .program = respond->program,
	    .view = &run->view, .record = &explained->record,
	    .result = run->result, .phase = phase };
}

/* Runs the rules over the answer that a verdict gives, if it gives one. */
static void
deliver_answer(struct fm_explained_response *response,
    const struct fm_result *by, bool answered)
{
	struct fm_explained *to = &response->delivered[response->ndelivered];

	to->as = "own";
	explained_begin(to);
	if (fm_respond_answer(&response->respond, &to->run, by, answered,
	    &to->record.trace)) {
		explained_end(to, response->model, &response->respond,
		    &to->run, FM_PHASE_DELIVERY);
		response->ndelivered++;
	}
}

static void
deliver(struct fm_explained_response *response, const char *as, unsigned flag,
    double later)
{
	struct fm_explained *to = &response->delivered[response->ndelivered++];

	to->as = as;
	to->later = later;
	explained_begin(to);
	fm_respond_deliver(&response->respond, &to->run, flag, later,
	    &to->record.trace);
	explained_end(to, response->model, &response->respond, &to->run,
	    FM_PHASE_DELIVERY);
	deliver_answer(response, to->run.result, true);
}

/* Runs the rules for deliveries; a sub-request has no headers to deliver. */
static void
deliver_all(struct fm_explained_response *response, bool background)
{
	const struct fm_respond *is = &response->respond;

	if (is->request.esi)
		return;
	if (fm_respond_is_kept(is)) {
		if (!background)
			deliver(response, "miss", FM_CACHE_MISS, 0);
		deliver(response, "hit", FM_CACHE_HIT,
		    (double)(int64_t)(is->ttl / 2));
	} else if (fm_respond_delivers(is) && !background) {
		/* A case may have what Varnish made of a failed fetch. */
		if ((is->to.flags & FM_CACHE_OWN) != 0)
			deliver(response, "failure", FM_CACHE_OWN, 0);
		else
			deliver(response, "pass", FM_CACHE_PASS, 0);
	}
}

/* Runs the rules over the request as a backend gets it. */
static void
fetch(struct fm_explained_response *response,
    const struct fm_explanation *request, unsigned flags)
{
	struct fm_respond *is = &response->respond;

	memset(response, 0, sizeof *response);
	response->model = request->model;
	fm_respond_init(is, request->program, request->view, request->result);
	explained_begin(&response->sent);
	if (fm_respond_fetches(is))
		fm_respond_fetch(is, flags, &response->sent.record.trace);
	explained_end(&response->sent, response->model, is, &is->sent,
	    FM_PHASE_FETCH);
}

/* Runs the rules over the response to a request. */
static void
respond(struct fm_explained_response *response,
    const struct fm_explanation *request, const struct fm_explain_to *to)
{
	struct fm_respond *is = &response->respond;

	response->given = true;
	is->params = to->params;
	if (fm_respond_fetches(is)) {
		explained_begin(&response->stored);
		fm_respond_store(is, &to->to, &response->stored.record.trace);
		explained_end(&response->stored, response->model, is,
		    &is->stored, FM_PHASE_RESPONSE);
		deliver_all(response,
		    (to->to.flags & FM_FETCH_BACKGROUND) != 0);
	} else if (!is->request.esi) {
		deliver_answer(response, request->result, false);
	}
	response->summary = fm_explain_summary(response);
}

static void
respond_end(struct fm_explained_response *response)
{
	unsigned i;

	for (i = 0; i < response->ndelivered; i++) {
		fm_respond_run_end(&response->delivered[i].run);
		fm_record_fini(&response->delivered[i].record);
	}
	fm_record_fini(&response->sent.record);
	fm_record_fini(&response->stored.record);
	fm_respond_fini(&response->respond);
	free((void *)(uintptr_t)response->summary);
}

/* The key of a request. */
struct key {
	struct fm_respond	respond;
	struct fm_explained	explained;
	bool			made;
};

static void
key_make(struct key *key, const struct fm_explanation *request)
{
	fm_respond_init(&key->respond, request->program, request->view,
	    request->result);
	explained_begin(&key->explained);
	key->made = fm_respond_key(&key->respond, &key->explained.run,
	    &key->explained.record.trace);
	if (key->made)
		explained_end(&key->explained, request->model, &key->respond,
		    &key->explained.run, FM_PHASE_KEY);
}

static void
key_end(struct key *key)
{
	fm_respond_run_end(&key->explained.run);
	fm_record_fini(&key->explained.record);
	fm_respond_fini(&key->respond);
}

void
fm_explain(const struct fm_rules *rules, const struct fm_view *view,
    const char *client, const struct fm_explain_to *to,
    const struct fm_term *term, bool brief)
{
	struct fm_explained_response *response = NULL;
	struct key *key = fm_cli_alloc(sizeof *key);
	struct fm_explanation explanation, *with = NULL;
	struct fm_record record;
	struct fm_run run;

	fm_record_init(&record);
	explanation = (struct fm_explanation){ rules->model, rules->program,
	    view, client, &record, NULL, FM_PHASE_REQUEST };
	explanation.result = fm_run(&run, rules->program, view, &record.trace);
	if (explanation.result->no_memory || record.no_memory)
		fm_cli_no_memory();
	fm_record_outline(&record, rules->model);
	key_make(key, &explanation);
	if (key->made)
		with = &key->explained.explanation;
	if (to != NULL || fm_program_phase(rules->program, FM_PHASE_FETCH) !=
	    NULL) {
		response = fm_cli_alloc(sizeof *response);
		fetch(response, &explanation, to == NULL ? 0 : to->to.flags);
	}
	if (to != NULL)
		respond(response, &explanation, to);
	if (term == NULL)
		fm_explain_json(&explanation, with, response);
	else
		fm_explain_text(&explanation, with, response, term, brief);
	key_end(key);
	free(key);
	if (response != NULL)
		respond_end(response);
	free(response);
	fm_run_end(&run);
	fm_record_fini(&record);
}

static void
explain(const struct fm_made_request *made, const struct fm_rules *rules,
    const struct fm_explain_to *to)
{
	struct fm_term term;
	struct fm_view view;

	fm_cli_view(made, &view);
	view.esi = fm_option(FM_OPTION_ESI) != NULL;
	view.restarts = fm_option_number(FM_OPTION_RESTARTS, 0);
	fm_term_init(&term, stdout, fm_given.colour);
	fm_explain(rules, &view, fm_option(FM_OPTION_CLIENT), to,
	    fm_given.json ? NULL : &term, false);
}

int
fm_cli_explain(int argc, char **argv)
{
	struct fm_made_request made, response;
	struct fm_explain_to to;
	struct fm_rules rules;
	const char *file;
	bool given;
	int status;

	fm_made_init(&made);
	fm_made_init(&response);
	status = take_arguments(&made, argc, argv, &file);
	if (status == 0)
		status = fm_explain_take(&response, &to, &given);
	if (status == 0) {
		if (fm_rules_open(&rules, file, NULL))
			explain(&made, &rules, given ? &to : NULL);
		else
			status = fm_rules_complain(&rules, fm_given.json);
		fm_rules_close(&rules);
	}
	fm_made_fini(&made);
	fm_made_fini(&response);
	return (status);
}
