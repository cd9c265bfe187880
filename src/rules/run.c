/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a program: `always`, then the block of the host, then `finally`, up to a
 * verdict.
 */

#include "bounds.h"
#include "obj.h"
#include "run_priv.h"

static const struct fm_text missing = { NULL, 0 };

const char *
fm_verdict_word(enum fm_verdict verdict)
{
	switch (verdict) {
	case FM_VERDICT_PASS:
		return ("pass");
	case FM_VERDICT_PIPE:
		return ("pipe");
	case FM_VERDICT_HASH:
		return ("hash");
	case FM_VERDICT_SYNTH:
		return ("synth");
	case FM_VERDICT_REDIRECT:
		return ("redirect");
	case FM_VERDICT_REFUSE:
		return ("refuse");
	case FM_VERDICT_NONE:
		break;
	}
	return (NULL);
}

static void
exec_trace_rule(const struct fm_exec *x, uint32_t rule, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	if (x->trace != NULL && x->trace->stmt != NULL && rule != FM_NONE)
		x->trace->stmt(x->trace->priv, &x->program->rules[rule],
		    effect, what, before, after);
}

void
fm_exec_tell(const struct fm_exec *x, const struct fm_op *op,
    enum fm_effect effect, struct fm_text what, struct fm_text before,
    struct fm_text after)
{
	exec_trace_rule(x, op->rule, effect, what, before, after);
}

/* The run ends here, and so. */
static void
exec_end(struct fm_exec *x, uint32_t rule, enum fm_verdict verdict,
    unsigned status, struct fm_text text)
{
	x->result->verdict = verdict;
	x->result->status = status;
	x->result->text = text;
	if (rule != FM_NONE)
		x->result->rule = &x->program->rules[rule];
	x->ended = true;
}

static void
exec_verdict(struct fm_exec *x, uint32_t rule, enum fm_verdict verdict,
    unsigned status, struct fm_text text)
{
	exec_end(x, rule, verdict, status, text);
	exec_trace_rule(x, rule, FM_EFFECT_VERDICT, missing, missing, text);
}

/* An answer of our own: not for a part of a page. */
static bool
exec_ignored(struct fm_exec *x, uint32_t rule)
{
	if (!x->req.view->esi)
		return (false);
	x->result->ignored++;
	exec_trace_rule(x, rule, FM_EFFECT_IGNORED, missing, missing, missing);
	return (true);
}

static void
exec_synth(struct fm_exec *x, uint32_t rule, unsigned status, uint32_t reason)
{
	struct fm_text text = missing;

	if (exec_ignored(x, rule))
		return;
	if (reason != FM_NONE)
		text = fm_request_clean(&x->req, x->program->texts[reason]);
	exec_verdict(x, rule, FM_VERDICT_SYNTH, status, text);
}

/* An include gets no answer of the rules, so it is refused instead. */
void
fm_exec_undecided(struct fm_exec *x, uint32_t rule)
{
	const struct fm_program *p = x->program;

	if (x->result->undecided++ == 0 && rule != FM_NONE)
		x->result->undecided_at = &p->rules[rule];
	if (p->undecided == FM_UNDECIDED_IGNORE)
		return;
	if (p->undecided == FM_UNDECIDED_SYNTH && !x->req.view->esi)
		exec_synth(x, p->undecided_rule, p->undecided_status,
		    p->undecided_reason);
	else
		exec_verdict(x, rule, FM_VERDICT_REFUSE, 400, missing);
}

bool
fm_exec_value(struct fm_exec *x, const struct fm_op *op, uint32_t template,
    struct fm_text *value, uint32_t *chosen)
{
	x->undecided = false;
	*value = fm_template_text(x, template, chosen);
	if (x->undecided) {
		fm_exec_trace(x, op, FM_EFFECT_UNDECIDED, missing, missing,
		    missing);
		fm_exec_undecided(x, op->rule);
	}
	return (!x->ended && !x->req.no_memory);
}

/*
 * Returns where the host begins in a Location that a template gives; 0: it is
 * a path.  The check has seen that a host's `//` is in the text in front.
 */
static size_t
location_host(const struct fm_program *p, uint32_t template)
{
	const struct fm_template *t = &p->templates[template];
	const struct fm_piece *piece = &p->pieces[t->first];
	struct fm_text text;
	const char *slashes;

	if (t->count == 0 || piece->kind != FM_PIECE_TEXT)
		return (0);
	text = fm_text_trim(p->texts[piece->a]);
	if (text.len > 1 && text.b[0] == '/' && text.b[1] != '/')
		return (0);
	slashes = memmem(text.b, text.len, "//", 2);
	return (slashes == NULL ? 0 : (size_t)(slashes - text.b) + 2);
}

