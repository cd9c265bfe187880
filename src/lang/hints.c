/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the hint in which a message about an unexpected token ends: the word
 * that was probably meant, or what to write instead.
 *
 *	ste	"did you mean 'set'?"	nearest_hint(): a typing error
 *	elsif	"write 'else when'"	foreign[]: a word of another language
 *	path =	"write 'is'"		before_words[]: where the token stands
 */

#include <ctype.h>
#include <stdio.h>

#include "distance.h"
#include "parse_priv.h"

/*
 * Words of VCL, nginx, HAProxy and Apache, parted by blanks.  The kind is that
 * of what is expected: T_STATEMENT of a statement or an item, T_TEST of a test
 * or a subject.
 */
static const struct {
	enum fm_token_kind	kind;
	const char		*words;
	const char		*hint;
} foreign[] = {
	{ T_STATEMENT, "sub", "a block with a name is 'ruleset NAME { ... }'" },
	{ T_STATEMENT, "ues sue", "did you mean 'use'?" },
	{ T_STATEMENT, "goto", "write 'use NAME;'" },
	{ T_STATEMENT, "acl",
	    "write 'list NAME in { NETWORK... }', or the test itself after "
	    "'when'" },
	{ T_STATEMENT, "backend_response vcl_backend_response beresp "
	    "cache_response",
	    "write 'response { ... }', in always { ... } or a host's block" },
	{ T_STATEMENT, "backend_fetch vcl_backend_fetch bereq",
	    "write 'fetch { ... }', in always { ... } or a host's block" },
	{ T_STATEMENT, "vcl_deliver resp http-after-response",
	    "write 'delivery { ... }', in always { ... } or a host's block" },
	{ T_STATEMENT, "beresp.ttl beresp.grace beresp.keep max-age maxage "
	    "s-maxage s_maxage proxy_cache_valid cache_ttl",
	    "write 'response { ttl 1h; }'" },
	{ T_STATEMENT, "beresp.uncacheable nocache no-cache no-store "
	    "hit-for-miss hit_for_miss hfm",
	    "write 'response { uncacheable; }'" },
	{ T_STATEMENT, "hit-for-pass hit_for_pass hfp",
	    "write 'response { pass 2m; }'" },
	{ T_STATEMENT, "proxy_cache_use_stale stale-if-error stale "
	    "prefer-stale prefer_stale serve",
	    "write 'response { when status begins 5 { prefer stale; } }'" },
	{ T_STATEMENT, "do_esi beresp.do_esi", "write 'response { esi; }'" },
	{ T_STATEMENT, "do_gzip beresp.do_gzip compress",
	    "write 'response { gzip; }'" },
	{ T_STATEMENT, "do_gunzip beresp.do_gunzip",
	    "write 'response { gunzip; }'" },
	{ T_STATEMENT, "do_stream beresp.do_stream stream",
	    "Varnish streams by itself: leave it out" },
	{ T_STATEMENT, "stale-while-revalidate stale_while_revalidate swr",
	    "write 'response { grace 1h; }'" },
	{ T_STATEMENT, "std.ban", "write 'ban obj.http.NAME ~ \"REGEX\";'" },
	{ T_STATEMENT, "xkey throttle vsthrottle ratelimit auth basicauth",
	    "write 'call NAME;', for a sub of VCL that does it" },
	{ T_STATEMENT, "hash_data vcl_hash cache_key proxy_cache_key",
	    "write 'key { header NAME; }', in always { ... } or a host's "
	    "block" },
	{ T_STATEMENT, "std.log syslog std.syslog", "write 'log \"TEXT\";'" },
	{ T_STATEMENT, "vcl import new declare rollback std.collect",
	    "rules are not VCL: see fastmatch.rules(5)" },
	{ T_STATEMENT, "probe director upstream frontend defaults global",
	    "backends and listeners are VCL's and varnishd's" },
	{ T_STATEMENT, "error", "write 'synth STATUS;'" },
	{ T_STATEMENT, "synthetic",
	    "write 'answer STATUS \"TYPE\" \"BODY\";'" },
	{ T_STATEMENT, "restart",
	    "this is VCL's: 'return (restart)', before or after .apply()" },
	{ T_STATEMENT, "return lookup last break",
	    "write the verdict alone: pass, pipe, hash, synth 403, or "
	    "redirect 301 URL" },
	{ T_STATEMENT, "server server_name servername serveralias "
	    "<virtualhost site vhost", "write 'host NAME... { ... }'" },
	{ T_STATEMENT, "location <location <locationmatch directory",
	    "write 'when path below /x { ... }'" },
	{ T_STATEMENT, "deny block forbid reject", "write 'synth 403;'" },
	{ T_STATEMENT, "allow order require",
	    "write 'when client in NETWORK... { synth 403; }', or 'client "
	    "not in'" },
	{ T_STATEMENT, "use_backend default_backend proxy_pass proxypass "
	    "fastcgi_pass uwsgi_pass set_backend director",
	    "write 'backend NAME;', in a 'when' if it depends" },
	{ T_STATEMENT, "http-request tcp-request",
	    "write the statement itself: set, unset, redirect, synth, "
	    "rewrite, in a 'when'" },
	{ T_STATEMENT, "http-response add_header more_set_headers header",
	    "write 'delivery { set NAME = VALUE; }'" },
	{ T_STATEMENT, "x-cache x-cacheable cache_status cachestatus",
	    "write 'delivery { cache-status NAME; }'" },
	{ T_STATEMENT, "expires",
	    "for the client: 'delivery { browser 1h; }', for the cache: "
	    "'response { ttl 1h; }'" },
	{ T_STATEMENT, "proxy_hide_header more_clear_headers etag",
	    "write 'delivery { unset NAME; }'" },
	{ T_STATEMENT, "proxy_set_header requestheader reqadd reqset add "
	    "append setenvif fastcgi_param", "write 'set NAME = VALUE;'" },
	{ T_STATEMENT, "remove delete reqdel reqidel del",
	    "write 'unset NAME;'" },
	{ T_STATEMENT, "drop strip",
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
	{ T_STATEMENT, "try_files root index alias error_page errorfile "
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
	{ T_TEST, "https ssl ssl_fc tls is_ssl",
	    "write 'scheme is https', and an item 'scheme from ...'" },
	{ T_TEST, "http", "write 'scheme is http', and 'scheme from ...'" },
	{ T_TEST, "proto protocol",
	    "the subject is called 'scheme'; an item 'scheme from ...' says "
	    "where it is known from" },
	{ T_TEST, "port",
	    "Varnish sees no port of the client: ask 'scheme', or what the "
	    "proxy before it sets" },
	{ T_TEST, "hit hits miss obj.hits", "write 'cache is hit', in "
	    "delivery { ... }" },
	{ T_TEST, "background bereq.is_bgfetch",
	    "write 'fetch is background', in fetch { ... } or response "
	    "{ ... }" },
	{ T_TEST, "bereq.retries", "write 'fetch is retry', in fetch { ... } "
	    "or response { ... }" },
	{ T_TEST, "beresp.status resp.status obj.status status_code code",
	    "the subject is called 'status', in response { ... } or "
	    "delivery { ... }" },
	{ T_TEST, "beresp.ttl obj.ttl", "write 'ttl over 0s', in response "
	    "{ ... } or delivery { ... }" },
	{ T_TEST, "content-type mime mimetype media",
	    "the subject is called 'type', in response { ... } or "
	    "delivery { ... }" },
	{ T_TEST, "content-length length",
	    "the subject is called 'size', in response { ... } or "
	    "delivery { ... }" },
	{ T_OVER, "> >= more above", "write 'over'" },
	{ T_OVER, "< <= less below", "write 'under'" },
	{ T_TEST, "req.restarts restart", "write 'restarts over 0'" },
	{ T_TEST, "referer referrer origin accept authorization range",
	    "write 'header NAME'" },
	{ T_BEGINS, "starts startswith start starts_with beginswith "
	    "begins_with starts-with prefix beg", "write 'begins'" },
	{ T_BEGINS, "endswith ends_with suffix finishes", "write 'ends'" },
	{ T_BEGINS, "equals equal eq si are == === any", "write 'is'" },
	{ T_BEGINS, "matches match regex regexp rx", "write '~'" },
	{ T_BEGINS, "includes include has have sub", "write 'contains'" },
	{ T_BEGINS, "glob wildcard", "write 'like'" },
	{ T_BEGINS, "form", "did you mean 'from'?" },
	{ T_BEGINS, "> >= < <=",
	    "only ttl and size are numbers: write 'begins 5', say" },
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
	return ((test && (kind == T_NOT || kind == T_ANY ||
	    kind == T_EVERY)) ||
	    ((test || fm_expects(reader, T_SUBJECT)) && (kind == T_QUERY ||
	    kind == T_COOKIE || kind == T_CLIENT || kind == T_HOST ||
	    kind == T_SCHEME || (kind >= T_URL && kind <= T_HEADER))));
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
		    fm_text_is_among(word, foreign[i].words))
			return (true);
	if (is_comment(word) || fm_text_is_among(word, "if"))
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

bool
fm_is_meant(struct fm_text word)
{
	size_t i, max = fm_distance_max(word);
	unsigned kind;

	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		if (fm_text_is_among(word, foreign[i].words))
			return (true);
	for (kind = T_AND; max > 0 && kind < T_ITEM; kind++)
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
		    fm_text_is_among(text, foreign[i].words))
			return (foreign[i].hint);
	}
	return (NULL);
}

