/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the operations of a program, for fm_run(): the host's route if it has
 * one, else the lists of `always`, of the host's block and of `finally`, up to
 * the first verdict.  run_stmt.c edits; this file branches, and gives verdicts.
 */

#include "bounds.h"
#include "obj.h"
#include "run_priv.h"
#include "zero.h"

static const struct fm_text missing = { NULL, 0 };

void
fm_exec_tell(const struct fm_exec *exec, uint32_t rule, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	if (rule != FM_NONE)
		fm_trace_tell(exec->trace, &(struct fm_event){
		    .kind = FM_EVENT_STMT, .effect = effect, .what = what,
		    .rule = &exec->program->rules[rule], .before = before,
		    .after = after });
}

void
fm_exec_tell_what(const struct fm_exec *exec, uint32_t rule,
    enum fm_effect effect, struct fm_text what)
{
	fm_exec_tell(exec, rule, effect, what, missing, missing);
}

/* Ends the run with a verdict. */
static void
exec_end(struct fm_exec *exec, uint32_t rule, enum fm_verdict verdict,
    unsigned status, struct fm_text text)
{
	exec->result->verdict = verdict;
	exec->result->status = status;
	exec->result->text = text;
	if (rule != FM_NONE)
		exec->result->rule = &exec->program->rules[rule];
	exec->ended = true;
}

static void
exec_verdict(struct fm_exec *exec, uint32_t rule, enum fm_verdict verdict,
    unsigned status, struct fm_text text)
{
	exec_end(exec, rule, verdict, status, text);
	fm_exec_trace(exec, rule, FM_EFFECT_VERDICT, missing, missing, text);
}

/* Refuses the request, also an ESI sub-request, whatever `undecided` says. */
static void
exec_refuse(struct fm_exec *exec, uint32_t rule, enum fm_refuse why)
{
	static const char * const whys[] = {
		[FM_REFUSE_FRAGMENT] = "the URL has a raw '#'",
		[FM_REFUSE_CLIENT] = "the client is unknown"
	};

	exec_end(exec, rule, FM_VERDICT_REFUSE, 400, missing);
	exec->result->refuse = why;
	fm_exec_trace_what(exec, rule, FM_EFFECT_VERDICT, whys[why] == NULL ?
	    missing : fm_text_of(whys[why]));
}

/*
 * Returns true if a verdict is ignored: in a delivery of an answer; or in an
 * ESI sub-request, as our answer would be put into the middle of a page.  A
 * denial is given there, but not its body.  Other verdicts have the status 0.
 */
bool
fm_exec_ignored(struct fm_exec *exec, uint32_t rule, unsigned status)
{
	if (!exec->req.view->esi && !exec->req.view->answered)
		return (false);
	if (status >= 400 && !exec->req.view->answered) {
		exec->result->denied = true;
		return (false);
	}
	exec->result->ignored += exec->req.view->esi;
	fm_exec_trace_what(exec, rule, FM_EFFECT_IGNORED, missing);
	return (true);
}

/* Gives a verdict without operands.  Returns false if it is ignored. */
static inline bool
exec_plain(struct fm_exec *exec, uint32_t rule, enum fm_verdict verdict,
    unsigned status, enum fm_esi esi)
{
	if (esi != FM_ESI_SAME && fm_exec_ignored(exec, rule, status))
		return (false);
	exec_verdict(exec, rule, verdict, status, missing);
	return (true);
}

static void
exec_synth(struct fm_exec *exec, uint32_t rule, unsigned status,
    uint32_t reason, uint32_t template)
{
	struct fm_text text = missing;

	if (fm_exec_ignored(exec, rule, status))
		return;
	if (template != FM_NONE)
		text = fm_template_reason(exec, template);
	else if (reason != FM_NONE)
		text = fm_request_clean(&exec->req,
		    exec->program->texts[reason]);
	if (exec->mark != FM_REFUSE_NONE)
		exec_refuse(exec, rule, exec->mark);
	else
		exec_verdict(exec, rule, FM_VERDICT_SYNTH, status, text);
}

static void
exec_answer(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_program *program = exec->program;

	if (fm_exec_ignored(exec, op->rule, op->status))
		return;
	exec->result->body = exec->result->denied ? fm_text("", 0) :
	    program->texts[op->b];
	exec_verdict(exec, op->rule, FM_VERDICT_ANSWER, op->status,
	    program->texts[op->a]);
}

