/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes what Varnish did with requests, and what fetches brought, from the
 * records of a log (recorded.h).  After a 304 a fetch logs what the backend has
 * sent, then the status of the stored object, and then those of its headers
 * that the 304 lacks:
 *
 *	BerespStatus	304
 *	BerespHeader	Cache-Control: max-age=1
 *	TTL		RFC 1 10 0 ...
 *	BerespStatus	200
 *	BerespHeader	Content-Length: 5
 */

#include <stdlib.h>

#include "cli.h"
#include "recorded.h"
#include "transaction.h"
#include "xxh.h"

/*
 * Seconds after which the end of a fetch is lost: varnishd's
 * first_byte_timeout.  That of a client that has got its answer comes sooner,
 * but for what is still on its way as the client leaves.
 */
#define PATIENCE	60
#define PATIENCE_CLIENT	10

struct reading {
	struct fm_recorded	*recorded;
	unsigned		log;
	struct fm_field		*fields;	/* of the fetch that is read */
	size_t			nfields, room;
};

/*--------------------------------------------------------------------
 * Words
 */

static double
cut_number(struct fm_text *text)
{
	struct fm_text word = fm_cut_word(text);
	char buf[32];

	if (word.len == 0 || word.len >= sizeof buf)
		return (0);
	memcpy(buf, word.b, word.len);
	buf[word.len] = '\0';
	return (strtod(buf, NULL));
}

static bool
is(struct fm_text text, const char *word)
{
	return (fm_text_eq(text, fm_text_of(word)));
}

/* Logs may be of several varnishds, so a vxid is one of its log. */
static uint64_t
hash_of(unsigned log, uint64_t vxid)
{
	const uint64_t both[] = { log, vxid };

	return (XXH3_64bits(both, sizeof both));
}

/*--------------------------------------------------------------------
 * Requests
 */