/* Kinds of the table below that are more than one. */
enum {
	ANY_KIND = T_END,	/* any at all */
	ANY_MODE = T__KINDS,	/* is, begins, ~ */
	ANY_ASKED,		/* not, in, present, and modes */
	ANY_STMT,		/* what begins a statement */
	ANY_RESPONSE,		/* what begins one of responses only */
	ANY_SUBJECT,		/* url, path, header */
	ANY_NAME,		/* any word but those in tests */
	ANY_NETWORK,		/* a word or string like 192.0.2.0/24 */
	ANY_OTHER		/* all but T_WORD */
};

static bool
is_kind(const struct fm_token *token, unsigned what)
{
	enum fm_token_kind kind = token->kind;
	bool mode = kind >= T_IS && kind <= T_TILDE;

	switch (what) {
	case ANY_KIND:
		return (true);
	case ANY_MODE:
		return (mode);
	case ANY_ASKED:
		return (mode || kind == T_NOT || kind == T_IN ||
		    kind == T_PRESENT);
	case ANY_STMT:
		return (fm_token_starts_stmt(kind) || kind == T_USE);
	case ANY_RESPONSE:
		return (fm_token_starts_stmt(kind) && !fm_phase_has(
		    fm_stmts[fm_token_stmt(kind)].phases, FM_PHASE_REQUEST));
	case ANY_SUBJECT:
		return (kind >= T_URL && kind <= T_HEADER);
	case ANY_NAME:
		return (fm_token_is_name(kind) && kind != T_STRING &&
		    !fm_token_is_reserved(kind));
	case ANY_NETWORK:
		return ((kind == T_WORD || kind == T_STRING) &&
		    fm_network_is_like(token->text));
	case ANY_OTHER:
		return (kind != T_WORD);
	default:
		return (kind == what);
	}
}

