/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats a rule file, for `fastmatch fmt`.  The lexemes of the text
 * (lexemes.h) go into rows.  Rows of a map that follow each other have their
 * cells in one column, and a comment has two blanks before it:
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
#include "lexemes.h"
#include "parse.h"
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
	size_t			block;	/* the lexeme `{` of the row's map,
					 * or 0 */
	bool			otherwise;	/* the cell is the value of
						 * `default` */
	bool			lone;	/* the row is empty, or a comment */
	unsigned		cell_pad;	/* blanks before the cell */
};

/*
 * `host a{pass;}#x` is on its way to `host a { pass; }  # x`:
 *
 *	lexemes	`host` `a` `{` `pass` `;` `}` `#x`	n 7, at 4 (`;`)
 *	out	"host a { pass"				column 13
 *	rows	{ code 0, comment 13, end 13 }
 */
struct format {
	struct fm_text		text;	/* of the file */
	struct fm_lexeme	*lexemes;
	size_t			n;
	size_t			at;	/* the next lexeme */
	struct fm_grow		out;	/* bytes, without the ends of rows */
	struct fm_grow		rows;
	unsigned		column;	/* width of the last row */
	size_t			map;	/* the lexeme `{` of the map that is
					 * written, or 0 */
	bool			nomem;
	struct row		spare;	/* the last row, if nomem */
};

/* The gap before a lexeme, at which a line may be broken. */
enum gap {
	GAP_NONE,		/* nothing */
	GAP_BLANK,		/* a blank: the line is not broken */
	GAP_WORD,		/* a blank, or a break if the lexeme does not
				 * fit into the line */
	GAP_PART		/* a blank, or a break if all lexemes up to the
				 * next GAP_PART do not fit */
};

static enum fm_token_kind
kind_at(const struct format *format, size_t i)
{

	return (i < format->n ? format->lexemes[i].kind : T_END);
}