/* An ESI sub-request gets no synth, so it is refused instead. */
void
fm_exec_undecided(struct fm_exec *exec, uint32_t rule)
{
	const struct fm_program *program = exec->program;

	if (exec->result->undecided++ == 0 && rule != FM_NONE)
		exec->result->undecided_at = &program->rules[rule];
	if (program->undecided == FM_UNDECIDED_IGNORE)
		return;
	if (program->undecided == FM_UNDECIDED_SYNTH && !exec->req.view->esi)
		exec_synth(exec, program->undecided_rule,
		    program->undecided_status, program->undecided_reason,
		    FM_NONE);
	else
		exec_refuse(exec, rule, FM_REFUSE_UNDECIDED);
}

void __attribute__((noinline))
fm_exec_marked(struct fm_exec *exec, uint32_t rule)
{
	enum fm_refuse why = exec->mark;

	exec->mark = FM_REFUSE_NONE;
	if (why == FM_REFUSE_UNDECIDED)
		fm_exec_undecided(exec, rule);
	else
		exec_refuse(exec, rule, why);
}

bool
fm_exec_value(struct fm_exec *exec, const struct fm_op *op, uint32_t template,
    struct fm_text *value, uint32_t *chosen)
{
	*value = fm_template_text(exec, template, chosen);
	if (exec->mark == FM_REFUSE_UNDECIDED)
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_UNDECIDED,
		    missing);
	if (exec->mark != FM_REFUSE_NONE)
		fm_exec_marked(exec, op->rule);
	return (!exec->ended && !exec->req.no_memory);
}

/*
 * Returns a path that no browser reads as `//host`: slashes in front become
 * one.  To a browser, `\` is a slash, and a tab between two slashes is nothing.
 */
static struct fm_text
exec_path(struct fm_exec *exec, struct fm_text to)
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
	buf = fm_request_alloc(&exec->req, to.len);
	if (buf == NULL)
		return (missing);
	buf[0] = '/';
	memcpy(buf + 1, to.b + i, to.len - i);
	return (fm_text(buf, 1 + to.len - i));
}

/*
 * Redirects.  A Location without a host, as in `https:///path`, would make a
 * browser take the path for the host: then the verdict is synth 400.
 */
static void
exec_redirect(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text to;
	uint32_t template;
	size_t host = 0;

	if (fm_exec_ignored(exec, op->rule, 0) ||
	    !fm_exec_value(exec, op, op->a, &to, &template))
		return;
	if (template != FM_NONE)
		host = exec->program->templates[template].host;
	to = fm_text_trim(to);
	if (host == 0)
		to = exec_path(exec, to);
	if (host > 0 && (to.len <= host || strchr("/?#:", to.b[host]) != NULL))
		exec_verdict(exec, op->rule, FM_VERDICT_SYNTH, 400,
		    fm_text_of("No host to redirect to"));
	else if (to.len > 0)
		exec_verdict(exec, op->rule, FM_VERDICT_REDIRECT, op->status,
		    to);
	else
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE, missing);
}

/* Returns true if the Host header is the canonical host, in lower case. */
static inline bool
exec_host_is_canonical(const struct fm_exec *exec)
{
	const struct fm_request_slot *slot = &exec->req.slots[FM_SLOT_HOST];

	return (slot->value.b != NULL && slot->value.b == exec->req.host.b &&
	    slot->value.len == exec->req.host.len);
}

/* Does what exec_builtin() does, for requests of which builtin.h knows more. */
static inline bool
exec_builtin_usual(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_request *req = &exec->req;

	if (exec->trace != NULL || !exec_host_is_canonical(exec) ||
	    !fm_builtin_is_usual(req->view->method, req->url))
		return (false);
	exec_end(exec, op->rule, fm_builtin_usual(
	    !fm_request_lacks(req, op->slot),
	    fm_request_header(req, FM_SLOT_OF_COOKIE).b != NULL), 0, missing);
	return (true);
}

