/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The warnings of the check, in the form of messages_check.h: a define is the
 * message, the comment before it says what it means and what to do.
 */

#ifndef FM_MESSAGES_WARN_H
#define FM_MESSAGES_WARN_H

/*--------------------------------------------------------------------
 * Warnings: rules that never or always apply
 */

/*
 * The statement before it (or each branch of the `when` before it) ends the
 * run, or leaves the block.  (A redirect by a map without a default doesn't.)
 */
#define FM_MSG_WARN_UNREACHABLE \
	"this is never reached: nothing here comes after the '%s' at %s"

/*
 * A verdict that is in `always`, and in no `when`, ends every request
 * there: no block of a host ever runs, and no `finally`.
 */
#define FM_MSG_WARN_ALWAYS_ENDS \
	"%s reached: 'always' ends with the '%s' at %s"

/*
 * Half of the web's requests have so short a text in them: one letter or digit
 * (two, for `contains` in a URL, a path, a host or a User-Agent), or a `/` that
 * does not begin a path.  The stars at the ends of a glob don't count.
 */
#define FM_MSG_WARN_SHORT \
	"'%.*s' is so short that it matches half the web"

/* The test is true whenever there is anything to test. */
#define FM_MSG_WARN_ALWAYS \
	"'%s %.*s' is always true here: leave the test out, or write 'present'"

/*
 * No subject of this kind is like the operand: a path starts with `/` and has
 * no query, a method is in upper case, the canonical host is lower case without
 * port, a value has no blanks at its ends.
 */
#define FM_MSG_WARN_FITS \
	"'%.*s' never fits: %s"

/*
 * `path is /café`: browsers send these bytes encoded, and the path is compared
 * as it was sent.  Write them so; or ask for `clean path`, which is decoded.  A
 * `rewrite` sees the URL as it was sent, too.
 */
#define FM_MSG_WARN_RAW \
	"'%.*s' never fits: clients send '%.*s%s': write that%s"

/*
 * `contains *x*`, `is ^/a$`, `begins /a.*`: in these modes a `*` or a `^` is a
 * byte like any other.
 */
#define FM_MSG_WARN_MODE \
	"'%.*s' is compared as it is written: %s"

/*
 * A clean path is decoded, and has single slashes: write the byte itself for an
 * escape, and one slash for two.  The query is not a part of it: for that ask
 * `url` or `query NAME`.
 */
#define FM_MSG_WARN_CLEAN \
	"'%.*s' probably never matches: a clean path is decoded, and has " \
	"single slashes and no query"

/* `restarts under 0`: a number is 0 or more. */
#define FM_MSG_WARN_UNDER \
	"'%s under 0' is never true: write 'under 1', or 'over 0'"

/* One subject can't be both of two texts. */
#define FM_MSG_WARN_NEVER \
	"never true together with the test at %s: no text fits both"

/* `path not is /a or path not is /b`: one of the two is always so. */
#define FM_MSG_WARN_OR \
	"always true together with the test at %s: write 'and', or one 'not' " \
	"for both"

/*
 * An earlier line of the map, with one test and no `not`, matches all that this
 * line matches.
 */
#define FM_MSG_WARN_HIDDEN \
	"this line is never reached: the one at %s matches all that it does"

/*
 * Another operand of the list or the test, or of an earlier line of the map,
 * matches all that this one matches: beside `contains Android`, `contains
 * "Android 9"` changes nothing.  Remove this one; or the other, if that matches
 * more than was meant.
 */
#define FM_MSG_WARN_COVERED \
	"'%s %.*s' changes nothing: '%s %.*s' at %s matches all that it does"

/*
 * `when path below /careers { pass; }` before `when path is /careers/jobs`: the
 * first one takes all requests that fit the second one.  Put the narrower test
 * before the wider one, or remove it.  `when not method is GET HEAD { pass; }`
 * takes a later `method is PURGE`; `url begins /careers/` and `any path below
 * /careers` take a later `path is /careers/jobs`.
 */
#define FM_MSG_WARN_DEAD \
	"'%s %.*s' is never reached: '%s %.*s' at %s takes all that it " \
	"matches: put this first, or remove it"

