/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The request as the rules see it: a view, and the edits that rules have made
 * to it so far.  The view itself is never written to: a result says in the end
 * what differs.
 *
 *	view					rules: X-A, Cookie, Host
 *	fields[0] "Host: example.com"		slots[Host]   first 0
 *	fields[1] "X-A: 1"			slots[X-A]    first 1, several
 *	fields[2] "X-A: 2"
 *	fields[3] "X.A: 3"			an alias: slots[X-A] is aliased
 *	fields[4] "Accept: text/html"		no slot
 *
 * A header has a slot if the rules speak of it.  One pass over the fields finds
 * the first field of each slot; a slot's value is read when it is asked for.
 * An alias of X-A is a field X_A or X.A, which CGI takes for X-A.
 *
 * Everything is in the scratch of the run.
 */

#ifndef FM_REQUEST_H
#define FM_REQUEST_H

#include "hosttab.h"
#include "program_priv.h"
#include "run.h"
#include "scratch.h"
#include "view.h"

/* A header that the rules speak of: program->slots[] of the same index. */
struct fm_request_slot {
	struct fm_text		value;		/* only if `known`; missing: no
						 * such header */
	uint32_t		first;		/* if `present`: its first
						 * field, in view->fields */
	uint32_t		version;	/* number of edits so far */
	uint32_t		rule;		/* rules[] of the last edit */
	bool			known;		/* `value` was read or set */
	bool			several;	/* there are more fields of
						 * this name */
	bool			present;	/* the view has the header */
	bool			aliased:1;	/* the view may have aliases */
	bool			differs:1;	/* from the view, in the end */
};

/*
 * A field that few requests have: one more field of a slot, or an alias, or
 * both.
 */
struct fm_request_note {
	uint32_t		field;		/* in view->fields */
	uint32_t		slot;		/* that the field is one more
						 * of, or FM_NONE */
	uint32_t		alias;		/* the slot of which the field
						 * is an alias, or FM_NONE */
#define FM_REQUEST_SEVERAL	(FM_NONE - 1)	/* of several slots */
};

/*
 * A `cookie` or `query` statement that has run, but has not dropped its cookies
 * or parameters yet.
 */
struct fm_request_filter {
	uint32_t		params;		/* params[] */
	uint32_t		rule;		/* rules[] */
};

struct fm_request {
	const struct fm_program	*program;
	const struct fm_view	*view;
	struct fm_scratch	*scratch;
	bool			no_memory;	/* an allocation has failed; is
						 * never reset */

	struct fm_text		url;		/* as rules have edited it: read
						 * by fm_request_url() */
	size_t			mark;		/* offset of the first `?`, or
						 * the length of the URL */
	bool			fragment;	/* the URL has a raw `#`: some
						 * programs cut it off there,
						 * others do not */
	struct fm_text		path;		/* missing: not read yet */
	struct fm_text		clean_path;	/* missing: not read yet */
	uint32_t		url_version;	/* edits of the URL, plus 1 */
	uint32_t		path_version;	/* edits of the path, plus 1 */
	uint32_t		url_rule;	/* rules[] of the last edit */

	struct fm_text		host;		/* canonical; missing: the Host
						 * is invalid, or not sent */
	bool			host_in_view;	/* host.b points into the view,
						 * not to a copy */
	struct fm_hosttab_hit	hit;		/* the host's entry */
	uint32_t		site;		/* blocks[] of the host, or
						 * FM_NONE */

	struct fm_request_slot	*slots;
	bool			aliases;	/* any slot is aliased */
	struct fm_request_note	*notes;		/* in the order of fields */
	uint32_t		nnotes;
	uint64_t		edited[FM_SLOT_WORDS];	/* a bit per slot that
							 * was edited */

	/*
	 * Fields without a slot that were unset: by `unset` with a glob, or
	 * because they are aliases of a slot.
	 */
	struct fm_gone		gone;

	/*
	 * `cookie` statements that wait: cookies are dropped when the header
	 * is read, in one pass.  Most sites unset Cookie before that.  A fifth
	 * statement makes the four run.
	 */
#define FM_REQUEST_FILTERS	4
	struct fm_request_filter filters[FM_REQUEST_FILTERS];
	unsigned		nfilters;

	/*
	 * `query` statements that wait likewise, such as those of `always` and
	 * of the host's block.  The path does not wait for them.
	 */
	struct fm_request_filter queries[FM_REQUEST_FILTERS];
	unsigned		nqueries;

	struct fm_response	*response;	/* only if the view has one */

	struct fm_addr		client;		/* the peer; or the client that
						 * trusted proxies name */
	bool			client_unknown;	/* they name no address: what
						 * needs it ends the run */
};

/*
 * Begins a request: finds the fields of all slots, and the host's entry.  The
 * caller has set the scratch and no_memory, and has zeroed the slots.
 */
void fm_request_init(struct fm_request *, const struct fm_program *,
    const struct fm_view *, struct fm_request_slot *slots,
    char host[FM_HOSTNAME_MAX]);

