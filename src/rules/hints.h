/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words that users of VCL, nginx, HAProxy and Apache write, each with the hint
 * that FM_MSG_UNEXPECTED_HINT ends in.
 */

#ifndef FM_HINTS_H
#define FM_HINTS_H

/*
 * The kind is what is expected where such a word stands: STATEMENT is a
 * statement or an item, and TEST a test or a subject.
 */
#define FM_HINTS(HINT)							\
	HINT(STATEMENT,							\
	    "sub",							\
	    "a block with a name is 'ruleset NAME { ... }'")		\
	HINT(STATEMENT,							\
	    "ues sue",							\
	    "did you mean 'use'?")					\
	HINT(STATEMENT,							\
	    "call goto",						\
	    "write 'use NAME;'")					\
	HINT(STATEMENT,							\
	    "acl",							\
	    "write 'list NAME in { NETWORK... }', or the test "		\
	    "itself behind 'when'")					\
	HINT(STATEMENT,							\
	    "vcl import new declare rollback esi std.log "		\
	    "std.collect hash_data ban log",				\
	    "rules are no VCL: see fastmatch.rules(5)")			\
	HINT(STATEMENT,							\
	    "probe director upstream frontend defaults global",		\
	    "backends and listeners are VCL's and varnishd's")		\
	HINT(STATEMENT,							\
	    "error",							\
	    "write 'synth STATUS;'")					\
	HINT(STATEMENT,							\
	    "synthetic",						\
	    "write 'answer STATUS \"TYPE\" \"BODY\";'")			\
	HINT(STATEMENT,							\
	    "return deliver lookup fetch restart fail last break",	\
	    "write the verdict alone: pass, pipe, hash, synth 403, "	\
	    "or redirect 301 URL")					\
	HINT(STATEMENT,							\
	    "server server_name servername serveralias "		\
	    "<virtualhost site vhost",					\
	    "write 'host NAME... { ... }'")				\
	HINT(STATEMENT,							\
	    "location <location <locationmatch directory",		\
	    "write 'when path below /x { ... }'")			\
	HINT(STATEMENT,							\
	    "deny allow order require",					\
	    "write 'when client in NETWORK... { synth 403; }', or "	\
	    "'client not in'")						\
	HINT(STATEMENT,							\
	    "use_backend default_backend proxy_pass proxypass "		\
	    "fastcgi_pass uwsgi_pass set_backend director",		\
	    "write 'backend NAME;', in a 'when' if it depends")		\
	HINT(STATEMENT,							\
	    "http-request tcp-request",					\
	    "write the statement itself: set, unset, redirect, "	\
	    "synth, rewrite, in a 'when'")				\
	HINT(STATEMENT,							\
	    "http-response add_header more_set_headers expires "	\
	    "header proxy_hide_header etag",				\
	    "headers of responses are VCL's")				\
	HINT(STATEMENT,							\
	    "proxy_set_header requestheader reqadd reqset add "		\
	    "append setenvif fastcgi_param",				\
	    "write 'set NAME = VALUE;'")				\
	HINT(STATEMENT,							\
	    "remove delete reqdel reqidel del",				\
	    "write 'unset NAME;'")					\
	HINT(STATEMENT,							\
	    "drop keep strip",						\
	    "write 'query drop NAME...;' or 'cookie drop NAME...;'")	\
	HINT(STATEMENT,							\
	    "regsub regsuball rewriterule rewritecond "			\
	    "rewriteengine redirectmatch",				\
	    "write 'rewrite [all] ~ REGEX to TEXT;', or 'redirect "	\
	    "301 URL;'")						\
	HINT(STATEMENT,							\
	    "if_else elsif elseif elif elsewhen",			\
	    "write 'else when'")					\
	HINT(STATEMENT,							\
	    "otherwise",						\
	    "write 'else { ... }'")					\
	HINT(STATEMENT,							\
	    "els esle",							\
	    "did you mean 'else'?")					\
	HINT(STATEMENT,							\
	    "unless",							\
	    "write 'when not ...'")					\
	HINT(STATEMENT,							\
	    "switch case for foreach while",				\
	    "write 'when ... else when ...', or a map")			\
	HINT(STATEMENT,							\
	    "geo",							\
	    "write 'map NAME { ... }', or a list of networks")		\
	HINT(STATEMENT,							\
	    "try_files root index alias error_page errorfile gzip "	\
	    "limit_req proxy_cache auth_basic internal timeout "	\
	    "balance bind mode listen events http errordocument "	\
	    "satisfy",							\
	    "rules decide about requests: this is a matter of VCL "	\
	    "or the backend")						\
	HINT(TEST,							\
	    "src ip addr address remote_addr remote_ip client_ip",	\
	    "write 'client in NETWORK...'")				\
	HINT(TEST,							\
	    "hdr hdr_beg hdr_end hdr_sub hdr_dom hdr_reg req_hdr",	\
	    "write 'host is NAME' or 'header NAME is TEXT'")		\
	HINT(TEST,							\
	    "path_beg url_beg",						\
	    "write 'path begins /x'")					\
	HINT(TEST,							\
	    "path_end url_end",						\
	    "write 'path ends .x'")					\
	HINT(TEST,							\
	    "path_reg url_reg",						\
	    "write 'path ~ REGEX'")					\
	HINT(TEST,							\
	    "path_sub url_sub",						\
	    "write 'path contains x'")					\
	HINT(TEST,							\
	    "path_dir url_dir",						\
	    "write 'path below /x'")					\
	HINT(TEST,							\
	    "url_param urlp param params parameter arg args "		\
	    "querystring query_string",					\
	    "write 'query NAME is TEXT'")				\
	HINT(TEST,							\
	    "user-agent useragent user_agent ua browser",		\
	    "the subject is called 'agent'")				\
	HINT(TEST,							\
	    "hostname domain server_name vhost http_host",		\
	    "the subject is called 'host'")				\
	HINT(TEST,							\
	    "verb request_method",					\
	    "the subject is called 'method'")				\
	HINT(TEST,							\
	    "cleanpath clean_path",					\
	    "the subject is called 'clean path'")			\
	HINT(TEST,							\
	    "scheme https http ssl ssl_fc tls proto protocol port",	\
	    "Varnish sees no TLS: ask for what the proxy before it "	\
	    "sets, header X-Forwarded-Proto")				\
	HINT(TEST,							\
	    "referer referrer origin accept authorization range",	\
	    "write 'header NAME'")					\
	HINT(BEGINS,							\
	    "starts startswith start starts_with beginswith "		\
	    "begins_with starts-with prefix beg",			\
	    "write 'begins'")						\
	HINT(BEGINS,							\
	    "endswith ends_with suffix finishes",			\
	    "write 'ends'")						\
	HINT(BEGINS,							\
	    "equals equal eq si are === any",				\
	    "write 'is'")						\
	HINT(BEGINS,							\
	    "matches match regex regexp rx",				\
	    "write '~'")						\
	HINT(BEGINS,							\
	    "includes include has have sub",				\
	    "write 'contains'")						\
	HINT(BEGINS,							\
	    "glob wildcard",						\
	    "write 'like'")						\
	HINT(BEGINS,							\
	    "form",							\
	    "did you mean 'from'?")					\
	HINT(PRESENT,							\
	    "under dir",						\
	    "write 'below'")						\
	HINT(PRESENT,							\
	    "exists exist set defined there",				\
	    "write 'present'")						\
	HINT(PRESENT,							\
	    "missing absent empty null unset undefined",		\
	    "write 'not present'")					\
	HINT(PRESENT,							\
	    "isnt is_not isnot ne <>",					\
	    "write 'not is'")						\
	HINT(PRESENT,							\
	    "not_in notin",						\
	    "write 'not in'")						\
	HINT(BEGINS,							\
	    "-i i icase ignorecase",					\
	    "write 'nocase' before the mode")				\
	HINT(DROP,							\
	    "remove delete strip unset clear",				\
	    "write 'drop'")						\
	HINT(DROP,							\
	    "only allow",						\
	    "write 'keep'")						\
	HINT(TO,							\
	    "into with by as",						\
	    "write 'to'")

#endif
