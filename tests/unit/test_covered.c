/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries of lists and networks that others hide: what the check tells is
 * compared with trying each with each, and with what the patterns match.
 */

#include "glob.h"
#include "pattern.h"
#include "program.h"

#define ENTRIES		14		/* the diag keeps 50 warnings */
#define LETTERS		"ab"		/* few, so that much is in much */

struct entry {
	enum fm_pattern_kind	mode;
	char			text[8];
};

struct list {
	bool			nocase;
	unsigned		n;
	struct entry		v[ENTRIES];	/* on the lines from 2 on */
};

static const char *words[] = {
	[FM_PATTERN_CONTAINS] = "contains", [FM_PATTERN_EXACT] = "is",
	[FM_PATTERN_PREFIX] = "begins", [FM_PATTERN_SUFFIX] = "ends",
	[FM_PATTERN_GLOB] = "like", [FM_PATTERN_REGEX] = "~",
};

/*--------------------------------------------------------------------
 * The warnings
 */

static void
list_text(const struct list *list, char *out)
{
	unsigned i;

	out += sprintf(out, "list l%s {\n", list->nocase ? " nocase" : "");
	for (i = 0; i < list->n; i++)
		out += sprintf(out, "%s \"%s\";\n", words[list->v[i].mode],
		    list->v[i].text);
	(void)sprintf(out, "}\nalways { when header X in l { pass; } }\n");
}

/*
 * Checks a text, whose entries are on the lines from 2 on, and fills in which
 * line hides each, or (if asked for) is the same; 0 for none.
 */
static void
tell(const char *text, bool same, unsigned *by, unsigned n)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = unit_parse("t", fm_text_of(text), diag);
	struct fm_diag_message m;
	const char *at;
	unsigned i;

	ck_assert_msg(fm_check(model, NULL, diag), "%s%s", text,
	    fm_diag_line(diag, 0));
	memset(by, 0, n * sizeof *by);
	for (i = 0; fm_diag_message(diag, i, &m); i++) {
		if (strstr(m.text, "changes nothing") == NULL &&
		    (!same || strstr(m.text, "appears twice") == NULL))
			continue;
		at = strstr(m.text, " at t:");
		ck_assert_ptr_nonnull(at);
		ck_assert_uint_ge(m.at.line, 2);
		ck_assert_uint_lt(m.at.line - 2, n);
		by[m.at.line - 2] = (unsigned)atoi(at + 6);
	}
	ck_assert_uint_eq(i, fm_diag_warnings(diag));
	fm_model_free(&model);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * The twin: what is sure of two entries, by what they look like
 */

/* A glob with stars at its ends only is one of the other kinds. */
static enum fm_pattern_kind
twin_kind(const struct entry *e, char text[8])
{
	bool first, last;
	char *end;

	(void)strcpy(text, e->text);
	if (e->mode != FM_PATTERN_GLOB)
		return (e->mode);
	first = text[0] == '*';
	(void)memmove(text, text + strspn(text, "*"),
	    strlen(text + strspn(text, "*")) + 1);
	end = text + strlen(text);
	last = end > text && end[-1] == '*';
	while (end > text && end[-1] == '*')
		*--end = '\0';
	if (strpbrk(text, "*?") != NULL || text[0] == '\0') {
		(void)strcpy(text, e->text);
		return (FM_PATTERN_GLOB);
	}
	return (first ? last ? FM_PATTERN_CONTAINS : FM_PATTERN_SUFFIX :
	    last ? FM_PATTERN_PREFIX : FM_PATTERN_EXACT);
}

static void
fold(char *text)
{
	for (; *text != '\0'; text++)
		*text = (char)fm_lower((unsigned char)*text);
}

