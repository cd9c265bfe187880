/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the networks of tests, maps and lists, and sorts them into the model.
 * A list is one of networks if its lines have `in`, or if a `client in` uses
 * it.  Also checks `client from`.
 */

#include <stdlib.h>

#include "check_priv.h"
#include "glob.h"

/* Returns false, and reports it, if a word is not a network. */
static bool
net_read(struct fm_check *check, const struct fm_word *word,
    struct fm_network *network)
{
	const char *fault = fm_network_parse(word->text, network);

	if (fault != NULL && fm_text_has(word->text, ","))
		fm_check_error(check, &word->at, check->in_file ?
		    FM_MSG_SLIP_COMMA_FILE : FM_MSG_SLIP_COMMA,
		    FM_SHOW(word->text), ",");
	else if (fault != NULL)
		fm_check_error(check, &word->at, "'%.*s' %s",
		    FM_SHOW(word->text), fault);
	return (fault == NULL);
}

/* Adds the words that are networks.  The value is that of a map's line. */
static void
nets_add(struct fm_check *check, struct fm_grow *nets,
    const struct fm_words *words, const struct fm_value *value)
{
	const struct fm_word *word;
	struct fm_network network;
	struct fm_net *net;

	for (word = words->first; word != NULL; word = word->next) {
		if (!net_read(check, word, &network))
			continue;
		net = fm_grow_add(nets, sizeof *net, 1);
		if (net == NULL) {
			fm_diag_no_memory(check->diag);
			return;
		}
		*net = (struct fm_net){ network, word, value };
	}
}

/* Orders a network after the one that it is in, and equal ones by place. */
static int
net_compare(const void *va, const void *vb)
{
	const struct fm_net *a = va, *b = vb;
	const struct fm_place *pa = &a->word->at, *pb = &b->word->at;
	int r = fm_network_compare(&a->network, &b->network);

	if (r == 0)
		r = (pa->line > pb->line) - (pa->line < pb->line);
	if (r == 0)
		r = (pa->column > pb->column) - (pa->column < pb->column);
	return (r);
}

/* Reports a network that decides nothing, because another one does. */
static void
net_tell(struct fm_check *check, const struct fm_net *net,
    const struct fm_net *by, const char *mode)
{
	char where[FM_PLACE_LEN];

	if (mode == NULL && !fm_text_eq(by->value->raw, net->value->raw))
		fm_check_error(check, &net->word->at, FM_MSG_NETWORK_VALUES,
		    FM_SHOW(net->word->text),
		    fm_place_print(&by->word->at, where));
	else
		fm_check_tell_covered(check, net->word, fm_text_eq_nocase(
		    by->word->text, net->word->text) ? NULL : mode, by->word,
		    mode);
}

/*
 * Sorts the networks that were added into the model, and reports those that are
 * there twice; or that are in another one, except in a map (mode is NULL), in
 * which the smallest network decides.
 */
static void
nets_end(struct fm_check *check, struct fm_grow *added, const char *mode,
    struct fm_nets *nets)
{
	const struct fm_net *net, *by;

	nets->items = fm_arena_alloc(&check->model->arena,
	    (added->n + 1) * sizeof *nets->items);
	if (nets->items == NULL) {
		fm_diag_no_memory(check->diag);
		added->n = 0;
	}
	nets->n = added->n;
	if (nets->n > 0) {
		memcpy(nets->items, added->items, nets->n * sizeof *by);
		qsort(nets->items, nets->n, sizeof *by, net_compare);
	}
	by = net = nets->items;
	for (; net < nets->items + nets->n; net++)
		if (mode == NULL ? fm_network_compare(&by->network,
		    &net->network) != 0 :
		    !fm_network_inside(&net->network, &by->network))
			by = net;
		else if (net != by)
			net_tell(check, net, by, mode);
	fm_grow_fini(added);
}

