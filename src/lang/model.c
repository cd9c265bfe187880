/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes and frees models (model.h), gives the numbers of their blocks, and
 * prints a test or a statement for people, with the words of the file, in one
 * line, without comments:
 *
 *	when path is /a		# the old one
 *	    or header X is b {
 *
 * is `when path is /a or header X is b`; masked, it ends in `[hidden]`.
 */

#include "hosttab.h"
#include "model.h"
#include "obj.h"
#include "xxh.h"

struct fm_model *
fm_model_new(void)
{
	struct fm_model *model;

	FM_OBJ_NEW(model, FM_MODEL_MAGIC);
	return (model);
}

void
fm_model_free(struct fm_model **modelp)
{
	struct fm_model *model;

	FM_OBJ_TAKE(model, modelp, FM_MODEL_MAGIC);
	if (model->hosttab != NULL)
		fm_hosttab_free(&model->hosttab);
	free(model->hosts);
	fm_arena_fini(&model->arena);
	FM_OBJ_FREE(model);
}

uint32_t
fm_model_site_block(const struct fm_model *model, const struct fm_site *site)
{
	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(site != NULL);
	if (site->block != NULL)
		return (model->nrulesets + site->number);
	assert(site->ruleset != NULL);
	return (site->ruleset->number);
}

uint32_t
fm_model_host_block(const struct fm_model *model, const struct fm_host *host)
{
	FM_OBJ_CHECK(model, FM_MODEL_MAGIC);
	assert(host != NULL);
	if (host->site != NULL)
		return (fm_model_site_block(model, host->site));
	assert(host->ruleset_def != NULL);
	return (host->ruleset_def->number);
}

bool
fm_block_has(const struct fm_block *block, enum fm_phase phase)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_ruleset_def *used;

	for (; stmt != NULL; stmt = stmt->next) {
		used = stmt->kind == FM_STMT_USE ? stmt->use.ruleset : NULL;
		if ((fm_stmt_is_phase(stmt->kind) &&
		    fm_stmt_phase(stmt->kind) == phase) ||
		    (used != NULL && fm_phase_has(used->phases, phase)))
			return (true);
	}
	return (false);
}

bool
fm_model_has(const struct fm_model *model, enum fm_phase phase)
{
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;

	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (fm_phase_has(ruleset->phases, phase))
			return (true);
	for (site = model->sites; site != NULL; site = site->next)
		if (fm_block_has(site->block, phase))
			return (true);
	return (fm_block_has(model->always, phase) ||
	    fm_block_has(model->finally, phase));
}

struct fm_stmt *
fm_stmt_chained(const struct fm_stmt *when)
{
	const struct fm_block *otherwise = when->when.otherwise;
	struct fm_stmt *stmt = otherwise == NULL ? NULL : otherwise->first;

	return (stmt != NULL && stmt->kind == FM_STMT_WHEN &&
	    stmt->next == NULL ? stmt : NULL);
}

/*--------------------------------------------------------------------
 * A line for people
 */

#define PRINT_CUT	"..."

/* The output so far.  Bytes that don't fit into the buffer are lost. */
struct print {
	char	*buf;
	size_t	len;
	bool	cut;
	XXH3_state_t *hash;	/* or NULL: into this instead */
};

static void
print_byte(struct print *print, char c)
{
	if (print->hash != NULL) {
		(void)XXH3_64bits_update(print->hash, &c, 1);
		return;
	}
	/* A text may have the end of a line in it. */
	if ((unsigned char)c < ' ' || c == 0x7f)
		c = c == '\t' ? ' ' : '?';
	if (print->len < FM_MODEL_LINE - sizeof PRINT_CUT)
		print->buf[print->len++] = c;
	else
		print->cut = true;
}

static void
print_str(struct print *print, const char *s)
{
	while (*s != '\0')
		print_byte(print, *s++);
}

