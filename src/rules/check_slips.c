/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slips: what is valid, and comes of another language, or of a hasty hand.
 * Warnings only, each with what was probably meant.
 */

#include "addrs.h"
#include "check_priv.h"

#define SLIP(check, word, message)					\
	fm_diag_warning((check)->diag, &(word)->at, (message),		\
	    FM_CHECK_QUOTE((word)->text))

/* Returns true if the text has quotes as word processors write them. */
static bool
has_curly_quote(struct fm_text t)
{
	size_t i;

	for (i = 0; i + 2 < t.len; i++)
		if (t.b[i] == '\xe2' && t.b[i + 1] == '\x80' &&
		    (unsigned char)t.b[i + 2] >= 0x98 &&
		    (unsigned char)t.b[i + 2] <= 0x9f)
			return (true);
	return (false);
}

void
fm_check_slip_words(struct fm_check *check, const struct fm_words *words,
    bool names)
{
	const struct fm_word *word;
	const char *comma;

	for (word = words->first; word != NULL; word = word->next) {
		if (word->quoted || word->text.len < 2)
			continue;
		comma = memchr(word->text.b, ',', word->text.len);
		if (comma != NULL && (names ||
		    comma == word->text.b + word->text.len - 1))
			SLIP(check, word, FM_MSG_SLIP_COMMA);
		else if (has_curly_quote(word->text))
			fm_diag_warning(check->diag, &word->at,
			    FM_MSG_SLIP_QUOTE);
	}
}

/*--------------------------------------------------------------------
 * Names of VCL
 */

static bool
begins_as(struct fm_text t, const char *prefix, struct fm_text *rest)
{
	size_t len = strlen(prefix);

	if (!fm_text_begins(t, prefix))
		return (false);
	*rest = fm_text(t.b + len, t.len - len);
	return (true);
}

static bool
is_one_of(struct fm_text t, const char * const *words)
{
	for (; *words != NULL; words++)
		if (fm_text_eq(t, fm_text_of(*words)))
			return (true);
	return (false);
}

void
fm_check_slip_header(struct fm_check *check, struct fm_text name, bool set,
    const struct fm_place *at)
{
	static const char * const objects[] = { "req.http.", "bereq.http.",
	    NULL };
	static const char * const others[] = { "req.", "bereq.", "resp.",
	    "beresp.", "obj.", "client.", "server.", NULL };
	static const char * const words[] = { "url", "path", "query",
	    "method", "ttl", "grace", "keep", "status", "reason", "body",
	    "uncacheable", NULL };
	struct fm_text rest;
	size_t i;

	for (i = 0; objects[i] != NULL; i++)
		if (begins_as(name, objects[i], &rest) && rest.len > 0) {
			fm_diag_warning(check->diag, at, FM_MSG_SLIP_VCL,
			    FM_CHECK_QUOTE(name), FM_CHECK_QUOTE(rest));
			return;
		}
	for (i = 0; others[i] != NULL; i++)
		if (begins_as(name, others[i], &rest)) {
			fm_diag_warning(check->diag, at, FM_MSG_SLIP_VARIABLE,
			    FM_CHECK_QUOTE(name));
			return;
		}
	if (set && is_one_of(name, words))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_SET,
		    FM_CHECK_QUOTE(name));
}

/* Returns true if a header may well be called so, in small letters. */
static bool
is_like_header(struct fm_text t)
{
	static const char * const words[] = { "accept", "authorization",
	    "expect", "forwarded", "from", "origin", "pragma", "range",
	    "referer", "te", "via", NULL };

	return (memchr(t.b, '-', t.len) != NULL || is_one_of(t, words));
}

/* `unset cookie session`: what is behind the first word is no header. */
void
fm_check_slip_unset(struct fm_check *check, const struct fm_words *headers)
{
	const struct fm_word *first = headers->first, *word;

	if (first == NULL || first->next == NULL || first->quoted)
		return;
	if (fm_text_eq(first->text, fm_text_of("header")))
		SLIP(check, first, FM_MSG_SLIP_UNSET_HEADER);
	for (word = first->next; word != NULL; word = word->next)
		if (word->text.len == 0 || is_like_header(word->text))
			return;
	if (fm_text_eq(first->text, fm_text_of("cookie")))
		SLIP(check, first, FM_MSG_SLIP_UNSET_COOKIE);
	else if (fm_text_eq(first->text, fm_text_of("query")))
		SLIP(check, first, FM_MSG_SLIP_UNSET_QUERY);
}

