/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests and statements as a person would write them.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>
#include <stdint.h>

#include "model.h"
#include "tokens.h"

#define PRINT_CUT	"..."

/* What is printed so far; what is behind the end of the buffer is lost. */
struct print {
	char	*buf;
	size_t	len;
	bool	cut;
	XXH3_state_t *hash;	/* or NULL: into this instead */
	bool	mask;		/* no values of headers and cookies */
};

static void
print_bytes(struct print *print, const char *b, size_t len)
{
	size_t room = FM_MODEL_LINE - sizeof PRINT_CUT - print->len, i;
	char c;

	if (print->cut)
		return;
	if (print->hash != NULL) {
		(void)XXH3_64bits_update(print->hash, b, len);
		print->len += len;
		return;
	}
	if (len > room) {
		len = room;
		print->cut = true;
	}
	for (i = 0; i < len; i++) {
		c = b[i];
		/* It is one line, whatever a text has in it. */
		if ((unsigned char)c < ' ' || c == 0x7f)
			c = c == '\t' ? ' ' : '?';
		print->buf[print->len++] = c;
	}
}

static void
print_str(struct print *print, const char *s)
{
	print_bytes(print, s, strlen(s));
}

/* Starts a line, or another word of it. */
static void
print_word(struct print *print, const char *s)
{
	if (print->len > 0)
		print_str(print, " ");
	print_str(print, s);
}

static const char *
print_end(struct print *print)
{
	if (print->cut) {
		/* Not in the middle of a character of UTF-8. */
		while (print->len > 0 &&
		    ((unsigned char)print->buf[print->len - 1] & 0xc0) == 0x80)
			print->len--;
		if (print->len > 0 &&
		    (unsigned char)print->buf[print->len - 1] >= 0xc0)
			print->len--;
		memcpy(print->buf + print->len, PRINT_CUT, sizeof PRINT_CUT);
	} else {
		print->buf[print->len] = '\0';
	}
	return (print->buf);
}

/*--------------------------------------------------------------------
 * Words
 */

static bool
print_is_bare(struct fm_text t)
{
	size_t i;

	if (t.len == 0)
		return (false);
	/* What starts a token of its own, or a comment. */
	if (t.b[0] == '=' || t.b[0] == '~' || t.b[0] == '#' ||
	    (t.len >= 2 && t.b[0] == '-' && t.b[1] == '>'))
		return (false);
	for (i = 0; i < t.len; i++)
		if ((unsigned char)t.b[i] <= ' ' || t.b[i] == 0x7f ||
		    strchr("\"';{}()[]", t.b[i]) != NULL)
			return (false);
	return (fm_reserved_word(t) == NULL);
}

static void
print_text(struct print *print, struct fm_text t, bool quoted)
{
	size_t i;

	print_str(print, " ");
	if (!quoted && print_is_bare(t)) {
		print_bytes(print, t.b, t.len);
		return;
	}
	print_str(print, "\"");
	for (i = 0; i < t.len && !print->cut; i++) {
		/* A backslash stands for itself unless these follow. */
		if (t.b[i] == '"' || (t.b[i] == '\\' && (i + 1 == t.len ||
		    t.b[i + 1] == '"' || t.b[i + 1] == '\\')))
			print_str(print, "\\");
		print_bytes(print, t.b + i, 1);
	}
	print_str(print, "\"");
}

/* A name, where any word is one. */
static void
print_name(struct print *print, struct fm_text t)
{
	const char *word = fm_reserved_word(t);

	if (word != NULL)
		print_word(print, word);
	else
		print_text(print, t, false);
}

static void
print_words(struct print *print, const struct fm_words *words)
{
	const struct fm_word *word;

	for (word = words->first; word != NULL && !print->cut;
	    word = word->next)
		print_text(print, word->text, word->quoted);
}

/* Without the slashes that the parser has put behind them. */
static void
print_below(struct print *print, const struct fm_words *words)
{
	const struct fm_word *word;
	struct fm_text t;

	for (word = words->first; word != NULL && !print->cut;
	    word = word->next) {
		t = word->text;
		t.len -= t.len > 1;
		print_text(print, t, word->quoted);
	}
}

static void
print_subject(struct print *print, const struct fm_subject *subject)
{
	if (subject->agent) {
		print_str(print, "agent");
		return;
	}
	print_str(print, fm_subject_word(subject->kind));
	if (subject->kind == FM_SUBJECT_QUERY ||
	    subject->kind == FM_SUBJECT_COOKIE ||
	    subject->kind == FM_SUBJECT_HEADER)
		print_name(print, subject->name);
}

