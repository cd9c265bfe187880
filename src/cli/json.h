/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes JSON values with Jansson.  The functions never return NULL: without
 * memory the process ends (cli.h).
 */

#ifndef FM_JSON_H
#define FM_JSON_H

#include <jansson.h>

#include "diag.h"
#include "program.h"

/*
 * Returns a string, or null for the missing text.  A byte that is not UTF-8
 * is taken for a character of ISO 8859-1.
 */
json_t *fm_json_text(struct fm_text);
json_t *fm_json_string(const char *);		/* null for NULL */
json_t *fm_json_number(unsigned long long);

json_t *fm_json_object(void);
json_t *fm_json_array(void);

/*
 * Returns an object of keys and their values, which the object owns; NULL ends
 * them.
 */
json_t *fm_json_of(const char *key, ...) __attribute__((sentinel));

/* Calls json_pack(); fmt may have literals, ints and values, no strings. */
json_t *fm_json_pack(const char *fmt, ...);

/* Add such keys to an object, or a value to an array, which owns the value. */
void fm_json_set(json_t *object, const char *key, ...)
    __attribute__((sentinel));
void fm_json_add(json_t *array, json_t *value);

/* Returns an object with "file", "line" and "column", each null if unknown. */
json_t *fm_json_place(const struct fm_place *);

/* Returns an object with a rule's place and text, or null for NULL. */
json_t *fm_json_rule(const struct fm_rule *);

/* Returns an array of the messages that a diag has kept, in their order. */
json_t *fm_json_diag(const struct fm_diag *);

/*
 * Prints a value to stdout, indented, with no character on which a terminal may
 * act (utf8.h), and frees it.
 */
void fm_json_print(json_t *);

#endif
