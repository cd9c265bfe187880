/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of the rule language: a row for each word.  Tokens, kinds,
 * verdicts, counters and the word lists of editors are made from it; words.py
 * reads it for what is not C.
 *
 * Each row begins with three columns:
 *
 *	name	T_NAME is the kind of its token
 *	word	as rules have it
 *	class	the class that an editor shows it as (words.py)
 *
 * A statement has these, too; its kind is FM_STMT_NAME:
 *
 *	manual	the section of fastmatch.rules(5)
 *	phases	where it may be: in the rules for a REQUEST, in `key` (KEYED),
 *		`fetch` (SENT), `response` (STORED), `delivery` (DELIVERED); or
 *		in several (kinds.h)
 *	ends	what it ends: NOTHING; MAYBE the rules; its BLOCK; the RULES
 *
 * A statement that is a verdict, FM_VERDICT_NAME, has these, too:
 *
 *	counter	of the module
 *	return	VCL_RET_RETURN ends vcl_recv
 *	status	that the client gets: 0 if others decide that, a number, or
 *		FM_STATUS_OPERAND: the number in the rules
 *	esi	in an ESI sub-request, where an answer of ours would be put into
 *		the middle of a page, it does the SAME as elsewhere; is IGNORED;
 *		DENIES: the sub-request ends, with an empty body; or, by its
 *		STATUS, denies from 400 on, and is ignored below
 */

#ifndef FM_WORDS_H
#define FM_WORDS_H

/* Words that need quotes as operands, as `use` and modes up to `like` do. */
#define FM_RESERVED(T)							\
	T(AND, "and", TEST) T(OR, "or", TEST) T(NOT, "not", TEST)	\
	T(IN, "in", TEST) T(ELSE, "else", CONDITIONAL)			\
	T(PRESENT, "present", TEST) T(NOCASE, "nocase", TEST)
#define FM_USE(S)							\
	S(USE, "use", STATEMENT, "use", ANY, MAYBE)

/* Modes, and the kind of their patterns.  `below` is read otherwise. */
#define FM_MODES(M, O)							\
	M(IS, "is", TEST, EXACT)					\
	M(BEGINS, "begins", TEST, PREFIX)				\
	M(ENDS, "ends", TEST, SUFFIX)					\
	M(CONTAINS, "contains", TEST, CONTAINS)				\
	M(LIKE, "like", TEST, GLOB)					\
	O(BELOW, "below", TEST)						\
	M(TILDE, "~", OPERATOR, REGEX)

/* Words that start an item, from `ruleset` to `host` with a block. */
#define FM_ITEMS(T)							\
	T(INCLUDE, "include", ITEM) T(LIST, "list", ITEM)		\
	T(MAP, "map", ITEM) T(UNDECIDED, "undecided", ITEM)		\
	T(REPEATED, "repeated", ITEM) T(CLIENT, "client", ITEM)		\
	T(SCHEME, "scheme", ITEM)					\
	T(RULESET, "ruleset", ITEM) T(ALWAYS, "always", ITEM)		\
	T(FINALLY, "finally", ITEM) T(DEFAULT, "default", ITEM)		\
	T(HOST, "host", ITEM) T(HOSTS, "hosts", ITEM)

/* Statements that edit, choose where a request goes, log, call VCL, or ban. */
#define FM_EDITS(S)							\
	S(QUERY, "query", STATEMENT, "query drop, query keep",		\
	    REQUEST, NOTHING)						\
	S(COOKIE, "cookie", STATEMENT, "cookie drop, cookie keep",	\
	    REQUEST, NOTHING)						\
	S(SET, "set", STATEMENT, "set", EDITED, NOTHING)		\
	S(UNSET, "unset", STATEMENT, "unset", EDITED, NOTHING)		\
	S(NORMALIZE, "normalize", STATEMENT, "normalize",		\
	    REQUEST, NOTHING)						\
	S(REWRITE, "rewrite", STATEMENT, "rewrite", REWRITTEN, NOTHING)	\
	S(BACKEND, "backend", STATEMENT, "backend", REQUEST, NOTHING)	\
	S(LOG, "log", STATEMENT, "log", ANY, NOTHING)			\
	S(CALL, "call", STATEMENT, "call", CALLED, NOTHING)		\
	S(BAN, "ban", STATEMENT, "ban", REQUEST, NOTHING)

