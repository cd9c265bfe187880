/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks statements and blocks, and finds which statements are never reached.
 */

#include <stdlib.h>

#include "bounds.h"
#include "check_priv.h"
#include "names.h"

static bool
is_redirect(unsigned code)
{
	return ((code >= 301 && code <= 303) || code == 307 || code == 308);
}

/* Returns a status, or 0 and an error. */
static unsigned
status_check(struct fm_check *check, const struct fm_word *word,
    bool of_redirect)
{
	unsigned code = 0;

	if (word == NULL)
		return (0);
	if (word->text.len == 3 && strspn(word->text.b, "0123456789") == 3)
		code = (unsigned)strtoul(word->text.b, NULL, 10);
	if (of_redirect ? is_redirect(code) : code >= 200 && code <= 599)
		return (code);
	fm_check_error(check, &word->at, FM_MSG_STATUS,
	    FM_SHOW(word->text), of_redirect ?
	    "redirect takes 301, 302, 303, 307 and 308" :
	    "synth and answer take 200 to 599");
	return (0);
}

/*
 * Returns true if a status keeps a client out.  410 says what became of a page,
 * 413 and 414 that the request is too large, 429 that there are too many.
 */
static bool
is_denial(unsigned code)
{
	return (code / 100 == 4 && code != 410 && code != 413 &&
	    code != 414 && code != 429);
}

bool
fm_check_refuses(unsigned code)
{
	return (is_denial(code) && code != 404);
}

static void
denial_count(struct fm_check *check, unsigned code)
{
	check->denials += is_denial(code);
	check->refusals += fm_check_refuses(code);
}

static void
reason_check(struct fm_check *check, const struct fm_word *reason)
{
	struct fm_text t;
	size_t i;

	if (reason == NULL)
		return;
	t = reason->text;
	for (i = 0; i < t.len; i++)
		if (fm_check_is_control(t.b[i]) && t.b[i] != '\t') {
			fm_check_error(check, &reason->at, FM_MSG_REASON);
			break;
		}
}

/* Warns of ${} in a reason that is sent as it is written. */
static void
reason_plain(struct fm_check *check, const struct fm_word *reason)
{
	const char *value;
	struct fm_place at;

	value = reason == NULL ? NULL : fm_text_find(reason->text,
	    fm_text_of("${"));
	if (value == NULL)
		return;
	at = fm_check_inside(reason, (size_t)(value - reason->text.b));
	fm_diag_warning(check->diag, &at, FM_MSG_WARN_REASON);
}

void
fm_check_undecided(struct fm_check *check)
{
	struct fm_model *model = check->model;

	if (model->undecided_mode != FM_UNDECIDED_SYNTH)
		return;
	model->undecided_code = status_check(check, model->undecided_status,
	    false);
	reason_check(check, model->undecided_reason);
	reason_plain(check, model->undecided_reason);
}

bool
fm_check_params_list(struct fm_check *check, struct fm_stmt *stmt)
{
	if (stmt->params.list == NULL)
		return (false);
	stmt->params.list_def = fm_check_names_list(check, stmt->params.list);
	if (stmt->params.list_def != NULL)
		stmt->params.list_def->subjects |= FM_CHECK_OTHER;
	return (true);
}

static void
params_check(struct fm_check *check, struct fm_stmt *stmt)
{
	struct fm_match match = { .mode = FM_PATTERN_GLOB,
	    .operands = stmt->params.names };
	struct fm_line line = { .matches = &match };
	const struct fm_word *word;

	if (fm_check_params_list(check, stmt))
		return;
	if (stmt->params.names.first == NULL)
		return;
	fm_check_slip_words(check, &stmt->params.names, FM_CHECK_NAMES);
	for (word = stmt->params.names.first; word != NULL; word = word->next)
		(void)fm_names_is_name(word->text, &word->at, check->diag);
	fm_check_covered(check, &(struct fm_list_def){ .lines = &line,
	    .for_names = stmt->kind == FM_STMT_QUERY ?
	    stmt->params.names.first : NULL });
}

