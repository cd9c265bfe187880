/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The housekeeping thread: one for the process, alive while somebody holds
 * it.  It looks at the files of feeds that are watched, makes what changed
 * anew, frees what nobody uses any more, does what others ask for (reload),
 * and calls a function once a second.
 */

#ifndef FM_KEEPER_H
#define FM_KEEPER_H

#include <stdbool.h>

typedef void fm_keeper_second_f(void);

/*
 * The first to hold starts the thread, the last to drop ends it and waits for
 * its end.  In the CLI thread.  0, or -1: it can't be started.  `second` is
 * called once a second under no lock, by the thread; the same for all.
 */
int fm_keeper_hold(fm_keeper_second_f *second);
void fm_keeper_drop(void);

/*
 * Has the thread call this, under no lock, and waits until it has.  false:
 * there is no thread, or it is about to end.
 */
bool fm_keeper_do(void (*job)(void *), void *priv);

#endif
