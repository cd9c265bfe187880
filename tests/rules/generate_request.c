/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random requests of the words that random rules ask for.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate_priv.h"

#define LONGEST		(1 << 17)

struct maker {
	uint64_t		state;
	bool			costly;
	char			*b;		/* LONGEST bytes */
	size_t			len;
	const char		*named;		/* the URL's host, or NULL */
	struct generate_request	*request;
};

static unsigned
below(struct maker *m, unsigned n)
{
	return (random_below(&m->state, n));
}

static void
put_bytes(struct maker *m, const char *s, size_t len)
{
	if (len > LONGEST - m->len)
		len = LONGEST - m->len;
	memcpy(m->b + m->len, s, len);
	m->len += len;
}

static void
put(struct maker *m, const char *s)
{
	put_bytes(m, s, strlen(s));
}

static void
put_one(struct maker *m, const struct pool *pool)
{
	put(m, pool_pick(&m->state, pool));
}

/* Puts a word, half of the time in another case. */
static void
put_cased(struct maker *m, const char *s)
{
	unsigned how = below(m, 4);
	char c;

	for (; *s != '\0'; s++) {
		c = *s;
		if (how == 0)
			c = (char)fm_lower((unsigned char)c);
		else if (how == 1 && c >= 'a' && c <= 'z')
			c = (char)(c - 0x20);
		put_bytes(m, &c, 1);
	}
}

static void
put_case(struct maker *m, const struct pool *pool)
{
	put_cased(m, pool_pick_few(&m->state, pool));
}

/* Puts a text that a costly regex gives up on, matches, or doesn't match. */
static void
put_costly(struct maker *m)
{
	unsigned n = below(m, 3) == 0 ? below(m, 4) : 40;

	while (n-- > 0)
		put(m, "a");
	if (below(m, 4) != 0)
		put(m, "b");
}

/* Returns the text that was put, malloc'ed in its exact size. */
static struct fm_text
take(struct maker *m)
{
	char *b = malloc(m->len > 0 ? m->len : 1);
	size_t len = m->len;

	assert(b != NULL);
	memcpy(b, m->b, len);
	m->len = 0;
	return (fm_text(b, len));
}

static void
put_value(struct maker *m)
{
	static const char junk[] = "\r\n\0\t\001 \\/\x7f\xff";
	static const struct pool hosts = POOL("//evil.example", ".evil.example",
	    "@evil.example/", ":80@evil.example", "\\\\evil.example",
	    "/\\evil.example", "https://evil.example/", "evil.example",
	    "\t//evil.example", "/\r/evil.example");

	switch (below(m, m->costly ? 4 : 40)) {
	case 0:
		put_costly(m);
		break;
	case 1:
		break;
	case 2:
		put_one(m, &pool_values);
		put_bytes(m, &junk[below(m, sizeof junk - 1)], 1);
		put_one(m, &pool_values);
		break;
	case 3:
		put_one(m, &pool_paths);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		put_one(m, &hosts);
		break;
	default:
		put_case(m, &pool_values);
	}
}

/* Puts a parameter's name, perhaps with some bytes encoded. */
static void
put_parameter_name(struct maker *m)
{
	const char *s = pool_pick_few(&m->state, &pool_parameters);
	bool code = below(m, 5) == 0;
	char hex[4];

	for (; *s != '\0'; s++) {
		if (code && below(m, 2) == 0) {
			snprintf(hex, sizeof hex, below(m, 2) ? "%%%02x" :
			    "%%%02X", (unsigned)*s);
			put(m, hex);
		} else
			put_bytes(m, s, 1);
	}
}

static void
put_query(struct maker *m)
{
	static const struct pool odd = POOL("", "=", "=x", "&", "a&&b", "%",
	    "%6", "%zz=1", "a?b", "a=1;b=2", "#top", "a==b", "%00=1",
	    "utm_%73ource=1");
	unsigned n = below(m, 300) == 0 ? 2000 : below(m, 8), i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			put(m, "&");
		if (below(m, 8) == 0) {
			put_one(m, &odd);
			continue;
		}
		put_parameter_name(m);
		if (below(m, 6) > 0) {
			put(m, "=");
			if (below(m, 6) > 0)
				put_value(m);
		}
	}
}

/* Puts a byte of a path in a spelling that most backends take for the same. */
static void
put_crooked_byte(struct maker *m, char c)
{
	static const struct pool slashes = POOL("/", "/", "//", "/./", "/x/../",
	    "%2f", "%2F/", "/%2e/", "/.%2E/", "/a/%2e./", "/../", "/...");
	char hex[4];

	if (c == '/') {
		put_one(m, &slashes);
	} else if (below(m, 4) == 0) {
		snprintf(hex, sizeof hex, below(m, 2) ? "%%%02x" : "%%%02X",
		    (unsigned char)c);
		put(m, hex);
	} else
		put_bytes(m, &c, 1);
}

