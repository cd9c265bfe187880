/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds a request in the log: the last one for a host and a path, or the one of
 * a vxid; then what belongs to it.  A file is read several times, so that
 * memory holds only what is needed; what can be read once is kept whole.
 *
 *	look		which request
 *	gather		it, its restarts and fetches, and the fetch of the
 *			object that was found; again while that names others
 */

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "hostname.h"
#include "why.h"

#define ROUNDS		8	/* of gathering: restarts and retries */
#define FETCHES		256	/* of one URL that are kept */
#define CUT		200	/* bytes of a query that a record may have cut:
				 * vsl_reclen is 255 or more */
#define TRIES		20	/* to read the end of a fetch, */
#define PAUSE_NS	100000000	/* ns before each of them, */
#define RECENT		5	/* s after the request */

struct finder {
	struct fm_why_log	*log;
	uint64_t		request;	/* the one to explain, so far */
	double			when;
	double			now;		/* of the log that is read */
	uint64_t		parent;		/* of --vxid, where that is not
						 * a request of a client */
	uint64_t		*vxids;		/* that are to be kept */
	size_t			nvxids, vxids_room;
	struct fm_text		host, path;	/* of fetches */
};

/*--------------------------------------------------------------------
 * Keeping
 */

/* Returns a copy, for as long as the process lives. */
static struct fm_transaction *
copy(const struct fm_transaction *it)
{
	struct fm_transaction *kept = fm_cli_alloc(sizeof *kept);
	struct fm_log_record *records;
	size_t i, bytes = 0;
	char *to;

	*kept = *it;
	records = fm_cli_alloc((it->nrecords + 1) * sizeof *records);
	for (i = 0; i < it->nrecords; i++)
		bytes += it->records[i].text.len;
	to = fm_cli_alloc(bytes + 1);
	for (i = 0; i < it->nrecords; i++) {
		records[i].tag = it->records[i].tag;
		records[i].text = fm_text(to, it->records[i].text.len);
		if (records[i].text.len > 0)
			to = mempcpy(to, it->records[i].text.b,
			    records[i].text.len);
	}
	kept->records = records;
	return (kept);
}

static void
keep(struct fm_why_kept *kept, struct fm_transaction *it)
{
	*(struct fm_transaction **)fm_cli_grow(&kept->v, kept->n++,
	    &kept->room, sizeof *kept->v) = it;
}

const struct fm_transaction *
fm_why_kept(const struct fm_why_log *log, uint64_t vxid)
{
	size_t i;

	for (i = 0; vxid != 0 && i < log->kept.n; i++)
		if (log->kept.v[i]->vxid == vxid)
			return (log->kept.v[i]);
	return (NULL);
}

static void
keep_all(void *priv, const struct fm_transaction *it)
{
	struct finder *finder = priv;

	keep(&finder->log->all, copy(it));
}

/* Calls a function for each transaction of the log. */
static void
each(struct finder *finder, fm_transaction_f *call)
{
	struct fm_why_log *log = finder->log;
	char *wrong;
	size_t i;
	bool read;

	if (!log->once) {
		wrong = fm_transactions_read(log->path, call, finder, &read);
		free(wrong);
		return;
	}
	for (i = 0; i < log->all.n; i++)
		call(finder, log->all.v[i]);
}

/*--------------------------------------------------------------------
 * Looking
 */

static struct fm_text
first_record(const struct fm_transaction *it, const char *tag)
{
	size_t i;

	for (i = 0; i < it->nrecords; i++)
		if (strcmp(it->records[i].tag, tag) == 0)
			return (it->records[i].text);
	return (fm_text(NULL, 0));
}

/* Returns the value of a header that came, of ReqHeader or BereqHeader. */
static struct fm_text
first_header(const struct fm_transaction *it, const char *tag,
    const char *name)
{
	size_t i, len = strlen(name);
	struct fm_text text;

	for (i = 0; i < it->nrecords; i++) {
		text = it->records[i].text;
		if (strcmp(it->records[i].tag, tag) == 0 && text.len > len &&
		    text.b[len] == ':' && fm_text_eq_nocase(fm_text(text.b,
		    len), fm_text_of(name)))
			return (fm_text_trim(fm_text(text.b + len + 1,
			    text.len - len - 1)));
	}
	return (fm_text(NULL, 0));
}

