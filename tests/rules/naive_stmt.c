/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin's values and statements: carries out a block, one statement
 * after the other.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "naive_priv.h"
#include "negotiate.h"

/*--------------------------------------------------------------------
 * Values
 */

/* Returns the digits after the last colon of the client's Host. */
static struct fm_text
port_text(const struct naive *naive)
{
	const struct fm_field *field = naive->view->fields;
	struct fm_text line;
	size_t at;

	for (; naive->result.host.b != NULL; field++) {
		if (field->b == NULL)
			continue;
		line = fm_text_trim(fm_text_span(field->b, field->e));
		if (line.len > 5 && fm_text_eq_nocase(fm_text(line.b, 5),
		    fm_text_of("Host:")))
			break;
	}
	if (naive->result.host.b == NULL)
		return (fm_text("", 0));
	for (at = line.len; at > 0 && line.b[at - 1] >= '0' &&
	    line.b[at - 1] <= '9'; at--)
		continue;
	if (at <= 5 || line.b[at - 1] != ':')
		return (fm_text("", 0));
	return (fm_text(line.b + at, line.len - at));
}

static struct fm_text
domain_text(struct fm_text host)
{
	return (fm_text_begins(host, "www.") && host.len > 4 ?
	    fm_text_span(host.b + 4, host.b + host.len) : host);
}

/* Returns the query after a `?`; an empty text if it is empty. */
static struct fm_text
search_text(struct naive *naive)
{
	struct fm_text query = naive_query(naive);
	char *p = naive_alloc(naive, query.len + 1);

	*p = '?';
	if (query.len > 0)
		memcpy(p + 1, query.b, query.len);
	return (fm_text(p, query.len == 0 ? 0 : query.len + 1));
}

static struct fm_text
part_value(struct naive *naive, const struct fm_part *part,
    const struct naive_context *context)
{
	static const struct fm_subject url = { .kind = FM_SUBJECT_URL };

	if (part->kind == FM_PART_URL || part->kind == FM_PART_PATH ||
	    part->kind == FM_PART_QUERY || part->kind == FM_PART_SEARCH ||
	    part->kind == FM_PART_PARAMETER)
		naive->fragment |= naive_has_fragment(naive, &url);
	switch (part->kind) {
	case FM_PART_TEXT:
		return (part->text);
	case FM_PART_URL:
		return (naive_local_url(naive));
	case FM_PART_PATH:
		return (naive_local_path(naive));
	case FM_PART_QUERY:
		return (naive_query(naive));
	case FM_PART_SEARCH:
		return (search_text(naive));
	case FM_PART_HOST:
		return (naive->result.host);
	case FM_PART_DOMAIN:
		return (domain_text(naive->result.host));
	case FM_PART_METHOD:
		return (naive->view->method);
	case FM_PART_CLIENT:
		naive->client_missed = naive->client_unknown;
		return (naive_client_text(naive));
	case FM_PART_SCHEME:
		return (naive_scheme(naive));
	case FM_PART_PORT:
		return (port_text(naive));
	case FM_PART_RULESET:
		return (naive->result.site);
	case FM_PART_WILD:
		return (naive->wild);
	case FM_PART_HEADER:
		return (naive_header(naive, part->text));
	case FM_PART_COOKIE:
		return (naive_cookie_find(naive, part->text));
	case FM_PART_PARAMETER:
		return (naive_query_find(naive, part->text));
	case FM_PART_GROUP:
		if (context->groups == NULL)
			return (fm_text(NULL, 0));
		return (context->groups[part->group]);
	default:		/* no request has it */
		break;
	}
	abort();
}

/*
 * Copies a variable as a reason has it: 100 bytes, without bytes of HTML.
 * Returns how many bytes.
 */