/* Gives the verdict of builtin.vcl, also a synth to an ESI sub-request. */
static void
exec_builtin(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_builtin it;

	if (exec_builtin_usual(exec, op))
		return;
	it = fm_stmt_builtin(exec, op);
	if (exec->req.no_memory)
		return;
	exec_end(exec, op->rule, it.verdict, it.status, missing);
	fm_exec_trace_what(exec, op->rule, FM_EFFECT_VERDICT,
	    fm_text_of(it.why));
}

/* Gives a verdict if it can be carried out. */
static void
exec_maybe(struct fm_exec *exec, const struct fm_op *op,
    enum fm_verdict verdict, bool can)
{
	if (can)
		exec_verdict(exec, op->rule, verdict, 0, missing);
	else
		fm_exec_trace_what(exec, op->rule, FM_EFFECT_NONE, missing);
}

/* Gives the verdict of builtin.vcl on a response. */
static void
exec_builtin_response(struct fm_exec *exec, const struct fm_op *op)
{
	const char *why = fm_response_builtin(exec, op);

	if (exec->req.no_memory)
		return;
	exec_end(exec, op->rule, FM_VERDICT_DELIVER, 0, missing);
	exec->result->why = why;
	fm_exec_trace_what(exec, op->rule, FM_EFFECT_VERDICT,
	    fm_text_of(why == NULL ? "deliver" : why));
}

static void
exec_backend(struct fm_exec *exec, const struct fm_op *op)
{
	exec->result->backend_set = true;
	exec->result->backend = op->a;
	exec->result->backend_rule = &exec->program->rules[op->rule];
	if (exec->trace != NULL)
		fm_exec_tell_what(exec, op->rule, FM_EFFECT_BACKEND,
		    fm_text_of(exec->program->backends[op->a]));
}

/*--------------------------------------------------------------------
 * Operations
 */

/* Tells the trace of a condition. */
static void __attribute__((noinline))
exec_tell(struct fm_exec *exec, const struct fm_op *op, enum fm_outcome outcome)
{
	fm_cond_tell(exec, &exec->program->conds[op->a]);
	fm_trace_tell(exec->trace, &(struct fm_event){ .kind = FM_EVENT_WHEN,
	    .rule = &exec->program->rules[op->rule], .outcome = outcome });
}

/* Begins the block of a condition.  Returns the operation to go on with. */
static const struct fm_op *
exec_then(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_cond_code *cond = &exec->program->conds[op->a];

	if (cond->ncaptures > 0 && !fm_cond_capture(exec, cond))
		return (op + op->b);
	exec->mark = FM_REFUSE_NONE;
	if (exec->trace != NULL && !exec->req.no_memory)
		exec_tell(exec, op, FM_TRUE);
	return (op + 1);
}

/* Ends a condition that is not met: ends the run if it has a mark. */
static void
exec_else(struct fm_exec *exec, const struct fm_op *op)
{
	if (exec->trace != NULL && !exec->req.no_memory)
		exec_tell(exec, op, exec->mark == FM_REFUSE_NONE ? FM_FALSE :
		    exec->mark == FM_REFUSE_FRAGMENT ? FM_FRAGMENT :
		    FM_UNDECIDED);
	if (exec->mark != FM_REFUSE_NONE)
		fm_exec_marked(exec, op->rule);
}

/* Returns the operation to go on with after a test. */
static inline const struct fm_op *
exec_if(const struct fm_op *op, bool holds)
{
	return (holds == op->when ? op + op->b : op + 1);
}

static inline bool
exec_is(const struct fm_op *op, struct fm_text subject)
{
	return (subject.len == op->len &&
	    fm_bytes_eq(op->word, subject.b, op->len));
}

/* Returns true if a path is known, and lacks the byte that is needed. */
static inline bool
exec_skips(const struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_text path = exec->req.path;

	return (path.len > 0 && (op->bits & fm_byte_bit((unsigned char)path.b[
	    op->last ? path.len - 1 : path.len > 1])) == 0);
}

static inline void
exec_count(const struct fm_exec *exec, const struct fm_op *op)
{
	uint64_t *counters = exec->req.view->counters;
	bool own = exec->req.view->own;

	if (counters == NULL)
		return;
	fm_shard_add(own, &counters[op->a], 1);
	if (op->b == FM_NONE)
		return;
	fm_shard_add(own, &counters[op->b], 1);
	if (op->rule != FM_NONE)
		fm_shard_add(own, &counters[op->rule], 1);
}

