/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A library for LD_PRELOAD that makes Hyperscan and PCRE2 fail on demand.  It
 * stands between the engines and a program: a test, the command, or varnishd
 * with the module as it is shipped.  FM_FAIL_ENGINE has names of failures,
 * separated by commas:
 *
 *	platform	this machine can't run the scanner
 *	selftest	every second scan of more than 64 bytes sees nothing
 *	end		what ends where the input does isn't seen after a hit
 *	text-end	no regex that ends in \z matches, if its set has others
 *	scratch		no scratch is given
 *	scratch-memory	there is no memory for scratch
 *	compile		no set is compiled, that of the self-test neither
 *	compile-later	no memory to compile one once the self-test is over
 *	prefilter	no regex is taken as a prefilter
 *	scan		once the self-test is over every scan fails
 *	scan-middle	... at its first hit; without one every third does
 *	clone		... every second thread's scratch isn't to be had
 *	jit		PCRE2 has no JIT
 *	jit-stack	the JIT's first stack is too small, always
 *
 * The library appends the name of each failure that has happened, once, to the
 * file that FM_FAIL_LOG names.  A test reads the file, since a test whose
 * failure never happens has tested nothing.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#ifdef HAVE_HYPERSCAN
#  include <hs.h>
#endif
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define FAILURES(X)							\
	X(platform, "platform") X(selftest, "selftest") X(end, "end")	\
	X(text_end, "text-end")						\
	X(scratch, "scratch") X(scratch_memory, "scratch-memory")	\
	X(compile, "compile") X(compile_later, "compile-later")		\
	X(prefilter, "prefilter") X(scan, "scan")			\
	X(scan_middle, "scan-middle") X(clone, "clone")			\
	X(jit, "jit") X(jit_stack, "jit-stack")

enum failure {
#define FAILURE_ENUM(name, word)	FAIL_##name,
	FAILURES(FAILURE_ENUM)
#undef FAILURE_ENUM
	FAIL__N
};

static const char * const failure_words[FAIL__N] = {
#define FAILURE_WORD(name, word)	word,
	FAILURES(FAILURE_WORD)
#undef FAILURE_WORD
};

static bool wanted[FAIL__N];
static int noted[FAIL__N];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/*--------------------------------------------------------------------
 * The failures that are wanted
 */

static void
read_wanted(void)
{
	const char *s = getenv("FM_FAIL_ENGINE");
	size_t len;
	int i;

	while (s != NULL && *s != '\0') {
		len = strcspn(s, ",");
		for (i = 0; i < FAIL__N; i++)
			if (strlen(failure_words[i]) == len &&
			    strncmp(failure_words[i], s, len) == 0)
				break;
		if (i == FAIL__N) {
			fprintf(stderr, "FM_FAIL_ENGINE: what is '%s'?\n", s);
			abort();
		}
		wanted[i] = true;
		s += len + (s[len] == ',');
	}
}

static bool
is_wanted(enum failure what)
{
	(void)pthread_once(&once, read_wanted);
	return (wanted[what]);
}

/* Notes a failure in the log; returns true. */
static bool
failed(enum failure what)
{
	const char *log = getenv("FM_FAIL_LOG");
	char line[40];
	int fd, n;

	if (__atomic_exchange_n(&noted[what], 1, __ATOMIC_RELAXED) ||
	    log == NULL)
		return (true);
	n = snprintf(line, sizeof line, "%s\n", failure_words[what]);
	fd = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	(void)close(fd);
	return (true);
}

static bool
fails(enum failure what)
{
	return (is_wanted(what) && failed(what));
}

static void *
real(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL) {
		fprintf(stderr, "no %s: %s\n", name, dlerror());
		abort();
	}
	return (p);
}

