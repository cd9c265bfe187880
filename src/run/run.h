/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a program on a view of a request, for the module, the command line and
 * the tests.  The result has a verdict and edits.  A run does not touch the
 * request: the caller makes all edits, or none.
 *
 *	struct fm_run run;
 *
 *	result = fm_run(&run, program, &view, NULL);
 *	...
 *	fm_run_end(&run);
 */

#ifndef FM_RUN_H
#define FM_RUN_H

#include "bounds.h"
#include "hosttab.h"
#include "kinds.h"
#include "program.h"
#include "scratch.h"
#include "tally.h"
#include "trace.h"
#include "view.h"

/* Why a request is refused.  Of several reasons the last one counts. */
enum fm_refuse {
	FM_REFUSE_NONE,
	FM_REFUSE_UNDECIDED,	/* a rule was undecided */
	FM_REFUSE_CLIENT,	/* a rule needs the client, which is unknown */
	FM_REFUSE_FRAGMENT	/* a rule needs the URL, which has a raw `#` */
};

/*
 * One edit: removes all fields of a name, whatever its case; if `set`, one
 * field "name: value" takes their place.  A result has at most one edit of a
 * name, and each edit changes the request.
 *
 * In a response, `set-cookie` removes some fields of a name, and others stay or
 * are replaced: then an edit tells that a field is gone, and struct fm_edits
 * which one.
 */
struct fm_edit {
	bool			set;
	struct fm_text		name;
	struct fm_text		value;		/* has no CR, LF or NUL */
	const struct fm_rule	*rule;		/* that changed it last */
};

#define FM_EDITS_SLOTS	256

/* Fields of the view, without a slot, that were unset. */
struct fm_gone {
	uint32_t		*rules;		/* one for each field: rules[]
						 * that unset it, plus one, or
						 * 0; NULL: none is unset */
	uint32_t		from, to;	/* all are from field `from` on,
						 * before field `to` */
};

/*
 * All edits of headers, as the run has left them: the slots that differ from
 * the view; and the fields without a slot that were unset.
 *
 *	fields "Cookie: c", "X-A: 1", "X-C: 3", "X-C: 4"
 *	unset Cookie; set X-A = 7; set X-B = 8; unset X-C*
 *		present: Cookie, X-A; added: X-B; gone: both X-C
 *		n 4, nremoved 3
 */
struct fm_edits {
	unsigned		n;		/* names */
	unsigned		npresent;	/* slots whose field is replaced
						 * or unset */
	unsigned		nadded;		/* slots whose field is new */
	unsigned		nremoved;	/* fields that go, and are not
						 * replaced */
	size_t			lines;		/* bytes of all new lines, each
						 * "name: value" and a NUL */
	uint32_t		nnotes;		/* 0 if each slot that differs
						 * had one field at most */
	const struct fm_request_note *notes;
	const struct fm_request_slot *slots;
	struct fm_gone		gone;
	const struct fm_program	*program;
	const struct fm_view	*view;
	uint8_t			present[FM_EDITS_SLOTS];
	uint8_t			added[FM_EDITS_SLOTS];
};

/* A sub of VCL that is to be called once the edits are made. */
struct fm_called {
	uint32_t		sub;		/* n for fm_program_call() */
	const struct fm_rule	*rule;		/* the first that calls it */
};

/*
 * A ban that is to be made once the edits are: obj.http.X-Tag, ~ and
 * "(^| )a\.b( |$)", which all end in NUL.
 */
struct fm_banned_test {
	const char		*field, *oper, *argument;
};
struct fm_banned {
	struct fm_text		text;		/* all of it, for people;
						 * missing: there must be no
						 * ban, as a value that a regex
						 * asks for is empty */
	const struct fm_rule	*rule;
	struct fm_banned	*next;
	uint32_t		n;
	struct fm_banned_test	tests[];
};

/* A line that a `log` leaves for the log of the request. */
struct fm_log_line {
	struct fm_text		text;		/* has no CR, LF or NUL */
	struct fm_log_line	*next;
};

/*
 * The result of a run.  After `redirect 301 "https://a.example${url}"` it has
 * the verdict REDIRECT, status 301, and the Location as its text.
 */
struct fm_result {
	enum fm_verdict		verdict;
	unsigned		status;		/* HTTP status of synth,
						 * redirect, answer, refuse */
	struct fm_text		text;		/* synth: the reason, missing
						 * if the rules give none;
						 * redirect: the Location;
						 * answer: the media type */
	struct fm_text		body;		/* of an answer */
	bool			denied;		/* synth or answer denies an
						 * ESI sub-request: what the
						 * page gets has no body */
	const struct fm_rule	*rule;		/* that gave the verdict, or
						 * NULL */
	enum fm_refuse		refuse;		/* only if the verdict is
						 * REFUSE */

	struct fm_text		host;		/* canonical; missing: invalid,
						 * or not sent */
	bool			host_in_view;	/* host.b points into the view,
						 * not into the run */
	struct fm_text		site;		/* ${ruleset}; missing: no
						 * block is the host's */
	enum fm_hosttab_how	how;		/* how the host was found */
	bool			otherwise;	/* the host was not found, and
						 * the block of `default` ran */
	uint32_t		pattern;	/* n for fm_program_host(), or
						 * UINT32_MAX */
	uint32_t		block;		/* n for fm_program_is_idle(),
						 * in any phase */

