/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parser: what texts become, and where it stands.  (What is said of those
 * that are wrong: test_parse_errors.c; of files: test_parse_files.c.)
 */

#include "bounds.h"
#include "parse.h"
#include "unit.h"

/*--------------------------------------------------------------------
 * A model as a text: one line for each thing, with its place
 */

static FILE *dump;

static void
dump_at(unsigned in, const struct fm_place *at)
{
	(void)fprintf(dump, "%*s%u:%u ", (int)in, "", at->line, at->column);
}

static void
dump_words(const struct fm_words *words)
{
	const struct fm_word *word, *last = NULL;
	uint32_t n = 0;

	for (word = words->first; word != NULL; word = word->next) {
		ck_assert_int_eq(word->text.b[word->text.len], '\0');
		(void)fprintf(dump, word->quoted ? " \"%s\"" : " %s",
		    word->text.b);
		(void)fprintf(dump, "@%u:%u", word->at.line, word->at.column);
		last = word;
		n++;
	}
	ck_assert_uint_eq(n, words->count);
	ck_assert_ptr_eq(last, words->last);
}

static void
dump_subject(const struct fm_subject *subject)
{
	static const char * const names[] = {
		"url", "path", "clean path", "host", "method", "query",
		"cookie", "header", "client"
	};

	(void)fprintf(dump, "%s%s", names[subject->kind],
	    subject->agent ? " (agent)" : "");
	if (subject->name.b != NULL)
		(void)fprintf(dump, " %s", subject->name.b);
	(void)fprintf(dump, "@%u:%u", subject->at.line, subject->at.column);
}

static void
dump_value(const struct fm_value *value)
{
	static const char * const names[] = {
		"", "url", "path", "query", "host", "method", "client",
		"port", "ruleset", "wild", "header.", "cookie.", "query.",
		"group"
	};
	const struct fm_part *part;

	(void)fprintf(dump, "@%u:%u", value->at.line, value->at.column);
	if (value->map != NULL) {
		ck_assert_ptr_null(value->parts);
		(void)fprintf(dump, " %s(", value->map->text.b);
		dump_subject(&value->subject);
		(void)fprintf(dump, ")");
	}
	for (part = value->parts; part != NULL; part = part->next) {
		if (part->kind == FM_PART_TEXT)
			(void)fprintf(dump, " \"%s\"", part->text.b);
		else if (part->kind == FM_PART_GROUP)
			(void)fprintf(dump, " $%u", part->group);
		else
			(void)fprintf(dump, " $%s%s", names[part->kind],
			    part->text.b == NULL ? "" : part->text.b);
		(void)fprintf(dump, "@%u:%u", part->at.line, part->at.column);
	}
}

static void
dump_cond(const struct fm_cond *cond)
{
	static const char * const ops[] = { "or", "and", "not" };

	if (cond->kind <= FM_COND_NOT) {
		(void)fprintf(dump, "(%s@%u:%u ", ops[cond->kind],
		    cond->at.line, cond->at.column);
		dump_cond(cond->left);
		if (cond->kind != FM_COND_NOT) {
			(void)fprintf(dump, " ");
			dump_cond(cond->right);
		}
		(void)fprintf(dump, ")");
		return;
	}
	(void)fprintf(dump, "[");
	ck_assert_uint_eq(cond->at.column, cond->subject.at.column);
	dump_subject(&cond->subject);
	if (cond->kind == FM_COND_MODE) {
		(void)fprintf(dump, "%s %s", cond->nocase ? " nocase" : "",
		    fm_mode_word(cond->mode));
		dump_words(&cond->operands);
	} else if (cond->kind == FM_COND_IN) {
		(void)fprintf(dump, " in %s@%u:%u", cond->list->text.b,
		    cond->list->at.line, cond->list->at.column);
	} else if (cond->kind == FM_COND_NETS) {
		(void)fprintf(dump, " nets");
		dump_words(&cond->operands);
	} else {
		(void)fprintf(dump, " present");
	}
	(void)fprintf(dump, "]");
}

static void dump_block(unsigned in, const struct fm_block *);

static void
dump_when(unsigned in, const struct fm_stmt *stmt)
{
	(void)fprintf(dump, " ");
	dump_cond(stmt->when.cond);
	(void)fprintf(dump, "\n");
	dump_block(in + 1, stmt->when.then);
	if (stmt->when.otherwise != NULL) {
		dump_at(in, &stmt->when.otherwise->at);
		(void)fprintf(dump, "else\n");
		dump_block(in + 1, stmt->when.otherwise);
	}
}

static void
dump_params(const struct fm_stmt *stmt)
{
	static const char * const whats[] = {
		"drop", "keep", "sort", "unique"
	};

	(void)fprintf(dump, " %s", whats[stmt->params.what]);
	if (stmt->params.list != NULL)
		(void)fprintf(dump, " in %s", stmt->params.list->text.b);
	dump_words(&stmt->params.names);
}

