/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The headers of a request, as the rules see and edit them (request.h has a
 * drawing): finds the field of each slot, reads and edits values, filters
 * cookies, answers tests of names, and writes the edits into a result.
 */

#include "hostname.h"
#include "name_words.h"
#include "obj.h"
#include "params.h"
#include "request.h"
#include "run.h"

_Static_assert(FM_EDITS_SLOTS >= FM_SLOTS, "room for each slot");

/* Returns true if a name, with its colon, is as long as that of a field. */
static inline bool
name_fits(const struct fm_field *field, struct fm_text name)
{
	return ((size_t)(field->e - field->b) > name.len &&
	    field->b[name.len] == ':');
}

uint32_t
fm_request_slot_of(const struct fm_program *program,
    const struct fm_field *field)
{
	const struct fm_slot *slot;
	size_t n;

	if (field->b == NULL || field->e - field->b <= program->slot_at)
		return (FM_NONE);
	n = program->slot_heads[fm_slot_head(*field->b,
	    field->b[program->slot_at])];
	for (; n != 0; n = slot->next) {
		slot = &program->slots[n - 1];
		if (name_fits(field, slot->name) && fm_name_eq(field->b,
		    slot->name.b, slot->name.len))
			return ((uint32_t)n - 1);
	}
	return (FM_NONE);
}

void *
fm_request_alloc(struct fm_request *req, size_t bytes)
{
	void *p = fm_scratch_alloc(req->scratch, bytes);

	if (p == NULL)
		req->no_memory = true;
	return (p);
}

struct fm_text
fm_request_trim(struct fm_text value)
{
	return (fm_text_trim(value));
}

bool
fm_request_is_alias(const struct fm_field *field, struct fm_text name)
{
	return (name_fits(field, name) && fm_name_is_alias(field->b, name));
}

/* Notes that field i is an alias of a slot, or one more of its fields. */
static void __attribute__((noinline))
request_note(struct fm_request *req, uint32_t i, uint32_t slot, bool alias)
{
	struct fm_request_note *note;
	uint32_t left = req->view->nfields - i;

	if (req->notes == NULL) {
		req->notes = fm_request_alloc(req, left * sizeof *note);
		if (req->notes == NULL)
			return;
	}
	note = &req->notes[req->nnotes];
	if (req->nnotes > 0 && note[-1].field == i)
		note--;
	else
		*note = (struct fm_request_note){ i, FM_NONE, FM_NONE };
	req->nnotes = (uint32_t)(note - req->notes) + 1;
	if (!alias)
		note->slot = slot;
	else
		note->alias = note->alias == FM_NONE ? slot :
		    FM_REQUEST_SEVERAL;
}

/*
 * Finds the slot of field i, and notes of which slots the field is an alias:
 * these are of the same chain, as an alias begins as they do.
 */
static void __attribute__((noinline))
request_find_slot(struct fm_request *req, uint32_t i)
{
	const struct fm_program *program = req->program;
	const struct fm_field *field = &req->view->fields[i];
	const struct fm_slot *slot;
	struct fm_request_slot *is;
	bool alias;
	size_t n;

	if (field->b == NULL || field->e - field->b <= program->slot_at)
		return;
	n = program->slot_heads[fm_slot_head(*field->b,
	    field->b[program->slot_at])];
	for (; n != 0; n = slot->next) {
		slot = &program->slots[n - 1];
		is = &req->slots[n - 1];
		if (!name_fits(field, slot->name) ||
		    !fm_name_is_like(field->b, slot->name, &alias))
			continue;
		if (alias) {
			is->aliased = req->aliases = true;
			request_note(req, i, (uint32_t)n - 1, true);
		} else if (is->present) {
			is->several = true;
			request_note(req, i, (uint32_t)n - 1, false);
		} else {
			is->present = true;
			is->first = i;
		}
	}
}

#define FIELD_LONG	0x1000000	/* bytes; no pointer is as low */

/*
 * Finds the slots of fields from field i on, and stops at a field that is left
 * to request_find_slot(): one that is a hole or short, or may be an alias or
 * have a long name.  Stops at one more field of a slot as well, and sets *again
 * to it.  Returns the field's number, or that of fields.  Calls nothing, so all
 * that the loop needs is in registers.
 */
