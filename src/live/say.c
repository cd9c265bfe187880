/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the lines that log and syslog get about lives and feeds.
 */

#include <stdarg.h>
#include <stdio.h>

#include "live_priv.h"

#define SAY_LEN		3000	/* bytes: a record of Varnish's log has room
				 * for 4,084 */

const struct fm_live *
fm_say_speaker(const struct fm_feed *feed)
{
	const struct fm_live *live;

	for (live = feed->lives; live != NULL; live = live->next)
		if (live->warm)
			return (live);
	return (feed->lives);
}

/*
 * Tells one line.  Varnishd cuts a line at the parameter vsl_reclen, by default
 * 255 bytes, so a line begins with what has happened.  The path of a file is
 * in the first error.
 */
void
fm_say(const struct fm_live *live, bool error, const char *fmt, ...)
{
	char line[SAY_LEN];
	va_list ap;
	int n;

	if (live == NULL)
		return;
	n = snprintf(line, sizeof line, "fastmatch: %.500s: ", live->name);
	assert(n > 0);
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

void
fm_say_copy(struct fm_diag *to, const struct fm_diag *from)
{
	struct fm_diag_message message;
	const struct fm_place *at;
	unsigned i, kept, errors = 0;

	for (i = 0; fm_diag_message(from, i, &message); i++) {
		kept = fm_diag_kept(to);
		at = message.at.name == NULL ? NULL : &message.at;
		if (message.error) {
			fm_diag_error(to, at, "%s", message.text);
			errors++;
		} else
			fm_diag_warning(to, at, "%s", message.text);
		if (message.excerpt != NULL && fm_diag_kept(to) > kept)
			fm_diag_excerpt(to, kept, message.excerpt);
	}
	for (; errors < fm_diag_errors(from); errors++)
		fm_diag_error(to, NULL, "one more, not kept");
}
