/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The request as the rules see it: what the view shows, and the edits so far.
 *
 * Only headers that the rules speak of have a slot.  They are found in one
 * pass over the fields; what a slot's value is, is found out when it is asked
 * for.  All of it lives in the run's scratch.
 */

#ifndef FM_REQUEST_H
#define FM_REQUEST_H

#include "hosttab.h"
#include "program_priv.h"
#include "scratch.h"
#include "view.h"

struct fm_result;

struct fm_request_slot {
	struct fm_text		value;		/* once it is known; missing:
						 * not there */
	uint32_t		first;		/* the first such field */
	uint32_t		version;	/* goes up with each edit */
	uint32_t		rule;		/* rules[]: that of the last
						 * edit */
	bool			known;
	bool			several;	/* there are more fields */
	bool			present;	/* the request came with it */
	bool			aliased;	/* it may have come in a
						 * spelling with `_`, too */
};

/* A field without a slot that was taken away, and by which of rules[]. */
struct fm_request_gone {
	uint32_t		field;
	uint32_t		rule;
};

/* Cookies that params[] drop, and which of rules[] says so. */
struct fm_request_filter {
	uint32_t		params;
	uint32_t		rule;
};

struct fm_request {
	const struct fm_program	*program;
	const struct fm_view	*view;
	struct fm_scratch	*scratch;
	bool			no_memory;	/* once true it stays so */

	struct fm_text		url;		/* as it is now, raw */
	size_t			mark;		/* where its `?` is, or its
						 * length */
	struct fm_text		path;		/* missing: not known yet */
	struct fm_text		clean_path;	/* missing: not known yet */
	uint32_t		url_version;
	uint32_t		path_version;
	uint32_t		url_rule;	/* rules[]: that of the last
						 * edit */

	struct fm_text		host;		/* canonical, or missing */
	bool			host_in_view;	/* not a copy */
	struct fm_hosttab_hit	hit;
	uint32_t		site;		/* a block, or FM_NONE */

	struct fm_request_slot	*slots;
	bool			aliases;	/* any slot is aliased */
	uint64_t		edited[FM_SLOT_WORDS];	/* a bit for each that
							 * was edited */
	unsigned		nedited;	/* how often: at least as many
						 * as there are bits */

	/*
	 * Fields without a slot that were taken away: by an unset by glob, or
	 * as aliases (X_Foo of X-Foo).
	 */
	bool			*gone;		/* each field; or NULL: none */
	struct fm_request_gone	*gone_names;	/* the first of each name */
	uint32_t		ngone;		/* names */

	/*
	 * Cookies to be dropped once somebody looks at what is left; mostly
	 * the header is unset before that.
	 */
#define FM_REQUEST_FILTERS	4
	struct fm_request_filter filters[FM_REQUEST_FILTERS];
	unsigned		nfilters;

	struct fm_addr		client;		/* the peer, or for whom a
						 * trusted one asks */
};

/*
 * Finds the fields of the slots, which are zero, and the host's entry.  The
 * scratch is there already.
 */
void fm_request_init(struct fm_request *, const struct fm_program *,
    const struct fm_view *, struct fm_request_slot *slots,
    char host[FM_HOSTNAME_MAX]);

/* fm_scratch_alloc(), which sets no_memory. */
void *fm_request_alloc(struct fm_request *, size_t bytes);

/* Finds out what the value of a slot is. */
void fm_request_read(struct fm_request *, unsigned slot);

/* Whether it is known, without a look at it, that a header is not there. */
static inline bool
fm_request_lacks(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	return (slot->known ? slot->value.b == NULL : !slot->present);
}

static inline bool
fm_request_owns(const struct fm_request *req, unsigned n)
{
	return ((req->edited[n / 64] >> n % 64 & 1) != 0);
}

/* Takes a header for the rules' own: it may differ from what came. */
static inline void
fm_request_own(struct fm_request *req, unsigned n)
{
	req->nedited++;
	req->edited[n / 64] |= 1ULL << n % 64;
}

/* Makes a header another one, which it is not yet. */
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

/* Returns true if it is known, without a look, that an unset does nothing. */
static inline bool
fm_request_is_unset(const struct fm_request *req, unsigned n)
{
	return (fm_request_lacks(req, n) && !req->slots[n].aliased);
}

/*
 * request_cookie.c: what params[n] leave of a Cookie (missing: nothing); to
 * filter the request's, now or when somebody asks for it; and now.
 */
struct fm_text fm_request_filtered(struct fm_request *, uint32_t n,
    struct fm_text cookie);
void fm_request_filter(struct fm_request *, uint32_t n, uint32_t rule);
void fm_request_filter_now(struct fm_request *);

/* A header as it is now; missing: it is not there. */
static inline struct fm_text
fm_request_header(struct fm_request *req, unsigned n)
{
	if (!req->slots[n].known)
		fm_request_read(req, n);
	return (req->slots[n].value);
}

/* What a test or a map looks at; missing: it is not there. */
struct fm_text fm_request_subject_of(struct fm_request *,
    const struct fm_subject_code *);

