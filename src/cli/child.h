/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts other programs: what unpacks a log, and git.
 */

#ifndef FM_CHILD_H
#define FM_CHILD_H

#include <sys/types.h>

/*
 * Starts the program that argv[0] names, with its standard input from `in` (-1:
 * ours) and its output to `out`.  Returns 0, with its process for waitpid(); or
 * an errno, as ENOSYS where no programs can be started.
 */
int fm_child_start(char * const argv[], int in, int out, pid_t *pid);

#endif
