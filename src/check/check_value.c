/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks names of headers, parameters and cookies, and the variables of values.
 */

#include <stdio.h>

#include "bounds.h"
#include "check_priv.h"
#include "names.h"

/*--------------------------------------------------------------------
 * Headers
 */

/* Headers of the connection, and those that say where the body ends. */
static const char * const header_forbidden[] = {
	"Connection", "Content-Length", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
	"Transfer-Encoding", "Upgrade", NULL
};

/* Headers without which the request would be another one. */
static const char * const header_needed[] = {
	"Host", "Content-Length", "Transfer-Encoding", NULL
};

/* Notes how rules use a header.  Reports the first one too many. */
static void
header_note(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	struct fm_check_named *named;

	named = fm_check_table_find(&check->headers, name);
	if (named == NULL) {
		named = fm_arena_alloc(&check->model->arena, sizeof *named);
		if (named == NULL) {
			fm_diag_no_memory(check->diag);
			return;
		}
		(void)fm_check_table_add(&check->headers, name, named,
		    check->diag);
		if (check->headers.entries.n == FM_LIMIT_HEADERS + 1)
			fm_check_error(check, at, FM_MSG_HEADERS,
			    FM_SHOW(name), FM_LIMIT_HEADERS);
	}
	if (how != FM_CHECK_HEADER_UNSET)
		named->matters |= how != FM_CHECK_HEADER_SET || named->set;
	named->read |= how == FM_CHECK_HEADER_READ;
	named->set |= how == FM_CHECK_HEADER_SET;
}

void
fm_check_header(struct fm_check *check, enum fm_check_header how,
    struct fm_text name, const struct fm_place *at)
{
	bool glob = fm_text_has_any(name, "*?");
	bool request = !fm_phase_is_response(check->phase);

	if (name.len > FM_LIMIT_HEADER_NAME)
		fm_check_error(check, at, FM_MSG_HEADER_LONG, name.len,
		    FM_LIMIT_HEADER_NAME);
	else if (!fm_text_is_token(name, "?"))	/* of a glob */
		fm_check_error(check, at, FM_MSG_HEADER_NAME,
		    FM_SHOW(name));
	else if (glob && how != FM_CHECK_HEADER_UNSET &&
	    how != FM_CHECK_HEADER_GLOB)
		fm_check_error(check, at, FM_MSG_HEADER_GLOB,
		    FM_SHOW(name));
	else if (!request)
		fm_check_response_header(check, how, name, at);
	else if (check->phase == FM_PHASE_FETCH &&
	    !fm_check_fetch_header(check, how, name, at))
		return;
	else if (how == FM_CHECK_HEADER_SET &&
	    check->phase != FM_PHASE_FETCH &&
	    fm_text_is_one_of(name, header_forbidden))
		fm_check_error(check, at, FM_MSG_HEADER_SET,
		    FM_SHOW(name));
	else if (how == FM_CHECK_HEADER_UNSET &&
	    check->phase != FM_PHASE_FETCH &&
	    fm_text_is_one_of(name, header_needed))
		fm_check_error(check, at, FM_MSG_HEADER_UNSET,
		    FM_SHOW(name));
	else if (!glob)
		header_note(check, how, name, at);
	fm_check_slip_header(check, how, name, at);
}

/*--------------------------------------------------------------------
 * Names of parameters and cookies
 */

void
fm_check_name(struct fm_check *check, struct fm_text name, bool glob,
    const struct fm_place *at)
{
	if (fm_names_is_name(name, at, check->diag) && !glob &&
	    fm_text_has_any(name, "*?"))
		fm_check_error(check, at, FM_MSG_NAME_GLOB,
		    FM_SHOW(name));
}

/*--------------------------------------------------------------------
 * Values
 */

static void
group_check(struct fm_check *check, struct fm_part *part)
{
	const struct fm_check_scope *scope = check->in_map != NULL ? NULL :
	    check->scope;

	if (scope != NULL)
		part->of_host = scope->of_host;
	if (scope == NULL || part->group > scope->groups)
		fm_diag_warning(check->diag, &part->at, FM_MSG_WARN_GROUP,
		    part->group);
}