static const char *
print_end(struct print *print)
{
	if (print->cut) {
		/* A character of UTF-8 is not cut. */
		while (print->len > 0 &&
		    ((unsigned char)print->buf[print->len - 1] & 0xc0) == 0x80)
			print->len--;
		if (print->len > 0 &&
		    (unsigned char)print->buf[print->len - 1] >= 0xc0)
			print->len--;
		memcpy(print->buf + print->len, PRINT_CUT, sizeof PRINT_CUT);
	} else {
		print->buf[print->len] = '\0';
	}
	return (print->buf);
}

/*
 * Prints a part of the file's text, with one blank for all comments, ends of
 * lines and other blanks between two tokens.
 */
static void
print_source(struct print *print, struct fm_text t)
{
	bool string = false, first = true;	/* of a token */
	bool blank = false, open = false;	/* after a `(` */
	size_t i;

	for (i = 0; i < t.len && !print->cut; i++) {
		if (!string && strchr(" \t\r\n", t.b[i]) != NULL) {
			first = true;
			blank = !open;
			continue;
		}
		if (first && t.b[i] == '#') {
			while (i < t.len && t.b[i] != '\n')
				i++;
			blank = !open;
			continue;
		}
		/* The hash leaves blanks out, as fmt changes them. */
		if (blank && print->hash == NULL && t.b[i] != ')')
			print_byte(print, ' ');
		blank = false;
		print_byte(print, t.b[i]);
		if (string && t.b[i] == '\\' && i + 1 < t.len) {
			print_byte(print, t.b[++i]);
			continue;
		}
		string = string != (t.b[i] == '"');
		open = !string && t.b[i] == '(';
		first = !string && (strchr("\"()", t.b[i]) != NULL ||
		    (first && strchr("=~", t.b[i]) != NULL));
	}
}

/*--------------------------------------------------------------------
 * Tests and statements
 */

/* Returns true if what a test compares with may be a secret. */
static bool
is_private(const struct fm_cond *test)
{
	return (test->values != NULL &&
	    (test->subject.kind == FM_SUBJECT_HEADER ||
	    test->subject.kind == FM_SUBJECT_REQUEST_HEADER ||
	    test->subject.kind == FM_SUBJECT_COOKIE ||
	    test->subject.kind == FM_SUBJECT_SET_COOKIE ||
	    test->subject.kind == FM_SUBJECT_QUERY));
}

/* Prints up to the values of a test, and goes on after them. */
static const char *
print_masked(struct print *print, const char *from,
    const struct fm_cond *test)
{
	print_source(print, fm_text_span(from, test->values));
	print_str(print, " " FM_MODEL_MASK);
	return (test->asked.b + test->asked.len);
}

const char *
fm_model_print_test(const struct fm_cond *test, bool mask,
    char buf[FM_MODEL_LINE])
{
	struct print print = { .buf = buf };

	assert(test != NULL);
	print_source(&print, test->source);
	print_str(&print, " ");
	if (mask && is_private(test))
		(void)print_masked(&print, test->asked.b, test);
	else
		print_source(&print, test->asked);
	return (print_end(&print));
}

const char *
fm_model_print_stmt(const struct fm_stmt *stmt, bool mask,
    char buf[FM_MODEL_LINE])
{
	struct print print = { .buf = buf };
	const struct fm_cond *test;
	const char *from;

	assert(stmt != NULL);
	from = stmt->source.b;
	test = mask && stmt->kind == FM_STMT_WHEN ? stmt->when.tests : NULL;
	for (; test != NULL; test = test->next)
		if (is_private(test))
			from = print_masked(&print, from, test);
	print_source(&print, fm_text_span(from,
	    stmt->source.b + stmt->source.len));
	return (print_end(&print));
}

uint64_t
fm_model_hash_stmt(const struct fm_stmt *stmt, uint64_t seed)
{
	XXH3_state_t state;
	struct print print = { .hash = &state };

	assert(stmt != NULL);
	(void)XXH3_64bits_reset(&state);
	(void)XXH3_64bits_update(&state, &seed, sizeof seed);
	print_source(&print, stmt->source);
	return (XXH3_64bits_digest(&state));
}
