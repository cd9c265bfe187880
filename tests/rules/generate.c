/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random rules and requests (generate.h) of a grammar (generate_priv.h).
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate.h"
#include "generate_priv.h"

#define COSTLY		2	/* regexes in a file that may give up */
#define MANY		1100	/* names: too many for a bit each */
#define TESTS		4
#define TAKEN		80
#define WORD		512	/* bytes of a word that is changed */

struct maker {
	uint64_t		state;
	uint64_t		spelling;
	char			*text[2];	/* malloc'ed, end in NUL */
	size_t			len[2];
	size_t			room[2];
	unsigned		raw;	/* words around, or a request */
	struct fm_text		pool;		/* is `@` */
	unsigned		budget;		/* costly regexes allowed */
	bool			costly;		/* there is one */
	unsigned		depth;		/* of `when` */
	unsigned		usable;		/* rulesets, by `use` */
	/*
	 * Tests to repeat later, when statements may have changed their result.
	 */
	char			tests[TESTS][2][WORD];
	unsigned		ntests;
	char			taken[TAKEN][64];	/* words, by /u */
	unsigned		ntaken;
};

static void expand(struct maker *, const char *);

/* Returns a number below n, from a random source (xorshift64*). */
static unsigned
random_below(uint64_t *state, unsigned n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return ((unsigned)((*state * 0x2545f4914f6cdd1dULL >> 33) % n));
}

/*
 * Returns a state for a seed: never 0, and far from the states of seeds near
 * it.
 */
static uint64_t
random_start(uint64_t seed)
{
	seed = (seed ^ 0x6a09e667f3bcc909ULL) * 0x9e3779b97f4a7c15ULL;
	return ((seed ^ seed >> 29) | 1);
}

static unsigned
below(struct maker *m, unsigned n)
{
	return (random_below(&m->state, n));
}

/*--------------------------------------------------------------------
 * Two spellings
 */

static void
put_into(struct maker *m, unsigned which, const char *s, size_t len)
{
	if (m->len[which] + len >= m->room[which]) {
		m->room[which] = 2 * m->room[which] + len + 4096;
		m->text[which] = realloc(m->text[which], m->room[which]);
		assert(m->text[which] != NULL);
	}
	memcpy(m->text[which] + m->len[which], s, len);
	m->len[which] += len;
	m->text[which][m->len[which]] = '\0';
}

/* Puts a text into both spellings; inside of a word there is one. */
static void
put(struct maker *m, const char *s, size_t len)
{
	put_into(m, 0, s, len);
	if (m->raw == 0)
		put_into(m, 1, s, len);
}

/* Puts what may stand for a blank or an end of a line. */
static void
put_layout(struct maker *m, char c)
{
	static const char * const others[] = { " ", "  ", "\t", " \t " };
	static const char comment[] = " # \"a comment; { ${";
	const char *s = &c;
	size_t len = 1;

	put_into(m, 0, &c, 1);
	if (m->raw > 0)
		return;
	if (c == ' ') {
		s = others[random_below(&m->spelling, 4)];
		len = strlen(s);
	} else if (random_below(&m->spelling, 3) == 0)
		put_into(m, 1, comment, sizeof comment - 1);
	put_into(m, 1, s, len);
}

static bool
may_be_bare(const char *s)
{
	static const char * const keywords[] = { "and", "or", "not", "in",
	    "use", "else", "present", "nocase", "is", "begins", "ends",
	    "contains", "like", "below", "named" };
	size_t i;

	for (i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strcmp(s, keywords[i]) == 0)
			return (false);
	return (*s != '\0' && strpbrk(s, " \t\"';{}()[") == NULL &&
	    strstr(s, "${") == NULL && strchr("#=~", *s) == NULL &&
	    strncmp(s, "->", 2) != 0);
}

