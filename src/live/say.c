/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is told of lives and feeds: one line each, whole.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "live_priv.h"

#define SAY_LEN		3000	/* a record of Varnish's log takes 4,084 */

/* Who speaks for a feed: the newest that is warm, or else the newest. */
static const struct fm_live *
say_speaker(const struct fm_feed *feed)
{
	const struct fm_live *live;

	for (live = feed->lives; live != NULL; live = live->next)
		if (live->warm)
			return (live);
	return (feed->lives);
}

/*
 * varnishd cuts a line at its parameter vsl_reclen, 255 bytes as it comes: so
 * what happened stands in front; a first error has its path.
 */
static void __attribute__((format(printf, 3, 4)))
say_line(const struct fm_live *live, bool error, const char *fmt, ...)
{
	char line[SAY_LEN];
	va_list ap;
	int n;

	if (live == NULL || live->tell == NULL)
		return;
	n = snprintf(line, sizeof line / 2, "fastmatch: %s: ", live->name);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof line / 2)
		n = sizeof line / 2 - 1;
	va_start(ap, fmt);
	(void)vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
	va_end(ap);
	live->tell(live->priv, error, line);
}

const char *
fm_say_first_error(const struct fm_diag *diag)
{
	struct fm_diag_message message;
	unsigned i;

	for (i = 0; fm_diag_message(diag, i, &message); i++)
		if (message.error)
			return (fm_diag_line(diag, i));
	return ("error: out of memory");
}

/* "N errors: the first of them". */
#define SAY_ERRORS	"%u error%s: %s"
#define SAY_ERRORS_OF(diag)						\
	say_errors(diag), say_errors(diag) == 1 ? "" : "s",		\
	fm_say_first_error(diag)

static unsigned
say_errors(const struct fm_diag *diag)
{
	unsigned errors = fm_diag_errors(diag);

	return (errors == 0 ? 1 : errors);	/* no memory for any */
}

/* "PATH: ", where there is one. */
#define SAY_PATH	"%s%s"
#define SAY_PATH_OF(feed)						\
	(feed)->path == NULL ? "" : (feed)->path,			\
	(feed)->path == NULL ? "" : ": "

/* With all that was counted but not kept. */
void
fm_say_copy(struct fm_diag *to, const struct fm_diag *from)
{
	struct fm_diag_message message;
	const struct fm_place *at;
	unsigned i, errors = 0;

	for (i = 0; fm_diag_message(from, i, &message); i++) {
		at = message.at.name == NULL ? NULL : &message.at;
		if (message.error) {
			fm_diag_error(to, at, "%s", message.text);
			errors++;
		} else
			fm_diag_warning(to, at, "%s", message.text);
		if (message.excerpt != NULL)
			fm_diag_excerpt(to, i, message.excerpt);
	}
	for (; errors < fm_diag_errors(from); errors++)
		fm_diag_error(to, NULL, "one more, not kept");
}

static void
say_count(char *buf, size_t room, const char *between, uint64_t n,
    const char *noun)
{
	size_t len = strlen(buf);

	(void)snprintf(buf + len, room - len, "%s%llu %s%s",
	    len == 0 ? "" : between, (unsigned long long)n, noun,
	    n == 1 ? "" : "s");
}

void
fm_say_swapped(const struct fm_feed *feed)
{
	const struct fm_set_facts *facts = &feed->latest->facts;
	char what[128] = "";

	if (facts->hosts > 0)
		say_count(what, sizeof what, ", ", facts->hosts, "host");
	if (facts->rules > 0)
		say_count(what, sizeof what, ", ", facts->rules, "rule");
	if (*what == '\0')
		say_count(what, sizeof what, ", ", facts->patterns, "pattern");
	say_line(say_speaker(feed), false, SAY_PATH "generation %u: %s",
	    SAY_PATH_OF(feed), feed->generation, what);
}

void
fm_say_again(const struct fm_feed *feed)
{
	say_line(say_speaker(feed), false,
	    SAY_PATH "it is valid again, generation %u serves it",
	    SAY_PATH_OF(feed), feed->generation);
}

void
fm_say_refused(const struct fm_feed *feed)
{
	say_line(say_speaker(feed), true,
	    "reload refused, generation %u goes on, " SAY_ERRORS,
	    feed->generation, SAY_ERRORS_OF(feed->diag));
}

void
fm_say_unbound(const struct fm_live *live)
{
	say_line(live, true, "generation %u can't serve here, generation %u"
	    " goes on, " SAY_ERRORS, live->feed->generation,
	    live->current->generation, SAY_ERRORS_OF(live->diag));
}

void
fm_say_backup(const struct fm_live *live, const struct fm_diag *diag,
    time_t copy)
{
	char when[32] = "an unknown time";
	struct tm tm;

	if (gmtime_r(&copy, &tm) != NULL)
		(void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	say_line(live, true,
	    "the copy %s of %s serves, the file is not valid, " SAY_ERRORS,
	    live->feed->backup, when, SAY_ERRORS_OF(diag));
}

void
fm_say_unsaved(const struct fm_feed *feed, const struct fm_diag *diag)
{
	say_line(say_speaker(feed), true,
	    "can't keep a copy in %s, what serves goes on without one: %s",
	    feed->backup, fm_say_first_error(diag));
}
