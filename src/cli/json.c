/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes JSON of texts, places, rules and diagnostics.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "json.h"
#include "obj.h"
#include "utf8.h"

static json_t *
must(json_t *json)
{
	if (json == NULL)
		fm_cli_no_memory();
	return (json);
}

json_t *
fm_json_text(struct fm_text text)
{
	json_t *json;
	char *utf8;

	if (text.b == NULL)
		return (json_null());
	utf8 = fm_cli_alloc(2 * text.len);
	json = must(json_stringn(utf8, fm_utf8_from_bytes(text.b, text.len,
	    utf8)));
	free(utf8);
	return (json);
}

json_t *
fm_json_string(const char *s)
{
	return (fm_json_text(fm_text_of(s)));
}

json_t *
fm_json_number(unsigned long long n)
{
	return (must(json_integer((json_int_t)n)));
}

static void
set_all(json_t *object, const char *key, va_list ap)
{
	for (; key != NULL; key = va_arg(ap, const char *))
		if (json_object_set_new(object, key,
		    va_arg(ap, json_t *)) != 0)
			fm_cli_no_memory();
}

json_t *
fm_json_object(void)
{
	return (must(json_object()));
}

json_t *
fm_json_of(const char *key, ...)
{
	json_t *object = fm_json_object();
	va_list ap;

	va_start(ap, key);
	set_all(object, key, ap);
	va_end(ap);
	return (object);
}

void
fm_json_set(json_t *object, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	set_all(object, key, ap);
	va_end(ap);
}

json_t *
fm_json_array(void)
{
	return (must(json_array()));
}

json_t *
fm_json_pack(const char *fmt, ...)
{
	json_t *json;
	va_list ap;

	va_start(ap, fmt);
	json = json_vpack_ex(NULL, 0, fmt, ap);
	va_end(ap);
	return (must(json));
}

void
fm_json_add(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		fm_cli_no_memory();
}

json_t *
fm_json_place(const struct fm_place *at)
{
	return (fm_json_of("file", fm_json_string(at->name),
	    "line", at->line == 0 ? json_null() : fm_json_number(at->line),
	    "column", at->column == 0 ? json_null() :
	    fm_json_number(at->column), NULL));
}

json_t *
fm_json_rule(const struct fm_rule *rule)
{
	json_t *object;

	if (rule == NULL)
		return (json_null());
	object = fm_json_place(&rule->at);
	fm_json_set(object, "text", fm_json_string(rule->text), NULL);
	return (object);
}

json_t *
fm_json_diag(const struct fm_diag *diag)
{
	struct fm_diag_message message;
	json_t *array = fm_json_array(), *object;
	unsigned n;

	for (n = 0; fm_diag_message(diag, n, &message); n++) {
		object = fm_json_place(&message.at);
		fm_json_set(object, "severity",
		    fm_json_string(message.error ? "error" : "warning"),
		    "text", fm_json_string(message.text), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

/*
 * Writes a character of JSON; one on which a terminal may act is in a string,
 * and becomes \uNNNN.
 */
static void
put_character(const char *s, size_t len)
{
	const unsigned char *b = (const unsigned char *)s;

	if (*s == '\n' || !fm_utf8_is_active(s, len))
		(void)fwrite(s, 1, len, stdout);
	else
		printf("\\u%04x", len == 1 ? b[0] :
		    len == 2 ? (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu) :
		    (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 |
		    (b[2] & 0x3fu));
}

void
fm_json_print(json_t *json)
{
	char *text = json_dumps(json, JSON_INDENT(2) |
	    JSON_REAL_PRECISION(6));
	size_t i, len, all;

	if (text == NULL)
		fm_cli_no_memory();
	all = strlen(text);
	/* Jansson writes nothing but UTF-8. */
	for (i = 0; i < all; i += len) {
		len = fm_utf8_length(text + i, all - i);
		assert(len > 0);
		put_character(text + i, len);
	}
	/* main() checks whether stdout could be written. */
	(void)putchar('\n');
	free(text);
	json_decref(json);
}
