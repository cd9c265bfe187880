/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scans with Hyperscan (scan.h): compiles patterns to a database, runs it, and
 * tests the engine.  Hyperscan has traps, and this is how we avoid them:
 *
 * - We compile databases for a generic platform, not for this CPU.  They are
 *   never slower for our patterns, up to twice as fast, and the same on all
 *   machines.
 * - We write literals as \xHH for hs_compile_multi(), because some inputs make
 *   hs_scan() fail with databases of hs_compile_lit_multi().
 * - The vector code reads a few bytes past the end of its input, so we hand it
 *   a copy that has room after it.
 * - hs_alloc_scratch() checksums the whole database, which takes too long for a
 *   request.  So one prototype scratch grows when a scan is made, and each
 *   thread clones it.
 * - Some builds miss matches on some machines, so we use no build before it has
 *   passed the self-test at the end of this file.  The self-test also says
 *   which anchors the build lacks, and no regex with these is scanned for.
 */

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <hs.h>

#include "caps.h"
#include "obj.h"
#include "scan.h"
#include "syntax.h"
#include "thread.h"

/* Bytes after the input: the widest vector is 64 bytes. */
#define SCAN_PADDING	64

struct fm_scan {
	unsigned		magic;
#define FM_SCAN_MAGIC		0x61f4d29b
	unsigned		generation;	/* the first generation of the
						 * prototype that is large
						 * enough */
	size_t			scratch_bytes;	/* for this scan alone */
	hs_database_t		*db;
};

/* Each thread that scans has one of these. */
struct scan_thread {
	unsigned		magic;
#define SCAN_THREAD_MAGIC	0x18c95e0a
	unsigned		generation;	/* of the prototype that was
						 * cloned */
	hs_scratch_t		*scratch;	/* the clone, or NULL */
	char			*buf;		/* copy of the subject */
	size_t			cap;		/* bytes of buf */
};

/*
 * The prototype scratch, and its generation, which counts how often it grew.
 * scan_mtx protects both, and is held for as long as a clone takes.  A thread
 * that makes the prototype grow holds scan_grow_mtx all the time, and scan_mtx
 * only at the end, so that no request waits for hs_alloc_scratch().
 */
static pthread_mutex_t scan_grow_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t scan_mtx = PTHREAD_MUTEX_INITIALIZER;
static hs_scratch_t *scan_prototype;
static unsigned scan_generation;

/* Held during the self-test, which makes scans itself. */
static pthread_mutex_t scan_health_mtx = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(enum fm_scan_health) scan_health = FM_SCAN_UNTESTED;
static _Atomic unsigned scan_lacks;	/* set before scan_health is */

static hs_error_t scan_selftest(unsigned *lacks);

/*--------------------------------------------------------------------
 * A job: the expressions, as hs_compile_multi() takes them
 */

struct scan_job {
	unsigned		n;
	const char		**texts;	/* one allocation, which holds
						 * flags, ids and bytes, too */
	unsigned		*flags, *ids;
	char			*bytes;		/* free room for expressions */
	bool			no_memory;	/* the engine lacked memory */
};

/* Makes room for n expressions, and for `bytes` bytes of their texts. */
static bool
job_init(struct scan_job *job, size_t n, size_t bytes)
{
	memset(job, 0, sizeof *job);
	if (n <= UINT_MAX)
		job->texts = calloc(1, n * (sizeof *job->texts +
		    2 * sizeof *job->flags) + bytes);
	if (job->texts == NULL)
		return (false);
	job->flags = (unsigned *)(job->texts + n);
	job->ids = job->flags + n;
	job->bytes = (char *)(job->ids + n);
	return (true);
}

static void
job_add(struct scan_job *job, const char *text, unsigned flags, size_t id)
{
	job->texts[job->n] = text;
	job->flags[job->n] = flags | HS_FLAG_SINGLEMATCH;
	job->ids[job->n++] = (unsigned)id;
}

/*
 * Writes the expression of a text, in which each byte means itself, or of a
 * glob.  A glob that is a prefilter has no anchor at its end.  Returns the byte
 * after the expression's NUL.
 *
 *	text ab		\x61\x62
 *	glob ab		^\x61\x62\z
 *	glob a?b*	^\x61.\x62		a star at an end has no anchor
 *	glob *a*b	\x61.*\x62\z
 */