void
fm_check_networks(struct fm_check *check, const struct fm_words *words,
    struct fm_nets *nets)
{
	struct fm_grow added = { .n = 0 };

	nets_add(check, &added, words, NULL);
	nets_end(check, &added, "in", nets);
}

bool
fm_check_meant_network(struct fm_check *check, struct fm_word *word)
{
	struct fm_text t = word->text;
	struct fm_network network;

	if (fm_check_table_find(&check->lists, t) != NULL || t.len == 0 ||
	    t.b[0] == '/' || (memchr(t.b, '/', t.len) == NULL &&
	    memchr(t.b, ':', t.len) == NULL &&
	    (t.b[0] < '0' || t.b[0] > '9')))
		return (false);
	(void)net_read(check, word, &network);
	return (true);
}

/*--------------------------------------------------------------------
 * Lists
 */

/* Returns false, and says so, if a list of `is` is none of networks. */
static bool
list_is_networks(struct fm_check *check, const struct fm_list_def *list)
{
	const struct fm_line *line;
	const struct fm_place *at = NULL;
	const struct fm_word *word;
	struct fm_network network;
	char where[FM_PLACE_LEN];

	for (line = list->lines; line != NULL && at == NULL;
	    line = line->next) {
		if (line->matches->mode != FM_PATTERN_EXACT)
			at = &line->matches->at;
		for (word = line->matches->operands.first;
		    word != NULL && at == NULL; word = word->next)
			if (fm_network_parse(word->text, &network) != NULL)
				at = &word->at;
	}
	if (at != NULL)
		fm_check_error(check, &list->for_networks->at,
		    FM_MSG_LIST_NETWORKS, FM_SHOW(list->name->text),
		    fm_place_print(at, where));
	return (at == NULL);
}

void
fm_check_list_networks(struct fm_check *check, struct fm_list_def *list)
{
	const struct fm_line *line;
	struct fm_grow added = { .n = 0 };

	if (!list->in && !list_is_networks(check, list))
		return;
	for (line = list->lines; line != NULL; line = line->next)
		nets_add(check, &added, &line->matches->operands, line->value);
	nets_end(check, &added, check->in_map != NULL ? NULL :
	    list->in ? "in" : "is", &list->nets);
}

void
fm_check_nets_subject(struct fm_check *check, const struct fm_subject *subject)
{
	const unsigned never = FM_CHECK_KIND(FM_SUBJECT_URL) |
	    FM_CHECK_KIND(FM_SUBJECT_PATH) | FM_CHECK_AGENT |
	    FM_CHECK_KIND(FM_SUBJECT_CLEAN_PATH) |
	    FM_CHECK_KIND(FM_SUBJECT_METHOD);

	if (subject->kind == FM_SUBJECT_HEADER &&
	    fm_text_eq_nocase(subject->name, fm_text_of("X-Forwarded-For")))
		fm_diag_warning(check->diag, &subject->at,
		    FM_MSG_WARN_FORWARDED);
	else if ((fm_check_subject_bit(subject) & never) != 0)
		fm_diag_warning(check->diag, &subject->at,
		    FM_MSG_WARN_NO_ADDRESS);
}

/*--------------------------------------------------------------------
 * The client behind a proxy
 */

/* Warns of networks that have half of all addresses, or more. */
static void
trust_all(struct fm_check *check, const struct fm_words *words, bool scheme)
{
	const struct fm_word *word;
	struct fm_network network;

	for (word = words->first; word != NULL; word = word->next)
		if (fm_network_parse(word->text, &network) == NULL &&
		    network.bits <= 1)
			fm_diag_warning(check->diag, &word->at, scheme ?
			    FM_MSG_WARN_SCHEME_ALL : FM_MSG_WARN_TRUST_ALL,
			    FM_SHOW(word->text));
}