static void
put_quoted(struct maker *m, unsigned which, const char *s)
{
	put_into(m, which, "\"", 1);
	for (; *s != '\0'; s++) {
		/* Escapes backslashes that would escape the next byte. */
		if (*s == '"' || (*s == '\\' && (s[1] == '\0' ||
		    s[1] == '"' || s[1] == '\\' ||
		    random_below(&m->spelling, 2) == 0)))
			put_into(m, which, "\\", 1);
		put_into(m, which, s, 1);
	}
	put_into(m, which, "\"", 1);
}

static void
put_word(struct maker *m, const char *s, bool quoted)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		if (!quoted && may_be_bare(s) &&
		    random_below(&m->spelling, 4) > 0)
			put_into(m, i, s, strlen(s));
		else
			put_quoted(m, i, s);
}

/*--------------------------------------------------------------------
 * Words that are changed
 */

static void
other_case(struct maker *m, char *s, bool request)
{
	unsigned how = request ? below(m, 4) : 4 + below(m, 8);

	for (; *s != '\0'; s++)
		if (how == 0)
			*s = (char)fm_lower((unsigned char)*s);
		else if (*s >= 'a' && *s <= 'z' &&
		    (how == 1 || (how == 4 && below(m, 2) == 0)))
			*s = (char)(*s - 0x20);
}

/* Writes a word byte by byte, each in another spelling that means the same. */
static void
respell(struct maker *m, char letter, char *s)
{
	char was[WORD], *to = s;
	const char *b;
	bool code = letter == 'y' || below(m, 5) == 0;

	strcpy(was, s);
	for (b = was; *b != '\0' && to < s + WORD - 4; b++)
		if (letter == 'x' && strchr(".+*?()[]{}^$|\\", *b) != NULL)
			to += sprintf(to, "\\%c", *b);
		else if (letter == 'h' && code && *b == '-' && below(m, 3) > 0)
			*to++ = "__.!'+"[below(m, 6)];
		else if ((letter == '%' || (letter == 'y' && *b != '/')) &&
		    code && below(m, 3) == 0)
			to += sprintf(to, below(m, 2) ? "%%%02x" : "%%%02X",
			    (unsigned char)*b);
		else
			*to++ = *b;
	*to = '\0';
}

static bool
take(struct maker *m, const char *s)
{
	unsigned i;

	for (i = 0; i < m->ntaken; i++)
		if (strcmp(m->taken[i], s) == 0)
			return (false);
	assert(m->ntaken < TAKEN && strlen(s) < sizeof m->taken[0]);
	strcpy(m->taken[m->ntaken++], s);
	return (true);
}

/* Changes a word; false: it is taken already, and another one is wanted. */
static bool
change(struct maker *m, char letter, char *s)
{
	size_t len = strlen(s), at = len == 0 ? 0 : below(m, (unsigned)len);
	char *slash;

	switch (letter) {
	case 'b':		/* its beginning */
		if (len > 0)
			s[at + 1] = '\0';
		break;
	case 'e':		/* its end */
		memmove(s, s + at, len - at + 1);
		break;
	case 'l':		/* a glob that fits */
		if (len > 0)
			s[at] = "?*"[below(m, 2)];
		if (len > 0 && below(m, 3) == 0)
			strcpy(s + at + 1, "*");
		break;
	case 'n':		/* perhaps a glob */
		if (below(m, 5) == 0)
			s[at] = '?';
		if (below(m, 5) > 0)
			break;
		/* FALLTHROUGH */
	case 'g':		/* a glob of its beginning */
		strcpy(s + below(m, (unsigned)len + 1), "*");
		break;
	case 's':		/* a path above it */
		slash = len == 0 ? NULL : strchr(s + 1, '/');
		if (slash != NULL && below(m, 2) == 0)
			slash[below(m, 2)] = '\0';
		break;
	case 'k':		/* now and then in another case */
	case 'K':		/* half of the time */
		other_case(m, s, letter == 'K');
		break;
	case 'u':		/* a word that comes once in a file */
		return (take(m, s));
	default:
		respell(m, letter, s);
		if (letter == 'h')
			other_case(m, s, true);
	}
	return (true);
}

/*--------------------------------------------------------------------
 * The grammar
 */

