/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes of a log what the simulated cache takes (cache.h).
 */

#include <stdio.h>
#include <stdlib.h>

#include "cache.h"
#include "cli.h"
#include "xxh.h"

#define ENOUGH		95.	/* percent of the objects that are known */

/*--------------------------------------------------------------------
 * Interning
 */

/* Returns the index of an answer, which is not 0. */
static uint32_t
answer_index(struct fm_cache *cache, const struct fm_sim_answer *answer)
{
	uint32_t n = 1 + fm_distinct_number(&cache->answers_by,
	    XXH3_64bits(answer, sizeof *answer));

	if (n == cache->nanswers)
		*(struct fm_sim_answer *)fm_cli_grow(&cache->answers,
		    cache->nanswers++, &cache->answers_room,
		    sizeof *answer) = *answer;
	return (n);
}

static uint32_t
name_index(struct fm_cache *cache, struct fm_text name)
{
	size_t i;

	for (i = 0; i < cache->nnames; i++)
		if (fm_text_eq_nocase(cache->names[i], name))
			return ((uint32_t)i);
	*(struct fm_text *)fm_cli_grow(&cache->names, cache->nnames++,
	    &cache->names_room, sizeof name) = fm_text(fm_cli_keep(
	    &cache->arena, name), name.len);
	return ((uint32_t)i);
}

static void
add_vary(struct fm_cache *cache, uint32_t n)
{
	*(uint32_t *)fm_cli_grow(&cache->varies, cache->nvaries++,
	    &cache->varies_room, sizeof n) = n;
}

/* Cuts the next name off a list; returns false if there is none. */
static bool
cut_name(struct fm_text *list, struct fm_text *name)
{
	size_t n = 0;

	while (list->len > 0 && (*list->b == ',' || fm_is_blank(*list->b)))
		*list = fm_text(list->b + 1, list->len - 1);
	while (n < list->len && list->b[n] != ',')
		n++;
	*name = fm_text_trim(fm_text(list->b, n));
	*list = fm_text(list->b + n, list->len - n);
	return (name->len > 0);
}

/*
 * Adds the names of a Vary to the list that is being made.  Varnish makes one
 * object of Accept-Encoding, as it unpacks what is packed.
 */
static void
add_names(struct fm_cache *cache, struct fm_text value)
{
	struct fm_text name;

	while (cut_name(&value, &name))
		if (!fm_text_eq_nocase(name, fm_text_of("Accept-Encoding")))
			add_vary(cache, name_index(cache, name));
}

/* Returns the index of the list of all Vary of a response. */
static uint32_t
vary_index(struct fm_cache *cache, const struct fm_field *fields, unsigned n)
{
	size_t first = cache->nvaries;
	struct fm_distinct_entry *entry;
	struct fm_text name, value;
	unsigned i;

	add_vary(cache, 0);
	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("Vary")))
			add_names(cache, value);
	}
	cache->varies[first] = (uint32_t)(cache->nvaries - first - 1);
	entry = fm_distinct_at(&cache->varies_by, XXH3_64bits(
	    cache->varies + first, (cache->nvaries - first) *
	    sizeof *cache->varies));
	if (entry->flags != 0) {
		cache->nvaries = first;
		return ((uint32_t)entry->other);
	}
	entry->flags = 1;
	entry->other = first;
	return ((uint32_t)first);
}

/* Notes the values that the request of a side has for each name of a Vary. */
static void
take_values(struct fm_cache *cache, const struct fm_field *fields, unsigned n,
    struct fm_sim_request *it)
{
	struct fm_text name, value;
	uint32_t hash;
	unsigned f;
	size_t i;

	it->values = (uint32_t)cache->nvalues;
	it->nvalues = (uint32_t)cache->nnames;
	for (i = 0; i < cache->nnames; i++) {
		hash = 0;
		for (f = 0; f < n && hash == 0; f++) {
			fm_field_parts(&fields[f], &name, &value);
			if (fm_text_eq_nocase(name, cache->names[i]))
				hash = (uint32_t)XXH3_64bits(value.b,
				    value.len) | 1;
		}
		*(uint32_t *)fm_cli_grow(&cache->values, cache->nvalues++,
		    &cache->values_room, sizeof hash) = hash;
	}
}

/*--------------------------------------------------------------------
 * Answers
 */

