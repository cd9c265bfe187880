/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An `if` that asks for the host and nothing else, as blocks of hosts: one
 * look-up in place of all its comparisons.  Rules look a host up in one
 * spelling, VCL compares what came, so it is for --well-formed.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import.h"

#define HOSTS_LEAST	2	/* one is easier to read as `when` */
#define HOSTS_MOST	1000

struct hosts {
	struct fm_import	*im;
	struct fm_text		v[HOSTS_MOST];
	size_t			n;
	size_t			first;		/* of this arm */
	bool			row;		/* of ifs, not of arms */
};

/* Whether these stand for the other one: the same, or a *.x that has it. */
static bool
covers(struct fm_text a, struct fm_text b)
{
	if (fm_text_eq(a, b))
		return (true);
	if (*a.b != '*')
		return (false);
	/* Of *.x all that ends in .x, *.y.x too. */
	a = fm_text(a.b + 1, a.len - 1);
	return (b.len > a.len && memcmp(b.b + b.len - a.len, a.b, a.len) == 0);
}

/* false: it is no name of a host in small letters. */
static bool
host_add(struct hosts *hosts, struct fm_text name, bool nocase, bool wild)
{
	char *b = fm_import_alloc(hosts->im, name.len + 2);
	struct fm_text host;
	size_t i;

	if (name.len < 2 || hosts->n == HOSTS_MOST ||
	    (name.b[0] == '.') != wild || name.b[name.len - 1] == '.')
		return (false);
	for (i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.b[i]) && name.b[i] != '-' &&
		    name.b[i] != '.')
			return (false);
		if (!nocase && isupper((unsigned char)name.b[i]))
			return (false);
		b[wild + i] = (char)tolower((unsigned char)name.b[i]);
	}
	if (wild)
		b[0] = '*';
	host = fm_text(b, name.len + wild);
	/* An arm before this one has it. */
	for (i = 0; i < hosts->first; i++)
		if (covers(hosts->v[i], host) ||
		    (hosts->row && covers(host, hosts->v[i])))
			return (!hosts->row);
	for (i = hosts->first; i < hosts->n; i++)
		if (fm_text_eq(hosts->v[i], host))
			return (true);
	hosts->v[hosts->n++] = host;
	return (true);
}

static bool
hosts_add(struct hosts *hosts, const struct fm_test *test)
{
	const struct fm_test *part;
	bool wild;
	size_t i;

	if (test->kind == FM_TEST_OR) {
		for (part = test->first; part != NULL; part = part->next)
			if (!hosts_add(hosts, part))
				return (false);
		return (true);
	}
	if (test->kind != FM_TEST_TEST ||
	    strcasecmp(test->subject, "header Host") != 0)
		return (false);
	wild = strcmp(test->is.mode, "ends") == 0;
	if (!wild && strcmp(test->is.mode, "is") != 0)
		return (false);
	for (i = 0; i < test->is.n; i++)
		if (!host_add(hosts, test->is.v[i], test->is.nocase, wild))
			return (false);
	return (true);
}

static bool
arm_put(struct hosts *hosts, const struct fm_arm *arm, FILE *to)
{
	struct fm_import *im = hosts->im;
	struct fm_plain names = { .mode = "is" };
	struct fm_test *test;
	bool good;

	hosts->first = hosts->n;
	if (arm->cond != NULL) {
		test = fm_import_cond(im, arm->cond);
		if (test == NULL || !hosts_add(hosts, test))
			return (false);
		names.v = hosts->v + hosts->first;
		names.n = hosts->n - hosts->first;
		/* All of it is somebody else's. */
		if (names.n == 0)
			return (true);
		fputs("host", to);
		fm_import_words_put(&names, 0, to);
	} else {
		fputs("default", to);
	}
	fputs(" {\n", to);
	good = fm_import_stmts(im, arm->body, 1, to);
	fputs("}\n", to);
	return (good);
}

/*
 * An `if` with all its arms; or one behind the other with one arm each, of
 * which no host is in two.
 */
size_t
fm_import_hosts(struct fm_import *im, const struct fm_vstmt *s, FILE *to)
{
	struct hosts *hosts;
	const struct fm_arm *arm;
	char *text = NULL;
	size_t n, len, best = 0, before;
	FILE *memory;
	bool good = true;

	if (!im->well_formed || s->kind != FM_VSTMT_IF || s->arms == NULL ||
	    s->arms->cond == NULL)
		return (0);
	hosts = fm_import_alloc(im, sizeof *hosts);
	hosts->im = im;
	hosts->row = s->arms->next == NULL;
	for (n = 0; good && s != NULL && (n == 0 || hosts->row);
	    s = s->next, n++) {
		if (s->kind != FM_VSTMT_IF || s->arms == NULL ||
		    (hosts->row && s->arms->next != NULL))
			break;
		memory = fm_import_memory(&text, &len);
		before = hosts->n;
		for (arm = s->arms; good && arm != NULL; arm = arm->next)
			good = arm_put(hosts, arm, memory);
		(void)fclose(memory);
		if (good && hosts->n > before) {
			fputs(text, to);
			best = n + 1;
		} else {
			hosts->n = before;
			good = false;
		}
		free(text);
		if (im->sets_host)
			break;
	}
	if (hosts->n < HOSTS_LEAST || best == 0)
		return (0);
	im->why = NULL;
	fm_import_note(im, FM_NOTE_HOST, "Host: %.*s:8080",
	    (int)hosts->v[0].len, hosts->v[0].b);
	return (best);
}
