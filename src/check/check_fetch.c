/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warns of `fetch` that sends a backend what one client has sent, or edits by
 * it, where the page that the backend makes is stored for all.
 *
 *	fetch { set X-Group = "${header.X-Group}"; }	stored for all
 *	key { header X-Group; }				silent, with this
 *	when header X-Group present { pass; }		or this
 *
 * Nothing is said of X-Forwarded-For and the like, which backends write into
 * their logs.  A Cookie or an Authorization comes to `fetch` of a page that is
 * stored by `hash` only: check_leak.c warns of that.
 */

#include "check_priv.h"
#include "glob.h"

#define FETCH_USES	50	/* rulesets inside each other */

/* Bit of fm_stmt.seen, and of fm_cond.found: there was a warning. */
#define SEEN_SENT	1024U
#define FOUND_SENT	4U

/* Headers that backends write into their logs. */
static const char * const logged[] = { "*-Client-IP", "*-Connecting-IP",
	"*-Correlation-ID", "*-Real-IP", "*-Request-ID", "Client-IP",
	"Forwarded", "Request-ID", "True-Client-IP", "Via", "X-Amzn-Trace-Id",
	"X-B3-*", "X-Cloud-Trace-Context", "X-Forwarded-By",
	"X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto",
	"X-Forwarded-Server", "b3", "traceparent", "tracestate", NULL };

static bool
is_logged(struct fm_text name)
{
	const char * const *glob = logged;

	while (*glob != NULL && !fm_glob_match_header(fm_text_of(*glob), name))
		glob++;
	return (*glob != NULL);
}

static bool
unsets_more(const struct fm_stmt *stmt, struct fm_text but)
{
	const struct fm_word *word = stmt->unset.headers.first;

	while (word != NULL && (is_logged(word->text) ||
	    fm_text_eq_nocase(word->text, but)))
		word = word->next;
	return (word != NULL);
}

bool
fm_check_sends(struct fm_check *check, const struct fm_block *block,
    struct fm_text but)
{
	const struct fm_stmt *stmt = block == NULL ? NULL : block->first;
	const struct fm_word *header;

	for (; stmt != NULL && --check->steps >= 0; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_SET:
		case FM_STMT_REWRITE:
			header = stmt->kind == FM_STMT_SET ?
			    stmt->set.header : stmt->rewrite.header;
			if (header != NULL && !is_logged(header->text) &&
			    !fm_text_eq_nocase(header->text, but))
				return (true);
			break;
		case FM_STMT_UNSET:
			if (unsets_more(stmt, but))
				return (true);
			break;
		case FM_STMT_WHEN:
			if (fm_check_sends(check, stmt->when.then, but) ||
			    fm_check_sends(check, stmt->when.otherwise, but))
				return (true);
			break;
		case FM_STMT_USE:
		case FM_STMT_STOP:
			return (true);
		default:
			break;
		}
	return (false);
}

/*--------------------------------------------------------------------
 * Warnings
 */

static void
set_tell(const struct fm_check_client *client, struct fm_stmt *stmt)
{
	char cure[FM_CHECK_CURE_LEN];
	struct fm_check_sent sent;

	if ((stmt->seen & SEEN_SENT) != 0 || stmt->set.header == NULL ||
	    is_logged(stmt->set.header->text) ||
	    !fm_check_value_of_one(client, stmt->set.value, &sent))
		return;
	stmt->seen |= SEEN_SENT;
	fm_diag_warning(client->check->diag, &stmt->at, FM_MSG_WARN_SENT,
	    fm_check_cure(&sent, cure));
}

static void
when_tell(const struct fm_check_client *client, const struct fm_stmt *when)
{
	char cure[FM_CHECK_CURE_LEN];
	struct fm_check_sent sent;
	struct fm_cond *test;

	for (test = when->when.tests; test != NULL; test = test->next) {
		sent = fm_check_test_sent(test, client->phase);
		if ((test->found & FOUND_SENT) != 0 ||
		    !(fm_check_sends(client->check, when->when.then,
		    sent.name) || fm_check_sends(client->check,
		    when->when.otherwise, sent.name)) ||
		    !fm_check_test_of_one(client, test))
			continue;
		test->found |= FOUND_SENT;
		fm_diag_warning(client->check->diag, &test->at,
		    FM_MSG_WARN_SENT_BY, fm_check_cure(&sent, cure));
	}
}

/*--------------------------------------------------------------------
 * The walk
 */

static void item_tell(const struct fm_check_client *, const struct fm_block *);

static void
block_tell(const struct fm_check_client *client, const struct fm_block *block)
{
	struct fm_stmt *stmt = block == NULL ? NULL : block->first;

	for (; stmt != NULL && --client->check->steps >= 0; stmt = stmt->next)
		switch (stmt->kind) {
		case FM_STMT_SET:
			set_tell(client, stmt);
			break;
		case FM_STMT_USE:
			if (stmt->use.ruleset == NULL ||
			    client->check->uses >= FETCH_USES)
				break;
			client->check->uses++;
			item_tell(client, stmt->use.ruleset->block);
			client->check->uses--;
			break;
		case FM_STMT_WHEN:
			if (!fm_check_asks_pass(stmt->when.cond)) {
				when_tell(client, stmt);
				block_tell(client, stmt->when.then);
			}
			block_tell(client, stmt->when.otherwise);
			break;
		default:
			break;
		}
}

/* Goes through the blocks of `fetch` of an item. */
static void
item_tell(const struct fm_check_client *client, const struct fm_block *item)
{
	const struct fm_stmt *stmt = item == NULL ? NULL : item->first;

	for (; stmt != NULL && --client->check->steps >= 0; stmt = stmt->next)
		if (stmt->kind == FM_STMT_FETCH) {
			block_tell(client, stmt->phase.block);
		} else if (stmt->kind == FM_STMT_USE &&
		    stmt->use.ruleset != NULL &&
		    client->check->uses < FETCH_USES) {
			client->check->uses++;
			item_tell(client, stmt->use.ruleset->block);
			client->check->uses--;
		}
}

void
fm_check_fetch(struct fm_check *check)
{
	const struct fm_model *model = check->model;
	struct fm_check_items hosts = { .model = model, .hosts = true };
	struct fm_check_client client;
	const struct fm_block *host;

	if (check->uses_told || check->broken ||
	    !fm_model_has(model, FM_PHASE_FETCH))
		return;
	check->steps = FM_CHECK_STEPS;
	fm_check_client_begin(&client, check, FM_PHASE_FETCH);
	item_tell(&client, model->always);
	item_tell(&client, model->finally);
	while ((host = fm_check_item_next(&hosts)) != NULL)
		if (fm_block_has(host, FM_PHASE_FETCH)) {
			fm_check_client_host(&client, host);
			item_tell(&client, host);
		}
	fm_check_client_fini(&client);
}
