/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out if what rules look at is what one client sends: another client that
 * gets the same page of the cache may send something else.
 *
 *	always { set X-Shop = "${host}"; key { header X-Device; } }
 *
 * Then X-Shop is of the host alone, and X-Device is in the key: neither is of
 * one client, but X-Group is, and the address.
 */

#include <stdio.h>

#include "check_priv.h"

#define CLIENT_USES	50	/* rulesets inside each other */

/*--------------------------------------------------------------------
 * Headers, as rules for requests leave them
 */

/* Rules for requests make a header of this. */
struct source {
	bool			set;		/* they set it, or remove it */
	bool			of_one;		/* by what a client sends */
};

/* Returns true for what only one client sends, in the rules for requests. */
static bool
request_is_of_one(enum fm_subject_kind kind)
{
	return (kind == FM_SUBJECT_HEADER || kind == FM_SUBJECT_COOKIE ||
	    kind == FM_SUBJECT_CLIENT || kind == FM_SUBJECT_METHOD);
}

static bool
parts_are_of_one(const struct fm_value *value)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;

	while (part != NULL && !request_is_of_one(fm_part_subject(part->kind)))
		part = part->next;
	return (part != NULL);
}

static bool
value_is_of_one(const struct fm_value *value)
{
	const struct fm_line *line;

	if (value == NULL || value->map_def == NULL)
		return (parts_are_of_one(value));
	for (line = value->map_def->lines; line != NULL; line = line->next)
		if (parts_are_of_one(line->value))
			return (true);
	return (request_is_of_one(value->subject.kind) ||
	    parts_are_of_one(value->map_def->otherwise));
}

static bool
when_is_of_one(const struct fm_stmt *when)
{
	const struct fm_cond *test = when->when.tests;

	while (test != NULL && !request_is_of_one(test->subject.kind))
		test = test->next;
	return (test != NULL);
}

/*
 * Looks for what a block makes a header of the request of.  `of_one`: a `when`
 * around it asks for what one client sends; `always`: there is none around it.
 */
static void
block_source(struct fm_check *check, const struct fm_block *block,
    struct fm_text name, bool always, bool of_one, struct source *source)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	bool inner;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_SET:
			if (stmt->set.header == NULL || !fm_text_eq_nocase(
			    stmt->set.header->text, name))
				break;
			source->set = true;
			source->of_one |= of_one ||
			    value_is_of_one(stmt->set.value);
			break;
		case FM_STMT_NORMALIZE:
			source->of_one |= stmt->normalize.header != NULL &&
			    fm_text_eq_nocase(stmt->normalize.header->text,
			    name);
			break;
		case FM_STMT_UNSET:
			source->set |= always && fm_check_unsets(stmt, name);
			break;
		case FM_STMT_COOKIE:
			source->set |= always && fm_check_drops_all(stmt) &&
			    fm_text_eq_nocase(name, fm_text_of("Cookie"));
			break;
		case FM_STMT_USE:
			if (stmt->use.ruleset == NULL ||
			    check->uses >= CLIENT_USES)
				break;
			check->uses++;
			block_source(check, stmt->use.ruleset->block, name,
			    always, of_one, source);
			check->uses--;
			break;
		case FM_STMT_WHEN:
			inner = of_one || when_is_of_one(stmt);
			block_source(check, stmt->when.then, name, false,
			    inner, source);
			block_source(check, stmt->when.otherwise, name, false,
			    inner, source);
			break;
		default:
			break;
		}
}

/* Returns true if the rules for requests make a header of the URL alone. */
static bool
header_is_own(const struct fm_check_client *client, struct fm_text name)
{
	const struct fm_model *model = client->check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	struct source source = { .set = false };
	const struct fm_block *host = client->host;

	block_source(client->check, model->always, name, true, false, &source);
	block_source(client->check, model->finally, name, true, false,
	    &source);
	if (host != NULL)
		block_source(client->check, host, name, true, false, &source);
	while (client->host == NULL &&
	    (host = fm_check_item_next(&hosts)) != NULL)
		block_source(client->check, host, name, false, false, &source);
	return (source.set && !source.of_one);
}

/*--------------------------------------------------------------------
 * Subjects of later phases
 */

/* In `fetch` these are of the host, of the proxy before, or of Varnish. */
static const char * const same_for_all[] = { "Accept-Encoding", "Host",
	"If-Modified-Since", "If-None-Match", "X-Forwarded-Port",
	"X-Forwarded-Proto", "X-Forwarded-Server", "X-Varnish", NULL };

void
fm_check_client_begin(struct fm_check_client *client, struct fm_check *check,
    enum fm_phase phase)
{
	*client = (struct fm_check_client){ .check = check, .phase = phase };
	fm_check_keys_begin(check, &client->keys);
}

void
fm_check_client_host(struct fm_check_client *client,
    const struct fm_block *host)
{
	fm_check_keys_host(client->check, &client->keys, host);
	client->host = host;
}

void
fm_check_client_fini(struct fm_check_client *client)
{
	fm_check_keys_fini(&client->keys);
}

/* `header` is that of the request in `fetch`, and in `agent`. */
static struct fm_check_sent
sent_of(enum fm_phase phase, const struct fm_subject *subject)
{
	struct fm_check_sent sent = { subject->kind, subject->name };

	if (sent.kind == FM_SUBJECT_HEADER &&
	    (subject->agent || phase == FM_PHASE_FETCH))
		sent.kind = FM_SUBJECT_REQUEST_HEADER;
	return (sent);
}

