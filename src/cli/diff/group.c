/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts the changes of requests in cells: by kind, rules and host.
 */

#include <stdio.h>
#include <stdlib.h>

#include "diff.h"
#include "fold.h"
#include "respond.h"
#include "sources.h"
#include "term.h"
#include "xxh.h"

/*--------------------------------------------------------------------
 * Cells
 */

static uint64_t
hash_cell(const struct fm_diff_count *count, const struct fm_change *change,
    struct fm_text host)
{
	uint64_t hash = count->seed ^ (uint64_t)change->kind;
	size_t i;

	for (i = 0; i < change->header.len; i++)
		hash = fm_fold(hash ^
		    fm_lower((unsigned char)change->header.b[i]),
		    0x9e3779b97f4a7c15ULL);
	hash = XXH3_64bits_withSeed(change->rules, sizeof change->rules, hash);
	return (XXH3_64bits_withSeed(host.b, host.len,
	    hash + (host.b == NULL)));
}

static struct fm_diff_cell *
cell_find(struct fm_diff_count *count, const struct fm_change *change,
    struct fm_text host)
{
	uint32_t n = fm_distinct_number(&count->by_hash,
	    hash_cell(count, change, host));
	struct fm_diff_cell *cell;

	if (n < count->ncells)
		return (&count->cells[n]);
	cell = fm_cli_grow(&count->cells, count->ncells++, &count->cells_room,
	    sizeof *cell);
	cell->kind = change->kind;
	cell->header = fm_text(fm_cli_keep(&count->arena, change->header),
	    change->header.len);
	cell->rules[FM_OLD] = change->rules[FM_OLD];
	cell->rules[FM_NEW] = change->rules[FM_NEW];
	cell->host = fm_text(fm_cli_keep(&count->arena, host), host.len);
	return (cell);
}

/*--------------------------------------------------------------------
 * Examples
 */

