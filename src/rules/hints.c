/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds a hint for a token that the parser did not expect: the word that was
 * probably meant, or what to write instead of a word of another language.
 */

#include <ctype.h>
#include <stdio.h>

#include "distance.h"
#include "hints.h"
#include "parse_priv.h"

static const struct {
	enum fm_token_kind	kind;
	const char		*words;
	const char		*hint;
} foreign[] = {
#define HINT(kind, words, hint)	{ T_##kind, (words), (hint) },
	FM_HINTS(HINT)
#undef HINT
};

/* Returns true if this keyword may be here, by itself or as one of many. */
static bool
expects_keyword(const struct fm_reader *reader, enum fm_token_kind kind)
{
	bool test = fm_expects(reader, T_TEST);

	if (fm_expects(reader, kind))
		return (true);
	if (fm_token_starts_item(kind) && fm_expects(reader, T_ITEM))
		return (true);
	if ((fm_token_starts_stmt(kind) || kind == T_USE) &&
	    fm_expects(reader, T_STATEMENT))
		return (true);
	return ((test && kind == T_NOT) ||
	    ((test || fm_expects(reader, T_SUBJECT)) && (kind == T_QUERY ||
	    kind == T_COOKIE || kind == T_CLIENT || kind == T_HOST ||
	    (kind >= T_URL && kind <= T_HEADER))));
}

/* Returns the word of the language that is nearest, of those that fit here. */
static const char *
nearest_hint(const struct fm_reader *reader, struct fm_text text,
    char buf[FM_HINT_LEN])
{
	size_t d, max = fm_distance_max(text);
	const char *near = NULL;
	unsigned kind;

	for (kind = T_AND; kind < T_ITEM; kind++) {
		if (!expects_keyword(reader, (enum fm_token_kind)kind))
			continue;
		d = fm_distance(text, fm_text_of(fm_token_names[kind]), max);
		if (d < max || (d == max && near == NULL)) {
			near = fm_token_names[kind];
			max = d;
		}
	}
	if (near == NULL)
		return (NULL);
	(void)snprintf(buf, FM_HINT_LEN, "did you mean '%s'?", near);
	return (buf);
}

static bool
text_has(struct fm_text text, const char *what)
{

	return (text.len > 0 && text.b[0] != '"' &&
	    memmem(text.b, text.len, what, strlen(what)) != NULL);
}

/* Returns true if the word is one of several, parted by blanks. */
static bool
is_among(struct fm_text word, const char *words)
{
	const char *end;

	for (; *words != '\0'; words = end + strspn(end, " ")) {
		end = words + strcspn(words, " ");
		if (fm_text_eq_nocase(word, fm_text_span(words, end)))
			return (true);
	}
	return (false);
}

static bool
is_comment(struct fm_text text)
{

	return (fm_text_begins(text, "//") || fm_text_begins(text, "/*") ||
	    fm_text_eq(text, fm_text_of("--")));
}

bool
fm_is_hinted(struct fm_text word)
{
	size_t i, max = fm_distance_max(word);
	unsigned kind;

	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		if (foreign[i].kind == T_STATEMENT &&
		    is_among(word, foreign[i].words))
			return (true);
	if (is_comment(word) || is_among(word, "if"))
		return (true);
	for (i = 0; i < word.len; i++)
		if (fm_lower((unsigned char)word.b[i]) < 'a' ||
		    fm_lower((unsigned char)word.b[i]) > 'z')
			return (false);
	for (kind = T_INCLUDE; max > 0 && kind <= T_HOSTS; kind++)
		if (fm_distance(word, fm_text_of(fm_token_names[kind]), max) <=
		    max)
			return (true);
	return (false);
}

static bool
expects_word(const struct fm_reader *reader)
{

	return (fm_expects(reader, T_WORD) || fm_expects(reader, T_NAME));
}

static bool
expects_subject(const struct fm_reader *reader)
{

	return (fm_expects(reader, T_TEST) || fm_expects(reader, T_SUBJECT));
}

