/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The patterns of a host table: which form one has, the name in it, and what
 * is wrong with one that is none.
 */

#include <stdarg.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hosttab_priv.h"

#define FORMS	"'example.com', '*.example.com', '.example.com' (both of " \
		"these), 'www.*' and '*'"

static bool
text_has(struct fm_text t, char c)
{
	return (t.len > 0 && memchr(t.b, c, t.len) != NULL);
}

static void
pattern_split(struct fm_hosttab_pattern *pat)
{
	struct fm_text raw = pat->raw;

	if (raw.len == 1 && raw.b[0] == '*') {
		pat->form = FM_HOSTTAB_FORM_ANY;
		pat->name = fm_text(raw.b, 0);
	} else if (raw.len >= 2 && memcmp(raw.b, "*.", 2) == 0) {
		pat->form = FM_HOSTTAB_FORM_BELOW;
		pat->name = fm_text(raw.b + 2, raw.len - 2);
	} else if (raw.len >= 2 && memcmp(raw.b + raw.len - 2, ".*", 2) == 0) {
		pat->form = FM_HOSTTAB_FORM_PREFIX;
		pat->name = fm_text(raw.b, raw.len - 2);
	} else if (raw.b[0] == '.') {
		pat->form = FM_HOSTTAB_FORM_BOTH;
		pat->name = fm_text(raw.b + 1, raw.len - 1);
	} else {
		pat->form = FM_HOSTTAB_FORM_NAME;
		pat->name = raw;
	}
}

/* Says what is wrong with a pattern, and what to do. */
static void __attribute__((format(printf, 4, 5)))
pattern_wrong(const struct fm_hosttab_pattern *pat,
    const struct fm_place *place, struct fm_diag *diag, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	fm_diag_error(diag, place, "host pattern " FM_HOSTTAB_QUOTED ": %s",
	    FM_HOSTTAB_QUOTE(pat->raw), what);
}

/* An IPv6 address that would do if it had brackets. */
static bool
name_lacks_brackets(struct fm_text name)
{
	char raw[64], buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	if (name.len > sizeof raw - 2)
		return (false);
	raw[0] = '[';
	memcpy(raw + 1, name.b, name.len);
	raw[name.len + 1] = ']';
	return (fm_hostname_canon(fm_text(raw, name.len + 2), buf, &canon) ==
	    FM_HOSTNAME_OK);
}

/* Returns whether there is one, and says so. */
static bool
pattern_port(const struct fm_hosttab_pattern *pat,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_text name = pat->name;
	const char *from = name.b;

	if (name.len > 0 && name.b[0] == '[')
		from = memchr(name.b, ']', name.len);
	if (from == NULL ||
	    !text_has(fm_text_span(from, name.b + name.len), ':'))
		return (false);
	if (name_lacks_brackets(name))
		pattern_wrong(pat, place, diag, "write an IPv6 address in "
		    "brackets, as in '[::1]'");
	else
		fm_diag_error(diag, place, "a host pattern has no port: write "
		    FM_HOSTTAB_QUOTED " without the colon and what follows it",
		    FM_HOSTTAB_QUOTE(pat->raw));
	return (true);
}

static bool
is_name_byte(unsigned char c)
{
	c = fm_lower(c);
	return ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	    c == '-' || c == '_' || c == '.');
}

/* Says why fm_hostname_canon() didn't take the name. */
static void
pattern_explain(const struct fm_hosttab_pattern *pat,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_text name = pat->name;
	unsigned char c;
	size_t i;

	if (name.b[0] == '[') {
		pattern_wrong(pat, place, diag, "that is no IPv6 address in "
		    "brackets: write one, as in '[::1]'");
		return;
	}
	for (i = 0; i < name.len && is_name_byte((unsigned char)name.b[i]);)
		i++;
	if (i < name.len) {
		c = (unsigned char)name.b[i];
		pattern_wrong(pat, place, diag, "no host has the byte 0x%02x: "
		    "use letters, digits, '-', '_' and '.'%s", c, c < 0x80 ?
		    "" : "; write an international name as 'xn--...'");
	} else if (name.len > FM_HOSTNAME_MAX)
		pattern_wrong(pat, place, diag, "a name of %zu bytes: use at "
		    "most %d", name.len, FM_HOSTNAME_MAX);
	else
		pattern_wrong(pat, place, diag, "an empty label: write "
		    "something on both sides of a dot");
}

int
fm_hosttab_pattern_parse(struct fm_hosttab_pattern *pat, struct fm_text raw,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_text canon;
	bool prefix;

	pat->raw = raw;
	if (raw.len == 0) {
		fm_diag_error(diag, place, "empty host pattern: the forms are "
		    FORMS);
		return (-1);
	}
	pattern_split(pat);
	if (pattern_port(pat, place, diag))
		return (-1);
	if (pat->form == FM_HOSTTAB_FORM_ANY)
		return (0);
	if (pat->name.len == 0) {
		pattern_wrong(pat, place, diag, "a wildcard of nothing: the "
		    "forms are " FORMS);
		return (-1);
	}
	prefix = pat->form == FM_HOSTTAB_FORM_PREFIX;
	if (text_has(pat->name, '*') || (prefix && pat->name.b[0] == '.')) {
		pattern_wrong(pat, place, diag, "'*' is whole labels, at one "
		    "end: the forms are " FORMS);
		return (-1);
	}
	if (pat->name.b[0] == '[' && pat->form != FM_HOSTTAB_FORM_NAME) {
		pattern_wrong(pat, place, diag, "an IPv6 address has no "
		    "labels: write it alone, as in '[::1]'");
		return (-1);
	}
	/* A trailing dot that fm_hostname_canon() passes over is one too many
	 * where `.*` follows it. */
	if ((prefix && pat->name.b[pat->name.len - 1] == '.') ||
	    fm_hostname_canon(pat->name, pat->buf, &canon) != FM_HOSTNAME_OK) {
		pattern_explain(pat, place, diag);
		return (-1);
	}
	pat->name = canon;
	return (0);
}

uint64_t
fm_hosttab_pattern_id(struct fm_text raw)
{
	static const struct fm_place nowhere = { .name = "" };
	struct fm_hosttab_pattern pat;
	int bad = fm_hosttab_pattern_parse(&pat, raw, &nowhere, NULL);

	assert(bad == 0);
	return (XXH3_64bits_withSeed(pat.name.b, pat.name.len, pat.form));
}
