/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch diff` puts the changes of requests together by what changed, by
 * the rules that did it, and by host.
 */

#ifndef FM_DIFF_H
#define FM_DIFF_H

#include "arena.h"
#include "differ.h"
#include "load.h"
#include "logs/logs.h"
#include "record.h"
#include "run.h"
#include "unseen.h"

/*--------------------------------------------------------------------
 * Cells
 */

#define FM_DIFF_EXAMPLES	3	/* of a cell: different URLs */

struct fm_diff_example {
	struct fm_where		where;
	const char		*method, *host, *url, *agent;
	const char		*values[2];	/* NULL: none */
};

/* All changes of one kind, by the same rules, at one host. */
struct fm_diff_cell {
	uint64_t		hash;
	enum fm_change_kind	kind;
	struct fm_text		header;		/* as it was seen first */
	const struct fm_rule	*rules[2];
	struct fm_text		host;		/* canonical, or missing */
	uint64_t		requests;
	struct fm_diff_example	examples[FM_DIFF_EXAMPLES];
	unsigned		nexamples;	/* in the order of the logs */
};

struct fm_diff_count {
	const struct fm_program	*programs[2];
	uint64_t		seed;
	struct fm_arena		arena;
	struct fm_diff_cell	*cells;
	size_t			ncells, cells_room;
	uint32_t		*slots;		/* cells by hash, from 1 on */
	size_t			nslots;		/* a power of two */
	uint64_t		changed;	/* requests */
};

void fm_diff_count_fini(struct fm_diff_count *);

/* A fm_logs_request_f, to which a count is given. */
void fm_diff_request(void *count, struct fm_message *, struct fm_where);

/*
 * Makes the rules of a change of the URL or of a header those by which two
 * runs part; the statements of each are recorded.
 */
void fm_diff_part(const struct fm_record[2], struct fm_change *);

/*--------------------------------------------------------------------
 * Rules that the log can't tell
 */

struct fm_diff_untold_rule {
	enum fm_side		side;		/* BOTH: as it is in NEW */
	const struct fm_unseen_rule *rule;
};

/* Rules by which both files may differ though the log doesn't show it. */
struct fm_diff_untold {
	struct fm_unseen	unseen[2];
	struct fm_diff_untold_rule *rules;	/* those of BOTH last */
	size_t			n, room;
};

/* After the logs were read. */
void fm_diff_untold_find(struct fm_diff_untold *, const struct fm_rules[2],
    const struct fm_logs *);
void fm_diff_untold_fini(struct fm_diff_untold *);

/*--------------------------------------------------------------------
 * The report
 */

struct fm_diff {
	const char		*files[2];
	const struct fm_logs	*logs;
	size_t			top;
	struct fm_diff_count	*count;
	const struct fm_diff_untold *untold;
};

/* Sorts the cells of the count. */
void fm_diff_report(const struct fm_diff *, bool json);

#endif
