/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints what Varnish's core and builtin.vcl make of responses, according to
 * fm_lifetime() and fm_builtin_respond(), for tests/rules/beresp-varnishd.
 *
 * A response is lines, and an empty line.  Its answer is two lines:
 *
 *	status 200			60 10 0 1700000000 1700000000 ...
 *	now 1700000000.25		60.000 120 1 0 Set-Cookie
 *	Cache-Control max-age=60
 *	Set-Cookie a=1
 *
 * The first is as that of the log (TTL RFC): ttl, grace, keep, now, when the
 * origin made it, Date, Expires.  The second has beresp.ttl, then what
 * builtin.vcl makes of it: ttl, uncacheable, Content-Range is unset, why.
 */

#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "lifetime.h"

struct response {
	struct fm_lifetime_of		core;
	struct fm_builtin_response	builtin;
};

static void
print(const struct response *response)
{
	const struct fm_lifetime_of *core = &response->core;
	struct fm_builtin_response builtin = response->builtin;
	struct fm_lifetime lifetime = fm_lifetime(core);
	double date = (double)(int64_t)core->now, expires;
	struct fm_builtin_stored stored;

	(void)fm_http_date(core->expires, &expires);
	if (core->date.b != NULL)
		(void)fm_http_date(core->date, &date);
	builtin.status = core->status;
	builtin.cache_control = core->cache_control;
	builtin.ttl = fm_lifetime_left(&lifetime);
	builtin.uncacheable = core->pass;
	stored = fm_builtin_respond(fm_builtin_response_here, &builtin);
	printf("%.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", lifetime.ttl,
	    lifetime.grace, lifetime.keep, core->now,
	    core->now - lifetime.age, date, expires);
	printf("%.3f %.0f %d %d %s\n", builtin.ttl, stored.ttl,
	    stored.uncacheable, stored.content_range,
	    stored.why == NULL ? "-" : stored.why);
}

static void
set(struct response *response, const char *name, const char *value)
{
	const struct {
		const char	*name;
		struct fm_text	*text;
		double		*number;
		bool		*flag;
	} members[] = {
		{ "now", NULL, &response->core.now, NULL },
		{ "default_ttl", NULL, &response->core.default_ttl, NULL },
		{ "default_grace", NULL, &response->core.default_grace, NULL },
		{ "default_keep", NULL, &response->core.default_keep, NULL },
		{ "clock_skew", NULL, &response->core.clock_skew, NULL },
		{ "uncacheable_ttl", NULL, &response->builtin.uncacheable_ttl,
		    NULL },
		{ "pass", NULL, NULL, &response->core.pass },
		{ "Age", &response->core.age, NULL, NULL },
		{ "Date", &response->core.date, NULL, NULL },
		{ "Expires", &response->core.expires, NULL, NULL },
		{ "Cache-Control", &response->core.cache_control, NULL, NULL },
		{ "Surrogate-Control", &response->builtin.surrogate_control,
		    NULL, NULL },
		{ "Vary", &response->builtin.vary, NULL, NULL },
		{ "Set-Cookie", NULL, NULL, &response->builtin.set_cookie },
		{ "Content-Range", NULL, NULL,
		    &response->builtin.content_range }
	};
	size_t i;

	for (i = 0; i < sizeof members / sizeof members[0]; i++) {
		if (strcmp(members[i].name, name) != 0)
			continue;
		if (members[i].text != NULL)
			*members[i].text = fm_text_of(strdup(value));
		else if (members[i].number != NULL)
			*members[i].number = strtod(value, NULL);
		else
			*members[i].flag = true;
		return;
	}
	if (strcmp(name, "status") != 0) {
		fprintf(stderr, "beresp: no response has a %s\n", name);
		exit(2);
	}
	response->core.status = (unsigned)strtoul(value, NULL, 10);
}

static void
clear(struct response *response)
{
	free((void *)(uintptr_t)response->core.age.b);
	free((void *)(uintptr_t)response->core.date.b);
	free((void *)(uintptr_t)response->core.expires.b);
	free((void *)(uintptr_t)response->core.cache_control.b);
	free((void *)(uintptr_t)response->builtin.surrogate_control.b);
	free((void *)(uintptr_t)response->builtin.vary.b);
	*response = (struct response){ .core.status = 0 };
}

int
main(void)
{
	struct response response = { .core.status = 0 };
	char line[1024], *value;

	while (fgets(line, sizeof line, stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '\0') {
			print(&response);
			clear(&response);
			continue;
		}
		value = strchr(line, ' ');
		if (value == NULL)
			return (2);
		*value = '\0';
		set(&response, line, value + 1);
	}
	return (fflush(stdout) == 0 ? 0 : 2);
}
