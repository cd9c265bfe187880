/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests keys: random statements of `key` on random requests, against a twin
 * that is a plain loop; and that two requests have the same key only if each
 * statement sees the same.  Some requests say what looks like a part of a key.
 */

#include <strings.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "compiling.h"
#include "run.h"
#include "twin.h"

#define STMTS		6
#define FIELDS		9
#define REQUESTS	24
#define ROOM		4096

/* A statement has a kind and a name; the text of `t` is "NAME ${query.q}". */
struct stmt {
	char		kind;		/* h, c or t */
	const char	*name;
	bool		when;		/* only where the path is /a */
};

struct request {
	struct fm_view	view;
	struct fm_field	fields[FIELDS];
	unsigned char	marks[FIELDS];
	char		lines[FIELDS][160];
	char		url[80];
	char		key[ROOM];	/* of the twin */
};

static const char * const headers[] = { "X-A", "X-Ab", "Store", "x-a-b" };
static const char * const cookies[] = { "c", "cc", "d" };
static const char * const values[] = { "", "a", "b", "a, b", "1", ":", "-", ";",
	"-;", "+1:a", "+1:a;", "h3:x-a-;", "h3:x-a+1:a;", "c1:c+3:c=a;",
	"~3:X_A", "3:abc" };

/*--------------------------------------------------------------------
 * The twin
 */

struct out {
	char		*b;
	size_t		len;
};

static void
out_add(struct out *out, const char *b, size_t len)
{
	AGREE(out->len + len < ROOM, "too long");
	memcpy(out->b + out->len, b, len);
	out->len += len;
	out->b[out->len] = '\0';
}

static void
out_text(struct out *out, char mark, const char *b, size_t len)
{
	char head[32];

	out_add(out, head, (size_t)sprintf(head, "%c%zu:", mark, len));
	out_add(out, b, len);
}

/* Returns what a field is to a header: 'h', an alias ('~'), or nothing. */
static char
field_is(const char *line, const char *name)
{
	size_t i, len = strlen(name);
	char is = 'h';

	if (line[len] != ':')
		return (0);
	for (i = 0; i < len; i++) {
		if (fm_lower((unsigned char)line[i]) ==
		    fm_lower((unsigned char)name[i]))
			continue;
		if (name[i] != '-' || strchr("_.", line[i]) == NULL)
			return (0);
		is = '~';
	}
	return (is);
}

static const char *
value_of(const char *line, const char *name)
{
	line += strlen(name) + 1;
	return (line + strspn(line, " "));
}

static void
twin_header(struct out *out, const struct request *r, const char *name)
{
	unsigned i, round, first = FIELDS;
	bool any = false;
	char is;

	for (round = 0; round < 2; round++)
		for (i = 0; i < r->view.nfields; i++) {
			is = r->marks[i] != 0 ? 0 :
			    field_is(r->lines[i], name);
			/* The first field of the name is first. */
			if (is == 0 || (round == 0 && is == '~') || i == first)
				continue;
			if (round == 0)
				first = i;
			if (is == '~')
				out_text(out, '~', r->lines[i], strlen(name));
			out_text(out, '+', value_of(r->lines[i], name),
			    strlen(value_of(r->lines[i], name)));
			any = true;
			if (round == 0)
				break;
		}
	out_add(out, any ? ";" : "-;", any ? 1 : 2);
}

/* All cookies are "NAME=VALUE", with "; " between. */
static void
twin_cookie(struct out *out, const struct request *r, const char *name)
{
	char kept[200];
	const char *at, *end;
	bool any = false;
	unsigned i;

	for (i = 0; i < r->view.nfields; i++) {
		if (r->marks[i] != 0 || field_is(r->lines[i], "Cookie") == 0)
			continue;
		*kept = '\0';
		at = value_of(r->lines[i], "Cookie");
		for (; *at != '\0'; at = *end == '\0' ? end : end + 2) {
			end = strchr(at, ';') == NULL ? at + strlen(at) :
			    strchr(at, ';');
			if (strncmp(at, name, strlen(name)) != 0 ||
			    at[strlen(name)] != '=')
				continue;
			if (*kept != '\0')
				strcat(kept, "; ");
			strncat(kept, at, (size_t)(end - at));
		}
		if (*kept == '\0')
			continue;
		out_text(out, '+', kept, strlen(kept));
		any = true;
	}
	out_add(out, any ? ";" : "-;", any ? 1 : 2);
}

