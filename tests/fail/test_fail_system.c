/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lets every call to the system in the scenarios (fail.h) that use files fail,
 * one after the other, for each reason that the call may have.  A run that is
 * not whole (unit.h), and a swap under a sanitizer, try some of the calls.
 *
 * A scenario must refuse with the file and the reason; must leave no descriptor
 * and no file; what has served must go on serving; and all must work again
 * afterwards.  A call that is interrupted, or reads or writes less than it was
 * asked to, must make no difference.  The linker sends the calls here (--wrap).
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "fail.h"

enum call {
	CALL_STAT, CALL_OPEN, CALL_FSTAT, CALL_READ, CALL_CLOSE, CALL_WRITE,
	CALL_FSYNC, CALL_MKOSTEMP, CALL_RENAME, CALL_OPENDIR,
	CALL_READDIR, CALL_LSTAT,
	CALL__N
};

#ifdef SANITIZED
#define SOME	8U		/* calls of a kind, where a run is slow */
#else
#define SOME	UINT32_MAX	/* all */
#endif
#define SHARE	6U		/* of a swap's reasons, in a short run */
#define AGAIN	8U		/* of 8 faults one is tried again */
#define LESS	-1		/* no error, but one byte instead of all */

static const struct {
	const char	*name;
	int		faults[6];
} calls[CALL__N] = {
	[CALL_STAT] = { "stat", { ENOENT, EACCES, EIO, ENOMEM, ELOOP } },
	[CALL_OPEN] = { "open", { ENOENT, EACCES, EMFILE, ENFILE,
	    ENOMEM } },
	[CALL_FSTAT] = { "fstat", { EIO, ENOMEM } },
	[CALL_READ] = { "read", { LESS, EIO, ESTALE, ENOMEM } },
	[CALL_CLOSE] = { "close", { EIO, ENOSPC } },
	[CALL_WRITE] = { "write", { LESS, ENOSPC, EIO, EDQUOT } },
	[CALL_FSYNC] = { "fsync", { EIO, ENOSPC } },
	[CALL_MKOSTEMP] = { "mkostemp", { EACCES, EROFS, EMFILE,
	    ENOSPC } },
	[CALL_RENAME] = { "rename", { EACCES, EIO, ENOSPC, EROFS } },
	[CALL_OPENDIR] = { "opendir", { EACCES, EIO, EMFILE, ENFILE,
	    ENOMEM } },
	[CALL_READDIR] = { "readdir", { EIO, EOVERFLOW, ENOMEM } },
	[CALL_LSTAT] = { "lstat", { EIO, ENOMEM } },
};

/* The call that fails: the n-th of its kind (from 1), and its fault. */
static struct {
	bool		started;
	enum call	call;
	unsigned	n;
	int		fault;
	unsigned	asked[CALL__N];
	bool		failed;		/* the call has failed for good */
	bool		done;
	bool		keeps;		/* unlink() fails, too */
	char		file[256];	/* the file of the call */
} system_;

static char open_files[64][256];	/* names, by descriptor */

static bool
fails(enum call call, const char *file)
{
	if (!system_.started)
		return (false);
	system_.asked[call]++;
	if (system_.fault == 0 || call != system_.call ||
	    system_.asked[call] != system_.n)
		return (false);
	system_.done = true;
	system_.failed = system_.fault != LESS;
	(void)snprintf(system_.file, sizeof system_.file, "%s", file);
	errno = system_.fault;
	return (true);
}

static const char *
file_of(int fd)
{
	return (fd >= 0 && fd < 64 ? open_files[fd] : "?");
}

static int
opened(int fd, const char *path)
{
	if (fd >= 0 && fd < 64)
		(void)snprintf(open_files[fd], sizeof open_files[fd], "%s",
		    path);
	return (fd);
}

#define WRAPPED(type, name, args)					\
	type __real_##name args;					\
	type __wrap_##name args;					\
	type __wrap_##name args

WRAPPED(int, stat, (const char *path, struct stat *st))
{
	return (fails(CALL_STAT, path) ? -1 : __real_stat(path, st));
}

WRAPPED(int, fstat, (int fd, struct stat *st))
{
	return (fails(CALL_FSTAT, file_of(fd)) ? -1 : __real_fstat(fd, st));
}

/* Opens a file; none of our calls makes one, so there is no mode. */
WRAPPED(int, open, (const char *path, int flags))
{
	/* messages about a folder name the file in it */
	const char *name = (flags & O_DIRECTORY) != 0 ? "" : path;

	return (fails(CALL_OPEN, name) ? -1 :
	    opened(__real_open(path, flags), name));
}