static bool
has_validator(const struct fm_field *fields, unsigned n)
{
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < n; i++) {
		fm_field_parts(&fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("ETag")) ||
		    fm_text_eq_nocase(name, fm_text_of("Last-Modified")))
			return (true);
	}
	return (false);
}

/* Begins an answer.  It is hashed, so that its padding has to be zero. */
static void
answer_begin(struct fm_sim_answer *answer,
    const struct fm_recorded_fetch *fetch, unsigned tries)
{
	memset(answer, 0, sizeof *answer);
	answer->delay = fetch == NULL || fetch->delay < 0 ? 0 :
	    (float)fetch->delay;
	answer->fetches = tries == 0 ? 1 : tries;
}

/* Returns the answer of a fetch as the log's own VCL has kept it. */
static uint32_t
answer_logged(struct fm_cache *cache, const struct fm_recorded_fetch *fetch,
    unsigned tries)
{
	struct fm_sim_answer it;

	answer_begin(&it, fetch, tries);
	it.ttl = fetch->ttl;
	it.grace = fetch->grace;
	it.keep = fetch->keep;
	it.validator = has_validator(fetch->fields, fetch->nfields);
	it.vary = vary_index(cache, fetch->fields, fetch->nfields);
	it.kept = fetch->failed ? FM_SIM_FAILED :
	    fetch->abandoned || !fetch->has_ttl ? FM_SIM_ABANDONED :
	    fetch->hit_for_pass ? FM_SIM_HIT_FOR_PASS :
	    fetch->uncacheable ? FM_SIM_HIT_FOR_MISS : FM_SIM_STORED;
	return (answer_index(cache, &it));
}

/* Returns the answer that a response has become by the rules. */
static uint32_t
answer_stored(struct fm_cache *cache, const struct fm_respond *respond,
    const struct fm_recorded_fetch *fetch, unsigned tries)
{
	const struct fm_respond_run *stored = &respond->stored;
	struct fm_sim_answer it;

	answer_begin(&it, fetch, tries);
	it.ttl = (float)respond->ttl;
	it.grace = (float)respond->grace;
	it.keep = (float)respond->keep;
	switch (respond->fate) {
	case FM_RESPOND_STORED:
	case FM_RESPOND_EXPIRED:
		it.kept = FM_SIM_STORED;
		break;
	case FM_RESPOND_UNCACHEABLE:
		it.kept = FM_SIM_HIT_FOR_MISS;
		break;
	case FM_RESPOND_PASSED:
		it.kept = FM_SIM_HIT_FOR_PASS;
		break;
	default:
		it.kept = FM_SIM_ABANDONED;
		break;
	}
	it.validator = has_validator(stored->after, stored->nafter);
	it.vary = vary_index(cache, stored->after, stored->nafter);
	return (answer_index(cache, &it));
}

/*--------------------------------------------------------------------
 * Running rules for responses
 */

/* A request of a side while its responses are made. */
struct asking {
	struct fm_cache		*cache;
	const struct fm_cache_request *request;
	const struct fm_cache_side *side;
	const struct fm_result	*result;
	enum fm_verdict		verdict;	/* HASH, PASS or another one */
};

static void
respond_begin(const struct asking *asking, struct fm_respond *respond,
    bool counts)
{
	fm_respond_init(respond, asking->side->program, asking->request->view,
	    asking->result);
	respond->verdict = asking->verdict;
	respond->params = asking->cache->params;
	respond->request.counters = counts ? asking->side->counters : NULL;
}

/* Stores a response; one that the rules want again is the same again. */
static uint32_t
respond_store(const struct asking *asking, struct fm_respond *respond,
    struct fm_respond_to *to, const struct fm_recorded_fetch *fetch,
    unsigned tries)
{
	uint64_t *counters = respond->request.counters;

	fm_respond_store(respond, to, NULL);
	if (respond->fate != FM_RESPOND_RETRIED)
		return (answer_stored(asking->cache, respond, fetch, tries));
	fm_respond_fini(respond);
	respond_begin(asking, respond, counters != NULL);
	to->flags |= FM_FETCH_RETRY;
	fm_respond_store(respond, to, NULL);
	return (answer_stored(asking->cache, respond, fetch, tries + 1));
}

/*
 * Runs the rules for deliveries of the answer that a verdict gives, if it gives
 * one; and of the one by which they replace that.
 */
