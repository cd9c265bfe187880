/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A scan looks for many patterns in one pass over a text, by Hyperscan (or
 * Vectorscan).  scan.c is the only file that includes <hs.h>; a build
 * --without-hyperscan has scan_none.c instead, which never makes a scan.
 *
 *	scan = fm_scan_new(patterns, ...)
 *	fm_scan_run(scan, subject, ...)		calls back for each hit
 *
 * A hit of an FM_MATCHER_SCAN pattern is a match; a hit of an
 * FM_MATCHER_PREFILTER pattern is a candidate, which PCRE2 has to decide.  If
 * there is no scan, or if a scan fails, the caller tries each pattern alone.
 */

#ifndef FM_SCAN_H
#define FM_SCAN_H

#include <stdint.h>

#include "pattern.h"

struct fm_scan;

/* Each byte of a literal or a glob is handed to the engine as four: \xHH. */
#define FM_SCAN_BYTE	4
/* The longest expression that the engine takes, in bytes. */
#define FM_SCAN_LONGEST	16000

/*
 * Makes a scan of those of n patterns whose matcher is FM_MATCHER_SCAN or
 * FM_MATCHER_PREFILTER.  The scan reports the number of each pattern at most
 * once.  A prefilter reports all matches of its regex, and perhaps texts that
 * do not match.  The self-test runs before the first scan of a process is made.
 *
 * The engine may refuse a pattern, or miss matches of its syntax
 * (fm_scan_lacks()): then its matcher becomes FM_MATCHER_PLACE, or for a glob
 * FM_MATCHER_PREFILTER, and the scan is made of the others.  Returns NULL if
 * there are no others, if there is no memory, if the scan takes more than a
 * load may have (caps.h, an error at the place), or if the engine failed its
 * self-test.  If the self-test lacked memory, the next call repeats it.
 */
struct fm_scan *fm_scan_new(struct fm_pattern * const *patterns,
    unsigned char *matchers, size_t n, const struct fm_place *,
    struct fm_diag *) __attribute__((cold));
void fm_scan_free(struct fm_scan **) __attribute__((cold));

/*
 * Return the memory of a scan; and the scratch that a thread needs to run this
 * scan alone; both in bytes.
 */
size_t fm_scan_bytes(const struct fm_scan *) __attribute__((cold));
size_t fm_scan_scratch_bytes(const struct fm_scan *) __attribute__((cold));

/* Is told of a hit, and returns true to stop the scan.  It must not scan. */
typedef bool fm_scan_hit_f(void *priv, uint32_t id);

/*
 * Runs a scan.  Returns true if every hit was reported, or a hit
 * stopped the scan.  Returns false if hits may be missing: then the caller
 * tries each pattern.  The subject must not be empty.
 */
bool fm_scan_run(const struct fm_scan *, struct fm_text subject,
    fm_scan_hit_f *, void *priv);

enum fm_scan_health {
	FM_SCAN_UNTESTED,	/* no scan was made yet, or the self-test had no
				 * memory */
	FM_SCAN_HEALTHY,	/* but for what fm_scan_lacks() returns */
	FM_SCAN_FAILED,		/* the engine misses matches: don't use it */
	FM_SCAN_NONE		/* this build has no engine */
};

/* Returns the outcome of the self-test. */
enum fm_scan_health fm_scan_health(void) __attribute__((cold));
/*
 * Returns the FM_SYNTAX_* bits (syntax.h) of the anchors whose matches the
 * engine misses, although it is healthy for all other syntax.
 */
unsigned fm_scan_lacks(void) __attribute__((cold));
/* Returns the same in words, such as "`\z`"; NULL if the engine lacks none. */
const char *fm_scan_lacks_name(void) __attribute__((cold));
/* Returns the version of the engine, or "none". */
const char *fm_scan_engine(void) __attribute__((cold));

#endif
