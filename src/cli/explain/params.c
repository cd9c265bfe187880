/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes the response that the options give (--status, --response), and the
 * parameters of varnishd (--param, --params).
 */

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "explain.h"
#include "file.h"
#include "options.h"

#define PARAMS_MAX	(1UL << 20)	/* bytes: param.show prints 20 KB */
#define HEAD_MAX	(1UL << 20)	/* bytes of a response that are read */

static const struct {
	const char		*name;
	size_t			at;
} params[] = {
#define P(name)	{ #name, offsetof(struct fm_respond_params, name) },
	P(default_ttl) P(default_grace) P(default_keep) P(clock_skew)
	P(uncacheable_ttl) P(max_retries)
#undef P
};
#define PARAMS		(sizeof params / sizeof params[0])
#define PARAMS_NAMED	"default_ttl, default_grace, default_keep, "	\
			"clock_skew, uncacheable_ttl and max_retries"

/*--------------------------------------------------------------------
 * Parameters
 */

/* Sets a parameter: "120", "120.000", "2m".  Returns false if it can't. */
static bool
param_set(struct fm_respond_params *to, size_t i, struct fm_text value)
{
	double *param = (double *)(void *)((char *)to + params[i].at);
	char *copy, *end;
	bool ok;

	if (fm_duration_parse(value, param) == FM_DURATION_OK)
		return (true);
	copy = fm_cli_copy(value.b, value.len);
	*param = strtod(copy, &end);
	ok = value.len > 0 && *end == '\0' && *param >= 0 && *param < 1e10;
	free(copy);
	return (ok);
}

static size_t
param_named(struct fm_text name)
{
	size_t i;

	for (i = 0; i < PARAMS; i++)
		if (fm_text_eq(name, fm_text_of(params[i].name)))
			break;
	return (i);
}

/* Cuts the next word off a line. */
static struct fm_text
cut_word(struct fm_text *line)
{
	struct fm_text word = *line;

	while (word.len > 0 && (*word.b == ' ' || *word.b == '\t'))
		word = fm_text(word.b + 1, word.len - 1);
	*line = word;
	word.len = 0;
	while (word.len < line->len && line->b[word.len] != ' ' &&
	    line->b[word.len] != '\t')
		word.len++;
	*line = fm_text(line->b + word.len, line->len - word.len);
	return (word);
}

/*
 * Reads what `varnishadm param.show` prints, for all parameters or for one of
 * them; returns 0, or the exit status.
 *
 *	default_ttl                   120.000 [seconds] (default)
 *
 *	default_ttl
 *	        Value is: 120.000 [seconds] (default)
 */
static int
params_read(struct fm_respond_params *to, const char *path)
{
	struct fm_diag *diag = fm_cli_diag();
	struct fm_file *file = fm_cli_read(path, PARAMS_MAX, diag);
	struct fm_text rest, line, word, value;
	size_t i, alone = PARAMS;	/* the name in the line before */
	unsigned n = 0;

	fm_cli_say(diag, false, path, fm_text(NULL, 0), stderr);
	fm_diag_free(&diag);
	if (file == NULL)
		return (FM_EXIT_ERRORS);
	rest = fm_text(file->bytes, file->len);
	while (fm_cut_line(&rest, &line)) {
		word = cut_word(&line);
		value = cut_word(&line);
		i = param_named(word);
		if (alone < PARAMS && fm_text_eq(word,
		    fm_text_of("Value"))) {
			i = alone;
			value = cut_word(&line);
		}
		alone = value.len == 0 ? i : PARAMS;
		if (i < PARAMS && value.len > 0 && param_set(to, i, value))
			n++;
	}
	fm_file_free(&file);
	return (n > 0 ? 0 : fm_options_usage("--params takes what 'varnishadm "
	    "param.show' prints; %s has no default_ttl, say", path));
}