static enum fm_verdict
verdict_of(struct fm_text word)
{
	static const struct {
		const char	*word;
		enum fm_verdict	verdict;
	} words[] = {
		{ "hash", FM_VERDICT_HASH }, { "pass", FM_VERDICT_PASS },
		{ "pipe", FM_VERDICT_PIPE }, { "purge", FM_VERDICT_PURGE },
		{ "synth", FM_VERDICT_SYNTH }
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (is(word, words[i].word))
			return (words[i].verdict);
	return (FM_VERDICT_NONE);
}

/* Takes a VCL_call; a lookup has told of hit-for-miss and hit-for-pass. */
static void
take_call(struct fm_recorded_request *it, struct fm_text text)
{
	if (is(text, "HIT"))
		it->as = FM_RECORDED_HIT;
	else if (is(text, "MISS") && it->as == FM_RECORDED_OTHER)
		it->as = FM_RECORDED_MISS;
	else if (is(text, "PASS") && it->as == FM_RECORDED_OTHER)
		it->as = FM_RECORDED_PASS;
	else if (is(text, "PURGE"))
		it->as = FM_RECORDED_PURGE;
}

/* Takes "bereq 3 fetch" or "req 4 restart". */
static void
take_link(struct fm_recorded_request *it, struct fm_text text)
{
	struct fm_text type = fm_cut_word(&text), reason;
	uint64_t vxid = fm_vxid_of(fm_cut_word(&text));

	reason = fm_cut_word(&text);
	if (is(type, "bereq") && is(reason, "bgfetch"))
		it->background = vxid;
	else if (is(type, "bereq"))
		it->fetch = vxid;
	else if (is(reason, "restart"))
		it->restart = vxid;
}

static void
take_request(struct reading *reading, const struct fm_transaction *from)
{
	struct fm_recorded *recorded = reading->recorded;
	struct fm_recorded_request it = { .start = from->start,
		.end = from->end };
	const struct fm_log_record *record;
	bool in_recv = false;
	struct fm_text text;
	size_t i;
	uint32_t n;

	for (i = 0; i < from->nrecords; i++) {
		record = &from->records[i];
		text = record->text;
		if (strcmp(record->tag, "VCL_call") == 0) {
			in_recv = is(text, "RECV");
			take_call(&it, text);
		} else if (strcmp(record->tag, "VCL_return") == 0) {
			if (in_recv)
				it.recv = verdict_of(text);
			in_recv = false;
		} else if (strcmp(record->tag, "VCL_Log") == 0) {
			it.ruled |= in_recv &&
			    fm_text_begins(text, "fastmatch: ");
		} else if (strcmp(record->tag, "Link") == 0) {
			take_link(&it, text);
		} else if (strcmp(record->tag, "HitMiss") == 0) {
			it.as = FM_RECORDED_HIT_FOR_MISS;
		} else if (strcmp(record->tag, "HitPass") == 0) {
			it.as = FM_RECORDED_HIT_FOR_PASS;
		} else if (strcmp(record->tag, "Hit") == 0) {
			it.hit = fm_vxid_of(fm_cut_word(&text));
			it.ttl = (float)cut_number(&text);
			it.grace = (float)cut_number(&text);
			it.keep = (float)cut_number(&text);
		}
	}
	n = fm_distinct_number(&recorded->requests_by,
	    hash_of(reading->log, from->vxid));
	if (n == recorded->nrequests)
		(void)fm_cli_grow(&recorded->requests, recorded->nrequests++,
		    &recorded->requests_room, sizeof it);
	recorded->requests[n] = it;
	recorded->ruled |= it.ruled;
}

/*--------------------------------------------------------------------
 * Fetches
 */

/* Returns a field, of which each text is kept once. */
static struct fm_field
keep_field(struct fm_recorded *recorded, struct fm_text text)
{
	uint32_t n = fm_distinct_number(&recorded->texts_by,
	    XXH3_64bits(text.b, text.len));

	if (n == recorded->ntexts)
		*(const char **)fm_cli_grow(&recorded->texts,
		    recorded->ntexts++, &recorded->texts_room,
		    sizeof *recorded->texts) =
		    fm_cli_keep(&recorded->arena, text);
	return ((struct fm_field){ recorded->texts[n],
	    recorded->texts[n] + text.len });
}

/* Adds a header; a damaged log may have lines that are none. */
static void
add_field(struct reading *reading, struct fm_text text)
{
	if (text.len == 0 || memchr(text.b, ':', text.len) == NULL)
		return;
	*(struct fm_field *)fm_cli_grow(&reading->fields, reading->nfields++,
	    &reading->room, sizeof *reading->fields) =
	    keep_field(reading->recorded, text);
}

/* Drops the fields of a name, or of a name and a value, that VCL has unset. */
static void
drop_field(struct reading *reading, struct fm_text text)
{
	size_t i;

	for (i = 0; i < reading->nfields; i++)
		if (fm_text_eq(fm_text_span(reading->fields[i].b,
		    reading->fields[i].e), text)) {
			reading->nfields--;
			memmove(reading->fields + i, reading->fields + i + 1,
			    (reading->nfields - i) * sizeof *reading->fields);
			return;
		}
}

static void
take_ttl(struct fm_recorded_fetch *it, struct fm_text text)
{
	struct fm_text kind = fm_cut_word(&text), word;

	it->has_ttl = true;
	it->ttl = (float)cut_number(&text);
	it->grace = (float)cut_number(&text);
	it->keep = (float)cut_number(&text);
	it->hit_for_pass = is(kind, "HFP");
	if (is(kind, "RFC")) {
		it->has_core = true;
		it->core_ttl = it->ttl;
		it->core_grace = it->grace;
		it->core_keep = it->keep;
	}
	do
		word = fm_cut_word(&text);
	while (text.len > 0);
	it->uncacheable = is(word, "uncacheable");
}

static void
take_time(struct fm_recorded_fetch *it, struct fm_text text)
{
	struct fm_text what = fm_cut_word(&text);
	double when = cut_number(&text);

	if (is(what, "Start:"))
		it->start = when;
	else if (is(what, "Beresp:"))
		it->came = when;
	if (it->start != 0 && (is(what, "Beresp:") || is(what, "Process:") ||
	    is(what, "Error:")))
		it->delay = when - it->start;
}

static void
take_status(struct reading *reading, struct fm_recorded_fetch *it,
    struct fm_text text)
{
	unsigned status = (unsigned)cut_number(&text);

	if (it->status == 304)
		it->nfresh = (unsigned)reading->nfields;
	it->status = status;
}

/* Takes a record up to vcl_backend_response, which may change the headers. */
static void
take_sent(struct reading *reading, struct fm_recorded_fetch *it,
    const struct fm_log_record *record)
{
	if (strcmp(record->tag, "BerespStatus") == 0)
		take_status(reading, it, record->text);
	else if (strcmp(record->tag, "BerespHeader") == 0)
		add_field(reading, record->text);
	else if (strcmp(record->tag, "BerespUnset") == 0)
		drop_field(reading, record->text);
}

static void
take_record(struct reading *reading, struct fm_recorded_fetch *it,
    const struct fm_log_record *record, bool *in_vcl)
{
	struct fm_text text = record->text, type;

	if (strcmp(record->tag, "Timestamp") == 0) {
		take_time(it, text);
	} else if (strcmp(record->tag, "TTL") == 0) {
		take_ttl(it, text);
	} else if (strcmp(record->tag, "VCL_call") == 0) {
		*in_vcl |= is(text, "BACKEND_RESPONSE") ||
		    is(text, "BACKEND_REFRESH");
		it->failed |= is(text, "BACKEND_ERROR");
	} else if (strcmp(record->tag, "VCL_return") == 0) {
		it->abandoned |= is(text, "abandon") || is(text, "fail");
	} else if (strcmp(record->tag, "Link") == 0) {
		type = fm_cut_word(&text);
		if (is(type, "bereq"))
			it->retry = fm_vxid_of(fm_cut_word(&text));
	} else if (!*in_vcl && !it->failed) {
		take_sent(reading, it, record);
	}
}

static void
take_fetch(struct reading *reading, const struct fm_transaction *from)
{
	struct fm_recorded *recorded = reading->recorded;
	struct fm_recorded_fetch it = {
		.background = from->kind == FM_TRANSACTION_BGFETCH };
	bool in_vcl = false;
	uint32_t n;
	size_t i;

	reading->nfields = 0;
	for (i = 0; i < from->nrecords; i++)
		take_record(reading, &it, &from->records[i], &in_vcl);
	if (it.failed)
		it.status = 0;
	it.nfields = (unsigned)reading->nfields;
	it.fields = fm_arena_alloc(&recorded->arena, (reading->nfields + 1) *
	    sizeof *it.fields);
	if (it.fields == NULL)
		fm_cli_no_memory();
	if (it.nfields > 0)
		memcpy(it.fields, reading->fields,
		    it.nfields * sizeof *it.fields);
	n = fm_distinct_number(&recorded->fetches_by,
	    hash_of(reading->log, from->vxid));
	if (n == recorded->nfetches)
		(void)fm_cli_grow(&recorded->fetches, recorded->nfetches++,
		    &recorded->fetches_room, sizeof it);
	recorded->fetches[n] = it;
}

/*--------------------------------------------------------------------
 * Lost records
 */

/*
 * Returns when a transaction began, although the log may lack its beginning:
 * "Resp: 1795990419.06 0.002 0.0001" says it.
 */
static double
began(const struct fm_transaction *from)
{
	struct fm_text text;
	double when;
	size_t i;

	for (i = 0; i < from->nrecords; i++)
		if (strcmp(from->records[i].tag, "Timestamp") == 0) {
			text = from->records[i].text;
			(void)fm_cut_word(&text);
			when = cut_number(&text);
			return (when - cut_number(&text));
		}
	return (0);
}

/*
 * Counts a transaction that is not whole, unless it ran when the log began, or
 * when it ended.
 */
static void
take_part(struct fm_recorded *recorded, const struct fm_transaction *from)
{
	double start = began(from);

	if (strcmp(from->records[0].tag, "Begin") == 0)
		recorded->lost += from->kind != FM_TRANSACTION_OTHER &&
		    from->end < recorded->last - PATIENCE;
	else
		recorded->lost += start != 0 && recorded->first != 0 &&
		    start > recorded->first;
}

/* Varnish's library has a record of its own where it saw a loss. */
static bool
tells_of_loss(const struct fm_transaction *from)
{
	size_t i;

	for (i = 0; i < from->nrecords; i++)
		if (strcmp(from->records[i].tag, "VSL") == 0 &&
		    !fm_text_has(from->records[i].text, "flush"))
			return (true);
	return (false);
}

static void
on_transaction(void *priv, const struct fm_transaction *from)
{
	struct reading *reading = priv;
	struct fm_recorded *recorded = reading->recorded;

	if (from->kind == FM_TRANSACTION_OTHER && from->whole)
		return;
	if (from->end > recorded->last)
		recorded->last = from->end;
	if (tells_of_loss(from))
		recorded->lost++;
	else if (!from->whole)
		take_part(recorded, from);
	else if (recorded->first == 0 || from->start < recorded->first)
		recorded->first = from->start;
	if (fm_transaction_is_request(from))
		take_request(reading, from);
	else if (fm_transaction_is_fetch(from))
		take_fetch(reading, from);
}

/* Counts the fetches that requests name, and the log does not have. */
static void
count_missing(struct reading *reading, size_t first)
{
	struct fm_recorded *recorded = reading->recorded;
	const struct fm_recorded_request *request;
	size_t i;

	for (i = first; i < recorded->nrequests; i++) {
		request = &recorded->requests[i];
		recorded->lost += request->fetch != 0 &&
		    request->end < recorded->last - PATIENCE_CLIENT &&
		    fm_recorded_fetch(recorded, reading->log,
		    request->fetch) == NULL;
		recorded->lost += request->background != 0 &&
		    request->end < recorded->last - PATIENCE &&
		    fm_recorded_fetch(recorded, reading->log,
		    request->background) == NULL;
	}
}

/*--------------------------------------------------------------------
 * All logs
 */

void
fm_recorded_read(struct fm_recorded *recorded, const struct fm_logs *logs)
{
	struct reading reading = { .recorded = recorded };
	size_t first;
	bool read;
	unsigned i;

	memset(recorded, 0, sizeof *recorded);
	for (i = 0; i < logs->npaths; i++) {
		if (!fm_logs_is_vsl(logs->paths[i]))
			continue;
		reading.log = i;
		recorded->first = recorded->last = 0;
		first = recorded->nrequests;
		free(fm_transactions_read(logs->paths[i], on_transaction,
		    &reading, &read));
		count_missing(&reading, first);
	}
	free(reading.fields);
}

bool
fm_recorded_is_whole(const struct fm_recorded *recorded,
    const struct fm_logs *logs)
{
	size_t i;

	for (i = 0; i < logs->npaths; i++)
		if (!fm_logs_is_vsl(logs->paths[i]))
			return (false);
	return (recorded->nfetches > 0);
}

const struct fm_recorded_request *
fm_recorded_request(const struct fm_recorded *recorded, unsigned log,
    uint64_t vxid)
{
	const struct fm_distinct_entry *entry = vxid == 0 ? NULL :
	    fm_distinct_find(&recorded->requests_by, hash_of(log, vxid));

	return (entry == NULL ? NULL : &recorded->requests[entry->owner]);
}

const struct fm_recorded_fetch *
fm_recorded_fetch(const struct fm_recorded *recorded, unsigned log,
    uint64_t vxid)
{
	const struct fm_distinct_entry *entry = vxid == 0 ? NULL :
	    fm_distinct_find(&recorded->fetches_by, hash_of(log, vxid));

	return (entry == NULL ? NULL : &recorded->fetches[entry->owner]);
}

const struct fm_recorded_fetch *
fm_recorded_answer(const struct fm_recorded *recorded, unsigned log,
    uint64_t vxid, unsigned *tries)
{
	const struct fm_recorded_fetch *fetch, *next;

	fetch = next = fm_recorded_fetch(recorded, log, vxid);
	*tries = fetch != NULL;
	/* A damaged log may have a circle. */
	while (next != NULL && next->retry != 0 && *tries < 1000) {
		next = fm_recorded_fetch(recorded, log, next->retry);
		if (next != NULL)
			fetch = next;
		++*tries;
	}
	return (fetch);
}

void
fm_recorded_to(const struct fm_recorded_fetch *fetch,
    struct fm_recorded_to *made, struct fm_respond_params *params)
{
	made->to = (struct fm_respond_to){ .status = fetch->status,
	    .fields = fetch->fields, .nfields = fetch->nfields,
	    .now = fetch->came };
	made->fresh = made->to;
	if (fetch->nfresh > 0) {
		made->fresh.status = 304;
		made->fresh.nfields = fetch->nfresh;
		made->to.fresh = &made->fresh;
	}
	if (!fetch->has_core)
		return;
	/* A lifetime that headers give takes no parameter. */
	if (fetch->core_ttl >= 0)
		params->default_ttl = (double)fetch->core_ttl;
	params->default_grace = (double)fetch->core_grace;
	params->default_keep = (double)fetch->core_keep;
}
