/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes rules as a person would.  Each statement of VCL became rules by
 * itself; here the rules of a file are read again, as a tree, and what says
 * the same in fewer words takes their place.
 *
 *	when header Cookie present {		cookie keep session;
 *	    cookie keep session;		when header Cookie present {
 *	    when not header Cookie present {	    pass;
 *	        unset Cookie;			}
 *	    } else {
 *	        pass;
 *	    }
 *	}
 */

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "import.h"

#define SHORT		50	/* bytes of a `when` in one line */
#define DELIVERED	"when cache is hit miss pass"
#define NOT_DELIVERED	"when not cache is hit miss pass"

/*
 * A statement or a comment, or a block with its branches: `when A { } else
 * when B { } else { }` has three.
 */
struct node {
	const char		*text;		/* NULL: a block */
	struct branch		*branches;
	bool			gap;		/* an empty line is before it */
	struct node		*next;
};

struct branch {
	const char		*head;		/* "when A", "host b"; "": the
						 * else */
	struct node		*body;
	struct branch		*next;
};

struct tidy {
	struct fm_import	*im;
	const char		*p;		/* what is read next */
};

/*--------------------------------------------------------------------
 * Reading and writing
 */

const char *
fm_import_quoted_end(const char *p)
{
	for (p++; *p != '\0' && *p != '"'; p++)
		p += *p == '\\' && (p[1] == '"' || p[1] == '\\');
	return (p + (*p == '"'));
}

static struct node *nodes_read(struct tidy *);

/* Reads the branches of a block up to the last brace. */
static struct branch *
branches_read(struct tidy *tidy)
{
	struct branch *branch = fm_import_alloc(tidy->im, sizeof *branch);
	const char *head = tidy->p, *next;

	while (*tidy->p != '\0' && *tidy->p != '{')
		tidy->p = *tidy->p == '"' ? fm_import_quoted_end(tidy->p) :
		    tidy->p + 1;
	branch->head = fm_import_printf(tidy->im, "%.*s",
	    FM_ARG(fm_text_trim(fm_text_span(head, tidy->p))));
	tidy->p++;
	branch->body = nodes_read(tidy);
	tidy->p++;
	next = tidy->p + strspn(tidy->p, " \n");
	if (strncmp(next, "else ", 5) == 0) {
		tidy->p = next + 5;
		branch->next = branches_read(tidy);
	}
	return (branch);
}

static struct node *
node_read(struct tidy *tidy)
{
	struct node *node = fm_import_alloc(tidy->im, sizeof *node);
	const char *begin = tidy->p, *p = begin;

	if (*p == '#')
		p += strcspn(p, "\n");
	else
		while (*p != '\0' && strchr(";{", *p) == NULL)
			p = *p == '"' ? fm_import_quoted_end(p) : p + 1;
	if (*p == '{') {
		node->branches = branches_read(tidy);
		return (node);
	}
	p += *p == ';';
	node->text = fm_import_printf(tidy->im, "%.*s", (int)(p - begin),
	    begin);
	tidy->p = p;
	return (node);
}

static struct node *
nodes_read(struct tidy *tidy)
{
	struct node *first = NULL, **last = &first;
	const char *begin;
	bool gap;

	for (;;) {
		for (begin = tidy->p; *tidy->p == ' ' || *tidy->p == '\n';)
			tidy->p++;
		gap = memmem(begin, (size_t)(tidy->p - begin), "\n\n", 2) !=
		    NULL;
		if (*tidy->p == '\0' || *tidy->p == '}')
			return (first);
		*last = node_read(tidy);
		(*last)->gap = gap;
		last = &(*last)->next;
	}
}

/* Returns true for a short `when A { pass; }`, which fits a line. */
static bool
is_short(const struct node *node)
{
	const struct branch *branch = node->branches;
	const struct node *body = branch == NULL ? NULL : branch->body;

	return (body != NULL && branch->next == NULL && body->next == NULL &&
	    body->text != NULL && *body->text != '#' &&
	    strncmp(branch->head, "when ", 5) == 0 &&
	    strpbrk(branch->head, "\n") == NULL &&
	    strlen(branch->head) + strlen(body->text) <= SHORT);
}

