/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fastmatch import: rules from VCL.
 */

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "excerpt.h"
#include "import.h"
#include "prove.h"
#include "options.h"

/* Requests are made before they are sent: memory bounds them. */
#define PROVE_MAX	10000000

static const struct fm_command *command;

struct arguments {
	const char		*vcl;		/* what is imported */
	const char		*rules;		/* NULL: stdout */
	const char		*rest;		/* NULL: stdout */
	struct fm_prove		prove;
	bool			well_formed;
	bool			force;		/* files that exist may go */
	bool			quiet;
};

/*--------------------------------------------------------------------
 * What all parts of the import use
 */

void *
fm_import_alloc(struct fm_import *im, size_t bytes)
{
	void *p = fm_arena_alloc(&im->arena, bytes == 0 ? 1 : bytes);

	if (p == NULL)
		fm_cli_no_memory();
	return (p);
}

const char *
fm_import_printf(struct fm_import *im, const char *fmt, ...)
{
	const char *copy;
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		fm_cli_no_memory();
	copy = fm_arena_add(&im->arena, fm_text(text, (size_t)len));
	if (copy == NULL)
		fm_cli_no_memory();
	free(text);
	return (copy);
}

FILE *
fm_import_memory(char **text, size_t *len)
{
	FILE *to = open_memstream(text, len);

	if (to == NULL)
		fm_cli_no_memory();
	return (to);
}

bool
fm_import_refuse(struct fm_import *im, const struct fm_place *at,
    const char *fmt, ...)
{
	char why[400];
	va_list ap;
	char *p;

	if (im->why != NULL)
		return (false);
	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	/* It will be a comment of one line. */
	for (p = why; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	im->why = fm_import_printf(im, "%s", why);
	memset(&im->why_at, 0, sizeof im->why_at);
	if (at != NULL)
		im->why_at = *at;
	return (false);
}

void
fm_import_note(struct fm_import *im, enum fm_import_note note, const char *fmt,
    ...)
{
	char tells[200];
	va_list ap;

	im->notes |= (unsigned)note;
	if (im->tells != NULL)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(tells, sizeof tells, fmt, ap);
	va_end(ap);
	im->tells = fm_import_printf(im, "%s", tells);
}

/*--------------------------------------------------------------------
 * Names of files and objects
 */

/* VCL is loaded by a varnishd that works elsewhere. */
static const char *
absolute(struct fm_import *im, const char *path)
{
	const char *absolute_path;
	char *cwd;

	if (*path == '/')
		return (path);
	cwd = getcwd(NULL, 0);
	if (cwd == NULL)
		return (path);
	absolute_path = fm_import_printf(im, "%s/%s", cwd, path);
	free(cwd);
	return (absolute_path);
}

static bool
is_taken(const struct fm_import *im, const char *name)
{
	struct fm_text text;
	size_t i, len = strlen(name);

	for (i = 0; i < im->ntokens; i++) {
		text = im->tokens[i].text;
		if (im->tokens[i].kind == FM_VCL_NAME && text.len >= len &&
		    memcmp(text.b, name, len) == 0 &&
		    (text.len == len || text.b[len] == '.'))
			return (true);
	}
	return (false);
}

/* Names that VCL has for itself, or that the objects behind it have. */
static bool
is_reserved(const struct fm_import *im, const char *name)
{
	static const char * const words[] = {
		"default", "fastmatch", "now"
	};
	struct fm_text text;
	size_t i, len = strlen(name);

	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(name, words[i]) == 0)
			return (true);
	for (i = 0; i < im->ntokens; i++) {
		text = im->tokens[i].text;
		if (im->tokens[i].kind == FM_VCL_NAME && text.len > len + 1 &&
		    memcmp(text.b, name, len) == 0 && text.b[len] == '_' &&
		    isdigit((unsigned char)text.b[len + 1]))
			return (true);
	}
	return (false);
}

/* "site" of /etc/varnish/site.rules, as VCL may call an object. */
static void
object_name(struct fm_import *im)
{
	const char *slash = strrchr(im->rules_path, '/');
	const char *p = slash == NULL ? im->rules_path : slash + 1;
	size_t n = 0;

	if (!isalpha((unsigned char)*p) || strncasecmp(p, "vcl", 3) == 0)
		im->object[n++] = 'r';
	for (; *p != '\0' && *p != '.' && n < 40; p++)
		im->object[n++] = isalnum((unsigned char)*p) ? *p : '_';
	im->object[n] = '\0';
	if (is_taken(im, im->object) || is_reserved(im, im->object))
		memcpy(im->object + n, "_rules", sizeof "_rules");
}

/*--------------------------------------------------------------------
 * Writing
 */