static void
dump_rest(unsigned in, const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
		dump_params(stmt);
		break;
	case FM_STMT_SET:
		(void)fprintf(dump, " %s = ", stmt->set.header->text.b);
		dump_value(stmt->set.value);
		break;
	case FM_STMT_UNSET:
		dump_words(&stmt->unset.headers);
		break;
	case FM_STMT_NORMALIZE:
		(void)fprintf(dump, " %s to",
		    stmt->normalize.header->text.b);
		dump_words(&stmt->normalize.offers);
		if (stmt->normalize.otherwise != NULL) {
			(void)fprintf(dump, " else ");
			dump_value(stmt->normalize.otherwise);
		}
		break;
	case FM_STMT_REWRITE:
		(void)fprintf(dump, "%s %s to %s",
		    stmt->rewrite.all ? " all" : "",
		    stmt->rewrite.regex->text.b, stmt->rewrite.to->text.b);
		break;
	case FM_STMT_BACKEND:
		(void)fprintf(dump, " %s", stmt->backend.name->text.b);
		break;
	case FM_STMT_SYNTH:
		(void)fprintf(dump, " %s %s", stmt->synth.status->text.b,
		    stmt->synth.reason == NULL ? "-" :
		    stmt->synth.reason->text.b);
		break;
	case FM_STMT_ANSWER:
		(void)fprintf(dump, " %s %s%s%s: %s",
		    stmt->answer.status->text.b, stmt->answer.type->text.b,
		    stmt->answer.file == NULL ? "" : " ",
		    stmt->answer.file == NULL ? "" :
		    stmt->answer.file->text.b, stmt->answer.body.b);
		break;
	case FM_STMT_REDIRECT:
		(void)fprintf(dump, " %s ", stmt->redirect.status->text.b);
		dump_value(stmt->redirect.to);
		break;
	case FM_STMT_WHEN:
		dump_when(in, stmt);
		return;
	default:
		break;
	}
	(void)fprintf(dump, "\n");
}

static void
dump_block(unsigned in, const struct fm_block *block)
{
	const struct fm_stmt *stmt;

	for (stmt = block->first; stmt != NULL; stmt = stmt->next) {
		dump_at(in, &stmt->at);
		(void)fprintf(dump, "%s", fm_stmt_word(stmt->kind));
		dump_rest(in, stmt);
	}
}

static void
dump_lists(const struct fm_model *model)
{
	const struct fm_list_def *list;
	const struct fm_list_line *line;
	uint32_t n = 0;

	for (list = model->lists; list != NULL; list = list->next) {
		ck_assert_uint_eq(list->number, n++);
		dump_at(0, &list->name->at);
		(void)fprintf(dump, "list %s%s\n", list->name->text.b,
		    list->nocase ? " nocase" : "");
		for (line = list->lines; line != NULL; line = line->next) {
			dump_at(1, &line->at);
			(void)fprintf(dump, "%s", fm_mode_word(line->mode));
			dump_words(&line->operands);
			(void)fprintf(dump, "\n");
		}
	}
	ck_assert_uint_eq(n, model->nlists);
}

static void
dump_maps(const struct fm_model *model)
{
	const struct fm_map_def *map;
	const struct fm_map_line *line;
	const struct fm_match *match;
	uint32_t n = 0;

	for (map = model->maps; map != NULL; map = map->next) {
		ck_assert_uint_eq(map->number, n++);
		dump_at(0, &map->name->at);
		(void)fprintf(dump, "map %s%s\n", map->name->text.b,
		    map->nocase ? " nocase" : "");
		for (line = map->lines; line != NULL; line = line->next) {
			dump_at(1, &line->at);
			for (match = line->matches; match != NULL;
			    match = match->next) {
				(void)fprintf(dump, "%s%s@%u:%u",
				    match->negated ? "not " : "",
				    fm_mode_word(match->mode),
				    match->at.line, match->at.column);
				dump_words(&match->operands);
				(void)fprintf(dump, " ");
			}
			(void)fprintf(dump, "-> ");
			dump_value(line->value);
			(void)fprintf(dump, "\n");
		}
		if (map->otherwise != NULL) {
			(void)fprintf(dump, " default ");
			dump_value(map->otherwise);
			(void)fprintf(dump, "\n");
		}
	}
	ck_assert_uint_eq(n, model->nmaps);
}

static void
dump_sites(const struct fm_model *model)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;
	uint32_t n = 0;
	size_t i;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next) {
		ck_assert_uint_eq(ruleset->number, n++);
		dump_at(0, &ruleset->name->at);
		(void)fprintf(dump, "ruleset %s\n", ruleset->name->text.b);
		dump_block(1, ruleset->block);
	}
	ck_assert_uint_eq(n, model->nrulesets);
	n = 0;
	for (site = model->sites; site != NULL; site = site->next) {
		ck_assert_uint_eq(site->number, n++);
		dump_at(0, &site->at);
		(void)fprintf(dump, "site %s%s", site->label.b,
		    site == model->otherwise ? " (default)" : "");
		for (i = 0; i < model->nhosts; i++)
			if (model->hosts[i].site == site)
				(void)fprintf(dump, " %s@%u:%u",
				    model->hosts[i].pattern.b,
				    model->hosts[i].at.line,
				    model->hosts[i].at.column);
		if (site->use != NULL)
			(void)fprintf(dump, " use %s@%u:%u",
			    site->use->text.b, site->use->at.line,
			    site->use->at.column);
		(void)fprintf(dump, "\n");
		if (site->block != NULL)
			dump_block(1, site->block);
	}
	ck_assert_uint_eq(n, model->nsites);
}