/*
 * A row has the hint for a place.  The first row counts that fits the token,
 * the one before it, the item or statement that they are in, and what is
 * expected: both kinds.  ANY_KIND fits all.
 */
struct place {
	unsigned		kind, before, in, expects, and;
	const char		*hint;
};

#define IN_EACH_KEY							\
	"URL and host are in each key: 'key { header NAME; cookie "	\
	"NAME; }' adds to them"

#define ONE_SCHEME							\
	"each has an item of its own: 'scheme from tls; scheme from "	\
	"proxy;'"

#define HOST_REGEX							\
	"a host pattern is not a regex: write *.example.com, or "	\
	"'when host ~ REGEX { ... }' in always"

#define NO_OR								\
	"operands of one test follow one another, without 'or'"

#define HOST_ALONE							\
	"a host pattern has no mode: write 'host a.example { ... }'"

#define SHIPPED_MODE							\
	"a list that comes with fastmatch says itself how it matches: "	\
	"leave the mode out"

static const struct place before_words[] = {
	{ 0, 0, 0, T_OVER, 0,
	    "a number is compared by 'over' or 'under', as 'restarts over 0'" },
	{ T_SEMI, T_CLOSE, 0, 0, 0, "no ';' after a block" },
	{ T_STRING, T_OR, 0, 0, 0, NO_OR },
	{ ANY_MODE, T_OR, 0, 0, 0, NO_OR },
	{ T_OPEN, T_DELIVER, 0, 0, 0, "the block is 'delivery { ... }'" },
	{ T_WHEN, T_RESPONSE, 0, T_OPEN, 0,
	    "write 'response { when ... { ... } }'" },
	{ T_WHEN, T_DELIVERY, 0, T_OPEN, 0,
	    "write 'delivery { when ... { ... } }'" },
	{ T_URL, T_KEY, 0, T_OPEN, 0, IN_EACH_KEY },
	{ T_PATH, T_KEY, 0, T_OPEN, 0, IN_EACH_KEY },
	{ T_QUERY, T_KEY, 0, T_OPEN, 0, IN_EACH_KEY },
	{ T_HOST, T_KEY, 0, T_OPEN, 0, IN_EACH_KEY },
	{ 0, T_KEY, 0, T_OPEN, 0, "write 'key { header NAME; cookie NAME; }'" },
	{ T_SEMI, T_CACHE_STATUS, 0, 0, 0,
	    "the name of this cache is missing: 'cache-status varnish;'" },
	{ T_SEMI, T_DROP, 0, 0, 0,
	    "a name is missing; '*' stands for all" },
	{ T_SEMI, T_ADD, 0, 0, 0, "a name is missing: 'vary add NAME;'" },
	{ 0, T_FETCH, 0, T_OPEN, 0, "write 'fetch { ... }'" },
	{ 0, T_RESPONSE, 0, T_OPEN, 0, "write 'response { ... }'" },
	{ 0, T_DELIVERY, 0, T_OPEN, 0, "write 'delivery { ... }'" },
	{ T_EQUALS, 0, T_WHEN, T_IS, 0, "write 'is'" },
	{ T_ELSE, 0, 0, T_STATEMENT, 0,
	    "it follows the block of a 'when'" },
	{ 0, 0, 0, T_PATH, 0, "the subject is called 'clean path'" },
	{ ANY_ASKED, 0, 0, T_OVER, 0, "write 'over' or 'under'" },
	{ 0, T_REQUEST, 0, T_HEADER, 0,
	    "write 'request header NAME'; cookie, query and path are the "
	    "request's by themselves" },
	{ T_RESPONSE, 0, 0, T_TEST, 0,
	    "write 'header NAME', in response { ... } or delivery { ... }" },
	{ T_PROXY, 0, T_SCHEME, T_SEMI, 0, ONE_SCHEME },
	{ T_TLS, 0, T_SCHEME, T_SEMI, 0, ONE_SCHEME },
	{ T_WORD, 0, T_SCHEME, T_SEMI, 0, ONE_SCHEME },
	{ ANY_MODE, T_CLIENT, 0, T_IN, 0, "write 'client in NETWORK...'" },
	{ T_EQUALS, T_CLIENT, 0, T_IN, 0, "write 'client in NETWORK...'" },
	{ ANY_MODE, T_NOT, 0, T_IN, 0, "write 'client not in NETWORK...'" },
	{ T_PRESENT, T_CLIENT, 0, T_IN, 0, "write 'client in NETWORK...'" },
	{ ANY_NETWORK, T_CLIENT, 0, T_IN, 0, "write 'client in NETWORK...'" },
	{ ANY_NETWORK, T_NOT, 0, T_IN, 0, "write 'client not in NETWORK...'" },
	{ T_LPAREN, 0, T_REDIRECT, T_NAME, 0,
	    "a redirect has a status and a URL: 'redirect 301 "
	    "MAP(SUBJECT);'" },
	{ T_CACHE, 0, 0, T_STATEMENT, 0, "write 'response { ttl 1h; }'" },
	{ T_BELOW, 0, T_LIST, T_IN, 0,
	    "write 'list NAME { is /x; begins /x/; }'" },
	{ T_BELOW, 0, T_MAP, T_IN, 0,
	    "write 'is /x -> VALUE; begins /x/ -> VALUE;'" },
	{ T_BELOW, 0, 0, T_IN, 0, "only path and clean path have segments" },
	{ T_BACKEND, 0, 0, T_ITEM, 0, "backends are VCL's, and named there" },
	{ T_DELIVER, 0, 0, T_ITEM, 0, "the block is 'delivery { ... }', in "
	    "always { ... } or a host's block; the verdict is for response" },
	{ ANY_RESPONSE, 0, 0, T_ITEM, 0,
	    "write 'response { ... }' or 'delivery { ... }' around it, in "
	    "always { ... } or a host's block" },
	{ ANY_STMT, 0, 0, T_ITEM, 0,
	    "write it in always { ... }, or in a host's block" },
	{ ANY_SUBJECT, 0, 0, T_ITEM, 0,
	    "write 'when ... { ... }' around it, in always { ... } or a host's "
	    "block" },
};

