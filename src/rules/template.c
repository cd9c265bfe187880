/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values: text with variables in it, and maps.
 */

#include "find.h"
#include "obj.h"
#include "run_priv.h"

/* One match of a line: any of its patterns, or none where it is negated. */
static enum fm_outcome
match_eval(struct fm_exec *x, struct fm_memo *memo,
    const struct fm_map_code *map, const struct fm_map_match_code *match)
{
	enum fm_outcome outcome;

	outcome = fm_memo_range(x, memo, map->set,
	    map->first + match->first, match->count);
	if (!match->negated || outcome == FM_UNDECIDED)
		return (outcome);
	return (outcome == FM_TRUE ? FM_FALSE : FM_TRUE);
}

/*
 * Whether all that a line asks for holds.  Undecided is no match, and counts,
 * unless something else says that the line does not match anyway.
 */
static bool
line_eval(struct fm_exec *x, struct fm_memo *memo,
    const struct fm_map_code *map, const struct fm_map_line_code *line)
{
	const struct fm_map_match_code *match;
	bool undecided = false;
	uint32_t i;

	match = &x->program->map_matches[line->first];
	for (i = 0; i < line->count; i++)
		switch (match_eval(x, memo, map, &match[i])) {
		case FM_FALSE:
			return (false);
		case FM_UNDECIDED:
			undecided = true;
			break;
		default:
			break;
		}
	x->undecided |= undecided;
	return (!undecided);
}

/*
 * The template of the first line that matches.  A line can match only if one
 * of its patterns is a candidate, or if all of its matches are negated; both
 * kinds are gone through in the order of the text.
 */
static uint32_t
map_find(struct fm_exec *x, const struct fm_map_code *map,
    struct fm_memo *memo)
{
	const uint32_t *line_of = &x->program->map_line_of[map->line_of];
	const uint32_t *unhinted = &x->program->map_unhinted[map->unhinted];
	const struct fm_map_line_code *lines;
	uint32_t left = map->nunhinted, from = 0, line;
	uint32_t n = map->first, end = n + map->count;

	lines = &x->program->map_lines[map->first_line];
	for (;;) {
		while ((n = fm_memo_next(x, memo, n, end)) != FM_NONE &&
		    line_of[n - map->first] < from)
			n++;
		line = n == FM_NONE ? FM_NONE : line_of[n - map->first];
		for (; left > 0 && *unhinted < from; left--)
			unhinted++;
		if (left > 0 && *unhinted < line)
			line = *unhinted;
		if (line == FM_NONE)
			return (map->otherwise);
		if (line_eval(x, memo, map, &lines[line]))
			return (lines[line].template);
		from = line + 1;
	}
}

/*
 * A large map, from a file mostly, or one of a few texts: there the first
 * pattern that matches is all of its line, and a bit for each would cost more
 * than to find it.  false: its line asks for more, or a pattern before it is
 * undecided, whose line may yet be decided by others.
 */
static bool
map_find_first(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_piece *piece, uint32_t *template)
{
	struct fm_memo *memo = fm_memo_get(x, piece->memo, &piece->subject);
	const struct fm_map_line_code *line;
	bool undecided = false;
	uint32_t n;

	*template = map->otherwise;
	if (memo->subject.b == NULL)
		return (true);
	n = fm_memo_first(x, memo, map->set, &piece->subject, &undecided);
	if (undecided)
		return (false);
	if (n != FM_NONE) {
		line = &x->program->map_lines[map->first_line +
		    x->program->map_line_of[map->line_of + n]];
		if (line->count > 1)
			return (false);
		*template = line->template;
	}
	return (true);
}

/* Of a host that is in the table by its name, which says what its maps give. */
static uint32_t
map_known(const struct fm_exec *x, const struct fm_map_code *map)
{
	const struct fm_program *p = x->program;

	if (map->known == FM_NONE || p->known == NULL ||
	    x->req.hit.how != FM_HOSTTAB_EXACT)
		return (FM_UNKNOWN);
	return (p->known[(size_t)x->req.hit.pattern * p->nknown +
	    map->known]);
}

/* One of a few texts, each a line. */
static uint32_t
map_find_text(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_piece *piece)
{
	const struct fm_program *p = x->program;
	struct fm_text subject = fm_request_subject(&x->req, &piece->subject);
	uint32_t n;

	for (n = 0; n < map->count && subject.b != NULL; n++)
		if (fm_find(subject, p->texts[map->texts + n], 0) != NULL)
			return (p->map_lines[map->first_line +
			    p->map_line_of[map->line_of + n]].template);
	return (map->otherwise);
}