static inline struct fm_text
fm_request_subject(struct fm_request *req, const struct fm_subject_code *s)
{
	if (s->kind == FM_SUBJECT_HEADER)
		return (fm_request_header(req, s->slot));
	if (s->kind == FM_SUBJECT_PATH && req->path.b != NULL)
		return (req->path);
	if (s->kind == FM_SUBJECT_METHOD)
		return (req->view->method);
	return (fm_request_subject_of(req, s));
}

/*
 * request_names.c: whether any parameter, cookie or header has a name that an
 * FM_TEST_NAMES asks for; and, for people, the query, the Cookie, or the name
 * of the header that fits.
 */
bool fm_request_has_names(struct fm_request *, const struct fm_test *);
struct fm_text fm_request_named(struct fm_request *, const struct fm_test *);

/* Never 0, and another one once an edit has changed the subject. */
uint32_t fm_request_version(struct fm_request *,
    const struct fm_subject_code *);

/* A text without CR, LF and NUL; itself where there are none of them. */
struct fm_text fm_request_clean(struct fm_request *, struct fm_text);

/* A value as a header has it, without blanks at its ends; empty: missing. */
static inline struct fm_text
fm_request_value(struct fm_text t)
{
	if (t.b != NULL)
		t = fm_text_trim(t);
	return (t.len == 0 ? fm_text(NULL, 0) : t);
}

/*
 * Edits a header; the missing text is to unset it.  The value is clean, as
 * fm_request_value() gives it, and outlives the run.  Returns whether that
 * changed anything; then it was this rule.
 */
bool fm_request_edit(struct fm_request *, unsigned slot, struct fm_text value,
    uint32_t rule);

/*
 * request_unset.c: a function that is told of each name that goes, with the
 * value of its first field.
 */
typedef void fm_request_told_f(void *priv, struct fm_text name,
    struct fm_text value);

/*
 * Unsets all headers whose name fits, but for those that no glob may touch; a
 * `-` of the glob stands for `-` or `_`.  Calls told, unless NULL.  Returns how
 * many there were.
 */
unsigned fm_request_unset_glob(struct fm_request *, struct fm_text glob,
    uint32_t rule, fm_request_told_f *told, void *priv);

/*
 * Unsets the aliases of a slot: fields whose name is that of the slot with `_`
 * for some `-` of it, unless a statement has edited them.  CGI and WSGI take
 * X_Foo and X-Foo for the same.  Calls told, unless NULL.  Returns how many
 * names there were.
 */
unsigned fm_request_unset_aliases(struct fm_request *, unsigned slot,
    uint32_t rule, fm_request_told_f *told, void *priv);

/* Returns true if the field has such a name; a `-` that comes first is none. */
bool fm_request_is_alias(const struct fm_field *, struct fm_text name);

/* The slot of a field's name, or FM_NONE. */
uint32_t fm_request_slot_of(const struct fm_program *,
    const struct fm_field *);

/* The value of a field whose name has this length: behind the colon. */
static inline struct fm_text
fm_request_field_value(const struct fm_field *f, size_t name)
{
	return (fm_text_trim(fm_text_span(f->b + name + 1, f->e)));
}

/*
 * The authority of a URL of absolute form, `host:80` of http://host:80/path;
 * missing: the URL is of another form.
 */
struct fm_text fm_request_authority(struct fm_text url);

/* Takes note of where the `?` is. */
void fm_request_mark(struct fm_request *);

/*
 * The URL becomes this one, which outlives the run (empty: `/`); path: its
 * path may be another one, too.  Returns whether that changed anything; then
 * it was this rule.
 */
bool fm_request_edit_url(struct fm_request *, struct fm_text, bool path,
    uint32_t rule);

/* The parts of the URL as values have them: the first two begin with `/`. */
struct fm_text fm_request_target(struct fm_request *);
struct fm_text fm_request_target_path(struct fm_request *);
struct fm_text fm_request_query(const struct fm_request *);

/* The port of the Host header as it came, empty where there is none. */
struct fm_text fm_request_port(const struct fm_request *);

/*
 * request_client.c: finds out for whom a trusted proxy asks; the client's
 * address as text (missing: there is none); and the value of the smallest of
 * the networks, nets[], that the subject is in, or FM_NONE.
 */
void fm_request_find_client(struct fm_request *);
struct fm_text fm_request_client(struct fm_request *);
uint32_t fm_request_network(struct fm_request *,
    const struct fm_subject_code *, uint32_t nets);

/* The subject `path`. */
struct fm_text fm_request_path(struct fm_request *);

/*
 * The subject `clean path`: the path as most backends take it.  Percent-decoded
 * once, then slashes in a row become one, then segments `.` and `..` are
 * resolved as RFC 3986 has it.  Begins with `/`.
 */
struct fm_text fm_request_clean_path(struct fm_request *);

/* Writes the net effect of all edits into a result. */
void fm_request_finish(struct fm_request *, struct fm_result *);

#endif