static size_t
reason_put(char *p, struct fm_text t)
{
	size_t i, n = 0;

	for (i = 0; i < t.len && n < 100; i++)
		if ((unsigned char)t.b[i] >= ' ' &&
		    memchr("<>&\"'`\x7f", t.b[i], 7) == NULL)
			p[n++] = t.b[i];
	/* Drops a character whose bytes were cut. */
	while (i < t.len && (t.b[i] & 0xc0) == 0x80 && n > 0 &&
	    (p[n - 1] & 0x80) != 0)
		if ((p[--n] & 0xc0) == 0xc0)
			break;
	return (n);
}

static struct fm_text
parts_value(struct naive *naive, const struct fm_value *value,
    const struct naive_context *context, bool reason)
{
	struct fm_text out = fm_text("", 0), t;
	const struct fm_part *part;
	char *p;

	for (part = value->parts; part != NULL; part = part->next) {
		t = part_value(naive, part, context);
		p = naive_alloc(naive, out.len + t.len);
		memcpy(p, out.b, out.len);
		if (reason && part->kind != FM_PART_TEXT)
			t.len = reason_put(p + out.len, t);
		else if (t.len > 0)
			memcpy(p + out.len, t.b, t.len);
		out = fm_text(p, out.len + t.len);
	}
	return (out);
}

/* Refuses the request; always NAIVE_END. */
static enum naive_step
refuse(struct naive *naive, const struct fm_place *at, enum fm_refuse why)
{
	naive->result.verdict = FM_VERDICT_REFUSE;
	naive->result.status = 400;
	naive->result.refuse = why;
	naive->result.at = *at;
	return (NAIVE_END);
}

/*
 * Ends the run at a statement that is undecided, unless the rules ignore that.
 */
static enum naive_step
undecided(struct naive *naive, const struct fm_place *at)
{
	const struct fm_model *model = naive->model;
	struct naive_result *r = &naive->result;

	r->undecided++;
	if (model->undecided_mode == FM_UNDECIDED_IGNORE)
		return (NAIVE_ON);
	if (model->undecided_mode == FM_UNDECIDED_REFUSE ||
	    naive->view->esi)
		return (refuse(naive, at, FM_REFUSE_UNDECIDED));
	r->verdict = FM_VERDICT_SYNTH;
	r->status = model->undecided_code;
	if (model->undecided_reason != NULL)
		r->text = model->undecided_reason->text;
	r->at = model->undecided->at;
	return (NAIVE_END);
}

/*
 * Returns true if the trace was told, since the last condition, that a
 * statement of this line is undecided.
 */
static bool
told_undecided(struct naive *naive, const struct fm_place *at)
{
	const struct fm_event *event = naive->told;

	for (; event < naive->end && event->kind != FM_EVENT_WHEN; event++)
		if (event->effect == FM_EFFECT_UNDECIDED &&
		    event->rule->at.line == at->line) {
			naive->told = event + 1;
			return (true);
		}
	return (false);
}

/* Returns the value of the smallest network, or the default. */
static const struct fm_value *
network_choose(struct naive *naive, const struct fm_value *value)
{
	struct fm_addr addr = naive_address(naive, &value->subject);
	const struct fm_value *chosen = value->map_def->otherwise;
	const struct fm_line *line;
	int bits = -1, one;

	naive->client_missed = naive->client_unknown &&
	    value->subject.kind == FM_SUBJECT_CLIENT;
	for (line = value->map_def->lines; line != NULL; line = line->next) {
		one = naive_networks(&line->matches->operands, &addr);
		if (one <= bits)
			continue;
		bits = one;
		chosen = line->value;
	}
	return (chosen);
}

/*
 * Looks up a map; *chosen is the value of its line, or NULL.  Sets *unclear if
 * a line before is undecided; also if a match of such a line is, and the
 * program has asked it first.
 */
