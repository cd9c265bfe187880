/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles subjects of tests and maps, and gives each header that the rules
 * name a slot.  Compiles values to templates, which template.c fills in: a
 * piece for each text and each variable.
 *
 *	"https://${host}${url}"		TEXT "https://", HOST, URL
 *	site(host)			MAP site, subject HOST
 */

#include "compile_priv.h"
#include "obj.h"

/*--------------------------------------------------------------------
 * Subjects
 */

static enum fm_slot_kind
slot_kind(const struct fm_compile *c, struct fm_text name)
{
	struct fm_text accept = fm_text_of("Accept-");

	if (c->model->repeated != NULL)
		return (FM_SLOT_PLAIN);
	if (fm_text_eq_nocase(name, fm_text_of("Cookie")))
		return (FM_SLOT_COOKIE);
	if (fm_text_eq_nocase(name, fm_text_of("Accept")) ||
	    (name.len > accept.len &&
	    fm_text_eq_nocase(fm_text(name.b, accept.len), accept)))
		return (FM_SLOT_LIST);
	return (FM_SLOT_PLAIN);
}

/* Finds the slot of a header; a new slot comes last in its chain. */
int
fm_compile_slot(struct fm_compile *c, struct fm_text name,
    const struct fm_place *place, uint8_t *slot)
{
	struct fm_text copy;
	uint8_t *link;

	assert(name.len > 0);
	link = &c->slot_heads[(unsigned char)name.b[0] & 31];
	while (*link != 0) {
		*slot = (uint8_t)(*link - 1);
		if (fm_text_eq_nocase(c->slots[*slot].name, name))
			return (0);
		link = &c->slots[*slot].next;
	}
	if (c->nslots == FM_SLOTS) {
		fm_diag_error(c->diag, place, "more than %d different header "
		    "names: use fewer", FM_SLOTS);
		return (-1);
	}
	copy = fm_text(fm_arena_add(&c->arena, name), name.len);
	if (copy.b == NULL)
		return (fm_compile_no_memory(c));
	*slot = (uint8_t)c->nslots++;
	*link = (uint8_t)(*slot + 1);
	c->slots[*slot] = (struct fm_slot){ .name = copy,
	    .front = fm_name_word(name.b, name.len),
	    .back = fm_name_word(name.b + (name.len < 8 ? 0 : name.len - 8),
		name.len),
	    .kind = slot_kind(c, name) };
	return (0);
}

/* Finds or adds the name of a parameter or a cookie in texts[]. */
static int
subject_name(struct fm_compile *c, struct fm_text name, uint32_t *text)
{
	int new;

	fm_intern_key(&c->intern, FM_TAG_NAME);
	fm_intern_key_text(&c->intern, name);
	new = fm_compile_get(c, c->texts.n, text);
	return (new <= 0 ? new : fm_compile_text(c, name, text));
}

/* Compiles a subject, or a variable in a value. */
static int
subject_named(struct fm_compile *c, enum fm_subject_kind kind,
    struct fm_text name, const struct fm_place *place,
    struct fm_subject_code *code)
{
	*code = (struct fm_subject_code){ .kind = (uint8_t)kind };
	switch (kind) {
	case FM_SUBJECT_HEADER:
		return (fm_compile_slot(c, name, place, &code->slot));
	case FM_SUBJECT_COOKIE:
		code->slot = FM_SLOT_OF_COOKIE;
		return (subject_name(c, name, &code->name));
	case FM_SUBJECT_QUERY:
		return (subject_name(c, name, &code->name));
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_HOST:
	case FM_SUBJECT_METHOD:
		return (0);
	case FM_SUBJECT_CLIENT:
		c->wants_client = true;
		return (0);
	}
	assert(!"a kind of subject");
	return (-1);
}

int
fm_compile_subject(struct fm_compile *c, const struct fm_subject *subject,
    struct fm_subject_code *code)
{
	return (subject_named(c, subject->kind,
	    subject->agent ? fm_text_of("User-Agent") : subject->name,
	    &subject->at, code));
}

void
fm_compile_key_subject(struct fm_compile *c,
    const struct fm_subject_code *code)
{
	fm_intern_key_number(&c->intern, code->kind);
	fm_intern_key_number(&c->intern, code->slot);
	fm_intern_key_number(&c->intern, code->name);
}

/*--------------------------------------------------------------------
 * Values
 */