/*
 * A redirect with an empty Location does nothing; the rules go on with the next
 * statement.
 */
#define FM_MSG_WARN_REDIRECT \
	"an empty Location: this redirect never happens"

/*
 * The URL of a `redirect` or of `set url` ends in `?${query}`: without a query
 * the `?` stays.
 */
#define FM_MSG_WARN_QUERY_MARK \
	"without a query the URL ends in a lone '?': write '${?query}' for " \
	"'?${query}', it has the '?' in it"

/*
 * `set` with an empty value, or `normalize` without `else`, removes the header,
 * and a request needs Host.
 */
#define FM_MSG_WARN_HOST_GONE \
	"this can take away the Host header, which a request needs"

/*--------------------------------------------------------------------
 * Warnings: slips
 */

/*
 * `cookie keep a,b`, `{ iPhone, Android }`: words are separated by blanks.  Put
 * a word that has a comma into quotes.
 */
#define FM_MSG_SLIP_COMMA \
	"'%.*s': the '%s' is a part of this word: words are separated by blanks"

/*
 * `iPhone, Android` in the file of a list, which has one entry on each line.
 * Or call the file `.csv`: a list takes the first column of CSV.
 */
#define FM_MSG_SLIP_COMMA_FILE \
	"'%.*s': the '%s' is a part of this entry: each entry has a line of " \
	"its own"

/* `path is -i /a`: the flag of another language. */
#define FM_MSG_SLIP_FLAG \
	"'%.*s' is taken as one of the operands: for any case write " \
	"'nocase' before the mode"

/*
 * Typographic quotes and dashes of word processors are bytes like any others.
 */
#define FM_MSG_SLIP_QUOTE \
	"a typographic quote or dash is a part of this text: write \"...\", -"

/*
 * `cookie drop req.http.Cookie`: names of VCL are words like any others here.
 */
#define FM_MSG_SLIP_WORD \
	"'%.*s' is plain text here: rules do not know variables of VCL"

/*
 * `unset req.http.Cookie`: write only the name of the header.  Or the name
 * differs little from that of a header which everybody knows.
 */
#define FM_MSG_SLIP_VCL \
	"this is a header called '%.*s': did you mean %.*s?"

/*
 * `set req.url = ...`, `set url = "/a"` sets a header.  `set url "/a"`, `query`
 * and `rewrite` edit the URL.
 */
#define FM_MSG_SLIP_SET \
	"this is a header called '%.*s': rules have no variables of VCL; " \
	"set url \"/a\", query and rewrite edit the URL, and backend chooses " \
	"a backend"

/*
 * `set beresp.ttl = 1h`, `unset resp.http.X`, `set ttl = 1h`: rules have a word
 * for what VCL has in such a variable, in a block of its own.
 */
#define FM_MSG_SLIP_LIFE \
	"'%.*s' is a variable of VCL, and would be a header here: write %s"

/* `set Set-Cookie`: what the client gets is edited in `delivery { }`. */
#define FM_MSG_SLIP_RESPONSE \
	"'%.*s' is a header of responses, and this is for requests: write it " \
	"in response { } or delivery { }"

/* `unset header X`: only names of headers follow `unset`. */
#define FM_MSG_SLIP_UNSET_HEADER \
	"'%.*s': this is the name of a header: write the others alone"

/*
 * `unset cookie session` removes all cookies, and a header `session`; `unset
 * query a` removes headers of these names.
 */
#define FM_MSG_SLIP_UNSET \
	"'%.*s': this is the name of a header: did you mean '%.*s drop'?"

/*
 * `$url`, `$1`, `\1` in a value: values have `${url}`, and `${1}` for groups,
 * in quotes.
 */
#define FM_MSG_SLIP_DOLLAR \
	"'%.*s' is text here: values are \"${url}\", groups \"${1}\""

/* `path is "${url}"`: operands are text, without variables. */
#define FM_MSG_SLIP_OPERAND \
	"'%.*s' is text here: an operand of a test has no variables"