/* Returns true for a number, and for words of which several may be true. */
static bool
is_amount(enum fm_subject_kind kind)
{
	return (kind == FM_SUBJECT_TTL || kind == FM_SUBJECT_SIZE ||
	    kind == FM_SUBJECT_FETCH || kind == FM_SUBJECT_RESTARTS);
}

static void
map_value_check(struct fm_check *check, struct fm_value *value)
{
	if (check->in_map != NULL) {
		fm_check_error(check, &value->map->at, FM_MSG_MAP_IN_MAP);
		/* This marks the map as used. */
		(void)fm_check_find(check, &check->maps, value->map);
		return;
	}
	value->map_def = fm_check_find(check, &check->maps, value->map);
	fm_check_subject(check, &value->subject, false);
	if (value->map_def == NULL)
		return;
	if (is_amount(value->subject.kind))
		fm_check_error(check, &value->subject.at, FM_MSG_MAP_SUBJECT,
		    fm_subject_word(value->subject.kind));
	if (value->subject.kind == FM_SUBJECT_CLIENT && !value->map_def->in)
		fm_check_word_error(check, value->map, FM_MSG_CLIENT_MAP);
	if (value->map_def->in)
		fm_check_nets_subject(check, &value->subject);
	value->map_def->phases |= 1U << check->phase;
	value->map_def->subjects |= fm_check_subject_bit(&value->subject);
}

/* Reports a variable that the phase does not have. */
static void
part_phase_check(struct fm_check *check, const struct fm_part *part)
{
	const struct fm_value_row *row = fm_value_row(part->kind);
	char word[32];

	if (row == NULL || (check->in_map != NULL &&
	    check->in_map->phases == 0))
		return;
	(void)snprintf(word, sizeof word, "${%s%s}", row->name,
	    row->name[strlen(row->name) - 1] == '.' ? "NAME" : "");
	if (fm_check_phase_has(check, row->phases, word, &part->at) &&
	    part->kind == FM_PART_SCHEME)
		fm_check_scheme_known(check, &part->at);
}

void
fm_check_value_phase(struct fm_check *check, const struct fm_value *value)
{
	const struct fm_part *part;

	for (part = value->parts; part != NULL; part = part->next) {
		part_phase_check(check, part);
		if (part->kind == FM_PART_HEADER)
			fm_check_header(check, FM_CHECK_HEADER_READ,
			    part->text, &part->at);
	}
}

static void
value_check(struct fm_check *check, struct fm_value *value, bool regex)
{
	struct fm_part *part;

	if (value == NULL)
		return;
	if (value->map != NULL) {
		map_value_check(check, value);
		return;
	}
	for (part = value->parts; part != NULL; part = part->next) {
		part_phase_check(check, part);
		switch (part->kind) {
		case FM_PART_HEADER:
			fm_check_header(check, FM_CHECK_HEADER_READ,
			    part->text, &part->at);
			break;
		case FM_PART_COOKIE:
		case FM_PART_PARAMETER:
			fm_check_name(check, part->text, false, &part->at);
			break;
		case FM_PART_GROUP:
			group_check(check, part);
			break;
		case FM_PART_TEXT:
			fm_check_slip_text(check, part->text, &part->at,
			    !value->quoted && check->in_map == NULL, regex);
			break;
		default:
			break;
		}
	}
}

void
fm_check_value(struct fm_check *check, struct fm_value *value)
{
	value_check(check, value, false);
}

void
fm_check_value_regex(struct fm_check *check, struct fm_value *value)
{
	value_check(check, value, true);
}

/* Returns true if a value has no variables, and no bytes but blanks. */
bool
fm_check_value_empty(const struct fm_value *value)
{
	const struct fm_part *part;
	size_t i;

	if (value == NULL || value->map != NULL)
		return (false);
	for (part = value->parts; part != NULL; part = part->next) {
		if (part->kind != FM_PART_TEXT)
			return (false);
		for (i = 0; i < part->text.len; i++)
			if (strchr(" \t\r\n", part->text.b[i]) == NULL)
				return (false);
	}
	return (true);
}
