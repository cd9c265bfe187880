/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the bans that forget what the old rules have stored.  The ban lurker
 * tests fields of objects alone (obj.http.*), so that a ban by these is gone
 * soon.  But objects have only the headers that the old rules have stored: if
 * none of them is the host, or none the URL, the ban asks for the request
 * (req.*), and is tested when an object is looked up.
 *
 *	obj.http.X-Host ~ (?i)^(a[.]example)(:|$) && obj.http.X-Url ~ ^/news/
 *	req.http.host ~ (?i)^(a[.]example|b[.]example)(:|$) && req.url ~ ^/b$
 */

#include <ctype.h>

#include "diff.h"

/*
 * Each ban slows the lookups down that it is tested for, and a long one can't
 * be read: with more, one forgets other URLs, and other hosts, too.
 */
#define BANS_MOST	10
#define HOSTS_MOST	100

/* Writes a text as a regex that no shell and no command line reads. */
static void
put_literal(FILE *to, struct fm_text text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (isalnum((unsigned char)text.b[i]) ||
		    strchr("/-_=&%~@,", text.b[i]) != NULL)
			fputc(text.b[i], to);
		else if (text.b[i] == '.' || text.b[i] == '?' ||
		    text.b[i] == '+' || text.b[i] == '*')
			fprintf(to, "[%c]", text.b[i]);
		else
			fputc('.', to);
	}
}

/* The names of the fields that a ban asks for. */
struct fields {
	char			host[300], url[300];
	bool			lurks;		/* they are of the object */
};

static bool
same_prefix(const struct fm_diff_prefix *a, const struct fm_diff_prefix *b)
{
	return (a->whole == b->whole && fm_text_eq(a->text, b->text));
}

static const struct fm_diff_prefix *
prefix_of(const struct fields *fields, const struct fm_diff_forget *forget)
{
	return (fields->lurks ? &forget->old_url : &forget->url);
}

/* Returns true if no host before this one has its prefix. */
static bool
is_first(const struct fm_diff_stored *stored, const struct fields *fields,
    size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (same_prefix(prefix_of(fields, &stored->hosts[i]),
		    prefix_of(fields, &stored->hosts[n])))
			return (false);
	return (true);
}

/* Writes the hosts that have a prefix; NULL: all. */
static void
put_hosts(FILE *to, const struct fm_diff_stored *stored,
    const struct fields *fields, const struct fm_diff_prefix *prefix)
{
	const char *before = "";
	size_t i;

	fprintf(to, "%s ~ (?i)^(", fields->host);
	for (i = 0; i < stored->nhosts; i++) {
		if (prefix != NULL && !same_prefix(prefix_of(fields,
		    &stored->hosts[i]), prefix))
			continue;
		fprintf(to, "%s", before);
		put_literal(to, stored->hosts[i].host);
		before = "|";
	}
	fprintf(to, ")(:|$)");
}

static void
put_url(FILE *to, const struct fields *fields,
    const struct fm_diff_prefix *url)
{
	fprintf(to, "%s ~ ^", fields->url);
	put_literal(to, url->text);
	if (url->whole)
		fprintf(to, "$");
}

/* Returns true if some URLs have not this prefix. */
static bool
selects(const struct fm_diff_prefix *url)
{
	return (url->text.len > 1 || url->whole);
}

/* Writes one ban for all hosts. */
static void
put_one(FILE *to, const struct fm_diff_stored *stored,
    const struct fields *fields)
{
	const struct fm_diff_prefix *all = fields->lurks ? &stored->old_url :
	    &stored->url;
	bool hosts = stored->nhosts <= HOSTS_MOST;

	if (hosts)
		put_hosts(to, stored, fields, NULL);
	if (hosts && selects(all))
		fprintf(to, " && ");
	if (selects(all))
		put_url(to, fields, all);
	else if (!hosts)
		fprintf(to, "obj.status != 0");
	fputc('\n', to);
}

static size_t
count_prefixes(const struct fm_diff_stored *stored,
    const struct fields *fields)
{
	size_t i, n = 0;

	for (i = 0; i < stored->nhosts && i < HOSTS_MOST; i++)
		n += is_first(stored, fields, i);
	return (n);
}

bool
fm_diff_bans(const struct fm_diff_stored *stored, FILE *to)
{
	struct fields fields = { .host = "req.http.host", .url = "req.url",
		.lurks = stored->host_names.n > 0 && stored->url_names.n > 0 };
	const struct fm_diff_prefix *prefix;
	size_t i;

	if (fields.lurks) {
		(void)snprintf(fields.host, sizeof fields.host, "obj.http.%s",
		    stored->host_names.v[0].b);
		(void)snprintf(fields.url, sizeof fields.url, "obj.http.%s",
		    stored->url_names.v[0].b);
	}
	if (stored->nhosts > HOSTS_MOST ||
	    count_prefixes(stored, &fields) > BANS_MOST) {
		put_one(to, stored, &fields);
		return (fields.lurks || (stored->nhosts > HOSTS_MOST &&
		    !selects(&stored->url)));
	}
	for (i = 0; i < stored->nhosts; i++) {
		if (!is_first(stored, &fields, i))
			continue;
		prefix = prefix_of(&fields, &stored->hosts[i]);
		put_hosts(to, stored, &fields, prefix);
		if (selects(prefix)) {
			fprintf(to, " && ");
			put_url(to, &fields, prefix);
		}
		fputc('\n', to);
	}
	return (fields.lurks);
}