/*
 * Returns a path without what a browser reads as the `//` before a host: it
 * takes `\` for `/`, and passes over tabs.
 */
static struct fm_text
exec_path(struct fm_exec *x, struct fm_text to)
{
	size_t i, slashes = 0;
	char *buf;

	for (i = 0; i < to.len; i++)
		if (to.b[i] == '/' || to.b[i] == '\\')
			slashes++;
		else if (to.b[i] != '\t')
			break;
	if (slashes < 2)
		return (to);
	buf = fm_request_alloc(&x->req, to.len);
	if (buf == NULL)
		return (missing);
	buf[0] = '/';
	memcpy(buf + 1, to.b + i, to.len - i);
	return (fm_text(buf, 1 + to.len - i));
}

/*
 * Where the host comes out empty a browser would take the path for it: the
 * verdict is synth 400 then.
 */
static void
exec_redirect(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_text to;
	uint32_t template;
	size_t host = 0;

	if (exec_ignored(x, op->rule) ||
	    !fm_exec_value(x, op, op->a, &to, &template))
		return;
	if (template != FM_NONE)
		host = location_host(x->program, template);
	to = fm_text_trim(to);
	if (host == 0)
		to = exec_path(x, to);
	if (host > 0 && (to.len <= host || strchr("/?#:", to.b[host]) != NULL))
		exec_verdict(x, op->rule, FM_VERDICT_SYNTH, 400,
		    fm_text_of("No host to redirect to"));
	else if (to.len > 0)
		exec_verdict(x, op->rule, FM_VERDICT_REDIRECT, op->status, to);
	else
		fm_exec_trace(x, op, FM_EFFECT_NONE, missing, missing,
		    missing);
}

/* Its synth is given in ESI sub-requests, too: builtin.vcl asks nobody. */
static void
exec_builtin(struct fm_exec *x, const struct fm_op *op)
{
	struct fm_builtin it = fm_stmt_builtin(x, op);

	if (x->req.no_memory)
		return;
	exec_end(x, op->rule, it.verdict, it.status, missing);
	exec_trace_rule(x, op->rule, FM_EFFECT_VERDICT, fm_text_of(it.why),
	    missing, missing);
}

static void
exec_backend(struct fm_exec *x, const struct fm_op *op)
{
	x->result->backend_set = true;
	x->result->backend = op->a;
	if (x->trace != NULL)
		fm_exec_trace(x, op, FM_EFFECT_BACKEND,
		    fm_text_of(x->program->backends[op->a]), missing, missing);
}

/* The operation to go on with. */
static const struct fm_op *
exec_when(struct fm_exec *x, const struct fm_op *ops, const struct fm_op *op)
{
	enum fm_outcome outcome;

	outcome = fm_cond_eval(x, &x->program->conds[op->a]);
	if (x->trace != NULL && x->trace->when != NULL)
		x->trace->when(x->trace->priv, &x->program->rules[op->rule],
		    outcome);
	if (outcome == FM_TRUE)
		return (op + 1);
	if (outcome == FM_UNDECIDED)
		fm_exec_undecided(x, op->rule);
	return (&ops[op->b]);
}

/* An operation that neither branches nor leaves the block. */
static void
exec_op(struct fm_exec *x, const struct fm_op *op)
{
	switch ((enum fm_op_code)op->code) {
	case FM_OP_QUERY:
		fm_stmt_query(x, op);
		return;
	case FM_OP_COOKIE:
		fm_stmt_cookie(x, op);
		return;
	case FM_OP_SET:
		fm_stmt_set(x, op);
		return;
	case FM_OP_UNSET:
		fm_stmt_unset(x, op);
		return;
	case FM_OP_UNSET_GLOB:
		fm_stmt_unset_glob(x, op);
		return;
	case FM_OP_NORMALIZE:
		fm_stmt_normalize(x, op);
		return;
	case FM_OP_REWRITE:
		fm_stmt_rewrite(x, op);
		return;
	case FM_OP_BACKEND:
		exec_backend(x, op);
		return;
	case FM_OP_PASS:
		exec_verdict(x, op->rule, FM_VERDICT_PASS, 0, missing);
		return;
	case FM_OP_PIPE:
		exec_verdict(x, op->rule, FM_VERDICT_PIPE, 0, missing);
		return;
	case FM_OP_HASH:
		exec_verdict(x, op->rule, FM_VERDICT_HASH, 0, missing);
		return;
	case FM_OP_SYNTH:
		exec_synth(x, op->rule, op->status, op->a);
		return;
	case FM_OP_REDIRECT:
		exec_redirect(x, op);
		return;
	case FM_OP_BUILTIN:
		exec_builtin(x, op);
		return;
	case FM_OP_END:
	case FM_OP_STOP:
	case FM_OP_WHEN:
	case FM_OP_JUMP:
	case FM_OP_COUNT:
	case FM_OP_IF:
	case FM_OP_PUT:
	case FM_OP_PUT_HOST:
		break;
	}
	assert(!"an operation");
}

