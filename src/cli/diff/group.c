/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts changes by kind, rules and host.  Threads share nothing; in the end
 * their counts are added.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

#include "diff.h"
#include "fold.h"

void
fm_diff_count_fini(struct fm_diff_count *count)
{
	fm_arena_fini(&count->arena);
	free(count->cells);
	free(count->slots);
	memset(count, 0, sizeof *count);
}

/* A missing text is NULL. */
static const char *
keep(struct fm_diff_count *count, struct fm_text text)
{
	const char *s;

	if (text.b == NULL)
		return (NULL);
	s = fm_arena_add(&count->arena, text);
	if (s == NULL)
		fm_cli_no_memory();
	return (s);
}

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
	return (XXH3_64bits_withSeed(host.b, host.len, hash));
}

static bool
cell_is(const struct fm_diff_cell *cell, uint64_t hash,
    const struct fm_change *change, struct fm_text host)
{
	return (cell->hash == hash && cell->kind == change->kind &&
	    cell->rules[FM_OLD] == change->rules[FM_OLD] &&
	    cell->rules[FM_NEW] == change->rules[FM_NEW] &&
	    fm_text_eq_nocase(cell->header, change->header) &&
	    (cell->host.b == NULL) == (host.b == NULL) &&
	    fm_text_eq(cell->host, host));
}

static void
slots_grow(struct fm_diff_count *count)
{
	size_t i, slot;

	free(count->slots);
	count->nslots = count->nslots == 0 ? 64 : 2 * count->nslots;
	count->slots = fm_cli_alloc(count->nslots * sizeof *count->slots);
	for (i = 0; i < count->ncells; i++) {
		slot = count->cells[i].hash & (count->nslots - 1);
		while (count->slots[slot] != 0)
			slot = (slot + 1) & (count->nslots - 1);
		count->slots[slot] = (uint32_t)i + 1;
	}
}

static struct fm_diff_cell *
cell_find(struct fm_diff_count *count, const struct fm_change *change,
    struct fm_text host)
{
	uint64_t hash = hash_cell(count, change, host);
	struct fm_diff_cell *cell;
	size_t slot;

	if (2 * count->ncells >= count->nslots)
		slots_grow(count);
	slot = hash & (count->nslots - 1);
	while (count->slots[slot] != 0) {
		cell = &count->cells[count->slots[slot] - 1];
		if (cell_is(cell, hash, change, host))
			return (cell);
		slot = (slot + 1) & (count->nslots - 1);
	}
	cell = fm_cli_grow(&count->cells, count->ncells, &count->cells_room,
	    sizeof *cell);
	count->slots[slot] = (uint32_t)++count->ncells;
	cell->hash = hash;
	cell->kind = change->kind;
	cell->header = fm_text(keep(count, change->header),
	    change->header.len);
	cell->rules[FM_OLD] = change->rules[FM_OLD];
	cell->rules[FM_NEW] = change->rules[FM_NEW];
	cell->host = fm_text(keep(count, host), host.len);
	return (cell);
}

/*--------------------------------------------------------------------
 * Examples
 */

static struct fm_text
header_of(const struct fm_message *message, const char *wanted)
{
	struct fm_text name, value;
	size_t i;

	for (i = 0; i < message->nfields; i++) {
		fm_field_parts(&message->fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of(wanted)))
			return (value);
	}
	return (fm_text(NULL, 0));
}

static bool
has_url(const struct fm_diff_cell *cell, struct fm_text url)
{
	unsigned i;

	for (i = 0; i < cell->nexamples; i++)
		if (fm_text_eq(fm_text_of(cell->examples[i].url), url))
			return (true);
	return (false);
}

