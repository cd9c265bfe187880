/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts other programs by posix_spawnp(), where that is.
 */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "child.h"

#if HAVE_PROCESSES

/* Not each C library declares it. */
extern char **environ;

int
fm_child_start(char * const argv[], int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	/* With SIGCHLD ignored, as some parents leave it, waitpid() fails. */
	(void)signal(SIGCHLD, SIG_DFL);
	(void)posix_spawn_file_actions_init(&actions);
	if (in >= 0)
		(void)posix_spawn_file_actions_adddup2(&actions, in,
		    STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return (error);
}

#else

int
fm_child_start(char * const argv[], int in, int out, pid_t *pid)
{
	(void)argv;
	(void)in;
	(void)out;
	(void)pid;
	return (ENOSYS);
}

#endif