/* Statements of responses: what is stored, how long, and lists in headers. */
#define FM_RESPONSES(S)							\
	S(TTL, "ttl", STATEMENT, "ttl", STORED, NOTHING)		\
	S(GRACE, "grace", STATEMENT, "grace, keep", STORED, NOTHING)	\
	S(KEEP, "keep", STATEMENT, "grace, keep", STORED, NOTHING)	\
	S(UNCACHEABLE, "uncacheable", STATEMENT, "uncacheable",		\
	    STORED, NOTHING)						\
	S(ESI, "esi", STATEMENT, "esi, gzip, gunzip", STORED, NOTHING)	\
	S(GZIP, "gzip", STATEMENT, "esi, gzip, gunzip",			\
	    STORED, NOTHING)						\
	S(GUNZIP, "gunzip", STATEMENT, "esi, gzip, gunzip",		\
	    STORED, NOTHING)						\
	S(SET_COOKIE, "set-cookie", STATEMENT, "set-cookie, vary, "	\
	    "cache-control", MESSAGE, NOTHING)				\
	S(VARY, "vary", STATEMENT, "set-cookie, vary, cache-control",	\
	    MESSAGE, NOTHING)						\
	S(CACHE_CONTROL, "cache-control", STATEMENT, "set-cookie, "	\
	    "vary, cache-control", MESSAGE, NOTHING)			\
	S(BROWSER, "browser", STATEMENT, "browser", MESSAGE, NOTHING)	\
	S(CACHE_STATUS, "cache-status", STATEMENT, "cache-status",	\
	    DELIVERED, NOTHING)						\
	S(NO_VARY_SEARCH, "no-vary-search", STATEMENT, "no-vary-search", \
	    DELIVERED, NOTHING)						\
	S(PREFER, "prefer", STATEMENT, "prefer stale", STORED, MAYBE)

/* Blocks for other phases, in the order of enum fm_phase. */
#define FM_BLOCKS(S)							\
	S(KEY, "key", CONDITIONAL, "key", REQUEST, NOTHING)		\
	S(FETCH, "fetch", CONDITIONAL, "fetch", REQUEST, NOTHING)	\
	S(RESPONSE, "response", CONDITIONAL, "response, delivery",	\
	    REQUEST, NOTHING)						\
	S(DELIVERY, "delivery", CONDITIONAL, "response, delivery",	\
	    REQUEST, NOTHING)

/* Verdicts with operands. */
#define FM_ANSWERS(V)							\
	V(SYNTH, "synth", STATEMENT, "synth", ANSWERED, RULES,		\
	    verdict_synth, SYNTH, FM_STATUS_OPERAND, STATUS)		\
	V(REDIRECT, "redirect", STATEMENT, "redirect", ANSWERED, MAYBE,	\
	    verdict_redirect, SYNTH, FM_STATUS_OPERAND, IGNORED)	\
	V(ANSWER, "answer", STATEMENT, "answer", ANSWERED, RULES,	\
	    verdict_answer, SYNTH, FM_STATUS_OPERAND, STATUS)		\
	V(RETRY, "retry", STATEMENT, "retry, abandon, deliver",		\
	    STORED, MAYBE, verdict_retry, RETRY, 0, SAME)
#define FM_BRANCHES(S)							\
	S(WHEN, "when", CONDITIONAL, "when", ANY, NOTHING)

/* Verdicts that are one word.  From here on a statement is one. */
#define FM_PLAIN(V)							\
	V(PASS, "pass", STATEMENT, "pass, pipe, hash", FETCHED, RULES,	\
	    verdict_pass, PASS, 0, SAME)				\
	V(PIPE, "pipe", STATEMENT, "pass, pipe, hash", REQUEST, RULES,	\
	    verdict_pipe, PIPE, 0, SAME)				\
	V(HASH, "hash", STATEMENT, "pass, pipe, hash", REQUEST, RULES,	\
	    verdict_hash, HASH, 0, SAME)				\
	V(PURGE, "purge", STATEMENT, "purge", REQUEST, RULES,		\
	    verdict_purge, PURGE, 0, IGNORED)				\
	V(FAIL, "fail", STATEMENT, "fail", REQUEST, RULES,		\
	    verdict_fail, FAIL, 503, DENIES)				\
	V(ABANDON, "abandon", STATEMENT, "retry, abandon, deliver",	\
	    STORED, RULES, verdict_abandon, ABANDON, 0, SAME)		\
	V(DELIVER, "deliver", STATEMENT, "retry, abandon, deliver",	\
	    STORED, RULES, verdict_deliver, DELIVER, 0, SAME)