/* Returns a hint for a word of another language, or one that is misspelt. */
static const char *
foreign_hint(const struct fm_reader *reader, struct fm_text text)
{
	enum fm_token_kind kind;
	size_t i;

	if (is_comment(text))
		return ("a comment begins with '#'");
	if (expects_word(reader))
		return (NULL);
	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
		kind = foreign[i].kind;
		if ((fm_expects(reader, kind) ||
		    (kind == T_STATEMENT && fm_expects(reader, T_ITEM)) ||
		    (kind == T_TEST && fm_expects(reader, T_SUBJECT))) &&
		    is_among(text, foreign[i].words))
			return (foreign[i].hint);
	}
	return (NULL);
}

/* Outside of all blocks. */
static const char *
item_hint(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	if (!fm_expects(reader, T_ITEM))
		return (NULL);
	if (kind == T_BACKEND)
		return ("backends are VCL's, and named there");
	if (is_among(reader->token.text, "if"))
		return ("write 'when ... { ... }', in always { ... } or a "
		    "host's block");
	if (fm_token_starts_stmt(kind) || kind == T_USE)
		return ("write it in always { ... }, or in a host's block");
	if (kind >= T_URL && kind <= T_HEADER)
		return ("write 'when ... { ... }' around it, in always { ... } "
		    "or a host's block");
	return (NULL);
}

static bool
is_mode(enum fm_token_kind kind)
{

	return (kind >= T_IS && kind <= T_TILDE);
}

/* Returns true if the statement has an AND or OR so far, as a word. */
static bool
has_capitals(const struct fm_reader *reader)
{
	struct fm_text text = fm_text_span(reader->text.b + reader->begun,
	    reader->text.b + reader->token.start);

	return (memmem(text.b, text.len, " AND ", 5) != NULL ||
	    memmem(text.b, text.len, " OR ", 4) != NULL);
}

/* Hints for what is between tests, and in them. */
static const char *
cond_hint(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;
	enum fm_token_kind before = reader->before.kind;

	if (fm_expects(reader, T_AND) && fm_expects(reader, T_OPEN)) {
		if (kind == T_NOT || kind == T_IN || kind == T_PRESENT ||
		    is_mode(kind))
			return (has_capitals(reader) ?
			    "write 'and' and 'or' in small letters" :
			    "write 'and' or 'or' before another test, or "
			    "quote it");
		return (kind == T_SEMI || kind == T_WORD ||
		    (fm_token_is_name(kind) && kind != T_STRING &&
		    !fm_token_is_reserved(kind)) ?
		    "a block { ... } follows the test" : NULL);
	}
	if (before == T_IS && kind == T_IN)
		return ("write 'in' alone");
	if (fm_expects(reader, T_PRESENT) && kind == T_OPEN)
		return ("to ask whether it is there, write 'present'");
	if (before == T_ELSE && fm_expects(reader, T_WHEN))
		return ("write 'else when'");
	return (NULL);
}

/* Hints for lists and maps. */
static const char *
lines_hint(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	if (kind == T_ARROW && reader->before.kind == T_DEFAULT)
		return ("write 'default VALUE;'");
	if (expects_word(reader))
		return (NULL);
	if (fm_expects(reader, T_ARROW))
		return ("a line is 'is TEXT... -> VALUE;'");
	if (fm_expects(reader, T_DEFAULT) && fm_expects(reader, T_IS))
		return ("a line is 'is TEXT... -> VALUE;', the last one "
		    "'default VALUE;'");
	if (reader->item == T_MAP && kind == T_OPEN &&
	    fm_expects(reader, T_FROM))
		return (reader->before.kind == T_IN ?
		    "write 'map NAME { in NETWORK... -> VALUE; }'" :
		    "write 'map NAME { is TEXT... -> VALUE; }'");
	if (reader->item != T_LIST)
		return (NULL);
	if (fm_expects(reader, T_BEGINS) && kind != T_WORD)
		return ("write 'list NAME is { ... }'");
	if (fm_expects(reader, T_BEGINS) && fm_expects(reader, T_CLOSE))
		return ("write 'list NAME is { ... }', or lines as "
		    "'is TEXT...;'");
	if (fm_expects(reader, T_FROM))
		return ("operands stand in { ... }");
	return (kind == T_SEMI ? "blanks part words" : NULL);
}

