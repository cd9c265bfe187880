/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the statements that edit a request, one function for each: query,
 * cookie, set, unset, normalize, rewrite, builtin.  Each edits x->req (not the
 * request itself) and tells the trace what has changed.
 */

#include "glob.h"
#include "run_priv.h"

static const struct fm_text missing = { NULL, 0 };

/*--------------------------------------------------------------------
 * Unsets headers by glob (`unset X-*`), with a slot or without; unsets the
 * aliases of headers (X_Foo and X.Foo of X-Foo); and tells the trace of each.
 *
 *	view			unset X-*, rules speak of X-A
 *	X-A: 1			slot_unset(): an edit of the slot
 *	X-B: 2, X-B: 3		field_unset(): both fields are gone
 */

/*
 * Returns true if a glob may unset a name.  Without Host, Content-Length or
 * Transfer-Encoding the request would be another one; and after vcl_recv, core
 * writes some headers itself.
 */
static bool
glob_may_touch(const struct fm_program *program, struct fm_text glob,
    struct fm_text name)
{
	static const char * const never[] = { "Content-Length",
	    "Transfer-Encoding", "Content-Encoding", "Content-Range",
	    "Connection", NULL };

	if (!fm_glob_match_header(glob, name) || (program->requests != NULL &&
	    fm_text_is_one_of(name, never)))
		return (false);
	return (program->of_response ||
	    (!fm_text_eq_nocase(name, fm_text_of("Host")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Content-Length")) &&
	    !fm_text_eq_nocase(name, fm_text_of("Transfer-Encoding"))));
}

/* Notes that a field without a slot is unset.  Returns false: no memory. */
static bool
field_note(struct fm_request *req, uint32_t field, uint32_t rule)
{
	size_t bytes = req->view->nfields * sizeof *req->gone.rules;

	if (req->gone.rules == NULL) {
		req->gone.rules = fm_request_alloc(req, bytes);
		if (req->gone.rules == NULL)
			return (false);
		memset(req->gone.rules, 0, bytes);
		req->gone.from = field;
		req->gone.to = field + 1;
	}
	if (field < req->gone.from)
		req->gone.from = field;
	if (field >= req->gone.to)
		req->gone.to = field + 1;
	req->gone.rules[field] = rule + 1;
	return (true);
}

/* Unsets a field without a slot.  Returns false if its name was gone before. */
static bool
field_unset(struct fm_exec *exec, uint32_t field, struct fm_text name,
    uint32_t rule)
{
	struct fm_request *req = &exec->req;

	if (!field_note(req, field, rule) || (field > req->gone.from &&
	    fm_request_name_gone(req->view, &req->gone, name, field)))
		return (false);
	if (exec->trace != NULL)
		fm_exec_tell(exec, rule, FM_EFFECT_CHANGED, name,
		    fm_request_field_value(&req->view->fields[field],
		    name.len), missing);
	return (true);
}

bool
fm_stmt_remove(struct fm_exec *exec, const struct fm_op *op, unsigned slot,
    uint32_t field)
{
	struct fm_request *req = &exec->req;
	uint32_t i;

	if (!field_note(req, field, op->rule))
		return (false);
	for (i = 0; i < req->nnotes; i++)
		if (req->notes[i].field == field)
			req->notes[i].slot = FM_NONE;
	fm_exec_trace(exec, op->rule, FM_EFFECT_CHANGED,
	    req->program->slots[slot].name, fm_request_field_value(
	    &req->view->fields[field], req->program->slots[slot].name.len),
	    missing);
	return (true);
}

/* Unsets a header with a slot.  Returns true if the request had the header. */
static bool
slot_unset(struct fm_exec *exec, uint32_t slot, uint32_t rule)
{
	struct fm_text value = fm_request_header(&exec->req, slot);

	if (!fm_request_edit(&exec->req, slot, fm_text(NULL, 0), rule))
		return (false);
	fm_exec_trace(exec, rule, FM_EFFECT_CHANGED,
	    exec->program->slots[slot].name, value, fm_text(NULL, 0));
	return (true);
}

/*
 * CGI and WSGI can't tell X_Foo and X.Foo from X-Foo: fields whose name has
 * another mark where the slot's name has `-`.
 */
bool
fm_stmt_aliases(struct fm_exec *exec, const struct fm_op *op, unsigned slot)
{
	struct fm_request *req = &exec->req;
	struct fm_text name = req->program->slots[slot].name;
	const struct fm_request_note *note;
	const struct fm_field *field;
	bool any = false;
	uint32_t n, i, other;

	req->slots[slot].aliased = false;
	for (n = 0; n < req->nnotes && !req->no_memory; n++) {
		note = &req->notes[n];
		i = note->field;
		field = &req->view->fields[i];
		if (fm_request_is_gone(req, i) || (note->alias != slot &&
		    (note->alias != FM_REQUEST_SEVERAL ||
		    !fm_request_is_alias(field, name))))
			continue;
		/* An alias has a slot only if that is near another one. */
		other = req->program->near_slots ?
		    fm_request_slot_of(req->program, field) : FM_NONE;
		if (other == FM_NONE)
			any |= field_unset(exec, i, fm_text(field->b, name.len),
			    op->rule);
		else if (!fm_request_owns(req, other))
			any |= slot_unset(exec, other, op->rule);
	}
	return (any);
}

/*
 * Unsets all headers whose name, or the name of which they are aliases, matches
 * the glob.  Returns true if the request had any.
 */
static bool
unset_glob(struct fm_exec *exec, struct fm_text glob, uint32_t rule)
{
	struct fm_request *req = &exec->req;
	const struct fm_field *field;
	struct fm_text name;
	bool any = false;
	uint32_t i;

	for (i = 0; i < req->program->nslots; i++) {
		name = req->program->slots[i].name;
		if (!req->program->slots[i].request &&
		    glob_may_touch(exec->program, glob, name))
			any |= slot_unset(exec, i, rule);
	}
	for (i = 0; i < fm_request_nmessage(req->view) && !req->no_memory;
	    i++) {
		if (fm_request_is_gone(req, i))
			continue;
		field = &req->view->fields[i];
		name = fm_request_field_name(field);
		if (name.len == 0 ||
		    !glob_may_touch(exec->program, glob, name) ||
		    fm_request_slot_of(req->program, field) != FM_NONE)
			continue;
		any |= field_unset(exec, i, name, rule);
	}
	return (any);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Sets the URL, and tells the trace. */
static void
stmt_url(struct fm_exec *exec, const struct fm_op *op, struct fm_text url)
{
	struct fm_text before = exec->req.url;
	bool changed = fm_request_edit_url(&exec->req, url, true, op->rule);

	fm_exec_trace(exec, op->rule, changed ? FM_EFFECT_CHANGED :
	    FM_EFFECT_NONE, fm_text_of("url"), before, exec->req.url);
}

/* Unsets the aliases of a header.  Returns true if there were any. */
static bool
stmt_aliases(struct fm_exec *exec, const struct fm_op *op, unsigned slot)
{
	return (exec->req.slots[slot].aliased &&
	    fm_stmt_aliases(exec, op, slot));
}

void
fm_stmt_header(struct fm_exec *exec, const struct fm_op *op, unsigned slot,
    struct fm_text value)
{
	bool changed, aliases = stmt_aliases(exec, op, slot);
	struct fm_text before;

	value = fm_request_value(value);
	if (exec->trace == NULL) {
		(void)fm_request_edit(&exec->req, slot, value, op->rule);
		return;
	}
	before = fm_request_header(&exec->req, slot);
	changed = fm_request_edit(&exec->req, slot, value, op->rule);
	if (changed || !aliases)
		fm_exec_trace(exec, op->rule, changed ? FM_EFFECT_CHANGED :
		    FM_EFFECT_NONE, exec->program->slots[slot].name, before,
		    fm_request_header(&exec->req, slot));
}

/* Tells the trace that a statement has changed nothing. */
static void
stmt_nothing(struct fm_exec *exec, const struct fm_op *op, struct fm_text what,
    struct fm_text is)
{
	fm_exec_trace(exec, op->rule, FM_EFFECT_NONE, what, is, is);
}

void
fm_stmt_query(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text before, after;

	if (exec->trace == NULL) {
		fm_request_filter_query(&exec->req, op->a, op->rule);
		return;
	}
	before = exec->req.url;
	fm_request_filter_query(&exec->req, op->a, op->rule);
	after = fm_request_url(&exec->req);
	fm_exec_trace(exec, op->rule, after.b == before.b ? FM_EFFECT_NONE :
	    FM_EFFECT_CHANGED, fm_text_of("url"), before, after);
}

void
fm_stmt_cookie(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text cookie, left;

	if (exec->trace == NULL) {
		fm_request_filter(&exec->req, op->a, op->rule);
		return;
	}
	cookie = fm_request_header(&exec->req, FM_SLOT_OF_COOKIE);
	left = fm_request_filtered(&exec->req, op->a, cookie);
	if (left.b != NULL && left.b == cookie.b)
		stmt_nothing(exec, op, fm_text_of("Cookie"), cookie);
	else
		fm_stmt_header(exec, op, FM_SLOT_OF_COOKIE, left);
}

void
fm_stmt_set(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text value;

	if (fm_exec_value(exec, op, op->a, &value, NULL))
		fm_stmt_header(exec, op, op->slot, value);
}

void
fm_stmt_log(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_log_line **end = &exec->result->log, *line;
	struct fm_text text;

	if (!fm_exec_value(exec, op, op->a, &text, NULL))
		return;
	line = fm_request_alloc(&exec->req, sizeof *line);
	if (line == NULL)
		return;
	line->text = fm_request_clean(&exec->req, fm_text_or_empty(text));
	line->next = NULL;
	while (*end != NULL)
		end = &(*end)->next;
	*end = line;
	fm_exec_trace(exec, op->rule, FM_EFFECT_LOG, missing, missing,
	    line->text);
}

/* The check has counted how many subs there may be. */
void
fm_stmt_call(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_result *result = exec->result;
	unsigned n;

	for (n = 0; n < result->ncalls && result->calls[n].sub != op->a; n++)
		continue;
	if (n < result->ncalls) {
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE, missing);
		return;
	}
	assert(n < FM_LIMIT_CALLS);
	result->calls[n].sub = op->a;
	result->calls[n].rule = &exec->program->rules[op->rule];
	result->ncalls++;
	if (exec->trace != NULL)
		fm_exec_tell_what(exec, op->rule, FM_EFFECT_CALL,
		    fm_text_of(exec->program->calls[op->a].name));
}

void
fm_stmt_unset_glob(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text glob = exec->program->texts[op->a];

	if (!unset_glob(exec, glob, op->rule))
		stmt_nothing(exec, op, glob, missing);
}

/* Returns the offer that the header likes best, or the missing text. */
static struct fm_text
stmt_negotiate(struct fm_exec *exec, const struct fm_offers_code *code,
    struct fm_text header)
{
	const struct fm_program *program = exec->program;
	struct fm_text offers = program->texts[code->text];
	char *buf = NULL;
	uint32_t answer;
	unsigned n;

