/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes a request of Varnish's log (--log, --vxid) as vcl_recv got it, and the
 * response of the backend as vcl_backend_response got it:
 *
 *	Begin		req 32769 rxreq
 *	ReqStart	192.0.2.1 40962 a0
 *	ReqURL		/a
 *	VCL_call	RECV			what follows VCL has done
 *
 *	Begin		bereq 32770 fetch
 *	BerespStatus	200
 *	TTL		RFC 120 10 0 1312966111 1312966111 1312966111 0 0
 *	VCL_call	BACKEND_RESPONSE
 *
 * A fetch may come before its request.  So the log is read once for the request
 * and once for its fetch.
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "explain.h"
#include "load.h"
#include "logs/transaction.h"
#include "options.h"
#include "term.h"

#define ROUNDS	16	/* steps from a fetch to its request, over retries, and
			 * from a restart to the first request */

/* A transaction that is looked for, and what was seen on the way. */
struct seek {
	struct fm_explain_logged *logged;
	uint64_t		vxid;		/* of it; or of the request
						 * whose fetch it is */
	bool			fetch;		/* the last try of that one */
	uint64_t		found;		/* 0: nothing */
	uint64_t		parent;
	enum fm_transaction_kind kind;
	bool			taken;		/* VCL has seen it, and all
						 * records are there */
	uint64_t		object;		/* that a request has hit; 0:
						 * none */
	uint64_t		first, last;	/* requests of the log */
};

/*--------------------------------------------------------------------
 * Records
 */

static bool
is(const struct fm_log_record *record, const char *tag)
{
	return (strcmp(record->tag, tag) == 0);
}

static uint64_t
cut_vxid(struct fm_text *text)
{
	struct fm_text word = fm_cut_word(text);
	uint64_t vxid = 0;
	size_t i;

	for (i = 0; i < word.len && word.b[i] >= '0' && word.b[i] <= '9'; i++)
		vxid = vxid * 10 + (uint64_t)(word.b[i] - '0');
	return (vxid);
}

static double
cut_number(struct fm_text *text)
{
	struct fm_text word = fm_cut_word(text);
	char number[40];

	if (word.len == 0 || word.len >= sizeof number)
		return (0);
	memcpy(number, word.b, word.len);
	number[word.len] = '\0';
	return (strtod(number, NULL));
}