static void
dump_model(const struct fm_model *model)
{
	if (model->undecided != NULL) {
		dump_at(0, &model->undecided->at);
		(void)fprintf(dump, "undecided %s",
		    model->undecided_mode == FM_UNDECIDED_SYNTH ?
		    "synth" : "ignore");
		if (model->undecided_mode == FM_UNDECIDED_SYNTH)
			(void)fprintf(dump, " %s %s",
			    model->undecided_status->text.b,
			    model->undecided_reason == NULL ? "-" :
			    model->undecided_reason->text.b);
		(void)fprintf(dump, "\n");
	}
	if (model->repeated != NULL) {
		dump_at(0, &model->repeated->at);
		(void)fprintf(dump, "repeated first\n");
	}
	dump_lists(model);
	dump_maps(model);
	if (model->always != NULL) {
		dump_at(0, &model->always->at);
		(void)fprintf(dump, "always\n");
		dump_block(1, model->always);
	}
	if (model->finally != NULL) {
		dump_at(0, &model->finally->at);
		(void)fprintf(dump, "finally\n");
		dump_block(1, model->finally);
	}
	dump_sites(model);
}

static struct fm_model *
parse_copy(struct fm_text text, struct fm_diag *diag)
{
	struct fm_text copy = unit_copy(text);
	struct fm_model *model;

	model = fm_parse_text("t", copy, false, diag);
	free((void *)(uintptr_t)copy.b);
	return (model);
}

/* A text without mistakes, and the model that it is. */
static void
check_text(const char *text, size_t len, const char *expect)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	char *got = NULL;
	size_t got_len;

	model = parse_copy(fm_text(text, len), diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_line(diag, 0) != NULL)
		ck_abort_msg("%s", fm_diag_line(diag, 0));
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	dump = open_memstream(&got, &got_len);
	ck_assert_ptr_nonnull(dump);
	dump_model(model);
	ck_assert_int_eq(fclose(dump), 0);
	ck_assert_str_eq(got, expect);
	free(got);
	fm_model_free(&model);
	ck_assert_ptr_null(model);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * Texts and their models
 */

