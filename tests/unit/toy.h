/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A very simple type of set, for the tests of src/live.  The payload of a toy
 * is the text of a file, and of a second file if the first line is "with PATH".
 * A text that doesn't end in "end\n" is an error.  "size N" in a text takes as
 * much of FM_CAP_SIZE.  The toys and recipes are
 * counted, so that a test sees whether all were freed; the lines that live
 * tells are kept.
 */

#ifndef TOY_H
#define TOY_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caps.h"
#include "live.h"
#include "obj.h"
#include "unit.h"

struct toy {
	unsigned	magic;
#define TOY_MAGIC	0x70797a11
	char		text[4096];
};

struct toy_recipe {
	char		path[256];
};

static int toy_tried, toy_made, toy_alive, toy_recipes;
static int toy_slow;			/* us that making one takes */
static int toy_no_memory;		/* so often there is none */

#define TOY_COUNT(n)	__atomic_load_n(&(n), __ATOMIC_SEQ_CST)

/* The lines that live has told, from any thread. */
static pthread_mutex_t toy_mtx = PTHREAD_MUTEX_INITIALIZER;
static char toy_said[1 << 16];
static int toy_errors;			/* how many lines were errors */

static inline bool
toy_heard(const char *what)
{
	bool heard;

	(void)pthread_mutex_lock(&toy_mtx);
	heard = strstr(toy_said, what) != NULL;
	(void)pthread_mutex_unlock(&toy_mtx);
	return (heard);
}

static inline int
toy_read(struct fm_sources *sources, const char *path, char *text,
    size_t room, struct fm_diag *diag)
{
	struct fm_file *file;
	size_t len;

	file = fm_sources_read(sources, path, room - 1, NULL, diag);
	if (file == NULL)
		return (-1);
	len = file->len;
	memcpy(text, file->bytes, len);
	text[len] = '\0';
	fm_file_free(&file);
	return (0);
}

static inline void *
toy_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	const struct toy_recipe *recipe = priv;
	struct fm_place at = { .name = recipe->path, .line = 1 };
	char other[256];
	const char *size;
	struct toy *toy;
	size_t len;

	(void)before;
	(void)__atomic_fetch_add(&toy_tried, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&toy_no_memory, __ATOMIC_RELAXED) > 0) {
		(void)__atomic_fetch_sub(&toy_no_memory, 1, __ATOMIC_RELAXED);
		return (NULL);
	}
	FM_OBJ_NEW(toy, TOY_MAGIC);
	if (toy == NULL)
		return (NULL);
	if (toy_read(sources, recipe->path, toy->text, sizeof toy->text / 2,
	    diag) != 0) {
		free(toy);
		return (NULL);
	}
	(void)usleep((useconds_t)__atomic_load_n(&toy_slow,
	    __ATOMIC_RELAXED));
	len = strlen(toy->text);
	if (sscanf(toy->text, "with %255s", other) == 1)
		(void)toy_read(sources, other, toy->text + len,
		    sizeof toy->text - len, diag);
	len = strlen(toy->text);
	size = strstr(toy->text, "size ");
	if (size != NULL)
		(void)fm_caps_take(FM_CAP_SIZE, strtoul(size + 5, NULL, 10),
		    &at, diag);
	if (fm_diag_errors(diag) == 0 &&
	    (len < 4 || strcmp(toy->text + len - 4, "end\n") != 0)) {
		fm_diag_error(diag, &at, "it doesn't end");
		fm_diag_error(diag, &at, "so it is wrong");
	}
	if (fm_diag_errors(diag) > 0) {
		free(toy);
		return (NULL);
	}
	if (strstr(toy->text, "warn") != NULL)
		fm_diag_warning(diag, &at, "it warns");
	facts->hosts = 2;
	facts->rules = 1;
	facts->bytes = sizeof *toy;
	(void)__atomic_fetch_add(&toy_made, 1, __ATOMIC_SEQ_CST);
	(void)__atomic_fetch_add(&toy_alive, 1, __ATOMIC_SEQ_CST);
	return (toy);
}

static inline void
toy_free(void *priv)
{
	struct toy *toy;

	FM_OBJ_CAST(toy, priv, TOY_MAGIC);
	memset(toy, 0xdd, sizeof *toy);
	free(toy);
	(void)__atomic_fetch_sub(&toy_alive, 1, __ATOMIC_SEQ_CST);
}

static inline void
toy_free_recipe(void *recipe)
{
	free(recipe);
	(void)__atomic_fetch_sub(&toy_recipes, 1, __ATOMIC_SEQ_CST);
}

static const struct fm_set_type toy_type = {
	.make = toy_make,
	.free = toy_free,
	.free_recipe = toy_free_recipe
};

static inline struct toy_recipe *
toy_recipe(const char *path)
{
	struct toy_recipe *recipe = calloc(1, sizeof *recipe);

	ck_assert_ptr_nonnull(recipe);
	(void)snprintf(recipe->path, sizeof recipe->path, "%s", path);
	(void)__atomic_fetch_add(&toy_recipes, 1, __ATOMIC_SEQ_CST);
	return (recipe);
}

/* Keeps a line.  Live calls this, and toy_bind(), under its lock. */
static inline void
toy_tell(void *priv, bool error, const char *line)
{
	size_t len;

	(void)priv;
	assert(strchr(line, '\n') == NULL);
	(void)pthread_mutex_lock(&toy_mtx);
	len = strlen(toy_said);
	(void)snprintf(toy_said + len, sizeof toy_said - len, "%s%s\n",
	    error ? "E " : "  ", line);
	(void)pthread_mutex_unlock(&toy_mtx);
	(void)__atomic_fetch_add(&toy_errors, error, __ATOMIC_SEQ_CST);
}

