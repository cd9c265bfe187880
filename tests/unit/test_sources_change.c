/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sources and a folder that changes meanwhile: which changes are seen, and
 * which change the content.  The twin writes down all that plain calls tell of
 * the same files, and compares what it has written.
 */

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "sources_all.h"
#include "unit.h"

#define READ_MAX	200
#define TEXT_MAX	8000

/*
 * Files, some of them by way of a link to a folder; and a glob of which all
 * files are read.
 */
static const char * const paths[] = { "a", "b", "now/c", "none", "d/one.x" };
#define NPATHS		(sizeof paths / sizeof paths[0])
#define PATTERN		"d/*.x"

/*--------------------------------------------------------------------
 * The twin
 */

static void
twin_stat(FILE *f, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		fprintf(f, "%s: error %d\n", path, errno);
	else
		fprintf(f, "%s: %ju %ju %jd %jd.%09ld %jd.%09ld\n", path,
		    (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
		    (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
		    st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec,
		    st.st_ctim.tv_nsec);
}

static void
twin_content(FILE *f, const char *path)
{
	char text[READ_MAX + 1];
	struct stat st;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		fprintf(f, "%s: error %d\n", path, errno);
		return;
	}
	ck_assert_int_eq(fstat(fd, &st), 0);
	n = read(fd, text, sizeof text);
	if (!S_ISREG(st.st_mode))
		fprintf(f, "%s: kind %o\n", path, st.st_mode & S_IFMT);
	else if (n > READ_MAX)
		fprintf(f, "%s: large\n", path);
	else
		fprintf(f, "%s: %zd %.*s\n", path, n, (int)n, text);
	(void)close(fd);
}

/* Finds what the glob finds, by hand. */
static unsigned
twin_glob(FILE *f, char found[][30])
{
	struct dirent **entries;
	struct stat st;
	unsigned k = 0;
	int i, n;

	n = scandir("d", &entries, NULL, alphasort);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		fprintf(f, "d: error %d\n", errno);
	for (i = 0; i < n; i++) {
		ck_assert_uint_lt(k, 20);
		(void)snprintf(found[k], 30, "d/%.20s", entries[i]->d_name);
		free(entries[i]);
		if (fnmatch(PATTERN, found[k], FNM_PERIOD) == 0 &&
		    (stat(found[k], &st) != 0 || S_ISREG(st.st_mode)))
			k++;
	}
	if (n >= 0)
		free(entries);
	return (k);
}

/* All there is to know; of the files that were read, and of the glob. */
static void
twin_all(char text[TEXT_MAX], const struct fm_sources *sources, bool content)
{
	FILE *f = fmemopen(text, TEXT_MAX, "w");
	char found[21][30];
	const struct fm_source *source;
	unsigned i, n;

	ck_assert_ptr_nonnull(f);
	for (i = 0; (source = unit_file(sources, i)) != NULL; i++)
		(content ? twin_content : twin_stat)(f, source->path);
	n = twin_glob(f, found);
	for (i = 0; i < n; i++)
		fprintf(f, "%s\n", found[i]);
	ck_assert_int_lt(ftell(f), TEXT_MAX - 1);
	ck_assert_int_eq(fclose(f), 0);
}

/*--------------------------------------------------------------------
 * A worker in the folder
 */

static const char *
some_path(void)
{
	static const char * const more[] = { "d/two.x", "d/three.y", "v1/c",
	    "v2/c", "d" };
	unsigned n = unit_below(NPATHS + sizeof more / sizeof more[0]);

	return (n < NPATHS ? paths[n] : more[n - NPATHS]);
}

static void
some_write(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);
	unsigned n = unit_below(8) == 0 ? READ_MAX : 1;

	if (f == NULL)
		return;
	for (; n > 0; n--)
		(void)fputc('a' + (int)unit_below(3), f);
	(void)fclose(f);
}

/* Removes a file or an empty folder. */
static void
some_remove(const char *path)
{

	if (unlink(path) != 0)
		(void)rmdir(path);
}

/* Makes a link, unless the path exists. */
static void
some_link(const char *to, const char *path)
{

	if (symlink(to, path) != 0)
		return;
}