static const struct {
	const char	*text;
	const char	*model;
} model_cases[] = {
	{ "", "" },
	{ "\n\n# only\n  # comments", "" },
	{ "list a contains { b \"c d\" e }",
	    "1:6 list a\n 1:8 contains b@1:19 \"c d\"@1:21 e@1:27\n" },
	{ "list a nocase is { }", "1:6 list a nocase\n 1:15 is\n" },
	{ "list a {\n is b c;\n ~ \"^d\";\n begins e; ends f; like g*;\n}",
	    "1:6 list a\n 2:2 is b@2:5 c@2:7\n 3:2 ~ \"^d\"@3:4\n"
	    " 4:2 begins e@4:9\n 4:12 ends f@4:17\n 4:20 like g*@4:25\n" },
	{ "list a { }", "1:6 list a\n" },
	{ "list a nocase { contains b; }",
	    "1:6 list a nocase\n 1:17 contains b@1:26\n" },
	/* other keywords are words */
	{ "list host contains { default set -> = }", NULL },
	{ "list host is { default set when }",
	    "1:6 list host\n 1:11 is default@1:16 set@1:24 when@1:28\n" },
	{ "list a ~ { a#b a->b a=b a~b -x a] $x }",
	    "1:6 list a\n 1:8 ~ a#b@1:12 a->b@1:16 a=b@1:21 a~b@1:25 "
	    "-x@1:29 a]@1:32 $x@1:35\n" },
	{ "list a is { \"and\" \"is\" \"\" }",
	    "1:6 list a\n 1:8 is \"and\"@1:13 \"is\"@1:19 \"\"@1:24\n" },
	{ "map a nocase {\n contains b c and not is d -> e;\n"
	    " not ~ f -> \"g ${url}\";\n default h;\n}",
	    "1:5 map a nocase\n"
	    " 2:2 contains@2:2 b@2:11 c@2:13 not is@2:19 d@2:26 "
	    "-> @2:31 \"e\"@2:31\n"
	    " 3:2 not ~@3:2 f@3:8 -> @3:13 \"g \"@3:14 $url@3:16\n"
	    " default @4:10 \"h\"@4:10\n" },
	{ "map a { }", "1:5 map a\n" },
	{ "map default { default default; }",
	    "1:5 map default\n default @1:23 \"default\"@1:23\n" },
	{ "map a { is b -> \"\"; }",
	    "1:5 map a\n 1:9 is@1:9 b@1:12 -> @1:17\n" },
	{ "ruleset a { }\nruleset stop { stop; }",
	    "1:9 ruleset a\n2:9 ruleset stop\n 2:16 stop\n" },
	/* `answer` is a word anywhere but where a statement starts */
	{ "ruleset answer { answer 200 text/plain \"answer\"; unset X\n answer;"
	    " }", "1:9 ruleset answer\n 1:18 answer 200 text/plain: answer\n"
	    " 1:50 unset X@1:56 answer@2:2\n" },
	{ "list answer is { a\n answer 200 }",
	    "1:6 list answer\n 1:13 is a@1:18 answer@2:2 200@2:9\n" },
	{ "always { pass; }", "1:8 always\n 1:10 pass\n" },
	{ "finally { builtin; }", "1:9 finally\n 1:11 builtin\n" },
	{ "undecided ignore;", "1:1 undecided ignore\n" },
	{ "undecided synth 400;", "1:1 undecided synth 400 -\n" },
	{ "undecided synth 503 \"no\";", "1:1 undecided synth 503 no\n" },
	{ "host a b \"[::1]\" default { pipe; }",
	    "1:1 site a a@1:6 b@1:8 [::1]@1:10 default@1:18\n 1:28 pipe\n" },
	{ "host a b use c;", "1:1 site c a@1:6 b@1:8 use c@1:14\n" },
	{ "default { hash; }",
	    "1:1 site default (default)\n 1:11 hash\n" },
	{ "default use a;", "1:1 site a (default) use a@1:13\n" },
	{ "always { query drop a* b_?; query keep c; }",
	    "1:8 always\n 1:10 query drop a*@1:21 b_?@1:24\n"
	    " 1:29 query keep c@1:40\n" },
	{ "always { query drop in a; cookie keep in b; }",
	    "1:8 always\n 1:10 query drop in a\n 1:27 cookie keep in b\n" },
	{ "always { query drop \"in\" a; query drop a in; }",
	    "1:8 always\n 1:10 query drop \"in\"@1:21 a@1:26\n"
	    " 1:29 query drop a@1:40 in@1:42\n" },
	{ "always { query sort; query unique; cookie drop set and or; }",
	    "1:8 always\n 1:10 query sort\n 1:22 query unique\n"
	    " 1:36 cookie drop set@1:48 and@1:52 or@1:56\n" },
	{ "always { set A = b; set is = \"\"; set \"B\" = \"c d\"; }",
	    "1:8 always\n 1:10 set A = @1:18 \"b\"@1:18\n"
	    " 1:21 set is = @1:30\n"
	    " 1:34 set B = @1:44 \"c d\"@1:44\n" },
	{ "always { set A = m(agent); set B = m(header present); "
	    "set C = m ( query in ) ; }",
	    "1:8 always\n 1:10 set A = @1:18 m(header (agent) "
	    "User-Agent@1:20)\n"
	    " 1:28 set B = @1:36 m(header present@1:38)\n"
	    " 1:55 set C = @1:63 m(query in@1:67)\n" },
	{ "always { unset A B-* not; }",
	    "1:8 always\n 1:10 unset A@1:16 B-*@1:18 not@1:22\n" },
	{ "always { normalize A to b c else d; normalize to to \"e\"; }",
	    "1:8 always\n 1:10 normalize A to b@1:25 c@1:27 else "
	    "@1:34 \"d\"@1:34\n"
	    " 1:37 normalize to to \"e\"@1:53\n" },
	{ "always { rewrite ~ \"^/a(.)\" to \"/\\1\"; }",
	    "1:8 always\n 1:10 rewrite ^/a(.) to /\\1\n" },
	{ "repeated first;", "1:1 repeated first\n" },
	{ "always { rewrite all ~ \"//+\" to \"/\"; }",
	    "1:8 always\n 1:10 rewrite all //+ to /\n" },
	{ "always { backend use; synth 200; synth 404 \"no\"; }",
	    "1:8 always\n 1:10 backend use\n 1:23 synth 200 -\n"
	    " 1:34 synth 404 no\n" },
	{ "always { redirect 302 /; redirect 301 \"x${path}\"; }",
	    "1:8 always\n 1:10 redirect 302 @1:23 \"/\"@1:23\n"
	    " 1:26 redirect 301 @1:39 \"x\"@1:40 $path@1:41\n" },
	{ "always { pass; pipe; hash; stop; }",
	    "1:8 always\n 1:10 pass\n 1:16 pipe\n 1:22 hash\n 1:28 stop\n" },
	/* subjects and tests */
	{ "always { when url is a { } when path nocase begins b c { } }",
	    "1:8 always\n 1:10 when [url@1:15 is a@1:22]\n"
	    " 1:28 when [path@1:33 nocase begins b@1:52 c@1:54]\n" },
	{ "always { when host ends a { } when method contains b { } }",
	    "1:8 always\n 1:10 when [host@1:15 ends a@1:25]\n"
	    " 1:31 when [method@1:36 contains b@1:52]\n" },
	{ "always { when agent like a { } when query q ~ b { } }",
	    "1:8 always\n 1:10 when [header (agent) User-Agent@1:15 like "
	    "a@1:26]\n 1:32 when [query q@1:37 ~ b@1:47]\n" },
	{ "always { when cookie is is a { } when header in present { } }",
	    "1:8 always\n 1:10 when [cookie is@1:15 is a@1:28]\n"
	    " 1:34 when [header in@1:39 present]\n" },
	{ "always { when path contains query and agent in url { } }",
	    "1:8 always\n 1:10 when (and@1:15 [path@1:15 contains "
	    "query@1:29] [header (agent) User-Agent@1:39 in url@1:48])\n" },
	{ "always { when client in 10.0.0.0/8 ::1 { } when client in "
	    "10.0.0.1 { } when client in office { } }",
	    "1:8 always\n 1:10 when [client@1:15 nets 10.0.0.0/8@1:25 "
	    "::1@1:36]\n 1:44 when [client@1:49 nets 10.0.0.1@1:59]\n"
	    " 1:72 when [client@1:77 in office@1:87]\n" },
	/* `not` binds tighter than `and`, and that tighter than `or` */
	{ "always { when url is a or url is b and not url is c or url is d "
	    "{ } }",
	    "1:8 always\n 1:10 when (or@1:15 (or@1:15 [url@1:15 is a@1:22] "
	    "(and@1:27 [url@1:27 is b@1:34] (not@1:40 [url@1:44 is "
	    "c@1:51]))) [url@1:56 is d@1:63])\n" },
	{ "always { when (url is a or url is b) and not (url is c) { } }",
	    "1:8 always\n 1:10 when (and@1:16 (or@1:16 [url@1:16 is a@1:23] "
	    "[url@1:28 is b@1:35]) (not@1:42 [url@1:47 is c@1:54]))\n" },
	{ "always { when not not url is a and url is b { } }",
	    "1:8 always\n 1:10 when (and@1:15 (not@1:15 (not@1:19 [url@1:23 "
	    "is a@1:30])) [url@1:36 is b@1:43])\n" },
	/* else */
	{ "always {\n when url is a { pass; } else { pipe; }\n stop;\n}",
	    "1:8 always\n 2:2 when [url@2:7 is a@2:14]\n  2:18 pass\n"
	    " 2:31 else\n  2:33 pipe\n 3:2 stop\n" },
	{ "always {\n when url is a { pass; }\n else when url is b { hash; }"
	    "\n else when url is c { pipe; }\n else { stop; }\n}",
	    "1:8 always\n 2:2 when [url@2:7 is a@2:14]\n  2:18 pass\n"
	    " 3:7 else\n  3:7 when [url@3:12 is b@3:19]\n   3:23 hash\n"
	    "  4:7 else\n   4:7 when [url@4:12 is c@4:19]\n    4:23 pipe\n"
	    "   5:7 else\n    5:9 stop\n" },
	{ "always { when url is a { when url is b { pass; } } }",
	    "1:8 always\n 1:10 when [url@1:15 is a@1:22]\n"
	    "  1:26 when [url@1:31 is b@1:38]\n   1:42 pass\n" },
	/* ${}; escapes move the place, not the text */
	{ "always { set A = \"${path}${query}${host}${method}${ruleset}"
	    "${wild}\"; }",
	    "1:8 always\n 1:10 set A = @1:18 $path@1:19 $query@1:26 "
	    "$host@1:34 $method@1:41 $ruleset@1:50 $wild@1:60\n" },
	{ "always { set A = \"a\\\"${header.X-Y}\\\\${cookie.c}$${query.q}{"
	    "${9}$\"; }",
	    "1:8 always\n 1:10 set A = @1:18 \"a\"\"@1:19 $header.X-Y@1:22 "
	    "\"\\\"@1:35 $cookie.c@1:37 \"$\"@1:48 $query.q@1:49 "
	    "\"{\"@1:59 $9@1:60 \"$\"@1:64\n" },
	/* regexes, operands and reasons have no ${} */
	{ "always { when url ~ \"${x}\" { } synth 404 \"x\"; }",
	    "1:8 always\n 1:10 when [url@1:15 ~ \"${x}\"@1:21]\n"
	    " 1:32 synth 404 x\n" },
	/* escapes: a quote and a backslash; others stay */
	{ "list a ~ { \"\\\\\\\"\\.\\d\\n\" }",
	    "1:6 list a\n 1:8 ~ \"\\\"\\.\\d\\n\"@1:12\n" },
	{ "list a is { # one\n b# two\n \"c\"# three\n }#four",
	    "1:6 list a\n 1:8 is b#@2:2 two@2:5 \"c\"@3:2\n" },
	{ "list a ~ {b};", NULL },
	{ "always{set A=b;}", NULL },
	{ "always{set A =b;when url ~b{stop;}}",
	    "1:7 always\n 1:8 set A = @1:15 \"b\"@1:15\n"
	    " 1:17 when [url@1:22 ~ b@1:27]\n  1:29 stop\n" },
	{ "always { set A = ~b; }", NULL },
	{ "host \xc3\xa9.example { }",
	    "1:1 site \xc3\xa9.example \xc3\xa9.example@1:6\n" },
	{ "list a is { \"\x01\x7f\xff\" \xff }",
	    "1:6 list a\n 1:8 is \"\x01\x7f\xff\"@1:13 \xff@1:19\n" },
	/* columns are bytes */
	{ "always {\t\tset \xc3\xa9 = b; }",
	    "1:8 always\n 1:11 set \xc3\xa9 = @1:20 \"b\"@1:20\n" },
};

