/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the rules over a request with a trace, and over its key and the response
 * to it (explanation.h).
 */

#include <stdlib.h>

#include "explanation.h"
#include "obj.h"

/*--------------------------------------------------------------------
 * What may be shown
 */

const char *
fm_explain_words(const struct fm_explain_of *of, const struct fm_rule *rule)
{
	return (of->masked ? rule->masked : rule->text);
}

const char *
fm_explain_below(const char *path, const char *file)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	size_t folder;

	if (slash == NULL)
		return (file);
	folder = (size_t)(slash + 1 - path);
	return (strncmp(file, path, folder) == 0 ? file + folder : file);
}

const char *
fm_explain_place(const struct fm_explain_of *of, const struct fm_rule *rule)
{
	return (fm_explain_below(of->path, rule->place));
}

const char *
fm_explain_backend(const struct fm_explanation *explanation)
{
	return (!explanation->result->backend_set ? NULL :
	    fm_program_backend(explanation->program,
	    explanation->result->backend, NULL));
}

unsigned
fm_explain_status(const struct fm_explanation *explanation)
{
	if (explanation->result->verdict != FM_VERDICT_REFUSE ||
	    explanation->phase == FM_PHASE_REQUEST)
		return (explanation->result->status);
	return (explanation->phase == FM_PHASE_DELIVERY ? 503 : 0);
}

/*--------------------------------------------------------------------
 * Running
 */

/* Begins the record of a run, for its trace. */
static void
explained_begin(struct fm_explained *explained)
{
	fm_record_init(&explained->record);
}

/* Ends it, so that it can be shown. */
static void
explained_end(struct fm_explained *explained, const struct fm_explain_of *of,
    const struct fm_respond_run *run, enum fm_phase phase)
{
	fm_record_outline(&explained->record, of->model);
	explained->explanation = (struct fm_explanation){ .of = of,
	    .model = of->model, .program = of->program, .view = &run->view,
	    .record = &explained->record, .result = run->result,
	    .phase = phase };
}

/*
 * Runs the rules over the answer that a verdict gives, if it gives one; and
 * over the one by which they replace that.
 */
static void
deliver_answer(struct fm_explained_response *response,
    const struct fm_result *by, bool answered)
{
	struct fm_explained *to = &response->delivered[response->ndelivered];

	to->as = "own";
	explained_begin(to);
	if (fm_respond_answer(&response->respond, &to->run, by, answered,
	    &to->record.trace)) {
		explained_end(to, response->of, &to->run, FM_PHASE_DELIVERY);
		response->ndelivered++;
		if (!answered)
			deliver_answer(response, to->run.result, true);
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
	explained_end(to, response->of, &to->run, FM_PHASE_DELIVERY);
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

	response->of = request->of;
	fm_respond_init(is, request->program, request->view, request->result);
	explained_begin(&response->sent);
	if (fm_respond_fetches(is))
		fm_respond_fetch(is, flags, &response->sent.record.trace);
	explained_end(&response->sent, response->of, &is->sent,
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
		explained_end(&response->stored, response->of, &is->stored,
		    FM_PHASE_RESPONSE);
		deliver_all(response,
		    (to->to.flags & FM_FETCH_BACKGROUND) != 0);
	} else if (!is->request.esi) {
		deliver_answer(response, request->result, false);
	}
	response->summary = fm_explain_summary(response);
}

static void
key_make(struct fm_explained_request *request)
{
	struct fm_explained *key = &request->key;

	fm_respond_init(&request->key_respond, request->of.program,
	    request->of.view, request->explanation.result);
	explained_begin(key);
	request->keyed = fm_respond_key(&request->key_respond, &key->run,
	    &key->record.trace);
	if (request->keyed)
		explained_end(key, &request->of, &key->run, FM_PHASE_KEY);
}

/*--------------------------------------------------------------------
 * All of it
 */

/* Returns true if any part of it lacked memory. */
static bool
is_lacking(const struct fm_explained_request *request)
{
	const struct fm_explained_response *response = &request->response;
	bool lacking;
	unsigned i;

	lacking = request->explanation.result->no_memory ||
	    request->record.no_memory || request->key_respond.no_memory ||
	    request->key.record.no_memory || response->respond.no_memory ||
	    response->sent.record.no_memory ||
	    response->stored.record.no_memory ||
	    (response->given && response->summary == NULL);
	for (i = 0; i < response->ndelivered; i++)
		lacking |= response->delivered[i].record.no_memory;
	return (lacking);
}

struct fm_explained_request *
fm_explain_new(const struct fm_explain_of *of)
{
	struct fm_explained_request *request;
	struct fm_explanation *explanation;

	FM_OBJ_NEW(request, FM_EXPLAINED_MAGIC);
	if (request == NULL)
		return (NULL);
	request->of = *of;
	of = &request->of;
	fm_record_init(&request->record);
	explanation = &request->explanation;
	*explanation = (struct fm_explanation){ .of = of, .model = of->model,
	    .program = of->program, .view = of->view, .client = of->client,
	    .record = &request->record, .phase = FM_PHASE_REQUEST };
	explanation->result = fm_run(&request->run, of->program, of->view,
	    &request->record.trace);
	fm_record_outline(&request->record, of->model);
	key_make(request);
	request->fetched = of->to != NULL ||
	    fm_program_phase(of->program, FM_PHASE_FETCH) != NULL;
	if (request->fetched)
		fetch(&request->response, explanation,
		    of->to == NULL ? 0 : of->to->to.flags);
	if (of->to != NULL)
		respond(&request->response, explanation, of->to);
	if (is_lacking(request))
		fm_explain_free(&request);
	return (request);
}

void
fm_explain_free(struct fm_explained_request **requestp)
{
	struct fm_explained_response *response;
	struct fm_explained_request *request;
	struct fm_explained *delivered;

	FM_OBJ_TAKE(request, requestp, FM_EXPLAINED_MAGIC);
	response = &request->response;
	/* The record of an answer that was not given is there, too. */
	for (delivered = response->delivered; delivered <
	    response->delivered + sizeof response->delivered /
	    sizeof response->delivered[0]; delivered++) {
		fm_respond_run_end(&delivered->run);
		fm_record_fini(&delivered->record);
	}
	fm_record_fini(&response->sent.record);
	fm_record_fini(&response->stored.record);
	fm_respond_fini(&response->respond);
	free(response->summary);
	fm_respond_run_end(&request->key.run);
	fm_record_fini(&request->key.record);
	fm_respond_fini(&request->key_respond);
	fm_run_end(&request->run);
	fm_record_fini(&request->record);
	FM_OBJ_FREE(request);
}