static enum naive_step
map_choose(struct naive *naive, const struct fm_value *value,
    const struct fm_place *at, const struct fm_value **chosen, bool *unclear)
{
	const struct fm_list_def *map = value->map_def;
	const struct fm_line *line;
	enum fm_outcome outcome = FM_FALSE;
	struct fm_text s;

	if (naive_has_fragment(naive, &value->subject))
		return (refuse(naive, at, FM_REFUSE_FRAGMENT));
	if (map->in) {
		*chosen = network_choose(naive, value);
		return (NAIVE_ON);
	}
	*chosen = map->otherwise;
	naive->unclear = false;
	s = naive_subject(naive, &value->subject);
	for (line = map->lines; s.b != NULL && line != NULL &&
	    outcome != FM_TRUE; line = line->next) {
		outcome = naive_map_line(naive, map, line, &value->subject, s);
		*unclear |= outcome == FM_UNDECIDED;
		if (outcome == FM_TRUE)
			*chosen = line->value;
	}
	*unclear |= naive->unclear && told_undecided(naive, at);
	return (NAIVE_ON);
}

/*
 * Renders a value; *of becomes the value, or the value that its map has chosen.
 */
static enum naive_step
value_render(struct naive *naive, const struct fm_value *value,
    const struct fm_place *at, const struct naive_context *context,
    struct fm_text *out, const struct fm_value **of)
{
	static const struct naive_context none = { NULL };
	const struct fm_value *chosen = value;
	bool unclear = false;

