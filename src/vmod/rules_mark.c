/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes and finds marks (rules_mark.h).
 */

#include "config.h"

#include <sys/random.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"

#include "compat.h"
#include "field.h"
#include "rules_mark.h"
#include "rules_memory.h"

#define HOST	"Fastmatch-Host"
#define OWN	"Fastmatch-Own"
#define DIGITS	16

/*
 * The digits of the process.  A client may come to see those of OWN, if VCL
 * ends vcl_deliver before .apply(): the others are not among them.
 */
static char host_digits[DIGITS + 1];
static char own_line[sizeof OWN + 1 + DIGITS + 1];

/* A mark was made.  Until then nothing looks for one.  Atomic. */
static bool any;

int
fm_mark_begin(void)
{
	uint64_t random[2];

	ASSERT_CLI();
	if (host_digits[0] != '\0')
		return (0);
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return (-1);
	(void)snprintf(own_line, sizeof own_line, OWN ": %016jx",
	    (uintmax_t)random[1]);
	(void)snprintf(host_digits, sizeof host_digits, "%016jx",
	    (uintmax_t)random[0]);
	return (0);
}

static void
mark_made(void)
{
	if (!__atomic_load_n(&any, __ATOMIC_RELAXED))
		__atomic_store_n(&any, true, __ATOMIC_RELAXED);
}

static bool
mark_any(void)
{
	return (__atomic_load_n(&any, __ATOMIC_RELAXED));
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
 * Returns the number of the first field from n on that is a mark of the object,
 * with its host; hp->nhd: there is none.
 */
static unsigned
host_find(const struct http *hp, unsigned n,
    const struct vmod_fastmatch_rules *rules, struct fm_text *host)
{
	const char *name = rules->object.name;

	for (n = fm_field_find(hp, n, fm_text_of(HOST)); n < hp->nhd;
	    n = fm_field_find(hp, n + 1, fm_text_of(HOST))) {
		*host = fm_field_value(hp, n, fm_text_of(HOST));
		if (skip(host, host_digits, DIGITS) &&
		    skip(host, name, strlen(name)))
			break;
	}
	return (n);
}

/* Marks of other objects of the VCL stay. */
void
fm_mark_clear_host(struct http *hp, const struct vmod_fastmatch_rules *rules)
{
	const char *name = rules->object.name;
	unsigned n = HTTP_HDR_FIRST;
	struct fm_text value;

	while ((n = fm_field_find(hp, n, fm_text_of(HOST))) < hp->nhd) {
		value = fm_field_value(hp, n, fm_text_of(HOST));
		if (skip(&value, host_digits, DIGITS) &&
		    !skip(&value, name, strlen(name)))
			n++;
		else
			fm_field_remove(hp, n);
	}
}

size_t
fm_mark_host_bytes(const struct vmod_fastmatch_rules *rules,
    const struct fm_result *result)
{
	return (sizeof HOST + 1 + DIGITS + 1 + strlen(rules->object.name) + 1 +
	    result->host.len + 1);
}

/*
 * Without rules for responses no backend need get the mark: as if Connection
 * named it, Varnish then leaves it out of a fetch.
 */
void
fm_mark_add_host(struct http *hp, const struct vmod_fastmatch_rules *rules,
    const struct fm_rules_set *set, const struct fm_result *result,
    char *room)
{
	char *end = stpcpy(room, HOST ": ");
	unsigned n = hp->nhd++;

	assert(n < hp->shd);
	end = stpcpy(stpcpy(end, host_digits), " ");
	end = stpcpy(stpcpy(end, rules->object.name), " ");
	if (result->host.len > 0)
		end = mempcpy(end, result->host.b, result->host.len);
	*end = '\0';
	fm_field_write(hp, n, fm_text_span(room, end));
	if (set->response == NULL)
		hp->hdf[n] = FM_MARK_DROPPED;
	mark_made();
}

struct fm_text
fm_mark_host(VRT_CTX, const struct vmod_fastmatch_rules *rules)
{
	const struct http *hp = ctx->bo != NULL ? ctx->bo->bereq0 :
	    ctx->http_req;
	struct fm_text host;

	if (!mark_any() || host_find(hp, HTTP_HDR_FIRST, rules, &host) ==
	    hp->nhd)
		return (fm_text(NULL, 0));
	return (host);
}

void
fm_mark_fetch(VRT_CTX)
{
	struct http *hp = ctx->http_bereq;
	unsigned n;

	if (!mark_any())
		return;
	while ((n = fm_field_find(hp, HTTP_HDR_FIRST, fm_text_of(HOST))) <
	    hp->nhd)
		fm_field_remove(hp, n);
}

/*--------------------------------------------------------------------
 * Failed fetches
 */

bool
fm_mark_add_own(struct http *hp)
{
	mark_made();
	return (fm_edit_line(hp, fm_text_of(OWN), own_line));
}

void
fm_mark_take_own(VRT_CTX)
{
	struct http *hp = ctx->http_resp;
	unsigned n;

	if (!mark_any())
		return;
	while ((n = fm_field_find(hp, HTTP_HDR_FIRST, fm_text_of(OWN))) <
	    hp->nhd) {
		if (strcmp(hp->hd[n].b, own_line) == 0)
			fm_rules_memory(ctx)->own = true;
		fm_field_remove(hp, n);
	}
}

bool
fm_mark_is_own(VRT_CTX)
{
	return (fm_rules_memory(ctx)->own);
}
