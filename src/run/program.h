/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program is compiled rules.  compile.h makes one, run.h runs it, and this
 * file tells about it: its backends, rules, hosts and counters.  A program is
 * immutable, so threads share it without a lock.
 */

#ifndef FM_PROGRAM_H
#define FM_PROGRAM_H

#include <stdint.h>

#include "diag.h"
#include "kinds.h"
#include "text.h"

struct fm_program;

void fm_program_free(struct fm_program **);

/*
 * Returns the program of a phase, which fm_run() runs; NULL if the rules have
 * no such block.
 */
const struct fm_program *fm_program_phase(const struct fm_program *,
    enum fm_phase);

/*
 * Return, of the program of `key`, the identity of the statements that make the
 * key of the hosts of a block (0: none do), and of those of all hosts.  Lines
 * may move without changing it.
 */
uint64_t fm_program_key_id(const struct fm_program *, uint32_t block);
uint64_t fm_program_key_ids(const struct fm_program *);

/* Returns true if any rule may give a request another Host. */
bool fm_program_sets_host(const struct fm_program *);

/*
 * Returns true if rules have `cache-status`, and none for responses, with which
 * .apply() must be called before it.
 */
bool fm_program_wants_cause(const struct fm_program *);

/* Returns true if any rule asks whether Varnish has made a response itself. */
bool fm_program_asks_own(const struct fm_program *);
/*
 * Returns true if rules for deliveries may do anything in vcl_synth: with what
 * Varnish has made itself, or for a redirect or an answer of theirs.
 */
bool fm_program_acts_in_synth(const struct fm_program *);

/*
 * Return, of such a program: true if its rules read headers of the
 * request; and true if no rule is for the host whose block is `block`
 * of a result.
 */
bool fm_program_reads_request(const struct fm_program *);
/* Returns true if rules for responses have ${rule}. */
bool fm_program_reads_rule(const struct fm_program *);
/* Returns true if rules for deliveries have `cache-status`. */
bool fm_program_tells_cache(const struct fm_program *);
/*
 * Returns true if a header names the client or the scheme, and rules of a later
 * phase may read it again (fm_run_names_client()).
 */
bool fm_program_keeps_client(const struct fm_program *);
bool fm_program_is_idle(const struct fm_program *, uint32_t block);

/*
 * Return, of the program for deliveries, how many headers the rules may add:
 * those for a host, and those for any host.
 */
unsigned fm_program_adds(const struct fm_program *, uint32_t block);
unsigned fm_program_adds_most(const struct fm_program *);

/*
 * Returns FM_WANTS_* bits for what rules ask for beside the message.  For the
 * scheme a view needs the client, too.
 */
#define FM_WANTS_CLIENT	1U
#define FM_WANTS_SCHEME	2U
unsigned fm_program_wants(const struct fm_program *);

/*
 * Return how many backends the rules name; and the name of backend n, from 0
 * on, with the place where the rules name it first.
 */
uint32_t fm_program_nbackends(const struct fm_program *);
const char *fm_program_backend(const struct fm_program *, uint32_t n,
    struct fm_place *);

/*
 * Return how many subs of VCL the rules call; and the name of sub n, from 0 on,
 * with the place that names it first, and the phases that call it (enum
 * fm_phases).  Both may be NULL.
 */
uint32_t fm_program_ncalls(const struct fm_program *);
const char *fm_program_call(const struct fm_program *, uint32_t n,
    struct fm_place *, unsigned *phases);

/* Return how many host patterns, and how many other patterns, there are. */
size_t fm_program_hosts(const struct fm_program *);
size_t fm_program_npatterns(const struct fm_program *);
/* Returns the memory of the program, in bytes. */
size_t fm_program_bytes(const struct fm_program *);

/*
 * A statement or a test, as people are told of it.  The texts end in NUL, and
 * live as long as the program.
 */
struct fm_rule {
	struct fm_place		at;
	const char		*place;		/* "file:line" */
	const char		*text;		/* fm_model_print_stmt() or
						 * fm_model_print_test() */
	const char		*masked;	/* text that hides the values
						 * of headers and cookies */
	union {
		const char	*log;		/* line for the log; NULL: the
						 * rule is a test */
		const struct fm_text *logs;	/* of `builtin`: the line for
						 * each verdict but synth */
	};
	uint32_t		place_len;	/* bytes */
	uint32_t		log_len;	/* bytes; 0: there are `logs` */
	uint32_t		guard;		/* for fm_program_guard() */
	uint16_t		tests;		/* for fm_program_tests() */
	uint8_t			depth;		/* whens around it; an `else
						 * when` is as deep as the
						 * first of them */
	uint8_t			side;		/* enum fm_rule_side */
};

/* The side of a `when` on which a statement stands. */
enum fm_rule_side {
	FM_RULE_THEN,		/* in its block; or there is none */
	FM_RULE_ELSE,
	FM_RULE_CHAINED		/* an `else when` */
};

/*
 * Returns the innermost `when` around a rule: of a test, the `when` that has
 * it in its condition; of a statement, the one that has it in its block or
 * after its `else`.  Returns NULL if there is none.
 */
const struct fm_rule *fm_program_guard(const struct fm_program *,
    const struct fm_rule *);

/* Returns the number of a rule: the same text always gives the same numbers. */
uint32_t fm_program_rule_number(const struct fm_program *,
    const struct fm_rule *);

/* Returns true if the rules name such a header, whatever its case. */
bool fm_program_has_header(const struct fm_program *, struct fm_text name);

/*
 * Finds the header that the n-th test of a `when` looks at; *header is missing
 * if that test looks at no header.  Returns false if there is no n-th test.
 */
bool fm_program_tests(const struct fm_program *, const struct fm_rule *when,
    uint32_t n, struct fm_text *header);

/*
 * Returns how many counters a view for this program needs.  Counters say how
 * often each statement was reached (a `when`: was true), and how often each
 * host pattern was asked for.  Statements that always run together share a
 * counter.
 */
uint32_t fm_program_ncounters(const struct fm_program *);

/*
 * Finds the n-th statement, and its counter unless that is NULL, in the order
 * of the text, file by file.  Returns false if there is no n-th one.
 *
 * The identity of a statement lets a counter go on after a reload.  It is a
 * hash of the statement's words, of the whens around it, and of the name of its
 * block (a block of hosts: one of the hosts, whatever their order).  Lines may
 * move without changing it.  No two statements of a program have the same one.
 */
size_t fm_program_nrules(const struct fm_program *);
bool fm_program_rule(const struct fm_program *, uint32_t n,
    const struct fm_rule **, uint32_t *counter);
uint64_t fm_program_rule_id(const struct fm_program *, uint32_t n);

/*
 * Finds the hosts that statement n is for, in any phase: those whose block has
 * it, or uses a ruleset that has it.  Returns 0, or -1 if there is no memory.
 * The caller frees hosts[].
 */
struct fm_rule_hosts {
	bool			all;		/* it is in `always` or
						 * `finally`: for any host */
	bool			otherwise;	/* it is in `default` */
	bool			*hosts;		/* for each pattern */
};

int fm_program_rule_hosts(const struct fm_program *, uint32_t n,
    struct fm_rule_hosts *);

/*
 * Returns the n-th host pattern as it is written, and its counter unless that
 * is NULL; NULL if there is no n-th one.  Its identity is
 * fm_hosttab_pattern_id().
 */
const char *fm_program_host(const struct fm_program *, uint32_t n,
    uint32_t *counter);

/* Returns the place of the n-th host pattern, which there is. */
struct fm_place fm_program_host_place(const struct fm_program *, uint32_t n);

#endif
