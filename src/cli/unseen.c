/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rules that look at parts of a request that a log doesn't have.  A
 * walk goes through all statements in the order of the text, and knows at each
 * which headers `always` has set from parts that the log has.
 */

#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "glob.h"
#include "obj.h"
#include "term.h"
#include "unseen.h"

/* The last thing stands for headers of any name. */
#define OTHERS		(FM_UNSEEN_THINGS - 1)
#define BIT(thing)	(1ULL << (thing))

#define SHOWN		5	/* places in a sentence */

struct walk {
	struct fm_unseen	*unseen;
	const struct fm_logs	*logs;
	const struct fm_trust	*trust;		/* NULL: none */
	const struct fm_scheme	*schemes;
	size_t			next;		/* the rule to try first */
	uint64_t		told;		/* headers that `always` sets
						 * from what the log has */
	uint64_t		*maps;		/* what the log lacks for the
						 * values of each map */
};

/*--------------------------------------------------------------------
 * Parts of a request that the log lacks
 */

/* Returns the bit of a thing; OTHERS if there is no more room. */
static uint64_t
thing_of(struct fm_unseen *unseen, struct fm_text name)
{
	unsigned n;

	for (n = 0; n < unseen->nthings; n++)
		if (fm_text_eq_nocase(fm_text_of(unseen->things[n]), name))
			return (BIT(n));
	if (name.b == NULL || n == OTHERS)
		return (BIT(OTHERS));
	unseen->things[n] = fm_cli_keep(&unseen->arena, name);
	unseen->nthings++;
	return (BIT(n));
}

static uint64_t
part_lacks(const struct walk *walk, enum fm_access_part part,
    struct fm_text name)
{
	return (fm_logs_has(walk->logs, part, name) ? 0 :
	    thing_of(walk->unseen, name));
}

static uint64_t
header_lacks(const struct walk *walk, struct fm_text header)
{
	return (part_lacks(walk, FM_ACCESS_HEADER, header) & ~walk->told);
}

/* A URL in a log may have the scheme; else a trusted header has it. */
static uint64_t
scheme_lacks(const struct walk *walk)
{
	const struct fm_scheme *scheme;
	uint64_t lacks = 0;

	for (scheme = walk->schemes; scheme != NULL; scheme = scheme->next)
		lacks |= scheme->from != FM_SCHEME_FROM_HEADER ?
		    thing_of(walk->unseen, fm_text_of("client's TLS")) :
		    part_lacks(walk, FM_ACCESS_CLIENT,
		    fm_text_of("client's address")) |
		    header_lacks(walk, scheme->trust.header->text);
	return (lacks);
}

static uint64_t
subject_lacks(const struct walk *walk, enum fm_subject_kind kind,
    struct fm_text name)
{
	switch (kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_QUERY:
		return (part_lacks(walk, FM_ACCESS_QUERY,
		    fm_text_of("query string")));
	case FM_SUBJECT_METHOD:
		return (part_lacks(walk, FM_ACCESS_METHOD,
		    fm_text_of("method")));
	case FM_SUBJECT_COOKIE:
		return (header_lacks(walk, fm_text_of("Cookie")));
	case FM_SUBJECT_HEADER:
		return (header_lacks(walk, name));
	case FM_SUBJECT_CLIENT:
		return (part_lacks(walk, FM_ACCESS_CLIENT,
		    fm_text_of("client's address")) | (walk->trust == NULL ?
		    0 : header_lacks(walk, walk->trust->header->text)));
	case FM_SUBJECT_SCHEME:
		return (scheme_lacks(walk));
	case FM_SUBJECT_RESTARTS:	/* the first round, or all in one */
		return (thing_of(walk->unseen,
		    fm_text_of("number of restarts")));
	default:
		break;
	}
	return (0);
}

/* Returns what the log lacks for the variables (${...}) of a value. */
static uint64_t
template_lacks(const struct walk *walk, const struct fm_value *value)
{
	const struct fm_part *part;
	uint64_t lacks = 0;

	for (part = value == NULL ? NULL : value->parts; part != NULL;
	    part = part->next)
		lacks |= subject_lacks(walk, fm_part_subject(part->kind),
		    part->text);
	return (lacks);
}

