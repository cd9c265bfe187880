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
uint8_t
fm_compile_slot(struct fm_compile *c, struct fm_text name,
    const struct fm_place *place)
{
	uint8_t *link = &c->p->slot_heads[(unsigned char)name.b[0] & 31];
	struct fm_slot *slot, new;

	assert(name.len > 0);
	for (; *link != 0; link = &slot->next) {
		slot = FM_GROW_AT(&c->slots, struct fm_slot, *link - 1);
		if (fm_text_eq_nocase(slot->name, name))
			return ((uint8_t)(*link - 1));
	}
	if (c->slots.n == FM_SLOTS) {
		fm_diag_error(c->diag, place, "more than %d different header "
		    "names: use fewer", FM_SLOTS);
		fm_compile_fail(c);
	}
	*link = (uint8_t)(c->slots.n + 1);
	new = (struct fm_slot){
	    .name = fm_compile_copy(c, &c->p->arena, name),
	    .front = fm_name_word(name.b, name.len),
	    .back = fm_name_word(name.b + (name.len < 8 ? 0 : name.len - 8),
		name.len),
	    .kind = slot_kind(c, name) };
	return ((uint8_t)fm_compile_append(c, &c->slots, &new, sizeof new));
}

/* Finds or adds the name of a parameter or a cookie in texts[]. */
static uint32_t
subject_name(struct fm_compile *c, struct fm_text name)
{
	uint32_t text;

	fm_intern_key(&c->intern, FM_TAG_NAME);
	fm_intern_key_text(&c->intern, name);
	return (fm_compile_new(c, c->texts.n, &text) ?
	    fm_compile_text(c, name) : text);
}

/* Compiles a subject, or a variable in a value. */
static struct fm_subject_code
subject_named(struct fm_compile *c, enum fm_subject_kind kind,
    struct fm_text name, const struct fm_place *place)
{
	struct fm_subject_code code = { .kind = (uint8_t)kind };

	switch (kind) {
	case FM_SUBJECT_HEADER:
		code.slot = fm_compile_slot(c, name, place);
		break;
	case FM_SUBJECT_COOKIE:
		code.slot = FM_SLOT_OF_COOKIE;
		code.name = subject_name(c, name);
		break;
	case FM_SUBJECT_QUERY:
		code.name = subject_name(c, name);
		break;
	case FM_SUBJECT_CLIENT:
		c->p->wants_client = true;
		break;
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_HOST:
	case FM_SUBJECT_METHOD:
		break;
	}
	return (code);
}

struct fm_subject_code
fm_compile_subject(struct fm_compile *c, const struct fm_subject *subject)
{
	return (subject_named(c, subject->kind,
	    subject->agent ? fm_text_of("User-Agent") : subject->name,
	    &subject->at));
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

/* Compiles ${1} to ${9}: a group of the innermost `when` that has a regex. */
static struct fm_template_piece
piece_group(struct fm_compile *c, const struct fm_part *part)
{
	struct fm_template_piece piece = { .kind = FM_PART_GROUP, .a = FM_NONE,
	    .b = part->group };

	if (c->scope == NULL)
		return (piece);
	c->scope->used = true;
	piece.a = c->scope->reg;
	if (c->p->nregs <= piece.a)
		c->p->nregs = piece.a + 1;
	return (piece);
}

/* Compiles a text, without CR, LF and NUL, so that no run has to look. */
static uint32_t
piece_text(struct fm_compile *c, struct fm_text text)
{
	char *p = fm_compile_alloc(c, &c->lowered, text.len);
	size_t i, len = 0;

	for (i = 0; i < text.len; i++)
		if (text.b[i] != '\r' && text.b[i] != '\n' &&
		    text.b[i] != '\0')
			p[len++] = text.b[i];
	return (fm_compile_text(c, fm_text(p, len)));
}

static struct fm_template_piece
piece_of(struct fm_compile *c, const struct fm_part *part)
{
	static const uint8_t subjects[] = {
		[FM_PART_HEADER] = FM_SUBJECT_HEADER,
		[FM_PART_COOKIE] = FM_SUBJECT_COOKIE,
		[FM_PART_PARAMETER] = FM_SUBJECT_QUERY
	};
	struct fm_template_piece piece = { .kind = (uint8_t)part->kind };

	switch (part->kind) {
	case FM_PART_TEXT:
		piece.a = piece_text(c, part->text);
		break;
	case FM_PART_GROUP:
		return (piece_group(c, part));
	case FM_PART_HEADER:
	case FM_PART_COOKIE:
	case FM_PART_PARAMETER:
		piece.subject = subject_named(c, subjects[part->kind],
		    part->text, &part->at);
		break;
	default:
		c->p->wants_client |= part->kind == FM_PART_CLIENT;
		break;
	}
	return (piece);
}

/* Compiles a map of a subject; block_memos() will give the piece its memo. */
static struct fm_template_piece
piece_map(struct fm_compile *c, const struct fm_value *value)
{
	struct fm_template_piece piece = { .kind = FM_PART_MAP,
	    .subject = fm_compile_subject(c, &value->subject) };

	piece.a = fm_compile_map(c, value->map_def, &piece.subject);
	return (piece);
}

/*
 * Makes a template.  A map is compiled before t.first is known, as its lines
 * have templates, and pieces, of their own.
 */
uint32_t
fm_compile_value(struct fm_compile *c, const struct fm_value *value)
{
	struct fm_template t = { 0 };
	const struct fm_part *part;
	struct fm_template_piece piece;

	if (value->map != NULL)
		piece = piece_map(c, value);
	t.first = (uint32_t)c->pieces.n;
	if (value->map != NULL)
		(void)fm_compile_append(c, &c->pieces, &piece, sizeof piece);
	for (part = value->parts; part != NULL; part = part->next) {
		piece = piece_of(c, part);
		(void)fm_compile_append(c, &c->pieces, &piece, sizeof piece);
	}
	t.count = (uint32_t)c->pieces.n - t.first;
	return (fm_compile_append(c, &c->templates, &t, sizeof t));
}
