/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Networks of a list that decide nothing, for they are in another one.
 */

#include <stdlib.h>
#include <string.h>

#include "addrs.h"
#include "check_priv.h"

struct net {
	const struct fm_word	*word;
	struct fm_addr		addr;
	unsigned		bits;
};

/* The builder of networks has seen that they are right. */
static void
net_read(struct net *net, const struct fm_word *word)
{
	struct fm_text t = word->text;
	const char *slash = memchr(t.b, '/', t.len), *p;

	net->word = word;
	(void)fm_addr_parse(slash == NULL ? t : fm_text_span(t.b, slash),
	    &net->addr);
	net->bits = 8U * net->addr.len;
	if (slash == NULL)
		return;
	net->bits = 0;
	for (p = slash + 1; p < t.b + t.len; p++)
		net->bits = 10 * net->bits + (unsigned)(*p - '0');
	/* IPv4 in IPv6. */
	if (net->addr.len == 4 && memchr(t.b, ':', t.len) != NULL)
		net->bits -= 96;
}

/* Whether the first bits of two addresses are the same. */
static bool
is_inside(const struct net *net, const struct net *wide)
{
	unsigned bytes = wide->bits / 8, rest = wide->bits % 8;

	return (net->addr.len == wide->addr.len && net->bits >= wide->bits &&
	    memcmp(net->addr.b, wide->addr.b, bytes) == 0 && (rest == 0 ||
	    ((net->addr.b[bytes] ^ wide->addr.b[bytes]) >> (8 - rest)) == 0));
}

/* What is in another one comes behind it, and nothing else between them. */
static int
nets_order(const void *va, const void *vb)
{
	const struct net *a = va, *b = vb;
	int r = (a->addr.len > b->addr.len) - (a->addr.len < b->addr.len);

	if (r == 0)
		r = memcmp(a->addr.b, b->addr.b, a->addr.len);
	if (r == 0)
		r = (a->bits > b->bits) - (a->bits < b->bits);
	if (r != 0)
		return (r);
	/* Of equal ones the first in its file. */
	return (a->word->at.line != b->word->at.line ?
	    (a->word->at.line > b->word->at.line) -
	    (a->word->at.line < b->word->at.line) :
	    (a->word->at.column > b->word->at.column) -
	    (a->word->at.column < b->word->at.column));
}

void
fm_check_covered_nets(struct fm_check *check,
    const struct fm_list_line *lines)
{
	const char *is = fm_mode_word(FM_PATTERN_EXACT);
	const struct fm_list_line *line;
	const struct fm_word *word;
	char where[FM_PLACE_LEN];
	struct net *nets, *wide;
	size_t i, n = 0;

	for (line = lines; line != NULL; line = line->next)
		n += line->operands.count;
	nets = calloc(n + 1, sizeof *nets);
	if (nets == NULL) {
		fm_check_memory(check);
		return;
	}
	n = 0;
	for (line = lines; line != NULL; line = line->next)
		for (word = line->operands.first; word != NULL;
		    word = word->next)
			net_read(&nets[n++], word);
	qsort(nets, n, sizeof *nets, nets_order);
	wide = &nets[0];
	for (i = 1; i < n; i++) {
		if (!is_inside(&nets[i], wide)) {
			wide = &nets[i];
			continue;
		}
		/* The same written twice is told elsewhere. */
		if (!fm_text_eq_nocase(nets[i].word->text, wide->word->text))
			fm_diag_warning(check->diag, &nets[i].word->at,
			    FM_MSG_WARN_COVERED, is,
			    FM_CHECK_QUOTE(nets[i].word->text), is,
			    FM_CHECK_QUOTE(wide->word->text),
			    fm_place_print(&wide->word->at, where));
	}
	free(nets);
}
