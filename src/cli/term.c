/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints in colours, and makes texts of clients safe to print.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "program.h"
#include "term.h"
#include "utf8.h"

#define DOTS		"..."
#define RULE_MOST	100	/* columns of the text of a rule */

static const char * const inks[] = {
	[FM_INK_PLAIN] = "\033[0m",
	[FM_INK_BOLD] = "\033[1m",
	[FM_INK_DIM] = "\033[2m",
	[FM_INK_RED] = "\033[31m",
	[FM_INK_GREEN] = "\033[32m",
	[FM_INK_YELLOW] = "\033[33m",
	[FM_INK_CYAN] = "\033[36m"
};

bool
fm_colour_parse(const char *s, enum fm_colour *colour)
{
	if (strcmp(s, "auto") == 0)
		*colour = FM_COLOUR_AUTO;
	else if (strcmp(s, "always") == 0)
		*colour = FM_COLOUR_ALWAYS;
	else if (strcmp(s, "never") == 0)
		*colour = FM_COLOUR_NEVER;
	else
		return (false);
	return (true);
}

/*
 * Returns true if a stream is a terminal with colours.  A user turns colours
 * off with a NO_COLOR that is not empty (https://no-color.org).
 */
static bool
terminal_has_colours(FILE *to)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return ((no_color == NULL || *no_color == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0 && isatty(fileno(to)));
}

void
fm_term_init(struct fm_term *term, FILE *to, enum fm_colour colour)
{
	term->to = to;
	term->colour = colour == FM_COLOUR_ALWAYS ||
	    (colour == FM_COLOUR_AUTO && terminal_has_colours(to));
}

void
fm_written_begin(struct fm_written *written)
{
	written->text = NULL;
	written->to = open_memstream(&written->text, &written->len);
	if (written->to == NULL)
		fm_cli_no_memory();
}

void
fm_written_end(struct fm_written *written)
{
	if (fclose(written->to) != 0)
		fm_cli_no_memory();
}

void
fm_term_put(const struct fm_term *term, enum fm_ink ink, const char *fmt, ...)
{
	bool coloured = term->colour && ink != FM_INK_PLAIN;
	va_list ap;

	if (coloured)
		fputs(inks[ink], term->to);
	va_start(ap, fmt);
	vfprintf(term->to, fmt, ap);
	va_end(ap);
	if (coloured)
		fputs(inks[FM_INK_PLAIN], term->to);
}

/* Writes a byte as \xNN.  Returns the end. */
static char *
put_byte(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'x';
	*to++ = hex[c >> 4];
	*to++ = hex[c & 15];
	return (to);
}

char *
fm_term_after(char *s, size_t max)
{
	for (; *s != '\0'; s++)
		if (((unsigned char)*s & 0xc0) != 0x80 && max-- == 0)
			break;
	return (s);
}

char *
fm_term_clean(struct fm_text text, size_t max)
{
	size_t dots = max < strlen(DOTS) ? max : strlen(DOTS);
	char *clean, *to;
	size_t i, len;

	/* A column has 4 bytes at most: the rest can't be shown. */
	if (max > 0 && text.len > 4 * (max + sizeof DOTS))
		text.len = 4 * (max + sizeof DOTS);
	to = clean = fm_cli_alloc(4 * text.len + 1);
	for (i = 0; i < text.len; i += len) {
		len = fm_utf8_length(text.b + i, text.len - i);
		if (!fm_utf8_is_active(text.b + i, len)) {
			memcpy(to, text.b + i, len);
			to += len;
			continue;
		}
		/* The other bytes of the character are not UTF-8. */
		to = put_byte(to, (unsigned char)text.b[i]);
		len = 1;
	}
	*to = '\0';
	if (max > 0 && fm_term_width(clean) > max) {
		to = fm_term_after(clean, max - dots);
		memcpy(to, DOTS, dots);
		to[dots] = '\0';
	}
	return (clean);
}

size_t
fm_term_width(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return (n);
}

void
fm_term_clip(const struct fm_term *term, enum fm_ink ink, struct fm_text text,
    size_t max)
{
	char *clean = fm_term_clean(text, max);

	fm_term_put(term, ink, "%s", clean);
	free(clean);
}

void
fm_term_place(const struct fm_term *term, const struct fm_place *at)
{
	char buf[FM_PLACE_LEN];

	fm_term_clip(term, FM_INK_CYAN, fm_text_of(fm_place_print(at, buf)),
	    0);
}

void
fm_put_clean(FILE *to, struct fm_text text, size_t max)
{
	char *clean = fm_term_clean(text, max);

	fputs(clean, to);
	free(clean);
}

void
fm_complain_list(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		fm_cli_no_memory();
	fm_put_clean(stderr, fm_text_of(text), 0);
	fputc('\n', stderr);
	free(text);
}

void
fm_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fm_complain_list(fmt, ap);
	va_end(ap);
}

void
fm_put_host(FILE *to, struct fm_text host, size_t width)
{
	char *clean = fm_term_clean(host.b == NULL ?
	    fm_text_of("(no valid host)") : host, width);

	fprintf(to, "  %s%*s", clean, (int)(width - fm_term_width(clean)), "");
	free(clean);
}

void
fm_put_escaped(FILE *to, struct fm_text text, size_t max)
{
	static const char special[] = "&<>\"'";
	static const char * const escapes[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"
	};
	char *clean = fm_term_clean(text, max);
	const char *s, *at;

	for (s = clean; *s != '\0'; s++) {
		at = strchr(special, *s);
		if (at != NULL)
			fputs(escapes[at - special], to);
		else
			fputc(*s, to);
	}
	free(clean);
}

const char *
fm_grouped(uint64_t n, char buf[32])
{
	char digits[32], *to = buf;
	int i, len = snprintf(digits, sizeof digits, "%llu",
	    (unsigned long long)n);

	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return (buf);
}

void
fm_put_rule(FILE *to, const struct fm_rule *rule)
{
	char place[FM_PLACE_LEN];

	fm_put_clean(to, fm_text_of(fm_place_print(&rule->at, place)), 0);
	fputs("  ", to);
	fm_put_clean(to, fm_text_of(rule->text), RULE_MOST);
}
