/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The errors of the check (messages_warn.h has its warnings).  The manual page
 * fastmatch.rules(5) is made from this file: a define is the message, the
 * comment before it says what it means and what to do.  tests/golden has rules
 * for each message.
 */

#ifndef FM_MESSAGES_CHECK_H
#define FM_MESSAGES_CHECK_H

/*--------------------------------------------------------------------
 * Errors: names
 */

/*
 * No list, map or ruleset in any of the files has this name; or no backend has
 * it, by `.backend()` in VCL or `--backend` on the command line.  A similar
 * name is offered if there is one.
 */
#define FM_MSG_UNKNOWN \
	"unknown %s '%.*s'%s"

/* `backend "";`, `call "";`: no backend, no sub is called so. */
#define FM_MSG_GIVEN_EMPTY \
	"a %s needs a name: write one that VCL gives in vcl_init"

/*
 * `call "limit-${host}";`: the names that VCL gives are known when it is
 * loaded.  Write one in a `when` for each value: `when host is a.example { call
 * limit-a; }`.
 */
#define FM_MSG_GIVEN_VALUE \
	"the name of a %s is not made of values: test them in a 'when', and " \
	"write one that VCL gives in vcl_init"

/*
 * A request, or its response, might call more than eight different subs: those
 * that `always`, the host's block and `finally` name in this phase, whatever
 * their conditions.  Let one sub of VCL call others.
 */
#define FM_MSG_CALL_MANY \
	"'%.*s' is sub number %u that one %s may call, and %u are the most: " \
	"name a sub of VCL that calls several"

/*
 * A ban of a URL or of a header of the request waits for requests: the ban
 * lurker has no request, so the ban stays in the list until it has been tested
 * for each object, and hits pay for that.  Store it in a header of the
 * response, as `response { set X-Url = "${url}"; }`, ban that, and unset it in
 * `delivery`.
 */
#define FM_MSG_BAN_REQUEST \
	"the ban lurker can't test '%.*s', as it has no request: store it in " \
	"the response, and ban obj.http.NAME"

/* `ban obj.hits > 3;`, `ban X-Tag ~ a;`: a ban tests a field of objects. */
#define FM_MSG_BAN_FIELD \
	"a ban has no field '%.*s': write obj.http.NAME, obj.status, " \
	"obj.ttl, obj.age, obj.grace or obj.keep"

/* `ban obj.status > 400;`, `ban obj.ttl ~ 1h;`. */
#define FM_MSG_BAN_OPERATOR \
	"a ban can't ask '%.*s %.*s': after this field write %s"

/* `ban obj.http.X = site(host);`: write the text, with ${...} if need be. */
#define FM_MSG_BAN_MAP \
	"a ban takes no map: set a header of the request by '%.*s', and " \
	"write ${header.NAME}"

/* `ban obj.status == all;`: a status is three digits. */
#define FM_MSG_BAN_STATUS \
	"no object has the status '%.*s': write three digits, or '~' and a " \
	"regex"

/*
 * `ban obj.http.X ~ "[${header.X}]";`: the value of a `${}` is quoted, and
 * stands for itself.  It can't where a regex has no text: in [...] and \Q...\E,
 * in a comment, after a backslash.  Write it elsewhere, or in (...).
 */
#define FM_MSG_BAN_PLACE \
	"a value can't stand here, in [...], \\Q...\\E or (?#...) or after a " \
	"backslash: it is a text, with all in it quoted"

/*
 * PCRE2 refuses the regex of a ban, with a letter for each `${}`, for the
 * reason that is shown.
 */
#define FM_MSG_BAN_REGEX \
	"regex '%.*s' of a ban, with a text for each ${}: %s"

/*
 * `ban obj.http.X ~ "(*UTF)a";`: with some of these a header may make a match
 * fail, and varnishd ends when the match of a ban does.
 */
#define FM_MSG_BAN_VERB \
	"a regex of a ban can't begin with (*...): Varnish ends when its " \
	"match fails"