static void
put_crooked_path(struct maker *m)
{
	static const struct pool ends = POOL("", "", "", "/.", "/..", "%", "%4",
	    "%zz", "%2541", "%00", "%0a", "..", "/.x", "/%2e%2e");
	const char *s = pool_pick(&m->state, &pool_paths);

	if (below(m, 8) == 0)
		put(m, "/..");
	for (; *s != '\0'; s++)
		put_crooked_byte(m, *s);
	put_one(m, &ends);
}

static void
make_url(struct maker *m)
{
	static const struct pool odd = POOL("*", "", "@evil.example/", "a",
	    "?", "/?", "\\evil.example", "/\\evil.example", "//", "///x",
	    "http://", "http://evil.example", "HTTPS://Example.COM",
	    "ht+tp.1-x://h", "1http://x/y", "http:/x", "http:x", "/http://x/",
	    "://", "http://h/", "http://h//x", "a b", "/a b", "/%2e%2e/",
	    "http://user@h:80/a", "/a#b", "/\t/evil.example",
	    "/\n/evil.example");

	switch (below(m, 12)) {
	case 0:
		put_one(m, &odd);
		break;
	case 1:
		m->named = pool_pick_few(&m->state, &pool_hosts);
		put_cased(m, below(m, 2) ? "http://" : "https://");
		put_cased(m, m->named);
		put(m, below(m, 6) ? "" : below(m, 2) ? ":443" : ".");
		put_one(m, &pool_paths);
		break;
	case 2:
		put_one(m, &pool_urls);
		break;
	case 3:
		put(m, "/");
		put_value(m);
		break;
	case 4:
	case 5:
		put_crooked_path(m);
		break;
	default:
		put_one(m, &pool_paths);
		if (m->costly && below(m, 4) == 0)
			put_costly(m);
	}
	if (below(m, 3) > 0) {
		put(m, "?");
		put_query(m);
	}
	m->request->view.url = take(m);
}

static void
put_host(struct maker *m)
{
	static const struct pool odd = POOL("", ".", "..", "a..b",
	    "exa mple.com", "example.com:http", "-", "[::1", "[::1]:80", "*",
	    "*.example.com", "example.com:80:80", "[2001:DB8::1]",
	    "www.example.com/x", "caf\xc3\xa9.example", "_.example.com",
	    "www.", "www..", ".example.com", "192.0.2.1:8080");
	unsigned i;

	if (below(m, 12) == 0) {
		put_one(m, &odd);
		if (below(m, 20) == 0)
			for (i = 0; i < 300; i++)
				put(m, "x");
		return;
	}
	if (m->named != NULL && below(m, 3) > 0)
		put_cased(m, m->named);
	else if (below(m, 3) == 0)
		put_case(m, &pool_hosts);
	else {
		for (i = below(m, 3); i > 0; i--) {
			put_case(m, &pool_labels);
			put(m, ".");
		}
		put_case(m, &pool_domains);
	}
	if (below(m, 12) == 0)
		put(m, ".");
	if (below(m, 12) == 0)
		put(m, below(m, 3) ? ":8080" : ":");
}

static void
put_cookies(struct maker *m)
{
	static const struct pool joints = POOL("; ", "; ", "; ", ";", " ;\t",
	    ";;", ",", "; ; ");
	static const struct pool odd = POOL("", "=", "=x", "a", "a = b ",
	    "session=\"x;y\"", " ", "cart=a=b", "%61=1");
	unsigned n = below(m, 300) == 0 ? 100 : below(m, 8), i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			put_one(m, &joints);
		if (below(m, 8) == 0) {
			put_one(m, &odd);
			continue;
		}
		put(m, pool_pick_few(&m->state, &pool_cookies));
		put(m, "=");
		put_value(m);
	}
}

static void
put_ranges(struct maker *m, const struct pool *ranges)
{
	static const struct pool weights = POOL(";q=0", ";q=0.5", "; q=0.8",
	    ";q=1", ";q=x", ";level=1", "");
	unsigned n = below(m, 4), i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			put(m, ", ");
		if (below(m, 6) == 0)
			put(m, "*");
		else
			put_case(m, ranges);
		if (below(m, 2) == 0)
			put_one(m, &weights);
	}
}

static const struct pool pool_addresses = POOL("192.0.2.1", "192.0.2.77",
    "10.1.2.3", "203.0.113.9", "198.51.100.127", "198.51.100.128",
    "2001:db8::1", "2001:db8:ffff::", "2001:db9::", "::1", "::ffff:192.0.2.5");

/* Puts a list of addresses as proxies write it, or with mistakes. */
static void
put_chain(struct maker *m)
{
	static const struct pool others = POOL("", "unknown", "192.0.2.1:80",
	    "[2001:db8::1]:443", "[::1]", "2001:db8::1:80", "192.0.2", "_x",
	    "192.0.2.1:", "::1%lo", "192.0.2.0/24", "[192.0.2.1]:80");
	unsigned n = below(m, 60) == 0 ? 62 + below(m, 4) : 1 + below(m, 4);

	while (n-- > 0) {
		put_one(m, below(m, 4) > 0 ? &pool_addresses : &others);
		if (n > 0)
			put(m, below(m, 4) > 0 ? ", " : ",");
	}
}