static void
some_change(void)
{
	static const struct timespec times[2] = { { 1000, 1 }, { 1000, 1 } };
	const char *path = some_path();
	struct stat st;

	/* To write to it would wait. */
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		some_remove(path);
	switch (unit_below(12)) {
	case 0:
		some_write(path, "w");
		break;
	case 1:
		some_write(path, "a");
		break;
	case 2:
		some_write("aside", "w");
		(void)rename("aside", path);
		break;
	case 3:
		(void)utimensat(AT_FDCWD, path, unit_below(2) == 0 ? times :
		    NULL, 0);
		break;
	case 4:
		(void)chmod(path, unit_below(2) == 0 ? 0700 : 0500);
		break;
	case 5:
		some_remove(path);
		break;
	case 6:
		some_remove(path);
		(void)mkdir(path, 0700);
		break;
	case 7:
		some_remove(path);
		some_link(unit_below(2) == 0 ? "../a" : "b", path);
		break;
	case 8:
		some_link(unit_below(2) == 0 ? "v1" : "v2", "aside");
		(void)rename("aside", "now");
		break;
	case 9:
		some_remove(path);
		(void)mkfifo(path, 0600);
		break;
	case 10:
		(void)rename(path, some_path());
		break;
	default:
		break;
	}
	some_remove("aside");
}

/*--------------------------------------------------------------------
 * Both
 */

static struct fm_sources *
read_all(void)
{
	struct fm_sources *sources = fm_sources_new(unit_below(2) == 0);
	const char * const *found;
	struct fm_file *file;
	size_t i, n;

	ck_assert_ptr_nonnull(sources);
	(void)unit_glob(sources, PATTERN, &found, &n);
	for (i = 0; i < NPATHS + n; i++) {
		file = fm_sources_read(sources, i < NPATHS ? paths[i] :
		    found[i - NPATHS], READ_MAX, NULL, NULL);
		if (file != NULL)
			fm_file_free(&file);
	}
	return (sources);
}

struct twin {
	char	stats[TEXT_MAX], contents[TEXT_MAX];
};

static void
twin_of(struct twin *twin, const struct fm_sources *sources)
{

	memset(twin, 0, sizeof *twin);
	twin_all(twin->stats, sources, false);
	twin_all(twin->contents, sources, true);
}

static void
make_tree(void)
{
	static const char * const files[] = { "a", "b", "v1/c", "v2/c",
	    "d/one.x", "d/two.x" };
	size_t i;

	ck_assert(mkdir("v1", 0700) == 0 && mkdir("v2", 0700) == 0 &&
	    mkdir("d", 0700) == 0 && symlink("v1", "now") == 0);
	for (i = 0; i < sizeof files / sizeof files[0]; i++)
		folder_write(files[i], "x");
}

UNIT_TEST(test_sources_change_when_the_twin_does)
{
	struct fm_sources *sources, *again;
	unsigned step, seen = 0, same = 0, other = 0;
	unsigned steps = unit_rounds(8000, 2);
	struct twin was, now;

	unit_seed("test_sources_change");
	make_tree();
	sources = read_all();
	twin_of(&was, sources);
	for (step = 0; step < steps; step++) {
		some_change();
		twin_of(&now, sources);
		if ((strcmp(was.stats, now.stats) == 0) !=
		    (fm_sources_fingerprint(sources) ==
		    fm_sources_seen(sources)))
			ck_abort_msg("step %u: from\n%s\nto\n%s", step,
			    was.stats, now.stats);
		seen += strcmp(was.stats, now.stats) != 0;
		again = fm_sources_again(sources);
		if ((strcmp(was.contents, now.contents) == 0) !=
		    (again != NULL))
			ck_abort_msg("step %u: from\n%s\nto\n%s", step,
			    was.contents, now.contents);
		if (again == NULL && unit_below(2) == 0)
			again = read_all();
		same += again != NULL;
		other += again == NULL;
		if (again == NULL)
			continue;
		fm_sources_free(&sources);
		sources = again;
		twin_of(&was, sources);
		ck_assert_uint_eq(fm_sources_fingerprint(sources),
		    fm_sources_seen(sources));
	}
	/* All of it happens. */
	ck_assert_uint_gt(seen, steps / 16);
	ck_assert_uint_gt(same, steps / 16);
	ck_assert_uint_gt(other, steps / 16);
	fm_sources_free(&sources);
}

int
main(void)
{
	TCase *tc = unit_case("sources_change", 120);

	tcase_add_checked_fixture(tc, folder_enter, folder_leave);
	return (unit_run("sources_change", tc));
}