static const enum fm_piece_kind plain_pieces[] = {
	[FM_PART_URL] = FM_PIECE_URL,
	[FM_PART_PATH] = FM_PIECE_PATH,
	[FM_PART_QUERY] = FM_PIECE_QUERY,
	[FM_PART_HOST] = FM_PIECE_HOST,
	[FM_PART_METHOD] = FM_PIECE_METHOD,
	[FM_PART_CLIENT] = FM_PIECE_CLIENT,
	[FM_PART_PORT] = FM_PIECE_PORT,
	[FM_PART_RULESET] = FM_PIECE_RULESET,
	[FM_PART_WILD] = FM_PIECE_WILD,
};

/* Compiles ${1} to ${9}: a group of the innermost `when` that has a regex. */
static void
piece_group(struct fm_compile *c, const struct fm_part *part,
    struct fm_piece *piece)
{
	piece->kind = FM_PIECE_GROUP;
	piece->a = FM_NONE;
	piece->b = part->group;
	if (c->scope == NULL)
		return;
	c->scope->used = true;
	piece->a = c->scope->reg;
	if (c->nregs <= piece->a)
		c->nregs = piece->a + 1;
}

static int
piece_subject(struct fm_compile *c, const struct fm_part *part,
    enum fm_subject_kind kind, struct fm_piece *piece)
{
	piece->kind = FM_PIECE_SUBJECT;
	return (subject_named(c, kind, part->text, &part->at,
	    &piece->subject));
}

/* Compiles a text, without CR, LF and NUL, so that no run has to look. */
static int
piece_text(struct fm_compile *c, struct fm_text text, struct fm_piece *piece)
{
	size_t i, len = 0;
	char *p;

	piece->kind = FM_PIECE_TEXT;
	if (text.len > 0 && (memchr(text.b, '\r', text.len) != NULL ||
	    memchr(text.b, '\n', text.len) != NULL ||
	    memchr(text.b, '\0', text.len) != NULL)) {
		p = fm_arena_alloc(&c->lowered, text.len);
		if (p == NULL)
			return (fm_compile_no_memory(c));
		for (i = 0; i < text.len; i++)
			if (text.b[i] != '\r' && text.b[i] != '\n' &&
			    text.b[i] != '\0')
				p[len++] = text.b[i];
		text = fm_text(p, len);
	}
	return (fm_compile_text(c, text, &piece->a));
}

static int
piece_of(struct fm_compile *c, const struct fm_part *part,
    struct fm_piece *piece)
{
	*piece = (struct fm_piece){ 0 };
	switch (part->kind) {
	case FM_PART_TEXT:
		return (piece_text(c, part->text, piece));
	case FM_PART_GROUP:
		piece_group(c, part, piece);
		return (0);
	case FM_PART_HEADER:
		return (piece_subject(c, part, FM_SUBJECT_HEADER, piece));
	case FM_PART_COOKIE:
		return (piece_subject(c, part, FM_SUBJECT_COOKIE, piece));
	case FM_PART_PARAMETER:
		return (piece_subject(c, part, FM_SUBJECT_QUERY, piece));
	case FM_PART_CLIENT:
		c->wants_client = true;
		break;
	case FM_PART_PORT:
	case FM_PART_URL:
	case FM_PART_PATH:
	case FM_PART_QUERY:
	case FM_PART_HOST:
	case FM_PART_METHOD:
	case FM_PART_RULESET:
	case FM_PART_WILD:
		break;
	}
	piece->kind = (uint8_t)plain_pieces[part->kind];
	return (0);
}

/* Compiles a map of a subject; block_memos() will give the piece its memo. */
static int
piece_map(struct fm_compile *c, const struct fm_value *value,
    struct fm_piece *piece)
{
	*piece = (struct fm_piece){ .kind = FM_PIECE_MAP };
	if (fm_compile_subject(c, &value->subject, &piece->subject) != 0)
		return (-1);
	return (fm_compile_map(c, value->map_def, &piece->subject,
	    &piece->a));
}

/*
 * Makes a template.  A map is compiled before t.first is known, as its lines
 * have templates, and pieces, of their own.
 */
int
fm_compile_value(struct fm_compile *c, const struct fm_value *value,
    uint32_t *number)
{
	struct fm_template t = { 0 };
	const struct fm_part *part;
	struct fm_piece piece;

	if (value->map != NULL && piece_map(c, value, &piece) != 0)
		return (-1);
	t.first = (uint32_t)c->pieces.n;
	if (value->map != NULL && fm_compile_append(c, &c->pieces, &piece,
	    sizeof piece) != 0)
		return (-1);
	for (part = value->parts; part != NULL; part = part->next)
		if (piece_of(c, part, &piece) != 0 ||
		    fm_compile_append(c, &c->pieces, &piece,
		    sizeof piece) != 0)
			return (-1);
	t.count = (uint32_t)c->pieces.n - t.first;
	*number = (uint32_t)c->templates.n;
	return (fm_compile_append(c, &c->templates, &t, sizeof t));
}