static char *
expression_write(char *to, struct fm_text text, bool glob, bool prefilter)
{
	const char *start = to;
	size_t i;

	if (glob && (text.len == 0 || text.b[0] != '*'))
		*to++ = '^';
	for (i = 0; i < text.len; i++)
		if (glob && text.b[i] == '?')
			*to++ = '.';
		else if (!glob || text.b[i] != '*')
			to += sprintf(to, "\\x%02x", (unsigned char)text.b[i]);
		else if (to > start && i + 1 < text.len &&
		    text.b[i + 1] != '*')
			to = stpcpy(to, ".*");
	to = stpcpy(to, !glob || prefilter || (text.len > 0 &&
	    text.b[text.len - 1] == '*') ? "" : "\\z");
	return (to + 1);
}

/* Returns how many bytes expression_write() needs for a pattern. */
static size_t
expression_room(const struct fm_pattern *pattern)
{
	return (fm_pattern_kind(pattern) == FM_PATTERN_REGEX ? 0 :
	    FM_SCAN_BYTE * fm_pattern_text(pattern).len + sizeof "^\\z");
}

/* Adds a pattern: the text of a regex is the pattern's own. */
static void
job_add_pattern(struct scan_job *job, const struct fm_pattern *pattern,
    bool prefilter, size_t id)
{
	unsigned flags = fm_pattern_nocase(pattern) ? HS_FLAG_CASELESS : 0;
	const char *text = job->bytes;
	bool glob = fm_pattern_kind(pattern) == FM_PATTERN_GLOB;

	if (fm_pattern_kind(pattern) == FM_PATTERN_REGEX) {
		job_add(job, fm_pattern_text(pattern).b, flags |
		    HS_FLAG_ALLOWEMPTY | (prefilter ? HS_FLAG_PREFILTER : 0),
		    id);
		return;
	}
	if (glob)
		flags |= HS_FLAG_DOTALL | HS_FLAG_ALLOWEMPTY;
	job->bytes = expression_write(job->bytes, fm_pattern_text(pattern),
	    glob, prefilter);
	job_add(job, text, flags, id);
}

/*--------------------------------------------------------------------
 * Compiling it
 */

/*
 * Frees an error, and notes if it says that memory is lacking: all errors of
 * the compiler have one code, so only the message tells.
 */
static void
job_error(struct scan_job *job, hs_compile_error_t *error)
{
	if (error != NULL && error->message != NULL &&
	    strstr(error->message, "allocate memory") != NULL)
		job->no_memory = true;
	(void)hs_free_compile_error(error);
}

/* Compiles n expressions of a job from i on.  Returns NULL if that fails. */
static hs_database_t *
job_compile(struct scan_job *job, unsigned i, unsigned n)
{
	hs_platform_info_t generic;
	hs_compile_error_t *error = NULL;
	hs_database_t *db = NULL;

	memset(&generic, 0, sizeof generic);
	if (n > 0 && hs_compile_multi(job->texts + i, job->flags + i,
	    job->ids + i, n, HS_MODE_BLOCK, &generic, &db,
	    &error) != HS_SUCCESS)
		job_error(job, error);
	return (db);
}

/* Returns false if the engine can't read an expression; it reads all texts. */
static bool
job_reads(struct scan_job *job, unsigned i)
{
	hs_expr_info_t *info = NULL;
	hs_compile_error_t *error = NULL;

	if ((job->flags[i] & HS_FLAG_ALLOWEMPTY) == 0)
		return (true);
	if (hs_expression_info(job->texts[i], job->flags[i], &info,
	    &error) != HS_SUCCESS)
		job_error(job, error);
	free(info);
	return (info != NULL);
}

static bool
job_compiles(struct scan_job *job, unsigned i)
{
	hs_database_t *db = job_compile(job, i, 1);

	(void)hs_free_database(db);
	return (db != NULL);
}

