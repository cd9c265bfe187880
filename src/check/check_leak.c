/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of a `hash` that requests of one client alone may reach: with a Cookie
 * or Authorization that no rule has removed, for which no rule passes, and that
 * is not in the key.
 *
 *	when cookie session present { pass; }	no Cookie after this
 *	unset Authorization;			nor Authorization
 *	hash;					silent
 *
 * Nothing is said of a Cookie or an Authorization by which the cache tells
 * pages apart (check_variants.c), nor of one that `fetch` removes: the backend
 * makes the same page for all then.
 *
 * The walk takes all branches at once: a header may be there after a block if
 * it may be there at the end of one of its branches.
 *
 * Another walk follows each cookie that is in a key, and warns if it never gets
 * to the cache.
 */

#include "check_priv.h"
#include "glob.h"

#define LEAK_COOKIE	1U
#define LEAK_AUTH	2U
#define LEAK_KEYED	4U	/* the cookie that is followed */
#define LEAK_NEVER	8U	/* in `fetch`: never removed, so that the walk
				 * goes on to its end */
#define LEAK_USES	50	/* rulesets inside each other */

/* Rules in `fetch` keep these headers from the backend, or send a part. */
struct fetched {
	unsigned		removed;	/* LEAK_* bits */
	unsigned		sent;		/* a value has a part of them */
};

/* The headers that may be there at some place of the rules. */
struct flow {
	unsigned		there;		/* LEAK_* bits */
	unsigned		tested;		/* a test of these in some
						 * branch led to a verdict */
	unsigned		stopped;	/* there where a `stop` leaves
						 * a block */
	bool			ended;		/* nothing gets here */
	bool			serves;		/* a verdict before was pass,
						 * pipe, hash or builtin */
	struct fetched		fetched;	/* of hosts that come here */
	unsigned		*sent;		/* in `fetch`: what values have
						 * of these; or NULL */
	struct fm_text		cookie;		/* that is followed, or
						 * missing */
	struct found		*found;
};

/* A cookie that is followed, and where it gets to. */
struct found {
	bool			reached;	/* it may get to the cache */
	bool			hashed;		/* by `hash` */
	const struct fm_stmt	*builtin;	/* that passes it; or NULL */
	const struct fm_stmt	*removed;	/* by this; or NULL */
};

static struct fm_text
header_of(unsigned leak)
{
	return (fm_text_of(leak == LEAK_COOKIE ? "Cookie" : "Authorization"));
}

/*--------------------------------------------------------------------
 * Conditions
 */

/* Returns the header that a test looks at. */
static unsigned
test_looks(const struct fm_cond *test, struct fm_text cookie)
{
	if (test->subject.kind == FM_SUBJECT_COOKIE)
		return (LEAK_COOKIE | (cookie.b != NULL && test->list == NULL &&
		    fm_text_eq(test->subject.name, cookie) ? LEAK_KEYED : 0));
	if (test->subject.kind != FM_SUBJECT_HEADER)
		return (0);
	return (fm_text_eq_nocase(test->subject.name, header_of(LEAK_COOKIE)) ?
	    LEAK_COOKIE | LEAK_KEYED :
	    fm_text_eq_nocase(test->subject.name, header_of(LEAK_AUTH)) ?
	    LEAK_AUTH : 0);
}

/* Returns true if a header is the rules' own text where a test is true. */
static bool
test_is_own(const struct fm_cond *test)
{
	return (test->kind == FM_COND_MODE && test->mode == FM_PATTERN_EXACT &&
	    test->subject.kind == FM_SUBJECT_HEADER &&
	    test->subject.which == FM_WHICH_FIRST &&
	    test->operands.count == 1);
}

/* How sure it has to be that a header is not there. */
enum sure {
	SURE_ANY,		/* one of two tests looks at it: for `cookie a
				 * present and path is /b`, the author has
				 * thought of the cookie */
	SURE_ASKED,		/* all tests look at it, or at a part of it */
	SURE_PRESENT		/* the tests ask whether it is present */
};

/* Returns the headers that are not there if a condition has this value. */
static unsigned
cond_clears(const struct fm_cond *cond, bool value, enum sure sure,
    struct fm_text cookie)
{
	unsigned left, right;

