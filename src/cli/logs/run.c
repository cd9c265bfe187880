/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads that read logs, and a bar that says how far they are.
 */

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "logs_priv.h"

#define BAR		40	/* columns */
#define BAR_EVERY	100000000	/* nanoseconds */

struct reader {
	struct fm_logs		*logs;
	fm_logs_request_f	*request;
	void			*state;
	pthread_t		thread;
	struct readers		*all;
};

struct readers {
	struct reader		*v;
	unsigned		running;
	pthread_mutex_t		lock;
	pthread_cond_t		ended;		/* one of them */
};

unsigned
fm_logs_threads(void)
{
	cpu_set_t cpus;

	return (sched_getaffinity(0, sizeof cpus, &cpus) == 0 ?
	    (unsigned)CPU_COUNT(&cpus) : 1);
}

/*--------------------------------------------------------------------
 * A chunk
 */

/* Hands a request on, or notes the line as one that is none. */
static bool
one_request(const struct reader *reader, struct fm_chunk *chunk, bool readable,
    struct fm_message *message)
{
	struct fm_where where = { chunk->number, chunk->lines++ };
	bool more;

	if (readable) {
		chunk->requests++;
		more = reader->request(reader->state, message, where);
		fm_message_fini(message);
		fm_message_init(message);
		return (more);
	}
	if (chunk->unreadable < FM_LOGS_UNREADABLE)
		chunk->first[chunk->unreadable] = where.line;
	chunk->unreadable++;
	return (true);
}

/* Such a line is nobody's request, and no mistake. */
static bool
is_empty(const char *b, const char *end)
{
	return (b == end || (end - b == 1 && *b == '\r'));
}

static bool
read_line(const struct reader *reader, struct fm_chunk *chunk, char *b,
    const char *end, struct fm_message *message)
{
	unsigned format;

	if (chunk->cut || !fm_access_read(reader->logs->access, b,
	    (size_t)(end - b), message, &format))
		return (false);
	chunk->formats |= 1U << format;
	return (true);
}

static bool
read_lines(const struct reader *reader, struct fm_chunk *chunk)
{
	char *b = chunk->b, *end = b + chunk->len, *newline;
	struct fm_message message;
	bool more = true;

	fm_message_init(&message);
	while (more && b < end) {
		newline = memchr(b, '\n', (size_t)(end - b));
		if (newline == NULL)
			newline = end;
		if (is_empty(b, newline))
			chunk->lines++;
		else
			more = one_request(reader, chunk, read_line(reader,
			    chunk, b, newline, &message), &message);
		b = newline == end ? end : newline + 1;
	}
	return (more);
}

static bool
read_records(const struct reader *reader, struct fm_chunk *chunk)
{
	const char *b = chunk->b, *end = b + chunk->len;
	struct fm_message message;
	bool more = true;

	fm_message_init(&message);
	while (more && b < end) {
		b = fm_vsl_read(b, end, &message);
		more = one_request(reader, chunk, true, &message);
	}
	return (more);
}

static void *
read_logs(void *priv)
{
	struct reader *reader = priv;
	struct fm_chunk chunk = { .b = fm_cli_alloc(FM_CHUNK) };
	bool more = true;

	while (more && fm_logs_take(reader->logs, &chunk)) {
		more = chunk.records ? read_records(reader, &chunk) :
		    read_lines(reader, &chunk);
		fm_logs_give(reader->logs, &chunk);
	}
	free(chunk.b);
	(void)pthread_mutex_lock(&reader->all->lock);
	reader->all->running--;
	(void)pthread_cond_signal(&reader->all->ended);
	(void)pthread_mutex_unlock(&reader->all->lock);
	return (NULL);
}

/*--------------------------------------------------------------------
 * All of them
 */

static void
put_bar(struct fm_logs *logs)
{
	static const char full[BAR + 1] =
	    "########################################";
	uint64_t requests;
	double done = fm_logs_progress(logs, &requests);
	int n = (int)(done * BAR);

	if (done < 0)
		fprintf(stderr, "\r%llu requests",
		    (unsigned long long)requests);
	else
		fprintf(stderr, "\r[%.*s%*s] %3d %%  %llu requests", n, full,
		    BAR - n, "", (int)(done * 100),
		    (unsigned long long)requests);
	(void)fflush(stderr);
}

/* Until all have ended. */
static void
watch(struct readers *all, struct fm_logs *logs)
{
	bool shows = isatty(STDERR_FILENO), shown = false;
	struct timespec until;

	(void)pthread_mutex_lock(&all->lock);
	while (all->running > 0) {
		if (!shows) {
			(void)pthread_cond_wait(&all->ended, &all->lock);
			continue;
		}
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += BAR_EVERY;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&all->ended, &all->lock,
		    &until) == 0)
			continue;
		(void)pthread_mutex_unlock(&all->lock);
		put_bar(logs);
		shown = true;
		(void)pthread_mutex_lock(&all->lock);
	}
	(void)pthread_mutex_unlock(&all->lock);
	if (shown)
		fprintf(stderr, "\r\033[K");
}

static bool
complain(const struct fm_logs *logs)
{
	size_t i;

	for (i = 0; i < logs->ntroubles; i++)
		fprintf(stderr, "fastmatch %s: %s\n", logs->command,
		    logs->troubles[i]);
	return (logs->ntroubles == 0);
}

bool
fm_logs_run(struct fm_logs *logs, void * const *states, unsigned nthreads,
    fm_logs_request_f *request)
{
	struct readers all = { .running = nthreads };
	struct reader *reader;
	unsigned i;

	all.v = fm_cli_alloc(nthreads * sizeof *all.v);
	(void)pthread_mutex_init(&all.lock, NULL);
	(void)pthread_cond_init(&all.ended, NULL);
	for (i = 0; i < nthreads; i++) {
		reader = &all.v[i];
		*reader = (struct reader){ .logs = logs, .request = request,
		    .state = states[i], .all = &all };
		if (pthread_create(&reader->thread, NULL, read_logs,
		    reader) != 0)
			fm_cli_no_memory();
	}
	watch(&all, logs);
	for (i = 0; i < nthreads; i++)
		(void)pthread_join(all.v[i].thread, NULL);
	(void)pthread_cond_destroy(&all.ended);
	(void)pthread_mutex_destroy(&all.lock);
	free(all.v);
	fm_logs_note_others(logs);
	return (complain(logs));
}
