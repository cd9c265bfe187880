/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The check warns of a `fetch` if two requests that get the same page of the
 * cache would send the backend other headers, and else of none.
 */

#include "compiling.h"
#include "responding.h"

#define PICK(array)	((array)[unit_below(sizeof (array) / sizeof *(array))])
#define TEXT		1000
#define NAMES		3
#define REQUESTS	27		/* each name: absent, "1", "2" */

static const char * const names[NAMES] = { "X-0", "X-1", "X-2" };

/* What a request becomes. */
struct sent {
	bool	stored;
	char	key[NAMES + 1];
	char	text[RESPONDING_LINE];
};

static void
rules_new(char text[TEXT], bool keyed[NAMES])
{
	static const char * const tests[] = { "header X-%u present",
	    "header X-%u is 1", "not header X-%u present" };
	static const char * const requests[] = {
		"when header X-%u present { pass; }", "unset X-%u;",
		"set X-%u = \"${host}\";", "when not header X-%u is 2 { }" };
	FILE *to = fmemopen(text, TEXT, "w");
	unsigned i, n = unit_below(4), which = unit_below(NAMES);

	ck_assert_ptr_nonnull(to);
	(void)fputs("host a.example {\n", to);
	for (i = 0; i < n; i++) {
		(void)fprintf(to, PICK(requests), unit_below(NAMES));
		(void)fputc('\n', to);
	}
	if (unit_below(8) == 0)
		(void)fputs("pass;\n", to);
	for (i = 0; i < NAMES; i++) {
		keyed[i] = unit_below(3) == 0;
		if (keyed[i])
			(void)fprintf(to, "key { header X-%u; }\n", i);
	}
	(void)fputs("fetch { ", to);
	if (unit_below(2) == 0) {
		(void)fprintf(to, "set Y = \"${header.X-%u}\";", which);
	} else {
		(void)fputs("when ", to);
		(void)fprintf(to, PICK(tests), which);
		(void)fputs(" { set Y = 1; }", to);
	}
	if (unit_below(4) == 0)
		(void)fputs(" log x;", to);
	(void)fputs(" }\n}\n", to);
	(void)fclose(to);
}

/* Fills in the headers of a request, and what rules for requests made of it. */
static void
request_run(const struct fm_program *program, unsigned n,
    const bool keyed[NAMES], struct sent *sent, char left[TEXT])
{
	static const char * const values[] = { NULL, "1", "2" };
	const struct fm_result *result;
	struct responding it;
	struct fm_edit edit;
	struct fm_text value;
	struct fm_run run;
	unsigned i, k = n;
	char line[20];

	responding_init(&it, "a.example", "/", NULL, "200");
	it.view.nrequest = 0;
	it.view.response = NULL;
	for (i = 0; i < NAMES; i++, k /= 3)
		if (values[k % 3] != NULL)
			responding_field(&it, line, (size_t)sprintf(line,
			    "%s: %s", names[i], values[k % 3]));
	result = fm_run(&run, program, &it.view, NULL);
	sent->stored = result->verdict != FM_VERDICT_PASS;
	*left = '\0';
	for (i = 0, k = n; i < NAMES; i++, k /= 3) {
		value = fm_text_of(values[k % 3] == NULL ? "" :
		    values[k % 3]);
		if (fm_edit_of(result, fm_text_of(names[i]), &edit))
			value = edit.set ? edit.value : fm_text_of("");
		sent->key[i] = keyed[i] && value.len > 0 ? *value.b : '-';
		if (value.len > 0)
			(void)sprintf(left + strlen(left), "%s%s: %.*s",
			    *left == '\0' ? "" : " | ", names[i],
			    FM_SHOW(value));
	}
	sent->key[NAMES] = '\0';
	fm_run_end(&run);
	responding_fini(&it);
}

/* Fills in the Y that the backend gets. */
static void
fetch_run(const struct fm_program *fetch, const char *left, struct sent *sent)
{
	const struct fm_result *result;
	struct responding it;
	struct fm_edit edit;
	struct fm_run run;

	responding_init(&it, "a.example", "/", *left == '\0' ? NULL : left,
	    "200");
	it.view.nrequest = 0;
	result = fm_run(&run, fetch, &it.view, NULL);
	if (!fm_edit_of(result, fm_text_of("Y"), &edit) || !edit.set)
		edit.value = fm_text_of("");
	(void)snprintf(sent->text, sizeof sent->text, "%.*s",
	    FM_SHOW(edit.value));
	fm_run_end(&run);
	responding_fini(&it);
}

static bool
leaks(const struct fm_program *program, const bool keyed[NAMES])
{
	static struct sent sent[REQUESTS];
	char left[TEXT];
	unsigned i, k;

	for (i = 0; i < REQUESTS; i++) {
		request_run(program, i, keyed, &sent[i], left);
		fetch_run(fm_program_phase(program, FM_PHASE_FETCH), left,
		    &sent[i]);
		for (k = 0; k < i; k++)
			if (sent[i].stored && sent[k].stored &&
			    strcmp(sent[i].key, sent[k].key) == 0 &&
			    strcmp(sent[i].text, sent[k].text) != 0)
				return (true);
	}
	return (false);
}

UNIT_TEST(test_sent_what_one_client_sends_for_all_is_told)
{
	unsigned round, i, told, all = 0, rounds = unit_rounds(20000, 10);
	struct fm_diag_message message;
	struct fm_program *program;
	struct fm_model *model;
	struct fm_diag *diag;
	bool keyed[NAMES], leak;
	char text[TEXT];

	unit_seed("sent");
	for (round = 0; round < rounds; round++) {
		rules_new(text, keyed);
		diag = fm_diag_new();
		model = unit_parse("t.rules", fm_text_of(text), diag);
		ck_assert_msg(fm_check(model, NULL, diag), "%s%s", text,
		    fm_diag_line(diag, 0));
		told = 0;
		for (i = 0; fm_diag_message(diag, i, &message); i++)
			told += strstr(message.text, "its page") != NULL;
		program = fm_compile(model, NULL, diag);
		ck_assert_ptr_nonnull(program);
		leak = leaks(program, keyed);
		/* A header that is set may let rules pass every request. */
		if (leak ? told == 0 : told > 0 &&
		    strstr(text, "set X") == NULL)
			ck_abort_msg("%stold %u times", text, told);
		all += told;
		fm_program_free(&program);
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
	ck_assert_uint_gt(all, rounds / 10);
	ck_assert_uint_lt(all, rounds - rounds / 10);
}

int
main(void)
{
	return (unit_main("sent", 600));
}