/* Splits a URL; a raw `#`, which no browser sends, ends the path, too. */
static void
split(struct fm_text url, struct fm_text *path, struct fm_text *query)
{
	size_t i = 0;

	while (i < url.len && url.b[i] != '?' && url.b[i] != '#')
		i++;
	*path = fm_text(url.b, i);
	*query = i < url.len && url.b[i] == '?' ?
	    fm_text(url.b + i + 1, url.len - i - 1) : fm_text(NULL, 0);
}

/* Returns the path of "http://host/path", which a client may send. */
static struct fm_text
without_host(struct fm_text url)
{
	size_t i = 0;

	if (!fm_text_begins(url, "http://") && !fm_text_begins(url, "https://"))
		return (url);
	i = url.b[4] == 's' ? 8 : 7;
	while (i < url.len && url.b[i] != '/')
		i++;
	return (i < url.len ? fm_text(url.b + i, url.len - i) :
	    fm_text_of("/"));
}

static bool
same_host(struct fm_text header, struct fm_text host)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text name;

	(void)fm_hostname_canon(header, buf, &name);
	return (name.b == NULL ? fm_text_eq_nocase(header, host) :
	    fm_text_eq(name, host));
}

/* Takes a request for the URL, if it is later than the one so far. */
static void
look_url(struct finder *finder, const struct fm_transaction *it)
{
	struct fm_why_log *log = finder->log;
	struct fm_text path, query;
	bool same;

	if (it->kind == FM_TRANSACTION_RESTART)
		return;
	split(without_host(first_record(it, "ReqURL")), &path, &query);
	if (it->kind == FM_TRANSACTION_ESI)
		split(first_record(it, "ReqURL"), &path, &query);
	if (!fm_text_eq(path, log->path_only) || (log->host.b != NULL &&
	    !same_host(first_header(it, "ReqHeader", "Host"), log->host)))
		return;
	same = log->query.b == NULL || fm_text_eq(query, log->query) ||
	    (query.len >= CUT && log->query.len > query.len &&
	    memcmp(query.b, log->query.b, query.len) == 0);
	if ((log->same_query && !same) || (finder->request != 0 &&
	    same == log->same_query && it->start < finder->when))
		return;
	finder->request = it->vxid;
	finder->when = it->start;
	log->same_query = same;
}

/* Returns true if a request got the rules of `next`. */
static bool
is_of_next(const struct fm_transaction *it)
{
	const struct fm_text end = fm_text_of(" of next");
	struct fm_text line;
	size_t i;

	for (i = 0; i < it->nrecords; i++) {
		line = it->records[i].text;
		if (strcmp(it->records[i].tag, "VCL_Log") == 0 &&
		    fm_text_begins(line, "fastmatch: ") &&
		    line.len > end.len && memcmp(line.b + line.len - end.len,
		    end.b, end.len) == 0)
			return (true);
	}
	return (false);
}

/* Takes the path of the rules from "... at /etc/varnish/site.rules:3 for". */
static void
look_rules(struct fm_why_log *log, const struct fm_transaction *it)
{
	struct fm_text line, place;
	size_t i, at, end;

	if (log->rules != NULL || is_of_next(it))
		return;
	for (i = 0; i < it->nrecords && log->rules == NULL; i++) {
		line = it->records[i].text;
		if (strcmp(it->records[i].tag, "VCL_Log") != 0 ||
		    !fm_text_begins(line, "fastmatch: "))
			continue;
		for (at = 0; at + 4 < line.len &&
		    memcmp(line.b + at, " at ", 4) != 0; at++)
			continue;
		place = fm_text(line.b + at, line.len - at);
		if (place.len <= 4 || place.b[4] != '/')
			continue;
		place = fm_text(place.b + 4, place.len - 4);
		for (end = 0; end < place.len && place.b[end] != ':'; end++)
			continue;
		log->rules = fm_cli_copy(place.b, end);
	}
}

