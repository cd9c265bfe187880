/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies the operations of a block to a list, in their order, without what is
 * decided (route_priv.h):
 *
 *	TEST host is a.example, b: L		of a.example: what follows
 *	...					the test
 *	JUMP b: M
 *	L: ...					of all other hosts: this
 *	M:
 *
 * Jumps lead forward, so one pass does.  An operation to which no request comes
 * is not copied.
 */

#include "route_priv.h"

/* Bits of all->ways[]: how requests come to an operation of the source. */
#define ROUTE_JUMPED	1	/* by a jump of the list, some of them */
#define ROUTE_PLACED	2	/* at all; `where` says where they go on */
#define ROUTE_OPEN	4	/* THEN: a test of its condition may be
				 * undecided */

/* A test of more words than this is not made one operation a word. */
#define ROUTE_WORDS	4

/*--------------------------------------------------------------------
 * The list
 */

void
fm_route_apart(struct fm_route *route)
{
	route->count = SIZE_MAX;
}

/* Returns true if an operation may end the run, or jump. */
static bool
op_may_end(const struct fm_op *op)
{
	switch ((enum fm_op_code)op->code) {
	case FM_OP_QUERY:
	case FM_OP_COOKIE:
	case FM_OP_UNSET:
	case FM_OP_UNSET_GLOB:
	case FM_OP_BACKEND:
	case FM_OP_COUNT:
	case FM_OP_PUT:
	case FM_OP_PUT_HOST:
	case FM_OP_PUT_PART:
	case FM_OP_PUT_MAP:
		return (false);
	default:
		return (true);
	}
}

void
fm_route_emit(struct fm_route *route, const struct fm_op *op)
{
	struct fm_op *p = fm_grow_add(&route->all->ops, sizeof *p, 1);

	if (p == NULL) {
		route->no_memory = true;
		return;
	}
	*p = *op;
	if (op_may_end(op))
		fm_route_apart(route);
}

