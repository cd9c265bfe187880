/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the hint in which a message about an unexpected token ends: the word
 * that was probably meant, or what to write instead.
 *
 *	ste	"did you mean 'set'?"	nearest_hint(): a typing error
 *	elsif	"write 'else when'"	foreign[]: a word of another language
 *	path =	"write 'is'"		place_hint(): where the token stands
 *
 * fm_unexpected_hint() asks one function after the other, until one has a hint.
 */

#include <ctype.h>
#include <stdio.h>

#include "distance.h"
#include "parse_priv.h"

/*
 * Words that users of VCL, nginx, HAProxy and Apache write, parted by blanks.
 * The kind is what is expected where such a word stands: T_STATEMENT is a
 * statement or an item, T_TEST a test or a subject.
 */
static const struct {
	enum fm_token_kind	kind;
	const char		*words;
	const char		*hint;
} foreign[] = {
	{ T_STATEMENT, "sub", "a block with a name is 'ruleset NAME { ... }'" },
	{ T_STATEMENT, "ues sue", "did you mean 'use'?" },
	{ T_STATEMENT, "call goto", "write 'use NAME;'" },
	{ T_STATEMENT, "acl",
	    "write 'list NAME in { NETWORK... }', or the test itself behind "
	    "'when'" },
	{ T_STATEMENT, "vcl import new declare rollback esi std.log "
	    "std.collect hash_data ban log",
	    "rules are no VCL: see fastmatch.rules(5)" },
	{ T_STATEMENT, "probe director upstream frontend defaults global",
	    "backends and listeners are VCL's and varnishd's" },
	{ T_STATEMENT, "error", "write 'synth STATUS;'" },
	{ T_STATEMENT, "synthetic",
	    "write 'answer STATUS \"TYPE\" \"BODY\";'" },
	{ T_STATEMENT, "return deliver lookup fetch restart fail last break",
	    "write the verdict alone: pass, pipe, hash, synth 403, or "
	    "redirect 301 URL" },
	{ T_STATEMENT, "server server_name servername serveralias "
	    "<virtualhost site vhost", "write 'host NAME... { ... }'" },
	{ T_STATEMENT, "location <location <locationmatch directory",
	    "write 'when path below /x { ... }'" },
	{ T_STATEMENT, "deny allow order require",
	    "write 'when client in NETWORK... { synth 403; }', or 'client "
	    "not in'" },
	{ T_STATEMENT, "use_backend default_backend proxy_pass proxypass "
	    "fastcgi_pass uwsgi_pass set_backend director",
	    "write 'backend NAME;', in a 'when' if it depends" },
	{ T_STATEMENT, "http-request tcp-request",
	    "write the statement itself: set, unset, redirect, synth, "
	    "rewrite, in a 'when'" },
	{ T_STATEMENT, "http-response add_header more_set_headers expires "
	    "header proxy_hide_header etag", "headers of responses are VCL's" },
	{ T_STATEMENT, "proxy_set_header requestheader reqadd reqset add "
	    "append setenvif fastcgi_param", "write 'set NAME = VALUE;'" },
	{ T_STATEMENT, "remove delete reqdel reqidel del",
	    "write 'unset NAME;'" },
	{ T_STATEMENT, "drop keep strip",
	    "write 'query drop NAME...;' or 'cookie drop NAME...;'" },
	{ T_STATEMENT, "regsub regsuball rewriterule rewritecond "
	    "rewriteengine redirectmatch",
	    "write 'rewrite [all] ~ REGEX to TEXT;', or 'redirect 301 URL;'" },
	{ T_STATEMENT, "if_else elsif elseif elif elsewhen",
	    "write 'else when'" },
	{ T_STATEMENT, "otherwise", "write 'else { ... }'" },
	{ T_STATEMENT, "els esle", "did you mean 'else'?" },
	{ T_STATEMENT, "unless", "write 'when not ...'" },
	{ T_STATEMENT, "switch case for foreach while",
	    "write 'when ... else when ...', or a map" },
	{ T_STATEMENT, "geo",
	    "write 'map NAME { ... }', or a list of networks" },
	{ T_STATEMENT, "try_files root index alias error_page errorfile gzip "
	    "limit_req proxy_cache auth_basic internal timeout balance bind "
	    "mode listen events http errordocument satisfy",
	    "rules decide about requests: this is a matter of VCL or the "
	    "backend" },
	{ T_TEST, "src ip addr address remote_addr remote_ip client_ip",
	    "write 'client in NETWORK...'" },
	{ T_TEST, "hdr hdr_beg hdr_end hdr_sub hdr_dom hdr_reg req_hdr",
	    "write 'host is NAME' or 'header NAME is TEXT'" },
	{ T_TEST, "path_beg url_beg", "write 'path begins /x'" },
	{ T_TEST, "path_end url_end", "write 'path ends .x'" },
	{ T_TEST, "path_reg url_reg", "write 'path ~ REGEX'" },
	{ T_TEST, "path_sub url_sub", "write 'path contains x'" },
	{ T_TEST, "path_dir url_dir", "write 'path below /x'" },
	{ T_TEST, "url_param urlp param params parameter arg args querystring "
	    "query_string", "write 'query NAME is TEXT'" },
	{ T_TEST, "user-agent useragent user_agent ua browser",
	    "the subject is called 'agent'" },
	{ T_TEST, "hostname domain server_name vhost http_host",
	    "the subject is called 'host'" },
	{ T_TEST, "verb request_method", "the subject is called 'method'" },
	{ T_TEST, "cleanpath clean_path",
	    "the subject is called 'clean path'" },
	{ T_TEST, "scheme https http ssl ssl_fc tls proto protocol port",
	    "Varnish sees no TLS: ask for what the proxy before it sets, "
	    "header X-Forwarded-Proto" },
	{ T_TEST, "referer referrer origin accept authorization range",
	    "write 'header NAME'" },
	{ T_BEGINS, "starts startswith start starts_with beginswith "
	    "begins_with starts-with prefix beg", "write 'begins'" },
	{ T_BEGINS, "endswith ends_with suffix finishes", "write 'ends'" },
	{ T_BEGINS, "equals equal eq si are === any", "write 'is'" },
	{ T_BEGINS, "matches match regex regexp rx", "write '~'" },
	{ T_BEGINS, "includes include has have sub", "write 'contains'" },
	{ T_BEGINS, "glob wildcard", "write 'like'" },
	{ T_BEGINS, "form", "did you mean 'from'?" },
	{ T_PRESENT, "under dir", "write 'below'" },
	{ T_PRESENT, "exists exist set defined there", "write 'present'" },
	{ T_PRESENT, "missing absent empty null unset undefined",
	    "write 'not present'" },
	{ T_PRESENT, "isnt is_not isnot ne <>", "write 'not is'" },
	{ T_PRESENT, "not_in notin", "write 'not in'" },
	{ T_BEGINS, "-i i icase ignorecase", "write 'nocase' before the mode" },
	{ T_DROP, "remove delete strip unset clear", "write 'drop'" },
	{ T_DROP, "only allow", "write 'keep'" },
	{ T_TO, "into with by as", "write 'to'" },
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

/* Returns a hint for a token outside of all blocks, or NULL. */
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

/* Returns true if the statement has the word AND or OR, so far. */
static bool
has_capitals(const struct fm_reader *reader)
{
	struct fm_text text = fm_text_span(reader->text.b + reader->begun,
	    reader->text.b + reader->token.start);

	return (fm_text_has(text, " AND ") || fm_text_has(text, " OR "));
}

/* Returns a hint for a token in a condition, or NULL. */
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

/* Returns a hint for a token in a list or map, or NULL. */
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
	return (kind == T_SEMI ? "words are separated by blanks" : NULL);
}

/* Returns a hint for a token behind the first word of a statement, or NULL. */
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

/* Returns a hint for a token and the one before it, or NULL. */
static const char *
place_hint(const struct fm_reader *reader)
{
	struct fm_text before = fm_token_text(reader, &reader->before);
	const struct fm_token *token = &reader->token;
	bool word = reader->before.kind != T_STRING;

	if (fm_expects(reader, T_ARROW) && word && fm_text_has(before, "->"))
		return ("'->' needs blanks around it");
	if (fm_expects(reader, T_EQUALS) && word && fm_text_has(before, "="))
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

/*
 * Returns true if a condition goes on or ends behind the token: then the token
 * was meant as an operand, as nothing is asked of it.
 */
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

/* Returns a hint for a word that means nothing here, or NULL. */
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

/* Returns the hint for a word for which there is no better one, or NULL. */
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
