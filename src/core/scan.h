/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hyperscan (or Vectorscan): many expressions, one pass.  The only file that
 * includes <hs.h>.
 *
 * A scan tells candidates, it does not decide: where it fails, or where this
 * machine's engine fails its self-test, the caller tries each pattern alone.
 */

#ifndef FM_SCAN_H
#define FM_SCAN_H

#include <stdint.h>

#include "text.h"

/* Longer subjects are not scanned: fm_scan_run() says FM_SCAN_UNDECIDED. */
#define FM_SCAN_SUBJECT_MAX	(128UL << 10)

struct fm_scan_builder;
struct fm_scan;

/* NULL: no memory. */
struct fm_scan_builder *fm_scan_build_new(void);
void fm_scan_build_free(struct fm_scan_builder **);
size_t fm_scan_build_count(const struct fm_scan_builder *);

/*
 * A hit on any of these reports id.  The literal is bytes, not empty.
 * 0, or -1: no memory.
 */
int fm_scan_build_literal(struct fm_scan_builder *, struct fm_text, bool nocase,
    uint32_t id);

/*
 * A whole regex as a prefilter: reports id for every subject that the regex
 * may match, and perhaps for others.  The regex is one that PCRE2 accepts,
 * that never matches the empty string, and that fm_literals_of_regex()
 * understands; ends in NUL.  0, or -1: no memory.
 */
int fm_scan_build_prefilter(struct fm_scan_builder *, const char *regex,
    bool nocase, uint32_t id);

/*
 * Of at least one expression, of which a literal is told wherever it is, and
 * any other once at least.  Runs the self-test when it is the first of the
 * process.
 *
 * The engine may refuse a prefilter, one that is too complex, say; refused is
 * called with its id, and the scan is made of the others.  NULL: no others are
 * left; or no memory, an engine that failed its self-test or refuses a
 * literal.  A self-test that lacked memory is made again the next time.
 */
typedef void fm_scan_refused_f(void *priv, uint32_t id);

struct fm_scan *fm_scan_build(const struct fm_scan_builder *,
    fm_scan_refused_f *, void *priv);
void fm_scan_free(struct fm_scan **);
size_t fm_scan_bytes(const struct fm_scan *);

/* Called for a hit; true stops the scan.  It must not scan. */
typedef bool fm_scan_hit_f(void *priv, uint32_t id);

/* With any but FM_SCAN_DONE hits may be missing: try each pattern. */
enum fm_scan_result {
	FM_SCAN_DONE,		/* every hit was reported, or one stopped it */
	FM_SCAN_UNDECIDED,	/* the engine failed; the subject is too long */
	FM_SCAN_NO_MEMORY
};

enum fm_scan_result fm_scan_run(const struct fm_scan *, struct fm_text subject,
    fm_scan_hit_f *, void *priv);

enum fm_scan_health {
	FM_SCAN_UNTESTED,
	FM_SCAN_HEALTHY,
	FM_SCAN_FAILED
};

/* The outcome of the self-test; the version of the engine. */
enum fm_scan_health fm_scan_health(void);
const char *fm_scan_engine(void);

#endif
