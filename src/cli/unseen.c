/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rules that look at what a log doesn't have.
 *
 * The blocks are walked as requests go through them: `always`, each block of a
 * host, `finally`.  A state says of each header that the rules have set whether
 * its value is known all the same: `set X-Device = device(agent)` makes one
 * that a log with User-Agents tells.  Where a `when` parts the way each side
 * has a state of its own, and behind it a header is known if it is known on
 * both sides.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>

#include "glob.h"
#include "unseen.h"

/* The first things; then headers; the last is for headers of any name. */
enum {
	CLIENT,
	METHOD,
	QUERY,
	HEADERS,
	OTHERS = FM_UNSEEN_THINGS - 1
};

#define BIT(thing)	(1ULL << (thing))

struct state {
	bool			dead;		/* no request gets here */
	uint64_t		starved;	/* fewer get here than would
						 * if the log had these, */
	uint64_t		skipped;	/* up to the end of a block */
	uint64_t		set;		/* headers that rules set */
	uint64_t		lacks[FM_UNSEEN_THINGS];	/* for each */
};

enum map_values {
	MAP_UNKNOWN,
	MAP_TEXTS,
	MAP_VARIABLES		/* some value has ${} */
};

struct walk {
	struct fm_unseen	*unseen;
	const struct fm_model	*model;
	const struct fm_logs	*logs;
	const uint64_t		*counters;
	struct fm_unseen_rule	**by_place;
	uint64_t		lacked;		/* things that the log lacks */
	uint64_t		client;		/* what `client` lacks */
	char			*maps;		/* enum map_values, by number */
	struct state		stopped;	/* where a `stop` left a
						 * block */
};

/*--------------------------------------------------------------------
 * Things
 */

static unsigned
thing_add(struct walk *walk, struct fm_text name, bool lacked)
{
	struct fm_unseen *unseen = walk->unseen;
	unsigned n = unseen->nthings++;

	unseen->things[n] = fm_arena_add(&unseen->arena, name);
	if (unseen->things[n] == NULL)
		fm_cli_no_memory();
	if (lacked)
		walk->lacked |= BIT(n);
	return (n);
}

static unsigned
thing_of(struct walk *walk, struct fm_text header)
{
	struct fm_unseen *unseen = walk->unseen;
	unsigned n;

	for (n = HEADERS; n < unseen->nthings; n++)
		if (fm_text_eq_nocase(fm_text_of(unseen->things[n]), header))
			return (n);
	if (n == OTHERS)
		return (OTHERS);
	return (thing_add(walk, header, !fm_logs_has(walk->logs,
	    FM_ACCESS_HEADER, header)));
}

static uint64_t
thing_lacks(const struct walk *walk, const struct state *state, unsigned n)
{
	return ((state->set & BIT(n)) != 0 ? state->lacks[n] :
	    walk->lacked & BIT(n));
}

static uint64_t
header_lacks(struct walk *walk, const struct state *state,
    struct fm_text header)
{
	return (thing_lacks(walk, state, thing_of(walk, header)));
}

static uint64_t
cookie_lacks(struct walk *walk, const struct state *state)
{
	return (header_lacks(walk, state, fm_text_of("Cookie")));
}

static void
state_set(struct walk *walk, struct state *state, struct fm_text header,
    uint64_t lacks)
{
	unsigned n = thing_of(walk, header);

	/* Of what has no bit of its own nothing is ever known. */
	if (n == OTHERS)
		return;
	state->set |= BIT(n);
	state->lacks[n] = lacks;
}

/* Adds the requests of another way to those of a state. */
static void
state_join(const struct walk *walk, struct state *state,
    const struct state *other)
{
	uint64_t set = state->set | other->set;
	uint64_t starved = state->starved | other->starved;
	uint64_t skipped = state->skipped | other->skipped;
	unsigned n;

	if (state->dead) {
		*state = *other;
	} else if (!other->dead) {
		for (n = HEADERS; n < OTHERS; n++)
			if ((set & BIT(n)) != 0)
				state->lacks[n] = thing_lacks(walk, state, n) |
				    thing_lacks(walk, other, n);
		state->set = set;
	}
	state->starved = starved;
	state->skipped = skipped;
}