static inline __attribute__((always_inline)) uint32_t
request_find_usual(const struct fm_request *req, uint32_t i, uint32_t *again)
{
	const struct fm_program *program = req->program;
	const struct fm_slot *slots = program->slots, *slot;
	const struct fm_field *fields = req->view->fields;
	uint32_t end = req->view->nfields;
	size_t len, n, at = program->slot_at;
	uint64_t differs;
	const char *b;

	for (; i < end; i++) {
		b = fields[i].b;
		/* A hole has no b, so it seems to be longer than any other. */
		len = (uintptr_t)fields[i].e - (uintptr_t)b;
		if (len - 8 > FIELD_LONG)
			return (i);
		n = program->slot_heads[fm_slot_head(*b, b[at])];
		for (; n != 0; n = slot->next) {
			slot = &slots[n - 1];
			if (slot->name.len >= len || b[slot->name.len] != ':')
				continue;
			differs = fm_name_differs(&slot->words,
			    fm_name_load(b, 8),
			    fm_name_load(b + slot->last_at, 8), slot->shift);
			if (differs == 0 && slot->name.len <= 16) {
				if (req->slots[n - 1].present) {
					*again = (uint32_t)n - 1;
					return (i);
				}
				req->slots[n - 1].present = true;
				req->slots[n - 1].first = i;
				break;
			}
			if ((differs & slot->words.near) == 0)
				return (i);
		}
	}
	return (i);
}

/* If slots are aliases of others, each field may be the alias of another. */
static void
request_find_slots(struct fm_request *req)
{
	uint32_t i, again = FM_NONE, end = req->view->nfields;
	bool near = req->program->near_slots;

	for (i = 0; (i = near ? i : request_find_usual(req, i, &again)) < end;
	    i++) {
		if (again == FM_NONE) {
			request_find_slot(req, i);
			continue;
		}
		req->slots[again].several = true;
		request_note(req, i, again, false);
		again = FM_NONE;
	}
}

/*
 * Returns true if the URL names no host, or the one of the Host header.  If the
 * two differ, the request has no host for us: it is not known which of them a
 * backend takes.
 */
static bool __attribute__((noinline))
request_hosts_agree(struct fm_text url, struct fm_text host)
{
	struct fm_text authority = fm_request_authority(url), canon;
	char buf[FM_HOSTNAME_MAX];

	return (authority.b == NULL ||
	    (fm_hostname_canon(authority, buf, &canon) == FM_HOSTNAME_OK &&
	    fm_text_eq(canon, host)));
}

/* Finds a host, which `url` may name as well, and returns its block. */
static inline __attribute__((always_inline)) uint32_t
find_host(const struct fm_program *program, struct fm_text raw,
    struct fm_text url, char buf[FM_HOSTNAME_MAX], struct fm_text *host,
    struct fm_hosttab_hit *hit)
{
	bool found = fm_hosttab_lookup(program->hosttab, raw, buf, host, hit);

	if (url.len > 0 && *url.b != '/' && host->b != NULL &&
	    !request_hosts_agree(url, *host)) {
		*host = fm_text(NULL, 0);
		*hit = (struct fm_hosttab_hit){ .entry = FM_NONE,
		    .pattern = FM_NONE };
		found = false;
	}
	return (found ? hit->entry : program->otherwise);
}

void
fm_run_host(const struct fm_program *program, struct fm_text raw,
    struct fm_text url, char buf[FM_HOSTNAME_MAX], struct fm_known_host *host)
{
	FM_OBJ_CHECK(program, FM_PROGRAM_MAGIC);
	host->block = find_host(program, raw, url, buf, &host->name,
	    &host->hit);
}

static inline __attribute__((always_inline)) void
find_site(struct fm_request *req, char buf[FM_HOSTNAME_MAX])
{
	req->site = find_host(req->program, fm_request_header(req,
	    FM_SLOT_HOST), req->url, buf, &req->host, &req->hit);
	req->host_in_view = req->host.b != buf;
}