START_TEST(test_parse_makes_of_a_text_what_it_says)
{
	struct fm_diag *diag;
	struct fm_model *model;

	if (model_cases[_i].model != NULL) {
		check_text(model_cases[_i].text, strlen(model_cases[_i].text),
		    model_cases[_i].model);
		return;
	}
	diag = fm_diag_new();
	model = parse_copy(fm_text_of(model_cases[_i].text), diag);
	ck_assert_ptr_nonnull(model);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	fm_model_free(&model);
	fm_diag_free(&diag);
}
END_TEST

/* Line ends of another system, and a mark that is no text. */
START_TEST(test_parse_does_not_care_about_crlf_and_bom)
{
	static const char text[] = "\xef\xbb\xbflist a is { b }\r\n"
	    "# comment\r\n\r\nalways {\r\n\tset A = \"b\";\r\n}\r\n";

	check_text(text, sizeof text - 1,
	    "1:6 list a\n 1:8 is b@1:13\n4:8 always\n"
	    " 5:2 set A = @5:10 \"b\"@5:10\n");
	check_text("\xef\xbb\xbf", 3, "");
}
END_TEST

/*--------------------------------------------------------------------
 * The language's own example
 */

static const char example[] =
"list mobile contains { nokia htc_ }\n"
"list phones contains { iPhone iPod Android \"Opera Mini\" BlackBerry }\n"
"\n"
"map device nocase {\n"
"    contains bingbot and contains iphone    -> mobile-bot;      # special\n"
"    contains ipad                           -> tablet-ipad;\n"
"    contains iphone ipod                    -> mobile-iphone;\n"
"    ~ \"android.*(mobile|mini)\"              -> mobile-android;\n"
"    contains android                        -> tablet-android;\n"
"    default                                    pc;\n"
"}\n"
"\n"
"always {                                     # every host\n"
"    query drop utm_* fbclid gclid _;         # tracking\n"
"    normalize Accept-Encoding to br gzip;    # what the client likes\n"
"    when path ends .jpg .png .gif { unset Accept-Encoding; unset Cookie; }\n"
"    unset Cache-Control;\n"
"    set X-UA-Device = device(agent);\n"
"}\n"
"\n"
"host www.example.com example.com {\n"
"    query drop ref src;\n"
"    when (path is / or path ends .cfm) and agent in mobile {\n"
"        redirect 302 \"http://m.example.com${url}\";\n"
"    }\n"
"}\n"
"host media.example.com { }                   # nothing to do\n"
"host *.wiki.example {\n"
"    when host ~ \"^([a-z-]+)\\.wiki\\.example$\" and agent in mobile and "
"not cookie stopMobileRedirect is true {\n"
"        redirect 302 \"https://${1}.m.wiki.example${url}\";\n"
"    } else when client in 10.0.0.0/8 { rewrite ~ \"^/a\" to \"/b\"; }\n"
"    else { synth 404 \"no\"; }\n"
"}\n"
"host www.example.net *.staging.example.com { pass; }\n"
"ruleset shop { cookie keep session cart; backend shop; }\n"
"host shop.example.org shop.example.com use shop;\n"
"default { synth 404 \"no such site\"; }\n"
"undecided synth 400;\n";

