/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memos: a run scans a subject once for each set, and keeps what the scan found
 * until an edit changes the subject (struct fm_memo in run_priv.h).
 */

#include <stdio.h>

#include "run_priv.h"

void __attribute__((noinline))
fm_memo_trace(const struct fm_exec *exec, unsigned scans, uint32_t set,
    const struct fm_subject_code *subject)
{
	struct fm_text name = fm_text("", 0);
	char buf[200];

	if (!exec->trace->tests || exec->result->tally.scans == scans)
		return;
	if (subject->kind == FM_SUBJECT_HEADER)
		name = exec->program->slots[subject->slot].name;
	else if (subject->kind == FM_SUBJECT_QUERY ||
	    subject->kind == FM_SUBJECT_COOKIE)
		name = exec->program->texts[subject->name];
	(void)snprintf(buf, sizeof buf,
	    "%s%s%.*s", fm_subject_word(subject->kind), name.len > 0 ? " " : "",
	    (int)(name.len < 160 ? name.len : 160), name.b);
	fm_trace_tell(exec->trace, &(struct fm_event){ .kind = FM_EVENT_SCAN,
	    .what = fm_text_of(buf),
	    .patterns = fm_patset_count(exec->program->sets[set]) });
}

struct fm_memo *
fm_memo_get(struct fm_exec *exec, unsigned n, const struct fm_subject_code *s)
{
	struct fm_memo *memo = &exec->memos[n];
	uint32_t version = fm_request_version(&exec->req, s);

	if (exec->versions[n] != version) {
		if (exec->versions[n] == 0)
			memo->open = NULL;
		exec->versions[n] = version;
		memo->subject = fm_request_subject(&exec->req, s);
		memo->any = FM_NOT_ASKED;
		memo->scanned = memo->first_known = false;
	}
	return (memo);
}

static inline bool
memo_clear(struct fm_exec *exec, struct fm_memo *memo, uint32_t set)
{
	size_t words =
	    FM_PATSET_WORDS(fm_patset_count(exec->program->sets[set]));

	if (memo->open == NULL) {
		memo->open = fm_request_alloc(&exec->req,
		    3 * words * sizeof *memo->open);
		if (memo->open == NULL)
			return (false);
		memo->yes = memo->open + words;
		memo->over = memo->yes + words;
	}
	memset(memo->open, 0, 3 * words * sizeof *memo->open);
	return (true);
}

bool
fm_memo_clear(struct fm_exec *exec, struct fm_memo *memo, uint32_t set)
{
	return (memo_clear(exec, memo, set));
}

struct fm_memo *
fm_memo_candidates(struct fm_exec *exec, unsigned n, uint32_t set,
    const struct fm_subject_code *subject)
{
	struct fm_memo *memo = fm_memo_get(exec, n, subject);
	unsigned scans = exec->result->tally.scans;

	if (memo->subject.b == NULL)
		return (NULL);
	if (memo->scanned)
		return (memo);
	if (!memo_clear(exec, memo, set))
		return (NULL);
	memo->known = (uint8_t)fm_patset_candidates(exec->program->sets[set],
	    memo->subject, memo->open, &exec->result->tally);
	memo->scanned = true;
	if (exec->trace != NULL)
		fm_memo_trace(exec, scans, set, subject);
	return (memo);
}

enum fm_outcome
fm_memo_decide(struct fm_exec *exec, struct fm_memo *memo, uint32_t set,
    uint32_t n)
{
	uint64_t bit = 1ULL << (n % 64);
	unsigned over = fm_exec_over(exec);

	memo->open[n / 64] &= ~bit;
	if (fm_patset_decide(exec->program->sets[set], n, memo->subject,
	    memo->known, &exec->result->tally)) {
		memo->yes[n / 64] |= bit;
		return (FM_TRUE);
	}
	if (over == fm_exec_over(exec))
		return (FM_FALSE);
	memo->over[n / 64] |= bit;
	return (FM_UNDECIDED);
}

/* Returns the bits of word w that are in the range, from first to end - 1. */
static inline uint64_t
range_mask(uint32_t w, uint32_t first, uint32_t end)
{
	uint64_t mask = ~0ULL;

	if (w == first / 64)
		mask &= ~0ULL << (first % 64);
	if (w == end / 64)
		mask &= (1ULL << (end % 64)) - 1;
	return (mask);
}

enum fm_outcome
fm_memo_range(struct fm_exec *exec, struct fm_memo *memo, uint32_t set,
    uint32_t first, uint32_t count)
{
	enum fm_outcome outcome = FM_FALSE;
	uint32_t end = first + count, w;
	uint64_t mask, open;

	if (count == 1 && !fm_memo_may(memo, first))
		return (FM_FALSE);
	for (w = first / 64; w * 64 < end; w++)
		if ((memo->yes[w] & range_mask(w, first, end)) != 0)
			return (FM_TRUE);
	for (w = first / 64; w * 64 < end; w++) {
		mask = range_mask(w, first, end);
		if ((memo->over[w] & mask) != 0)
			outcome = FM_UNDECIDED;
		for (open = memo->open[w] & mask; open != 0; open &= open - 1)
			switch (fm_memo_decide(exec, memo, set, w * 64 +
			    (uint32_t)__builtin_ctzll(open))) {
			case FM_TRUE:
				return (FM_TRUE);
			case FM_UNDECIDED:
				outcome = FM_UNDECIDED;
				break;
			default:
				break;
			}
	}
	return (outcome);
}

enum fm_outcome
fm_memo_any(struct fm_exec *exec, struct fm_memo *memo, uint32_t set,
    const struct fm_subject_code *subject)
{
	unsigned over = fm_exec_over(exec), scans = exec->result->tally.scans;

	if (memo->any != FM_NOT_ASKED)
		return (memo->any);
	if (fm_patset_match(exec->program->sets[set], memo->subject,
	    &exec->result->tally))
		memo->any = FM_TRUE;
	else
		memo->any = over == fm_exec_over(exec) ? FM_FALSE :
		    FM_UNDECIDED;
	if (exec->trace != NULL)
		fm_memo_trace(exec, scans, set, subject);
	return (memo->any);
}

uint32_t
fm_memo_first(struct fm_exec *exec, struct fm_memo *memo, uint32_t set,
    const struct fm_subject_code *subject, bool *undecided)
{
	unsigned over = fm_exec_over(exec), scans = exec->result->tally.scans;

	if (!memo->first_known) {
		memo->first = fm_patset_first(exec->program->sets[set],
		    memo->subject, &exec->result->tally);
		memo->first_over = over != fm_exec_over(exec);
		memo->first_known = true;
		if (exec->trace != NULL)
			fm_memo_trace(exec, scans, set, subject);
	}
	*undecided |= memo->first_over;
	return (memo->first);
}
