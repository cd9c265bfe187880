/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch lists --acl`: prints a list of networks as an acl of VCL, so that
 * rules and VCL have one source.
 *
 *	# fastmatch lists --acl office.list
 *	acl office {
 *		"192.0.2.0"/24;
 *		"2001:db8::1";
 *	}
 *
 * The list is read as one that a rule file names.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cli.h"
#include "load.h"
#include "parse.h"
#include "term.h"

/*
 * Returns the rules that name the list: by its path, or of one that comes with
 * fastmatch by its name, which has neither slash nor dot.
 */
static char *
rules_text(const char *list)
{
	char *text = fm_cli_alloc(2 * strlen(list) + 40), *to = text;

	to += sprintf(to, strpbrk(list, "/.") != NULL ? "list l in from \"" :
	    "list l from shipped \"");
	for (; *list != '\0'; list++) {
		if (*list == '"' || *list == '\\')
			*to++ = '\\';
		*to++ = *list;
	}
	(void)sprintf(to, "\";");
	return (text);
}

/*
 * Prints the end of the path, up to its first dot, as a name of VCL: that
 * begins with a letter, and has letters, digits, - and _.
 */
static void
put_name(const char *list)
{
	const char *slash = strrchr(list, '/');
	const char *name = slash == NULL ? list : slash + 1;

	if (!isalpha((unsigned char)*name))
		fputs("acl_", stdout);
	for (; *name != '\0' && *name != '.'; name++)
		putchar(isalnum((unsigned char)*name) || *name == '-' ? *name :
		    '_');
}

static void
put_network(const struct fm_network *network)
{
	struct fm_addr addr = { .len = network->len };
	char text[FM_ADDR_PRINT];
	unsigned i;

	for (i = 0; i < addr.len; i++)
		addr.b[i] = (uint8_t)((i < 8 ? network->first.hi :
		    network->first.lo) >> (56 - i % 8 * 8));
	(void)fm_addr_print(&addr, text);
	printf("\t\"%s\"", text);
	if (network->bits < 8 * addr.len)
		printf("/%u", network->bits);
	puts(";");
}

static void
put_acl(const char *list, const struct fm_nets *nets)
{
	size_t i;

	fputs("# fastmatch lists --acl ", stdout);
	fm_put_clean(stdout, fm_text_of(list), 0);
	fputs("\nacl ", stdout);
	put_name(list);
	puts(" {");
	for (i = 0; i < nets->n; i++)
		if (i == 0 || fm_network_compare(&nets->items[i - 1].network,
		    &nets->items[i].network) != 0)
			put_network(&nets->items[i].network);
	puts("}");
}

int
fm_lists_acl(const char *list)
{
	struct fm_diag *diag = fm_cli_diag();
	char *text = rules_text(list);
	int status = FM_EXIT_ERRORS;
	struct fm_sources *sources = fm_sources_new(false);
	struct fm_model *model = NULL;

	if (sources != NULL)
		model = fm_parse_text("fastmatch lists --acl",
		    fm_text_of(text), sources, NULL, diag);
	if (model == NULL)
		fm_cli_no_memory();
	if (!fm_check(model, NULL, diag)) {
		fm_cli_say(diag, false, list, fm_text(NULL, 0), stderr);
	} else if (!model->lists->in || model->lists->nets.n == 0) {
		fm_complain("fastmatch lists: '%s' is not a list of networks",
		    list);
	} else {
		put_acl(list, &model->lists->nets);
		status = FM_EXIT_OK;
	}
	fm_model_free(&model);
	fm_sources_free(&sources);
	fm_diag_free(&diag);
	free(text);
	return (status);
}