static void
nodes_put(struct fm_import *im, const struct node *node)
{
	const struct branch *branch;

	for (; node != NULL; node = node->next) {
		fm_import_put(im, node->gap ? "\n" : "");
		if (node->text != NULL)
			fm_import_put(im, "%s\n", node->text);
		if (is_short(node)) {
			fm_import_put(im, "%s { %s }\n", node->branches->head,
			    node->branches->body->text);
			continue;
		}
		for (branch = node->branches; branch != NULL;
		    branch = branch->next) {
			fm_import_put(im, "%s%s{\n", branch->head,
			    *branch->head == '\0' ? "" : " ");
			nodes_put(im, branch->body);
			fm_import_put(im, branch->next == NULL ? "}\n" :
			    "} else ");
		}
	}
}

/*--------------------------------------------------------------------
 * Lists of nodes
 */

static bool
is_comment(const struct node *node)
{
	return (node->text != NULL && *node->text == '#');
}

static bool
says_nothing(const struct node *node)
{
	while (node != NULL && is_comment(node))
		node = node->next;
	return (node == NULL);
}

/* Returns true for a block with one branch, a `when`. */
static bool
is_when(const struct node *node)
{
	return (node->branches != NULL && node->branches->next == NULL &&
	    strncmp(node->branches->head, "when ", 5) == 0);
}

/*
 * Returns true if the last node is a verdict that ends the rules, also in a
 * sub-request of ESI: `purge`, for example, does not there.
 */
static bool
ends(const struct node *node)
{
	static const char * const verdicts[] = { "pass;", "pipe;", "hash;",
	    "stop;", "deliver;", "abandon;", NULL };

	while (node != NULL && node->next != NULL)
		node = node->next;
	return (node != NULL && node->text != NULL &&
	    (fm_text_is_one_of(fm_text_of(node->text), verdicts) ||
	    strncmp(node->text, "synth 4", 7) == 0 ||
	    strncmp(node->text, "synth 5", 7) == 0));
}

/*--------------------------------------------------------------------
 * Words of a condition
 */

/* Takes a word, a text in quotes, or a parenthesis. */
static struct fm_text
word_take(struct fm_text *left)
{
	const char *e = left->b + left->len, *b = left->b, *p;

	while (b < e && isspace((unsigned char)*b))
		b++;
	p = b;
	if (p < e && *p == '"')
		p = fm_import_quoted_end(p);
	else if (p < e && strchr("()", *p) != NULL)
		p++;
	else
		while (p < e && strchr("() \n\"", *p) == NULL)
			p++;
	*left = fm_text_span(p, e);
	return (fm_text_span(b, p));
}

/*
 * Takes the part of a condition up to a word, "and" or "or", that is not in
 * parentheses.  Returns false if nothing is left.
 */
static bool
part_take(struct fm_text *left, const char *until, struct fm_text *part)
{
	struct fm_text rest = *left, word = word_take(&rest);
	const char *begin = word.b, *end = begin;
	unsigned depth = 0;

	if (word.len == 0)
		return (false);
	for (; word.len > 0 && (depth > 0 || !fm_text_is(word, until));
	    word = word_take(&rest)) {
		depth += fm_text_is(word, "(");
		depth -= fm_text_is(word, ")") && depth > 0;
		end = word.b + word.len;
	}
	*part = fm_text_span(begin, end);
	*left = rest;
	return (true);
}

static struct fm_text
cond_of(const char *head)
{
	return (fm_text_of(head + strlen("when ")));
}

/* Returns X for `when header X present`, or `when not header X present`. */
static struct fm_text
present_of(const char *head, bool not)
{
	struct fm_text left = fm_text_of(head), name, none = { NULL, 0 };

	if (!fm_text_is(word_take(&left), "when") ||
	    (not && !fm_text_is(word_take(&left), "not")) ||
	    !fm_text_is(word_take(&left), "header"))
		return (none);
	name = word_take(&left);
	return (fm_text_is(fm_text_trim(left), "present") ? name : none);
}

