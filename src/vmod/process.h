/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Facts about the worker process that the module runs in.
 */

#ifndef FM_PROCESS_H
#define FM_PROCESS_H

#include <stdbool.h>

/*
 * Returns true while the worker process starts: the manager loads its VCLs into
 * the process, which takes no requests yet.  A VCL that fails then ends the
 * process, and fails in the next process as well.  In the CLI thread.
 */
bool fm_process_starting(void);

#endif
