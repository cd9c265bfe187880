/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the log and syslog are told of lives and feeds: one line each, whole.
 */

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "live_priv.h"

#define SAY_LEN		3000	/* a record of Varnish's log takes 4,084 */

/* Returns who speaks for a feed: the newest that is warm, or the newest. */
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

/* "N errors: the first of them", where there was no memory for any: one. */
#define SAY_ERRORS	"%u error%s: %s"
#define SAY_ERRORS_OF(diag)						\
	fm_diag_errors(diag) == 0 ? 1 : fm_diag_errors(diag),		\
	fm_diag_errors(diag) < 2 ? "" : "s", fm_say_first_error(diag)

/* "PATH: ", where there is one. */
#define SAY_PATH	"%s%s"
#define SAY_PATH_OF(feed)						\
	(feed)->path == NULL ? "" : (feed)->path,			\
	(feed)->path == NULL ? "" : ": "

/* Copies all messages, with those that were counted but not kept. */
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

void
fm_say_swapped(const struct fm_feed *feed)
{
	const struct fm_set_facts *facts = &feed->latest->facts;
	char hosts[48] = "", rules[48] = "";

	if (facts->hosts > 0)
		(void)snprintf(hosts, sizeof hosts, "%ju host%s",
		    (uintmax_t)facts->hosts, facts->hosts == 1 ? "" : "s");
	if (facts->rules > 0)
		(void)snprintf(rules, sizeof rules, "%s%ju rule%s",
		    *hosts == '\0' ? "" : ", ", (uintmax_t)facts->rules,
		    facts->rules == 1 ? "" : "s");
	if (*hosts == '\0' && *rules == '\0')
		(void)snprintf(rules, sizeof rules, "%ju pattern%s",
		    (uintmax_t)facts->patterns,
		    facts->patterns == 1 ? "" : "s");
	say_line(say_speaker(feed), false, SAY_PATH "generation %u: %s%s",
	    SAY_PATH_OF(feed), feed->generation, hosts, rules);
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
fm_say_backup(const struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	char when[32] = "an unknown time";
	struct stat st;
	struct tm tm;

	if (stat(feed->backup, &st) == 0 &&
	    gmtime_r(&st.st_mtime, &tm) != NULL)
		(void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	say_line(live, true,
	    "the copy %s of %s serves, the file is not valid, " SAY_ERRORS,
	    feed->backup, when, SAY_ERRORS_OF(feed->diag));
}

void
fm_say_unsaved(const struct fm_feed *feed, const struct fm_diag *diag)
{
	say_line(say_speaker(feed), true,
	    "can't keep a copy in %s, what serves goes on without one: %s",
	    feed->backup, fm_say_first_error(diag));
}
