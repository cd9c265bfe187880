/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses words, and values: a text with ${...} in it, or MAP(SUBJECT).
 *
 *	"https://${host}/a"	parts TEXT "https://", HOST, TEXT "/a"
 *	device(agent)		map "device", subject HEADER "User-Agent"
 */

#include <stdio.h>

#include "distance.h"
#include "parse_priv.h"

void
fm_read_semi(struct fm_reader *reader)
{

	/* block_close() reports a `{` in the block of a list or map. */
	if (reader->token.kind == T_OPEN && reader->blocks > 0 &&
	    (reader->item == T_LIST || reader->item == T_MAP))
		return;
	if (!fm_need(reader, T_SEMI) && fm_skip(reader))
		fm_skip_block(reader);
}

bool
fm_read_mode(struct fm_reader *reader, enum fm_pattern_kind *mode)
{
	static const enum fm_pattern_kind modes[T__KINDS] = {
#define M(name, word, class, kind)	[T_##name] = FM_PATTERN_##kind,
#define O(...)
		FM_MODES(M, O)
#undef M
#undef O
	};
	unsigned kind;

	for (kind = T_IS; kind <= T_TILDE; kind++)
		if (kind != T_BELOW &&
		    fm_accept(reader, (enum fm_token_kind)kind)) {
			*mode = modes[kind];
			return (true);
		}
	return (false);
}

struct fm_word *
fm_make_word(struct fm_parse *parse, struct fm_text text,
    const struct fm_place *at, bool quoted)
{
	struct fm_word *word;

	word = fm_parse_alloc(parse, sizeof *word);
	word->text = fm_parse_text_copy(parse, text);
	word->at = *at;
	word->quoted = quoted;
	return (word);
}

/*
 * Returns a copy with \" and \\ resolved.  Any other backslash stands for
 * itself, as in VCL, since regexes have many of them.
 */
static struct fm_text
unescape(struct fm_parse *parse, struct fm_text text)
{
	size_t i, len = 0;
	char *to;

	if (memchr(text.b, '\\', text.len) == NULL)
		return (fm_parse_text_copy(parse, text));
	to = fm_parse_alloc(parse, text.len + 1);
	for (i = 0; i < text.len; i++) {
		if (text.b[i] == '\\' && i + 1 < text.len &&
		    (text.b[i + 1] == '"' || text.b[i + 1] == '\\'))
			i++;
		to[len++] = text.b[i];
	}
	return (fm_text(to, len));
}

/* Warns of a keyword among words that probably begins something new. */
static void
warn_of_keyword(struct fm_reader *reader, const struct fm_token *token,
    enum fm_token_kind what)
{
	bool lines = reader->item == T_LIST || reader->item == T_MAP;

	/* The semicolon before a keyword that starts a line may be missing. */
	if (token->first && !lines && token->kind != T_ANSWER &&
	    (fm_token_starts_item(token->kind) ||
	    fm_token_starts_stmt(token->kind)))
		fm_diag_warning(reader->diag, &token->at, FM_MSG_KEYWORD_LINE,
		    fm_token_names[token->kind]);
	/* One of the operands of a mode would be a mode after a subject. */
	if (token->kind == T_BELOW && what == T_WORD &&
	    reader->before.kind != T_IN &&
	    (lines ? reader->blocks > 0 : reader->stmt == T_WHEN))
		fm_diag_warning(reader->diag, &token->at, FM_MSG_MODE_OPERAND,
		    "below");
}

bool
fm_read_word(struct fm_reader *reader, enum fm_token_kind what,
    struct fm_word **wordp)
{
	const struct fm_token *token = &reader->token;
	struct fm_text text = token->text;
	struct fm_word *word;

	if (!fm_token_is(token, what) && !fm_at(reader, what))
		return (fm_unexpected(reader));
	warn_of_keyword(reader, token, what);
	*wordp = word = fm_parse_alloc(reader->parse, sizeof *word);
	word->at = token->at;
	word->quoted = token->kind == T_STRING;
	/* An escape is two bytes for one. */
	if (word->quoted && text.len <= 2 * (size_t)FM_LIMIT_WORD)
		word->text = text = unescape(reader->parse, text);
	else if (text.len <= FM_LIMIT_WORD)
		word->text = fm_parse_text_copy(reader->parse, text);
	if (text.len > FM_LIMIT_WORD) {
		fm_diag_error(reader->diag, &token->at, FM_MSG_WORD_LONG,
		    FM_LIMIT_WORD);
		word->text = fm_text("", 0);
	}
	fm_next(reader);
	return (true);
}

