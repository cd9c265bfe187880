/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of text.h, for files that call them.
 */

#include "text.h"

extern inline struct fm_text fm_text(const char *, size_t);
extern inline struct fm_text fm_text_of(const char *);
extern inline struct fm_text fm_text_or_empty(struct fm_text);
extern inline struct fm_text fm_text_span(const char *, const char *);
extern inline bool fm_bytes_eq(const char *, const char *, size_t);
extern inline uint64_t fm_text_word(const char *, size_t);
extern inline bool fm_text_eq(struct fm_text, struct fm_text);
extern inline bool fm_text_same(struct fm_text, struct fm_text);
extern inline int fm_text_compare(struct fm_text, struct fm_text);
extern inline unsigned char fm_lower(unsigned char);
extern inline void fm_text_lower(char *, struct fm_text);
extern inline int fm_hex_digit(char);
extern inline bool fm_text_eq_nocase(struct fm_text, struct fm_text);
extern inline bool fm_text_is_among(struct fm_text, const char *);
extern inline bool fm_text_is_one_of(struct fm_text, const char * const *);
extern inline bool fm_cut_last(struct fm_text *, const char *,
    struct fm_text *);
extern inline struct fm_text fm_cut_word(struct fm_text *);
extern inline bool fm_cut_line(struct fm_text *, struct fm_text *);
extern inline bool fm_is_blank(char);
extern inline const char *fm_text_find(struct fm_text, struct fm_text);
extern inline bool fm_text_has(struct fm_text, const char *);
extern inline bool fm_is_mark(unsigned char);
extern inline bool fm_text_is_token(struct fm_text, const char *);