static void
look(void *priv, const struct fm_transaction *it)
{
	struct finder *finder = priv;
	struct fm_why_log *log = finder->log;

	if (it->start != 0 && (log->first == 0 || it->start < log->first))
		log->first = it->start;
	if (it->end > log->last)
		log->last = it->end;
	look_rules(log, it);
	if (log->vxid == 0 && fm_transaction_is_request(it))
		look_url(finder, it);
	if (log->vxid != it->vxid || log->vxid == 0)
		return;
	if (it->kind == FM_TRANSACTION_REQUEST ||
	    it->kind == FM_TRANSACTION_ESI) {
		finder->request = it->vxid;
		finder->parent = 0;
	} else {
		finder->parent = it->parent;
	}
}

/*
 * Looks for the request; of a fetch, a retry or a restart, its client's.  A
 * file has been looked at once.
 */
static void
look_all(struct finder *finder)
{
	unsigned i;

	if (finder->log->once)
		each(finder, look);
	for (i = 0; i < ROUNDS && finder->request == 0 &&
	    finder->parent != 0; i++) {
		finder->log->vxid = finder->parent;
		finder->parent = 0;
		each(finder, look);
	}
}

/*--------------------------------------------------------------------
 * Gathering
 */

static bool
is_wanted(const struct finder *finder, uint64_t vxid)
{
	size_t i;

	for (i = 0; i < finder->nvxids; i++)
		if (finder->vxids[i] == vxid)
			return (true);
	return (false);
}

static void
want(struct finder *finder, uint64_t vxid)
{
	if (vxid != 0 && !is_wanted(finder, vxid))
		*(uint64_t *)fm_cli_grow(&finder->vxids, finder->nvxids++,
		    &finder->vxids_room, sizeof vxid) = vxid;
}

/* Wants what a kept transaction names. */
static void
want_named(struct finder *finder, const struct fm_transaction *it)
{
	struct fm_log_request request;
	struct fm_log_fetch fetch;

	if (fm_transaction_is_fetch(it)) {
		fetch = fm_log_fetch(it);
		want(finder, fetch.retried);
		return;
	}
	request = fm_log_request(it);
	want(finder, request.object);
	want(finder, request.fetch);
	want(finder, request.background);
	want(finder, request.restarted);
	split(request.left.url, &finder->path, &(struct fm_text){ NULL, 0 });
	finder->host = fm_log_header(&request.left.headers, "Host");
}

static void
gather(void *priv, const struct fm_transaction *it)
{
	struct finder *finder = priv;
	struct fm_transaction *kept;

	if (!is_wanted(finder, it->vxid) ||
	    fm_why_kept(finder->log, it->vxid) != NULL)
		return;
	kept = copy(it);
	keep(&finder->log->kept, kept);
	want_named(finder, kept);
}

/* Returns true if a request has purged what has its URL. */
static bool
is_purge(const struct finder *finder, const struct fm_transaction *it)
{
	struct fm_text path, query;
	size_t i;

	if (it->kind != FM_TRANSACTION_REQUEST ||
	    it->start >= finder->log->request->start)
		return (false);
	split(first_record(it, "ReqURL"), &path, &query);
	if (!fm_text_eq(path, finder->path) || !fm_text_eq_nocase(
	    first_header(it, "ReqHeader", "Host"), finder->host))
		return (false);
	for (i = 0; i < it->nrecords; i++)
		if (strcmp(it->records[i].tag, "VCL_call") == 0 &&
		    fm_text_eq(it->records[i].text, fm_text_of("PURGE")))
			return (true);
	return (false);
}

bool
fm_why_is_banned(const struct fm_why_log *log, uint64_t object)
{
	size_t i;

	for (i = 0; i < log->nbanned; i++)
		if (log->banned[i] == object)
			return (true);
	return (false);
}