/*
 * Binds a toy; fails unless the text has the word `priv` (NULL: any text will
 * do).
 */
static inline int
toy_bind(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	const struct toy *toy = set->payload;

	*binding = malloc(1);
	if (priv == NULL || strstr(toy->text, priv) != NULL)
		return (0);
	fm_diag_error(diag, NULL, "there is no '%s' in it",
	    (const char *)priv);
	return (-1);
}

/*--------------------------------------------------------------------
 * Files, in a folder that is removed at the end
 */

static char toy_folder[64];

static inline void
toy_setup(void)
{
	(void)strcpy(toy_folder, "/tmp/fm-live-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(toy_folder));
}

static inline void
toy_teardown(void)
{
	char name[512];
	struct dirent *e;
	DIR *dir = opendir(toy_folder);

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		(void)snprintf(name, sizeof name, "%s/%s", toy_folder,
		    e->d_name);
		if (unlink(name) != 0)
			(void)rmdir(name);
	}
	if (dir != NULL)
		(void)closedir(dir);
	(void)rmdir(toy_folder);
}

/* Returns a path in the folder, which is good for 7 more calls. */
static inline const char *
toy_path(const char *name)
{
	static char paths[8][128];
	static unsigned n;
	char *path = paths[n++ % 8];

	(void)snprintf(path, sizeof paths[0], "%s/%s", toy_folder, name);
	return (path);
}

/* Writes a file in place. */
static inline void
toy_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	(void)close(fd);
}

/* Replaces a file by one that is renamed. */
static inline void
toy_replace(const char *path, const char *text)
{
	char aside[264];

	(void)snprintf(aside, sizeof aside, "%s.new", path);
	toy_write(aside, text);
	ck_assert_int_eq(rename(aside, path), 0);
}

/* Leaves a copy of this text, as another process would have left it. */
static inline void
toy_leave_copy(const char *path, const char *text, const char *copy)
{
	struct fm_sources *sources = fm_sources_new(true);
	struct fm_file *file;

	toy_write(path, text);
	file = fm_sources_read(sources, path, 1000, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	fm_file_free(&file);
	ck_assert_int_eq(fm_sources_save(sources, copy, NULL), 0);
	fm_sources_free(&sources);
}

/*--------------------------------------------------------------------
 * Lives
 */

static inline struct fm_live_options
toy_options(const char *path, double watch)
{
	struct toy_recipe *recipe = toy_recipe(path);
	struct fm_live_options options = {
		.type = &toy_type, .name = "site", .path = recipe->path,
		.key = recipe->path, .recipe = recipe, .watch = watch,
		.bind = toy_bind, .tell = toy_tell
	};

	return (options);
}

/* Returns a live that was opened and is warm. */
static inline struct fm_live *
toy_open(const char *path, double watch)
{
	struct fm_live_options options = toy_options(path, watch);
	struct fm_diag *diag = fm_diag_new();
	struct fm_live *live;

	live = fm_live_open(&options, diag);
	ck_assert_msg(live != NULL, "%s", fm_diag_line(diag, 0));
	ck_assert_int_eq(fm_live_warm(live, diag), 0);
	fm_diag_free(&diag);
	return (live);
}

/* Returns true if a live serves this text. */
static inline bool
toy_serves(const struct fm_live *live, const char *text)
{
	const struct fm_version *version = fm_live_get(live);
	const struct toy *toy;
	bool same;

	ck_assert_ptr_nonnull(version);
	FM_OBJ_CHECK(version, FM_VERSION_MAGIC);
	toy = version->payload;
	FM_OBJ_CHECK(toy, TOY_MAGIC);
	same = strcmp(toy->text, text) == 0;
	fm_live_put(version);
	return (same);
}

static inline unsigned
toy_generation(const struct fm_live *live)
{
	struct fm_live_facts facts;

	fm_live_facts(live, &facts);
	return ((unsigned)facts.generation);
}

/* Returns true if a live serves its backup copy. */
static inline bool
toy_is_backup(const struct fm_live *live)
{
	struct fm_live_facts facts;

	fm_live_facts(live, &facts);
	return (facts.backup);
}

/* Asserts that all toys and recipes were freed. */
static inline void
toy_nothing_left(void)
{
	ck_assert_int_eq(TOY_COUNT(toy_alive), 0);
	ck_assert_int_eq(TOY_COUNT(toy_recipes), 0);
}

/* Waits until a condition is true: for a minute or more on a busy machine. */
#define TOY_UNTIL(is)							\
	do {								\
		int n_;							\
		for (n_ = 0; n_ < 50000 && !(is); n_++)			\
			(void)usleep(1000);				\
		ck_assert_msg((is), "never: %s, said:\n%s", #is,	\
		    toy_said);						\
	} while (0)

/*
 * Waits until all is freed.  Closing doesn't wait for a reading that goes on;
 * when its recipe was freed, the reading has ended, and makes no more toys.
 */
static inline void
toy_nothing_stays(void)
{
	TOY_UNTIL(TOY_COUNT(toy_recipes) == 0);
	TOY_UNTIL(TOY_COUNT(toy_alive) == 0);
}

#endif
