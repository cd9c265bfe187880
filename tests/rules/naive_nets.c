/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's networks: compares an address with all of them, bit by bit;
 * and finds the client behind trusted proxies.
 */

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "naive_priv.h"

/* Reads an address; IPv4 in IPv6 (::ffff:192.0.2.1) becomes IPv4 (mapped). */
static size_t
address_read(const char *s, uint8_t b[16], bool *mapped)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	*mapped = false;
	if (inet_pton(AF_INET, s, b) == 1)
		return (4);
	if (inet_pton(AF_INET6, s, b) != 1)
		return (0);
	if (memcmp(b, prefix, sizeof prefix) != 0)
		return (16);
	memmove(b, b + 12, 4);
	*mapped = true;
	return (4);
}

/* Returns the length of the prefix if the network has the address, or -1. */
static int
network_has(struct fm_text network, const struct fm_addr *addr)
{
	char s[64], *slash, *address;
	uint8_t b[16];
	size_t len, bits, i;
	bool mapped;

	assert(network.len < sizeof s);
	memcpy(s, network.b, network.len);
	s[network.len] = '\0';
	slash = strchr(s, '/');
	if (slash != NULL)
		*slash++ = '\0';
	/* [2001:db8::1] */
	address = s + (*s == '[');
	address[strcspn(address, "]")] = '\0';
	len = address_read(address, b, &mapped);
	assert(len > 0);
	bits = 8 * len;
	if (slash != NULL)
		bits = (size_t)atoi(slash) - (mapped ? 96 : 0);
	if (addr->len != len)
		return (-1);
	for (i = 0; i < bits; i++)
		if (((b[i / 8] ^ addr->b[i / 8]) >> (7 - i % 8) & 1) != 0)
			return (-1);
	return ((int)bits);
}

int
naive_networks(const struct fm_words *networks, const struct fm_addr *addr)
{
	const struct fm_word *word;
	int bits = -1, one;

	for (word = networks->first; word != NULL; word = word->next) {
		one = network_has(word->text, addr);
		if (one > bits)
			bits = one;
	}
	return (bits);
}

/* Returns the address that a text is; or one of len 0. */
static struct fm_addr
address_of(struct fm_text t)
{
	struct fm_addr addr = { .len = 0 };
	char s[64];
	bool mapped;

	if (t.len >= sizeof s ||
	    (t.len > 0 && memchr(t.b, '\0', t.len) != NULL))
		return (addr);
	if (t.len > 2 && t.b[0] == '[' && t.b[t.len - 1] == ']' &&
	    memchr(t.b, ':', t.len) != NULL)
		t = fm_text(t.b + 1, t.len - 2);
	(void)snprintf(s, sizeof s, "%.*s", (int)t.len, t.len > 0 ? t.b : "");
	addr.len = (uint8_t)address_read(s, addr.b, &mapped);
	if (addr.len < sizeof addr.b)
		memset(addr.b + addr.len, 0, sizeof addr.b - addr.len);
	return (addr);
}

struct fm_addr
naive_address(struct naive *naive, const struct fm_subject *subject)
{
	if (subject->kind == FM_SUBJECT_CLIENT)
		return (naive->client);
	return (address_of(naive_subject(naive, subject)));
}

struct fm_text
naive_client_text(struct naive *naive)
{
	const struct fm_addr *client = &naive->client;
	char *p = naive_alloc(naive, INET6_ADDRSTRLEN);

	if (client->len == 0)
		return (fm_text(NULL, 0));
	if (client->len == 4)
		sprintf(p, "%u.%u.%u.%u", client->b[0], client->b[1],
		    client->b[2], client->b[3]);
	else
		(void)inet_ntop(AF_INET6, client->b, p, INET6_ADDRSTRLEN);
	return (fm_text_of(p));
}

/*--------------------------------------------------------------------
 * Behind a proxy
 */

static bool
is_trusted(const struct fm_trust *trust, const struct fm_addr *addr)
{
	const struct fm_line *line;
	bool in = naive_networks(&trust->networks, addr) >= 0;

	if (trust->list_def != NULL)
		for (line = trust->list_def->lines; line != NULL;
		    line = line->next)
			in = in || naive_networks(&line->matches->operands,
			    addr) >= 0;
	return (in);
}

/*
 * Returns the address of a text that is ADDRESS or ADDRESS:PORT; or of len 0.
 */
