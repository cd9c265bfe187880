/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which subs of a VCL call .apply(): a table of VCL, random subs against a twin
 * that runs them with all outcomes of their conditions, and the messages.
 */

#include <stdio.h>

#include "unit.h"
#include "vcl_calls.h"

#define SOURCES		4

static void __attribute__((noreturn))
no_memory(void)
{
	ck_abort_msg("no memory");
	abort();
}

static bool
read_sources(struct fm_vcl_tree *tree, const char * const *names,
    const char * const *bodies, size_t n)
{
	memset(tree, 0, sizeof *tree);
	tree->no_memory = no_memory;
	return (fm_vcl_read_sources(tree, names, bodies, n) &&
	    fm_vcl_parse(tree));
}

/* Finds the calls of `site` in a VCL of one source. */
static void
find_calls(const char *text, struct fm_vcl_calls *calls)
{
	static const char * const name = "main.vcl";
	struct fm_vcl_tree tree;

	ck_assert_msg(read_sources(&tree, &name, &text, 1), "%s", text);
	fm_vcl_calls(&tree, fm_text_of("site"), calls);
	fm_vcl_fini(&tree);
}

/*--------------------------------------------------------------------
 * The table
 */

#define NONE	{ FM_VCL_NEVER, 0 }
#define ALL	{ FM_VCL_ALWAYS, 0 }

/* The names of the sources, of which the first is the VCL's own. */
static const char * const source_names[SOURCES] = {
	"main.vcl", "/etc/varnish/d/one.vcl", "/etc/varnish/d/two.vcl",
	"/usr/share/varnish/vcl/sub.vcl"
};

