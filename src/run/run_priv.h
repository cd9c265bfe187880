/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The types and functions that the files which run a program share:
 *
 *	run.c		runs the operations in their order, up to a verdict
 *	run_stmt.c	runs the statements that edit the request
 *	cond.c		evaluates conditions
 *	any.c		evaluates tests of more than one text
 *	memo.c		scans, and remembers what each scan found
 *	map.c		looks a subject up in a map
 *	template.c	fills in the variables of a value
 *	response.c	what only `response` and `delivery` have
 */

#ifndef FM_RUN_PRIV_H
#define FM_RUN_PRIV_H

#include "builtin.h"
#include "request.h"
#include "run.h"
#include "shard.h"

/*
 * A memo is what a run has found out about one set and one subject.  Each
 * candidate is decided when it is first asked for, once: then its bit moves
 * from `open` to `yes`, to `over` (undecided), or to neither.
 *
 *	patterns		0 bot	1 spider 2 b[ou]t	3 ^x
 *	scan of "a bot"		open 0101, yes 0000, over 0000 (3 to 0)
 *	pattern 0 is asked	open 0100, yes 0001
 */
struct fm_memo {
	uint8_t			any;		/* enum fm_outcome: does any
						 * pattern match?  NOT_ASKED:
						 * that was not asked alone */
	bool			first_known;	/* `first` is right */
	bool			first_over;	/* a pattern before `first` is
						 * undecided */
	uint32_t		first;		/* first pattern that matches,
						 * or FM_NONE */
	bool			scanned;	/* the bits below are right */
	uint8_t			known;		/* FM_PATSET_*, of the set */
	struct fm_text		subject;
	uint64_t		*open;		/* a bit for each pattern; or
						 * NULL: there is no room yet */
	uint64_t		*yes, *over;
};

/*
 * The state of one run of a program, for one request.  struct fm_run, of the
 * caller, has its result and the scratch, from which all arrays here come.
 */
struct fm_exec {
	const struct fm_program	*program;
	const struct fm_trace	*trace;		/* NULL: no trace */
	struct fm_result	*result;
	struct fm_key		*key;		/* only in the phase of `key` */
	struct fm_memo		*memos;		/* not zeroed */
	uint32_t		*versions;	/* version of each memo's
						 * subject; 0: the memo is not
						 * filled in */
	struct fm_text		**regs;		/* groups of each register, or
						 * NULL */
	uint8_t			*outcomes;	/* of the tests of a condition,
						 * to tell the trace; or NULL */
	enum fm_refuse		mark;		/* why the request is refused,
						 * if it is: a test, a map or a
						 * value is undecided */
	bool			traced;		/* runs the lists for traces */
	bool			ended;		/* by a verdict */
	bool			stopped;	/* by a `stop`, since the last
						 * `use` began */
	struct fm_request	req;
};

/*
 * cond.c
 */

/* Runs an FM_OP_TEST.  Returns the operation to go on with. */
const struct fm_op *fm_cond_step(struct fm_exec *, const struct fm_op *);

/*
 * Puts the groups of the first regex that matches into the register of a
 * condition, which is met.  Returns false, and sets the mark, if PCRE2 can't
 * find the groups.
 */
bool fm_cond_capture(struct fm_exec *, const struct fm_cond_code *);

/* Tells the trace of the tests of a condition that was asked. */
void fm_cond_tell(struct fm_exec *, const struct fm_cond_code *)
    __attribute__((cold));

/* Returns true if any operand of an FM_TEST_TEXTS matches the subject. */
bool fm_cond_texts(const struct fm_exec *, const struct fm_test *,
    struct fm_text subject);

/* Returns the outcome of a test. */
enum fm_outcome fm_cond_test(struct fm_exec *, const struct fm_test *);

/*
 * Returns true if the test is true, which can't be undecided.  The usual tests
 * are answered inline, by a look at the subject.
 */
