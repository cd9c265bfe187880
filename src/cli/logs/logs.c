/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Logs in chunks.  One thread at a time reads, or unpacks; what is in the
 * lines is found out by all of them.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "logs_priv.h"
#include "term.h"

/*--------------------------------------------------------------------
 * Opening
 */

static bool
is_stdin(const char *path)
{
	return (strcmp(path, "-") == 0);
}

/* Before anything is read: a typing error in the last name shows at once. */
static bool
look(struct fm_logs *logs, const char *path)
{
	struct stat st;
	char *name;
	int wrong;

	if (is_stdin(path))
		return (true);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (access(path, R_OK) == 0) {
		if (S_ISREG(st.st_mode))
			logs->size += (double)st.st_size;
		return (true);
	}
	wrong = errno;
	name = fm_term_clean(fm_text_of(path), 0);
	fprintf(stderr, "fastmatch %s: can't read %s: %s\n", logs->command,
	    name, strerror(wrong));
	free(name);
	return (false);
}

struct fm_logs *
fm_logs_open(const char *command, const char * const *paths, size_t npaths,
    const char *format)
{
	struct fm_logs *logs = fm_cli_alloc(sizeof *logs);
	const char *wrong;
	size_t i;

	logs->command = command;
	logs->paths = paths;
	logs->npaths = npaths;
	(void)pthread_mutex_init(&logs->reading, NULL);
	(void)pthread_mutex_init(&logs->lock, NULL);
	logs->rest = fm_cli_alloc(FM_CHUNK);
	logs->access = fm_access_new(format, &wrong);
	if (logs->access == NULL) {
		fprintf(stderr, "fastmatch %s: the format can't be used: %s\n",
		    command, wrong);
		fm_logs_close(&logs);
		return (NULL);
	}
	for (i = 0; i < npaths; i++)
		if (!look(logs, paths[i])) {
			fm_logs_close(&logs);
			return (NULL);
		}
	return (logs);
}

void
fm_logs_close(struct fm_logs **logsp)
{
	struct fm_logs *logs = *logsp;
	size_t i;

	*logsp = NULL;
	if (logs->unpack != NULL)
		fm_unpack_close(&logs->unpack);
	if (logs->vsl != NULL)
		fm_vsl_close(&logs->vsl);
	if (logs->access != NULL)
		fm_access_free(&logs->access);
	for (i = 0; i < logs->ntroubles; i++)
		free(logs->troubles[i]);
	free(logs->troubles);
	free(logs->origins);
	free(logs->rest);
	(void)pthread_mutex_destroy(&logs->reading);
	(void)pthread_mutex_destroy(&logs->lock);
	free(logs);
}

/*--------------------------------------------------------------------
 * Reading
 */

static void __attribute__((format(printf, 2, 3)))
trouble(struct fm_logs *logs, const char *fmt, ...)
{
	char **text = fm_cli_grow(&logs->troubles, logs->ntroubles,
	    &logs->troubles_room, sizeof *text);
	char *said;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&said, fmt, ap) < 0)
		fm_cli_no_memory();
	va_end(ap);
	/* A name may have what a terminal takes for a command. */
	*text = fm_term_clean(fm_text_of(said), 0);
	free(said);
	logs->ntroubles++;
}

/* The current log; false: it can't be, and that was noted. */
static bool
open_current(struct fm_logs *logs)
{
	const char *path = logs->paths[logs->current];
	char *wrong = NULL;

	logs->rest_len = 0;
	logs->skipping = logs->begun = logs->ended = false;
	if (!is_stdin(path) && fm_vsl_is(path)) {
		logs->vsl = fm_vsl_open(path, &wrong);
		if (logs->vsl == NULL)
			trouble(logs, "can't read %s: %s", path, wrong);
		free(wrong);
		return (logs->vsl != NULL);
	}
	logs->unpack = fm_unpack_open(is_stdin(path) ? NULL : path);
	if (logs->unpack == NULL)
		trouble(logs, "can't read %s: %s", path, strerror(errno));
	return (logs->unpack != NULL);
}

static void
close_current(struct fm_logs *logs)
{
	struct stat st;

	if (!is_stdin(logs->paths[logs->current]) &&
	    stat(logs->paths[logs->current], &st) == 0 && S_ISREG(st.st_mode))
		logs->before += (double)st.st_size;
	if (logs->unpack != NULL)
		fm_unpack_close(&logs->unpack);
	if (logs->vsl != NULL)
		fm_vsl_close(&logs->vsl);
	logs->current++;
}