/* Checks the header of a `set` or `normalize`.  Returns true if it is Host. */
static bool
header_check(struct fm_check *check, const struct fm_word *header,
    const struct fm_value *value)
{
	if (header == NULL)
		return (false);
	fm_check_header(check, FM_CHECK_HEADER_SET, header->text, &header->at);
	fm_check_trusted(check, "set", header, value);
	return (fm_text_eq_nocase(header->text, fm_text_of("Host")));
}

/* Reports a URL without a slash at its start, or with a blank in it. */
static void
url_text_check(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part = value->parts;
	size_t i;

	if (part != NULL && part->kind == FM_PART_TEXT && part->text.len > 0 &&
	    *part->text.b != '/')
		fm_check_error(check, &part->at, fm_text_has(part->text,
		    "://") ? FM_MSG_URL_HOST : FM_MSG_URL_SLASH,
		    FM_SHOW(part->text));
	for (; part != NULL; part = part->next) {
		if (part->kind != FM_PART_TEXT)
			continue;
		for (i = 0; i < part->text.len; i++)
			if (fm_check_is_control(part->text.b[i]) ||
			    part->text.b[i] == ' ')
				break;
		if (i < part->text.len)
			fm_check_error(check, &part->at, FM_MSG_REWRITE_BLANK);
	}
	fm_check_query_mark(check, value);
}

/* Checks the value of `set url`, or the values of its map, once. */
static void
url_check(struct fm_check *check, const struct fm_value *value)
{
	struct fm_list_def *map = value->map_def;
	const struct fm_line *line;

	if (value->map == NULL) {
		if (fm_check_value_empty(value))
			fm_diag_warning(check->diag, &value->at,
			    FM_MSG_WARN_URL_EMPTY);
		else
			url_text_check(check, value);
		return;
	}
	if (map == NULL || map->of_url)
		return;
	map->of_url = true;
	for (line = map->lines; line != NULL; line = line->next)
		if (line->value != NULL)
			url_text_check(check, line->value);
	if (map->otherwise != NULL)
		url_text_check(check, map->otherwise);
}

static void
set_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_value *value = stmt->set.value;
	bool host = header_check(check, stmt->set.header, stmt->set.value);

	if (stmt->set.header == NULL)
		(void)fm_check_phase_has(check, FM_PHASES_REQUEST, "set url",
		    &stmt->at);
	fm_check_value(check, stmt->set.value);
	if (stmt->set.header == NULL && value != NULL)
		url_check(check, value);
	if (host && value != NULL && fm_check_value_empty(value))
		fm_diag_warning(check->diag, &value->at,
		    FM_MSG_WARN_HOST_GONE);
}

static void
offer_check(struct fm_check *check, const struct fm_word *offer)
{
	struct fm_text t = offer->text;
	bool word = t.len > 0;
	size_t i;

	if (fm_text_has(t, "${")) {
		fm_check_error(check, &offer->at, FM_MSG_OFFER_VALUE,
		    FM_SHOW(t));
		return;
	}
	for (i = 0; i < t.len; i++)
		if (fm_check_is_control(t.b[i]) || t.b[i] == ' ' ||
		    t.b[i] == ',')
			word = false;
	if (!word)
		fm_check_error(check, &offer->at, FM_MSG_OFFER,
		    FM_SHOW(t));
}

static void
normalize_check(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *offer;
	bool host = header_check(check, stmt->normalize.header, NULL);

	for (offer = stmt->normalize.offers.first; offer != NULL;
	    offer = offer->next)
		offer_check(check, offer);
	fm_check_slip_words(check, &stmt->normalize.offers, 0);
	fm_check_covered_words(check, FM_PATTERN_EXACT,
	    &stmt->normalize.offers, true);
	fm_check_value(check, stmt->normalize.otherwise);
	if (host && (stmt->normalize.otherwise == NULL ||
	    fm_check_value_empty(stmt->normalize.otherwise)))
		fm_diag_warning(check->diag, &stmt->normalize.header->at,
		    FM_MSG_WARN_HOST_GONE);
}

