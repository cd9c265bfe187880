/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks `response { }` and `delivery { }`: which words belong into which
 * phase, the statements that only responses have, and what of `use` concerns
 * these blocks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_priv.h"
#include "duration.h"
#include "glob.h"
#include "names.h"

/*--------------------------------------------------------------------
 * Words of another phase
 */

/* A row says what words of these phases are for, and where to write them. */
static const struct {
	unsigned		phases;
	const char		*what, *where;
} places[] = {
	{ FM_PHASES_STORED, "responses", "in response { }" },
	{ FM_PHASES_DELIVERED, "what the client gets", "in delivery { }" },
	{ FM_PHASES_MESSAGE, "responses", "in response { } or delivery { }" },
	{ FM_PHASES_REQUEST, "requests", "in the rules for requests" },
	{ FM_PHASES_FETCHED, "requests and responses",
	    "in response { }, or in the rules for requests" },
	{ FM_PHASES_EDITED, "requests and responses",
	    "outside of key { }" },
	{ FM_PHASES_BACKEND, "fetches", "in fetch { } or response { }" },
	{ FM_PHASES_REWRITTEN, "requests, and what the client gets",
	    "in fetch { }, in delivery { }, or in the rules for requests" },
	{ FM_PHASES_SESSION, "requests, as a fetch has no session",
	    "in the rules for requests, in key { } or in delivery { }" },
	{ FM_PHASES_ANSWERED, "requests, and what the client gets",
	    "in delivery { }, or in the rules for requests" }
};

/*
 * Reports a word that is not one of the phase that is checked.  Returns false
 * then.
 */
bool
fm_check_phase_has(struct fm_check *check, unsigned phases, const char *word,
    const struct fm_place *at)
{
	size_t i = 0;

	if (fm_phase_has(phases, check->phase))
		return (true);
	while (i + 1 < sizeof places / sizeof places[0] &&
	    places[i].phases != phases)
		i++;
	if (check->in_map != NULL)
		fm_check_error(check, at, FM_MSG_PHASE_MAP, word,
		    places[i].what, !fm_phase_is_response(check->phase) ?
		    "requests" : check->phase == FM_PHASE_RESPONSE ?
		    "responses" : "what the client gets");
	else
		fm_check_error(check, at, FM_MSG_PHASE, word, places[i].what,
		    places[i].where);
	return (false);
}

bool
fm_check_stmt_phase(struct fm_check *check, const struct fm_stmt *stmt)
{
	const char *word = fm_stmt_word(stmt->kind);
	unsigned phases = fm_stmts[stmt->kind].phases;
	char line[FM_MODEL_LINE];

	if (strcmp(word, "cookie") == 0 && fm_phase_is_response(check->phase)) {
		fm_check_error(check, &stmt->at, FM_MSG_PHASE, word, "requests",
		    "in the rules for requests; for what a response sets, "
		    "write 'set-cookie'");
		return (false);
	}
	if (phases != FM_PHASES_STORED ||
	    fm_phase_has(phases, check->phase))
		return (fm_check_phase_has(check, phases, word, &stmt->at));
	fm_check_error(check, &stmt->at, FM_MSG_PHASE_RESPONSE, word,
	    fm_model_print_stmt(stmt, false, line));
	return (false);
}

/*--------------------------------------------------------------------
 * Headers
 */

/* Headers that only requests have. */
static const char * const of_requests[] = {
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language",
	"Access-Control-Request-Headers", "Access-Control-Request-Method",
	"Authorization", "CF-Connecting-IP", "Cookie", "DNT", "Expect",
	"Forwarded", "From", "Host", "If-Match", "If-Modified-Since",
	"If-None-Match", "If-Range", "If-Unmodified-Since", "Max-Forwards",
	"Origin", "Proxy-Authorization", "Range", "Referer", "Save-Data",
	"Sec-CH-UA", "Sec-CH-UA-Mobile", "Sec-CH-UA-Platform",
	"Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site",
	"Sec-Fetch-User", "Sec-GPC", "Surrogate-Capability", "True-Client-IP",
	"Upgrade-Insecure-Requests", "User-Agent", "X-Client-IP",
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port",
	"X-Forwarded-Proto", "X-Real-IP", "X-Requested-With", NULL
};

