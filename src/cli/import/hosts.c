/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An `if` that asks for the host and nothing else, as blocks of hosts: one
 * look-up in place of all its comparisons.  Rules look a host up in one
 * spelling, VCL compares what came, so it is for --well-formed.
 */

#include <string.h>
#include <strings.h>

#include "hostname.h"
#include "import.h"

#define HOSTS_LEAST	2	/* one is easier to read as `when` */

struct hosts {
	struct fm_import	*im;
	struct fm_plain		all;		/* of the arms before */
	struct fm_plain		arm;
	bool			row;		/* of ifs, not of arms */
};

/* Returns true if a is b, or a *.x that has it: *.x has *.y.x, too. */
static bool
covers(struct fm_text a, struct fm_text b)
{
	if (fm_text_eq(a, b))
		return (true);
	return (*a.b == '*' && b.len > a.len - 1 &&
	    memcmp(b.b + b.len - a.len + 1, a.b + 1, a.len - 1) == 0);
}

/* false: it is no name of a host in small letters, or in two ifs of a row. */
static bool
host_add(struct hosts *hosts, struct fm_text name, bool nocase, bool wild)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text host;
	size_t i;

	if (wild && !fm_text_begins(name, "."))
		return (false);
	name = fm_text(name.b + wild, name.len - wild);
	if (fm_hostname_canon(name, buf, &host) != FM_HOSTNAME_OK ||
	    host.len != name.len || (!nocase && !fm_text_eq(host, name)))
		return (false);
	name = fm_text_of(fm_import_printf(hosts->im, "%s%.*s",
	    wild ? "*." : "", FM_ARG(host)));
	for (i = 0; i < hosts->all.n; i++)
		if (covers(hosts->all.v[i], name) ||
		    (hosts->row && covers(name, hosts->all.v[i])))
			return (!hosts->row);
	fm_import_plain_add(hosts->im, &hosts->arm, &name, 1);
	return (true);
}

static bool
hosts_add(struct hosts *hosts, const struct fm_test *test)
{
	const struct fm_test *part;
	bool wild;
	size_t i;

	if (test->negated || test->kind == FM_TEST_AND)
		return (false);
	for (part = test->first; part != NULL; part = part->next)
		if (!hosts_add(hosts, part))
			return (false);
	if (test->kind == FM_TEST_OR)
		return (true);
	wild = strcmp(test->is.mode, "ends") == 0;
	if (strcasecmp(test->subject, "header Host") != 0 ||
	    (!wild && strcmp(test->is.mode, "is") != 0))
		return (false);
	for (i = 0; i < test->is.n; i++)
		if (!host_add(hosts, test->is.v[i], test->is.nocase, wild))
			return (false);
	return (true);
}

static bool
arm_put(struct hosts *hosts, const struct fm_arm *arm)
{
	struct fm_import *im = hosts->im;
	struct fm_test *test;
	bool good;

	if (arm->cond == NULL) {
		fm_import_put(im, "default");
	} else {
		hosts->arm.n = 0;
		test = fm_import_cond(im, arm->cond);
		if (test == NULL || !hosts_add(hosts, test))
			return (false);
		/* All of it is somebody else's. */
		if (hosts->arm.n == 0)
			return (true);
		fm_import_plain_add(im, &hosts->all, hosts->arm.v,
		    hosts->arm.n);
		fm_import_put(im, "host");
		fm_import_words_put(im, &hosts->arm);
	}
	fm_import_put(im, " {\n");
	im->tabs = 1;
	good = fm_import_stmts(im, arm->body);
	im->tabs = 0;
	fm_import_put(im, "}\n");
	return (good);
}

/* Writes an `if` that asks for hosts in each arm. */
static bool
if_put(struct hosts *hosts, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;
	size_t before = hosts->all.n;
	const char *text;
	bool good = true;

	fm_import_catch(hosts->im);
	for (arm = s->arms; good && arm != NULL; arm = arm->next)
		good = arm_put(hosts, arm);
	text = fm_import_caught(hosts->im);
	good = good && hosts->all.n > before;
	if (good)
		fm_import_put(hosts->im, "%s", text);
	else
		hosts->all.n = before;
	return (good);
}

/*
 * An `if` with all its arms; or one behind the other with one arm each, of
 * which no host is in two.
 */
size_t
fm_import_hosts(struct fm_import *im, const struct fm_vstmt *s)
{
	struct hosts hosts = { .im = im };
	size_t n = 0;

	if (s->arms == NULL || s->arms->cond == NULL)
		return (0);
	hosts.row = s->arms->next == NULL;
	im->tabs = 0;
	do {
		if (!if_put(&hosts, s))
			break;
		n++;
		s = s->next;
	} while (hosts.row && !im->seen.sets_host && s != NULL &&
	    s->arms != NULL && s->arms->next == NULL);
	if (hosts.all.n < HOSTS_LEAST)
		return (0);
	im->why = NULL;
	fm_import_note(im, FM_NOTE_HOST, "Host: %.*s:8080",
	    FM_ARG(hosts.all.v[0]));
	return (n);
}
