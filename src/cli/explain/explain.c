/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain`: makes a request of the options, has it explained, with
 * the response to it if one is given, and shows that (explain.h).
 */

#include <stdlib.h>

#include "cli.h"
#include "explain.h"
#include "json.h"
#include "load.h"
#include "options.h"

/* Takes the headers, --method and --client; returns 0, or the exit status. */
static int
take_options(struct fm_made_request *made)
{
	const char *method = fm_option(FM_OPTION_METHOD);
	const char *client = fm_option(FM_OPTION_CLIENT), *wrong, **headers;
	size_t i, n;

	headers = fm_option_all(FM_OPTION_HEADER, &n);
	for (i = 0; i < n; i++) {
		wrong = fm_made_line(made, fm_text_of(headers[i]));
		if (wrong != NULL)
			return (fm_options_usage("-H '%.60s': %s", headers[i],
			    wrong));
	}
	if (method != NULL)
		made->method = fm_text_of(method);
	if (made->method.len == 0)
		return (fm_options_usage("--method takes a method, as GET"));
	if (!fm_addr_parse(fm_text_of(client == NULL ? FM_CLI_CLIENT : client),
	    &made->client))
		return (fm_options_usage("--client takes an IP address, not "
		    "'%s'", client));
	return (0);
}

/* Makes the request; returns 0, or the exit status. */
static int
take_arguments(struct fm_made_request *made, int argc, char **argv,
    const char **file)
{
	const char *url = fm_option(FM_OPTION_URL);
	const char *host = fm_option(FM_OPTION_HOST);
	bool raw = fm_option(FM_OPTION_RAW) != NULL;
	int status;

	/* `--response X-A: b` */
	if (argc > 2)
		return (fm_options_usage("a file of rules and a URL, and no "
		    "'%.60s': put a value with a blank into quotes", argv[2]));
	if (argc == 2 && url == NULL)
		url = argv[--argc];
	status = take_options(made);
	if (status == 0)
		status = fm_options_file(argc, argv, file);
	if (status != 0)
		return (status);
	if (url == NULL || *url == '\0')
		return (fm_options_usage("a URL is needed after the file, as "
		    "http://www.example.com/"));
	fm_made_url(made, fm_text_of(url),
	    raw ? FM_URL_SENT : FM_URL_TYPED);
	if (made->no_memory)
		fm_cli_no_memory();
	if (!raw && !fm_given.json && made->url.b[0] != '/' &&
	    strcmp(url, "*") != 0)
		fm_complain("fastmatch explain: a path begins with '/', and"
		    " http://HOST/PATH gives a host: '%s' is taken as it is",
		    url);
	if (!raw && !fm_given.json && strchr(url, '#') != NULL &&
	    !fm_text_has(made->url, "#"))
		fprintf(stderr, "fastmatch explain: the URL is cut at its '#', "
		    "as browsers do: with --raw it is taken as it is\n");
	if (host != NULL)
		fm_made_header(made, fm_text_of("Host"),
		    fm_text_of(host));
	fm_made_host(made);
	return (0);
}

/* Prints an explanation as JSON. */
static void
print_json(const struct fm_explained_request *explained)
{
	struct fm_jsonbuf out = { .bytes = NULL };
	char *text;
	json_t *json;

	fm_explain_json(&out, explained);
	text = fm_jsonbuf_finish(&out);
	json = text == NULL ? NULL : json_loads(text, JSON_ALLOW_NUL, NULL);
	if (json == NULL)
		fm_cli_no_memory();
	free(text);
	fm_json_print(json);
}

void
fm_explain(const struct fm_rules *rules, const struct fm_view *view,
    const char *client, const struct fm_explain_to *to,
    const struct fm_term *term, bool brief)
{
	struct fm_explain_of of = { .program = rules->program,
		.model = rules->model, .view = view, .client = client,
		.to = to };
	struct fm_explained_request *explained = fm_explain_new(&of);

	if (explained == NULL)
		fm_cli_no_memory();
	if (term == NULL)
		print_json(explained);
	else
		fm_explain_text(&explained->explanation, explained->keyed ?
		    &explained->key.explanation : NULL, explained->fetched ?
		    &explained->response : NULL, term, brief);
	fm_explain_free(&explained);
}

static void
explain(const struct fm_explain_logged *logged, const struct fm_rules *rules,
    const struct fm_explain_to *to)
{
	const char *client = fm_option(FM_OPTION_CLIENT);
	struct fm_term term;
	struct fm_view view;

	fm_cli_view(&logged->request, &view);
	if (fm_option(FM_OPTION_ESI) != NULL)
		view.esi = true;
	view.restarts = fm_option_number(FM_OPTION_RESTARTS, logged->restarts);
	fm_term_init(&term, stdout, fm_given.colour);
	fm_explain(rules, &view, client == NULL ? logged->client : client, to,
	    fm_given.json ? NULL : &term, false);
}

/* Takes the request of a log.  Returns 0, or the exit status. */
static int
take_logged(struct fm_explain_logged *logged, int argc, char **argv,
    const char **file)
{
	int status;

	if (argc == 2)
		return (fm_options_usage("the log has the request: leave the "
		    "URL '%.60s' out", argv[1]));
	status = fm_options_file(argc, argv, file);
	return (status != 0 ? status : fm_explain_logged(logged));
}

int
fm_cli_explain(int argc, char **argv)
{
	struct fm_explain_logged logged;
	struct fm_explain_to to;
	struct fm_rules rules;
	const char *file = NULL;
	bool given;
	int status;

	memset(&logged, 0, sizeof logged);
	fm_made_init(&logged.request);
	fm_made_init(&logged.response);
	if (fm_explain_is_logged())
		status = take_logged(&logged, argc, argv, &file);
	else
		status = take_arguments(&logged.request, argc, argv, &file);
	if (status == 0)
		status = fm_explain_take(&logged, &to, &given);
	if (status == 0) {
		if (fm_rules_open(&rules, file, NULL))
			explain(&logged, &rules, given ? &to : NULL);
		else
			status = fm_rules_complain(&rules, fm_given.json);
		fm_rules_close(&rules);
	}
	fm_made_fini(&logged.request);
	fm_made_fini(&logged.response);
	free(logged.client);
	return (status);
}