/* Notes the slot of field i. */
static inline void
response_found(struct fm_request *req, uint32_t i, uint32_t slot)
{
	struct fm_request_slot *is = &req->slots[slot];

	if (__builtin_expect(is->present, 0)) {
		is->several = true;
		request_note(req, i, slot, false);
	} else {
		is->present = true;
		is->first = i;
	}
}

/* Finds the slot of a field that is short, or may have a long name. */
static void __attribute__((noinline))
response_find_slot(struct fm_request *req, const uint8_t heads[32], uint32_t i)
{
	const struct fm_field *field = &req->view->fields[i];
	const struct fm_slot *slot;
	size_t n = heads[fm_slot_head(*field->b,
	    field->b[req->program->slot_at])];

	for (; n != 0; n = slot->next) {
		slot = &req->program->slots[n - 1];
		if (!name_fits(field, slot->name) || !fm_name_eq(field->b,
		    slot->name.b, slot->name.len))
			continue;
		response_found(req, i, (uint32_t)n - 1);
		return;
	}
}

/*
 * Finds the slots of a response's fields, or of those of its request.  A header
 * of a response has no aliases.
 */
static inline __attribute__((always_inline)) void
response_find_slots(struct fm_request *req, const uint8_t heads[32],
    uint32_t i, uint32_t end)
{
	const struct fm_slot *slots = req->program->slots, *slot;
	const struct fm_field *field;
	size_t len, n, at = req->program->slot_at;
	const char *b;

	for (; i < end; i++) {
		field = &req->view->fields[i];
		b = field->b;
		if (b == NULL)
			continue;
		len = (size_t)(field->e - b);
		n = len <= at ? 0 : heads[fm_slot_head(*b, b[at])];
		if (n != 0 && __builtin_expect(len < 8, 0)) {
			response_find_slot(req, heads, i);
			continue;
		}
		for (; n != 0; n = slot->next) {
			slot = &slots[n - 1];
			if (slot->name.len >= len || b[slot->name.len] != ':' ||
			    fm_name_differs(&slot->words, fm_name_load(b, 8),
			    fm_name_load(b + slot->last_at, 8),
			    slot->shift) != 0)
				continue;
			if (__builtin_expect(slot->name.len > 16, 0))
				response_find_slot(req, heads, i);
			else
				response_found(req, i, (uint32_t)n - 1);
			break;
		}
	}
}

/* Finds what fm_request_init() does, in a phase after that of requests. */
static void __attribute__((noinline))
phase_find(struct fm_request *req, char host[FM_HOSTNAME_MAX])
{
	const struct fm_program *program = req->program;
	const struct fm_known_host *known = req->view->host;
	uint32_t i, n = fm_request_nmessage(req->view);

	if (program->of_response) {
		response_find_slots(req, program->slot_heads, 0, n);
		response_find_slots(req, program->request_heads, n,
		    req->view->nfields);
	} else {
		/* The fast loop is for the phase that each request has. */
		for (i = 0; i < n; i++)
			request_find_slot(req, i);
	}
	if (known == NULL) {
		find_site(req, host);
		return;
	}
	req->host = known->name;
	req->host_in_view = true;
	req->hit = known->hit;
	req->site = known->block;
}

void
fm_request_init(struct fm_request *req, const struct fm_program *program,
    const struct fm_view *view, struct fm_request_slot *slots,
    char host[FM_HOSTNAME_MAX])
{
	req->program = program;
	req->view = view;
	req->aliases = false;
	req->url = view->url;
	fm_request_mark(req);
	req->clean_path = fm_text(NULL, 0);
	req->url_version = req->path_version = 1;
	memset(req->edited, 0, sizeof req->edited);
	req->nfilters = req->nqueries = 0;
	req->gone.rules = NULL;
	req->notes = NULL;
	req->nnotes = 0;
	req->slots = slots;
	if (__builtin_expect(program->requests != NULL, 0)) {
		phase_find(req, host);
		return;
	}
	request_find_slots(req);
	find_site(req, host);
}