/* Adds a header, or drops one that Varnish has unset before VCL saw it. */
static void
take_header(struct fm_made_request *made, struct fm_text text, bool unset)
{
	const struct fm_field *field;
	size_t i;

	if (!unset) {
		/* A line without a name is not a header: it stays away. */
		(void)fm_made_line(made, text);
		return;
	}
	for (i = 0; i < made->nfields; i++) {
		field = &made->fields[i];
		if (!fm_text_eq(fm_text_span(field->b, field->e), text))
			continue;
		made->nfields--;
		memmove(made->fields + i, made->fields + i + 1,
		    (made->nfields - i) * sizeof *field);
		return;
	}
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Takes the address of "192.0.2.1 40962 a0". */
static void
take_client(struct fm_explain_logged *logged, struct fm_text start)
{
	struct fm_text word = fm_cut_word(&start);

	if (fm_addr_parse(word, &logged->request.client)) {
		free(logged->client);
		logged->client = fm_cli_copy(word.b, word.len);
	}
}

/* Takes the request; false: VCL has not seen it, or records are lacking. */
static bool
take_request(struct fm_explain_logged *logged, const struct fm_transaction *it)
{
	struct fm_made_request *made = &logged->request;
	const struct fm_log_record *record;
	bool seen = false;
	size_t i;

	made->method = made->url = fm_text(NULL, 0);
	for (i = 0; i < it->nrecords && !seen; i++) {
		record = &it->records[i];
		if (is(record, "VCL_call"))
			seen = true;
		else if (is(record, "ReqStart"))
			take_client(logged, record->text);
		else if (is(record, "ReqMethod"))
			fm_made_method(made, record->text);
		else if (is(record, "ReqURL"))
			fm_made_url(made, record->text, FM_URL_SENT);
		else if (is(record, "ReqProtocol"))
			fm_made_proto(made, record->text);
		/* Before ReqURL stands the Host of an absolute URL, again. */
		else if (is(record, "ReqHeader") && made->url.b != NULL)
			take_header(made, record->text, false);
		else if (is(record, "ReqUnset"))
			take_header(made, record->text, true);
	}
	return (seen && made->method.b != NULL && made->url.b != NULL);
}

/* Returns the object of "Hit 32771 58.9 10.0 0.0", or 0. */
static uint64_t
object_of(const struct fm_transaction *it)
{
	struct fm_text text;
	size_t i;

	for (i = 0; i < it->nrecords; i++) {
		text = it->records[i].text;
		if (is(&it->records[i], "Hit"))
			return (cut_vxid(&text));
	}
	return (0);
}

/*--------------------------------------------------------------------
 * Responses
 */

/* Takes "RFC 120 10 0 1312966111 ...", what Varnish itself has found. */
static void
take_ttl(struct fm_explain_logged *logged, struct fm_text text)
{
	if (!fm_text_eq(fm_cut_word(&text), fm_text_of("RFC")))
		return;
	logged->ttl = cut_number(&text);
	logged->grace = cut_number(&text);
	logged->keep = cut_number(&text);
	logged->now = cut_number(&text);
	logged->has_ttl = true;
	/* The headers of a stored object come after those of its 304. */
	if (logged->status == 304)
		logged->nfresh = logged->response.nfields;
}

/* Takes the response; false: VCL has not seen it, or records are lacking. */
static bool
take_response(struct fm_explain_logged *logged,
    const struct fm_transaction *it)
{
	struct fm_made_request *made = &logged->response;
	const struct fm_log_record *record;
	struct fm_text text;
	bool seen = false;
	size_t i;

	logged->status = 0;
	logged->now = it->start;
	logged->has_ttl = false;
	logged->nfresh = made->nfields = 0;
	for (i = 0; i < it->nrecords && !seen; i++) {
		record = &it->records[i];
		text = record->text;
		if (is(record, "VCL_call"))
			seen = fm_text_eq(text, fm_text_of("BACKEND_RESPONSE"));
		else if (is(record, "BerespStatus"))
			logged->status = (unsigned)cut_number(&text);
		else if (is(record, "BerespHeader"))
			take_header(made, text, false);
		else if (is(record, "BerespUnset"))
			take_header(made, text, true);
		else if (is(record, "TTL"))
			take_ttl(logged, text);
	}
	logged->flags = it->kind == FM_TRANSACTION_BGFETCH ?
	    FM_FETCH_BACKGROUND : it->kind == FM_TRANSACTION_RETRY ?
	    FM_FETCH_RETRY : 0;
	return (seen && logged->status >= 100);
}

/*--------------------------------------------------------------------
 * Looking
 */

static void
take(struct seek *seek, const struct fm_transaction *it)
{
	seek->found = it->vxid;
	seek->parent = it->parent;
	seek->kind = it->kind;
	if (fm_transaction_is_fetch(it)) {
		seek->taken = take_response(seek->logged, it);
	} else {
		seek->taken = take_request(seek->logged, it);
		seek->object = object_of(it);
	}
}

static void
on_transaction(void *priv, const struct fm_transaction *it)
{
	struct seek *seek = priv;

	if (fm_transaction_is_request(it)) {
		if (seek->first == 0 || it->vxid < seek->first)
			seek->first = it->vxid;
		if (it->vxid > seek->last)
			seek->last = it->vxid;
	}
	if (!seek->fetch) {
		if (it->vxid == seek->vxid)
			take(seek, it);
	} else if (fm_transaction_is_fetch(it) &&
	    it->kind != FM_TRANSACTION_PIPE && (it->parent == seek->vxid ||
	    (it->kind == FM_TRANSACTION_RETRY && seek->found != 0 &&
	    it->parent == seek->found))) {
		take(seek, it);
	}
}

/* Reads the log.  Returns 0, or the exit status. */
static int
look(struct seek *seek, uint64_t vxid, bool fetch)
{
	const char *path = fm_option(FM_OPTION_LOG);
	char *wrong;
	bool read;

	*seek = (struct seek){ .logged = seek->logged, .vxid = vxid,
	    .fetch = fetch };
	wrong = fm_transactions_read(path, on_transaction, seek, &read);
	if (!read)
		fm_complain("fastmatch explain: can't read %s: %s; --log "
		    "takes a file that 'varnishlog -g raw -w FILE' has "
		    "written", path, wrong);
	else if (wrong != NULL && seek->found == 0 && !fetch)
		fm_complain("fastmatch explain: %s is damaged or cut off: "
		    "%s; what came before counts", path, wrong);
	free(wrong);
	return (read ? 0 : FM_EXIT_ERRORS);
}

/* Says that no request has that vxid.  Returns the exit status. */
static int
nothing(const struct seek *seek)
{
	const char *path = fm_option(FM_OPTION_LOG);

	if (seek->first == 0)
		fm_complain("fastmatch explain: %s has no request: record "
		    "with 'varnishlog -g raw -w FILE'", path);
	else
		fm_complain("fastmatch explain: %s has no request %s: those "
		    "that it has are from %ju to %ju; the header X-Varnish of "
		    "a response begins with its number", path,
		    fm_option(FM_OPTION_VXID), (uintmax_t)seek->first,
		    (uintmax_t)seek->last);
	return (FM_EXIT_ERRORS);
}

/* Says that the request can't be explained.  Returns the exit status. */
static int
lacking(const struct seek *seek)
{
	fm_complain("fastmatch explain: %s lacks records of the request %ju, "
	    "or VCL has not seen it: record with 'varnishlog -g raw -w FILE', "
	    "without -i, -I, -x and -X, and with vsl_mask as it is by default",
	    fm_option(FM_OPTION_LOG), (uintmax_t)seek->found);
	return (FM_EXIT_ERRORS);
}

/* Returns true if the request of a fetch, a retry or another must be found. */
static bool
goes_up(const struct seek *seek)
{
	return (seek->found != 0 && seek->parent != 0 &&
	    (seek->kind >= FM_TRANSACTION_FETCH));
}

/*
 * Counts the restarts before a request: its number is that of the last one.
 * Where the log has not all of them, there were more.
 */
static int
count_restarts(struct fm_explain_logged *logged, const struct seek *request)
{
	struct fm_explain_logged other;
	struct seek seek = *request;
	int status = 0;

	while (status == 0 && seek.found != 0 &&
	    seek.kind == FM_TRANSACTION_RESTART && logged->restarts < ROUNDS) {
		logged->restarts++;
		memset(&other, 0, sizeof other);
		fm_made_init(&other.request);
		seek.logged = &other;
		status = look(&seek, seek.parent, false);
		fm_made_fini(&other.request);
		free(other.client);
	}
	return (status);
}

/* Finds the response.  Returns 0, or the exit status. */
static int
find_response(struct fm_explain_logged *logged, const struct seek *request)
{
	struct seek seek = { .logged = logged };
	int status = look(&seek, request->found, true);

	if (status == 0 && !seek.taken && request->object != 0) {
		status = look(&seek, request->object, false);
		if (seek.taken)
			fm_complain("fastmatch explain: the request is a hit: "
			    "the response is that of the fetch %ju",
			    (uintmax_t)seek.found);
	}
	if (!seek.taken)
		logged->status = 0;
	return (status);
}

/* Finds the request, and the response.  Returns 0, or the exit status. */
static int
find(struct fm_explain_logged *logged, uint64_t vxid)
{
	struct seek seek = { .logged = logged };
	int status = look(&seek, vxid, false);
	unsigned n;

	for (n = 0; status == 0 && goes_up(&seek) && n < ROUNDS; n++)
		status = look(&seek, seek.parent, false);
	if (status != 0)
		return (status);
	if (seek.found == 0 || seek.kind < FM_TRANSACTION_REQUEST ||
	    seek.kind > FM_TRANSACTION_RESTART)
		return (nothing(&seek));
	if (!seek.taken)
		return (lacking(&seek));
	logged->request.esi = seek.kind == FM_TRANSACTION_ESI;
	status = count_restarts(logged, &seek);
	return (status != 0 ? status : find_response(logged, &seek));
}

/*--------------------------------------------------------------------
 * Options
 */

/* Returns 0, or the exit status if an option gives what the log has. */
static int
alone(void)
{
	static const struct {
		int		id;
		const char	*name;
	} options[] = {
		{ FM_OPTION_URL, "url" }, { FM_OPTION_HEADER, "header" },
		{ FM_OPTION_HOST, "host" }, { FM_OPTION_METHOD, "method" },
		{ FM_OPTION_CLIENT, "client" }, { FM_OPTION_ESI, "esi" },
		{ FM_OPTION_RESTARTS, "restarts" }, { FM_OPTION_RAW, "raw" },
		{ FM_OPTION_STATUS, "status" },
		{ FM_OPTION_RESPONSE, "response" },
		{ FM_OPTION_BACKGROUND, "background" }
	};
	size_t i;

	if (fm_option(FM_OPTION_LOG) == NULL)
		return (fm_options_usage("--vxid goes with --log FILE, which "
		    "'varnishlog -g raw -w FILE' has written"));
	if (fm_option(FM_OPTION_VXID) == NULL)
		return (fm_options_usage("--log goes with --vxid N, the first "
		    "number of the header X-Varnish"));
	if (strcmp(fm_option(FM_OPTION_LOG), "-") == 0)
		return (fm_options_usage("--log takes a file, which is read "
		    "more than once, and not the standard input"));
	for (i = 0; i < sizeof options / sizeof options[0]; i++)
		if (fm_option(options[i].id) != NULL)
			return (fm_options_usage("the log has the request: "
			    "leave --%s out", options[i].name));
	return (0);
}

bool
fm_explain_is_logged(void)
{
	return (fm_option(FM_OPTION_LOG) != NULL ||
	    fm_option(FM_OPTION_VXID) != NULL);
}

int
fm_explain_logged(struct fm_explain_logged *logged)
{
	const char *given = fm_option(FM_OPTION_VXID);
	struct fm_text text;
	uint64_t vxid;
	int status = alone();

	if (status != 0)
		return (status);
	text = fm_text_of(given);
	vxid = strspn(given, "0123456789") == strlen(given) &&
	    strlen(given) < 20 ? cut_vxid(&text) : 0;
	if (vxid == 0)
		return (fm_options_usage("--vxid takes a number, the first one "
		    "of the header X-Varnish, not '%.60s'", given));
	return (find(logged, vxid));
}