static bool
has_url(const struct fm_diff_cell *cell, struct fm_text url)
{
	unsigned i;

	for (i = 0; i < cell->nexamples; i++)
		if (fm_text_eq(fm_text_of(cell->examples[i].url), url))
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Returns a verdict as text: "redirect 302 http://m.example.com/". */
static const char *
print_verdict(struct fm_diff_count *count, const struct fm_result *result)
{
	const char *word = fm_verdict_word(result->verdict);
	size_t room = result->text.len + 32;
	char *buf;

	if (result->status == 0)
		return (word == NULL ? "none" : word);
	buf = fm_arena_alloc(&count->arena, room);
	if (buf == NULL)
		fm_cli_no_memory();
	(void)snprintf(buf, room, "%s %u%s%.*s", word, result->status,
	    result->text.len > 0 ? " " : "", (int)result->text.len,
	    result->text.len > 0 ? result->text.b : "");
	return (buf);
}

const char *
fm_diff_noted(struct fm_diff_count *count, const struct fm_differ *differ,
    enum fm_side side, bool bans)
{
	const char *kept;
	size_t len;
	char *text;
	FILE *to = open_memstream(&text, &len);

	if (to == NULL)
		fm_cli_no_memory();
	if (bans)
		fm_differ_bans(differ, side, to);
	else
		fm_differ_calls(differ, side, to);
	if (fclose(to) != 0)
		fm_cli_no_memory();
	kept = len == 0 ? NULL : fm_cli_keep(&count->arena,
	    fm_text(text, len));
	free(text);
	return (kept);
}

/* Returns the value that one side gives what has changed; NULL: no value. */
static const char *
value_of(const struct fm_diff_request *request, const struct fm_change *change,
    const struct fm_differ *differ, enum fm_side side)
{
	const struct fm_result *result = differ->results[side];
	const struct fm_edit *edit = change->edits[side];
	char buf[FM_DIGEST_LEN + 32], digest[FM_DIGEST_LEN];
	struct fm_text value;

	switch (change->kind) {
	case FM_CHANGE_VERDICT:
		return (print_verdict(request->count, result));
	case FM_CHANGE_STATUS:
		(void)snprintf(buf, sizeof buf, "%u", result->status);
		value = fm_text_of(buf);
		break;
	case FM_CHANGE_KEY:
	case FM_CHANGE_FETCH:
	case FM_CHANGE_UNCACHEABLE:
	case FM_CHANGE_TTL:
	case FM_CHANGE_GRACE:
	case FM_CHANGE_KEEP:
	case FM_CHANGE_ESI:
	case FM_CHANGE_GZIP:
	case FM_CHANGE_GUNZIP:
	case FM_CHANGE_STORED:
	case FM_CHANGE_DELIVERED:
	case FM_CHANGE_STORED_CALLS:
	case FM_CHANGE_DELIVERED_CALLS:
		return (request->values[side]);
	case FM_CHANGE_BODY:
		(void)snprintf(buf, sizeof buf, "%zu bytes, %s",
		    result->body.len, fm_digest_of(result->body, digest));
		value = fm_text_of(buf);
		break;
	case FM_CHANGE_URL:
		value = result->url;
		break;
	case FM_CHANGE_BACKEND:
		value = fm_differ_backend(differ, side);
		break;
	case FM_CHANGE_CALLS:
	case FM_CHANGE_BANS:
		return (fm_diff_noted(request->count, differ, side,
		    change->kind == FM_CHANGE_BANS));
	case FM_CHANGE_HEADER:
		if (edit == NULL)
			value = fm_made_value(request->made,
			    change->header);
		else
			value = edit->set ? edit->value : fm_text(NULL, 0);
		break;
	default:
		value = result->text;
		break;
	}
	return (fm_cli_keep(&request->count->arena, value));
}

void
fm_diff_change(void *priv, const struct fm_change *found,
    const struct fm_differ *differ)
{
	const struct fm_diff_request *request = priv;
	struct fm_diff_count *count = request->count;
	struct fm_change part = *found, *change = &part;
	struct fm_diff_example *example;
	struct fm_diff_cell *cell;
	unsigned i;

	if (change->kind == FM_CHANGE_URL || change->kind == FM_CHANGE_HEADER)
		fm_diff_diverge(request->records, change);
	cell = cell_find(count, change, differ->results[FM_OLD]->host);
	cell->requests++;
	if (cell->nexamples == FM_DIFF_EXAMPLES ||
	    has_url(cell, request->made->url))
		return;
	example = &cell->examples[cell->nexamples++];
	example->where = request->where;
	example->method = fm_cli_keep(&count->arena,
	    request->made->method);
	example->host = fm_cli_keep(&count->arena,
	    fm_made_value(request->made, fm_text_of("Host")));
	example->url = fm_cli_keep(&count->arena, request->made->url);
	example->agent = fm_cli_keep(&count->arena,
	    fm_made_value(request->made, fm_text_of("User-Agent")));
	for (i = 0; i < 2; i++)
		example->values[i] = value_of(request, change, differ, i);
}

static void
on_event(void *record, const struct fm_event *event)
{
	if (event->kind == FM_EVENT_STMT)
		fm_record_tell(record, event);
}

/* Runs both programs once more, and records what their statements do. */
static void
record_both(struct fm_diff_request *request, const struct fm_view *view)
{
	struct fm_record *record;
	struct fm_run run;
	unsigned i;

	for (i = 0; i < 2; i++) {
		record = &request->records[i];
		fm_record_init(record);
		record->trace = (struct fm_trace){ .priv = record,
		    .tell = on_event };
		if (fm_run(&run, request->count->programs[i], view,
		    &record->trace)->no_memory || record->no_memory)
			fm_cli_no_memory();
		fm_run_end(&run);
	}
}

/*--------------------------------------------------------------------
 * Keys
 */

/* The key that one side makes. */
struct key {
	struct fm_respond	respond;
	struct fm_respond_run	run;
	struct fm_record	record;
	bool			made;
};

/* Returns the next statement that adds to a key, or NULL. */
static const struct fm_event *
key_next(const struct fm_record *record, size_t *i)
{
	while (*i < record->nevents)
		if (record->events[(*i)++].effect == FM_EFFECT_KEY)
			return (&record->events[*i - 1]);
	return (NULL);
}

/* Returns a key in one line, for free(). */
static char *
key_print(const struct key *key)
{
	const struct fm_event *event;
	struct fm_written written;
	const char *before = "";
	size_t i = 0;
	char *line;

	fm_written_begin(&written);
	while ((event = key_next(&key->record, &i)) != NULL) {
		line = fm_key_line(event);
		if (line == NULL)
			fm_cli_no_memory();
		fprintf(written.to, "%s%s", before, line);
		before = "; ";
		free(line);
	}
	fm_written_end(&written);
	return (written.text);
}

static void
key_make(struct key *key, const struct fm_program *program,
    const struct fm_view *view, const struct fm_result *result)
{
	fm_record_init(&key->record);
	key->record.trace = (struct fm_trace){ .priv = &key->record,
	    .tell = on_event };
	fm_respond_init(&key->respond, program, view, result);
	key->made = fm_respond_key(&key->respond, &key->run,
	    &key->record.trace);
	if (key->record.no_memory || key->respond.no_memory)
		fm_cli_no_memory();
}

static void
key_end(struct key *key)
{
	fm_respond_run_end(&key->run);
	fm_respond_fini(&key->respond);
	fm_record_fini(&key->record);
}

static bool
same_key(const struct key *a, const struct key *b)
{
	const struct fm_key *x = &a->run.run.key, *y = &b->run.run.key;
	bool has_x = a->made && x->b != NULL, has_y = b->made && y->b != NULL;

	if (a->made && b->made &&
	    a->run.result->verdict != b->run.result->verdict)
		return (false);
	return (has_x == has_y && (!has_x || fm_text_eq(fm_text(x->b, x->len),
	    fm_text(y->b, y->len))));
}

/* Tells of the first statements after which two keys differ. */
static void
tell_keys(struct fm_diff_request *request, const struct fm_differ *differ,
    const struct key keys[2])
{
	struct fm_change change = { .kind = FM_CHANGE_KEY };
	const struct fm_event *event[2];
	size_t at[2] = { 0, 0 };
	char *lines[2];
	unsigned i;

	do {
		event[FM_OLD] = key_next(&keys[FM_OLD].record, &at[FM_OLD]);
		event[FM_NEW] = key_next(&keys[FM_NEW].record, &at[FM_NEW]);
	} while (event[FM_OLD] != NULL && event[FM_NEW] != NULL &&
	    fm_text_eq(event[FM_OLD]->before, event[FM_NEW]->before) &&
	    fm_text_same(event[FM_OLD]->what, event[FM_NEW]->what) &&
	    fm_text_same(event[FM_OLD]->after, event[FM_NEW]->after));
	for (i = 0; i < 2; i++) {
		change.rules[i] = event[i] == NULL ? NULL : event[i]->rule;
		lines[i] = key_print(&keys[i]);
		request->values[i] = *lines[i] == '\0' ? NULL :
		    fm_cli_keep(&request->count->arena, fm_text_of(lines[i]));
		free(lines[i]);
	}
	fm_diff_change(request, &change, differ);
}

/*
 * Compares the keys of a request that both sides look up.  Returns true if they
 * differ.
 */
static bool
keys_differ(struct fm_diff_request *request, const struct fm_differ *differ,
    const struct fm_view *view)
{
	const struct fm_result * const *results = differ->results;
	struct key keys[2];
	bool differ_too;
	unsigned i;

	if (results[FM_OLD]->verdict != results[FM_NEW]->verdict ||
	    (fm_program_phase(differ->programs[FM_OLD], FM_PHASE_KEY) ==
	    NULL && fm_program_phase(differ->programs[FM_NEW],
	    FM_PHASE_KEY) == NULL))
		return (false);
	for (i = 0; i < 2; i++)
		key_make(&keys[i], differ->programs[i], view, results[i]);
	differ_too = !same_key(&keys[FM_OLD], &keys[FM_NEW]);
	if (differ_too)
		tell_keys(request, differ, keys);
	for (i = 0; i < 2; i++)
		key_end(&keys[i]);
	return (differ_too);
}

/*--------------------------------------------------------------------
 * Fetches
 */

/* Returns the first value of a header that a backend gets, or missing. */
static struct fm_text
sent_value(const struct fm_respond *respond, struct fm_text name)
{
	struct fm_text is, value;
	unsigned i;

	for (i = 0; i < respond->sent.nafter; i++) {
		fm_field_parts(&respond->sent.after[i], &is, &value);
		if (fm_text_eq_nocase(is, name))
			return (fm_text_or_empty(value));
	}
	return (fm_text(NULL, 0));
}

/* Tells of a header that a side's `fetch` edits, if the backends get others. */
static bool
tell_sent(struct fm_diff_request *request, const struct fm_differ *differ,
    const struct fm_respond sent[2], const struct fm_edit *edit,
    enum fm_side side)
{
	struct fm_change change = { .kind = FM_CHANGE_FETCH,
		.header = edit->name };
	const struct fm_result *other = sent[!side].sent.result;
	struct fm_text values[2];
	struct fm_edit too;
	unsigned i;

	change.rules[side] = edit->rule;
	if (other != NULL && fm_edit_of(other, edit->name, &too)) {
		if (side == FM_NEW)
			return (false);
		change.rules[!side] = too.rule;
	}
	for (i = 0; i < 2; i++)
		values[i] = sent_value(&sent[i], edit->name);
	if (fm_text_same(values[FM_OLD], values[FM_NEW]))
		return (false);
	for (i = 0; i < 2; i++)
		request->values[i] = values[i].b == NULL ? NULL :
		    fm_cli_keep(&request->count->arena, values[i]);
	fm_diff_change(request, &change, differ);
	return (true);
}

/*
 * Compares what the backends get of a request for which both sides ask one, as
 * far as `fetch` edits it.  Returns true if it differs.
 */
static bool
fetches_differ(struct fm_diff_request *request, const struct fm_differ *differ,
    const struct fm_view *view)
{
	struct fm_respond sent[2];
	struct fm_edit edit;
	bool differs = false;
	unsigned i, at;

	for (i = 0; i < 2; i++) {
		fm_respond_init(&sent[i], differ->programs[i], view,
		    differ->results[i]);
		if (fm_respond_fetches(&sent[i]))
			fm_respond_fetch(&sent[i], 0, NULL);
		if (sent[i].no_memory)
			fm_cli_no_memory();
	}
	for (i = 0; i < 2 && fm_respond_fetches(&sent[!i]); i++)
		for (at = 0; sent[i].sent.result != NULL && fm_edit_next(
		    sent[i].sent.result, &at, &edit);)
			differs |= tell_sent(request, differ, sent, &edit, i);
	for (i = 0; i < 2; i++)
		fm_respond_fini(&sent[i]);
	return (differs);
}

void
fm_diff_request(void *priv, struct fm_made_request *made, struct fm_where where)
{
	struct fm_diff_count *count = priv;
	struct fm_diff_request request = { .count = count, .made = made,
	    .where = where };
	struct fm_differ differ;
	struct fm_run runs[2];
	struct fm_view view;
	bool changed;
	unsigned i;

	fm_cli_view(made, &view);
	for (i = 0; i < 2; i++) {
		differ.programs[i] = count->programs[i];
		differ.results[i] = fm_run(&runs[i], count->programs[i],
		    &view, NULL);
		if (differ.results[i]->no_memory)
			fm_cli_no_memory();
	}
	changed = !fm_differ_same(&differ);
	if (changed) {
		record_both(&request, &view);
		fm_differ_tell(&differ, fm_diff_change, &request);
		for (i = 0; i < 2; i++)
			fm_record_fini(&request.records[i]);
	}
	changed |= keys_differ(&request, &differ, &view);
	if (fm_program_phase(differ.programs[FM_OLD], FM_PHASE_FETCH) !=
	    NULL || fm_program_phase(differ.programs[FM_NEW],
	    FM_PHASE_FETCH) != NULL)
		changed |= fetches_differ(&request, &differ, &view);
	changed |= fm_diff_responses(&request, &differ, &view);
	count->changed += changed;
	for (i = 0; i < 2; i++)
		fm_run_end(&runs[i]);
}
