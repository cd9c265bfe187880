/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a view of a response from one line of text, and a line of text from
 * what the rules made of it:
 *
 *	"404 background | Vary: A | Set-Cookie: a=1"
 *	"abandon ttl 5s | Vary: A | Set-Cookie: a=1"
 *
 * Words after the status are facts of the response; those after the verdict say
 * what the rules have set.  The headers are those that Varnish would have.
 */

#ifndef RESPONDING_H
#define RESPONDING_H

#include "duration.h"
#include "request.h"
#include "run.h"
#include "unit.h"

#define RESPONDING_FIELDS	40
#define RESPONDING_LINE		4000

struct responding {
	struct fm_view		view;
	struct fm_response	response;
	struct fm_field		fields[RESPONDING_FIELDS];
	char			*lines[RESPONDING_FIELDS]; /* exact copies */
};

static inline void
responding_field(struct responding *it, const char *line, size_t len)
{
	unsigned n = it->view.nfields++;

	ck_assert_uint_lt(n, RESPONDING_FIELDS);
	it->lines[n] = malloc(len + 1);
	ck_assert_ptr_nonnull(it->lines[n]);
	memcpy(it->lines[n], line, len);
	it->lines[n][len] = '\0';
	it->fields[n].b = it->lines[n];
	it->fields[n].e = it->lines[n] + len;
}

