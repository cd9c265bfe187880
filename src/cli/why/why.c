/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch why`: reads the options, finds the request in the log, and tells
 * its story (why.h).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "hostname.h"
#include "options.h"
#include "parent.h"
#include "why.h"

/*
 * Takes a URL: http://host/path, host/path or /path, with a query or without.
 * Returns false if it is none.
 */
static bool
take_url(struct fm_why_log *log, const char *url)
{
	struct fm_text rest = fm_text_of(url), host, path, name;
	const char *mark;
	char *buf = fm_cli_alloc(FM_HOSTNAME_MAX);
	size_t i;

	for (i = 0; i < 2; i++) {
		const char *scheme = i == 0 ? "http://" : "https://";

		if (strncasecmp(url, scheme, strlen(scheme)) == 0)
			rest = fm_text_of(url + strlen(scheme));
	}
	for (i = 0; i < rest.len && rest.b[i] != '#'; i++)
		continue;
	rest.len = i;
	for (i = 0; i < rest.len && rest.b[i] != '/' && rest.b[i] != '?'; i++)
		continue;
	host = fm_text(rest.b, i);
	path = i == rest.len ? fm_text_of("/") :
	    fm_text(rest.b + i, rest.len - i);
	if (host.len > 0) {
		if (fm_hostname_canon(host, buf, &name) != FM_HOSTNAME_OK)
			return (false);
		log->host = name;
	}
	mark = memchr(path.b, '?', path.len);
	log->path_only = path;
	if (mark != NULL) {
		log->path_only = mark == path.b ? fm_text_of("/") :
		    fm_text_span(path.b, mark);
		log->query = fm_text_span(mark + 1, path.b + path.len);
	}
	return (rest.len > 0);
}

/* Takes --vxid, which may have the vxid of a client and of a fetch. */
static bool
take_vxid(struct fm_why_log *log, const char *vxid)
{
	char *end;

	if (vxid == NULL)
		return (true);
	log->vxid = strtoull(vxid, &end, 10);
	return (*vxid >= '0' && *vxid <= '9' && *end == '\0' && log->vxid > 0);
}

/* Says that nothing was found, and how far the log goes back. */
static int
nothing(const struct fm_why_log *log, const char *url)
{
	char *clean = fm_term_clean(fm_text_of(url == NULL ? "" : url), 0);

	fprintf(stderr, "fastmatch why: Nothing found: ");
	if (log->first == 0)
		fprintf(stderr, "the log has no request at all");
	else if (log->vxid != 0)
		fprintf(stderr, "no request with vxid %s; the log goes back "
		    "to ", fm_option(FM_OPTION_VXID));
	else
		fprintf(stderr, "no request for %s; the log goes back to ",
		    clean);
	if (log->first != 0)
		fm_why_put_time(stderr, log->first);
	if (log->path == NULL)
		fprintf(stderr, "; ask for the page and try again, or record "
		    "with 'varnishlog -g raw -w FILE', and give --log FILE");
	fprintf(stderr, "\n");
	free(clean);
	return (FM_EXIT_ERRORS);
}

/*
 * Opens the rules of --rules, or else those that lines of the log name, if they
 * can be read.  Returns NULL without rules; *failed: --rules can't be read.
 */
static const struct fm_rules *
open_rules(const struct fm_why_log *log, struct fm_rules *rules, bool *failed)
{
	const char *path = fm_option(FM_OPTION_RULES);

	*failed = false;
	if (path == NULL && (log->rules == NULL ||
	    access(log->rules, R_OK) != 0))
		return (NULL);
	if (path == NULL)
		path = fm_parent_root(log->rules, NULL, NULL);
	if (fm_rules_open(rules, path, NULL))
		return (rules);
	*failed = fm_option(FM_OPTION_RULES) != NULL;
	return (NULL);
}

static int
tell(const struct fm_why_log *log, const struct fm_rules *rules)
{
	static struct fm_why_story story;
	struct fm_term term;

	fm_why_tell(log, rules, &story);
	if (fm_given.json) {
		fm_why_show_json(&story);
	} else {
		fm_term_init(&term, stdout, fm_given.colour);
		fm_why_show(&story, &term);
	}
	if (log->query.b != NULL && !log->same_query)
		fprintf(stderr, "fastmatch why: no request has that query "
		    "string; this is the last one for the path\n");
	return (FM_EXIT_OK);
}

int
fm_cli_why(int argc, char **argv)
{
	static struct fm_why_log log;
	static struct fm_rules rules;
	const struct fm_rules *with;
	bool failed;
	int status;

	log.path = fm_option(FM_OPTION_LOG);
	log.name = fm_option(FM_OPTION_NAME);
	if (!take_vxid(&log, fm_option(FM_OPTION_VXID)))
		return (fm_options_usage("--vxid takes the number of a "
		    "request, as X-Varnish has it, not '%s'",
		    fm_option(FM_OPTION_VXID)));
	if (log.path != NULL && log.name != NULL)
		return (fm_options_usage("--log reads a file, and -n a running "
		    "varnishd: give one of them"));
	if (argc > 1 || (argc == 1) == (log.vxid != 0))
		return (fm_options_usage("a URL is needed, as "
		    "http://www.example.com/page, or --vxid: one of them"));
	if (argc == 1 && !take_url(&log, argv[0]))
		return (fm_options_usage("'%s' is not a URL: write it as "
		    "http://www.example.com/page", argv[0]));
	if (!fm_why_find(&log))
		return (FM_EXIT_ERRORS);
	if (log.wrong != NULL)
		fm_complain("fastmatch why: %s can't be read to its end: %s",
		    log.path != NULL ? log.path : "the log", log.wrong);
	if (log.request == NULL)
		return (nothing(&log, argc == 1 ? argv[0] : NULL));
	with = open_rules(&log, &rules, &failed);
	status = failed ? fm_rules_complain(&rules, fm_given.json) :
	    tell(&log, with);
	if (with != NULL || failed)
		fm_rules_close(&rules);
	return (status);
}