/* Returns true if a part of a condition is false without a header. */
static bool
needs(struct fm_text part, struct fm_text name)
{
	if (!fm_text_is(word_take(&part), "header") ||
	    !fm_text_eq_nocase(word_take(&part), name))
		return (false);
	return (memmem(part.b, part.len, "\"\"", 2) == NULL);
}

static bool
cond_needs(struct fm_text cond, struct fm_text name)
{
	struct fm_text either, part;
	bool good = true, any;

	while (good && part_take(&cond, "or", &either)) {
		for (any = false; !any && part_take(&either, "and", &part);)
			any = needs(part, name);
		good = any;
	}
	return (good);
}

/*--------------------------------------------------------------------
 * A header that is not there
 */

/* Returns true for `unset X Y` with no other header than this one. */
static bool
only_unsets(const char *text, struct fm_text name)
{
	struct fm_text left = fm_text_of(text), word;

	if (!fm_text_is(word_take(&left), "unset"))
		return (false);
	while ((word = word_take(&left)).len > 0)
		if (!fm_text_eq_nocase(fm_text(word.b, word.len -
		    (word.b[word.len - 1] == ';')), name))
			return (false);
	return (true);
}

/* Returns true if rules do nothing to a message without a header. */
static bool
is_idle(const struct tidy *tidy, const struct node *node, struct fm_text name)
{
	const struct branch *branch;

	for (; node != NULL; node = node->next) {
		if (node->text != NULL && !is_comment(node) &&
		    !only_unsets(node->text, name) &&
		    strcasecmp(node->text, fm_import_printf(tidy->im,
		    "header %.*s;", FM_ARG(name))) != 0 &&
		    !(fm_text_is_nocase(name, "Cookie") &&
		    (strncmp(node->text, "cookie keep ", 12) == 0 ||
		    strncmp(node->text, "cookie drop ", 12) == 0)))
			return (false);
		for (branch = node->branches; branch != NULL;
		    branch = branch->next) {
			if (*branch->head != '\0' &&
			    cond_needs(cond_of(branch->head), name))
				continue;
			/* A test of a URL may refuse a request. */
			if (!is_idle(tidy, branch->body, name) ||
			    (!tidy->im->well_formed &&
			    (strstr(branch->head, "url ") != NULL ||
			    strstr(branch->head, "path ") != NULL)))
				return (false);
		}
	}
	return (true);
}

/* Leaves out `unset X` where a `when` has found that there is no X. */
static void
unsets_drop(struct branch *branch)
{
	struct fm_text name = present_of(branch->head, true);
	struct node **node;

	if (branch->next != NULL &&
	    (*branch->next->head != '\0' || branch->next->next != NULL))
		return;
	if (name.b == NULL && branch->next != NULL) {
		name = present_of(branch->head, false);
		branch = branch->next;
	}
	for (node = &branch->body; name.b != NULL && *node != NULL &&
	    (*node)->text != NULL;)
		if (only_unsets((*node)->text, name))
			*node = (*node)->next;
		else if (is_comment(*node))
			node = &(*node)->next;
		else
			break;
}

/* Leaves `not header X present or` out before `{ unset X; }`. */
static void
absence_drop(struct tidy *tidy, struct branch *branch)
{
	struct fm_text left = cond_of(branch->head), first, name;
	const struct node *node = branch->body;

	if (!part_take(&left, "or", &first) || left.len == 0)
		return;
	name = present_of(fm_import_printf(tidy->im, "when %.*s",
	    FM_ARG(first)), true);
	while (name.b != NULL && node != NULL && (is_comment(node) ||
	    (node->text != NULL && only_unsets(node->text, name))))
		node = node->next;
	if (name.b != NULL && node == NULL)
		branch->head = fm_import_printf(tidy->im, "when %.*s",
		    FM_ARG(fm_text_trim(left)));
}