static const struct place after_words[] = {
	{ 0, 0, T_VARY, T_DROP, 0, "write 'vary add NAME;'" },
	{ 0, 0, T_CACHE_CONTROL, T_DROP, 0,
	    "to set the header, write 'set Cache-Control = VALUE;'" },
	{ 0, 0, T_SET_COOKIE, T_DROP, 0,
	    "to set the header, write 'set Set-Cookie = VALUE;'" },
	{ T_WORD, 0, 0, T_OVER, 0, "write 'over' or 'under'" },
	{ T_WORD, T_CLIENT, 0, T_IN, 0,
	    "write 'client in NETWORK...' or 'client not in NETWORK...'" },
	{ T_OVER, 0, 0, T_BEGINS, 0,
	    "only ttl and size are numbers: write 'begins 5', say" },
	{ T_UNDER, 0, 0, T_BEGINS, 0,
	    "only ttl and size are numbers: write 'begins 5', say" },
	{ T_WORD, T_PASS, 0, T_SEMI, 0,
	    "a duration is for 'response { pass 2m; }'" },
	{ T_STRING, 0, 0, T_PRESENT, 0,
	    "a mode is missing: is, begins, contains, ~, ..." },
	{ ANY_ASKED, 0, 0, T_AND, T_OPEN,
	    "write 'and' or 'or' (in small letters) before another test, or "
	    "quote it" },
	{ T_SEMI, 0, 0, T_AND, T_OPEN, "a block { ... } follows the test" },
	{ ANY_NAME, 0, 0, T_AND, T_OPEN, "a block { ... } follows the test" },
	{ T_IN, T_IS, 0, 0, 0, "write 'in' alone" },
	{ 0, T_PRESENT, 0, T_PRESENT, 0,
	    "a name is missing: 'cookie NAME present', 'header NAME present', "
	    "'query NAME present'; any cookie is 'header Cookie present'" },
	{ 0, ANY_MODE, 0, T_PRESENT, 0,
	    "a name is missing: 'cookie NAME is TEXT', 'header NAME is TEXT', "
	    "'query NAME is TEXT'" },
	{ T_OPEN, 0, 0, T_PRESENT, 0,
	    "to ask whether it is there, write 'present'" },
	{ 0, T_ELSE, 0, T_WHEN, 0, "write 'else when'" },
	{ T_ARROW, T_DEFAULT, 0, 0, 0, "write 'default VALUE;'" },
	{ ANY_NETWORK, 0, T_MAP, T_DEFAULT, T_IS,
	    "a line is 'in NETWORK... -> VALUE;', the last one "
	    "'default VALUE;'" },
	{ 0, 0, 0, T_ARROW, 0, "a line is 'is TEXT... -> VALUE;'" },
	{ 0, 0, 0, T_DEFAULT, T_IS,
	    "a line is 'is TEXT... -> VALUE;', the last one 'default VALUE;'" },
	{ T_OPEN, T_IN, T_MAP, T_FROM, 0,
	    "write 'map NAME { in NETWORK... -> VALUE; }'" },
	{ T_OPEN, 0, T_MAP, T_FROM, 0,
	    "write 'map NAME { is TEXT... -> VALUE; }'" },
	{ ANY_NETWORK, 0, T_LIST, T_BEGINS, 0,
	    "write 'list NAME in { NETWORK... }'" },
	{ ANY_OTHER, 0, T_LIST, T_BEGINS, 0, "write 'list NAME is { ... }'" },
	{ 0, 0, T_LIST, T_BEGINS, T_CLOSE,
	    "write 'list NAME is { ... }', or lines as 'is TEXT...;'" },
	{ 0, 0, T_LIST, T_FROM, 0, "operands are written in { ... }" },
	{ T_SEMI, 0, T_LIST, T_CLOSE, 0, "words are separated by blanks" },
	{ T_WHEN, 0, 0, T_SEMI, 0, "write 'when ... { ... }' around it" },
	{ T_SEMI, 0, T_REDIRECT, 0, 0,
	    "a redirect has a status and a URL: 'redirect 301 URL;'" },
	{ T_TILDE, T_HOST, 0, T_WORD, 0, HOST_REGEX },
	{ T_TILDE, 0, T_HOST, T_OPEN, T_USE, HOST_REGEX },
	{ ANY_MODE, T_HOST, 0, T_WORD, 0, HOST_ALONE },
	{ T_NOCASE, T_HOST, 0, T_WORD, 0, HOST_ALONE },
	{ T_SEMI, 0, T_HOST, T_OPEN, T_USE,
	    "a block { ... } or 'use RULESET;' follows the hosts" },
	{ T_OPEN, T_HOST, 0, T_WORD, 0,
	    "a name is missing; all other hosts are 'default { ... }'" },
	{ T_SHIPPED, T_FROM, T_LIST, 0, 0, SHIPPED_MODE },
	{ T_SHIPPED, T_FROM, T_MAP, 0, 0, SHIPPED_MODE },
	{ T_OPEN, T_IN, T_LIST, T_WORD, 0,
	    "write 'list NAME in { NETWORK... }'" },
	{ T_SEMI, 0, T_SYNTH, 0, 0, "a status is missing: 'synth 403'" },
	{ ANY_NAME, 0, T_SYNTH, T_SEMI, 0, "a reason needs quotes" },
	{ T_NOT, 0, T_SYNTH, T_SEMI, 0, "a reason needs quotes" },
	{ T_TILDE, T_HEADER, T_REWRITE, 0, 0,
	    "a name is missing: 'rewrite header NAME ~ REGEX to TEXT;'" },
	{ 0, 0, T_REWRITE, T_TILDE, 0,
	    "write 'rewrite [all] ~ REGEX to TEXT;' or 'rewrite [all] header "
	    "NAME ~ REGEX to TEXT;'" },
	{ ANY_OTHER, 0, T_REWRITE, T_TO, 0,
	    "write 'rewrite ~ REGEX to TEXT;'" },
	{ 0, 0, T_SET, T_EQUALS, 0, "write 'set NAME = VALUE;'" },
	{ T_EQUALS, 0, T_UNSET, 0, 0, "unset has names alone" },
	{ T_EQUALS, 0, T_TTL, 0, 0, "write 'ttl 1h;'" },
	{ T_WORD, 0, T_TTL, T_SEMI, 0,
	    "write 'ttl 1h;', 'ttl at most 1h;' or 'ttl at least 1h;'" },
	{ 0, 0, T_GRACE, 0, 0, "write 'grace 1h;'" },
	{ 0, 0, T_KEEP, 0, 0, "write 'keep 1h;'" },
	{ ANY_NAME, 0, T_LOG, T_SEMI, 0, "write 'log \"TEXT\";'" },
	{ 0, 0, T_BAN, 0, 0, "write 'ban obj.http.NAME ~ \"REGEX\";'" },
	{ T_SEMI, 0, T_ANSWER, 0, 0,
	    "an answer has a status, a type and a body: 'answer 404 "
	    "\"text/html\" \"BODY\";'" },
	{ T_WORD, 0, T_UNCACHEABLE, T_SEMI, 0, "write 'uncacheable 2m;'" },
	{ T_WORD, 0, T_BROWSER, T_SEMI, 0,
	    "write 'browser 1h;' or 'browser no;'" },
	{ T_EQUALS, 0, T_BACKEND, 0, 0, "write 'backend NAME;'" },
};

