/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiled rules: immutable, shared by threads without a lock.
 */

#ifndef FM_PROGRAM_H
#define FM_PROGRAM_H

#include <stdint.h>

#include "diag.h"
#include "text.h"

struct fm_program;

void fm_program_free(struct fm_program **);

/* Whether any rule asks for the client's address. */
bool fm_program_wants_client(const struct fm_program *);

/* The backends that rules name, from 0 on, and where each is named first. */
uint32_t fm_program_nbackends(const struct fm_program *);
const char *fm_program_backend(const struct fm_program *, uint32_t n,
    struct fm_place *);

size_t fm_program_hosts(const struct fm_program *);	/* patterns */
size_t fm_program_npatterns(const struct fm_program *);	/* compiled */
size_t fm_program_bytes(const struct fm_program *);	/* of memory */

/*
 * What a statement or a test is, for people: its place, its words (as of
 * fm_model_print_stmt() and _test()), and for a statement that decides the
 * line for the log.  All end in NUL, and live as long as the program.  The
 * masked words are the same but for the values of headers and cookies.
 */
struct fm_rule {
	struct fm_place		at;
	const char		*place;		/* "file:line" */
	const char		*text;
	const char		*masked;
	const char		*log;		/* or NULL */
	uint32_t		place_len;	/* bytes of place and log */
	uint32_t		log_len;
	uint32_t		guard;		/* for fm_program_guard() */
	uint16_t		tests;		/* for fm_program_tests() */
};

/*
 * The `when` whose condition a test is of, or in one of whose blocks a
 * statement stands, also behind its `else`; NULL: none.
 */
const struct fm_rule *fm_program_guard(const struct fm_program *,
    const struct fm_rule *);

/* A rule's place among those of its program, the same for the same text. */
uint32_t fm_program_rule_number(const struct fm_program *,
    const struct fm_rule *);

/* Returns true if the rules name such a header, whatever its case. */
bool fm_program_has_header(const struct fm_program *, struct fm_text name);

/*
 * The header whose value the n-th test of a `when` looks at, missing where it
 * looks at none; false past the last.
 */
bool fm_program_tests(const struct fm_program *, const struct fm_rule *when,
    uint32_t n, struct fm_text *header);

/*
 * Counters, of how often each statement was reached (a `when`: was true) and
 * each host pattern asked for: so many numbers, for fm_view.  Statements share
 * counters.
 */
uint32_t fm_program_ncounters(const struct fm_program *);

/*
 * The n-th statement and its counter; false past the last.  They are in the
 * order of the text, file by file.  Its identity is a hash of its words, of
 * the whens around it and of what its block is called (a block of hosts: one of
 * its hosts, whatever their order), not of where that stands; no two statements
 * of a program have the same.
 */
size_t fm_program_nrules(const struct fm_program *);
bool fm_program_rule(const struct fm_program *, uint32_t n,
    const struct fm_rule **, uint32_t *counter);
uint64_t fm_program_rule_id(const struct fm_program *, uint32_t n);

/*
 * The n-th host pattern, as it is written, and its counter; NULL past the
 * last.  Its identity is that of its canonical form.
 */
const char *fm_program_host(const struct fm_program *, uint32_t n,
    uint32_t *counter);
uint64_t fm_program_host_id(const struct fm_program *, uint32_t n);

#endif