/* Takes "Rd ban obj.http.X-A == b" of the CLI. */
static void
take_ban(struct finder *finder, struct fm_text text)
{
	static const char before[] = "Rd ban ";
	struct fm_why_log *log = finder->log;
	struct fm_why_ban *ban = fm_cli_grow(&log->bans, log->nbans++,
	    &log->bans_room, sizeof *ban);

	text = fm_text_trim(fm_text(text.b + sizeof before - 1,
	    text.len - (sizeof before - 1)));
	ban->when = finder->now;
	ban->expression = fm_text_of(fm_cli_copy(text.b, text.len));
}

/*
 * Takes bans, and the objects of "3 banned lookup" of a request, and of "3
 * banned by lurker".
 */
static void
take_bans(struct finder *finder, const struct fm_transaction *it)
{
	struct fm_why_log *log = finder->log;
	size_t i;

	if (it->end > finder->now)
		finder->now = it->end;
	for (i = 0; i < it->nrecords; i++)
		if (strcmp(it->records[i].tag, "CLI") == 0)
			take_ban(finder, it->records[i].text);
		else if (strcmp(it->records[i].tag, "ExpBan") == 0)
			*(uint64_t *)fm_cli_grow(&log->banned, log->nbanned++,
			    &log->banned_room, sizeof *log->banned) =
			    fm_vxid_of(it->records[i].text);
}

/*
 * Keeps fetches of the host and path that began before the request, and takes
 * bans.
 */
static void
gather_fetches(void *priv, const struct fm_transaction *it)
{
	struct finder *finder = priv;
	struct fm_why_kept *fetches = &finder->log->fetches;
	struct fm_text path, query;

	take_bans(finder, it);
	if (is_purge(finder, it) && it->start > finder->log->purged)
		finder->log->purged = it->start;
	if ((it->kind != FM_TRANSACTION_FETCH &&
	    it->kind != FM_TRANSACTION_BGFETCH &&
	    it->kind != FM_TRANSACTION_RETRY) ||
	    it->start >= finder->log->request->start ||
	    it->parent == finder->log->request->vxid)
		return;
	split(first_record(it, "BereqURL"), &path, &query);
	if (!fm_text_eq(path, finder->path) || !fm_text_eq_nocase(
	    first_header(it, "BereqHeader", "Host"), finder->host))
		return;
	if (fetches->n == FETCHES) {
		memmove(fetches->v, fetches->v + 1,
		    --fetches->n * sizeof *fetches->v);
	}
	keep(fetches, copy(it));
}

static void
gather_all(struct finder *finder)
{
	struct fm_why_log *log = finder->log;
	size_t i, before = 0;
	unsigned round;

	want(finder, finder->request);
	for (round = 0; round < ROUNDS && before < finder->nvxids; round++) {
		before = finder->nvxids;
		each(finder, gather);
	}
	for (i = 0; i < log->kept.n; i++)
		if (log->kept.v[i]->vxid == finder->request)
			log->request = log->kept.v[i];
	/* The last round of restarts says which URL was looked up. */
	if (log->request != NULL)
		each(finder, gather_fetches);
}

/*--------------------------------------------------------------------
 * Opening
 */

/* Returns the group that may read a path which this user may not; or NULL. */
static const struct group *
group_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || access(path, R_OK) == 0)
		return (NULL);
	return (getgrgid(st.st_gid));
}

/*
 * Returns the group of a varnishd's log, or NULL if that is not the matter.
 * Its folder is below one of `bases`, and without -n has the name of the host,
 * or of the program in later releases.
 */
