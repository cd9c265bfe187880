/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the statements that edit a request, one function for each: query,
 * cookie, set, unset, normalize, rewrite, builtin.  Each edits x->req (not the
 * request itself) and tells the trace what has changed.
 */

#include "run_priv.h"

static const struct fm_text missing = { NULL, 0 };

/* Sets the URL, and tells the trace. */
static void
stmt_url(struct fm_exec *x, const struct fm_op *op, struct fm_text url,
    bool path)
{
	struct fm_text before = x->req.url;
	bool changed = fm_request_edit_url(&x->req, url, path, op->rule);

	fm_exec_trace(x, op->rule, changed ? FM_EFFECT_CHANGED : FM_EFFECT_NONE,
	    fm_text_of("url"), before, x->req.url);
}

/* Unsets the aliases of a header.  Returns true if there were any. */
static bool
stmt_aliases(struct fm_exec *x, const struct fm_op *op, unsigned slot)
{
	return (x->req.slots[slot].aliased &&
	    fm_unset_aliases(x, slot, op->rule));
}

void
fm_stmt_header(struct fm_exec *x, const struct fm_op *op, unsigned slot,
    struct fm_text value)
{
	bool changed, aliases = stmt_aliases(x, op, slot);
	struct fm_text before;

	value = fm_request_value(value);
	if (x->trace == NULL) {
		(void)fm_request_edit(&x->req, slot, value, op->rule);
		return;
	}
	before = fm_request_header(&x->req, slot);
	changed = fm_request_edit(&x->req, slot, value, op->rule);
	if (changed || !aliases)
		fm_exec_trace(x, op->rule, changed ? FM_EFFECT_CHANGED :
		    FM_EFFECT_NONE, x->program->slots[slot].name, before,
		    fm_request_header(&x->req, slot));
}

/* Tells the trace that a statement has changed nothing. */
static void
stmt_nothing(struct fm_exec *x, const struct fm_op *op, struct fm_text what,
    struct fm_text is)
{
	fm_exec_trace(x, op->rule, FM_EFFECT_NONE, what, is, is);
}

void
fm_stmt_query(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text url = x->req.url, out = url;
	char *buf;

	if (x->req.mark != url.len) {
		buf = fm_request_alloc(&x->req, url.len);
		if (buf == NULL)
			return;
		if (fm_params_query(&x->program->params[op->a], url, buf,
		    url.len, &out) == FM_PARAMS_SPACE)
			x->req.no_memory = true;
		fm_scratch_shrink(x->req.scratch, buf, url.len,
		    out.b == buf ? out.len : 0);
	}
	if (out.b == url.b)
		stmt_nothing(x, op, fm_text_of("url"), url);
	else
		stmt_url(x, op, out, false);
}

void
fm_stmt_cookie(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text cookie, left;

	if (x->trace == NULL) {
		fm_request_filter(&x->req, op->a, op->rule);
		return;
	}
	cookie = fm_request_header(&x->req, FM_SLOT_OF_COOKIE);
	left = fm_request_filtered(&x->req, op->a, cookie);
	if (left.b != NULL && left.b == cookie.b)
		stmt_nothing(x, op, fm_text_of("Cookie"), cookie);
	else
		fm_stmt_header(x, op, FM_SLOT_OF_COOKIE, left);
}

void
fm_stmt_set(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text value;

	if (fm_exec_value(x, op, op->a, &value, NULL))
		fm_stmt_header(x, op, op->slot, value);
}

void
fm_stmt_unset_glob(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text glob = x->program->texts[op->a];

	if (!fm_unset_glob(x, glob, op->rule))
		stmt_nothing(x, op, glob, missing);
}

/* Returns the offer that the header likes best, or the missing text. */
static struct fm_text
stmt_negotiate(struct fm_exec *x, const struct fm_offers_code *code,
    struct fm_text header)
{
	const struct fm_program *p = x->program;
	struct fm_text offers = p->texts[code->text];
	char *buf = NULL;
	uint32_t answer;
	unsigned n;

	if (code->usual != NULL) {
		n = fm_usual_find(code->usual, header);
		if (n < code->usual->count) {
			answer = p->usual_answers[code->first + n];
			return (answer == FM_NONE ? missing :
			    p->texts[answer]);
		}
	}
	if (code->named) {
		buf = fm_request_alloc(&x->req, offers.len);
		if (buf == NULL)
			return (fm_text(NULL, 0));
	}
	return (fm_offers_best(offers, code->named, header, buf));
}

void
fm_stmt_normalize(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text header, value;

	header = fm_request_header(&x->req, op->slot);
	if (header.b == NULL) {
		if (!stmt_aliases(x, op, op->slot))
			stmt_nothing(x, op, x->program->slots[op->slot].name,
			    header);
		return;
	}
	value = stmt_negotiate(x, &x->program->offers[op->a], header);
	if (value.b == NULL && op->b != FM_NONE &&
	    !fm_exec_value(x, op, op->b, &value, NULL))
		return;
	fm_stmt_header(x, op, op->slot, value);
}

/*
 * The first buffer of a rewrite has room for so many times the URL and the
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

void
fm_stmt_rewrite(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text url = x->req.url, to = x->program->texts[op->b];
	size_t cap = REWRITE_ROOM * (url.len + to.len), len = 0;
	unsigned over = fm_exec_over(x);
	char *buf;

	/* If there is too little room, we know now how much it takes. */
	do {
		if (len > cap)
			cap = len;
		buf = fm_request_alloc(&x->req, cap);
		if (buf == NULL)
			return;
		len = fm_pattern_sub(x->program->patterns[op->a], url, to,
		    op->all, buf, cap, &x->result->tally);
	} while (len != FM_PATTERN_SAME && len > cap);
	if (len == FM_PATTERN_SAME) {
		fm_scratch_shrink(x->req.scratch, buf, cap, 0);
		if (over == fm_exec_over(x)) {
			stmt_nothing(x, op, fm_text_of("url"), url);
			return;
		}
		fm_exec_trace(x, op->rule, FM_EFFECT_UNDECIDED,
		    fm_text_of("url"), url, url);
		fm_exec_undecided(x, op->rule);
		return;
	}
	len = url_one_word(buf, len);
	fm_scratch_shrink(x->req.scratch, buf, cap, len);
	stmt_url(x, op, fm_text(buf, len), true);
}

struct fm_builtin
fm_stmt_builtin(struct fm_exec *x, const struct fm_op *op)
{
	const struct fm_builtin_request request = {
		.method = x->req.view->method,
		.url = x->req.url,
		.proto = x->req.view->proto,
		.host = fm_request_header(&x->req, FM_SLOT_HOST),
		.authorization = !fm_request_lacks(&x->req, op->slot),
		.cookie = fm_request_header(&x->req,
		    FM_SLOT_OF_COOKIE).b != NULL,
		.esi = x->req.view->esi
	};
	struct fm_builtin it;
	char *lower;

	it = fm_builtin_decide(fm_builtin_here, &request);
	if (it.lower) {
		lower = fm_request_alloc(&x->req, request.host.len);
		if (lower == NULL)
			return (it);
		fm_text_lower(lower, request.host);
		fm_stmt_header(x, op, FM_SLOT_HOST,
		    fm_text(lower, request.host.len));
	}
	if (it.close)
		fm_stmt_header(x, op, op->a, fm_text_of("close"));
	return (it);
}
