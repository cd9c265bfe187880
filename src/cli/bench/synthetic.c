/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes requests up.  Most are what browsers send; about a half have
 * something that the rules look for.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cli.h"

#define LINE		2048	/* bytes of anything made up */

struct maker {
	uint64_t		state;
	const struct fm_model	*model;
	struct fm_vocabulary	words;
	char			line[LINE];	/* what is being put together */
	size_t			len;
};

static const char * const agents[] = {
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
	    "(KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) "
	    "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 "
	    "Safari/605.1.15",
	"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 "
	    "Firefox/127.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) "
	    "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
	    "Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 "
	    "(KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (compatible; Googlebot/2.1; "
	    "+http://www.google.com/bot.html)"
};

static const char * const paths[] = {
	"/", "/index.html", "/article/4711", "/images/p17.jpg",
	"/css/site.css", "/shop/item/12", "/search", "/news/2026/05/"
};

static const char * const params[] = {
	"id", "page", "q", "lang", "utm_source", "utm_medium", "fbclid", "_"
};

#define COUNT(v)	(sizeof (v) / sizeof (v)[0])

/* xorshift64*: the same everywhere. */
static uint32_t
draw(struct maker *m, size_t below)
{
	m->state ^= m->state >> 12;
	m->state ^= m->state << 25;
	m->state ^= m->state >> 27;
	return ((uint32_t)(((m->state * 0x2545f4914f6cdd1dULL) >> 33) %
	    below));
}

static bool
chance(struct maker *m, unsigned percent)
{
	return (draw(m, 100) < percent);
}

static void
clear(struct maker *m)
{
	m->len = 0;
	m->line[0] = '\0';
}

static void __attribute__((format(printf, 2, 3)))
put(struct maker *m, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(m->line + m->len, LINE - m->len, fmt, ap);
	va_end(ap);
	m->len += (size_t)n;
	if (m->len >= LINE)
		m->len = LINE - 1;
}

static struct fm_text
made(const struct maker *m)
{
	return (fm_text(m->line, m->len));
}

/*
 * What a word may match: `*` of a glob stands for "x", of a regex the longest
 * run of what are no operators.
 */
static void
put_word(struct maker *m, const struct fm_bench_word *word)
{
	size_t i, start = 0, best = 0, from = 0;
	struct fm_text t = word->text;

	if (t.len > 200)
		t.len = 200;
	if (word->mode == FM_PATTERN_GLOB) {
		for (i = 0; i < t.len; i++)
			put(m, "%c", t.b[i] == '*' || t.b[i] == '?' ? 'x' :
			    t.b[i]);
		return;
	}
	if (word->mode != FM_PATTERN_REGEX) {
		put(m, "%.*s", (int)t.len, t.b);
		return;
	}
	for (i = 0; i <= t.len; i++)
		if (i == t.len || strchr("^$.*+?()[]{}|\\", t.b[i]) != NULL) {
			if (i - start > best) {
				best = i - start;
				from = start;
			}
			start = i + 1;
		}
	put(m, "%.*s", (int)best, t.b + from);
}

static const struct fm_bench_word *
pick(struct maker *m, const struct fm_bag *bag)
{
	return (&bag->v[draw(m, bag->n)]);
}

/*--------------------------------------------------------------------
 * The parts of a request
 */

static void
make_host(struct maker *m, struct fm_message *message)
{
	struct fm_text pattern;
	size_t i;

	clear(m);
	if (m->model->nhosts == 0 || chance(m, 5)) {
		put(m, "unknown-%u.example.net", draw(m, 1000));
	} else {
		pattern = m->model->hosts[draw(m, m->model->nhosts)].pattern;
		if (pattern.len > 0 && pattern.b[0] == '.')
			pattern = fm_text(pattern.b + 1, pattern.len - 1);
		for (i = 0; i < pattern.len; i++)
			if (pattern.b[i] == '*')
				put(m, "sub%u", draw(m, 10));
			else
				put(m, "%c", pattern.b[i]);
	}
	fm_message_header(message, fm_text_of("Host"), made(m));
}

static void
put_path(struct maker *m)
{
	const struct fm_bench_word *word;

	if (m->words.paths.n == 0 || chance(m, 50)) {
		put(m, "%s", paths[draw(m, COUNT(paths))]);
		return;
	}
	word = pick(m, &m->words.paths);
	if (word->text.b[0] != '/' && word->text.b[0] != '^')
		put(m, "/a%u", draw(m, 100));
	put_word(m, word);
	if (word->mode == FM_PATTERN_PREFIX ||
	    word->mode == FM_PATTERN_CONTAINS)
		put(m, "%u", draw(m, 100));
	if (m->line[0] != '/') {
		memmove(m->line + 1, m->line, m->len);
		m->line[0] = '/';
		m->len += m->len < LINE - 1;
		m->line[m->len] = '\0';
	}
}