/* Removes a refused expression; the last expression takes its place. */
static void
job_refuse(struct scan_job *job, unsigned char *matchers, unsigned i)
{
	if (matchers != NULL)
		matchers[job->ids[i]] = FM_MATCHER_PLACE;
	job->n--;
	job->texts[i] = job->texts[job->n];
	job->flags[i] = job->flags[job->n];
	job->ids[i] = job->ids[job->n];
}

/* Removes each expression for which takes() returns false. */
static void
job_try_each(struct scan_job *job, unsigned char *matchers,
    bool (*takes)(struct scan_job *, unsigned))
{
	unsigned i;

	for (i = job->n; i-- > 0 && !job->no_memory;)
		if (!takes(job, i) && !job->no_memory)
			job_refuse(job, matchers, i);
}

/*
 * Compiles a job, without the expressions that the engine refuses.  To read an
 * expression is cheap, and finds nearly all of these.  If the job still does
 * not compile, each expression is compiled alone, which is not cheap.
 */
static hs_database_t *
scan_database(struct scan_job *job, unsigned char *matchers)
{
	hs_database_t *db;

	job_try_each(job, matchers, job_reads);
	db = job_compile(job, 0, job->n);
	if (db == NULL && !job->no_memory) {
		job_try_each(job, matchers, job_compiles);
		db = job_compile(job, 0, job->n);
	}
	return (db);
}

/* Measures the scratch of this scan alone. */
static hs_error_t
scan_measure(struct fm_scan *scan)
{
	hs_scratch_t *scratch = NULL;
	hs_error_t error;

	error = hs_alloc_scratch(scan->db, &scratch);
	if (error == HS_SUCCESS)
		error = hs_scratch_size(scratch, &scan->scratch_bytes);
	(void)hs_free_scratch(scratch);
	return (error);
}

/* Makes a scan of a job, whose memory it frees. */
static hs_error_t
scan_compile(struct scan_job *job, unsigned char *matchers, struct fm_scan **sp)
{
	hs_error_t error = HS_COMPILER_ERROR;

	FM_OBJ_NEW(*sp, FM_SCAN_MAGIC);
	if (*sp != NULL)
		(*sp)->db = scan_database(job, matchers);
	if (*sp == NULL || job->no_memory)
		error = HS_NOMEM;
	else if ((*sp)->db != NULL)
		error = scan_measure(*sp);
	if (*sp != NULL && error != HS_SUCCESS)
		fm_scan_free(sp);
	free(job->texts);
	return (error);
}

/* Returns true if the engine passes the self-test, which runs once. */
static bool
scan_is_healthy(void)
{
	hs_error_t error;
	unsigned lacks = 0;

	pthread_mutex_lock(&scan_health_mtx);
	if (scan_health == FM_SCAN_UNTESTED) {
		error = hs_valid_platform();
		if (error == HS_SUCCESS)
			error = scan_selftest(&lacks);
		if (error == HS_SUCCESS)
			scan_lacks = lacks;
		if (error != HS_NOMEM)
			scan_health = error == HS_SUCCESS ?
			    FM_SCAN_HEALTHY : FM_SCAN_FAILED;
	}
	pthread_mutex_unlock(&scan_health_mtx);
	return (scan_health == FM_SCAN_HEALTHY);
}

void
fm_scan_free(struct fm_scan **sp)
{
	struct fm_scan *scan;

	FM_OBJ_TAKE(scan, sp, FM_SCAN_MAGIC);
	(void)hs_free_database(scan->db);
	FM_OBJ_FREE(scan);
}

size_t
fm_scan_bytes(const struct fm_scan *scan)
{
	size_t bytes = 0;

	FM_OBJ_CHECK(scan, FM_SCAN_MAGIC);
	(void)hs_database_size(scan->db, &bytes);
	return (sizeof *scan + bytes);
}

size_t
fm_scan_scratch_bytes(const struct fm_scan *scan)
{
	FM_OBJ_CHECK(scan, FM_SCAN_MAGIC);
	return (scan->scratch_bytes);
}

/*
 * Makes the prototype large enough for a scan.  hs_alloc_scratch() frees a
 * scratch that it can't grow, so a clone grows, and then becomes the prototype.
 */