static void
rewrite_check(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *regex = stmt->rewrite.regex;
	const struct fm_word *to = stmt->rewrite.to;
	struct fm_place at;
	bool blank = false;
	unsigned group, groups;
	size_t i;

	if (check->phase != FM_PHASE_REQUEST && stmt->rewrite.header == NULL)
		(void)fm_check_phase_has(check, FM_PHASES_REQUEST, "rewrite",
		    &stmt->at);
	(void)header_check(check, stmt->rewrite.header, NULL);
	if (regex == NULL || to == NULL)
		return;
	fm_check_slip_rewrite(check, stmt);
	if (stmt->rewrite.header == NULL)
		fm_check_raw(check, regex, FM_PATTERN_REGEX, "");
	groups = fm_check_regex(check, regex, false, true);
	for (i = 0; i < to->text.len; i++) {
		at = fm_check_inside(to, i);
		if (stmt->rewrite.header == NULL &&
		    (fm_check_is_control(to->text.b[i]) ||
		    to->text.b[i] == ' ')) {
			if (!blank)
				fm_check_error(check, &at,
				    FM_MSG_REWRITE_BLANK);
			blank = true;
		}
		if (to->text.b[i] != '\\' || ++i == to->text.len)
			continue;
		group = (unsigned char)to->text.b[i] - (unsigned)'0';
		if (group <= 9 && group > groups)
			fm_diag_warning(check->diag, &at,
			    FM_MSG_WARN_REWRITE_GROUP, group);
	}
}

/* Returns true if a test around a statement asks for it, or one before it. */
static bool
is_asked(const struct fm_check *check, unsigned what)
{
	return (((check->asked | check->answered) & what) != 0);
}

static void
redirect_check(struct fm_check *check, struct fm_stmt *stmt)
{
	struct fm_value *to = stmt->redirect.to;
	unsigned errors;

	stmt->redirect.code = status_check(check, stmt->redirect.status, true);
	fm_check_value(check, to);
	errors = fm_diag_errors(check->diag);
	fm_check_location(check, to);
	if (to == NULL)
		return;
	if (fm_diag_errors(check->diag) == errors)
		fm_check_slip_redirect(check, to);
	if (check->any_host && !is_asked(check, FM_CHECK_ASKED_HOST) &&
	    fm_check_location_open(to))
		fm_diag_warning(check->diag, &stmt->at, FM_MSG_SLIP_OPEN_HOST);
	if (to->map_def != NULL)
		to->map_def->location = true;
	else if (fm_check_value_empty(to))
		fm_diag_warning(check->diag, &to->at, FM_MSG_WARN_REDIRECT);
}

bool
fm_check_redirects(const struct fm_stmt *redirect)
{
	const struct fm_value *to = redirect->redirect.to;

	if (to == NULL || to->map == NULL)
		return (!fm_check_value_empty(to));
	/* A map without a value for the request gives no redirect. */
	return (to->map_def != NULL && to->map_def->otherwise != NULL &&
	    !fm_check_value_empty(to->map_def->otherwise));
}

