/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Requests from a file, as clients send them: a line "METHOD URL PROTOCOL",
 * headers, an empty line.  No bodies; a line may end in CR LF or in LF.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

/* Up to the next blank, which goes too; what is left of the line behind it. */
static struct fm_text
take_word(struct fm_text *line)
{
	struct fm_text word = *line;
	const char *blank;

	blank = line->len == 0 ? NULL : memchr(line->b, ' ', line->len);
	if (blank == NULL) {
		*line = fm_text(line->b + line->len, 0);
		return (word);
	}
	*line = fm_text_span(blank + 1, line->b + line->len);
	return (fm_text_span(word.b, blank));
}

static const char *
read_first(struct fm_message *message, struct fm_text line)
{
	struct fm_text method = take_word(&line), url = take_word(&line);

	if (method.len == 0 || url.len == 0 || line.len == 0)
		return ("a request begins with 'METHOD URL PROTOCOL'");
	message->owned_method = fm_cli_copy(method.b, method.len);
	message->method = fm_text(message->owned_method, method.len);
	fm_message_url(message, url, FM_URL_SENT);
	fm_message_proto(message, line);
	return (NULL);
}

/* Says what is wrong with the first line that is; false then. */
static bool
read_lines(struct fm_requests *requests, const char *path, FILE *file)
{
	struct fm_message *message = NULL;
	const char *wrong = NULL;
	unsigned number = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while (wrong == NULL && (len = getline(&line, &room, file)) > 0) {
		number++;
		while (len > 0 && strchr("\r\n", line[len - 1]) != NULL)
			len--;
		if (len == 0) {
			message = NULL;
		} else if (message != NULL) {
			wrong = fm_message_line(message,
			    fm_text(line, (size_t)len));
		} else {
			message = fm_requests_add(requests);
			wrong = read_first(message,
			    fm_text(line, (size_t)len));
		}
	}
	if (wrong == NULL && !feof(file)) {
		number++;
		wrong = strerror(errno);
	}
	free(line);
	if (wrong != NULL)
		fprintf(stderr, "%s:%u: %s\n", path, number, wrong);
	return (wrong == NULL);
}

bool
fm_requests_http(struct fm_requests *requests, const char *path)
{
	bool fine;
	FILE *file;

	file = fopen(path, "re");
	if (file == NULL) {
		fprintf(stderr, "fastmatch bench: can't read %s: %s\n", path,
		    strerror(errno));
		return (false);
	}
	fine = read_lines(requests, path, file);
	if (fine && ferror(file)) {
		fprintf(stderr, "fastmatch bench: can't read %s: %s\n", path,
		    strerror(errno));
		fine = false;
	} else if (fine && requests->n == 0) {
		fprintf(stderr, "fastmatch bench: %s has no request\n", path);
		fine = false;
	}
	(void)fclose(file);
	return (fine);
}