/* Headers of the connection and of the body's form: core writes them. */
static const char * const of_core[] = {
	"Connection", "Content-Encoding", "Content-Length", "Content-Range",
	"Keep-Alive", "Proxy-Connection", "TE", "Trailer",
	"Transfer-Encoding", "Upgrade", NULL
};

/* Headers by which core asks whether an object has changed. */
static const char * const of_refresh[] = {
	"If-Modified-Since", "If-None-Match", NULL
};

/*
 * Reports an edit of a header that core writes into what it sends to a backend.
 * Returns false then.
 */
bool
fm_check_fetch_header(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	if ((how != FM_CHECK_HEADER_SET && how != FM_CHECK_HEADER_UNSET) ||
	    (!fm_text_is_one_of(name, of_core) &&
	    (how == FM_CHECK_HEADER_UNSET ||
	    !fm_text_is_one_of(name, of_refresh))))
		return (true);
	fm_check_error(check, at, FM_MSG_RESPONSE_CORE, FM_SHOW(name));
	return (false);
}

void
fm_check_response_header(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	if (fm_text_is_one_of(name, of_requests)) {
		fm_check_error(check, at, how == FM_CHECK_HEADER_READ ?
		    FM_MSG_REQUEST_HEADER : FM_MSG_REQUEST_HEADER_EDIT,
		    FM_SHOW(name), FM_SHOW(name));
		return;
	}
	if (how != FM_CHECK_HEADER_SET && how != FM_CHECK_HEADER_UNSET)
		return;
	if (fm_text_is_one_of(name, of_core))
		fm_check_error(check, at, FM_MSG_RESPONSE_CORE,
		    FM_SHOW(name));
	else if (how == FM_CHECK_HEADER_SET &&
	    fm_text_eq_nocase(name, fm_text_of("Set-Cookie"))) {
		if ((check->asked & FM_CHECK_ASKED_COOKIE) == 0)
			fm_diag_warning(check->diag, at,
			    FM_MSG_WARN_SET_COOKIE);
	} else if (how == FM_CHECK_HEADER_UNSET &&
	    check->phase == FM_PHASE_RESPONSE) {
		if (fm_glob_match_header(name, fm_text_of("ETag")))
			fm_diag_warning(check->diag, at,
			    FM_MSG_WARN_VALIDATOR, "ETag");
		if (fm_glob_match_header(name, fm_text_of("Last-Modified")))
			fm_diag_warning(check->diag, at,
			    FM_MSG_WARN_VALIDATOR, "Last-Modified");
	}
}

/* Headers that all answers need, those of Varnish itself included. */
static const char * const for_browsers[] = {
	"Content-Security-Policy", "Content-Security-Policy-Report-Only",
	"Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy",
	"Cross-Origin-Resource-Policy", "Feature-Policy",
	"Permissions-Policy", "Referrer-Policy", "Strict-Transport-Security",
	"X-Content-Type-Options", "X-Frame-Options",
	"X-Permitted-Cross-Domain-Policies", "X-XSS-Protection", NULL
};

/*
 * Checks a `set` of a header in `fetch` and `response`.  Warns of headers of a
 * response that belong into delivery.
 */
void
fm_check_response_set(struct fm_check *check, const struct fm_stmt *stmt)
{
	if (!fm_phase_has(FM_PHASES_BACKEND, check->phase) ||
	    stmt->set.header == NULL || stmt->set.value == NULL)
		return;
	if (check->phase == FM_PHASE_RESPONSE &&
	    fm_text_is_one_of(stmt->set.header->text, for_browsers) &&
	    !fm_check_value_empty(stmt->set.value))
		fm_check_word_warn(check, stmt->set.header,
		    FM_MSG_WARN_SECURITY);
	fm_check_twice(check, stmt);
}

/*--------------------------------------------------------------------
 * Statements
 */

/*
 * Words that are written for a duration, parted by blanks; and what to write
 * instead of the statement.
 */