static struct fm_addr
element_of(struct fm_text t)
{
	struct fm_addr addr;
	size_t at = t.len;

	addr = address_of(t);
	while (at > 0 && t.b[at - 1] >= '0' && t.b[at - 1] <= '9')
		at--;
	if (addr.len > 0 || at == t.len || at < 2 || t.b[at - 1] != ':')
		return (addr);
	t.len = at - 1;
	/* An IPv6 address with a port has brackets. */
	if (memchr(t.b, ':', t.len) != NULL && t.b[0] != '[')
		return (addr);
	return (address_of(t));
}

/* Splits all fields of a header at commas; returns how many pieces. */
static unsigned
elements(struct naive *naive, struct fm_text name, struct fm_text **found)
{
	const struct naive_line *line;
	size_t i, from, room = 0;
	unsigned n = 0;

	for (line = naive->lines; line < naive->lines + naive->nlines;
	    line++)
		room += line->value.len + 1;
	*found = (struct fm_text *)(void *)naive_alloc(naive,
	    room * sizeof **found);
	for (line = naive->lines; line < naive->lines + naive->nlines;
	    line++) {
		if (!fm_text_eq_nocase(line->name, name))
			continue;
		for (i = from = 0; i <= line->value.len; i++) {
			if (i < line->value.len && line->value.b[i] != ',')
				continue;
			(*found)[n++] = fm_text_trim(fm_text(
			    line->value.b + from, i - from));
			from = i + 1;
		}
	}
	return (n);
}

/* The client is unknown if its proxies name no address among the last 64. */
void
naive_find_client(struct naive *naive)
{
	const struct fm_trust *trust = naive->model->trust;
	struct fm_text *found;
	unsigned n, end;

	naive->client = naive->view->client;
	naive->client_unknown = naive->client_missed = false;
	if (trust == NULL)
		return;
	end = n = elements(naive, trust->header->text, &found);
	while (n > 0 && is_trusted(trust, &naive->client)) {
		naive->client.len = 0;
		if (end - n < 64)
			naive->client = element_of(found[--n]);
		naive->client_unknown = naive->client.len == 0;
		if (naive->client_unknown)
			return;
	}
}

/* Returns what the last element of a header says, in the view; or NULL. */
static const char *
element_scheme(const struct fm_view *view, struct fm_text name)
{
	const struct fm_field *field, *last = NULL;
	struct fm_text value;
	size_t at;

	for (field = view->fields; field < view->fields + view->nfields;
	    field++)
		if (field->b != NULL &&
		    (size_t)(field->e - field->b) > name.len &&
		    field->b[name.len] == ':' && strncasecmp(field->b, name.b,
		    name.len) == 0)
			last = field;
	if (last == NULL)
		return (NULL);
	value = fm_text_span(last->b + name.len + 1, last->e);
	for (at = value.len; at > 0 && value.b[at - 1] != ',';)
		at--;
	value = fm_text_trim(fm_text(value.b + at, value.len - at));
	if ((value.len == 5 && strncasecmp(value.b, "https", 5) == 0) ||
	    (value.len == 2 && strncasecmp(value.b, "on", 2) == 0))
		return ("https");
	if ((value.len == 4 && strncasecmp(value.b, "http", 4) == 0) ||
	    (value.len == 3 && strncasecmp(value.b, "off", 3) == 0))
		return ("http");
	return (NULL);
}

struct fm_text
naive_scheme(struct naive *naive)
{
	const struct fm_view *view = naive->view;
	const struct fm_scheme *scheme = naive->model->schemes;
	const char *found = NULL;

	if (view->scheme != 0)
		return (fm_text_of(view->scheme == FM_SCHEME_HTTP ? "http" :
		    "https"));
	for (; scheme != NULL && found == NULL; scheme = scheme->next) {
		if (scheme->from == FM_SCHEME_FROM_TLS &&
		    (view->session & FM_SESSION_TLS) != 0)
			found = "https";
		if (scheme->from == FM_SCHEME_FROM_PROXY &&
		    (view->session & FM_SESSION_PROXIED) != 0)
			found = "https";
		if (scheme->from == FM_SCHEME_FROM_HEADER &&
		    is_trusted(&scheme->trust, &view->client))
			found = element_scheme(view,
			    scheme->trust.header->text);
	}
	return (fm_text_of(found == NULL ? "http" : found));
}