/* Puts what takes more than a grammar. */
static void
special(struct maker *m, const char *name)
{
	static const char junk[] = "\r\n\0\t\001 \\/\x7f\xff";
	char s[40];
	unsigned i;

	if (*name == 'j')
		put(m, &junk[below(m, sizeof junk - 1)], 1);
	else if (*name == 's')
		put(m, s, (size_t)sprintf(s, "s%u", below(m,
		    m->usable > 0 ? m->usable : 1)));
	for (i = 0; *name == 'm' && i < MANY; i++)
		put(m, s, (size_t)sprintf(s, name[4] == '`' ? " w%u" :
		    below(m, 4) ? "is w%u -> /v%u;\n" :
		    "begins w%u -> /v%u;\n", i, i));
}

/* A reference, taken apart. */
struct reference {
	struct fm_text		name;
	struct fm_text		letters;
	bool			word;
};

static const struct production *
find(struct fm_text name)
{
	const struct production *p;
	const char *b;

	for (p = grammar; p->name != NULL; p++) {
		b = p->name + (*p->name == '~');
		if (*b == *name.b && fm_text_eq(name, fm_text_of(b)))
			return (p);
	}
	fprintf(stderr, "no production: %.*s\n", (int)name.len, name.b);
	abort();
}

static bool
is_allowed(const struct maker *m, const char *s)
{
	if (*s != '!')
		return (true);
	return (s[1] == 'w' ? m->depth > 0 : s[1] == 's' ? m->usable > 0 :
	    m->budget > 0);
}

/* Returns how often an alternative is taken: "3*" is thrice as often. */
static unsigned
weight_of(const char *s)
{
	return (*s >= '1' && *s <= '9' && s[1] == '*' ?
	    (unsigned)(*s - '0') : 1);
}

static const char *
choose(struct maker *m, const struct production *p)
{
	unsigned all = 0, n, i;

	for (i = 0; i < ALTERNATIVES && p->to[i] != NULL; i++)
		all += weight_of(p->to[i]);
	n = below(m, *p->name == '~' && below(m, 2) == 0 ? 3 : all);
	for (i = 0; n >= weight_of(p->to[i]); i++)
		n -= weight_of(p->to[i]);
	return (p->to[i] + (weight_of(p->to[i]) > 1 ? 2 : 0));
}

/* Puts one alternative of a production. */
static void
expand_name(struct maker *m, struct fm_text name)
{
	const struct production *p = find(fm_text_eq(name,
	    fm_text_of("@")) ? m->pool : name);
	const char *s;

	do
		s = choose(m, p);
	while (!is_allowed(m, s));
	/* A request has any number of texts that regexes may give up on. */
	if (m->raw == 0 && strncmp(s, "!c", 2) == 0) {
		m->budget--;
		m->costly = true;
	}
	expand(m, *s == '!' ? s + 2 : s);
}

/* Puts what a reference names as one word, which is changed. */
static void
expand_word(struct maker *m, const struct reference *ref)
{
	size_t start = m->len[0], len, i;
	bool good, quoted = false;
	char s[WORD];

	do {
		m->raw++;
		if (*ref->name.b == '=')
			put(m, ref->name.b + 1, ref->name.len - 1);
		else
			expand_name(m, ref->name);
		m->raw--;
		len = m->len[0] - start;
		m->len[0] = start;
		assert(len < WORD / 3);
		if (len > 0)
			memcpy(s, m->text[0] + start, len);
		s[len] = '\0';
		for (good = true, i = 0; i < ref->letters.len && good; i++)
			if (ref->letters.b[i] == 'q')
				quoted = true;
			else
				good = change(m, ref->letters.b[i], s);
	} while (!good);
	if (ref->word)
		put_word(m, s, quoted);
	else
		put(m, s, strlen(s));
}