static void
twin_key(struct request *r, const struct stmt *stmts, unsigned n)
{
	struct out out = { r->key, 0 };
	char text[200];
	unsigned i;
	size_t k;

	*r->key = '\0';
	for (i = 0; i < n; i++) {
		if (stmts[i].when && r->url[1] != 'a')
			continue;
		if (out.len == 0)
			out_add(&out, "\1", 1);
		if (stmts[i].kind == 't') {
			(void)sprintf(text, "%s %s", stmts[i].name,
			    strchr(r->url, '=') == NULL ? "" :
			    strchr(r->url, '=') + 1);
			out_add(&out, "t", 1);
			out_text(&out, '+', text, strlen(text));
			out_add(&out, ";", 1);
			continue;
		}
		for (k = 0; stmts[i].name[k] != '\0'; k++)
			text[k] = stmts[i].kind == 'c' ? stmts[i].name[k] :
			    (char)fm_lower((unsigned char)stmts[i].name[k]);
		out_text(&out, stmts[i].kind, text, k);
		if (stmts[i].kind == 'h')
			twin_header(&out, r, stmts[i].name);
		else
			twin_cookie(&out, r, stmts[i].name);
	}
}

/*--------------------------------------------------------------------
 * Random rules and requests
 */

static const char *
one_of(const char * const *words, int n)
{
	return (words[unit_below((unsigned)n)]);
}

static unsigned
random_stmts(struct stmt *stmts)
{
	unsigned i, n = unit_below(STMTS + 1);

	for (i = 0; i < n; i++) {
		stmts[i].kind = "hhct"[unit_below(4)];
		stmts[i].when = unit_below(4) == 0;
		stmts[i].name = stmts[i].kind == 'c' ?
		    one_of(cookies, COUNT(cookies)) :
		    one_of(headers, COUNT(headers));
	}
	return (n);
}

/*
 * Returns rules whose statements are those of always, of the host, and of
 * finally: statement i is in line 2 + i + 2 * its item.
 */
static char *
rules_of(const struct stmt *stmts, unsigned n)
{
	static const char * const items[] = { "always", "host a.example",
		"finally" };
	char *rules;
	size_t len;
	FILE *to = open_memstream(&rules, &len);
	unsigned i, k;

	ck_assert_ptr_nonnull(to);
	for (k = 0; k < 3; k++) {
		fprintf(to, "%s { key {\n", items[k]);
		for (i = k * n / 3; i < (k + 1) * n / 3; i++) {
			if (stmts[i].when)
				fputs("when path is /a { ", to);
			if (stmts[i].kind == 't')
				fprintf(to, "\"%s ${query.q}\";",
				    stmts[i].name);
			else
				fprintf(to, "%s %s;", stmts[i].kind == 'h' ?
				    "header" : "cookie", stmts[i].name);
			fputs(stmts[i].when ? " }\n" : "\n", to);
		}
		fputs("} }\n", to);
	}
	fclose(to);
	return (rules);
}

static struct fm_program *
program_of(const struct stmt *stmts, unsigned n)
{
	char *rules = rules_of(stmts, n);
	struct fm_program *program = unit_program("key.rules", rules);

	free(rules);
	return (program);
}

static void
random_header(char *line)
{
	static const char * const names[] = { "X-A", "x-a", "X_A", "X.a",
		"X-Ab", "X_Ab", "Store", "STORE", "x-a-b", "X_a-b", "X.A_B",
		"Other" };

	(void)sprintf(line, "%s:%s%s", one_of(names, COUNT(names)),
	    unit_below(8) == 0 ? "" : " ", one_of(values, COUNT(values)));
}

static void
random_cookie(char *line)
{
	static const char * const given[] = { "a", "b", "1:c", "-", "+1:a" };
	unsigned n = 1 + unit_below(3);

	line += sprintf(line, "Cookie: ");
	for (; n > 0; n--)
		line += sprintf(line, "%s=%s%s", one_of(cookies,
		    COUNT(cookies)), one_of(given, COUNT(given)),
		    n > 1 ? "; " : "");
}

static void
random_request(struct request *r)
{
	unsigned i, n = 1 + unit_below(FIELDS);

	r->view = (struct fm_view){ .method = fm_text_of("GET"),
	    .fields = r->fields, .nfields = n };
	(void)sprintf(r->url, "/%c%s%s", 'a' + (char)unit_below(2),
	    unit_below(3) == 0 ? "?q=" : "", "");
	if (strchr(r->url, '=') != NULL)
		strcat(r->url, one_of(values, 6));
	r->view.url = fm_text_of(r->url);
	for (i = 0; i < n; i++) {
		r->marks[i] = i > 0 && unit_below(8) == 0 ? FM_MARK_DROPPED : 0;
		if (i == 0)
			strcpy(r->lines[i], "Host: a.example");
		else if (unit_below(4) == 0)
			random_cookie(r->lines[i]);
		else
			random_header(r->lines[i]);
		r->fields[i].b = r->lines[i];
		r->fields[i].e = r->lines[i] + strlen(r->lines[i]);
	}
	r->view.marks = r->marks;
}

