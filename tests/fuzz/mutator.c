/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How libFuzzer changes an input: mostly one part of it, so that the other one
 * remains what it was; by bytes, as it knows best, or by whole lines, which is
 * what rules, patterns and requests are made of.  Crossed, two inputs give the
 * rules of one with the request of the other, or lines of both.
 */

#include "fuzz.h"

/* libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *, size_t, size_t);
size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *, size_t, const uint8_t *,
    size_t, uint8_t *, size_t, unsigned);

static uint32_t state;

static size_t
below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (state % n);
}

static void
seed(unsigned number)
{
	state = number == 0 ? 1 : number;
}

/* One line or a few, with their ends. */
static struct fm_text
some_lines(struct fm_text t)
{
	const char *b, *e, *end = t.b + t.len;
	size_t n;

	if (t.len == 0)
		return (t);
	b = t.b + below(t.len);
	while (b > t.b && b[-1] != '\n')
		b--;
	e = b;
	for (n = below(4) > 0 ? 1 : 1 + below(6); n > 0 && e < end; n--) {
		e = memchr(e, '\n', (size_t)(end - e));
		e = e == NULL ? end : e + 1;
	}
	return (fm_text_span(b, e));
}

/* Where a line begins, or the end. */
static const char *
some_place(struct fm_text t)
{
	struct fm_text lines = some_lines(t);

	return (below(4) > 0 ? lines.b : lines.b + lines.len);
}

/* Appends as much as there is room for. */
static void
append(struct fm_text t, char *out, size_t *len, size_t max)
{
	if (t.len > max - *len)
		t.len = max - *len;
	if (t.len > 0)
		memcpy(out + *len, t.b, t.len);
	*len += t.len;
}

/* Lines are gone, are there twice, or elsewhere. */
static size_t
change_lines(struct fm_text t, char *out, size_t max)
{
	struct fm_text lines = some_lines(t);
	const char *at = some_place(t), *end = t.b + t.len;
	bool stay = below(3) > 0, copy = below(4) > 0;
	size_t len = 0;

	if (at > lines.b && at < lines.b + lines.len)
		at = lines.b;
	if (at <= lines.b) {
		append(fm_text_span(t.b, at), out, &len, max);
		if (copy)
			append(lines, out, &len, max);
		append(fm_text_span(at, lines.b), out, &len, max);
		if (stay)
			append(lines, out, &len, max);
		append(fm_text_span(lines.b + lines.len, end), out, &len,
		    max);
		return (len);
	}
	append(fm_text_span(t.b, lines.b), out, &len, max);
	if (stay)
		append(lines, out, &len, max);
	append(fm_text_span(lines.b + lines.len, at), out, &len, max);
	if (copy)
		append(lines, out, &len, max);
	append(fm_text_span(at, end), out, &len, max);
	return (len);
}

/* The part to be changed; before and behind it nothing is. */
static struct fm_text
choose_part(struct fm_text input)
{
	struct fm_text first, second = input;

	if (!fuzz_has_parts || below(6) == 0 || !fuzz_part(&second, &first))
		return (input);
	return (below(2) == 0 ? first : second);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
    unsigned number)
{
	struct fm_text input = fm_text((const char *)data, size), part, tail;
	char *changed = malloc(max), *out = malloc(max);
	size_t len, outlen = 0, room;

	FUZZ_CHECK(changed != NULL && out != NULL, "no memory");
	seed(number);
	part = choose_part(input);
	tail = fm_text_span(part.b + part.len, input.b + size);
	room = max - (size - part.len);
	if (part.len > 0 && below(4) == 0)
		len = change_lines(part, changed, room);
	else {
		if (part.len > 0)
			memcpy(changed, part.b, part.len);
		len = LLVMFuzzerMutate((uint8_t *)changed, part.len, room);
	}
	append(fm_text_span(input.b, part.b), out, &outlen, max);
	append(fm_text(changed, len), out, &outlen, max);
	append(tail, out, &outlen, max);
	memcpy(data, out, outlen);
	free(changed);
	free(out);
	return (outlen);
}

/* Rules of the one, a request of the other. */
static size_t
cross_parts(struct fm_text a, struct fm_text b, char *out, size_t max)
{
	struct fm_text first, other;
	size_t len = 0;

	(void)fuzz_part(&a, &first);
	(void)fuzz_part(&b, &other);
	append(first, out, &len, max);
	if (len > 0 && out[len - 1] != '\n')
		append(fm_text_of("\n"), out, &len, max);
	append(fm_text_of(FUZZ_SEPARATOR "\n"), out, &len, max);
	append(b, out, &len, max);
	return (len);
}

/* Lines of the second one, in the same part of the first. */
static size_t
cross_lines(struct fm_text a, struct fm_text b, char *out, size_t max)
{
	struct fm_text part = a, other = b, rest_a = a, rest_b = b;
	size_t len = 0;
	const char *at;

	if (fuzz_has_parts) {
		(void)fuzz_part(&rest_a, &part);
		(void)fuzz_part(&rest_b, &other);
		if (below(2) == 0) {
			part = rest_a;
			other = rest_b;
		}
	}
	at = some_place(part);
	append(fm_text_span(a.b, at), out, &len, max);
	append(some_lines(other), out, &len, max);
	append(fm_text_span(at, a.b + a.len), out, &len, max);
	return (len);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
    const uint8_t *other, size_t other_size, uint8_t *out, size_t max,
    unsigned number)
{
	struct fm_text a = fm_text((const char *)data, size);
	struct fm_text b = fm_text((const char *)other, other_size);

	seed(number);
	return (fuzz_has_parts && below(2) == 0 ?
	    cross_parts(a, b, (char *)out, max) :
	    cross_lines(a, b, (char *)out, max));
}