/* Returns the value of a slot's first field in the view. */
static struct fm_text
slot_came(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	if (!slot->present)
		return (fm_text(NULL, 0));
	return (fm_request_field_value(&req->view->fields[slot->first],
	    req->program->slots[n].name.len));
}

/*
 * Joins the values of all fields of a slot, in buf unless that is NULL.
 * Returns the length.
 */
static size_t
slot_join(const struct fm_request *req, unsigned n, char *buf)
{
	const struct fm_slot *slot = &req->program->slots[n];
	struct fm_text value = slot_came(req, n);
	size_t len = 0;
	uint32_t i;

	for (i = 0;; i++) {
		if (buf != NULL && value.len > 0)
			memcpy(buf + len, value.b, value.len);
		len += value.len;
		while (i < req->nnotes && req->notes[i].slot != n)
			i++;
		if (i == req->nnotes)
			return (len);
		if (buf != NULL)
			memcpy(buf + len, slot->kind == FM_SLOT_COOKIE ? "; " :
			    ", ", 2);
		len += 2;
		value = fm_request_field_value(
		    &req->view->fields[req->notes[i].field], slot->name.len);
	}
}

/*
 * Reads a value that is not as usual: of a header that is not there, or has
 * several fields or other blanks; or a Cookie that waits to be filtered.
 */
static struct fm_text __attribute__((noinline))
request_read_rare(struct fm_request *req, unsigned n)
{
	struct fm_request_slot *slot = &req->slots[n];
	size_t len;
	char *buf;

	if (n == FM_SLOT_OF_COOKIE && req->nfilters > 0) {
		fm_request_filter_now(req);
		return (slot->value);
	}
	slot->known = true;
	slot->value = slot_came(req, n);
	if (!slot->several || req->program->slots[n].kind == FM_SLOT_PLAIN)
		return (slot->value);
	len = slot_join(req, n, NULL);
	buf = fm_request_alloc(req, len);
	if (buf == NULL)
		return (slot->value);
	(void)slot_join(req, n, buf);
	slot->value = fm_text(buf, len);
	return (slot->value);
}

struct fm_text
fm_request_read(struct fm_request *req, unsigned n)
{
	struct fm_request_slot *slot = &req->slots[n];
	const struct fm_field *field;
	const char *b;

	if (!slot->present || slot->several ||
	    (n == FM_SLOT_OF_COOKIE && req->nfilters > 0))
		return (request_read_rare(req, n));
	field = &req->view->fields[slot->first];
	b = field->b + req->program->slots[n].name.len + 1;
	if (!fm_request_value_is_usual(b, field->e))
		return (request_read_rare(req, n));
	slot->known = true;
	slot->value = fm_text_span(b + 1, field->e);
	return (slot->value);
}

struct fm_text
fm_request_port(const struct fm_request *req)
{
	struct fm_text raw = slot_came(req, FM_SLOT_HOST);
	const char *colon;

	if (req->host.b == NULL || raw.b == NULL)
		return (fm_text("", 0));
	colon = memrchr(raw.b, ':', raw.len);
	if (colon == NULL ||
	    memchr(colon, ']', (size_t)(raw.b + raw.len - colon)) != NULL)
		return (fm_text("", 0));
	return (fm_text_span(colon + 1, raw.b + raw.len));
}

/* Sets a header that the request has to a value; see fm_request_edit(). */
static bool __attribute__((noinline))
request_replace(struct fm_request *req, unsigned n, struct fm_text value,
    uint32_t rule)
{
	const struct fm_request_slot *slot = &req->slots[n];

	if ((!slot->several || fm_request_owns(req, n)) &&
	    fm_text_eq(value, fm_request_header(req, n)) &&
	    (!fm_request_is_dropped(req, n) || fm_request_owns(req, n))) {
		/* A rule has named the header: it is not an alias any more. */
		if (req->aliases)
			fm_request_own(req, n);
		return (false);
	}
	fm_request_change(req, n, value, rule);
	return (true);
}

bool
fm_request_edit(struct fm_request *req, unsigned n, struct fm_text value,
    uint32_t rule)
{
	bool lacks = fm_request_lacks(req, n);

	if (n == FM_SLOT_OF_COOKIE)
		req->nfilters = 0;
	if (value.b == NULL ? lacks : !lacks)
		return (value.b != NULL &&
		    request_replace(req, n, value, rule));
	fm_request_change(req, n, value, rule);
	return (true);
}