/* Hints for statements whose first words are there. */
static const char *
stmt_hint(const struct fm_reader *reader)
{
	enum fm_token_kind kind = reader->token.kind;

	if (fm_expects(reader, T_SEMI) && (kind == T_WHEN ||
	    is_among(reader->token.text, "if unless")))
		return ("write 'when ... { ... }' around it");
	switch (reader->stmt) {
	case T_SYNTH:
		if (kind == T_SEMI)
			return ("a status is missing: 'synth 403'");
		return (kind != T_STRING && fm_token_is_name(kind) &&
		    fm_expects(reader, T_SEMI) ?
		    "a reason needs quotes" : NULL);
	case T_REWRITE:
		return (fm_expects(reader, T_TILDE) ||
		    (fm_expects(reader, T_TO) && kind != T_WORD) ?
		    "write 'rewrite ~ REGEX to TEXT;'" : NULL);
	case T_SET:
		return (fm_expects(reader, T_EQUALS) ?
		    "write 'set NAME = VALUE;'" : NULL);
	case T_UNSET:
		return (kind == T_EQUALS ? "unset has names alone" : NULL);
	case T_BACKEND:
		return (kind == T_EQUALS ? "write 'backend NAME;'" : NULL);
	default:
		return (NULL);
	}
}

/* A hint for what stands there behind what is before it. */
static const char *
place_hint(const struct fm_reader *reader)
{
	struct fm_text before = fm_token_text(reader, &reader->before);
	const struct fm_token *token = &reader->token;

	if (fm_expects(reader, T_ARROW) && text_has(before, "->"))
		return ("'->' needs blanks around it");
	if (fm_expects(reader, T_EQUALS) && text_has(before, "="))
		return ("'=' needs a blank before it");
	if (token->kind == T_SEMI && reader->before.kind == T_CLOSE)
		return ("no ';' behind a block");
	if (token->kind == T_EQUALS && fm_expects(reader, T_IS) &&
	    reader->stmt == T_WHEN)
		return ("write 'is'");
	if (token->kind == T_LPAREN && before.len > 0 &&
	    reader->before.end == token->start)
		return ("what has a '(' in it needs quotes");
	if (token->kind == T_ELSE && fm_expects(reader, T_STATEMENT))
		return ("it stands behind the block of a 'when'");
	if (fm_expects(reader, T_PATH))
		return ("the subject is called 'clean path'");
	if (token->kind == T_BELOW && fm_expects(reader, T_IN))
		return ("only path and clean path have segments");
	return (item_hint(reader));
}

/* Returns true if a test ends behind the token, which has no mode then. */
static bool
is_operand(const struct fm_reader *reader)
{
	const char *p = reader->text.b + reader->token.end;
	const char *end = reader->text.b + reader->text.len;
	struct fm_text word;

	while (p < end && fm_is_blank(*p))
		p++;
	for (word = fm_text(p, 0); p < end && isalpha((unsigned char)*p); p++)
		word.len++;
	return (word.len > 0 ? is_among(word, "and or") :
	    p < end && (*p == '{' || *p == ')'));
}