	if (cond == NULL)
		return (0);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		left = cond_clears(cond->left, value, sure, cookie);
		right = cond_clears(cond->right, value, sure, cookie);
		return (sure == SURE_ANY ||
		    value == (cond->kind == FM_COND_AND) ?
		    left | right : left & right);
	case FM_COND_NOT:
		return (cond_clears(cond->left, !value, sure, cookie));
	default:
		if (value ? !test_is_own(cond) : sure == SURE_PRESENT &&
		    (cond->kind != FM_COND_PRESENT ||
		    cond->subject.kind != FM_SUBJECT_HEADER))
			return (0);
		return (test_looks(cond, cookie));
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

static void block_flow(struct fm_check *, const struct fm_block *,
    struct flow *);
static void fetch_flow(struct fm_check *, const struct fm_block *item,
    struct flow *);

/* Removes a header from those that may be there. */
static void
flow_clear(struct flow *flow, unsigned leak)
{
	flow->there &= ~(leak == LEAK_COOKIE ? leak | LEAK_KEYED : leak);
}

static void
unset_flow(const struct fm_words *headers, struct flow *flow)
{
	const struct fm_word *word;
	unsigned leak;

	for (word = headers->first; word != NULL; word = word->next)
		for (leak = LEAK_COOKIE; leak <= LEAK_AUTH; leak *= 2)
			if (fm_glob_match_header(word->text, header_of(leak)))
				flow_clear(flow, leak);
}

/* Runs `cookie drop` and `cookie keep`. */
static void
cookie_flow(const struct fm_stmt *stmt, struct flow *flow)
{
	bool drops = stmt->params.what == FM_PARAMS_WHAT_DROP, fits = false;
	const struct fm_word *word = stmt->params.names.first;

	if (fm_check_drops_all(stmt))
		flow_clear(flow, LEAK_COOKIE);
	/* The names in a list are not looked at. */
	if (word == NULL || flow->cookie.b == NULL)
		return;
	for (; word != NULL; word = word->next)
		fits |= fm_glob_match(word->text, flow->cookie, false);
	if (fits == drops)
		flow->there &= ~LEAK_KEYED;
}

/* Returns the headers of which a subject is, or has a part. */
static unsigned
subject_of(enum fm_subject_kind kind, struct fm_text name)
{
	return (kind == FM_SUBJECT_COOKIE || (kind == FM_SUBJECT_HEADER &&
	    fm_text_eq_nocase(name, header_of(LEAK_COOKIE))) ? LEAK_COOKIE :
	    kind == FM_SUBJECT_HEADER &&
	    fm_text_eq_nocase(name, header_of(LEAK_AUTH)) ? LEAK_AUTH : 0);
}

/* Returns the headers of which a value has a part. */
static unsigned
value_has(const struct fm_value *value)
{
	unsigned bits = value->map == NULL ? 0 :
	    subject_of(value->subject.kind, value->subject.name);
	const struct fm_part *part;

	for (part = value->parts; part != NULL; part = part->next)
		bits |= subject_of(fm_part_subject(part->kind), part->text);
	return (bits);
}

/* A value of the rules alone is the same for all clients. */
static void
set_flow(const struct fm_stmt *stmt, struct flow *flow)
{
	const struct fm_value *value = stmt->set.value;
	const struct fm_part *part;
	unsigned leak;

	if (flow->sent != NULL && value != NULL)
		*flow->sent |= value_has(value);
	if (stmt->set.header == NULL || value == NULL || value->map != NULL)
		return;
	for (part = value->parts; part != NULL; part = part->next)
		if (part->kind == FM_PART_COOKIE ||
		    part->kind == FM_PART_HEADER)
			return;
	for (leak = LEAK_COOKIE; leak <= LEAK_AUTH; leak *= 2)
		if (fm_text_eq_nocase(stmt->set.header->text, header_of(leak)))
			flow_clear(flow, leak);
}

/* A `stop` leaves the block of a host, or `always`; then the next one runs. */
static void
flow_leave(struct flow *flow)
{
	flow->there = flow->stopped | (flow->ended ? 0 : flow->there);
	flow->ended = flow->there == 0;
	flow->stopped = flow->tested = 0;
}

/* Adds what is there at the end of one branch to that of other branches. */
static void
flow_join(struct flow *to, const struct flow *from)
{
	to->stopped |= from->stopped;
	to->tested |= from->tested;
	to->serves |= from->serves;
	if (from->ended)
		return;
	to->there = to->ended ? from->there : to->there | from->there;
	to->ended = false;
}

/* Notes by what of a request `fetch` decides what is sent. */
static void
sent_flow(struct fm_check *check, const struct fm_stmt *when, unsigned *sent)
{
	const struct fm_cond *test = when->when.tests;
	unsigned leak, looks;

	for (; test != NULL; test = test->next) {
		looks = test_looks(test, fm_text_of(""));
		for (leak = LEAK_COOKIE; leak <= LEAK_AUTH; leak *= 2)
			if ((looks & leak) != 0 &&
			    (fm_check_sends(check, when->when.then,
			    header_of(leak)) || fm_check_sends(check,
			    when->when.otherwise, header_of(leak))))
				*sent |= leak;
	}
}

static void
when_flow(struct fm_check *check, const struct fm_stmt *when,
    struct flow *flow)
{
	struct flow after = { .ended = true };
	struct flow then;
	unsigned cleared;
	bool verdict;