/*--------------------------------------------------------------------
 * The `cookie` statement drops or keeps cookies: not at once, but when the
 * header is read.  Most sites unset Cookie for most of their pages, and then it
 * is never read.
 */

/* Returns what n lists leave of a Cookie, or the missing text. */
static struct fm_text
cookies_left(struct fm_request *req, const struct fm_params * const *lists,
    unsigned n, struct fm_text cookie, unsigned *last)
{
	struct fm_text out = cookie;
	size_t cap;
	char *buf;

	if (fm_params_cookies_any(cookie)) {
		cap = fm_params_cookies_cap(cookie);
		buf = fm_request_alloc(req, cap);
		if (buf == NULL)
			return (cookie);
		if (fm_params_cookies_lists(lists, n, cookie, buf, cap, &out,
		    last) == FM_PARAMS_SPACE)
			req->no_memory = true;
		fm_scratch_shrink(req->scratch, buf, cap,
		    out.b == buf ? out.len : 0);
	}
	if (!fm_params_cookies_any(out))
		return (fm_text(NULL, 0));
	return (out.b == cookie.b ? out : fm_request_clean(req, out));
}

struct fm_text
fm_request_filtered(struct fm_request *req, uint32_t n, struct fm_text cookie)
{
	const struct fm_params *list = &req->program->params[n];
	unsigned last;

	return (cookies_left(req, &list, 1, cookie, &last));
}

void
fm_request_filter(struct fm_request *req, uint32_t n, uint32_t rule)
{
	if (fm_request_lacks(req, FM_SLOT_OF_COOKIE))
		return;
	if (req->nfilters == FM_REQUEST_FILTERS)
		fm_request_filter_now(req);
	req->filters[req->nfilters].params = n;
	req->filters[req->nfilters++].rule = rule;
	if (req->slots[FM_SLOT_OF_COOKIE].known)
		fm_request_filter_now(req);
}

void
fm_request_filter_now(struct fm_request *req)
{
	const struct fm_params *lists[FM_REQUEST_FILTERS];
	unsigned i, n = req->nfilters, last = 0;
	struct fm_text cookie, left;

	req->nfilters = 0;
	for (i = 0; i < n; i++)
		lists[i] = &req->program->params[req->filters[i].params];
	cookie = fm_request_header(req, FM_SLOT_OF_COOKIE);
	left = cookies_left(req, lists, n, cookie, &last);
	if (left.b == NULL || left.b != cookie.b)
		(void)fm_request_edit(req, FM_SLOT_OF_COOKIE,
		    fm_request_value(left), req->filters[last].rule);
}

/*--------------------------------------------------------------------
 * Tests of names, such as `cookie wp_* present` and `query in NAMES present`:
 * does any cookie, parameter or header have such a name?
 */

/*
 * Returns the name of the first header that fits, or the missing text: first of
 * those with a slot, as rules have edited them, then of the other fields.
 */
static struct fm_text
header_named(struct fm_request *req, const struct fm_names *names)
{
	const struct fm_field *field = req->view->fields;
	struct fm_text name;
	uint32_t n;

	for (n = 0; n < req->program->nslots; n++) {
		name = req->program->slots[n].name;
		if (req->program->slots[n].request)
			continue;
		if (fm_request_header(req, n).b != NULL &&
		    fm_names_match(names, name, FM_NAMES_RAW) > 0)
			return (name);
	}
	for (n = 0; n < fm_request_nmessage(req->view); n++, field++) {
		if (fm_request_is_gone(req, n) ||
		    fm_request_slot_of(req->program, field) != FM_NONE)
			continue;
		name = fm_request_field_name(field);
		if (name.len > 0 &&
		    fm_names_match(names, name, FM_NAMES_RAW) > 0)
			return (name);
	}
	return (fm_text(NULL, 0));
}

