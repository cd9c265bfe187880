/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Diagnostics: a bounded list of finished lines, with their places.
 */

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "diag.h"
#include "obj.h"
#include "utf8.h"

#define DIAG_LINES	100	/* messages; warnings take the first half only,
				 * so that later errors have room */
#define DIAG_LINE_LEN	(2 * FM_PLACE_LEN)	/* bytes: place and text */

/* The name of a file (or of what was called), in the order of coming. */
struct diag_name {
	const char		*name;
	struct diag_name	*next;
	unsigned		rank;		/* set by fm_diag_sort() */
	const char		*hidden;	/* shown in place of the texts
						 * of messages, or NULL */
};

struct diag_message {
	const char		*line;
	size_t			text;		/* where it starts in line */
	bool			error;
	const char		*excerpt;	/* or NULL */
	struct fm_place		at;		/* the name is diag_name's */
	const struct diag_name	*name;		/* or NULL: no place */
	unsigned		number;		/* in the order of coming */
};

struct fm_diag {
	unsigned		magic;
#define FM_DIAG_MAGIC	0x3d1a9055
	unsigned		errors;
	unsigned		warnings;
	struct diag_name	*names;
	unsigned		nmessages;
	bool			no_memory;	/* that was said */
	struct diag_message	messages[DIAG_LINES];
	struct fm_arena		arena;		/* names, lines, excerpts */
};

/*
 * A longer name is shown without its start, as its end (the file's name) tells
 * more.  32 bytes are left for "...", the line and the column.
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

int
fm_place_compare(const struct fm_place *a, const struct fm_place *b)
{
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	if (order == 0)
		order = (a->column > b->column) - (a->column < b->column);
	return (order);
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

	assert(diagp != NULL);
	if (*diagp == NULL)
		return;
	FM_OBJ_TAKE(diag, diagp, FM_DIAG_MAGIC);
	fm_arena_fini(&diag->arena);
	FM_OBJ_FREE(diag);
}

/* Returns the diag's own copy of a name; NULL if there is no memory. */
static struct diag_name *
diag_name_keep(struct fm_diag *diag, const char *s)
{
	struct diag_name *name, **last;

	for (last = &diag->names; *last != NULL; last = &(*last)->next)
		if (strcmp((*last)->name, s) == 0)
			return (*last);
	name = fm_arena_alloc(&diag->arena, sizeof *name);
	if (name != NULL)
		name->name = fm_arena_add(&diag->arena, fm_text_of(s));
	if (name == NULL || name->name == NULL)
		return (NULL);
	*last = name;
	return (name);
}

/* The text of a message for which there is no memory. */
#define DIAG_LOST	"out of memory"

/* Returns how many messages there may be before an error, or a warning. */
static unsigned
diag_room(bool error)
{
	return (error ? DIAG_LINES : DIAG_LINES / 2);
}

/*
 * Keeps a message, whose text starts at line[text].  Without memory the message
 * says that instead, at no place.
 */
static void
diag_keep(struct fm_diag *diag, bool error, const struct fm_place *place,
    const char *line, size_t text)
{
	struct diag_message *message = &diag->messages[diag->nmessages];
	struct diag_name *name = NULL;

	*message = (struct diag_message){ .error = error, .text = text,
	    .number = diag->nmessages++ };
	message->line = fm_arena_add(&diag->arena, fm_text_of(line));
	if (place != NULL)
		name = diag_name_keep(diag, place->name);
	if (message->line == NULL || (place != NULL && name == NULL)) {
		message->line = error ? "error: " DIAG_LOST :
		    "warning: " DIAG_LOST;
		message->text = strlen(message->line) - strlen(DIAG_LOST);
	} else if (place != NULL) {
		message->at = *place;
		message->at.name = name->name;
		message->name = name;
	}
}

int
fm_diag_hide(struct fm_diag *diag, const char *s, const char *instead)
{
	struct diag_name *name;

	if (diag == NULL)
		return (0);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	name = diag_name_keep(diag, s);
	if (name == NULL)
		return (-1);
	name->hidden = instead;
	return (0);
}

/* Returns the text that replaces messages of this place, or NULL. */
static const char *
diag_hidden(const struct fm_diag *diag, const struct fm_place *place)
{
	const struct diag_name *name;

	for (name = diag->names; place != NULL && name != NULL;
	    name = name->next)
		if (strcmp(name->name, place->name) == 0)
			return (name->hidden);
	return (NULL);
}

struct fm_text
fm_diag_shown(const struct fm_diag *diag, const struct fm_place *place,
    struct fm_text text)
{
	if (diag == NULL || diag_hidden(diag, place) == NULL)
		return (text);
	return (fm_text_of("..."));
}