/* `$1` or `\g` in the text of a `rewrite`: its groups are `\1` to `\9`. */
#define FM_MSG_SLIP_REWRITE \
	"'%.*s' is text here: the groups of a rewrite are \\1 to \\9"

/* A URL begins with its path: another host is a matter of `redirect`. */
#define FM_MSG_SLIP_URL \
	"'%.*s' is not the start of a URL: write '/' before it, or " \
	"'redirect' to a host"

/*
 * `header X in office`: the operands of a list of `is` are texts, except for
 * `client in`.
 */
#define FM_MSG_SLIP_NETWORKS \
	"'%.*s' has networks, and is compared as texts here: write 'in' in " \
	"the list, not 'is'"

/*
 * `answer 200 "text/plain" "a\nb"`: only \" and \\ are escapes in a string of
 * rules.
 */
#define FM_MSG_SLIP_NEWLINE \
	"'\\%c' is two bytes of this body: write its lines into a file, and " \
	"'from' and the file's name here"

/* `synth 301 "https://..."`: a synth has no Location, nor has an answer. */
#define FM_MSG_SLIP_SYNTH \
	"%s has no Location: write 'redirect %u'"

/*
 * The client follows the redirect, and its request comes to the same redirect
 * again.  Before it, test for a path to which it does not lead, or for the
 * scheme.
 */
#define FM_MSG_SLIP_ENDLESS \
	"this redirect leads to itself, without an end, as from '%.*s%-.*s': " \
	"test for that before it"

/*
 * `when path is /a { redirect 301 /b; }` and `when path is /b { redirect 301
 * /a; }`: each leads to the other one, in the block of one host or of two.
 * Decide which of the two URLs is the right one, and remove its redirect.
 */
#define FM_MSG_SLIP_ENDLESS_TWO \
	"this redirect leads to the one at %s and back here, without an end, " \
	"as from '%.*s%-.*s': remove one of the two"

/*
 * The Location gets any host that a client names, and other caches may keep it:
 * redirect in the blocks of hosts, or after a test of the host.
 */
#define FM_MSG_SLIP_OPEN_HOST \
	"a client can choose the host of this Location: test 'host' before, " \
	"or write the host out"

/*
 * `when client in office { set X-Office = "1"; }`: in all other branches the
 * backend gets the X-Office that the client has sent.  So it is where only some
 * hosts set a header that a later rule tests, or that VCL reads (`--vcl`).
 */
#define FM_MSG_SLIP_SIGNAL \
	"'%.*s' is set here only: elsewhere the client's own value stays: " \
	"write 'unset %.*s;' in always, before this, or an 'else'"

/* `https:///x`, `https://a,b/`: no browser finds it. */
#define FM_MSG_SLIP_HOST \
	"'%.*s' has no valid host after '//'"

/* `htps://`: browsers know http and https. */
#define FM_MSG_SLIP_SCHEME \
	"'%.*s' does not begin with a scheme that browsers know: is it " \
	"misspelt?"

/* `https://a.example/${url}`: there are two slashes then. */
#define FM_MSG_SLIP_TWO_SLASHES \
	"'%.*s': what follows the '/' begins with a '/'"

/* `redirect 301 "/new*"`: a `*` of a pattern makes no group. */
#define FM_MSG_SLIP_STAR \
	"'%.*s': the '*' is text here: groups of a regex are \"${1}\""

/* `when host is b.example` in the block of a.example. */
#define FM_MSG_SLIP_BLOCK_NEVER \
	"never true here: no host of this block fits"

/* `when host is a.example` in the block of a.example. */
#define FM_MSG_SLIP_BLOCK_ALWAYS \
	"always true here: every host of this block fits"

/* `host _` is nginx's, and `host default` a slip: write `default { ... }`. */
#define FM_MSG_SLIP_DEFAULT \
	"a host called '%.*s': for all other hosts write 'default { ... }'"

/* A map of a redirect that leads from a path to another one, and back. */
#define FM_MSG_SLIP_CIRCLE \
	"this map leads from '%.*s' to itself: such a redirect never ends"