/*--------------------------------------------------------------------
 * Dollars and backslashes
 */

static bool
is_letter(char c)
{
	return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_');
}

static bool
is_digit(char c)
{
	return (c >= '0' && c <= '9');
}

/* Returns a `$name` or `\1` in a text that was meant as a value, or nothing. */
static struct fm_text
meant_value(struct fm_text t, bool groups)
{
	static const char * const names[] = { "url", "uri", "request_uri",
	    "host", "http_host", "server_name", "path", "query",
	    "query_string", "args", "is_args", "scheme", "remote_addr",
	    "request_method", "method", "client", NULL };
	struct fm_text name;
	size_t i, n;

	for (i = 0; i + 1 < t.len; i++) {
		if (groups && (t.b[i] == '$' || t.b[i] == '\\') &&
		    is_digit(t.b[i + 1]))
			return (fm_text(t.b + i, 2));
		for (n = i + 1; n < t.len && is_letter(t.b[n]); n++)
			continue;
		name = fm_text(t.b + i + 1, n - i - 1);
		if (t.b[i] == '$' && is_one_of(name, names))
			return (fm_text(t.b + i, n - i));
	}
	return (fm_text(NULL, 0));
}

/* The text of a value, or a part of it. */
void
fm_check_slip_text(struct fm_check *check, struct fm_text t,
    const struct fm_place *at)
{
	struct fm_text meant;

	if (check->broken || t.len == 0)
		return;
	meant = meant_value(t, check->scope != NULL || check->in_map);
	if (meant.b != NULL)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_DOLLAR,
		    FM_CHECK_QUOTE(meant));
	else if (has_curly_quote(fm_text(t.b, t.len < 3 ? t.len : 3)))
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_QUOTE);
}

void
fm_check_slip_rewrite(struct fm_check *check, const struct fm_word *to)
{
	struct fm_text t = to->text;
	size_t i;

	for (i = 0; i + 1 < t.len; i++)
		if (t.b[i] == '$' && (is_digit(t.b[i + 1]) ||
		    is_letter(t.b[i + 1]) || t.b[i + 1] == '{')) {
			fm_diag_warning(check->diag, &to->at,
			    FM_MSG_SLIP_REWRITE);
			return;
		}
}

/*--------------------------------------------------------------------
 * Names and values that never fit
 */

static bool
is_lower_word(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] < 'a' || t.b[i] > 'z')
			return (false);
	return (t.len > 0);
}

/*
 * Returns true if a regex on the host needs a letter that no host has: of a
 * plain one that is sure.
 */
static bool
needs_upper(struct fm_text t)
{
	bool upper = false;
	size_t i;

	for (i = 0; i < t.len; i++) {
		if (t.b[i] >= 'A' && t.b[i] <= 'Z')
			upper = true;
		else if (t.b[i] == '\\' && i + 1 < t.len &&
		    !is_letter(t.b[i + 1]) && !is_digit(t.b[i + 1]))
			i++;
		else if (!is_letter(t.b[i]) && !is_digit(t.b[i]) &&
		    strchr("^$.-", t.b[i]) == NULL)
			return (false);
	}
	return (upper);
}

void
fm_check_slip_test(struct fm_check *check, const struct fm_cond *test)
{
	bool regex = test->mode == FM_PATTERN_REGEX;
	const struct fm_word *word;
	struct fm_text t;

	for (word = test->operands.first; word != NULL; word = word->next) {
		t = word->text;
		if (test->subject.kind == FM_SUBJECT_METHOD && !regex &&
		    !test->nocase && is_lower_word(t))
			SLIP(check, word, FM_MSG_SLIP_METHOD);
		else if (test->subject.kind == FM_SUBJECT_HOST && regex &&
		    !test->nocase && needs_upper(t))
			SLIP(check, word, FM_MSG_SLIP_HOST_CASE);
		else if (regex && t.len > 2 && t.b[0] == '/' &&
		    t.b[1] == '^')
			SLIP(check, word, FM_MSG_SLIP_SLASHES);
	}
}

/* Returns the first of a few networks with a prefix, or NULL. */
static const struct fm_word *
network_find(const struct fm_words *words)
{
	const struct fm_word *word = words->first;
	unsigned n = 0;

	for (; word != NULL && n < 100; word = word->next, n++)
		if (memchr(word->text.b, '/', word->text.len) != NULL &&
		    fm_network_is_like(word->text))
			return (word);
	return (NULL);
}