#define FM_LEAVERS(S)							\
	S(STOP, "stop", STATEMENT, "stop", ANY, BLOCK)			\
	S(BUILTIN, "builtin", STATEMENT, "builtin", FETCHED, RULES)

/*
 * All statements but `use`, in the order of their kinds and tokens.  `use` has
 * the last kind, and a token among the reserved words.
 */
#define FM_STATEMENTS(S, V)						\
	FM_EDITS(S) FM_RESPONSES(S) FM_BLOCKS(S) FM_ANSWERS(V)		\
	FM_BRANCHES(S) FM_PLAIN(V) FM_LEAVERS(S)

/* All verdicts of statements, in the order in which reports have them. */
#define FM_VERDICTS(V)	FM_PLAIN(V) FM_ANSWERS(V)

/* Words in items and statements. */
#define FM_OPTIONS(T)							\
	T(FIRST, "first", OPTION) T(ALL, "all", OPTION)			\
	T(FROM, "from", OPTION) T(SHIPPED, "shipped", OPTION)		\
	T(IGNORE, "ignore", OPTION)		\
	T(DROP, "drop", OPTION) T(ADD, "add", OPTION)			\
	T(SORT, "sort", OPTION) T(UNIQUE, "unique", OPTION)		\
	T(TO, "to", OPTION) T(TRUST, "trust", OPTION)			\
	T(AT, "at", OPTION) T(LEAST, "least", OPTION)			\
	T(MOST, "most", OPTION) T(STALE, "stale", OPTION)		\
	T(FOR, "for", OPTION)						\
	T(TLS, "tls", OPTION) T(PROXY, "proxy", OPTION)			\
	T(ANY, "any", TEST) T(EVERY, "every", TEST)			\
	T(OVER, "over", TEST) T(UNDER, "under", TEST)

/* Words of subjects that are nothing else. */
#define FM_SUBJECT_WORDS(T)						\
	T(URL, "url", SUBJECT) T(PATH, "path", SUBJECT)			\
	T(CLEAN, "clean", SUBJECT) T(METHOD, "method", SUBJECT)		\
	T(AGENT, "agent", SUBJECT) T(HEADER, "header", SUBJECT)	\
	T(REQUEST, "request", SUBJECT) T(STATUS, "status", SUBJECT)	\
	T(TYPE, "type", SUBJECT) T(SIZE, "size", SUBJECT)		\
	T(CACHE, "cache", SUBJECT)					\
	T(RESTARTS, "restarts", SUBJECT)

/*
 * Subjects: FM_SUBJECT_..., the token with which it starts, true if a name
 * follows, and the phases that have it.  `agent` is a header that is called
 * otherwise.  Of `clean path` and `request header` the token is the first word.
 */
#define FM_SUBJECTS(S, A)						\
	S(URL, URL, false, ANY) S(PATH, PATH, false, ANY)		\
	S(CLEAN_PATH, CLEAN, false, ANY) S(HOST, HOST, false, ANY)	\
	S(METHOD, METHOD, false, ANY) A(HEADER, AGENT, false, ANY)	\
	S(QUERY, QUERY, true, ANY) S(COOKIE, COOKIE, true, ANY)		\
	S(HEADER, HEADER, true, ANY) S(CLIENT, CLIENT, false, ANY)	\
	S(RESTARTS, RESTARTS, false, REQUEST)				\
	S(SCHEME, SCHEME, false, SESSION)				\
	S(REQUEST_HEADER, REQUEST, true, MESSAGE)			\
	S(STATUS, STATUS, false, MESSAGE) S(TYPE, TYPE, false, MESSAGE)	\
	S(SET_COOKIE, SET_COOKIE, true, MESSAGE)			\
	S(CACHE_CONTROL, CACHE_CONTROL, true, MESSAGE)			\
	S(TTL, TTL, false, MESSAGE) S(SIZE, SIZE, false, MESSAGE)	\
	S(FETCH, FETCH, false, BACKEND) S(CACHE, CACHE, false, DELIVERED)

