/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads logs.  The first bytes of a file decide how: a compressed file is read
 * from the program that unpacks it, a file of varnishlog by libvarnishapi
 * (vsl.c), and all others line by line (access.c).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../child.h"
#include "cli.h"
#include "logs.h"
#include "options.h"
#include "term.h"
#include "vsl.h"

#define HEAD		6	/* bytes that tell what a file is */
#define LINE_MOST	(1U << 20)	/* bytes of a line */
#define SHOW_EVERY	100000	/* requests */

/* How compressed files begin, and what unpacks them, as `gzip -dc <FILE`. */
static const struct packer {
	struct fm_text		magic;
	const char		*program;
} packers[] = {
	{ { "\037\213", 2 }, "gzip" },
	{ { "\050\265\057\375", 4 }, "zstd" },
	{ { "\375" "7zXZ", 5 }, "xz" },
	{ { "BZh", 3 }, "bzip2" },
	{ { NULL, 0 }, NULL }
};

/* A run over all logs, and the place that it has come to. */
struct run {
	struct fm_logs		*logs;
	fm_logs_request_f	*request;
	void			*priv;
	struct fm_where		where;
};

static bool
is_stdin(const char *path)
{
	return (strcmp(path, "-") == 0);
}

/*--------------------------------------------------------------------
 * Opening
 */

/*
 * Returns true if a path can be read.  All paths are tried before any is read,
 * so that a typing error in the last one shows at once.
 */
static bool
look(const struct fm_logs *logs, const char *path)
{
	struct stat st;
	char *name;
	int wrong;

	if (is_stdin(path))
		return (true);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (access(path, R_OK) == 0)
		return (true);
	wrong = errno;
	name = fm_term_clean(fm_text_of(path), 0);
	fprintf(stderr, "fastmatch %s: can't read %s: %s\n", logs->command,
	    name, strerror(wrong));
	free(name);
	return (false);
}

bool
fm_logs_open(struct fm_logs *logs, const char *command,
    const char * const *paths, size_t npaths)
{
	const char *wrong;
	size_t i;

	*logs = (struct fm_logs){ .command = command, .paths = paths,
	    .npaths = npaths };
	logs->access = fm_access_new(fm_given.format, &wrong);
	if (logs->access == NULL)
		fprintf(stderr, "fastmatch %s: the format can't be used: %s\n",
		    command, wrong);
	for (i = 0; logs->access != NULL && i < npaths; i++)
		if (!look(logs, paths[i]))
			return (false);
	return (logs->access != NULL);
}

/*--------------------------------------------------------------------
 * Requests
 */

static void __attribute__((format(printf, 2, 3)))
trouble(struct fm_logs *logs, const char *fmt, ...)
{
	char **text = fm_cli_grow(&logs->troubles, logs->ntroubles,
	    &logs->troubles_room, sizeof *text);
	char *said;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&said, fmt, ap) < 0)
		fm_cli_no_memory();
	va_end(ap);
	/* File names may have controls. */
	*text = fm_term_clean(fm_text_of(said), 0);
	free(said);
	logs->ntroubles++;
}

