/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenarios (fail.h) with patterns, hosts, parameters, lists and the backup
 * copy; scenarios_rules.c has those with rules.
 */

#include <unistd.h>

#include "../unit/unit.h"
#include "../unit/folder.h"
#include "addrs.h"
#include "host_find.h"
#include "listfile.h"
#include "names.h"
#include "params.h"
#include "patset.h"
#include "scenarios.h"
#include "sources.h"

_Thread_local const char *fail_wrong;

static const struct fm_place here = { .name = "here", .line = 1 };

enum fail_outcome
fail_is_wrong(const char *what)
{
	static _Thread_local char buf[400];

	if (what != buf)
		(void)snprintf(buf, sizeof buf, "%s", what);
	fail_wrong = buf;
	return (FAIL_WRONG);
}

enum fail_outcome
fail_refused(const struct fm_diag *diag, const char *word)
{
	const char *file = fail_file();
	struct fm_diag_message message;
	unsigned n, errors = 0;

	if (diag == NULL)		/* nowhere to say it */
		return (FAIL_REFUSED);
	if (fm_diag_errors(diag) == 0)
		return (fail_is_wrong("it doesn't say why"));
	for (n = 0; fm_diag_message(diag, n, &message); n++) {
		errors += message.error;
		if (message.error && (strstr(message.text, word) != NULL ||
		    strstr(message.text, "can't see where") != NULL) &&
		    (file == NULL || strstr(fm_diag_line(diag, n), file) !=
		    NULL))
			return (FAIL_REFUSED);
	}
	/* memory may have been short for messages, too */
	return (errors == 0 ? FAIL_REFUSED :
	    fail_is_wrong(fm_diag_line(diag, 0)));
}

/*--------------------------------------------------------------------
 * Patterns
 */

static const struct {
	enum fm_pattern_kind	kind;
	const char		*text;
	bool			nocase;
} patterns[] = {
	{ FM_PATTERN_CONTAINS, "Nokia", false },
	{ FM_PATTERN_CONTAINS, "sony", true },
	{ FM_PATTERN_CONTAINS, "Android", false },
	{ FM_PATTERN_CONTAINS, "iPhone", false },
	/* Patterns that end alike, and equal ones. */
	{ FM_PATTERN_CONTAINS, "a Mobile Safari", false },
	{ FM_PATTERN_CONTAINS, "SONYEricsson Mobile Safari", true },
	{ FM_PATTERN_CONTAINS, "n Mobile Safari", false },
	{ FM_PATTERN_CONTAINS, "n Mobile Safari", false },
	{ FM_PATTERN_EXACT, "Mozilla", false },
	{ FM_PATTERN_EXACT, "mozilla", true },
	{ FM_PATTERN_PREFIX, "Mozilla/", false },
	{ FM_PATTERN_SUFFIX, "Safari", false },
	{ FM_PATTERN_GLOB, "*Mobile?Safari*", false },
	{ FM_PATTERN_GLOB, "*SONY*Mobile*", false },
	{ FM_PATTERN_GLOB, "*Nokia*sony*i", false },
	{ FM_PATTERN_GLOB, "iPhone*NOKIA*Safari*", true },
	{ FM_PATTERN_REGEX, "(foo|bar)[0-9]+", false },
	{ FM_PATTERN_REGEX, "[a-f]{3}-[0-9]+", true },
	{ FM_PATTERN_REGEX, "(?<=x)(a)\\1y", false },
	{ FM_PATTERN_REGEX, "^(\\w+ ?)+;$", false },
};
#define NPATTERNS	(sizeof patterns / sizeof patterns[0])

static const char * const subjects[] = {
	"", "Mozilla", "Mozilla/5.0 SONYEricsson Mobile Safari",
	"Nokia6230/2.0 (xaay) bar17 ABC-1", "nothing of them",
	"a few words;", "iPhone Android Nokia sony Safari",
};
#define NSUBJECTS	(sizeof subjects / sizeof subjects[0])

static struct fm_patset *
patset_make(struct fm_diag *diag)
{
	struct fm_patset *ps = fm_patset_new();
	struct fm_pattern *pattern;
	size_t i;

	for (i = 0; ps != NULL && i < NPATTERNS; i++) {
		pattern = fm_pattern_new(patterns[i].kind,
		    fm_text_of(patterns[i].text), patterns[i].nocase, &here,
		    diag);
		if (pattern == NULL || fm_patset_add(ps, &pattern) != 0)
			fm_patset_free(&ps);
	}
	if (ps == NULL)
		fm_diag_error(diag, &here, "out of memory");
	else if (fm_patset_make(ps, NULL, diag) != 0)
		fm_patset_free(&ps);
	return (ps);
}