	bool			url_changed;
	struct fm_text		url;		/* the new URL, which is never
						 * empty; or the view's */
	const struct fm_rule	*url_rule;	/* that changed it last */
	bool			backend_set;
	uint32_t		backend;	/* n for fm_program_backend() */
	const struct fm_rule	*backend_rule;	/* that set the backend */

	struct fm_tally		tally;		/* what matching has cost */
	unsigned		undecided;	/* number of whens, maps and
						 * rewrites undecided */
	const struct fm_rule	*undecided_at;	/* the first of them, or NULL */
	unsigned		ignored;	/* verdicts passed over, as
						 * this is an ESI sub-request */
	union {
		struct {
			uint16_t ncalls;	/* subs to be called: calls */
			uint16_t nbans;		/* bans to be made: bans */
		};
		uint32_t	noted;		/* 0: neither */
	};
	const struct fm_response *response;	/* NULL: of a request */
	struct fm_log_line	*log;		/* the lines, in order */
	const char		*why;		/* builtin makes a response
						 * uncacheable; or NULL */
	bool			no_memory;	/* the run failed: there are no
						 * edits and no verdict */

	/* What follows is not zeroed when a run begins. */
	struct fm_called	calls[FM_LIMIT_CALLS]; /* in order */
	struct fm_banned	*bans;		/* the first, if there is one */
	struct fm_edits		edits;		/* the last member */
};

/*
 * What `key` adds to the key of a request, as key.c writes it.  Only a result
 * without verdict has a whole key.
 */
struct fm_key {
	char			*b;		/* ends in NUL; NULL: nothing */
	size_t			len, room;
};

struct fm_run {
	unsigned		magic;
#define FM_RUN_MAGIC		0x5e0c7a91
	struct fm_key		key;		/* of the program of `key` */
	struct fm_result	result;		/* points into what follows */
	struct fm_response	response;
	char			host[FM_HOSTNAME_MAX];
	struct fm_scratch	scratch;
};

/*
 * Runs a program, and tells the trace, which may be NULL.  Returns a result
 * that points into the run, the view and the program.  Takes no lock.  Calls
 * malloc() only if the scratch, 4 KB in struct fm_run, is too small.
 */
const struct fm_result *fm_run(struct fm_run *, const struct fm_program *,
    const struct fm_view *, const struct fm_trace *);
void fm_run_end(struct fm_run *);

/*
 * key.c: makes a view of a request, as the rules have left it, one of what the
 * backend sees of that: without the fields that Connection names.  `room` has a
 * place for each field, and must last as long as the view.
 */
void fm_key_view(struct fm_view *, struct fm_field *room);

/*
 * Fills in the next edit of a result; *at is 0 for the first one.  Returns
 * false if there are no more.
 */
bool fm_edit_next(const struct fm_result *, unsigned *at, struct fm_edit *)
    __attribute__((cold));
/* Fills in the edit of a header.  Returns false if there is none. */
bool fm_edit_of(const struct fm_result *, struct fm_text name,
    struct fm_edit *);
/*
 * Fills in the edit of a field of the view: of several Set-Cookie one may go,
 * and another stay.  Returns false if the field stays as it is.
 */
bool fm_edit_field(const struct fm_result *, unsigned field, struct fm_edit *)
    __attribute__((cold));

/*
 * Finds the host of a Host header, as fm_run() does.  A URL that names another
 * host makes the host invalid; a missing one names none.  The buffer must last
 * as long as the host.
 */
void fm_run_host(const struct fm_program *, struct fm_text raw,
    struct fm_text url, char buf[FM_HOSTNAME_MAX], struct fm_known_host *);

/*
 * Fills in the rule of a cause, and whether that made the response uncacheable:
 * from the result of rules for a response, or NULL.  The rule is one of the
 * program's texts.
 */
void fm_run_cause(const struct fm_result *, struct fm_cause *);

/* Returns the file and line of a place, without the folders before it. */
struct fm_text fm_run_place(struct fm_text place);

/*
 * Finds the client of the view: its peer, or the client that trusted proxies
 * name (`client from`).  Returns false, and no address, if the client is
 * unknown: nothing may depend on it then.
 */
bool fm_run_client(const struct fm_program *, const struct fm_view *,
    struct fm_addr *client);

/*
 * Returns the scheme of the view, FM_SCHEME_HTTP or FM_SCHEME_HTTPS: the one
 * that is given, or that of the first `scheme from` that knows it; or http.
 */
unsigned fm_run_scheme(const struct fm_program *, const struct fm_view *);

/*
 * Returns true if a field of a request names the client or the scheme: it is a
 * header of `client from` or `scheme from`.  Rules of later phases read it
 * again, so it must stay where the client's Connection names it.
 */
bool fm_run_names_client(const struct fm_program *, const struct fm_field *);

#endif