static void
deliver_answer(struct fm_respond *respond, const struct fm_result *by,
    bool answered)
{
	struct fm_respond_run run = { .result = NULL };

	if (fm_respond_answer(respond, &run, by, answered, NULL) && !answered)
		deliver_answer(respond, run.result, true);
	fm_respond_run_end(&run);
}

/* Runs the rules for deliveries of what was stored, as the log has it. */
static void
deliver(struct fm_respond *respond, const struct fm_recorded_request *logged)
{
	struct fm_respond_run run = { .result = NULL };
	unsigned flag = FM_CACHE_PASS;

	if (logged->as == FM_RECORDED_HIT)
		flag = logged->ttl < 0 ? FM_CACHE_STALE : FM_CACHE_HIT;
	else if (fm_respond_is_kept(respond))
		flag = FM_CACHE_MISS;
	if (!fm_respond_delivers(respond))
		return;
	fm_respond_deliver(respond, &run, flag, 0, NULL);
	deliver_answer(respond, run.result, true);
	fm_respond_run_end(&run);
}

/* Returns the answer to a request, in the foreground or in the background. */
static uint32_t
answer_to(const struct asking *asking, const struct fm_recorded_fetch *fetch,
    unsigned tries, bool background, const struct fm_recorded_request *logged)
{
	struct fm_cache *cache = asking->cache;
	bool fetched = background == (logged->as == FM_RECORDED_HIT);
	struct fm_recorded_to made;
	struct fm_respond respond;
	bool as_logged;
	uint32_t n;

	if (fetch == NULL || (fetch->status == 0 && !fetch->failed))
		return (0);
	/* A pass has no lifetime in the log, and may have one now. */
	as_logged = !asking->side->stores && (fetch->has_core ||
	    fetch->hit_for_pass || fetch->abandoned);
	if (fetch->failed || (as_logged && !asking->side->delivers))
		return (answer_logged(cache, fetch, tries));
	fm_recorded_to(fetch, &made, &cache->params);
	made.to.flags = background ? FM_FETCH_BACKGROUND : 0;
	respond_begin(asking, &respond, fetched);
	n = respond_store(asking, &respond, &made.to, fetch, tries);
	if (as_logged)
		n = answer_logged(cache, fetch, tries);
	respond.request.counters = asking->side->counters;
	if (!background && asking->side->counters != NULL)
		deliver(&respond, logged);
	fm_respond_fini(&respond);
	return (n);
}

/* Runs the rules for deliveries of an answer that the rules give. */
static void
deliver_own(const struct asking *asking)
{
	struct fm_respond respond;

	respond_begin(asking, &respond, true);
	deliver_answer(&respond, asking->result, false);
	fm_respond_fini(&respond);
}

/*--------------------------------------------------------------------
 * Requests of logs of varnishlog
 */

/* Takes the answers that the log of varnishlog has. */
static void
take_answers(const struct asking *asking,
    const struct fm_recorded_request *logged, struct fm_sim_request *it)
{
	const struct fm_recorded *recorded = &asking->cache->recorded;
	unsigned log = asking->request->where.log, tries, bgtries;
	const struct fm_recorded_fetch *fetch, *background;
	bool hit = logged->as == FM_RECORDED_HIT;

	fetch = fm_recorded_answer(recorded, log, hit ? logged->hit :
	    logged->fetch, &tries);
	background = fm_recorded_answer(recorded, log, logged->background,
	    &bgtries);
	if (hit && fetch == NULL) {
		it->old = 1 + fm_distinct_number(&asking->cache->old,
		    XXH3_64bits_withSeed(&logged->hit, sizeof logged->hit,
		    log));
		it->old_ttl = logged->ttl;
		it->old_grace = logged->grace;
		it->old_keep = logged->keep;
		fetch = background;
		tries = bgtries;
	}
	it->answers[0][0] = answer_to(asking, fetch, tries, false, logged);
	it->answers[0][1] = it->answers[0][0];
	if (background != NULL)
		it->answers[0][1] = answer_to(asking, background, bgtries,
		    true, logged);
	else if (asking->side->tells_background)
		it->answers[0][1] = answer_to(asking, fetch, tries, true,
		    logged);
	memcpy(it->answers[1], it->answers[0], sizeof it->answers[0]);
}