/*
 * Two lists, two maps or two rulesets have the same name.  (A list and a map
 * may share one.)  Rename one of the two, or remove it.
 */
#define FM_MSG_NAME_TWICE \
	"%s '%.*s' is defined twice: first at %s"

/*
 * There are fewer hosts than `min_hosts` in VCL asks for: most likely a file
 * was written only in part.  None of the rules are used.
 */
#define FM_MSG_MIN_HOSTS \
	"%zu host patterns, and min_hosts asks for %u: is a file cut off?"

/*
 * The file has no host, no `default`, no `always` and no `finally`: most likely
 * the file is still being written.  The rules that serve go on.  If the file
 * is meant to be empty, write an `always` with an empty block.
 */
#define FM_MSG_NO_RULES \
	"the file has no rules: write always { } if that is meant"

/*
 * `cookie wp_* is 1`, `${cookie.wp_*}`: several cookies may have such a name.
 * Write one name, or test `present`, which may be asked of several.
 */
#define FM_MSG_NAME_GLOB \
	"'%.*s' stands for several names: write one, or ask 'present'"

/*--------------------------------------------------------------------
 * Errors: tests
 */

/*
 * PCRE2 refuses the regex, for the reason that is shown.  The offset is in
 * bytes from the start of the regex.  The column points there, too, unless a
 * quote or a backslash before it is written with one more backslash.
 */
#define FM_MSG_REGEX \
	"regex '%.*s': %s (at offset %zu)"

/*
 * An empty operand of `contains`, `begins` or `ends` is a part of every text.
 */
#define FM_MSG_EMPTY_OPERAND \
	"an empty operand of '%s' matches everything: give it a text"

/* `query drop "utm_.*"`: names are not regexes, but have `*` and `?`. */
#define FM_MSG_SLIP_NAME \
	"'%.*s': a name is not a regex: '*' stands for any bytes, and each " \
	"name is a word of its own"

/*
 * `query drop begins utm_`: names have no mode there.  For all names
 * that begin with utm_, write `utm_*`.
 */
#define FM_MSG_SLIP_NAME_WORD \
	"'%.*s' is taken as a name here: write the names alone, '*' stands " \
	"for any bytes"

/*
 * X-Forwarded-For has an address for each proxy, and varnishd appends one more:
 * it is never exactly one address.
 */
#define FM_MSG_WARN_FORWARDED \
	"X-Forwarded-For is a list of addresses, so it is in no network: " \
	"write 'client from X-Forwarded-For trust NETWORK...;' and 'client'"

/* A subject that can't be an IP address is in no network. */
#define FM_MSG_WARN_NO_ADDRESS \
	"this is never an address, so it is in no network"

/*
 * The header of a `client from` may have only addresses in it, with commas
 * between them.
 */
#define FM_MSG_WARN_TRUST_FORM \
	"'%.*s' has more than addresses in it: use X-Forwarded-For or X-Real-IP"

/* `answer 200 "text/html" "page.html"`: that is the body. */
#define FM_MSG_SLIP_FILE \
	"the body is '%.*s' as it is written: for a file write 'from' before"

/* `path in /a /b`: several texts are compared by `is`, `begins`, ... */
#define FM_MSG_IN_TEXTS \
	"'in' takes the name of a list, or networks: for texts write 'is'"

/* A map has a network twice: write the value that is meant, once. */
#define FM_MSG_NETWORK_VALUES \
	"'%.*s' has another value at %s"

/*
 * `client` can only be the subject of a map of networks: its lines are `in
 * 192.0.2.0/24 -> VALUE;`.
 */
#define FM_MSG_CLIENT_MAP \
	"'client' needs a map of networks: map '%.*s' has no lines of 'in'"

/*
 * `client from` trusts every peer, so any client can write another address into
 * the header.  Name only the networks of the proxies.
 */