	for (; when != NULL; when = fm_stmt_chained(when)) {
		if (flow->sent != NULL)
			sent_flow(check, when, flow->sent);
		then = *flow;
		then.stopped = 0;
		then.serves = false;
		then.there &= ~cond_clears(when->when.cond, true, SURE_ASKED,
		    flow->cookie);
		block_flow(check, when->when.then, &then);
		/* A `stop` is not a verdict. */
		verdict = then.ended && then.stopped == 0;
		/* Others with the header come here if some are turned away. */
		cleared = cond_clears(when->when.cond, false, !verdict ?
		    SURE_ASKED : then.serves ? SURE_ANY : SURE_PRESENT,
		    flow->cookie);
		flow->there &= ~cleared;
		if (verdict)
			flow->tested |= cleared;
		flow_join(&after, &then);
		if (fm_stmt_chained(when) == NULL)
			block_flow(check, when->when.otherwise, flow);
	}
	flow_join(flow, &after);
}

/* Notes what a statement does with the cookie that is followed. */
static void
found_add(const struct fm_stmt *stmt, const struct flow *flow,
    unsigned before)
{
	struct found *found = flow->found;

	if (found == NULL || (before & LEAK_KEYED) == 0)
		return;
	if (stmt->kind == FM_STMT_HASH)
		found->hashed = found->reached = true;
	else if (stmt->kind == FM_STMT_BUILTIN)
		found->builtin = stmt;
	else if ((stmt->kind == FM_STMT_UNSET || stmt->kind == FM_STMT_SET ||
	    stmt->kind == FM_STMT_COOKIE) && (flow->there & LEAK_KEYED) == 0 &&
	    found->removed == NULL)
		found->removed = stmt;
	found->reached |= stmt->kind == FM_STMT_BUILTIN;
}

static void
stmt_flow(struct fm_check *check, struct fm_stmt *stmt, struct flow *flow)
{
	unsigned before = flow->there;

	switch (stmt->kind) {
	case FM_STMT_COOKIE:
		cookie_flow(stmt, flow);
		break;
	case FM_STMT_UNSET:
		unset_flow(&stmt->unset.headers, flow);
		break;
	case FM_STMT_SET:
		set_flow(stmt, flow);
		break;
	case FM_STMT_USE:
		if (stmt->use.ruleset != NULL && check->uses < LEAK_USES) {
			check->uses++;
			(flow->sent != NULL ? fetch_flow : block_flow)(check,
			    stmt->use.ruleset->block, flow);
			check->uses--;
		}
		break;
	case FM_STMT_WHEN:
		when_flow(check, stmt, flow);
		break;
	case FM_STMT_REDIRECT:
		flow->ended = fm_check_redirects(stmt);
		break;
	case FM_STMT_STOP:
		flow->stopped |= flow->there;
		flow->ended = true;
		break;
	case FM_STMT_HASH:
		stmt->hash.leaks |= flow->there & ~LEAK_KEYED;
		flow->serves = flow->ended = true;
		break;
	case FM_STMT_PASS:
	case FM_STMT_PIPE:
	case FM_STMT_BUILTIN:
		flow->serves = flow->ended = true;
		break;
	default:
		flow->ended = stmt->kind >= FM_STMT_SYNTH;
		break;
	}
	found_add(stmt, flow, before);
}

static void
block_flow(struct fm_check *check, const struct fm_block *block,
    struct flow *flow)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && !flow->ended && flow->there != 0;
	    stmt = stmt->next) {
		/* Nothing is said of the rest of a large file. */
		if (--check->steps < 0)
			flow->ended = true;
		else
			stmt_flow(check, stmt, flow);
	}
}