/* Ends a block: lets its jumps lead to copies. */
static void
route_patch(struct fm_route *route)
{
	struct fm_op *op;
	size_t i;

	for (i = route->from; i < route->all->ops.n; i++) {
		op = fm_route_op(route, i);
		if (fm_route_jumps(op))
			op->b = route->all->where[op->b] - (uint32_t)i;
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Adds a counter to a COUNT before, if each request came by that one. */
static void
route_count(struct fm_route *route, const struct fm_op *op)
{
	struct fm_op new = *op, *count;

	count = route->count == SIZE_MAX ? NULL :
	    fm_route_op(route, route->count);
	if (count != NULL && count->b == FM_NONE) {
		count->b = op->a;
	} else if (count != NULL && count->rule == FM_NONE) {
		count->rule = op->a;
	} else {
		new.b = new.rule = FM_NONE;
		route->count = route->all->ops.n;
		fm_route_emit(route, &new);
	}
}

/* Notes that a header has another value now. */
static void
route_edited(struct fm_route *route, unsigned slot, bool sure)
{
	route->sure[slot] = sure && route->region == 0;
}

/*
 * Returns true if a piece is a text that can be a header's value as it is: it
 * is not empty (that would be an unset), and has no blanks at its ends.
 */
static bool
piece_is_value(const struct fm_program *program,
    const struct fm_template_piece *piece)
{
	struct fm_text text;

	if (piece == NULL || piece->kind != FM_PART_TEXT)
		return (false);
	text = program->texts[piece->a];
	return (text.len > 0 && fm_text_trim(text).len == text.len);
}

/* Returns true if a map looks for texts one by one, and gives texts. */
static bool
map_is_plain(const struct fm_route *route, const struct fm_map_code *map)
{
	const struct fm_program *program = route->all->p;
	uint32_t n;

	if (map->texts == FM_NONE || (map->otherwise != FM_NONE &&
	    !piece_is_value(program, fm_route_piece(route, map->otherwise))))
		return (false);
	for (n = 0; n < map->nlines; n++)
		if (!piece_is_value(program, fm_route_piece(route,
		    program->map_lines[map->first_line + n].template)))
			return (false);
	return (true);
}

/* Returns true if a part is a number or a word of the response, never empty. */
static bool
part_is_of_response(enum fm_part_kind kind)
{
	return (kind == FM_PART_STATUS || kind == FM_PART_TTL ||
	    kind == FM_PART_CACHE || kind == FM_PART_HITS ||
	    kind == FM_PART_AGE);
}

/* Makes a `set` of a template cheaper: one of a text, of the host, an unset. */
static void
route_put(struct fm_route *route, struct fm_op *op, uint32_t template)
{
	const struct fm_program *program = route->all->p;
	const struct fm_template_piece *piece;

	if (template == FM_NONE) {
		op->code = FM_OP_UNSET;
		return;
	}
	op->a = template;
	piece = fm_route_piece(route, template);
	if (piece == NULL)
		return;
	if (piece_is_value(program, piece)) {
		op->code = FM_OP_PUT;
		op->a = piece->a;
	} else if (piece->kind == FM_PART_HOST) {
		op->code = FM_OP_PUT_HOST;
	} else if (part_is_of_response((enum fm_part_kind)piece->kind)) {
		op->code = FM_OP_PUT_PART;
		op->a = piece->kind;
	} else if (piece->kind == FM_PART_MAP &&
	    !(route->rewritten && fm_subject_is_url(&piece->subject)) &&
	    map_is_plain(route, &program->maps[piece->a])) {
		op->code = FM_OP_PUT_MAP;
		op->a = (uint32_t)(piece - program->pieces);
	}
}

static void
route_set(struct fm_route *route, struct fm_op *op)
{
	bool sure = fm_route_sure_template(route, op->a);
	uint32_t given = fm_route_given(route, op->a);

	if (sure)
		(void)fm_request_edit(&route->exec->req, op->slot,
		    fm_request_value(fm_template_text(route->exec, op->a,
		    NULL)), op->rule);
	route_edited(route, op->slot, sure);
	route->decided |= given != FM_UNKNOWN;
	route_put(route, op, given == FM_UNKNOWN ? op->a : given);
}

/*--------------------------------------------------------------------
 * Branches
 */

/* Notes that requests may jump from here to operation n: a region until n. */
static void
route_leads(struct fm_route *route, uint32_t n)
{
	route->all->ways[n] |= ROUTE_JUMPED;
	if (n > route->region)
		route->region = n;
}

/* Returns true if a test compares a header or the method with a few words. */
static bool
test_is_short(const struct fm_test *test, const struct fm_program *program)
{
	const struct fm_text *word = &program->texts[test->first];
	uint32_t i;

	if (test->kind != FM_TEST_TEXTS || test->mode != FM_PATTERN_EXACT ||
	    test->nocase || test->count > ROUTE_WORDS ||
	    (test->subject.kind != FM_SUBJECT_HEADER &&
	    test->subject.kind != FM_SUBJECT_METHOD))
		return (false);
	for (i = 0; i < test->count; i++)
		if (word[i].len == 0 || word[i].len > sizeof(uint64_t))
			return (false);
	return (true);
}

/*
 * Copies such a test, operation n of the source: one operation for each word.
 *
 *	IF method is GET HEAD, false: L		IF_METHOD GET, true: M
 *						IF_METHOD HEAD, false: L
 *						M:
 */
static void
route_words(struct fm_route *route, const struct fm_op *op,
    const struct fm_test *test, uint32_t n)
{
	const struct fm_text *word = &route->all->p->texts[test->first];
	struct fm_op one;
	uint32_t i;

	for (i = 0; i < test->count; i++) {
		one = (struct fm_op){ .code = FM_OP_IF_METHOD, .b = op->b,
		    .when = op->when };
		if (test->subject.kind == FM_SUBJECT_HEADER) {
			one.code = FM_OP_IF_IS;
			one.slot = test->subject.slot;
		}
		if (!op->when && i + 1 < test->count) {
			one.when = true;
			one.b = n + 1;
		}
		one.len = (uint8_t)word[i].len;
		memcpy(one.word, word[i].b, word[i].len);
		route_leads(route, one.b);
		fm_route_emit(route, &one);
	}
}

/* Decides a test, operation n of the source, or copies it. */
static void
route_test(struct fm_route *route, const struct fm_op *op, uint32_t n)
{
	const struct fm_test *test = &route->all->p->tests[op->a];
	enum fm_outcome outcome = fm_route_test(route, test);
	struct fm_op copy = *op;

	if (outcome != FM_NOT_ASKED) {
		route->decided = true;
		if ((op->on >> outcome & 1) != 0)
			route->next = op->b;
		return;
	}
	if (fm_route_test_is_open(route, test)) {
		route->all->ways[route->all->p->conds[op->rule].then] |=
		    ROUTE_OPEN;
	} else {
		copy = (struct fm_op){ .code = FM_OP_IF, .a = op->a,
		    .b = op->b, .when = (op->on >> FM_TRUE & 1) != 0,
		    .rule = FM_NONE };
		if (test_is_short(test, route->all->p)) {
			route_words(route, &copy, test, n);
			return;
		}
		/* A `cookie` statement may have dropped all cookies. */
		if (test->kind == FM_TEST_PRESENT &&
		    test->subject.kind == FM_SUBJECT_HEADER &&
		    test->subject.slot != FM_SLOT_OF_COOKIE) {
			copy.code = FM_OP_IF_HAS;
			copy.slot = test->subject.slot;
		}
		fm_route_skip(route, op);
	}
	route_leads(route, op->b);
	fm_route_emit(route, &copy);
}

/* Copies the THEN or ELSE of a condition that may be undecided. */
static void
route_cond(struct fm_route *route, struct fm_op *op)
{
	const struct fm_cond_code *cond = &route->all->p->conds[op->a];

	if (cond->ncaptures == 0 &&
	    (route->all->ways[cond->then] & ROUTE_OPEN) == 0)
		return;
	if (cond->ncaptures == 0)
		op->b = FM_NONE;
	if (fm_route_jumps(op))
		route_leads(route, op->b);
	fm_route_emit(route, op);
}

/* Returns true if all that an operation does is that it may jump. */
static bool
op_leads(const struct fm_op *op)
{
	return (op->code == FM_OP_SKIP || op->code == FM_OP_IF ||
	    op->code == FM_OP_IF_HAS || op->code == FM_OP_IF_IS ||
	    op->code == FM_OP_IF_METHOD || op->code == FM_OP_JUMP);
}

/*
 * Removes jumps to operation n of the source, and tests that go on there,
 * whatever their outcome: directly or by an operation that is not copied.
 */
static void
route_drop(struct fm_route *route, uint32_t n)
{
	struct fm_routes *all = route->all;
	const struct fm_op *last;
	uint32_t k;

	while (all->ops.n > route->from) {
		last = fm_route_op(route, all->ops.n - 1);
		if (!op_leads(last))
			break;
		if (last->code != FM_OP_SKIP && last->b != n &&
		    (last->b > n || all->where[last->b] != all->ops.n))
			break;
		all->ops.n--;
		for (k = n; k-- > route->start &&
		    ((all->ways[k] & ROUTE_PLACED) == 0 ||
		    all->where[k] > all->ops.n);)
			all->where[k] = (uint32_t)all->ops.n;
	}
}

/*
 * Begins the copy of operation n.  Returns false if no request comes there.
 * Requests whose next operation is after n jump over n, if others come to n.
 */
static bool
route_place(struct fm_route *route, uint32_t n)
{
	const struct fm_op jump = { .code = FM_OP_JUMP, .b = route->next,
	    .rule = FM_NONE };
	bool jumped = (route->all->ways[n] & ROUTE_JUMPED) != 0;

	if (route->next != n && !jumped)
		return (false);
	if (route->next != n && route->next != FM_NONE) {
		route_leads(route, route->next);
		fm_route_emit(route, &jump);
	}
	if (jumped) {
		route_drop(route, n);
		fm_route_apart(route);
	}
	if (route->region <= n)
		route->region = 0;
	route->all->where[n] = (uint32_t)route->all->ops.n;
	route->all->ways[n] |= ROUTE_PLACED;
	route->next = n + 1;
	return (true);
}

/* Copies operation n of the source. */
static void
route_copy(struct fm_route *route, uint32_t n)
{
	struct fm_op op = route->all->source[n];
	uint32_t given;

	if (fm_route_jumps(&op))
		op.b += n;
	switch ((enum fm_op_code)op.code) {
	case FM_OP_TEST:
		route_test(route, &op, n);
		return;
	case FM_OP_WHEN:
	case FM_OP_ELSE:
		route_cond(route, &op);
		return;
	case FM_OP_JUMP:
		route->next = op.b;
		return;
	case FM_OP_COUNT:
		route_count(route, &op);
		return;
	case FM_OP_SET:
		route_set(route, &op);
		break;
	case FM_OP_UNSET:
		if (route->region == 0)
			(void)fm_request_edit(&route->exec->req, op.slot,
			    fm_text(NULL, 0), op.rule);
		route_edited(route, op.slot, true);
		break;
	case FM_OP_COOKIE:
	case FM_OP_NORMALIZE:
	case FM_OP_REWRITE_HEADER:
	case FM_OP_SET_COOKIE:
	case FM_OP_VARY:
	case FM_OP_VARY_ADD:
	case FM_OP_CACHE_CONTROL:
		route_edited(route, op.slot, false);
		break;
	case FM_OP_USE:
		/* The ruleset may edit anything, and may stop. */
		route_leads(route, op.b);
		memset(route->sure, false, sizeof route->sure);
		route->rewritten |= route->all->rewrites;
		break;
	case FM_OP_REWRITE:
	case FM_OP_SET_URL:
		route->rewritten = true;
		break;
	case FM_OP_UNSET_GLOB:
		memset(route->sure, false, sizeof route->sure);
		break;
	case FM_OP_REDIRECT:
		given = fm_route_given(route, op.a);
		if (given != FM_UNKNOWN && given != FM_NONE)
			op.a = given;
		break;
	case FM_OP_STOP:
		route_leads(route, op.b);
		route->next = FM_NONE;
		break;
	default:
		if (op.code < FM_STMT__KINDS &&
		    fm_stmt_always_ends((enum fm_stmt_kind)op.code))
			route->next = FM_NONE;
		break;
	}
	fm_route_emit(route, &op);
}

/*
 * A `stop` in a region jumps to the end of the block, where the next block
 * begins: so the region goes on to the end.
 */
void
fm_route_block(struct fm_route *route, uint32_t block)
{
	uint32_t n = route->all->p->blocks[block].traced;

	for (route->end = n; route->all->source[route->end].code != FM_OP_END;)
		route->all->ways[++route->end] = 0;
	route->all->ways[n] = 0;
	route->start = n;
	route->from = route->all->ops.n;
	route->region = 0;
	route->next = n;
	for (; n < route->end && !route->no_memory; n++)
		if (route_place(route, n))
			route_copy(route, n);
	route->ended = !route_place(route, route->end);
	if (!route->no_memory)
		route_patch(route);
}
