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
	if (fm_text_is_one_of(fm_text_of(name), word_names) ||
	    fm_text_is_one_of(fm_text_of(name), item_names) ||
	    fm_text_is_one_of(fm_text_of(name), stmt_names))
		return (true);
	/* Where any name may stand. */
	return (expected_has(expected, "nocase") &&
	    expected_has(expected, "use") &&
	    fm_text_is_one_of(fm_text_of(name), reserved_names));
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
		    fm_text_is_one_of(fm_text_of(name), group->names))
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

/*
 * What users of VCL, nginx, HAProxy and Apache write, and what is written for
 * it; where a token of this name is expected.
 */
static const struct foreign {
	const char		*expected;
	const char		*words;
	const char		*hint;
} foreign[] = {
	{ NULL, "sub", "a block with a name is 'ruleset NAME { ... }'" },
	{ NULL, "call goto", "write 'use NAME;'" },
	{ NULL, "acl", "write 'list NAME is { NETWORK... }', or the test "
	    "itself behind 'when'" },
	{ NULL, "vcl import new declare rollback esi std.log std.collect "
	    "hash_data ban log", "rules are no VCL: see fastmatch.rules(5)" },
	{ NULL, "probe director upstream frontend defaults global",
	    "backends and listeners are VCL's and varnishd's" },
	{ NULL, "error answer", "write 'synth STATUS;'" },
	{ NULL, "return deliver lookup fetch restart fail last break",
	    "write the verdict alone: pass, pipe, hash, synth 403, or "
	    "redirect 301 URL" },
	{ NULL, "server server_name servername serveralias <virtualhost "
	    "site vhost", "write 'host NAME... { ... }'" },
	{ NULL, "location <location <locationmatch directory",
	    "write 'when path below /x { ... }'" },
	{ NULL, "deny allow order require", "write 'when client in "
	    "NETWORK... { synth 403; }', or 'client not in'" },
	{ NULL, "use_backend default_backend proxy_pass proxypass "
	    "fastcgi_pass uwsgi_pass set_backend director",
	    "write 'backend NAME;', in a 'when' if it depends" },
	{ NULL, "http-request tcp-request", "write the statement itself: set, "
	    "unset, redirect, synth, rewrite, in a 'when'" },
	{ NULL, "http-response add_header more_set_headers expires header "
	    "proxy_hide_header etag", "headers of responses are VCL's" },
	{ NULL, "proxy_set_header requestheader reqadd reqset add append "
	    "setenvif fastcgi_param", "write 'set NAME = VALUE;'" },
	{ NULL, "remove delete reqdel reqidel del", "write 'unset NAME;'" },
	{ NULL, "drop keep strip", "write 'query drop NAME...;' or 'cookie "
	    "drop NAME...;'" },
	{ NULL, "regsub regsuball rewriterule rewritecond rewriteengine "
	    "redirectmatch", "write 'rewrite [all] ~ REGEX to TEXT;', or "
	    "'redirect 301 URL;'" },
	{ NULL, "if_else elsif elseif elif elsewhen", "write 'else when'" },
	{ NULL, "otherwise", "write 'else { ... }'" },
	{ NULL, "unless", "write 'when not ...'" },
	{ NULL, "switch case for foreach while", "write 'when ... else "
	    "when ...', or a map" },
	{ NULL, "geo", "write 'map NAME { ... }', or a list of networks" },
	{ NULL, "try_files root index alias error_page errorfile gzip "
	    "limit_req proxy_cache auth_basic internal timeout balance bind "
	    "mode listen events http errordocument satisfy", "rules decide "
	    "about requests: this is a matter of VCL or the backend" },

	{ "client", "src ip addr address remote_addr remote_ip client_ip",
	    "write 'client in NETWORK...'" },
	{ "client", "hdr hdr_beg hdr_end hdr_sub hdr_dom hdr_reg req_hdr",
	    "write 'host is NAME' or 'header NAME is TEXT'" },
	{ "client", "path_beg url_beg", "write 'path begins /x'" },
	{ "client", "path_end url_end", "write 'path ends .x'" },
	{ "client", "path_reg url_reg", "write 'path ~ REGEX'" },
	{ "client", "path_sub url_sub", "write 'path contains x'" },
	{ "client", "path_dir url_dir", "write 'path below /x'" },
	{ "client", "url_param urlp param params parameter arg args "
	    "querystring query_string", "write 'query NAME is TEXT'" },
	{ "client", "user-agent useragent user_agent ua browser",
	    "the subject is called 'agent'" },
	{ "client", "hostname domain server_name vhost http_host",
	    "the subject is called 'host'" },
	{ "client", "verb request_method", "the subject is called 'method'" },
	{ "client", "cleanpath clean_path", "the subject is called 'clean "
	    "path'" },
	{ "client", "scheme https http ssl ssl_fc tls proto protocol port",
	    "Varnish sees no TLS: ask for what the proxy before it sets, "
	    "header X-Forwarded-Proto" },
	{ "client", "referer referrer origin accept authorization range",
	    "write 'header NAME'" },

	{ "begins", "starts startswith start starts_with beginswith "
	    "begins_with starts-with prefix beg", "write 'begins'" },
	{ "begins", "endswith ends_with suffix finishes", "write 'ends'" },
	{ "begins", "equals equal eq si are === any", "write 'is'" },
	{ "begins", "matches match regex regexp rx", "write '~'" },
	{ "begins", "includes include has have sub", "write 'contains'" },
	{ "begins", "glob wildcard", "write 'like'" },
	{ "begins", "form", "did you mean 'from'?" },
	{ "present", "under dir", "write 'below'" },
	{ "present", "exists exist set defined there", "write 'present'" },
	{ "present", "missing absent empty null unset undefined",
	    "write 'not present'" },
	{ "present", "isnt is_not isnot ne <>", "write 'not is'" },
	{ "present", "not_in notin", "write 'not in'" },
	{ "begins", "-i i icase ignorecase", "write 'nocase' before the mode" },
	{ "drop", "remove delete strip unset clear", "write 'drop'" },
	{ "drop", "only allow", "write 'keep'" },
	{ "to", "into with by as", "write 'to'" },
};

