/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules that ask for the host in all ways, for hosts that nested wildcards,
 * `default` or nothing finds, against the naive twin: for these hosts there are
 * routes, in which tests and maps are decided that are the same for all of
 * them.
 */

#include "../unit/compiling.h"
#include "../unit/host_find.h"
#include "agree.h"
#include "program_priv.h"

#define FIELDS	2

struct wild {
	FILE			*text;
	char			*rules;
	size_t			len;
	struct fm_model		*model;
	struct naive		*naive;
	struct fm_program	*program;

	char			lines[FIELDS][400];
	char			url[400];
	struct fm_field		fields[FIELDS];
	struct fm_view		view;
	/* How many requests had a route, by how their host was found. */
	unsigned		routes[FM_HOSTTAB_ANY + 1];
};

static const char *
one_of(const char *const *texts)
{
	unsigned n = 0;

	while (texts[n] != NULL)
		n++;
	return (texts[unit_below(n)]);
}

/* Writes a name of up to four labels below one of two domains, or one alone. */
static void
name_make(char *name)
{
	static const char *const labels[] = { "a.", "b.", "www.", "m.", NULL };
	static const char *const domains[] = { "a.example", "b.example",
	    "example", NULL };
	unsigned n = unit_below(4);

	*name = '\0';
	while (n-- > 0)
		strcat(name, one_of(labels));
	strcat(name, one_of(domains));
}

/*--------------------------------------------------------------------
 * Rules
 */

/* Writes an operator and its operand; `regex`: that may be a regex. */
static void
match_make(FILE *text, bool regex)
{
	static const char *const ops[] = { "is", "ends", "begins", "contains",
	    "like", "~", NULL };
	const char *op = one_of(ops);
	char name[100];
	unsigned cut, n = 1 + unit_below(3);

	if (*op == '~' && !regex)
		op = "is";
	fprintf(text, "%s", op);
	while (n-- > 0) {
		name_make(name);
		cut = unit_below(3) == 0 ? unit_below(4) : 0;
		if (strcmp(op, "is") == 0)
			fprintf(text, " \"%s\"", name);
		else if (strcmp(op, "ends") == 0)
			fprintf(text, " \"%s%s\"", unit_below(3) > 0 ? "." : "",
			    name + cut);
		else if (strcmp(op, "like") == 0)
			fprintf(text, " \"%s%s%s\"", unit_below(3) > 0 ? "*" :
			    "", unit_below(2) > 0 ? "." : "", name);
		else if (*op == '~')
			fprintf(text, " \"^%c.*%s$\"", *name, name + cut);
		else
			fprintf(text, " \"%.*s\"", 1 + (int)unit_below(
			    (unsigned)strlen(name)), name);
	}
}

static void
list_make(FILE *text, unsigned number)
{
	unsigned n = 1 + unit_below(unit_below(4) == 0 ? 30 : 4);

	fprintf(text, "list l%u {\n", number);
	while (n-- > 0) {
		fputc('\t', text);
		match_make(text, unit_below(8) == 0);
		fprintf(text, ";\n");
	}
	fprintf(text, "}\n");
}

static void
map_make(FILE *text, unsigned number)
{
	unsigned n = 1 + unit_below(unit_below(4) == 0 ? 30 : 4);

	fprintf(text, "map m%u {\n", number);
	while (n-- > 0) {
		fprintf(text, "\t%s", unit_below(5) == 0 ? "not " : "");
		match_make(text, unit_below(8) == 0);
		if (unit_below(5) == 0) {
			fprintf(text, " and %s",
			    unit_below(5) == 0 ? "not " : "");
			match_make(text, unit_below(8) == 0);
		}
		fprintf(text, " -> v%u;\n", unit_below(3));
	}
	if (unit_below(2) == 0)
		fprintf(text, "\tdefault v%u;\n", unit_below(3));
	fprintf(text, "}\n");
}