static const char *
table_hint(const struct fm_reader *reader, const struct place *row, size_t n)
{

	for (; n > 0; n--, row++)
		if (is_kind(&reader->token, row->kind) &&
		    is_kind(&reader->before, row->before) &&
		    (row->in == 0 || reader->item == row->in ||
		    reader->stmt == row->in) &&
		    (row->expects == 0 || fm_expects(reader, row->expects)) &&
		    (row->and == 0 || fm_expects(reader, row->and)))
			return (row->hint);
	return (NULL);
}

/* Returns a hint for a token and the text before it, or NULL. */
static const char *
place_hint(const struct fm_reader *reader)
{
	struct fm_text before = fm_token_text(reader, &reader->before);
	const struct fm_token *token = &reader->token;
	bool word = reader->before.kind != T_STRING;
	bool when = fm_text_is_among(token->text, "if unless");

	if (fm_expects(reader, T_ARROW) && word && fm_text_has(before, "->"))
		return ("'->' needs blanks around it");
	if (fm_expects(reader, T_EQUALS) && word && fm_text_has(before, "="))
		return ("'=' needs a blank before it");
	if (token->kind == T_LPAREN && (reader->stmt == T_TTL ||
	    reader->stmt == T_GRACE || reader->stmt == T_KEEP ||
	    reader->stmt == T_UNCACHEABLE))
		return ("of lifetimes, only 'ttl MAP(SUBJECT);' takes a map");
	if (token->kind == T_LPAREN && before.len > 0 &&
	    reader->stmt != T_BAN && reader->before.end == token->start)
		return ("what has a '(' in it needs quotes");
	if (reader->phase != T_END && reader->before.kind == T_PRESENT &&
	    fm_expects(reader, T_PRESENT))
		return ("a name is missing: 'header NAME present', "
		    "'set-cookie NAME present'; any is 'header Set-Cookie "
		    "present'");
	if (fm_text_is_among(token->text, "if") && fm_expects(reader, T_ITEM))
		return ("write 'when ... { ... }', in always { ... } or a "
		    "host's block");
	if (when && fm_expects(reader, T_SEMI))
		return ("write 'when ... { ... }' around it");
	return (table_hint(reader, before_words,
	    sizeof before_words / sizeof *before_words));
}

