/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hyperscan (or Vectorscan): many expressions, one pass.  scan.c is the only
 * file that includes <hs.h>; a build --without-hyperscan has scan_none.c
 * instead, in which no scan is ever made.
 *
 *	scan = fm_scan_new(patterns, ...)	compiles, measures
 *	fm_scan_ready(scan)			now it may run
 *	fm_scan_run(scan, subject, ...)		calls back for each hit
 *
 * A hit is a match, but for a gate's, which is a candidate.  The caller tries
 * each pattern alone where there is no scan, or where one fails.
 */

#ifndef FM_SCAN_H
#define FM_SCAN_H

#include <stdint.h>

#include "pattern.h"

struct fm_scan;

/* How many bytes the engine is handed for each byte of a literal or a glob. */
#define FM_SCAN_BYTE	4
/* The longest expression that the engine takes, in bytes. */
#define FM_SCAN_LONGEST	16000

/*
 * Makes a scan of those of n patterns whose way is FM_WAY_SCAN or FM_WAY_GATE,
 * which reports the number of each, once.  A gate reports the matches of its
 * regex, and perhaps more.  Runs the self-test when it is the first scan of the
 * process.
 *
 * The engine may refuse a pattern: then its way becomes FM_WAY_REFUSED, and the
 * scan is made of the others.  Returns NULL if there are no others, if there is
 * no memory, or if the engine failed its self-test.  A self-test that lacked
 * memory is made again the next time.
 */
struct fm_scan *fm_scan_new(struct fm_pattern * const *patterns,
    unsigned char *ways, size_t n);
void fm_scan_free(struct fm_scan **);

/* The memory of a scan; and of what each thread needs to run this one alone. */
size_t fm_scan_bytes(const struct fm_scan *);
size_t fm_scan_scratch_bytes(const struct fm_scan *);

/*
 * Makes room for a scan in the memory that each thread has for all scans, and
 * that never shrinks: so whoever finds a scan too large frees it instead.
 * Returns 0; or -1 if there is no memory: then the scan can't run.
 */
int fm_scan_ready(struct fm_scan *);

/* Called for a hit; true stops the scan.  It must not scan. */
typedef bool fm_scan_hit_f(void *priv, uint32_t id);

/*
 * Runs a scan that is ready.  Returns true if every hit was reported, or one
 * stopped it; else hits may be missing, and the caller tries each pattern.  The
 * subject is not empty: the caller knows before what matches the empty one.
 */
bool fm_scan_run(const struct fm_scan *, struct fm_text subject,
    fm_scan_hit_f *, void *priv);

enum fm_scan_health {
	FM_SCAN_UNTESTED,	/* nothing was built; or no memory for it */
	FM_SCAN_HEALTHY,
	FM_SCAN_FAILED,
	FM_SCAN_NONE		/* this build has no engine */
};

/* Returns the outcome of the self-test. */
enum fm_scan_health fm_scan_health(void);
/* Returns the version of the engine, or "none". */
const char *fm_scan_engine(void);

#endif
