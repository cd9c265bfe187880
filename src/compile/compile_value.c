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
#include "targeted.h"

/*--------------------------------------------------------------------
 * Subjects
 */

static enum fm_slot_kind
slot_kind(const struct fm_compile *compile, struct fm_text name)
{
	struct fm_text accept = fm_text_of("Accept-");

	if (fm_text_eq_nocase(name, fm_text_of("Cache-Control")) ||
	    fm_text_eq_nocase(name, fm_text_of("Vary")) ||
	    fm_text_eq_nocase(name, fm_text_of("Cache-Status")) ||
	    fm_targeted_kind(name) != FM_TARGETED_SECONDS)
		return (fm_phase_is_response(compile->phase) ? FM_SLOT_LIST :
		    FM_SLOT_PLAIN);
	if (compile->model->repeated != NULL)
		return (FM_SLOT_PLAIN);
	if (fm_text_eq_nocase(name, fm_text_of("Cookie")))
		return (FM_SLOT_COOKIE);
	if (fm_text_eq_nocase(name, fm_text_of("Accept")) ||
	    (name.len > accept.len &&
	    fm_text_eq_nocase(fm_text(name.b, accept.len), accept)))
		return (FM_SLOT_LIST);
	return (FM_SLOT_PLAIN);
}

/* Returns the head of the chain of a name. */
static unsigned
slot_head(const struct fm_compile *compile, struct fm_text name)
{
	unsigned at = compile->p->slot_at;

	return (fm_slot_head(name.b[0], at < name.len ? name.b[at] : ':'));
}

/* Finds the slot of a header; a new slot comes last in its chain. */
static uint8_t
slot_find(struct fm_compile *compile, uint8_t heads[32], struct fm_text name,
    const struct fm_place *place)
{
	uint8_t *link = &heads[slot_head(compile, name)];
	struct fm_slot *slot, new;

	assert(name.len > 0);
	for (; *link != 0; link = &slot->next) {
		slot = FM_GROW_AT(&compile->slots, struct fm_slot, *link - 1);
		if (fm_text_eq_nocase(slot->name, name))
			return ((uint8_t)(*link - 1));
	}
	if (compile->slots.n == FM_SLOTS) {
		fm_diag_error(compile->diag,
		    place, "more than %d different header " "names: use fewer",
		    FM_SLOTS);
		fm_compile_fail(compile);
	}
	*link = (uint8_t)(compile->slots.n + 1);
	new = (struct fm_slot){
	    .name = fm_compile_copy(compile, &compile->p->arena, name),
	    .words = fm_name_words(name),
	    .last_at = name.len < 8 ? 0 : (uint32_t)name.len - 8,
	    .shift = (uint8_t)fm_name_shift(name.len),
	    .kind = (uint8_t)slot_kind(compile, name) & 0x7f,
	    .request = heads == compile->p->request_heads };
	return ((uint8_t)fm_compile_append(compile, &compile->slots, &new,
	    sizeof new));
}

/*
 * Returns true if this byte is the same in each field of a slot and in its
 * aliases, but for the case.
 */
static bool
slots_keep(const struct fm_compile *compile, unsigned at)
{
	struct fm_text name;
	size_t i;

	for (i = 0; i < compile->slots.n; i++) {
		name = FM_GROW_AT(&compile->slots, struct fm_slot, i)->name;
		if (name.len < at || (at < name.len && name.b[at] == '-' &&
		    !fm_phase_is_response(compile->phase)))
			return (false);
	}
	return (true);
}

void
fm_compile_slots_end(struct fm_compile *compile)
{
	struct fm_program *program = compile->p;
	struct fm_slot *slot;
	uint8_t at = 2, *heads;
	unsigned head;
	size_t i;

	while (at < FM_SLOT_AT && !slots_keep(compile, at))
		at++;
	program->slot_at = at < FM_SLOT_AT ? at : 0;
	memset(program->slot_heads, 0, sizeof program->slot_heads);
	memset(program->request_heads, 0, sizeof program->request_heads);
	for (i = compile->slots.n; i > 0; i--) {
		slot = FM_GROW_AT(&compile->slots, struct fm_slot, i - 1);
		heads = slot->request ? program->request_heads :
		    program->slot_heads;
		head = slot_head(compile, slot->name);
		slot->next = heads[head];
		heads[head] = (uint8_t)i;
	}
}

uint8_t
fm_compile_slot(struct fm_compile *compile, struct fm_text name,
    const struct fm_place *place)
{
	return (slot_find(compile, compile->p->slot_heads, name, place));
}