/* Returns true if the word is one of several, parted by blanks. */
static bool
is_among(struct fm_text word, const char *words)
{
	size_t len;

	for (; *words != '\0'; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (fm_text_eq_nocase(word, fm_text(words, len)))
			return (true);
	}
	return (false);
}

static const char *
foreign_hint(struct fm_text text, const struct expected *expected)
{
	const struct foreign *f;
	size_t i;

	if (fm_text_begins(text, "//") || fm_text_begins(text, "/*") ||
	    fm_text_eq(text, fm_text_of("--")))
		return ("a comment begins with '#'");
	if (expected_has(expected, "a word"))
		return (NULL);
	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
		f = &foreign[i];
		if ((f->expected != NULL ?
		    expected_has(expected, f->expected) :
		    (expected_has(expected, "pass") ||
		    expected_has(expected, "ruleset"))) &&
		    is_among(text, f->words))
			return (f->hint);
	}
	return (NULL);
}

bool
fm_parse_is_hinted(struct fm_text word)
{
	const char * const *names = item_names;
	size_t i, max = fm_distance_max(word);

	for (i = 0; foreign[i].expected == NULL; i++)
		if (is_among(word, foreign[i].words))
			return (true);
	for (i = 0; i < word.len; i++)
		if (fm_lower((unsigned char)word.b[i]) < 'a' ||
		    fm_lower((unsigned char)word.b[i]) > 'z')
			return (false);
	for (; max > 0 && *names != NULL; names++)
		if (fm_distance(word, fm_text_of(*names), max) <= max)
			return (true);
	return (fm_text_is_one_of(word, block_names) ||
	    fm_text_is_one_of(word, reserved_names));
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

/* Of conditions: what is between tests, and in them. */
static const char *
cond_hint(const struct fm_reader *reader, const struct expected *expected,
    struct fm_text before)
{
	int last = reader->last;

	if (expected_has(expected, "and") && expected_has(expected, "{"))
		return (last == T_NOT || last == T_IN || last == T_PRESENT ||
		    last == T_TILDE || (last >= T_IS && last <= T_LIKE) ?
		    "write 'and' or 'or' before another test, or quote it" :
		    last == T_SEMI || last == T_WORD || last >= T_QUERY ?
		    "a block { ... } follows the test" : NULL);
	if (fm_text_eq(before, fm_text_of("is")) && last == T_NOT)
		return ("write 'not is'");
	if (fm_text_eq(before, fm_text_of("is")) && last == T_IN)
		return ("write 'in' alone");
	if (expected_has(expected, "present") && last == T_OPEN)
		return ("to ask whether it is there, write 'present'");
	if (fm_text_eq(before, fm_text_of("else")) &&
	    expected_has(expected, "when"))
		return ("write 'else when'");
	return (NULL);
}

/* Of lists and maps. */
static const char *
lines_hint(const struct fm_reader *reader, const struct expected *expected,
    struct fm_text before)
{
	if (reader->last == T_ARROW && fm_text_eq(before,
	    fm_text_of("default")))
		return ("write 'default VALUE;'");
	if (expected_has(expected, "a word"))
		return (NULL);
	if (expected_has(expected, "->"))
		return ("a line is 'is TEXT... -> VALUE;'");
	if (expected_has(expected, "default") && expected_has(expected, "is"))
		return ("a line is 'is TEXT... -> VALUE;', the last one "
		    "'default VALUE;'");
	if (reader->item != T_LIST)
		return (NULL);
	if (expected_has(expected, "begins") && reader->last != T_WORD)
		return ("write 'list NAME is { ... }'");
	if (expected_has(expected, "begins") && expected_has(expected, "}"))
		return ("write 'list NAME is { ... }', or lines as "
		    "'is TEXT...;'");
	if (expected_has(expected, "from"))
		return ("operands stand in { ... }");
	return (reader->last == T_SEMI ? "blanks part words" : NULL);
}

/* Of statements whose first words are there. */
static const char *
stmt_hint(const struct fm_reader *reader, const struct expected *expected)
{
	int last = reader->last;

	if (expected->n == 1 && expected_has(expected, ";") &&
	    (last == T_WHEN || is_among(span_text(reader, &reader->last_span),
	    "if unless")))
		return ("write 'when ... { ... }' around it");
	switch (reader->stmt) {
	case T_SYNTH:
		return (last == T_SEMI ? "a status is missing: 'synth 403'" :
		    token_is_bare(last) && expected_has(expected, ";") ?
		    "a reason needs quotes" : NULL);
	case T_REWRITE:
		return (expected_has(expected, "~") ||
		    (expected_has(expected, "to") && last != T_WORD) ?
		    "write 'rewrite ~ REGEX to TEXT;'" : NULL);
	case T_SET:
		return (expected_has(expected, "=") ?
		    "write 'set NAME = VALUE;'" : NULL);
	case T_UNSET:
		return (last == T_EQUALS ? "unset has names alone" : NULL);
	case T_BACKEND:
		return (last == T_EQUALS ? "write 'backend NAME;'" : NULL);
	default:
		return (NULL);
	}
}

/* Of what stands there, and what is before it. */
static const char *
place_hint(const struct fm_reader *reader, const struct expected *expected,
    struct fm_text text, struct fm_text before)
{
	const char *hint;

	if (expected_has(expected, "->") && text_has(before, "->") &&
	    before.b[0] != '"')
		return ("'->' needs blanks around it");
	if (expected_has(expected, "=") && text_has(before, "=") &&
	    before.b[0] != '"')
		return ("'=' needs a blank before it");
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
	hint = token_is_bare(reader->last) ? foreign_hint(text, expected) :
	    NULL;
	if (hint == NULL)
		hint = cond_hint(reader, expected, before);
	if (hint == NULL)
		hint = lines_hint(reader, expected, before);
	return (hint != NULL ? hint : stmt_hint(reader, expected));
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
	    fm_text_begins(text, "bereq.") || (test && (text.b[0] == '$' ||
	    text.b[0] == '%')))
		return ("VCL's variables are called url, path, host, method, "
		    "agent, header NAME, cookie NAME, client here");
	hint = nearest_hint(expected, text);
	if (hint != NULL)
		return (hint);
	if (test)
		return (memchr(text.b, '-', text.len) != NULL ?
		    "write 'header NAME'" : "it begins with a subject: path, "
		    "host, method, agent, header NAME");
	if (expected_has(expected, "present"))
		return ("a mode is missing: is, begins, contains, ~, ...");
	return (NULL);
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