static inline bool
fm_cond_holds(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_text subject;

	if (test->kind == FM_TEST_TEXTS) {
		subject = fm_request_subject(&exec->req, &test->subject);
		return (subject.b != NULL &&
		    (fm_test_end(test, subject) & test->ends) != 0 &&
		    fm_cond_texts(exec, test, subject));
	}
	return (fm_cond_test(exec, test) == FM_TRUE);
}

/*
 * any.c: returns the outcome of an FM_TEST_PATHS, or of an FM_TEST_VALUES.
 * fm_any_which() returns the value for which the latter is true, for a trace.
 */
enum fm_outcome fm_any_path(struct fm_exec *, const struct fm_test *);
enum fm_outcome fm_any_value(struct fm_exec *, const struct fm_test *);
struct fm_text fm_any_which(struct fm_exec *, const struct fm_test *);

/*
 * memo.c
 */

/* Returns a memo, emptied if the subject has changed. */
struct fm_memo *fm_memo_get(struct fm_exec *, unsigned memo,
    const struct fm_subject_code *);

/* Clears the bits of all patterns.  Returns false if there is no memory. */
bool fm_memo_clear(struct fm_exec *, struct fm_memo *, uint32_t set);

/* Tells the trace of a scan, if there was one since there were `scans`. */
void fm_memo_trace(const struct fm_exec *, unsigned scans, uint32_t set,
    const struct fm_subject_code *);

/*
 * Returns the memo after a scan, unless the memo has an earlier scan of the
 * same subject.  Returns NULL if the request lacks the subject, or if there is
 * no memory.
 */
struct fm_memo *fm_memo_candidates(struct fm_exec *, unsigned memo,
    uint32_t set, const struct fm_subject_code *);

/* Tells if any pattern of the set matches the subject, which must be there. */
enum fm_outcome fm_memo_any(struct fm_exec *, struct fm_memo *, uint32_t set,
    const struct fm_subject_code *);

/* Decides candidate n, whose `open` bit is set. */
enum fm_outcome fm_memo_decide(struct fm_exec *, struct fm_memo *,
    uint32_t set, uint32_t n);

/* Tells if any of these patterns matches; decides as few of them as it can. */
enum fm_outcome fm_memo_range(struct fm_exec *, struct fm_memo *, uint32_t set,
    uint32_t first, uint32_t count);

/*
 * Returns the first pattern of the set that matches the subject, which must be
 * there, or FM_NONE.  Needs no bits, so a set may have any size.  Sets
 * *undecided if a pattern before the first match is undecided.
 */
uint32_t fm_memo_first(struct fm_exec *, struct fm_memo *, uint32_t set,
    const struct fm_subject_code *, bool *undecided);

/* Returns the bits of word w: of patterns that match, may, or are undecided. */
static inline uint64_t
fm_memo_word(const struct fm_memo *memo, uint32_t w)
{
	return (memo->open[w] | memo->yes[w] | memo->over[w]);
}

/* Returns true if pattern n matches, may still match, or is undecided. */
static inline bool
fm_memo_may(const struct fm_memo *memo, uint32_t n)
{
	return ((fm_memo_word(memo, n / 64) >> n % 64 & 1) != 0);
}

/* Returns the first such pattern from n on, before `end`; or FM_NONE. */
static inline uint32_t
fm_memo_next(const struct fm_memo *memo, uint32_t n, uint32_t end)
{
	uint32_t w = n / 64;
	uint64_t bits;

	if (n >= end)
		return (FM_NONE);
	bits = fm_memo_word(memo, w) & ~0ULL << (n % 64);
	while (bits == 0 && ++w * 64 < end)
		bits = fm_memo_word(memo, w);
	if (bits == 0)
		return (FM_NONE);
	n = w * 64 + (uint32_t)__builtin_ctzll(bits);
	return (n < end ? n : FM_NONE);
}

/*
 * map.c
 */

/*
 * Returns the template that a map gives for its subject, or FM_NONE.  Sets the
 * mark if a line before the one that matches is undecided, if the subject is a
 * URL with a raw `#`, or if it is a client that is unknown.
 */
