/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells what Varnish did with each request of a log of varnishlog, and what
 * each fetch brought.  A request is known by its log and its vxid:
 *
 *	32770	hit for object 3, whose ttl has 0.9 s left
 *	3	fetch: 200, "Cache-Control: max-age=1", after 2 ms
 */

#ifndef FM_RECORDED_H
#define FM_RECORDED_H

#include "arena.h"
#include "distinct.h"
#include "logs.h"
#include "respond.h"

enum fm_recorded_as {
	FM_RECORDED_OTHER,	/* an answer of Varnish's own, a pipe; or it
				 * is not known */
	FM_RECORDED_HIT,
	FM_RECORDED_MISS,
	FM_RECORDED_HIT_FOR_MISS,
	FM_RECORDED_PASS,
	FM_RECORDED_HIT_FOR_PASS,
	FM_RECORDED_PURGE
};

struct fm_recorded_request {
	double			start;		/* s since 1970; 0: not known */
	double			end;
	enum fm_recorded_as	as;
	enum fm_verdict		recv;		/* how vcl_recv ended; NONE: it
						 * is not known */
	bool			ruled;		/* by rules, which have logged
						 * their verdict */
	uint64_t		hit;		/* vxid of the object; or 0 */
	float			ttl, grace, keep;	/* of the hit, left */
	uint64_t		fetch;		/* vxids; or 0 */
	uint64_t		background;
	uint64_t		restart;	/* the request again */
};

struct fm_recorded_fetch {
	double			start, came;	/* s since 1970 */
	double			delay;		/* s, until it can be a hit */
	unsigned		status;		/* 0: not known */
	struct fm_field		*fields;
	unsigned		nfields;
	unsigned		nfresh;		/* the first ones, if they came
						 * with a 304; or 0 */
	bool			background;
	bool			failed;		/* the backend did not answer */
	bool			abandoned;

	/* The lifetime that the core gave it, and as VCL has left it. */
	bool			has_core, has_ttl;	/* they were logged */
	float			core_ttl, core_grace, core_keep;
	float			ttl, grace, keep;
	bool			uncacheable, hit_for_pass;
	uint64_t		retry;		/* vxid of the next try; or 0 */
};

struct fm_recorded {
	struct fm_arena		arena;
	struct fm_distinct	requests_by, fetches_by;	/* by vxid */
	struct fm_recorded_request *requests;
	size_t			nrequests, requests_room;
	struct fm_recorded_fetch *fetches;
	size_t			nfetches, fetches_room;
	struct fm_distinct	texts_by;	/* fields: each is kept once */
	const char		**texts;
	size_t			ntexts, texts_room;
	double			first, last;	/* s since 1970 */
	bool			ruled;		/* some requests were */
	uint64_t		lost;		/* requests and fetches that
						 * lack records */
};

/*
 * Reads the logs that are of varnishlog.  What is wrong with a log is told when
 * its requests are read.
 */
void fm_recorded_read(struct fm_recorded *, const struct fm_logs *);

/* Returns true if all logs are of varnishlog, and have responses. */
bool fm_recorded_is_whole(const struct fm_recorded *, const struct fm_logs *);

/* Return what is known of a vxid, or NULL. */
const struct fm_recorded_request *fm_recorded_request(
    const struct fm_recorded *, unsigned log, uint64_t vxid);
const struct fm_recorded_fetch *fm_recorded_fetch(const struct fm_recorded *,
    unsigned log, uint64_t vxid);

/*
 * Returns the fetch that answered a request: its own; or that of the object
 * that was hit, which an earlier request may have made; after retries, the last
 * one.  *tries becomes how many there were.  Returns NULL if the log lacks it.
 */
const struct fm_recorded_fetch *fm_recorded_answer(const struct fm_recorded *,
    unsigned log, uint64_t vxid, unsigned *tries);

/*
 * Makes a response of a fetch, with which fm_respond_store() is called; and the
 * parameters that its varnishd had, as far as its lifetime tells.
 */
struct fm_recorded_to {
	struct fm_respond_to	to, fresh;
};
void fm_recorded_to(const struct fm_recorded_fetch *, struct fm_recorded_to *,
    struct fm_respond_params *);

#endif
