/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The canonical host, against a table and against a second implementation
 * that is as dumb as can be.
 */

#include "unit.h"

#include "hostname.h"
#include "twin_hostname.h"

#define OK	FM_HOSTNAME_OK
#define BAD	FM_HOSTNAME_BAD
#define NONE	FM_HOSTNAME_NONE

/*
 * An exact-size heap copy for each length, made once: AddressSanitizer sees
 * a byte too many.
 */
static struct fm_text
exact_copy(struct fm_text raw)
{
	static char *copies[2 * FM_HOSTNAME_MAX + 1];

	ck_assert_uint_le(raw.len, 2 * FM_HOSTNAME_MAX);
	if (copies[raw.len] == NULL)
		copies[raw.len] = malloc(raw.len > 0 ? raw.len : 1);
	if (copies[raw.len] == NULL)
		ck_abort_msg("no memory");
	memcpy(copies[raw.len], raw.b, raw.len);
	return (fm_text(copies[raw.len], raw.len));
}

/*
 * Returns the rule that is broken, or NULL.  Two hold for every input: nothing
 * is copied that is canonical, nothing is written where nothing is returned.
 */
static const char *
canon_flaw(enum fm_hostname outcome, struct fm_text raw, struct fm_text copy,
    const char *buf, struct fm_text canon)
{
	bool same;
	size_t i;

	if (memcmp(copy.b, raw.b, raw.len) != 0)
		return ("the input was written to");
	if (outcome != OK) {
		if (canon.b != NULL || canon.len != 0)
			return ("a text that is not missing");
	} else {
		if (canon.len == 0 || canon.len > FM_HOSTNAME_MAX)
			return ("a name of no length that may be");
		same = canon.len <= raw.len &&
		    memcmp(canon.b, raw.b, canon.len) == 0;
		if (same && canon.b != copy.b)
			return ("a copy of what is canonical");
		if (!same && canon.b != buf)
			return ("a name that is neither in raw nor in buf");
		if (canon.b == buf)
			return (NULL);
	}
	for (i = 0; i < FM_HOSTNAME_MAX; i++)
		if (buf[i] != '!')
			return ("a buffer that was written to in vain");
	return (NULL);
}

/* The canonical host goes to out as a C string. */
static enum fm_hostname
canon_checked(struct fm_text raw, char out[FM_HOSTNAME_MAX + 1])
{
	static char *buf;
	struct fm_text copy, canon = fm_text("junk", 4);
	enum fm_hostname outcome;
	const char *flaw;

	if (buf == NULL)
		buf = malloc(FM_HOSTNAME_MAX);
	if (buf == NULL)
		ck_abort_msg("no memory");
	memset(buf, '!', FM_HOSTNAME_MAX);
	copy = exact_copy(raw);
	outcome = fm_hostname_canon(copy, buf, &canon);
	flaw = canon_flaw(outcome, raw, copy, buf, canon);
	if (flaw != NULL)
		ck_abort_msg("\"%.*s\" gives %s", (int)raw.len, raw.b, flaw);
	if (canon.len > 0)
		memcpy(out, canon.b, canon.len);
	out[canon.len] = '\0';
	return (outcome);
}