/*--------------------------------------------------------------------
 * Requests of logs of lines
 */

/* Returns how long an object may be used, to compare answers. */
static double
use_of(const struct fm_sim_answer *answer)
{
	return (answer->kept != FM_SIM_STORED ? -1 :
	    (double)answer->ttl + (double)answer->grace);
}

/*
 * Takes the worst and the best of the answers that a backend may have given
 * with a status.
 */
static void
guess(const struct asking *asking, unsigned status, struct fm_sim_request *it)
{
	static const char * const lines[] = { "X-None: 1",
		"Cache-Control: private, no-store, max-age=0",
		"Cache-Control: max-age=31536000", "Set-Cookie: a=1" };
	const struct fm_sim_answer *answers;
	struct fm_respond respond;
	struct fm_respond_to to;
	struct fm_field fields[1];
	unsigned i, g;
	uint32_t n;

	for (g = 0; g < sizeof lines / sizeof lines[0]; g++) {
		fields[0] = (struct fm_field){ lines[g], strchr(lines[g],
		    '\0') };
		to = (struct fm_respond_to){ .status = status,
		    .fields = fields, .nfields = 1,
		    .now = asking->request->where.also.time };
		respond_begin(asking, &respond, false);
		n = respond_store(asking, &respond, &to, NULL, 1);
		fm_respond_fini(&respond);
		answers = asking->cache->answers;
		for (i = 0; i < 2; i++)
			if (it->answers[i][0] == 0 || (i == 0 ?
			    use_of(&answers[n]) <
			    use_of(&answers[it->answers[i][0]]) :
			    use_of(&answers[n]) >
			    use_of(&answers[it->answers[i][0]])))
				it->answers[i][0] = it->answers[i][1] = n;
	}
}

/* Takes the answers of a log of lines, which has the status alone. */
static void
guess_answers(const struct asking *asking, struct fm_cache_side *side,
    struct fm_sim_request *it)
{
	unsigned status = asking->request->where.also.status;
	struct fm_distinct_entry *entry;

	/* The backend did not send what a client's condition has made. */
	if (status == 0 || status == 304 || status == 206)
		status = 200;
	entry = side->stores ? NULL : fm_distinct_at(&side->guessed,
	    XXH3_64bits(&status, sizeof status));
	if (entry == NULL || entry->flags == 0)
		guess(asking, status, it);
	else
		memcpy(it->answers, side->guesses[entry->owner],
		    sizeof it->answers);
	if (entry != NULL && entry->flags == 0) {
		entry->flags = 1;
		memcpy(fm_cli_grow(&side->guesses, entry->owner,
		    &side->guesses_room, sizeof *side->guesses), it->answers,
		    sizeof it->answers);
	}
}