static uint64_t
map_lacks(const struct walk *walk, const struct fm_list_def *map)
{
	uint64_t lacks = template_lacks(walk, map->otherwise);
	const struct fm_line *line;

	for (line = map->lines; line != NULL; line = line->next)
		lacks |= template_lacks(walk, line->value);
	return (lacks);
}

static uint64_t
value_lacks(const struct walk *walk, const struct fm_value *value)
{
	if (value == NULL || value->map_def == NULL)
		return (template_lacks(walk, value));
	return (walk->maps[value->map_def->number] | subject_lacks(walk,
	    value->subject.kind, value->subject.name));
}

static uint64_t
cond_lacks(const struct walk *walk, const struct fm_cond *cond)
{
	if (cond == NULL)
		return (0);
	if (cond->kind <= FM_COND_NOT)
		return (cond_lacks(walk, cond->left) |
		    cond_lacks(walk, cond->right));
	if (cond->kind == FM_COND_NAMES &&
	    cond->subject.kind == FM_SUBJECT_HEADER)
		return (header_lacks(walk, fm_text(NULL, 0)));
	return (subject_lacks(walk, cond->subject.kind, cond->subject.name));
}

/* Returns what the log lacks of what a statement of `key` names. */
static uint64_t
keyed_lacks(const struct walk *walk, const struct fm_stmt *stmt)
{
	const struct fm_word *name = stmt->keyed.names.first;
	uint64_t lacks = value_lacks(walk, stmt->keyed.value);

	for (; name != NULL; name = name->next)
		lacks |= subject_lacks(walk, stmt->keyed.what ==
		    FM_KEYED_COOKIE ? FM_SUBJECT_COOKIE : FM_SUBJECT_HEADER,
		    name->text);
	return (lacks);
}

static uint64_t
stmt_lacks(const struct walk *walk, const struct fm_stmt *stmt)
{
	const struct fm_text none = fm_text(NULL, 0);
	const struct fm_ban_test *test;
	uint64_t lacks = 0;

	switch (stmt->kind) {
	case FM_STMT_REWRITE:
		if (stmt->rewrite.header != NULL)
			return (header_lacks(walk, stmt->rewrite.header->text));
		/* FALLTHROUGH */
	case FM_STMT_QUERY:
		return (subject_lacks(walk, FM_SUBJECT_QUERY, none));
	case FM_STMT_COOKIE:
		return (subject_lacks(walk, FM_SUBJECT_COOKIE, none));
	case FM_STMT_SET:
		return (value_lacks(walk, stmt->set.value));
	case FM_STMT_NORMALIZE:
		return (header_lacks(walk, stmt->normalize.header->text) |
		    value_lacks(walk, stmt->normalize.otherwise));
	case FM_STMT_KEYED:
		return (keyed_lacks(walk, stmt));
	case FM_STMT_LOG:
		return (value_lacks(walk, stmt->log.value));
	case FM_STMT_BAN:
		for (test = stmt->ban.tests; test != NULL; test = test->next)
			lacks |= value_lacks(walk, test->argument);
		return (lacks);
	case FM_STMT_CACHE_STATUS:
		return (stmt->cache_status.list == NULL ? 0 :
		    subject_lacks(walk, FM_SUBJECT_CLIENT, none));
	case FM_STMT_SYNTH:
		return (value_lacks(walk, stmt->synth.value));
	case FM_STMT_REDIRECT:
		return (value_lacks(walk, stmt->redirect.to));
	case FM_STMT_BUILTIN:
		return (subject_lacks(walk, FM_SUBJECT_METHOD, none) |
		    subject_lacks(walk, FM_SUBJECT_COOKIE, none) |
		    header_lacks(walk, fm_text_of("Authorization")) |
		    (fm_builtin_has_range(fm_builtin_here) ?
		    header_lacks(walk, fm_text_of("Range")) : 0));
	case FM_STMT_WHEN:
		return (cond_lacks(walk, stmt->when.cond));
	default:
		return (0);
	}
}

