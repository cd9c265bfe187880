/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kinds of what the rule language has: subjects, parts of values,
 * statements, verdicts; and what the table (words.h) says of each.  A model has
 * them (model.h), and the program that is made from it.
 */

#ifndef FM_KINDS_H
#define FM_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "pattern.h"
#include "words.h"

/* Names the subject of a test, a map or a variable. */
enum fm_subject_kind {
#define S(kind, ...)	FM_SUBJECT_##kind,
#define A(...)
	FM_SUBJECTS(S, A)
#undef S
#undef A
};

/* The words of `fetch is`, `cache is` and `scheme is`. */
enum fm_state {
#define W(subject, name, word)	FM_STATE_##subject##_##name,
	FM_STATES(W)
#undef W
	FM_STATE__KINDS
};

/*
 * Flags of a response: which fetch it comes from, or how it was found; and the
 * scheme of a request.
 */
enum fm_state_flags {
#define W(subject, name, word)						\
	FM_##subject##_##name = 1 << FM_STATE_##subject##_##name,
	FM_STATES(W)
#undef W
};

/* Says which texts of a subject a test looks at, if there are several. */
enum fm_which {
	FM_WHICH_FIRST,		/* no word: one text, the first of several */
	FM_WHICH_ANY,		/* `any`: true if the test is true of any */
	FM_WHICH_EVERY		/* `every`: true if it is true of each */
};

/* A part of a value: a text, or one variable in ${}. */
enum fm_part_kind {
	FM_PART_TEXT,		/* `text` itself */
#define P(kind, ...)	FM_PART_##kind,
	FM_VALUES(P)		/* HEADER, COOKIE and PARAMETER: `text` is the
				 * name */
#undef P
	FM_PART_GROUP,		/* ${1} to ${9}: `group` */
	FM_PART_MAP		/* only in programs: see fm_value */
};

/* A statement of a kind uses the member of struct fm_stmt of this name. */
enum fm_stmt_kind {
#define S(kind, ...)	FM_STMT_##kind,
	FM_STATEMENTS(S, S)
	FM_USE(S)
#undef S
	FM_STMT_KEYED		/* in `key`: `header NAME`, `cookie NAME` or a
				 * text in quotes */
};
#define FM_STMT__KINDS		(FM_STMT_KEYED + 1)

/* Says what a statement of `key` adds to the key. */
enum fm_keyed_what {
	FM_KEYED_HEADER,
	FM_KEYED_COOKIE,
	FM_KEYED_TEXT
};

/* How a request ends. */
enum fm_verdict {
	FM_VERDICT_NONE,
#define V(kind, ...)	FM_VERDICT_##kind,
	FM_VERDICTS(V)
#undef V
	FM_VERDICT_REFUSE	/* the request is refused without edits, also
				 * an ESI sub-request: enum fm_refuse */
};
#define FM_VERDICT__KINDS	(FM_VERDICT_REFUSE + 1)

/*
 * The phases of the rules: for a request (vcl_recv); in `key` for the key under
 * which it is looked up (vcl_hash); in `fetch` for what is sent to a backend
 * (vcl_backend_fetch); in `response` for what the backend has answered, before
 * it is stored (vcl_backend_response); and in `delivery` for what the client
 * gets (vcl_deliver, vcl_synth).  The first three look at a request, the others
 * at a response.
 */
enum fm_phase {
	FM_PHASE_REQUEST,
	FM_PHASE_KEY,
	FM_PHASE_FETCH,
	FM_PHASE_RESPONSE,
	FM_PHASE_DELIVERY
};
#define FM_PHASE__KINDS		(FM_PHASE_DELIVERY + 1)

