/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Evaluates the tests that look at more than one text: `any path` and `every
 * path` at all readings of the path (readings.h); `any query`, `any cookie` and
 * `any header` at each value of the name, as it came and decoded.
 */

#include "obj.h"
#include "params.h"
#include "percent.h"
#include "run_priv.h"

/*--------------------------------------------------------------------
 * Paths
 */

/* Returns the memo of the readings; its `any` says if the path is the only. */
static struct fm_memo *
readings_memo(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_memo *memo = fm_memo_get(exec, exec->program->readings_memo,
	    &test->subject);

	if (memo->any == FM_NOT_ASKED)
		memo->any = fm_readings_one(memo->subject) ? FM_TRUE :
		    FM_FALSE;
	return (memo);
}

/* Searches what the walks hold for the operands of all tests, once. */
static bool
readings_search(struct fm_exec *exec, struct fm_memo *memo)
{
	const struct fm_program *program = exec->program;
	size_t bytes = FM_PATSET_WORDS(program->nreadings) *
	    sizeof *memo->yes, room;
	const struct fm_readings *readings = program->readings;
	void *memory;
	unsigned i;

	if (memo->scanned)
		return (true);
	if (memo->open == NULL)
		memo->open = memo->yes = fm_request_alloc(&exec->req, bytes);
	if (memo->yes == NULL)
		return (false);
	memset(memo->yes, 0, bytes);
	for (i = 0; i < 2; i++) {
		if (readings[i].count == 0)
			continue;
		room = fm_readings_room(&readings[i], memo->subject);
		memory = fm_request_alloc(&exec->req, room);
		if (memory == NULL)
			return (false);
		fm_readings_search(&readings[i], memo->subject, memo->yes,
		    memory);
		fm_scratch_shrink(exec->req.scratch, memory, room, 0);
	}
	memo->scanned = true;
	return (true);
}

static bool
readings_hit(struct fm_exec *exec, const struct fm_test *test,
    struct fm_memo *memo)
{
	const uint32_t *number = &exec->program->reading_numbers[test->set];
	uint32_t i;

	if (!readings_search(exec, memo))
		return (false);
	for (i = 0; i < test->count; i++)
		if ((memo->yes[number[i] / 64] >> number[i] % 64 & 1) != 0)
			return (true);
	return (false);
}

/* Returns how many bytes of the decoded path its readings share. */
static size_t
readings_common(struct fm_memo *memo)
{
	size_t len;

	if (!memo->first_known) {
		len = fm_readings_common(memo->subject);
		memo->first = len < FM_NONE ? (uint32_t)len : FM_NONE;
		memo->first_known = true;
	}
	return (memo->first == FM_NONE ? FM_READINGS_ALL : memo->first);
}

/*
 * Returns true if an operand fits the decoded path, and that part of it which
 * is `common` to other readings, too.
 */
static bool
decoded_fits(const struct fm_exec *exec, const struct fm_test *test,
    struct fm_text path, size_t common)
{
	struct fm_readings_operand operand = { .mode = test->mode,
	    .below = test->below };
	uint32_t i;

	for (i = 0; i < test->count; i++) {
		operand.text = exec->program->texts[test->first + i];
		if ((test->mode == FM_PATTERN_EXACT ? common ==
		    FM_READINGS_ALL : operand.text.len <= common) &&
		    fm_readings_decoded(&operand, test->nocase, path))
			return (true);
	}
	return (false);
}

enum fm_outcome
fm_any_path(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_memo *memo = readings_memo(exec, test);
	struct fm_text path = memo->subject;
	bool fits;

	if (path.b == NULL)
		return (FM_FALSE);
	fits = (fm_test_end(test, path) & test->ends) != 0 &&
	    fm_cond_texts(exec, test, path);
	if (memo->any == FM_FALSE && fits == test->every)
		fits = test->every ? decoded_fits(exec, test, path,
		    readings_common(memo)) :
		    decoded_fits(exec, test, path, FM_READINGS_ALL) ||
		    readings_hit(exec, test, memo);
	return (fits ? FM_TRUE : FM_FALSE);
}

/*--------------------------------------------------------------------
 * Values
 *
 * The tests of a block, or of all, that look at one name have one set.  Each
 * value is looked up in it once, and the memo has what any of them matches.
 */

/* A search of values; if it is for a trace, only for those of one test. */
struct search {
	struct fm_exec		*exec;
	const struct fm_test	*test;
	struct fm_memo		*memo;		/* NULL: the first value for
						 * which the test is true */
	struct fm_text		found;
};

/* Adds to the memo what a text matches; `open` has no bit before and after. */
static void
text_add(const struct search *search, struct fm_text text)
{
	const struct fm_program *program = search->exec->program;
	const struct fm_patset *set = program->sets[search->test->set];
	struct fm_tally *tally = &search->exec->result->tally;
	struct fm_memo *memo = search->memo;
	size_t w, words = FM_PATSET_WORDS(fm_patset_count(set));
	unsigned known, n;
	uint64_t open;

	known = fm_patset_candidates(set, text, memo->open, tally);
	for (w = 0; w < words; w++) {
		open = memo->open[w] & ~memo->yes[w];
		memo->open[w] = 0;
		for (; open != 0; open &= open - 1) {
			n = (unsigned)__builtin_ctzll(open);
			if (fm_patset_decide(set, (uint32_t)w * 64 + n, text,
			    known, tally))
				memo->yes[w] |= 1ULL << n;
		}
	}
}

