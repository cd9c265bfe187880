/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a syntax error says: in the words of the language, and with what is
 * probably meant.
 */

#include <stdio.h>

#include "distance.h"
#include "grammar.h"
#include "utf8.h"

/*--------------------------------------------------------------------
 * What stands in the file
 */

/* The number of a character that nobody sees; 0: it is another one. */
static unsigned
unseen(struct fm_text character)
{
	static const struct { unsigned first, last; } ranges[] = {
		{ 0xa0, 0xa0 }, { 0xad, 0xad }, { 0x2000, 0x200f },
		{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
		{ 0xfeff, 0xfeff }
	};
	unsigned code = (unsigned char)character.b[0];
	size_t i;

	if (character.len < 2 || character.len > 3)
		return (0);
	code &= character.len == 2 ? 0x1f : 0x0f;
	for (i = 1; i < character.len; i++)
		code = code << 6 | ((unsigned char)character.b[i] & 0x3f);
	for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return (code);
	return (0);
}

/* What nobody sees is there by its number; no character is shown in part. */
static const char *
bytes_shown(struct fm_text text, const char *before, const char *behind,
    char buf[FM_SHOWN_LEN])
{
	const size_t most = FM_SHOWN_LEN - 8;
	char *to = stpcpy(buf, before);
	struct fm_text one;
	char shown[16];
	unsigned code;
	size_t at;

	for (at = 0; at < text.len; at += one.len) {
		one = fm_text(text.b + at, text.len - at);
		one.len = fm_utf8_length(one.b, one.len);
		if (one.len == 0)
			one.len = 1;
		code = unseen(one);
		if (code != 0)
			(void)snprintf(shown, sizeof shown, "\\u{%X}", code);
		else
			(void)snprintf(shown, sizeof shown, "%.*s",
			    (int)one.len, one.b);
		if ((size_t)(to - buf) + strlen(shown) > most)
			break;
		to = stpcpy(to, shown);
	}
	(void)stpcpy(stpcpy(to, at < text.len ? "..." : ""), behind);
	return (buf);
}

const char *
fm_text_shown(struct fm_text text, char buf[FM_SHOWN_LEN])
{

	return (bytes_shown(text, "", "", buf));
}

static struct fm_text
span_text(const struct fm_reader *reader, const struct fm_span *span)
{

	return (fm_text(reader->bytes + span->start, span->end - span->start));
}

const char *
fm_reader_bytes(const struct fm_reader *reader, const struct fm_span *span,
    char buf[FM_SHOWN_LEN])
{

	return (fm_text_shown(span_text(reader, span), buf));
}

const char *
fm_reader_shown(const struct fm_reader *reader, const struct fm_span *span,
    char buf[FM_SHOWN_LEN])
{
	struct fm_text text = span_text(reader, span);

	if (text.len == 0)
		return ("the end of the file");
	if (text.b[0] == '"')
		return (fm_text_shown(text, buf));
	return (bytes_shown(text, "'", "'", buf));
}

/*--------------------------------------------------------------------
 * What was expected
 */

#define EXPECTED_LEN	300	/* bytes */
#define EXPECTED_MOST	80	/* names */

struct expected {
	const char * const	*names;
	unsigned		n;
	char			text[EXPECTED_LEN];
	size_t			len;
	char			hint[64];
};

static bool
expected_has(const struct expected *expected, const char *name)
{
	unsigned i;

	for (i = 0; i < expected->n; i++)
		if (strcmp(expected->names[i], name) == 0)
			return (true);
	return (false);
}

static bool
name_is_one_of(const char *name, const char * const *names)
{

	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return (true);
	return (false);
}

static const char * const reserved_names[] = {
	"and", "or", "not", "in", "use", "else", "present", "nocase", "is",
	"begins", "ends", "contains", "like", NULL
};

static const char * const item_names[] = {
	"include", "list", "map", "ruleset", "always", "finally", "undecided",
	"repeated", "client", "host", "hosts", "default", NULL
};

static const char * const stmt_names[] = {
	"query", "cookie", "set", "unset", "normalize", "rewrite", "backend",
	"pass", "pipe", "hash", "purge", "synth", "redirect", "stop", "builtin",
	"when", NULL
};

/* With those that are reserved elsewhere. */
static const char * const block_names[] = {
	"query", "cookie", "set", "unset", "normalize", "rewrite", "backend",
	"pass", "pipe", "hash", "purge", "synth", "answer", "redirect",
	"stop", "builtin", "use", "when", NULL
};

static const char * const test_names[] = {
	"not", "(", "url", "path", "clean", "host", "method", "agent", "query",
	"cookie", "header", "client", "a condition", NULL
};

static const char * const word_names[] = {
	"a string in quotes", "from", "ignore", "first", "drop", "keep", "sort",
	"unique", "to", "all", "url", "path", "clean", "method", "agent",
	"header", "client", "below", "trust", NULL
};

/* Many names that mean one thing: the first of them that is all there. */
static const struct group {
	const char		*sign;		/* is expected */
	const char		*unless;	/* is not */
	const char * const	*names;
	const char		*text;
} groups[] = {
	{ "pass", "a word", block_names, "a statement" },
	{ "ruleset", "a word", item_names, "an item (include, list, map, "
	    "ruleset, always, finally, undecided, repeated, client, host, "
	    "hosts or default)" },
	{ "(", "a word", test_names, "a test" },
	{ "url", "a word", test_names, "a subject (url, path, clean path, "
	    "host, method, agent, query, cookie, header or client)" },
};

static void
expected_add(struct expected *expected, const char *name, bool quoted,
    bool last)
{
	size_t room = sizeof expected->text - expected->len;
	int n;

	n = snprintf(expected->text + expected->len, room, "%s%s%s%s",
	    expected->len == 0 ? "" : last ? " or " : ", ",
	    quoted ? "'" : "", name, quoted ? "'" : "");
	if (n > 0)
		expected->len += (size_t)n < room ? (size_t)n : room - 1;
}

/* Whether a name is covered by "a word". */
static bool
expected_in_word(const struct expected *expected, const char *name)
{

	if (!expected_has(expected, "a word"))
		return (false);
	if (name_is_one_of(name, word_names) ||
	    name_is_one_of(name, item_names) ||
	    name_is_one_of(name, stmt_names))
		return (true);
	/* Where any name may stand. */
	return (expected_has(expected, "nocase") &&
	    expected_has(expected, "use") &&
	    name_is_one_of(name, reserved_names));
}

static const struct group *
expected_group(const struct expected *expected, const char *name)
{
	const struct group *group;
	size_t i;

	for (i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		group = &groups[i];
		if (expected_has(expected, group->sign) &&
		    !expected_has(expected, group->unless) &&
		    name_is_one_of(name, group->names))
			return (group);
	}
	return (NULL);
}

/* What is shown for a name; NULL: nothing. */
static const char *
expected_shown(const struct expected *expected, const char *name)
{
	const struct group *group;

	if (expected_in_word(expected, name) ||
	    strcmp(name, "a condition") == 0)
		return (NULL);
	if (expected->n > 1 && strcmp(name, "the end of the file") == 0)
		return (NULL);
	if (strcmp(name, "a word") == 0)
		return ("a word or string");
	group = expected_group(expected, name);
	if (group == NULL)
		return (name);
	return (strcmp(name, group->sign) == 0 ? group->text : NULL);
}

static const char *
expected_text(struct expected *expected)
{
	const char *all[EXPECTED_MOST], *shown;
	bool late, tilde;
	unsigned i, n = 0;

	/* `~` is the last of the modes, where people look for it. */
	for (late = false;; late = true) {
		for (i = 0; i < expected->n && n < EXPECTED_MOST; i++) {
			tilde = strcmp(expected->names[i], "~") == 0;
			shown = expected_shown(expected, expected->names[i]);
			if (shown != NULL && tilde == late)
				all[n++] = shown;
		}
		if (late)
			break;
	}
	for (i = 0; i < n; i++)
		expected_add(expected, all[i], strncmp(all[i], "a ", 2) != 0 &&
		    strncmp(all[i], "an ", 3) != 0 &&
		    strncmp(all[i], "the ", 4) != 0, i > 0 && i + 1 == n);
	return (n > 0 ? expected->text : "nothing more");
}

/*--------------------------------------------------------------------
 * Hints
 */

static bool
text_has(struct fm_text text, const char *what)
{

	return (text.len > 0 &&
	    memmem(text.b, text.len, what, strlen(what)) != NULL);
}

static bool
token_is_bare(int token)
{

	return (token == T_WORD || token >= T_AND);
}

/* What users of VCL, nginx and HAProxy write where an item or statement is. */
static const struct {
	const char		*word;
	const char		*hint;
} foreign[] = {
	{ "sub", "a block with a name is 'ruleset NAME { ... }'" },
	{ "call", "write 'use NAME;'" },
	{ "acl", "write 'list NAME is { NETWORK... }'" },
	{ "vcl", "rules are no VCL: see fastmatch.rules(5)" },
	{ "import", "rules are no VCL: see fastmatch.rules(5)" },
	{ "probe", "backends and probes are VCL's" },
	{ "error", "write 'synth STATUS;'" },
	{ "server", "write 'host NAME... { ... }'" },
	{ "server_name", "write 'host NAME... { ... }'" },
	{ "location", "write 'when path below /x { ... }'" },
	{ "deny", "write 'when client in NETWORK... { synth 403; }'" },
	{ "allow", "write 'when client not in NETWORK... { synth 403; }'" },
	{ "use_backend", "write 'when ... { backend NAME; }'" },
	{ "http-request", "see fastmatch.rules(5) for the statements" },
	{ "elsif", "write 'else when'" },
	{ "regsub", "write 'rewrite ~ REGEX to TEXT;'" },
	{ "regsuball", "write 'rewrite all ~ REGEX to TEXT;'" },
};

static const char *
foreign_hint(struct fm_text text)
{
	size_t i;

	if (fm_text_begins(text, "//") || fm_text_begins(text, "/*"))
		return ("a comment begins with '#'");
	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		if (fm_text_eq(text, fm_text_of(foreign[i].word)))
			return (foreign[i].hint);
	return (NULL);
}

/* The word of the language that is nearest to this one, of those that fit. */
static const char *
nearest_hint(struct expected *expected, struct fm_text text)
{
	size_t d, max = fm_distance_max(text);
	const char *near = NULL;
	unsigned i;

	for (i = 0; i < expected->n && max > 0; i++) {
		if (expected->names[i][0] < 'a' ||
		    strchr(expected->names[i], ' ') != NULL)
			continue;
		d = fm_distance(text, fm_text_of(expected->names[i]), max);
		if (d < max || (d == max && near == NULL)) {
			near = expected->names[i];
			max = d;
		}
	}
	if (near == NULL)
		return (NULL);
	(void)snprintf(expected->hint, sizeof expected->hint,
	    "did you mean '%s'?", near);
	return (expected->hint);
}

/* Of what stands there, and what is before it. */
static const char *
place_hint(const struct fm_reader *reader, const struct expected *expected,
    struct fm_text text, struct fm_text before)
{
	if (expected_has(expected, "->") && text_has(before, "->") &&
	    before.b[0] != '"')
		return ("'->' needs blanks around it");
	if (expected_has(expected, "=") && text_has(before, "=") &&
	    before.b[0] != '"')
		return ("'=' needs a blank before it");
	if (reader->stmt == T_SYNTH && token_is_bare(reader->last) &&
	    expected_has(expected, ";"))
		return ("a reason needs quotes");
	if (fm_text_begins(text, ";") && fm_text_begins(before, "}"))
		return ("no ';' behind a block");
	if (reader->last == T_EQUALS && expected_has(expected, "is") &&
	    (reader->stmt == T_WHEN || reader->stmt == T_ELSE))
		return ("write 'is'");
	if (reader->last == T_LPAREN && before.len > 0 &&
	    reader->before_span.end == reader->last_span.start)
		return ("what has a '(' in it needs quotes");
	if (reader->last == T_BACKEND && expected_has(expected, "ruleset"))
		return ("backends are VCL's, and named there");
	if (expected_has(expected, "path") && !expected_has(expected, "url"))
		return ("the subject is called 'clean path'");
	return (NULL);
}

static const char *
unexpected_hint(const struct fm_reader *reader, struct expected *expected)
{
	struct fm_text text = span_text(reader, &reader->last_span);
	struct fm_text before = span_text(reader, &reader->before_span);
	bool test = expected_has(expected, "client");
	const char *hint = place_hint(reader, expected, text, before);

	if (hint != NULL || reader->last != T_WORD)
		return (hint);
	if (expected_has(expected, "present") &&
	    fm_text_eq(text, fm_text_of("below")))
		return ("only path and clean path have segments");
	if (test && text.b[0] == '!')
		return ("write 'not' and a blank");
	if (test && (fm_text_eq(before, fm_text_of("or")) ||
	    fm_text_eq(before, fm_text_of("and"))) && text.b[0] == '/')
		return ("operands of one test stand behind each other, without "
		    "'or'");
	if (fm_text_begins(text, "req.") || fm_text_begins(text, "client.") ||
	    fm_text_begins(text, "bereq."))
		return ("VCL's variables are called url, path, host, method, "
		    "agent, header NAME, cookie NAME, client here");
	if (expected_has(expected, "pass") &&
	    fm_text_eq(text, fm_text_of("return")))
		return ("write the verdict alone: pass, pipe, hash, synth");
	hint = foreign_hint(text);
	return (hint != NULL ? hint : nearest_hint(expected, text));
}

/*--------------------------------------------------------------------
 * The message
 */

/* It takes some time to say what was expected: nobody reads the rest. */
#define ERRORS_IN_FULL	1000

/* Whether it is the semicolon that was forgotten. */
static bool
unexpected_semicolon(const struct fm_reader *reader,
    const struct expected *expected)
{

	return (expected_has(expected, ";") && (reader->last_span.first ||
	    reader->last == T_CLOSE || reader->last == T_END));
}

/* Whether it may be meant as an operand: behind others, or where one is due. */
static bool
unexpected_reserved(const struct fm_reader *reader,
    const struct expected *expected)
{
	struct fm_text before = span_text(reader, &reader->before_span);

	return (reader->last >= T_AND && reader->last <= T_LIKE &&
	    (expected_has(expected, "a word") ||
	    (!expected_has(expected, "in") && before.len > 0 &&
	    strchr(";{}()=~", before.b[0]) == NULL)));
}

void
fm_reader_no_semicolon(const struct fm_reader *reader,
    const struct fm_span *before)
{
	struct fm_place at = fm_reader_place(reader, before);
	char shown[FM_SHOWN_LEN];

	if (reader->muted || reader->parse->nomem)
		return;
	at.line = before->end_line;
	at.column = before->end_column;
	fm_diag_error(reader->parse->diag, &at, FM_MSG_SEMICOLON,
	    fm_reader_shown(reader, before, shown));
}

void
fm_reader_unexpected(struct fm_reader *reader, const char * const *names,
    unsigned n)
{
	struct expected expected = { .names = names, .n = n };
	char shown[FM_SHOWN_LEN], bytes[FM_SHOWN_LEN];
	struct fm_diag *diag = reader->parse->diag;
	const char *hint, *what;
	bool muted = reader->muted;
	struct fm_place at;

	FM_OBJ_CHECK(reader, FM_READER_MAGIC);
	reader->recovering = true;
	if (reader->last == T_OPEN) {
		fm_reader_wrong_block(reader);
		if (reader->bare_brace)
			return;
		reader->bare_brace = true;
	}
	/* What hides the block, to the end of the file, mutes what follows. */
	if (muted || reader->parse->nomem)
		return;
	at = fm_reader_place(reader, &reader->last_span);
	if (reader->parse->nerrors++ > ERRORS_IN_FULL) {
		fm_diag_error(diag, &at, FM_MSG_MANY);
		return;
	}
	if (unexpected_semicolon(reader, &expected)) {
		fm_reader_no_semicolon(reader, &reader->before_span);
		return;
	}
	what = fm_reader_shown(reader, &reader->last_span, shown);
	hint = unexpected_hint(reader, &expected);
	if (hint != NULL)
		fm_diag_error(diag, &at, FM_MSG_UNEXPECTED_HINT, what,
		    expected_text(&expected), hint);
	else if (unexpected_reserved(reader, &expected))
		fm_diag_error(diag, &at, FM_MSG_RESERVED, what,
		    expected_text(&expected),
		    fm_reader_bytes(reader, &reader->last_span, bytes));
	else
		fm_diag_error(diag, &at, FM_MSG_UNEXPECTED, what,
		    expected_text(&expected));
}