/* Returns true for a type, a slash, a subtype and parameters, if any. */
static bool
is_media_type(struct fm_text t)
{
	static const char tokens[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&-^_.+";
	size_t type, subtype, i;

	if (t.len == 0 || t.len > FM_LIMIT_TYPE)
		return (false);
	type = strspn(t.b, tokens);
	if (type == 0 || t.b[type] != '/')
		return (false);
	subtype = strspn(t.b + type + 1, tokens);
	if (subtype == 0)
		return (false);
	for (i = 0; i < t.len; i++)
		if (t.b[i] < ' ' || t.b[i] > '~')
			return (false);
	i = type + 1 + subtype;
	i += strspn(t.b + i, " ");
	return (i == t.len || t.b[i] == ';');
}

/* Warns of a text with the line ends of other languages. */
static void
answer_lines(struct fm_check *check, const struct fm_stmt *stmt)
{
	struct fm_text body = stmt->answer.body;
	const struct fm_word *type = stmt->answer.type;
	size_t i;

	if (stmt->answer.file != NULL ||
	    !fm_text_begins(type->text, "text/plain"))
		return;
	for (i = 0; i + 1 < body.len; i++)
		if (body.b[i] == '\\' &&
		    memchr("nrt", body.b[i + 1], 3) != NULL) {
			fm_diag_warning(check->diag, &type->at,
			    FM_MSG_SLIP_NEWLINE, body.b[i + 1]);
			return;
		}
}

/* Returns true if a body is one word, and looks like the name of a file. */
static bool
is_file_name(struct fm_text t)
{
	static const char * const ends[] = { "html", "htm", "txt", "json",
	    "xml", "css", "js", NULL };
	const char *dot = t.len == 0 ? NULL : memrchr(t.b, '.', t.len);
	size_t i;

	for (i = 0; i < t.len; i++)
		if (strchr(" <>{}\"\\", t.b[i]) != NULL)
			return (false);
	return (dot != NULL && fm_text_is_one_of(fm_text_span(dot + 1,
	    t.b + t.len), ends));
}

static void
answer_check(struct fm_check *check, struct fm_stmt *stmt)
{
	const struct fm_word *type = stmt->answer.type;
	struct fm_text body = stmt->answer.body;
	unsigned code = status_check(check, stmt->answer.status, false);

	stmt->answer.code = code;
	denial_count(check, code);
	if (code == 204 || code == 205 || code == 304)
		fm_check_error(check, &stmt->answer.status->at,
		    FM_MSG_ANSWER_BODY, code);
	if (is_redirect(code))
		fm_diag_warning(check->diag, &stmt->at, FM_MSG_SLIP_SYNTH,
		    "an answer", code);
	answer_lines(check, stmt);
	if (stmt->answer.file == NULL && is_file_name(body))
		fm_diag_warning(check->diag, &stmt->at, FM_MSG_SLIP_FILE,
		    FM_SHOW(body));
	if (!is_media_type(type->text))
		fm_check_word_error(check, type, FM_MSG_ANSWER_TYPE);
}

static void
unset_check(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *word;

	for (word = stmt->unset.headers.first; word != NULL;
	    word = word->next) {
		fm_check_header(check, FM_CHECK_HEADER_UNSET, word->text,
		    &word->at);
		fm_check_trusted(check, "unset", word, NULL);
	}
	fm_check_slip_words(check, &stmt->unset.headers,
	    FM_CHECK_NAMES | FM_CHECK_HEADER);
	fm_check_slip_unset(check, &stmt->unset.headers);
	fm_check_covered_words(check, FM_PATTERN_EXACT, &stmt->unset.headers,
	    true);
}

/* Warns of the tests of a `when` on which a denial depends. */
static void
denied_check(struct fm_check *check, const struct fm_stmt *when, bool not,
    bool refuses)
{
	const struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next)
		fm_check_denied(check, when, test,
		    not != (test->nots % 2 != 0), refuses);
}

/*--------------------------------------------------------------------
 * Whens
 */

/* Returns true if a header may say that the request came without TLS. */
static bool
is_of_scheme(struct fm_text name)
{
	static const char * const words[] = { "proto", "scheme", "ssl", "tls",
	    "https", "port", "visitor", "forwarded", "cookie", NULL };
	unsigned i;

	for (i = 0; words[i] != NULL; i++)
		if (fm_check_covers(FM_PATTERN_CONTAINS, fm_text_of(words[i]),
		    FM_PATTERN_EXACT, name, true))
			return (true);
	return (false);
}