/* Returns the headers by which the cache tells pages apart. */
static unsigned
keyed(const struct fm_check_keys *keys)
{
	static const struct fm_text any = { NULL, 0 };
	unsigned leak, bits = 0;

	for (leak = LEAK_COOKIE; leak <= LEAK_AUTH; leak *= 2)
		if (fm_check_keys_has(keys, FM_SUBJECT_REQUEST_HEADER,
		    header_of(leak)))
			bits |= leak;
	if (fm_check_keys_has(keys, FM_SUBJECT_COOKIE, any))
		bits |= LEAK_COOKIE;
	return (bits);
}

/* Goes through the blocks of `fetch` of an item. */
static void
fetch_flow(struct fm_check *check, const struct fm_block *item,
    struct flow *flow)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_FETCH) {
			block_flow(check, stmt->phase.block, flow);
		} else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL && check->uses < LEAK_USES) {
			check->uses++;
			fetch_flow(check, stmt->use.ruleset->block, flow);
			check->uses--;
		}
}

/* Adds what an item does in `fetch`. */
static void
fetched_add(struct fm_check *check, const struct fm_block *item,
    struct fetched *fetched)
{
	struct flow flow = { .there = LEAK_COOKIE | LEAK_AUTH | LEAK_NEVER,
	    .sent = &fetched->sent };

	if (!fm_block_has(item, FM_PHASE_FETCH))
		return;
	fetch_flow(check, item, &flow);
	flow_leave(&flow);
	fetched->removed |= ~flow.there;
}

/* Returns the headers of which the backend gets nothing. */
static unsigned
hidden(const struct fetched *fetched)
{
	return (fetched->removed & ~fetched->sent &
	    (LEAK_COOKIE | LEAK_AUTH));
}

/* Goes through the block of a host, after `always`. */
static void
site_flow(struct fm_check *check, struct fm_check_keys *keys,
    const struct fm_block *block, const struct flow *always,
    struct flow *finally)
{
	struct flow flow = *always;

	fm_check_keys_host(check, keys, block);
	fetched_add(check, block, &flow.fetched);
	flow.there &= ~(keyed(keys) | hidden(&flow.fetched));
	block_flow(check, block, &flow);
	flow_leave(&flow);
	flow_join(finally, &flow);
}

/*--------------------------------------------------------------------
 * Cookies in keys
 */

#define FOLLOWED	32U	/* names of a statement */

/*
 * Follows a cookie through the rules for the hosts of a block.  Returns true if
 * they end without a verdict: VCL goes on, and may hash.
 */
static bool
cookie_follow(struct fm_check *check, const struct fm_block *block,
    struct fm_text cookie, struct found *found)
{
	const struct fm_block *items[] = { check->model->always, block,
	    check->model->finally };
	struct flow flow = { .there = LEAK_KEYED, .cookie = cookie,
	    .found = found };
	unsigned i;

	for (i = 0; i < 3; i++) {
		block_flow(check, items[i], &flow);
		flow_leave(&flow);
	}
	return (!flow.ended);
}

bool
fm_check_cookie_hashed(struct fm_check *check, const struct fm_block *host,
    struct fm_text cookie)
{
	struct found found = { .reached = false };

	(void)cookie_follow(check, host, cookie, &found);
	return (found.hashed);
}

/* Follows the cookies of a statement of the key of some hosts. */
static void
keyed_follow(struct fm_check *check, struct fm_stmt *stmt, void *priv)
{
	const struct fm_word *name = stmt->keyed.names.first;
	unsigned i;

	for (i = 0; i < FOLLOWED && name != NULL && stmt->keyed.what ==
	    FM_KEYED_COOKIE; i++, name = name->next) {
		struct found found = { .reached = false };

		if (cookie_follow(check, priv, name->text, &found))
			found.hashed = found.reached = true;
		stmt->keyed.reached |= (uint32_t)found.reached << i;
		stmt->keyed.hashed |= (uint32_t)found.hashed << i;
	}
}