/* Returns true if a text is the one that a trace looks for. */
static bool
text_search(const struct search *search, struct fm_text text)
{
	const struct fm_test *test = search->test;
	const struct fm_patset *set =
	    search->exec->program->sets[test->set];
	uint32_t n;

	if (search->memo != NULL) {
		text_add(search, text);
		return (false);
	}
	for (n = test->first; n < test->first + test->count; n++)
		if (fm_pattern_match(fm_patset_pattern(set, n), text,
		    &search->exec->result->tally))
			return (true);
	return (false);
}

/* Decodes into buf, which has the value's length; blanks: `+` is a blank. */
static struct fm_text
value_decode(struct fm_text value, bool blanks, char *buf)
{
	const char *p = value.b, *end = value.b + value.len;
	size_t len = 0;

	while (p < end)
		if (blanks && *p == '+') {
			buf[len++] = ' ';
			p++;
		} else {
			buf[len++] = (char)fm_percent_next(&p, end);
		}
	return (fm_text(buf, len));
}

/*
 * Looks at a value as it came, decoded, and as a form would be decoded.
 * Returns true if the search is over.
 */
static bool
value_search(struct search *search, struct fm_text value)
{
	struct fm_request *req = &search->exec->req;
	bool plus = search->test->subject.kind == FM_SUBJECT_QUERY &&
	    value.len > 0 && memchr(value.b, '+', value.len) != NULL;
	bool over;
	char *buf;

	value = fm_text_or_empty(value);
	over = text_search(search, value);
	if (!over && value.len > 0 && (plus ||
	    memchr(value.b, '%', value.len) != NULL)) {
		buf = fm_request_alloc(req, value.len);
		if (buf == NULL)
			return (true);
		over = text_search(search, value_decode(value, false, buf)) ||
		    (plus && text_search(search, value_decode(value, true,
		    buf)));
		fm_scratch_shrink(req->scratch, buf, value.len, 0);
	}
	if (over)
		search->found = value;
	return (over);
}

/* Looks at all parameters, or cookies, of the name. */
static bool
list_search(struct search *search, struct fm_text list, bool cookies)
{
	struct fm_text name =
	    search->exec->program->texts[search->test->subject.name], value;

	while (cookies ? fm_params_cookies_next(&list, name, &value) :
	    fm_params_query_next(&list, name, &value))
		if (value_search(search, value))
			return (true);
	return (false);
}

/*
 * Looks at a header's value, and at each element of a list with commas: a field
 * with two elements means what two fields mean.
 */
static bool
field_search(struct search *search, struct fm_text value)
{
	const char *p = value.b, *end = value.b + value.len, *comma;

	if (search->test->subject.kind == FM_SUBJECT_COOKIE)
		return (list_search(search, value, true));
	if (value_search(search, value))
		return (true);
	if (value.len == 0 || memchr(value.b, ',', value.len) == NULL)
		return (false);
	for (; p <= end; p = comma + 1) {
		comma = p == end ? NULL : memchr(p, ',', (size_t)(end - p));
		if (comma == NULL)
			comma = end;
		if (value_search(search, fm_text_trim(fm_text_span(p, comma))))
			return (true);
	}
	return (false);
}

/* Looks at all fields of a header, or at the one value that rules gave it. */
static void
fields_search(struct search *search)
{
	struct fm_request *req = &search->exec->req;
	unsigned slot = search->test->subject.slot;
	uint32_t i, field;

	if (slot == FM_SLOT_OF_COOKIE && req->nfilters > 0)
		fm_request_filter_now(req);
	if (fm_request_lacks(req, slot))
		return;
	if (fm_request_owns(req, slot) || !req->slots[slot].several) {
		(void)field_search(search, fm_request_header(req, slot));
		return;
	}
	field = req->slots[slot].first;
	for (i = 0; !field_search(search, fm_request_field_value(
	    &req->view->fields[field],
	    req->program->slots[slot].name.len)); i++) {
		while (i < req->nnotes && req->notes[i].slot != slot)
			i++;
		if (i == req->nnotes)
			return;
		field = req->notes[i].field;
	}
}

static void
values_search(struct search *search)
{
	if (search->test->subject.kind == FM_SUBJECT_QUERY)
		(void)list_search(search,
		    fm_request_query(&search->exec->req), false);
	else
		fields_search(search);
}

enum fm_outcome
fm_any_value(struct fm_exec *exec, const struct fm_test *test)
{
	struct fm_memo *memo = fm_memo_get(exec, test->memo, &test->subject);
	struct search search = { .exec = exec, .test = test, .memo = memo };
	unsigned scans = exec->result->tally.scans;

	if (!memo->scanned) {
		if (!fm_memo_clear(exec, memo, test->set))
			return (FM_FALSE);
		values_search(&search);
		memo->scanned = true;
		if (exec->trace != NULL)
			fm_memo_trace(exec, scans, test->set, &test->subject);
	}
	return (fm_memo_range(exec, memo, test->set, test->first,
	    test->count));
}

struct fm_text
fm_any_which(struct fm_exec *exec, const struct fm_test *test)
{
	struct search search = { .exec = exec, .test = test };

	values_search(&search);
	return (search.found);
}