static int
params_take(struct fm_respond_params *to,
    const struct fm_explain_logged *logged)
{
	const char *path = fm_option(FM_OPTION_PARAMS), **given, *equals;
	size_t i, n, k;
	int status;

	*to = fm_respond_usual;
	/* If no header has decided, that is what the parameters were. */
	if (logged->has_ttl && logged->ttl >= 0)
		to->default_ttl = logged->ttl;
	if (logged->has_ttl) {
		to->default_grace = logged->grace;
		to->default_keep = logged->keep;
	}
	status = path == NULL ? 0 : params_read(to, path);
	given = fm_option_all(FM_OPTION_PARAM, &n);
	for (i = 0; i < n && status == 0; i++) {
		equals = strchrnul(given[i], '=');
		k = param_named(fm_text_span(given[i], equals));
		if (k == PARAMS)
			status = fm_options_usage("--param '%.60s': the "
			    "parameters that count are " PARAMS_NAMED,
			    given[i]);
		else if (*equals == '\0' ||
		    !param_set(to, k, fm_text_of(equals + 1)))
			status = fm_options_usage("--param '%.60s': write "
			    "%s=SECONDS", given[i], params[k].name);
	}
	return (status);
}

/*--------------------------------------------------------------------
 * The response
 */

/* Reads the status of a line "HTTP/1.1 200 OK"; returns 0 for others. */
static unsigned
status_of(struct fm_text line)
{
	struct fm_text word = cut_word(&line);
	unsigned status = 0;
	size_t i;

	if (!fm_text_begins(word, "HTTP/"))
		return (0);
	word = cut_word(&line);
	for (i = 0; i < word.len; i++) {
		if (word.b[i] < '0' || word.b[i] > '9')
			return (0);
		status = status * 10 + (unsigned)(word.b[i] - '0');
	}
	return (word.len == 3 ? status : 0);
}

/* Cuts the next line off, without blanks and a CR at its end. */
static bool
cut_head_line(struct fm_text *rest, struct fm_text *line)
{
	if (!fm_cut_line(rest, line))
		return (false);
	while (line->len > 0 && (fm_is_blank(line->b[line->len - 1]) ||
	    line->b[line->len - 1] == '\r'))
		line->len--;
	return (true);
}

/*
 * Cuts a header off, with the lines that go on with it: such a line begins with
 * a blank, and takes the place of one.  Returns false at the empty line.
 */
static bool
cut_header(struct fm_text *rest, char **header)
{
	struct fm_text line, after;
	char *more;

	*header = NULL;
	if (!cut_head_line(rest, &line) || line.len == 0)
		return (false);
	*header = fm_cli_copy(line.b, line.len);
	for (after = *rest; cut_head_line(&after, &line) && line.len > 0 &&
	    fm_is_blank(*line.b); *rest = after) {
		line = fm_text_trim(line);
		if (asprintf(&more, "%s %.*s", *header, (int)line.len,
		    line.b) < 0)
			fm_cli_no_memory();
		free(*header);
		*header = more;
	}
	return (true);
}

/* Complains about what --response - has read.  Returns the exit status. */
static int
input_wrong(const char *line, const char *wrong)
{
	return (fm_options_usage("--response -: that is not what 'curl -si' "
	    "prints: %s%.60s%s%s", *line == '\0' ? "" : "'", line,
	    *line == '\0' ? "" : "': ", wrong));
}

/*
 * Reads what `curl -si` prints: a status line, headers, and after an empty line
 * the body, which does not count.  Where another status line comes in its
 * place, the last head counts: after a 100, that of a proxy, or a redirect that
 * curl has followed (-L).  Returns 0, or the exit status.
 */
static int
head_read(struct fm_made_request *made, struct fm_text rest, unsigned *status)
{
	struct fm_text line, after = rest;
	const char *wrong;
	unsigned next;
	char *header;
	int failed = 0;

	*status = cut_head_line(&after, &line) ? status_of(line) : 0;
	for (next = *status; next != 0 && failed == 0;
	    next = cut_head_line(&after, &line) ? status_of(line) : 0) {
		*status = next;
		rest = after;
		made->nfields = 0;
		while (failed == 0 && cut_header(&rest, &header)) {
			wrong = fm_made_line(made, fm_text_of(header));
			if (wrong != NULL)
				failed = input_wrong(header, wrong);
			free(header);
		}
		after = rest;
	}
	return (failed != 0 || *status >= 200 ? failed :
	    input_wrong("", "no status line, as 'HTTP/1.1 200 OK'"));
}

