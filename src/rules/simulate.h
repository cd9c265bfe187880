/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Simulates the cache of a varnishd: which requests of a log are hits, and how
 * often a backend is asked, if objects have these keys and lifetimes.
 *
 *	s	request				the cache
 *	0	/a, ttl 10, delay 1	miss	asks a backend
 *	0.5	/a			wait	for the answer, at 1
 *	1				hit	(the one that waited)
 *	10	/a			hit
 *	12	/a, grace 10		hit	stale: asks in the background
 *	30	purge /a			forgets the object
 *
 * Modelled as in HSH_Lookup() of Varnish 7.1: grace, keep and 304, hit-for-miss
 * and hit-for-pass, the waiting list, Vary, purges, failed fetches.  Not
 * modelled: bans, and objects that leave for lack of room.
 */

#ifndef FM_SIMULATE_H
#define FM_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fm_sim_kept {
	FM_SIM_STORED,
	FM_SIM_HIT_FOR_MISS,
	FM_SIM_HIT_FOR_PASS,
	FM_SIM_FAILED,		/* Varnish made an error of its own, which it
				 * keeps for a second if someone waits */
	FM_SIM_ABANDONED	/* nothing is left */
};

/* An answer of a backend, and what the cache keeps of it; times in seconds. */
struct fm_sim_answer {
	enum fm_sim_kept	kept;
	float			ttl, grace, keep;	/* from its time on */
	float			delay;		/* from asking on */
	uint32_t		vary;		/* index of a list in varies */
	uint32_t		fetches;	/* 2: with a retry */
	bool			validator;	/* an ETag or Last-Modified */
};

enum fm_sim_kind {
	FM_SIM_LOOKUP,
	FM_SIM_PASS,
	FM_SIM_PURGE
};

/*
 * A request.  Its answers, if a backend is asked, are indexes: one for the
 * worst case of what is not known, one for the best; each in the foreground and
 * in the background.  0 is an answer that is not known.
 */
struct fm_sim_request {
	double			time;
	uint64_t		object;		/* hash of host, URL and key */
	uint32_t		host;
	uint32_t		answers[2][2];
	uint32_t		values;		/* index of the first of its
						 * values */
	uint32_t		nvalues;
	uint32_t		old;		/* number of an object that was
						 * there before the log, from 1
						 * on, which was hit; or 0 */
	float			old_ttl, old_grace, old_keep;	/* left then */
	enum fm_sim_kind	kind;
	bool			hit;		/* in the log */
};

struct fm_sim {
	const struct fm_sim_request *requests;	/* by time */
	size_t			n;
	const struct fm_sim_answer *answers;	/* the first is not used */
	/*
	 * Lists of Vary: how many names, then their numbers; the list at 0 is
	 * empty.  A request has a hash of its value for each of the first
	 * names, 0 for none.
	 */
	const uint32_t		*varies;
	const uint32_t		*values;
	uint32_t		nold;
};

/* Of the requests of a host. */
struct fm_sim_counts {
	uint64_t		hits;
	uint64_t		stale;		/* hits in grace */
	uint64_t		misses;
	uint64_t		hits_for_miss;	/* misses */
	uint64_t		hits_for_pass;
	uint64_t		passes;		/* without a lookup */
	uint64_t		purges;
	uint64_t		waited;
	uint64_t		backend;	/* requests of backends */
	uint64_t		refreshed;	/* of these, with a stale object
						 * for a 304 */
};

/* An answer that is not known. */
enum fm_sim_unknown {
	FM_SIM_AS_LOGGED,	/* the request comes out as in the log */
	FM_SIM_WORST,		/* it can't be stored */
	FM_SIM_BEST		/* it is stored for ever */
};

/*
 * Adds to the counts of each host, which has its number as index.  Returns
 * false if there is no memory.
 */
bool fm_simulate(const struct fm_sim *, enum fm_sim_unknown,
    struct fm_sim_counts *hosts);

/*
 * Returns the hits of all hits and misses in percent, as varnishstat's
 * cache_hit and cache_miss give it; 0 if there are none.
 */
double fm_sim_hit_rate(const struct fm_sim_counts *);

#endif
