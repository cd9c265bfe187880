/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a module can find out about the worker process that it is in.
 */

#ifndef FM_PROCESS_H
#define FM_PROCESS_H

#include <stdbool.h>

/*
 * Whether it takes no requests yet, but is given the VCLs that varnishd has:
 * if one of these fails the process ends, and so does the next one.  In the
 * CLI thread.
 */
bool fm_process_starting(void);

#endif