static const struct {
	enum fm_stmt_kind	kind;
	const char		*words, *instead;
} meant[] = {
	{ FM_STMT_BROWSER, "never none off false no-store no-cache private "
	    "nocache", "browser no" },
	{ FM_STMT_TTL, "never none no off false no-store no-cache private "
	    "nocache", "uncacheable" },
	{ FM_STMT_GRACE, "never none no off false", "grace 0s" },
	{ FM_STMT_KEEP, "never none no off false", "keep 0s" },
	{ FM_STMT_BROWSER, "forever always infinite max immutable",
	    "browser 1y" },
	{ FM_STMT_TTL, "forever always infinite max", "ttl 1y" },
	{ FM_STMT_GRACE, "forever always infinite max", "grace 1y" },
	{ FM_STMT_KEEP, "forever always infinite max", "keep 1y" },
};

/* Reports a word that is known to be meant otherwise.  Returns true then. */
static bool
meant_check(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->life.amount;
	size_t i = 0;

	while (i < sizeof meant / sizeof *meant && (meant[i].kind !=
	    stmt->kind || !fm_text_is_among(word->text, meant[i].words)))
		i++;
	if (i == sizeof meant / sizeof *meant)
		return (false);
	fm_check_error(check, &word->at, FM_MSG_DURATION_MEANT,
	    FM_SHOW(word->text), meant[i].instead);
	return (true);
}

double
fm_check_duration(struct fm_check *check, const struct fm_word *word)
{
	double seconds = 0;

	if (word == NULL)
		return (0);
	switch (fm_duration_parse(word->text, &seconds)) {
	case FM_DURATION_OK:
		return (seconds);
	case FM_DURATION_UNIT:
		fm_check_error(check, &word->at, FM_MSG_DURATION_UNIT,
		    FM_SHOW(word->text), FM_SHOW(word->text));
		break;
	case FM_DURATION_SUM:
		fm_check_word_error(check, word, FM_MSG_DURATION_SUM);
		break;
	case FM_DURATION_LONG:
		fm_check_word_error(check, word, FM_MSG_DURATION_LONG);
		break;
	case FM_DURATION_BAD:
		fm_check_word_error(check, word, FM_MSG_DURATION);
		break;
	}
	return (-1);
}

/* Checks a duration that `ttl`, `uncacheable` or `pass` gives. */
static double
lifetime_check(struct fm_check *check, const struct fm_word *amount,
    enum fm_stmt_kind kind)
{
	double seconds = fm_text_eq(amount->text, fm_text_of("0")) ? 0 :
	    fm_check_duration(check, amount);

	if (seconds == 0)
		fm_check_error(check, &amount->at, FM_MSG_DURATION_ZERO,
		    fm_stmt_word(kind));
	return (seconds);
}

/* Checks the values of a map that gives lifetimes. */
static void
ttl_map_check(struct fm_check *check, struct fm_value *value)
{
	const struct fm_list_def *map;
	const struct fm_value *text;
	const struct fm_line *line;

	fm_check_value(check, value);
	map = value->map_def;
	if (map == NULL)
		return;
	for (line = map->lines; line != NULL || map->otherwise != NULL;
	    line = line->next) {
		text = line == NULL ? map->otherwise : line->value;
		if (text != NULL)
			(void)lifetime_check(check, &(struct fm_word){
			    .text = text->raw, .at = text->at }, FM_STMT_TTL);
		if (line == NULL)
			break;
	}
}

/* Checks the headers of `ttl from`. */
static void
ttl_from_check(struct fm_check *check, const struct fm_words *headers)
{
	static const char * const own[] = { "cache-control", "expires", "age",
	    "date", "max-age", "s-maxage", NULL };
	const struct fm_word *word;
	double seconds;
	unsigned i;

	for (word = headers->first; word != NULL; word = word->next) {
		if (fm_duration_parse(word->text, &seconds) ==
		    FM_DURATION_OK) {
			fm_check_error(check, &word->at,
			    FM_MSG_TTL_FROM_NUMBER, FM_SHOW(word->text),
			    FM_SHOW(word->text), FM_SHOW(word->text));
			continue;
		}
		fm_check_header(check, FM_CHECK_HEADER_READ, word->text,
		    &word->at);
		for (i = 0; own[i] != NULL; i++)
			if (fm_text_eq_nocase(word->text, fm_text_of(own[i])))
				fm_check_word_error(check, word,
				    FM_MSG_TTL_FROM);
	}
}

