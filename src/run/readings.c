/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks over a path for the tests of all its readings (readings.h).
 *
 * fm_readings_search() keeps, for each segment that a walk holds, which of the
 * sorted operands begin like that; beyond these it only counts segments.
 *
 *	operands	0 /admin/  1 /admin/x/  2 /api/
 *	path		/admin/y/z/../../../api/v1
 *	holds		/admin		0 to 1
 *			/admin/y/z	0 to 1, and 2 segments beyond
 *			/admin		0 to 1
 *			/		0 to 2
 *			/api/v1		2, and 1 segment beyond
 */

#include "obj.h"
#include "percent.h"
#include "readings.h"

/*--------------------------------------------------------------------
 * Segments
 */

/* Reads the bytes of segments, one by one. */
struct reader {
	const char		*p, *end;
	bool			split;		/* at an encoded `/`, too */
};

#define READ_SLASH	256
#define READ_END	257

static inline int
reader_next(struct reader *reader)
{
	int c;

	if (reader->p == reader->end)
		return (READ_END);
	if (*reader->p == '/') {
		reader->p++;
		return (READ_SLASH);
	}
	c = fm_percent_next(&reader->p, reader->end);
	return (c == '/' && reader->split ? READ_SLASH : c);
}

/* Begins at the first segment, after the `/` that each path begins with. */
static struct reader
reader_start(struct fm_text path, bool split)
{
	struct reader reader = { path.b, path.b + path.len, split };

	if (path.len > 0 && *path.b == '/')
		reader.p++;
	return (reader);
}

/* Skips the rest of a segment.  Returns false at the end of the path. */
static bool
reader_skip(struct reader *reader)
{
	int c;

	do
		c = reader_next(reader);
	while (c < READ_SLASH);
	return (c == READ_SLASH);
}

enum segment {
	SEGMENT_NAME,		/* is added to what a walk holds */
	SEGMENT_NOTHING,	/* empty, or `.` */
	SEGMENT_UP		/* `..` */
};

static enum segment
segment_next(struct reader reader)
{
	unsigned dots = 0;
	int c;

	while ((c = reader_next(&reader)) == '.' && dots < 2)
		dots++;
	if (c < READ_SLASH)
		return (SEGMENT_NAME);
	return (dots == 2 ? SEGMENT_UP : SEGMENT_NOTHING);
}

bool
fm_readings_one(struct fm_text path)
{
	return (path.len > 0 && *path.b == '/' &&
	    memchr(path.b, '%', path.len) == NULL &&
	    memmem(path.b, path.len, "//", 2) == NULL &&
	    memmem(path.b, path.len, "/.", 2) == NULL);
}

/*--------------------------------------------------------------------
 * The search for operands
 */

int
fm_readings_compare(const void *va, const void *vb)
{
	const struct fm_readings_operand *a = va, *b = vb;
	int r = fm_text_compare(a->text, b->text);

	return (r != 0 ? r : (a->number > b->number) - (a->number < b->number));
}

/* Operands from `first` to `end` - 1 begin with the `len` bytes of a stage. */
struct stage {
	uint32_t		first, end;
	size_t			len;
};

struct walk {
	const struct fm_readings *readings;
	uint64_t		*hits;
	struct stage		*stages;	/* what is held, up to each
						 * segment */
	uint32_t		depth;		/* segments of that */
	size_t			beyond;		/* more segments, with which no
						 * operand begins */
};

static void
walk_hit(const struct walk *walk, uint32_t n)
{
	uint32_t number = walk->readings->operands[n].number;

	walk->hits[number / 64] |= 1ULL << number % 64;
}

/* Returns true if operand n, one of a stage, is no longer than that. */
static inline bool
stage_has(const struct walk *walk, const struct stage *stage, uint32_t n)
{
	return (n < stage->end &&
	    walk->readings->operands[n].text.len == stage->len);
}