uint8_t
fm_compile_request_slot(struct fm_compile *compile, struct fm_text name,
    const struct fm_place *place)
{
	if (!fm_phase_is_response(compile->phase))
		return (fm_compile_slot(compile, name, place));
	compile->p->reads_request = true;
	return (slot_find(compile, compile->p->request_heads, name, place));
}

/* Finds or adds the name of a parameter or a cookie in texts[]. */
static uint32_t
subject_name(struct fm_compile *compile, struct fm_text name)
{
	uint32_t text;

	fm_intern_key(&compile->intern, FM_TAG_NAME);
	fm_intern_key_text(&compile->intern, name);
	return (fm_compile_new(compile, compile->texts.n, &text) ?
	    fm_compile_text(compile, name) : text);
}

/* Notes that a run looks at the session, the peer and the request's headers. */
static void
wants_scheme(struct fm_compile *compile)
{
	compile->p->wants |= FM_WANTS_SCHEME;
	compile->p->reads_request = true;
}

/* Compiles a subject, or a variable in a value. */
static struct fm_subject_code
subject_named(struct fm_compile *compile, enum fm_subject_kind kind,
    struct fm_text name, const struct fm_place *place)
{
	struct fm_subject_code code = { .kind = (uint8_t)kind };

	switch (kind) {
	case FM_SUBJECT_HEADER:
		code.slot = fm_compile_slot(compile, name, place);
		break;
	case FM_SUBJECT_REQUEST_HEADER:
		code.kind = FM_SUBJECT_HEADER;
		code.slot = fm_compile_request_slot(compile, name, place);
		break;
	case FM_SUBJECT_TYPE:
		code.slot = fm_compile_slot(compile,
		    fm_text_of("Content-Type"), place);
		break;
	case FM_SUBJECT_SET_COOKIE:
	case FM_SUBJECT_CACHE_CONTROL:
		code.slot = fm_compile_slot(compile,
		    fm_text_of(kind == FM_SUBJECT_SET_COOKIE ? "Set-Cookie" :
		    "Cache-Control"), place);
		code.name = subject_name(compile, name);
		break;
	case FM_SUBJECT_COOKIE:
		compile->p->reads_request = true;
		code.slot = FM_SLOT_OF_COOKIE;
		code.name = subject_name(compile, name);
		break;
	case FM_SUBJECT_QUERY:
		code.name = subject_name(compile, name);
		break;
	case FM_SUBJECT_CLIENT:
		compile->p->wants |= FM_WANTS_CLIENT;
		break;
	case FM_SUBJECT_SCHEME:
		wants_scheme(compile);
		break;
	case FM_SUBJECT_URL:
	case FM_SUBJECT_PATH:
	case FM_SUBJECT_CLEAN_PATH:
	case FM_SUBJECT_HOST:
	case FM_SUBJECT_METHOD:
	case FM_SUBJECT_STATUS:
	case FM_SUBJECT_TTL:
	case FM_SUBJECT_SIZE:
	case FM_SUBJECT_FETCH:
	case FM_SUBJECT_CACHE:
	case FM_SUBJECT_RESTARTS:
		break;
	}
	return (code);
}

struct fm_subject_code
fm_compile_subject(struct fm_compile *compile, const struct fm_subject *subject)
{
	struct fm_subject_code code = subject_named(compile, subject->agent ?
	    FM_SUBJECT_REQUEST_HEADER : subject->kind, subject->agent ?
	    fm_text_of("User-Agent") : subject->name, &subject->at);

	code.all = subject->kind != FM_SUBJECT_PATH &&
	    subject->which == FM_WHICH_ANY;
	compile->asks_host |= code.kind == FM_SUBJECT_HOST;
	return (code);
}

void
fm_compile_key_subject(struct fm_compile *compile,
    const struct fm_subject_code *code)
{
	/* Slots are numbered in each phase. */
	fm_intern_key_number(&compile->intern, code->kind +
	    256U * compile->phase);
	fm_intern_key_number(&compile->intern, code->slot);
	fm_intern_key_number(&compile->intern, code->all);
	fm_intern_key_number(&compile->intern, code->name);
}

void
fm_compile_schemes(struct fm_compile *compile)
{
	const struct fm_scheme *scheme = compile->model->schemes;
	struct fm_scheme_code *code;
	uint32_t n = 0;

	for (; scheme != NULL; scheme = scheme->next)
		n++;
	code = fm_compile_alloc(compile, &compile->p->arena, n * sizeof *code);
	compile->p->schemes = code;
	compile->p->nschemes = n;
	for (scheme = compile->model->schemes; scheme != NULL;
	    scheme = scheme->next, code++) {
		*code = (struct fm_scheme_code){
		    .from = (uint8_t)scheme->from };
		if (scheme->from != FM_SCHEME_FROM_HEADER)
			continue;
		code->header = fm_compile_text(compile,
		    scheme->trust.header->text);
		code->nets = fm_compile_nets(compile, scheme->trust.list_def,
		    &scheme->trust.nets);
	}
}