static bool
twin_covers(const struct list *list, unsigned by, unsigned e)
{
	enum fm_pattern_kind bykind, ekind;
	char b[8], t[8], *end;
	size_t blen, tlen;

	bykind = twin_kind(&list->v[by], b);
	ekind = twin_kind(&list->v[e], t);
	if (list->nocase) {
		fold(b);
		fold(t);
	}
	if (strspn(t, "*") == strlen(t) || strspn(b, "*") == strlen(b))
		return (false);
	if (bykind == ekind && strcmp(b, t) == 0)
		return (by < e);
	blen = strlen(b);
	tlen = strlen(t);
	switch (bykind) {
	case FM_PATTERN_CONTAINS:
		return (strstr(t, b) != NULL);
	case FM_PATTERN_PREFIX:
		return ((ekind == FM_PATTERN_EXACT ||
		    ekind == FM_PATTERN_PREFIX || ekind == FM_PATTERN_GLOB) &&
		    strncmp(t, b, blen) == 0);
	case FM_PATTERN_SUFFIX:
		return ((ekind == FM_PATTERN_EXACT ||
		    ekind == FM_PATTERN_SUFFIX || ekind == FM_PATTERN_GLOB) &&
		    tlen >= blen && strcmp(t + tlen - blen, b) == 0);
	case FM_PATTERN_GLOB:
		end = b + blen - 1;
		if (ekind == FM_PATTERN_GLOB ||
		    (*end != '*' && (ekind == FM_PATTERN_PREFIX ||
		    ekind == FM_PATTERN_CONTAINS)) ||
		    (b[0] != '*' && (ekind == FM_PATTERN_SUFFIX ||
		    ekind == FM_PATTERN_CONTAINS)))
			return (false);
		return (fm_glob_match(fm_text_of(b), fm_text_of(t), false));
	default:
		return (false);
	}
}