/*--------------------------------------------------------------------
 * Branches
 */

/* Leaves out branches without rules; returns false if none is left. */
static bool
branches_trim(struct tidy *tidy, struct node *node)
{
	struct branch *first = node->branches, *branch, *full = NULL;
	struct fm_text name;

	for (branch = first; branch != NULL; branch = branch->next)
		if (!says_nothing(branch->body))
			full = branch;
	if (full == NULL)
		return (false);
	full->next = NULL;
	/* `when not header X present { } else { A }` */
	name = present_of(first->head, true);
	if (name.b != NULL && says_nothing(first->body) &&
	    *first->next->head == '\0') {
		first->next->head = fm_import_printf(tidy->im,
		    "when header %.*s present", FM_ARG(name));
		node->branches = first->next;
	}
	return (true);
}

/* `else { when A { } else { } }` is `else when A { } else { }`. */
static void
else_join(struct node *node)
{
	struct branch **branch;

	for (branch = &node->branches; *branch != NULL;
	    branch = &(*branch)->next)
		if (*(*branch)->head == '\0' && (*branch)->body != NULL &&
		    (*branch)->body->next == NULL &&
		    (*branch)->body->branches != NULL)
			*branch = (*branch)->body->branches;
}

/* Returns the rules of an `else` after branches that all end; or NULL. */
static struct node *
else_cut(struct node *node)
{
	struct branch **branch = &node->branches;
	struct node *body;

	while (*branch != NULL && *(*branch)->head != '\0' &&
	    ends((*branch)->body))
		branch = &(*branch)->next;
	if (*branch == NULL || *(*branch)->head != '\0')
		return (NULL);
	body = (*branch)->body;
	*branch = NULL;
	return (body);
}

/* Returns a condition that can be a part of another one with `and`. */
static const char *
and_part(struct fm_import *im, const char *head)
{
	struct fm_text cond = cond_of(head), left = cond, part;

	(void)part_take(&left, "or", &part);
	return (fm_import_printf(im, left.len == 0 ? "%.*s" : "(%.*s)",
	    FM_ARG(cond)));
}

/* Returns "when A and B" for `when A { when B { } }`. */
static const char *
nested(struct fm_import *im, const struct branch *branch)
{
	return (fm_import_printf(im, "when %s\nand %s",
	    and_part(im, branch->head),
	    and_part(im, branch->body->branches->head)));
}

/* `when A { when B { } }` is `when A and B { }`; also for the last branch. */
static void
whens_nest(struct tidy *tidy, struct branch *branch)
{
	const struct node *inner;

	while (branch->next != NULL)
		branch = branch->next;
	inner = branch->body;
	if (*branch->head == '\0' || inner->next != NULL || !is_when(inner) ||
	    strcmp(branch->head, DELIVERED) == 0)
		return;
	branch->head = nested(tidy->im, branch);
	branch->body = inner->branches->body;
}

/*
 * `when cache is hit miss pass { when cache is hit { } else { } }` needs the
 * outer one for the else alone.
 */
static bool
delivered_cut(struct node *node)
{
	struct node *inner = node->branches->body;
	struct branch *branch;

	while (inner != NULL && is_comment(inner))
		inner = inner->next;
	if (strcmp(node->branches->head, DELIVERED) != 0 || inner == NULL ||
	    inner->next != NULL || inner->branches == NULL ||
	    strcmp(inner->branches->head, "when cache is hit") != 0)
		return (false);
	branch = inner->branches->next;
	if (branch == NULL || *branch->head != '\0')
		return (branch == NULL);
	branch->head = "when cache is miss pass";
	return (true);
}

/*--------------------------------------------------------------------
 * The same verdict twice
 */