static const struct {
	const char		*raw;
	enum fm_hostname	outcome;
	const char		*canon;
} rows[] = {
	{ "", NONE, "" },
	{ "example.com", OK, "example.com" },
	{ "a", OK, "a" },
	{ "xn--mnchen-3ya.example", OK, "xn--mnchen-3ya.example" },
	{ "192.0.2.1", OK, "192.0.2.1" },
	{ "an-eight", OK, "an-eight" },
	{ "sixteen-16-bytes", OK, "sixteen-16-bytes" },

	{ "example.com:80", OK, "example.com" },
	{ "example.com:99999999999999999999999999", OK, "example.com" },
	{ "example.com.:80", OK, "example.com" },
	{ "example.com:http", BAD, "" },
	{ "a::", BAD, "" },

	{ ".", BAD, "" },
	{ "a..b", BAD, "" },
	{ ".a", BAD, "" },
	{ "a..:80", BAD, "" },
	{ "seven77..b", BAD, "" },	/* two words with a dot each */
	{ "seven77.:1", OK, "seven77" },

	{ "[2001:DB8::1]:80", OK, "[2001:db8::1]" },
	{ "[2001:db8::1]", OK, "[2001:db8::1]" },
	{ "[::1]", OK, "[::1]" },
	{ "[::FFFF:192.0.2.1]:0", OK, "[::ffff:192.0.2.1]" },
	{ "[1111:2222:3333:4444:5555:6666:7777:8888]", OK,
	    "[1111:2222:3333:4444:5555:6666:7777:8888]" },
	{ "[1111:2222:3333:4444:5555:6666:7777:8888:9999]", BAD, "" },
	{ "[::1", BAD, "" },
	{ "[]", BAD, "" },
	{ "[::1].", BAD, "" },
	{ "[::1]:http", BAD, "" },
	{ "[::1%25eth0]", BAD, "" },
	{ "[1.2.3.4]", BAD, "" },
	{ "[::1.2.3.256]", BAD, "" },
	{ "::1", BAD, "" },

	{ " example.com", BAD, "" },
	{ "example.com,example.org", BAD, "" },
	{ "m\xc3\xbcnchen.example", BAD, "" },
	{ "%65xample.com", BAD, "" }
};

UNIT_TEST(a_row_of_the_table_has_another_outcome)
{
	char out[FM_HOSTNAME_MAX + 1];
	enum fm_hostname outcome;
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		outcome = canon_checked(fm_text_of(rows[i].raw), out);
		ck_assert_msg(outcome == rows[i].outcome &&
		    strcmp(out, rows[i].canon) == 0,
		    "\"%s\": %d \"%s\" is not %d \"%s\"", rows[i].raw,
		    (int)outcome, out, (int)rows[i].outcome, rows[i].canon);
	}
}

UNIT_TEST(a_missing_host_is_not_none)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon = fm_text("junk", 4);

	ck_assert_int_eq(fm_hostname_canon(fm_text_of(NULL), buf, &canon),
	    FM_HOSTNAME_NONE);
	ck_assert_ptr_null(canon.b);
	ck_assert_uint_eq(canon.len, 0);
}

static enum fm_hostname
twins_agree(const char *b, size_t len)
{
	char out[FM_HOSTNAME_MAX + 1], naive[FM_HOSTNAME_MAX + 1];
	enum fm_hostname outcome, expected;

	expected = twin_canon(b, len, naive);
	outcome = canon_checked(fm_text(b, len), out);
	if (outcome != expected || strcmp(out, naive) != 0)
		ck_abort_msg("\"%.*s\" (%zu bytes): %d \"%s\" is not "
		    "%d \"%s\"", (int)len, b, len, (int)outcome, out,
		    (int)expected, naive);
	return (outcome);
}

UNIT_TEST(a_byte_somewhere_is_taken_for_another)
{
	static const char * const hosts[] = {
		"a", "ab.cd", "www.example.com", "A.b:80", "www.example.com.",
		"sixteen-16-bytes", "[2001:db8::1]", "[::1.2.3.4]:80"
	};
	char host[32];
	size_t h, at, len;
	unsigned c;

	for (h = 0; h < sizeof hosts / sizeof hosts[0]; h++) {
		len = strlen(hosts[h]);
		for (at = 0; at <= len; at++)
			for (c = 0; c < 256; c++) {
				/* Replaces a byte by c; then inserts c. */
				memcpy(host, hosts[h], len);
				if (at < len) {
					host[at] = (char)c;
					(void)twins_agree(host, len);
				}
				memcpy(host, hosts[h], at);
				host[at] = (char)c;
				memcpy(host + at + 1, hosts[h] + at, len - at);
				(void)twins_agree(host, len + 1);
			}
	}
}

/* A host of len bytes, in labels of 9. */
static void
host_of_length(char *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		b[i] = i % 10 == 9 && i + 1 < len ? '.' : 'a';
}

