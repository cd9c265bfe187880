/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs rules for responses: a table of rules, a response, and what becomes of
 * it (responding.h).
 */

#include "compiling.h"
#include "responding.h"

#define REQUEST	"Cookie: sid=1; b=2 | X-R: r | X-A: of-request"

/* A response has a lifetime of 120 s by default, and a grace of 10 s. */
struct response_case {
	const char	*rules;
	const char	*in, *out;
};

static void
check_case(const struct response_case *it, enum fm_phase phase)
{
	struct fm_program *program = unit_program("t.rules", it->rules);
	const struct fm_program *of = fm_program_phase(program, phase);
	char out[RESPONDING_LINE];
	struct responding message;
	struct fm_run run;

	ck_assert_ptr_nonnull(of);
	responding_init(&message, "a.example", "/a.css?q=1", REQUEST, it->in);
	/* As long as builtin.vcl has it where that is not a parameter. */
	if (strstr(it->rules, "builtin;") != NULL)
		message.response.uncacheable_ttl = 120;
	if (strcmp(responding_print(fm_run(&run, of, &message.view, NULL),
	    out), it->out) != 0)
		ck_abort_msg("in %s: \"%s\" became\n\"%s\", not\n\"%s\"",
		    it->rules, it->in, out, it->out);
	fm_run_end(&run);
	responding_fini(&message);
	fm_program_free(&program);
}

#define R(statements)	"always { response { " statements " } }"
#define D(statements)	"always { delivery { " statements " } }"

/*--------------------------------------------------------------------
 * Lifetimes
 */