#define FM_MSG_WARN_TRUST_ALL \
	"'%.*s' trusts everybody: any client can say that it is another one"

/*
 * `client from` reads the header before the first statement, and again after a
 * restart and in each later phase, when the header is as the rules have left
 * it.
 */
#define FM_MSG_WARN_TRUST_EDIT \
	"header '%.*s' is %s here, and tells who the client is, at %s: " \
	"after it, in a restart, key, fetch, response or delivery, the " \
	"client may be another one"

/*
 * `scheme from` reads the header again after a restart, in `key` and in
 * `delivery`, when the header is as the rules have left it.
 */
#define FM_MSG_WARN_SCHEME_EDIT \
	"header '%.*s' is %s here, and tells the scheme, at %s: after it, in " \
	"a restart, key or delivery, the scheme may be another one"

/*
 * `scheme from` trusts every peer, so any client can write https into the
 * header.  Name only the networks of the proxies.
 */
#define FM_MSG_WARN_SCHEME_ALL \
	"'%.*s' trusts everybody: any client can say that it came by https"

/* The header of a `scheme from` has one word: https or on, http or off. */
#define FM_MSG_WARN_SCHEME_FORM \
	"'%.*s' does not have the scheme alone: use X-Forwarded-Proto, or " \
	"another header that is https or http"

/* One `scheme from` is enough for one header: it may have several networks. */
#define FM_MSG_SCHEME_TWICE \
	"a second 'scheme from' of the same: the first is at %s"

/*
 * A test of `scheme` is always yes or no, so the rules have to say who knows
 * the scheme.
 */
#define FM_MSG_SCHEME_ITEM \
	"nothing says where the scheme is known from: write an item 'scheme " \
	"from tls;', 'scheme from proxy;' or 'scheme from X-Forwarded-Proto " \
	"trust NETWORK...;'"

/*
 * The list of a `client in` has an operand that is not a CIDR block, or a line
 * of another mode.  A list of networks has its CIDR blocks as operands of `in`.
 */
#define FM_MSG_LIST_NETWORKS \
	"list '%.*s' is not a list of networks: what is at %s is not one"

/*
 * The names of parameters and cookies are compared by `is`, `begins`, `ends`
 * and `like`; a list that `query` or `cookie` uses has no other lines.
 */
#define FM_MSG_LIST_NAMES \
	"list '%.*s' is not a list of names: its line at %s is '%s'; use is, " \
	"begins, ends or like"

/*
 * In a list that `query` or `cookie` uses, a `*` or `?` outside of `like`
 * would be a byte of the name, which is probably not what was meant.
 */
#define FM_MSG_LIST_GLOB \
	"name '%.*s' has a '*' or '?' in a line '%s': use like (the list is " \
	"used for names at %s)"

/* `below` goes by the segments of a path, which only these subjects have. */
#define FM_MSG_BELOW_SUBJECT \
	"'below' is for path, clean path, any path and every path"

/* `path below cart`: each operand is a path, from its first slash on. */
#define FM_MSG_BELOW_OPERAND \
	"the path after 'below' has to start with '/'"

/*
 * `any` tests all readings of the path, or all values of a parameter, a cookie
 * or a header; `every` tests all readings of the path.
 */
#define FM_MSG_ANY_SUBJECT \
	"'%s' is for %s"

/* The clean path is one reading of several: `any path` tests all of them. */
#define FM_MSG_ANY_CLEAN \
	"write '%s path': it tests the clean path, too"

/*
 * `any path` and `every path` have the modes `is`, `below` and `begins`; `any
 * query`, `any cookie` and `any header` have `is`, `begins` and `contains`.
 * The operands stand in the test itself, and not in a list.
 */
#define FM_MSG_ANY_MODE \
	"'%s %s' has the modes %s, with the operands in place"

/*
 * `when not any path below /public { synth 403; }` would let in /public/../x,
 * which one reading has below /public, and another one has not.
 */
#define FM_MSG_NOT_ANY \
	"'not any path' lets in what only one reading of a path fits: write " \
	"'not every path'"