static void
check_request(const struct fm_program *program, struct request *r)
{
	struct fm_field room[FIELDS];
	struct fm_view view = r->view;
	const struct fm_result *result;
	struct fm_run run;

	fm_key_view(&view, room);
	result = fm_run(&run, program, &view, NULL);
	AGREE(!result->no_memory && result->verdict == FM_VERDICT_NONE,
	    "no key");
	AGREE((run.key.b == NULL) == (*r->key == '\0'),
	    "a key, or none: \"%s\"", r->key);
	AGREE(run.key.b == NULL || (run.key.len == strlen(r->key) &&
	    strcmp(run.key.b, r->key) == 0), "\"%s\" is not \"%s\"",
	    run.key.b, r->key);
	fm_run_end(&run);
}

UNIT_TEST(keys_agree_with_a_plain_loop)
{
	unsigned round, i, n, keys = 0, rounds = unit_rounds(20000, 40);
	const struct fm_program *key;
	struct stmt stmts[STMTS];
	struct fm_program *program;
	struct request r;

	unit_seed("keys");
	for (round = 0; round < rounds; round++) {
		n = random_stmts(stmts);
		program = program_of(stmts, n);
		key = fm_program_phase(program, FM_PHASE_KEY);
		ck_assert_ptr_nonnull(key);
		for (i = 0; i < REQUESTS; i++) {
			random_request(&r);
			twin_key(&r, stmts, n);
			check_request(key, &r);
			keys += *r.key != '\0';
		}
		fm_program_free(&program);
	}
	ck_assert_uint_gt(keys, rounds * REQUESTS / 2);
}

/* Returns true if a statement before this one has hashed the same, always. */
static bool
is_twice(const struct stmt *stmts, unsigned i)
{
	unsigned j = 0;

	while (j < i && (stmts[j].when || stmts[j].kind != stmts[i].kind ||
	    (stmts[i].kind == 'h' ? strcasecmp : strcmp)(stmts[j].name,
	    stmts[i].name) != 0))
		j++;
	return (j < i && stmts[i].kind != 't');
}