static const struct response_case lifetimes[] = {
	/* the last one wins; each acts on the value of that moment */
	{ R("ttl 1h;"), "200", "on ttl 1h" },
	{ R("ttl 1h; ttl 5m;"), "200", "on ttl 5m" },
	{ R("ttl 1.5s;"), "200", "on ttl 1.5s" },
	{ R("ttl 250ms;"), "200", "on ttl 0.25s" },
	{ R("ttl 100y;"), "200", "on ttl 100y" },
	{ R("grace 6h; keep 1d; grace 0s;"), "200",
	    "on grace 0s keep 1d" },
	/* default: only if Varnish has no better one */
	{ R("ttl default 10m;"), "200", "on ttl 10m" },
	{ R("ttl default 10m;"), "200 max-age=60", "on" },
	{ R("ttl default 10m;"), "200 max-age=0", "on" },
	{ R("ttl default 10m;"), "500 none", "on" },
	{ R("ttl default 10m; ttl default 5m;"), "200", "on ttl 5m" },
	{ R("ttl 1h; ttl default 10m;"), "200", "on ttl 1h" },
	{ R("ttl at most 1m; ttl default 10m;"), "200", "on ttl 10m" },
	/* least: only where it is over 0 s */
	{ R("ttl at least 10m;"), "200", "on ttl 10m" },
	{ R("ttl at least 1m;"), "200", "on" },
	{ R("ttl at least 2m;"), "200", "on" },
	{ R("ttl at least 10m;"), "200 max-age=0", "on" },
	{ R("ttl at least 10m;"), "500 none", "on" },
	/* most */
	{ R("ttl at most 1m;"), "200", "on ttl 1m" },
	{ R("ttl at most 10m;"), "200", "on" },
	{ R("ttl at most 10m;"), "500 none", "on" },
	{ R("ttl 1h; ttl at most 10m; ttl at least 20m;"), "200",
	    "on ttl 20m" },
	/* maps */
	{ "map life { is text/html -> 1m; begins image/ -> 10d; }"
	    R("ttl life(type);"), "200 | Content-Type: Image/PNG; a=b",
	    "on ttl 10d | Content-Type: Image/PNG; a=b" },
	{ "map life { is text/html -> 1m; }" R("ttl life(type);"),
	    "200 | Content-Type: text/css", "on | Content-Type: text/css" },
	{ "map life { is text/html -> 1m; }" R("ttl life(type);"), "200",
	    "on" },
	{ "map life { is text/html -> 1m; default 1.5h; }"
	    R("ttl life(type);"), "200", "on ttl 90m" },
	{ "map life { is 200 -> 1h; begins 40 -> 5s; }"
	    R("ttl life(status);"), "404", "on ttl 5s" },
	{ "map life { is a -> 1h; }" R("ttl life(header X-A);"),
	    "200 | X-A: a", "on ttl 1h | X-A: a" },
	{ "map life { is of-request -> 1h; }"
	    R("ttl life(request header X-A);"), "200 | X-A: a",
	    "on ttl 1h | X-A: a" },
	{ "map life { is of-request -> 1h; }" R("ttl life(header X-A);"),
	    "200", "on" },
	/* uncacheable, and what does nothing after it */
	{ R("uncacheable;"), "200",
	    "on uncacheable ttl 99s grace 0s keep 0s" },
	{ R("uncacheable 5s;"), "200",
	    "on uncacheable ttl 5s grace 0s keep 0s" },
	{ R("grace 1h; uncacheable 5s; ttl 1h; grace 6h; keep 1d; "
	    "ttl default 1h; ttl at least 1h; ttl at most 1s; set X-B = b;"),
	    "200", "on uncacheable ttl 5s grace 0s keep 0s | X-B: b" },
	{ "map life { default 1h; }" R("uncacheable; ttl life(type);"),
	    "200", "on uncacheable ttl 99s grace 0s keep 0s" },
	{ R("ttl 1h; grace 1h; keep 1h; esi; unset X-B;"),
	    "200 uncacheable | X-B: 1", "on uncacheable esi" },
	/* a pass */
	{ R("ttl 1h; grace 1h; keep 1h; uncacheable 1h; set X-B = b;"),
	    "200 passed", "on | X-B: b" },
	{ R("when fetch is pass { set X-B = b; }"), "200 passed",
	    "on | X-B: b" },
	/* flags */
	{ R("esi; gzip; esi;"), "200", "on esi gzip" },
	{ R("gunzip;"), "200", "on gunzip" },
	/* verdicts */
	{ R("pass; ttl 1h;"), "200",
	    "pass uncacheable ttl 2m grace 0s keep 0s" },
	{ R("pass 5m;"), "200", "pass uncacheable ttl 5m grace 0s keep 0s" },
	{ R("abandon;"), "200", "abandon" },
	{ R("ttl 1h; deliver; ttl 1m;"), "200", "deliver ttl 1h" },
	{ R("prefer stale; uncacheable 5s;"), "500 background", "abandon" },
	{ R("prefer stale; uncacheable 5s;"), "500",
	    "on uncacheable ttl 5s grace 0s keep 0s" },
	{ R("retry; abandon;"), "500", "retry" },
	{ R("retry; abandon;"), "500 retries=1", "abandon" },
	{ R("retry 2; abandon;"), "500 retries=1", "retry" },
	{ R("retry 10; abandon;"), "500 retries=10", "abandon" },
	{ R("retry 10; abandon;"), "500 final", "abandon" },
	{ R("prefer stale; retry; abandon;"), "500 background", "abandon" },
	{ R("retry; prefer stale;"), "500 background", "retry" },
	/* builtin */
	{ R("builtin; ttl 1h;"), "200", "deliver" },
	{ R("builtin;"), "200 max-age=60 | Set-Cookie: a=1",
	    "deliver uncacheable ttl 2m | Set-Cookie: a=1" },
	{ R("builtin;"), "200 | Set-Cookie: a=1",
	    "deliver uncacheable | Set-Cookie: a=1" },
	{ R("unset Set-Cookie; builtin;"), "200 | Set-Cookie: a=1",
	    "deliver" },
	{ R("set-cookie drop a; builtin;"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: a=2", "deliver" },
	{ R("set-cookie drop a; builtin;"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2",
	    "deliver uncacheable | Set-Cookie: b=2" },
	{ R("vary drop *; builtin;"), "200 | Vary: *", "deliver" },
	{ R("vary drop A; builtin;"), "200 | Vary: *",
	    "deliver uncacheable | Vary: *" },
	{ R("builtin;"), "200 | Vary: A | Vary: *",
	    "deliver | Vary: A | Vary: *" },
	{ R("cache-control drop private; builtin;"),
	    "200 | Cache-Control: max-age=5 | Cache-Control: private",
	    "deliver | Cache-Control: max-age=5" },
	{ R("builtin;"), "200 passed | Set-Cookie: a=1",
	    "deliver | Set-Cookie: a=1" },
	{ R("uncacheable 5s; builtin;"), "200 | Set-Cookie: a=1",
	    "deliver uncacheable ttl 5s grace 0s keep 0s | Set-Cookie: a=1" },
	{ R("deliver;"), "200 | Set-Cookie: a=1",
	    "deliver | Set-Cookie: a=1" },
};

UNIT_LOOP(test_response_lifetimes_and_verdicts, UNIT_COUNT(lifetimes))
{
	check_case(&lifetimes[_i], FM_PHASE_RESPONSE);
}

/*--------------------------------------------------------------------
 * Headers
 */

static const struct response_case headers[] = {
	{ R("set X-A = \"${header.X-B} ${request.header.X-A}\";"), "200",
	    "on | X-A: of-request" },
	{ R("set X-B = \"${header.X-A} ${request.header.X-A}\";"),
	    "200 | X-A: 1", "on | X-A: 1 | X-B: 1 of-request" },
	{ R("unset X-A;"), "200 | X-A: 1 | Y: 2 | x-a: 3", "on | Y: 2" },
	{ R("set X-A = 7;"), "200 | X-A: 1 | Y: 2 | x-a: 3",
	    "on | X-A: 7 | Y: 2" },
	{ R("unset X-*;"), "200 | X-A: 1 | Y: 2 | x-b: 3 | X-B: 4",
	    "on | Y: 2" },
	{ R("unset X-*; set X-B = b;"), "200 | X-A: 1 | x-b: 3 | X-B: 4",
	    "on | x-b: b" },
	{ R("unset *;"), "200 | Content-Length: 3 | Connection: close | "
	    "Content-Encoding: gzip | Content-Range: x | "
	    "Transfer-Encoding: chunked | Vary: A", "on | Content-Length: 3 "
	    "| Connection: close | Content-Encoding: gzip | Content-Range: x "
	    "| Transfer-Encoding: chunked" },
	/* headers of responses have no aliases */
	{ R("unset X-A;"), "200 | X_A: 1", "on | X_A: 1" },
	/* the request's are read, and never edited */
	{ R("when request header X-A is of-request { set X-A = new; }"),
	    "200", "on | X-A: new" },
	{ R("when header X-A present { esi; }"), "200", "on" },
	{ R("when cookie sid is 1 and cookie b is 2 { esi; }"), "200",
	    "on esi" },
	{ R("set X-B = \"${cookie.sid} ${host} ${url} ${method} ${status}\";"),
	    "301", "on | X-B: 1 a.example /a.css?q=1 GET 301" },
	{ R("when path ends .css and query q is 1 and host is a.example "
	    "{ esi; }"), "200", "on esi" },
	/* what requests have, too */
	{ "list l is { q x } list p like { s* }" R("when any path below /a.css "
	    "and every path is /a.css and clean path is /a.css { esi; } "
	    "when any query q is 1 and query in l present { gzip; } "
	    "when cookie in p present and cookie s* present { gunzip; }"),
	    "200", "on esi gzip gunzip" },
	{ R("when any cookie sid is 1 { esi; } "
	    "when any header X-A is a { gzip; }"), "200 | X-A: b | X-A: a",
	    "on esi gzip | X-A: b | X-A: a" },
	{ R("when header X-* present { esi; } when header Y* present { gzip; }"
	    " when header C* present { gunzip; }"), "200 | X-B: 1",
	    "on esi | X-B: 1" },
	{ R("when any header X-A is of-request { esi; } "
	    "when header X-* present { gzip; } when any header X-A is a "
	    "{ gunzip; }"), "200 | Y: a", "on | Y: a" },
	{ R("set X-A = a; when any header X-A is of-request { esi; } "
	    "when any header X-A is a { gunzip; }"), "200 | X-A: b",
	    "on gunzip | X-A: a" },
	{ R("set-cookie drop a; when any header Set-Cookie contains a= "
	    "{ esi; } when any header Set-Cookie contains b= { gzip; }"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=1 | Set-Cookie: a=3",
	    "on gzip | Set-Cookie: b=1" },
	{ "list l like { x-* }" R("unset X-B; "
	    "when header in l present { esi; }"), "200 | X-B: 1", "on" },
	{ R("when agent contains x { esi; }"), "200", "on" },
	{ R("when header Location ~ \"^http://([^/]+)(/.*)\" "
	    "{ set Location = \"https://${1}:${host}${2}\"; }"),
	    "301 | Location: http://b/c",
	    "on | Location: https://b:a.example/c" },
	/* status, type, size, fetch */
	{ R("when status is 404 410 { esi; }"), "410", "on esi" },
	{ R("when status begins 5 { esi; }"), "503", "on esi" },
	{ R("when status begins 5 { esi; }"), "450", "on" },
	{ R("when type is text/html { esi; }"),
	    "200 | Content-Type: TEXT/html;charset=x",
	    "on esi | Content-Type: TEXT/html;charset=x" },
	{ R("when type present { esi; }"), "200", "on" },
	{ R("set Content-Type = \"a/b\"; when type is a/b { esi; }"),
	    "200 | Content-Type: text/css", "on esi | Content-Type: a/b" },
	{ R("when size over 100 { esi; } when size under 200 { gzip; }"),
	    "200 | Content-Length: 150",
	    "on esi gzip | Content-Length: 150" },
	{ R("when size over 0 { esi; } when size under 1 { gzip; }"), "200",
	    "on" },
	{ R("when size over 100 { esi; } when size under 100 { gzip; }"),
	    "200 | Content-Length: 100", "on | Content-Length: 100" },
	{ R("when ttl over 2m { esi; } when ttl under 2m { gzip; }"), "200",
	    "on" },
	{ R("when ttl over 0s { esi; } ttl 1s; when ttl under 2s { gzip; }"),
	    "200", "on ttl 1s esi gzip" },
	{ R("when not ttl over 0s { esi; }"), "500 none", "on esi" },
	{ R("when fetch is background retry { esi; }"), "200 again",
	    "on esi" },
	{ R("when fetch is background pass { esi; }"), "200 again", "on" },
	/* Set-Cookie: each line is a cookie */
	{ R("set-cookie drop a;"), "200 | Set-Cookie: a=1; Path=/ | "
	    "X-A: 1 | set-cookie: b=2 | Set-Cookie: a=3",
	    "on | X-A: 1 | set-cookie: b=2" },
	{ R("set-cookie keep b;"), "200 | Set-Cookie: a=1 | Set-Cookie: b=2 "
	    "| Set-Cookie: B=3", "on | Set-Cookie: b=2" },
	{ R("set-cookie drop *;"), "200 | Set-Cookie: a=1 | Set-Cookie: b=2",
	    "on" },
	{ R("set-cookie keep x;"), "200", "on" },
	{ R("set-cookie drop a; set-cookie drop b;"), "200 | Set-Cookie: a=1 "
	    "| Set-Cookie: b=2 | Set-Cookie: c=3", "on | Set-Cookie: c=3" },
	{ R("set-cookie drop a; set-cookie drop b; set-cookie drop c;"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2 | Set-Cookie: c=3",
	    "on" },
	{ R("set-cookie drop a; unset Set-Cookie;"), "200 | Set-Cookie: a=1 "
	    "| Set-Cookie: b=2 | Set-Cookie: c=3", "on" },
	{ R("set-cookie drop a; set Set-Cookie = \"n=1\";"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2 | Set-Cookie: c=3",
	    "on | Set-Cookie: n=1" },
	{ R("set-cookie drop a b; set Set-Cookie = \"n=1\";"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2",
	    "on | Set-Cookie: n=1" },
	{ R("set Set-Cookie = \"n=1\"; set-cookie drop n; "
	    "when header Set-Cookie begins n { esi; }"), "200", "on" },
	{ R("set Vary = Accept; vary drop Accept; "
	    "when header Vary is Accept { esi; }"), "200", "on" },
	{ R("unset Vary; vary add Accept; when header Vary present { esi; }"),
	    "200", "on esi | Vary: Accept" },
	{ R("set Cache-Control = \"private\"; cache-control drop private; "
	    "set X-B = \"${header.Cache-Control}\";"), "200", "on" },
	{ R("set Set-Cookie = \"n=1\"; set-cookie drop n;"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2", "on" },
	{ R("set Set-Cookie = \"n=1\"; set-cookie drop a b;"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2",
	    "on | Set-Cookie: n=1" },
	{ R("set-cookie drop a; unset Set-*;"), "200 | Set-Cookie: a=1 | "
	    "Set-Cookie: b=2 | Set-X: 1", "on" },
	{ R("set-cookie drop a; set X-B = \"${header.Set-Cookie}\";"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2",
	    "on | Set-Cookie: b=2 | X-B: b=2" },
	{ R("when set-cookie b is 2 { esi; }"),
	    "200 | Set-Cookie: a=1 | Set-Cookie: b=2; Path=/",
	    "on esi | Set-Cookie: a=1 | Set-Cookie: b=2; Path=/" },
	{ R("set-cookie drop a; when set-cookie a present { esi; }"),
	    "200 | Set-Cookie: b=1 | Set-Cookie: a=2",
	    "on | Set-Cookie: b=1" },
	{ R("set-cookie drop a; when header Set-Cookie present { esi; }"),
	    "200 | Set-Cookie: a=2", "on" },
	/* Vary and Cache-Control: lines are one list */
	{ R("vary drop User-Agent;"), "200 | Vary: Accept, USER-AGENT",
	    "on | Vary: Accept" },
	{ R("vary drop Accept;"), "200 | Vary: Accept", "on" },
	{ R("vary drop Cookie;"), "200 | Vary: Accept | Vary: Origin",
	    "on | Vary: Accept | Vary: Origin" },
	{ R("vary drop Cookie;"), "200 | Vary: Accept, Cookie | Vary: Origin",
	    "on | Vary: Accept, Origin" },
	{ R("vary keep Origin;"), "200 | Vary: Accept, Origin, *",
	    "on | Vary: Origin, *" },
	{ R("vary drop *;"), "200 | Vary: *, A", "on | Vary: A" },
	{ R("vary add Origin Cookie;"), "200",
	    "on | Vary: Origin, Cookie" },
	{ R("vary add Origin;"), "200 | Vary: A | Vary: origin",
	    "on | Vary: A | Vary: origin" },
	{ R("vary add Origin;"), "200 | Vary: A | Vary: B",
	    "on | Vary: A, B, Origin" },
	{ R("vary add Origin;"), "200 | Vary: *", "on | Vary: *" },
	{ R("vary drop A; vary add A; vary drop B;"), "200 | Vary: A, B",
	    "on | Vary: A" },
	{ R("cache-control drop s-maxage must-*;"),
	    "200 | Cache-Control: S-MaxAge=1, max-age=2,must-revalidate",
	    "on | Cache-Control: max-age=2" },
	{ R("cache-control keep max-age;"),
	    "200 | Cache-Control: private=\"a, max-age=1\", max-age=2",
	    "on | Cache-Control: max-age=2" },
	{ R("when cache-control max-age is 60 { esi; }"),
	    "200 | Cache-Control: public | Cache-Control: max-age=60",
	    "on esi | Cache-Control: public | Cache-Control: max-age=60" },
	{ R("when cache-control private present { esi; }"),
	    "200 | Cache-Control: PRIVATE",
	    "on esi | Cache-Control: PRIVATE" },
	{ "list names is { a b }" R("set-cookie drop in names;"),
	    "200 | Set-Cookie: b=1 | Set-Cookie: c=1",
	    "on | Set-Cookie: c=1" },
};

UNIT_LOOP(test_response_headers, UNIT_COUNT(headers))
{
	check_case(&headers[_i], FM_PHASE_RESPONSE);
}

/*--------------------------------------------------------------------
 * Delivery
 */

static const struct response_case deliveries[] = {
	{ D("set X-Cache = \"${cache}\";"), "200 hit", "on | X-Cache: hit" },
	{ D("set X-Cache = \"${cache}\";"), "200 miss", "on | X-Cache: miss" },
	{ D("set X-Cache = \"${cache}\";"), "200 pass", "on | X-Cache: pass" },
	{ D("set X-Cache = \"${cache}\";"), "200 hit stale",
	    "on | X-Cache: stale" },
	{ D("set X-Cache = \"${cache}\";"), "503 own", "on | X-Cache: own" },
	{ D("when cache is hit { set X-B = b; }"), "200 hit stale",
	    "on | X-B: b" },
	{ D("when cache is hit stale { set X-B = b; }"), "200 miss", "on" },
	{ D("set X-N = \"${hits} ${age} ${ttl}\";"), "200 hit hits=7 age=3.2",
	    "on | X-N: 7 3 120" },
	{ "map m { is hit -> h; is own -> o; default other; }"
	    D("set X-M = m(cache);"), "404 own", "on | X-M: o" },
	{ "map m { is hit -> h; is own -> o; default other; }"
	    D("set X-M = m(cache);"), "404 miss", "on | X-M: other" },
	{ D("synth 410 \"gone ${status}\"; set X-B = b;"), "200",
	    "synth 410" },
	{ D("redirect 302 \"/x${url}\";"), "404", "redirect 302" },
	{ D("unset X-A; answer 503 \"text/plain\" \"down\";"), "503 | X-A: 1",
	    "answer 503" },
	{ D("rewrite header X-A ~ \"^a(.)\" to \"\\\\1\";"), "200 | X-A: ab",
	    "on | X-A: b" },
	{ D("vary drop A; vary add B; cache-control drop private; "
	    "set-cookie drop a;"), "200 | Vary: A | Set-Cookie: a=1 | "
	    "Cache-Control: private", "on | Vary: B" },
	{ D("set X-C = \"a${header.X-C}\";"), "200 | X-C: c",
	    "on | X-C: ac" },
};

UNIT_LOOP(test_response_delivery, UNIT_COUNT(deliveries))
{
	check_case(&deliveries[_i], FM_PHASE_DELIVERY);
}

/*--------------------------------------------------------------------
 * The order of blocks, `stop`, and `use`
 */

#define S(letter)	"set X-" letter " = \"${status}\"; "

static const struct response_case orders[] = {
	/* always, the host, finally */
	{ "finally { response { ttl 3s; } }"
	    "host a.example { response { ttl 2s; grace 2s; } }"
	    "always { response { ttl 1s; grace 1s; keep 1s; } }", "200",
	    "on ttl 3s grace 2s keep 1s" },
	{ "host b.example { response { ttl 2s; } }"
	    "default { response { ttl 4s; } }", "200", "on ttl 4s" },
	{ "host b.example { response { ttl 2s; } }"
	    "host *.example { pass; response { ttl 4s; } }", "200",
	    "on ttl 4s" },
	{ "host b.example { response { ttl 2s; } }"
	    "host a.example { pass; }", "200", "on" },
	/* a verdict ends its own phase */
	{ "always { pass; response { deliver; } }"
	    "host a.example { response { ttl 2s; } }"
	    "finally { response { esi; } }", "200", "deliver" },
	{ "always { response { ttl 1s; } pass; response { grace 1s; } }",
	    "200", "on ttl 1s grace 1s" },
	{ "always { response { ttl 1s; } delivery { synth 404; } "
	    "response { when status is 200 { deliver; } grace 1s; } }"
	    "finally { response { esi; } }", "200", "deliver ttl 1s" },
	/* several blocks of an item; stop leaves the item's later ones */
	{ "host a.example { response { ttl 1s; stop; grace 1s; } "
	    "response { keep 1s; } } finally { response { esi; } }", "200",
	    "on ttl 1s esi" },
	{ "always { response { when status is 200 { stop; } ttl 1s; } "
	    "response { keep 1s; } } host a.example { response { esi; } }",
	    "200", "on esi" },
	{ "always { response { when status is 200 { stop; } ttl 1s; } "
	    "response { keep 1s; } } host a.example { response { esi; } }",
	    "404", "on ttl 1s keep 1s esi" },
	/* a stop of requests does not leave the blocks */
	{ "host a.example { stop; response { ttl 1s; } }", "200",
	    "on ttl 1s" },
	/* use, outside of a when: R's blocks run where `use` stands */
	{ "ruleset r { pass; response { ttl 2s; grace 2s; } }"
	    "host a.example { response { ttl 1s; keep 1s; } use r; "
	    "response { grace 3s; } }", "200",
	    "on ttl 2s grace 3s keep 1s" },
	{ "ruleset r { set X-Q = 1; }"
	    "host a.example { response { ttl 1s; } use r; }", "200",
	    "on ttl 1s" },
	{ "ruleset r { use q; response { ttl 2s; } response { keep 2s; } }"
	    "ruleset q { response { ttl 1s; grace 1s; } }"
	    "host a.example { use r; }", "200",
	    "on ttl 2s grace 1s keep 2s" },
	{ "ruleset r { response { ttl 2s; stop; } response { keep 2s; } }"
	    "host a.example { use r; response { grace 1s; } }"
	    "finally { response { esi; } }", "200", "on ttl 2s esi" },
	{ "ruleset r { response { ttl 2s; deliver; } }"
	    "host a.example { use r; response { grace 1s; } }"
	    "finally { response { esi; } }", "200", "deliver ttl 2s" },
	{ "ruleset r { delivery { unset X-A; } }"
	    "host a.example { use r; response { grace 1s; } }", "200",
	    "on grace 1s" },
	/* use, in a block: that of the same phase only */
	{ "ruleset r { pass; response { ttl 2s; } delivery { unset X-A; } }"
	    "host a.example { response { use r; grace 1s; } }", "200 | X-A: 1",
	    "on ttl 2s grace 1s | X-A: 1" },
	{ "ruleset r { response { ttl 2s; } }"
	    "host a.example { response { when status is 404 { use r; } "
	    "grace 1s; } }", "404", "on ttl 2s grace 1s" },
	{ "ruleset r { response { ttl 2s; } }"
	    "host a.example { response { when status is 404 { use r; } "
	    "grace 1s; } }", "200", "on grace 1s" },
	{ "ruleset r { response { ttl 2s; use q; } }"
	    "ruleset q { response { grace 2s; stop; keep 9s; } "
	    "response { ttl 9s; } }"
	    "host a.example { response { use r; keep 1s; } }", "200",
	    "on ttl 2s grace 2s" },
	/* default use R, and a ruleset that is the host's block */
	{ "ruleset r { response { ttl 2s; } } default use r;", "200",
	    "on ttl 2s" },
	{ "ruleset r { response { ttl 2s; } } host a.example use r;"
	    "finally { response { keep 2s; } }", "200", "on ttl 2s keep 2s" },
	/* groups and sets of each phase are its own */
	{ "always { when url ~ \"^/(.)\" { set X-Q = \"${1}\"; } response { "
	    "when url ~ \"^/(a)[.](c)\" { set X-B = \"${1}${2}\"; } } }",
	    "200", "on | X-B: ac" },
	{ "list l is { /a.css 200 x } always { when path in l { set X-Q = 1; }"
	    " response { when status in l { ttl 1s; } "
	    "when header X-A in l { grace 1s; } when path in l { keep 1s; } } "
	    "delivery { when cache is hit { unset X-A; } } }", "200 | X-A: x",
	    "on ttl 1s grace 1s keep 1s | X-A: x" },
};

UNIT_LOOP(test_response_blocks_run_in_order, UNIT_COUNT(orders))
{
	check_case(&orders[_i], FM_PHASE_RESPONSE);
}

UNIT_TEST(test_response_a_file_without_blocks_has_no_phases)
{
	struct fm_program *program = unit_program("t.rules",
	    "ruleset r { delivery { unset X-A; } }"
	    "host a.example { use r; pass; }");

	ck_assert_ptr_null(fm_program_phase(program, FM_PHASE_RESPONSE));
	ck_assert_ptr_nonnull(fm_program_phase(program, FM_PHASE_DELIVERY));
	fm_program_free(&program);
	program = unit_program("t.rules", "always { pass; }");
	ck_assert_ptr_null(fm_program_phase(program, FM_PHASE_RESPONSE));
	ck_assert_ptr_null(fm_program_phase(program, FM_PHASE_DELIVERY));
	fm_program_free(&program);
}

/* Blocks for responses are nothing to a request. */
UNIT_TEST(test_response_blocks_are_nothing_to_requests)
{
	struct fm_program *program = unit_program("t.rules",
	    "always { response { abandon; } delivery { synth 404; } }"
	    "host a.example { response { deliver; } set X-A = 1; pass; }");
	struct responding message;
	const struct fm_result *result;
	struct fm_run run;

	responding_init(&message, "a.example", "/", NULL, "200");
	message.view.response = NULL;
	message.view.nrequest = 0;
	result = fm_run(&run, program, &message.view, NULL);
	ck_assert_int_eq(result->verdict, FM_VERDICT_PASS);
	ck_assert_uint_eq(result->edits.n, 1);
	ck_assert_ptr_null(result->response);
	fm_run_end(&run);
	responding_fini(&message);
	fm_program_free(&program);
}

/* Rules may have given the request another Host than the client did. */
UNIT_TEST(test_response_a_host_that_is_known_has_its_block)
{
	static const struct {
		const char	*host;		/* NULL: not known */
		const char	*url;
		const char	*block;		/* and ${host} */
	} cases[] = {
		{ NULL, "/", "a a.example" }, { "b.example", "/",
		    "b b.example" }, { "a.example", "/", "a a.example" },
		{ "", "/", "default" },
		{ "c.example", "/", "default c.example" },
		{ NULL, "http://b.example/", "default" },
		{ "b.example", "http://a.example/", "b b.example" }
	};
	struct fm_program *program = unit_program("t.rules",
	    "host a.example { response { set X = \"a ${host}\"; } }"
	    "host b.example { response { set X = \"b ${host}\"; } }"
	    "default { response { set X = \"default ${host}\"; } }");
	struct responding message;
	char out[RESPONDING_LINE], is[RESPONDING_LINE], buf[FM_HOSTNAME_MAX];
	struct fm_known_host host;
	struct fm_run run;
	size_t i;

	for (i = 0; i < UNIT_COUNT(cases); i++) {
		responding_init(&message, "a.example", cases[i].url, NULL,
		    "200");
		if (cases[i].host != NULL)
			message.view.host = &host;
		if (cases[i].host != NULL)
			fm_run_host(program, fm_text_of(cases[i].host),
			    fm_text(NULL, 0), buf, &host);
		(void)responding_print(fm_run(&run, fm_program_phase(program,
		    FM_PHASE_RESPONSE), &message.view, NULL), out);
		(void)snprintf(is, sizeof is, "on | X: %s", cases[i].block);
		ck_assert_str_eq(out, is);
		fm_run_end(&run);
		responding_fini(&message);
	}
	fm_program_free(&program);
}

UNIT_TEST(test_response_who_asks_for_own_is_known)
{
	static const struct {
		bool		asks;
		const char	*rules;
	} cases[] = {
		{ true, D("when cache is hit own { set X = 1; }") },
		{ true, "ruleset r { delivery { when not cache is own { "
		    "set X = 1; } } } host a.example { use r; }" },
		{ true, "map m { is own -> 1; } "
		    D("set X = m(cache);") },
		{ true, "map m { begins o -> 1; } "
		    D("set X = m(cache);") },
		{ false, "map m { is own -> 1; } " D("set X = m(type);") },
		{ false, "map m { is hit -> 1; default 2; } "
		    D("set X = m(cache);") },
		{ false, D("when cache is hit { set X = own; }") },
		{ false, D("when type is own { set X = \"${cache}\"; }") },
		{ false, R("when fetch is pass { set X = 1; }") }
	};
	struct fm_program *program;
	size_t i;

	for (i = 0; i < UNIT_COUNT(cases); i++) {
		program = unit_program("t.rules", cases[i].rules);
		ck_assert_msg(fm_program_asks_own(program) == cases[i].asks,
		    "%s", cases[i].rules);
		fm_program_free(&program);
	}
}

UNIT_TEST(test_what_acts_in_vcl_synth_is_known)
{
	static const struct {
		bool		acts;
		const char	*rules;
	} cases[] = {
		{ true, D("unset Via;") },
		{ true, D("log a;") },
		{ true, D("when cache is hit { unset Via; } unset Age;") },
		{ true, D("when status is 404 { unset Via; }") },
		{ true, D("when cache is hit own { unset Via; }") },
		{ true, D("when cache is hit or status is 404 { log a; }") },
		{ true, D("when not cache is hit { unset Via; }") },
		{ true, D("when cache is hit { unset Via; } else { log a; }") },
		{ true, D("when not (cache is own and status is 404) "
		    "{ unset Via; }") },
		{ true, D("when status is 404 { stop; } unset Via;") },
		{ true, D("when cache is own { when cache is hit { log a; } "
		    "else { log b; } }") },
		{ true, D("when cache is hit { unset Via; }")
		    "finally { delivery { log a; } }" },
		{ true, "ruleset r { delivery { log a; } } host a use r;" },
		{ true, D("when cache is hit { stop; } unset Via;") },
		/* vcl_synth completes them */
		{ true, D("when cache is hit { redirect 302 \"/a\"; }") },
		{ true, D("when not cache is own "
		    "{ answer 200 text/plain \"a\"; }") },
		{ false, D("when cache is hit { synth 404; }") },
		/* groups may not be found */
		{ true, D("when cache is own or url ~ \"^/(a)\" { when cache is"
		    " hit { log \"${1}\"; } } else { log b; }") },
		{ false, "always { unset X-A; }" },
		{ false, "always { response { unset Via; } }" },
		{ false, D("when cache is hit { unset Via; }") },
		{ false, D("when cache is hit miss pass stale { log a; }") },
		{ false, D("when cache is hit { unset Via; } else when cache is"
		    " miss pass { unset Age; }") },
		{ false, D("when not cache is own { unset Via; }") },
		{ false, D("when cache is own { } else { unset Via; }") },
		{ false, D("when cache is own { stop; } unset Via;") },
		{ false, D("when cache is hit and status is 404 { log a; }") },
		{ false, D("when status is 404 and not (cache is own or "
		    "header A present) { log a; }") },
		{ false, D("when cache is hit { when status is 404 { log a; } "
		    "else { log b; } }") },
		{ false, D("when cache is hit { when cache is own { log a; } "
		    "}") },
		{ false, "ruleset r { delivery { when cache is hit { log a; } "
		    "} } host a { use r; delivery { when cache is pass "
		    "{ log b; } } } host b use r;" },
		{ false, D("when cache is hit { log a; }") "finally { delivery "
		    "{ when cache is miss { log b; } } }" }
	};
	struct fm_program *program;
	size_t i;

	for (i = 0; i < UNIT_COUNT(cases); i++) {
		program = unit_program("t.rules", cases[i].rules);
		ck_assert_msg(fm_program_acts_in_synth(program) ==
		    cases[i].acts, "%s", cases[i].rules);
		fm_program_free(&program);
	}
}

int
main(void)
{
	return (unit_main("response", 30));
}