/* The outcome for vcl_deliver, with the line of its place; 0: no line. */
static const struct row {
	struct {
		enum fm_vcl_reach	reach;
		unsigned		line;
	} is;
	const char	*bodies[SOURCES];
} table[] = {
	/* Missing. */
	{ NONE, { "" } },
	{ NONE, { "backend b none; sub vcl_synth { site.apply(); }" } },
	{ { FM_VCL_NEVER, 2 }, { "\nsub vcl_deliver { }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { other.apply(); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { mysite.apply(); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { site.applying(); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { Site.apply(); }" } },
	{ { FM_VCL_NEVER, 1 },
	    { "sub vcl_deliver { return (deliver); site.apply(); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { if (a) { return (deliver); "
	    "} else { return (deliver); } site.apply(); }" } },
	{ { FM_VCL_NEVER, 1 },
	    { "sub vcl_deliver { } sub unused { site.apply(); }" } },

	/* Made on each path. */
	{ ALL, { "sub vcl_deliver { site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { site.apply(finish=false); set x = 1; }" } },
	{ ALL, { "sub vcl_deliver\n{\n\tset resp.http.A = b;\n"
	    "\tsite.apply();\n\treturn(deliver);\n}" } },
	{ ALL, { "sub vcl_deliver { if (a) { site.apply(); } "
	    "else { site.apply(); } }" } },
	{ ALL, { "sub vcl_deliver { if (a) { site.apply(); } elseif (b) { "
	    "site.apply(); } elsif (c) { site.apply(); } elif (d) { "
	    "site.apply(); } else if (e) { site.apply(); } else { "
	    "site.apply(); } }" } },
	{ ALL, { "sub vcl_deliver { if (a) { if (b) { site.apply(); } else { "
	    "site.apply(); } return (deliver); } site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { { set x = 1; { site.apply(); } } }" } },
	{ ALL, { "sub vcl_deliver { ; site.apply();; }" } },
	{ ALL, { "sub vcl_deliver { if (a) { site.apply(); return (deliver); } "
	    "site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { site.apply(); site.apply(); }" } },

	/* A path that gives the response up counts as none. */
	{ ALL, { "sub vcl_deliver { if (a) { return (restart); } "
	    "site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { if (a) { return (synth(404, \"x\")); } "
	    "site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { if (a) { return(fail(\"x\")); } "
	    "site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { return (fail); }" } },
	{ { FM_VCL_SOMETIMES, 1 }, { "sub vcl_deliver { if (a) { "
	    "return (vcl(other)); } site.apply(); }" } },

	/* Made on some. */
	{ { FM_VCL_SOMETIMES, 3 }, { "sub vcl_deliver {\n"
	    "if (a) { site.apply(); }\n}" } },
	{ { FM_VCL_SOMETIMES, 2 }, { "sub vcl_deliver {\n"
	    "if (a) { return (deliver); }\nsite.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 4 }, { "sub vcl_deliver {\n"
	    "if (a) { site.apply(); }\nelse if (b) { site.apply(); }\n}" } },
	{ { FM_VCL_SOMETIMES, 3 }, { "sub vcl_deliver {\n"
	    "if (a) { site.apply(); }\nreturn (deliver); }" } },
	{ { FM_VCL_SOMETIMES, 2 }, { "sub vcl_deliver {\n"
	    "if (a) { if (b) { return (deliver); } } site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 3 }, { "sub vcl_deliver { {\nif (a) {\n"
	    "return (deliver); } } { site.apply();\n} }" } },

	/* Comments and strings. */
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { # site.apply();\n }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { // site.apply();\n }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { /* site.apply();\n*/ }" } },
	{ { FM_VCL_NEVER, 1 },
	    { "sub vcl_deliver { std.log({\"} site.apply(); \"}); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { "
	    "std.log(\"\"\"} \"} site.apply(); \"\"\"); }" } },
	{ { FM_VCL_NEVER, 1 },
	    { "sub vcl_deliver { std.log(\"site.apply();\"); }" } },
	{ ALL, { "sub vcl_deliver { # return (deliver);\n"
	    "if (a) { set x = \"\"\"return (deliver); }\"\"\"; }"
	    "/* return */ set y = {\"\n}\n\"}; site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { site.apply /* now */ (); } # }" } },

	/* Other subs. */
	{ ALL, { "sub vcl_deliver { call a; } sub a { call b; } "
	    "sub b { site.apply(); }" } },
	{ ALL, { "sub b { site.apply(); return (deliver); } "
	    "sub a { if (x) { call b; } } "
	    "sub vcl_deliver { call a; site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 1 }, { "sub a { if (x) { return (deliver); } }\n"
	    "sub vcl_deliver { call a; site.apply(); }" } },
	{ ALL, { "sub a { if (x) { return; } set y = 1; }\n"
	    "sub vcl_deliver { call a; site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 2 }, { "sub a { if (x) { return; } "
	    "site.apply(); }\nsub vcl_deliver { call a; }" } },
	{ ALL, { "sub vcl_deliver { if (x) { call a; } else { call a; } } "
	    "sub a { site.apply(); }" } },

	/* VCL forbids these; the walk must end. */
	{ { FM_VCL_UNKNOWN, 1 }, { "sub a { call a; } "
	    "sub vcl_deliver { call a; }" } },
	{ { FM_VCL_UNKNOWN, 1 }, { "sub a { call b; call b; } "
	    "sub b { call a; call a; } sub vcl_deliver { call a; }" } },
	{ { FM_VCL_UNKNOWN, 2 }, { "sub vcl_deliver {\ncall missing; }" } },

	/* Subs of the same name are one. */
	{ ALL, { "sub vcl_deliver { set x = 1; } "
	    "sub vcl_deliver { site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { if (a) { site.apply(); "
	    "return (deliver); } } sub vcl_deliver { site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 1 }, { "sub vcl_deliver { if (a) { "
	    "return (deliver); } }\nsub vcl_deliver { site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 2 }, { "sub vcl_deliver { if (a) { "
	    "site.apply(); } }\nsub vcl_deliver { set x = 1; }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { return (deliver); }\n"
	    "sub vcl_deliver { site.apply(); }" } },

	/* What isn't understood. */
	{ { FM_VCL_UNKNOWN, 2 },
	    { "sub vcl_deliver {\nC{ VRT_handling(ctx, 1); }C }" } },
	{ { FM_VCL_UNKNOWN, 1 },
	    { "sub vcl_deliver { C{ return; }C site.apply(); }" } },
	{ { FM_VCL_UNKNOWN, 1 }, { "sub a { C{ x }C } "
	    "sub vcl_deliver { if (a) { call a; } site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { site.apply(); C{ x }C }" } },
	{ ALL, { "C{ #include <a.h> }C sub vcl_deliver { site.apply(); }" } },
	{ { FM_VCL_UNKNOWN, 1 }, { "sub vcl_deliver { p.call(); }" } },
	{ { FM_VCL_UNKNOWN, 1 }, { "sub vcl_deliver { call p.sub(\"x\"); }" } },
	{ { FM_VCL_UNKNOWN, 1 }, { "sub vcl_deliver { hope for it; }" } },
	{ { FM_VCL_SOMETIMES, 2 }, { "sub vcl_deliver {\n"
	    "if (a) { return (deliver); } C{ x }C }" } },
	{ ALL, { "sub vcl_deliver { std.log(a ? b : :c:); "
	    "new x = y.z(::); site.apply(); }" } },
	{ { FM_VCL_SOMETIMES, 1 }, { "sub vcl_deliver { if (a ? :b:) { "
	    "site.apply(); } }" } },

	/* Included files. */
	{ ALL, { "vcl 4.1; include \"d/one.vcl\";",
	    "sub vcl_deliver { site.apply(); }" } },
	{ ALL, { "sub vcl_deliver { include \"one.vcl\"; }",
	    "site.apply();" } },
	{ { FM_VCL_SOMETIMES, 3 }, { "include \"./d/one.vcl\"; "
	    "sub vcl_deliver { site.apply(); }",
	    "\n\nsub vcl_deliver { if (a) { return (deliver); } }" } },
	{ ALL, { "include \"/etc/varnish/d/one.vcl\"; include \"sub.vcl\";",
	    "include \"./two.vcl\";", "sub vcl_deliver { call a; }",
	    "sub a { site.apply(); }" } },
	{ ALL, { "include +glob \"./d/*.vcl\"; sub vcl_deliver { "
	    "if (x) { call a; } else { call b; } } include \"sub.vcl\";",
	    "sub a { site.apply(); }", "sub b { call c; }",
	    "sub c { site.apply(); }" } },
	{ { FM_VCL_NEVER, 1 }, { "sub vcl_deliver { }\n"
	    "# include \"d/one.vcl\";", "sub vcl_deliver { site.apply(); }" } }
};

UNIT_LOOP(test_calls_of_table_are_found, UNIT_COUNT(table))
{
	const struct row *row = &table[_i];
	const struct fm_vcl_call *call;
	struct fm_vcl_calls calls;
	struct fm_vcl_tree tree;
	size_t n = 0;

	while (n < SOURCES && row->bodies[n] != NULL)
		n++;
	ck_assert(read_sources(&tree, source_names, row->bodies, n));
	fm_vcl_calls(&tree, fm_text_of("site"), &calls);
	call = &calls.subs[FM_VCL_SUB_DELIVER];
	ck_assert_msg(call->reach == row->is.reach &&
	    call->at.line == row->is.line, "%d in line %u: %s", call->reach,
	    call->at.line, row->bodies[0]);
	ck_assert(call->reach == FM_VCL_ALWAYS || call->at.name != NULL);
	fm_vcl_fini(&tree);
}

/* Subs before others, each called twice by the next: 2^n paths. */
UNIT_TEST(test_many_calls_end)
{
	struct fm_vcl_calls calls;
	char text[4000];
	int len, n;

	len = sprintf(text, "sub a0 { set x = 1; }");
	for (n = 1; n < 30; n++)
		len += sprintf(text + len, "sub a%d { call a%d; call a%d; }\n",
		    n, n - 1, n - 1);
	(void)sprintf(text + len, "sub vcl_deliver { call a29; }");
	find_calls(text, &calls);
	ck_assert_int_eq(calls.subs[FM_VCL_SUB_DELIVER].reach, FM_VCL_UNKNOWN);
}

/* Cut and changed anywhere, VCL is read or refused, and never read past. */
UNIT_LOOP(test_damaged_vcl_does_no_harm, UNIT_COUNT(table))
{
	static const char signs[] = "{}();\"#*/.";
	size_t len = strlen(table[_i].bodies[0]), cut;
	struct fm_vcl_calls calls;
	struct fm_vcl_tree tree;
	const char *body;
	char *copy;

	unit_seed("vcl_calls damaged");
	for (cut = 0; cut <= len; cut++) {
		body = copy = strdup(table[_i].bodies[0]);
		ck_assert_ptr_nonnull(copy);
		if (cut < len && unit_below(2) == 0)
			copy[cut] = signs[unit_below(sizeof signs - 1)];
		else
			copy[cut] = '\0';
		if (read_sources(&tree, source_names, &body, 1))
			fm_vcl_calls(&tree, fm_text_of("site"), &calls);
		fm_vcl_fini(&tree);
		free(copy);
	}
}

static const char * const broken[] = {
	"sub vcl_deliver {", "sub vcl_deliver { if (a { site.apply(); } }",
	"sub vcl_deliver { site.apply() }", "sub vcl_deliver { { }",
	"sub vcl_deliver { if a { site.apply(); } }", "\"", "/*", "{\"", "C{",
	"}", "include \"other.vcl\";", "include ;"
};

UNIT_LOOP(test_broken_vcl_is_refused, UNIT_COUNT(broken))
{
	struct fm_vcl_tree tree;

	ck_assert(!read_sources(&tree, source_names, &broken[_i], 1));
	fm_vcl_fini(&tree);
}

/*--------------------------------------------------------------------
 * Host
 */

static const struct {
	bool		sets;
	const char	*text;
} hosts[] = {
	{ false, "sub vcl_recv { set req.http.Host = a; site.apply(); }" },
	{ false, "sub vcl_recv { site.apply(); set req.http.Hosts = a; }" },
	{ false, "sub vcl_recv { site.apply(); return (hash); "
	    "set req.http.Host = a; }" },
	{ false, "sub vcl_deliver { set resp.http.Host = req.http.Host; }" },
	{ false, "sub vcl_recv { other.apply(); set req.http.Host = a; }" },
	{ false, "sub vcl_backend_fetch { set bereq.http.A = "
	    "bereq.http.Host; }" },
	{ false, "# set bereq.http.Host = a;" },
	{ true, "sub vcl_recv { site.apply(); set req.http.Host = a; }" },
	{ true, "sub vcl_recv { site.apply(); unset req.http.host; }" },
	{ true, "sub vcl_recv { if (a) { site.apply(); } call b; } "
	    "sub b { set req.http.HOST = a; }" },
	{ true, "sub vcl_miss { set req.http.Host = a; }" },
	{ true, "sub vcl_pass { call b; } sub b { set req.http.Host = a; }" },
	{ true, "sub vcl_backend_fetch { set bereq.http.host = a; }" },
	{ true, "sub b { unset bereq.http.Host; }" },
	{ false, "sub vcl_recv { site.apply(); set req.http.\"Hosts\" = a; }" },
	{ false, "sub vcl_recv { site.apply(); set req.url = \"Host\"; }" },
	{ true, "sub vcl_recv { site.apply(); set req.http.\"host\" = a; }" },
	{ true, "sub vcl_miss { unset req.http.\"Host\"; }" },
	{ true, "sub vcl_backend_fetch { set bereq.http.\"Host\" = a; }" }
};

UNIT_LOOP(test_who_sets_host_is_found, UNIT_COUNT(hosts))
{
	struct fm_vcl_calls calls;

	find_calls(hosts[_i].text, &calls);
	ck_assert_msg(calls.sets_host == hosts[_i].sets, "%s", hosts[_i].text);
}

/*--------------------------------------------------------------------
 * The twin runs a sub: once for each outcome of all conditions.
 */

#define TWIN_CONDS	7
#define TWIN_SUBS	4

enum twin_end { TWIN_GOES_ON, TWIN_LEFT, TWIN_ENDED, TWIN_GIVEN_UP };

struct twin_stmt {
	enum { TWIN_APPLY, TWIN_RETURN, TWIN_CALL, TWIN_IF } kind;
	enum twin_end	end;		/* of RETURN */
	unsigned	number;		/* of CALL, IF */
	struct twin_stmt *then, *otherwise, *next;
};

struct twin {
	FILE		*to;
	unsigned	conds;
	struct twin_stmt *subs[TWIN_SUBS];	/* 0 is vcl_deliver */
	struct twin_stmt stmts[500];
	unsigned	n;
};

static struct twin_stmt *twin_block(struct twin *, unsigned sub,
    unsigned depth);

/* Makes a statement; a sub calls those after it only. */
static struct twin_stmt *
twin_stmt(struct twin *twin, unsigned sub, unsigned depth)
{
	struct twin_stmt *stmt = &twin->stmts[twin->n++];
	unsigned dice = unit_below(12);

	if (dice < 3) {
		stmt->kind = TWIN_APPLY;
		fprintf(twin->to, "site.apply(); ");
	} else if (dice < 6 && sub + 1 < TWIN_SUBS) {
		stmt->kind = TWIN_CALL;
		stmt->number = sub + 1 + unit_below(TWIN_SUBS - sub - 1);
		fprintf(twin->to, "call s%u; ", stmt->number);
	} else if (dice < 7 || twin->conds == TWIN_CONDS || depth > 3) {
		stmt->kind = TWIN_RETURN;
		stmt->end = sub == 0 ? TWIN_ENDED + unit_below(2) :
		    TWIN_LEFT + unit_below(3);
		fprintf(twin->to, stmt->end == TWIN_LEFT ? "return; " :
		    stmt->end == TWIN_ENDED ? "return (deliver); " :
		    "return (restart); ");
	} else {
		stmt->kind = TWIN_IF;
		stmt->number = twin->conds++;
		fprintf(twin->to, "if (c%u) { ", stmt->number);
		stmt->then = twin_block(twin, sub, depth + 1);
		fprintf(twin->to, "} ");
		if (unit_below(2) == 0) {
			fprintf(twin->to, "else { ");
			stmt->otherwise = twin_block(twin, sub, depth + 1);
			fprintf(twin->to, "} ");
		}
	}
	return (stmt);
}

static struct twin_stmt *
twin_block(struct twin *twin, unsigned sub, unsigned depth)
{
	struct twin_stmt *first = NULL, **tail = &first;
	unsigned n = unit_below(4);

	for (; n > 0; n--) {
		*tail = twin_stmt(twin, sub, depth);
		tail = &(*tail)->next;
	}
	return (first);
}

static enum twin_end
twin_run(const struct twin *twin, const struct twin_stmt *stmt, unsigned conds,
    bool *called)
{
	enum twin_end end = TWIN_GOES_ON;

	for (; stmt != NULL && end == TWIN_GOES_ON; stmt = stmt->next) {
		if (stmt->kind == TWIN_APPLY) {
			*called = true;
		} else if (stmt->kind == TWIN_RETURN) {
			end = stmt->end;
		} else if (stmt->kind == TWIN_IF) {
			end = twin_run(twin, conds >> stmt->number & 1 ?
			    stmt->then : stmt->otherwise, conds, called);
		} else {
			end = twin_run(twin, twin->subs[stmt->number], conds,
			    called);
			if (end == TWIN_LEFT)
				end = TWIN_GOES_ON;
		}
	}
	return (end);
}

static enum fm_vcl_reach
twin_reach(const struct twin *twin)
{
	bool called, any = false, missed = false;
	unsigned conds;

	for (conds = 0; conds < 1U << TWIN_CONDS; conds++) {
		called = false;
		missed |= twin_run(twin, twin->subs[0], conds, &called) !=
		    TWIN_GIVEN_UP && !called;
		any |= called;
	}
	return (!missed ? FM_VCL_ALWAYS : any ? FM_VCL_SOMETIMES :
	    FM_VCL_NEVER);
}

UNIT_TEST(test_random_subs_are_as_the_twin_runs_them)
{
	unsigned round, n, seen[FM_VCL_ALWAYS + 1] = { 0 };
	enum fm_vcl_reach expected;
	struct fm_vcl_calls calls;
	struct twin twin;
	size_t len;
	char *text;

	unit_seed("vcl_calls");
	for (round = unit_rounds(40000, 4); round > 0; round--) {
		memset(&twin, 0, sizeof twin);
		twin.to = open_memstream(&text, &len);
		ck_assert_ptr_nonnull(twin.to);
		for (n = 0; n < TWIN_SUBS; n++) {
			fprintf(twin.to, n == 0 ? "sub vcl_deliver { " :
			    "sub s%u { ", n);
			twin.subs[n] = twin_block(&twin, n, 0);
			fprintf(twin.to, "}\n");
		}
		(void)fclose(twin.to);
		find_calls(text, &calls);
		expected = twin_reach(&twin);
		seen[expected]++;
		ck_assert_msg(calls.subs[FM_VCL_SUB_DELIVER].reach == expected,
		    "%d, not %d: %s", calls.subs[FM_VCL_SUB_DELIVER].reach,
		    expected, text);
		free(text);
	}
	for (n = FM_VCL_NEVER; n <= FM_VCL_ALWAYS; n++)
		ck_assert_uint_gt(seen[n], 100);
}

/*--------------------------------------------------------------------
 * Messages
 */

static const struct {
	const char	*text;
	unsigned	subs;
	bool		good;
	const char	*message;	/* NULL: none */
} messages[] = {
	{ "sub vcl_hash { site.apply(); }", FM_VCL_BIT(HASH), true, NULL },
	{ "", 0, true, NULL },
	{ "sub vcl_recv { std.rollback(req); site.apply(); } "
	    "sub vcl_hash { site.apply(); }", FM_VCL_BIT(HASH), true, NULL },
	{ "sub vcl_recv { site.apply(); if (a) { x.rollback(req); } } "
	    "sub vcl_hash { site.apply(); }", FM_VCL_BIT(HASH), false,
	    "main.vcl:1:39: error: the rules have `key` blocks, and this "
	    "undoes what they are made of: call std.rollback(req) before "
	    "site.apply(), or restart" },
	{ "sub vcl_hash { site.apply(); } sub vcl_miss { std.rollback(req); } "
	    "sub vcl_deliver { site.apply(); }", FM_VCL_BIT(DELIVER), true,
	    NULL },
	{ "", FM_VCL_BIT(DELIVER), false, "main.vcl: error: no vcl_deliver "
	    "calls site.apply(), so the rules' `delivery` blocks do nothing: "
	    "add to the VCL: sub vcl_deliver { site.apply(); }" },
	{ "sub vcl_synth { }", FM_VCL_BIT(SYNTH), false, "main.vcl:1:1: error: "
	    "vcl_synth never gets to site.apply(), so the rules' `delivery` "
	    "blocks do nothing for what Varnish answers itself: begin it with "
	    "`site.apply();`" },
	{ "sub vcl_backend_response { if (a) { return (deliver); } "
	    "site.apply(); }", FM_VCL_BIT(BACKEND_RESPONSE), false,
	    "main.vcl:1:37: error: vcl_backend_response returns here without "
	    "site.apply(), and then the rules' `response` blocks do nothing: "
	    "add `site.apply();` before this" },
	{ "sub vcl_backend_response { if (beresp.status > 499) { "
	    "return (abandon); } site.apply(); }",
	    FM_VCL_BIT(BACKEND_RESPONSE), true, NULL },
	{ "sub vcl_backend_response { site.apply(); } "
	    "sub vcl_miss { set req.http.Host = \"a\"; }",
	    FM_VCL_BIT(BACKEND_RESPONSE), false, "main.vcl: error: no "
	    "vcl_backend_fetch calls site.apply(), so the backend gets the "
	    "header by which the rules know the host, as Host is set: add to "
	    "the VCL: sub vcl_backend_fetch { site.apply(); }" },
	{ "sub vcl_recv { site.apply(); return (pipe); } sub vcl_backend_fetch "
	    "{ site.apply(); }", FM_VCL_BIT(BACKEND_FETCH), false,
	    "main.vcl: error: no vcl_pipe calls site.apply(), so the backend "
	    "gets the header by which the rules know the host, as Host is set: "
	    "add to the VCL: sub vcl_pipe { site.apply(); }" },
	{ "sub vcl_recv { site.apply(); return (pipe); }", 0, true, NULL },
	/* `fetch` alone has no header that a pipe must lose */
	{ "sub vcl_recv { site.apply(); return (pipe); } sub vcl_backend_fetch "
	    "{ site.apply(); }", FM_VCL_FETCHES, true, NULL },
	{ "sub vcl_backend_fetch { if (a) { return (fetch); } site.apply(); }",
	    FM_VCL_FETCHES, false, "main.vcl:1:34: error: vcl_backend_fetch "
	    "returns here without site.apply(), and then the rules' `fetch` "
	    "blocks do nothing: add `site.apply();` before this" },
	{ "sub vcl_recv { site.apply(); set req.http.Host = \"a\"; }",
	    FM_VCL_FETCHES, false, "main.vcl: error: no vcl_backend_fetch "
	    "calls site.apply(), so the rules' `fetch` blocks do nothing: add "
	    "to the VCL: sub vcl_backend_fetch { site.apply(); }" },
	{ "sub vcl_recv { site.apply(); set req.http.Host = \"a\"; "
	    "return (pipe); } sub vcl_backend_fetch { site.apply(); }",
	    FM_VCL_FETCHES, false, "main.vcl: error: no vcl_pipe calls "
	    "site.apply(), so the backend gets the header by which the rules "
	    "know the host, as Host is set: add to the VCL: sub vcl_pipe { "
	    "site.apply(); }" },
	{ "sub vcl_recv { if (a) { return (pipe); } site.apply(); } "
	    "sub vcl_backend_fetch { site.apply(); }",
	    FM_VCL_BIT(BACKEND_FETCH), true, NULL },
	{ "sub vcl_recv { site.apply(); if (a) { return (pipe); } } "
	    "sub vcl_pipe { site.apply(); } "
	    "sub vcl_backend_fetch { site.apply(); }",
	    FM_VCL_BIT(BACKEND_FETCH), true, NULL },
	{ "sub vcl_backend_error { if (a) { return (deliver); } }",
	    FM_VCL_BIT(BACKEND_ERROR), false, "main.vcl:1:1: error: "
	    "vcl_backend_error never gets to site.apply(), so `cache is own` "
	    "does not know what Varnish makes of a failed fetch: begin it with "
	    "`site.apply();`" },
	{ "sub vcl_hash { if (a) { site.apply(); } }", FM_VCL_BIT(HASH), false,
	    "main.vcl:1:41: error: vcl_hash may end here without "
	    "site.apply(), and then the rules' `key` blocks do nothing: add "
	    "`site.apply();` before this" },
	{ "sub vcl_deliver { if (a) { site.apply(); } }", FM_VCL_BIT(DELIVER),
	    true, "main.vcl:1:44: warning: vcl_deliver may end here without "
	    "site.apply(), and then the rules' `delivery` blocks do nothing: "
	    "add `site.apply();` before this" },
	{ "sub vcl_backend_response { C{ x }C }",
	    FM_VCL_BIT(BACKEND_RESPONSE), true,
	    "main.vcl:1:28: warning: whether vcl_backend_response calls "
	    "site.apply() can't be seen, as this is not understood: if it does "
	    "not, the rules' `response` blocks do nothing" }
};

UNIT_LOOP(test_what_is_missing_is_said, UNIT_COUNT(messages))
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_vcl_calls calls;

	find_calls(messages[_i].text, &calls);
	ck_assert(fm_calls_missing(&calls, fm_text_of("site"),
	    messages[_i].subs, diag) == messages[_i].good);
	ck_assert(fm_diag_errors(diag) == !messages[_i].good);
	if (messages[_i].message == NULL)
		ck_assert_ptr_null(fm_diag_line(diag, 0));
	else
		ck_assert_str_eq(fm_diag_line(diag, 0), messages[_i].message);
	fm_diag_free(&diag);
}

static const struct {
	const char	*text, *message;	/* NULL: none */
} advice[] = {
	{ "sub vcl_backend_response { site.apply(); }", NULL },
	{ "sub vcl_deliver { site.apply(); }", "main.vcl: warning: no "
	    "vcl_backend_response calls site.apply(), so `cache-status` names "
	    "no rule, and not the backend's status: add to the VCL: sub "
	    "vcl_backend_response { site.apply(); }" },
	{ "sub vcl_backend_response { set beresp.ttl = 1s; }",
	    "main.vcl:1:1: warning: vcl_backend_response never gets to "
	    "site.apply(), so `cache-status` names no rule, and not the "
	    "backend's status: begin it with `site.apply();`" },
	{ "sub vcl_backend_response { if (a) { return (deliver); } "
	    "site.apply(); }", "main.vcl:1:37: warning: vcl_backend_response "
	    "returns here without site.apply(), and then `cache-status` names "
	    "no rule, and not the backend's status: add `site.apply();` before "
	    "this" },
	{ "sub vcl_backend_response { C{ x }C }", "main.vcl:1:28: warning: "
	    "whether vcl_backend_response calls site.apply() can't be seen, as "
	    "this is not understood: if it does not, `cache-status` names no "
	    "rule, and not the backend's status" }
};

UNIT_LOOP(test_a_cache_status_without_a_cause_is_a_warning,
    UNIT_COUNT(advice))
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_vcl_calls calls;

	find_calls(advice[_i].text, &calls);
	fm_calls_advise(&calls, fm_text_of("site"), diag);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	if (advice[_i].message == NULL)
		ck_assert_ptr_null(fm_diag_line(diag, 0));
	else
		ck_assert_str_eq(fm_diag_line(diag, 0), advice[_i].message);
	fm_diag_free(&diag);
}

/* As the module has it where it can't read its VCL. */
UNIT_TEST(test_vcl_that_is_not_known_is_a_warning)
{
	static const struct fm_vcl_calls nothing;
	struct fm_diag *diag = fm_diag_new();

	ck_assert(fm_calls_missing(&nothing, fm_text_of("site"),
	    FM_VCL_BIT(HASH), diag));
	ck_assert_str_eq(fm_diag_line(diag, 0), "warning: whether vcl_hash "
	    "calls site.apply() can't be seen, as the VCL is not understood: "
	    "if it does not, the rules' `key` blocks do nothing");
	fm_diag_free(&diag);
}

int
main(void)
{
	return (unit_main("vcl_calls", 30));
}