static hs_error_t
scan_grow_prototype(struct fm_scan *scan)
{
	hs_scratch_t *grown = NULL;
	hs_error_t error = HS_SUCCESS;

	pthread_mutex_lock(&scan_grow_mtx);
	if (scan_prototype != NULL)
		error = hs_clone_scratch(scan_prototype, &grown);
	if (error == HS_SUCCESS)
		error = hs_alloc_scratch(scan->db, &grown);
	if (error == HS_SUCCESS) {
		pthread_mutex_lock(&scan_mtx);
		(void)hs_free_scratch(scan_prototype);
		scan_prototype = grown;
		scan->generation = ++scan_generation;
		pthread_mutex_unlock(&scan_mtx);
	} else
		(void)hs_free_scratch(grown);
	pthread_mutex_unlock(&scan_grow_mtx);
	return (error);
}

/*
 * Returns false if the scan is more than a load may have.  The prototype never
 * shrinks, so this is asked before the prototype grows.
 */
static bool
scan_is_allowed(const struct fm_scan *scan, const struct fm_place *place,
    struct fm_diag *diag)
{
	return (fm_caps_take(FM_CAP_DATABASES, fm_scan_bytes(scan), place,
	    diag) && fm_caps_take(FM_CAP_SCRATCH, scan->scratch_bytes, place,
	    diag));
}

static bool
is_scanned(unsigned char matcher)
{
	return (matcher == FM_MATCHER_SCAN || matcher == FM_MATCHER_PREFILTER);
}

/*
 * Returns the matcher of a pattern: SCAN or PREFILTER, unless the engine misses
 * matches of the pattern.  Without its end, a glob may be scanned for all the
 * same.
 */
static unsigned char
scan_matcher(const struct fm_pattern *pattern, unsigned char matcher)
{
	struct fm_text text = fm_pattern_text(pattern);
	bool glob = fm_pattern_kind(pattern) == FM_PATTERN_GLOB;
	struct fm_syntax syntax;

	if (scan_lacks == 0 || fm_pattern_kind(pattern) ==
	    FM_PATTERN_CONTAINS)
		return (matcher);
	syntax = glob ? fm_syntax_read_glob(text) : fm_syntax_read(text);
	if ((syntax.ends & scan_lacks) == 0)
		return (matcher);
	return (glob ? FM_MATCHER_PREFILTER : FM_MATCHER_PLACE);
}

struct fm_scan *
fm_scan_new(struct fm_pattern * const *patterns, unsigned char *matchers,
    size_t n, const struct fm_place *place, struct fm_diag *diag)
{
	size_t i, wanted = 0, bytes = 0;
	struct fm_scan *scan = NULL;
	struct scan_job job;

	for (i = 0; i < n; i++)
		wanted += is_scanned(matchers[i]);
	if (wanted == 0 || !scan_is_healthy())
		return (NULL);
	for (i = 0, wanted = 0; i < n; i++) {
		if (!is_scanned(matchers[i]))
			continue;
		matchers[i] = scan_matcher(patterns[i], matchers[i]);
		wanted += is_scanned(matchers[i]);
		bytes += expression_room(patterns[i]);
	}
	if (wanted == 0 || !job_init(&job, wanted, bytes))
		return (NULL);
	for (i = 0; i < n; i++)
		if (is_scanned(matchers[i]))
			job_add_pattern(&job, patterns[i],
			    matchers[i] == FM_MATCHER_PREFILTER, i);
	if (scan_compile(&job, matchers, &scan) == HS_SUCCESS &&
	    (!scan_is_allowed(scan, place, diag) ||
	    scan_grow_prototype(scan) != HS_SUCCESS))
		fm_scan_free(&scan);
	return (scan);
}

/*--------------------------------------------------------------------
 * Running it
 */

static void
scan_thread_free(void *priv)
{
	struct scan_thread *st;

	FM_OBJ_CAST(st, priv, SCAN_THREAD_MAGIC);
	(void)hs_free_scratch(st->scratch);
	free(st->buf);
	FM_OBJ_FREE(st);
}

