/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fills in the variables of values: of "https://${host}${url}" it makes the
 * text of a header, a Location, a reason, or the regex of a ban.
 */

#include "obj.h"
#include "quote.h"
#include "run_priv.h"

static struct fm_text
group_text(const struct fm_exec *exec, const struct fm_template_piece *piece)
{
	if (piece->a == FM_NONE || exec->regs[piece->a] == NULL)
		return (fm_text("", 0));
	return (exec->regs[piece->a][piece->b]);
}

static void
needs_url(struct fm_exec *exec)
{
	if (exec->req.fragment)
		fm_exec_mark(exec, FM_REFUSE_FRAGMENT);
}

/* Returns a host without `www.`; a host that is nothing else stays. */
static struct fm_text
host_domain(struct fm_text host)
{
	if (host.len > 4 && memcmp(host.b, "www.", 4) == 0)
		return (fm_text(host.b + 4, host.len - 4));
	return (host);
}

/* Returns the text of a piece, which may be missing. */
static struct fm_text
piece_text(struct fm_exec *exec, const struct fm_template_piece *piece)
{
	switch ((enum fm_part_kind)piece->kind) {
	case FM_PART_TEXT:
		return (exec->program->texts[piece->a]);
	case FM_PART_URL:
		needs_url(exec);
		return (fm_request_target(&exec->req));
	case FM_PART_PATH:
		needs_url(exec);
		return (fm_request_target_path(&exec->req));
	case FM_PART_QUERY:
		needs_url(exec);
		return (fm_request_query(&exec->req));
	case FM_PART_SEARCH:
		needs_url(exec);
		return (fm_request_search(&exec->req));
	case FM_PART_HOST:
		return (exec->req.host);
	case FM_PART_DOMAIN:
		return (host_domain(exec->req.host));
	case FM_PART_METHOD:
		return (exec->req.view->method);
	case FM_PART_CLIENT:
		if (exec->req.client_unknown)
			fm_exec_mark(exec, FM_REFUSE_CLIENT);
		return (fm_request_client(&exec->req));
	case FM_PART_SCHEME:
		return (fm_request_scheme(&exec->req));
	case FM_PART_PORT:
		return (fm_request_port(&exec->req));
	case FM_PART_RULESET:
		return (exec->result->site);
	case FM_PART_WILD:
		return (exec->req.hit.wild);
	case FM_PART_PARAMETER:
		needs_url(exec);
		return (fm_request_subject(&exec->req, &piece->subject));
	case FM_PART_STATUS:
	case FM_PART_TTL:
	case FM_PART_CACHE:
	case FM_PART_HITS:
	case FM_PART_AGE:
	case FM_PART_RULE:
		return (fm_response_part(exec, (enum fm_part_kind)
		    piece->kind));
	case FM_PART_REQUEST_HEADER:
	case FM_PART_HEADER:
	case FM_PART_COOKIE:
		return (fm_request_subject(&exec->req, &piece->subject));
	case FM_PART_GROUP:
		return (group_text(exec, piece));
	case FM_PART_MAP:
		break;
	}
	assert(!"a piece of text");
	return (fm_text(NULL, 0));
}

/* Returns the same without CR, LF and NUL, which no text of the rules has. */
static struct fm_text
piece_clean(struct fm_exec *exec, const struct fm_template_piece *piece)
{
	struct fm_text text = piece_text(exec, piece);

	return (piece->kind == FM_PART_TEXT ? text :
	    fm_request_clean(&exec->req, text));
}

#define JOINED_FEW	4	/* pieces */

/* Joins the texts of several pieces. */
static struct fm_text
template_join(struct fm_exec *exec, const struct fm_template *template)
{
	const struct fm_template_piece *pieces =
	    &exec->program->pieces[template->first];
	struct fm_text few[JOINED_FEW], *texts = few;
	size_t len = 0;
	uint32_t i;
	char *buf;

	if (template->count > JOINED_FEW)
		texts = fm_request_alloc(&exec->req,
		    template->count * sizeof *texts);
	if (texts == NULL)
		return (fm_text("", 0));
	for (i = 0; i < template->count; i++) {
		texts[i] = piece_clean(exec, &pieces[i]);
		len += texts[i].len;
	}
	buf = fm_request_alloc(&exec->req, len);
	if (buf == NULL)
		return (fm_text("", 0));
	for (i = 0, len = 0; i < template->count; i++) {
		if (texts[i].len > 0)
			memcpy(buf + len, texts[i].b, texts[i].len);
		len += texts[i].len;
	}
	return (fm_text(buf, len));
}