static void
exec_ops(struct fm_exec *x, const struct fm_op *ops, uint32_t first)
{
	const struct fm_op *op = &ops[first];
	const struct fm_view *view = x->req.view;

	while (!x->ended && !x->req.no_memory)
		switch (op->code) {
		case FM_OP_END:
			return;
		case FM_OP_COUNT:
			fm_exec_count(view, op++->a);
			break;
		case FM_OP_STOP:
			fm_exec_trace(x, op, FM_EFFECT_STOP, missing, missing,
			    missing);
			return;
		case FM_OP_JUMP:
			op = &ops[op->b];
			break;
		case FM_OP_WHEN:
			op = exec_when(x, ops, op);
			break;
		case FM_OP_QUERY:
			/* These three mostly find nothing to take away. */
			if (x->trace != NULL ||
			    x->req.mark != x->req.url.len)
				exec_op(x, op);
			op++;
			break;
		case FM_OP_UNSET:
		case FM_OP_COOKIE:
			if (x->trace != NULL ||
			    !fm_request_is_unset(&x->req, op->slot))
				exec_op(x, op);
			op++;
			break;
		default:
			exec_op(x, op++);
			break;
		}
}

static void
exec_block(struct fm_exec *x, uint32_t n)
{
	const struct fm_block_code *block = &x->program->blocks[n];

	if (x->trace != NULL && x->trace->block != NULL)
		x->trace->block(x->trace->priv, block->name.b);
	if (!x->ended && !x->req.no_memory)
		exec_ops(x, x->program->ops, block->first);
}

static void
exec_counts(const struct fm_view *view, const struct fm_op *op)
{
	if (view->counters == NULL)
		return;
	fm_exec_count(view, op->a);
	if (op->b != FM_NONE)
		fm_exec_count(view, op->b);
	if (op->rule != FM_NONE)
		fm_exec_count(view, op->rule);
}

/* The same without a trace and aliases: what most requests run. */
static void
exec_route(struct fm_exec *x, uint32_t first)
{
	const struct fm_program *p = x->program;
	const struct fm_op *op = &p->routes[first];

	while (!x->ended && !x->req.no_memory)
		switch (op->code) {
		case FM_OP_END:
			return;
		case FM_OP_COUNT:
			exec_counts(x->req.view, op++);
			break;
		case FM_OP_JUMP:
			op = &p->routes[op->b];
			break;
		case FM_OP_IF:
			if (fm_cond_holds(x, fm_op_test(op)) == op->when)
				op = &p->routes[op->b];
			else
				op += 1 + FM_OP_TEST;
			break;
		case FM_OP_BACKEND:
			x->result->backend_set = true;
			x->result->backend = op++->a;
			break;
		case FM_OP_HASH:
			x->result->verdict = FM_VERDICT_HASH;
			x->result->rule = &p->rules[op->rule];
			return;
		case FM_OP_WHEN:
			op = exec_when(x, p->routes, op);
			break;
		case FM_OP_PUT:
			(void)fm_request_edit(&x->req, op->slot,
			    p->texts[op->a]);
			op++;
			break;
		case FM_OP_PUT_HOST:
			(void)fm_request_edit(&x->req, op->slot, x->req.host);
			op++;
			break;
		case FM_OP_UNSET:
			if (!fm_request_lacks(&x->req, op->slot))
				(void)fm_request_edit(&x->req, op->slot,
				    missing);
			op++;
			break;
		case FM_OP_COOKIE:
			if (!fm_request_lacks(&x->req, op->slot))
				fm_request_filter(&x->req, op->a);
			op++;
			break;
		case FM_OP_QUERY:
			if (x->req.mark != x->req.url.len)
				fm_stmt_query(x, op);
			op++;
			break;
		default:
			exec_op(x, op++);
			break;
		}
}