	if (code->usual != NULL) {
		n = fm_usual_find(code->usual, header);
		if (n < code->usual->count) {
			answer = program->usual_answers[code->first + n];
			return (answer == FM_NONE ? missing :
			    program->texts[answer]);
		}
	}
	if (code->named) {
		buf = fm_request_alloc(&exec->req, offers.len);
		if (buf == NULL)
			return (fm_text(NULL, 0));
	}
	return (fm_offers_best(offers, code->named, header, buf));
}

void
fm_stmt_normalize(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text header, value;

	header = fm_request_header(&exec->req, op->slot);
	if (header.b == NULL) {
		if (!stmt_aliases(exec, op, op->slot))
			stmt_nothing(exec, op,
			    exec->program->slots[op->slot].name, header);
		return;
	}
	value = stmt_negotiate(exec, &exec->program->offers[op->a], header);
	if (value.b == NULL && op->b != FM_NONE &&
	    !fm_exec_value(exec, op, op->b, &value, NULL))
		return;
	fm_stmt_header(exec, op, op->slot, value);
}

/*
 * The first buffer of a rewrite has room for this multiple of the URL and the
 * replacement.  Three is enough for a rewrite that escapes each byte as %xx; a
 * longer result is written a second time.
 */
#define REWRITE_ROOM	3

/*
 * Returns how many bytes in front have no blank, control byte or DEL.  Looks at
 * eight bytes at once, and may stop up to seven bytes early.
 */
static size_t
url_word(const char *b, size_t len)
{
	const uint64_t ones = UINT64_MAX / 0xff, high = 0x80 * ones;
	uint64_t w, blank, del;
	size_t i;

	for (i = 0; i + sizeof w <= len; i += sizeof w) {
		memcpy(&w, b + i, sizeof w);
		/* High bits: of a byte below 0x21; of a byte that is 0x7f. */
		blank = (w - 0x21 * ones) & ~w;
		del = w ^ 0x7f * ones;
		del = (del - ones) & ~del;
		if (((blank | del) & high) != 0)
			break;
	}
	return (i);
}

/*
 * Removes blanks and control bytes in place, as they would end the URL in a
 * request line.  Returns the new length.
 */
static size_t
url_one_word(char *b, size_t len)
{
	size_t i = url_word(b, len), kept = i;

	for (; i < len; i++)
		if ((unsigned char)b[i] > ' ' && b[i] != 0x7f)
			b[kept++] = b[i];
	return (kept);
}

/*
 * Replaces in a text what the pattern of a rewrite matches.  Returns false if
 * it matches nothing, or is undecided, and tells the trace of `what`; or if
 * there is no memory.  Else *buf has *cap bytes, and *len of them are used.
 */
static bool
rewrite_text(struct fm_exec *exec, const struct fm_op *op, struct fm_text what,
    struct fm_text text, char **buf, size_t *cap, size_t *len)
{
	struct fm_text to = exec->program->texts[op->b];
	unsigned over = fm_exec_over(exec);