static const struct group *
group_of_node(const char *name)
{
	static const char * const bases[] = { "/var/lib/varnish/",
	    "/var/lib/vinyl-cache/", "/var/lib/vinyl/", "/run/varnishd/", "" };
	char host[256] = "", *path;
	const char * const names[] = { name == NULL ? host : name, "varnishd",
	    "vinyld" };
	const struct group *group = NULL;
	size_t i, k, n = name == NULL ? 3 : 1;

	(void)gethostname(host, sizeof host - 1);
	for (i = 0; i < sizeof bases / sizeof bases[0]; i++)
		for (k = 0; k < n && group == NULL; k++) {
			if (asprintf(&path, "%s%s/_.vsm_mgt", bases[i],
			    names[k]) < 0)
				fm_cli_no_memory();
			group = group_of(path);
			free(path);
		}
	return (group);
}

char *
fm_why_denied(const struct fm_why_log *log, const char *wrong)
{
	const struct group *group = log->path != NULL ? group_of(log->path) :
	    group_of_node(log->name);
	struct fm_written text;

	fm_written_begin(&text);
	fprintf(text.to, "can't read %s: %s", log->path != NULL ? log->path :
	    "varnishd's log", wrong);
	if (group != NULL)
		fprintf(text.to, "; the group '%s' may: join it by 'usermod "
		    "-aG %s USER', and log in again", group->gr_name,
		    group->gr_name);
	else if (log->path == NULL)
		fprintf(text.to, "; -n NAME names a varnishd as its own -n "
		    "does, and its log is for root and the group 'varnish' "
		    "(or 'vinyl')");
	fm_written_end(&text);
	return (text.text);
}

/* Returns true if the log has all of a transaction, or there is none. */
static bool
has(const struct fm_why_log *log, uint64_t vxid)
{
	const struct fm_transaction *it = fm_why_kept(log, vxid);

	return (vxid == 0 || (it != NULL && it->whole));
}

/*
 * Returns true if varnishd still writes to the log what belongs to the request:
 * a client may have its answer before.
 */
static bool
is_being_written(const struct fm_why_log *log)
{
	struct fm_log_request request;

	if (log->path != NULL || log->request == NULL ||
	    (double)time(NULL) > log->request->end + RECENT)
		return (false);
	request = fm_log_request(log->request);
	return (!has(log, log->request->vxid) || !has(log, request.fetch) ||
	    !has(log, request.background) || !has(log, request.restarted) ||
	    (request.streamed && !has(log, request.object)));
}

/* Forgets what was read. */
static void
forget(struct fm_why_log *log)
{
	size_t i;

	for (i = 0; i < log->all.n; i++) {
		if (log->all.v[i]->nrecords > 0)
			free((void *)(uintptr_t)
			    log->all.v[i]->records[0].text.b);
		free((void *)(uintptr_t)log->all.v[i]->records);
		free(log->all.v[i]);
	}
	log->all.n = log->kept.n = log->fetches.n = log->nbanned = 0;
	log->nbans = 0;
	log->request = NULL;
	log->same_query = false;
}

/* Reads the log once.  Returns false if it can't be read. */
static bool
find(struct fm_why_log *log)
{
	struct finder finder = { .log = log };
	bool read = true;
	char *wrong = NULL, *text;

	log->once = log->path == NULL || strcmp(log->path, "-") == 0;
	if (log->path == NULL)
		wrong = fm_transactions_live(log->name, keep_all, &finder,
		    &read);
	else if (log->once)
		wrong = fm_transactions_read("-", keep_all, &finder, &read);
	else
		wrong = fm_transactions_read(log->path, look, &finder, &read);
	if (!read) {
		text = fm_why_denied(log, wrong);
		fm_complain("fastmatch why: %s", text);
		free(text);
		free(wrong);
		return (false);
	}
	log->wrong = wrong;
	look_all(&finder);
	if (finder.request != 0)
		gather_all(&finder);
	free(finder.vxids);
	return (true);
}

bool
fm_why_find(struct fm_why_log *log)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t vxid = log->vxid;
	unsigned i;

	for (i = 0;; i++) {
		/* A client has its answer before the log has the request. */
		if (log->path == NULL)
			(void)nanosleep(&pause, NULL);
		if (!find(log))
			return (false);
		if (i == TRIES || !is_being_written(log))
			return (true);
		forget(log);
		log->vxid = vxid;
	}
}