struct fm_text
fm_request_named(struct fm_request *req, const struct fm_test *test)
{
	if (test->subject.kind == FM_SUBJECT_QUERY)
		return (fm_request_query(req));
	if (test->subject.kind == FM_SUBJECT_COOKIE)
		return (fm_request_header(req, FM_SLOT_OF_COOKIE));
	return (header_named(req, req->program->params[test->set].names));
}

/*
 * Drops the parameters or cookies of these names into a buffer of no bytes.  If
 * that would change nothing, there are none.
 */
bool
fm_request_has_names(struct fm_request *req, const struct fm_test *test)
{
	const struct fm_params *params = &req->program->params[test->set];
	struct fm_text text, out;
	char none[1];

	if (test->subject.kind == FM_SUBJECT_HEADER)
		return (header_named(req, params->names).b != NULL);
	if (test->subject.kind == FM_SUBJECT_QUERY) {
		text = fm_request_url(req);
		return (req->mark != text.len && fm_params_query(params,
		    text, none, 0, &out) != FM_PARAMS_SAME);
	}
	text = fm_request_header(req, FM_SLOT_OF_COOKIE);
	return (text.len > 0 && fm_params_cookies(params, text, none, 0,
	    &out) != FM_PARAMS_SAME);
}

/*--------------------------------------------------------------------
 * The result
 */

/*
 * Returns true if a header, which was not edited just once, differs from the
 * view: the first edit changed the value, and a later one may change it back.
 */
static bool __attribute__((noinline))
slot_differs(const struct fm_request *req, unsigned n)
{
	const struct fm_request_slot *slot = &req->slots[n];

	if (slot->version == 0)
		return (false);
	if (slot->value.b == NULL || !slot->present)
		return ((slot->value.b != NULL) != slot->present);
	return (slot->several || fm_request_is_dropped(req, n) ||
	    !fm_text_eq(slot->value, slot_came(req, n)));
}

/*
 * Notes that a slot of several fields differs.  Returns how many of them go
 * beside the first one.
 */
static unsigned __attribute__((noinline))
slot_several(const struct fm_request *req, unsigned n, struct fm_edits *edits)
{
	unsigned count = 0;
	uint32_t i;

	edits->notes = req->notes;
	edits->nnotes = req->nnotes;
	for (i = 0; i < req->nnotes; i++)
		count += req->notes[i].slot == n;
	return (count);
}


/* Counts the fields without a slot that were unset, and their names. */
static void __attribute__((noinline))
gone_finish(const struct fm_request *req, struct fm_edits *edits)
{
	uint32_t i;

	edits->gone = req->gone;
	for (i = req->gone.from; i < req->gone.to; i++)
		if (req->gone.rules[i] != 0) {
			edits->nremoved++;
			edits->n += i == req->gone.from ||
			    !fm_request_name_gone(req->view, &req->gone,
			    fm_request_field_name(&req->view->fields[i]), i);
		}
}

static inline void
request_finish_headers(const struct fm_request *req, struct fm_edits *edits)
{
	struct fm_request_slot *slots = req->slots, *slot;
	unsigned n, w = 0, present = 0, added = 0, removed = 0;
	size_t lines = 0;
	uint64_t bits;

	edits->nnotes = 0;
	edits->gone.rules = NULL;
	edits->slots = req->slots;
	edits->program = req->program;
	edits->view = req->view;
	do {
		for (bits = req->edited[w]; bits != 0; bits &= bits - 1) {
			n = w * 64 + (unsigned)__builtin_ctzll(bits);
			slot = &slots[n];
			if (slot->version != 1 && !slot_differs(req, n))
				continue;
			slot->differs = true;
			if (slot->present)
				edits->present[present++] = (uint8_t)n;
			else
				edits->added[added++] = (uint8_t)n;
			if (slot->value.b == NULL)
				removed++;
			else
				lines += req->program->slots[n].name.len + 2 +
				    slot->value.len + 1;
			if (slot->several)
				removed += slot_several(req, n, edits);
		}
	} while (++w * 64 < req->program->nslots);
	edits->npresent = present;
	edits->nadded = added;
	edits->lines = lines;
	edits->nremoved = removed;
	edits->n = present + added;
	if (req->gone.rules != NULL)
		gone_finish(req, edits);
}