static bool
is_comment(const struct format *format, size_t i)
{

	return (i < format->n && format->lexemes[i].kind == T_END);
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
lexeme_text(const struct format *format, size_t i)
{
	const struct fm_lexeme *lexeme = &format->lexemes[i];

	return (fm_text(format->text.b + lexeme->start,
	    lexeme->end - lexeme->start));
}

/*--------------------------------------------------------------------
 * Rows
 */

static void
put_bytes(struct format *format, const char *b, size_t len)
{
	char *to = format->nomem ? NULL : fm_grow_add(&format->out, 1, len);

	if (to == NULL)
		format->nomem = true;
	else
		memcpy(to, b, len);
}

static struct row *
last_row(struct format *format)
{

	return (format->nomem ? &format->spare :
	    FM_GROW_AT(&format->rows, struct row, format->rows.n - 1));
}

static void
row_new(struct format *format, unsigned indent)
{
	struct row *row;
	unsigned i;

	format->nomem = format->nomem ||
	    fm_grow_add(&format->rows, sizeof *row, 1) == NULL;
	row = last_row(format);
	row->code = format->out.n;
	row->block = format->map;
	for (i = 0; i < indent; i++)
		put_bytes(format, " ", 1);
	format->column = indent;
	row->comment = row->end = format->out.n;
}

static void
row_blank(struct format *format)
{

	row_new(format, 0);
	last_row(format)->lone = true;
}

static void
put_blank(struct format *format)
{

	put_bytes(format, " ", 1);
	format->column++;
}

/* Puts the next lexeme into the row. */
static void
put_lexeme(struct format *format)
{
	struct fm_text text = lexeme_text(format, format->at);
	bool arrow = kind_at(format, format->at) == T_ARROW, comment;
	struct row *row;

	comment = is_comment(format, format->at);
	format->at++;
	row = last_row(format);
	if (format->map != 0 && arrow)
		row->cell = format->out.n;
	put_bytes(format, text.b, text.len);
	format->column += width_of(text);
	row->end = format->out.n;
	if (!comment)
		row->comment = row->end;
}

/* Puts a comment after the last row, or into a row of its own. */
static void
put_comment(struct format *format, unsigned indent)
{

	if (format->lexemes[format->at].breaks > 0 || format->rows.n == 0) {
		row_new(format, indent);
		last_row(format)->lone = true;
	}
	put_lexeme(format);
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
 * Returns the gap before a lexeme.  A word with which a statement begins stays
 * after the word before it: at the start of a line it would be taken for a new
 * statement.
 */
static enum gap
gap_before(const struct format *format, size_t i)
{
	enum fm_token_kind kind = kind_at(format, i);
	enum fm_token_kind before = kind_at(format, i - 1);

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
		return (i < 2 || kind_at(format, i - 2) != T_EQUALS ?
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
 * Returns how many times the author broke the line before a lexeme.  A break
 * after `and` or `or` counts as one before the `and` or `or`.
 */
static unsigned
breaks_before(const struct format *format, size_t i)
{
	enum fm_token_kind kind = kind_at(format, i),
	    before = kind_at(format, i - 1);
	unsigned breaks = format->lexemes[i].breaks;

	if (gap_before(format, i) == GAP_NONE || is_joined(kind, before))
		return (0);
	if ((kind == T_AND || kind == T_OR) && i + 1 < format->n &&
	    !is_comment(format, i + 1) &&
	    format->lexemes[i + 1].breaks > breaks)
		breaks = format->lexemes[i + 1].breaks;
	return (breaks);
}

/* Returns the width of the lexemes up to `end` that stay in one line. */
static unsigned
width_together(const struct format *format, size_t i, size_t end, bool flowing)
{
	bool part = gap_before(format, i) == GAP_PART;
	unsigned width = width_of(lexeme_text(format, i));
	enum gap gap;

	for (i++; i <= end && i < format->n && width <= WIDTH; i++) {
		gap = gap_before(format, i);
		if (is_comment(format, i) || kind_at(format, i) == T_CLOSE ||
		    gap == GAP_PART || (gap == GAP_WORD && !part) ||
		    (!flowing && i < end && breaks_before(format, i) > 0))
			break;
		width += width_of(lexeme_text(format, i)) + (gap != GAP_NONE);
	}
	return (width);
}

/* Returns the lexeme that ends a statement: a `;`, a brace, or n. */
static size_t
statement_end(const struct format *format)
{
	size_t i = format->at;

	while (i < format->n && kind_at(format, i) != T_SEMI &&
	    kind_at(format, i) != T_OPEN && kind_at(format, i) != T_CLOSE)
		i++;
	return (i);
}

/* Puts a blank line if the author has one here, in the words of a list. */
static void
put_break(struct format *format, bool list)
{

	if (list && format->lexemes[format->at].breaks > 1)
		row_blank(format);
}

/*
 * Puts the lexemes up to `end` into the last row, and into further rows with
 * this indentation.  If fmt breaks a line, the author's next break does not
 * count: so the lines of a list that has grown are filled again.
 */
static void
put_words(struct format *format, size_t end, unsigned indent)
{
	size_t first = format->at;
	bool broken = false, flowing = false;
	bool blanks = kind_at(format, end) == T_CLOSE;
	enum gap gap;

	for (; format->at < end; broken = false) {
		for (; is_comment(format, format->at) && format->at < end;
		    broken = true) {
			put_break(format, blanks);
			put_comment(format, indent);
			flowing = false;
		}
		if (format->at == end)
			break;
		gap = format->at == first ? GAP_NONE :
		    gap_before(format, format->at);
		if (format->at != first && !broken && gap != GAP_NONE) {
			if (!flowing && breaks_before(format, format->at) > 0) {
				broken = true;
			} else if (gap != GAP_BLANK &&
			    (format->at > first + 1 || blanks) &&
			    format->column + 1 + width_together(format,
			    format->at, end, flowing) > WIDTH) {
				broken = flowing = true;
			}
		}
		if (broken) {
			put_break(format, blanks);
			row_new(format, indent);
		} else if (gap != GAP_NONE) {
			put_blank(format);
		}
		/* The value of a map's default is in the column of cells. */
		if (format->map != 0 && format->at == first + 1 &&
		    kind_at(format, first) == T_DEFAULT) {
			last_row(format)->cell = format->out.n;
			last_row(format)->otherwise = true;
		}
		put_lexeme(format);
	}
}

/*
 * Returns the width of all lexemes up to the `}` of the next block, and the
 * lexeme after that; NO_WIDTH if the author has them on several lines.
 */
static unsigned
width_inline(const struct format *format, size_t i, size_t *end)
{
	unsigned width = 0, open = 0;
	size_t first = i;

	*end = i;
	for (; i < format->n && width <= WIDTH; i++) {
		if (is_comment(format, i) || (i > first &&
		    format->lexemes[i].breaks > 0 && (kind_at(format,
		    i) != T_CLOSE || kind_at(format, i - 1) != T_OPEN)))
			return (NO_WIDTH);
		width += width_of(lexeme_text(format, i));
		if (i > first && gap_before(format, i) != GAP_NONE)
			width++;
		open += kind_at(format, i) == T_OPEN;
		if (kind_at(format, i) == T_CLOSE && --open == 0) {
			*end = i + 1;
			return (width);
		}
	}
	return (NO_WIDTH);
}

static void put_block(struct format *, unsigned indent);

/* Puts a block in braces.  Returns true if it is on one line. */
static bool
put_braces(struct format *format, unsigned indent, bool map)
{
	size_t open = format->at, end;
	unsigned width = width_inline(format, open, &end);

	put_blank(format);
	if (format->column + width <= WIDTH) {
		put_lexeme(format);
		for (; format->at < end; put_lexeme(format))
			if (gap_before(format, format->at) != GAP_NONE)
				put_blank(format);
		return (true);
	}
	put_lexeme(format);
	format->map = map ? open : 0;
	put_block(format, indent + INDENT);
	format->map = 0;
	row_new(format, indent);
	put_lexeme(format);
	return (false);
}

/*
 * Goes to the `else` after a block.  It is put into the row of the `}`, unless
 * there is a comment before it, or the block is on one line and the author has
 * the `else` below.  Returns false if there is no `else`.
 */
static bool
begin_else(struct format *format, unsigned indent, bool is_inline)
{
	size_t i = format->at, end;
	bool below;

	while (is_comment(format, i))
		i++;
	if (kind_at(format, i) != T_ELSE)
		return (false);
	below = i > format->at || (is_inline &&
	    (format->lexemes[i].breaks > 0 ||
	    format->column + 1 + width_inline(format, i, &end) > WIDTH));
	while (format->at < i)
		put_comment(format, indent);
	if (below)
		row_new(format, indent);
	else
		put_blank(format);
	return (true);
}

/* Puts a statement, a line of a list or map, or the words of a list. */
static void
put_statement(struct format *format, unsigned indent)
{
	bool map = indent == 0 && kind_at(format, format->at) == T_MAP,
	    is_inline;
	size_t end = statement_end(format);

	row_new(format, indent);
	if (kind_at(format, end) != T_OPEN) {
		put_words(format, end, kind_at(format, end) == T_CLOSE ?
		    indent : indent + INDENT);
		if (kind_at(format, end) == T_SEMI)
			put_lexeme(format);
		return;
	}
	do {
		put_words(format, statement_end(format), indent + INDENT);
		is_inline = put_braces(format, indent, map);
	} while (begin_else(format, indent, is_inline));
}

/* Puts all lexemes up to the `}` of a block, or the end of the file. */
static void
put_block(struct format *format, unsigned indent)
{
	bool first = true;

	while (format->at < format->n &&
	    kind_at(format, format->at) != T_CLOSE) {
		if (!first && format->lexemes[format->at].breaks > 1)
			row_blank(format);
		if (is_comment(format, format->at)) {
			first = first && format->rows.n > 0 &&
			    format->lexemes[format->at].breaks == 0;
			put_comment(format, indent);
		} else {
			put_statement(format, indent);
			first = false;
		}
	}
}

/*--------------------------------------------------------------------
 * Columns
 */

static unsigned
width_between(const struct format *format, size_t from, size_t to)
{

	return (width_of(fm_text((const char *)format->out.items + from,
	    to - from)));
}

/* Returns the column of a row's arrow; `default` has none, but room for one. */
static unsigned
cell_column(const struct format *format, const struct row *row)
{

	return (width_between(format, row->code, row->cell) -
	    (row->otherwise ? (unsigned)strlen("-> ") : 0));
}

/* Puts the cells of some rows into one column, unless a row gets too wide. */
static void
align_cells(const struct format *format, struct row *rows, size_t n)
{
	unsigned column = 0, own;
	size_t i;

	for (i = 0; i < n; i++) {
		own = rows[i].cell == 0 ? 0 : cell_column(format, &rows[i]);
		column = own > column ? own : column;
	}
	for (i = 0; i < n; i++)
		if (rows[i].cell != 0 && column - cell_column(format,
		    &rows[i]) + width_between(format, rows[i].code,
		    rows[i].comment) > WIDTH)
			return;
	for (i = 0; i < n; i++)
		if (rows[i].cell != 0)
			rows[i].cell_pad = column - cell_column(format,
			    &rows[i]);
}

static bool
has_comment(const struct row *row)
{

	return (!row->lone && row->comment < row->end);
}

static void
align(const struct format *format)
{
	struct row *rows = format->rows.items;
	size_t i, n;

	for (i = 0; i < format->rows.n; i += n) {
		for (n = 1; rows[i].block != 0 && i + n < format->rows.n &&
		    !rows[i].lone && !rows[i + n].lone &&
		    rows[i + n].block == rows[i].block; )
			n++;
		align_cells(format, rows + i, n);
	}
}

static void
write_row(const struct format *format, const struct row *row, FILE *to)
{
	const char *b = format->out.items;
	size_t cell = row->cell == 0 ? row->comment : row->cell;

	(void)fprintf(to, "%.*s%*s%.*s%*s%.*s\n",
	    (int)(cell - row->code), b + row->code, (int)row->cell_pad, "",
	    (int)(row->comment - cell), b + cell,
	    has_comment(row) ? 2 : 0, "",
	    (int)(row->end - row->comment), b + row->comment);
}

/* Returns all rows as a text; NULL: there is no memory. */
static char *
write_rows(const struct format *format, size_t *len)
{
	const struct row *rows = format->rows.items;
	char *text = NULL;
	FILE *to;
	size_t i;

	to = format->nomem ? NULL : open_memstream(&text, len);
	if (to == NULL)
		return (NULL);
	for (i = 0; i < format->rows.n; i++)
		write_row(format, &rows[i], to);
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
join_marks(struct format *format)
{
	struct fm_lexeme mark;
	size_t i, j;

	for (i = 1; i < format->n; i++) {
		if ((kind_at(format, i) != T_SEMI &&
		    kind_at(format, i) != T_OPEN) || !is_comment(format, i - 1))
			continue;
		mark = format->lexemes[i];
		mark.breaks = 0;
		for (j = i; is_comment(format, j - 1); j--)
			format->lexemes[j] = format->lexemes[j - 1];
		format->lexemes[j] = mark;
		/* Two comments can't be after one mark. */
		if (is_comment(format, i + 1) &&
		    format->lexemes[i + 1].breaks == 0)
			format->lexemes[i + 1].breaks = 1;
	}
}

char *
fm_format(const char *name, struct fm_text text, size_t *len,
    struct fm_diag *diag)
{
	struct format format = { .text = text };
	unsigned errors = fm_diag_errors(diag);
	struct fm_model *model;
	char *written = NULL;

	model = fm_parse_text(name, text, NULL, NULL, diag);
	if (model == NULL)
		return (NULL);
	fm_model_free(&model);
	if (fm_diag_errors(diag) > errors)
		return (NULL);
	format.lexemes = fm_lexemes(text, &format.n);
	format.nomem = format.lexemes == NULL;
	if (!format.nomem) {
		join_marks(&format);
		put_block(&format, 0);
		if (!format.nomem)
			align(&format);
		written = write_rows(&format, len);
	}
	if (written == NULL)
		fm_diag_no_memory(diag);
	free(format.lexemes);
	fm_grow_fini(&format.out);
	fm_grow_fini(&format.rows);
	return (written);
}