/* Clones the prototype, if this thread's scratch is too old for the scan. */
static hs_error_t
scan_thread_scratch(struct scan_thread *st, const struct fm_scan *scan)
{
	hs_scratch_t *scratch = NULL;
	hs_error_t error;

	if (st->scratch != NULL && st->generation >= scan->generation)
		return (HS_SUCCESS);
	pthread_mutex_lock(&scan_mtx);
	error = hs_clone_scratch(scan_prototype, &scratch);
	if (error == HS_SUCCESS) {
		(void)hs_free_scratch(st->scratch);
		st->scratch = scratch;
		st->generation = scan_generation;
	}
	pthread_mutex_unlock(&scan_mtx);
	return (error);
}

/* Copies the subject to the thread's buffer, which has room after it. */
static bool
scan_thread_copy(struct scan_thread *st, struct fm_text subject)
{
	size_t cap = 2 * (subject.len + SCAN_PADDING);
	char *buf;

	if (st->cap < subject.len + SCAN_PADDING) {
		buf = calloc(1, cap);
		if (buf == NULL)
			return (false);
		free(st->buf);
		st->buf = buf;
		st->cap = cap;
	}
	memcpy(st->buf, subject.b, subject.len);
	return (true);
}

struct scan_call {
	fm_scan_hit_f	*hit;
	void		*priv;
};

static int
scan_event(unsigned id, unsigned long long from, unsigned long long to,
    unsigned flags, void *priv)
{
	const struct scan_call *call = priv;

	(void)from;
	(void)to;
	(void)flags;
	return (call->hit(call->priv, id) ? 1 : 0);
}

static hs_error_t
scan_run(const struct fm_scan *scan, struct fm_text subject, fm_scan_hit_f *hit,
    void *priv)
{
	struct scan_call call = { hit, priv };
	struct scan_thread *st;
	hs_error_t error;

	FM_OBJ_CHECK(scan, FM_SCAN_MAGIC);
	assert(scan->generation > 0);
	assert(subject.len > 0);
	st = fm_thread_make(FM_THREAD_SCAN, sizeof *st, SCAN_THREAD_MAGIC,
	    scan_thread_free);
	if (st == NULL || !scan_thread_copy(st, subject))
		return (HS_NOMEM);
	error = scan_thread_scratch(st, scan);
	if (error == HS_SUCCESS)
		error = hs_scan(scan->db, st->buf, (unsigned)subject.len, 0,
		    st->scratch, scan_event, &call);
	return (error == HS_SCAN_TERMINATED ? HS_SUCCESS : error);
}

bool
fm_scan_run(const struct fm_scan *scan, struct fm_text subject,
    fm_scan_hit_f *hit, void *priv)
{
	return (subject.len <= UINT_MAX &&
	    scan_run(scan, subject, hit, priv) == HS_SUCCESS);
}

enum fm_scan_health
fm_scan_health(void)
{
	return (scan_health);
}

unsigned
fm_scan_lacks(void)
{
	return (scan_lacks);
}

const char *
fm_scan_lacks_name(void)
{
	static const char * const names[] = {
		[0] = NULL,
		[FM_SYNTAX_TEXT_END] = "`\\z`",
		[FM_SYNTAX_LINE_END] = "`$`",
		[FM_SYNTAX_TEXT_END | FM_SYNTAX_LINE_END] = "`\\z` and `$`"
	};

	return (names[scan_lacks]);
}

const char *
fm_scan_engine(void)
{
	return (hs_version());
}

/*--------------------------------------------------------------------
 * The self-test: does this engine find all matches on this machine?
 *
 * It judges by construct.  If a set or a regex fails that has an anchor at its
 * end (fm_syntax.ends), the engine lacks that anchor, and patterns without it
 * are scanned for all the same.  If any other fails, the engine is never used.
 *
 * These builds of Vectorscan have faults:
 * - 5.4.13 misses a match of one byte before `\z`, and finds others that are
 *   none, if the same database has literals.  It lacks nothing else.
 * - 5.4.9, 5.4.11 and 5.4.12 miss a match of two bytes at the end of the input,
 *   with the anchor or without it, if the database has other literals and the
 *   CPU has AVX2.  So `\z` is not all that they lack.
 * - 5.4.9 and 5.4.11 miss one match in two of classes that match a single byte,
 *   past the first bytes of the input, on CPUs with AVX-512.  With NEON they
 *   miss some texts of two bytes beside some texts of one: JJ in its set below.
 * - 5.4.11 and 5.4.13 with SVE find (?i)b0 in b, 0x10.
 */