/* Takes "SUBJECT MODE" of a comparison, with the words in `left`. */
static struct fm_text
compared_take(struct fm_text *left)
{
	static const char * const modes[] = { "is", "begins", "ends",
	    "contains", "like", "~", NULL };
	static const char * const named[] = { "header", "cookie", "query",
	    NULL };
	struct fm_text all = *left, word = word_take(left);

	if (fm_text_is(word, "not") || fm_text_is(word, "("))
		return (fm_text(NULL, 0));
	if (fm_text_is(word, "request"))
		word = word_take(left);
	if (fm_text_is_one_of(word, named))
		(void)word_take(left);
	do
		word = word_take(left);
	while (word.len > 0 && !fm_text_is_one_of(word, modes));
	return (word.len == 0 ? fm_text(NULL, 0) :
	    fm_text_span(all.b, word.b + word.len));
}

/* Returns true for a word that no operand is, without quotes. */
static bool
is_joint(struct fm_text word)
{
	return (fm_text_is(word, "and") || fm_text_is(word, "or") ||
	    fm_text_is(word, "(") || fm_text_is(word, ")"));
}

/* Returns `X is a b` for `X is a` and `X is b`; NULL: they differ more. */
static const char *
compared_join(struct fm_import *im, struct fm_text a, struct fm_text b)
{
	struct fm_text first = a, left = b, have, word, other;
	const char *text;
	bool there;

	have = compared_take(&first);
	other = compared_take(&left);
	if (have.b == NULL || !fm_text_eq(have, other))
		return (NULL);
	for (have = first; (word = word_take(&have)).len > 0;)
		if (is_joint(word))
			return (NULL);
	for (text = fm_import_printf(im, "%.*s", FM_ARG(a));
	    (word = word_take(&left)).len > 0;) {
		for (have = first, there = false;
		    (other = word_take(&have)).len > 0;)
			there |= fm_text_eq(word, other);
		if (is_joint(word))
			return (NULL);
		text = there ? text : fm_import_printf(im, "%s %.*s", text,
		    FM_ARG(word));
	}
	return (text);
}

/* `A and X is a`, or `A and X is b`: `A and X is a b`; NULL: not so. */
static const char *
ands_join(struct fm_import *im, struct fm_text a, struct fm_text b)
{
	const char *text = "", *join;
	struct fm_text mine, theirs;
	unsigned joined = 0;

	while (part_take(&a, "and", &mine)) {
		if (!part_take(&b, "and", &theirs))
			return (NULL);
		join = fm_text_eq(mine, theirs) ? NULL :
		    compared_join(im, mine, theirs);
		if (join == NULL && !fm_text_eq(mine, theirs))
			return (NULL);
		joined += join != NULL;
		text = fm_import_printf(im, "%s%s%s", text, *text == '\0' ?
		    "" : "\nand ", join != NULL ? join :
		    fm_import_printf(im, "%.*s", FM_ARG(mine)));
	}
	return (b.len == 0 && joined == 1 ? text : NULL);
}

/* `A or X is a`, or `X is b`: `A or X is a b`; NULL: no part is so. */
static const char *
ors_join(struct fm_import *im, struct fm_text a, struct fm_text b)
{
	const char *text, *join;
	struct fm_text mine, theirs, left;
	bool joined;

	while (part_take(&b, "or", &theirs)) {
		text = "";
		joined = false;
		for (left = a; part_take(&left, "or", &mine);) {
			join = joined ? NULL : compared_join(im, mine, theirs);
			joined |= join != NULL;
			text = fm_import_printf(im, "%s%s%s", text,
			    *text == '\0' ? "" : "\nor ", join != NULL ?
			    join : fm_import_printf(im, "%.*s", FM_ARG(mine)));
		}
		if (!joined)
			return (NULL);
		a = fm_text_of(text);
	}
	return (fm_import_printf(im, "%.*s", FM_ARG(a)));
}

static const char *
text_of(struct fm_import *im, const struct node *nodes)
{
	fm_import_catch(im);
	nodes_put(im, nodes);
	return (fm_import_caught(im));
}

