/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive interpreter: what a client can't make of the host of a Location.
 */

#include <string.h>

#include "naive_priv.h"

#define HOST_BYTES	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
			"0123456789-._"

/* How many bytes in front are of these. */
static size_t
text_span(struct fm_text t, const char *bytes)
{
	size_t i;

	for (i = 0; i < t.len && t.b[i] != '\0'; i++)
		if (strchr(bytes, t.b[i]) == NULL)
			break;
	return (i);
}

static bool
text_has(struct fm_text t, const char *bytes)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] != '\0' && strchr(bytes, t.b[i]) != NULL)
			return (true);
	return (false);
}

/* A Location so far: whether a host is open at its end, and its part of it. */
static bool
host_open(struct fm_text out, struct fm_text *host)
{
	size_t i = text_span(out, " \t"), scheme, slashes;

	*host = fm_text(out.b + i, out.len - i);
	scheme = text_span(*host, HOST_BYTES "+");
	if (scheme > 0 && scheme < host->len && host->b[scheme] == ':')
		*host = fm_text(host->b + scheme + 1, host->len - scheme - 1);
	else
		scheme = 0;
	slashes = text_span(*host, "/\\");
	*host = fm_text(host->b + slashes, host->len - slashes);
	return (slashes >= (scheme > 0 ? 1U : 2U) &&
	    !text_has(*host, "/\\?#"));
}

struct fm_text
naive_location_part(struct naive *naive, const struct fm_value *value,
    struct fm_text out, const struct fm_part *part, struct fm_text t)
{
	struct fm_text host;
	const struct fm_part *next;
	char last, *p;

	if (t.len == 0 || part->kind == FM_PART_TEXT ||
	    part->kind == FM_PART_HOST || part->kind == FM_PART_WILD ||
	    part->kind == FM_PART_RULESET ||
	    value->parts->kind != FM_PART_TEXT ||
	    !host_open(value->parts->text, &host) || !host_open(out, &host))
		return (t);
	if (part->kind == FM_PART_GROUP && (part->of_host ||
	    fm_text_eq(t, naive->result.url)))
		return (t);
	last = '.';
	if (host.len > 0)
		last = host.b[host.len - 1];
	if (last == ':')
		return (fm_text(t.b, text_span(t, "0123456789")));
	for (next = part->next; next != NULL; next = next->next)
		if (next->kind == FM_PART_TEXT && next->text.len > 0)
			break;
	if (next != NULL && strchr("/\\?#:", next->text.b[0]) == NULL)
		return (fm_text(t.b, text_span(t, HOST_BYTES)));
	if (last == '.' || last == '-' || strchr("/?#", t.b[0]) != NULL)
		return (t);
	p = naive_alloc(naive, t.len + 1);
	p[0] = '/';
	memcpy(p + 1, t.b, t.len);
	return (fm_text(p, t.len + 1));
}