/*--------------------------------------------------------------------
 * The walk
 */

/*
 * Returns the rule of a statement.  Rules are in the order of the text, so the
 * search begins after the rule that was found last.
 */
static struct fm_unseen_rule *
rule_of(struct walk *walk, const struct fm_stmt *stmt)
{
	struct fm_unseen_rule *rules = walk->unseen->rules;
	size_t i, n = walk->unseen->n;

	for (i = walk->next; i < walk->next + n; i++)
		if (fm_place_compare(&rules[i % n].rule->at, &stmt->at) == 0)
			break;
	assert(i < walk->next + n);
	walk->next = i % n + 1;
	return (&rules[i % n]);
}

/*
 * Notes that a rule sets or unsets a header, and what the log lacks to tell the
 * result.  `every`: the rule runs for each request.
 */
static void
set_header(struct walk *walk, struct fm_text header, bool every,
    uint64_t lacks)
{
	uint64_t bit = part_lacks(walk, FM_ACCESS_HEADER, header) &
	    ~BIT(OTHERS);

	if (lacks != 0)
		walk->told &= ~bit;
	else if (every)
		walk->told |= bit;
}

/* Returns which of the headers that an `unset` names the log lacks. */
static uint64_t
walk_unset(struct walk *walk, const struct fm_word *word, bool every,
    uint64_t within)
{
	uint64_t lacks = 0;

	for (; word != NULL; word = word->next) {
		lacks |= header_lacks(walk,
		    fm_glob_prefix(word->text) < word->text.len ?
		    fm_text(NULL, 0) : word->text);
		set_header(walk, word->text, every, within);
	}
	return (lacks);
}

/* Walks a block of rules for responses, which a log of lines lacks. */
static void
walk_phase(struct walk *walk, const struct fm_block *block)
{
	const struct fm_stmt *stmt;
	struct fm_unseen_rule *rule;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next) {
		rule = rule_of(walk, stmt);
		rule->stmt = stmt;
		if (!walk->logs->responses) {
			rule->looks |= thing_of(walk->unseen,
			    fm_text_of("response"));
			rule->responds = true;
		}
		if (stmt->kind != FM_STMT_WHEN)
			continue;
		walk_phase(walk, stmt->when.then);
		walk_phase(walk, stmt->when.otherwise);
	}
}

/*
 * Walks a block.  `every`: the block runs for each request.  `within`: what the
 * log lacks for the `when`s around the block.
 */
static void
walk_block(struct walk *walk, const struct fm_block *block, bool every,
    uint64_t within)
{
	const struct fm_stmt *stmt;
	struct fm_unseen_rule *rule;
	uint64_t lacks;

	for (stmt = block == NULL ? NULL : block->first; stmt != NULL;
	    stmt = stmt->next) {
		if (stmt->kind == FM_STMT_KEY ||
		    stmt->kind == FM_STMT_FETCH) {
			walk_block(walk, stmt->phase.block, false, within);
			continue;
		}
		if (fm_stmt_is_phase(stmt->kind)) {
			walk_phase(walk, stmt->phase.block);
			continue;
		}
		rule = rule_of(walk, stmt);
		rule->stmt = stmt;
		rule->looks |= stmt_lacks(walk, stmt);
		rule->touches |= within;
		lacks = rule->looks | within;
		if (stmt->kind == FM_STMT_SET && stmt->set.header != NULL) {
			set_header(walk, stmt->set.header->text, every, lacks);
		} else if (stmt->kind == FM_STMT_UNSET) {
			rule->touches |= walk_unset(walk,
			    stmt->unset.headers.first, every, within);
		} else if (stmt->kind == FM_STMT_WHEN) {
			walk_block(walk, stmt->when.then, false, lacks);
			walk_block(walk, stmt->when.otherwise, false, lacks);
		} else if (stmt->kind == FM_STMT_USE &&
		    (every || within != 0)) {
			walk_block(walk, stmt->use.ruleset->block, every,
			    within);
		}
	}
}