void
fm_words_add(struct fm_reader *reader, struct fm_words *words,
    struct fm_word *word)
{

	if (++reader->operands > FM_LIMIT_OPERANDS) {
		fm_parse_limit(reader->parse, &word->at, FM_MSG_OPERANDS,
		    FM_LIMIT_OPERANDS);
		return;
	}
	if (words->first == NULL)
		words->first = word;
	else
		words->last->next = word;
	words->last = word;
	words->count++;
}

/*
 * Returns true if a line starts like a statement of several words: then the `;`
 * or `{` before it was forgotten.  Any other word is one more name or operand,
 * even if a statement may begin with it.
 */
static bool
forgot_end(const struct fm_reader *reader)
{
	size_t i = reader->token.end;

	if (!fm_starts_anew(reader) || reader->token.kind > T_WHEN ||
	    reader->token.kind == T_ANSWER ||
	    (reader->token.kind == T_DEFAULT && reader->blocks > 0))
		return (false);
	while (i < reader->text.len && fm_is_blank(reader->text.b[i]))
		i++;
	return (i < reader->text.len &&
	    strchr("\r\n;#{}()", reader->text.b[i]) == NULL);
}

bool
fm_read_words(struct fm_reader *reader, enum fm_token_kind what,
    struct fm_words *words)
{
	struct fm_word *word;

	*words = (struct fm_words){ .count = 0 };
	if (reader->item != T_LIST && reader->item != T_MAP)
		reader->operands = 0;
	if (forgot_end(reader))
		return (fm_need(reader, what));
	do {
		if (!fm_read_word(reader, what, &word))
			return (false);
		fm_words_add(reader, words, word);
	} while (fm_token_is(&reader->token, what) && !forgot_end(reader));
	return (true);
}

/*--------------------------------------------------------------------
 * Values
 */

/* Returns the variable that a name in ${} probably means, or "". */
static const char *
part_meant(struct fm_text name, char buf[FM_HINT_LEN])
{
	static const char * const objects[] = { "req", "client", "resp",
	    "beresp", "obj", NULL };
	const char *word, *known, *meant = NULL;
	char words[100];
	size_t i, len, max, distance;

	name = fm_text_trim(name);
	if (fm_text_has(name, "("))
		return ("a map stands alone, as 'set X = MAP(SUBJECT);': ");
	for (len = 0; len < name.len && strchr(". :[", name.b[len]) == NULL;)
		len++;
	if (len + 6 < name.len && memcmp(name.b + len, ".http.", 6) == 0)
		name = fm_text_of("http");	/* of req, resp and others */
	else if (len > 0 && !fm_text_is_one_of(fm_text(name.b, len), objects))
		name.len = len;
	max = fm_distance_max(name) + 1;
	for (i = 0; i < FM_VALUE_ROWS && max > 0; i++) {
		known = fm_values[i].name;
		(void)snprintf(words, sizeof words, "%s %s", known,
		    fm_values[i].others);
		for (word = words; *word != '\0';
		    word += len + (word[len] == ' ')) {
			len = strcspn(word, " ");
			distance = fm_distance(name, fm_text(word, len),
			    max - 1);
			if (distance >= max)
				continue;
			max = distance;
			meant = known;
			if (max == 0)
				break;
		}
	}
	if (meant == NULL)
		return ("");
	(void)snprintf(buf, FM_HINT_LEN, "did you mean ${%s%s}? ", meant,
	    strchr(meant, '.') == NULL ? "" : "NAME");
	return (buf);
}

/* Makes a part of the name in ${}.  Returns false if there is no such thing. */
static bool
part_named(struct fm_parse *parse, struct fm_part *part, struct fm_text name)
{
	const char *known;
	size_t i, len;

	if (name.len == 1 && name.b[0] >= '1' && name.b[0] <= '9') {
		part->kind = FM_PART_GROUP;
		part->group = (unsigned)(name.b[0] - '0');
		return (true);
	}
	for (i = 0; i < FM_VALUE_ROWS; i++) {
		known = fm_values[i].name;
		len = strlen(known);
		part->kind = (enum fm_part_kind)fm_values[i].kind;
		if (fm_text_eq(name, fm_text(known, len)))
			return (known[len - 1] != '.');
		if (known[len - 1] != '.' || !fm_text_begins(name, known))
			continue;
		part->text = unescape(parse, fm_text(name.b + len,
		    name.len - len));
		return (true);
	}
	return (false);
}

