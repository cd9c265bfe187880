/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a fuzz target is: libFuzzer's entry, and what replay.c needs to know
 * of it.  tests/fuzz/README.md says how to run them.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/*
 * Whether a request follows the rules in an input, behind a line with
 * FUZZ_SEPARATOR alone:
 *
 *	METHOD URL
 *	Name: value		any number of these
 *	client ADDRESS		where there is no colon before the blank
 *	esi
 */
extern const bool fuzz_has_request;

#define FUZZ_SEPARATOR	"==="

/* A bug was found: says which, and ends. */
#define FUZZ_CHECK(is, ...)						\
	do {								\
		if (!(is)) {						\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
			abort();					\
		}							\
	} while (0)

#endif