/*
 * No test of the method leads to this `hash`: a POST is answered from the
 * cache.  Before it, `pass` methods other than GET and HEAD, or write `builtin`
 * instead.
 */
#define FM_MSG_SLIP_HASH \
	"a POST is looked up here, too: ask for the method before, or say " \
	"'builtin'"

/*--------------------------------------------------------------------
 * Warnings: probable mistakes
 */

/*
 * A `synth` with 4xx (except 410, 413, 414, 429) depends on `path is` or `path
 * begins` (or a `below`, a `like` or a list that says the same), and a path is
 * compared as the client wrote it.  Most backends take `//admin`, `/%61dmin`,
 * `/./admin` and `/x/../admin` for `/admin`; others route by the first segment
 * and take `/admin/../x` for it.  Write `any path` for `path`: it is true if
 * one reading of the path is `/admin`.  If the denial comes when the test is
 * false, write `every path`.  `path not is /a` doesn't need it, as every other
 * spelling is denied, too; nor does a 404 for all paths that are not known.
 */
#define FM_MSG_WARN_DENIED \
	"a client can write the same path otherwise (//x, /./x, /%%78), and " \
	"a denial depends on this: write '%s path'%s"

/*
 * A `synth` with 4xx depends on `clean path is`, `clean path begins` or `clean
 * path below` (or a list that says the same).  The clean path is one reading of
 * several: `/admin/../x` has the clean path `/x`, and a backend that routes by
 * the first segment takes it for `/admin`.  Write `any path` for what is
 * denied, and `every path` if the denial comes when the test is false.
 */
#define FM_MSG_WARN_READING \
	"the clean path is one reading of several (/admin/../x is below " \
	"/admin, too), and a denial depends on this: write '%s path'%s"

/*
 * A `synth` with 4xx depends on one value of a parameter, a cookie or a header,
 * and on its bytes.  A client can encode it (`%61dmin`) or send two, of which
 * the backend may take the other one.  Write `any` before the test: it looks at
 * each value, as it came and decoded; the operands of a list go into the test.
 * There is one such warning for each file and each of query, cookie and
 * header.
 */
#define FM_MSG_WARN_VALUE \
	"a client can encode this value or send two, and a denial depends on " \
	"it: write 'any %s %.*s'%s"

/*
 * A `Host: www.example.com:abc` is not a host, so that such a request gets the
 * rules of no host's block, while a backend may well take it for that host.
 * Deny it in `always`; or in a `default` block, which has the requests for all
 * other hosts, too.  A 404 counts as a denial if a test of a path or a value
 * leads to it, as in `when any path below /admin { synth 404; }`.
 */
#define FM_MSG_WARN_HOSTLESS \
	"the block of '%.*s' denies, and a request with a broken Host " \
	"(NAME:x) comes to no block: write 'default { ... }', or 'when host " \
	"not present { synth 400; }' in always"

/*
 * The list, map or ruleset is never used: remove it, or look for a name that is
 * misspelt.
 */
#define FM_MSG_WARN_UNUSED \
	"%s '%.*s' is never used"

/* The same operand twice in one test, list line or statement. */
#define FM_MSG_WARN_TWICE \
	"'%.*s' appears twice: first at %s"

/*
 * `[a|b]` is one byte: `a`, `|` or `b`.  `(a|b)` is one of two texts.
 */
#define FM_MSG_WARN_CLASS \
	"regex '%.*s': [...] is one byte, and '|' in it is itself: write " \
	"(a|b) for one of two texts"

/*
 * An empty alternative, as in `(a||b)` or `(|a)`, matches everywhere.  Write
 * `(a)?` if that is meant.
 */
#define FM_MSG_WARN_ALTERNATIVE \
	"regex '%.*s': an empty alternative matches everywhere: write (a)? " \
	"if it is meant"

/*
 * A `.` is any byte: `^www.example.com$` is also wwwxexample.com, `.jpg$` is
 * also notajpg.  Write `\.`.
 */
#define FM_MSG_WARN_DOT \
	"regex '%.*s': '.' is any byte, write '\\.' for a dot"