/*
 * The host's own, or that of its block.  A trace is told of all; and of aliases
 * routes know nothing.
 */
static uint32_t
exec_find_route(const struct fm_exec *x)
{
	const struct fm_program *p = x->program;
	uint32_t route = FM_NONE, block = x->req.site;

	if (x->trace != NULL || x->req.aliases)
		return (FM_NONE);
	if (p->route_of != NULL && x->req.hit.how == FM_HOSTTAB_EXACT)
		route = p->route_of[x->req.hit.pattern];
	if (block == FM_NONE)
		block = p->always;
	if (route == FM_NONE && block != FM_NONE)
		route = p->blocks[block].route;
	return (route);
}

static void
exec_all(struct fm_exec *x)
{
	uint32_t route = exec_find_route(x);

	if (route != FM_NONE) {
		exec_route(x, route);
		return;
	}
	if (x->program->always != FM_NONE)
		exec_block(x, x->program->always);
	if (x->req.site != FM_NONE && !x->ended)
		exec_block(x, x->req.site);
	if (x->program->finally != FM_NONE && !x->ended)
		exec_block(x, x->program->finally);
}

void
fm_exec_init(struct fm_exec *x, struct fm_run *run,
    const struct fm_program *program, const struct fm_view *view,
    const struct fm_trace *trace)
{
	size_t memos = program->nmemos * sizeof *x->memos;
	size_t regs = program->nregs * sizeof *x->regs;
	size_t versions = program->nmemos * sizeof *x->versions;
	char *b;

	run->magic = FM_RUN_MAGIC;
	memset(&run->result, 0, sizeof run->result);
	fm_scratch_init(&run->scratch);
	x->program = program;
	x->trace = trace;
	x->result = &run->result;
	x->outcomes = NULL;
	x->undecided = x->ended = false;
	fm_request_init(&x->req, program, view, &run->scratch);
	b = fm_request_alloc(&x->req, memos + regs + versions + 7);
	if (b == NULL)
		return;
	memset(b, 0, regs + versions);
	x->regs = (struct fm_text **)(void *)b;
	x->versions = (uint32_t *)(void *)(b + regs);
	x->memos = (struct fm_memo *)(void *)(b + regs + versions +
	    (-versions & 7));
	x->result->host = x->req.host;
	x->result->how = x->req.hit.how;
	if (x->req.hit.how != FM_HOSTTAB_NONE)
		fm_exec_count(view,
		    program->first_host + x->req.hit.pattern);
	else
		x->result->otherwise = x->req.site != FM_NONE;
	if (x->req.site != FM_NONE)
		x->result->site = program->blocks[x->req.site].name;
}

/* Takes back all that the run would change, and its verdict. */
static void
result_undo(struct fm_result *result, const struct fm_view *view)
{
	struct fm_result kept = *result;

	memset(result, 0, sizeof *result);
	result->url = view->url;
	result->host = kept.host;
	result->site = kept.site;
	result->how = kept.how;
	result->otherwise = kept.otherwise;
	result->tally = kept.tally;
	result->undecided = kept.undecided;
	result->undecided_at = kept.undecided_at;
}

const struct fm_result *
fm_run(struct fm_run *run, const struct fm_program *program,
    const struct fm_view *view, const struct fm_trace *trace)
{
	struct fm_result *result = &run->result;
	const struct fm_rule *rule;
	struct fm_exec x;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	fm_exec_init(&x, run, program, view, trace);
	if (trace != NULL && trace->site != NULL && !x.req.no_memory)
		trace->site(trace->priv, fm_request_header(&x.req,
		    FM_SLOT_HOST), x.req.host, &x.req.hit, result->site);
	if (!x.req.no_memory)
		exec_all(&x);
	if (!x.req.no_memory && result->verdict != FM_VERDICT_REFUSE)
		fm_request_finish(&x.req, result);
	if (x.req.no_memory || result->tally.no_memory) {
		result_undo(result, view);
		result->no_memory = true;
	} else if (result->verdict == FM_VERDICT_REFUSE) {
		rule = result->rule;
		result_undo(result, view);
		result->verdict = FM_VERDICT_REFUSE;
		result->status = 400;
		result->rule = rule;
	}
	return (result);
}

void
fm_run_end(struct fm_run *run)
{
	FM_OBJ_CHECK(run, FM_RUN_MAGIC);
	fm_scratch_fini(&run->scratch);
	run->magic = 0;
}
