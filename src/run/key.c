/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the key of a request of the statements in `key`: bytes that Varnish
 * hashes, beside what VCL hashes.
 *
 *	header X-Device Store;		\1h8:x-device+5:phone;h5:store-;
 *	cookie currency;		c8:currency+12:currency=EUR;
 *	"${query.lang}";		t+2:de;
 *
 * No two sets of values have the same bytes: a value comes after its length,
 * and says whether it is there.  Each field of a header counts, and each alias
 * of it (`~`, its name, its value), as it is not known which one a backend
 * takes.  A client can't send the first byte, so nothing that VCL hashes of a
 * request is taken for a key.
 */

#include "run_priv.h"

#define KEY_ROOM	256		/* bytes to begin with */
#define DIGITS		20

static const struct fm_text missing = { NULL, 0 };

/* Adds bytes to the key. */
static void
key_put(struct fm_exec *exec, const char *b, size_t len)
{
	struct fm_key *key = exec->key;
	size_t room = key->room == 0 ? KEY_ROOM : key->room;
	char *grown;

	/* With the first byte, and a NUL at the end. */
	while (room < key->len + len + 2)
		room *= 2;
	if (room > key->room) {
		grown = fm_request_alloc(&exec->req, room);
		if (grown == NULL)
			return;
		if (key->len > 0)
			memcpy(grown, key->b, key->len);
		else
			grown[key->len++] = '\1';
		key->b = grown;
		key->room = room;
	}
	if (len > 0)
		memcpy(key->b + key->len, b, len);
	key->len += len;
	key->b[key->len] = '\0';
}

/* Adds a text, with a mark that says what it is. */
static void
key_add(struct fm_exec *exec, char mark, struct fm_text text)
{
	char head[1 + DIGITS + 1];
	size_t at = sizeof head, len = text.len;

	head[--at] = ':';
	do
		head[--at] = (char)('0' + len % 10);
	while ((len /= 10) != 0);
	head[--at] = mark;
	key_put(exec, head + at, sizeof head - at);
	key_put(exec, text.b, text.len);
}

static void
key_end(struct fm_exec *exec, bool any)
{
	key_put(exec, any ? ";" : "-;", any ? 1 : 2);
}

/* Tells the trace of a value; of several, as one. */
static void
key_tell(struct fm_exec *exec, const struct fm_op *op, const char *kind,
    struct fm_text what, struct fm_text shown)
{
	if (exec->trace != NULL)
		fm_exec_tell(exec, op->rule, FM_EFFECT_KEY, what,
		    fm_text_of(kind), shown);
}

void
fm_phase_begin(struct fm_exec *exec, struct fm_run *run,
    const struct fm_view *view)
{
	if (view->response != NULL) {
		fm_response_begin(exec, run, view);
		return;
	}
	run->key = (struct fm_key){ .b = NULL };
	exec->key = &run->key;
}

void
fm_key_text(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text text;

	if (!fm_exec_value(exec, op, op->a, &text, NULL))
		return;
	key_put(exec, "t", 1);
	key_add(exec, '+', text);
	key_end(exec, true);
	key_tell(exec, op, "text", missing, text);
}

/* Finds the next field of a slot, or an alias of it. */
struct fields {
	struct fm_request	*req;
	unsigned		slot;
	uint32_t		note;		/* the next one */
	bool			begun;
	bool			alias;		/* the field is one */
	struct fm_text		name, value;
};

static bool
fields_next(struct fields *at)
{
	struct fm_request *req = at->req;
	const struct fm_request_slot *slot = &req->slots[at->slot];
	struct fm_text name = req->program->slots[at->slot].name;
	const struct fm_request_note *note;
	uint32_t field = FM_NONE;

	at->alias = false;
	if (!at->begun && slot->present)
		field = slot->first;
	at->begun = true;
	for (; field == FM_NONE && at->note < req->nnotes; at->note++) {
		note = &req->notes[at->note];
		at->alias = note->alias == at->slot ||
		    (note->alias == FM_REQUEST_SEVERAL &&
		    fm_request_is_alias(&req->view->fields[note->field],
		    name));
		if (at->alias || note->slot == at->slot)
			field = note->field;
	}
	if (field == FM_NONE)
		return (false);
	at->name = fm_text(req->view->fields[field].b, name.len);
	at->value = fm_request_field_value(&req->view->fields[field],
	    name.len);
	return (true);
}

/* Adds one more value to those that a trace is shown. */
static struct fm_text
shown_add(struct fm_exec *exec, struct fm_text shown, struct fm_text value,
    const char *between)
{
	size_t len = strlen(between);
	char *b;

	if (exec->trace == NULL || shown.b == NULL)
		return (value.b == NULL ? fm_text("", 0) : value);
	b = fm_request_alloc(&exec->req, shown.len + len + value.len);
	if (b == NULL)
		return (shown);
	memcpy(b, shown.b, shown.len);
	memcpy(b + shown.len, between, len);
	if (value.len > 0)
		memcpy(b + shown.len + len, value.b, value.len);
	return (fm_text(b, shown.len + len + value.len));
}

void
fm_key_header(struct fm_exec *exec, const struct fm_op *op)
{
	struct fields at = { .req = &exec->req, .slot = op->slot };
	struct fm_text shown = missing;

	key_add(exec, 'h', exec->program->texts[op->b]);
	while (fields_next(&at)) {
		if (at.alias)
			key_add(exec, '~', at.name);
		key_add(exec, '+', at.value);
		shown = shown_add(exec, shown, at.value, ", ");
	}
	key_end(exec, shown.b != NULL);
	key_tell(exec, op, "header", exec->program->slots[op->slot].name,
	    shown);
}

/*
 * All cookies of the name count, as `cookie keep` would leave them: some
 * programs take the first of them, others the last.
 */
void
fm_key_cookie(struct fm_exec *exec, const struct fm_op *op)
{
	struct fields at = { .req = &exec->req, .slot = FM_SLOT_OF_COOKIE };
	struct fm_text shown = missing, left;

	key_add(exec, 'c', exec->program->texts[op->b]);
	while (fields_next(&at)) {
		left = fm_request_filtered(&exec->req, op->a, at.value);
		if (left.b == NULL)
			continue;
		key_add(exec, '+', left);
		shown = shown_add(exec, shown, left, "; ");
	}
	key_end(exec, shown.b != NULL);
	key_tell(exec, op, "cookie", exec->program->texts[op->b], shown);
}

void
fm_key_view(struct fm_view *view, struct fm_field *room)
{
	static const struct fm_text host = { "Host", 4 };
	unsigned i;

	for (i = 0; view->marks != NULL && i < view->nfields; i++)
		if ((view->marks[i] & FM_MARK_DROPPED) != 0)
			break;
	if (view->marks == NULL || i == view->nfields)
		return;
	memcpy(room, view->fields, view->nfields * sizeof *room);
	/* The Host says whose rules run, whatever the backend gets. */
	for (; i < view->nfields; i++)
		if ((view->marks[i] & FM_MARK_DROPPED) != 0 &&
		    !fm_text_eq_nocase(fm_request_field_name(&room[i]), host))
			room[i] = (struct fm_field){ NULL, NULL };
	view->fields = room;
}
