/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The counters that varnishstat shows of an object (counters_shown.h).
 */

#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters_shown.h"

#define OF(kind)	(1U << FM_COUNTERS_##kind)
#define OBJECTS		(~OF(FUNCTIONS))

/* The kinds that have a counter, by how its name begins; others all have. */
static const struct {
	const char		*begins;
	unsigned		kinds;
} rows[] = {
	{ "lookups", OBJECTS }, { "hits", OBJECTS },
	{ "exact_hits", OF(RULES) | OF(HOSTS) },
	{ "wildcard_hits", OF(RULES) | OF(HOSTS) },
	{ "default_hits", OF(RULES) | OF(HOSTS) },
	{ "verdict_", OF(RULES) },
	{ "url_rewrites", OF(RULES) | OF(PARAMS) },
	{ "header_edits", OF(RULES) },
	{ "scans", OF(RULES) | OF(PATTERNS) },
	{ "confirms", OF(RULES) | OF(PATTERNS) },
	{ "regex_limit", OF(RULES) | OF(PATTERNS) },
	{ "engine_fallback", OF(RULES) | OF(PATTERNS) },
	{ "undecided", OF(RULES) | OF(PATTERNS) },
	{ "esi_ignored", OF(RULES) }, { "unfinished", OF(RULES) },
	{ "refused_slots", ~OF(HOSTS) }, { "refused_workspace", ~OF(HOSTS) },
	{ "refused_size", ~OF(HOSTS) }, { "refused_memory", ~OF(HOSTS) },
	{ "refused_", OF(RULES) }, { "shadow_", OF(RULES) },
	{ "next_", OF(RULES) },
	{ "bans", OF(RULES) },
	{ "reload", OBJECTS }, { "hosts", OF(RULES) | OF(HOSTS) },
	{ "patterns", OF(RULES) | OF(PATTERNS) | OF(PARAMS) },
	{ "rules", OF(RULES) }, { "generation", OBJECTS },
	{ "bytes", OBJECTS }, { "loaded_at", OBJECTS },
	{ "digest", OBJECTS }, { "backup", OF(RULES) },
	{ "self_test", OF(RULES) | OF(PATTERNS) }
};

static enum fm_counters_kind shown;

/* Segments point to these as long as the process lives. */
static char *made[FM_COUNTERS__KINDS];

void
fm_counters_shown(enum fm_counters_kind kind)
{
	shown = kind;
}

static bool
is_shown(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strncmp(name, rows[i].begins, strlen(rows[i].begins)) == 0)
			return ((rows[i].kinds >> shown & 1) != 0);
	return (true);
}

/* Returns the end of the object `"name":{...}` in the JSON. */
static const char *
element_end(const char *p)
{
	bool quoted = false;

	for (; *p != '\0' && (quoted || *p != '}'); p++)
		if (*p == '"')
			quoted = !quoted;
		else if (*p == '\\' && quoted)
			p++;
	return (*p == '\0' ? NULL : p + 1);
}

/*
 * Copies a description without the elements that the kind does not have:
 *
 *	{..."elements":50,"elem":{"lookups":{...},"hits":{...},...}}
 *
 * Returns NULL if it looks otherwise, or without memory.
 */
static char *
json_make(const char *all)
{
	static const char key[] = "\"elements\":", list[] = ",\"elem\":{";
	const char *number = strstr(all, key), *p, *end;
	char *json = malloc(strlen(all) + sizeof "\"elements\":" + 1), *to;
	unsigned n = 0;

	p = number == NULL ? NULL : strstr(number, list);
	if (p == NULL || json == NULL) {
		free(json);
		return (NULL);
	}
	to = json + (number - all);
	memcpy(json, all, (size_t)(to - json));
	/* Blanks keep the place of the number, which is not known yet. */
	to += sprintf(to, "%s%*s", key, (int)(strlen(number) - strlen(p) -
	    strlen(key)), "");
	to += sprintf(to, "%s", list);
	for (p += strlen(list); *p == '"'; p = end + (*end == ',')) {
		end = element_end(p);
		if (end == NULL) {
			free(json);
			return (NULL);
		}
		if (!is_shown(p + 1))
			continue;
		to += sprintf(to, "%s%.*s", n++ == 0 ? "" : ",",
		    (int)(end - p), p);
	}
	memcpy(to, p, strlen(p) + 1);
	to = strstr(json, key) + strlen(key);
	(void)memcpy(to + strspn(to, " ") - 2, (char[2]){
	    n < 10 ? ' ' : (char)('0' + n / 10), (char)('0' + n % 10) }, 2);
	return (json);
}

/* Appends a byte; one of 128 or more stands for two, which may, too. */
static char *
byte_unpack(const unsigned char *pairs, unsigned char c, char *to)
{
	const unsigned char *two = pairs + 2 * (size_t)(c & 127);

	if (c < 128) {
		*to = (char)c;
		return (to + 1);
	}
	return (byte_unpack(pairs, two[1], byte_unpack(pairs, two[0], to)));
}

/* Returns what json_pack.py has packed, malloc'ed; NULL without memory. */
static char *
json_unpack(const unsigned char *packed, size_t len)
{
	const unsigned char *pairs = packed + 2, *p;
	char *json = malloc((size_t)packed[0] << 8 | packed[1]), *to = json;

	if (json != NULL)
		for (p = pairs + 256; p < packed + len; p++)
			to = byte_unpack(pairs, *p, to);
	return (json);
}

const unsigned char *
fm_counters_json(const unsigned char *packed, size_t len)
{
	static const char none[] = "{\"version\":\"1\",\"name\":\"fastmatch\","
	    "\"oneliner\":\"\",\"order\":95,\"docs\":\"\",\"elements\":0,"
	    "\"elem\":{}}";
	char *all;

	if (made[shown] == NULL) {
		all = json_unpack(packed, len);
		made[shown] = all == NULL ? NULL : json_make(all);
		if (made[shown] == NULL)
			made[shown] = all;
		else
			free(all);
	}
	return ((const unsigned char *)(made[shown] == NULL ? none :
	    made[shown]));
}

size_t
fm_counters_json_len(const unsigned char *packed, size_t len)
{
	return (strlen((const char *)fm_counters_json(packed, len)) + 1);
}
