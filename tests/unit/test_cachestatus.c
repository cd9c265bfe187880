/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Members of Cache-Status: cases as a table; and a parser of structured fields,
 * by the steps of RFC 8941 (section 4.2), which reads from any member what was
 * written.
 */

#include "cachestatus.h"
#include "unit.h"

#define T(text)	{ text, sizeof text - 1 }

static const struct {
	struct fm_cachestatus	member;
	const char		*is;
} cases[] = {
	{ { .name = T("edge") }, "edge; hit" },
	{ { .name = T("edge"), .fresh = true, .ttl = 12 },
	    "edge; hit; ttl=12" },
	{ { .name = T("edge"), .fresh = true, .ttl = 59.5 },
	    "edge; hit; ttl=60" },
	{ { .name = T("edge"), .fresh = true, .ttl = .4 }, "edge; hit; ttl=0" },
	{ { .name = T("edge"), .fresh = true, .ttl = -.001 },
	    "edge; hit; ttl=-1" },
	{ { .name = T("edge"), .fresh = true, .ttl = -412.5 },
	    "edge; hit; ttl=-413" },
	{ { .name = T("edge"), .fresh = true, .ttl = 1e300 },
	    "edge; hit; ttl=999999999999999" },
	{ { .name = T("edge"), .fresh = true, .ttl = -1e300 },
	    "edge; hit; ttl=-999999999999999" },
	/* A status is one of a response that was asked for. */
	{ { .name = T("edge"), .status = 200 }, "edge; hit" },
	{ { .name = T("\"my \\\"cdn\\\"\""), .fwd = "miss", .status = 200,
	    .fresh = true, .ttl = 60, .stored = true,
	    .detail = T("site.rules:21") },
	    "\"my \\\"cdn\\\"\"; fwd=miss; fwd-status=200; ttl=60; stored; "
	    "detail=\"site.rules:21\"" },
	{ { .name = T("edge"), .fwd = "bypass", .detail = T("") },
	    "edge; fwd=bypass; detail=\"\"" },
	{ { .name = T("edge"), .fwd = "stale", .status = 304,
	    .detail = T("a\"\\\r\n\x7f\xc3\xa9 ~") },
	    "edge; fwd=stale; fwd-status=304; detail=\"a\\\"\\\\????? ~\"" },
};

/* Writes a member into memory of exactly its room. */
static char *
put(const struct fm_cachestatus *member)
{
	size_t cap = fm_cachestatus_cap(member), len;
	char *to = malloc(cap), *text;

	ck_assert_ptr_nonnull(to);
	len = fm_cachestatus_put(member, to);
	ck_assert_uint_le(len, cap);
	text = strndup(to, len);
	ck_assert_ptr_nonnull(text);
	free(to);
	return (text);
}

UNIT_TEST(test_cachestatus_says_what_a_cache_has_done)
{
	char *text;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		text = put(&cases[i].member);
		ck_assert_str_eq(text, cases[i].is);
		free(text);
	}
}

/*--------------------------------------------------------------------
 * A parser of structured fields.  Each function takes what it reads off a text.
 */

#define TEXT	300

/* A bare item: a token, a string, an integer, or true. */
struct item {
	char			kind;		/* t, s, i or b */
	char			text[TEXT];	/* of a token or a string */
	long long		number;
};

static void
read_string(const char **p, struct item *item)
{
	size_t n = 0;

	item->kind = 's';
	for ((*p)++; **p != '"'; (*p)++) {
		if (**p == '\\') {
			(*p)++;
			ck_assert(**p == '"' || **p == '\\');
		}
		ck_assert(**p >= ' ' && **p <= '~');
		ck_assert_uint_lt(n, TEXT - 1);
		item->text[n++] = **p;
	}
	item->text[n] = '\0';
	(*p)++;
}

static void
read_integer(const char **p, struct item *item)
{
	size_t digits;

	item->kind = 'i';
	digits = strspn(*p + (**p == '-'), "0123456789");
	ck_assert(digits > 0 && digits <= 15);
	item->number = strtoll(*p, NULL, 10);
	*p += digits + (**p == '-');
}