uint32_t fm_map_template(struct fm_exec *, const struct fm_template_piece *);

/*
 * Returns the number of the first text of a map that the subject contains, or
 * FM_NONE.  The subject is not a URL with a raw `#`.
 */
uint32_t fm_map_text(struct fm_exec *, const struct fm_map_code *,
    const struct fm_subject_code *);

/*
 * template.c
 */

/*
 * Returns the text of a template, without CR, LF and NUL.  The text may be
 * empty, but not missing.  A template may be a map, which gives another
 * template: *chosen, unless NULL, gets the template whose text this is
 * (FM_NONE: the map gives none).  Sets the mark as fm_map_template() does.
 */
struct fm_text fm_template_text(struct fm_exec *, uint32_t template,
    uint32_t *chosen);

/*
 * Returns the text of a template without maps, for the reason of a synth.
 * Varnish's builtin vcl_synth writes the reason into a page without escaping,
 * so markup is taken out of each variable, and a variable is cut to 100 bytes.
 * Sets the mark as fm_template_text() does.
 */
struct fm_text fm_template_reason(struct fm_exec *, uint32_t template);
/*
 * Returns the text of a template without maps, for a regex: each variable is
 * quoted.  Returns the missing text if a variable is empty, as such a regex
 * would match more than meant.  Sets the mark as fm_template_text() does.
 */
struct fm_text fm_template_regex(struct fm_exec *, uint32_t template);

/*
 * run_stmt.c: each function runs one statement, edits the request if the
 * statement changes anything, and tells the trace.
 */
void fm_stmt_query(struct fm_exec *, const struct fm_op *);
void fm_stmt_cookie(struct fm_exec *, const struct fm_op *);
void fm_stmt_set(struct fm_exec *, const struct fm_op *);
void fm_stmt_log(struct fm_exec *, const struct fm_op *);
void fm_stmt_call(struct fm_exec *, const struct fm_op *);
/* ban.c: notes a ban. */
void fm_stmt_ban(struct fm_exec *, const struct fm_op *);
/*
 * Sets a header, or unsets it (value missing), with all its aliases.  Tells the
 * trace of each change, or that nothing has changed.
 */
void fm_stmt_header(struct fm_exec *, const struct fm_op *, unsigned slot,
    struct fm_text value);
/*
 * Unsets the aliases of a slot that has some, but for one that a statement has
 * edited.  Returns true if the request had any left.
 */
bool fm_stmt_aliases(struct fm_exec *, const struct fm_op *, unsigned slot);
/*
 * Removes one field of a slot, of which the slot knows nothing then, and tells
 * the trace.  Returns false if there is no memory.
 */
bool fm_stmt_remove(struct fm_exec *, const struct fm_op *, unsigned slot,
    uint32_t field);
void fm_stmt_unset_glob(struct fm_exec *, const struct fm_op *);
void fm_stmt_normalize(struct fm_exec *, const struct fm_op *);
void fm_stmt_set_url(struct fm_exec *, const struct fm_op *);
void fm_stmt_rewrite(struct fm_exec *, const struct fm_op *);
void fm_stmt_rewrite_header(struct fm_exec *, const struct fm_op *);
/* Edits what builtin.vcl would, and returns the verdict of builtin.vcl. */
struct fm_builtin fm_stmt_builtin(struct fm_exec *, const struct fm_op *);

/*
 * response.c
 */

/* Runs a statement that only responses have. */
void fm_response_stmt(struct fm_exec *, const struct fm_op *);
void fm_response_cache_status(struct fm_exec *, const struct fm_op *);
/*
 * Runs a `no-vary-search` with a trace: the header, and what is left out; NULL:
 * there is no header.
 */
void fm_response_no_vary(struct fm_exec *, const struct fm_op *,
    const struct fm_text says[2]);
/* Returns true if a client got a stale object meanwhile. */
static inline bool
fm_response_is_background(const struct fm_exec *exec)
{
	return ((exec->req.response->flags & FM_FETCH_BACKGROUND) != 0);
}