/* Returns the time of a line; those of one second come one after the other. */
static double
line_time(struct fm_cache *cache, double second)
{
	if (second != cache->second) {
		cache->second = second;
		cache->in_second = 0;
	}
	if (cache->in_second < 999999)
		cache->in_second++;
	return (second + cache->in_second * 1e-6);
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Returns what builtin.vcl decides of a request as it came. */
static enum fm_verdict
builtin_says(const struct fm_view *view)
{
	struct fm_builtin_request of = { .method = view->method,
		.url = view->url, .proto = view->proto,
		.host = fm_text_of("a"), .esi = view->esi };
	struct fm_text name, value;
	unsigned i;

	for (i = 0; i < view->nfields; i++) {
		fm_field_parts(&view->fields[i], &name, &value);
		of.cookie |= fm_text_eq_nocase(name, fm_text_of("Cookie"));
		of.authorization |= fm_text_eq_nocase(name,
		    fm_text_of("Authorization"));
	}
	return (fm_builtin_decide(fm_builtin_here, &of).verdict);
}

/* Returns how vcl_recv ends by the rules, or else by builtin.vcl. */
static enum fm_verdict
verdict_alone(const struct fm_cache *cache,
    const struct fm_cache_request *request, enum fm_side side)
{
	struct fm_respond respond;
	enum fm_verdict verdict;

	fm_respond_init(&respond, cache->sides[side].program, request->view,
	    request->results[side]);
	verdict = respond.verdict;
	fm_respond_fini(&respond);
	return (verdict);
}

/* Notes whether a side decides a request as the rules of the log did. */
static void
take_ruled(struct fm_cache_side *side, enum fm_verdict verdict,
    enum fm_verdict logged)
{
	if (logged == verdict || (logged == FM_VERDICT_SYNTH &&
	    (verdict == FM_VERDICT_REDIRECT ||
	    verdict == FM_VERDICT_ANSWER || verdict == FM_VERDICT_REFUSE)))
		side->as_ruled++;
	else
		side->otherwise++;
}

/* Returns true if the log is of a varnishd that had the rules of the side. */
static bool
is_of_these(const struct fm_cache *cache, const struct fm_cache_side *side)
{
	return (cache->recorded.ruled && side->otherwise * 20 <=
	    side->as_ruled);
}

/*
 * Returns how vcl_recv ends.  In a log of a varnishd with these rules, VCL
 * decides what they don't, before them or after them; and if they have a
 * verdict and have not logged one, VCL came before them.  In any other log,
 * builtin.vcl may have decided, which comes after them now.
 */
static enum fm_verdict
verdict_of(struct fm_cache *cache, const struct fm_cache_request *request,
    enum fm_side which, const struct fm_recorded_request *logged)
{
	enum fm_verdict verdict = request->results[which]->verdict;
	const struct fm_result *old = request->results[FM_OLD];
	struct fm_cache_side *side = &cache->sides[which];
	bool by_builtin;

	if (logged == NULL || logged->recv == FM_VERDICT_NONE)
		return (verdict_alone(cache, request, which));
	if (logged->ruled)
		take_ruled(side, verdict, logged->recv);
	by_builtin = builtin_says(request->view) == logged->recv &&
	    !is_of_these(cache, side);
	if (verdict == FM_VERDICT_NONE)
		return (logged->ruled || by_builtin || (old != NULL &&
		    old->verdict != FM_VERDICT_NONE) ?
		    verdict_alone(cache, request, which) : logged->recv);
	if (!cache->recorded.ruled || logged->ruled ||
	    logged->recv == FM_VERDICT_HASH || by_builtin)
		return (verdict);
	return (logged->recv);
}

static void
add_request(struct fm_cache_side *side, const struct fm_sim_request *it)
{
	struct fm_distinct_entry *entry;
	bool known = it->answers[0][0] != 0 || it->old != 0;

	*(struct fm_sim_request *)fm_cli_grow(&side->requests, side->n++,
	    &side->room, sizeof *it) = *it;
	if (it->kind != FM_SIM_LOOKUP)
		return;
	entry = fm_distinct_at(&side->objects, it->object);
	if (known && (entry->flags & 2) == 0) {
		entry->flags |= 2;
		side->known++;
	}
	entry->flags |= 1;
}

/*
 * Takes the values of Vary from the request as the rules leave it; a header
 * that they do not edit has that of the client.
 */
static void
take_fields(const struct asking *asking, struct fm_sim_request *it)
{
	struct fm_respond respond;

	if (asking->cache->nnames == 0)
		return;
	fm_respond_init(&respond, asking->side->program, asking->request->view,
	    asking->result);
	take_values(asking->cache, respond.request.fields,
	    respond.request.nfields, it);
	fm_respond_fini(&respond);
}

static void
take_side(struct fm_cache *cache, const struct fm_cache_request *request,
    enum fm_side which, const struct fm_recorded_request *logged,
    double time)
{
	struct fm_cache_side *side = &cache->sides[which];
	struct asking asking = { .cache = cache, .request = request,
		.side = side, .result = request->results[which],
		.verdict = verdict_of(cache, request, which, logged) };
	struct fm_sim_request it;

	memset(&it, 0, sizeof it);
	it.time = time;
	it.host = request->host;
	it.object = request->objects[which];
	it.hit = logged != NULL && logged->as == FM_RECORDED_HIT;
	switch (asking.verdict) {
	case FM_VERDICT_HASH:
		it.kind = FM_SIM_LOOKUP;
		break;
	case FM_VERDICT_PASS:
		it.kind = FM_SIM_PASS;
		break;
	case FM_VERDICT_PURGE:
		it.kind = FM_SIM_PURGE;
		break;
	default:
		if (side->counters != NULL && side->delivers)
			deliver_own(&asking);
		return;
	}
	if (it.kind != FM_SIM_PURGE && logged != NULL)
		take_answers(&asking, logged, &it);
	else if (it.kind == FM_SIM_LOOKUP)
		guess_answers(&asking, side, &it);
	take_fields(&asking, &it);
	add_request(side, &it);
}

/* Returns the request that came of a request by restarts, or itself. */
static const struct fm_recorded_request *
after_restarts(const struct fm_cache *cache, unsigned log,
    const struct fm_recorded_request *it)
{
	const struct fm_recorded_request *next;
	unsigned n;

	/* A damaged log may have a circle. */
	for (n = 0; n < 1000 && it->restart != 0; n++) {
		next = fm_recorded_request(&cache->recorded, log, it->restart);
		if (next == NULL)
			break;
		it = next;
	}
	return (it);
}

static void
count_logged(struct fm_cache *cache, const struct fm_cache_request *request,
    const struct fm_recorded_request *it)
{
	struct fm_sim_counts *counts;
	size_t room = cache->logged_room;
	unsigned fetch, background;

	while (request->host >= cache->logged_room) {
		(void)fm_cli_grow(&cache->logged, cache->logged_room,
		    &cache->logged_room, sizeof *counts);
		memset(cache->logged + room, 0, (cache->logged_room - room) *
		    sizeof *counts);
		room = cache->logged_room;
	}
	counts = &cache->logged[request->host];
	counts->hits += it->as == FM_RECORDED_HIT;
	counts->stale += it->as == FM_RECORDED_HIT && it->ttl < 0;
	counts->misses += it->as == FM_RECORDED_MISS ||
	    it->as == FM_RECORDED_HIT_FOR_MISS;
	counts->hits_for_miss += it->as == FM_RECORDED_HIT_FOR_MISS;
	counts->hits_for_pass += it->as == FM_RECORDED_HIT_FOR_PASS;
	counts->passes += it->as == FM_RECORDED_PASS;
	counts->purges += it->as == FM_RECORDED_PURGE;
	(void)fm_recorded_answer(&cache->recorded, request->where.log,
	    it->fetch, &fetch);
	(void)fm_recorded_answer(&cache->recorded, request->where.log,
	    it->background, &background);
	counts->backend += fetch == 0 ? it->fetch != 0 : fetch;
	counts->backend += background == 0 ? it->background != 0 : background;
}

void
fm_cache_request(struct fm_cache *cache,
    const struct fm_cache_request *request)
{
	const struct fm_recorded_request *first, *logged = NULL;
	double time = request->where.also.time;
	unsigned i;

	first = fm_recorded_request(&cache->recorded, request->where.log,
	    request->where.vxid);
	if (first != NULL) {
		logged = after_restarts(cache, request->where.log, first);
		time = first->start;
		count_logged(cache, request, logged);
		cache->has_logged = true;
	} else {
		cache->all_vsl = false;
		if (time != 0)
			time = line_time(cache, time);
	}
	if (time == 0) {
		cache->timeless++;
		return;
	}
	for (i = 0; i < 2; i++)
		if (cache->sides[i].program != NULL)
			take_side(cache, request, i, logged, time);
}

/*--------------------------------------------------------------------
 * The simulation
 */

static void
side_init(struct fm_cache_side *side, const struct fm_program *program)
{
	const struct fm_rule *rule;
	uint32_t n, counter;

	side->program = program;
	if (program == NULL)
		return;
	side->stores = fm_program_phase(program, FM_PHASE_RESPONSE) !=
	    NULL || fm_program_phase(program, FM_PHASE_FETCH) != NULL;
	side->delivers = fm_program_phase(program, FM_PHASE_DELIVERY) !=
	    NULL;
	for (n = 0; fm_program_rule(program, n, &rule, &counter); n++)
		side->tells_background |= strstr(rule->text, "background") !=
		    NULL || strstr(rule->text, "prefer stale") != NULL;
}

void
fm_cache_init(struct fm_cache *cache, const struct fm_logs *logs,
    const struct fm_program *old, const struct fm_program *new)
{
	memset(cache, 0, sizeof *cache);
	cache->params = fm_respond_usual;
	cache->all_vsl = true;
	cache->nanswers = 1;
	cache->answers = fm_cli_alloc(sizeof *cache->answers);
	cache->answers_room = 1;
	/* The list of no names is at 0. */
	(void)vary_index(cache, NULL, 0);
	side_init(&cache->sides[FM_OLD], old);
	side_init(&cache->sides[FM_NEW], new);
	/* The log's own lifetimes are those of the old rules. */
	cache->sides[FM_NEW].stores |= cache->sides[FM_OLD].stores;
	fm_recorded_read(&cache->recorded, logs);
}

static int
by_time(const void *va, const void *vb)
{
	const struct fm_sim_request *a = va, *b = vb;

	if (a->time != b->time)
		return (a->time < b->time ? -1 : 1);
	if (a->object != b->object)
		return (a->object < b->object ? -1 : 1);
	return ((a->values > b->values) - (a->values < b->values));
}

static void
sum(struct fm_sim_counts *all, const struct fm_sim_counts *hosts, size_t n)
{
	uint64_t *to = (uint64_t *)all;
	const uint64_t *from = (const uint64_t *)hosts;
	size_t i, fields = sizeof *all / sizeof *to;

	for (i = 0; i < n * fields; i++)
		to[i % fields] += from[i];
}

static struct fm_sim_counts *
simulate(const struct fm_sim *sim, enum fm_sim_unknown unknown, size_t nhosts)
{
	struct fm_sim_counts *counts =
	    fm_cli_alloc((nhosts + 1) * sizeof *counts);

	if (!fm_simulate(sim, unknown, counts))
		fm_cli_no_memory();
	sum(&counts[nhosts], counts, nhosts);
	return (counts);
}

/* Says why there is a range, in one sentence; or that there is none. */
static void
judge(struct fm_cache *cache)
{
	const struct fm_cache_side *side = &cache->sides[FM_NEW];
	double known = side->objects.n == 0 ? 100 :
	    100. * (double)side->known / (double)side->objects.n;

	cache->complete = false;
	if (!cache->all_vsl)
		(void)snprintf(cache->why, sizeof cache->why, "the log has no "
		    "headers of responses: varnishlog -w -g raw writes them");
	else if (cache->recorded.lost > 0)
		(void)snprintf(cache->why, sizeof cache->why, "records of %ju "
		    "or more requests and fetches are missing in the log",
		    (uintmax_t)cache->recorded.lost);
	else if (known < ENOUGH)
		(void)snprintf(cache->why, sizeof cache->why, "the log has a "
		    "fetch or a hit of only %.1f %% of the objects", known);
	else
		cache->complete = true;
}

/*
 * Takes the requests whose records are lost for misses, and for hits: those of
 * a host are as many as its lookups of all lookups.
 */
static void
widen(const struct fm_cache_side *side, uint64_t lost, size_t nhosts)
{
	const uint64_t all = side->low[nhosts].hits +
	    side->low[nhosts].misses;
	uint64_t n;
	size_t i;

	for (i = 0; i <= nhosts; i++) {
		n = side->low[i].hits + side->low[i].misses;
		n = n == 0 ? 0 : (lost * n + all - 1) / all;
		side->low[i].misses += n;
		side->low[i].backend += n;
		side->high[i].hits += n;
	}
}

void
fm_cache_run(struct fm_cache *cache, size_t nhosts)
{
	struct fm_cache_side *side;
	struct fm_sim sim = { .answers = cache->answers,
		.varies = cache->varies, .values = cache->values,
		.nold = (uint32_t)cache->old.n };
	struct fm_sim_counts *logged;

	judge(cache);
	logged = fm_cli_alloc((nhosts + 1) * sizeof *logged);
	if (cache->logged_room > 0)
		memcpy(logged, cache->logged, (cache->logged_room < nhosts ?
		    cache->logged_room : nhosts) * sizeof *logged);
	sum(&logged[nhosts], logged, nhosts);
	free(cache->logged);
	cache->logged = logged;
	for (side = cache->sides; side < cache->sides + 2; side++) {
		if (side->program == NULL)
			continue;
		if (side->n > 0)
			qsort(side->requests, side->n, sizeof *side->requests,
			    by_time);
		sim.requests = side->requests;
		sim.n = side->n;
		side->low = simulate(&sim, cache->complete ?
		    FM_SIM_AS_LOGGED : FM_SIM_WORST, nhosts);
		side->high = cache->complete ? side->low :
		    simulate(&sim, FM_SIM_BEST, nhosts);
		widen(side, cache->recorded.lost, nhosts);
	}
}