START_TEST(test_parse_takes_the_example_of_the_language)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;

	model = parse_copy(fm_text_of(example), diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_line(diag, 0) != NULL)
		ck_abort_msg("%s", fm_diag_line(diag, 0));
	ck_assert_uint_eq(model->nlists, 2);
	ck_assert_uint_eq(model->nmaps, 1);
	ck_assert_uint_eq(model->nrulesets, 1);
	ck_assert_uint_eq(model->nsites, 6);
	ck_assert_uint_eq(model->nhosts, 8);
	ck_assert_ptr_nonnull(model->always);
	ck_assert_ptr_nonnull(model->otherwise);
	fm_model_free(&model);
	fm_diag_free(&diag);
}
END_TEST

/* An operand of any length gets its slash. */
START_TEST(test_parse_takes_long_operands_of_below)
{
	char text[2100] = "always { when path below /";
	struct fm_model *model;
	struct fm_text operand;

	memset(text + strlen(text), 'a', 2000);
	(void)strcat(text, " { pass; } }");
	model = parse_copy(fm_text_of(text), NULL);
	ck_assert_ptr_nonnull(model);
	operand = model->always->first->when.cond->operands.first->text;
	ck_assert_uint_eq(operand.len, 2002);
	ck_assert_str_eq(operand.b + 2000, "a/");
	fm_model_free(&model);
}
END_TEST

/*--------------------------------------------------------------------
 * Numbers of blocks
 */

START_TEST(test_model_numbers_the_blocks_of_rulesets_before_those_of_sites)
{
	struct fm_model *model;
	struct fm_site *site;

	model = parse_copy(fm_text_of("host a { } ruleset r { } "
	    "host b c use r; ruleset s { } default { }"), NULL);
	ck_assert_ptr_nonnull(model);
	site = model->sites;
	ck_assert_uint_eq(fm_model_site_block(model, site), 2);
	ck_assert_uint_eq(fm_model_host_block(model, &model->hosts[0]), 2);
	site = site->next;
	site->ruleset = model->rulesets;
	ck_assert_uint_eq(fm_model_site_block(model, site), 0);
	ck_assert_uint_eq(fm_model_host_block(model, &model->hosts[2]), 0);
	ck_assert_uint_eq(fm_model_site_block(model, site->next), 4);
	model->hosts[0].site = NULL;
	model->hosts[0].ruleset_def = model->rulesets->next;
	ck_assert_uint_eq(fm_model_host_block(model, &model->hosts[0]), 1);
	fm_model_free(&model);
}
END_TEST

/*--------------------------------------------------------------------
 * Printed
 */