uint32_t
fm_map_template(struct fm_exec *x, const struct fm_piece *piece)
{
	const struct fm_map_code *map = &x->program->maps[piece->a];
	uint32_t template = map_known(x, map);
	struct fm_memo *memo;

	if (template != FM_UNKNOWN)
		return (template);
	if (map->texts != FM_NONE)
		return (map_find_text(x, map, piece));
	if (map->direct && map_find_first(x, map, piece, &template))
		return (template);
	memo = fm_memo_candidates(x, piece->memo, map->set, &piece->subject);
	return (memo == NULL ? map->otherwise : map_find(x, map, memo));
}

static struct fm_text
map_text(struct fm_exec *x, const struct fm_piece *piece, struct fm_text *lead)
{
	uint32_t template = fm_map_template(x, piece);

	if (template == FM_NONE || x->req.no_memory)
		return (fm_text("", 0));
	return (fm_template_text(x, template, lead));
}

static struct fm_text
group_text(const struct fm_exec *x, const struct fm_piece *piece)
{
	if (piece->a == FM_NONE || x->regs[piece->a] == NULL)
		return (fm_text("", 0));
	return (x->regs[piece->a][piece->b]);
}

/* What a piece stands for; may be missing. */
static struct fm_text
piece_text(struct fm_exec *x, const struct fm_piece *piece,
    struct fm_text *lead)
{
	switch ((enum fm_piece_kind)piece->kind) {
	case FM_PIECE_TEXT:
		*lead = x->program->texts[piece->a];
		return (*lead);
	case FM_PIECE_URL:
		return (fm_request_target(&x->req));
	case FM_PIECE_PATH:
		return (fm_request_target_path(&x->req));
	case FM_PIECE_QUERY:
		return (fm_request_query(&x->req));
	case FM_PIECE_HOST:
		return (x->req.host);
	case FM_PIECE_METHOD:
		return (x->req.view->method);
	case FM_PIECE_RULESET:
		return (x->result->site);
	case FM_PIECE_WILD:
		return (x->req.hit.wild);
	case FM_PIECE_SUBJECT:
		return (fm_request_subject(&x->req, &piece->subject));
	case FM_PIECE_GROUP:
		return (group_text(x, piece));
	case FM_PIECE_MAP:
		return (map_text(x, piece, lead));
	}
	assert(!"a kind of piece");
	return (fm_text(NULL, 0));
}

/* Several pieces: what each stands for, then all of it in one place. */
static struct fm_text
template_join(struct fm_exec *x, const struct fm_template *t,
    struct fm_text *lead)
{
	const struct fm_piece *pieces = &x->program->pieces[t->first];
	struct fm_text *texts, ignored;
	size_t len = 0;
	uint32_t i;
	char *buf;

	texts = fm_request_alloc(&x->req, t->count * sizeof *texts);
	if (texts == NULL)
		return (fm_text("", 0));
	for (i = 0; i < t->count; i++) {
		texts[i] = piece_text(x, &pieces[i], i == 0 ? lead : &ignored);
		len += texts[i].len;
	}
	buf = fm_request_alloc(&x->req, len);
	if (buf == NULL)
		return (fm_text("", 0));
	for (i = 0, len = 0; i < t->count; i++) {
		if (texts[i].len > 0)
			memcpy(buf + len, texts[i].b, texts[i].len);
		len += texts[i].len;
	}
	return (fm_text(buf, len));
}

struct fm_text
fm_template_text(struct fm_exec *x, uint32_t template, struct fm_text *lead)
{
	const struct fm_template *t = &x->program->templates[template];
	struct fm_text text = fm_text(NULL, 0);
	const struct fm_piece *piece;

	*lead = text;
	if (t->count == 1) {
		piece = &x->program->pieces[t->first];
		if (piece->kind == FM_PIECE_MAP)
			return (map_text(x, piece, lead));
		text = piece_text(x, piece, lead);
		if (piece->kind == FM_PIECE_TEXT)
			return (text);
	} else if (t->count > 1)
		text = template_join(x, t, lead);
	if (text.b == NULL)
		return (fm_text("", 0));
	return (fm_request_clean(&x->req, text));
}