/*--------------------------------------------------------------------
 * Errors: statements
 */

/*
 * A header's name has letters, digits, and any of !#$%&'*+-.^_`|~ in it, and
 * nothing else.
 */
#define FM_MSG_HEADER_NAME \
	"'%.*s' is not a header name: use letters, digits and '-'"

/* A header's name is longer than the limit. */
#define FM_MSG_HEADER_LONG \
	"a header name of %zu bytes: no more than %d are allowed"

/* Only `unset` takes globs, `unset X-Internal-*`. */
#define FM_MSG_HEADER_GLOB \
	"'%.*s': only unset takes '*' and '?' in a header name"

/*
 * Connection, Keep-Alive, Proxy-Authenticate, Proxy-Authorization,
 * Proxy-Connection, TE, Trailer, Transfer-Encoding, Upgrade and
 * Content-Length speak of the connection, or of where the request ends: rules
 * neither set nor normalize them.  All others may be set, Host too.
 */
#define FM_MSG_HEADER_SET \
	"header %.*s may not be set: Varnish handles it itself"

/*
 * Without Host, Content-Length or Transfer-Encoding it would be another
 * request, so they stay.  (A glob in `unset` passes over them.)
 */
#define FM_MSG_HEADER_UNSET \
	"header %.*s may not be unset: the request needs it"

/* All rules together speak of more headers than the limit. */
#define FM_MSG_HEADERS \
	"header %.*s is one too many: all rules together may use %d " \
	"different ones"

/*
 * A status is three digits: `synth`, `answer` and `undecided synth` answer with
 * 200 to 599, a redirect with 301, 302, 303, 307 or 308.
 */
#define FM_MSG_STATUS \
	"'%.*s' is not a status here: %s"

/* HTTP sends no body with 204, 205 and 304. */
#define FM_MSG_ANSWER_BODY \
	"an answer of status %u has no body: write synth"

/* An answer has a media type: text/plain, text/html; charset=utf-8. */
#define FM_MSG_ANSWER_TYPE \
	"'%.*s' is not a media type: write it before the body, as " \
	"\"text/plain\""

/* A reason is one line of text. */
#define FM_MSG_REASON \
	"the reason has a control character: write one line of text"

/* A URL begins with a slash. */
#define FM_MSG_URL_SLASH \
	"a URL begins with a slash: write '/%.*s'; rewrite edits a part of it"

/*
 * `set url "https://a.example/x"`: the URL that is set is path and query.  To
 * send the client to another host, write `redirect`; to ask the backend for
 * another host, `set Host`.
 */
#define FM_MSG_URL_HOST \
	"'%.*s' has a host, and this is path and query: write 'redirect " \
	"301', or 'set Host'"

/* A URL is one word, so what `rewrite` and `set url` make has no blanks. */
#define FM_MSG_REWRITE_BLANK \
	"a URL has neither blanks nor control characters: write %%20 for a " \
	"blank"

/*
 * The offers of `normalize` are compiled with the rules, so they are plain
 * text.
 */
#define FM_MSG_OFFER_VALUE \
	"offer '%.*s': an offer is plain text, without ${}"

/* An offer is one word: br, de-AT, text/html. */
#define FM_MSG_OFFER \
	"offer '%.*s': write each offer as one word, without blanks, commas " \
	"and control characters"

/*
 * A map's values are texts, in which ${} is allowed; they can't come from a
 * map.
 */
#define FM_MSG_MAP_IN_MAP \
	"a map's value may not be a map"

/*
 * A ruleset that uses itself, directly or through other rulesets, would never
 * end.
 */
#define FM_MSG_USE_SELF \
	"ruleset '%.*s' uses itself, at once or by way of others"

/*
 * The rulesets that a block uses, directly or not, have more statements than a
 * request should run: shorten them, or use each once.
 */
#define FM_MSG_USE_MUCH \
	"the rulesets that are used here have more than %d statements"

