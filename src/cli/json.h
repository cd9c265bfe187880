/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON, by jansson.  Where there is no memory the process ends (cli.h), so
 * what is made is never NULL.
 */

#ifndef FM_JSON_H
#define FM_JSON_H

#include <jansson.h>

#include "diag.h"
#include "program.h"

/*
 * A string, or null for the missing text.  A byte that is no UTF-8 becomes
 * the character of ISO 8859-1.
 */
json_t *fm_json_text(struct fm_text);
json_t *fm_json_string(const char *);		/* NULL: null */
json_t *fm_json_number(unsigned long long);

json_t *fm_json_object(void);
json_t *fm_json_array(void);

/* json_pack(), of literals, ints and values. */
json_t *fm_json_pack(const char *fmt, ...);

/* These take the value. */
void fm_json_set(json_t *object, const char *key, json_t *value);
void fm_json_add(json_t *array, json_t *value);

/* file, line and column, where there are any. */
void fm_json_place(json_t *object, const struct fm_place *);

/* Its place, and its text; null for none. */
json_t *fm_json_rule(const struct fm_rule *);

/* All that was kept, in its order. */
json_t *fm_json_diag(const struct fm_diag *);

/* To stdout, as people can read it; takes the value. */
void fm_json_print(json_t *);

#endif