	if (value->map != NULL) {
		/* Values of a map can't use groups of a `when`. */
		context = &none;
		if (map_choose(naive, value, at, &chosen,
		    &unclear) == NAIVE_END)
			return (NAIVE_END);
	}
	*out = chosen == NULL ? fm_text("", 0) :
	    parts_value(naive, chosen, context, false);
	if (of != NULL)
		*of = chosen;
	if (naive->fragment)
		return (refuse(naive, at, FM_REFUSE_FRAGMENT));
	if (naive->client_missed)
		return (refuse(naive, at, FM_REFUSE_CLIENT));
	return (unclear ? undecided(naive, at) : NAIVE_ON);
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Returns true if a Location begins as a path: any other has a host. */
static bool
is_path(const struct fm_value *value)
{
	const struct fm_part *part;
	struct fm_text t;

	for (part = value->parts; part != NULL; part = part->next) {
		if (part->kind != FM_PART_TEXT)
			return (true);
		t = fm_text_trim(part->text);
		if (t.len > 0)
			return (t.b[0] == '/' && (t.len == 1 ||
			    t.b[1] != '/'));
	}
	return (true);
}

/*
 * Returns a path with one slash at its start, since browsers take a text after
 * two slashes for a host; to them a backslash is a slash, and a tab doesn't
 * count.
 */
static struct fm_text
one_slash(struct naive *naive, struct fm_text t)
{
	size_t slashes = 0, i;
	char *p;

	for (i = 0; i < t.len && strchr("/\\\t", t.b[i]) != NULL; i++)
		slashes += t.b[i] != '\t';
	if (slashes < 2)
		return (t);
	p = naive_alloc(naive, t.len);
	*p = '/';
	memcpy(p + 1, t.b + i, t.len - i);
	return (fm_text(p, t.len - i + 1));
}

/* Returns true if a Location has nothing, a path or a port after its "//". */
static bool
has_no_host(struct fm_text t)
{
	const char *host = memmem(t.b, t.len, "//", 2);

	assert(host != NULL);
	host += 2;
	return (host == t.b + t.len || strchr("/?#:", *host) != NULL);
}

static enum naive_step
do_redirect(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	struct naive_result *r = &naive->result;
	const struct fm_value *of;
	struct fm_text to;

	if (naive->view->esi) {
		r->ignored++;
		return (NAIVE_ON);
	}
	if (value_render(naive, stmt->redirect.to, &stmt->at, context, &to,
	    &of) == NAIVE_END)
		return (NAIVE_END);
	to = naive_clean(naive, to);
	if (to.len == 0)
		return (NAIVE_ON);
	r->verdict = FM_VERDICT_REDIRECT;
	r->status = stmt->redirect.code;
	r->text = to;
	r->at = stmt->at;
	if (is_path(of)) {
		r->text = one_slash(naive, to);
	} else if (has_no_host(to)) {
		r->verdict = FM_VERDICT_SYNTH;
		r->status = 400;
		r->text = fm_text_of("No host to redirect to");
	}
	return (NAIVE_END);
}

static enum naive_step
do_synth(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	struct naive_result *r = &naive->result;

	if (naive->view->esi && stmt->synth.code < 400) {
		r->ignored++;
		return (NAIVE_ON);
	}
	if (stmt->synth.value != NULL)
		r->text = parts_value(naive, stmt->synth.value, context, true);
	else if (stmt->synth.reason != NULL)
		r->text = stmt->synth.reason->text;
	if (naive->fragment)
		return (refuse(naive, &stmt->at, FM_REFUSE_FRAGMENT));
	if (naive->client_missed)
		return (refuse(naive, &stmt->at, FM_REFUSE_CLIENT));
	r->verdict = FM_VERDICT_SYNTH;
	r->denied = naive->view->esi;
	r->status = stmt->synth.code;
	r->at = stmt->at;
	return (NAIVE_END);
}

static enum naive_step
do_answer(struct naive *naive, const struct fm_stmt *stmt)
{
	struct naive_result *r = &naive->result;

	r->denied = naive->view->esi && stmt->answer.code >= 400;
	if (naive->view->esi && !r->denied) {
		r->ignored++;
		return (NAIVE_ON);
	}
	r->verdict = FM_VERDICT_ANSWER;
	r->status = stmt->answer.code;
	r->text = stmt->answer.type->text;
	r->body = r->denied ? fm_text("", 0) : stmt->answer.body;
	r->at = stmt->at;
	return (NAIVE_END);
}

/* Gives a verdict without operands. */
static enum naive_step
do_verdict(struct naive *naive, const struct fm_stmt *stmt)
{
	enum fm_verdict verdict = (enum fm_verdict)fm_stmts[stmt->kind].verdict;
	const struct fm_verdict_row *row = &fm_verdicts[verdict];

	if (naive->view->esi && row->esi == FM_ESI_IGNORED) {
		naive->result.ignored++;
		return (NAIVE_ON);
	}
	naive->result.denied = naive->view->esi && row->esi == FM_ESI_DENIES;
	naive->result.verdict = verdict;
	naive->result.status = row->status;
	naive->result.at = stmt->at;
	return (NAIVE_END);
}

/* Returns a URL without blanks and controls; if nothing is left, "/". */
static struct fm_text
url_clean(struct naive *naive, struct fm_text t)
{
	char *p = naive_alloc(naive, t.len + 1);
	size_t i, n = 0;

	for (i = 0; i < t.len; i++)
		if ((unsigned char)t.b[i] > ' ' && t.b[i] != 0x7f)
			p[n++] = t.b[i];
	if (n == 0)
		p[n++] = '/';
	return (fm_text(p, n));
}

/* Sets the URL to a value, after a slash if it has none; empty: not at all. */
static void
set_url(struct naive *naive, struct fm_text value)
{
	struct fm_text slash = fm_text_of("/"), url = url_clean(naive, value);
	size_t i;
	char *p;

	for (i = 0; i < value.len; i++)
		if ((unsigned char)value.b[i] > ' ' && value.b[i] != 0x7f)
			break;
	if (i == value.len)
		return;
	if (!fm_text_begins(url, "/")) {
		p = naive_alloc(naive, url.len + 1);
		memcpy(mempcpy(p, slash.b, 1), url.b, url.len);
		url = fm_text(p, url.len + 1);
	}
	naive->result.url = url;
}

static enum naive_step
do_set(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	struct fm_text value;

	if (value_render(naive, stmt->set.value, &stmt->at, context,
	    &value, NULL) == NAIVE_END)
		return (NAIVE_END);
	value = naive_clean(naive, value);
	if (stmt->set.header == NULL)
		set_url(naive, value);
	else
		naive_header_set(naive, stmt->set.header->text, value);
	return (NAIVE_ON);
}

static enum naive_step
do_log(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	struct fm_text line;

	if (value_render(naive, stmt->log.value, &stmt->at, context, &line,
	    NULL) == NAIVE_END)
		return (NAIVE_END);
	naive->result.log = naive_log(naive->result.log,
	    naive_one_line(naive, line));
	return (NAIVE_ON);
}

/* Adds a sub to the names, with a blank after each, unless it is there. */
static void
do_call(struct naive *naive, struct fm_text name)
{
	char *calls = naive->result.calls;
	size_t len = strlen(calls);
	struct fm_text rest = fm_text(calls, len);
	const char *blank;

	for (; rest.len > 0; rest = fm_text_span(blank + 1, calls + len)) {
		blank = memchr(rest.b, ' ', rest.len);
		assert(blank != NULL);
		if (fm_text_eq(fm_text_span(rest.b, blank), name))
			return;
	}
	assert(len + name.len + 2 < sizeof naive->result.calls);
	(void)sprintf(calls + len, "%.*s ", (int)name.len, name.b);
}

/* Returns a text with a backslash before what a regex reads otherwise. */
static struct fm_text
quoted(struct naive *naive, struct fm_text t)
{
	static const char all[] = "\\^$.[]|()?*+{}# \t\v\f\x85";
	char *p = naive_alloc(naive, 2 * t.len + 1);
	size_t i, len = 0;

	for (i = 0; i < t.len; i++) {
		if (strchr(all, t.b[i]) != NULL)
			p[len++] = '\\';
		p[len++] = t.b[i];
	}
	return (fm_text(p, len));
}

/* Appends a text, in quotes or parentheses. */
static void
append(struct naive *naive, struct fm_text *to, const char *before,
    struct fm_text t, const char *after)
{
	char *p = naive_alloc(naive, to->len + strlen(before) + t.len +
	    strlen(after) + 1);
	int len;