void
fm_unseen_find(struct fm_unseen *unseen, const struct fm_rules *rules,
    const struct fm_logs *logs, const struct fm_unseen *other)
{
	const struct fm_model *model = rules->model;
	struct walk walk = { .unseen = unseen, .logs = logs,
	    .trust = model->trust, .schemes = model->schemes };
	const struct fm_ruleset_def *ruleset;
	const struct fm_list_def *map;
	const struct fm_site *site;
	size_t i;

	memset(unseen, 0, sizeof *unseen);
	if (other != NULL) {
		unseen->nthings = other->nthings;
		memcpy(unseen->things, other->things, sizeof other->things);
	}
	unseen->things[OTHERS] = "other headers";
	unseen->n = fm_program_nrules(rules->program);
	unseen->rules = fm_cli_alloc((unseen->n + 1) * sizeof *unseen->rules);
	walk.maps = fm_cli_alloc((model->nlists + model->nmaps + 1) *
	    sizeof *walk.maps);
	for (i = 0; i < unseen->n; i++)
		(void)fm_program_rule(rules->program, (uint32_t)i,
		    &unseen->rules[i].rule, &unseen->rules[i].counter);
	for (map = model->maps; map != NULL; map = map->next)
		walk.maps[map->number] = map_lacks(&walk, map);
	walk_block(&walk, model->always, true, 0);
	for (site = model->sites; site != NULL; site = site->next)
		walk_block(&walk, site->block, false, 0);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		walk_block(&walk, ruleset->block, false, 0);
	walk_block(&walk, model->finally, false, 0);
	free(walk.maps);
}

/*--------------------------------------------------------------------
 * Text and JSON
 */

/* Writes how many of some rules need a thing, and where the first are. */
static void
say_thing(FILE *to, const struct fm_unseen *unseen, unsigned thing,
    const struct fm_unseen_rule * const *rules, size_t n)
{
	const char *shown[SHOWN], *place;
	size_t i, k, count = 0;

	for (i = 0; i < n; i++)
		count += ((rules[i]->looks | rules[i]->touches) &
		    BIT(thing)) != 0;
	if (count == 0)
		return;
	fprintf(to, "The log has no ");
	fm_put_clean(to, fm_text_of(unseen->things[thing]), 0);
	fprintf(to, count == 1 ? "; 1 rule looks at it" :
	    "; %zu rules look at it", count);
	for (i = 0, count = 0; i < n && count <= SHOWN; i++) {
		place = rules[i]->rule->place;
		for (k = 0; k < count && strcmp(shown[k], place) != 0;)
			k++;
		if (k < count || ((rules[i]->looks | rules[i]->touches) &
		    BIT(thing)) == 0)
			continue;
		fputs(count == 0 ? " (" : ", ", to);
		fm_put_clean(to, fm_text_of(count == SHOWN ? "..." : place), 0);
		if (count < SHOWN)
			shown[count] = place;
		count++;
	}
	fputs(")\n", to);
}

void
fm_unseen_say(FILE *to, const struct fm_unseen *unseen,
    const struct fm_unseen_rule * const *rules, size_t n)
{
	unsigned thing;

	for (thing = 0; thing < FM_UNSEEN_THINGS; thing++)
		say_thing(to, unseen, thing, rules, n);
}

json_t *
fm_unseen_json(const struct fm_unseen *unseen,
    const struct fm_unseen_rule *rule)
{
	json_t *object = fm_json_rule(rule->rule), *lacks = fm_json_array();
	unsigned n;

	for (n = 0; n < FM_UNSEEN_THINGS; n++)
		if (((rule->looks | rule->touches) & BIT(n)) != 0)
			fm_json_add(lacks, fm_json_string(unseen->things[n]));
	fm_json_set(object, "lacks", lacks, NULL);
	return (object);
}