WRAPPED(ssize_t, read, (int fd, void *b, size_t len))
{
	if (!fails(CALL_READ, file_of(fd)))
		return (__real_read(fd, b, len));
	return (system_.fault == LESS ? __real_read(fd, b, len > 0) : -1);
}

WRAPPED(ssize_t, write, (int fd, const void *b, size_t len))
{
	if (!fails(CALL_WRITE, file_of(fd)))
		return (__real_write(fd, b, len));
	return (system_.fault == LESS ? __real_write(fd, b, len > 0) : -1);
}

/* Closes the descriptor even if it fails, as Linux does. */
WRAPPED(int, close, (int fd))
{
	bool bad = fails(CALL_CLOSE, file_of(fd));
	int r = __real_close(fd);

	if (bad)
		errno = system_.fault;
	return (bad ? -1 : r);
}

/* Never waits for the disk, which would take most of the time. */
WRAPPED(int, fsync, (int fd))
{
	(void)__real_fsync;
	return (fails(CALL_FSYNC, file_of(fd)) ? -1 : 0);
}

/* Doesn't wait. */
WRAPPED(int, usleep, (useconds_t us))
{
	(void)us;
	(void)__real_usleep;
	return (0);
}

/* Fails for a name without ".XXXXXX", which is the name that messages have. */
WRAPPED(int, mkostemp, (char *path, int flags))
{
	char name[256];

	(void)snprintf(name, sizeof name, "%.*s", (int)strlen(path) - 7, path);
	return (fails(CALL_MKOSTEMP, name) ? -1 :
	    opened(__real_mkostemp(path, flags), name));
}

WRAPPED(int, rename, (const char *from, const char *to))
{
	return (fails(CALL_RENAME, to) ? -1 : __real_rename(from, to));
}

/* Fails only if the test wants that a failed copy can't be removed. */
WRAPPED(int, unlink, (const char *path))
{
	if (!system_.started || !system_.keeps)
		return (__real_unlink(path));
	errno = ENOTEMPTY;
	return (-1);
}

/* An include's pattern opens a folder; messages name the pattern. */
WRAPPED(DIR *, opendir, (const char *path))
{
	return (fails(CALL_OPENDIR, path) ? NULL : __real_opendir(path));
}

WRAPPED(struct dirent *, readdir, (DIR *dir))
{
	return (fails(CALL_READDIR, "") ? NULL : __real_readdir(dir));
}

WRAPPED(int, lstat, (const char *path, struct stat *st))
{
	return (fails(CALL_LSTAT, "") ? -1 : __real_lstat(path, st));
}

/*--------------------------------------------------------------------
 * Runs
 */

void
fail_begin(void)
{
	system_.failed = false;
	system_.started = true;
}

bool
fail_end(void)
{
	system_.started = false;
	return (system_.failed);
}

const char *
fail_reason(void)
{
	return (system_.fault == ENOMEM ? "out of memory" :
	    strerror(system_.fault));
}

const char *
fail_file(void)
{
	return (system_.fault == ENOMEM ? NULL : system_.file);
}

/* Returns how many paths a pattern fits. */
static int
count(const char *pattern)
{
	glob_t found;
	int n;

	n = glob(pattern, 0, NULL, &found) == 0 ?
	    (int)found.gl_pathc : 0;
	globfree(&found);
	return (n);
}

#define DESCRIPTORS	"/proc/self/fd/*"
#define ASIDE		"[bc]*.??????"	/* of a copy that is being made */

