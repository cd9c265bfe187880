/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows a story: as text, in lines of a terminal, or as JSON.
 *
 *	GET http://a.example/page, 14:05:07 (request 32770)
 *
 *	Not cached: the response has a Set-Cookie.
 *
 *	Request     127.0.0.1 asks for /page at a.example.
 *	Lookup      A miss: ...
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "duration.h"
#include "json.h"
#include "why.h"

#define LABEL		12		/* columns of a title */
#define WIDTH		79

void
fm_why_put_time(FILE *to, double when)
{
	time_t now = time(NULL), then = (time_t)when;
	char text[40], today[40], day[40];
	struct tm tm;

	(void)strftime(today, sizeof today, "%F", localtime_r(&now, &tm));
	(void)strftime(day, sizeof day, "%F", localtime_r(&then, &tm));
	(void)strftime(text, sizeof text, strcmp(today, day) == 0 ? "%T" :
	    "%F %T", &tm);
	fputs(text, to);
}

void
fm_why_put_seconds(FILE *to, double seconds)
{
	char buf[FM_DURATION_PRINT];

	if (seconds < 0 || seconds >= 120)
		fprintf(to, "%.0f s", seconds);
	else
		fprintf(to, "%.3g s", (double)(int64_t)(seconds * 1000 + .5) /
		    1000);
	if (seconds < 3600)
		return;
	(void)fm_duration_print((double)(int64_t)seconds, buf);
	if (buf[strlen(buf) - 1] != 's')
		fprintf(to, " (%s)", buf);
}

void
fm_why_part_end(struct fm_why_story *story, const char *title,
    struct fm_written *written)
{
	struct fm_why_part *part;

	fm_written_end(written);
	if (*written->text == '\0') {
		free(written->text);
		return;
	}
	part = title == NULL ? fm_cli_grow(&story->changes,
	    story->nchanges++, &story->changes_room, sizeof *part) :
	    fm_cli_grow(&story->parts, story->nparts++, &story->room,
	    sizeof *part);
	*part = (struct fm_why_part){ title, written->text };
}

/*
 * Writes a text with its lines in a column.  A newline of the text begins a
 * line; such a line goes on further to the right.
 */
static void
put_text(const struct fm_term *term, enum fm_ink ink, const char *text,
    size_t column)
{
	size_t at = column, indent = column, len;
	bool begins = true;

	for (; *text != '\0'; text += strspn(text, " ")) {
		if (*text == '\n') {
			text++;
			fprintf(term->to, "\n%*s", (int)column, "");
			indent = column + 2;
			at = column;
			begins = true;
			continue;
		}
		len = strcspn(text, " \n");
		if (!begins && at + 1 + len > WIDTH) {
			fprintf(term->to, "\n%*s", (int)indent, "");
			at = indent;
			begins = true;
		}
		fm_term_put(term, ink, "%s%.*s", begins ? "" : " ", (int)len,
		    text);
		at += len + !begins;
		begins = false;
		text += len;
	}
	fputc('\n', term->to);
}

static void
put_part(const struct fm_term *term, const char *title, const char *text)
{
	fm_term_put(term, FM_INK_BOLD, "%-*s", LABEL, title);
	put_text(term, FM_INK_PLAIN, text, LABEL);
}

void
fm_why_show(const struct fm_why_story *story, const struct fm_term *term)
{
	char number[32];
	size_t i;

	fm_term_put(term, FM_INK_BOLD, "%s", story->title);
	fputs("\n\n", term->to);
	put_text(term, story->stored ? FM_INK_GREEN : FM_INK_YELLOW,
	    story->summary, 0);
	fputc('\n', term->to);
	for (i = 0; i < story->nparts; i++)
		put_part(term, story->parts[i].title, story->parts[i].text);
	if (story->nchanges > 0)
		fm_term_put(term, FM_INK_BOLD, "\nFor it to be cached:\n");
	for (i = 0; i < story->nchanges; i++) {
		(void)snprintf(number, sizeof number, "%*zu.", LABEL - 2,
		    i + 1);
		put_part(term, number, story->changes[i].text);
	}
}

void
fm_why_show_json(const struct fm_why_story *story)
{
	json_t *parts = fm_json_array(), *changes = fm_json_array();
	size_t i;

	for (i = 0; i < story->nparts; i++)
		fm_json_add(parts, fm_json_of(
		    "part", fm_json_string(story->parts[i].title),
		    "text", fm_json_string(story->parts[i].text), NULL));
	for (i = 0; i < story->nchanges; i++)
		fm_json_add(changes, fm_json_string(story->changes[i].text));
	fm_json_print(fm_json_of("request", fm_json_string(story->title),
	    "vxid", fm_json_number(story->vxid),
	    "time", fm_json_number((unsigned long long)story->when),
	    "outcome", fm_json_string(story->outcome),
	    "stored", json_boolean(story->stored),
	    "reason", fm_json_string(story->reason),
	    "summary", fm_json_string(story->summary),
	    "story", parts, "changes", changes, NULL));
}