/*
 * Returns true if a condition goes on or ends after the token: then the token
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
	return (word.len > 0 ? fm_text_is_among(word, "and or") :
	    p < end && (*p == '{' || *p == ')'));
}

/*
 * Returns true if a list without a mode has words in its block, no lines:
 * `{ alice bob }` or `{ alice; bob; }`.  None is a mode that is misspelt.
 */
static bool
is_bare_list(const struct fm_reader *reader)
{
	const char *p = reader->text.b + reader->token.end;
	const char *end = reader->text.b + reader->text.len;

	if (reader->item != T_LIST || !fm_expects(reader, T_BEGINS) ||
	    !fm_expects(reader, T_CLOSE))
		return (false);
	while (p < end && fm_is_blank(*p))
		p++;
	if (p < end && *p == ';')
		return (true);
	while (p < end && *p != ';' && *p != '}')
		p++;
	return (p < end && *p == '}');
}

/* Returns the word after the token, and after a `(`; or the empty text. */
static struct fm_text
word_after(const struct fm_reader *reader)
{
	const char *p = reader->text.b + reader->token.end;
	const char *end = reader->text.b + reader->text.len;
	struct fm_text word;

	while (p < end && (fm_is_blank(*p) || *p == '('))
		p++;
	for (word = fm_text(p, 0); p < end && (isalpha((unsigned char)*p) ||
	    *p == '_'); p++)
		word.len++;
	return (word);
}

