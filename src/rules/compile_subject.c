/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles subjects of tests and maps, and gives each header that the rules
 * name a slot.
 */

#include "compile_priv.h"
#include "obj.h"

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
	*slot = (uint8_t)c->nslots++;
	*link = (uint8_t)(*slot + 1);
	c->slots[*slot] = (struct fm_slot){ .name = name,
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

int
fm_compile_subject_named(struct fm_compile *c, enum fm_subject_kind kind,
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
	return (fm_compile_subject_named(c, subject->kind,
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