/* Columns of words.h: a bit for each phase. */
enum fm_phases {
	FM_PHASES_REQUEST = 1 << FM_PHASE_REQUEST,
	FM_PHASES_KEYED = 1 << FM_PHASE_KEY,
	FM_PHASES_SENT = 1 << FM_PHASE_FETCH,
	FM_PHASES_STORED = 1 << FM_PHASE_RESPONSE,
	FM_PHASES_DELIVERED = 1 << FM_PHASE_DELIVERY,
	FM_PHASES_FETCHED = FM_PHASES_REQUEST | FM_PHASES_STORED,
	FM_PHASES_ANSWERED = FM_PHASES_REQUEST | FM_PHASES_DELIVERED,
	FM_PHASES_REWRITTEN = FM_PHASES_ANSWERED | FM_PHASES_SENT,
	FM_PHASES_BACKEND = FM_PHASES_SENT | FM_PHASES_STORED,
	FM_PHASES_MESSAGE = FM_PHASES_STORED | FM_PHASES_DELIVERED,
	FM_PHASES_CALLED = FM_PHASES_REQUEST | FM_PHASES_MESSAGE,
	FM_PHASES_EDITED = FM_PHASES_REQUEST | FM_PHASES_SENT |
	    FM_PHASES_MESSAGE,
	FM_PHASES_ANY = FM_PHASES_EDITED | FM_PHASES_KEYED,
	FM_PHASES_SESSION = FM_PHASES_ANSWERED | FM_PHASES_KEYED
};

enum fm_ends {
	FM_ENDS_NOTHING,
	FM_ENDS_MAYBE,
	FM_ENDS_BLOCK,
	FM_ENDS_RULES
};

enum fm_esi {
	FM_ESI_SAME,
	FM_ESI_IGNORED,
	FM_ESI_DENIES,
	FM_ESI_STATUS
};

#define FM_STATUS_OPERAND	1

struct fm_stmt_row {
	uint8_t			phases;		/* enum fm_phases */
	uint8_t			ends;		/* enum fm_ends */
	uint8_t			verdict;	/* enum fm_verdict, or NONE */
};

struct fm_verdict_row {
	const char		*word;		/* NULL: NONE */
	const char		*returns;	/* "PASS"; NULL: NONE */
	uint16_t		status;
	uint8_t			esi;		/* enum fm_esi */
};

struct fm_subject_row {
	uint8_t			token;		/* enum fm_token_kind */
	uint8_t			kind;		/* enum fm_subject_kind */
	bool			named;
	uint8_t			phases;		/* enum fm_phases */
};

struct fm_state_row {
	uint8_t			subject;	/* enum fm_subject_kind */
	const char		*word;
};

struct fm_value_row {
	const char		*name;
	const char		*others;	/* with a blank between */
	uint8_t			kind;		/* enum fm_part_kind */
	uint8_t			subject;	/* enum fm_subject_kind */
	uint8_t			phases;		/* enum fm_phases */
};

struct fm_ban_row {
	const char		*name;
	bool			duration;
};

extern const struct fm_stmt_row fm_stmts[FM_STMT__KINDS];
extern const struct fm_verdict_row fm_verdicts[FM_VERDICT__KINDS];

#define FM_ROW(...)	+ 1
#define FM_SUBJECT_ROWS	(0 FM_SUBJECTS(FM_ROW, FM_ROW))
#define FM_VALUE_ROWS	(0 FM_VALUES(FM_ROW))

extern const struct fm_subject_row fm_subjects[FM_SUBJECT_ROWS];
extern const struct fm_value_row fm_values[FM_VALUE_ROWS];
extern const struct fm_state_row fm_states[FM_STATE__KINDS];
#define FM_BAN_ROWS	(0 FM_BAN_FIELDS(FM_ROW))
extern const struct fm_ban_row fm_bans[FM_BAN_ROWS];

/* Returns true if a statement, a subject or a value is one of a phase. */
static inline bool
fm_phase_has(unsigned phases, enum fm_phase phase)
{
	return ((phases >> phase & 1) != 0);
}

/* Returns true for phases that look at a response. */
static inline bool
fm_phase_is_response(enum fm_phase phase)
{
	return (phase >= FM_PHASE_RESPONSE);
}

/* Returns true for the blocks of phases, such as `response`. */
static inline bool
fm_stmt_is_phase(enum fm_stmt_kind kind)
{
	return (kind >= FM_STMT_KEY && kind <= FM_STMT_DELIVERY);
}