/* Each is printed as it is written, but for blanks, comments, ends of lines. */
static const struct {
	const char	*stmt;
	const char	*printed;	/* NULL: as it is */
} print_cases[] = {
	{ "query drop a b*", NULL },
	{ "query  unique", "query unique" },
	{ "set A = \"b  c\"", NULL },
	{ "set A = \"#\"# no", "set A = \"#\"" },
	{ "set A =# no\nb", "set A = b" },
	{ "set A = b#c # no\r\n\t", "set A = b#c" },
	{ "set A = \"\\\"# \\\\\" # no", "set A = \"\\\"# \\\\\"" },
	{ "set is = m( cookie in )", "set is = m(cookie in)" },
	{ "unset A # one\n\t# two\n\tX-* \"B\"", "unset A X-* \"B\"" },
	{ "rewrite ~ \"^/a\\.b\" to \"\\1\"", NULL },
	{ "builtin", NULL },
	{ "redirect 302 m(agent)", NULL },
};

static const char * const test_cases[] = {
	"url is /",
	"path nocase ends .a \"b c\"",
	"host like *.a",
	"method in list",
	"agent ~ \"a b\"",
	"query q present",
	"cookie is begins \"is\"",
	"header Host contains a",
	"client in 10.0.0.0/8 ::1",
	"client in office",
	"path below /a /b \"/c d\"",
	"clean path nocase below /x",
	"path below /",
	"cookie a* present",
	"query in l present",
	"header in below present",
};

static const char * const cond_cases[] = {
	"url is a or url is b and not url is c",
	"(url is a or url is b) and url is c",
	"not (url is a and url is b)",
	"not not url present",
	"((url is a) or path not below /a and(client in (::1)))",
};

/* The first statement of `always { text`. */
static struct fm_stmt *
parse_stmt(const char *text, const char *end, struct fm_model **modelp)
{
	struct fm_diag *diag = fm_diag_new();
	char file[2000];

	(void)snprintf(file, sizeof file, "always { %s%s }", text, end);
	*modelp = parse_copy(fm_text_of(file), diag);
	ck_assert_ptr_nonnull(*modelp);
	if (fm_diag_line(diag, 0) != NULL)
		ck_abort_msg("%s: %s", text, fm_diag_line(diag, 0));
	fm_diag_free(&diag);
	ck_assert_ptr_nonnull((*modelp)->always->first);
	return ((*modelp)->always->first);
}

START_TEST(test_model_prints_statements_as_they_are_written)
{
	char buf[FM_MODEL_LINE], text[200];
	struct fm_model *model;
	struct fm_stmt *stmt;
	size_t i;

	for (i = 0; i < sizeof print_cases / sizeof print_cases[0]; i++) {
		stmt = parse_stmt(print_cases[i].stmt, "\n;", &model);
		ck_assert_str_eq(fm_model_print_stmt(stmt, false, buf),
		    print_cases[i].printed != NULL ? print_cases[i].printed :
		    print_cases[i].stmt);
		fm_model_free(&model);
	}
	for (i = 0; i < sizeof test_cases / sizeof test_cases[0]; i++) {
		(void)snprintf(text, sizeof text, "when %s", test_cases[i]);
		stmt = parse_stmt(text, " { }", &model);
		ck_assert_str_eq(fm_model_print_test(stmt->when.cond, false,
		    buf), test_cases[i]);
		ck_assert_str_eq(fm_model_print_stmt(stmt, false, buf), text);
		fm_model_free(&model);
	}
	for (i = 0; i < sizeof cond_cases / sizeof cond_cases[0]; i++) {
		(void)snprintf(text, sizeof text, "when %s", cond_cases[i]);
		stmt = parse_stmt(text, " { }", &model);
		ck_assert_str_eq(fm_model_print_stmt(stmt, false, buf), text);
		fm_model_free(&model);
	}
}
END_TEST

static const struct {
	const char	*cond;
	const char	*masked;
} mask_cases[] = {
	{ "header X-Token is s3cret \"and more\"",
	    "header X-Token is [hidden]" },
	{ "cookie id begins s3cret", "cookie id begins [hidden]" },
	{ "agent nocase contains s3cret", "agent nocase contains [hidden]" },
	{ "header X ~ \"^s3cret$\" and path begins /shop",
	    "header X ~ [hidden] and path begins /shop" },
	{ "not (cookie id is s3cret or query q is shown)",
	    "not (cookie id is [hidden] or query q is shown)" },
	{ "header X in tokens", "header X in tokens" },
	{ "cookie id present", "cookie id present" },
	{ "(cookie id not is s3cret # s3cret\n or(header X is s3cret))",
	    "(cookie id not is [hidden] or(header X is [hidden]))" },
};

START_TEST(test_model_masks_what_headers_and_cookies_are_compared_with)
{
	char buf[FM_MODEL_LINE], text[200];
	struct fm_model *model;
	struct fm_stmt *stmt;
	size_t i;

	for (i = 0; i < sizeof mask_cases / sizeof mask_cases[0]; i++) {
		(void)snprintf(text, sizeof text, "when %s",
		    mask_cases[i].cond);
		stmt = parse_stmt(text, " { }", &model);
		ck_assert_str_eq(fm_model_print_stmt(stmt, true, buf) +
		    strlen("when "), mask_cases[i].masked);
		fm_model_free(&model);
	}
}
END_TEST