/* A regex that may match nothing at all matches every text. */
#define FM_MSG_WARN_EVERYTHING \
	"regex '%.*s' matches every text"

/*
 * `${1}` to `${9}` are groups of the regex of the nearest enclosing `when`
 * that has one (which is not under `not`, nor in a list): there is none, or
 * none of its regexes has that many.
 */
#define FM_MSG_WARN_GROUP \
	"${%u} is always empty: no regex of an enclosing 'when' has such a " \
	"group"

/* `set url ""`: an empty value leaves the URL as it is. */
#define FM_MSG_WARN_URL_EMPTY \
	"an empty value leaves the URL as it is: write '/', or take it out"

/* `\1` to `\9` in a replacement are groups of the regex before it. */
#define FM_MSG_WARN_REWRITE_GROUP \
	"\\%u is always empty: the regex has no such group"

/*
 * Any client that sends such a request removes objects from the cache: put the
 * `purge` into a `when client in ...`, or into a `when` that asks for a header
 * that only you know.
 */
#define FM_MSG_WARN_PURGE \
	"any client may purge here: ask for 'client in' or a header before"

/*
 * Any client that sends such a request makes objects useless, and the list of
 * bans longer: put the `ban` into a `when client in ...`, or into a `when` that
 * asks for a header that only you know.
 */
#define FM_MSG_WARN_BAN \
	"any client may ban here: ask for 'client in' or a header before"

/*
 * A request that one client's Cookie or Authorization comes with is looked up
 * in the cache here, and what the backend makes for this client is stored for
 * all.  Pass such requests before, remove the header, or write `builtin`, which
 * passes them itself.  A test of the cookie or the header that leads to `pass`
 * is enough on that way, as is an `unset`; `cookie keep` is not.  It is right,
 * too, if the cache tells pages apart by it: `key { cookie session; }`, or
 * `vary add Cookie` in `response`; or if `fetch { unset Cookie; }` keeps it
 * from the backend.
 */
#define FM_MSG_WARN_LEAK \
	"%s may come here, and the page made for one client is stored for " \
	"all: write 'when %s { pass; }' or 'unset %s;' before, or 'builtin' " \
	"instead"

/*
 * A header or a cookie in the key, also as `"${header.X}"`, has been hashed
 * before: by `always`, the host, or `header Cookie`, which has all cookies.  To
 * hash it once more tells no more pages apart.
 */
#define FM_MSG_WARN_KEY_TWICE \
	"'%.*s' is named twice in the key: first at %s"

/*
 * The key has this cookie, so that each of its values gets a page of its own.
 * But builtin.vcl passes each request with a cookie, so none of them is looked
 * up.  Remove other cookies before, and write `hash`.
 */
#define FM_MSG_WARN_KEY_BUILTIN \
	"'cookie %.*s' is in 'key', but 'builtin' passes every request with " \
	"a cookie: write 'hash', at %s"

/*
 * The key is made of the request as the rules leave it.  The rules remove this
 * cookie on each way to the cache, so the key never has it, and the backend
 * makes the same page for all.
 */
#define FM_MSG_WARN_KEY_REMOVED \
	"'cookie %.*s' is in 'key', but was removed before, at %s: the " \
	"backend never sees it"

/*
 * A PURGE with parameters removes the object of its URL.  Where the statements
 * that clean the URL come after `purge`, pages have other names than those that
 * are purged.  Put the `purge` after them.
 */
#define FM_MSG_WARN_PURGE_NAME \
	"the URL is edited after this, at %s: a PURGE removes another name " \
	"than the page has: purge after that"

/* The reason of `undecided synth` is static text, and sent as it is. */
#define FM_MSG_WARN_REASON \
	"${} is not replaced in this reason"

/*--------------------------------------------------------------------
 * Responses
 */

/*
 * There may be several Set-Cookie in a response, and `set` leaves one of them:
 * the others are lost.  Use `set-cookie drop` or `set-cookie keep`; to add a
 * cookie where there is none, ask `when header Set-Cookie not present` before.
 */
#define FM_MSG_WARN_SET_COOKIE \
	"'set Set-Cookie' removes all cookies of the response: is " \
	"'set-cookie drop' meant?"