/*--------------------------------------------------------------------
 * What is looked at
 */

static uint64_t
subject_lacks(struct walk *walk, const struct state *state,
    const struct fm_subject *subject)
{
	switch (subject->kind) {
	case FM_SUBJECT_URL:
	case FM_SUBJECT_QUERY:
		return (walk->lacked & BIT(QUERY));
	case FM_SUBJECT_METHOD:
		return (walk->lacked & BIT(METHOD));
	case FM_SUBJECT_COOKIE:
		return (cookie_lacks(walk, state));
	case FM_SUBJECT_HEADER:
		return (header_lacks(walk, state, subject->name));
	case FM_SUBJECT_CLIENT:
		return (walk->client);
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_HOST:
		break;
	}
	return (0);
}

static uint64_t
part_lacks(struct walk *walk, const struct state *state,
    const struct fm_part *part)
{
	switch (part->kind) {
	case FM_PART_URL:
	case FM_PART_QUERY:
	case FM_PART_PARAMETER:
		return (walk->lacked & BIT(QUERY));
	case FM_PART_METHOD:
		return (walk->lacked & BIT(METHOD));
	case FM_PART_CLIENT:
		return (walk->client);
	case FM_PART_COOKIE:
		return (cookie_lacks(walk, state));
	case FM_PART_HEADER:
		return (header_lacks(walk, state, part->text));
	default:
		return (0);
	}
}

static uint64_t
parts_lack(struct walk *walk, const struct state *state,
    const struct fm_value *value)
{
	const struct fm_part *part;
	uint64_t lacks = 0;

	for (part = value == NULL ? NULL : value->parts; part != NULL;
	    part = part->next)
		lacks |= part_lacks(walk, state, part);
	return (lacks);
}

static bool
is_variable(const struct fm_value *value)
{
	const struct fm_part *part;

	for (part = value == NULL ? NULL : value->parts; part != NULL;
	    part = part->next)
		if (part->kind != FM_PART_TEXT)
			return (true);
	return (false);
}

/* A map of a million lines is looked through once. */
static bool
map_has_variables(struct walk *walk, const struct fm_map_def *map)
{
	char *known = &walk->maps[map->number];
	const struct fm_map_line *line;

	if (*known == MAP_UNKNOWN) {
		*known = is_variable(map->otherwise) ? MAP_VARIABLES :
		    MAP_TEXTS;
		for (line = map->lines; line != NULL; line = line->next)
			if (is_variable(line->value))
				*known = MAP_VARIABLES;
	}
	return (*known == MAP_VARIABLES);
}

static uint64_t
value_lacks(struct walk *walk, const struct state *state,
    const struct fm_value *value)
{
	const struct fm_map_line *line;
	uint64_t lacks = parts_lack(walk, state, value);

	if (value == NULL || value->map_def == NULL)
		return (lacks);
	lacks |= subject_lacks(walk, state, &value->subject);
	if (!map_has_variables(walk, value->map_def))
		return (lacks);
	lacks |= parts_lack(walk, state, value->map_def->otherwise);
	for (line = value->map_def->lines; line != NULL; line = line->next)
		lacks |= parts_lack(walk, state, line->value);
	return (lacks);
}

static uint64_t
cond_lacks(struct walk *walk, const struct state *state,
    const struct fm_cond *cond)
{
	if (cond == NULL)
		return (0);
	switch (cond->kind) {
	case FM_COND_OR:
	case FM_COND_AND:
	case FM_COND_NOT:
		return (cond_lacks(walk, state, cond->left) |
		    cond_lacks(walk, state, cond->right));
	case FM_COND_NAMES:
		if (cond->subject.kind == FM_SUBJECT_HEADER)
			return (walk->lacked & BIT(OTHERS));
		break;
	default:
		break;
	}
	return (subject_lacks(walk, state, &cond->subject));
}