/* Asks a set, and each pattern alone with memory; returns what differs. */
static const char *
patset_ask(const struct fm_patset *ps, struct fm_text subject, bool memory)
{
	struct fm_tally tally = { 0 }, alone = { 0 };
	uint32_t numbers[NPATTERNS], first, n, k = 0;
	size_t found;
	bool any;

	if (!memory)
		fail_begin();
	any = fm_patset_match(ps, subject, &tally);
	first = fm_patset_first(ps, subject, &tally);
	found = fm_patset_all(ps, subject, numbers, NPATTERNS, &tally);
	if (!memory)
		(void)fail_end();
	/* a regex that could not be asked is not a match, and counted */
	if (tally.over_limit > 0)
		return (memory ? "over a limit with memory" : NULL);
	for (n = 0; n < NPATTERNS; n++) {
		if (!fm_pattern_match(fm_patset_pattern(ps, n), subject,
		    &alone))
			continue;
		if (k == 0 && first != n)
			return ("another first");
		if (k >= found || numbers[k++] != n)
			return ("a match is missing");
	}
	if (k != found || any != (k > 0) ||
	    (k == 0 && first != FM_PATSET_NONE))
		return ("a match that is none");
	return (NULL);
}

static enum fail_outcome
try_patset(void)
{
	struct fm_patset *ps;
	struct fm_diag *diag;
	enum fail_outcome r;
	const char *wrong = NULL;
	size_t i;

	fail_begin();
	diag = fm_diag_new();
	ps = patset_make(diag);
	(void)fail_end();
	r = ps == NULL ? fail_refused(diag, "out of memory") : FAIL_DONE;
	for (i = 0; ps != NULL && wrong == NULL && i < 2 * NSUBJECTS; i++)
		wrong = patset_ask(ps, fm_text_of(subjects[i % NSUBJECTS]),
		    i >= NSUBJECTS);
	if (ps != NULL)
		fm_patset_free(&ps);
	if (diag != NULL)
		fm_diag_free(&diag);
	return (wrong == NULL ? r : fail_is_wrong(wrong));
}

/*--------------------------------------------------------------------
 * Hosts
 */

#define HOSTS	300

static const char *
host_name(char name[40], unsigned n, bool pattern)
{
	(void)snprintf(name, 40, "%shost%u.example",
	    n % 3 != 0 ? "" : pattern ? "*." : "x.", n);
	return (name);
}

static struct fm_hosttab *
hosts_make(struct fm_diag *diag)
{
	struct fm_hosttab *tab;
	char name[40];
	unsigned n;
	int bad = 0;

	tab = fm_hosttab_new();
	if (tab == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (NULL);
	}
	for (n = 0; n < HOSTS && bad == 0; n++)
		bad = fm_hosttab_add(tab, fm_text_of(host_name(name, n,
		    true)), n, &here, diag);
	if (bad == 0)
		bad = fm_hosttab_add(tab, fm_text_of("www.*"), n, &here,
		    diag);
	fm_hosttab_seal(tab);
	if (bad != 0)
		fm_hosttab_free(&tab);
	return (tab);
}

static enum fail_outcome
try_hosts(void)
{
	struct fm_hosttab_hit hit;
	struct fm_hosttab *tab;
	enum fail_outcome r = FAIL_DONE;
	struct fm_diag *diag;
	char name[40];
	unsigned n;

	fail_begin();
	diag = fm_diag_new();
	tab = hosts_make(diag);
	(void)fail_end();
	if (tab == NULL)
		r = fail_refused(diag, "out of memory");
	for (n = 0; tab != NULL && n < HOSTS; n++)
		if (!host_find(tab, fm_text_of(host_name(name, n,
		    false)), &hit) || hit.entry != n)
			r = fail_is_wrong("a host is not found");
	if (tab != NULL)
		fm_hosttab_free(&tab);
	if (diag != NULL)
		fm_diag_free(&diag);
	return (r);
}

/*--------------------------------------------------------------------
 * Parameters
 */

static struct fm_names *
names_make(struct fm_diag *diag)
{
	struct fm_names *names;
	char name[40];
	unsigned n;
	int bad = 0;

	names = fm_names_new(false);
	if (names == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (NULL);
	}
	for (n = 0; n < 100 && bad == 0; n++) {
		(void)snprintf(name, sizeof name, "p%u%s", n,
		    n % 10 == 0 ? "_*" : n % 25 == 1 ? "_*z" : "");
		bad = fm_names_add(names, fm_text_of(name), &here, diag);
	}
	if (bad != 0 || fm_names_make(names, &here, diag) != 0)
		fm_names_free(&names);
	return (names);
}

/*
 * Filters more parameters than the stack has room for, and a name that is too
 * long for the stack when it is decoded for globs.
 */