/*
 * Without its validators a stored object can't be refreshed by a 304, and
 * clients get the whole page again.  Unset it in `delivery`, if at all.
 */
#define FM_MSG_WARN_VALIDATOR \
	"without '%s' Varnish can't ask whether an object has changed"

/*
 * `ttl 7d` stores any response for so long: a redirect, an error, a page that
 * the backend has marked with `max-age=0`.  Write it into a `when status is
 * 200`; or write `ttl default 7d`, which is for responses without a lifetime of
 * their own.
 */
#define FM_MSG_WARN_TTL_ALL \
	"this is for redirects and errors, too: write 'ttl default', or test " \
	"the status before"

/*
 * No rule keeps an error from this lifetime: a 5xx would be stored for more
 * than 30 seconds, or a 403 or 404 for more than an hour.  Ask for the status
 * that is meant; or, after this, shorten what errors get.
 */
#define FM_MSG_WARN_TTL_ERROR \
	"a %u gets this lifetime: test the status before, or write 'when " \
	"status is %u { %s; }' after"

/*
 * A response that is `uncacheable` is not stored, and has no lifetime.  The
 * first `uncacheable` that runs says for how long that is remembered.
 */
#define FM_MSG_WARN_NOT_STORED \
	"this '%s' does nothing: the response is uncacheable since %s"

/*
 * builtin.vcl runs where rules for responses have no verdict.  It reads
 * Cache-Control, also where a targeted header takes its place: `private` there
 * makes the response uncacheable.  `builtin` reads the targeted header.
 */
#define FM_MSG_WARN_TTL_FROM \
	"builtin.vcl follows this, and reads Cache-Control: end with 'builtin;'"

/*
 * `builtin` reads Cache-Control: without `private`, a page for one client is
 * stored for all.  To change what the client sees, do it in `delivery`; to
 * store the page although it is private, write `deliver`.
 */
#define FM_MSG_WARN_PRIVATE \
	"'builtin' stores private pages after this: if it is meant for the " \
	"client, write it in delivery { }"

/*
 * `builtin` reads the Cache-Control that `browser` has written, and not that of
 * the backend: it stores a page that is private, or none after `browser no`.
 */
#define FM_MSG_WARN_BROWSER \
	"'builtin' reads what this writes, which is meant for the client: " \
	"write it in delivery { }"

/*
 * `when agent contains Mobile { set X-Kind = phone; }` in `response`: the first
 * client that asks for the page decides what all get.  The cache tells pages
 * apart by their URL and host; let it do so by a cookie or a header, too, by
 * `key { header X; }` or, in `response`, `vary add X`.  A decision that leads
 * to `uncacheable`, `pass`, `abandon` or `prefer stale` is right, as is one by
 * a header that the rules for requests make of the URL.
 */
#define FM_MSG_WARN_DECIDES \
	"what one client sends decides here for all: write %s, or " \
	"'uncacheable' here"

/*
 * `set X-User = "${cookie.user}"` in `response` is stored, and all clients get
 * it.  Write it in `delivery`; or let the cache tell pages apart by it, with
 * `key { cookie user; }`.
 */
#define FM_MSG_WARN_OF_ONE \
	"this value is one client's, and stored for all: write it in " \
	"delivery { }, or put what it is made of into key { }"

/*
 * `set X-Group = "${header.X-Group}"` in `fetch` lets the backend make a page
 * for one client, and all clients get it.  Let the cache tell pages apart by
 * it, or pass such requests; a page of a `when fetch is pass` is not stored.
 * Nothing is said of X-Forwarded-For, X-Real-IP, traceparent and the like,
 * which backends write into their logs.
 */
#define FM_MSG_WARN_SENT \
	"the backend gets what one client has sent, and its page is stored " \
	"for all: write %s"

/*
 * A `when` in `fetch` that asks for what one client sends decides what the
 * backend gets, and so may decide what is in the page that all clients get.
 */
#define FM_MSG_WARN_SENT_BY \
	"what one client sends decides what the backend gets, and its page " \
	"is stored for all: write %s"