static uint64_t
stmt_looks(struct walk *walk, const struct state *state,
    const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_REWRITE:
		return (walk->lacked & BIT(QUERY));
	case FM_STMT_COOKIE:
		return (cookie_lacks(walk, state));
	case FM_STMT_SET:
		return (value_lacks(walk, state, stmt->set.value));
	case FM_STMT_NORMALIZE:
		return (header_lacks(walk, state,
		    stmt->normalize.header->text) |
		    value_lacks(walk, state, stmt->normalize.otherwise));
	case FM_STMT_SYNTH:
		return (value_lacks(walk, state, stmt->synth.value));
	case FM_STMT_REDIRECT:
		return (value_lacks(walk, state, stmt->redirect.to));
	case FM_STMT_BUILTIN:
		return ((walk->lacked & BIT(METHOD)) |
		    cookie_lacks(walk, state) |
		    header_lacks(walk, state, fm_text_of("Authorization")));
	case FM_STMT_WHEN:
		return (cond_lacks(walk, state, stmt->when.cond));
	default:
		return (0);
	}
}

/*--------------------------------------------------------------------
 * The walk
 */

static int
compare_places(const struct fm_place *a, const struct fm_place *b)
{
	if (a->line != b->line)
		return (a->line < b->line ? -1 : 1);
	if (a->column != b->column)
		return (a->column < b->column ? -1 : 1);
	return (a->name == b->name ? 0 : strcmp(a->name, b->name));
}

static int
by_place(const void *a, const void *b)
{
	const struct fm_unseen_rule *x, *y;

	x = *(struct fm_unseen_rule * const *)a;
	y = *(struct fm_unseen_rule * const *)b;
	return (compare_places(&x->rule->at, &y->rule->at));
}

/* The rule of a statement; NULL: the program has none for it. */
static struct fm_unseen_rule *
rule_of(const struct walk *walk, const struct fm_stmt *stmt)
{
	size_t low = 0, high = walk->unseen->n, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = compare_places(&walk->by_place[middle]->rule->at,
		    &stmt->at);
		if (order == 0)
			return (walk->by_place[middle]);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (NULL);
}

static bool
is_hit(const struct walk *walk, const struct fm_unseen_rule *rule)
{
	return (walk->counters != NULL && rule != NULL &&
	    walk->counters[rule->counter] > 0);
}

static void walk_block(struct walk *, const struct fm_block *, struct state *,
    uint64_t depends);

static void
walk_when(struct walk *walk, const struct fm_stmt *stmt, struct state *state,
    uint64_t depends)
{
	struct state other = *state;

	walk_block(walk, stmt->when.then, state, depends);
	walk_block(walk, stmt->when.otherwise, &other, depends);
	state_join(walk, state, &other);
}

/* Returns what an unset takes away unseen. */
static uint64_t
walk_unset(struct walk *walk, const struct fm_stmt *stmt, struct state *state,
    uint64_t depends)
{
	const struct fm_word *word;
	uint64_t edits = 0;

	for (word = stmt->unset.headers.first; word != NULL;
	    word = word->next) {
		if (fm_glob_prefix(word->text) < word->text.len) {
			edits |= walk->lacked & BIT(OTHERS);
			continue;
		}
		edits |= header_lacks(walk, state, word->text);
		state_set(walk, state, word->text, depends);
	}
	return (edits);
}

/* Ends the requests of a state, or leaves a block. */
static void
walk_end(struct walk *walk, const struct fm_stmt *stmt,
    const struct fm_unseen_rule *rule, struct state *state, uint64_t depends)
{
	if (is_hit(walk, rule) && stmt->kind == FM_STMT_STOP)
		state->skipped |= depends;
	else if (is_hit(walk, rule))
		state->starved |= depends;
	/* A map may have no place to redirect to. */
	if (stmt->kind == FM_STMT_REDIRECT && stmt->redirect.to->map != NULL)
		return;
	if (stmt->kind == FM_STMT_STOP)
		state_join(walk, &walk->stopped, state);
	state->dead = true;
}