UNIT_TEST(a_name_that_is_hashed_twice_is_told)
{
	unsigned round, i, k, n, all = 0, rounds = unit_rounds(4000, 40);
	struct fm_diag_message message;
	struct stmt stmts[STMTS];
	struct fm_model *model;
	struct fm_diag *diag;
	char *rules;
	bool told[2 + STMTS + 2 * 3];

	unit_seed("names twice");
	for (round = 0; round < rounds; round++) {
		n = random_stmts(stmts);
		rules = rules_of(stmts, n);
		diag = fm_diag_new();
		model = unit_parse("t", fm_text_of(rules), diag);
		ck_assert(fm_check(model, NULL, diag));
		memset(told, 0, sizeof told);
		for (i = 0; fm_diag_message(diag, i, &message); i++)
			if (strstr(message.text, "named twice") != NULL)
				told[message.at.line] = true;
		for (i = k = 0; i < n; i++) {
			while (i >= (k + 1) * n / 3)
				k++;
			AGREE(told[2 + i + 2 * k] == is_twice(stmts, i),
			    "%sstatement %u", rules, i);
			all += is_twice(stmts, i);
		}
		free(rules);
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
	ck_assert_uint_gt(all, rounds / 4);
}

/*--------------------------------------------------------------------
 * What is seen, without bytes
 */

/* Returns true if both requests have the same fields of a name, in order. */
static bool
same_fields(const struct request *a, const struct request *b,
    const char *name)
{
	const struct request *r[2] = { a, b };
	const char *line[2];
	unsigned at[2] = { 0, 0 }, k;

	for (;;) {
		for (k = 0; k < 2; k++) {
			while (at[k] < r[k]->view.nfields &&
			    (r[k]->marks[at[k]] != 0 ||
			    field_is(r[k]->lines[at[k]], name) == 0))
				at[k]++;
			line[k] = at[k] == r[k]->view.nfields ? NULL :
			    r[k]->lines[at[k]++];
		}
		if (line[0] == NULL || line[1] == NULL)
			return (line[0] == line[1]);
		if (field_is(line[0], name) != field_is(line[1], name) ||
		    (field_is(line[0], name) == '~' &&
		    strncmp(line[0], line[1], strlen(name)) != 0) ||
		    strcmp(value_of(line[0], name),
		    value_of(line[1], name)) != 0)
			return (false);
	}
}

/*
 * Only one header is in the key: the keys of two requests differ, if its fields
 * do, unless these only stand in another order of a name and its aliases.
 */
UNIT_TEST(different_headers_have_different_keys)
{
	static struct request r[REQUESTS];
	struct stmt stmt = { .kind = 'h', .name = "X-A" };
	unsigned round, i, j, same = 0, rounds = unit_rounds(4000, 20);
	bool is;

	unit_seed("different keys");
	for (round = 0; round < rounds; round++)
		for (i = 0; i < REQUESTS; i++) {
			random_request(&r[i]);
			twin_key(&r[i], &stmt, 1);
			for (j = 0; j < i; j++) {
				is = strcmp(r[i].key, r[j].key) == 0;
				AGREE(same_fields(&r[i], &r[j], stmt.name) ?
				    is : !is || strchr(r[i].key, '~') != NULL,
				    "\"%s\" and \"%s\"", r[i].key, r[j].key);
				same += is;
			}
		}
	ck_assert_uint_gt(same, 0);
}

UNIT_TEST(identities_say_whether_keys_are_made_as_before)
{
	static const char * const same[] = {
		"always { key { header A; } } host a.example { hash; }",
		"# moved\nhost a.example {\n\thash; set X = 1; }\n"
		    "always {\n\tkey {\n\t\theader   A;\n}\n}\n",
		"host a.example { hash; } host b.example { pass; }\n"
		    "ruleset r { key { header A; } } always { use r; }"
	};
	static const char * const other[] = {
		"always { key { header B; } } host a.example { hash; }",
		"always { key { cookie A; } } host a.example { hash; }",
		"always { key { when path is /a { header A; } } }"
		    " host a.example { hash; }",
		"always { key { header A; } }"
		    " host a.example { key { header B; } hash; }"
	};
	struct fm_program *program;
	uint64_t first = 0, all = 0, id;
	int i;

	for (i = 0; i < COUNT(same); i++) {
		program = unit_program("same.rules", same[i]);
		id = fm_program_key_id(fm_program_phase(program,
		    FM_PHASE_KEY), UINT32_MAX);
		if (i == 0) {
			first = id;
			all = fm_program_key_ids(fm_program_phase(program,
			    FM_PHASE_KEY));
		}
		ck_assert(id != 0 && id == first);
		ck_assert(all == fm_program_key_ids(fm_program_phase(program,
		    FM_PHASE_KEY)));
		fm_program_free(&program);
	}
	for (i = 0; i < COUNT(other); i++) {
		program = unit_program("other.rules", other[i]);
		ck_assert(all != fm_program_key_ids(fm_program_phase(program,
		    FM_PHASE_KEY)));
		fm_program_free(&program);
	}
}

/* A key that is larger than what the stack has for a run. */
UNIT_TEST(without_memory_there_is_no_key)
{
	enum { LARGE = 30000 };
	struct fm_program *program = unit_program("large.rules",
	    "always { key { header X; cookie c; \"${header.X}\"; } }");
	const struct fm_program *key = fm_program_phase(program,
	    FM_PHASE_KEY);
	struct fm_field fields[2];
	struct fm_view view = { .method = fm_text_of("GET"),
	    .url = fm_text_of("/"), .fields = fields, .nfields = 2 };
	const struct fm_result *result;
	char *lines[2], *whole = NULL;
	struct fm_run run;
	bool failed;
	long n;
	int i;

	for (i = 0; i < 2; i++) {
		lines[i] = malloc(LARGE);
		ck_assert_ptr_nonnull(lines[i]);
		memset(lines[i], 'x', LARGE);
		memcpy(lines[i], i == 0 ? "X: " : "Cookie: c=", i == 0 ? 3 :
		    10);
		fields[i] = (struct fm_field){ lines[i], lines[i] + LARGE };
	}
	for (n = -1, failed = true; failed || n == 0; n++) {
		alloc_left = n;
		result = fm_run(&run, key, &view, NULL);
		alloc_left = -1;
		failed = result->no_memory;
		ck_assert(n >= 0 || !failed);
		if (n < 0) {
			ck_assert_uint_gt(run.key.len, 3 * LARGE - 100);
			whole = strdup(run.key.b);
			ck_assert_ptr_nonnull(whole);
		} else if (!failed) {
			ck_assert_str_eq(run.key.b, whole);
		}
		fm_run_end(&run);
		if (n < 0)
			failed = true;
	}
	ck_assert_int_gt(n, 2);
	free(whole);
	for (i = 0; i < 2; i++)
		free(lines[i]);
	fm_program_free(&program);
}

int
main(void)
{
	return (unit_main("key", 300));
}
