/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes and finds marks (rules_mark.h).
 */

#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "compat.h"
#include "field.h"
#include "rules_mark.h"
#include "rules_phases.h"

#define HOST	"Fastmatch-Host"
#define KEY	"Fastmatch-Key"
#define OWN	"HTTP/1.1+own"
#define WHY	"HTTP/1.1+why"
#define DIGITS	16

/* A mark of a request, and its digits, which are those of the process. */
struct mark {
	const char		*header;
	char			digits[DIGITS + 1];
};

/* A backend may come to see the digits of the key: those of the host differ. */
static struct mark host_mark = { .header = HOST };
static struct mark key_mark = { .header = KEY };

/* A mark was made.  Until then nothing is found by one.  Atomic. */
static bool any, any_own;

int
fm_mark_begin(void)
{
	uint64_t random[2];

	ASSERT_CLI();
	if (host_mark.digits[0] != '\0')
		return (0);
	if (getentropy(random, sizeof random) != 0)
		return (-1);
	(void)snprintf(key_mark.digits, sizeof key_mark.digits, "%016jx",
	    (uintmax_t)random[1]);
	(void)snprintf(host_mark.digits, sizeof host_mark.digits, "%016jx",
	    (uintmax_t)random[0]);
	return (0);
}

static bool
mark_any(const bool *flag)
{
	return (__atomic_load_n(flag, __ATOMIC_RELAXED));
}