static bool
twin_hidden(const struct list *list, unsigned e)
{
	unsigned by;

	for (by = 0; by < list->n; by++)
		if (by != e && twin_covers(list, by, e))
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Lists to try
 */

static void
list_make(struct list *list)
{
	static const enum fm_pattern_kind modes[] = { FM_PATTERN_CONTAINS,
	    FM_PATTERN_EXACT, FM_PATTERN_PREFIX, FM_PATTERN_SUFFIX,
	    FM_PATTERN_GLOB, FM_PATTERN_GLOB };
	const char *letters;
	unsigned i, at, len;
	struct entry *e;

	memset(list, 0, sizeof *list);
	list->nocase = unit_below(3) == 0;
	list->n = 1 + unit_below(ENTRIES);
	for (i = 0; i < list->n; i++) {
		e = &list->v[i];
		e->mode = modes[unit_below(6)];
		letters = list->nocase ? "abAB" : LETTERS;
		if (e->mode == FM_PATTERN_GLOB)
			letters = "ab*a*b?";
		len = 1 + unit_below(6);
		for (at = 0; at < len; at++)
			e->text[at] = letters[unit_below(
			    (unsigned)strlen(letters))];
	}
}

static struct fm_pattern *
entry_pattern(const struct list *list, const struct entry *e)
{
	const struct fm_place place = { .name = "t" };
	struct fm_pattern *p = fm_pattern_new(e->mode, fm_text_of(e->text),
	    list->nocase, &place, NULL);

	ck_assert_ptr_nonnull(p);
	return (p);
}

/* Fails unless an entry takes each text of up to eight letters that e takes. */
static void
assert_sound(const struct list *list, const struct entry *e,
    const struct entry *hides)
{
	struct fm_pattern *p = entry_pattern(list, e);
	struct fm_pattern *by = entry_pattern(list, hides);
	struct fm_tally tally = { .scans = 0 };
	unsigned bits, i, len;
	struct fm_text t;
	char text[8];

	for (len = 0; len <= sizeof text; len++)
		for (bits = 0; bits < 1U << len; bits++) {
			for (i = 0; i < len; i++)
				text[i] = LETTERS[bits >> i & 1];
			t = fm_text(text, len);
			if (fm_pattern_match(p, t, &tally) &&
			    !fm_pattern_match(by, t, &tally))
				ck_abort_msg("'%s %s' does not hide '%s %s': "
				    "%.*s", words[hides->mode], hides->text,
				    words[e->mode], e->text, (int)len, text);
		}
	fm_pattern_free(&p);
	fm_pattern_free(&by);
}

UNIT_TEST(test_covered_entries_are_those_of_the_twin)
{
	unsigned i, round, told = 0, by[ENTRIES];
	char text[4096];
	struct list list;

	unit_seed("covered");
	for (round = 0; round < 3000; round++) {
		list_make(&list);
		list_text(&list, text);
		tell(text, true, by, list.n);
		for (i = 0; i < list.n; i++) {
			ck_assert_msg((by[i] != 0) == twin_hidden(&list, i),
			    "%sline %u: told %u", text, i + 2, by[i]);
			if (by[i] != 0)
				assert_sound(&list, &list.v[i],
				    &list.v[by[i] - 2]);
			told += by[i] != 0;
		}
	}
	ck_assert_uint_gt(told, 3000);
}

/*--------------------------------------------------------------------
 * Networks
 */

struct net {
	char			text[48];
	char			bits[130];	/* 0 or 1 each; of IPv4 32 */
};

/* Few addresses, so that much is in much. */
static void
net_make(struct net *net)
{
	static const unsigned char bytes[] = { 10, 11, 138 };
	unsigned v4 = unit_below(2), mapped = v4 && unit_below(4) == 0;
	unsigned max = v4 ? 32 : 48, i, len = unit_below(max + 1);
	unsigned char b[6];
	char *p = net->text;

	memset(net, 0, sizeof *net);
	if (unit_below(4) == 0)
		len = max;
	for (i = 0; i < 6; i++)
		b[i] = unit_below(2) ? 0 : bytes[unit_below(3)];
	for (i = len; i < 48; i++)
		b[i / 8] &= (unsigned char)~(0x80U >> i % 8);
	for (i = 0; i < len; i++)
		net->bits[i] = (b[i / 8] & 0x80U >> i % 8) != 0 ? '1' : '0';
	if (v4)
		p += sprintf(p, "%s%u.%u.%u.%u", mapped ? "::ffff:" : "", b[0],
		    b[1], b[2], b[3]);
	else
		p += sprintf(p, "%x:%x:%x::", b[0] << 8 | b[1],
		    b[2] << 8 | b[3], b[4] << 8 | b[5]);
	/* A single address may be written without its length. */
	if (!v4 || len < 32 || unit_below(2) == 0)
		(void)sprintf(p, "/%u", mapped ? len + 96 : len);
	net->bits[129] = v4 ? '4' : '6';
}

static bool
net_inside(const struct net *net, const struct net *wide)
{
	return (net->bits[129] == wide->bits[129] &&
	    strncmp(net->bits, wide->bits, strlen(wide->bits)) == 0);
}

/* The widest, and of these the first; but for the same written twice. */
static unsigned
net_twin(const struct net *v, unsigned n, unsigned e)
{
	unsigned i, by = e;

	for (i = 0; i < n; i++)
		if (net_inside(&v[e], &v[i]) && (strlen(v[i].bits) <
		    strlen(v[by].bits) || (i < by &&
		    strlen(v[i].bits) == strlen(v[by].bits))))
			by = i;
	return (by == e || strcmp(v[by].text, v[e].text) == 0 ? 0 : by + 2);
}

UNIT_TEST(test_covered_networks_are_those_of_the_twin)
{
	unsigned i, n, round, told = 0, by[ENTRIES];
	struct net v[ENTRIES];
	char text[2048], *p;

	unit_seed("covered nets");
	for (round = 0; round < 3000; round++) {
		n = 1 + unit_below(ENTRIES);
		p = text + sprintf(text, "list l {\n");
		for (i = 0; i < n; i++) {
			net_make(&v[i]);
			p += sprintf(p, "is %s;\n", v[i].text);
		}
		(void)sprintf(p, "}\nalways { when client in l { pass; } }\n");
		tell(text, false, by, n);
		for (i = 0; i < n; i++) {
			ck_assert_msg(by[i] == net_twin(v, n, i),
			    "%s: told %u, not %u", v[i].text, by[i],
			    net_twin(v, n, i));
			told += by[i] != 0;
		}
	}
	ck_assert_uint_gt(told, 3000);
}

UNIT_TEST(test_covered_entry_is_found_among_many)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	char *text = malloc(100000), *p = text;
	unsigned i;

	ck_assert_ptr_nonnull(text);
	p += sprintf(p, "list l contains {\n");
	for (i = 0; i < 1000; i++)
		p += sprintf(p, "x%05u-%u\n", i, i % 7);
	(void)sprintf(p, "zz-x00543-4-yy\n}\n"
	    "always { when agent in l { pass; } }\n");
	model = unit_parse("t", fm_text_of(text), diag);
	ck_assert(fm_check(model, NULL, diag));
	unit_says(diag, "t:1002:1: warning: "
	    "'contains zz-x00543-4-yy' changes nothing: 'contains x00543-4' "
	    "at t:545:1 matches all that it does\n");
	fm_model_free(&model);
	free(text);
}

int
main(void)
{
	return (unit_main("covered", 120));
}
