/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the check share.  A model of a text with errors may have
 * holes: whatever is a pointer may be NULL, and is passed over.
 */

#ifndef FM_CHECK_PRIV_H
#define FM_CHECK_PRIV_H

#include <limits.h>

#include "check.h"
#include "messages_check.h"

/* For "%.*s": a text, cut where it is long. */
#define FM_CHECK_CUT	80
#define FM_CHECK_QUOTE(t)						\
	(int)((t).len < FM_CHECK_CUT ? (t).len : FM_CHECK_CUT),	\
	(t).len > 0 ? (t).b : ""

/*--------------------------------------------------------------------
 * Texts and what they stand for, by hash (check_table.c)
 */

struct fm_check_entry {
	struct fm_text		text;
	uint64_t		hash;
	void			*thing;		/* never NULL: a free slot is */
};

/* Zeroed is empty. */
struct fm_check_table {
	bool			nocase;
	struct fm_check_entry	*entries;
	size_t			count, room;
};

/*
 * Adds a thing unless there is one of the same text; then that one stays, and
 * is in *first (else NULL).  0, or -1: no memory.
 */
int fm_check_table_add(struct fm_check_table *, struct fm_text, void *thing,
    void **first);
void *fm_check_table_find(const struct fm_check_table *, struct fm_text);
/* The nearest text that is no more than a slip away, or NULL. */
const struct fm_check_entry *fm_check_table_near(
    const struct fm_check_table *, struct fm_text);
void fm_check_table_fini(struct fm_check_table *);

/*--------------------------------------------------------------------
 * The check
 */

/* Describes what uses of a list or map have in common. */
struct fm_check_uses {
	unsigned		subjects;	/* bits, see below */
	bool			location;	/* a redirect uses the map */
	/* The first use of a list for names, and for networks, or NULL. */
	const struct fm_word	*names, *networks;
};

/* Subjects of which nearly every request has much to match. */
#define FM_CHECK_BROAD		1U
#define FM_CHECK_HEADER		2U
#define FM_CHECK_OTHER		4U
#define FM_CHECK_NAMES		8U	/* of parameters or cookies */
/* Which subject it is; a User-Agent is one of its own. */
#define FM_CHECK_KIND(kind)	(16U << (kind))
#define FM_CHECK_AGENT		(16U << (FM_SUBJECT_CLIENT + 1))
#define FM_CHECK_KINDS		(2 * FM_CHECK_AGENT - 16U)

/* A `when` that encloses what is looked at, and has a regex for ${1}. */
struct fm_check_scope {
	const struct fm_stmt	*when;
	bool			any;
	bool			of_host;	/* it is what all look at */
	unsigned		groups;		/* the most of them */
};

/* The parts of a request that tests ask for. */
#define FM_CHECK_ASKED_METHOD	1U
#define FM_CHECK_ASKED_WHO	2U	/* the client, or a header */
#define FM_CHECK_ASKED_HOST	4U

struct fm_check {
	struct fm_model		*model;
	const struct fm_check_options *options;
	struct fm_diag		*diag;
	bool			broken;		/* the text had errors */
	unsigned		failed;		/* errors that were found */
	bool			no_memory;
	unsigned		guesses;	/* names that were guessed */
	unsigned		denials;	/* synths with a 4xx, so far */
	unsigned		refusals;	/* those that are no 404 */
	unsigned		endings;	/* statements, so far */
	unsigned		edits;		/* of the URL, likewise */

	struct fm_check_table	lists, maps, rulesets, backends, headers;
	bool			headers_over;
	struct fm_check_uses	*list_uses;	/* by number */
	struct fm_check_uses	*map_uses;
	bool			in_map;		/* a map's values */
	bool			in_list;	/* a list of `is` */
	const struct fm_check_scope *scope;
	unsigned		asked;		/* by the whens around */
	unsigned		answered;	/* by whens before, whose blocks
						 * end the run */
	bool			uses_told;	/* what is wrong with them */
	const struct fm_site	*site;		/* whose block it is, or NULL */
	size_t			first_host;	/* of the site */
	bool			any_host;	/* gets to this block */
	long			loop_steps;	/* that are left */
	long			signal_steps;	/* likewise */
	/* Headers: that are set; likewise twice, or are read; were told. */
	struct fm_check_table	set_once, signals, told;
};

