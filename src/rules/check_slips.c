/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slips: what is valid, and comes of another language, or of a hasty hand.
 * Warnings only, each with what was probably meant.
 */

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
	    "resp.http.", "beresp.http.", "obj.http.", NULL };
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

void
fm_check_slip_unset(struct fm_check *check, const struct fm_words *headers)
{
	static const char * const words[] = { "cookie", "query", "header",
	    NULL };
	const struct fm_word *first = headers->first;

	if (first == NULL || first->next == NULL || first->quoted ||
	    !is_one_of(first->text, words))
		return;
	if (*first->text.b == 'h')
		SLIP(check, first, FM_MSG_SLIP_UNSET_HEADER);
	else
		SLIP(check, first, FM_MSG_SLIP_UNSET_NAMES);
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

/* The text of a value, or a part of it. */
void
fm_check_slip_text(struct fm_check *check, struct fm_text t,
    const struct fm_place *at)
{
	size_t i;

	for (i = 0; i + 1 < t.len; i++) {
		if (t.b[i] == '$' && (is_letter(t.b[i + 1]) ||
		    is_digit(t.b[i + 1]) || t.b[i + 1] == '{'))
			break;
		if (t.b[i] == '\\' && is_digit(t.b[i + 1]))
			break;
	}
	if (i + 1 < t.len)
		fm_diag_warning(check->diag, at, FM_MSG_SLIP_DOLLAR,
		    t.b[i], t.b[i + 1]);
	else if (has_curly_quote(t))
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
 * What never fits
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

/* Returns true if a regex on the host has a letter that no host has. */
static bool
has_upper(struct fm_text t)
{
	size_t i;

	if (memmem(t.b, t.len, "(?i", 3) != NULL)
		return (false);
	for (i = 0; i < t.len; i++) {
		if (t.b[i] == '\\')
			i++;
		else if (t.b[i] >= 'A' && t.b[i] <= 'Z')
			return (true);
	}
	return (false);
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
		    !test->nocase && t.len > 0 && has_upper(t))
			SLIP(check, word, FM_MSG_SLIP_HOST_CASE);
		else if (regex && t.len > 2 && t.b[0] == '/' &&
		    t.b[1] == '^')
			SLIP(check, word, FM_MSG_SLIP_SLASHES);
	}
}
