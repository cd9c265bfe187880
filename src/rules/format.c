/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats a rule file, for `fastmatch fmt`.  The pieces of the text (pieces.h)
 * go into rows.  Rows of a map that follow each other have their cells in one
 * column, and a comment has two blanks before it:
 *
 *	    contains ipad        -> tablet;  # the special first
 *	    contains iphone ipod -> phone;
 *	    ^ code               ^ cell      ^ comment
 *
 * The author chooses where a statement is broken, and which blocks are on one
 * line; a line that is too long is broken further.
 */

#include <stdio.h>
#include <stdlib.h>

#include "format.h"
#include "grow.h"
#include "parse.h"
#include "pieces.h"
#include "utf8.h"

#define WIDTH		80	/* columns */
#define INDENT		4
#define NO_WIDTH	(WIDTH + 1)	/* wider than any line */

/* A row of the output; the picture above has its first four fields. */
struct row {
	size_t			code;	/* offsets in `out` */
	size_t			cell;	/* 0: the row has none */
	size_t			comment;
	size_t			end;
	size_t			block;	/* the piece `{` of the map that the row
					 * is in, or 0 */
	bool			otherwise;	/* the cell is the value of
						 * `default` */
	bool			lone;	/* the row is empty, or a comment */
	unsigned		cell_pad;	/* blanks before the cell */
};

/*
 * `host a{pass;}#x` is on its way to `host a { pass; }  # x`:
 *
 *	pieces	`host` `a` `{` `pass` `;` `}` `#x`	n 7, at 4 (`;`)
 *	out	"host a { pass"				column 13
 *	rows	{ code 0, comment 13, end 13 }
 */
struct format {
	struct fm_text		text;	/* of the file */
	struct fm_piece		*pieces;
	size_t			n;
	size_t			at;	/* the next piece */
	struct fm_grow		out;	/* bytes, without the ends of rows */
	struct fm_grow		rows;
	unsigned		column;	/* width of the last row */
	size_t			map;	/* the piece `{` of the map that is
					 * written, or 0 */
	bool			nomem;
	struct row		spare;	/* the last row, if nomem */
};

/* The gap before a piece, at which a line may be broken. */
enum gap {
	GAP_NONE,		/* nothing */
	GAP_BLANK,		/* a blank: the line is not broken */
	GAP_WORD,		/* a blank, or a break if the piece does not
				 * fit into the line */
	GAP_PART		/* a blank, or a break if all pieces up to the
				 * next GAP_PART do not fit */
};

static enum fm_token_kind
kind_at(const struct format *f, size_t i)
{

	return (i < f->n ? f->pieces[i].kind : T_END);
}

static bool
is_comment(const struct format *f, size_t i)
{

	return (i < f->n && f->pieces[i].kind == T_END);
}

/* Returns how many characters a text has. */
static unsigned
width_of(struct fm_text text)
{
	unsigned width = 0;
	size_t i, len;

	for (i = 0; i < text.len; i += len) {
		len = fm_utf8_length(text.b + i, text.len - i);
		if (len == 0)
			len = 1;
		width++;
	}
	return (width);
}

static struct fm_text
piece_text(const struct format *f, size_t i)
{
	const struct fm_piece *piece = &f->pieces[i];

	return (fm_text(f->text.b + piece->start, piece->end - piece->start));
}

/*--------------------------------------------------------------------
 * Rows
 */

static void
put_bytes(struct format *f, const char *b, size_t len)
{
	char *to = f->nomem ? NULL : fm_grow_add(&f->out, 1, len);

	if (to == NULL)
		f->nomem = true;
	else
		memcpy(to, b, len);
}

static struct row *
last_row(struct format *f)
{

	return (f->nomem ? &f->spare :
	    FM_GROW_AT(&f->rows, struct row, f->rows.n - 1));
}

static void
row_new(struct format *f, unsigned indent)
{
	struct row *row;
	unsigned i;

	f->nomem = f->nomem ||
	    fm_grow_add(&f->rows, sizeof *row, 1) == NULL;
	row = last_row(f);
	row->code = f->out.n;
	row->block = f->map;
	for (i = 0; i < indent; i++)
		put_bytes(f, " ", 1);
	f->column = indent;
	row->comment = row->end = f->out.n;
}

static void
row_blank(struct format *f)
{

	row_new(f, 0);
	last_row(f)->lone = true;
}

static void
put_blank(struct format *f)
{

	put_bytes(f, " ", 1);
	f->column++;
}