static void
put_header_value(struct maker *m, const char *name)
{
	struct fm_text t = fm_text_of(name);

	if (fm_text_eq_nocase(t, fm_text_of("X-Forwarded-For")) ||
	    (fm_text_eq_nocase(t, fm_text_of("X-A")) && below(m, 4) == 0))
		put_chain(m);
	else if (fm_text_eq_nocase(t, fm_text_of("Host")))
		put_host(m);
	else if (fm_text_eq_nocase(t, fm_text_of("Cookie")))
		put_cookies(m);
	else if (fm_text_eq_nocase(t, fm_text_of("Accept-Encoding")))
		put_ranges(m, &pool_codings);
	else if (fm_text_eq_nocase(t, fm_text_of("Accept-Language")))
		put_ranges(m, &pool_languages);
	else if (fm_text_eq_nocase(t, fm_text_of("Accept")))
		put_ranges(m, &pool_types);
	else if (fm_text_eq_nocase(t, fm_text_of("User-Agent")) &&
	    below(m, m->costly ? 2 : 8) > 0)
		put_case(m, &pool_agents);
	else
		put_value(m);
}

/* Puts the name of a header, now and then with `_` for some `-`. */
static void
put_name(struct maker *m, const char *name)
{
	bool other = below(m, 5) == 0;
	char copy[64];
	size_t i;

	assert(strlen(name) < sizeof copy);
	strcpy(copy, name);
	for (i = 0; other && copy[i] != '\0'; i++)
		if (copy[i] == '-' && below(m, 3) > 0)
			copy[i] = '_';
	put_cased(m, copy);
}

static void
make_field(struct maker *m, const char *name)
{
	static const struct pool blanks = POOL(" ", " ", " ", " ", "", "  ",
	    "\t");
	struct generate_request *r = m->request;
	struct fm_text t;
	unsigned i;

	if (r->view.nfields == GENERATE_FIELDS)
		return;
	put_name(m, name);
	if (below(m, 200) > 0)
		put(m, ":");
	put_one(m, &blanks);
	if (below(m, 2000) == 0)
		for (i = 0; i < 65000; i++)
			put(m, "z");
	put_header_value(m, name);
	if (below(m, 12) == 0)
		put_one(m, &blanks);
	t = take(m);
	r->fields[r->view.nfields].b = t.b;
	r->fields[r->view.nfields++].e = t.b + t.len;
}

static void
make_fields(struct maker *m)
{
	static const struct pool others = POOL("Content-Length", "Connection",
	    "Transfer-Encoding", "X-Forwarded-For", "X-Internal-Id", "X-D");
	unsigned n = below(m, 500) == 0 ? 100 : below(m, 9);

	if (below(m, 12) > 0)
		make_field(m, below(m, 4) ? "Host" : "host");
	if (below(m, 3) > 0)
		make_field(m, "User-Agent");
	if (below(m, 3) > 0)
		make_field(m, "Cookie");
	if (below(m, 3) == 0)
		make_field(m, "X-Forwarded-For");
	while (n-- > 0) {
		if (below(m, 30) == 0 &&
		    m->request->view.nfields < GENERATE_FIELDS)
			/* a hole */
			m->request->view.nfields++;
		make_field(m, pool_pick_few(&m->state,
		    below(m, 8) ? &pool_headers : &others));
	}
}

static void
make_client(struct maker *m)
{
	struct fm_addr *client = &m->request->view.client;

	if (below(m, 10) > 0 && !fm_addr_parse(
	    fm_text_of(pool_pick(&m->state, &pool_addresses)), client))
		abort();
}

void
generate_request(struct generate_request *r, uint64_t seed, bool costly)
{
	static const struct pool protos = POOL("HTTP/1.1", "HTTP/1.0",
	    "HTTP/2.0", "http/1.1", "");
	struct maker maker = { .state = random_start(seed), .costly = costly,
	    .request = r };

	memset(r, 0, sizeof *r);
	maker.b = malloc(LONGEST);
	assert(maker.b != NULL);
	r->view.fields = r->fields;
	put_one(&maker, &pool_methods);
	r->view.method = take(&maker);
	make_url(&maker);
	make_fields(&maker);
	make_client(&maker);
	r->view.esi = below(&maker, 10) == 0;
	if (below(&maker, 3) == 0) {
		put_one(&maker, &protos);
		r->view.proto = take(&maker);
	}
	free(maker.b);
}

void
generate_request_free(struct generate_request *r)
{
	unsigned i;

	free((void *)(uintptr_t)r->view.method.b);
	free((void *)(uintptr_t)r->view.url.b);
	free((void *)(uintptr_t)r->view.proto.b);
	for (i = 0; i < r->view.nfields; i++)
		free((void *)(uintptr_t)r->fields[i].b);
}