static bool
is_plain(const struct fm_stmt *stmt)
{
	switch (stmt->kind) {
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
	case FM_STMT_SET:
	case FM_STMT_UNSET:
	case FM_STMT_NORMALIZE:
	case FM_STMT_REWRITE:
	case FM_STMT_BACKEND:
		return (true);
	default:
		return (false);
	}
}

static void
walk_stmt(struct walk *walk, const struct fm_stmt *stmt, struct state *state,
    uint64_t depends)
{
	struct fm_unseen_rule *rule = rule_of(walk, stmt);
	uint64_t looks = stmt_looks(walk, state, stmt), edits = 0;

	if (rule != NULL) {
		rule->looks |= looks;
		rule->depends |= depends | state->starved | state->skipped;
	}
	depends |= looks;
	switch (stmt->kind) {
	case FM_STMT_SET:
		state_set(walk, state, stmt->set.header->text, depends);
		break;
	case FM_STMT_NORMALIZE:
		state_set(walk, state, stmt->normalize.header->text, depends);
		break;
	case FM_STMT_UNSET:
		edits = walk_unset(walk, stmt, state, depends);
		break;
	case FM_STMT_USE:
		walk_block(walk, stmt->use.ruleset->block, state, depends);
		break;
	case FM_STMT_WHEN:
		walk_when(walk, stmt, state, depends);
		break;
	case FM_STMT_QUERY:
	case FM_STMT_COOKIE:
	case FM_STMT_REWRITE:
	case FM_STMT_BACKEND:
		break;
	case FM_STMT_ANSWER:
		walk->unseen->bodies = XXH3_64bits_withSeed(
		    stmt->answer.body.b, stmt->answer.body.len,
		    walk->unseen->bodies);
		/* FALLTHROUGH */
	default:
		walk_end(walk, stmt, rule, state, depends);
		break;
	}
	if (rule != NULL) {
		rule->edits |= edits;
		rule->plain = is_plain(stmt);
	}
}

/* What stands behind a verdict is reached by ESI sub-requests alone. */
static void
walk_block(struct walk *walk, const struct fm_block *block,
    struct state *state, uint64_t depends)
{
	const struct fm_stmt *stmt;

	if (block == NULL)
		return;
	for (stmt = block->first; stmt != NULL && !state->dead;
	    stmt = stmt->next)
		walk_stmt(walk, stmt, state, depends);
}

/* One of the blocks that a `stop` leaves. */
static void
walk_outer(struct walk *walk, const struct fm_block *block,
    struct state *state)
{
	walk->stopped = (struct state){ .dead = true };
	walk_block(walk, block, state, 0);
	state_join(walk, state, &walk->stopped);
	state->skipped = 0;
}

/* From the state behind `always`; all that comes out goes on to the last. */
static void
walk_host(struct walk *walk, const struct fm_block *block,
    const struct state *first, struct state *last)
{
	struct state state = *first;

	walk_outer(walk, block, &state);
	state_join(walk, last, &state);
}

static void
walk_all(struct walk *walk)
{
	const struct fm_model *model = walk->model;
	struct state first = { .dead = false }, last;
	const struct fm_ruleset_def *ruleset;
	const struct fm_site *site;
	bool *is_host;
	size_t i;

	is_host = fm_cli_alloc((model->nrulesets + 1) * sizeof *is_host);
	for (site = model->sites; site != NULL; site = site->next)
		if (site->ruleset != NULL)
			is_host[site->ruleset->number] = true;
	for (i = 0; i < model->nhosts; i++)
		if (model->hosts[i].ruleset_def != NULL)
			is_host[model->hosts[i].ruleset_def->number] = true;
	walk_outer(walk, model->always, &first);
	last = first;
	for (site = model->sites; site != NULL; site = site->next)
		if (site->ruleset == NULL)
			walk_host(walk, site->block, &first, &last);
	for (ruleset = model->rulesets; ruleset != NULL;
	    ruleset = ruleset->next)
		if (is_host[ruleset->number])
			walk_host(walk, ruleset->block, &first, &last);
	walk_outer(walk, model->finally, &last);
	free(is_host);
}

