/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the live of a shadow or of `next` (rules_beside.h), and says what its
 * rules name.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "process.h"
#include "rules_beside.h"

int
fm_rules_beside_new(struct vmod_fastmatch_rules *rules, const char *path,
    double watch, uint32_t min_hosts, fm_object_open_f *open)
{
	rules->beside_path = strdup(path);
	rules->beside_watch = watch;
	rules->beside_min_hosts = min_hosts;
	rules->object.open_beside = open;
	return (rules->beside_path == NULL ? -1 : 0);
}

/* Logs errors only: what binds a new version logs it already. */
static void
beside_tell(void *priv, bool error, const char *line)
{
	if (error)
		fm_object_tell(priv, true, line);
}

int
fm_rules_beside_open(struct vmod_fastmatch_rules *rules,
    struct fm_live_options *options, struct fm_diag *diag)
{
	struct fm_object *object = &rules->object;
	char *name;

	if (asprintf(&name, "%s: %s", object->name, options->side) < 0)
		name = NULL;
	options->name = name;
	options->vcl = object->vcl;
	options->watch = rules->beside_watch;
	options->starting = fm_process_starting();
	options->tell = beside_tell;
	options->priv = rules;
	if (name != NULL && fm_rules_recipe(options, rules->beside_path, "",
	    rules->beside_min_hosts) == 0)
		object->beside = fm_live_open(options, diag);
	free(name);
	return (object->beside == NULL ? -1 : 0);
}

/* Returns the program that the live was opened with, or NULL. */
static const struct fm_program *
first_program(const struct vmod_fastmatch_rules *rules)
{
	const struct fm_rules_set *payload;
	const struct fm_set *first = NULL;

	if (rules->object.beside != NULL)
		first = fm_live_first(rules->object.beside);
	if (first == NULL)
		return (NULL);
	CAST_OBJ_NOTNULL(payload, first->payload, FM_RULES_SET_MAGIC);
	return (payload->program);
}

bool
fm_rules_beside_names(const struct vmod_fastmatch_rules *rules,
    const char *backend)
{
	const struct fm_program *program = first_program(rules);
	uint32_t n;

	for (n = 0; program != NULL && n < fm_program_nbackends(program); n++)
		if (strcmp(fm_program_backend(program, n, NULL), backend) == 0)
			return (true);
	return (false);
}

bool
fm_rules_beside_calls(const struct vmod_fastmatch_rules *rules,
    const char *sub)
{
	const struct fm_program *program = first_program(rules);
	uint32_t n;

	for (n = 0; program != NULL && n < fm_program_ncalls(program); n++)
		if (strcmp(fm_program_call(program, n, NULL, NULL), sub) == 0)
			return (true);
	return (false);
}