#define SELFTEST_MAX	299	/* bytes: four vectors of 64, and more */
#define SELFTEST_FEW	99	/* bytes: one vector of 64, and more */
#define SELFTEST_DENSE	36	/* two vectors of 16, and more: see below */
#define SELFTEST_SPARSE	140	/* two vectors of 64, and more */

/* 50 literals, which are too many for the engine's matcher of a few. */
#define TEN(w)	w "0Z " w "1Z " w "2Z " w "3Z " w "4Z " \
		w "5Z " w "6Z " w "7Z " w "8Z " w "9Z "
#define BRANDS	TEN("WA") TEN("WB") TEN("WC") TEN("WD") TEN("WE")

/*
 * Sets that are tried with inputs of 2 bytes and more.  An input is made of x,
 * which nothing matches, with a needle at one offset, and ends in one of
 * `ends`.  In inputs of up to SELFTEST_DENSE bytes the needle is at each offset
 * in turn.  As each process waits for this test, it is at a seventh of the
 * offsets in longer ones, other ones for each length: so all places in a
 * vector, and all distances to the end, have their turn.  Of the lengths from
 * SELFTEST_SPARSE on, a thirteenth is tried.
 *
 *	xxxCDxxxxx	needle "CD" at 3, no end
 */
static const struct selftest_set {
	const char	*regexes;	/* a blank is between two */
	const char	*needles[4];	/* used in turn */
	const char	*ends[2];	/* "": no end */
	size_t		longest;	/* input, in bytes */
} selftest_sets[] = {
	{ "C", { "C" }, { "" }, SELFTEST_MAX },
	{ "(?i)c", { "C" }, { "" }, SELFTEST_MAX },
	{ "CD EFG (?i)mot-v3", { "CD", "EFG", "Mot-v3" }, { "" },
	    SELFTEST_MAX },
	{ "[A-F]", { "D" }, { "" }, SELFTEST_MAX },
	{ "[^x]", { "\1", "\377" }, { "" }, SELFTEST_MAX },
	{ "[0-9][^x]? Q[A-F]+R KL", { "99", "QAFR", "KL" }, { "" },
	    SELFTEST_MAX },
	{ BRANDS, { "WA7Z", "WE6Z" }, { "" }, SELFTEST_MAX },
	{ "JJ V|\\xb2 0|\\xd6 8|\\xd5 (?i)T|\\xe5 #", { "JJ" }, { "" },
	    SELFTEST_FEW },
	{ "QR [A-F] ST", { "" }, { "C" }, SELFTEST_MAX },
	{ "K LM NO", { "K" }, { "LM", "NO" }, SELFTEST_FEW },
	{ "(?i)k M[A-F] NO", { "k" }, { "MA", "NO" }, SELFTEST_FEW },
	/* `$`, and with it a newline that is the last byte */
	{ "QR [A-F]$ ST", { "" }, { "C", "C\n" }, SELFTEST_MAX },
	{ "QR (?m)C$ STU", { "C\n" }, { "" }, SELFTEST_FEW },
	{ "(?:A|BC)$ ST", { "" }, { "A" }, SELFTEST_MAX },
	{ "BRA BRA.*[0-9]$ ST", { "BRA" }, { "7" }, SELFTEST_FEW },
	{ "(?i)k L[A-F]$ NO", { "k" }, { "LA" }, SELFTEST_FEW },
	/* `\z` */
	{ "QR [A-F]\\z ST", { "" }, { "C" }, SELFTEST_MAX },
	{ "(?:A|BC)\\z ST", { "" }, { "A" }, SELFTEST_MAX },
	{ "BRA BRA.*[0-9]\\z ST", { "BRA" }, { "7" }, SELFTEST_FEW },
	{ "(?i)k L[A-F]\\z NO", { "k" }, { "LA", "NO" }, SELFTEST_FEW },
};

/*
 * Regexes that have, all together, each construct that fm_syntax_read() lets
 * the engine decide.
 */
