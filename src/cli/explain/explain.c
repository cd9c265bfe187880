/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch explain`: makes a request of the options, runs the rules over it
 * with a trace, and shows what happened (explain.h).
 */

#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "compile.h"
#include "explain.h"
#include "json.h"
#include "load.h"
#include "options.h"

static const struct fm_command *command;

struct arguments {
	const char		*file;
	struct fm_shared	shared;
	struct fm_message	message;
};

static int
take_header(struct arguments *a)
{
	const char *wrong = fm_message_line(&a->message, fm_text_of(optarg));

	if (wrong == NULL)
		return (0);
	return (fm_options_usage(command, "-H '%.60s': %s", optarg, wrong));
}

/* Takes --method and --client; returns 0, or the exit status. */
static int
take_options(struct arguments *a)
{
	const char *method = fm_option(FM_OPTION_METHOD);
	const char *client = fm_option(FM_OPTION_CLIENT);

	if (method != NULL)
		a->message.method = fm_text_of(method);
	if (a->message.method.len == 0)
		return (fm_options_usage(command,
		    "--method takes a method, as GET"));
	if (client != NULL && !fm_addr_parse(fm_text_of(client),
	    &a->message.client))
		return (fm_options_usage(command,
		    "--client takes an IP address, not '%s'", client));
	return (0);
}

static int
take_arguments(struct arguments *a, int argc, char **argv)
{
	const char *url, *host;
	bool raw;
	int id, status;

	while ((id = fm_options_shared(command, argc, argv, &a->shared)) !=
	    FM_OPTION_END)
		if (id != FM_OPTION_HEADER || take_header(a) != 0)
			return (FM_EXIT_USAGE);
	url = fm_option(FM_OPTION_URL);
	host = fm_option(FM_OPTION_HOST);
	raw = fm_option(FM_OPTION_RAW) != NULL;
	if (argc - optind == 2 && url == NULL)
		url = argv[--argc];
	status = take_options(a);
	if (status == 0)
		status = fm_options_file(command, argc, argv, &a->file);
	if (status != 0)
		return (status);
	if (url == NULL || *url == '\0')
		return (fm_options_usage(command, "a URL is needed behind the "
		    "file, as http://www.example.com/"));
	fm_message_url(&a->message, fm_text_of(url),
	    raw ? FM_URL_SENT : FM_URL_TYPED);
	if (a->message.no_memory)
		fm_cli_no_memory();
	if (!raw && !a->shared.json && a->message.url.b[0] != '/' &&
	    strcmp(url, "*") != 0)
		fprintf(stderr, "fastmatch explain: a path begins with '/', and"
		    " http://HOST/PATH gives a host: '%s' is taken as it is\n",
		    url);
	if (host != NULL)
		fm_message_header(&a->message, fm_text_of("Host"),
		    fm_text_of(host));
	fm_message_host(&a->message);
	return (0);
}

const char *
fm_explain_backend(const struct fm_explanation *e)
{
	return (!e->result->backend_set ? NULL :
	    fm_program_backend(e->program, e->result->backend, NULL));
}

void
fm_explain(const struct fm_rules *rules, const struct fm_view *view,
    const char *client, const struct fm_term *term, bool brief)
{
	struct fm_explanation e;
	struct fm_record record;
	struct fm_run run;

	fm_record_init(&record);
	e = (struct fm_explanation){ rules->model, rules->program,
	    view, client, &record, NULL };
	e.result = fm_run(&run, rules->program, view, &record.trace);
	if (e.result->no_memory || record.no_memory)
		fm_cli_no_memory();
	fm_record_outline(&record, rules->model);
	if (term == NULL)
		fm_explain_json(&e);
	else
		fm_explain_text(&e, term, brief);
	fm_run_end(&run);
	fm_record_fini(&record);
}

static void
explain(const struct arguments *a, const struct fm_rules *rules)
{
	struct fm_term term;
	struct fm_view view;

	fm_cli_view(&a->message, &view);
	view.esi = fm_option(FM_OPTION_ESI) != NULL;
	fm_term_init(&term, stdout, a->shared.colour);
	fm_explain(rules, &view, fm_option(FM_OPTION_CLIENT),
	    a->shared.json ? NULL : &term, false);
}

int
fm_cli_explain(int argc, char **argv)
{
	struct fm_rules rules;
	struct arguments a;
	int status;

	command = fm_command_of(fm_cli_explain);
	memset(&a, 0, sizeof a);
	fm_message_init(&a.message);
	status = take_arguments(&a, argc, argv);
	if (status == 0) {
		if (fm_rules_open(&rules, a.file, &a.shared.backends,
		    NULL))
			explain(&a, &rules);
		else
			status = fm_rules_complain(&rules, a.shared.json);
		fm_rules_close(&rules);
	}
	fm_message_fini(&a.message);
	free(a.shared.backends.v);
	return (status);
}