static struct fm_text
map_text(struct fm_exec *exec, const struct fm_template_piece *piece,
    uint32_t *chosen)
{
	uint32_t template = fm_map_template(exec, piece);

	if (template != FM_NONE && !exec->req.no_memory)
		return (fm_template_text(exec, template, chosen));
	if (chosen != NULL)
		*chosen = FM_NONE;
	return (fm_text("", 0));
}

struct fm_text
fm_template_text(struct fm_exec *exec, uint32_t template, uint32_t *chosen)
{
	const struct fm_template *t = &exec->program->templates[template];
	struct fm_text text = fm_text(NULL, 0);
	const struct fm_template_piece *piece;

	if (chosen != NULL)
		*chosen = template;
	if (t->count == 1) {
		piece = &exec->program->pieces[t->first];
		if (piece->kind == FM_PART_MAP)
			return (map_text(exec, piece, chosen));
		text = piece_clean(exec, piece);
	} else if (t->count > 1)
		text = template_join(exec, t);
	return (fm_text_or_empty(text));
}

struct fm_text
fm_template_regex(struct fm_exec *exec, uint32_t template)
{
	const struct fm_template *t = &exec->program->templates[template];
	const struct fm_template_piece *pieces =
	    &exec->program->pieces[t->first];
	struct fm_text *texts;
	size_t room = 1, len = 0;
	bool empty = false;
	uint32_t i;
	char *buf;

	texts = fm_request_alloc(&exec->req, (t->count + 1) * sizeof *texts);
	for (i = 0; texts != NULL && i < t->count; i++) {
		texts[i] = piece_text(exec, &pieces[i]);
		room += 2 * texts[i].len;
		if (pieces[i].kind == FM_PART_TEXT)
			continue;
		texts[i] = fm_request_clean(&exec->req, texts[i]);
		empty |= texts[i].len == 0;
	}
	if (texts == NULL || empty)
		return (fm_text(NULL, 0));
	buf = fm_request_alloc(&exec->req, room);
	for (i = 0; buf != NULL && i < t->count; i++) {
		if (pieces[i].kind != FM_PART_TEXT) {
			len += fm_quote(buf + len, texts[i]);
		} else if (texts[i].len > 0) {
			memcpy(buf + len, texts[i].b, texts[i].len);
			len += texts[i].len;
		}
	}
	return (fm_text(buf, len));
}

/* A page shows the reason, so a variable is cut to this number of bytes. */
#define REASON_BYTES	100

/*
 * Copies a text without markup and control bytes.  A cut leaves no part of a
 * character of UTF-8.  Returns how many bytes were copied.
 */
static size_t
reason_copy(char *to, struct fm_text t)
{
	size_t i, n = 0;

	for (i = 0; i < t.len && n < REASON_BYTES; i++)
		if ((unsigned char)t.b[i] >= ' ' && t.b[i] != 0x7f &&
		    strchr("<>&\"'`", t.b[i]) == NULL)
			to[n++] = t.b[i];
	if (i < t.len && ((unsigned char)t.b[i] & 0xc0) == 0x80) {
		while (n > 0 && ((unsigned char)to[n - 1] & 0xc0) == 0x80)
			n--;
		n -= n > 0 && (unsigned char)to[n - 1] >= 0xc0;
	}
	return (n);
}

struct fm_text
fm_template_reason(struct fm_exec *exec, uint32_t template)
{
	const struct fm_template *t = &exec->program->templates[template];
	const struct fm_template_piece *piece =
	    &exec->program->pieces[t->first];
	const struct fm_template_piece *end = piece + t->count;
	struct fm_text text;
	size_t room = 0, len = 0;
	char *buf;

	for (; piece < end; piece++)
		room += piece->kind == FM_PART_TEXT ?
		    exec->program->texts[piece->a].len : REASON_BYTES;
	buf = fm_request_alloc(&exec->req, room);
	if (buf == NULL)
		return (fm_text(NULL, 0));
	for (piece = end - t->count; piece < end; piece++) {
		text = piece_text(exec, piece);
		if (piece->kind == FM_PART_TEXT) {
			memcpy(buf + len, text.b, text.len);
			len += text.len;
		} else {
			len += reason_copy(buf + len, text);
		}
	}
	return (fm_text(buf, len));
}
