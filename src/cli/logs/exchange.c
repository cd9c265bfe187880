/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the records of a request or of a fetch (exchange.h).
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "exchange.h"

#define NUMBER_MAX	1e12	/* s, or 30,000 years */

static bool
is(const char *tag, const char *name)
{
	return (strcmp(tag, name) == 0);
}

/* Cuts a number of seconds off; anything else is 0. */
static double
cut_number(struct fm_text *text)
{
	struct fm_text word = fm_cut_word(text);
	char number[24];
	double seconds;
	size_t i;

	for (i = 0; i < word.len; i++)
		if ((word.b[i] < '0' || word.b[i] > '9') &&
		    word.b[i] != '.' && (i > 0 || word.b[i] != '-'))
			return (0);
	if (word.len == 0 || word.len >= sizeof number)
		return (0);
	memcpy(number, word.b, word.len);
	number[word.len] = '\0';
	seconds = strtod(number, NULL);
	return (seconds > -NUMBER_MAX && seconds < NUMBER_MAX ? seconds : 0);
}

/* Cuts a vxid or a status off. */
static uint64_t
cut_integer(struct fm_text *text)
{
	struct fm_text word = fm_cut_word(text);
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < word.len && i < 18; i++) {
		if (word.b[i] < '0' || word.b[i] > '9')
			return (0);
		n = n * 10 + (uint64_t)(word.b[i] - '0');
	}
	return (n);
}

/*--------------------------------------------------------------------
 * Headers
 */

static struct fm_text
name_of(struct fm_text header)
{
	const char *colon = header.len == 0 ? NULL :
	    memchr(header.b, ':', header.len);

	return (colon == NULL ? fm_text(NULL, 0) :
	    fm_text_span(header.b, colon));
}

static struct fm_text
value_of(struct fm_text header)
{
	size_t at = name_of(header).len + 1;

	return (fm_text_trim(fm_text(header.b + at, header.len - at)));
}

static bool
is_named(struct fm_text header, const char *name)
{
	struct fm_text its = name_of(header);

	return (its.b != NULL && fm_text_eq_nocase(its, fm_text_of(name)));
}

struct fm_text
fm_log_header(const struct fm_log_headers *headers, const char *name)
{
	size_t i;

	for (i = 0; i < headers->n; i++)
		if (is_named(headers->v[i], name))
			return (value_of(headers->v[i]));
	return (fm_text(NULL, 0));
}

struct fm_text
fm_log_joined(const struct fm_log_headers *headers, const char *name)
{
	const char *between = strcmp(name, "Cookie") == 0 ? "; " : ", ";
	struct fm_text value;
	size_t i, room = 1;
	char *all = NULL, *end = NULL;

	for (i = 0; i < headers->n; i++)
		room += headers->v[i].len + 2;
	for (i = 0; i < headers->n; i++) {
		if (!is_named(headers->v[i], name))
			continue;
		if (all == NULL)
			all = end = fm_cli_alloc(room);
		else
			end = stpcpy(end, between);
		value = value_of(headers->v[i]);
		end = mempcpy(end, value.b, value.len);
	}
	return (all == NULL ? fm_text(NULL, 0) : fm_text_span(all, end));
}

struct fm_field *
fm_log_fields(const struct fm_log_headers *headers)
{
	struct fm_field *fields;
	size_t i;

	fields = fm_cli_alloc((headers->n + 1) * sizeof *fields);
	for (i = 0; i < headers->n; i++)
		fields[i] = (struct fm_field){ headers->v[i].b,
		    headers->v[i].b + headers->v[i].len };
	return (fields);
}

static void
headers_add(struct fm_log_headers *headers, struct fm_text header)
{
	if (name_of(header).b != NULL)
		*(struct fm_text *)fm_cli_grow(&headers->v, headers->n++,
		    &headers->room, sizeof header) = header;
}