/*
 * Makes the part that starts at an offset; after a mistake, an empty text.
 * Returns the offset after the part.
 */
static size_t
part_make(struct fm_reader *reader, struct fm_part *part, struct fm_text text,
    size_t from)
{
	struct fm_text rest = fm_text(text.b + from, text.len - from);
	char shown[FM_TOKEN_SHOWN], near[FM_HINT_LEN];
	struct fm_text show;
	const char *end;

	if (!fm_text_begins(rest, "${")) {
		end = fm_text_find(rest, fm_text_of("${"));
		if (end != NULL)
			rest.len = (size_t)(end - rest.b);
		part->text = unescape(reader->parse, rest);
		return (from + rest.len);
	}
	end = memchr(rest.b, '}', rest.len);
	if (end != NULL)
		rest = fm_text_span(rest.b, end + 1);
	if (end != NULL && part_named(reader->parse, part,
	    fm_text_span(rest.b + 2, end)))
		return (from + rest.len);
	show = fm_text_of(fm_text_shown(rest, "", shown));
	fm_diag_error(reader->diag, &part->at, FM_MSG_PART_UNKNOWN,
	    FM_SHOW(show), end == NULL ? "it has no '}': " :
	    part_meant(fm_text_span(rest.b + 2, end), near),
	    reader->phase == T_END ? "" : reader->phase == T_RESPONSE ?
	    " ${request.header.NAME} ${status} ${ttl} ${age} ${rule}" :
	    " ${request.header.NAME} ${status} ${ttl} ${age} ${rule} "
	    "${cache} ${hits}");
	part->kind = FM_PART_TEXT;
	part->text = fm_text("", 0);
	return (from + rest.len);
}

struct fm_value *
fm_make_value(struct fm_parse *parse, struct fm_text text,
    const struct fm_place *at)
{
	struct fm_value *value;

	value = fm_parse_alloc(parse, sizeof *value);
	value->at = *at;
	value->raw = fm_parse_text_copy(parse, text);
	if (text.len > 0) {
		value->parts = fm_parse_alloc(parse, sizeof *value->parts);
		value->parts->kind = FM_PART_TEXT;
		value->parts->text = value->raw;
		value->parts->at = *at;
	}
	return (value);
}

/*
 * Makes the value of a word or string, whose token still has its escapes.  That
 * a word with ${} needs quotes was reported; the check sees what it means.
 */
static struct fm_value *
make_parts(struct fm_reader *reader, const struct fm_word *word,
    const struct fm_token *token)
{
	struct fm_parse *parse = reader->parse;
	struct fm_part *part, **tail;
	struct fm_value *value;
	size_t at = 0;

	if (!fm_text_has(token->text, "${")) {
		value = fm_make_value(parse, word->text, &word->at);
		value->quoted = word->quoted;
		return (value);
	}
	value = fm_parse_alloc(parse, sizeof *value);
	value->at = word->at;
	value->raw = word->text;
	value->quoted = word->quoted;
	tail = &value->parts;
	while (at < token->text.len) {
		part = fm_parse_alloc(parse, sizeof *part);
		part->at = token->at;
		part->at.column += (unsigned)at + word->quoted;
		at = part_make(reader, part, token->text, at);
		*tail = part;
		tail = &part->next;
	}
	return (value);
}

bool
fm_read_value(struct fm_reader *reader, struct fm_value **valuep)
{
	struct fm_token token = reader->token;
	struct fm_value *value;
	struct fm_word *word;

	if (!fm_read_word(reader, T_NAME, &word))
		return (false);
	if (reader->token.kind != T_LPAREN || !fm_token_is(&token, T_WORD)) {
		*valuep = make_parts(reader, word, &token);
		return (true);
	}
	fm_next(reader);
	*valuep = value = fm_parse_alloc(reader->parse, sizeof *value);
	value->at = word->at;
	value->raw = word->text;
	value->map = word;
	return (fm_read_subject(reader, &value->subject, T_SUBJECT, NULL) &&
	    fm_need(reader, T_RPAREN));
}

void
fm_read_reason(struct fm_reader *reader, struct fm_word **wordp,
    struct fm_value **valuep)
{
	struct fm_token token = reader->token;

	if (token.kind != T_STRING || !fm_read_word(reader, T_STRING, wordp))
		return;
	if (fm_text_has(token.text, "${"))
		*valuep = make_parts(reader, *wordp, &token);
}