/* Puts the next piece into the row. */
static void
put_piece(struct format *f)
{
	struct fm_text text = piece_text(f, f->at);
	bool arrow = kind_at(f, f->at) == T_ARROW, comment;
	struct row *row;

	comment = is_comment(f, f->at);
	f->at++;
	row = last_row(f);
	if (f->map != 0 && arrow)
		row->cell = f->out.n;
	put_bytes(f, text.b, text.len);
	f->column += width_of(text);
	row->end = f->out.n;
	if (!comment)
		row->comment = row->end;
}

/* Puts a comment behind the last row, or into a row of its own. */
static void
put_comment(struct format *f, unsigned indent)
{

	if (f->pieces[f->at].breaks > 0 || f->rows.n == 0) {
		row_new(f, indent);
		last_row(f)->lone = true;
	}
	put_piece(f);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Returns true if two tokens are never on two lines. */
static bool
is_joined(enum fm_token_kind kind, enum fm_token_kind before)
{

	return (kind == T_EQUALS || before == T_EQUALS || before == T_TILDE ||
	    before == T_ARROW || before == T_NOT || before == T_AND ||
	    before == T_OR || (kind == T_WHEN && before == T_ELSE));
}

/*
 * Returns the gap before a piece.  A word with which a statement begins stays
 * behind the word before it: at the start of a line it would be taken for a new
 * statement.
 */
static enum gap
gap_before(const struct format *f, size_t i)
{
	enum fm_token_kind kind = kind_at(f, i);
	enum fm_token_kind before = kind_at(f, i - 1);

	switch (kind) {
	case T_SEMI:
	case T_RPAREN:
		return (GAP_NONE);
	case T_OPEN:
		return (GAP_BLANK);
	case T_LPAREN:
		if (before == T_AND || before == T_OR || before == T_NOT ||
		    before == T_IN)
			return (GAP_BLANK);
		if (before != T_WHEN)
			return (GAP_NONE);
		/* `set X = when(host)`: a map is called `when`. */
		return (i < 2 || kind_at(f, i - 2) != T_EQUALS ?
		    GAP_BLANK : GAP_NONE);
	default:
		break;
	}
	if (before == T_LPAREN)
		return (GAP_NONE);
	if (fm_token_starts_item(kind) || fm_token_starts_stmt(kind) ||
	    is_joined(kind, before))
		return (GAP_BLANK);
	if (before == T_QUERY || before == T_COOKIE || before == T_HEADER)
		return (GAP_WORD);
	return (kind == T_AND || kind == T_OR || kind == T_ELSE ||
	    kind == T_ARROW || kind == T_FROM || kind == T_USE ||
	    kind == T_TRUST ? GAP_PART : GAP_WORD);
}

/*
 * Returns how many times the author broke the line before a piece.  A break
 * behind `and` or `or` counts as one before the `and` or `or`.
 */
static unsigned
breaks_before(const struct format *f, size_t i)
{
	enum fm_token_kind kind = kind_at(f, i), before = kind_at(f, i - 1);
	unsigned breaks = f->pieces[i].breaks;

	if (gap_before(f, i) == GAP_NONE || is_joined(kind, before))
		return (0);
	if ((kind == T_AND || kind == T_OR) && i + 1 < f->n &&
	    !is_comment(f, i + 1) && f->pieces[i + 1].breaks > breaks)
		breaks = f->pieces[i + 1].breaks;
	return (breaks);
}

/* Returns the width of the pieces up to `end` that stay in one line. */
static unsigned
width_together(const struct format *f, size_t i, size_t end, bool flowing)
{
	bool part = gap_before(f, i) == GAP_PART;
	unsigned width = width_of(piece_text(f, i));
	enum gap gap;

	for (i++; i <= end && i < f->n && width <= WIDTH; i++) {
		gap = gap_before(f, i);
		if (is_comment(f, i) || kind_at(f, i) == T_CLOSE ||
		    gap == GAP_PART || (gap == GAP_WORD && !part) ||
		    (!flowing && i < end && breaks_before(f, i) > 0))
			break;
		width += width_of(piece_text(f, i)) + (gap != GAP_NONE);
	}
	return (width);
}

/* Returns the piece that ends a statement: a `;`, a brace, or n. */
static size_t
statement_end(const struct format *f)
{
	size_t i = f->at;

	while (i < f->n && kind_at(f, i) != T_SEMI && kind_at(f, i) != T_OPEN &&
	    kind_at(f, i) != T_CLOSE)
		i++;
	return (i);
}

/* Puts a blank line if the author has one here, in the words of a list. */
static void
put_break(struct format *f, bool list)
{

	if (list && f->pieces[f->at].breaks > 1)
		row_blank(f);
}

/*
 * Puts the pieces up to `end` into the last row, and into further rows with
 * this indentation.  If fmt breaks a line, the author's next break does not
 * count: so the lines of a list that has grown are filled again.
 */
static void
put_words(struct format *f, size_t end, unsigned indent)
{
	size_t first = f->at;
	bool broken = false, flowing = false;
	bool blanks = kind_at(f, end) == T_CLOSE;
	enum gap gap;

	for (; f->at < end; broken = false) {
		for (; is_comment(f, f->at) && f->at < end; broken = true) {
			put_break(f, blanks);
			put_comment(f, indent);
			flowing = false;
		}
		if (f->at == end)
			break;
		gap = f->at == first ? GAP_NONE : gap_before(f, f->at);
		if (f->at != first && !broken && gap != GAP_NONE) {
			if (!flowing && breaks_before(f, f->at) > 0) {
				broken = true;
			} else if (gap != GAP_BLANK &&
			    (f->at > first + 1 || blanks) && f->column + 1 +
			    width_together(f, f->at, end, flowing) > WIDTH) {
				broken = flowing = true;
			}
		}
		if (broken) {
			put_break(f, blanks);
			row_new(f, indent);
		} else if (gap != GAP_NONE) {
			put_blank(f);
		}
		/* The value of a map's default is in the column of cells. */
		if (f->map != 0 && f->at == first + 1 &&
		    kind_at(f, first) == T_DEFAULT) {
			last_row(f)->cell = f->out.n;
			last_row(f)->otherwise = true;
		}
		put_piece(f);
	}
}

/*
 * Returns the width of all pieces up to the `}` of the next block, and the
 * piece behind that; NO_WIDTH if the author has them on several lines.
 */
static unsigned
width_inline(const struct format *f, size_t i, size_t *end)
{
	unsigned width = 0, open = 0;
	size_t first = i;

	*end = i;
	for (; i < f->n && width <= WIDTH; i++) {
		if (is_comment(f, i) || (i > first && f->pieces[i].breaks > 0 &&
		    (kind_at(f, i) != T_CLOSE || kind_at(f, i - 1) != T_OPEN)))
			return (NO_WIDTH);
		width += width_of(piece_text(f, i));
		if (i > first && gap_before(f, i) != GAP_NONE)
			width++;
		open += kind_at(f, i) == T_OPEN;
		if (kind_at(f, i) == T_CLOSE && --open == 0) {
			*end = i + 1;
			return (width);
		}
	}
	return (NO_WIDTH);
}

static void put_block(struct format *, unsigned indent);

/* Puts a block in braces.  Returns true if it is on one line. */
static bool
put_braces(struct format *f, unsigned indent, bool map)
{
	size_t open = f->at, end;
	unsigned width = width_inline(f, open, &end);

	put_blank(f);
	if (f->column + width <= WIDTH) {
		put_piece(f);
		for (; f->at < end; put_piece(f))
			if (gap_before(f, f->at) != GAP_NONE)
				put_blank(f);
		return (true);
	}
	put_piece(f);
	f->map = map ? open : 0;
	put_block(f, indent + INDENT);
	f->map = 0;
	row_new(f, indent);
	put_piece(f);
	return (false);
}

/*
 * Goes to the `else` behind a block.  It is put into the row of the `}`, unless
 * there is a comment before it, or the block is on one line and the author has
 * the `else` below.  Returns false if there is no `else`.
 */
static bool
begin_else(struct format *f, unsigned indent, bool is_inline)
{
	size_t i = f->at, end;
	bool below;

	while (is_comment(f, i))
		i++;
	if (kind_at(f, i) != T_ELSE)
		return (false);
	below = i > f->at || (is_inline && (f->pieces[i].breaks > 0 ||
	    f->column + 1 + width_inline(f, i, &end) > WIDTH));
	while (f->at < i)
		put_comment(f, indent);
	if (below)
		row_new(f, indent);
	else
		put_blank(f);
	return (true);
}

/* Puts a statement, a line of a list or map, or the words of a list. */
static void
put_statement(struct format *f, unsigned indent)
{
	bool map = indent == 0 && kind_at(f, f->at) == T_MAP, is_inline;
	size_t end = statement_end(f);

	row_new(f, indent);
	if (kind_at(f, end) != T_OPEN) {
		put_words(f, end, kind_at(f, end) == T_CLOSE ? indent :
		    indent + INDENT);
		if (kind_at(f, end) == T_SEMI)
			put_piece(f);
		return;
	}
	do {
		put_words(f, statement_end(f), indent + INDENT);
		is_inline = put_braces(f, indent, map);
	} while (begin_else(f, indent, is_inline));
}

/* Puts all pieces up to the `}` of a block, or the end of the file. */
static void
put_block(struct format *f, unsigned indent)
{
	bool first = true;

	while (f->at < f->n && kind_at(f, f->at) != T_CLOSE) {
		if (!first && f->pieces[f->at].breaks > 1)
			row_blank(f);
		if (is_comment(f, f->at)) {
			first = first && f->rows.n > 0 &&
			    f->pieces[f->at].breaks == 0;
			put_comment(f, indent);
		} else {
			put_statement(f, indent);
			first = false;
		}
	}
}

/*--------------------------------------------------------------------
 * Columns
 */

static unsigned
width_between(const struct format *f, size_t from, size_t to)
{

	return (width_of(fm_text((const char *)f->out.items + from,
	    to - from)));
}

/* Returns the column of a row's arrow; `default` has none, but room for one. */
static unsigned
cell_column(const struct format *f, const struct row *row)
{

	return (width_between(f, row->code, row->cell) -
	    (row->otherwise ? (unsigned)strlen("-> ") : 0));
}

/* Puts the cells of some rows into one column, unless a row gets too wide. */
static void
align_cells(const struct format *f, struct row *rows, size_t n)
{
	unsigned column = 0, own;
	size_t i;

	for (i = 0; i < n; i++) {
		own = rows[i].cell == 0 ? 0 : cell_column(f, &rows[i]);
		column = own > column ? own : column;
	}
	for (i = 0; i < n; i++)
		if (rows[i].cell != 0 && column - cell_column(f, &rows[i]) +
		    width_between(f, rows[i].code, rows[i].comment) > WIDTH)
			return;
	for (i = 0; i < n; i++)
		if (rows[i].cell != 0)
			rows[i].cell_pad = column - cell_column(f, &rows[i]);
}

static bool
has_comment(const struct row *row)
{

	return (!row->lone && row->comment < row->end);
}

static void
align(const struct format *f)
{
	struct row *rows = f->rows.items;
	size_t i, n;

	for (i = 0; i < f->rows.n; i += n) {
		for (n = 1; rows[i].block != 0 && i + n < f->rows.n &&
		    !rows[i].lone && !rows[i + n].lone &&
		    rows[i + n].block == rows[i].block; )
			n++;
		align_cells(f, rows + i, n);
	}
}

static void
write_row(const struct format *f, const struct row *row, FILE *to)
{
	const char *b = f->out.items;
	size_t cell = row->cell == 0 ? row->comment : row->cell;

	(void)fprintf(to, "%.*s%*s%.*s%*s%.*s\n",
	    (int)(cell - row->code), b + row->code, (int)row->cell_pad, "",
	    (int)(row->comment - cell), b + cell,
	    has_comment(row) ? 2 : 0, "",
	    (int)(row->end - row->comment), b + row->comment);
}

/* Returns all rows as a text; NULL: there is no memory. */
static char *
write_rows(const struct format *f, size_t *len)
{
	const struct row *rows = f->rows.items;
	char *text = NULL;
	FILE *to;
	size_t i;

	to = f->nomem ? NULL : open_memstream(&text, len);
	if (to == NULL)
		return (NULL);
	for (i = 0; i < f->rows.n; i++)
		write_row(f, &rows[i], to);
	if (fclose(to) == 0)
		return (text);
	free(text);
	return (NULL);
}

/*
 * Moves a `;` or `{` before the comments in front of it, to the word that it
 * belongs to.
 */
static void
join_marks(struct format *f)
{
	struct fm_piece mark;
	size_t i, j;

	for (i = 1; i < f->n; i++) {
		if ((kind_at(f, i) != T_SEMI && kind_at(f, i) != T_OPEN) ||
		    !is_comment(f, i - 1))
			continue;
		mark = f->pieces[i];
		mark.breaks = 0;
		for (j = i; is_comment(f, j - 1); j--)
			f->pieces[j] = f->pieces[j - 1];
		f->pieces[j] = mark;
		/* Two comments can't be behind one mark. */
		if (is_comment(f, i + 1) && f->pieces[i + 1].breaks == 0)
			f->pieces[i + 1].breaks = 1;
	}
}

char *
fm_format(const char *name, struct fm_text text, size_t *len,
    struct fm_diag *diag)
{
	struct format f = { .text = text };
	unsigned errors = fm_diag_errors(diag);
	struct fm_model *model;
	char *written = NULL;

	model = fm_parse_text(name, text, NULL, NULL, diag);
	if (model == NULL)
		return (NULL);
	fm_model_free(&model);
	if (fm_diag_errors(diag) > errors)
		return (NULL);
	f.pieces = fm_pieces(text, &f.n);
	f.nomem = f.pieces == NULL;
	if (!f.nomem) {
		join_marks(&f);
		put_block(&f, 0);
		if (!f.nomem)
			align(&f);
		written = write_rows(&f, len);
	}
	if (written == NULL)
		fm_diag_no_memory(diag);
	free(f.pieces);
	fm_grow_fini(&f.out);
	fm_grow_fini(&f.rows);
	return (written);
}