static void
headers_drop(struct fm_log_headers *headers, struct fm_text header)
{
	size_t i;

	for (i = 0; i < headers->n; i++)
		if (fm_text_eq(headers->v[i], header)) {
			headers->n--;
			memmove(headers->v + i, headers->v + i + 1,
			    (headers->n - i) * sizeof header);
			return;
		}
}

static void
message_copy(struct fm_log_message *to, const struct fm_log_message *from)
{
	size_t i;

	*to = *from;
	to->headers = (struct fm_log_headers){ .n = 0 };
	for (i = 0; i < from->headers.n; i++)
		headers_add(&to->headers, from->headers.v[i]);
}

/*
 * Takes a record such as ReqURL, of the kind "Req".  Returns false if it is
 * not one of them.
 */
static bool
message_take(struct fm_log_message *to, const char *kind, const char *tag,
    struct fm_text text)
{
	size_t len = strlen(kind);

	if (strncmp(tag, kind, len) != 0)
		return (false);
	tag += len;
	if (is(tag, "Method"))
		to->method = text;
	else if (is(tag, "URL"))
		to->url = text;
	else if (is(tag, "Protocol"))
		to->proto = text;
	else if (is(tag, "Status"))
		to->status = (unsigned)cut_integer(&text);
	else if (is(tag, "Reason"))
		to->reason = text;
	/* Before ReqURL stands the Host of an absolute URL, again. */
	else if (is(tag, "Header") && (!is(kind, "Req") || to->url.b != NULL))
		headers_add(&to->headers, text);
	else if (is(tag, "Unset"))
		headers_drop(&to->headers, text);
	else
		return (false);
	return (true);
}

/*--------------------------------------------------------------------
 * Subs of VCL
 */

static void
change_add(struct fm_log_sub *sub, struct fm_log_change change)
{
	*(struct fm_log_change *)fm_cli_grow(&sub->changes, sub->nchanges++,
	    &sub->changes_room, sizeof change) = change;
}

/*
 * Takes a change of a header: an unset before a set of its name is one, and
 * none if the header stays as it was.
 */
static void
sub_header(struct fm_log_sub *sub, struct fm_text header, bool unset)
{
	struct fm_log_change *last = sub->nchanges == 0 ? NULL :
	    &sub->changes[sub->nchanges - 1];

	if (unset)
		change_add(sub, (struct fm_log_change){ .before = header });
	else if (last == NULL || last->url || last->after.b != NULL ||
	    !fm_text_eq_nocase(name_of(last->before), name_of(header)))
		change_add(sub, (struct fm_log_change){ .after = header });
	else if (fm_text_eq(last->before, header))
		sub->nchanges--;
	else
		last->after = header;
}

/*
 * Takes "pass (builtin) at /etc/varnish/site.rules:5 for shop generation 4", or
 * "... generation 4 of next".
 */
static void
sub_line(struct fm_log_sub *sub, const char *tag, struct fm_text text)
{
	static const char ours[] = "fastmatch: ";
	struct fm_text rest, line, none;

	if (!is(tag, "VCL_Log") || !fm_text_begins(text, ours))
		return;
	line = fm_text(text.b + sizeof ours - 1, text.len - (sizeof ours - 1));
	*(struct fm_text *)fm_cli_grow(&sub->lines, sub->nlines++,
	    &sub->lines_room, sizeof line) = line;
	if (!fm_cut_last(&line, " generation ", &rest))
		return;
	sub->next |= fm_cut_last(&rest, " of next", &none);
	if (!fm_cut_last(&line, " for ", &rest) ||
	    !fm_cut_last(&line, " at ", &sub->place))
		return;
	sub->builtin = fm_cut_last(&line, " (builtin)", &rest);
	sub->decided = line;
}

/* Takes a record of a message that the sub which runs has changed. */
static void
sub_take(struct fm_log_sub *sub, const char *kind, const char *tag,
    struct fm_text text, const struct fm_log_message *before)
{
	size_t len = strlen(kind);