	*cap = REWRITE_ROOM * (text.len + to.len);
	*len = 0;
	/* If there is too little room, we know now how much it takes. */
	do {
		if (*len > *cap)
			*cap = *len;
		*buf = fm_request_alloc(&exec->req, *cap);
		if (*buf == NULL)
			return (false);
		*len = fm_pattern_sub(exec->program->patterns[op->a], text, to,
		    op->all, *buf, *cap, &exec->result->tally);
	} while (*len != FM_PATTERN_SAME && *len > *cap);
	if (*len != FM_PATTERN_SAME)
		return (true);
	fm_scratch_shrink(exec->req.scratch, *buf, *cap, 0);
	if (over == fm_exec_over(exec)) {
		stmt_nothing(exec, op, what, text);
		return (false);
	}
	fm_exec_trace(exec, op->rule, FM_EFFECT_UNDECIDED, what, text, text);
	fm_exec_undecided(exec, op->rule);
	return (false);
}

void
fm_stmt_rewrite(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text url = fm_request_url(&exec->req);
	size_t cap, len;
	char *buf;

	if (!rewrite_text(exec, op, fm_text_of("url"), url, &buf, &cap, &len))
		return;
	len = url_one_word(buf, len);
	fm_scratch_shrink(exec->req.scratch, buf, cap, len);
	stmt_url(exec, op, fm_text(buf, len));
}

/* A header that is not there, or that nothing matches, loses its aliases. */
void
fm_stmt_rewrite_header(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text name = exec->program->slots[op->slot].name;
	struct fm_text header = fm_request_header(&exec->req, op->slot);
	size_t cap, len;
	char *buf;

	if (header.b == NULL) {
		if (!stmt_aliases(exec, op, op->slot))
			stmt_nothing(exec, op, name, header);
		return;
	}
	if (!rewrite_text(exec, op, name, header, &buf, &cap, &len)) {
		if (!exec->ended && !exec->req.no_memory)
			(void)stmt_aliases(exec, op, op->slot);
		return;
	}
	fm_scratch_shrink(exec->req.scratch, buf, cap, len);
	header = fm_request_clean(&exec->req, fm_text(buf, len));
	if (!exec->req.no_memory)
		fm_stmt_header(exec, op, op->slot, header);
}

void
fm_stmt_set_url(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text value;
	size_t len;
	char *buf;

	/* Statements that wait drop parameters of the URL before this one. */
	(void)fm_request_url(&exec->req);
	if (!fm_exec_value(exec, op, op->a, &value, NULL))
		return;
	buf = fm_request_alloc(&exec->req, value.len + 1);
	if (buf == NULL)
		return;
	buf[0] = '/';
	if (value.len > 0)
		memcpy(buf + 1, value.b, value.len);
	len = url_one_word(buf + 1, value.len);
	fm_scratch_shrink(exec->req.scratch, buf, value.len + 1, len + 1);
	if (len == 0)
		stmt_nothing(exec, op, fm_text_of("url"), exec->req.url);
	else if (buf[1] == '/')
		stmt_url(exec, op, fm_text(buf + 1, len));
	else
		stmt_url(exec, op, fm_text(buf, len + 1));
}

struct fm_builtin
fm_stmt_builtin(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_builtin_request request = {
		.method = exec->req.view->method,
		.url = fm_request_url(&exec->req),
		.proto = exec->req.view->proto,
		.host = fm_request_header(&exec->req, FM_SLOT_HOST),
		.authorization = !fm_request_lacks(&exec->req, op->slot),
		.cookie = fm_request_header(&exec->req,
		    FM_SLOT_OF_COOKIE).b != NULL,
		.esi = exec->req.view->esi
	};
	struct fm_builtin it;
	char *lower;

	it = fm_builtin_decide(fm_builtin_here, &request);
	if (it.lower) {
		lower = fm_request_alloc(&exec->req, request.host.len);
		if (lower == NULL)
			return (it);
		fm_text_lower(lower, request.host);
		fm_stmt_header(exec, op, FM_SLOT_HOST,
		    fm_text(lower, request.host.len));
	}
	if (it.close)
		fm_stmt_header(exec, op, op->a, fm_text_of("close"));
	if (it.range && !fm_request_lacks(&exec->req, op->b))
		fm_stmt_header(exec, op, op->b, missing);
	return (it);
}
