/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes a request of Varnish's log (--log, --vxid) as vcl_recv got it, and the
 * response of the backend as vcl_backend_response got it (exchange.h).
 *
 * A fetch may come before its request.  So the log is read once for the request
 * and once for its fetch.
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "explain.h"
#include "load.h"
#include "logs/exchange.h"
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
 * Requests and responses
 */

static void
take_headers(struct fm_made_request *made, const struct fm_log_headers *headers)
{
	size_t i;

	made->nfields = 0;
	/* A line without a name is not a header: it stays away. */
	for (i = 0; i < headers->n; i++)
		(void)fm_made_line(made, headers->v[i]);
}

/*
 * Takes the request, as vcl_recv got it.  Returns false if VCL has not seen it,
 * or records are lacking.
 */
static bool
take_request(struct seek *seek, const struct fm_transaction *it)
{
	struct fm_explain_logged *logged = seek->logged;
	struct fm_made_request *made = &logged->request;
	const struct fm_log_request request = fm_log_request(it);
	const struct fm_log_message *came = &request.came;

	seek->object = request.lookup == FM_LOG_HIT ||
	    request.hit.returned.b != NULL ? request.object : 0;
	made->method = made->url = fm_text(NULL, 0);
	if (came->method.b == NULL || came->url.b == NULL ||
	    !fm_log_has_calls(&request))
		return (false);
	if (fm_addr_parse(request.client, &made->client)) {
		free(logged->client);
		logged->client = fm_cli_copy(request.client.b,
		    request.client.len);
	}
	fm_made_method(made, came->method);
	fm_made_url(made, came->url, FM_URL_SENT);
	fm_made_proto(made, came->proto);
	take_headers(made, &came->headers);
	return (true);
}

/*
 * Takes the response, as vcl_backend_response got it.  Returns false if VCL has
 * not seen it, or records are lacking.
 */
static bool
take_response(struct fm_explain_logged *logged,
    const struct fm_transaction *it)
{
	const struct fm_log_fetch fetch = fm_log_fetch(it);
	const struct fm_log_ttl *ttl = fetch.nttls > 0 && fetch.ttls[0].core ?
	    &fetch.ttls[0] : NULL;

	logged->status = fetch.seen.status;
	take_headers(&logged->response, &fetch.seen.headers);
	/* The headers of a stored object come after those of its 304. */
	logged->nfresh = ttl != NULL && fetch.came.status == 304 ?
	    fetch.came.headers.n : 0;
	logged->has_ttl = ttl != NULL;
	logged->now = it->start;
	if (ttl != NULL) {
		logged->ttl = ttl->ttl;
		logged->grace = ttl->grace;
		logged->keep = ttl->keep;
		logged->now = ttl->now;
	}
	logged->flags = it->kind == FM_TRANSACTION_BGFETCH ?
	    FM_FETCH_BACKGROUND : it->kind == FM_TRANSACTION_RETRY ?
	    FM_FETCH_RETRY : 0;
	return (logged->status >= 100);
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
	seek->taken = fm_transaction_is_fetch(it) ?
	    take_response(seek->logged, it) : take_request(seek, it);
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
	uint64_t vxid;
	int status = alone();

	if (status != 0)
		return (status);
	vxid = strspn(given, "0123456789") == strlen(given) &&
	    strlen(given) < 20 ? strtoull(given, NULL, 10) : 0;
	if (vxid == 0)
		return (fm_options_usage("--vxid takes a number, the first one "
		    "of the header X-Varnish, not '%.60s'", given));
	return (find(logged, vxid));
}
