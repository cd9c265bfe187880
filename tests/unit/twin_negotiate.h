/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of negotiation (Accept and the like): splits the whole
 * header into arrays of strings first.
 */

#ifndef TWIN_NEGOTIATE_H
#define TWIN_NEGOTIATE_H

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* The headers of the tests have fewer bytes, and so fewer members. */
#define TWIN_LEN	256
#define TWIN_MANY	256

struct twin_member {
	char	what[TWIN_LEN];
	char	params[TWIN_MANY][TWIN_LEN];
	int	nparams;
	int	weight;			/* -1: the member doesn't count */
};

/* Splits at separators outside of quotes, trims parts, drops empty ones. */
static inline int
twin_split(const char *s, char separator, bool holes,
    char parts[TWIN_MANY][TWIN_LEN])
{
	struct fm_text t;
	bool quoted = false;
	char part[TWIN_LEN];
	size_t len = 0;
	int n = 0;

	for (;; s++) {
		if (*s == '\0' || (*s == separator && !quoted)) {
			t = fm_text_trim(fm_text(part, len));
			memcpy(parts[n], t.b, t.len);
			parts[n][t.len] = '\0';
			n += holes || t.len > 0;
			len = 0;
			if (*s == '\0')
				return (n);
			continue;
		}
		if (*s == '"')
			quoted = !quoted;
		part[len++] = *s;
		if (quoted && *s == '\\' && s[1] != '\0')
			part[len++] = *++s;
	}
}

static inline int
twin_weight(const char *s)
{
	size_t whole = strspn(s, "0123456789"), point, part;
	char digits[4] = "000";

	point = s[whole] == '.';
	part = strspn(s + whole + point, "0123456789");
	if (s[whole + point + part] != '\0' || whole + part == 0)
		return (-1);
	if (strspn(s, "0") < whole)
		return (1000);
	if (point)
		memcpy(digits, s + whole + 1, part < 3 ? part : 3);
	return (atoi(digits));
}

/* A parameter in the one form in which equal ones are the same string. */
static inline void
twin_normal(char *param)
{
	char *value = strchr(param, '='), *to = param, *from, *end;
	bool quoted;

	end = param + strlen(param);
	value = value == NULL ? end : value + 1;
	quoted = end - value > 1 && value[0] == '"' && end[-1] == '"';
	for (from = param; from < end; from++) {
		if (quoted && (from == value || from == end - 1))
			continue;
		if (quoted && from > value && *from == '\\' &&
		    from < end - 2)
			from++;
		*to++ = (char)fm_lower((unsigned char)*from);
	}
	*to = '\0';
}

/* "q=", and also what is too badly written to be one: "q", "q =". */
static inline bool
twin_is_weight(const char *param)
{
	if (fm_lower((unsigned char)*param) != 'q')
		return (false);
	param += 1 + strspn(param + 1, " \t");
	return (*param == '=' || *param == '\0');
}

static inline void
twin_parse(const char *s, bool header, struct twin_member *m)
{
	static char parts[TWIN_MANY][TWIN_LEN];
	int i, n = twin_split(s, ';', true, parts);

	m->nparams = 0;
	strcpy(m->what, parts[0]);
	m->weight = m->what[0] == '\0' && header ? -1 : 1000;
	for (i = 1; i < n; i++) {
		if (header && twin_is_weight(parts[i])) {
			if (m->weight >= 0)
				m->weight = parts[i][1] == '=' ?
				    twin_weight(parts[i] + 2) : -1;
			return;
		}
		if (parts[i][0] == '\0')
			continue;
		twin_normal(parts[i]);
		if (strchr(parts[i], '=') == NULL)
			strcat(parts[i], "=");
		strcpy(m->params[m->nparams++], parts[i]);
	}
}

static inline void
twin_lower(char *s, bool token)
{
	size_t i;

	for (i = 0; s[i] != '\0'; i++)
		s[i] = (char)fm_lower((unsigned char)s[i]);
	if (token && strcmp(s, "x-gzip") == 0)
		strcpy(s, "gzip");
	if (token && strcmp(s, "x-compress") == 0)
		strcpy(s, "compress");
}

/* Returns how specific a member is for an offer; 0: it doesn't fit. */
static inline int
twin_fit(const struct twin_member *m, const struct twin_member *offer)
{
	bool media = strchr(offer->what, '/') != NULL;
	char range[TWIN_LEN], what[TWIN_LEN];
	size_t len, what_len;
	int i, j;

	twin_lower(strcpy(range, m->what), !media);
	twin_lower(strcpy(what, offer->what), !media);
	len = strlen(range);
	what_len = strlen(what);
	for (i = 0; i < m->nparams && media; i++) {
		for (j = 0; j < offer->nparams; j++)
			if (strcmp(m->params[i], offer->params[j]) == 0)
				break;
		if (j == offer->nparams)
			return (0);
	}
	if (strcmp(range, what) == 0 && strcmp(range, "*") != 0 &&
	    strcmp(range, "*/*") != 0)
		return (400000 + (media ? m->nparams : 0));
	if (strcmp(range, "*") == 0 || (media && !strcmp(range, "*/*")))
		return (100000 + (media ? m->nparams : 0));
	if (media)
		return (len > 2 && strcmp(range + len - 2, "/*") == 0 &&
		    what_len > len - 1 &&
		    strncmp(range, what, len - 1) == 0 ?
		    300000 + m->nparams : 0);
	if (what_len > len && strncmp(range, what, len) == 0 &&
	    what[len] == '-')
		return (300000 + (int)len);
	if (len > what_len && m->weight > 0 &&
	    strncmp(range, what, what_len) == 0 && range[what_len] == '-')
		return (200000 + m->weight);
	return (0);
}

static inline const char *
twin_negotiate(const char *header, const char offers[][TWIN_LEN], int noffers)
{
	static char parts[TWIN_MANY][TWIN_LEN];
	static struct twin_member members[TWIN_MANY];
	static struct twin_member offer;
	const char *win = NULL, *spare = NULL;
	int i, j, n, fit, best, weight, most = 0;

	n = twin_split(header, ',', false, parts);
	for (i = 0; i < n; i++)
		twin_parse(parts[i], true, &members[i]);
	for (j = 0; j < noffers; j++) {
		twin_parse(offers[j], false, &offer);
		best = weight = 0;
		for (i = 0; i < n; i++) {
			fit = members[i].weight < 0 ? 0 :
			    twin_fit(&members[i], &offer);
			if (fit > best) {
				best = fit;
				weight = members[i].weight;
			}
		}
		twin_lower(offer.what, true);
		if (best == 0 && strcmp(offer.what, "identity") == 0 &&
		    spare == NULL)
			spare = offers[j];
		if (weight > most) {
			most = weight;
			win = offers[j];
		}
	}
	return (win != NULL ? win : spare);
}

#endif
