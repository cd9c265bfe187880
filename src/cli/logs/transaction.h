/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads whole transactions of Varnish's log: all records of a request or of a
 * fetch, in their order.
 *
 *	32770	REQUEST, parent 32769
 *		"ReqStart"	"192.0.2.1 40962 a0"
 *		"ReqURL"	"/a"
 *		"VCL_call"	"RECV"
 *		"Link"		"bereq 32771 fetch"
 *		...
 *	32771	FETCH, parent 32770
 *		"BereqURL"	"/a"
 *		"TTL"		"RFC 60 10 0 1312966111 ..."
 *		...
 *
 * A transaction comes when its last record has come, so a fetch may come before
 * its request.  An ExpBan record of the ban lurker, and a CLI record that adds
 * a ban, come alone, with the vxid 0.
 */

#ifndef FM_TRANSACTION_H
#define FM_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum fm_transaction_kind {
	FM_TRANSACTION_OTHER,		/* a session; or it is not known */
	FM_TRANSACTION_REQUEST,		/* of a client */
	FM_TRANSACTION_ESI,		/* a sub-request */
	FM_TRANSACTION_RESTART,		/* a request again, after a restart */
	FM_TRANSACTION_FETCH,
	FM_TRANSACTION_BGFETCH,
	FM_TRANSACTION_PASS,
	FM_TRANSACTION_PIPE,
	FM_TRANSACTION_RETRY		/* a fetch again */
};

struct fm_log_record {
	const char		*tag;		/* "ReqURL" */
	struct fm_text		text;
};

struct fm_transaction {
	uint64_t		vxid;
	uint64_t		parent;		/* 0: not known */
	enum fm_transaction_kind kind;
	bool			whole;		/* Begin and End are there */
	double			start;		/* s since 1970; 0: not known */
	double			end;		/* the last Timestamp */
	const struct fm_log_record *records;
	size_t			nrecords;
};

/* Is called for each transaction, which lives until the function returns. */
typedef void fm_transaction_f(void *priv, const struct fm_transaction *);

/* Returns the number that a text begins with, or 0. */
uint64_t fm_vxid_of(struct fm_text);

/*
 * Read all transactions: of a file of `varnishlog -w` ("-": the standard
 * input), and of what the log of a varnishd, by its -n or NULL, still has.
 * Transactions that lack their end come last.  Return NULL, or what is wrong,
 * for free(); *read: only with the end of the log, so that what came before
 * counts.
 */
char *fm_transactions_read(const char *path, fm_transaction_f *call,
    void *priv, bool *read);
char *fm_transactions_live(const char *name, fm_transaction_f *call,
    void *priv, bool *read);

static inline bool
fm_transaction_is_request(const struct fm_transaction *it)
{
	return (it->kind >= FM_TRANSACTION_REQUEST &&
	    it->kind <= FM_TRANSACTION_RESTART);
}

static inline bool
fm_transaction_is_fetch(const struct fm_transaction *it)
{
	return (it->kind >= FM_TRANSACTION_FETCH);
}

#endif