/* Takes the guards off if vcl_deliver and vcl_synth do the same. */
static bool
guards_join(struct tidy *tidy, struct node **place)
{
	struct node *node = *place, *next = node->next, *last;

	if (next == NULL || !is_when(node) || !is_when(next) ||
	    strcmp(node->branches->head, DELIVERED) != 0 ||
	    strcmp(next->branches->head, NOT_DELIVERED) != 0 ||
	    strcmp(text_of(tidy->im, node->branches->body),
	    text_of(tidy->im, next->branches->body)) != 0)
		return (false);
	*place = last = node->branches->body;
	while (last->next != NULL)
		last = last->next;
	last->next = next->next;
	return (true);
}

/* Moves the comments between two nodes before the first one. */
static void
comments_move(struct node **place, const struct node *end)
{
	struct node *node = *place, **last = &node->next;

	if (*last == end)
		return;
	(*last)->gap = node->gap;
	*place = *last;
	while (*last != end)
		last = &(*last)->next;
	*last = node;
}

/*
 * Joins `when A { pass; }` and `when B { pass; }` if both compare one thing;
 * comments between them come first.
 */
static bool
whens_join(struct tidy *tidy, struct node **place)
{
	struct node *node = *place, *next = node->next;
	struct branch *a = node->branches, *b;
	const char *cond;

	while (next != NULL && is_comment(next))
		next = next->next;
	if (next == NULL || !is_when(node) || !is_when(next))
		return (false);
	b = next->branches;
	if (a->body->next != NULL || b->body->next != NULL ||
	    !ends(a->body) || !ends(b->body) ||
	    strcmp(a->body->text, b->body->text) != 0)
		return (false);
	cond = ands_join(tidy->im, cond_of(a->head), cond_of(b->head));
	if (cond == NULL)
		cond = ors_join(tidy->im, cond_of(a->head), cond_of(b->head));
	if (cond == NULL)
		return (false);
	a->head = fm_import_printf(tidy->im, "when %s", cond);
	comments_move(place, next);
	node->next = next->next;
	return (true);
}

/*--------------------------------------------------------------------
 * Each node
 */

/* Headers as all write them; VCL often does not. */
static const char * const spelled[] = { "Accept", "Accept-Encoding",
    "Accept-Language", "Age", "Authorization", "Cache-Control",
    "Content-Type", "Cookie", "ETag", "Expires", "Host", "If-None-Match",
    "Location", "Pragma", "Referer", "Server", "Set-Cookie",
    "Surrogate-Control", "Upgrade", "User-Agent", "Vary", "Via",
    "X-Forwarded-For", "X-Forwarded-Proto", "X-Powered-By", "X-Varnish",
    NULL };

/* Returns true for words after which a comparison begins. */
static bool
begins_test(struct fm_text word)
{
	static const char * const words[] = { "when", "not", "and", "or", "(",
	    NULL };

	return (fm_text_is_one_of(word, words));
}

/* Spells the headers of a condition, or of an `unset`, as all write them. */
static const char *
spell(struct fm_import *im, const char *text)
{
	struct fm_text left = fm_text_of(text), word = word_take(&left);
	bool unsets = fm_text_is(word, "unset"), name = unsets, begins = true;
	char *copy;
	size_t i, len;

	if (!unsets && !fm_text_is(word, "when"))
		return (text);
	copy = fm_import_alloc(im, strlen(text) + 1);
	memcpy(copy, text, strlen(text) + 1);
	while ((word = word_take(&left)).len > 0) {
		len = word.len - (word.b[word.len - 1] == ';');
		for (i = 0; name && spelled[i] != NULL; i++)
			if (fm_text_is_nocase(fm_text(word.b, len),
			    spelled[i]))
				memcpy(copy + (word.b - text), spelled[i],
				    len);
		/* A text that is compared with may be "header", too. */
		name = unsets || (begins && fm_text_is(word, "header"));
		begins = begins_test(word) || (begins &&
		    fm_text_is(word, "request"));
	}
	return (copy);
}