/* Checks the duration of `grace` or `keep`. */
static double
grace_check(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *amount = stmt->life.amount;
	const char *word = fm_stmt_word(stmt->kind);

	if (!fm_text_eq(amount->text, fm_text_of("from")))
		return (fm_check_duration(check, amount));
	fm_check_error(check, &amount->at, FM_MSG_GRACE_FROM, word, word);
	return (-1);
}

static void
life_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *amount = stmt->life.amount;

	if (stmt->life.what == FM_TTL_FROM)
		ttl_from_check(check, &stmt->life.headers);
	if (stmt->life.map != NULL)
		ttl_map_check(check, stmt->life.map);
	else if (amount == NULL || meant_check(check, stmt))
		return;
	else if (stmt->kind == FM_STMT_GRACE || stmt->kind == FM_STMT_KEEP)
		stmt->life.number = grace_check(check, stmt);
	else
		stmt->life.number = lifetime_check(check, amount, stmt->kind);
}

/* Checks `browser no`, or a duration of whole seconds. */
static void
browser_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->life.amount;

	if (word == NULL || fm_text_eq(word->text, fm_text_of("no")) ||
	    meant_check(check, stmt))
		return;
	stmt->life.number = fm_check_duration(check, word);
	if (stmt->life.number > 0 &&
	    stmt->life.number > (double)(uint64_t)stmt->life.number)
		fm_check_word_error(check, word, FM_MSG_BROWSER);
}

#define RETRIES_MAX	10U

static void
retry_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *word = stmt->life.amount;

	stmt->life.number = 1;
	if (word == NULL)
		return;
	stmt->life.number = word->text.len == 0 || word->text.len > 2 ||
	    strspn(word->text.b, "0123456789") != word->text.len ? 0 :
	    strtod(word->text.b, NULL);
	if (stmt->life.number < 1 || stmt->life.number > RETRIES_MAX)
		fm_check_error(check, &word->at, FM_MSG_RETRY,
		    FM_SHOW(word->text), RETRIES_MAX);
}

/* Checks the names of `vary`, `cache-control` and `set-cookie`. */
static void
names_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *word;
	bool star;

	if (stmt->params.list != NULL && stmt->params.what ==
	    FM_PARAMS_WHAT_ADD) {
		fm_check_error(check, &stmt->params.list->at, FM_MSG_VARY_ADD,
		    FM_SHOW(stmt->params.list->text));
		return;
	}
	if (fm_check_params_list(check, stmt))
		return;
	fm_check_slip_words(check, &stmt->params.names, FM_CHECK_NAMES);
	fm_check_covered_words(check, FM_PATTERN_GLOB, &stmt->params.names,
	    false);
	for (word = stmt->params.names.first; word != NULL;
	    word = word->next) {
		star = stmt->kind == FM_STMT_VARY &&
		    fm_text_eq(word->text, fm_text_of("*"));
		if (stmt->params.what == FM_PARAMS_WHAT_ADD &&
		    (fm_text_has_any(word->text, "*?") ||
		    !fm_text_is_token(word->text, "")))
			fm_check_word_error(check, word, FM_MSG_VARY_ADD);
		else if (!star)
			(void)fm_names_is_name(word->text, &word->at,
			    check->diag);
	}
}

/*
 * Returns true if a name can be a member of Cache-Status: a token of RFC 8941,
 * or a string of it, which has printable ASCII alone.
 */
static bool
is_cache_name(const struct fm_word *name)
{
	unsigned char first;
	size_t i;

	if (!name->quoted) {
		first = fm_lower((unsigned char)*fm_text_or_empty(
		    name->text).b);
		return (fm_text_is_token(name->text, ":/") &&
		    (first == '*' || (first >= 'a' && first <= 'z')));
	}
	for (i = 0; i < name->text.len; i++)
		if (name->text.b[i] < ' ' || name->text.b[i] > '~')
			return (false);
	return (name->text.len > 0 && !fm_text_has(name->text, "${"));
}

