/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Appends the operations of a block to a list, in their order, without what is
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

/* A test of more words than this is not made one operation a word. */
#define ROUTE_WORDS	4

/*--------------------------------------------------------------------
 * The list
 */

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
	case FM_OP_CALL:
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

/* Lets requests that have jumped come to the next operation. */
static void
route_lead(struct fm_route *route, const struct fm_op *op)
{
	if (route->here > 0)
		route->met = (uint32_t)route->compile->ops.n;
	fm_compile_lead(route->compile, &route->here);
	if (op_may_end(op))
		route->count = FM_NONE;
}

void
fm_route_emit(struct fm_route *route, const struct fm_op *op)
{
	route_lead(route, op);
	(void)fm_compile_append(route->compile, &route->compile->ops, op,
	    sizeof *op);
}

/*
 * Appends an operation that jumps to operation n of the list for traces: up to
 * there is a region.
 */
static void
route_jump(struct fm_route *route, const struct fm_op *op, uint32_t n)
{
	route_lead(route, op);
	fm_compile_jump(route->compile, op, &route->compile->ways[n].jumps);
	if (n > route->region)
		route->region = n;
}

/* Returns true if all that an operation does is that it may jump. */
static bool
op_leads(const struct fm_op *op)
{
	return (op->code == FM_OP_IF || op->code == FM_OP_IF_HAS ||
	    op->code == FM_OP_IF_IS || op->code == FM_OP_IF_METHOD ||
	    op->code == FM_OP_JUMP);
}

/* Removes jumps to the next operation, and tests that lead there anyway. */
static void
route_drop(struct fm_route *route)
{
	struct fm_grow *ops = &route->compile->ops;
	const struct fm_op *last;

	for (; ops->n > route->met; ops->n--) {
		last = fm_route_op(route, ops->n - 1);
		if (route->here == ops->n && op_leads(last))
			route->here = last->b;
		else if (last->code != FM_OP_SKIP)
			break;
	}
}

/* Adds the jumps to operation n of the list for traces to those to here. */
static void
route_meet(struct fm_route *route, uint32_t n)
{
	struct fm_way *way = &route->compile->ways[n];
	uint32_t *first = &way->jumps;

	while (*first > 0)
		first = &fm_route_op(route, *first - 1)->b;
	*first = route->here;
	route->here = way->jumps;
	way->jumps = 0;
	route_drop(route);
	route->count = FM_NONE;
}

/*
 * Begins operation n of the list for traces.  Returns false if no request comes
 * there.  Requests whose next operation is after n jump over n, if others come
 * to n.
 */