/* Subs of VCL, parted by blanks, and where their rules are written. */
static const struct {
	const char		*names;
	const char		*hint;
} vcl_subs[] = {
	{ "vcl_recv", "write what is in it into always { ... } or a host's "
	    "block" },
	{ "vcl_backend_response vcl_fetch",
	    "write 'response { ... }', in always { ... } or a host's block" },
	{ "vcl_backend_fetch",
	    "write 'fetch { ... }', in always { ... } or a host's block" },
	{ "vcl_hash",
	    "write 'key { ... }', in always { ... } or a host's block" },
	{ "vcl_deliver vcl_synth",
	    "write 'delivery { ... }', in always { ... } or a host's block" }
};

/* Returns a hint for `return (deliver)`, or for a sub of VCL; or NULL. */
static const char *
vcl_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	struct fm_text word = word_after(reader);
	bool known = word.len > 0;
	size_t i = 0;

	if (fm_text_is_among(reader->token.text, "sub") && known) {
		while (i < sizeof vcl_subs / sizeof *vcl_subs &&
		    !fm_text_is_among(word, vcl_subs[i].names))
			i++;
		if (i < sizeof vcl_subs / sizeof *vcl_subs)
			return (vcl_subs[i].hint);
	}
	if (!fm_text_is_among(reader->token.text, "return restart"))
		return (NULL);
	if (reader->phase == T_RESPONSE)
		return ("write the verdict alone: deliver, builtin, pass, "
		    "retry or abandon");
	if (reader->phase == T_DELIVERY &&
	    fm_text_is_among(reader->token.text, "return"))
		return ("leave it out, or write synth 404, redirect 301 URL or "
		    "answer");
	if (!known || !fm_text_is_among(word, "deliver abandon retry"))
		return (NULL);
	(void)snprintf(buf, FM_HINT_LEN, "write 'response { %.*s; }'",
	    (int)word.len, word.b);
	return (buf);
}

/* Returns a hint for what stands in `key` for a statement, or NULL. */
static const char *
key_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	struct fm_text text = reader->token.text;
	enum fm_token_kind kind = reader->token.kind;

	if (reader->phase == T_KEY && reader->before.kind == T_QUERY)
		return (IN_EACH_KEY);
	if (reader->phase != T_KEY || !fm_expects(reader, T_STATEMENT))
		return (NULL);
	if (kind == T_AGENT)
		return ("write 'header X-Device;', with an X-Device that the "
		    "rules for requests set by it");
	if (kind == T_CLIENT || kind == T_METHOD || kind == T_SCHEME) {
		(void)snprintf(buf, FM_HINT_LEN, "write '\"${%s}\";'",
		    fm_token_names[kind]);
		return (buf);
	}
	if (kind == T_URL || kind == T_PATH || kind == T_HOST ||
	    kind == T_CLEAN)
		return (IN_EACH_KEY);
	if (kind != T_WORD || (memchr(text.b, '-', text.len) == NULL &&
	    !isupper((unsigned char)text.b[0])))
		return (NULL);
	(void)snprintf(buf, FM_HINT_LEN, "write 'header %.*s;'",
	    (int)text.len > 80 ? 80 : (int)text.len, text.b);
	return (buf);
}

/* Returns a hint for a word that means nothing here, or NULL. */
static const char *
word_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	struct fm_text text = reader->token.text;
	enum fm_token_kind before = reader->before.kind;
	bool test = expects_subject(reader), called;
	const char *hint;

	if (test && (before == T_OR || before == T_AND) &&
	    (text.b[0] == '/' || is_operand(reader)))
		return (NO_OR);
	hint = vcl_hint(reader, buf);
	if (hint == NULL)
		hint = foreign_hint(reader, text);
	if (hint != NULL)
		return (hint);
	if (text.b[0] == '!' && fm_expects(reader, T_PRESENT) &&
	    fm_text_is_among(fm_text(text.b + 1, text.len - 1),
	    "is begins ends contains like below in present ~")) {
		(void)snprintf(buf, FM_HINT_LEN, "write 'not %.*s'",
		    (int)text.len - 1, text.b + 1);
		return (buf);
	}
	if (test && text.b[0] == '!')
		return ("write 'not' and a blank");
	if (fm_text_begins(text, "resp.") || fm_text_begins(text, "beresp.") ||
	    fm_text_begins(text, "obj."))
		return ("of a response, write status, type, ttl, header NAME, "
		    "in response { ... } or delivery { ... }");
	if (fm_text_begins(text, "req.") || fm_text_begins(text, "client.") ||
	    fm_text_begins(text, "bereq.") || (test && (text.b[0] == '$' ||
	    text.b[0] == '%')))
		return ("VCL's variables are called url, path, host, method, "
		    "agent, header NAME, cookie NAME, client here");
	if (is_bare_list(reader))
		return (NULL);
	called = reader->token.end < reader->text.len &&
	    reader->text.b[reader->token.end] == '(';
	if (test && called && memchr(text.b, '.', text.len) == NULL)
		return ("set a header by the map, and ask for that header");
	hint = nearest_hint(reader, text, buf);
	if (hint == NULL && fm_expects(reader, T_STATEMENT) && called &&
	    memchr(text.b, '.', text.len) != NULL)
		return ("functions are VCL's: call this in vcl_recv, before or "
		    "after .apply()");
	return (hint);
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
	if (reader->phase == T_KEY && fm_expects(reader, T_STATEMENT))
		return ("write 'header NAME;' or 'cookie NAME;'");
	if (fm_expects(reader, T_PRESENT))
		return ("a mode is missing: is, begins, contains, ~, ...");
	return (NULL);
}