static const struct selftest_regex {
	const char	*regex;
	const char	*hit;		/* a subject that matches */
	const char	*misses[8];	/* those that do not */
} selftest_regexes[] = {
	{ "\\x41\\t\\r\\n\\f\\a\\e\\.\xe9", "A\t\r\n\f\a\033.\xe9",
	    { "A\t\r\n\f\a\033_\xe9" } },
	{ "^a.b(?s:.)c.d(?s).e", "a\rb\nc\rd\ne",
	    { "a\nb\nc\rd\ne", "a\rbc\rd\ne", "a\rb\nc\nd\ne",
	    "a\rb\nc\rde" } },
	{ "^[a-c][^a-c][]a-][^]x][\\d\\]\\x41][^\\s\\w]", "bx-yA-",
	    { "xx-yA-", "bb-yA-", "bxbyA-", "bx-]A-", "bx-yB-", "bx-yA ",
	    "bx-yA_" } },
	{ "^\\D\\W\\S\\d\\w\\s[\\D][\\W][\\S]", "a-x1_\va-x",
	    { "1-x1_\va-x", "aax1_\va-x", "a- 1_\va-x", "a-xx_\va-x",
	    "a-x1-\va-x", "a-x1__a-x", "a-x1_\v1-x", "a-x1_\vaax" } },
	{ "^[[:alpha:]][[:lower:]][[:upper:]][[:alnum:]]"
	    "[[:digit:]][[:xdigit:]][[:space:]][[:punct:]]", "ZaZ97f\v!",
	    { "7aZ97f\v!", "ZAZ97f\v!", "Zaz97f\v!", "ZaZ-7f\v!",
	    "ZaZ9af\v!", "ZaZ97g\v!", "ZaZ97f_!", "ZaZ97f\vx" } },
	{ "foo\\b[[:^digit:]].\\Bbar", "foo-xbar",
	    { "foo1xbar", "fooxxbar", "foo--bar" } },
	{ "^ab", "abc", { "c\nab" } },
	{ "ab$", "cab\n", { "ab\nc" } },
	{ "\\Aab\\z", "ab", { "ab\n", "\nab" } },
	{ "(?m:^ab)c$", "x\nabc", { "xabc", "x\nabc\ny" } },
	{ "(?ims)^a.b", "x\nA\nB\ny", { "xA\nB", "A\nC" } },
	{ "(?:^|;)id(?:;|$)", "a;id\n", { "aid", "idb" } },
	{ "(a|bb)(?:c)(d|)(d|)e", "xbbcde", { "xbcde", "bbdde", "acddde" } },
	{ "(?i)bOt", "Robot", { "boot" } },
	{ "(?i)b0", "B0", { "b\020" } },
	{ "x(?i:y)z(?i)a(?-i)b", "xYzAb", { "XYzAb", "xYZAb", "xYzAB" } },
	{ "^a*b*?c", "aac", { "abac", "aab" } },
	{ "^a+b+?c", "abbc", { "aac", "bbc" } },
	{ "^a?b?\?c", "ac", { "aac", "abbc" } },
	{ "^x{3}(?:ab){2}?", "xxxababc", { "xxabab", "xxxabaa" } },
	{ "^a{2,}b{2,}?c", "aaabbbc", { "abbc", "aabc" } },
	{ "^(?:ab){1,2}[ab]{1,2}?c", "ababbac", { "abc", "abababac" } },
};

#define SELFTEST_N(table)	(sizeof (table) / sizeof *(table))

/* Makes a scan of all regexes, and makes it ready.  Fails if one is refused. */
static hs_error_t
selftest_make(const char *regexes, struct fm_scan **sp)
{
	struct scan_job job;
	hs_error_t error;
	char *regex, *next;
	unsigned n;

	*sp = NULL;
	n = (unsigned)strlen(regexes) + 1;
	if (!job_init(&job, n, n))
		return (HS_NOMEM);
	next = memcpy(job.bytes, regexes, n);
	while ((regex = strsep(&next, " ")) != NULL)
		if (*regex != '\0')
			job_add(&job, regex, HS_FLAG_ALLOWEMPTY, job.n);
	n = job.n;
	error = scan_compile(&job, NULL, sp);
	if (error == HS_SUCCESS && job.n < n)
		error = HS_COMPILER_ERROR;	/* it has refused some */
	if (error == HS_SUCCESS)
		error = scan_grow_prototype(*sp);
	return (error);
}