static void
make_url(struct maker *m, struct fm_message *message)
{
	unsigned i, n;

	clear(m);
	put_path(m);
	n = chance(m, 50) ? 1 + draw(m, 3) : 0;
	for (i = 0; i < n; i++) {
		put(m, "%c", i == 0 ? '?' : '&');
		if (m->words.params.n > 0 && chance(m, 50))
			put_word(m, pick(m, &m->words.params));
		else
			put(m, "%s", params[draw(m, COUNT(params))]);
		put(m, "=%u", draw(m, 1000000));
	}
	fm_message_url(message, made(m), FM_URL_SENT);
}

static void
make_agent(struct maker *m, struct fm_message *message)
{
	const struct fm_bench_word *word;

	clear(m);
	if (m->words.agents.n > 0 && chance(m, 40)) {
		word = pick(m, &m->words.agents);
		if (word->mode == FM_PATTERN_EXACT ||
		    word->mode == FM_PATTERN_PREFIX) {
			put_word(m, word);
		} else {
			put(m, "Mozilla/5.0 (Linux; U; ");
			put_word(m, word);
			if (word->mode != FM_PATTERN_SUFFIX)
				put(m, "/4.0) AppleWebKit/537.36");
		}
	} else {
		put(m, "%s", agents[draw(m, COUNT(agents))]);
	}
	fm_message_header(message, fm_text_of("User-Agent"), made(m));
}

static void
make_cookies(struct maker *m, struct fm_message *message)
{
	unsigned i, n;

	if (!chance(m, 50))
		return;
	clear(m);
	n = 1 + draw(m, 4);
	for (i = 0; i < n; i++) {
		put(m, "%s", i == 0 ? "" : "; ");
		if (m->words.cookies.n > 0 && chance(m, 50))
			put_word(m, pick(m, &m->words.cookies));
		else
			put(m, "_ga%u", draw(m, 4));
		put(m, "=%u.%u", draw(m, 1000), draw(m, 1000000));
	}
	fm_message_header(message, fm_text_of("Cookie"), made(m));
}

/* Those that browsers send, and some of those that the rules name. */
static void
make_headers(struct maker *m, struct fm_message *message)
{
	static const char * const usual[][2] = {
		{ "Accept", "text/html,application/xhtml+xml,"
		    "application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8" },
		{ "Accept-Encoding", "gzip, deflate, br" },
		{ "Accept-Language", "en-US,en;q=0.7,de;q=0.3" }
	};
	const struct fm_bench_header *h;
	size_t i;

	for (i = 0; i < COUNT(usual); i++)
		fm_message_header(message, fm_text_of(usual[i][0]),
		    fm_text_of(usual[i][1]));
	for (i = 0; i < m->words.nheaders; i++) {
		h = &m->words.headers[i];
		if (!chance(m, 30) || fm_text_eq_nocase(h->name,
		    fm_text_of("Host")) || fm_text_eq_nocase(h->name,
		    fm_text_of("Cookie")) || (h->name.len > 6 &&
		    fm_text_eq_nocase(fm_text(h->name.b, 6),
		    fm_text_of("Accept"))))
			continue;
		clear(m);
		if (h->values.n > 0)
			put_word(m, pick(m, &h->values));
		else
			put(m, "%u", draw(m, 10));
		fm_message_header(message, h->name, made(m));
	}
}

static void
make_client(struct maker *m, struct fm_message *message)
{
	struct fm_text net;
	size_t len;

	clear(m);
	put(m, "192.0.2.%u", draw(m, 256));
	if (m->words.nets.n > 0 && chance(m, 30)) {
		net = pick(m, &m->words.nets)->text;
		for (len = 0; len < net.len && net.b[len] != '/'; len++)
			continue;
		clear(m);
		put(m, "%.*s", (int)len, net.b);
	}
	(void)fm_addr_parse(made(m), &message->client);
}

static void
make_method(struct maker *m, struct fm_message *message)
{
	static const char * const others[] = { "HEAD", "POST" };

	if (!chance(m, 10))
		return;
	if (m->words.methods.n > 0 && chance(m, 50))
		message->method = pick(m, &m->words.methods)->text;
	else
		message->method = fm_text_of(others[draw(m, 2)]);
}

void
fm_requests_make_up(struct fm_requests *requests,
    const struct fm_model *model, size_t n, unsigned seed)
{
	struct fm_message *message;
	struct maker *m;

	m = fm_cli_alloc(sizeof *m);
	m->model = model;
	m->state = 0x9e3779b97f4a7c15ULL * seed | 1;
	fm_vocabulary_init(&m->words, model);
	while (n-- > 0) {
		message = fm_requests_add(requests);
		make_method(m, message);
		make_host(m, message);
		make_url(m, message);
		make_agent(m, message);
		make_headers(m, message);
		make_cookies(m, message);
		make_client(m, message);
	}
	fm_vocabulary_fini(&m->words);
	free(m);
}