static void
test_make(FILE *text)
{
	char name[100];

	fprintf(text, "%s", unit_below(4) == 0 ? "not " : "");
	switch (unit_below(7)) {
	case 0:
		fprintf(text, "host in l%u", unit_below(2));
		break;
	case 1:
		fprintf(text, "header X-M%u is v%u", unit_below(2),
		    unit_below(3));
		break;
	case 2:
		fprintf(text, "path is /%u", unit_below(2));
		break;
	case 3:
		fprintf(text, "host present");
		break;
	case 4:
		name_make(name);
		fprintf(text, "header X-T%u is \"%s\"", unit_below(3), name);
		break;
	default:
		fprintf(text, "host ");
		match_make(text, true);
		break;
	}
}

static void
block_make(FILE *text)
{
	static const char *const values[] = { "${host}", "${domain}",
	    "${ruleset}", "${host} ${ruleset}", "${header.X-M0}", NULL };
	unsigned n = 1 + unit_below(4);

	fprintf(text, " {\n");
	while (n-- > 0) {
		if (unit_below(3) == 0) {
			fprintf(text, "\tset X-M%u = m%u(host);\n",
			    unit_below(2), unit_below(2));
			continue;
		}
		fprintf(text, "\twhen ");
		test_make(text);
		if (unit_below(3) == 0) {
			fprintf(text, unit_below(2) == 0 ? " and " : " or ");
			test_make(text);
		}
		fprintf(text, " { set X-T%u = \"%s\"; }", unit_below(3),
		    one_of(values));
		if (unit_below(3) == 0)
			fprintf(text, " else { set X-T%u = e; }",
			    unit_below(3));
		fprintf(text, "\n");
	}
	fprintf(text, "}\n");
}

/* Writes blocks of hosts, each of which has other names. */
static void
hosts_make(FILE *text)
{
	static const char *const forms[] = { ".", "*.", "", NULL };
	char names[12][100];
	unsigned n = 2 + unit_below(9), i, k;

	for (i = 0; i < n; i++) {
		name_make(names[i]);
		for (k = 0; k < i && strcmp(names[k], names[i]) != 0; k++)
			continue;
		if (k < i)
			continue;
		fprintf(text, "host %s%s", one_of(forms), names[i]);
		block_make(text);
	}
	if (unit_below(2) == 0) {
		fprintf(text, "host www.*");
		block_make(text);
	}
	if (unit_below(4) == 0) {
		fprintf(text, "host *");
		block_make(text);
	}
	if (unit_below(2) == 0) {
		fprintf(text, "default");
		block_make(text);
	}
}

static void
rules_make(struct wild *w)
{
	struct fm_diag *diag = fm_diag_new();

	w->text = open_memstream(&w->rules, &w->len);
	ck_assert_ptr_nonnull(w->text);
	list_make(w->text, 0);
	list_make(w->text, 1);
	map_make(w->text, 0);
	map_make(w->text, 1);
	fprintf(w->text, "always");
	block_make(w->text);
	hosts_make(w->text);
	if (unit_below(2) == 0) {
		fprintf(w->text, "finally");
		block_make(w->text);
	}
	(void)fclose(w->text);
	w->model = unit_parse("t.rules", fm_text(w->rules, w->len), diag);
	if (fm_diag_errors(diag) > 0 || !fm_check(w->model, NULL, diag)) {
		fprintf(stderr, "---- rules\n%s----\n", w->rules);
		ck_abort_msg("%s", fm_diag_line(diag, 0));
	}
	w->naive = naive_new(w->model);
	w->program = fm_compile(w->model, NULL, diag);
	ck_assert_ptr_nonnull(w->program);
	fm_diag_free(&diag);
}