/* Tries a scenario with a fault, and, unless `once`, again without. */
static enum fail_outcome
run_one(const struct fail_scenario *scenario, enum call call, unsigned n,
    int fault, bool once)
{
	const char *why = fault == LESS ? "less" : strerror(fault);
	int descriptors = count(DESCRIPTORS);
	enum fail_outcome r, again;

	memset(&system_, 0, sizeof system_);
	system_.call = call;
	system_.n = n;
	system_.fault = fault;
	fail_wrong = NULL;
	r = scenario->try();
	ck_assert_msg(r != FAIL_WRONG, "%s: %s %u of '%s': %s: %s",
	    scenario->name, calls[call].name, n, system_.file, why,
	    fail_wrong);
	ck_assert_msg(r == FAIL_DONE || fault != LESS,
	    "%s: %s %u: %s: is seen", scenario->name, calls[call].name, n,
	    why);
	ck_assert_msg(system_.done, "%s: %s %u: %s: never happened",
	    scenario->name, calls[call].name, n, why);
	ck_assert_msg(count(DESCRIPTORS) == descriptors,
	    "%s: %s %u: %s: descriptors are left", scenario->name,
	    calls[call].name, n, why);
	ck_assert_msg(count(ASIDE) == 0, "%s: %s %u: %s: files are left",
	    scenario->name, calls[call].name, n, why);
	system_.fault = 0;
	again = once ? FAIL_DONE : scenario->try();
	ck_assert_msg(again == FAIL_DONE, "%s: %s %u: %s: not afterwards "
	    "either: %s", scenario->name, calls[call].name, n, why,
	    fail_wrong);
	return (r);
}

/* Returns how far apart the calls are that fail. */
static unsigned
step_of(const struct fail_scenario *scenario, unsigned asked)
{
	if (!unit_whole())
		return (asked > 0 ? asked : 1);
	return (scenario->slow ? asked / SOME + 1 : 1);
}

/*
 * Lets every call fail for every reason.  A short run has one call for each
 * reason, and of a swap fewer still.
 */
static unsigned
run_call(const struct fail_scenario *scenario, enum call call, unsigned asked,
    unsigned *runs)
{
	unsigned step = step_of(scenario, asked), n, refused = 0;
	const int *fault = calls[call].faults;

	for (; fault < calls[call].faults + 6 && *fault != 0; fault++) {
		if (scenario->slow && !unit_whole() && unit_below(SHARE) > 0)
			continue;
		for (n = 1 + unit_below(step); n <= asked;
		    n += step, (*runs)++)
			refused += run_one(scenario, call, n, *fault,
			    (scenario->slow || !unit_whole()) &&
			    *runs % AGAIN != 0) ==
			    FAIL_REFUSED;
	}
	return (refused);
}

START_TEST(a_call_to_the_system_fails)
{
	const struct fail_scenario *scenario = &fail_scenarios[_i];
	unsigned asked[CALL__N], call, runs = 0, refused = 0;

	unit_seed("system");
	memset(&system_, 0, sizeof system_);
	ck_assert_msg(scenario->try() == FAIL_DONE, "%s: %s", scenario->name,
	    fail_wrong);
	memset(&system_, 0, sizeof system_);
	ck_assert_msg(scenario->try() == FAIL_DONE, "%s: %s", scenario->name,
	    fail_wrong);
	memcpy(asked, system_.asked, sizeof asked);
	for (call = 0; call < CALL__N; call++)
		refused += run_call(scenario, call, asked[call], &runs);
	printf("system: %s:", scenario->name);
	for (call = 0; call < CALL__N; call++)
		if (asked[call] > 0)
			printf(" %u %s", asked[call], calls[call].name);
	printf("; %u runs, %u refused\n", runs, refused);
	fflush(stdout);
	/* Most of what fails in a swap is tried again. */
	ck_assert(runs == 0 || refused > 0 ||
	    (scenario->slow && !unit_whole()));
}
END_TEST

/*
 * Tests a copy that can't be renamed, and whose temporary file can't be
 * removed: the first reason is told, and the next copy works.
 */
START_TEST(what_is_left_over_cannot_be_removed)
{
	const struct fail_scenario *scenario = fail_scenarios;
	enum fail_outcome r;

	while (strcmp(scenario->name, "the copy") != 0)
		scenario++;
	memset(&system_, 0, sizeof system_);
	system_.call = CALL_RENAME;
	system_.n = 1;
	system_.fault = EACCES;
	system_.keeps = true;
	r = scenario->try();
	ck_assert_msg(r == FAIL_REFUSED, "%s", fail_wrong);
	ck_assert_int_eq(count(ASIDE), 1);
	memset(&system_, 0, sizeof system_);
	ck_assert(scenario->try() == FAIL_DONE);
	ck_assert_int_eq(count(ASIDE), 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("system");
	int n;

	for (n = 0; fail_scenarios[n].name != NULL; n++)
		continue;
	tcase_set_timeout(tc, 600);
	tcase_add_unchecked_fixture(tc, fail_setup, fail_teardown);
	tcase_add_loop_test(tc, a_call_to_the_system_fails, 0, n);
	tcase_add_test(tc, what_is_left_over_cannot_be_removed);
	return (unit_run("system", tc));
}