struct fm_check_sent
fm_check_test_sent(const struct fm_cond *test, enum fm_phase phase)
{
	struct fm_check_sent sent = sent_of(phase, &test->subject);

	/* The names are in a list, or have a wildcard. */
	if (test->kind == FM_COND_NAMES)
		sent.name = fm_text_of("");
	return (sent);
}

static bool
is_of_one(const struct fm_check_client *client,
    const struct fm_check_sent *sent)
{
	bool fetch = client->phase == FM_PHASE_FETCH;
	struct fm_text name = sent->name;

	if (sent->kind == FM_SUBJECT_HEADER || !(request_is_of_one(
	    sent->kind) || sent->kind == FM_SUBJECT_REQUEST_HEADER))
		return (false);
	/* Varnish fetches by GET whatever may be stored. */
	if (fetch && (sent->kind == FM_SUBJECT_METHOD ||
	    (sent->kind == FM_SUBJECT_REQUEST_HEADER &&
	    fm_text_is_one_of(name, same_for_all))))
		return (false);
	if (fm_check_keys_has(&client->keys, sent->kind, name))
		return (false);
	if (sent->kind == FM_SUBJECT_COOKIE)
		name = fm_text_of("Cookie");
	return ((sent->kind != FM_SUBJECT_REQUEST_HEADER &&
	    sent->kind != FM_SUBJECT_COOKIE) || !header_is_own(client, name));
}

/*
 * Returns true if a page may be stored for which a test is true.  A Cookie or
 * an Authorization comes to a page that is stored by `hash` only, of which
 * check_leak.c warns; but of no cookie once there is one in the key.
 */
static bool
is_stored(const struct fm_check_client *client, const struct fm_cond *test,
    const struct fm_check_sent *sent)
{
	static const char * const leaks[] = { "Authorization", "Cookie", NULL };
	static const struct fm_text any = { NULL, 0 };

	if (client->phase == FM_PHASE_FETCH) {
		if (sent->kind == FM_SUBJECT_REQUEST_HEADER &&
		    fm_text_is_one_of(sent->name, leaks))
			return (false);
		if (sent->kind == FM_SUBJECT_COOKIE && (!fm_check_keys_has(
		    &client->keys, FM_SUBJECT_COOKIE, any) ||
		    !fm_check_cookie_hashed(client->check, client->host,
		    sent->name)))
			return (false);
	}
	return (!fm_check_never_stored(client->check, client->host, test));
}

bool
fm_check_test_of_one(const struct fm_check_client *client,
    const struct fm_cond *test)
{
	struct fm_check_sent sent = fm_check_test_sent(test, client->phase);

	return (is_of_one(client, &sent) && is_stored(client, test, &sent));
}

static bool
subject_of_one(const struct fm_check_client *client,
    const struct fm_subject *subject, struct fm_check_sent *sent)
{
	/* No rule has the same test. */
	struct fm_cond test = { .kind = FM_COND_MODE };

	*sent = sent_of(client->phase, subject);
	test.subject.kind = sent->kind;
	test.subject.name = sent->name;
	return (is_of_one(client, sent) && is_stored(client, &test, sent));
}

bool
fm_check_asks_pass(const struct fm_cond *cond)
{
	if (cond == NULL)
		return (false);
	if (cond->kind == FM_COND_AND)
		return (fm_check_asks_pass(cond->left) ||
		    fm_check_asks_pass(cond->right));
	return (cond->kind == FM_COND_MODE &&
	    cond->subject.kind == FM_SUBJECT_FETCH &&
	    cond->operands.count == 1 &&
	    fm_text_eq(cond->operands.first->text, fm_text_of("pass")));
}

static bool
later_parts(const struct fm_check_client *client, const struct fm_value *value,
    struct fm_check_sent *sent)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;
	struct fm_subject subject = { .agent = false };

	for (; part != NULL; part = part->next) {
		subject.kind = fm_part_subject(part->kind);
		subject.name = part->text;
		if (subject_of_one(client, &subject, sent))
			return (true);
	}
	return (false);
}

bool
fm_check_value_of_one(const struct fm_check_client *client,
    const struct fm_value *value, struct fm_check_sent *sent)
{
	const struct fm_line *line;

	if (value == NULL || value->map_def == NULL)
		return (later_parts(client, value, sent));
	for (line = value->map_def->lines; line != NULL; line = line->next)
		if (later_parts(client, line->value, sent))
			return (true);
	return (subject_of_one(client, &value->subject, sent) ||
	    later_parts(client, value->map_def->otherwise, sent));
}

const char *
fm_check_cure(const struct fm_check_sent *sent, char buf[FM_CHECK_CURE_LEN])
{
	static const char * const of_all[] = { "", "Cookie", "User-Agent",
		NULL };

	if (sent->kind == FM_SUBJECT_COOKIE && sent->name.len > 0)
		(void)snprintf(buf, FM_CHECK_CURE_LEN,
		    "'key { cookie %.*s; }'", FM_SHOW(sent->name));
	else if (sent->kind == FM_SUBJECT_REQUEST_HEADER &&
	    !fm_text_is_one_of(sent->name, of_all))
		(void)snprintf(buf, FM_CHECK_CURE_LEN, "'key { header %.*s; }' "
		    "or 'vary add %.*s'", FM_SHOW(sent->name),
		    FM_SHOW(sent->name));
	else if (sent->kind == FM_SUBJECT_CLIENT ||
	    sent->kind == FM_SUBJECT_METHOD)
		(void)snprintf(buf, FM_CHECK_CURE_LEN, "'pass' in the rules "
		    "for requests");
	else
		(void)snprintf(buf, FM_CHECK_CURE_LEN, "'key { header X; }' "
		    "with an X that the rules for requests set by this");
	return (buf);
}