static void
rules_free(struct wild *w)
{
	naive_free(&w->naive);
	fm_program_free(&w->program);
	fm_model_free(&w->model);
	free(w->rules);
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Writes a Host, as clients may send it. */
static void
host_make(char *host)
{
	static const char *const tails[] = { "", "", "", ":80", ".", ".:8080",
	    ":http", "..", "..a.example", NULL };
	static const char *const odd[] = { "", ".", "[::1]", "[::1].a.example",
	    "192.0.2.1", "a..a.example", ".a.example", "*.a.example",
	    "nobody.invalid", "www.", "www.x", "xa.example", "A.B.EXAMPLE",
	    NULL };
	unsigned i;

	if (unit_below(6) == 0) {
		strcpy(host, one_of(odd));
		return;
	}
	name_make(host);
	strcat(host, one_of(tails));
	for (i = 0; host[i] != '\0' && unit_below(4) == 0; i++)
		if (host[i] >= 'a' && host[i] <= 'z')
			host[i] ^= 0x20;
}

static void
request_make(struct wild *w)
{
	char host[300], other[300];
	unsigned i, n = unit_below(20) > 0;

	host_make(host);
	host_make(other);
	(void)sprintf(w->lines[0], "Host: %s", host);
	(void)sprintf(w->lines[1], "X-M0: v%u", unit_below(3));
	(void)sprintf(w->url, "/%u", unit_below(2));
	if (unit_below(20) == 0)
		(void)sprintf(w->url, "http://%s/%u",
		    unit_below(2) == 0 ? host : other, unit_below(2));
	for (i = 0; i < FIELDS; i++) {
		w->fields[i].b = w->lines[n > 0 ? i : 1 - i];
		w->fields[i].e = w->fields[i].b + strlen(w->fields[i].b);
	}
	w->view = (struct fm_view){ .method = fm_text_of("GET"),
	    .url = fm_text_of(w->url), .fields = w->fields,
	    .nfields = n > 0 ? 1 + unit_below(2) : 1 };
}

/* Returns the first operation of the route of a host; FM_NONE: it has none. */
static uint32_t
route_of(const struct fm_program *program, enum fm_hosttab_how how,
    uint32_t pattern)
{
	if (program->route_of == NULL)
		return (FM_NONE);
	return (how == FM_HOSTTAB_EXACT ? program->route_of[pattern] :
	    program->wild_of[pattern + 1]);
}

static void
one_run(struct wild *w)
{
	const struct naive_result *want;
	const struct fm_result *is;
	const char *wrong;
	struct fm_run run;

	want = naive_run(w->naive, w->program, &w->view);
	is = fm_run(&run, w->program, &w->view, NULL);
	w->routes[is->how] += route_of(w->program, is->how, is->pattern) !=
	    FM_NONE;
	wrong = want->wrong != NULL ? want->wrong :
	    agree(w->program, &w->view, want, is);
	fm_run_end(&run);
	if (wrong != NULL) {
		fprintf(stderr, "---- rules\n%s----\n", w->rules);
		agree_show_view(&w->view);
		ck_abort_msg("they differ in %s", wrong);
	}
}

/*--------------------------------------------------------------------
 * The tests
 */

UNIT_TEST(hosts_that_no_name_finds_get_what_the_naive_twin_gives)
{
	unsigned files = unit_rounds(5000, 250), i, k;
	struct wild *w = calloc(1, sizeof *w);

	unit_seed("wild");
	for (i = 0; i < files; i++) {
		rules_make(w);
		for (k = 0; k < 60; k++) {
			request_make(w);
			one_run(w);
		}
		rules_free(w);
	}
	printf("wild: %u requests\n", files * 60);
	for (i = 0; i <= FM_HOSTTAB_ANY; i++)
		ck_assert_uint_gt(w->routes[i], 0);
	free(w);
}

/*
 * Fails unless the route of a host is a PUT of each letter (`-`: an UNSET) and
 * a HASH, and COUNTs.
 */
static void
route_is(const struct fm_program *program, const char *host, const char *sets)
{
	const struct fm_op *op;
	struct fm_hosttab_hit hit;
	uint32_t route;

	(void)host_find(program->hosttab, fm_text_of(host), &hit);
	route = route_of(program, hit.how, hit.pattern);
	ck_assert_msg(route != FM_NONE, "%s has no route", host);
	op = &program->ops[route];
	for (; *sets != '\0'; sets++) {
		op += op->code == FM_OP_COUNT;
		ck_assert_msg(*sets == '-' ? op->code == FM_OP_UNSET :
		    op->code == FM_OP_PUT && *sets ==
		    *program->texts[op->a].b, "%s lacks %s", host, sets);
		op++;
	}
	op += op->code == FM_OP_COUNT;
	ck_assert_int_eq(op->code, FM_OP_HASH);
}

UNIT_TEST(what_is_the_same_for_all_hosts_of_a_wildcard_is_decided)
{
	struct fm_program *program = unit_program("t.rules",
	    "list ours { is wiki.example; ends .m.wiki.example; }\n"
	    "map site { is wiki.example -> 0; ends .m.wiki.example -> m;\n"
	    "    not ends .example -> n; ends .wiki.example -> w;\n"
	    "    is www.example -> x; begins www. -> p; default d; }\n"
	    "always { set X-Site = site(host); }\n"
	    "host .Wiki.Example. .m.wiki.example www.example {\n"
	    "    when host in ours { set X-A = o; }\n"
	    "    when not host is wiki.example { set X-B = b; }\n"
	    "    when host like *.wiki.example { set X-C = c; }\n"
	    "    when host contains wiki { set X-D = k; } hash; }\n"
	    "host www.* { when host begins www { set X-A = a; } hash; }\n"
	    "default { when host ends .m.wiki.example { pass; }\n"
	    "    when host is www.example { pass; } hash; }\n");

	route_is(program, "de.wiki.example", "wbck");
	route_is(program, "wiki.example", "0ok");
	route_is(program, "de.m.wiki.example", "mobck");
	route_is(program, "www.example", "xb");
	fm_program_free(&program);
	program = unit_program("t.rules",
	    "map site { is a.example -> a; ends .b.example -> b; }\n"
	    "always { set X-Site = site(host); }\n"
	    "host a.example *.b.example { hash; }\n"
	    "default { when header X-Site is a b { pass; } hash; }\n");
	route_is(program, "nobody.example", "-");
	fm_program_free(&program);
}

/* Runs rules for a host of each of many wildcards, which a map has, too. */
static void
many_run(unsigned n)
{
	struct fm_field field;
	const struct fm_view view = { .fields = &field, .nfields = 1,
	    .method = fm_text_of("GET"), .url = fm_text_of("/") };
	struct fm_program *program;
	char *rules, line[100];
	struct fm_run run;
	unsigned i;
	size_t len;
	FILE *text = open_memstream(&rules, &len);

	ck_assert_ptr_nonnull(text);
	fputs("map site { ends", text);
	for (i = 0; i < n; i++)
		fprintf(text, " .w%u.example", i);
	fputs(" -> wiki; }\nalways { set X-Site = site(host);\n"
	    "when not header X-Site present { synth 404; } }\nhost", text);
	for (i = 0; i < n; i++)
		fprintf(text, " .w%u.example", i);
	fputs(" { hash; }\n", text);
	(void)fclose(text);
	program = unit_program("t.rules", rules);
	for (i = 0; i < n; i++) {
		field.b = line;
		field.e = line + sprintf(line, "Host: de.w%u.example", i);
		ck_assert_msg(fm_run(&run, program, &view, NULL)->verdict ==
		    FM_VERDICT_HASH, "%u hosts: %s", n, line);
		fm_run_end(&run);
	}
	fm_program_free(&program);
	free(rules);
}

/* A load asks a limited number of patterns; a route has all answers or none. */
UNIT_TEST(a_route_that_is_the_last_to_ask_knows_a_map_each_time)
{
	unsigned n;

	for (n = 2100; n < 2104; n++)
		many_run(n);
}

int
main(void)
{
	return (unit_main("wild", 600));
}