/* Checks the networks of a trusted header, or their list. */
static void
trust_check(struct fm_check *check, struct fm_trust *trust, bool scheme)
{
	const struct fm_line *line;

	fm_check_header(check, FM_CHECK_HEADER_READ, trust->header->text,
	    &trust->header->at);
	fm_check_networks(check, &trust->networks, &trust->nets);
	trust_all(check, &trust->networks, scheme);
	if (trust->list == NULL || fm_check_meant_network(check, trust->list))
		return;
	trust->list_def = fm_check_client_list(check, trust->list);
	if (trust->list_def == NULL)
		return;
	for (line = trust->list_def->lines; line != NULL; line = line->next)
		trust_all(check, &line->matches->operands, scheme);
}

void
fm_check_trust(struct fm_check *check)
{
	static const char * const others[] = { "Forwarded", "Via", "Host",
	    "Cookie", "User-Agent", NULL };
	struct fm_trust *trust = check->model->trust;

	if (trust == NULL)
		return;
	if (fm_text_is_one_of(trust->header->text, others))
		fm_check_word_warn(check, trust->header,
		    FM_MSG_WARN_TRUST_FORM);
	trust_check(check, trust, false);
}

/* Returns true if two `scheme from` look at the same place. */
static bool
same_scheme(const struct fm_scheme *a, const struct fm_scheme *b)
{
	return (a->from == b->from && (a->from != FM_SCHEME_FROM_HEADER ||
	    fm_text_eq_nocase(a->trust.header->text, b->trust.header->text)));
}

void
fm_check_schemes(struct fm_check *check)
{
	static const char * const others[] = { "Forwarded", "Via", "Host",
	    "Cookie", "User-Agent", "CF-Visitor", "X-Forwarded-For",
	    "X-Forwarded-Host", "X-Forwarded-Port", NULL };
	struct fm_scheme *scheme = check->model->schemes, *before;
	char where[FM_PLACE_LEN];

	for (; scheme != NULL; scheme = scheme->next) {
		before = check->model->schemes;
		while (!same_scheme(before, scheme))
			before = before->next;
		if (before != scheme)
			fm_check_error(check, &scheme->at, FM_MSG_SCHEME_TWICE,
			    fm_place_print(&before->at, where));
		if (scheme->from != FM_SCHEME_FROM_HEADER)
			continue;
		if (fm_text_is_one_of(scheme->trust.header->text, others))
			fm_check_word_warn(check, scheme->trust.header,
			    FM_MSG_WARN_SCHEME_FORM);
		trust_check(check, &scheme->trust, true);
	}
}

void
fm_check_scheme_known(struct fm_check *check, const struct fm_place *at)
{
	if (check->model->schemes == NULL && !check->scheme_asked)
		fm_check_error(check, at, FM_MSG_SCHEME_ITEM);
	check->scheme_asked = true;
}

void
fm_check_trusted(struct fm_check *check, const char *what,
    const struct fm_word *header, const struct fm_value *value)
{
	const struct fm_trust *trust = check->model->trust;
	const struct fm_scheme *scheme = check->model->schemes;
	char where[FM_PLACE_LEN];

	/* `set X-Forwarded-Proto = "${scheme}"` changes nothing. */
	if (value != NULL && value->parts != NULL &&
	    value->parts->kind == FM_PART_SCHEME && value->parts->next == NULL)
		scheme = NULL;
	while (scheme != NULL && (scheme->from != FM_SCHEME_FROM_HEADER ||
	    !fm_glob_match(header->text, scheme->trust.header->text, true)))
		scheme = scheme->next;
	if (scheme != NULL)
		fm_diag_warning(check->diag, &header->at,
		    FM_MSG_WARN_SCHEME_EDIT, FM_SHOW(header->text), what,
		    fm_place_print(&scheme->at, where));

	if (trust == NULL || !fm_glob_match(header->text,
	    trust->header->text, true))
		return;
	fm_diag_warning(check->diag, &header->at, FM_MSG_WARN_TRUST_EDIT,
	    FM_SHOW(header->text), what,
	    fm_place_print(&trust->at, where));
}
