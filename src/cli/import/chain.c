/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates a chain of if and elsif whose arms all ask for the same thing into
 * a single look-up: into blocks of hosts, or, if each arm gives one header a
 * text, into a map.
 */

#include <string.h>
#include <strings.h>

#include "hostname.h"
#include "import.h"

#define HOSTS_LEAST	2	/* hosts: one is easier to read as `when` */
#define MAP_ARMS	3	/* arms: fewer are easier to read as `when` */

/*--------------------------------------------------------------------
 * Hosts.  Rules look a host up in one spelling, and VCL compares the Host as it
 * came; so blocks of hosts have a note (--well-formed).
 */

struct hosts {
	struct fm_import	*im;
	struct fm_plain		all;		/* hosts of the arms before */
	struct fm_plain		arm;		/* hosts of this arm */
	struct fm_plain		odd;		/* no host has these names */
	const char		*rest;		/* branches for such names */
	bool			row;		/* `if`s with one arm each */
};

/*
 * Takes a text that no host is, as "" or "_": such requests have the block
 * *default*.
 */
static bool
odd_add(struct hosts *hosts, const struct fm_plain *is, size_t i)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text host;

	if (hosts->row || is->nocase || strcmp(is->mode, "is") != 0 ||
	    (!fm_text_is(is->v[i], "_") &&
	    fm_hostname_canon(is->v[i], buf, &host) == FM_HOSTNAME_OK))
		return (false);
	fm_import_plain_add(hosts->im, &hosts->odd, is->v + i, 1);
	return (true);
}

/* Returns true if host a is b, or is a *.x that covers b. */
static bool
covers(struct fm_text a, struct fm_text b)
{
	if (fm_text_eq(a, b))
		return (true);
	return (*a.b == '*' && b.len > a.len - 1 &&
	    memcmp(b.b + b.len - a.len + 1, a.b + 1, a.len - 1) == 0);
}

/* Adds a host; false: not in lower case, or in two `if`s of a row. */
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
	name = fm_import_text(hosts->im, "%s%.*s", wild ? "*." : "",
	    FM_ARG(host));
	for (i = 0; i < hosts->all.n; i++)
		if (covers(hosts->all.v[i], name) ||
		    (hosts->row && covers(name, hosts->all.v[i])))
			return (!hosts->row);
	fm_import_plain_add(hosts->im, &hosts->arm, &name, 1);
	return (true);
}

/*
 * Returns the plain texts of a regex of a host: no host has another byte where
 * the regex has a `.` that is not escaped, and hosts of rules have no port.
 */
static struct fm_plain
host_plain(struct fm_import *im, struct fm_text regex)
{
	static const char * const ports[] = { "(:[0-9]+)?$", "(:\\d+)?$",
	    "(:80)?$", "(:443)?$", NULL };
	char *text = fm_import_alloc(im, 2 * regex.len + 2), *p = text;
	struct fm_plain plain;
	size_t i, len;

	for (i = 0; ports[i] != NULL; i++) {
		len = strlen(ports[i]);
		if (regex.len > len && memcmp(regex.b + regex.len - len,
		    ports[i], len) == 0) {
			regex.len -= len;
			break;
		}
	}
	for (len = 0; len < regex.len; len++) {
		if (regex.b[len] == '.' && (len + 1 == regex.len ||
		    strchr("*+?{", regex.b[len + 1]) == NULL))
			*p++ = '\\';
		else if (regex.b[len] == '\\' && len + 1 < regex.len)
			*p++ = regex.b[len++];
		*p++ = regex.b[len];
	}
	if (ports[i] != NULL)
		*p++ = '$';
	fm_import_plain(im, fm_text_span(text, p), false, &plain);
	return (plain);
}

static bool
hosts_add(struct hosts *hosts, const struct fm_import_test *test)
{
	struct fm_plain is = test->kind != FM_IMPORT_TEST ||
	    *test->is.mode != '~' ? test->is :
	    host_plain(hosts->im, test->is.v[0]);
	bool wild = is.mode != NULL && strcmp(is.mode, "ends") == 0;
	const struct fm_import_test *part;
	size_t i;

	if (test->negated || test->kind == FM_IMPORT_AND)
		return (false);
	for (part = test->first; part != NULL; part = part->next)
		if (!hosts_add(hosts, part))
			return (false);
	if (test->kind == FM_IMPORT_TEST &&
	    ((strcasecmp(test->subject, "header Host") != 0 &&
	    strcmp(test->subject, "host") != 0) || (!wild &&
	    strcmp(is.mode, "is") != 0)))
		return (false);
	for (i = 0; i < is.n; i++)
		if (!odd_add(hosts, &is, i) &&
		    !host_add(hosts, is.v[i], is.nocase, wild))
			return (false);
	return (true);
}