static inline void
responding_fact(struct fm_response *response, const char *word, size_t len)
{
	static const struct {
		const char	*word;
		unsigned	flag;
	} flags[] = {
		{ "background", FM_FETCH_BACKGROUND },
		{ "again", FM_FETCH_RETRY }, { "passed", FM_FETCH_PASS },
		{ "hit", FM_CACHE_HIT }, { "miss", FM_CACHE_MISS },
		{ "pass", FM_CACHE_PASS }, { "stale", FM_CACHE_STALE },
		{ "own", FM_CACHE_OWN }
	};
	struct fm_text t = fm_text(word, len);
	size_t i;

	for (i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (fm_text_eq(t, fm_text_of(flags[i].word))) {
			response->flags |= flags[i].flag;
			return;
		}
	if (fm_text_eq(t, fm_text_of("uncacheable"))) {
		response->uncacheable = true;
	} else if (fm_text_eq(t, fm_text_of("final"))) {
		response->can_retry = false;
	} else if (fm_text_begins(t, "max-age=")) {
		response->from = FM_LIFETIME_KNOWN;
		response->ttl = strtod(word + 8, NULL);
	} else if (fm_text_begins(t, "retries=")) {
		response->retries = (unsigned)strtoul(word + 8, NULL, 10);
	} else if (fm_text_begins(t, "hits=")) {
		response->hits = strtoul(word + 5, NULL, 10);
	} else if (fm_text_begins(t, "age=")) {
		response->age = strtod(word + 4, NULL);
	} else if (fm_text_eq(t, fm_text_of("none"))) {
		response->from = FM_LIFETIME_NONE;
		response->ttl = -1;
	} else {
		ck_abort_msg("'%.*s' is not a fact", (int)len, word);
	}
}

/* Adds the headers of a message, which are separated by ` | `. */
static inline void
responding_fields(struct responding *it, const char *text)
{
	const char *end;

	for (; text != NULL; text = end == NULL ? NULL : end + 3) {
		end = strstr(text, " | ");
		responding_field(it, text, end == NULL ? strlen(text) :
		    (size_t)(end - text));
	}
}

/* The request has a Host, and the headers in `request`, which may be NULL. */
static inline void
responding_init(struct responding *it, const char *host, const char *url,
    const char *request, const char *response)
{
	const char *lines = strstr(response, " | "), *word, *end;
	char line[300];

	memset(it, 0, sizeof *it);
	it->view.fields = it->fields;
	it->view.response = &it->response;
	it->view.method = fm_text_of("GET");
	it->view.url = fm_text_of(url);
	it->response = (struct fm_response){ .status = (unsigned)strtoul(
	    response, NULL, 10), .from = FM_LIFETIME_DEFAULT, .ttl = 120,
	    .grace = 10, .can_retry = true, .uncacheable_ttl = 99 };
	end = lines == NULL ? response + strlen(response) : lines;
	for (word = response + 3; word < end; word += strcspn(word, " ")) {
		word++;
		responding_fact(&it->response, word, strcspn(word, " "));
	}
	if (lines != NULL)
		responding_fields(it, lines + 3);
	(void)snprintf(line, sizeof line, "Host: %s", host);
	it->view.nrequest = it->view.nfields;
	responding_field(it, line, strlen(line));
	responding_fields(it, request);
	it->view.nrequest = it->view.nfields - it->view.nrequest;
}

static inline void
responding_fini(struct responding *it)
{
	unsigned i;

	for (i = 0; i < it->view.nfields; i++)
		free(it->lines[i]);
}

/* Returns the slot of a field that has one, or NULL. */
static inline const struct fm_request_slot *
responding_slot(const struct fm_edits *edits, unsigned field)
{
	uint32_t n = fm_request_slot_of(edits->program,
	    &edits->view->fields[field]);

	return (n == FM_NONE ? NULL : &edits->slots[n]);
}

/* Writes the headers of the message as the edits leave them. */
static inline void
responding_headers(FILE *to, const struct fm_edits *edits)
{
	unsigned count = edits->view->nfields - edits->view->nrequest, i;
	const struct fm_request_slot *slot;
	const struct fm_field *field;
	struct fm_text name;

	for (i = 0; i < count; i++) {
		field = &edits->view->fields[i];
		if (edits->gone.rules != NULL && i >= edits->gone.from &&
		    i < edits->gone.to && edits->gone.rules[i] != 0)
			continue;
		slot = responding_slot(edits, i);
		if (slot == NULL || !slot->differs)
			(void)fprintf(to, " | %.*s",
			    (int)(field->e - field->b), field->b);
		else if (slot->present && slot->first == i &&
		    slot->value.b != NULL)
			(void)fprintf(to, " | %.*s: %.*s",
			    (int)edits->program->slots[slot -
			    edits->slots].name.len, field->b,
			    (int)slot->value.len, slot->value.b);
	}
	for (i = 0; i < edits->nadded; i++) {
		slot = &edits->slots[edits->added[i]];
		name = edits->program->slots[edits->added[i]].name;
		if (slot->value.b != NULL)
			(void)fprintf(to, " | %.*s: %.*s", (int)name.len,
			    name.b, (int)slot->value.len, slot->value.b);
	}
}

/*
 * Fails unless the numbers that the module relies on are those of the edits:
 * how many fields go, and how many lines are written.
 */
static inline void
responding_sound(const struct fm_edits *edits)
{
	unsigned count = edits->view->nfields - edits->view->nrequest, i;
	unsigned gone = 0, n;
	const struct fm_request_slot *slot;
	size_t lines = 0;

	for (i = 0; i < count; i++) {
		slot = responding_slot(edits, i);
		if (edits->gone.rules != NULL && i >= edits->gone.from &&
		    i < edits->gone.to && edits->gone.rules[i] != 0)
			gone++;
		else if (slot != NULL && slot->differs &&
		    (!slot->present || slot->first != i ||
		    slot->value.b == NULL))
			gone++;
	}
	ck_assert_uint_eq(edits->nremoved, gone);
	for (i = 0; i < edits->npresent + edits->nadded; i++) {
		n = i < edits->npresent ? edits->present[i] :
		    edits->added[i - edits->npresent];
		slot = &edits->slots[n];
		ck_assert(slot->differs);
		ck_assert(!edits->program->slots[n].request);
		if (slot->value.b != NULL)
			lines += edits->program->slots[n].name.len + 2 +
			    slot->value.len + 1;
	}
	ck_assert_uint_eq(edits->lines, lines);
}

/* Writes what became of a response.  Returns buf. */
static inline const char *
responding_print(const struct fm_result *result, char buf[RESPONDING_LINE])
{
	FILE *to = fmemopen(buf, RESPONDING_LINE, "w");
	const struct fm_response *is = result->response;
	const char *verdict = fm_verdict_word(result->verdict);
	char line[FM_DURATION_PRINT];

	ck_assert_ptr_nonnull(to);
	ck_assert(!result->no_memory);
	(void)fprintf(to, "%s", verdict == NULL ? "on" : verdict);
	if (result->status != 0)
		(void)fprintf(to, " %u", result->status);
	if (result->verdict == FM_VERDICT_REFUSE) {
		(void)fclose(to);
		return (buf);
	}
	responding_sound(&result->edits);
	if (is->uncacheable)
		(void)fprintf(to, " uncacheable");
	if (is->ttl_set)
		(void)fprintf(to, " ttl %s",
		    fm_duration_print(is->ttl, line));
	if (is->grace_set)
		(void)fprintf(to, " grace %s",
		    fm_duration_print(is->grace, line));
	if (is->keep_set)
		(void)fprintf(to, " keep %s",
		    fm_duration_print(is->keep, line));
	(void)fprintf(to, "%s%s%s", is->esi ? " esi" : "",
	    is->gzip ? " gzip" : "", is->gunzip ? " gunzip" : "");
	responding_headers(to, &result->edits);
	(void)fclose(to);
	return (buf);
}

static inline int
responding_compare(const void *a, const void *b)
{
	return (strcmp(*(char * const *)a, *(char * const *)b));
}

/* Writes a header in one form: its name's case and blanks don't count. */
static inline void
responding_plain(char *header)
{
	char *colon = strchr(header, ':'), *p;
	size_t len, blanks;

	ck_assert_ptr_nonnull(colon);
	for (p = header; p < colon; p++)
		*p = (char)fm_lower((unsigned char)*p);
	blanks = strspn(colon + 1, " ");
	memmove(colon + 1, colon + 1 + blanks, strlen(colon + 1 + blanks) + 1);
	for (len = strlen(header); header[len - 1] == ' '; len--)
		header[len - 1] = '\0';
}

/* Sorts the headers of a line that responding_print() has written. */
static inline const char *
responding_sorted(const char *line, char to[RESPONDING_LINE])
{
	char *copy = strdup(line), *parts[RESPONDING_FIELDS], *p, *end = to;
	size_t n = 0, i;

	ck_assert_ptr_nonnull(copy);
	for (p = copy; p != NULL; p = end) {
		ck_assert_uint_lt(n, RESPONDING_FIELDS);
		parts[n++] = p;
		end = strstr(p, " | ");
		if (end == NULL)
			break;
		*end = '\0';
		end += 3;
	}
	for (i = 1; i < n; i++)
		responding_plain(parts[i]);
	qsort(parts + 1, n - 1, sizeof *parts, responding_compare);
	end = to + sprintf(to, "%s", parts[0]);
	for (i = 1; i < n; i++)
		end += sprintf(end, " | %s", parts[i]);
	free(copy);
	return (to);
}

#endif
