/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Requests from a log, for `fastmatch bench`.
 */

#include <stdlib.h>

#include "bench.h"
#include "cli.h"
#include "logs/logs.h"

struct fm_message *
fm_requests_add(struct fm_requests *requests)
{
	struct fm_message *message = fm_cli_grow(&requests->v, requests->n,
	    &requests->room, sizeof *message);

	requests->n++;
	fm_message_init(message);
	return (message);
}

void
fm_requests_fini(struct fm_requests *requests)
{
	size_t i;

	for (i = 0; i < requests->n; i++)
		fm_message_fini(&requests->v[i]);
	free(requests->v);
	memset(requests, 0, sizeof *requests);
}

struct wanted {
	struct fm_requests	*requests;
	size_t			max;
};

static bool
keep_request(void *priv, struct fm_message *message, struct fm_where where)
{
	struct wanted *wanted = priv;

	(void)where;
	*fm_requests_add(wanted->requests) = *message;
	fm_message_init(message);
	return (wanted->requests->n < wanted->max);
}

bool
fm_requests_read(struct fm_requests *requests, const char *path, size_t max,
    size_t *skipped)
{
	struct wanted wanted = { requests, max };
	void *state = &wanted;
	struct fm_logs *logs;
	bool fine;

	logs = fm_logs_open("bench", &path, 1, NULL);
	if (logs == NULL)
		return (false);
	fine = fm_logs_run(logs, &state, 1, keep_request);
	*skipped = (size_t)fm_logs_unreadable(logs);
	fm_logs_close(&logs);
	return (fine);
}