/* Writes the block for all other hosts; `body` is that of an else, or NULL. */
static void
default_put(struct hosts *hosts, const char *body)
{
	const char *rest = hosts->rest;

	if (body != NULL && *rest == '\0')
		fm_import_put(hosts->im, "default {\n%s}\n", body);
	else if (body != NULL)
		fm_import_put(hosts->im, "default {\n%s else {\n%s}\n}\n",
		    rest, body);
	else if (*rest != '\0')
		fm_import_put(hosts->im, "default {\n%s\n}\n", rest);
}

static bool
block_put(struct hosts *hosts, const struct fm_arm *arm)
{
	struct fm_import *im = hosts->im;
	struct fm_import_test *test;
	const char *body;

	hosts->arm.n = hosts->odd.n = 0;
	test = arm->cond == NULL ? NULL : fm_import_cond(im, arm->cond);
	if (arm->cond != NULL && (test == NULL || !hosts_add(hosts, test)))
		return (false);
	body = fm_import_body(im, arm);
	if (body == NULL || *body == '\0')
		return (false);
	if (arm->cond == NULL)
		default_put(hosts, body);
	if (hosts->arm.n > 0)
		fm_import_put(im, "host%s {\n%s}\n", fm_import_words(im,
		    &hosts->arm), body);
	if (hosts->odd.n > 0)
		hosts->rest = fm_import_printf(im, "%s%swhen header Host is%s "
		    "{\n%s}", hosts->rest, *hosts->rest == '\0' ? "" :
		    " else ", fm_import_words(im, &hosts->odd), body);
	fm_import_plain_add(im, &hosts->all, hosts->arm.v, hosts->arm.n);
	return (true);
}

/* Writes blocks for an `if` whose arms all ask for hosts; false: they don't. */
static bool
blocks_put(struct hosts *hosts, const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;
	size_t before = hosts->all.n;
	const char *text;
	bool good = true, otherwise = false;

	fm_import_catch(hosts->im);
	hosts->rest = "";
	for (arm = stmt->arms; good && arm != NULL; arm = arm->next) {
		good = block_put(hosts, arm);
		otherwise |= arm->cond == NULL;
	}
	if (good && !otherwise)
		default_put(hosts, NULL);
	text = fm_import_caught(hosts->im);
	if (good)
		fm_import_put(hosts->im, "%s", text);
	else
		hosts->all.n = before;
	return (good);
}

/*
 * Takes an `if` with several arms; or several `if`s with one arm each, if none
 * of their hosts is in two of them.
 */
size_t
fm_import_hosts(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct hosts hosts = { .im = im };
	size_t n = 0;

	if (stmt->arms == NULL)
		return (0);
	hosts.row = stmt->arms->next == NULL;
	do {
		if (!blocks_put(&hosts, stmt))
			break;
		n++;
		stmt = stmt->next;
	} while (hosts.row && !im->seen.sets_host && stmt != NULL &&
	    stmt->arms != NULL && stmt->arms->next == NULL);
	if (hosts.all.n < HOSTS_LEAST)
		return (0);
	im->why = NULL;
	fm_import_note(im, FM_NOTE_HOST, "Host: %.*s:8080",
	    FM_ARG(hosts.all.v[0]));
	return (n);
}

/*--------------------------------------------------------------------
 * Maps
 */

struct map {
	struct fm_import	*im;
	const char		*subject;
	struct fm_text		header;
	bool			nocase;		/* all tests ignore case */
	const char		*name, *lines;
};

/*
 * Returns true if a map may have a test: all tests must have the same subject,
 * and none may be true for a missing one.
 */
static bool
map_asks(struct map *map, const struct fm_import_test *test)
{
	const struct fm_import_test *part;

	for (part = test->first; part != NULL; part = part->next)
		if (part->kind <= test->kind || (part->negated &&
		    (test->kind == FM_IMPORT_OR || part == test->first)) ||
		    !map_asks(map, part))
			return (false);
	if (test->kind != FM_IMPORT_TEST)
		return (true);
	if (map->subject == NULL)
		map->subject = test->subject;
	map->nocase &= test->is.nocase || (*test->is.mode == '~' &&
	    fm_text_begins(test->is.regex, "(?i)"));
	return (strcmp(map->subject, test->subject) == 0 &&
	    strcmp(test->subject, "restarts") != 0 &&
	    strcmp(test->is.mode, "present") != 0 &&
	    strcmp(test->is.mode, "in") != 0);
}