/* Returns the first operand of a stage whose next byte is not below c. */
static uint32_t
stage_find(const struct walk *walk, const struct stage *stage, unsigned c)
{
	const struct fm_readings_operand *operands = walk->readings->operands;
	uint32_t low = stage->first, high = stage->end, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if ((unsigned char)operands[middle].text.b[stage->len] < c)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/* Adds a byte.  Returns false if no operand begins like that. */
static inline bool
stage_add(const struct walk *walk, struct stage *stage, unsigned char c)
{
	const struct fm_readings_operand *operands = walk->readings->operands;
	struct stage next;

	if (walk->readings->nocase)
		c = (unsigned char)fm_lower(c);
	while (stage_has(walk, stage, stage->first))
		stage->first++;
	if (stage->first == stage->end)
		return (false);
	next = (struct stage){ stage->first, stage->end, stage->len + 1 };
	if ((unsigned char)operands[next.first].text.b[stage->len] != c)
		next.first = stage_find(walk, stage, c);
	if ((unsigned char)operands[next.end - 1].text.b[stage->len] != c)
		next.end = stage_find(walk, stage, c + 1U);
	*stage = next;
	return (next.first < next.end);
}

/* Adds a segment.  Returns false at the end of the path. */
static bool
walk_down(struct walk *walk, struct reader *reader)
{
	struct stage stage = walk->stages[walk->depth];
	int c = '/';
	uint32_t n;

	if (walk->beyond > 0) {
		walk->beyond++;
		return (reader_skip(reader));
	}
	do {
		if (!stage_add(walk, &stage, (unsigned char)c)) {
			walk->beyond = 1;
			return (reader_skip(reader));
		}
		for (n = stage.first; stage_has(walk, &stage, n); n++)
			if (walk->readings->operands[n].mode ==
			    FM_PATTERN_PREFIX)
				walk_hit(walk, n);
		c = reader_next(reader);
	} while (c < READ_SLASH);
	walk->stages[++walk->depth] = stage;
	return (c == READ_SLASH);
}

/* Looks at what is held; slash: a `/` follows. */
static void
walk_look(const struct walk *walk, bool slash)
{
	struct stage stage = walk->stages[walk->depth];
	const struct fm_readings_operand *operand;
	uint32_t n;

	if (walk->beyond > 0)
		return;
	for (n = stage.first; stage.len > 0 && stage_has(walk, &stage, n); n++)
		if (walk->readings->operands[n].mode == FM_PATTERN_EXACT)
			walk_hit(walk, n);
	if (!stage_add(walk, &stage, '/'))
		return;
	for (n = stage.first; stage_has(walk, &stage, n); n++) {
		operand = &walk->readings->operands[n];
		if (slash || operand->below)
			walk_hit(walk, n);
	}
}

static void
walk_up(struct walk *walk)
{
	if (walk->beyond > 0)
		walk->beyond--;
	else if (walk->depth > 0)
		walk->depth--;
}

static void
walk_all(struct walk *walk, struct reader reader)
{
	bool more = true, added = false;

	walk->depth = 0;
	walk->beyond = 0;
	while (more) {
		switch (segment_next(reader)) {
		case SEGMENT_NAME:
			more = walk_down(walk, &reader);
			added = true;
			continue;
		case SEGMENT_UP:
			walk_look(walk, true);
			walk_up(walk);
			break;
		case SEGMENT_NOTHING:
			break;
		}
		walk_look(walk, true);
		more = reader_skip(&reader);
		added = false;
	}
	if (added)
		walk_look(walk, false);
}

/* A stage of more segments than the path or any operand has is not kept. */
size_t
fm_readings_room(const struct fm_readings *readings, struct fm_text path)
{
	size_t depth = readings->depth;

	if (depth > path.len)
		depth = path.len;
	return ((depth + 2) * sizeof(struct stage));
}

void
fm_readings_search(const struct fm_readings *readings, struct fm_text path,
    uint64_t *hits, void *memory)
{
	struct walk walk = { .readings = readings, .hits = hits,
	    .stages = memory };

	if (readings->count == 0)
		return;
	walk.stages[0] = (struct stage){ 0, readings->count, 0 };
	walk_all(&walk, reader_start(path, true));
	walk_all(&walk, reader_start(path, false));
}

/*--------------------------------------------------------------------
 * The bytes with which all readings begin
 */

/*
 * The start of a path, up to a segment that is not added: all before were.
 *
 *	/a/b%20c/../x	    end: at `..`, len 7: "/a/b c/" is decoded
 */
struct start {
	const char		*first, *end;
	size_t			len;		/* of what is decoded */
	bool			split;
};

/* Takes the last segment away from a start, and the `/` after it. */
static void
start_up(struct start *start)
{
	const char *p = start->end, *end;

	if (p == start->first)
		return;
	p -= p[-1] == '/' ? 1 : 3;
	end = p;
	while (p > start->first && p[-1] != '/' && !(start->split &&
	    p - start->first >= 3 && memcmp(p - 3, "%2", 2) == 0 &&
	    fm_lower((unsigned char)p[-1]) == 'f'))
		p--;
	start->end = p;
	for (; p < end; start->len--)
		(void)fm_percent_next(&p, end);
	start->len--;
}

/*
 * Goes to the first segment that is not added, except an empty one at the end.
 * Returns false if there is no such segment.
 */
static bool
start_find(struct start *start, struct reader *reader)
{
	const char *end = reader->end;
	int c;

	start->first = start->end = reader->p;
	start->len = 1;
	start->split = reader->split;
	while (segment_next(*reader) == SEGMENT_NAME) {
		while ((c = reader_next(reader)) < READ_SLASH)
			start->len++;
		if (c == READ_END)
			return (false);
		start->len++;
		start->end = reader->p;
	}
	return (reader->p < end);
}

static size_t
walk_common(struct fm_text path, bool split)
{
	struct reader reader = reader_start(path, split);
	size_t beyond = 0;
	struct start start;
	bool more;

	if (!start_find(&start, &reader))
		return (FM_READINGS_ALL);
	do {
		switch (segment_next(reader)) {
		case SEGMENT_NAME:
			beyond++;
			break;
		case SEGMENT_UP:
			if (beyond > 0)
				beyond--;
			else
				start_up(&start);
			break;
		case SEGMENT_NOTHING:
			break;
		}
		more = reader_skip(&reader);
	} while (more);
	return (start.len);
}

size_t
fm_readings_common(struct fm_text path)
{
	size_t a = walk_common(path, true), b = walk_common(path, false);

	return (a < b ? a : b);
}

bool
fm_readings_decoded(const struct fm_readings_operand *operand, bool nocase,
    struct fm_text path)
{
	const char *p = path.b, *end = path.b + path.len;
	struct fm_text text = operand->text;
	unsigned char c;
	size_t i = 0;

	if (path.len == 0 || *p != '/') {
		if (text.len == 0 || *text.b != '/')
			return (false);
		i = 1;
	}
	for (; i < text.len; i++) {
		if (p == end)
			return (operand->below && i + 1 == text.len && i > 0);
		c = fm_percent_next(&p, end);
		if (c != (unsigned char)text.b[i] && (!nocase || fm_lower(c) !=
		    fm_lower((unsigned char)text.b[i])))
			return (false);
	}
	return (operand->mode == FM_PATTERN_PREFIX || p == end);
}