/* Said once, when it has ended. */
static void
note_end(struct fm_logs *logs)
{
	const char *path = logs->paths[logs->current], *what;

	switch (fm_unpack_ended(logs->unpack, &what)) {
	case FM_UNPACK_FINE:
		break;
	case FM_UNPACK_ERRNO:
		trouble(logs, "can't read %s: %s", path, what);
		break;
	case FM_UNPACK_CUT:
		trouble(logs, "%s is cut off; what came before counts", path);
		break;
	case FM_UNPACK_DAMAGED:
		trouble(logs, "%s is damaged; what came before counts: %s",
		    path, what);
		break;
	case FM_UNPACK_MORE:
		trouble(logs, "%s has something behind what %s packed; what "
		    "came before counts", path, fm_unpack_by(logs->unpack));
		break;
	}
}

/* What is behind the n bytes that are there; how many are there then. */
static size_t
read_on(struct fm_logs *logs, char *b, size_t n)
{
	if (logs->ended)
		return (n);
	n += fm_unpack_read(logs->unpack, b + n, FM_CHUNK - n);
	logs->ended = n < FM_CHUNK;
	if (logs->ended)
		note_end(logs);
	return (n);
}

/* What the beginning of a log says that it is; NULL: maybe lines. */
static const char *
name_others(const char *b, size_t n)
{
	static const struct {
		struct fm_text	magic;
		const char	*name;
	} others[] = {
		{ { "\375" "7zXZ", 5 }, "compressed with xz" },
		{ { "\050\265\057\375", 4 }, "compressed with zstd" },
		{ { "BZh91AY&SY", 10 }, "compressed with bzip2" },
		{ { "VSL", 4 }, "what varnishlog wrote, compressed or in a "
		    "pipe" },
		{ { "VSL2", 4 }, "what varnishlog wrote, compressed or in a "
		    "pipe" }
	};
	size_t i;

	for (i = 0; i < sizeof others / sizeof others[0]; i++)
		if (n >= others[i].magic.len && memcmp(b, others[i].magic.b,
		    others[i].magic.len) == 0)
			return (others[i].name);
	return (NULL);
}

/* Whether a log that was just opened can have lines at all. */
static bool
begin_lines(struct fm_logs *logs, const char *b, size_t n)
{
	const char *name = logs->begun ? NULL : name_others(b, n);

	logs->begun = true;
	if (name != NULL)
		trouble(logs, "can't read %s: it is %s; unpack it first",
		    logs->paths[logs->current], name);
	return (name == NULL);
}

/* Over the rest of a line that was too long; how many bytes are left. */
static size_t
skip_line(struct fm_logs *logs, char *b, size_t n)
{
	const char *newline;
	size_t len;

	while (logs->skipping && n > 0) {
		newline = memchr(b, '\n', n);
		len = newline == NULL ? n : (size_t)(newline + 1 - b);
		memmove(b, b + len, n - len);
		logs->skipping = newline == NULL;
		n = read_on(logs, b, n - len);
	}
	return (n);
}

/* Whole lines; false: there are no more. */
static bool
fill_lines(struct fm_logs *logs, struct fm_chunk *chunk)
{
	const char *newline;
	size_t n = logs->rest_len;

	memcpy(chunk->b, logs->rest, n);
	logs->rest_len = 0;
	n = read_on(logs, chunk->b, n);
	if (!begin_lines(logs, chunk->b, n))
		return (false);
	n = skip_line(logs, chunk->b, n);
	chunk->len = n;
	if (n == 0 || logs->ended)
		return (n > 0);
	newline = memrchr(chunk->b, '\n', n);
	if (newline == NULL) {
		chunk->cut = logs->skipping = true;
		return (true);
	}
	chunk->len = (size_t)(newline + 1 - chunk->b);
	logs->rest_len = n - chunk->len;
	memcpy(logs->rest, newline + 1, logs->rest_len);
	return (true);
}

static bool
fill_records(struct fm_logs *logs, struct fm_chunk *chunk)
{
	char *wrong = NULL;

	chunk->records = true;
	chunk->len = fm_vsl_fill(logs->vsl, chunk->b, FM_CHUNK, &wrong);
	if (wrong != NULL)
		trouble(logs, "%s is damaged or cut off: %s; what came before "
		    "counts", logs->paths[logs->current], wrong);
	free(wrong);
	return (chunk->len > 0);
}

static bool
fill(struct fm_logs *logs, struct fm_chunk *chunk)
{
	chunk->len = 0;
	chunk->cut = chunk->records = false;
	if (logs->unpack == NULL && logs->vsl == NULL && !open_current(logs))
		return (false);
	return (logs->vsl != NULL ? fill_records(logs, chunk) :
	    fill_lines(logs, chunk));
}

/* The library of varnishlog's files does not say where it is. */
static double
bytes_taken(const struct fm_logs *logs)
{
	if (logs->vsl != NULL)
		return (-1);
	return (logs->before +
	    (logs->unpack == NULL ? 0 : fm_unpack_taken(logs->unpack)));
}