/* Return the phase of such a block; and the block of a phase but REQUEST. */
static inline enum fm_phase
fm_stmt_phase(enum fm_stmt_kind kind)
{
	return ((enum fm_phase)(FM_PHASE_KEY + (kind - FM_STMT_KEY)));
}
static inline enum fm_stmt_kind
fm_phase_stmt(enum fm_phase phase)
{
	return ((enum fm_stmt_kind)(FM_STMT_KEY + (phase - FM_PHASE_KEY)));
}

/* Returns true if a statement may end the run, or leave its block. */
static inline bool
fm_stmt_may_end(enum fm_stmt_kind kind)
{
	return (fm_stmts[kind].ends != FM_ENDS_NOTHING);
}

/* Returns true for a verdict that gives the client an answer of ours. */
static inline bool
fm_stmt_answers(enum fm_stmt_kind kind)
{
	return (fm_verdicts[fm_stmts[kind].verdict].esi != FM_ESI_SAME);
}

/* Returns true if nothing after a statement is run, also not in ESI. */
static inline bool
fm_stmt_always_ends(enum fm_stmt_kind kind)
{
	enum fm_esi esi = (enum fm_esi)fm_verdicts[fm_stmts[kind].verdict].esi;

	return (fm_stmts[kind].ends == FM_ENDS_RULES &&
	    (esi == FM_ESI_SAME || esi == FM_ESI_DENIES));
}

enum fm_params_what {
	FM_PARAMS_WHAT_DROP,	/* `query drop`, `cookie drop` */
	FM_PARAMS_WHAT_KEEP,
	FM_PARAMS_WHAT_SORT,	/* query only */
	FM_PARAMS_WHAT_UNIQUE,	/* query only */
	FM_PARAMS_WHAT_CLEAN,	/* query only */
	FM_PARAMS_WHAT_ADD	/* vary only */
};

/* Where `scheme from` looks. */
enum fm_scheme_from {
	FM_SCHEME_FROM_TLS,	/* the session is TLS */
	FM_SCHEME_FROM_PROXY,	/* PP2_TYPE_SSL of the PROXY protocol */
	FM_SCHEME_FROM_HEADER	/* a header of a peer that is trusted */
};

/* Which lifetimes a `ttl` changes. */
enum fm_ttl_what {
	FM_TTL_SET,
	FM_TTL_DEFAULT,		/* those that no header has given */
	FM_TTL_LEAST,		/* those that are above 0 and lower */
	FM_TTL_MOST,		/* those that are higher */
	FM_TTL_FROM		/* that which a header gives */
};

/* The fate of a request with a rule that is undecided. */
enum fm_undecided_mode {
	FM_UNDECIDED_REFUSE,	/* no `undecided` in the file: status 400 */
	FM_UNDECIDED_IGNORE,	/* the test is not met, the line of the map
				 * does not match */
	FM_UNDECIDED_SYNTH	/* a synth of the user's */
};

/* Return the word of the language for a value: "begins", "redirect", "host". */
const char *fm_mode_word(enum fm_pattern_kind);
const char *fm_stmt_word(enum fm_stmt_kind);
const char *fm_subject_word(enum fm_subject_kind);

/* Returns the word of a phase's block; "request" for the rules of requests. */
const char *fm_phase_word(enum fm_phase);
/* Returns the row of a subject, or of a part that is a variable. */
const struct fm_subject_row *fm_subject_row(enum fm_subject_kind);
const struct fm_value_row *fm_value_row(enum fm_part_kind);

/*
 * Returns the flag of a word of `fetch is`, `cache is` or `scheme is`; 0: there
 * is none.
 */
unsigned fm_state_flag(enum fm_subject_kind, struct fm_text word);

/* Returns the row of a field that a ban may test, or NULL. */
const struct fm_ban_row *fm_ban_row(struct fm_text field);

/* Returns "pass", "redirect" and so on; NULL for FM_VERDICT_NONE. */
const char *fm_verdict_word(enum fm_verdict);

/* Returns the subject that a variable is taken from; PATH if there is none. */
enum fm_subject_kind fm_part_subject(enum fm_part_kind);

#endif