/* Those of another cell: the first ones of both, with different URLs. */
static void
merge_examples(struct fm_diff_count *count, struct fm_diff_cell *cell,
    const struct fm_diff_cell *from)
{
	struct fm_diff_example all[2 * FM_DIFF_EXAMPLES], *e;
	unsigned i = 0, j = 0, n = 0;

	while (i < cell->nexamples || j < from->nexamples)
		if (j == from->nexamples || (i < cell->nexamples &&
		    fm_where_before(cell->examples[i].where,
		    from->examples[j].where)))
			all[n++] = cell->examples[i++];
		else
			all[n++] = from->examples[j++];
	cell->nexamples = 0;
	for (i = 0; i < n && cell->nexamples < FM_DIFF_EXAMPLES; i++) {
		e = &all[i];
		if (has_url(cell, fm_text_of(e->url)))
			continue;
		e->method = keep(count, fm_text_of(e->method));
		e->host = keep(count, fm_text_of(e->host));
		e->url = keep(count, fm_text_of(e->url));
		e->agent = keep(count, fm_text_of(e->agent));
		e->values[0] = keep(count, fm_text_of(e->values[0]));
		e->values[1] = keep(count, fm_text_of(e->values[1]));
		cell->examples[cell->nexamples++] = *e;
	}
}

/*--------------------------------------------------------------------
 * Requests
 */

struct request {
	struct fm_diff_count	*count;
	const struct fm_message	*message;
	struct fm_where		where;
};

static void
on_change(void *priv, const struct fm_change *change,
    const struct fm_differ *differ)
{
	const struct request *request = priv;
	struct fm_diff_count *count = request->count;
	struct fm_diff_cell *cell = cell_find(count, change,
	    differ->results[FM_OLD]->host);
	struct fm_diff_example *example;

	cell->requests++;
	if (cell->nexamples == FM_DIFF_EXAMPLES ||
	    has_url(cell, request->message->url))
		return;
	example = &cell->examples[cell->nexamples++];
	example->where = request->where;
	example->method = keep(count, request->message->method);
	example->host = keep(count, header_of(request->message, "Host"));
	example->url = keep(count, request->message->url);
	example->agent = keep(count, header_of(request->message,
	    "User-Agent"));
	example->values[FM_OLD] = keep(count, change->values[FM_OLD]);
	example->values[FM_NEW] = keep(count, change->values[FM_NEW]);
}

static bool
comes_to_the_same(const struct fm_program * const programs[2],
    const struct fm_view *view)
{
	struct fm_differ differ;
	struct fm_run runs[2];
	bool same;
	unsigned i;

	for (i = 0; i < 2; i++) {
		differ.programs[i] = programs[i];
		differ.results[i] = fm_run(&runs[i], programs[i], view, NULL);
		if (differ.results[i]->no_memory)
			fm_cli_no_memory();
	}
	same = fm_differ_same(&differ);
	for (i = 0; i < 2; i++)
		fm_run_end(&runs[i]);
	return (same);
}

bool
fm_diff_request(void *priv, struct fm_message *message, struct fm_where where)
{
	struct fm_diff_count *count = priv;
	struct request request = { count, message, where };
	struct fm_view view;

	fm_cli_view(message, &view);
	if (comes_to_the_same(count->programs, &view))
		return (true);
	if (fm_differ_trace(count->programs, &view, on_change, &request) != 0)
		fm_cli_no_memory();
	count->changed++;
	return (true);
}

void
fm_diff_count_merge(struct fm_diff_count *count,
    const struct fm_diff_count *from)
{
	const struct fm_diff_cell *other;
	struct fm_diff_cell *cell;
	struct fm_change change;
	size_t i;

	count->changed += from->changed;
	for (i = 0; i < from->ncells; i++) {
		other = &from->cells[i];
		change = (struct fm_change){ .kind = other->kind,
		    .header = other->header,
		    .rules = { other->rules[FM_OLD], other->rules[FM_NEW] } };
		cell = cell_find(count, &change, other->host);
		cell->requests += other->requests;
		merge_examples(count, cell, other);
	}
}