static void
cache_status_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *name = stmt->cache_status.name;
	struct fm_word *list = stmt->cache_status.list;

	if (!is_cache_name(name))
		fm_check_error(check, &name->at, FM_MSG_CACHE_NAME,
		    FM_SHOW(name->text), name->quoted ? "a name in quotes has "
		    "printable ASCII alone, and no ${}" : "quote it");
	if (!name->quoted && fm_text_is_among(name->text, "on off yes no true "
	    "false enable enabled disable disabled none never always 1 0"))
		fm_check_word_warn(check, name, FM_MSG_WARN_CACHE_NAME);
	if (list == NULL)
		return;
	if (fm_network_is_like(list->text))
		fm_check_error(check, &list->at, FM_MSG_CACHE_LIST,
		    FM_SHOW(list->text), FM_SHOW(list->text));
	else
		stmt->cache_status.list_def = fm_check_client_list(check, list);
}

void
fm_check_response_stmt(struct fm_check *check, struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_SET_COOKIE:
	case FM_STMT_VARY:
	case FM_STMT_CACHE_CONTROL:
		names_check(check, stmt);
		break;
	case FM_STMT_RETRY:
		retry_check(check, stmt);
		break;
	case FM_STMT_BROWSER:
		browser_check(check, stmt);
		break;
	case FM_STMT_CACHE_STATUS:
		cache_status_check(check, stmt);
		break;
	default:
		life_check(check, stmt);
		break;
	}
}

/*--------------------------------------------------------------------
 * Tests
 */

#define STATE_WORDS	64

/* Writes "background, retry and pass", for a subject; returns buf. */
static const char *
state_words(enum fm_subject_kind subject, char buf[STATE_WORDS])
{
	const struct fm_state_row *row;
	unsigned left = 0;
	char *to = buf;

	for (row = fm_states; row < fm_states + FM_STATE__KINDS; row++)
		left += row->subject == subject;
	for (row = fm_states; left > 0; row++)
		if (row->subject == subject) {
			left--;
			to += snprintf(to, (size_t)(buf + STATE_WORDS - to),
			    "%s%s", row->word, left == 0 ? "" :
			    left == 1 ? " and " : ", ");
		}
	return (buf);
}

/* Reports a test of numbers, or of what is one of a few words. */
bool
fm_check_response_cond(struct fm_check *check, struct fm_cond *cond)
{
	enum fm_subject_kind subject = cond->subject.kind;
	const struct fm_word *word = cond->operands.first;
	char words[STATE_WORDS];

	if (cond->kind == FM_COND_NUMBER) {
		if (word == NULL)
			return (false);
		if (cond->subject.kind == FM_SUBJECT_TTL)
			cond->number = fm_check_duration(check, word);
		else if (strspn(word->text.b, "0123456789") == word->text.len &&
		    word->text.len > 0 && word->text.len < 16)
			cond->number = strtod(word->text.b, NULL);
		else
			fm_check_error(check, &word->at, FM_MSG_NUMBER,
			    FM_SHOW(word->text), cond->subject.kind ==
			    FM_SUBJECT_SIZE ? "bytes" : "restarts");
		if (!cond->over && cond->number == 0 &&
		    fm_text_eq(word->text, fm_text_of("0")))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_WARN_UNDER, fm_subject_word(subject));
		return (false);
	}
	if (subject != FM_SUBJECT_FETCH && subject != FM_SUBJECT_CACHE &&
	    subject != FM_SUBJECT_SCHEME)
		return (true);
	if (cond->kind != FM_COND_MODE || cond->mode != FM_PATTERN_EXACT ||
	    cond->nocase) {
		fm_check_error(check, &cond->at, FM_MSG_STATE,
		    fm_subject_word(subject));
		return (false);
	}
	for (; word != NULL; word = word->next)
		if (fm_state_flag(subject, word->text) == 0)
			fm_check_error(check, &word->at, FM_MSG_STATE_WORD,
			    fm_subject_word(subject), FM_SHOW(word->text),
			    state_words(subject, words));
	return (false);
}