/*--------------------------------------------------------------------
 * Values
 */

/* Compiles ${1} to ${9}: a group of the innermost `when` that has a regex. */
static struct fm_template_piece
piece_group(struct fm_compile *compile, const struct fm_part *part)
{
	struct fm_template_piece piece = { .kind = FM_PART_GROUP, .a = FM_NONE,
	    .b = part->group };

	if (compile->scope == NULL)
		return (piece);
	compile->scope->used = true;
	piece.a = compile->scope->reg;
	if (compile->p->nregs <= piece.a)
		compile->p->nregs = piece.a + 1;
	return (piece);
}

/* Compiles a text, without CR, LF and NUL, so that no run has to look. */
static uint32_t
piece_text(struct fm_compile *compile, struct fm_text text)
{
	char *p = fm_compile_alloc(compile, &compile->lowered, text.len);
	size_t i, len = 0;

	for (i = 0; i < text.len; i++)
		if (text.b[i] != '\r' && text.b[i] != '\n' &&
		    text.b[i] != '\0')
			p[len++] = text.b[i];
	return (fm_compile_text(compile, fm_text(p, len)));
}

static struct fm_template_piece
piece_of(struct fm_compile *compile, const struct fm_part *part)
{
	struct fm_template_piece piece = { .kind = (uint8_t)part->kind };

	switch (part->kind) {
	case FM_PART_TEXT:
		piece.a = piece_text(compile, part->text);
		break;
	case FM_PART_GROUP:
		return (piece_group(compile, part));
	case FM_PART_HEADER:
	case FM_PART_COOKIE:
	case FM_PART_PARAMETER:
	case FM_PART_REQUEST_HEADER:
		piece.subject = subject_named(compile,
		    fm_part_subject(part->kind), part->text, &part->at);
		break;
	case FM_PART_SCHEME:
		wants_scheme(compile);
		break;
	default:
		if (part->kind == FM_PART_CLIENT)
			compile->p->wants |= FM_WANTS_CLIENT;
		compile->p->reads_request |= part->kind == FM_PART_PORT;
		compile->p->reads_rule |= part->kind == FM_PART_RULE;
		break;
	}
	return (piece);
}

/* Compiles a map of a subject; block_memos() will give the piece its memo. */
static struct fm_template_piece
piece_map(struct fm_compile *compile, const struct fm_value *value)
{
	struct fm_template_piece piece = { .kind = FM_PART_MAP,
	    .subject = fm_compile_subject(compile, &value->subject) };

	piece.a = fm_compile_map(compile, value->map_def, &piece.subject);
	return (piece);
}

/*
 * Returns the offset of the host in the Location that a template gives, or 0 if
 * the Location is a path.  If there is a host, the template's first piece is a
 * text that ends in or after `//`: the check has seen to that.
 */
static uint32_t
location_host(const struct fm_compile *compile,
    const struct fm_template *template)
{
	const struct fm_template_piece *piece;
	struct fm_text text;
	uint32_t i;

	if (template->count == 0)
		return (0);
	piece = FM_GROW_AT(&compile->pieces, struct fm_template_piece,
	    template->first);
	if (piece->kind != FM_PART_TEXT)
		return (0);
	text = fm_text_trim(*FM_GROW_AT(&compile->texts, struct fm_text,
	    piece->a));
	if (text.len > 1 && text.b[0] == '/' && text.b[1] != '/')
		return (0);
	/* They are at the start, or follow the scheme. */
	for (i = 0; i + 1 < text.len; i++)
		if (text.b[i] == '/' && text.b[i + 1] == '/')
			return (i + 2);
	return (0);
}

/*
 * Makes a template.  A map is compiled before t.first is known, as its lines
 * have templates, and pieces, of their own.
 */
uint32_t
fm_compile_value(struct fm_compile *compile, const struct fm_value *value)
{
	struct fm_template template = { 0 };
	const struct fm_part *part;
	struct fm_template_piece piece;

	if (value->map != NULL)
		piece = piece_map(compile, value);
	template.first = (uint32_t)compile->pieces.n;
	if (value->map != NULL)
		(void)fm_compile_append(compile, &compile->pieces, &piece,
		    sizeof piece);
	for (part = value->parts; part != NULL; part = part->next) {
		piece = piece_of(compile, part);
		(void)fm_compile_append(compile, &compile->pieces, &piece,
		    sizeof piece);
	}
	template.count = (uint32_t)compile->pieces.n - template.first;
	template.host = location_host(compile, &template);
	return (fm_compile_append(compile, &compile->templates, &template,
	    sizeof template));
}