static void
keyed_tell(struct fm_check *check, struct fm_stmt *stmt, void *priv)
{
	const struct fm_word *name = stmt->keyed.names.first;
	const struct fm_stmt *by;
	char where[FM_PLACE_LEN];
	bool reached;
	uint32_t bit;

	if (stmt->keyed.what != FM_KEYED_COOKIE)
		return;
	for (bit = 1; bit != 0 && name != NULL; bit <<= 1, name = name->next) {
		struct found found = { .reached = false };

		if (((stmt->keyed.told | stmt->keyed.hashed) & bit) != 0)
			continue;
		(void)cookie_follow(check, priv, name->text, &found);
		reached = (stmt->keyed.reached & bit) != 0;
		by = reached ? found.builtin : found.removed;
		if (by == NULL)
			continue;
		stmt->keyed.told |= bit;
		fm_diag_warning(check->diag, &name->at,
		    reached ? FM_MSG_WARN_KEY_BUILTIN :
		    FM_MSG_WARN_KEY_REMOVED, FM_SHOW(name->text),
		    fm_place_print(&by->at, where));
	}
}

/* Calls a function for all statements of the keys of hosts of each block. */
static void
keys_each(struct fm_check *check,
    void (*tell)(struct fm_check *, struct fm_stmt *, void *priv))
{
	const struct fm_model *model = check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	struct fm_block none = { .first = NULL }, *block;

	block = fm_check_item_next(&hosts);
	if (block == NULL)
		block = &none;
	for (; block != NULL; block = fm_check_item_next(&hosts)) {
		fm_check_key_each(check, model->always, tell, block);
		fm_check_key_each(check, block, tell, block);
		fm_check_key_each(check, model->finally, tell, block);
	}
}

static void
cookies_follow(struct fm_check *check)
{
	if (!fm_model_has(check->model, FM_PHASE_KEY))
		return;
	check->steps = FM_CHECK_STEPS;
	keys_each(check, keyed_follow);
	if (check->steps < 0)
		return;
	check->steps = FM_CHECK_STEPS;
	keys_each(check, keyed_tell);
}

void
fm_check_leaks(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_check_keys keys = { .common = 0 };
	struct flow always = { .there = LEAK_COOKIE | LEAK_AUTH };
	struct fm_check_items hosts = { .model = model, .hosts = true };
	const struct fm_block *host;
	struct flow finally;

	if (check->uses_told || check->broken)
		return;
	check->steps = FM_CHECK_STEPS;
	fm_check_keys_begin(check, &keys);
	fetched_add(check, model->always, &always.fetched);
	fetched_add(check, model->finally, &always.fetched);
	always.there &= ~(keyed(&keys) | hidden(&always.fetched));
	block_flow(check, model->always, &always);
	/* A branch of `always` is mostly for some of the hosts. */
	always.there &= ~always.tested;
	flow_leave(&always);
	finally = always;
	/* All requests come by way of a host, or of `default`. */
	if (model->otherwise != NULL)
		finally = (struct flow){ .ended = true };
	while ((host = fm_check_item_next(&hosts)) != NULL)
		site_flow(check, &keys, host, &always, &finally);
	fm_check_keys_fini(&keys);
	block_flow(check, model->finally, &finally);
	cookies_follow(check);
}

/* Warns of a `hash` that fm_check_leaks() has found. */
void
fm_check_leak(struct fm_check *check, const struct fm_check_way *way)
{
	static const char * const words[][3] = {
		[LEAK_COOKIE] = { "a Cookie", "header Cookie present",
		    "Cookie" },
		[LEAK_AUTH] = { "Authorization",
		    "header Authorization present", "Authorization" },
		[LEAK_COOKIE | LEAK_AUTH] = { "a Cookie or Authorization",
		    "header Cookie present or header Authorization present",
		    "Cookie Authorization" }
	};
	const char * const *word;

	if (way->stmt->kind != FM_STMT_HASH || way->stmt->hash.leaks == 0)
		return;
	word = words[way->stmt->hash.leaks];
	fm_diag_warning(check->diag, &way->stmt->at, FM_MSG_WARN_LEAK,
	    word[0], word[1], word[2]);
}
