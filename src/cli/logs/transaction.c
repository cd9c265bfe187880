/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Groups the records of Varnish's log by their vxid (transaction.h).  In a log
 * of `varnishlog -g raw`, and in shared memory, the records of transactions
 * that run at the same time stand mixed.
 */

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "transaction.h"
#include "vsl.h"

#define BUCKETS		1024	/* transactions that run at the same time */

/* A transaction that has no end yet; its texts are offsets into `bytes`. */
struct open {
	struct fm_transaction	it;
	struct fm_log_record	*records;
	size_t			room;
	char			*bytes;
	size_t			nbytes, bytes_room;
	bool			begun;
	struct open		*next;
};

struct reader {
	fm_transaction_f	*call;
	void			*priv;
	struct open		*buckets[BUCKETS];
	struct open		*spare;		/* memory of ended ones */
};

uint64_t
fm_vxid_of(struct fm_text word)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < word.len && word.b[i] >= '0' && word.b[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(word.b[i] - '0');
	return (n);
}

/* Takes "req 32769 rxreq", "bereq 32770 fetch", "req 32770 esi 1". */
static void
take_begin(struct fm_transaction *it, struct fm_text text)
{
	static const struct {
		const char	*type, *reason;
		enum fm_transaction_kind kind;
	} kinds[] = {
		{ "req", "rxreq", FM_TRANSACTION_REQUEST },
		{ "req", "esi", FM_TRANSACTION_ESI },
		{ "req", "restart", FM_TRANSACTION_RESTART },
		{ "bereq", "fetch", FM_TRANSACTION_FETCH },
		{ "bereq", "bgfetch", FM_TRANSACTION_BGFETCH },
		{ "bereq", "pass", FM_TRANSACTION_PASS },
		{ "bereq", "pipe", FM_TRANSACTION_PIPE },
		{ "bereq", "retry", FM_TRANSACTION_RETRY }
	};
	struct fm_text type = fm_cut_word(&text), reason;
	size_t i;

	it->parent = fm_vxid_of(fm_cut_word(&text));
	reason = fm_cut_word(&text);
	for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (fm_text_eq(type, fm_text_of(kinds[i].type)) &&
		    fm_text_eq(reason, fm_text_of(kinds[i].reason)))
			it->kind = kinds[i].kind;
}

/* Takes "Start: 1312966111.123456 0.000000 0.000000". */
static void
take_timestamp(struct fm_transaction *it, struct fm_text text)
{
	char number[32];
	struct fm_text word;
	double when;

	(void)fm_cut_word(&text);
	word = fm_cut_word(&text);
	if (word.len == 0 || word.len >= sizeof number)
		return;
	memcpy(number, word.b, word.len);
	number[word.len] = '\0';
	when = strtod(number, NULL);
	/* A record that is damaged may have any text. */
	if (!(when > 0 && when < 1e12))
		return;
	if (it->start == 0)
		it->start = when;
	it->end = when;
}

/* Makes texts of offsets, and hands the transaction out. */
static void
hand_out(struct reader *reader, struct open *open, bool ended)
{
	const char *at = open->bytes;
	size_t i;

	for (i = 0; i < open->it.nrecords; i++) {
		open->records[i].text.b = at;
		at += open->records[i].text.len;
	}
	open->it.records = open->records;
	open->it.whole = open->begun && ended;
	reader->call(reader->priv, &open->it);
}

/*
 * Hands out what belongs to no transaction: objects that the ban lurker
 * removes, and "Rd ban obj.http.X-A == b" of the CLI.
 */
static void
hand_out_alone(struct reader *reader, const char *tag, struct fm_text text)
{
	struct fm_log_record record = { tag, text };
	struct fm_transaction it = { .whole = true, .records = &record,
		.nrecords = 1 };

	if (strcmp(tag, "ExpBan") == 0 || (strcmp(tag, "CLI") == 0 &&
	    fm_text_begins(text, "Rd ban ")))
		reader->call(reader->priv, &it);
}

static void
add(struct open *open, const char *tag, struct fm_text text)
{
	struct fm_log_record *record;
	char *grown;

	record = fm_cli_grow(&open->records, open->it.nrecords++, &open->room,
	    sizeof *record);
	*record = (struct fm_log_record){ tag, fm_text(NULL, text.len) };
	if (open->nbytes + text.len + 1 > open->bytes_room) {
		open->bytes_room = 2 * (open->nbytes + text.len) + 512;
		grown = realloc(open->bytes, open->bytes_room);
		if (grown == NULL)
			fm_cli_no_memory();
		open->bytes = grown;
	}
	if (text.len > 0)
		memcpy(open->bytes + open->nbytes, text.b, text.len);
	open->nbytes += text.len;
}

/* Returns the place of the transaction in its bucket. */
static struct open **
find(struct reader *reader, uint64_t vxid)
{
	struct open **p = &reader->buckets[vxid % BUCKETS];

	while (*p != NULL && (*p)->it.vxid != vxid)
		p = &(*p)->next;
	return (p);
}

static void
open_end(struct reader *reader, struct open **p, bool ended)
{
	struct open *open = *p;

	hand_out(reader, open, ended);
	*p = open->next;
	open->next = reader->spare;
	reader->spare = open;
}

static struct open *
open_begin(struct reader *reader, struct open **p, uint64_t vxid)
{
	struct open *open = reader->spare;

	if (open == NULL)
		open = fm_cli_alloc(sizeof *open);
	else
		reader->spare = open->next;
	open->it = (struct fm_transaction){ .vxid = vxid };
	open->nbytes = 0;
	open->begun = false;
	open->next = *p;
	*p = open;
	return (open);
}

static void
on_record(void *priv, uint64_t vxid, const char *tag, struct fm_text text)
{
	struct reader *reader = priv;
	struct open **p, *open;
	bool begins = strcmp(tag, "Begin") == 0;

	if (vxid == 0) {
		hand_out_alone(reader, tag, text);
		return;
	}
	p = find(reader, vxid);
	/* The end of another transaction of this number was lost. */
	if (*p != NULL && begins) {
		open_end(reader, p, false);
		p = find(reader, vxid);
	}
	open = *p == NULL ? open_begin(reader, p, vxid) : *p;
	add(open, tag, text);
	if (begins) {
		open->begun = true;
		take_begin(&open->it, text);
	} else if (strcmp(tag, "Timestamp") == 0) {
		take_timestamp(&open->it, text);
	} else if (strcmp(tag, "End") == 0) {
		open_end(reader, p, true);
	}
}

/* Hands out what has no end, and frees the memory. */
static void
finish(struct reader *reader)
{
	struct open *open;
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		while (reader->buckets[i] != NULL)
			open_end(reader, &reader->buckets[i], false);
	while ((open = reader->spare) != NULL) {
		reader->spare = open->next;
		free(open->records);
		free(open->bytes);
		free(open);
	}
}

char *
fm_transactions_read(const char *path, fm_transaction_f *call, void *priv,
    bool *read)
{
	struct reader reader = { .call = call, .priv = priv };
	char *wrong = fm_vsl_records(path, on_record, &reader, read);

	finish(&reader);
	return (wrong);
}

char *
fm_transactions_live(const char *name, fm_transaction_f *call, void *priv,
    bool *read)
{
	struct reader reader = { .call = call, .priv = priv };
	char *wrong = fm_vsl_records_live(name, on_record, &reader, read);

	finish(&reader);
	return (wrong);
}