void
fm_request_finish(struct fm_request *req, struct fm_result *result)
{
	if (req->nfilters > 0)
		fm_request_filter_now(req);
	result->url = fm_request_url(req);
	result->url_changed = req->url.b != req->view->url.b &&
	    !fm_text_eq(req->url, req->view->url);
	if (result->url_changed)
		result->url_rule = &req->program->rules[req->url_rule];
	else
		result->url = req->view->url;
	request_finish_headers(req, &result->edits);
}

bool
fm_request_name_gone(const struct fm_view *view, const struct fm_gone *gone,
    struct fm_text name, uint32_t end)
{
	struct fm_text is;
	uint32_t i;

	for (i = gone->from; i < end; i++) {
		if (gone->rules[i] == 0)
			continue;
		is = fm_request_field_name(&view->fields[i]);
		if (is.len == name.len && fm_name_eq(is.b, name.b, name.len))
			return (true);
	}
	return (false);
}

/* Slots come first, then fields without a slot. */
bool
fm_edit_next(const struct fm_result *result, unsigned *at,
    struct fm_edit *edit)
{
	const struct fm_edits *edits = &result->edits;
	const struct fm_program *program = edits->program;
	const struct fm_request_slot *slot;
	unsigned n;

	if (edits->n == 0)
		return (false);
	while ((n = (*at)++) < program->nslots) {
		slot = &edits->slots[n];
		if (!slot->differs)
			continue;
		*edit = (struct fm_edit){ slot->value.b != NULL,
		    program->slots[n].name, slot->value,
		    &program->rules[slot->rule] };
		return (true);
	}
	for (n -= program->nslots; edits->gone.rules != NULL &&
	    n < edits->gone.to; n++, ++*at) {
		if (edits->gone.rules[n] == 0)
			continue;
		*edit = (struct fm_edit){ .name =
		    fm_request_field_name(&edits->view->fields[n]),
		    .rule = &program->rules[edits->gone.rules[n] - 1] };
		if (!fm_request_name_gone(edits->view, &edits->gone,
		    edit->name, n))
			return (true);
	}
	return (false);
}

bool
fm_edit_of(const struct fm_result *result, struct fm_text name,
    struct fm_edit *edit)
{
	unsigned at = 0;

	while (fm_edit_next(result, &at, edit))
		if (fm_text_eq_nocase(edit->name, name))
			return (true);
	return (false);
}

bool
fm_edit_field(const struct fm_result *result, unsigned field,
    struct fm_edit *edit)
{
	const struct fm_edits *edits = &result->edits;
	const struct fm_gone *gone = &edits->gone;
	struct fm_text name;
	unsigned at = 0;

	if (edits->n == 0)
		return (false);
	name = fm_request_field_name(&edits->view->fields[field]);
	if (gone->rules != NULL && gone->rules[field] != 0) {
		*edit = (struct fm_edit){ .name = name,
		    .rule = &edits->program->rules[gone->rules[field] - 1] };
		return (true);
	}
	while (fm_edit_next(result, &at, edit) && at <= edits->program->nslots)
		if (fm_text_eq_nocase(edit->name, name))
			return (true);
	return (false);
}

struct fm_text
fm_request_clean(struct fm_request *req, struct fm_text t)
{
	size_t i = 0, len;
	char *buf;

	/* CR, LF and NUL are below 0x0e: look at eight bytes at once. */
	for (; i + 8 <= t.len; i += 8)
		if (fm_name_below(fm_name_load(t.b + i, 8), 0x0e))
			break;
	for (; i < t.len; i++)
		if (t.b[i] == '\r' || t.b[i] == '\n' || t.b[i] == '\0')
			break;
	if (i == t.len)
		return (t);
	buf = fm_request_alloc(req, t.len);
	if (buf == NULL)
		return (fm_text("", 0));
	memcpy(buf, t.b, i);
	for (len = i; i < t.len; i++)
		if (t.b[i] != '\r' && t.b[i] != '\n' && t.b[i] != '\0')
			buf[len++] = t.b[i];
	return (fm_text(buf, len));
}