static void
mark_made(bool *flag)
{
	if (!mark_any(flag))
		__atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

/*--------------------------------------------------------------------
 * The host
 */

/* Moves a text past what it begins with and a blank; false: it does not. */
static bool
skip(struct fm_text *text, const char *b, size_t len)
{
	if (text->len <= len || memcmp(text->b, b, len) != 0 ||
	    text->b[len] != ' ')
		return (false);
	*text = fm_text(text->b + len + 1, text->len - len - 1);
	return (true);
}

/*
 * Returns the number of the first field that is a mark of the object, with what
 * it says; hp->nhd: there is none.
 */
static unsigned
mark_find(const struct http *hp, const struct mark *mark,
    const struct vmod_fastmatch_rules *rules, struct fm_text *said)
{
	const struct fm_text header = fm_text_of(mark->header);
	const char *name = rules->object.name;
	unsigned n = HTTP_HDR_FIRST;

	for (; (n = fm_field_find(hp, n, header)) < hp->nhd; n++) {
		*said = fm_field_value(hp, n, header);
		if (skip(said, mark->digits, DIGITS) &&
		    skip(said, name, strlen(name)))
			break;
	}
	return (n);
}

/* Marks of other objects of the VCL stay. */
static void
mark_clear(struct http *hp, const struct mark *mark,
    const struct vmod_fastmatch_rules *rules)
{
	const struct fm_text header = fm_text_of(mark->header);
	const char *name = rules->object.name;
	unsigned n = HTTP_HDR_FIRST;
	struct fm_text value;

	while ((n = fm_field_find(hp, n, header)) < hp->nhd) {
		value = fm_field_value(hp, n, header);
		if (skip(&value, mark->digits, DIGITS) &&
		    !skip(&value, name, strlen(name)))
			n++;
		else
			fm_field_remove(hp, n);
	}
}

static size_t
mark_bytes(const struct mark *mark, const struct vmod_fastmatch_rules *rules,
    size_t said)
{
	return (strlen(mark->header) + 2 + DIGITS + 1 +
	    strlen(rules->object.name) + 1 + said + 1);
}

/* Adds a mark.  Returns the number of its field. */
static unsigned
mark_add(struct http *hp, const struct mark *mark,
    const struct vmod_fastmatch_rules *rules, struct fm_text said, char *room)
{
	char *end = stpcpy(stpcpy(room, mark->header), ": ");
	unsigned n = hp->nhd++;

	assert(n < hp->shd);
	end = stpcpy(stpcpy(end, mark->digits), " ");
	end = stpcpy(stpcpy(end, rules->object.name), " ");
	if (said.len > 0)
		end = mempcpy(end, said.b, said.len);
	*end = '\0';
	fm_field_write(hp, n, fm_text_span(room, end));
	mark_made(&any);
	return (n);
}

struct fm_text
fm_mark_host(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	const struct http *hp = ctx->bo != NULL ? ctx->bo->bereq0 :
	    ctx->http_req;
	struct fm_text host;

	if (!mark_any(&any) || mark_find(hp, &host_mark, rules, &host) >=
	    hp->nhd)
		return (fm_text(NULL, 0));
	return (host);
}

void
fm_mark_fetch(VRT_CTX)
{
	static const char * const headers[] = { HOST, KEY };
	struct http *hp = ctx->http_bereq;
	unsigned n, i;

	for (i = 0; i < 2; i++)
		while ((n = fm_field_find(hp, HTTP_HDR_FIRST,
		    fm_text_of(headers[i]))) < hp->nhd)
			fm_field_remove(hp, n);
}

/*--------------------------------------------------------------------
 * The key
 */

/* A mark says this before vcl_hash; after it an identity, and the host. */
#define NOT_HASHED	"none"

void
fm_mark_clear_key(struct http *hp, const struct vmod_fastmatch_rules *rules)
{
	if (mark_any(&any))
		mark_clear(hp, &key_mark, rules);
}

size_t
fm_mark_key_bytes(const struct vmod_fastmatch_rules *rules,
    struct fm_text host)
{
	return (mark_bytes(&key_mark, rules, DIGITS + 1 + host.len));
}

void
fm_mark_add_key(struct http *hp, const struct vmod_fastmatch_rules *rules,
    uint64_t id, struct fm_text host, char *room)
{
	char said[DIGITS + 1 + FM_HOSTNAME_MAX + 1];
	int len;

	len = snprintf(said, sizeof said, "%016jx %.*s", (uintmax_t)id,
	    (int)host.len, host.len > 0 ? host.b : "");
	(void)mark_add(hp, &key_mark, rules,
	    fm_text(said, (size_t)len), room);
}

enum fm_mark_key
fm_mark_key(VRT_CTX, const struct vmod_fastmatch_rules *rules, uint64_t *id,
    struct fm_text *host)
{
	const struct http *hp = ctx->bo->bereq0;
	struct fm_text text;

	if (!mark_any(&any) || mark_find(hp, &key_mark, rules, &text) >=
	    hp->nhd)
		return (FM_MARK_KEY_MISSING);
	if (text.len < DIGITS)
		return (FM_MARK_KEY_NONE);
	*id = strtoull(text.b, NULL, 16);
	*host = fm_text_trim(fm_text(text.b + DIGITS, text.len - DIGITS));
	return (FM_MARK_KEY_MADE);
}

/*--------------------------------------------------------------------
 * Marks of a request
 */

/* Returns true if requests of these rules may need a mark of the host. */
static bool
marks_hosts(const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set)
{
	return ((set->fetch != NULL || set->response != NULL ||
	    set->delivery != NULL) &&
	    (set->sets_host || rules->calls.sets_host));
}

void
fm_marks_clear(struct http *hp, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set)
{
	if (marks_hosts(rules, set))
		mark_clear(hp, &host_mark, rules);
	if (set->key != NULL)
		fm_mark_clear_key(hp, rules);
}

/* A pipe has no response for rules. */
struct fm_marks
fm_marks_wanted(const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set, const struct fm_result *result)
{
	struct fm_marks marks = { .n = 0 };

	marks.host = marks_hosts(rules, set) &&
	    result->verdict != FM_VERDICT_PIPE &&
	    (rules->calls.sets_host || fm_edit_sets_host(result));
	marks.key = fm_mark_wants_key(rules) && fm_mark_reads_key(rules) &&
	    fm_rules_keys(set, result);
	marks.n = marks.host + marks.key;
	if (marks.host)
		marks.bytes += mark_bytes(&host_mark, rules,
		    result->host.len);
	if (marks.key)
		marks.bytes += mark_bytes(&key_mark, rules,
		    sizeof NOT_HASHED);
	return (marks);
}

/*
 * Without rules for fetches and responses no backend need get the mark of the
 * host: as if Connection named it, Varnish then leaves it out of a fetch.
 */
void
fm_marks_add(struct http *hp, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set, const struct fm_result *result,
    const struct fm_marks *marks, char *room)
{
	unsigned n;

	if (marks->host) {
		n = mark_add(hp, &host_mark, rules, result->host, room);
		if (set->fetch == NULL && set->response == NULL)
			hp->hdf[n] = FM_MARK_DROPPED;
		room += mark_bytes(&host_mark, rules, result->host.len);
	}
	if (marks->key)
		(void)mark_add(hp, &key_mark, rules,
		    fm_text_of(NOT_HASHED), room);
}

/*--------------------------------------------------------------------
 * What is stored
 */

void
fm_mark_own(struct http *hp)
{
	http_ForceField(hp, HTTP_HDR_PROTO, OWN);
	mark_made(&any_own);
}

bool
fm_mark_is_own(VRT_CTX)
{
	return (mark_any(&any_own) && strcmp(VRT_r_obj_proto(ctx), OWN) == 0);
}

size_t
fm_mark_why_bytes(const struct fm_cause *cause)
{
	return (sizeof WHY + sizeof " 304 su " + cause->rule.len);
}

void
fm_mark_add_why(struct http *hp, const struct fm_cause *cause, char *room)
{
	char *end = stpcpy(room, WHY " ");
	unsigned status = cause->status % 1000;
	size_t i;

	*end++ = (char)('0' + status / 100);
	*end++ = (char)('0' + status / 10 % 10);
	*end++ = (char)('0' + status % 10);
	*end++ = ' ';
	*end++ = cause->stale ? 's' : '-';
	*end++ = cause->uncacheable ? 'u' : '-';
	if (cause->rule.len > 0)
		*end++ = ' ';
	/* A file may have any name. */
	for (i = 0; i < cause->rule.len; i++)
		*end++ = cause->rule.b[i] < ' ' || cause->rule.b[i] > '~' ?
		    '?' : cause->rule.b[i];
	*end = '\0';
	http_ForceField(hp, HTTP_HDR_PROTO, room);
}

void
fm_mark_why(VRT_CTX, struct fm_cause *cause)
{
	struct fm_text value = fm_text_of(VRT_r_obj_proto(ctx));
	const size_t head = sizeof "304 su" - 1;

	*cause = (struct fm_cause){ .status = 0 };
	if (!skip(&value, WHY, sizeof WHY - 1) || value.len < head)
		return;
	cause->status = (unsigned)((value.b[0] - '0') * 100 +
	    (value.b[1] - '0') * 10 + value.b[2] - '0');
	cause->stale = value.b[4] == 's';
	cause->uncacheable = value.b[5] == 'u';
	cause->rule = value.len == head ? fm_text(NULL, 0) :
	    fm_text(value.b + head + 1, value.len - head - 1);
}