	len = sprintf(p, "%.*s%s%.*s%s", (int)to->len, to->b, before,
	    (int)t.len, t.len == 0 ? "" : t.b, after);
	*to = fm_text(p, (size_t)len);
}

/* Renders the regex of a ban; missing: a variable is empty. */
static struct fm_text
ban_regex(struct naive *naive, const struct fm_value *value,
    const struct naive_context *context)
{
	struct fm_text out = fm_text("", 0), t;
	const struct fm_part *part;
	bool empty = false;

	for (part = value->parts; part != NULL; part = part->next) {
		t = naive_one_line(naive, part_value(naive, part, context));
		if (part->kind != FM_PART_TEXT) {
			empty |= t.len == 0;
			t = quoted(naive, t);
		}
		append(naive, &out, part->grouped ? "(?:" : "", t,
		    part->grouped ? ")" : "");
	}
	return (empty ? fm_text(NULL, 0) : out);
}

static enum naive_step
do_ban(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	const struct fm_ban_test *test;
	uint64_t bans = naive->result.bans;
	struct fm_text t;

	if (naive->view->esi) {
		naive->result.ignored++;
		return (NAIVE_ON);
	}
	for (test = stmt->ban.tests; test != NULL; test = test->next) {
		t = strchr(test->oper->text.b, '~') != NULL ?
		    ban_regex(naive, test->argument, context) :
		    naive_one_line(naive, parts_value(naive, test->argument,
		    context, false));
		if (naive->fragment)
			return (refuse(naive, &stmt->at, FM_REFUSE_FRAGMENT));
		if (naive->client_missed)
			return (refuse(naive, &stmt->at, FM_REFUSE_CLIENT));
		if (t.b == NULL) {
			bans = naive->result.bans;
			break;
		}
		bans = naive_log(naive_log(naive_log(bans, test->field->text),
		    test->oper->text), t);
	}
	/* The others end in a mark, too, so that `and` is not two bans. */
	naive->result.bans = naive_log(bans, fm_text_of(test == NULL ?
	    "ban" : "none"));
	return (NAIVE_ON);
}

/* Returns true if a header names an offer, with any weight. */
static bool
is_named(struct fm_text header, struct fm_text offer)
{
	size_t from, to, end;

	for (from = 0; from < header.len; from = to + 1) {
		for (to = from; to < header.len && header.b[to] != ','; to++)
			continue;
		for (end = from; end < to && header.b[end] != ';'; end++)
			continue;
		if (fm_text_eq_nocase(fm_text_trim(fm_text(header.b + from,
		    end - from)), offer))
			return (true);
	}
	return (false);
}

static enum naive_step
do_normalize(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	struct fm_text header, value, best;
	const struct fm_word *word;
	char *offers, *p;
	size_t len = 1;

	header = naive_header(naive, stmt->normalize.header->text);
	if (header.b == NULL) {
		naive_aliases_unset(naive, stmt->normalize.header->text);
		return (NAIVE_ON);
	}
	for (word = stmt->normalize.offers.first; word != NULL;
	    word = word->next)
		len += word->text.len + 1;
	p = offers = naive_alloc(naive, len);
	for (word = stmt->normalize.offers.first; word != NULL;
	    word = word->next) {
		if (stmt->normalize.named && !is_named(header, word->text))
			continue;
		p = mempcpy(p, word->text.b, word->text.len);
		*p++ = ' ';
	}
	best = p == offers ? fm_text(NULL, 0) :
	    fm_negotiate(header, fm_text_span(offers, p));
	value = best.b != NULL ? best : fm_text("", 0);
	if (best.b == NULL && stmt->normalize.otherwise != NULL &&
	    value_render(naive, stmt->normalize.otherwise, &stmt->at,
	    context, &value, NULL) == NAIVE_END)
		return (NAIVE_END);
	naive_header_set(naive, stmt->normalize.header->text,
	    naive_clean(naive, value));
	return (NAIVE_ON);
}

static enum naive_step
do_rewrite(struct naive *naive, const struct fm_stmt *stmt)
{
	struct fm_tally tally = { 0 };
	struct fm_text to = stmt->rewrite.to->text;
	const struct fm_word *header = stmt->rewrite.header;
	const struct fm_pattern *pattern;
	size_t len = FM_PATTERN_SAME, room;
	struct fm_text text = naive->result.url;
	char *buf = NULL;

	if (header != NULL) {
		text = naive_header(naive, header->text);
		if (text.b == NULL) {
			naive_aliases_unset(naive, header->text);
			return (NAIVE_ON);
		}
	}
	pattern = naive_regex(naive, stmt->rewrite.regex, false);
	room = fm_pattern_sub(pattern, text, to,
	    stmt->rewrite.all, NULL, 0, &tally);
	if (room != FM_PATTERN_SAME) {
		buf = naive_alloc(naive, room);
		len = fm_pattern_sub(pattern, text, to,
		    stmt->rewrite.all, buf, room, &tally);
	}
	if (tally.over_limit > 0 && undecided(naive, &stmt->at) == NAIVE_END)
		return (NAIVE_END);
	if (header != NULL && (len == FM_PATTERN_SAME ||
	    tally.over_limit > 0))
		naive_aliases_unset(naive, header->text);
	else if (header != NULL)
		naive_header_set(naive, header->text, naive_clean(naive,
		    fm_text(buf, len)));
	else if (len != FM_PATTERN_SAME && tally.over_limit == 0)
		naive->result.url = url_clean(naive, fm_text(buf, len));
	return (NAIVE_ON);
}

static void
do_unset(struct naive *naive, const struct fm_stmt *stmt)
{
	const struct fm_word *word;

	for (word = stmt->unset.headers.first; word != NULL; word = word->next)
		if (memchr(word->text.b, '*', word->text.len) != NULL ||
		    memchr(word->text.b, '?', word->text.len) != NULL)
			naive_header_unset(naive, word->text);
		else
			naive_header_set(naive, word->text, fm_text("", 0));
}

/* Notes that a statement was reached. */
static void
reached(struct naive *naive, const struct fm_stmt *stmt)
{
	struct naive_result *r = &naive->result;

	if (r->nran == naive->room) {
		naive->room = 2 * naive->room + 16;
		r->ran = realloc(r->ran, naive->room * sizeof(void *));
		assert(r->ran != NULL);
	}
	r->ran[r->nran++] = stmt;
}

/*
 * Ends the run at a condition that is undecided: as the program has ended
 * there, for the client or the URL, or as the rules say.
 */
static enum naive_step
unclear_end(struct naive *naive, const struct fm_place *at)
{
	const struct fm_result *is = naive->is;

	if (is->refuse > FM_REFUSE_UNDECIDED && naive->told + 1 == naive->end &&
	    is->rule->at.line == at->line)
		return (refuse(naive, at, is->refuse));
	return (undecided(naive, at));
}

static enum naive_step
do_when(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	const struct fm_event *told = naive_told(naive, stmt);
	struct fm_text groups[FM_REGEX_GROUPS];
	struct naive_context inner = *context;

	if (told == NULL) {
		naive->result.wrong = "the tests of a condition";
		return (NAIVE_END);
	}
	if (told->outcome == FM_TRUE) {
		reached(naive, stmt);
		if (naive_cond_has_groups(stmt->when.cond)) {
			inner.groups = groups;
			naive_cond_groups(naive, stmt->when.cond, groups);
		}
		return (naive_block(naive, stmt->when.then, &inner));
	}
	if (told->outcome != FM_FALSE &&
	    unclear_end(naive, &stmt->at) == NAIVE_END)
		return (NAIVE_END);
	return (stmt->when.otherwise == NULL ? NAIVE_ON :
	    naive_block(naive, stmt->when.otherwise, context));
}

static enum naive_step
do_stmt(struct naive *naive, const struct fm_stmt *stmt,
    const struct naive_context *context)
{
	static const struct naive_context none = { NULL };

	switch (stmt->kind) {
	case FM_STMT_QUERY:
		naive_query_filter(naive, stmt);
		return (NAIVE_ON);
	case FM_STMT_COOKIE:
		naive_cookie_filter(naive, stmt);
		return (NAIVE_ON);
	case FM_STMT_SET:
		return (do_set(naive, stmt, context));
	case FM_STMT_UNSET:
		do_unset(naive, stmt);
		return (NAIVE_ON);
	case FM_STMT_NORMALIZE:
		return (do_normalize(naive, stmt, context));
	case FM_STMT_REWRITE:
		return (do_rewrite(naive, stmt));
	case FM_STMT_LOG:
		return (do_log(naive, stmt, context));
	case FM_STMT_CALL:
		do_call(naive, stmt->call.name->text);
		return (NAIVE_ON);
	case FM_STMT_BAN:
		return (do_ban(naive, stmt, context));
	case FM_STMT_BACKEND:
		naive->result.backend = stmt->backend.name->text;
		return (NAIVE_ON);
	case FM_STMT_SYNTH:
		return (do_synth(naive, stmt, context));
	case FM_STMT_ANSWER:
		return (do_answer(naive, stmt));
	case FM_STMT_REDIRECT:
		return (do_redirect(naive, stmt, context));
	case FM_STMT_STOP:
		return (NAIVE_STOP);
	case FM_STMT_BUILTIN:
		return (naive_builtin(naive, stmt));
	case FM_STMT_USE:
		return (naive_block(naive, stmt->use.ruleset->block, &none));
	case FM_STMT_WHEN:
		return (do_when(naive, stmt, context));
	default:
		return (do_verdict(naive, stmt));
	}
}

enum naive_step
naive_block(struct naive *naive, const struct fm_block *block,
    const struct naive_context *context)
{
	const struct fm_stmt *stmt;
	enum naive_step step = NAIVE_ON;

	for (stmt = block->first; stmt != NULL && step == NAIVE_ON;
	    stmt = stmt->next) {
		if (fm_stmt_is_phase(stmt->kind))
			continue;
		if (stmt->kind != FM_STMT_WHEN)
			reached(naive, stmt);
		step = do_stmt(naive, stmt, context);
	}
	return (step);
}