static void
print_value(struct print *print, const struct fm_value *value)
{
	if (value->map == NULL) {
		print_text(print, value->raw,
		    memmem(value->raw.b, value->raw.len, "${", 2) != NULL);
		return;
	}
	print_text(print, value->map->text, false);
	print_str(print, "(");
	print_subject(print, &value->subject);
	print_str(print, ")");
}

const char *
fm_mode_word(enum fm_pattern_kind mode)
{
	static const char * const words[] = {
		[FM_PATTERN_CONTAINS] = "contains",
		[FM_PATTERN_EXACT] = "is",
		[FM_PATTERN_PREFIX] = "begins",
		[FM_PATTERN_SUFFIX] = "ends",
		[FM_PATTERN_GLOB] = "like",
		[FM_PATTERN_REGEX] = "~",
	};

	assert(mode < sizeof words / sizeof words[0]);
	return (words[mode]);
}

const char *
fm_line_word(const struct fm_list_line *line)
{
	return (line->in ? "in" : fm_mode_word(line->mode));
}

const char *
fm_stmt_word(enum fm_stmt_kind kind)
{
	static const char * const words[FM_STMT__KINDS] = {
		[FM_STMT_QUERY] = "query",
		[FM_STMT_COOKIE] = "cookie",
		[FM_STMT_SET] = "set",
		[FM_STMT_UNSET] = "unset",
		[FM_STMT_NORMALIZE] = "normalize",
		[FM_STMT_REWRITE] = "rewrite",
		[FM_STMT_BACKEND] = "backend",
		[FM_STMT_PASS] = "pass",
		[FM_STMT_PIPE] = "pipe",
		[FM_STMT_HASH] = "hash",
		[FM_STMT_PURGE] = "purge",
		[FM_STMT_SYNTH] = "synth",
		[FM_STMT_ANSWER] = "answer",
		[FM_STMT_REDIRECT] = "redirect",
		[FM_STMT_STOP] = "stop",
		[FM_STMT_BUILTIN] = "builtin",
		[FM_STMT_USE] = "use",
		[FM_STMT_WHEN] = "when",
	};

	assert(kind < FM_STMT__KINDS);
	return (words[kind]);
}

const char *
fm_subject_word(enum fm_subject_kind kind)
{
	static const char * const words[] = {
		[FM_SUBJECT_URL] = "url",
		[FM_SUBJECT_PATH] = "path",
		[FM_SUBJECT_CLEAN_PATH] = "clean path",
		[FM_SUBJECT_HOST] = "host",
		[FM_SUBJECT_METHOD] = "method",
		[FM_SUBJECT_QUERY] = "query",
		[FM_SUBJECT_COOKIE] = "cookie",
		[FM_SUBJECT_HEADER] = "header",
		[FM_SUBJECT_CLIENT] = "client",
	};

	assert(kind < sizeof words / sizeof words[0]);
	return (words[kind]);
}

/*--------------------------------------------------------------------
 * Conditions
 */

static bool
is_private(const struct fm_subject *subject)
{
	return (subject->kind == FM_SUBJECT_HEADER ||
	    subject->kind == FM_SUBJECT_COOKIE);
}

static void
print_operands(struct print *print, const struct fm_cond *cond)
{
	if (print->mask && is_private(&cond->subject))
		print_word(print, FM_MODEL_MASK);
	else if (cond->below)
		print_below(print, &cond->operands);
	else
		print_words(print, &cond->operands);
}

static void
print_test(struct print *print, const struct fm_cond *cond)
{
	if (cond->kind == FM_COND_NAMES && cond->list != NULL) {
		print_str(print, fm_subject_word(cond->subject.kind));
		print_word(print, "in");
		print_text(print, cond->list->text, false);
		print_word(print, "present");
		return;
	}
	print_subject(print, &cond->subject);
	switch (cond->kind) {
	case FM_COND_MODE:
		if (cond->nocase)
			print_word(print, "nocase");
		print_word(print, cond->below ? "below" :
		    fm_mode_word(cond->mode));
		print_operands(print, cond);
		break;
	case FM_COND_IN:
		print_word(print, "in");
		print_text(print, cond->list->text, false);
		break;
	case FM_COND_NETS:
		print_word(print, "in");
		print_words(print, &cond->operands);
		break;
	default:
		print_word(print, "present");
	}
}

/*
 * With the parentheses that the meaning needs.  How deep this goes, the
 * parser limits; how long a chain of `and` and `or` is, too, and what is
 * longer than the line is not visited.
 */
static void
print_cond(struct print *print, const struct fm_cond *cond,
    enum fm_cond_kind within)
{
	bool parens;