/* Allocates from the scratch.  Returns NULL, and sets no_memory, on failure. */
void *fm_request_alloc(struct fm_request *, size_t bytes);

/* Reads the value of a slot, which is not known yet, and returns it. */
struct fm_text fm_request_read(struct fm_request *, unsigned slot);

/* Returns true if the request lacks a header.  Does not read its value. */
static inline bool
fm_request_lacks(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	return (slot->known ? slot->value.b == NULL : !slot->present);
}

/*
 * Returns true if Varnish would leave out the header as the view has it, also
 * after a rule has unset or set the header.
 */
static inline bool
fm_request_is_dropped(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	return (slot->present && req->view->marks != NULL &&
	    (req->view->marks[slot->first] & FM_MARK_DROPPED) != 0);
}

/* Returns true if a rule has edited header n. */
static inline bool
fm_request_owns(const struct fm_request *req, unsigned n)
{
	return ((req->edited[n / 64] >> n % 64 & 1) != 0);
}

/* Notes that a rule has edited header n, which may differ from the view now. */
static inline void
fm_request_own(struct fm_request *req, unsigned n)
{
	req->edited[n / 64] |= 1ULL << n % 64;
}

/* Gives a header another value than it has; the missing text unsets it. */
static inline void
fm_request_change(struct fm_request *req, unsigned n, struct fm_text value,
    uint32_t rule)
{
	struct fm_request_slot *slot = &req->slots[n];

	slot->value = value;
	slot->rule = rule;
	slot->known = true;
	slot->version++;
	fm_request_own(req, n);
}

/* Returns true if an unset of a header does nothing.  Does not read a value. */
static inline bool
fm_request_is_unset(const struct fm_request *req, unsigned n)
{
	return (fm_request_lacks(req, n) && !req->slots[n].aliased);
}

/*
 * Returns what params[n] leave of a Cookie header; missing: no cookie is left.
 */
struct fm_text fm_request_filtered(struct fm_request *, uint32_t n,
    struct fm_text cookie);
/* Filters the request's cookies by params[n]: when they are read. */
void fm_request_filter(struct fm_request *, uint32_t n, uint32_t rule);
/* Runs the filters that wait, of which there is at least one. */
void fm_request_filter_now(struct fm_request *);

/* Filters the parameters by params[n], as soon as the URL is read. */
void fm_request_filter_query(struct fm_request *, uint32_t n, uint32_t rule);
void fm_request_filter_query_now(struct fm_request *);

/* Returns the URL with all edits so far. */
static inline struct fm_text
fm_request_url(struct fm_request *req)
{
	if (req->nqueries > 0)
		fm_request_filter_query_now(req);
	return (req->url);
}

/* Returns a header with all edits so far; missing: the request has none. */
static inline struct fm_text
fm_request_header(struct fm_request *req, unsigned n)
{
	return (req->slots[n].known ? req->slots[n].value :
	    fm_request_read(req, n));
}

/*
 * Returns true if a subject is the URL or a part of it, and the URL has a raw
 * `#`: then what a test says of it may not be so for the backend.
 */
static inline bool
fm_request_has_fragment(const struct fm_request *req,
    const struct fm_subject_code *subject)
{
	return (req->fragment && fm_subject_is_url(subject));
}

/*
 * Returns the text that a test or a map looks at; missing: the request has no
 * such subject.  fm_request_subject() answers the usual subjects inline.
 */
struct fm_text fm_request_subject_of(struct fm_request *,
    const struct fm_subject_code *);

static inline struct fm_text
fm_request_subject(struct fm_request *req,
    const struct fm_subject_code *subject)
{
	if (subject->kind == FM_SUBJECT_HEADER)
		return (fm_request_header(req, subject->slot));
	if (subject->kind == FM_SUBJECT_PATH && req->path.b != NULL)
		return (req->path);
	if (subject->kind == FM_SUBJECT_METHOD)
		return (req->view->method);
	return (fm_request_subject_of(req, subject));
}

/*
 * Returns true if any parameter, cookie or header has a name that an
 * FM_TEST_NAMES asks for.
 */
bool fm_request_has_names(struct fm_request *, const struct fm_test *);
/*
 * Returns what a trace shows for an FM_TEST_NAMES: the query, the Cookie, or
 * the name of the first header that fits.
 */
struct fm_text fm_request_named(struct fm_request *, const struct fm_test *);

/*
 * Returns the version of a subject: a number above 0, which an edit of the
 * subject changes.
 */
uint32_t fm_request_version(struct fm_request *,
    const struct fm_subject_code *);

/* Returns a text without CR, LF and NUL; the text itself if it has none. */
struct fm_text fm_request_clean(struct fm_request *, struct fm_text);

/* Returns a value without blanks at its ends; missing if nothing is left. */
static inline struct fm_text
fm_request_value(struct fm_text t)
{
	if (t.b != NULL)
		t = fm_text_trim(t);
	return (t.len == 0 ? fm_text(NULL, 0) : t);
}

/*
 * Sets a header to a value, or unsets it (value missing).  The value has no CR,
 * LF and NUL, comes from fm_request_value(), and must last as long as the run.
 * Returns true, and notes the rule, if the header was another one before, or
 * one that Varnish would leave out.
 */
