/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks, by which one sub tells a later one what is seen nowhere else.  The
 * request has the host that .apply() has found in vcl_recv, if rules or VCL may
 * set Host after that; it has the identity of the rules that made its key, if
 * they are not those that were loaded first, or `none` until vcl_hash calls
 * .apply(), if it is not known that it does.  A value begins with random
 * digits, so that no client can write it.
 *
 *	Fastmatch-Host: 0123456789abcdef site www.example.com
 *	Fastmatch-Key: 0123456789abcdef site 00c0ffee00c0ffee www.example.com
 *
 * What is stored is marked by its protocol, which no backend can send so and no
 * VCL can write.  A client does not see it, as Varnish puts HTTP/1.1 in its
 * place before vcl_deliver.  It says that Varnish made this of a failed fetch;
 * or, for `cache-status`, the status that the backend has sent, `s` if a stale
 * object was there, and `u` if the rule made the response uncacheable.
 *
 *	HTTP/1.1+own
 *	HTTP/1.1+why 304 s- site.rules:21
 *
 * A fetch keeps the request as vcl_backend_fetch got it (bo->bereq0), so the
 * host is known to its retries, and after a rollback, too.
 */

#ifndef FM_RULES_MARK_H
#define FM_RULES_MARK_H

#include "rules.h"
#include "rules_edit.h"

/* Makes the digits, in the CLI thread.  Returns 0, or -1 with errno. */
int fm_mark_begin(void);

/*--------------------------------------------------------------------
 * Marks of a request
 */

/* The marks that a result needs in vcl_recv. */
struct fm_marks {
	unsigned		n;
	bool			host, key;
	size_t			bytes;		/* of all */
};

/* Returns true if requests of these rules may need a mark. */
static inline bool
fm_marks_may(const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set)
{
	return (__builtin_expect(set->later, 0) && (set->key != NULL ||
	    set->sets_host || rules->calls.sets_host));
}

/*
 * Removes marks of an object before its rules run: those from before a restart,
 * or what a client has sent.
 */
void fm_marks_clear(struct http *, const struct vmod_fastmatch_rules *,
    const struct fm_rules_set *);

struct fm_marks fm_marks_wanted(const struct vmod_fastmatch_rules *,
    const struct fm_rules_set *, const struct fm_result *);

/* Adds them, in a room of their bytes. */
void fm_marks_add(struct http *, const struct vmod_fastmatch_rules *,
    const struct fm_rules_set *, const struct fm_result *,
    const struct fm_marks *, char *room);

/*
 * Returns the host that .apply() has found in vcl_recv; empty: none that is
 * valid; missing: it is that of the Host header.
 */
struct fm_text fm_mark_host(VRT_CTX, const struct vmod_fastmatch_rules *);

/* Returns true if vcl_backend_response may read the mark of a key. */
static inline bool
fm_mark_reads_key(const struct vmod_fastmatch_rules *rules)
{
	return (rules->calls.subs[FM_VCL_SUB_BACKEND_RESPONSE].reach !=
	    FM_VCL_NEVER);
}

/* Returns true if it is not known whether vcl_hash calls .apply(). */
static inline bool
fm_mark_wants_key(const struct vmod_fastmatch_rules *rules)
{
	return (rules->calls.subs[FM_VCL_SUB_HASH].reach == FM_VCL_UNKNOWN);
}

/*
 * In vcl_hash: removes the mark of the key; returns the bytes of another one,
 * for the host whose rules have made the key, and adds it, in a room of these.
 */
void fm_mark_clear_key(struct http *, const struct vmod_fastmatch_rules *);
size_t fm_mark_key_bytes(const struct vmod_fastmatch_rules *,
    struct fm_text host);
void fm_mark_add_key(struct http *, const struct vmod_fastmatch_rules *,
    uint64_t id, struct fm_text host, char *room);

enum fm_mark_key {
	FM_MARK_KEY_MISSING,
	FM_MARK_KEY_NONE,	/* vcl_hash has not called .apply() */
	FM_MARK_KEY_MADE	/* by rules of this identity, for this host */
};

/* Returns what the mark of a fetch says. */
enum fm_mark_key fm_mark_key(VRT_CTX, const struct vmod_fastmatch_rules *,
    uint64_t *id, struct fm_text *host);

/*
 * .apply() in vcl_backend_fetch and vcl_pipe: removes what the backend need not
 * see, as is what a client has sent by these names.
 */
void fm_mark_fetch(VRT_CTX);

/*--------------------------------------------------------------------
 * What is stored
 */

/* Marks beresp. */
void fm_mark_own(struct http *);

/* Returns true if the object that vcl_deliver delivers is marked. */
bool fm_mark_is_own(VRT_CTX);

/* Return the bytes of the cause, and mark beresp, in a room of these bytes. */
size_t fm_mark_why_bytes(const struct fm_cause *);
void fm_mark_add_why(struct http *, const struct fm_cause *, char *room);

/*
 * Reads the cause of what vcl_deliver delivers: its rule is a part of the
 * object.  Without a mark the status is 0.
 */
void fm_mark_why(VRT_CTX, struct fm_cause *);

#endif