static void __attribute__((format(printf, 5, 0)))
diag_add(struct fm_diag *diag, bool error, bool bare,
    const struct fm_place *place, const char *fmt, va_list ap)
{
	char where[FM_PLACE_LEN], line[DIAG_LINE_LEN];
	const char *severity = error ? "error" : "warning", *hidden;
	int n;

	if (diag == NULL)
		return;
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	++*(error ? &diag->errors : &diag->warnings);
	if (diag->nmessages >= diag_room(error))
		return;
	if (place != NULL)
		n = snprintf(line, sizeof line, "%s: %s: ",
		    fm_place_print(place, where), severity);
	else
		n = snprintf(line, sizeof line, "%s: ", severity);
	assert(n > 0 && (size_t)n < sizeof line);
	hidden = bare ? NULL : diag_hidden(diag, place);
	if (hidden != NULL)
		(void)snprintf(line + n, sizeof line - (size_t)n, "%s",
		    hidden);
	else
		(void)vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
	/* The line may quote any bytes of a user's text. */
	fm_utf8_flatten(line);
	diag_keep(diag, error, place, line, (size_t)n);
}

void
fm_diag_error(struct fm_diag *diag, const struct fm_place *place,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(diag, true, false, place, fmt, ap);
	va_end(ap);
}

void
fm_diag_error_bare(struct fm_diag *diag, const struct fm_place *place,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(diag, true, true, place, fmt, ap);
	va_end(ap);
}

void
fm_diag_warning(struct fm_diag *diag, const struct fm_place *place,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(diag, false, false, place, fmt, ap);
	va_end(ap);
}

void
fm_diag_no_memory(struct fm_diag *diag)
{
	if (diag != NULL && !diag->no_memory)
		fm_diag_error(diag, NULL, DIAG_LOST);
	if (diag != NULL)
		diag->no_memory = true;
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

/* Returns the order of a message's file; without a place it comes last. */
static unsigned
message_rank(const struct diag_message *message)
{
	return (message->name == NULL ? UINT_MAX : message->name->rank);
}

static int
diag_compare(const void *va, const void *vb)
{
	const struct diag_message *a = va, *b = vb;

	if (message_rank(a) != message_rank(b))
		return (message_rank(a) < message_rank(b) ? -1 : 1);
	if (a->at.line != b->at.line)
		return (a->at.line < b->at.line ? -1 : 1);
	if (a->at.column != b->at.column)
		return (a->at.column < b->at.column ? -1 : 1);
	return (a->number < b->number ? -1 : a->number > b->number);
}

void
fm_diag_sort(struct fm_diag *diag, const char *first)
{
	struct diag_name *name;
	unsigned rank = 0;

	if (diag == NULL)
		return;
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	for (name = diag->names; name != NULL; name = name->next)
		name->rank = first != NULL && strcmp(name->name, first) == 0 ?
		    0 : ++rank;
	qsort(diag->messages, diag->nmessages, sizeof *diag->messages,
	    diag_compare);
}

bool
fm_diag_message(const struct fm_diag *diag, unsigned n,
    struct fm_diag_message *message)
{
	if (diag == NULL)
		return (false);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	if (n >= diag->nmessages)
		return (false);
	message->error = diag->messages[n].error;
	message->at = diag->messages[n].at;
	message->text = diag->messages[n].line + diag->messages[n].text;
	message->excerpt = diag->messages[n].excerpt;
	return (true);
}

void
fm_diag_excerpt(struct fm_diag *diag, unsigned n, const char *excerpt)
{
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	assert(n < diag->nmessages);
	diag->messages[n].excerpt = fm_arena_add(&diag->arena,
	    fm_text_of(excerpt));
}

void
fm_diag_copy(struct fm_diag *to, const struct fm_diag *from)
{
	const struct diag_message *message;
	unsigned i;

	if (to == NULL || from == NULL)
		return;
	FM_OBJ_CHECK(to, FM_DIAG_MAGIC);
	FM_OBJ_CHECK(from, FM_DIAG_MAGIC);
	to->errors += from->errors;
	to->warnings += from->warnings;
	for (i = 0; i < from->nmessages; i++) {
		message = &from->messages[i];
		if (to->nmessages >= diag_room(message->error))
			continue;
		diag_keep(to, message->error, message->name == NULL ? NULL :
		    &message->at, message->line, message->text);
		if (message->excerpt != NULL)
			fm_diag_excerpt(to, to->nmessages - 1,
			    message->excerpt);
	}
}

const char *
fm_diag_line(const struct fm_diag *diag, unsigned n)
{
	if (diag == NULL)
		return (NULL);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (n < diag->nmessages ? diag->messages[n].line : NULL);
}