/* Rulesets that use rulesets that use rulesets: write some of them out. */
#define FM_MSG_USE_DEEP \
	"rulesets use each other more than %d deep"

/*--------------------------------------------------------------------
 * Errors: where a redirect leads
 */

/*
 * A Location begins with `https://` (or another scheme) or `//` and a host,
 * with `/`, `${url}` or `${path}`.  A browser takes any other text as relative
 * to the page that it shows.
 */
#define FM_MSG_LOCATION_BARE \
	"'%.*s' is not a Location: write https://%.*s if it is a host, " \
	"/%.*s if it is a path"

/* A Location can't be a query or a fragment alone. */
#define FM_MSG_LOCATION_QUERY \
	"'%.*s' has no path before it: write \"%s%.*s\""

/*
 * `//` and a host come after the scheme.  In `https:${url}`, and in
 * `https:/x`, a browser takes the path for the host.
 */
#define FM_MSG_LOCATION_SLASHES \
	"'%.*s:' has no host after it: write // and a host there, or only " \
	"the path"

/* The scheme is text: a client must not choose it. */
#define FM_MSG_LOCATION_SCHEME \
	"the scheme is a value: write https:// or http://, or // to keep the " \
	"scheme of the request"

/*
 * A path, a port or nothing stands after `//`: a browser takes the first
 * segment of the path for the host.
 */
#define FM_MSG_LOCATION_HOST_EMPTY \
	"there is no host after '//': write one there, or ${host}"

/*
 * The host has to be that of the rule, or the one that was asked for: up to the
 * first `/`, `?` or `#` there may be `${host}`, `${wild}`, `${ruleset}`, and
 * groups of a `when` whose regexes all look at `host`.  With any other value a
 * client chooses the host, or makes it longer: `.evil.example` after
 * `https://www.example.com`.
 */
#define FM_MSG_LOCATION_HOST_VALUE \
	"a client could choose the host by this value: write / before it, or " \
	"use ${host}, ${wild}, ${ruleset} or a group of a regex on the host"

/* A host has no blanks: browsers don't follow such a Location. */
#define FM_MSG_LOCATION_BLANK \
	"there is a blank in the host: take it out, or write / before it"

/* A Location can't begin with `${host}`, `${wild}` or `${ruleset}`. */
#define FM_MSG_LOCATION_HOST_FIRST \
	"a host at the beginning needs a scheme: write https:// or // before it"

/*
 * A client that controls how a Location begins chooses the host.  With a `/` in
 * front, the Location is a path of this host, whatever follows.
 */
#define FM_MSG_LOCATION_FIRST \
	"a client could choose the host by this value: write / or a host " \
	"before it, or use ${url} or ${path}"

/* Browsers take `\` for `/`: `/\x` leads to the host x. */
#define FM_MSG_LOCATION_BACKSLASH \
	"browsers take a '\\' here for '/': write / if it is meant, else %%5C"

/*
 * Browsers leave some control characters out, and take the rest for a Location.
 */
#define FM_MSG_LOCATION_CONTROL \
	"there is a control character in the Location: take it out, or write " \
	"it as %%09 (a tab)"

/*--------------------------------------------------------------------
 * Errors: hosts, names, networks, regexes and files.  src/match and src/files
 * report these.  The copies of the texts here are for the manual page, and a
 * test compares both.
 */

/* The same host pattern is there twice, in one file or in two. */
#define FM_MSG_LIB_HOST_TWICE \
	"host '%.*s' added twice: first at %s"

/* `.x` is `x` and `*.x`: it clashes with either. */
#define FM_MSG_LIB_HOST_MEANS \
	"host '%.*s' added twice: it means '%s' too, which is at %s"

/* `.x` means `x` too, and is there first. */
#define FM_MSG_LIB_HOST_MEANT \
	"host '%.*s' added twice: '.%.*s' at %s means it too"