/* Joins `unset A; unset B;`, or two `header` of a key. */
static bool
names_join(struct tidy *tidy, struct node *node)
{
	struct node *next = node->next;
	size_t len = node->text == NULL || next == NULL ||
	    next->text == NULL ? 0 : strncmp(node->text, "unset ", 6) == 0 ?
	    6 : strncmp(node->text, "header ", 7) == 0 ? 7 : 0;

	if (len == 0 || strncmp(node->text, next->text, len) != 0)
		return (false);
	node->text = fm_import_printf(tidy->im, "%.*s %s",
	    (int)strlen(node->text) - 1, node->text, next->text + len);
	node->next = next->next;
	return (true);
}

/*
 * Returns true for a comment that follows once more, and for `query clean`
 * before `query sort`, which is written with another one after it.
 */
static bool
is_said_again(const struct node *node)
{
	const struct node *next = node->next;

	if (next == NULL || node->text == NULL)
		return (false);
	if (is_comment(node))
		return (is_comment(next) && strcmp(node->text, next->text) ==
		    0);
	while (next != NULL && is_comment(next))
		next = next->next;
	return (strcmp(node->text, "query clean;") == 0 && next != NULL &&
	    next->text != NULL && strcmp(next->text, "query sort;") == 0);
}

static struct node *nodes_tidy(struct tidy *, struct node *);

/* Tidies a block, and returns what takes its place. */
static struct node *
block_tidy(struct tidy *tidy, struct node *node)
{
	struct branch *branch;
	struct fm_text name;

	else_join(node);
	for (branch = node->branches; branch != NULL; branch = branch->next) {
		branch->head = spell(tidy->im, branch->head);
		branch->body = nodes_tidy(tidy, branch->body);
	}
	if (strncmp(node->branches->head, "when ", 5) != 0)
		return (node);
	unsets_drop(node->branches);
	if (is_when(node))
		absence_drop(tidy, node->branches);
	if (!branches_trim(tidy, node))
		return (NULL);
	node->next = else_cut(node);
	name = present_of(node->branches->head, false);
	if (is_when(node) && node->next == NULL && ((name.b != NULL &&
	    is_idle(tidy, node->branches->body, name)) || delivered_cut(node)))
		return (node->branches->body);
	whens_nest(tidy, node->branches);
	return (node);
}

static struct node *
nodes_tidy(struct tidy *tidy, struct node *first)
{
	struct node **place = &first, *node, *after;

	while (*place != NULL) {
		node = *place;
		after = node->next;
		node->next = NULL;
		if (node->text == NULL)
			*place = block_tidy(tidy, node);
		else
			node->text = spell(tidy->im, node->text);
		if (*place != NULL)
			(*place)->gap = node->gap;
		while (*place != NULL)
			place = &(*place)->next;
		*place = after;
	}
	for (place = &first; *place != NULL;)
		if (!names_join(tidy, *place) && !whens_join(tidy, place) &&
		    !guards_join(tidy, place))
			place = &(*place)->next;
	for (place = &first; *place != NULL;)
		if (is_said_again(*place))
			*place = (*place)->next;
		else
			place = &(*place)->next;
	return (first);
}

/* Nests what has kept its guard, as vcl_synth does something else. */
static void
delivered_nest(struct tidy *tidy, struct node *node)
{
	struct branch *branch;

	for (; node != NULL; node = node->next) {
		branch = node->branches;
		if (branch != NULL && is_when(node) &&
		    strcmp(branch->head, DELIVERED) == 0 &&
		    branch->body->next == NULL && is_when(branch->body)) {
			branch->head = nested(tidy->im, branch);
			branch->body = branch->body->branches->body;
		}
		for (; branch != NULL; branch = branch->next)
			delivered_nest(tidy, branch->body);
	}
}

const char *
fm_import_tidied(struct fm_import *im, const char *rules)
{
	struct tidy tidy = { .im = im, .p = rules };
	struct node *nodes = nodes_tidy(&tidy, nodes_read(&tidy));

	delivered_nest(&tidy, nodes);
	fm_import_catch(im);
	nodes_put(im, nodes);
	return (fm_import_caught(im));
}