static void
note_origin(struct fm_logs *logs, struct fm_chunk *chunk)
{
	struct fm_chunk_origin *origin;

	(void)pthread_mutex_lock(&logs->lock);
	chunk->number = (uint32_t)logs->norigins;
	origin = fm_cli_grow(&logs->origins, logs->norigins,
	    &logs->origins_room, sizeof *origin);
	origin->log = (uint32_t)logs->current;
	logs->norigins++;
	logs->taken = bytes_taken(logs);
	(void)pthread_mutex_unlock(&logs->lock);
}

bool
fm_logs_take(struct fm_logs *logs, struct fm_chunk *chunk)
{
	bool taken = false;

	chunk->lines = chunk->requests = chunk->unreadable = 0;
	chunk->formats = 0;
	(void)pthread_mutex_lock(&logs->reading);
	while (!taken && logs->current < logs->npaths) {
		taken = fill(logs, chunk);
		if (taken)
			note_origin(logs, chunk);
		else
			close_current(logs);
	}
	(void)pthread_mutex_unlock(&logs->reading);
	return (taken);
}

/* Among the first ones, if it is. */
static void
add_unreadable(struct fm_logs *logs, struct fm_where where)
{
	unsigned i;

	if (logs->nfirst == FM_LOGS_UNREADABLE) {
		if (!fm_where_before(where, logs->first[logs->nfirst - 1]))
			return;
		logs->nfirst--;
	}
	for (i = logs->nfirst++; i > 0 &&
	    fm_where_before(where, logs->first[i - 1]); i--)
		logs->first[i] = logs->first[i - 1];
	logs->first[i] = where;
}

void
fm_logs_give(struct fm_logs *logs, const struct fm_chunk *chunk)
{
	unsigned i;

	(void)pthread_mutex_lock(&logs->lock);
	logs->origins[chunk->number].lines = chunk->lines;
	logs->origins[chunk->number].requests = chunk->requests;
	logs->requests += chunk->requests;
	logs->unreadable += chunk->unreadable;
	logs->formats |= chunk->formats;
	for (i = 0; i < chunk->unreadable && i < FM_LOGS_UNREADABLE; i++)
		add_unreadable(logs,
		    (struct fm_where){ chunk->number, chunk->first[i] });
	(void)pthread_mutex_unlock(&logs->lock);
}

double
fm_logs_progress(struct fm_logs *logs, uint64_t *requests)
{
	double done;

	(void)pthread_mutex_lock(&logs->lock);
	*requests = logs->requests;
	done = logs->size > 0 ? logs->taken / logs->size : -1;
	(void)pthread_mutex_unlock(&logs->lock);
	return (done > 1 ? 1 : done);
}

/*--------------------------------------------------------------------
 * After it
 */

/* Where others could be read: if none can, the command says what to do. */
void
fm_logs_note_others(struct fm_logs *logs)
{
	const struct fm_chunk_origin *origin;
	uint64_t lines, requests;
	size_t i, n = 0;

	for (i = 0; i < logs->npaths && logs->requests > 0; i++) {
		lines = requests = 0;
		for (; n < logs->norigins; n++) {
			origin = &logs->origins[n];
			if (origin->log != i)
				break;
			lines += origin->lines;
			requests += origin->requests;
		}
		if (lines > 0 && requests == 0)
			trouble(logs, "no line of %s could be read",
			    logs->paths[i]);
	}
}

uint64_t
fm_logs_requests(const struct fm_logs *logs)
{
	return (logs->requests);
}

uint64_t
fm_logs_unreadable(const struct fm_logs *logs)
{
	return (logs->unreadable);
}

bool
fm_logs_has(const struct fm_logs *logs, enum fm_access_part part,
    struct fm_text header)
{
	unsigned i;

	for (i = 0; i < 32; i++)
		if ((logs->formats & 1U << i) != 0 &&
		    !fm_access_has(logs->access, i, part, header))
			return (false);
	return (true);
}

bool
fm_logs_unreadable_at(const struct fm_logs *logs, unsigned n,
    struct fm_where *where)
{
	if (n >= logs->nfirst)
		return (false);
	*where = logs->first[n];
	return (true);
}

const char *
fm_logs_place(const struct fm_logs *logs, struct fm_where where,
    uint64_t *line)
{
	uint32_t log, n = where.chunk;

	assert(n < logs->norigins);
	log = logs->origins[n].log;
	*line = (uint64_t)where.line + 1;
	while (n-- > 0 && logs->origins[n].log == log)
		*line += logs->origins[n].lines;
	return (logs->paths[log]);
}

const char *
fm_logs_trouble(const struct fm_logs *logs, unsigned n)
{
	return (n < logs->ntroubles ? logs->troubles[n] : NULL);
}