/*
 * Returns FM_CHECK_ASKED_* bits for what a condition has asked in any case when
 * it is true; or, below an odd number of nots, when it is false.
 */
static unsigned
cond_asks(const struct fm_cond *cond, unsigned nots)
{
	if (cond == NULL)
		return (0);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		if ((cond->kind == FM_COND_AND) == (nots % 2 == 0))
			return (cond_asks(cond->left, nots) |
			    cond_asks(cond->right, nots));
		return (cond_asks(cond->left, nots) &
		    cond_asks(cond->right, nots));
	case FM_COND_NOT:
		return (cond_asks(cond->left, nots + 1));
	default:
		break;
	}
	if (cond->subject.kind == FM_SUBJECT_METHOD)
		return (FM_CHECK_ASKED_METHOD);
	/* Any host that a client names is present. */
	if (cond->subject.kind == FM_SUBJECT_HOST)
		return (nots % 2 == 0 && cond->kind != FM_COND_PRESENT ?
		    FM_CHECK_ASKED_HOST : 0);
	if (cond->subject.kind == FM_SUBJECT_CLIENT ||
	    cond->subject.kind == FM_SUBJECT_SCHEME)
		return (FM_CHECK_ASKED_WHO);
	if (cond->subject.kind != FM_SUBJECT_HEADER || cond->subject.agent)
		return (0);
	if (cond->kind == FM_COND_PRESENT && nots % 2 != 0 &&
	    fm_text_eq_nocase(cond->subject.name, fm_text_of("Set-Cookie")))
		return (FM_CHECK_ASKED_COOKIE);
	/* Rules may have set a header by the host. */
	return (nots % 2 != 0 || is_of_scheme(cond->subject.name) ?
	    FM_CHECK_ASKED_WHO : FM_CHECK_ASKED_WHO | FM_CHECK_ASKED_HOST);
}

bool
fm_check_is_grouped(const struct fm_cond *test)
{
	return (test->kind == FM_COND_MODE && test->nots == 0 &&
	    test->mode == FM_PATTERN_REGEX && test->operands.first != NULL);
}

/* Finds the regexes of a `when` that ${1} may be of. */
static void
scope_regexes(struct fm_check_scope *scope, const struct fm_stmt *when)
{
	const struct fm_cond *test = when->when.tests;

	scope->tests = test;
	for (; test != NULL; test = test->next) {
		if (!fm_check_is_grouped(test))
			continue;
		scope->of_host = test->subject.kind == FM_SUBJECT_HOST &&
		    (!scope->any || scope->of_host);
		scope->any = true;
		if (test->groups > scope->groups)
			scope->groups = test->groups;
	}
}

/*
 * Checks the condition and the block of a `when`.  Returns true if the block
 * ends the run, or leaves its own block: then statements after it are reached
 * with a false condition only.
 */
static bool
when_check_then(struct fm_check *check, const struct fm_stmt *when)
{
	const struct fm_check_scope *up = check->scope;
	struct fm_check_scope scope = { .any = false };
	unsigned asked = check->asked;
	bool ends;

	fm_check_cond(check, when);
	scope_regexes(&scope, when);
	if (scope.any)
		check->scope = &scope;
	check->asked |= cond_asks(when->when.cond, 0);
	ends = fm_check_block(check, when->when.then) != NULL;
	/* The blocks under `else` are reached where the condition is false. */
	check->asked = asked | cond_asks(when->when.cond, 1);
	if (ends)
		check->answered |= cond_asks(when->when.cond, 1);
	check->scope = up;
	return (ends);
}

/* Returns true if the last `else` of a chain ends the run. */
static bool
else_check(struct fm_check *check, const struct fm_stmt *first,
    const struct fm_stmt *last, bool then_ends)
{
	bool ends = fm_check_block(check, last->when.otherwise) != NULL;

	/* After a single `when` its condition was true. */
	if (ends && !then_ends && first == last)
		check->answered |= cond_asks(last->when.cond, 0);
	return (ends);
}