static void
name_things(struct walk *walk)
{
	const struct fm_text none = fm_text(NULL, 0);
	unsigned header;

	(void)thing_add(walk, fm_text_of("client's address"),
	    !fm_logs_has(walk->logs, FM_ACCESS_CLIENT, none));
	(void)thing_add(walk, fm_text_of("method"),
	    !fm_logs_has(walk->logs, FM_ACCESS_METHOD, none));
	(void)thing_add(walk, fm_text_of("query string"),
	    !fm_logs_has(walk->logs, FM_ACCESS_QUERY, none));
	walk->unseen->things[OTHERS] = "other headers";
	if (!fm_logs_has(walk->logs, FM_ACCESS_HEADER, none))
		walk->lacked |= BIT(OTHERS);
	walk->client = walk->lacked & BIT(CLIENT);
	if (walk->model->trust != NULL) {
		header = thing_of(walk, walk->model->trust->header->text);
		walk->client |= walk->lacked & BIT(header);
	}
}

void
fm_unseen_find(struct fm_unseen *unseen, const struct fm_rules *rules,
    const struct fm_logs *logs, const uint64_t *counters)
{
	struct walk walk = { .unseen = unseen, .model = rules->model,
	    .logs = logs, .counters = counters };
	size_t i;

	memset(unseen, 0, sizeof *unseen);
	unseen->n = fm_program_nrules(rules->program);
	unseen->rules = fm_cli_alloc((unseen->n + 1) * sizeof *unseen->rules);
	walk.by_place = fm_cli_alloc((unseen->n + 1) * sizeof *walk.by_place);
	walk.maps = fm_cli_alloc(rules->model->nmaps + 1);
	for (i = 0; i < unseen->n; i++) {
		(void)fm_program_rule(rules->program, (uint32_t)i,
		    &unseen->rules[i].rule, &unseen->rules[i].counter);
		walk.by_place[i] = &unseen->rules[i];
	}
	qsort(walk.by_place, unseen->n, sizeof *walk.by_place, by_place);
	name_things(&walk);
	walk_all(&walk);
	free(walk.by_place);
	free(walk.maps);
}

void
fm_unseen_fini(struct fm_unseen *unseen)
{
	fm_arena_fini(&unseen->arena);
	free(unseen->rules);
	memset(unseen, 0, sizeof *unseen);
}

/*--------------------------------------------------------------------
 * For people and programs
 */

static uint64_t
all_things(const struct fm_unseen_rule *rule)
{
	return (rule->looks | rule->depends | rule->edits);
}

char *
fm_unseen_print(const struct fm_unseen *unseen,
    const struct fm_unseen_rule *rule)
{
	const char *comma = "";
	char *text = NULL;
	size_t len;
	unsigned n;
	FILE *to;

	to = open_memstream(&text, &len);
	if (to == NULL)
		fm_cli_no_memory();
	for (n = 0; n < FM_UNSEEN_THINGS; n++) {
		if ((all_things(rule) & BIT(n)) == 0)
			continue;
		fprintf(to, "%sno %s", comma, unseen->things[n]);
		comma = ", ";
	}
	if (fclose(to) != 0)
		fm_cli_no_memory();
	return (text);
}

json_t *
fm_unseen_json(const struct fm_unseen *unseen,
    const struct fm_unseen_rule *rule)
{
	json_t *object = fm_json_rule(rule->rule), *lacks = fm_json_array();
	unsigned n;

	for (n = 0; n < FM_UNSEEN_THINGS; n++)
		if ((all_things(rule) & BIT(n)) != 0)
			fm_json_add(lacks, fm_json_string(unseen->things[n]));
	fm_json_set(object, "lacks", lacks);
	return (object);
}