/*
 * Sets a header to a value, which fm_request_edit() must accept.  There is no
 * trace.
 */
static inline void
exec_put(struct fm_exec *exec, const struct fm_op *op, struct fm_text value)
{
	if (exec->req.aliases && exec->req.slots[op->slot].aliased)
		(void)fm_stmt_aliases(exec, op, op->slot);
	(void)fm_request_edit(&exec->req, op->slot, value, op->rule);
}

/* Unsets a header that the request has, or an alias of it. */
static inline void
exec_unset(struct fm_exec *exec, const struct fm_op *op)
{
	struct fm_request *req = &exec->req;

	if (req->slots[op->slot].aliased) {
		(void)fm_stmt_aliases(exec, op, op->slot);
		if (fm_request_lacks(req, op->slot))
			return;
	}
	if (op->slot == FM_SLOT_OF_COOKIE)
		req->nfilters = 0;
	fm_request_change(req, op->slot, missing, op->rule);
}

/* Sets a header to the text that a map gives, or unsets it. */
static inline void
exec_put_map(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_program *program = exec->program;
	const struct fm_template_piece *piece = &program->pieces[op->a];
	const struct fm_map_code *map = &program->maps[piece->a];
	uint32_t n = fm_map_text(exec, map, &piece->subject);
	struct fm_text value = missing;

	if (n != FM_NONE) {
		value = program->texts[map->texts + map->count + n];
	} else if (map->otherwise != FM_NONE) {
		n = program->templates[map->otherwise].first;
		value = program->texts[program->pieces[n].a];
	}
	exec_put(exec, op, value);
}

/*
 * Sets No-Vary-Search to what is said of the host.  What Varnish makes itself
 * may depend on the whole URL, and does not get it.
 */
static inline void
exec_no_vary(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_text *says = NULL;

	if ((exec->req.response->flags & FM_CACHE_OWN) == 0)
		says = &exec->program->texts[op->a + 2 *
		    (exec->req.site == FM_NONE ? op->b : exec->req.site)];
	if (exec->trace != NULL)
		fm_response_no_vary(exec, op, says);
	else if (says != NULL && says->len > 0)
		exec_put(exec, op, *says);
}

/*
 * Returns false if there is one Host, it is canonical and Varnish sends it on,
 * as is usual.
 */
static inline bool
exec_host_differs(const struct fm_exec *exec)
{
	const struct fm_request_slot *slot = &exec->req.slots[FM_SLOT_HOST];

	return (exec->req.aliases || slot->several ||
	    !exec_host_is_canonical(exec) ||
	    fm_request_is_dropped(&exec->req, FM_SLOT_HOST));
}

static void exec_block(struct fm_exec *, uint32_t block);

/*
 * Runs a ruleset, which has memos and groups of its own.  Returns the operation
 * to go on with.
 */
static const struct fm_op * __attribute__((noinline))
exec_use(struct fm_exec *exec, const struct fm_op *op)
{
	const struct fm_program *program = exec->program;
	size_t memos =
	    (program->nmemos - program->ncommon) * sizeof *exec->memos;
	size_t versions =
	    (program->nmemos - program->ncommon) * sizeof *exec->versions;
	size_t regs = program->nregs * sizeof *exec->regs;
	struct fm_text **kept = exec->regs;
	char *b;

	b = fm_request_alloc(&exec->req, memos + regs + versions);
	if (b == NULL)
		return (op);
	if (memos > 0) {
		memcpy(b, exec->memos + program->ncommon, memos);
		memcpy(b + memos + regs, exec->versions + program->ncommon,
		    versions);
		memset(exec->versions + program->ncommon, 0, versions);
	}
	exec->regs = (struct fm_text **)(void *)(b + memos);
	memset(exec->regs, 0, regs);
	exec->stopped = false;
	fm_exec_trace_what(exec, op->rule, FM_EFFECT_USE, missing);
	exec_block(exec, op->a);
	if (exec->trace != NULL && !exec->ended)
		fm_trace_tell(exec->trace,
		    &(struct fm_event){ .kind = FM_EVENT_BACK });
	exec->regs = kept;
	if (memos > 0) {
		memcpy(exec->memos + program->ncommon, b, memos);
		memcpy(exec->versions + program->ncommon, b + memos + regs,
		    versions);
	}
	return (exec->stopped ? op + op->b : op + 1);
}