UNIT_TEST(the_longest_name_is_another)
{
	static const char * const tails[] = {
		"", ".", ":80", ".:80", ":", "..", ".:http", " "
	};
	char host[2 * FM_HOSTNAME_MAX];
	size_t len, t, tail, i;
	unsigned ok = 0;

	for (len = 1; len < 300; len++)
		for (t = 0; t < sizeof tails / sizeof tails[0]; t++) {
			host_of_length(host, len);
			tail = strlen(tails[t]);
			memcpy(host + len, tails[t], tail);
			ok += twins_agree(host, len + tail) == OK;
			for (i = 0; i < len; i += 7)
				host[i] = (char)(host[i] & ~0x20);
			(void)twins_agree(host, len + tail);
		}
	ck_assert_uint_eq(ok, 253 * 5);
}

UNIT_TEST(a_host_of_a_megabyte_is_taken)
{
	static const char fill[] = "a.:0[1 ";
	const size_t len = 1 << 20;
	char *host, buf[FM_HOSTNAME_MAX];
	struct fm_text canon;
	size_t i;

	host = malloc(len);
	ck_assert_ptr_nonnull(host);
	for (i = 0; fill[i] != '\0'; i++) {
		memset(host, fill[i], len);
		ck_assert_int_eq(fm_hostname_canon(fm_text(host, len), buf,
		    &canon), FM_HOSTNAME_BAD);
	}
	/* A port is dropped unread, however long it is. */
	memset(host, '0', len);
	memcpy(host, "a:", 2);
	ck_assert_int_eq(fm_hostname_canon(fm_text(host, len), buf, &canon),
	    FM_HOSTNAME_OK);
	unit_assert_text(canon, "a");
	free(host);
}

UNIT_TEST(random_hosts_differ_from_the_naive_twin)
{
	static const char alphabet[] = "aA.-_:[]0%\0 \xc3\xbc";
	static const char friendly[] = "aaBzZ09-_..";
	char host[40];
	unsigned n, rounds = unit_rounds(300000, 6), i, len, bad, ok = 0;

	unit_seed("random_hosts_differ_from_the_naive_twin");
	for (n = 0; n < rounds; n++) {
		len = unit_below(n % 2 == 0 ? 8 : sizeof host);
		/* All bytes good ones but for a few. */
		bad = n % 4;
		for (i = 0; i < len; i++)
			host[i] = friendly[unit_below(sizeof friendly - 1)];
		for (i = 0; i < len && (bad == 3 || i < bad); i++)
			host[bad == 3 ? i : unit_below(len)] =
			    alphabet[unit_below(sizeof alphabet - 1)];
		ok += twins_agree(host, len) == OK;
	}
	ck_assert_uint_gt(ok, rounds / 30);
}

UNIT_TEST(random_literals_differ_from_the_naive_twin)
{
	static const char * const pieces[] = {
		":", ":", ":", "::", "0", "1", "aB", "FFFF", "123", "00000",
		"1.2.3.4", ".", "255", "]", "[", "%", "g"
	};
	char host[256];
	unsigned n, rounds = unit_rounds(300000, 6), i, want, ok = 0;
	size_t len, piece;

	unit_seed("random_literals_differ_from_the_naive_twin");
	for (n = 0; n < rounds; n++) {
		host[0] = '[';
		len = 1;
		want = 1 + unit_below(17);
		for (i = 0; i < want; i++) {
			/* Mostly groups and colons in turn. */
			piece = unit_below(8) == 0 ? unit_below(17) :
			    i % 2 == 0 ? 4 + unit_below(5) : unit_below(4);
			memcpy(host + len, pieces[piece],
			    strlen(pieces[piece]));
			len += strlen(pieces[piece]);
		}
		host[len++] = ']';
		if (n % 4 == 0) {
			memcpy(host + len, ":80", 3);
			len += 3;
		}
		ok += twins_agree(host, len) == OK;
	}
	ck_assert_uint_gt(ok, rounds / 30);
}

int
main(void)
{
	return (unit_main("hostname", 60));
}