/* Reads the standard input; returns 0, or the exit status. */
static int
input_take(struct fm_made_request *made, unsigned *status)
{
	char *head = fm_cli_alloc(HEAD_MAX);
	size_t len = fread(head, 1, HEAD_MAX, stdin);
	int failed = head_read(made, fm_text(head, len), status);

	free(head);
	return (failed);
}

/* Takes the headers of --response; returns 0, or the exit status. */
static int
headers_take(struct fm_made_request *made, unsigned *status)
{
	const char *params_from = fm_option(FM_OPTION_PARAMS);
	const char **headers, *wrong;
	bool from_input = params_from != NULL && strcmp(params_from, "-") == 0;
	size_t i, n;
	int failed;

	headers = fm_option_all(FM_OPTION_RESPONSE, &n);
	for (i = 0; i < n; i++) {
		if (strcmp(headers[i], "-") != 0)
			continue;
		if (from_input)
			return (fm_options_usage("the standard input can be "
			    "read once: give - to one option"));
		failed = input_take(made, status);
		if (failed != 0)
			return (failed);
		from_input = true;
	}
	for (i = 0; i < n; i++) {
		if (strcmp(headers[i], "-") == 0)
			continue;
		wrong = fm_made_line(made, fm_text_of(headers[i]));
		if (wrong != NULL)
			return (fm_options_usage("--response '%.60s': %s",
			    headers[i], wrong));
	}
	return (0);
}

/* Takes the time of --at: seconds since 1970, or a date. */
static int
at_take(double *now, const struct fm_explain_logged *logged)
{
	const char *at = fm_option(FM_OPTION_AT);
	char *end;

	*now = logged->now > 0 ? logged->now : (double)time(NULL);
	if (at == NULL || fm_http_date(fm_text_of(at), now))
		return (0);
	*now = strtod(at, &end);
	return (end > at && *end == '\0' && *now > 0 && *now < 1e12 ? 0 :
	    fm_options_usage("--at takes a date of HTTP, as 'Sun, 06 Nov 1994 "
	    "08:49:37 GMT', or seconds since 1970, not '%s'", at));
}

/* Fills in the response. */
static void
to_fill(struct fm_explain_to *to, struct fm_explain_logged *logged,
    unsigned code)
{
	struct fm_made_request *made = &logged->response;

	if (made->no_memory)
		fm_cli_no_memory();
	to->to.status = code;
	to->to.fields = made->fields;
	to->to.nfields = (unsigned)made->nfields;
	to->to.flags = fm_option(FM_OPTION_BACKGROUND) != NULL ?
	    FM_FETCH_BACKGROUND : logged->flags;
	if (logged->nfresh == 0)
		return;
	to->fresh = to->to;
	to->fresh.status = 304;
	to->fresh.nfields = (unsigned)logged->nfresh;
	to->to.fresh = &to->fresh;
}

int
fm_explain_take(struct fm_explain_logged *logged, struct fm_explain_to *to,
    bool *given)
{
	static const int alone[] = { FM_OPTION_AT, FM_OPTION_BACKGROUND,
	    FM_OPTION_PARAM, FM_OPTION_PARAMS };
	bool is_logged = fm_explain_is_logged();
	unsigned code = is_logged ? logged->status : 200;
	int status = 0;
	size_t i;

	memset(to, 0, sizeof *to);
	*given = fm_option(FM_OPTION_RESPONSE) != NULL ||
	    fm_option(FM_OPTION_STATUS) != NULL || logged->status != 0;
	for (i = 0; i < sizeof alone / sizeof alone[0]; i++)
		if (!*given && fm_option(alone[i]) != NULL)
			return (is_logged ?
			    fm_options_usage("--at, --param and --params are "
			    "about a response, and the log has none to this "
			    "request") :
			    fm_options_usage("--at, --background, --param "
			    "and --params go with --status or --response"));
	if (*given && !is_logged)
		status = headers_take(&logged->response, &code);
	if (status == 0)
		status = params_take(&to->params, logged);
	if (status == 0)
		status = at_take(&to->to.now, logged);
	code = fm_option_number(FM_OPTION_STATUS, code);
	if (status == 0 && *given && code < 100)
		status = fm_options_usage("--status takes a status of three "
		    "digits, as 200");
	to_fill(to, logged, code);
	return (status);
}