	if (print->cut)
		return;
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
		parens = within == FM_COND_NOT ||
		    (within == FM_COND_AND && cond->kind == FM_COND_OR);
		if (parens)
			print_str(print, "(");
		print_cond(print, cond->left, cond->kind);
		print_str(print, cond->kind == FM_COND_OR ? " or " : " and ");
		print_cond(print, cond->right, cond->kind);
		if (parens)
			print_str(print, ")");
		break;
	case FM_COND_NOT:
		print_str(print, "not ");
		print_cond(print, cond->left, FM_COND_NOT);
		break;
	default:
		print_test(print, cond);
	}
}

const char *
fm_model_print_test(const struct fm_cond *cond, bool mask,
    char buf[FM_MODEL_LINE])
{
	struct print print = { .buf = buf, .mask = mask };

	assert(cond != NULL);
	print_test(&print, cond);
	return (print_end(&print));
}

/*--------------------------------------------------------------------
 * Statements
 */

static void
print_params(struct print *print, const struct fm_stmt *stmt)
{
	static const char * const words[] = {
		[FM_PARAMS_WHAT_DROP] = "drop",
		[FM_PARAMS_WHAT_KEEP] = "keep",
		[FM_PARAMS_WHAT_SORT] = "sort",
		[FM_PARAMS_WHAT_UNIQUE] = "unique",
		[FM_PARAMS_WHAT_CLEAN] = "clean",
	};

	assert(stmt->params.what < sizeof words / sizeof words[0]);
	print_word(print, words[stmt->params.what]);
	if (stmt->params.list != NULL) {
		print_word(print, "in");
		print_text(print, stmt->params.list->text, false);
	} else {
		print_words(print, &stmt->params.names);
	}
}

static void
print_normalize(struct print *print, const struct fm_stmt *stmt)
{
	print_name(print, stmt->normalize.header->text);
	print_word(print, "to");
	if (stmt->normalize.named)
		print_word(print, "named");
	print_words(print, &stmt->normalize.offers);
	if (stmt->normalize.otherwise != NULL) {
		print_word(print, "else");
		print_value(print, stmt->normalize.otherwise);
	}
}

static void
print_synth(struct print *print, const struct fm_stmt *stmt)
{
	print_text(print, stmt->synth.status->text, false);
	if (stmt->synth.reason != NULL)
		print_text(print, stmt->synth.reason->text, true);
}

static void
print_answer(struct print *print, const struct fm_stmt *stmt)
{
	print_text(print, stmt->answer.status->text, false);
	print_text(print, stmt->answer.type->text, true);
	if (stmt->answer.file != NULL) {
		print_word(print, "from");
		print_text(print, stmt->answer.file->text, true);
	} else {
		print_text(print, stmt->answer.body, true);
	}
}

/* What follows the statement's first word. */
static void
print_rest(struct print *print, const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
		print_params(print, stmt);
		break;
	case FM_STMT_SET:
		print_name(print, stmt->set.header->text);
		print_word(print, "=");
		print_value(print, stmt->set.value);
		break;
	case FM_STMT_UNSET:
		print_words(print, &stmt->unset.headers);
		break;
	case FM_STMT_NORMALIZE:
		print_normalize(print, stmt);
		break;
	case FM_STMT_REWRITE:
		if (stmt->rewrite.all)
			print_word(print, "all");
		print_word(print, "~");
		print_text(print, stmt->rewrite.regex->text, true);
		print_word(print, "to");
		print_text(print, stmt->rewrite.to->text, true);
		break;
	case FM_STMT_BACKEND:
		print_name(print, stmt->backend.name->text);
		break;
	case FM_STMT_SYNTH:
		print_synth(print, stmt);
		break;
	case FM_STMT_ANSWER:
		print_answer(print, stmt);
		break;
	case FM_STMT_REDIRECT:
		print_text(print, stmt->redirect.status->text, false);
		print_value(print, stmt->redirect.to);
		break;
	case FM_STMT_USE:
		print_text(print, stmt->use.name->text, false);
		break;
	case FM_STMT_WHEN:
		print_str(print, " ");
		print_cond(print, stmt->when.cond, FM_COND_OR);
		break;
	default:	/* the others are one word */
		break;
	}
}

const char *
fm_model_print_stmt(const struct fm_stmt *stmt, bool mask,
    char buf[FM_MODEL_LINE])
{
	struct print print = { .buf = buf, .mask = mask };

	assert(stmt != NULL);
	print_word(&print, fm_stmt_word(stmt->kind));
	print_rest(&print, stmt);
	return (print_end(&print));
}

uint64_t
fm_model_hash_stmt(const struct fm_stmt *stmt, uint64_t seed)
{
	XXH3_state_t state;
	struct print print = { .hash = &state };

	assert(stmt != NULL);
	(void)XXH3_64bits_reset(&state);
	(void)XXH3_64bits_update(&state, &seed, sizeof seed);
	print_word(&print, fm_stmt_word(stmt->kind));
	print_rest(&print, stmt);
	return (XXH3_64bits_digest(&state));
}