/*
 * A host pattern is a name, `*.name`, `.name` (both of these), `www.*`, or `*`.
 * The text after the colon says what is wrong with this one.
 */
#define FM_MSG_LIB_HOST_PATTERN \
	"host pattern '%.*s': %s"

/* A host pattern is for all ports of a host. */
#define FM_MSG_LIB_HOST_PORT \
	"a host pattern has no port: write '%.*s'"

/* There is a host pattern of no bytes, "". */
#define FM_MSG_LIB_HOST_EMPTY \
	"empty host pattern: the forms are %s"

/*
 * The name of a parameter or a cookie can't be like this: names are compared
 * decoded, and `&`, `=`, `;`, `#` and blanks end a name.
 */
#define FM_MSG_LIB_NAME \
	"name '%.*s' %s"

/* The name of a parameter or a cookie is too long. */
#define FM_MSG_LIB_NAME_LONG \
	"a name of %zu bytes: no more than %d are allowed"

/* A network is a CIDR block, 192.0.2.0/24 or 2001:db8::/32, or an address. */
#define FM_MSG_LIB_NETWORK \
	"'%.*s' is not a network: write %s"

/* `10.0.0.0/255.0.0.0`: a CIDR block has the number of bits after its slash. */
#define FM_MSG_LIB_NETWORK_MASK \
	"'%.*s' has a netmask: write the number of its bits, as in 10.0.0.0/8"

/* The prefix of a CIDR block is a number. */
#define FM_MSG_LIB_NETWORK_NUMBER \
	"'%.*s' has no number after its /"

/* The prefix of a CIDR block is at most the length of the address. */
#define FM_MSG_LIB_NETWORK_BITS \
	"'%.*s' has more than %d bits"

/*
 * The address of a CIDR block has bits after its prefix: 192.0.2.1/24 is
 * either 192.0.2.0/24 or 192.0.2.1.
 */
#define FM_MSG_LIB_NETWORK_REST \
	"'%.*s' has bits after its prefix: write the first address of the " \
	"network"

/*
 * Compiling the regexes would take too long: this is the first one beyond the
 * limit.  A regex that is only a text is better as `contains`, `is`, `begins`
 * or `ends`; several that differ in one word can be one regex.
 */
#define FM_MSG_LIB_REGEXES \
	"with this one there are more than %u regexes: write plain texts as " \
	"contains, or several of them as one regex"

/* All regexes together take too much memory: long ones, or repeated groups. */
#define FM_MSG_LIB_CODE \
	"with this one all regexes are more than %u MB, as PCRE2 compiles " \
	"them: use fewer, or shorter ones"

/*
 * Bounded repeats make a regex long when it is compiled: `{1,100}` writes a
 * class a hundred times, `(abc){100}` three hundred bytes.  `+` and `*` write
 * nothing.
 */
#define FM_MSG_LIB_REPEATS \
	"with this one bounded repeats such as {1,100} add more than %u " \
	"bytes and classes to all regexes: use smaller bounds, or + or *"

/*
 * Compiling the operands of `contains`, `like` and `~` would take too long.
 * The place is the first operand of the list, or of the tests, with which it is
 * too much; see LIMITS for the size of each.  `is`, `begins`, `ends` don't
 * count.
 */
#define FM_MSG_LIB_SIZE \
	"with these all contains, globs and regexes have a size of more than " \
	"%u: use fewer, or shorter ones; those without two bytes beside each " \
	"other, such as [a-z]+[0-9], count most"

/* The databases of all sets take too much memory. */
#define FM_MSG_LIB_DATABASES \
	"with these all databases of Hyperscan are more than %u MB: use " \
	"fewer contains, globs and regexes"

/* Each thread would need too much memory to scan for the patterns of a set. */
#define FM_MSG_LIB_SCRATCH \
	"to scan for these takes each thread more than %u MB: divide them " \
	"among several lists"