/*
 * Returns true if a statement that a hint writes in a block `in` may be in the
 * block around the token.  A `when` asks for what its own phase has.
 */
static bool
fits_inside(const struct fm_reader *reader, struct fm_text in,
    struct fm_text stmt)
{
	enum fm_phase phase = fm_stmt_phase(fm_token_stmt(reader->phase));
	unsigned kind = T_INCLUDE;

	if (fm_text_eq(in, fm_text_of(fm_token_names[reader->phase])))
		return (!fm_text_eq(stmt, fm_text_of("...")));
	if (fm_text_eq(stmt, fm_text_of("when")))
		return (false);
	while (kind < T_ITEM && (!fm_token_starts_stmt(kind) ||
	    !fm_text_eq(stmt, fm_text_of(fm_token_names[kind]))))
		kind++;
	return (kind < T_ITEM && fm_phase_has(
	    fm_stmts[fm_token_stmt(kind)].phases, phase));
}

/*
 * Returns a hint without the block that it writes around a statement, as
 * 'delivery { set NAME = VALUE; }', if the token is in a block that may have
 * such a statement.
 */
static const char *
hint_inside(const struct fm_reader *reader, const char *hint,
    char buf[FM_HINT_LEN])
{
	static const char start[] = "write '", open[] = " { ", end[] = " }'";
	struct fm_text in, stmt;
	const char *from;
	size_t len;

	if (hint == NULL || hint == buf || reader->phase == T_END ||
	    strncmp(hint, start, strlen(start)) != 0)
		return (hint);
	from = hint + strlen(start);
	in = fm_text(from, strcspn(from, " '"));
	from += in.len;
	len = strlen(hint);
	if (strncmp(from, open, strlen(open)) != 0 ||
	    strcmp(hint + len - strlen(end), end) != 0)
		return (hint);
	from += strlen(open);
	stmt = fm_text(from, strcspn(from, " ;"));
	if (!fits_inside(reader, in, stmt))
		return (hint);
	(void)snprintf(buf, FM_HINT_LEN, "write '%.*s'",
	    (int)(hint + len - strlen(end) - from), from);
	return (buf);
}

const char *
fm_unexpected_hint(const struct fm_reader *reader, char buf[FM_HINT_LEN])
{
	enum fm_token_kind kind = reader->token.kind;
	const char *hint = place_hint(reader);

	if (hint == NULL)
		hint = key_hint(reader, buf);
	if (hint == NULL && kind == T_WORD)
		hint = word_hint(reader, buf);
	else if (hint == NULL && fm_token_is_name(kind) && kind != T_STRING)
		hint = foreign_hint(reader, reader->token.text);
	if (hint == NULL && kind == T_NOT && (reader->before.kind == T_IN ||
	    is_kind(&reader->before, ANY_MODE))) {
		(void)snprintf(buf, FM_HINT_LEN, "write 'not %s'",
		    fm_token_names[reader->before.kind]);
		hint = buf;
	}
	if (hint == NULL)
		hint = table_hint(reader, after_words,
		    sizeof after_words / sizeof *after_words);
	if (hint == NULL && kind == T_WORD)
		hint = last_hint(reader);
	/* A word of a test may be meant as an operand. */
	if (hint == NULL && fm_token_is_reserved(kind) &&
	    (fm_expects(reader, T_WORD) || (!fm_expects(reader, T_IN) &&
	    fm_token_is_name(reader->before.kind)))) {
		(void)snprintf(buf, FM_HINT_LEN, "as an operand it needs "
		    "quotes, \"%s\"", fm_token_names[kind]);
		hint = buf;
	}
	return (hint_inside(reader, hint, buf));
}
