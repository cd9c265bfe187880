/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Diagnostics: a bounded list of rendered lines.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "obj.h"

/* Warnings leave room for the error that comes after them. */
#define DIAG_LINES	100
#define DIAG_WARNINGS	50
#define DIAG_LINE_LEN	1024

struct fm_diag {
	unsigned	magic;
#define FM_DIAG_MAGIC	0x3d1a9055
	unsigned	errors;
	unsigned	warnings;
	unsigned	nlines;
	char		*lines[DIAG_LINES];
};

/*
 * Of a name that is too long the end is shown, as much as leaves room for
 * what comes behind it: the file's name and the line tell more than the start.
 */
#define PLACE_NAME_LEN	(FM_PLACE_LEN - 32)

const char *
fm_place_print(const struct fm_place *place, char buf[FM_PLACE_LEN])
{
	const char *name, *cut = "";
	size_t len;

	assert(place != NULL);
	assert(place->name != NULL);
	name = place->name;
	len = strlen(name);
	if (len > PLACE_NAME_LEN) {
		name += len - PLACE_NAME_LEN;
		cut = "...";
	}
	if (place->call > 0)
		(void)snprintf(buf, FM_PLACE_LEN, "%s%s, call %u", cut, name,
		    place->call);
	else if (place->line > 0 && place->column > 0)
		(void)snprintf(buf, FM_PLACE_LEN, "%s%s:%u:%u", cut, name,
		    place->line, place->column);
	else if (place->line > 0)
		(void)snprintf(buf, FM_PLACE_LEN, "%s%s:%u", cut, name,
		    place->line);
	else
		(void)snprintf(buf, FM_PLACE_LEN, "%s%s", cut, name);
	return (buf);
}

struct fm_diag *
fm_diag_new(void)
{
	struct fm_diag *diag;

	FM_OBJ_NEW(diag, FM_DIAG_MAGIC);
	return (diag);
}

void
fm_diag_free(struct fm_diag **diagp)
{
	struct fm_diag *diag;
	unsigned i;

	FM_OBJ_TAKE(diag, diagp, FM_DIAG_MAGIC);
	for (i = 0; i < diag->nlines; i++)
		free(diag->lines[i]);
	FM_OBJ_FREE(diag);
}

/* A message is one line, whatever bytes of a user's text it quotes. */
static void
diag_flatten(char *line)
{
	for (; *line != '\0'; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			*line = '?';
}

static void __attribute__((format(printf, 5, 0)))
diag_add(struct fm_diag *diag, unsigned bound, const struct fm_place *place,
    const char *severity, const char *fmt, va_list ap)
{
	char where[FM_PLACE_LEN], line[DIAG_LINE_LEN];
	int n;

	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	if (diag->nlines >= bound)
		return;
	if (place != NULL)
		n = snprintf(line, sizeof line, "%s: %s: ",
		    fm_place_print(place, where), severity);
	else
		n = snprintf(line, sizeof line, "%s: ", severity);
	assert(n > 0 && (size_t)n < sizeof line);
	(void)vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
	diag_flatten(line);
	diag->lines[diag->nlines] = strdup(line);
	if (diag->lines[diag->nlines] != NULL)
		diag->nlines++;
}

void
fm_diag_error(struct fm_diag *diag, const struct fm_place *place,
    const char *fmt, ...)
{
	va_list ap;

	if (diag == NULL)
		return;
	va_start(ap, fmt);
	diag_add(diag, DIAG_LINES, place, "error", fmt, ap);
	va_end(ap);
	diag->errors++;
}

void
fm_diag_warning(struct fm_diag *diag, const struct fm_place *place,
    const char *fmt, ...)
{
	va_list ap;

	if (diag == NULL)
		return;
	va_start(ap, fmt);
	diag_add(diag, DIAG_WARNINGS, place, "warning", fmt, ap);
	va_end(ap);
	diag->warnings++;
}

unsigned
fm_diag_errors(const struct fm_diag *diag)
{
	if (diag == NULL)
		return (0);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (diag->errors);
}

unsigned
fm_diag_warnings(const struct fm_diag *diag)
{
	if (diag == NULL)
		return (0);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (diag->warnings);
}

const char *
fm_diag_line(const struct fm_diag *diag, unsigned n)
{
	if (diag == NULL)
		return (NULL);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (n < diag->nlines ? diag->lines[n] : NULL);
}