/* Reports, and counts. */
void fm_check_error(struct fm_check *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void fm_check_memory(struct fm_check *);

/* Marks what a name stands for as used; NULL and an error: nothing. */
struct fm_list_def *fm_check_list(struct fm_check *, const struct fm_word *);
struct fm_map_def *fm_check_map(struct fm_check *, const struct fm_word *);
struct fm_ruleset_def *fm_check_ruleset(struct fm_check *,
    const struct fm_word *);
void fm_check_backend(struct fm_check *, const struct fm_word *);
void fm_check_used(struct fm_check *, struct fm_ruleset_def *, bool within);

/* check_cond.c */
unsigned fm_check_subject_bit(const struct fm_subject *);
void fm_check_subject(struct fm_check *, const struct fm_subject *);
void fm_check_cond(struct fm_check *, struct fm_cond *);
void fm_check_lists(struct fm_check *);
void fm_check_names_list(struct fm_check *, const struct fm_list_def *,
    const struct fm_word *use);
/* The operands of a test, or of a list or map (NULL), and their subjects. */
void fm_check_operands(struct fm_check *, enum fm_pattern_kind,
    const struct fm_words *, bool nocase, unsigned subjects,
    struct fm_cond *);

/* check_stmt.c */
/* Returns the statement with which a block ends the run, or NULL. */
const struct fm_stmt *fm_check_block(struct fm_check *,
    const struct fm_block *);
void fm_check_undecided(struct fm_check *);
/* The `when` of an `else when`, or NULL. */
struct fm_stmt *fm_check_chained(const struct fm_stmt *when);
/* Returns true if a redirect leads somewhere for every request. */
bool fm_check_redirects(const struct fm_stmt *redirect);

/* check_use.c: all `use` statements, once the names are found */
void fm_check_uses(struct fm_check *);

/* check_value.c */
enum fm_check_header {
	FM_CHECK_HEADER_READ,
	FM_CHECK_HEADER_SET,
	FM_CHECK_HEADER_UNSET,
	FM_CHECK_HEADER_GLOB	/* whether any that fits is there */
};
void fm_check_header(struct fm_check *, enum fm_check_header, struct fm_text,
    const struct fm_place *);
/* The name of a parameter or a cookie; glob: it may have wildcards. */
void fm_check_name(struct fm_check *, struct fm_text, bool glob,
    const struct fm_place *);
void fm_check_value(struct fm_check *, struct fm_value *);
/* Whether a value is always empty. */
bool fm_check_value_empty(const struct fm_value *);
void fm_check_regexes(const struct fm_cond *, struct fm_check_scope *);

/*
 * check_location.c: where a redirect leads; nothing of a map, nor where the
 * value is empty.
 */
void fm_check_location(struct fm_check *, const struct fm_value *);
struct fm_text fm_check_location_host(struct fm_text);
bool fm_check_location_open(const struct fm_value *);

/* check_signal.c: headers that a block, or `always`, sets at times only */
void fm_check_signals(struct fm_check *, const struct fm_block *,
    bool always);
void fm_check_signal_header(struct fm_check *, struct fm_text name, bool set);

/* Says what a statement edits of the URL. */
#define FM_CHECK_EDITS_QUERY	1U
#define FM_CHECK_EDITS_PATH	2U

static inline unsigned
fm_check_edits(const struct fm_stmt *stmt)
{
	return (stmt->kind == FM_STMT_QUERY ? FM_CHECK_EDITS_QUERY :
	    stmt->kind == FM_STMT_REWRITE ? FM_CHECK_EDITS_QUERY |
	    FM_CHECK_EDITS_PATH : 0);
}

/* check_loop.c: redirects in a block that lead to themselves */
void fm_check_loops(struct fm_check *, const struct fm_block *);
bool fm_check_is_of_scheme(struct fm_text header);
/* A test of the host, within the block of a host. */
void fm_check_site_test(struct fm_check *, const struct fm_cond *);

/* check_map.c */
void fm_check_maps(struct fm_check *);

/* check_cover.c: operands that others hide, and those that are there twice */
/* Returns true if the first operand matches all that the second one does. */
bool fm_check_covers(enum fm_pattern_kind by, struct fm_text with,
    enum fm_pattern_kind, struct fm_text, bool nocase);
/* Returns true if one text may be both, of `is` and `begins`. */
static inline bool
fm_check_meets(enum fm_pattern_kind a, struct fm_text ta,
    enum fm_pattern_kind b, struct fm_text tb, bool nocase)
{
	return (fm_check_covers(a, ta, b, tb, nocase) ||
	    fm_check_covers(b, tb, a, ta, nocase));
}
void fm_check_covered(struct fm_check *, const struct fm_list_def *);
/* The lines of a map, too. */
void fm_check_hidden(struct fm_check *, const struct fm_map_def *);
/* Checks the operands of a test, or of a statement. */
void fm_check_covered_words(struct fm_check *, enum fm_pattern_kind,
    const struct fm_words *, bool nocase);

/* Warns of an operand that another one hides.  mode: NULL: it is the same. */
void fm_check_tell_covered(struct fm_check *, const struct fm_word *,
    const char *mode, const struct fm_word *by, const char *by_mode);

/* Returns true for a glob of stars alone. */
bool fm_check_is_stars(enum fm_pattern_kind, struct fm_text);

/*
 * check_nets.c: networks of a test; of a list of `in`, or one of `is` that a
 * `client in` uses, where anything else is an error; of a map.
 */
void fm_check_networks(struct fm_check *, const struct fm_words *,
    struct fm_nets *);
/*
 * Returns true if what stands where a list may was meant as a network; it is
 * none, which is an error.
 */
bool fm_check_meant_network(struct fm_check *, struct fm_word *);
void fm_check_list_networks(struct fm_check *, struct fm_list_def *,
    const struct fm_word *use);
void fm_check_map_networks(struct fm_check *, struct fm_map_def *);
/* A subject that is asked of networks, and hardly ever an address. */
void fm_check_nets_subject(struct fm_check *, const struct fm_subject *);
/* Notes that a `client in` uses a list. */
void fm_check_client_list(struct fm_check *, const struct fm_list_def *,
    const struct fm_word *use);
/* The `client from`, and statements that set or unset its header. */
void fm_check_trust(struct fm_check *);
void fm_check_trusted(struct fm_check *, const char *what,
    const struct fm_word *header);
/*
 * What a glob of a text with stars around it means, and of what: `*x*` is
 * `contains x`.  Any other operand is what it says.
 */
enum fm_pattern_kind fm_check_kind(enum fm_pattern_kind, struct fm_text *);

/* check_regex.c */
enum fm_check_regex {
	FM_CHECK_REGEX_ANY,	/* may match every text */
	FM_CHECK_REGEX_TEST,	/* may not, unless it has groups */
	FM_CHECK_REGEX_LIST	/* may not */
};
/*
 * Compiles it, warns, and returns how many groups it has; it is an error,
 * which is reported: any number.
 */
#define FM_CHECK_GROUPS_UNKNOWN	UINT_MAX
unsigned fm_check_regex(struct fm_check *, const struct fm_word *, bool nocase,
    enum fm_check_regex);
/*
 * Bytes that each match of a regex has, as far as that is simple to see: of
 * `^WWW\.[a-z]+` these are `WWW.`.
 */
struct fm_check_needs {
	char			text[32];
	size_t			len;
	bool			first;		/* the match begins with it */
	bool			never;		/* nothing is both */
	bool			unknown;
};
struct fm_check_needs fm_check_regex_needs(struct fm_text);
/* The place of a byte of a word. */
struct fm_place fm_check_inside(const struct fm_word *, size_t offset);

/* check_lint.c: warnings only */
void fm_check_short(struct fm_check *, enum fm_pattern_kind,
    const struct fm_words *, unsigned subjects);
void fm_check_never(struct fm_check *, const struct fm_cond *);
/*
 * A condition on which a denial depends.  not: where it is false; refuses: it
 * is no 404.
 */
void fm_check_denied(struct fm_check *, const struct fm_cond *, bool not,
    bool refuses);
void fm_check_unused(struct fm_check *);

/* check_operand.c: what never fits any of these subjects */
void fm_check_operand(struct fm_check *, enum fm_pattern_kind,
    const struct fm_word *, bool nocase, unsigned subjects);
bool fm_check_is_host(struct fm_text);
bool fm_check_is_network(struct fm_text);

/*
 * check_slips.c: warnings only.  subjects: FM_CHECK_NAMES are those of
 * parameters, cookies or headers.
 */
void fm_check_slip_word(struct fm_check *, const struct fm_word *);
void fm_check_slip_name(struct fm_check *, struct fm_text,
    const struct fm_place *);
void fm_check_slip_words(struct fm_check *, const struct fm_words *,
    unsigned subjects);
void fm_check_slip_header(struct fm_check *, enum fm_check_header,
    struct fm_text name, const struct fm_place *at);
void fm_check_slip_unset(struct fm_check *, const struct fm_words *);
void fm_check_slip_text(struct fm_check *, const struct fm_value *,
    const struct fm_part *);
bool fm_check_slip_operand(struct fm_check *, const struct fm_word *);
void fm_check_slip_reason(struct fm_check *, const struct fm_word *);
void fm_check_slip_rewrite(struct fm_check *, const struct fm_stmt *);
/* A test of another subject than the client in a list. */
void fm_check_slip_list(struct fm_check *, const struct fm_cond *);
void fm_check_slip_redirect(struct fm_check *, const struct fm_value *);

static inline bool
fm_check_text_eq(struct fm_text a, struct fm_text b, bool nocase)
{
	return (nocase ? fm_text_eq_nocase(a, b) : fm_text_eq(a, b));
}

static inline bool
fm_check_is_digit(char c)
{
	return (c >= '0' && c <= '9');
}

static inline bool
fm_check_is_letter(char c)
{
	return (fm_lower((unsigned char)c) >= 'a' &&
	    fm_lower((unsigned char)c) <= 'z');
}

static inline bool
fm_check_is_alnum(char c)
{
	return (fm_check_is_letter(c) || fm_check_is_digit(c));
}

/* Returns true for a byte that no header line and no URL may have. */
static inline bool
fm_check_is_control(char c)
{
	return ((unsigned char)c < ' ' || c == 0x7f);
}

#endif