/*
 * varnishd waits while a VCL compiles all of its rule files and lists, so the
 * limits of regexes, bounded repeats and size hold for their sum.  The message
 * names the file that has no room; the place is where it is too much.  Older
 * rules go on, and the file is read again when the others leave room.
 */
#define FM_MSG_LIB_ROOM \
	"with this one, %s and the other files of this VCL have %zu %s, and " \
	"%zu is the most: make one of them smaller"

/* The file can't be read; the reason follows the colon. */
#define FM_MSG_LIB_READ \
	"can't read '%s': %s"

/* The rule file itself can't be read. */
#define FM_MSG_LIB_READ_FIRST \
	"can't read: %s"

/* A line of a file of `from` is not text. */
#define FM_MSG_LIB_LINE_NUL \
	"the line has a NUL byte: this is not a text file"

/* A line of a file of `from` is too long. */
#define FM_MSG_LIB_LINE_LONG \
	"a line of %zu bytes: no more than %lu are allowed"

/*--------------------------------------------------------------------
 * Errors: responses
 */

/*
 * Some words are for the rules for requests, others for what the backend
 * answers (`response { }`), others for what the client gets (`delivery { }`). A
 * key has neither edits nor verdicts.
 */
#define FM_MSG_PHASE \
	"'%s' is for %s: write it %s"

/* A map is for texts.  `ttl`, `size` and `restarts` are numbers. */
#define FM_MSG_MAP_SUBJECT \
	"a map can't ask '%s': ask it in a 'when'"

/*
 * A map has this value, and rules of another phase ask it, in which there is no
 * such value.  Make a map of its own for them.
 */
#define FM_MSG_PHASE_MAP \
	"'%s' is for %s, but rules for %s ask this map, too"

/*
 * A key has a value for each name: `cookie wp_*` would have one for all names
 * that a client makes up.
 */
#define FM_MSG_KEY_GLOB \
	"'%.*s' stands for several names: write each name of the key"

/*
 * In `key { }`, `cookie NAME` adds a cookie to the key.  What is dropped from
 * the request is dropped before, in the rules for requests.
 */
#define FM_MSG_KEY_PARAMS \
	"'cookie %.*s' is for requests: write it in the rules for requests"

/*
 * This statement says how a response is stored, which only rules in
 * `response { }` can say: they run once the backend has answered.
 */
#define FM_MSG_PHASE_RESPONSE \
	"'%s' is for responses: write response { %s; }"

/*
 * In `response { }` and `delivery { }`, `header NAME` and `${header.NAME}` are
 * those of the response.  Clients send this one: it is a header of requests.
 */
#define FM_MSG_REQUEST_HEADER \
	"'%.*s' is not a header of a response: write 'request header %.*s', " \
	"or ${request.header.NAME}"

/* A response has no such header, so nothing can be edited. */
#define FM_MSG_REQUEST_HEADER_EDIT \
	"'%.*s' is not a header of a response: edit '%.*s' in the rules for " \
	"requests"

/*
 * Varnish writes this header by itself, or the body would not be what it says.
 * Use `gzip`, `gunzip` and `esi` where the body is to be changed.
 */
#define FM_MSG_RESPONSE_CORE \
	"Varnish itself writes '%.*s': leave it as it is"

/*
 * When a stored object is refreshed by a 304, `response { }` runs again on the
 * stored headers, which it has edited before; and `fetch { }` in a retry, on
 * what it has sent before.  The value would grow each time.  Write it in
 * `delivery { }`, or in the rules for requests.
 */
#define FM_MSG_TWICE_MADE \
	"the value of '%.*s' is made of itself, again %s"

/* `ttl forever`: a duration is one number and one unit, as `10m` or `1.5h`. */
#define FM_MSG_DURATION \
	"'%.*s' is not a duration: write a number and ms, s, m, h, d, w or y"

/* A word that has a meaning elsewhere: `browser never` is `browser no`. */
#define FM_MSG_DURATION_MEANT \
	"'%.*s' is not a duration: write '%s'"