/* Returns true if a block sets a header of a response. */
static bool
block_sets_header(struct fm_check *check, const struct fm_block *block,
    bool phase, struct fm_text name)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		if ((fm_stmt_is_phase(stmt->kind) &&
		    fm_phase_is_response(fm_stmt_phase(stmt->kind)) &&
		    block_sets_header(check, stmt->phase.block, true, name)) ||
		    (phase && stmt->kind == FM_STMT_WHEN &&
		    (block_sets_header(check, stmt->when.then, true, name) ||
		    block_sets_header(check, stmt->when.otherwise, true,
		    name))) || (phase && stmt->kind == FM_STMT_SET &&
		    stmt->set.header != NULL &&
		    fm_text_eq_nocase(stmt->set.header->text, name)))
			return (true);
	return (stmt != NULL);
}

/*
 * Warns of a header of a response that the rules for requests set, and those
 * for responses do not: most likely that of the request is meant.
 */
void
fm_check_request_set(struct fm_check *check, struct fm_text name,
    const struct fm_place *at)
{
	const struct fm_check_named *named = fm_check_table_find(
	    &check->headers, name);
	struct fm_check_items items = { .model = check->model };
	const struct fm_block *item;

	if (named == NULL || !named->set)
		return;
	do
		item = fm_check_item_next(&items);
	while (item != NULL && !block_sets_header(check, item, false, name));
	if (item == NULL)
		fm_diag_warning(check->diag, at, FM_MSG_WARN_REQUEST_SET,
		    FM_SHOW(name), FM_SHOW(name));
}

/*--------------------------------------------------------------------
 * Blocks
 */

/* Checks the block of a phase. */
void
fm_check_phase(struct fm_check *check, const struct fm_stmt *stmt)
{
	enum fm_phase before = check->phase;
	unsigned asked = check->asked, answered = check->answered;
	unsigned denials = check->denials, refusals = check->refusals;
	unsigned depth = check->depth;

	check->phase = fm_stmt_phase(stmt->kind);
	check->asked = check->answered = check->depth = 0;
	(void)fm_check_block(check, stmt->phase.block);
	check->phase = before;
	check->asked = asked;
	check->answered = answered;
	check->denials = denials;
	check->refusals = refusals;
	check->depth = depth;
}

/* Returns the phases of a block, and of what it uses outside of whens. */
static unsigned
block_phases(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_ruleset_def *used;
	const struct fm_stmt *stmt;
	unsigned phases = 0;

	stmt = block == NULL ? NULL : block->first;
	for (; stmt != NULL; stmt = stmt->next) {
		if (fm_stmt_is_phase(stmt->kind))
			phases |= 1U << fm_stmt_phase(stmt->kind);
		if (stmt->kind != FM_STMT_USE || stmt->use.name == NULL)
			continue;
		used = fm_check_table_find(&check->rulesets,
		    stmt->use.name->text);
		if (used != NULL)
			phases |= used->phases;
	}
	return (phases);
}

void
fm_check_ruleset_phases(struct fm_check *check)
{
	struct fm_ruleset_def *ruleset;
	unsigned phases;
	bool more;

	do {
		more = false;
		for (ruleset = check->model->rulesets; ruleset != NULL;
		    ruleset = ruleset->next) {
			phases = block_phases(check, ruleset->block);
			more |= phases != ruleset->phases;
			ruleset->phases = phases;
		}
	} while (more);
}

/* Checks a `use`, whose ruleset is known, for the phases of that. */
void
fm_check_use_phases(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *name = stmt->use.name;
	unsigned phases = stmt->use.ruleset->phases;
	enum fm_phase phase = FM_PHASE_KEY;

	if (check->phase != FM_PHASE_REQUEST) {
		if (!fm_phase_has(phases, check->phase))
			fm_check_error(check, &name->at, FM_MSG_USE_NO_PHASE,
			    FM_SHOW(name->text), fm_phase_word(check->phase));
	} else if (check->depth > 1 && phases != 0) {
		while (!fm_phase_has(phases, phase))
			phase++;
		fm_check_error(check, &name->at, FM_MSG_USE_WHEN,
		    FM_SHOW(name->text), fm_phase_word(phase));
	}
}