/* Returns true if a retry is to be carried out. */
bool fm_response_retries(const struct fm_exec *, const struct fm_op *);
/*
 * Does what builtin.vcl does with a response.  Returns why that makes it
 * uncacheable; NULL: it does not.
 */
const char *fm_response_builtin(struct fm_exec *, const struct fm_op *);
/* Remembers that the URL is not cached, for this many seconds. */
void fm_response_uncacheable(struct fm_exec *, const struct fm_op *,
    double seconds);
/* Returns the seconds of an operation, or those of builtin.vcl. */
double fm_response_seconds(const struct fm_exec *, const struct fm_op *);
/* Returns the outcome of an FM_TEST_NUMBER or FM_TEST_FLAGS. */
bool fm_response_test(const struct fm_exec *, const struct fm_test *);
/* Lets the rules edit what the response has beside its headers. */
void fm_response_begin(struct fm_exec *, struct fm_run *,
    const struct fm_view *);
/* Returns ${status}, ${ttl}, ${cache}, ${hits}, ${age} or ${rule}. */
struct fm_text fm_response_part(struct fm_exec *, enum fm_part_kind);

/* key.c: begins a run in a phase after that of requests. */
void fm_phase_begin(struct fm_exec *, struct fm_run *, const struct fm_view *);

/* Each function runs one statement of `key`, and tells the trace. */
void fm_key_text(struct fm_exec *, const struct fm_op *);
void fm_key_header(struct fm_exec *, const struct fm_op *);
void fm_key_cookie(struct fm_exec *, const struct fm_op *);

/*
 * run.c
 */

/* Begins a run.  Sets exec->req.no_memory if there is no memory. */
void fm_exec_init(struct fm_exec *, struct fm_run *,
    const struct fm_program *, const struct fm_view *,
    const struct fm_trace *);

/*
 * Fills in a template for a statement; fm_template_text() explains `chosen`.
 * Returns false if the run is over, by the mark or as there is no memory.
 */
bool fm_exec_value(struct fm_exec *, const struct fm_op *, uint32_t template,
    struct fm_text *value, uint32_t *chosen);

/* Ends the run by the mark, or clears that if the file says `ignore`. */
void fm_exec_marked(struct fm_exec *, uint32_t rule);
/*
 * Returns true if a statement is to be ignored, with this status or 0: in an
 * ESI sub-request, but for a denial; and in a delivery of an answer.
 */
bool fm_exec_ignored(struct fm_exec *, uint32_t rule, unsigned status);

/*
 * Counts a rule that was undecided.  Ends the run unless the file says
 * `undecided ignore`.
 */
void fm_exec_undecided(struct fm_exec *, uint32_t rule);

/* Tells the trace, if there is one, what a statement did. */
void fm_exec_tell(const struct fm_exec *, uint32_t rule, enum fm_effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
    __attribute__((cold));

static inline void
fm_exec_trace(const struct fm_exec *exec, uint32_t rule, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	if (exec->trace != NULL)
		fm_exec_tell(exec, rule, effect, what, before, after);
}

/* The same where no value was changed. */
void fm_exec_tell_what(const struct fm_exec *, uint32_t rule, enum fm_effect,
    struct fm_text what) __attribute__((cold));

static inline void
fm_exec_trace_what(const struct fm_exec *exec, uint32_t rule,
    enum fm_effect effect, struct fm_text what)
{
	if (exec->trace != NULL)
		fm_exec_tell_what(exec, rule, effect, what);
}

/* Sets the mark, unless it is there for a reason that counts more. */
static inline void
fm_exec_mark(struct fm_exec *exec, enum fm_refuse why)
{
	if (why > exec->mark)
		exec->mark = why;
}

/* Returns how many regexes of this run were undecided so far. */
static inline unsigned
fm_exec_over(const struct fm_exec *exec)
{
	return (exec->result->tally.over_limit);
}

#endif