/* `ttl 60`: in VCL, too, a duration has a unit, so that none is guessed. */
#define FM_MSG_DURATION_UNIT \
	"'%.*s' has no unit: write %.*ss for seconds, or m, h, d, w, y"

/* `ttl 1h30m`: a duration is one number, as `90m` or `1.5h`. */
#define FM_MSG_DURATION_SUM \
	"'%.*s' is a sum: write one number with one unit, as 90m"

/* No lifetime may be longer than a hundred years. */
#define FM_MSG_DURATION_LONG \
	"'%.*s' is longer than a hundred years"

/*
 * While an object is fetched, requests for the same URL wait for it, in the
 * hope that it can be stored.  With a lifetime of 0 s it can't, and the next of
 * them fetches it again, alone.  `uncacheable` is remembered for two minutes,
 * in which they do not wait.
 */
#define FM_MSG_DURATION_ZERO \
	"'%s 0s' makes requests wait for each other: write 'uncacheable'"

/* `ttl from Cache-Control`: Varnish has read these when rules run. */
#define FM_MSG_TTL_FROM \
	"Varnish itself takes the lifetime from '%.*s'"

/*
 * `ttl from` has names of headers.  A lifetime of its own is `ttl 1h`; one that
 * holds where no header gives one is `ttl default 1h`.
 */
#define FM_MSG_TTL_FROM_NUMBER \
	"'%.*s' is a duration, and not the name of a header: write 'ttl " \
	"%.*s', or 'ttl default %.*s' after"

/*
 * Targeted headers such as CDN-Cache-Control have stale-while-revalidate, which
 * `ttl from` takes as the grace.  No header has a time for `keep`.
 */
#define FM_MSG_GRACE_FROM \
	"'%s from' is not there: 'ttl from' a targeted header reads its " \
	"stale-while-revalidate as grace; else write '%s 1h'"

/* `browser 1500ms`: a max-age is a number of whole seconds. */
#define FM_MSG_BROWSER \
	"'%.*s' is not a number of whole seconds, as max-age has them"

/*
 * `cache-status 1st`: the name of a cache is a token of RFC 8941, or a string
 * of it.
 */
#define FM_MSG_CACHE_NAME \
	"'%.*s' is not a name for a cache: %s"

/* `cache-status edge for in 10.0.0.0/8`: the networks stand in a list. */
#define FM_MSG_CACHE_LIST \
	"'%.*s' is not a list: write 'list office in { %.*s }' and 'for in " \
	"office'"

/* `retry 2` fetches again, twice at most.  `retry` alone is `retry 1`. */
#define FM_MSG_RETRY \
	"'%.*s' is not a number of retries: write 1 to %u"

/* `vary add` adds names of headers, so each of them is written out. */
#define FM_MSG_VARY_ADD \
	"'%.*s' is not the name of one header: write all names"

/* `size over 1000000`, `restarts over 0`: a number, in digits alone. */
#define FM_MSG_NUMBER \
	"'%.*s' is not a number of %s: write digits alone"

/* `cache begins h`: `cache` and `fetch` are words, and `is` asks for them. */
#define FM_MSG_STATE \
	"'%s' is one of a few words: ask it with 'is'"

/* `fetch is hit`: the message names all words that may be there. */
#define FM_MSG_STATE_WORD \
	"'%s' is never '%.*s': the words are %s"

/*
 * `use R` in the block of a phase runs the same block of the ruleset: R has to
 * have one.
 */
#define FM_MSG_USE_NO_PHASE \
	"ruleset '%.*s' has no '%s { }': write one in it, or use it outside " \
	"of this block"

/*
 * The ruleset's blocks of phases run later than the `when`, whose outcome
 * is not known then.  Use it outside of the `when`, or ask inside of it.
 */
#define FM_MSG_USE_WHEN \
	"ruleset '%.*s' has '%s { }', so a 'when' can't use it: put the use " \
	"outside, or split the ruleset"

#endif
