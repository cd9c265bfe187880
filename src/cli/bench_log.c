/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Requests from an access log: the combined format, with the host in the URL
 * (as varnishncsa writes it) or as a word before the rest (as Apache's
 * vhost_combined has it).
 *
 *	[HOST] CLIENT IDENT USER [TIME] "METHOD URL PROTOCOL" STATUS BYTES
 *	    "REFERER" "AGENT"
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cli.h"

struct fm_message *
fm_requests_add(struct fm_requests *requests)
{
	struct fm_message *message = fm_cli_grow(&requests->v, requests->n,
	    &requests->room, sizeof *message);

	requests->n++;
	fm_message_init(message);
	return (message);
}

void
fm_requests_fini(struct fm_requests *requests)
{
	size_t i;

	for (i = 0; i < requests->n; i++)
		fm_message_fini(&requests->v[i]);
	free(requests->v);
	memset(requests, 0, sizeof *requests);
}

/* The next run of what are no blanks; false: there is none. */
static bool
take_word(struct fm_text *rest, struct fm_text *word)
{
	size_t len;

	*rest = fm_text_trim(*rest);
	for (len = 0; len < rest->len; len++)
		if (fm_is_blank(rest->b[len]))
			break;
	*word = fm_text(rest->b, len);
	*rest = fm_text(rest->b + len, rest->len - len);
	return (len > 0);
}

/*
 * What stands between the next quotes; a backslash before a quote makes it a
 * part of the text, in which both stay.
 */
static bool
take_quoted(struct fm_text *rest, struct fm_text *quoted)
{
	size_t start, i;

	for (start = 0; start < rest->len && rest->b[start] != '"'; start++)
		continue;
	for (i = ++start; i < rest->len && rest->b[i] != '"'; i++)
		if (rest->b[i] == '\\')
			i++;
	if (i >= rest->len)
		return (false);
	*quoted = fm_text(rest->b + start, i - start);
	*rest = fm_text(rest->b + i + 1, rest->len - i - 1);
	return (true);
}

/*
 * The words before the time: three, or four of which the first is the host.
 * Its port is as good as in a Host header.
 */
static bool
take_head(struct fm_text head, struct fm_text *host, struct fm_text *client)
{
	struct fm_text words[4];
	unsigned n;

	for (n = 0; n < 4 && take_word(&head, &words[n]); n++)
		if (words[n].b[0] == '[')
			break;
	if (n < 3)
		return (false);
	*host = n == 4 ? words[0] : fm_text(NULL, 0);
	*client = words[n - 3];
	return (true);
}

static void
add_header(struct fm_message *message, const char *name, struct fm_text value)
{
	if (!fm_text_eq(value, fm_text_of("-")) && value.len > 0)
		fm_message_header(message, fm_text_of(name), value);
}

static bool
read_line(struct fm_requests *requests, struct fm_text line)
{
	struct fm_text rest = line, request, method, url, host, client, quoted;
	struct fm_message *message;
	const char *quote;

	quote = memchr(line.b, '"', line.len);
	if (quote == NULL ||
	    !take_head(fm_text_span(line.b, quote), &host, &client) ||
	    !take_quoted(&rest, &request) ||
	    !take_word(&request, &method) || !take_word(&request, &url))
		return (false);
	message = fm_requests_add(requests);
	message->owned_method = fm_cli_copy(method.b, method.len);
	message->method = fm_text(message->owned_method, method.len);
	fm_message_url(message, url, false);
	add_header(message, "Host", host);
	fm_message_host(message);
	if (take_quoted(&rest, &quoted))
		add_header(message, "Referer", quoted);
	if (take_quoted(&rest, &quoted))
		add_header(message, "User-Agent", quoted);
	(void)fm_addr_parse(client, &message->client);
	return (true);
}

int
fm_requests_read(struct fm_requests *requests, const char *path, size_t max,
    size_t *skipped)
{
	size_t room = 0;
	char *line = NULL;
	ssize_t len = 0;
	int error;
	FILE *file;

	*skipped = 0;
	file = fopen(path, "re");
	if (file == NULL)
		return (-1);
	while (requests->n < max && (len = getline(&line, &room, file)) > 0) {
		if (line[len - 1] == '\n')
			len--;
		if (!read_line(requests, fm_text(line, (size_t)len)))
			++*skipped;
	}
	error = ferror(file) ? errno : 0;
	free(line);
	(void)fclose(file);
	errno = error;
	return (error == 0 ? 0 : -1);
}
