/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * import --prove: hands both VCLs, and the requests of a log, to the program
 * that compares them.
 */

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "prove.h"
#include "logs/logs.h"

static bool
trouble(const char *what)
{
	fprintf(stderr, "fastmatch import: %s: %s\n", what, strerror(errno));
	return (false);
}

bool
fm_prove_start(struct fm_prove *p)
{
	const char *tmp = getenv("TMPDIR");
	char template[200];

	(void)snprintf(template, sizeof template, "%s/fmi.XXXXXX",
	    tmp == NULL || *tmp != '/' || strlen(tmp) > 150 ? "/tmp" : tmp);
	if (mkdtemp(template) == NULL)
		return (trouble(template));
	p->folder = fm_cli_copy(template, strlen(template));
	return (true);
}

void
fm_prove_end(struct fm_prove *p)
{
	DIR *dir = opendir(p->folder);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		(void)closedir(dir);
	(void)rmdir(p->folder);
	free(p->folder);
	p->folder = NULL;
}

/*--------------------------------------------------------------------
 * The requests of a log, a line of JSON each
 */

static void
text_put(struct fm_text t, FILE *to)
{
	size_t i;

	fputc('"', to);
	for (i = 0; i < t.len; i++)
		if (t.b[i] == '"' || t.b[i] == '\\')
			fprintf(to, "\\%c", t.b[i]);
		else if (t.b[i] >= ' ' && t.b[i] < 0x7f)
			fputc(t.b[i], to);
		else
			fprintf(to, "\\u%04x", (unsigned char)t.b[i]);
	fputc('"', to);
}

static bool
request_put(void *state, struct fm_message *m, struct fm_where where)
{
	FILE *to = state;
	struct fm_text name, value;
	size_t i;

	(void)where;
	fputc('[', to);
	text_put(m->method, to);
	fputs(", ", to);
	text_put(m->url, to);
	fputs(", [", to);
	for (i = 0; i < m->nfields; i++) {
		fm_field_parts(&m->fields[i], &name, &value);
		fputs(i > 0 ? ", [" : "[", to);
		text_put(name, to);
		fputs(", ", to);
		text_put(value, to);
		fputc(']', to);
	}
	fputs("]]\n", to);
	return (true);
}

static bool
log_put(const struct fm_prove *p, const char *path)
{
	struct fm_logs *logs = fm_logs_open("import", &p->what, 1, p->format);
	void *states[1];
	uint64_t n;
	bool good;
	FILE *to;

	if (logs == NULL)
		return (false);
	to = fopen(path, "we");
	if (to == NULL) {
		fm_logs_close(&logs);
		return (trouble(path));
	}
	states[0] = to;
	good = fm_logs_run(logs, states, 1, request_put);
	if (fclose(to) != 0)
		good = trouble(path);
	n = fm_logs_unreadable(logs);
	if (n > 0)
		printf("%ju line%s of the log can't be read\n", (uintmax_t)n,
		    n == 1 ? "" : "s");
	fm_logs_close(&logs);
	return (good);
}

/*--------------------------------------------------------------------
 * The program
 */

static const char *
program(void)
{
	const char *path = getenv("FASTMATCH_PROVE");

	return (path == NULL || *path == '\0' ? FM_LIBEXECDIR "/prove" : path);
}

/* What a shell and env(1) end with where they don't find a program. */
#define EXIT_NOT_FOUND	127

static void
run(const struct fm_prove *p, const char *what)
{
	const char *path = program();

	(void)execl(path, path, p->vcl, p->rest, what,
	    p->seed == NULL ? "1" : p->seed, p->vmods == NULL ? "" : p->vmods,
	    p->folders == NULL ? "" : p->folders,
	    p->usual ? "usual" : "", (char *)NULL);
	(void)trouble(path);
	/* It may be there, but not what runs it. */
	_exit(access(path, X_OK) == 0 ? EXIT_NOT_FOUND : FM_EXIT_USAGE);
}

int
fm_prove_run(const struct fm_prove *p)
{
	char path[300];
	int status = 0;
	pid_t pid;

	(void)snprintf(path, sizeof path, "%s/requests", p->folder);
	if (p->what[strspn(p->what, "0123456789")] == '\0')
		(void)snprintf(path, sizeof path, "%.20s", p->what);
	else if (!log_put(p, path))
		return (FM_EXIT_USAGE);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		run(p, path);
	if (pid < 0) {
		(void)trouble("can't fork");
		return (FM_EXIT_USAGE);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return (FM_EXIT_USAGE);
	if (!WIFEXITED(status))
		return (FM_EXIT_USAGE);
	if (WEXITSTATUS(status) != EXIT_NOT_FOUND)
		return (WEXITSTATUS(status));
	fputs("fastmatch import: --prove takes Python 3: install python3\n",
	    stderr);
	return (FM_EXIT_USAGE);
}
