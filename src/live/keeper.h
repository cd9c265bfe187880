/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The keeper is the housekeeping thread.  The process has one, as long as
 * somebody holds it.  It looks at the files of feeds that are watched and
 * reloads those that changed, frees sets and versions that nobody uses, runs
 * jobs for other threads (a reload), and calls a function once a second.
 */

#ifndef FM_KEEPER_H
#define FM_KEEPER_H

#include <stdbool.h>

typedef void fm_keeper_second_f(void);

/*
 * Hold and drop the keeper, in the CLI thread.  The first hold starts the
 * thread; the last drop ends it, and waits for its end.  The thread calls
 * `second` once a second, without a lock; all callers give the same function.
 * fm_keeper_hold() returns 0, or -1 if the thread can't be started.
 */
int fm_keeper_hold(fm_keeper_second_f *second);
void fm_keeper_drop(void);

/*
 * Has the keeper call job(priv) without a lock, and waits until it has.
 * Returns false, without a call, if nobody holds the keeper.
 */
bool fm_keeper_do(void (*job)(void *), void *priv);

#endif