/* Of any length: cut or whole, never longer, never half a character. */
START_TEST(test_model_prints_no_more_than_a_line)
{
	char buf[FM_MODEL_LINE], text[1000];
	struct fm_model *model;
	struct fm_stmt *stmt;
	size_t i, len;

	for (i = 1; i < 400; i++) {
		len = (size_t)snprintf(text, sizeof text, "unset ");
		memset(text + len, 'x', i);
		memcpy(text + len + i, "\xc3\xa9\xc3\xa9", 5);
		stmt = parse_stmt(text, ";", &model);
		(void)fm_model_print_stmt(stmt, false, buf);
		ck_assert_uint_lt(strlen(buf), FM_MODEL_LINE);
		if (strcmp(buf, text) != 0) {
			len = strlen(buf) - 3;
			ck_assert_str_eq(buf + len, "...");
			ck_assert_int_eq(memcmp(buf, text, len), 0);
			ck_assert(buf[len - 1] == 'x' ||
			    (unsigned char)buf[len - 1] == 0xa9);
			ck_assert_uint_gt(len, 150);
		}
		fm_model_free(&model);
	}
}
END_TEST

/*--------------------------------------------------------------------
 * Any bytes
 */

START_TEST(test_parse_survives_a_text_that_ends_anywhere)
{
	struct fm_diag *diag;
	struct fm_model *model;
	size_t i;

	for (i = 0; i < sizeof example; i++) {
		diag = fm_diag_new();
		model = parse_copy(fm_text(example, i), diag);
		ck_assert_ptr_nonnull(model);
		/* One end, one error; a quote may be open as well. */
		if (fm_diag_errors(diag) > 2)
			ck_abort_msg("after %zu bytes: %s", i,
			    fm_diag_line(diag, 2));
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
}
END_TEST

static const char * const soup[] = {
	"list", "map", "ruleset", "always", "finally", "undecided",
	"repeated", "host", "hosts", "first",
	"default", "include", "{", "}", "{", "}", ";", ";", ";", "(", ")",
	"=", "~", "->", "and", "or", "not", "in", "use", "else", "present",
	"nocase", "is", "begins", "contains", "query", "cookie", "set",
	"unset", "normalize", "rewrite", "backend", "pass", "synth", "answer",
	"redirect", "stop", "builtin", "when", "from", "ignore", "drop",
	"keep", "sort", "to", "url", "path", "clean", "agent", "header",
	"client", "x",
	"\"y\"",
	"\"${url}\"", "\"", "'", "[", "${", "\n", "#", "==", "&&", "!", "if",
	"elsif", "10.0.0.0/8", "\\", "\xff", "\x01"
};

START_TEST(test_parse_survives_any_soup_of_tokens)
{
	struct fm_diag *diag;
	struct fm_model *model;
	char text[2000];
	const char *word;
	size_t len;
	unsigned n, words;

	for (n = 0; n < 4000; n++) {
		len = 0;
		for (words = unit_below(120); words > 0; words--) {
			word = soup[unit_below(sizeof soup / sizeof soup[0])];
			memcpy(text + len, word, strlen(word));
			len += strlen(word);
			if (unit_below(8) != 0)
				text[len++] = ' ';
		}
		diag = fm_diag_new();
		model = parse_copy(fm_text(text, len), diag);
		ck_assert_ptr_nonnull(model);
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
}
END_TEST

START_TEST(test_parse_survives_bytes_changed_added_and_lost)
{
	static const char bytes[] = "{}();\"'=~#[]\\$ \n\r\t\0\x01\xff";
	struct fm_diag *diag;
	struct fm_model *model;
	char text[sizeof example + 40];
	size_t len, at;
	unsigned n, changes;

	for (n = 0; n < 1500; n++) {
		len = sizeof example - 1;
		memcpy(text, example, len);
		for (changes = 1 + unit_below(30); changes > 0; changes--) {
			at = unit_below((unsigned)len - 1);
			if (unit_below(3) == 0) {
				memmove(text + at + 1, text + at, len - at);
				len++;
			} else if (unit_below(2) == 0) {
				memmove(text + at, text + at + 1,
				    len - at - 1);
				len--;
			}
			text[at] = bytes[unit_below(sizeof bytes - 1)];
		}
		diag = fm_diag_new();
		model = parse_copy(fm_text(text, len), diag);
		ck_assert_ptr_nonnull(model);
		fm_model_free(&model);
		fm_diag_free(&diag);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("parse");

	unit_seed("parse");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_parse_makes_of_a_text_what_it_says, 0,
	    (int)(sizeof model_cases / sizeof model_cases[0]));
	tcase_add_test(tc, test_parse_does_not_care_about_crlf_and_bom);
	tcase_add_test(tc, test_parse_takes_the_example_of_the_language);
	tcase_add_test(tc, test_parse_takes_long_operands_of_below);
	tcase_add_test(tc,
	    test_model_numbers_the_blocks_of_rulesets_before_those_of_sites);
	tcase_add_test(tc, test_model_prints_statements_as_they_are_written);
	tcase_add_test(tc,
	    test_model_masks_what_headers_and_cookies_are_compared_with);
	tcase_add_test(tc, test_model_prints_no_more_than_a_line);
	tcase_add_test(tc, test_parse_survives_a_text_that_ends_anywhere);
	tcase_add_test(tc, test_parse_survives_any_soup_of_tokens);
	tcase_add_test(tc,
	    test_parse_survives_bytes_changed_added_and_lost);
	return (unit_run("parse", tc));
}
