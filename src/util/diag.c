/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Diagnostics: a bounded list of finished lines, with their places.
 */

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
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
	bool			rules;		/* fm_diag_rules() */
};

struct diag_message {
	const char		*line;
	const char		*masked;	/* line without values */
	size_t			text;		/* where it starts in both */
	bool			error;
	bool			bare;
	bool			elsewhere;	/* it has a %-.*s */
	const char		*excerpt;	/* or NULL */
	const char		*masked_excerpt; /* or NULL */
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
    const char *line, const char *masked, size_t text)
{
	struct diag_message *message = &diag->messages[diag->nmessages];
	struct diag_name *name = NULL;

	*message = (struct diag_message){ .error = error, .text = text,
	    .number = diag->nmessages++ };
	message->line = message->masked = fm_arena_add(&diag->arena,
	    fm_text_of(line));
	if (strcmp(line, masked) != 0)
		message->masked = fm_arena_add(&diag->arena,
		    fm_text_of(masked));
	if (place != NULL)
		name = diag_name_keep(diag, place->name);
	if (message->line == NULL || message->masked == NULL ||
	    (place != NULL && name == NULL)) {
		message->line = message->masked = error ?
		    "error: " DIAG_LOST :
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

int
fm_diag_rules(struct fm_diag *diag, const char *s)
{
	struct diag_name *name;

	if (diag == NULL)
		return (0);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	name = diag_name_keep(diag, s);
	if (name == NULL)
		return (-1);
	name->rules = true;
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

/*
 * Writes a conversion as snprintf() does.  `spec` is that of the format, as
 * "%zu", and has no %.*s.
 */
static void __attribute__((format(printf, 3, 0)))
print_spec(char *to, size_t room, const char *spec, va_list *ap)
{
	size_t len = strlen(spec);
	char modifier = spec[len - 2];

	if (spec[len - 1] == '%')
		(void)snprintf(to, room, "%%");
	else if (spec[len - 1] == 's')
		(void)snprintf(to, room, "%s", va_arg(*ap, const char *));
	else if (modifier == 'z')
		(void)snprintf(to, room, spec, va_arg(*ap, size_t));
	else if (modifier == 'j')
		(void)snprintf(to, room, spec, va_arg(*ap, uintmax_t));
	else if (modifier == 'l')
		(void)snprintf(to, room, spec, va_arg(*ap, unsigned long));
	else if (strchr("fg", spec[len - 1]) != NULL)
		(void)snprintf(to, room, spec, va_arg(*ap, double));
	else
		(void)snprintf(to, room, spec, va_arg(*ap, unsigned));
}

/* Adds a text to a line, as far as there is room. */
static void
line_add(char line[DIAG_LINE_LEN], const char *text)
{
	size_t len = strlen(line), more = strlen(text);

	if (more > DIAG_LINE_LEN - 1 - len)
		more = DIAG_LINE_LEN - 1 - len;
	memcpy(line + len, text, more);
	line[len + more] = '\0';
}

/* Adds what vsnprintf() writes to a line; and the same, without values. */
static void __attribute__((format(printf, 3, 0)))
print_both(char line[DIAG_LINE_LEN], char masked[DIAG_LINE_LEN],
    const char *fmt, va_list *ap)
{
	char piece[DIAG_LINE_LEN], spec[16];
	const char *shown;
	int most;
	size_t n;

	for (; *fmt != '\0'; fmt += n) {
		shown = piece;
		n = strcspn(fmt, "%");
		if (n > 0) {
			(void)snprintf(piece, sizeof piece, "%.*s", (int)n,
			    fmt);
		} else if (strncmp(fmt, "%.*s", 4) == 0 ||
		    strncmp(fmt, "%-.*s", 5) == 0) {
			n = fmt[1] == '-' ? 5 : 4;
			most = va_arg(*ap, int);
			(void)snprintf(piece, sizeof piece, "%.*s", most,
			    va_arg(*ap, const char *));
			shown = FM_DIAG_HIDDEN;
		} else {
			n = 1 + strcspn(fmt + 1, "%cdfgisux") + 1;
			assert(n < sizeof spec);
			(void)snprintf(spec, sizeof spec, "%.*s", (int)n, fmt);
			print_spec(piece, sizeof piece, spec, ap);
		}
		line_add(line, piece);
		line_add(masked, shown);
	}
}

static void __attribute__((format(printf, 5, 0)))
diag_add(struct fm_diag *diag, bool error, bool bare,
    const struct fm_place *place, const char *fmt, va_list ap)
{
	char where[FM_PLACE_LEN], line[DIAG_LINE_LEN], masked[DIAG_LINE_LEN];
	const char *severity = error ? "error" : "warning", *hidden;
	va_list args;
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
	memcpy(masked, line, (size_t)n + 1);
	if (hidden != NULL) {
		line_add(line, hidden);
		line_add(masked, hidden);
	} else {
		va_copy(args, ap);
		print_both(line, masked, fmt, &args);
		va_end(args);
	}
	/* The line may quote any bytes of a user's text. */
	fm_utf8_flatten(line);
	fm_utf8_flatten(masked);
	diag_keep(diag, error, place, line, masked, (size_t)n);
	diag->messages[diag->nmessages - 1].bare = bare;
	diag->messages[diag->nmessages - 1].elsewhere =
	    strstr(fmt, "%-.*s") != NULL;
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
	const struct diag_message *from;

	if (diag == NULL)
		return (false);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	if (n >= diag->nmessages)
		return (false);
	from = &diag->messages[n];
	*message = (struct fm_diag_message){ .error = from->error,
	    .bare = from->bare,
	    .rules = from->name != NULL && from->name->rules, .at = from->at,
	    .text = from->line + from->text,
	    .masked = from->masked + from->text, .excerpt = from->excerpt,
	    .masked_excerpt = from->masked_excerpt };
	return (true);
}

void
fm_diag_public(struct fm_diag *diag, unsigned n)
{
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	assert(n < diag->nmessages);
	if (!diag->messages[n].elsewhere)
		diag->messages[n].masked = diag->messages[n].line;
}

void
fm_diag_excerpt(struct fm_diag *diag, unsigned n, const char *excerpt,
    const char *masked)
{
	struct diag_message *message;

	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	assert(n < diag->nmessages);
	message = &diag->messages[n];
	message->excerpt = fm_arena_add(&diag->arena, fm_text_of(excerpt));
	message->masked_excerpt = masked == NULL ? NULL :
	    fm_arena_add(&diag->arena, fm_text_of(masked));
}

void
fm_diag_copy(struct fm_diag *to, const struct fm_diag *from)
{
	const struct diag_message *message;
	struct diag_message *copy;
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
		    &message->at, message->line, message->masked,
		    message->text);
		copy = &to->messages[to->nmessages - 1];
		copy->bare = message->bare;
		copy->elsewhere = message->elsewhere;
		if (message->name != NULL && message->name->rules)
			(void)fm_diag_rules(to, message->name->name);
		if (message->excerpt != NULL)
			fm_diag_excerpt(to, to->nmessages - 1,
			    message->excerpt, message->masked_excerpt);
	}
}

const char *
fm_diag_masked_line(const struct fm_diag *diag, unsigned n)
{
	if (diag == NULL)
		return (NULL);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (n < diag->nmessages ? diag->messages[n].masked : NULL);
}

const char *
fm_diag_line(const struct fm_diag *diag, unsigned n)
{
	if (diag == NULL)
		return (NULL);
	FM_OBJ_CHECK(diag, FM_DIAG_MAGIC);
	return (n < diag->nmessages ? diag->messages[n].line : NULL);
}

const char *
fm_diag_first_error(const struct fm_diag *diag)
{
	struct fm_diag_message message;
	unsigned i;

	for (i = 0; fm_diag_message(diag, i, &message); i++)
		if (message.error)
			return (fm_diag_line(diag, i));
	return ("error: out of memory");
}