bool fm_request_edit(struct fm_request *, unsigned slot, struct fm_text value,
    uint32_t rule);

/* Returns true if the field is an alias of the name: fm_name_is_alias(). */
bool fm_request_is_alias(const struct fm_field *, struct fm_text name);

/* Returns the slot of a field, or FM_NONE. */
uint32_t fm_request_slot_of(const struct fm_program *,
    const struct fm_field *);

/* Returns the name of a field, before its colon; empty if it has no colon. */
static inline struct fm_text
fm_request_field_name(const struct fm_field *field)
{
	const char *colon = NULL;

	if (field->b != NULL && field->b != field->e)
		colon = memchr(field->b, ':', (size_t)(field->e - field->b));
	return (colon == NULL ? fm_text("", 0) : fm_text_span(field->b, colon));
}

/* Returns true if a field was unset that has no slot. */
static inline bool
fm_request_is_gone(const struct fm_request *req, uint32_t field)
{
	return (req->gone.rules != NULL && req->gone.rules[field] != 0);
}

/* Returns true if a field of that name, before field `end`, was unset. */
bool fm_request_name_gone(const struct fm_view *, const struct fm_gone *,
    struct fm_text name, uint32_t end);

/* Does what fm_text_trim() does, for values that are not as usual. */
struct fm_text fm_request_trim(struct fm_text);

/*
 * Returns true if one blank is in front of a value and none after it, as is
 * usual.
 */
static inline bool
fm_request_value_is_usual(const char *b, const char *e)
{
	return (b + 1 < e && b[0] == ' ' && (unsigned char)b[1] > ' ' &&
	    (unsigned char)e[-1] > ' ');
}

/* Returns how many of the fields are those that rules edit. */
static inline uint32_t
fm_request_nmessage(const struct fm_view *view)
{
	return (view->nfields - view->nrequest);
}

/* Returns the value of a field, whose name has `name` bytes. */
static inline struct fm_text
fm_request_field_value(const struct fm_field *field, size_t name)
{
	const char *b = field->b + name + 1, *e = field->e;

	return (fm_request_value_is_usual(b, e) ? fm_text_span(b + 1, e) :
	    fm_request_trim(fm_text_span(b, e)));
}

/*
 * Returns the authority of a URL of absolute form: `host:80` of
 * http://host:80/path.  Missing: the URL has another form.
 */
struct fm_text fm_request_authority(struct fm_text url);

/*
 * Sets req->mark, req->fragment and, where the URL begins with `/`, req->path,
 * after the URL has changed.
 */
void fm_request_mark(struct fm_request *);

/*
 * Sets the URL, which must last as long as the run; an empty one becomes `/`.
 * Unless `path` is set, all before the `?` is as it was.  Returns true, and
 * notes the rule, if the URL was another one before.
 */
bool fm_request_edit_url(struct fm_request *, struct fm_text, bool path,
    uint32_t rule);

/*
 * Return ${url}, ${path}, ${query} and ${?query}, all without scheme and
 * authority; the first two begin with `/`.
 */
struct fm_text fm_request_target(struct fm_request *);
struct fm_text fm_request_target_path(struct fm_request *);
struct fm_text fm_request_query(struct fm_request *);
struct fm_text fm_request_search(struct fm_request *);

/* Returns the port in the view's Host header, or the empty text. */
struct fm_text fm_request_port(const struct fm_request *);

/*
 * request_client.c
 */

/*
 * Sets req->client to the client that trusted proxies name; or client_unknown.
 */
void fm_request_find_client(struct fm_request *);
/* Returns "http" or "https": fm_run_scheme(). */
struct fm_text fm_request_scheme(const struct fm_request *);
/* Returns the client's address as text; missing: it has no address. */
struct fm_text fm_request_client(struct fm_request *);
/* Returns true if a subject is the client, and the client is unknown. */
static inline bool
fm_request_is_unknown(const struct fm_request *req,
    const struct fm_subject_code *subject)
{
	return (req->client_unknown && subject->kind == FM_SUBJECT_CLIENT);
}
/*
 * Returns the value of the smallest network of nets[] that has the subject, or
 * FM_NONE.
 */
uint32_t fm_request_network(struct fm_request *,
    const struct fm_subject_code *, uint32_t nets);

/*
 * response.c: returns the subjects `status`, `type`, `set-cookie NAME`,
 * `cache-control NAME` and `cache`.
 */
struct fm_text fm_response_subject(struct fm_request *,
    const struct fm_subject_code *);

/* Returns the subject `path`. */
struct fm_text fm_request_path(struct fm_request *);

/*
 * Returns the subject `clean path`, which is the path as most backends read it:
 * percent-decoded once, with one `/` for several in a row, and with `.` and
 * `..` resolved as RFC 3986 says.  Begins with `/`.
 */
struct fm_text fm_request_clean_path(struct fm_request *);

/* Writes into a result what differs from the view after all edits. */
void fm_request_finish(struct fm_request *, struct fm_result *);

#endif