/* A hint for a word that is none of the language here. */
static const char *
word_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	struct fm_text text = reader->token.text;
	enum fm_token_kind before = reader->before.kind;
	bool test = expects_subject(reader);
	const char *hint;

	if (test && (before == T_OR || before == T_AND) &&
	    (text.b[0] == '/' || is_operand(reader)))
		return ("operands of one test stand behind each other, without "
		    "'or'");
	hint = foreign_hint(reader, text);
	if (hint != NULL)
		return (hint);
	if (text.b[0] == '!' && fm_expects(reader, T_PRESENT) &&
	    is_among(fm_text(text.b + 1, text.len - 1),
	    "is begins ends contains like below in present ~")) {
		(void)snprintf(buf, FM_HINT_LEN, "write 'not %.*s'",
		    (int)text.len - 1, text.b + 1);
		return (buf);
	}
	if (test && text.b[0] == '!')
		return ("write 'not' and a blank");
	if (fm_text_begins(text, "req.") || fm_text_begins(text, "client.") ||
	    fm_text_begins(text, "bereq.") || (test && (text.b[0] == '$' ||
	    text.b[0] == '%')))
		return ("VCL's variables are called url, path, host, method, "
		    "agent, header NAME, cookie NAME, client here");
	return (nearest_hint(reader, text, buf));
}

/* Returns what is left to say of a word. */
static const char *
last_hint(const struct fm_reader *reader)
{
	struct fm_text text = reader->token.text;

	if (expects_subject(reader))
		return (memchr(text.b, '-', text.len) != NULL ?
		    "write 'header NAME'" : "it begins with a subject: path, "
		    "host, method, agent, header NAME");
	if (fm_expects(reader, T_PRESENT))
		return ("a mode is missing: is, begins, contains, ~, ...");
	return (NULL);
}

const char *
fm_unexpected_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	enum fm_token_kind kind = reader->token.kind;
	const char *hint = place_hint(reader);

	if (hint == NULL && kind == T_WORD)
		hint = word_hint(reader, buf);
	else if (hint == NULL && fm_token_is_name(kind) && kind != T_STRING)
		hint = foreign_hint(reader, reader->token.text);
	if (hint == NULL && kind == T_NOT && (reader->before.kind == T_IN ||
	    is_mode(reader->before.kind))) {
		(void)snprintf(buf, FM_HINT_LEN, "write 'not %s'",
		    fm_token_names[reader->before.kind]);
		hint = buf;
	}
	if (hint == NULL)
		hint = cond_hint(reader);
	if (hint == NULL)
		hint = lines_hint(reader);
	if (hint == NULL)
		hint = stmt_hint(reader);
	return (hint == NULL && kind == T_WORD ? last_hint(reader) : hint);
}

/*--------------------------------------------------------------------
 * Values
 */

const char *
fm_part_meant(struct fm_text name)
{
	static const struct {
		const char	*names;
		const char	*meant;
	} parts[] = {
		{ "url uri request_uri req.url", "did you mean ${url}? " },
		{ "path", "did you mean ${path}? " },
		{ "query args query_string", "did you mean ${query}? " },
		{ "host http_host hostname server_name domain",
		    "did you mean ${host}? " },
		{ "method verb request_method req.method",
		    "did you mean ${method}? " },
		{ "client ip client.ip remote_addr src addr",
		    "did you mean ${client}? " },
		{ "port server_port", "did you mean ${port}? " },
		{ "ruleset", "did you mean ${ruleset}? " },
		{ "wild wildcard", "did you mean ${wild}? " },
		{ "header headers hdr agent user-agent user_agent referer "
		    "req.http http", "did you mean ${header.NAME}? " },
		{ "cookie cookies", "did you mean ${cookie.NAME}? " },
		{ "query. param arg parameter",
		    "did you mean ${query.NAME}? " },
	};
	const char *word;
	size_t i, len, max;

	name = fm_text_trim(name);
	for (i = 0; i < name.len && strchr(". :[", name.b[i]) == NULL; i++)
		continue;
	if (i > 0 && !fm_text_begins(name, "req.") &&
	    !fm_text_begins(name, "client."))
		name.len = i;
	else if (fm_text_begins(name, "req.http."))
		name.len = 8;
	max = fm_distance_max(name);
	for (i = 0; i < sizeof parts / sizeof parts[0]; i++)
		for (word = parts[i].names; *word != '\0';
		    word += len + (word[len] == ' ')) {
			len = strcspn(word, " ");
			if (fm_distance(name, fm_text(word, len), max) <= max)
				return (parts[i].meant);
		}
	return ("");
}
