/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Follows the log of a running varnishd in its shared memory, by
 * libvarnishapi.  A worker that is started anew has a log of its own, which is
 * followed from then on.
 */

#include "config.h"

#include <stdint.h>
#include <stdio.h>

#ifdef HAVE_VSL
#include <vdef.h>
#include <vapi/vsm.h>
#include <vapi/vsl.h>
#endif

#include <stdlib.h>

#include "top.h"

#ifdef HAVE_VSL

#define AT_ONCE	0.1	/* seconds of reading before somebody looks for keys */

struct fm_top_feed {
	struct vsm		*vsm;
	struct VSL_data		*data;
	struct VSLQ		*queue;
	bool			follows;	/* the queue has a cursor */
	struct fm_top		*top;		/* of this read */
};

/*--------------------------------------------------------------------
 * Requests
 */

static struct fm_text
text_of_record(const uint32_t *record)
{
	struct fm_text text = fm_text(VSL_CDATA(record), VSL_LEN(record));

	if (text.len > 0 && text.b[text.len - 1] == '\0')
		text.len--;
	return (text);
}

/* Returns true if the text begins so, without which it is then. */
static bool
drop_start(struct fm_text *text, const char *with)
{
	size_t len = strlen(with);

	if (text->len < len ||
	    !fm_text_eq_nocase(fm_text(text->b, len), fm_text_of(with)))
		return (false);
	*text = fm_text(text->b + len, text->len - len);
	return (true);
}

static void
count_request(struct fm_top *top, const struct VSL_transaction *transaction)
{
	struct fm_text host = fm_text(NULL, 0), text;
	bool seen = false, verdict = false;
	const uint32_t *record;

	while (VSL_Next(transaction->c) == vsl_more) {
		record = transaction->c->rec.ptr;
		text = text_of_record(record);
		switch (VSL_TAG(record)) {
		case SLT_ReqHeader:
			/* VCL edits it later, in lines of their own. */
			if (!seen && drop_start(&text, "Host: "))
				host = text;
			break;
		case SLT_VCL_call:
			if (!seen && transaction->reason != VSL_r_restart)
				fm_top_request(top, host);
			seen = true;
			break;
		case SLT_VCL_Log:
			if (drop_start(&text, "fastmatch: ") &&
			    fm_top_line(top, text))
				verdict = true;
			break;
		default:
			break;
		}
	}
	if (seen && !verdict && transaction->reason != VSL_r_restart)
		fm_top_no_verdict(top);
}

static int
on_transactions(struct VSL_data *data, struct VSL_transaction * const all[],
    void *priv)
{
	struct fm_top_feed *feed = priv;

	(void)data;
	for (; *all != NULL; all++)
		if ((*all)->type == VSL_t_req && !fm_top_has_all(feed->top))
			count_request(feed->top, *all);
	return (0);
}

/*--------------------------------------------------------------------
 * The library
 */

struct fm_top_feed *
fm_top_feed_open(const char *name, char **wrong)
{
	struct fm_top_feed *feed = fm_cli_alloc(sizeof *feed);
	const char *why;

	feed->vsm = VSM_New();
	feed->data = VSL_New();
	if (feed->vsm == NULL || feed->data == NULL)
		fm_cli_no_memory();
	/* Nobody wants to wait for one that isn't there. */
	(void)VSM_Arg(feed->vsm, 't', "0");
	if ((name == NULL || VSM_Arg(feed->vsm, 'n', name) > 0) &&
	    VSM_Attach(feed->vsm, -1) == 0)
		/* By vxid, 7.7 and later leave ESI sub-requests out. */
		feed->queue = VSLQ_New(feed->data, NULL, VSL_g_request, NULL);
	if (feed->queue != NULL)
		return (feed);
	why = VSM_Error(feed->vsm);
	if (why == NULL)
		why = VSL_Error(feed->data);
	if (why == NULL)
		why = "it can't be told why";
	*wrong = fm_cli_copy(why, strlen(why));
	fm_top_feed_close(&feed);
	return (NULL);
}

void
fm_top_feed_close(struct fm_top_feed **feedp)
{
	struct fm_top_feed *feed = *feedp;

	*feedp = NULL;
	if (feed->queue != NULL)
		VSLQ_Delete(&feed->queue);
	VSL_Delete(feed->data);
	VSM_Destroy(&feed->vsm);
	free(feed);
}

/* Leaves the log of a worker that is gone, and takes that of a new one. */
static void
follow(struct fm_top_feed *feed)
{
	struct VSL_cursor *cursor;

	if ((VSM_Status(feed->vsm) & VSM_WRK_RESTARTED) != 0 &&
	    feed->follows) {
		VSLQ_SetCursor(feed->queue, NULL);
		feed->follows = false;
	}
	if (feed->follows)
		return;
	cursor = VSL_CursorVSM(feed->data, feed->vsm,
	    VSL_COPT_TAIL | VSL_COPT_BATCH);
	if (cursor == NULL) {
		VSL_ResetError(feed->data);
		return;
	}
	VSLQ_SetCursor(feed->queue, &cursor);
	feed->follows = true;
}

bool
fm_top_feed_read(struct fm_top_feed *feed, struct fm_top *top)
{
	double end = fm_top_now() + AT_ONCE;
	int status = vsl_more;

	feed->top = top;
	follow(feed);
	if (!feed->follows)
		return (false);
	while (status == vsl_more && fm_top_now() < end)
		status = VSLQ_Dispatch(feed->queue, on_transactions, feed);
	/* It was overtaken by what varnishd writes, or has no worker now. */
	if (status < vsl_end) {
		VSLQ_SetCursor(feed->queue, NULL);
		VSL_ResetError(feed->data);
		feed->follows = false;
	}
	return (true);
}

#else

struct fm_top_feed *
fm_top_feed_open(const char *name, char **wrong)
{
	static const char why[] =
	    "this fastmatch was built without libvarnishapi";

	(void)name;
	*wrong = fm_cli_copy(why, sizeof why - 1);
	return (NULL);
}

void
fm_top_feed_close(struct fm_top_feed **feed)
{
	(void)feed;
}

bool
fm_top_feed_read(struct fm_top_feed *feed, struct fm_top *top)
{
	(void)feed;
	(void)top;
	return (false);
}

#endif
