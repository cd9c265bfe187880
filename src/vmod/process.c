/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether the worker process has begun to accept connections.
 */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

/*
 * The thread that accepts connections begins with the CLI's command `start`,
 * which varnishd gives after it has loaded all VCLs.  Varnishd tells a module
 * nothing of this, so the thread is looked up by its name.
 */
#define ACCEPTOR	"cache-acceptor"

/* Returns true if the thread with this number has that name. */
static bool
is_acceptor(const char *number)
{
	char path[64], name[sizeof ACCEPTOR + 1] = "";
	FILE *file;
	bool is;

	if (snprintf(path, sizeof path, "/proc/self/task/%s/comm", number) >=
	    (int)sizeof path)
		return (false);
	file = fopen(path, "re");
	if (file == NULL)
		return (false);
	is = fgets(name, sizeof name, file) != NULL &&
	    strncmp(name, ACCEPTOR, strlen(ACCEPTOR)) == 0;
	(void)fclose(file);
	return (is);
}

bool
fm_process_starting(void)
{
	static bool started;
	struct dirent *entry;
	DIR *tasks;

	if (started)
		return (false);
	tasks = opendir("/proc/self/task");
	if (tasks == NULL)
		return (true);
	while (!started && (entry = readdir(tasks)) != NULL)
		started = is_acceptor(entry->d_name);
	(void)closedir(tasks);
	return (!started);
}