static bool
route_place(struct fm_route *route, uint32_t n)
{
	static const struct fm_op jump = { .code = FM_OP_JUMP,
	    .rule = FM_NONE };
	bool jumped = route->compile->ways[n].jumps > 0;

	if (route->next != n && !jumped)
		return (false);
	if (route->next != n && route->next != FM_NONE)
		route_jump(route, &jump, route->next);
	if (jumped)
		route_meet(route, n);
	if (route->region <= n)
		route->region = 0;
	route->next = n + 1;
	return (true);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Adds a counter to a COUNT before, if each request came by that one. */
static void
route_count(struct fm_route *route, const struct fm_op *op)
{
	struct fm_op new = *op, *count;

	count = route->count == FM_NONE ? NULL :
	    fm_route_op(route, route->count);
	if (count != NULL && count->b == FM_NONE) {
		count->b = op->a;
	} else if (count != NULL && count->rule == FM_NONE) {
		count->rule = op->a;
	} else {
		new.b = new.rule = FM_NONE;
		fm_route_emit(route, &new);
		route->count = (uint32_t)route->compile->ops.n - 1;
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
	const struct fm_program *program = route->program;
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
	const struct fm_program *program = route->program;
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
	struct fm_text text = fm_text("", 0);

	route->decided |= given != FM_UNKNOWN;
	if (given == FM_UNKNOWN)
		given = op->a;
	if (sure && given != FM_NONE)
		text = fm_template_text(route->exec, given, NULL);
	if (sure)
		(void)fm_request_edit(&route->exec->req, op->slot,
		    fm_request_value(text), op->rule);
	route_edited(route, op->slot, sure);
	route_put(route, op, given);
}

/*--------------------------------------------------------------------
 * Branches
 */

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
 * Copies such a test, which leads to operation `to` or the next one, n + 1: one
 * operation for each word.
 *
 *	IF method is GET HEAD, false: L		IF_METHOD GET, true: M
 *						IF_METHOD HEAD, false: L
 *						M:
 */
static void
route_words(struct fm_route *route, const struct fm_op *op,
    const struct fm_test *test, uint32_t n, uint32_t to)
{
	const struct fm_text *word = &route->program->texts[test->first];
	struct fm_op one;
	uint32_t i;

	for (i = 0; i < test->count; i++) {
		one = (struct fm_op){ .slot = test->subject.slot,
		    .code = test->subject.kind == FM_SUBJECT_HEADER ?
		    FM_OP_IF_IS : FM_OP_IF_METHOD,
		    .when = op->when || i + 1 < test->count,
		    .len = (uint8_t)word[i].len };
		memcpy(one.word, word[i].b, word[i].len);
		route_jump(route, &one, one.when == op->when ? to : n + 1);
	}
}

/* Decides a test, operation n of the list for traces, or copies it. */
static void
route_test(struct fm_route *route, const struct fm_op *op, uint32_t n)
{
	const struct fm_test *test = &route->program->tests[op->a];
	enum fm_outcome outcome = fm_route_test(route, test);
	struct fm_op copy = { .code = FM_OP_IF, .a = op->a,
	    .when = (op->on >> FM_TRUE & 1) != 0, .rule = FM_NONE };

	if (outcome != FM_NOT_ASKED) {
		route->decided = true;
		if ((op->on >> outcome & 1) != 0)
			route->next = n + op->b;
		return;
	}
	if (fm_route_test_is_open(route, test)) {
		route->compile->ways[route->program->conds[
		    op->rule].otherwise].open = true;
		route_jump(route, op, n + op->b);
		return;
	}
	if (test_is_short(test, route->program)) {
		route_words(route, &copy, test, n, n + op->b);
		return;
	}
	/* A `cookie` statement may have dropped all cookies. */
	if (test->kind == FM_TEST_PRESENT &&
	    test->subject.kind == FM_SUBJECT_HEADER &&
	    test->subject.slot != FM_SLOT_OF_COOKIE) {
		copy.code = FM_OP_IF_HAS;
		copy.slot = test->subject.slot;
	}
	fm_route_skip(route, test);
	route_jump(route, &copy, n + op->b);
}

/* Copies the THEN or ELSE of a condition that may be undecided. */
static void
route_cond(struct fm_route *route, const struct fm_op *op)
{
	const struct fm_cond_code *cond = &route->program->conds[op->a];

	if (op->code == FM_OP_WHEN && cond->ncaptures > 0)
		route_jump(route, op, cond->otherwise);
	else if (cond->ncaptures > 0 ||
	    route->compile->ways[cond->otherwise].open)
		fm_route_emit(route, op);
}

/* Copies operation n of the list for traces. */
static void
route_copy(struct fm_route *route, uint32_t n)
{
	struct fm_op op = *fm_route_op(route, n);
	uint32_t given;

	switch ((enum fm_op_code)op.code) {
	case FM_OP_TEST:
		route_test(route, &op, n);
		return;
	case FM_OP_WHEN:
	case FM_OP_ELSE:
		route_cond(route, &op);
		return;
	case FM_OP_JUMP:
		route->next = n + op.b;
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
	case FM_OP_CACHE_STATUS:
	case FM_OP_NO_VARY_SEARCH:
		route_edited(route, op.slot, false);
		break;
	case FM_OP_USE:
		/* The ruleset may edit anything, and may stop. */
		memset(route->sure, false, sizeof route->sure);
		route->rewritten |= route->compile->rewrites;
		route_jump(route, &op, n + op.b);
		return;
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
		route_jump(route, &op, n + op.b);
		route->next = FM_NONE;
		return;
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
	uint32_t n = route->program->blocks[block].traced;

	route->region = 0;
	route->next = n;
	for (; fm_route_op(route, n)->code != FM_OP_END; n++) {
		if (route_place(route, n))
			route_copy(route, n);
		route->compile->ways[n].open = false;
	}
	route->ended = !route_place(route, n);
}