/* Puts a test, now and then one that was put before. */
static void
expand_test(struct maker *m, struct fm_text name)
{
	const size_t start[2] = { m->len[0], m->len[1] };
	unsigned budget = m->budget, i, n;

	if (m->ntests > 0 && below(m, 4) == 0) {
		n = below(m, m->ntests);
		for (i = 0; i < 2; i++)
			put_into(m, i, m->tests[n][i],
			    strlen(m->tests[n][i]));
		return;
	}
	expand_name(m, name);
	/* A test with a costly regex is not repeated. */
	if (m->budget != budget || m->len[0] - start[0] >= WORD ||
	    m->len[1] - start[1] >= WORD)
		return;
	n = m->ntests < TESTS ? m->ntests++ : below(m, TESTS);
	for (i = 0; i < 2; i++)
		strcpy(m->tests[n][i], m->text[i] + start[i]);
}

static void
expand_once(struct maker *m, const struct reference *ref)
{
	char letter = ref->letters.len > 0 ? *ref->letters.b : '\0';

	if (letter == 'd') {
		m->depth--;
		expand_name(m, ref->name);
		m->depth++;
	} else if (letter == 'r')
		expand_test(m, ref->name);
	else if (ref->word || letter != '\0')
		expand_word(m, ref);
	else
		expand_name(m, ref->name);
}

/* Returns how often a reference is put. */
static unsigned
times_of(struct maker *m, struct fm_text count)
{
	unsigned n;

	if (count.len == 0)
		return (1);
	n = (unsigned)atoi(count.b + 1);
	switch (*count.b) {
	case '?':
		return (below(m, n) == 0);
	case '!':
		return (below(m, n) > 0);
	case '+':
		return (1 + below(m, n));
	case '*':
		return (below(m, n + 1));
	default:
		return (n);
	}
}

/* Cuts off the text before one of these bytes. */
static struct fm_text
cut(const char **s, const char *ends)
{
	const char *b = *s;

	*s += strcspn(b, ends);
	return (fm_text_span(b, *s));
}

/* Puts a reference, which ends at a backquote. */
static void
expand_reference(struct maker *m, const char *s)
{
	struct reference ref = { .word = *s == '\'' };
	struct fm_text pool = m->pool;
	unsigned times;

	s += ref.word;
	if (*s == '+' && m->raw == 0)
		put_into(m, 1, s + 1, strcspn(s, "`") - 1);
	if (*s == '#')
		special(m, s + 1);
	if (*s == '+' || *s == '#')
		return;
	ref.name = *s == '@' || *s == '=' ? fm_text(s++, 1) :
	    cut(&s, "`@/?!+*=");
	if (*ref.name.b == '=') {
		(void)cut(&s, "/");
		ref.name = fm_text_span(ref.name.b, s);
	}
	if (*s == '@') {
		s++;
		m->pool = cut(&s, "`/?!+*=");
	}
	if (*s == '/') {
		s++;
		ref.letters = cut(&s, "`?!+*=");
	}
	for (times = times_of(m, cut(&s, "`")); times > 0; times--)
		expand_once(m, &ref);
	m->pool = pool;
}

static void
expand(struct maker *m, const char *s)
{
	for (; *s != '\0'; s++)
		if (*s == '`') {
			expand_reference(m, s + 1);
			s = strchr(s + 1, '`');
		} else if (*s == ' ' || *s == '\n')
			put_layout(m, *s);
		else
			put(m, s, 1);
}

/*--------------------------------------------------------------------
 * Rules
 */