static bool
file_put(const char *path, const char *text, size_t len)
{
	FILE *to = fopen(path, "we");
	bool good;

	if (to == NULL) {
		fprintf(stderr, "fastmatch import: can't write '%s': %s\n",
		    path, strerror(errno));
		return (false);
	}
	good = fwrite(text, 1, len, to) == len;
	if (fclose(to) != 0 || !good) {
		fprintf(stderr, "fastmatch import: can't write '%s': %s\n",
		    path, strerror(errno));
		return (false);
	}
	return (true);
}

/* Whether it is a file that was imported: to write there is to lose it. */
static bool
is_read(const struct fm_import *im, const char *path)
{
	const char *name = NULL;
	struct stat here, there;
	size_t i;

	if (stat(path, &here) != 0)
		return (false);
	for (i = 0; i < im->ntokens; i++) {
		if (im->tokens[i].at.name == name)
			continue;
		name = im->tokens[i].at.name;
		if (stat(name, &there) == 0 && there.st_dev == here.st_dev &&
		    there.st_ino == here.st_ino) {
			fprintf(stderr, "fastmatch import: can't write '%s': "
			    "it is what is imported\n", path);
			return (true);
		}
	}
	return (false);
}

/* Returns false if a file may be written there, or says why not. */
static bool
in_the_way(const struct fm_import *im, const struct arguments *a,
    const char *path)
{
	struct stat there;

	if (is_read(im, path))
		return (true);
	if (a->force || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
		return (false);
	fprintf(stderr, "fastmatch import: nothing is written, as '%s' exists: "
	    "move it away, or write over it with --force\n", path);
	return (true);
}

static void
show(const char *name, const char *text)
{
	printf("#### %s\n%s", name, text);
}

static bool
write_all(const struct fm_import *im, const struct arguments *a,
    const char *rest, size_t len)
{
	const struct fm_import_part *part;

	for (part = im->parts; a->rules != NULL && part != NULL;
	    part = part->next)
		if (in_the_way(im, a, part->path))
			return (false);
	if (a->rest != NULL && in_the_way(im, a, a->rest))
		return (false);
	for (part = im->parts; part != NULL; part = part->next)
		if (a->rules == NULL)
			show(part->path, part->text);
		else if (!file_put(part->path, part->text,
		    strlen(part->text)))
			return (false);
	if (a->rest == NULL) {
		if (a->rules == NULL)
			show("VCL", rest);
		return (true);
	}
	return (file_put(a->rest, rest, len));
}

static void
report(const struct fm_import *im, const struct arguments *a, bool written)
{
	struct fm_excerpt excerpt = { .name = NULL };
	const struct fm_kept *kept;

	(void)fm_excerpt_messages(im->diag, fm_text(NULL, 0), stderr);
	if (a->rules == NULL || a->quiet || !written)
		return;
	for (kept = im->kept; kept != NULL; kept = kept->next) {
		printf("%s:%u:%u: stays VCL: %s\n", kept->at.name,
		    kept->at.line, kept->at.column, kept->why);
		fm_excerpt_put(&excerpt, NULL, &kept->at, stdout);
	}
	fm_excerpt_fini(&excerpt);
	printf("%s: %u statement%s in %u rule file%s, %u stay%s VCL",
	    a->vcl, im->ntranslated, im->ntranslated == 1 ? "" : "s",
	    im->nparts, im->nparts == 1 ? "" : "s", im->nkept,
	    im->nkept == 1 ? "s" : "");
	if (im->nforeign > 0)
		printf(" (%u of them for want of such a statement)",
		    im->nforeign);
	putchar('\n');
}

/*--------------------------------------------------------------------
 * The command
 */

/* Returns the first inline C that has this word in it, or NULL. */
static const struct fm_vcl_token *
inline_c(const struct fm_import *im, const char *word)
{
	const struct fm_vcl_token *t;

	for (t = im->tokens; t < im->tokens + im->ntokens; t++)
		if (t->kind == FM_VCL_C &&
		    memmem(t->text.b, t->text.len, word, strlen(word)) != NULL)
			return (t);
	return (NULL);
}

static int
import(struct fm_import *im, const struct arguments *a)
{
	char *rest = NULL;
	size_t len;
	FILE *to;
	bool good;

	im->vcl_path = a->vcl;
	if (!fm_import_read(im, a->vcl) || !fm_import_parse(im))
		return (FM_EXIT_ERRORS);
	if (fm_import_find(im, "sub", fm_text_of("vcl_recv")) == NULL) {
		fm_diag_error(im->diag, &im->tokens[0].at,
		    "there is no vcl_recv in it");
		return (FM_EXIT_ERRORS);
	}
	im->rules_path = absolute(im, a->rules == NULL ? "site.rules" :
	    a->rules);
	object_name(im);
	im->well_formed = a->well_formed;
	fm_import_handlers(im);
	to = fm_import_memory(&rest, &len);
	good = fm_import_rest(im, to);
	(void)fclose(to);
	good = good && write_all(im, a, rest, len);
	free(rest);
	return (good ? FM_EXIT_OK : FM_EXIT_ERRORS);
}

static int
take_options(struct fm_import *im, struct arguments *a, int argc, char **argv)
{
	unsigned number;
	int id;

	while ((id = fm_options_next(command, argc, argv)) != FM_OPTION_END)
		switch (id) {
		case FM_OPTION_OUTPUT:
			a->rules = optarg;
			break;
		case FM_OPTION_VCL:
			a->rest = optarg;
			break;
		case FM_OPTION_FORCE:
			a->force = true;
			break;
		case FM_OPTION_VCL_PATH:
			im->folders = im->folders == NULL ? optarg :
			    fm_import_printf(im, "%s:%s", im->folders, optarg);
			break;
		case FM_OPTION_PROVE:
			if (optarg[strspn(optarg, "0123456789")] == '\0' &&
			    fm_options_number(command, "prove", PROVE_MAX,
			    &number) != 0)
				return (FM_EXIT_USAGE);
			a->prove.what = optarg;
			break;
		case FM_OPTION_SEED:
			if (fm_options_number(command, "seed", 1u << 31,
			    &number) != 0)
				return (FM_EXIT_USAGE);
			a->prove.seed = optarg;
			break;
		case FM_OPTION_VMODS:
			a->prove.vmods = optarg;
			break;
		case FM_OPTION_FORMAT:
			a->prove.format = optarg;
			break;
		case FM_OPTION_QUIET:
			a->quiet = true;
			break;
		case FM_OPTION_WELL_FORMED:
			a->well_formed = true;
			break;
		default:
			return (FM_EXIT_USAGE);
		}
	if (argc != optind + 1)
		return (fm_options_usage(command, argc == optind ?
		    "no file of VCL is given" : "one file of VCL at a time"));
	a->vcl = argv[optind];
	if (a->rules != NULL && a->rest != NULL &&
	    strcmp(a->rules, a->rest) == 0)
		return (fm_options_usage(command, "--output and --vcl are two "
		    "files"));
	return (FM_EXIT_OK);
}

/* What is proven and not kept is in a folder that goes. */
static bool
prove_start(struct fm_import *im, struct arguments *a)
{
	if (!fm_prove_start(&a->prove))
		return (false);
	if (a->rules == NULL)
		a->rules = fm_import_printf(im, "%s/site.rules",
		    a->prove.folder);
	if (a->rest == NULL)
		a->rest = fm_import_printf(im, "%s/rest.vcl", a->prove.folder);
	return (true);
}

/* Compares what was written with what was read, in a varnishd. */
static int
prove(const struct fm_import *im, struct arguments *a)
{
	const struct fm_vcl_token *c = inline_c(im, "");

	if (c != NULL) {
		fprintf(stderr, "%s:%u:%u: --prove can't load a VCL with "
		    "inline C, which varnishd refuses unless it is told "
		    "otherwise: take it out of a copy of the VCL, and prove "
		    "that\n", c->at.name, c->at.line, c->at.column);
		return (FM_EXIT_USAGE);
	}
	a->prove.vcl = a->vcl;
	a->prove.rest = a->rest;
	a->prove.folders = im->folders;
	a->prove.usual = a->well_formed;
	return (fm_prove_run(&a->prove));
}

int
fm_cli_import(int argc, char **argv)
{
	struct fm_import im = { .magic = FM_IMPORT_MAGIC };
	struct fm_import_part *part;
	struct arguments a;
	int status;

	command = fm_command_of(fm_cli_import);
	memset(&a, 0, sizeof a);
	status = take_options(&im, &a, argc, argv);
	if (status != FM_EXIT_OK)
		return (status);
	im.diag = fm_diag_new();
	if (im.diag == NULL)
		fm_cli_no_memory();
	if (a.prove.what != NULL) {
		/* Of a proof, 1 is a difference. */
		fm_cli_trouble = FM_EXIT_USAGE;
		if (!prove_start(&im, &a))
			return (FM_EXIT_USAGE);
	}
	status = import(&im, &a);
	report(&im, &a, status == FM_EXIT_OK);
	if (a.prove.what != NULL) {
		status = status == FM_EXIT_OK ? prove(&im, &a) :
		    FM_EXIT_USAGE;
		fm_prove_end(&a.prove);
	}
	for (part = im.parts; part != NULL; part = part->next)
		free(part->text);
	free(im.tokens);
	fm_diag_free(&im.diag);
	fm_arena_fini(&im.arena);
	return (status);
}