/* Runs a list of operations, up to its FM_OP_END or to the end of the run. */
static void
exec_ops(struct fm_exec *exec, uint32_t first)
{
	const struct fm_program *program = exec->program;
	const struct fm_op *op = &program->ops[first];

	for (;;) {
		switch ((enum fm_op_code)op->code) {
		case FM_OP_END:
			return;
		case FM_OP_COUNT:
			exec_count(exec, op++);
			continue;
		case FM_OP_JUMP:
			op += op->b;
			continue;
		case FM_OP_STOP:
			fm_exec_trace_what(exec, op->rule, FM_EFFECT_STOP,
			    missing);
			exec->stopped = true;
			op += op->b;
			continue;
		case FM_OP_IF:
			op = exec_if(op,
			    fm_cond_holds(exec, &program->tests[op->a]));
			continue;
		case FM_OP_IF_HAS:
			op = exec_if(op,
			    !fm_request_lacks(&exec->req, op->slot));
			continue;
		case FM_OP_IF_IS:
			op = exec_if(op, exec_is(op,
			    fm_request_header(&exec->req, op->slot)));
			continue;
		case FM_OP_IF_METHOD:
			op = exec_if(op, exec_is(op,
			    exec->req.view->method));
			continue;
		case FM_OP_SKIP:
			op = exec_if(op, exec_skips(exec, op));
			continue;
		case FM_OP_QUERY:
			if (exec->req.mark != exec->req.url.len ||
			    exec->trace != NULL)
				fm_stmt_query(exec, op);
			op++;
			continue;
		case FM_OP_COOKIE:
			if (!fm_request_is_unset(&exec->req, op->slot) ||
			    exec->trace != NULL)
				fm_stmt_cookie(exec, op);
			op++;
			continue;
		case FM_OP_UNSET:
			if (exec->trace != NULL)
				fm_stmt_header(exec, op, op->slot, missing);
			else if (!fm_request_is_unset(&exec->req, op->slot))
				exec_unset(exec, op);
			op++;
			continue;
		case FM_OP_PUT:
			exec_put(exec, op, program->texts[op->a]);
			op++;
			continue;
		case FM_OP_PUT_HOST:
			if (op->slot != FM_SLOT_HOST || exec_host_differs(exec))
				exec_put(exec, op, exec->req.host);
			op++;
			continue;
		case FM_OP_PUT_PART:
			exec_put(exec, op, fm_response_part(exec, op->a));
			op++;
			continue;
		case FM_OP_PUT_MAP:
			exec_put_map(exec, op++);
			continue;
		case FM_OP_BACKEND:
			exec_backend(exec, op++);
			continue;
		case FM_OP_CALL:
			fm_stmt_call(exec, op++);
			continue;
		/* Each of the others may end the run. */
		case FM_OP_TEST:
			op = fm_cond_step(exec, op);
			break;
		case FM_OP_WHEN:
			op = exec_then(exec, op);
			break;
		case FM_OP_ELSE:
			exec_else(exec, op++);
			break;
		case FM_OP_USE:
			op = exec_use(exec, op);
			break;
		case FM_OP_SET:
			fm_stmt_set(exec, op++);
			break;
		case FM_OP_SET_URL:
			fm_stmt_set_url(exec, op++);
			break;
		case FM_OP_UNSET_GLOB:
			fm_stmt_unset_glob(exec, op++);
			break;
		case FM_OP_NORMALIZE:
			fm_stmt_normalize(exec, op++);
			break;
		case FM_OP_REWRITE:
			fm_stmt_rewrite(exec, op++);
			break;
		case FM_OP_REWRITE_HEADER:
			fm_stmt_rewrite_header(exec, op++);
			break;
		case FM_OP_KEYED:
			fm_key_text(exec, op++);
			break;
		case FM_OP_KEY_HEADER:
			fm_key_header(exec, op++);
			break;
		case FM_OP_KEY_COOKIE:
			fm_key_cookie(exec, op++);
			break;
		case FM_OP_BAN:
			fm_stmt_ban(exec, op++);
			break;
		case FM_OP_LOG:
			fm_stmt_log(exec, op++);
			break;
#define V(name, word, class, manual, phases, ends, counter, ret, status, esi) \
		case FM_OP_##name:					\
			if (exec_plain(exec, op->rule, FM_VERDICT_##name, \
			    (status), FM_ESI_##esi))			\
				return;					\
			op++;						\
			continue;
		FM_PLAIN(V)
#undef V
		case FM_OP_SYNTH:
			exec_synth(exec, op->rule, op->status, op->a, op->b);
			op++;
			break;
		case FM_OP_ANSWER:
			exec_answer(exec, op++);
			break;
		case FM_OP_REDIRECT:
			exec_redirect(exec, op++);
			break;
		case FM_OP_BUILTIN:
			exec_builtin(exec, op);
			return;
		case FM_OP_TTL:
		case FM_OP_TTL_MAP:
		case FM_OP_GRACE:
		case FM_OP_KEEP:
		case FM_OP_UNCACHEABLE:
		case FM_OP_ESI:
		case FM_OP_GZIP:
		case FM_OP_GUNZIP:
		case FM_OP_SET_COOKIE:
		case FM_OP_VARY:
		case FM_OP_VARY_ADD:
		case FM_OP_CACHE_CONTROL:
			fm_response_stmt(exec, op++);
			break;
		case FM_OP_CACHE_STATUS:
			fm_response_cache_status(exec, op++);
			break;
		case FM_OP_NO_VARY_SEARCH:
			exec_no_vary(exec, op++);
			break;
		case FM_OP_PREFER:
			exec_maybe(exec, op++, FM_VERDICT_ABANDON,
			    fm_response_is_background(exec));
			break;
		case FM_OP_RETRY:
			exec_maybe(exec, op, FM_VERDICT_RETRY,
			    fm_response_retries(exec, op));
			op++;
			break;
		case FM_OP_PASS_RESPONSE:
			fm_response_uncacheable(exec, op,
			    fm_response_seconds(exec, op));
			exec_verdict(exec, op->rule, FM_VERDICT_PASS, 0,
			    missing);
			return;
		case FM_OP_BUILTIN_RESPONSE:
			exec_builtin_response(exec, op);
			return;
		default:
			__builtin_unreachable();
		}
		if (exec->ended || exec->req.no_memory)
			return;
	}
}

static void
exec_block(struct fm_exec *exec, uint32_t block)
{
	const struct fm_block_code *code = &exec->program->blocks[block];

	if (exec->trace != NULL)
		fm_trace_tell(exec->trace, &(struct fm_event){
		    .kind = FM_EVENT_BLOCK, .what = code->name });
	exec_ops(exec, exec->traced ? code->traced : code->first);
}

/* Returns the first operation of the host's route, or FM_NONE. */
static uint32_t
exec_route(const struct fm_exec *exec)
{
	const struct fm_program *program = exec->program;

	if (program->route_of == NULL || exec->traced)
		return (FM_NONE);
	if (exec->req.hit.how == FM_HOSTTAB_EXACT)
		return (program->route_of[exec->req.hit.pattern]);
	/* FM_NONE, the number of no pattern, plus one is 0. */
	return (program->wild_of[exec->req.hit.pattern + 1]);
}

static void
exec_all(struct fm_exec *exec)
{
	const struct fm_program *program = exec->program;
	uint32_t route = exec_route(exec);

	if (route != FM_NONE) {
		exec_ops(exec, route);
		return;
	}
	if (program->always != FM_NONE)
		exec_block(exec, program->always);
	if (exec->req.site != FM_NONE && !exec->ended)
		exec_block(exec, exec->req.site);
	if (program->finally != FM_NONE && !exec->ended)
		exec_block(exec, program->finally);
}

/* Allocates the arrays of a run in one piece; returns that of the slots. */
static inline char *
exec_arrays(struct fm_exec *exec, const struct fm_program *program)
{
	char *b = fm_scratch_alloc(exec->req.scratch, program->run_bytes);

	if (b == NULL) {
		exec->req.no_memory = true;
		return (NULL);
	}
	memset(b, 0, program->memos_at);
	exec->regs = (struct fm_text **)(void *)(b + program->regs_at);
	exec->versions = (uint32_t *)(void *)(b + program->versions_at);
	exec->memos = (struct fm_memo *)(void *)(b + program->memos_at);
	return (b);
}

void
fm_exec_init(struct fm_exec *exec, struct fm_run *run,
    const struct fm_program *program, const struct fm_view *view,
    const struct fm_trace *trace)
{
	char *b;

	run->magic = FM_RUN_MAGIC;
	fm_zero(&run->result, offsetof(struct fm_result, calls));
	fm_scratch_init(&run->scratch);
	exec->program = program;
	exec->trace = trace;
	exec->result = &run->result;
	exec->outcomes = NULL;
	exec->mark = FM_REFUSE_NONE;
	exec->ended = exec->stopped = exec->req.client_unknown = false;
	exec->req.scratch = &run->scratch;
	if (__builtin_expect(program->requests != NULL, 0))
		fm_phase_begin(exec, run, view);
	exec->req.no_memory = false;
	b = exec_arrays(exec, program);
	if (b == NULL)
		return;
	fm_request_init(&exec->req, program, view,
	    (struct fm_request_slot *)(void *)b, run->host);
	exec->traced = trace != NULL || exec->req.fragment;
	exec->req.client = view->client;
	if (program->trust != FM_NONE &&
	    (program->wants & FM_WANTS_CLIENT) != 0)
		fm_request_find_client(&exec->req);
	exec->result->host = exec->req.host;
	exec->result->host_in_view = exec->req.host_in_view;
	exec->result->how = exec->req.hit.how;
	exec->result->pattern = exec->req.hit.pattern;
	exec->result->block = exec->req.site;
	if (exec->req.hit.how == FM_HOSTTAB_NONE)
		exec->result->otherwise = exec->req.site != FM_NONE;
	else if (view->counters != NULL && program->requests == NULL)
		fm_shard_add(view->own, &view->counters[program->first_host +
		    exec->req.hit.pattern], 1);
	if (exec->req.site != FM_NONE)
		exec->result->site = program->blocks[exec->req.site].name;
}

/* Removes all edits and the verdict from a result. */
static void __attribute__((noinline))
result_undo(struct fm_result *result, const struct fm_view *view)
{
	struct fm_result kept = *result;

	memset(result, 0, sizeof *result);
	result->url = view->url;
	result->host = kept.host;
	result->host_in_view = kept.host_in_view;
	result->site = kept.site;
	result->how = kept.how;
	result->pattern = kept.pattern;
	result->block = kept.block;
	result->otherwise = kept.otherwise;
	result->tally = kept.tally;
	result->undecided = kept.undecided;
	result->undecided_at = kept.undecided_at;
}

/* Removes all from a result but the refusal. */
static void __attribute__((noinline))
result_refuse(struct fm_result *result, const struct fm_view *view)
{
	const struct fm_rule *rule = result->rule;
	enum fm_refuse why = result->refuse;

	result_undo(result, view);
	result->verdict = FM_VERDICT_REFUSE;
	result->status = 400;
	result->refuse = why;
	result->rule = rule;
}

/* Tells the trace of the host, and makes room for what it is told later. */
static void
exec_tell_site(struct fm_exec *exec)
{
	fm_trace_tell(exec->trace, &(struct fm_event){
	    .kind = FM_EVENT_SITE, .after = exec->req.host,
	    .what = fm_request_header(&exec->req, FM_SLOT_HOST),
	    .hit = &exec->req.hit });
	exec->outcomes = fm_request_alloc(&exec->req,
	    exec->program->cond_tests);
	if (exec->outcomes != NULL)
		memset(exec->outcomes, FM_NOT_ASKED,
		    exec->program->cond_tests);
}

const struct fm_result *
fm_run(struct fm_run *run, const struct fm_program *program,
    const struct fm_view *view, const struct fm_trace *trace)
{
	struct fm_result *result = &run->result;
	struct fm_exec exec;

	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	fm_exec_init(&exec, run, program, view, trace);
	if (trace != NULL && !exec.req.no_memory)
		exec_tell_site(&exec);
	if (!exec.req.no_memory)
		exec_all(&exec);
	if (!exec.req.no_memory && result->verdict != FM_VERDICT_REFUSE)
		fm_request_finish(&exec.req, result);
	if (exec.req.no_memory || result->tally.no_memory) {
		result_undo(result, view);
		result->no_memory = true;
	} else if (result->verdict == FM_VERDICT_REFUSE) {
		result_refuse(result, view);
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