static bool
selftest_hit(void *priv, uint32_t id)
{
	unsigned *hits = priv;

	(void)id;
	(*hits)++;
	return (false);
}

/* Runs a scan, and fails unless `wanted` regexes are found. */
static hs_error_t
selftest_run(const struct fm_scan *scan, struct fm_text input, unsigned wanted)
{
	unsigned hits = 0;
	hs_error_t error;

	error = scan_run(scan, input, selftest_hit, &hits);
	if (error == HS_SUCCESS && hits != wanted)
		error = HS_UNKNOWN_ERROR;
	return (error);
}

/* Tries inputs of one length, with one end. */
static hs_error_t
selftest_length(const struct fm_scan *scan, const struct selftest_set *set,
    const char *end, size_t len)
{
	size_t step = len > SELFTEST_DENSE ? 7 : 1;
	size_t off, n = 1, nend = strlen(end), nneedle;
	char input[SELFTEST_MAX];
	const char *needle;
	hs_error_t error;

	while (set->needles[n] != NULL)
		n++;
	memset(input, 'x', len);
	error = selftest_run(scan, fm_text(input, len), 0);
	memcpy(input + len - nend, end, nend);
	for (off = 3 * len % step; error == HS_SUCCESS && off < len;
	    off += step) {
		needle = set->needles[(len + off) % n];
		nneedle = strlen(needle);
		if (off + nneedle + nend > len)
			continue;
		memcpy(input + off, needle, nneedle);
		error = selftest_run(scan, fm_text(input, len),
		    (nneedle > 0) + (nend > 0));
		memset(input + off, 'x', nneedle);
		if (nneedle == 0)
			break;
	}
	return (error);
}

static hs_error_t
selftest_set(const struct selftest_set *set)
{
	struct fm_scan *scan;
	hs_error_t error;
	size_t i, len;

	error = selftest_make(set->regexes, &scan);
	for (i = 0; i < 2 && set->ends[i] != NULL; i++)
		for (len = 2; error == HS_SUCCESS && len <= set->longest;
		    len += len < SELFTEST_SPARSE ? 1 : 13)
			error = selftest_length(scan, set, set->ends[i], len);
	if (scan != NULL)
		fm_scan_free(&scan);
	return (error);
}

static hs_error_t
selftest_regex(const struct selftest_regex *r)
{
	struct fm_scan *scan;
	hs_error_t error;
	size_t i;

	error = selftest_make(r->regex, &scan);
	if (error == HS_SUCCESS)
		error = selftest_run(scan, fm_text_of(r->hit), 1);
	for (i = 0; error == HS_SUCCESS && i < SELFTEST_N(r->misses) &&
	    r->misses[i] != NULL; i++)
		error = selftest_run(scan, fm_text_of(r->misses[i]), 0);
	if (scan != NULL)
		fm_scan_free(&scan);
	return (error);
}

/*
 * Judges the outcome of one test.  If the test's regexes have anchors, adds
 * these to *lacks, and returns HS_SUCCESS all the same.
 */
static hs_error_t
selftest_judge(hs_error_t error, const char *regexes, unsigned *lacks)
{
	unsigned ends = fm_syntax_read(fm_text_of(regexes)).ends;

	if (error == HS_SUCCESS || error == HS_NOMEM || ends == 0)
		return (error);
	*lacks |= ends;
	return (HS_SUCCESS);
}

static hs_error_t
scan_selftest(unsigned *lacks)
{
	hs_error_t error = HS_SUCCESS;
	size_t i;

	for (i = 0; error == HS_SUCCESS && i < SELFTEST_N(selftest_regexes);
	    i++)
		error = selftest_judge(selftest_regex(&selftest_regexes[i]),
		    selftest_regexes[i].regex, lacks);
	for (i = 0; error == HS_SUCCESS && i < SELFTEST_N(selftest_sets); i++)
		error = selftest_judge(selftest_set(&selftest_sets[i]),
		    selftest_sets[i].regexes, lacks);
	return (error);
}