static void
one_request(struct run *run, struct fm_made_request *made)
{
	struct fm_logs *logs = run->logs;

	logs->requests++;
	run->request(run->priv, made, run->where);
	if (logs->requests % SHOW_EVERY == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%ju requests", (uintmax_t)logs->requests);
}

static void
one_line(struct run *run, char *line, size_t len)
{
	struct fm_logs *logs = run->logs;
	struct fm_made_request made;
	unsigned format;

	run->where.line++;
	if (len == 0 || (len == 1 && line[0] == '\r'))
		return;
	fm_made_init(&made);
	if (fm_access_read(logs->access, line, len, &made,
	    &run->where.also, &format)) {
		logs->formats |= 1U << format;
		one_request(run, &made);
	} else {
		if (logs->nfirst < FM_LOGS_UNREADABLE)
			logs->first[logs->nfirst++] = run->where;
		logs->unreadable++;
	}
	fm_made_fini(&made);
}

/* Returns the program that unpacks what begins so, or NULL. */
static const char *
packer_of(const char head[HEAD])
{
	const struct packer *p;

	for (p = packers; p->program != NULL; p++)
		if (memcmp(head, p->magic.b, p->magic.len) == 0)
			break;
	return (p->program);
}

/* Varnish writes "VSL" and a byte that is a version, or nothing. */
static bool
is_vsl(const char head[HEAD])
{
	return (memcmp(head, "VSL", 3) == 0 &&
	    (head[3] == '\0' || (head[3] >= '0' && head[3] <= '9')));
}

bool
fm_logs_is_vsl(const char *path)
{
	char head[HEAD] = "";
	struct stat st;
	int fd;

	/* What is read of a pipe is gone. */
	if (is_stdin(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return (false);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (false);
	(void)!pread(fd, head, sizeof head, 0);
	(void)close(fd);
	return (is_vsl(head));
}

/* Returns false after an error if a pipe gives no lines of text. */
static bool
has_lines(struct run *run, const char head[HEAD], const char *path)
{
	const char *program = packer_of(head);

	if (program != NULL)
		trouble(run->logs, "can't read %s: it is compressed with %s; "
		    "unpack it first", path, program);
	else if (is_vsl(head))
		trouble(run->logs, "can't read %s: it is what varnishlog "
		    "wrote, compressed or in a pipe; unpack it first", path);
	else
		return (true);
	return (false);
}

static bool
read_lines(struct run *run, FILE *file, const char *path)
{
	uint64_t requests = run->logs->requests;
	uint64_t unreadable = run->logs->unreadable;
	char *b = fm_cli_alloc(LINE_MOST), *at, *newline;
	size_t n = 0;
	int wrong = 0;

	while (wrong == 0 && !feof(file)) {
		n += fread(b + n, 1, LINE_MOST - n, file);
		wrong = ferror(file) ? errno : 0;
		if (run->where.line == 0 && !has_lines(run, b, path)) {
			free(b);
			return (false);
		}
		for (at = b; (newline = memchr(at, '\n', n)) != NULL;
		    at = newline + 1) {
			n -= (size_t)(newline + 1 - at);
			one_line(run, at, (size_t)(newline - at));
		}
		memmove(b, at, n);
		/* It is too long: a NUL in its place can't be read, either. */
		if (n == LINE_MOST) {
			b[0] = '\0';
			n = 1;
		}
	}
	if (n > 0)
		one_line(run, b, n);
	if (wrong != 0)
		trouble(run->logs, "can't read %s: %s", path, strerror(wrong));
	else if (run->logs->requests == requests &&
	    run->logs->unreadable > unreadable)
		trouble(run->logs, "no line of %s could be read", path);
	free(b);
	return (true);
}

/*--------------------------------------------------------------------
 * Logs of varnishlog
 */

static void
on_vsl(void *priv, struct fm_made_request *made,
    const struct fm_vsl_logged *logged)
{
	struct run *run = priv;

	(void)logged;
	run->where.line++;
	run->where.vxid = made->vxid;
	one_request(run, made);
}

static void
read_vsl(struct run *run, const char *path)
{
	bool read;
	char *wrong = fm_vsl_read(path, on_vsl, run, &read);

	if (wrong != NULL)
		trouble(run->logs, read ? "%s is damaged or cut off: %s; "
		    "what came before counts" : "can't read %s: %s", path,
		    wrong);
	free(wrong);
}

/*--------------------------------------------------------------------
 * Files
 */

/* Starts a program that unpacks a file; returns its output, or NULL. */
static FILE *
unpack(const char *program, int fd, pid_t *pid)
{
	char decompress[] = "-dc";
	char *argv[] = { (char *)(uintptr_t)program, decompress, NULL };
	int ends[2], error;
	FILE *file;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return (NULL);
	file = fdopen(ends[0], "r");
	if (file == NULL)
		fm_cli_no_memory();
	error = fm_child_start(argv, fd, ends[1], pid);
	(void)close(ends[1]);
	if (error == 0)
		return (file);
	(void)fclose(file);
	errno = error;
	return (NULL);
}

static void
read_packed(struct run *run, const char *program, int fd, const char *path)
{
	int status = -1;
	FILE *file;
	pid_t pid;
	bool lines;

	file = unpack(program, fd, &pid);
	if (file == NULL) {
		trouble(run->logs, "can't read %s, which %s has packed: %s%s",
		    path, program, errno == ENOENT ? "install " :
		    strerror(errno), errno == ENOENT ? program : "");
		return;
	}
	lines = read_lines(run, file, path);
	(void)fclose(file);
	(void)waitpid(pid, &status, 0);
	if (lines && status != 0)
		trouble(run->logs, "%s could not unpack all of %s; what came "
		    "before counts", program, path);
}

/*
 * Reads a file, the way that its first bytes tell.  A pipe is read as lines,
 * since its first bytes can't be read twice.
 */
static void
read_file(struct run *run, const char *path)
{
	char head[HEAD] = "";
	const char *program;
	FILE *file;
	int fd;

	fd = is_stdin(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		trouble(run->logs, "can't read %s: %s", path, strerror(errno));
		return;
	}
	(void)!pread(fd, head, sizeof head, lseek(fd, 0, SEEK_CUR));
	program = packer_of(head);
	if (is_vsl(head)) {
		read_vsl(run, path);
	} else if (program != NULL) {
		read_packed(run, program, fd, path);
	} else {
		file = fdopen(fd, "r");
		if (file == NULL)
			fm_cli_no_memory();
		(void)read_lines(run, file, path);
		(void)fclose(file);
		return;
	}
	(void)close(fd);
}

bool
fm_logs_run(struct fm_logs *logs, fm_logs_request_f *request, void *priv)
{
	struct run run = { .logs = logs, .request = request, .priv = priv };
	size_t i;

	for (i = 0; i < logs->npaths; i++) {
		run.where = (struct fm_where){ .log = (unsigned)i };
		read_file(&run, logs->paths[i]);
	}
	if (logs->requests >= SHOW_EVERY && isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	for (i = 0; i < logs->ntroubles; i++)
		fprintf(stderr, "fastmatch %s: %s\n", logs->command,
		    logs->troubles[i]);
	return (logs->ntroubles == 0);
}

bool
fm_logs_has(const struct fm_logs *logs, enum fm_access_part part,
    struct fm_text header)
{
	unsigned i;

	for (i = 0; i < 32; i++)
		if ((logs->formats & 1U << i) != 0 &&
		    !fm_access_has(logs->access, i, part, header))
			return (false);
	return (true);
}