	if (strncmp(tag, kind, len) != 0)
		return;
	tag += len;
	if (is(tag, "URL") && !fm_text_eq(before->url, text))
		change_add(sub, (struct fm_log_change){ before->url, text,
		    true });
	else if (is(tag, "Header") || is(tag, "Unset"))
		sub_header(sub, text, is(tag, "Unset"));
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Returns the sub that a VCL_call names, or NULL. */
static struct fm_log_sub *
request_sub(struct fm_log_request *to, struct fm_text name)
{
	const struct {
		const char	*name;
		struct fm_log_sub *sub;
		enum fm_log_lookup lookup;
	} subs[] = {
		{ "RECV", &to->recv, to->lookup },
		{ "HASH", &to->hash, to->lookup },
		{ "HIT", &to->hit, FM_LOG_HIT },
		{ "MISS", &to->miss, to->lookup == FM_LOG_HITMISS ?
		    FM_LOG_HITMISS : FM_LOG_MISS },
		{ "PASS", NULL, to->lookup == FM_LOG_HITPASS ?
		    FM_LOG_HITPASS : FM_LOG_PASS },
		{ "PIPE", NULL, FM_LOG_PIPE },
		{ "PURGE", NULL, FM_LOG_PURGE },
		/* A purge, a failed fetch and a delivery may end so, too. */
		{ "SYNTH", &to->synth, to->lookup == FM_LOG_PURGE ||
		    to->fetch != 0 || to->deliver.returned.b != NULL ?
		    to->lookup : FM_LOG_SYNTH },
		{ "DELIVER", &to->deliver, to->lookup }
	};
	size_t i;

	for (i = 0; i < sizeof subs / sizeof subs[0]; i++)
		if (fm_text_eq(name, fm_text_of(subs[i].name))) {
			to->lookup = subs[i].lookup;
			return (subs[i].sub);
		}
	return (NULL);
}

/* Takes "bereq 32771 fetch" or "req 32772 esi 1". */
static void
request_link(struct fm_log_request *to, struct fm_text text)
{
	uint64_t vxid;

	(void)fm_cut_word(&text);
	vxid = cut_integer(&text);
	text = fm_cut_word(&text);
	if (fm_text_eq(text, fm_text_of("bgfetch")))
		to->background = vxid;
	else if (fm_text_eq(text, fm_text_of("restart")))
		to->restarted = vxid;
	else if (fm_text_eq(text, fm_text_of("esi")))
		to->parts++;
	else
		to->fetch = vxid;
}

/* Takes the object that the lookup found. */
static void
request_found(struct fm_log_request *to, enum fm_log_lookup lookup,
    struct fm_text text)
{
	to->lookup = lookup;
	to->object = cut_integer(&text);
	to->ttl = cut_number(&text);
	to->grace = cut_number(&text);
	to->keep = cut_number(&text);
	to->streamed = text.len > 0;
}

/* Takes a record that is not a header; `sub`: the one that runs. */
static void
request_take(struct fm_log_request *to, struct fm_log_sub **sub,
    const char *tag, struct fm_text text)
{
	if (is(tag, "VCL_call")) {
		if (to->came.method.b == NULL ||
		    fm_text_eq(text, fm_text_of("RECV")))
			message_copy(&to->came, &to->left);
		*sub = request_sub(to, text);
	} else if (is(tag, "VCL_return")) {
		if (*sub != NULL)
			(*sub)->returned = text;
		*sub = NULL;
	} else if (is(tag, "ReqStart")) {
		to->client = fm_cut_word(&text);
	} else if (is(tag, "Hit")) {
		request_found(to, FM_LOG_HIT, text);
	} else if (is(tag, "HitMiss")) {
		request_found(to, FM_LOG_HITMISS, text);
	} else if (is(tag, "HitPass")) {
		request_found(to, FM_LOG_HITPASS, text);
	} else if (is(tag, "Link")) {
		request_link(to, text);
	} else if (is(tag, "Error")) {
		to->error = text;
	} else if (is(tag, "VCL_Error")) {
		to->vcl_error = text;
	} else if (is(tag, "Hash")) {
		*(struct fm_text *)fm_cli_grow(&to->hashed, to->nhashed++,
		    &to->hashed_room, sizeof text) = text;
	} else if (is(tag, "Timestamp") &&
	    fm_text_begins(text, "Waitinglist: ")) {
		(void)fm_cut_word(&text);
		(void)cut_number(&text);
		(void)cut_number(&text);
		to->waited = cut_number(&text);
	}
}

struct fm_log_request
fm_log_request(const struct fm_transaction *it)
{
	struct fm_log_request to = { .it = it };
	const struct fm_log_record *record;
	struct fm_log_sub *sub = NULL;
	size_t i;

	for (i = 0; i < it->nrecords; i++) {
		record = &it->records[i];
		if (sub != NULL) {
			sub_line(sub, record->tag, record->text);
			sub_take(sub, "Req", record->tag, record->text,
			    &to.left);
			sub_take(sub, "Resp", record->tag, record->text,
			    &to.delivered);
		}
		/* Before ReqMethod, a sub-request has the edits of ESI. */
		if (is(record->tag, "ReqStart"))
			to.left = (struct fm_log_message){ .status = 0 };
		if (!message_take(&to.left, "Req", record->tag,
		    record->text) && !message_take(&to.delivered, "Resp",
		    record->tag, record->text))
			request_take(&to, &sub, record->tag, record->text);
	}
	/* vsl_mask, or varnishlog -i, may leave out VCL_call. */
	if (to.came.method.b == NULL)
		message_copy(&to.came, &to.left);
	if (fm_text_eq(to.recv.returned, fm_text_of("restart")) ||
	    to.restarted != 0)
		to.lookup = FM_LOG_RESTART;
	else if (fm_text_eq(to.recv.returned, fm_text_of("fail")))
		to.lookup = FM_LOG_FAIL;
	return (to);
}

/*--------------------------------------------------------------------
 * Fetches
 */

/* Takes "RFC 60 10 0 1312966109 ..." or "VCL 120 10 0 1312966111 cacheable". */
static void
fetch_ttl(struct fm_log_fetch *to, struct fm_text text)
{
	struct fm_log_ttl *ttl = fm_cli_grow(&to->ttls, to->nttls++,
	    &to->ttls_room, sizeof *ttl);
	struct fm_text source = fm_cut_word(&text), word;

	ttl->core = fm_text_eq(source, fm_text_of("RFC"));
	ttl->pass = fm_text_eq(source, fm_text_of("HFP"));
	ttl->ttl = cut_number(&text);
	ttl->grace = cut_number(&text);
	ttl->keep = cut_number(&text);
	if (ttl->core)
		ttl->now = cut_number(&text);
	ttl->origin = cut_number(&text);
	/* The core has looked at these headers; those of a 304 come later. */
	if (ttl->core && to->came.status == 0)
		message_copy(&to->came, &to->stored);
	do {
		word = fm_cut_word(&text);
		ttl->uncacheable = fm_text_eq(word, fm_text_of("uncacheable"));
	} while (text.len > 0);
}

/* Returns the sub that a VCL_call names, and keeps what the backend sent. */
static struct fm_log_sub *
fetch_sub(struct fm_log_fetch *to, struct fm_text name)
{
	if (fm_text_eq(name, fm_text_of("BACKEND_FETCH")))
		return (&to->fetch);
	if (fm_text_eq(name, fm_text_of("BACKEND_ERROR"))) {
		to->nttls = 0;
		return (&to->error);
	}
	if (!fm_text_eq(name, fm_text_of("BACKEND_RESPONSE")))
		return (NULL);
	/* An error before was that of a connection which was used again. */
	to->failed = fm_text(NULL, 0);
	message_copy(&to->seen, &to->stored);
	if (to->came.status == 0)
		message_copy(&to->came, &to->stored);
	return (&to->response);
}

static void
fetch_take(struct fm_log_fetch *to, struct fm_log_sub **sub, const char *tag,
    struct fm_text text)
{
	if (is(tag, "VCL_call")) {
		*sub = fetch_sub(to, text);
	} else if (is(tag, "VCL_return")) {
		if (*sub != NULL)
			(*sub)->returned = text;
		*sub = NULL;
	} else if (is(tag, "TTL")) {
		fetch_ttl(to, text);
	} else if (is(tag, "Timestamp") && fm_text_begins(text, "Beresp: ")) {
		(void)fm_cut_word(&text);
		to->answered = cut_number(&text);
	} else if (is(tag, "FetchError")) {
		to->failed = text;
	} else if (is(tag, "Error")) {
		to->problem = text;
	} else if (is(tag, "Length")) {
		to->length = text;
	} else if (is(tag, "Storage")) {
		to->storage = text;
	} else if (is(tag, "Link")) {
		(void)fm_cut_word(&text);
		to->retried = cut_integer(&text);
	}
}

struct fm_log_fetch
fm_log_fetch(const struct fm_transaction *it)
{
	struct fm_log_fetch to = { .it = it };
	const struct fm_log_record *record;
	struct fm_log_sub *sub = NULL;
	size_t i;

	for (i = 0; i < it->nrecords; i++) {
		record = &it->records[i];
		if (sub != NULL) {
			sub_line(sub, record->tag, record->text);
			sub_take(sub, sub == &to.fetch ? "Bereq" : "Beresp",
			    record->tag, record->text, &to.sent);
		}
		/* A response of its own begins: that of vcl_backend_error. */
		if (is(record->tag, "BerespProtocol") &&
		    to.failed.b != NULL)
			to.stored = (struct fm_log_message){ .status = 0 };
		if (is(record->tag, "BerespStatus") &&
		    fm_text_eq(record->text, fm_text_of("304")))
			to.refreshed = true;
		if (!message_take(&to.sent, "Bereq", record->tag,
		    record->text) && !message_take(&to.stored, "Beresp",
		    record->tag, record->text))
			fetch_take(&to, &sub, record->tag, record->text);
	}
	if (to.came.status == 0)
		message_copy(&to.came, &to.stored);
	return (to);
}

bool
fm_log_is_stored(const struct fm_log_fetch *fetch)
{
	const struct fm_log_ttl *ttl = fm_log_last_ttl(fetch);

	return (ttl != NULL && !ttl->uncacheable && fm_log_left(fetch) > 0 &&
	    !fm_text_eq(fm_text_or_empty(fetch->response.returned),
	    fm_text_of("abandon")) && !fm_log_is_cut(fetch));
}

struct fm_text
fm_log_failed_sub(const struct fm_log_fetch *fetch)
{
	if (fm_text_eq(fm_text_or_empty(fetch->response.returned),
	    fm_text_of("error")))
		return (fm_text_of("vcl_backend_response returned error"));
	/* Varnish makes an error of a retry after the last try. */
	if (fm_text_eq(fm_text_or_empty(fetch->response.returned),
	    fm_text_of("retry")))
		return (fm_text_of("vcl_backend_response returned retry too "
		    "often"));
	return (fm_text_eq(fm_text_or_empty(fetch->fetch.returned),
	    fm_text_of("error")) ?
	    fm_text_of("vcl_backend_fetch returned error") :
	    fm_text(NULL, 0));
}

double
fm_log_left(const struct fm_log_fetch *fetch)
{
	const struct fm_log_ttl *last = fm_log_last_ttl(fetch);
	struct fm_text age = fm_log_header(&fetch->came.headers, "Age");

	return (last->ttl - (age.b == NULL ? 0 : cut_number(&age)));
}

/* The record has seconds; the time of the answer is more precise. */
double
fm_log_expires(const struct fm_log_fetch *fetch)
{
	const struct fm_log_ttl *last = fm_log_last_ttl(fetch);

	return (fetch->answered > 0 ? fetch->answered + fm_log_left(fetch) :
	    last->origin + last->ttl);
}