/* Declares real_, the engine's function of this name, with its type. */
#define REAL(function)							\
	static __typeof__(&function) real_;				\
	if (__atomic_load_n(&real_, __ATOMIC_RELAXED) == NULL)		\
		__atomic_store_n(&real_,				\
		    (__typeof__(&function))real(#function),		\
		    __ATOMIC_RELAXED)

/*--------------------------------------------------------------------
 * Hyperscan
 */

#ifdef HAVE_HYPERSCAN

/* The regex of the last set that the self-test makes (scan.c). */
#define SELFTEST_LAST	"L[A-F]\\z"

static bool selftest_seen, selftest_over;

static bool
is_over(void)
{
	return (__atomic_load_n(&selftest_over, __ATOMIC_ACQUIRE));
}

/* Returns true for every n-th call. */
static bool
every(unsigned n)
{
	static unsigned calls;

	return (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % n == n - 1);
}

hs_error_t
hs_valid_platform(void)
{
	REAL(hs_valid_platform);
	return (fails(FAIL_platform) ? HS_ARCH_ERROR : real_());
}

static char no_memory_text[] = "Unable to allocate memory.";
static hs_compile_error_t no_memory = { no_memory_text, -1 };

hs_error_t
hs_free_compile_error(hs_compile_error_t *error)
{
	REAL(hs_free_compile_error);
	return (error == &no_memory ? HS_SUCCESS : real_(error));
}

/* Fails as Hyperscan does with a regex that it can't compile. */
static hs_error_t
refuse(hs_compile_error_t **error)
{
	hs_database_t *db;

	REAL(hs_compile);
	return (real_("(", 0, HS_MODE_BLOCK, NULL, &db, error));
}

/* Compiles a set with another regex in place of each that ends in \z. */
static hs_error_t
compile_without_ends(const char *const *texts, const unsigned *flags,
    const unsigned *ids, unsigned n, unsigned mode,
    const hs_platform_info_t *platform, hs_database_t **db,
    hs_compile_error_t **error)
{
	const char **others = calloc(n, sizeof *others);
	hs_error_t outcome;
	size_t len;
	unsigned i;

	REAL(hs_compile_multi);
	if (others == NULL)
		abort();
	for (i = 0; i < n; i++) {
		len = strlen(texts[i]);
		others[i] = texts[i];
		if (len >= 2 && strcmp(texts[i] + len - 2, "\\z") == 0 &&
		    n > 1 && failed(FAIL_text_end))
			others[i] = "\\xff\\x00\\xff\\x01\\xff\\x02";
	}
	outcome = real_(others, flags, ids, n, mode, platform, db, error);
	free(others);
	return (outcome);
}

hs_error_t
hs_compile_multi(const char *const *texts, const unsigned *flags,
    const unsigned *ids, unsigned n, unsigned mode,
    const hs_platform_info_t *platform, hs_database_t **db,
    hs_compile_error_t **error)
{
	bool gates = false;
	unsigned i;

	REAL(hs_compile_multi);
	for (i = 0; i < n; i++) {
		if (strcmp(texts[i], SELFTEST_LAST) == 0)
			selftest_seen = true;
		gates |= (flags[i] & HS_FLAG_PREFILTER) != 0;
	}
	*db = NULL;
	*error = NULL;
	if (is_over() && fails(FAIL_compile_later)) {
		*error = &no_memory;
		return (HS_COMPILER_ERROR);
	}
	if (fails(FAIL_compile) || (gates && fails(FAIL_prefilter)))
		return (refuse(error));
	if (is_wanted(FAIL_text_end))
		return (compile_without_ends(texts, flags, ids, n, mode,
		    platform, db, error));
	return (real_(texts, flags, ids, n, mode, platform, db, error));
}

/* The self-test is over when its last set is freed. */
hs_error_t
hs_free_database(hs_database_t *db)
{
	REAL(hs_free_database);
	if (selftest_seen)
		__atomic_store_n(&selftest_over, true, __ATOMIC_RELEASE);
	return (real_(db));
}

hs_error_t
hs_alloc_scratch(const hs_database_t *db, hs_scratch_t **scratch)
{
	REAL(hs_alloc_scratch);
	if (!fails(FAIL_scratch) && !fails(FAIL_scratch_memory))
		return (real_(db, scratch));
	/* Hyperscan, too, frees scratch that it can't make larger. */
	(void)hs_free_scratch(*scratch);
	*scratch = NULL;
	return (is_wanted(FAIL_scratch) ? HS_DB_PLATFORM_ERROR : HS_NOMEM);
}

hs_error_t
hs_clone_scratch(const hs_scratch_t *from, hs_scratch_t **to)
{
	REAL(hs_clone_scratch);
	*to = NULL;
	if (is_wanted(FAIL_clone) && is_over() && every(2) &&
	    failed(FAIL_clone))
		return (HS_NOMEM);
	return (real_(from, to));
}

/* The caller's handler, for scans that end with an error in the middle. */
struct middle {
	match_event_handler	hit;
	void			*priv;
	bool			was;
};

static int
middle_hit(unsigned id, unsigned long long from, unsigned long long to,
    unsigned flags, void *priv)
{
	struct middle *middle = priv;

	middle->was = true;
	(void)middle->hit(id, from, to, flags, middle->priv);
	return (1);
}

/* The caller's handler, for scans that miss a match at the end. */
struct end {
	match_event_handler	hit;
	void			*priv;
	unsigned		len;
	bool			was;
};

static int
end_hit(unsigned id, unsigned long long from, unsigned long long to,
    unsigned flags, void *priv)
{
	struct end *end = priv;

	if (end->was && to == end->len && failed(FAIL_end))
		return (0);
	end->was = true;
	return (end->hit(id, from, to, flags, end->priv));
}

hs_error_t
hs_scan(const hs_database_t *db, const char *data, unsigned len,
    unsigned flags, hs_scratch_t *scratch, match_event_handler hit,
    void *priv)
{
	struct middle middle = { hit, priv, false };
	struct end end = { hit, priv, len, false };

	REAL(hs_scan);
	if (len > 64 && is_wanted(FAIL_selftest) && every(2) &&
	    failed(FAIL_selftest))
		return (HS_SUCCESS);
	if (is_wanted(FAIL_end))
		return (real_(db, data, len, flags, scratch, end_hit, &end));
	if (is_over() && fails(FAIL_scan))
		return (HS_UNKNOWN_ERROR);
	if (!is_wanted(FAIL_scan_middle) || !is_over())
		return (real_(db, data, len, flags, scratch, hit, priv));
	(void)real_(db, data, len, flags, scratch, middle_hit, &middle);
	return ((middle.was || every(3)) && failed(FAIL_scan_middle) ?
	    HS_UNKNOWN_ERROR : HS_SUCCESS);
}

#endif

/*--------------------------------------------------------------------
 * PCRE2
 */

int
pcre2_jit_compile(pcre2_code *code, uint32_t options)
{
	REAL(pcre2_jit_compile_8);
	return (fails(FAIL_jit) ? PCRE2_ERROR_NOMEMORY : real_(code, options));
}

/* Fails as with too small a stack, until the caller gives the match its own. */
int
pcre2_match(const pcre2_code *code, PCRE2_SPTR subject, PCRE2_SIZE len,
    PCRE2_SIZE start, uint32_t options, pcre2_match_data *data,
    pcre2_match_context *context)
{
	static _Thread_local const pcre2_match_context *refused;

	REAL(pcre2_match_8);
	if (is_wanted(FAIL_jit_stack) && context != NULL &&
	    context != refused && failed(FAIL_jit_stack)) {
		refused = context;
		return (PCRE2_ERROR_JIT_STACKLIMIT);
	}
	return (real_(code, subject, len, start, options, data, context));
}