/*
 * `cache-status on` writes `Cache-Status: on; hit`: the word is the name by
 * which this cache tells of itself.  There is no such header where no rule
 * writes it.
 */
#define FM_MSG_WARN_CACHE_NAME \
	"'%.*s' is taken for the name of this cache: write 'cache-status " \
	"varnish', say, or leave it out"

/*
 * After a 304 the rules for a response run again, on the headers that they have
 * stored: a header that they have removed is not there, and what depends on it
 * comes out otherwise.  Remove it in `delivery`.
 */
#define FM_MSG_WARN_REFRESH \
	"'%.*s' is read at %s, and gone when a 304 refreshes the page: " \
	"write this in delivery { }"

/*
 * The stored object has such a Vary: without the name, a cache after this one
 * gives a page that was made for one client to all.  Drop the name in
 * `response`; or `vary add` the header that clients send instead.
 */
#define FM_MSG_WARN_VARY_DROP \
	"caches after this one don't know that pages differ by '%.*s': write " \
	"this in response { }, or 'vary add' another name, too"

/*
 * `vary keep` and `unset Vary` in `delivery` take names out of the Vary that is
 * stored, too: a cache after this one gives the page of one client to all.
 */
#define FM_MSG_WARN_VARY_GONE \
	"caches after this one don't know by what pages differ: write this " \
	"in response { }, or 'vary add' another name, too"

/*
 * With User-Agent or Cookie in the stored Vary there are as many objects of one
 * page as there are clients, and nearly no hits.
 * `vary add Cookie` says that this is meant.
 */
#define FM_MSG_WARN_VARY_KEPT \
	"a page is stored for each '%.*s' that clients send: %s"

/*
 * Redirects, errors and pages that Varnish makes itself don't come by
 * `response`, and what is stored keeps the header of older rules.
 */
#define FM_MSG_WARN_SECURITY \
	"redirects and errors miss '%.*s' here, and stored pages keep the " \
	"old one: write it in delivery { }"

/*
 * A value has groups of the header that it sets, and the regex matches this
 * value again, as an example shows.  The block runs again on what it has made:
 * `response { }` after a 304, `fetch { }` in a retry.  Write it in
 * `delivery { }`, or in the rules for requests.
 */
#define FM_MSG_WARN_AGAIN \
	"the value of '%.*s' may change again, as from '%.*s' to '%.*s', %s"

/*
 * `builtin` and builtin.vcl look at a response before `delivery`, and store
 * none that has a Set-Cookie.  Where pages may be stored without it, remove it
 * in `response`.
 */
#define FM_MSG_WARN_COOKIE_LATE \
	"a response with Set-Cookie is not cached, as this comes after " \
	"'builtin': write it in response { }"

/*
 * `no-vary-search` tells browsers which parameters `query drop` and `query
 * keep` remove, and that `query sort` sorts them.  A statement counts if
 * each request comes to it, and nothing before it looks at the query, nor gives
 * it to a backend; of a `query drop` the names count, and not the patterns.
 */
#define FM_MSG_WARN_NO_VARY \
	"no-vary-search says nothing for %.*s, and this is why: %.*s: begin " \
	"'always' with 'query drop NAME...'"

/*
 * Varnish makes a 304 or a 206 for the client after `delivery`, which has the
 * 200 that is stored.  It sees those of the backend in a pass only: ask for
 * `cache is pass`, too.
 */
#define FM_MSG_WARN_MADE_LATER \
	"'%.*s' is made after this, of a 200: only a pass has it here"

/*
 * `header X` is that of the response here, and only the rules for requests set
 * such a header: ask `request header X`.
 */
#define FM_MSG_WARN_REQUEST_SET \
	"'%.*s' is set by the rules for requests: is 'request header %.*s' " \
	"meant?"

/*
 * Rules for responses see the request as the rules for requests have left it.
 * To know later what was there, set a header before it is removed, and ask
 * `request header`.
 */
#define FM_MSG_WARN_REMOVED \
	"never true here: '%.*s' is removed from the request, at %s"

#endif