void
fm_check_slip_networks(struct fm_check *check, const struct fm_words *words)
{
	const struct fm_word *word = network_find(words);

	if (word != NULL)
		SLIP(check, word, FM_MSG_SLIP_NETWORK);
}

void
fm_check_slip_list(struct fm_check *check, const struct fm_cond *test)
{
	const struct fm_list_line *line = test->list_def->lines;

	if (line != NULL && line->mode == FM_PATTERN_EXACT &&
	    network_find(&line->operands) != NULL)
		fm_diag_warning(check->diag, &test->list->at,
		    FM_MSG_SLIP_NETWORKS, FM_CHECK_QUOTE(test->list->text));
}

/*--------------------------------------------------------------------
 * Redirects
 */

void
fm_check_slip_synth(struct fm_check *check, const struct fm_stmt *stmt)
{
	bool answer = stmt->kind == FM_STMT_ANSWER;
	unsigned code = answer ? stmt->answer.code : stmt->synth.code;

	switch (code) {
	case 301:
	case 302:
	case 303:
	case 307:
	case 308:
		fm_diag_warning(check->diag, &stmt->at, FM_MSG_SLIP_SYNTH,
		    answer ? "an answer" : "a synth", code);
		break;
	default:
		break;
	}
}

/* Returns the host that a value names in its text, or nothing. */
static struct fm_text
named_host(const struct fm_value *value)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;
	struct fm_text t = fm_text("", 0);
	const char *host;

	if (part == NULL || part->kind != FM_PART_TEXT ||
	    part->next == NULL || (part->next->kind != FM_PART_URL &&
	    part->next->kind != FM_PART_PATH))
		return (t);
	host = memmem(part->text.b, part->text.len, "://", 3);
	if (host != NULL)
		t = fm_text_span(host + 3, part->text.b + part->text.len);
	return (t);
}

/* A redirect of all that a host gets to this very host never ends. */
void
fm_check_slip_site(struct fm_check *check, const struct fm_site *site)
{
	const struct fm_stmt *stmt;

	if (site->block == NULL || site->label.len == 0)
		return;
	for (stmt = site->block->first; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_STMT_REDIRECT && fm_text_eq_nocase(
		    named_host(stmt->redirect.to), site->label))
			fm_diag_warning(check->diag, &stmt->at,
			    FM_MSG_SLIP_ENDLESS, FM_CHECK_QUOTE(site->label));
}

/* The text of a map's value that is nothing else. */
static struct fm_text
plain_value(const struct fm_value *value)
{
	const struct fm_part *part = value->parts;

	if (part == NULL || part->kind != FM_PART_TEXT || part->next != NULL)
		return (fm_text("", 0));
	return (part->text);
}

#define CIRCLE_STEPS	16	/* longer ones are not looked for */

/* Returns true if the values lead from a word to itself. */
static bool
is_circle(const struct fm_check_table *table, struct fm_text start,
    const struct fm_map_line *line)
{
	struct fm_text t;
	unsigned n;

	for (n = 0; n < CIRCLE_STEPS && line != NULL; n++) {
		t = plain_value(line->value);
		if (table->nocase ? fm_text_eq_nocase(t, start) :
		    fm_text_eq(t, start))
			return (true);
		line = fm_check_table_find(table, t, 0);
	}
	return (false);
}

void
fm_check_slip_circle(struct fm_check *check, const struct fm_map_def *map)
{
	struct fm_check_table table = { .nocase = map->nocase };
	const struct fm_word *word;
	struct fm_map_line *line;
	void *first;
	bool told = false;

	for (line = map->lines; line != NULL; line = line->next) {
		if (line->matches->next != NULL || line->matches->negated ||
		    line->matches->mode != FM_PATTERN_EXACT)
			continue;
		for (word = line->matches->operands.first; word != NULL;
		    word = word->next)
			if (fm_check_table_add(&table, word->text, 0, line,
			    &first) != 0)
				fm_check_memory(check);
	}
	for (line = map->lines; line != NULL && !told; line = line->next)
		for (word = line->matches->operands.first; word != NULL &&
		    !told; word = word->next)
			if (fm_check_table_find(&table, word->text, 0) ==
			    line && is_circle(&table, word->text, line)) {
				fm_diag_warning(check->diag, &line->at,
				    FM_MSG_SLIP_CIRCLE,
				    FM_CHECK_QUOTE(word->text));
				told = true;
			}
	fm_check_table_fini(&table);
}