static void
read_token(const char **p, struct item *item)
{
	static const char more[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~:/";
	size_t len = strspn(*p, more);

	item->kind = 't';
	ck_assert(len > 0 && len < TEXT && strchr("0123456789!#$%&'+-.^_`|~:/",
	    **p) == NULL);
	memcpy(item->text, *p, len);
	item->text[len] = '\0';
	*p += len;
}

static void
read_item(const char **p, struct item *item)
{
	if (**p == '"')
		read_string(p, item);
	else if (**p == '-' || (**p >= '0' && **p <= '9'))
		read_integer(p, item);
	else
		read_token(p, item);
}

/* Reads `; key=value`, or `; key`, into the key and its item. */
static bool
read_parameter(const char **p, char key[TEXT], struct item *item)
{
	size_t len;

	if (**p != ';')
		return (false);
	*p += 1 + strspn(*p + 1, " ");
	len = strspn(*p, "abcdefghijklmnopqrstuvwxyz0123456789_-.*");
	ck_assert(len > 0 && len < TEXT && (**p == '*' ||
	    (**p >= 'a' && **p <= 'z')));
	memcpy(key, *p, len);
	key[len] = '\0';
	*p += len;
	item->kind = 'b';
	if (**p == '=') {
		(*p)++;
		read_item(p, item);
	}
	return (true);
}

/*--------------------------------------------------------------------
 * What was written is read
 */

/* Copies a text of a member as a string of structured fields can have it. */
static void
plain(struct fm_text text, char to[TEXT])
{
	size_t i;

	for (i = 0; i < text.len; i++)
		to[i] = text.b[i] >= ' ' && text.b[i] <= '~' ? text.b[i] : '?';
	to[text.len] = '\0';
}

static void
parameter_is(const struct fm_cachestatus *member, const char *key,
    const struct item *item)
{
	char detail[TEXT];

	if (strcmp(key, "hit") == 0) {
		ck_assert(item->kind == 'b' && member->fwd == NULL);
	} else if (strcmp(key, "fwd") == 0) {
		ck_assert_int_eq(item->kind, 't');
		ck_assert_str_eq(item->text, member->fwd);
	} else if (strcmp(key, "fwd-status") == 0) {
		ck_assert(item->kind == 'i' && member->fwd != NULL);
		ck_assert_int_eq(item->number, member->status);
	} else if (strcmp(key, "ttl") == 0) {
		ck_assert(item->kind == 'i' && member->fresh);
		ck_assert(member->ttl >= 0 ? item->number >= 0 :
		    item->number < 0);
		if (member->ttl > -1e14 && member->ttl < 1e14)
			ck_assert((double)item->number - member->ttl <= .5 &&
			    (double)item->number - member->ttl > -1);
	} else if (strcmp(key, "stored") == 0) {
		ck_assert(item->kind == 'b' && member->stored);
	} else {
		ck_assert_str_eq(key, "detail");
		ck_assert_int_eq(item->kind, 's');
		plain(member->detail, detail);
		ck_assert_str_eq(item->text, detail);
	}
}

static void
member_is(const struct fm_cachestatus *member, bool token, struct fm_text name)
{
	char *text = put(member), key[TEXT], plain_name[TEXT];
	const char *p = text;
	struct item item;
	unsigned n = 0;

	read_item(&p, &item);
	plain(name, plain_name);
	ck_assert_int_eq(item.kind, token ? 't' : 's');
	ck_assert_str_eq(item.text, plain_name);
	for (; read_parameter(&p, key, &item); n++)
		parameter_is(member, key, &item);
	ck_assert_str_eq(p, "");
	ck_assert_uint_eq(n, 1U + (member->fwd != NULL && member->status > 0) +
	    member->fresh + member->stored + (member->detail.b != NULL));
	free(text);
}

/* Fills a buffer with bytes that are hard to write. */
static struct fm_text
hostile(char to[TEXT], unsigned most)
{
	static const char bytes[] = "\"\"\\\\;=,ab :/\r\n\t\0\x7f\x80\xff~ ";
	size_t len = unit_below(most + 1), i;

	for (i = 0; i < len; i++)
		to[i] = bytes[unit_below(sizeof bytes - 1)];
	return (fm_text(to, len));
}

UNIT_TEST(test_cachestatus_is_a_structured_field)
{
	static const char * const tokens[] = { "edge", "*a", "a:/b.c", "A!~" };
	static const char * const fwds[] = { NULL, "miss", "stale", "bypass",
	    "method" };
	static const double ttls[] = { 0, .4, .5, 60, -.5, -1, 1e13 + .5, 1e15,
	    1e18, -1e18 };
	unsigned rounds = unit_rounds(200000, 40);
	char name[TEXT], quoted[2 * TEXT], detail[TEXT];
	struct fm_cachestatus member;
	struct fm_text raw;
	bool token;

	unit_seed("members");
	while (rounds-- > 0) {
		token = unit_below(2) == 0;
		raw = token ? fm_text_of(tokens[unit_below(4)]) :
		    hostile(name, 20);
		member = (struct fm_cachestatus){ .name = raw,
		    .fwd = fwds[unit_below(5)],
		    .status = unit_below(2) * (100 + unit_below(900)),
		    .fresh = unit_below(2) == 0, .ttl = ttls[unit_below(10)],
		    .stored = unit_below(2) == 0 };
		if (!token)
			member.name = fm_text(quoted,
			    fm_cachestatus_string(raw, quoted));
		if (unit_below(2) == 0)
			member.detail = hostile(detail, 100);
		member_is(&member, token, raw);
	}
}

int
main(void)
{
	return (unit_main("cachestatus", 60));
}