/* Returns a test; one that ignores case is a regex, unless all the map does. */
static const char *
map_test(struct map *map, const struct fm_import_test *test)
{
	struct fm_plain is = test->is;

	if (is.nocase && !map->nocase) {
		is.mode = "~";
		is.v = &is.regex;
		is.n = 1;
	}
	return (fm_import_printf(map->im, "%s%s%s", test->negated ? "not " :
	    "", is.mode, fm_import_words(map->im, &is)));
}

/* Adds a line for a test; for an `or`, a line for each of its parts. */
static void
map_add(struct map *map, const struct fm_import_test *test,
    struct fm_text value)
{
	struct fm_plain word = { .v = &value, .n = 1 };
	const struct fm_import_test *part = test->first;

	for (; test->kind == FM_IMPORT_OR && part != NULL; part = part->next)
		map_add(map, part, value);
	if (test->kind == FM_IMPORT_OR)
		return;
	map->lines = fm_import_printf(map->im, "%s%s", map->lines,
	    map_test(map, part == NULL ? test : part));
	while (part != NULL && (part = part->next) != NULL)
		map->lines = fm_import_printf(map->im, "%s and %s",
		    map->lines, map_test(map, part));
	map->lines = fm_import_printf(map->im, "%s ->%s;\n", map->lines,
	    fm_import_words(map->im, &word));
}

/* Takes an arm that only sets the header of the map to a text. */
static bool
map_takes(struct map *map, const struct fm_vstmt *stmt, struct fm_text *value)
{
	struct fm_text header;

	if (stmt == NULL || stmt->next != NULL || stmt->kind != FM_VSTMT_SET ||
	    !fm_expr_constant(&map->im->vcl, stmt->value, value) ||
	    value->len == 0 || value->b[value->len - 1] == ' ' ||
	    memchr(value->b, '$', value->len) != NULL)
		return (false);
	header = fm_header_of(stmt->name);
	if (map->header.b == NULL)
		map->header = header;
	return (header.b != NULL && fm_text_eq_nocase(map->header, header));
}

/* Returns a name for the map of a header: "x-ua-device", "x-ua-device-2". */
static const char *
map_name(struct fm_import *im, struct fm_text header)
{
	char *name = fm_import_alloc(im, header.len + 1);

	fm_text_lower(name, header);
	im->nmaps++;
	return (fm_import_free_name(im, im->nmaps == 1 ? name :
	    fm_import_printf(im, "%s-%u", name, im->nmaps)));
}

/* Makes the lines; where none fits, VCL without an else sets no header. */
static bool
map_lines(struct map *map, const struct fm_vstmt *stmt)
{
	struct fm_import *im = map->im;
	const struct fm_arm *arm;
	struct fm_text value, otherwise;
	struct fm_import_test *test;
	size_t arms = 0;

	for (arm = stmt->arms; arm != NULL && arm->cond != NULL;
	    arm = arm->next) {
		test = fm_import_cond(im, arm->cond);
		if (test == NULL || test->negated || !map_asks(map, test) ||
		    !map_takes(map, arm->body, &value))
			return (false);
		arms++;
	}
	if (arms < MAP_ARMS || (arm == NULL ? !im->well_formed :
	    !map_takes(map, arm->body, &otherwise)))
		return (false);
	for (arm = stmt->arms; arm != NULL && arm->cond != NULL;
	    arm = arm->next) {
		(void)map_takes(map, arm->body, &value);
		map_add(map, fm_import_cond(im, arm->cond), value);
	}
	if (arm == NULL) {
		otherwise = fm_import_text(im, "${header.%.*s}",
		    FM_ARG(map->header));
		fm_import_note(im, FM_NOTE_EMPTY, "%.*s: with nothing after "
		    "the colon", FM_ARG(map->header));
	}
	map->name = map_name(im, map->header);
	fm_import_need(im, NULL, fm_import_printf(im,
	    "map %s%s {\n%sdefault%s;\n}\n", map->name, map->nocase ?
	    " nocase" : "", map->lines, fm_import_words(im,
	    &(struct fm_plain){ .v = &otherwise, .n = 1 })));
	return (true);
}

size_t
fm_import_map(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct map map = { .im = im, .nocase = true, .lines = "" };
	const struct fm_import saved = *im;

	if (stmt->kind == FM_VSTMT_IF && map_lines(&map, stmt)) {
		fm_import_put(im, "set %.*s = %s(%s);\n", FM_ARG(map.header),
		    map.name, map.subject);
		return (1);
	}
	im->why = saved.why;
	im->why_at = saved.why_at;
	im->seen = saved.seen;
	return (0);
}