/*
 * States: the subject, the name of the flag (FM_FETCH_..., FM_CACHE_...), and
 * the word that `is` asks for.  Several may be true of a response; ${cache} is
 * the last of them.
 */
#define FM_STATES(W)							\
	W(FETCH, BACKGROUND, "background") /* the client got a stale object */ \
	W(FETCH, RETRY, "retry")					\
	W(FETCH, PASS, "pass")		/* it will not be stored */	\
	W(CACHE, HIT, "hit")						\
	W(CACHE, MISS, "miss")						\
	W(CACHE, PASS, "pass")		/* it was not stored */		\
	W(CACHE, STALE, "stale")	/* a hit whose lifetime is over */ \
	W(CACHE, OWN, "own")		/* Varnish made it */		\
	W(SCHEME, HTTP, "http")						\
	W(SCHEME, HTTPS, "https")

/*
 * Values: FM_PART_..., the name in ${}, the subject that it is taken from, the
 * phases that have it, and names that other languages have for it.  A name that
 * ends in a dot is followed by that of a header, for example.  ${query} is the
 * whole query string, and ${?query} has its `?` before it, as location.search
 * of browsers.
 */
#define FM_VALUES(P)							\
	P(URL, "url", URL, ANY, "uri request_uri req.url")		\
	P(PATH, "path", PATH, ANY, "")					\
	P(QUERY, "query", QUERY, ANY, "args query_string")		\
	P(SEARCH, "?query", QUERY, ANY, "is_args search")		\
	P(HOST, "host", HOST, ANY,					\
	    "http_host hostname server_name")				\
	P(DOMAIN, "domain", HOST, ANY, "")				\
	P(METHOD, "method", METHOD, ANY,				\
	    "verb request_method req.method")				\
	P(CLIENT, "client", CLIENT, ANY,				\
	    "ip client.ip remote_addr src addr")			\
	P(PORT, "port", HOST, ANY, "server_port")			\
	P(SCHEME, "scheme", SCHEME, SESSION,				\
	    "req.scheme request_scheme proto protocol http_scheme")	\
	P(RULESET, "ruleset", HOST, ANY, "")				\
	P(WILD, "wild", HOST, ANY, "wildcard")				\
	P(HEADER, "header.", HEADER, ANY, "header headers hdr agent "	\
	    "user-agent user_agent referer req.http http")		\
	P(COOKIE, "cookie.", COOKIE, ANY, "cookie cookies")		\
	P(PARAMETER, "query.", QUERY, ANY, "param arg parameter")	\
	P(REQUEST_HEADER, "request.header.", REQUEST_HEADER, MESSAGE,	\
	    "request.headers")						\
	P(STATUS, "status", STATUS, MESSAGE,				\
	    "resp.status beresp.status code")				\
	P(TTL, "ttl", TTL, MESSAGE, "beresp.ttl obj.ttl")		\
	P(CACHE, "cache", CACHE, DELIVERED,				\
	    "x-cache upstream_cache_status")				\
	P(HITS, "hits", CACHE, DELIVERED, "obj.hits")			\
	P(AGE, "age", CACHE, MESSAGE, "obj.age beresp.age")		\
	P(RULE, "rule", CACHE, MESSAGE, "")

/*
 * Fields of objects that a ban tests: FM_BAN_..., the name, and true for a
 * duration.  A name that ends in a dot is followed by that of a header.  All
 * Varnish versions have these, and the ban lurker tests them.
 */
#define FM_BAN_FIELDS(F)						\
	F(HTTP, "obj.http.", false) F(STATUS, "obj.status", false)	\
	F(TTL, "obj.ttl", true) F(AGE, "obj.age", true)			\
	F(GRACE, "obj.grace", true) F(KEEP, "obj.keep", true)

#endif