/* Checks a chain of whens.  Returns true if nothing after it is reached. */
static bool
when_check(struct fm_check *check, struct fm_stmt *stmt)
{
	unsigned denials, refusals, asked = check->asked;
	unsigned all_denials = check->denials;
	struct fm_stmt *when = stmt;
	bool ends = true, then_ends;

	/* A chain of `else when` may be longer than the stack is deep. */
	for (; when != NULL; when = fm_stmt_chained(when)) {
		denials = check->denials;
		refusals = check->refusals;
		then_ends = when_check_then(check, when);
		when->when.then_denies = check->denials > denials;
		when->when.then_refuses = check->refusals > refusals;
		when->when.refusals = check->refusals;
		ends &= then_ends;
		if (fm_stmt_chained(when) == NULL)
			ends &= else_check(check, stmt, when, then_ends);
	}
	stmt->when.denies = check->denials > all_denials;
	check->asked = asked;
	/* A denial depends on its condition, and on those before it. */
	for (when = stmt; when != NULL; when = fm_stmt_chained(when))
		if (when->when.then_denies)
			denied_check(check, when, false,
			    when->when.then_refuses);
		else if (check->refusals > when->when.refusals)
			denied_check(check, when, true, true);
	return (ends);
}

/* Checks a statement.  Returns true if it ends the run, or leaves the block. */
static bool
stmt_check(struct fm_check *check, struct fm_stmt *stmt)
{
	/* The parser has reported a block for responses in another one. */
	if ((fm_stmt_is_phase(stmt->kind) &&
	    check->phase != FM_PHASE_REQUEST) ||
	    !fm_check_stmt_phase(check, stmt))
		return (false);
	switch (stmt->kind) {
	case FM_STMT_KEY:
	case FM_STMT_FETCH:
	case FM_STMT_RESPONSE:
	case FM_STMT_DELIVERY:
		fm_check_phase(check, stmt);
		break;
	case FM_STMT_TTL:
	case FM_STMT_GRACE:
	case FM_STMT_KEEP:
	case FM_STMT_UNCACHEABLE:
	case FM_STMT_SET_COOKIE:
	case FM_STMT_VARY:
	case FM_STMT_CACHE_CONTROL:
	case FM_STMT_RETRY:
	case FM_STMT_PASS:
	case FM_STMT_BROWSER:
	case FM_STMT_CACHE_STATUS:
		fm_check_response_stmt(check, stmt);
		break;
	case FM_STMT_KEYED:
		fm_check_keyed(check, stmt);
		break;
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
		params_check(check, stmt);
		break;
	case FM_STMT_SET:
		set_check(check, stmt);
		fm_check_response_set(check, stmt);
		break;
	case FM_STMT_UNSET:
		unset_check(check, stmt);
		break;
	case FM_STMT_NORMALIZE:
		normalize_check(check, stmt);
		break;
	case FM_STMT_REWRITE:
		rewrite_check(check, stmt);
		break;
	case FM_STMT_BACKEND:
		fm_check_given(check, &check->backends, check->options !=
		    NULL && check->options->backends != NULL,
		    stmt->backend.name);
		break;
	case FM_STMT_LOG:
		fm_check_value(check, stmt->log.value);
		break;
	case FM_STMT_CALL:
		fm_check_call(check, stmt->call.name);
		break;
	case FM_STMT_BAN:
		fm_check_ban(check, stmt);
		if (!is_asked(check, FM_CHECK_ASKED_WHO))
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_BAN);
		break;
	case FM_STMT_SYNTH:
		stmt->synth.code = status_check(check, stmt->synth.status,
		    false);
		if (is_redirect(stmt->synth.code))
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_SLIP_SYNTH, "a synth", stmt->synth.code);
		denial_count(check, stmt->synth.code);
		reason_check(check, stmt->synth.reason);
		if (stmt->synth.value == NULL && stmt->synth.reason != NULL)
			fm_check_slip_text(check, stmt->synth.reason->text,
			    &stmt->synth.reason->at, false, false);
		fm_check_value(check, stmt->synth.value);
		break;
	case FM_STMT_ANSWER:
		answer_check(check, stmt);
		break;
	case FM_STMT_REDIRECT:
		redirect_check(check, stmt);
		return (fm_check_redirects(stmt));
	case FM_STMT_PURGE:
		if (!is_asked(check, FM_CHECK_ASKED_WHO))
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_PURGE);
		break;
	case FM_STMT_HASH:
		if (!is_asked(check, FM_CHECK_ASKED_METHOD))
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_SLIP_HASH);
		break;
	case FM_STMT_USE:
		stmt->use.ruleset = fm_check_find(check, &check->rulesets,
		    stmt->use.name);
		if (stmt->use.ruleset != NULL) {
			fm_check_use_phases(check, stmt);
			fm_check_used(check, stmt->use.ruleset, true);
		}
		/* Its rules are not looked into: they may ask for all. */
		check->answered = ~0U;
		return (false);
	case FM_STMT_WHEN:
		return (when_check(check, stmt));
	default:		/* one word is all of it */
		break;
	}
	return (fm_stmts[stmt->kind].ends >= FM_ENDS_BLOCK);
}