void
generate_rules(struct generate_rules *rules, uint64_t seed)
{
	/* An item, and in how many files of 12 it is. */
	static const struct {
		const char	*name;
		unsigned	often;
	} all[] = { { "lists", 12 }, { "maps", 12 }, { "set0", 12 },
	    { "set1", 12 }, { "set2", 12 }, { "host1", 12 }, { "host1", 10 },
	    { "host1", 8 }, { "host1", 6 }, { "host1", 4 }, { "host1", 2 },
	    { "always", 9 }, { "default", 6 }, { "finally", 6 },
	    { "undecided", 4 }, { "repeated", 2 }, { "client", 4 },
	    { "schemefrom", 12 } };
	struct maker *m = calloc(1, sizeof *m);
	const char *items[sizeof all / sizeof *all], *swap;
	unsigned n = 0, i, j;

	assert(m != NULL);
	m->state = random_start(seed);
	m->spelling = random_start(~seed);
	m->budget = below(m, 2) == 0 ? COSTLY : 0;
	for (i = 0; i < sizeof all / sizeof *all; i++)
		if (below(m, 12) < all[i].often)
			items[n++] = all[i].name;
	/* Names may be used before they are defined. */
	for (i = n; i > 1; i--) {
		j = below(m, i);
		swap = items[i - 1];
		items[i - 1] = items[j];
		items[j] = swap;
	}
	put(m, "", 0);
	for (i = 0; i < n; i++) {
		m->usable = strncmp(items[i], "set", 3) != 0 ? 3 :
		    (unsigned)(items[i][3] - '0');
		m->depth = strcmp(items[i], "always") == 0 ? 3 : 2;
		expand_name(m, fm_text_of(items[i]));
	}
	for (i = 0; i < 2; i++) {
		rules->text[i] = m->text[i];
		rules->len[i] = m->len[i];
	}
	rules->costly = m->costly;
	free(m);
}

void
generate_rules_free(struct generate_rules *rules)
{
	free(rules->text[0]);
	free(rules->text[1]);
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Returns a production's text, malloc'ed in its exact size. */
static struct fm_text
text_of(struct maker *m, const char *name)
{
	char *b;

	m->len[0] = 0;
	expand_name(m, fm_text_of(name));
	b = malloc(m->len[0] > 0 ? m->len[0] : 1);
	assert(b != NULL);
	if (m->len[0] > 0)
		memcpy(b, m->text[0], m->len[0]);
	return (fm_text(b, m->len[0]));
}

static void
add_field(struct maker *m, struct generate_request *r, const char *name)
{
	struct fm_text t;

	if (r->view.nfields == GENERATE_FIELDS)
		return;
	t = text_of(m, name);
	r->fields[r->view.nfields].b = t.b;
	r->fields[r->view.nfields++].e = t.b + t.len;
}

static void
add_fields(struct maker *m, struct generate_request *r)
{
	unsigned n = below(m, 500) == 0 ? 100 : below(m, 9);

	if (below(m, 12) > 0)
		add_field(m, r, "fhost");
	if (below(m, 3) > 0)
		add_field(m, r, "fagent");
	if (below(m, 3) > 0)
		add_field(m, r, "fcookie");
	if (below(m, 3) == 0)
		add_field(m, r, "fchain");
	while (n-- > 0) {
		/* A hole, as Varnish leaves them. */
		if (below(m, 30) == 0 &&
		    r->view.nfields < GENERATE_FIELDS)
			r->view.nfields++;
		add_field(m, r, "field");
	}
}

void
generate_request(struct generate_request *r, uint64_t seed, bool costly)
{
	struct maker *m = calloc(1, sizeof *m);
	struct fm_text address;
	unsigned i;

	assert(m != NULL);
	memset(r, 0, sizeof *r);
	m->state = random_start(seed);
	m->raw = 1;
	m->budget = costly;
	r->view.fields = r->fields;
	r->view.method = text_of(m, "method");
	r->view.url = text_of(m, "rurl");
	add_fields(m, r);
	r->view.marks = r->marks;
	for (i = 0; i < r->view.nfields && below(m, 3) == 0; i++)
		r->marks[i] = below(m, 3) > 0 ? FM_MARK_DROPPED : 0;
	address = text_of(m, "address");
	if (below(m, 10) > 0 && !fm_addr_parse(address, &r->view.client))
		abort();
	free((void *)(uintptr_t)address.b);
	r->view.esi = below(m, 10) == 0;
	r->view.restarts = below(m, 3) == 0 ? below(m, 4) : 0;
	r->view.session = below(m, 3) == 0 ? (uint8_t)below(m, 4) : 0;
	if (below(m, 8) == 0)
		r->view.scheme = below(m, 2) == 0 ? FM_SCHEME_HTTP :
		    FM_SCHEME_HTTPS;
	if (below(m, 3) == 0)
		r->view.proto = text_of(m, "proto");
	free(m->text[0]);
	free(m);
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