static enum fail_outcome
params_ask(const struct fm_names *names)
{
	struct fm_params params = { .names = names, .mode = FM_PARAMS_DROP,
	    .sort = true, .unique = true };
	char *url = malloc(20000), *buf = malloc(20000);
	enum fail_outcome r = FAIL_DONE;
	enum fm_params_result got;
	struct fm_text out;
	size_t len;
	unsigned n;
	bool failed;

	ck_assert(url != NULL && buf != NULL);
	len = (size_t)sprintf(url, "/?p2=x");
	for (n = 2000; n > 1000; n--)
		len += (size_t)sprintf(url + len, "&q%u=%u", n / 2, n % 2);
	len += (size_t)sprintf(url + len, "&p1_");
	for (n = 0; n < 600; n++)
		len += (size_t)sprintf(url + len, "%%7%c", n < 599 ? '9' : 'a');
	fail_begin();
	got = fm_params_query(&params, fm_text(url, len), buf, 20000, &out);
	failed = fail_end();
	if (got == FM_PARAMS_SPACE) {
		r = FAIL_REFUSED;
		if (!failed || out.b != url || out.len != len)
			r = fail_is_wrong("not what it was");
	} else if (got != FM_PARAMS_CHANGED ||
	    strncmp(out.b, "/?q1000=0&q500=1&q501=1&q501=0&", 31) != 0 ||
	    memchr(out.b, '%', out.len) != NULL)
		r = fail_is_wrong("another query");
	free(url);
	free(buf);
	return (r);
}

static enum fail_outcome
try_params(void)
{
	struct fm_names *names;
	enum fail_outcome r;
	struct fm_diag *diag;

	fail_begin();
	diag = fm_diag_new();
	names = names_make(diag);
	(void)fail_end();
	r = names == NULL ? fail_refused(diag, "out of memory") :
	    params_ask(names);
	if (names != NULL)
		fm_names_free(&names);
	if (diag != NULL)
		fm_diag_free(&diag);
	return (r);
}

/*--------------------------------------------------------------------
 * Files, and the copy
 */

#define BRANDS	5	/* lines of brands.list */

static int
list_read(struct fm_sources *sources, struct fm_diag *diag)
{
	struct fm_listfile list = { .name = "brands.list" };
	struct fm_place place;
	struct fm_text line;
	struct fm_file *file;
	int n = 0;

	file = sources == NULL ?
	    fm_file_read(list.name, FM_LISTFILE_MAX, NULL, diag) :
	    fm_sources_read(sources, list.name, FM_LISTFILE_MAX, NULL, diag);
	if (file == NULL)
		return (-1);
	list.rest = fm_text(file->bytes, file->len);
	while (fm_listfile_next(&list, &line, &place, diag))
		n++;
	fm_file_free(&file);
	return (n);
}

static enum fail_outcome
try_list(void)
{
	struct fm_diag *diag;
	enum fail_outcome r;
	int n;

	fail_begin();
	diag = fm_diag_new();
	n = list_read(NULL, diag);
	(void)fail_end();
	if (n < 0)
		r = fail_refused(diag, fail_reason());
	else
		r = n == BRANDS ? FAIL_DONE :
		    fail_is_wrong("entries are missing");
	if (diag != NULL)
		fm_diag_free(&diag);
	return (r);
}

/* Saves the copy and restores it, as far as that is possible. */
static int
copy_both(struct fm_diag *diag)
{
	struct fm_sources *sources, *restored = NULL;
	int n = -1;

	sources = fm_sources_new(true);
	if (sources == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	if (list_read(sources, diag) > 0 &&
	    fm_sources_save(sources, "copy", diag) == 0)
		restored = fm_sources_restore("copy", "brands.list", diag);
	if (restored != NULL)
		n = list_read(restored, diag);
	if (restored != NULL)
		fm_sources_free(&restored);
	fm_sources_free(&sources);
	return (n);
}

/* Tries the copy: it must be whole, without temporary files beside it. */
static enum fail_outcome
try_copy(void)
{
	struct fm_sources *restored;
	struct fm_diag *diag;
	enum fail_outcome r;
	int n;

	fail_begin();
	diag = fm_diag_new();
	n = copy_both(diag);
	(void)fail_end();
	if (n < 0)
		r = fail_refused(diag, fail_reason());
	else
		r = n == BRANDS ? FAIL_DONE : fail_is_wrong("another copy");
	if (diag != NULL)
		fm_diag_free(&diag);
	if (access("copy", F_OK) == 0) {
		diag = fm_diag_new();
		restored = fm_sources_restore("copy", "brands.list", diag);
		if (restored == NULL)
			r = fail_is_wrong(fm_diag_line(diag, 0));
		else
			fm_sources_free(&restored);
		fm_diag_free(&diag);
	}
	return (r);
}

/*--------------------------------------------------------------------
 * All scenarios
 */

const struct fail_scenario fail_scenarios[] = {
	{ "patterns", try_patset, false },
	{ "hosts", try_hosts, false },
	{ "parameters", try_params, false },
	{ "a list", try_list, false },
	{ "the copy", try_copy, false },
	{ "rules are formatted", fail_try_format, false },
	{ "rules are loaded", fail_try_load, false },
	{ "rules run", fail_try_run, false },
	{ "rules are swapped", fail_try_swap, true },
	{ NULL, NULL, false }
};