static bool
stmt_denies(const struct fm_stmt *stmt)
{
	return ((stmt->kind == FM_STMT_SYNTH &&
	    is_denial(stmt->synth.code)) ||
	    (stmt->kind == FM_STMT_ANSWER && is_denial(stmt->answer.code)));
}

/* Returns true if the block of a `when` ends the run, and denies nothing. */
static bool
when_lets_out(const struct fm_stmt *when)
{
	const struct fm_stmt *last = when->when.then == NULL ? NULL :
	    when->when.then->first;

	while (last != NULL && last->next != NULL)
		last = last->next;
	return (last != NULL && (last->kind == FM_STMT_REDIRECT ||
	    (fm_stmts[last->kind].ends >= FM_ENDS_BLOCK &&
	    fm_verdicts[fm_stmts[last->kind].verdict].status == 0)));
}

/* Warns of a `when` before a denial that decides who gets there. */
static void
denial_check(struct fm_check *check, const struct fm_block *block,
    const struct fm_stmt *denial)
{
	unsigned code = denial->kind == FM_STMT_SYNTH ? denial->synth.code :
	    denial->answer.code;
	const struct fm_stmt *stmt;

	for (stmt = block->first; stmt != denial; stmt = stmt->next)
		if (stmt->kind == FM_STMT_WHEN && !stmt->when.denies &&
		    when_lets_out(stmt))
			denied_check(check, stmt, true, code != 404);
}

/* Returns true if a statement brings blocks that run in a later phase. */
static bool
stmt_runs_later(const struct fm_stmt *stmt)
{

	return (fm_stmt_is_phase(stmt->kind) || (stmt->kind == FM_STMT_USE &&
	    stmt->use.ruleset != NULL && stmt->use.ruleset->phases != 0));
}

const struct fm_stmt *
fm_check_block(struct fm_check *check, const struct fm_block *block)
{
	const struct fm_stmt *end = NULL;
	struct fm_stmt *stmt;
	char where[FM_PLACE_LEN];
	bool told = false, ends;

	if (block == NULL)
		return (NULL);
	check->depth++;
	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		ends = stmt_check(check, stmt);
		if (end != NULL && !told && !stmt_runs_later(stmt)) {
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_WARN_UNREACHABLE, fm_stmt_word(end->kind),
			    fm_place_print(&end->at, where));
			told = true;
		}
		if (!ends || end != NULL)
			continue;
		end = stmt;
		if (stmt_denies(stmt))
			denial_check(check, block, stmt);
	}
	check->depth--;
	return (end);
}
