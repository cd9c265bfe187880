/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads requests from the records of a log, with libvarnishapi.  The first
 * records of a request are the request as it came:
 *
 *	ReqStart	192.0.2.1 40962 a0
 *	ReqMethod	GET
 *	ReqURL		/
 *	ReqProtocol	HTTP/1.1
 *	ReqHeader	Host: www.example.com
 *	VCL_call	RECV
 *
 * The records after VCL_call are what VCL does to the request, and the lines
 * of the module.  A restart logs the same request once more.  Of the response
 * they tell where it is from, and its status, which the last record has:
 *
 *	VCL_call	MISS
 *	RespStatus	200
 *	VCL_call	DELIVER
 */

#include "config.h"

#include <stdint.h>
#include <stdio.h>

/* Varnish's headers come first: obj.h then replaces their assert(). */
#if HAVE_VSL
#include <vdef.h>
#include <vas.h>
#include <vapi/vsm.h>
#include <vapi/vsl.h>
#endif

#include <stdlib.h>

#include "cli.h"
#include "obj.h"
#include "term.h"
#include "vsl.h"

#if HAVE_VSL

#define AT_ONCE		.1	/* seconds of reading between two keys */

struct texts {
	struct fm_text		*v;
	size_t			n, room;
};

struct fm_vsl {
	struct vsm		*vsm;		/* NULL: the log is a file */
	struct VSL_data		*data;
	struct VSLQ		*queue;
	bool			follows;	/* the queue has a cursor */
	struct texts		headers, lines;	/* of one request */
	fm_vsl_f		*call;
	void			*priv;
};

/*--------------------------------------------------------------------
 * Requests
 */

static void
texts_add(struct texts *texts, struct fm_text text)
{
	*(struct fm_text *)fm_cli_grow(&texts->v, texts->n++, &texts->room,
	    sizeof text) = text;
}

/* Drops a header that Varnish itself has unset before VCL. */
static void
texts_drop(struct texts *texts, struct fm_text text)
{
	size_t i;

	for (i = 0; i < texts->n; i++)
		if (fm_text_eq(texts->v[i], text)) {
			texts->n--;
			memmove(texts->v + i, texts->v + i + 1,
			    (texts->n - i) * sizeof text);
			return;
		}
}

static struct fm_text
text_of_record(const uint32_t *record)
{
	struct fm_text text = fm_text(VSL_CDATA(record), VSL_LEN(record));

	if (text.len > 0 && text.b[text.len - 1] == '\0')
		text.len--;
	return (text);
}

/* Takes the address of "192.0.2.1 40962 a0". */
static void
take_client(struct fm_made_request *made, struct fm_text start)
{
	const char *blank = start.len == 0 ? NULL :
	    memchr(start.b, ' ', start.len);

	if (blank != NULL)
		(void)fm_addr_parse(fm_text_span(start.b, blank),
		    &made->client);
}

/* Takes a record of the request as it came. */
static void
take_record(struct fm_vsl *vsl, struct fm_made_request *made,
    const uint32_t *record)
{
	struct fm_text text = text_of_record(record);

	switch (VSL_TAG(record)) {
	case SLT_ReqStart:
		take_client(made, text);
		break;
	case SLT_ReqMethod:
		fm_made_method(made, text);
		break;
	case SLT_ReqURL:
		fm_made_url(made, text, FM_URL_SENT);
		break;
	case SLT_ReqProtocol:
		fm_made_proto(made, text);
		break;
	case SLT_ReqHeader:
		/* Before ReqURL stands the Host of an absolute URL, again. */
		if (made->url.b != NULL)
			texts_add(&vsl->headers, text);
		break;
	case SLT_ReqUnset:
		texts_drop(&vsl->headers, text);
		break;
	default:
		break;
	}
}

/*
 * Returns false where VCL has not seen the request of the records.  A file
 * may have been written without VCL_call: a header tells it then.
 */
static bool
read_request(struct fm_vsl *vsl, struct VSL_cursor *cursor,
    struct fm_made_request *made)
{
	bool seen = false;
	size_t i;

	made->method = made->url = fm_text(NULL, 0);
	vsl->headers.n = 0;
	while (!seen && VSL_Next(cursor) == vsl_more) {
		seen = VSL_TAG(cursor->rec.ptr) == SLT_VCL_call;
		take_record(vsl, made, cursor->rec.ptr);
	}
	/* A line without a name is not a header: it stays away. */
	for (i = 0; i < vsl->headers.n; i++)
		(void)fm_made_line(made, vsl->headers.v[i]);
	return (made->method.b != NULL && made->url.b != NULL &&
	    (seen || (vsl->vsm == NULL && vsl->headers.n > 0)));
}

/* Returns what VCL_call says of a response; `before` if it says nothing. */
static enum fm_hits_response
called(struct fm_text sub, enum fm_hits_response before)
{
	static const struct {
		const char		*sub;
		enum fm_hits_response	from;
	} subs[] = {
		{ "HIT", FM_HITS_HIT }, { "MISS", FM_HITS_MISS },
		{ "PASS", FM_HITS_PASS }, { "SYNTH", FM_HITS_OWN }
	};
	size_t i;

	for (i = 0; i < sizeof subs / sizeof subs[0]; i++)
		if (fm_text_eq(sub, fm_text_of(subs[i].sub)))
			return (subs[i].from);
	return (before);
}

/* Reads the digits of a status; Varnish sends the last three. */
static unsigned
status_of(struct fm_text text)
{
	unsigned status = 0;
	size_t i;

	for (i = 0; i < text.len && text.b[i] >= '0' && text.b[i] <= '9'; i++)
		status = (status * 10 + (unsigned)(text.b[i] - '0')) % 1000;
	return (status);
}

/* Reads the records after vcl_recv was called. */
static void
read_logged(struct fm_vsl *vsl, struct VSL_cursor *cursor,
    struct fm_vsl_logged *logged)
{
	static const char ours[] = "fastmatch: ";
	bool restarts = false;
	struct fm_text text;

	while (VSL_Next(cursor) == vsl_more) {
		text = text_of_record(cursor->rec.ptr);
		switch (VSL_TAG(cursor->rec.ptr)) {
		case SLT_VCL_Log:
			if (fm_text_begins(text, ours))
				texts_add(&vsl->lines, fm_text(text.b +
				    strlen(ours), text.len - strlen(ours)));
			break;
		case SLT_VCL_call:
			logged->from = called(text, logged->from);
			break;
		case SLT_VCL_return:
			restarts = fm_text_eq(text, fm_text_of("restart"));
			break;
		case SLT_RespStatus:
			logged->status = status_of(text);
			break;
		default:
			break;
		}
	}
	logged->lines = vsl->lines.v;
	logged->nlines = vsl->lines.n;
	if (restarts || logged->status == 0)
		logged->from = FM_HITS_RESPONSES;
	if (logged->from == FM_HITS_RESPONSES)
		logged->status = 0;
}

/*
 * Returns true if the last word on the TTL of a fetched object is that it can't
 * be stored:
 *
 *	TTL		VCL 120 10 0 1764450000 uncacheable
 */
static bool
is_uncacheable(struct VSL_cursor *cursor)
{
	static const char end[] = " uncacheable";
	bool uncacheable = false;
	struct fm_text text;

	while (VSL_Next(cursor) == vsl_more)
		if (VSL_TAG(cursor->rec.ptr) == SLT_TTL) {
			text = text_of_record(cursor->rec.ptr);
			uncacheable = text.len >= strlen(end) &&
			    memcmp(text.b + text.len - strlen(end), end,
			    strlen(end)) == 0;
		}
	return (uncacheable);
}

/* Returns true if transaction `of` is a miss whose object is not stored. */
static bool
is_not_stored(struct VSL_transaction * const all[],
    const struct VSL_transaction *of)
{
	for (; *all != NULL; all++)
		if ((*all)->reason == VSL_r_fetch &&
		    (*all)->vxid_parent == of->vxid)
			return (is_uncacheable((*all)->c));
	return (false);
}

/* Returns the transaction of the request that this one restarts. */
static struct VSL_transaction *
origin(struct VSL_transaction * const all[], struct VSL_transaction *of)
{
	size_t i;

	for (i = 0; of->reason == VSL_r_restart && all[i] != NULL; i++)
		if (all[i]->vxid == of->vxid_parent) {
			of = all[i];
			i = (size_t)-1;
		}
	return (of);
}

/* Calls the user's function for one request of a group. */
static void
tell(struct fm_vsl *vsl, struct VSL_transaction * const all[],
    struct VSL_transaction *of)
{
	struct VSL_transaction *first = origin(all, of);
	struct fm_vsl_logged logged = { .restart = first != of,
	    .from = FM_HITS_RESPONSES };
	struct fm_made_request made;

	fm_made_init(&made);
	made.esi = first->reason == VSL_r_esi;
	made.vxid = (uint64_t)first->vxid;
	vsl->lines.n = 0;
	if (logged.restart)
		(void)VSL_ResetCursor(first->c);
	if (read_request(vsl, first->c, &made)) {
		if (vsl->vsm != NULL)
			read_logged(vsl, of->c, &logged);
		if (logged.from == FM_HITS_MISS && is_not_stored(all, of))
			logged.from = FM_HITS_PASS;
		vsl->call(vsl->priv, &made, &logged);
	}
	fm_made_fini(&made);
}

static int
on_transactions(struct VSL_data *data, struct VSL_transaction * const all[],
    void *priv)
{
	struct fm_vsl *vsl = priv;
	size_t i;

	(void)data;
	for (i = 0; all[i] != NULL; i++)
		if (all[i]->type == VSL_t_req &&
		    (vsl->vsm != NULL || all[i]->reason != VSL_r_restart))
			tell(vsl, all, all[i]);
	return (0);
}

/*--------------------------------------------------------------------
 * Files and running varnishds
 */

static struct fm_vsl *
vsl_new(void)
{
	struct fm_vsl *vsl = fm_cli_alloc(sizeof *vsl);

	vsl->data = VSL_New();
	if (vsl->data == NULL)
		fm_cli_no_memory();
	return (vsl);
}

static void
vsl_close(struct fm_vsl *vsl)
{
	if (vsl->queue != NULL)
		VSLQ_Delete(&vsl->queue);
	VSL_Delete(vsl->data);
	if (vsl->vsm != NULL)
		VSM_Destroy(&vsl->vsm);
	free(vsl->headers.v);
	free(vsl->lines.v);
	free(vsl);
}

/*--------------------------------------------------------------------
 * A file
 */

/* The file that is read: libvarnishapi asserts if it is damaged. */
static const char *asserted;

static void __attribute__((noreturn))
on_assert(const char *function, const char *file, int line,
    const char *condition, enum vas_e why)
{
	(void)function;
	(void)file;
	(void)line;
	(void)condition;
	(void)why;
	fprintf(stderr, "fastmatch: %s is damaged: libvarnishapi can't read "
	    "it\n", fm_term_clean(fm_text_of(asserted), 0));
	exit(fm_cli_trouble);
}

/* Returns the library's error; of a file that was cut off it has none. */
static char *
error_of(const struct fm_vsl *vsl)
{
	const char *why = VSL_Error(vsl->data);

	if (why == NULL)
		why = "it ends in the middle";
	return (fm_cli_copy(why, strlen(why)));
}

char *
fm_vsl_read(const char *path, fm_vsl_f *call, void *priv, bool *read)
{
	struct fm_vsl *vsl = vsl_new();
	enum vsl_status status = vsl_more;
	struct VSL_cursor *cursor;
	char *wrong = NULL;

	vsl->call = call;
	vsl->priv = priv;
	cursor = VSL_CursorFile(vsl->data, path, 0);
	/* Without these, it gives up what is open: of 1000, or for 120 s. */
	(void)VSL_Arg(vsl->data, 'L', "1000000");
	(void)VSL_Arg(vsl->data, 'T', "1000000");
	if (cursor != NULL)
		/* Grouped by vxid, 7.7 and later hide ESI sub-requests. */
		vsl->queue = VSLQ_New(vsl->data, &cursor, VSL_g_request, NULL);
	*read = vsl->queue != NULL;
	if (*read) {
		asserted = path;
		VAS_Fail_Func = on_assert;
		while (status == vsl_more)
			status = VSLQ_Dispatch(vsl->queue, on_transactions,
			    vsl);
	}
	if (status != vsl_e_eof && status != vsl_end)
		wrong = error_of(vsl);
	if (*read)
		(void)VSLQ_Flush(vsl->queue, on_transactions, vsl);
	VAS_Fail_Func = NULL;
	vsl_close(vsl);
	return (wrong);
}

/*--------------------------------------------------------------------
 * A running varnishd
 */

/* Finds a varnishd, without waiting.  Returns false if none is there. */
static bool
attach(struct fm_vsl *vsl, const char *name)
{
	vsl->vsm = VSM_New();
	if (vsl->vsm == NULL)
		fm_cli_no_memory();
	(void)VSM_Arg(vsl->vsm, 't', "0");
	return ((name == NULL || VSM_Arg(vsl->vsm, 'n', name) > 0) &&
	    VSM_Attach(vsl->vsm, -1) == 0);
}

/* Returns why a varnishd could not be found, or its log not be opened. */
static char *
live_error_of(const struct fm_vsl *vsl)
{
	const char *why = VSM_Error(vsl->vsm);

	if (why == NULL)
		why = VSL_Error(vsl->data);
	if (why == NULL)
		why = "it can't be told why";
	return (fm_cli_copy(why, strlen(why)));
}

struct fm_vsl *
fm_vsl_follow(const char *name, char **wrong)
{
	struct fm_vsl *vsl = vsl_new();

	if (attach(vsl, name))
		vsl->queue = VSLQ_New(vsl->data, NULL, VSL_g_request, NULL);
	if (vsl->queue != NULL)
		return (vsl);
	*wrong = live_error_of(vsl);
	vsl_close(vsl);
	return (NULL);
}

/* Goes from the log of a worker that has ended to that of a new one. */
static void
follow(struct fm_vsl *vsl)
{
	struct VSL_cursor *cursor;

	if ((VSM_Status(vsl->vsm) & VSM_WRK_RESTARTED) != 0 && vsl->follows) {
		VSLQ_SetCursor(vsl->queue, NULL);
		vsl->follows = false;
	}
	if (vsl->follows)
		return;
	cursor = VSL_CursorVSM(vsl->data, vsl->vsm,
	    VSL_COPT_TAIL | VSL_COPT_BATCH);
	if (cursor == NULL) {
		VSL_ResetError(vsl->data);
		return;
	}
	VSLQ_SetCursor(vsl->queue, &cursor);
	vsl->follows = true;
}

bool
fm_vsl_look(struct fm_vsl *vsl, fm_vsl_f *call, void *priv)
{
	double end = fm_cli_seconds() + AT_ONCE;
	int status = vsl_more;

	vsl->call = call;
	vsl->priv = priv;
	follow(vsl);
	if (!vsl->follows)
		return (false);
	while (status == vsl_more && fm_cli_seconds() < end)
		status = VSLQ_Dispatch(vsl->queue, on_transactions, vsl);
	/* varnishd has overtaken the cursor, or has no worker now. */
	if (status < vsl_end) {
		VSLQ_SetCursor(vsl->queue, NULL);
		VSL_ResetError(vsl->data);
		vsl->follows = false;
	}
	return (true);
}

/*--------------------------------------------------------------------
 * Records
 */

/* Hands out a record of a cursor. */
static void
hand_out(const uint32_t *record, fm_vsl_record_f *call, void *priv)
{
	unsigned tag = (unsigned)VSL_TAG(record);
	const char *name = tag < SLT__MAX ? VSL_tags[tag] : NULL;

	if (name != NULL)
		call(priv, (uint64_t)VSL_ID(record), name,
		    text_of_record(record));
}

char *
fm_vsl_records(const char *path, fm_vsl_record_f *call, void *priv, bool *read)
{
	struct fm_vsl *vsl = vsl_new();
	struct VSL_cursor *cursor;
	enum vsl_status status = vsl_more;
	char *wrong = NULL;

	asserted = path;
	VAS_Fail_Func = on_assert;
	cursor = VSL_CursorFile(vsl->data, path, 0);
	*read = cursor != NULL;
	while (*read && (status = VSL_Next(cursor)) == vsl_more)
		hand_out(cursor->rec.ptr, call, priv);
	if (status != vsl_e_eof && status != vsl_end)
		wrong = error_of(vsl);
	if (*read)
		VSL_DeleteCursor(cursor);
	VAS_Fail_Func = NULL;
	vsl_close(vsl);
	return (wrong);
}

/*
 * Copies a record, which varnishd may overwrite meanwhile.  Returns false if it
 * has.
 */
static bool
copy_record(const struct VSL_cursor *cursor, uint32_t **copy, size_t *room)
{
	const uint32_t *from = cursor->rec.ptr;
	size_t words = (size_t)(VSL_NEXT(from) - from);

	if (words >= *room) {
		free(*copy);
		*room = 2 * words + 64;
		*copy = fm_cli_alloc(*room * sizeof **copy);
	}
	memcpy(*copy, from, words * sizeof **copy);
	return (VSL_Check(cursor, &cursor->rec) >= vsl_check_warn &&
	    (size_t)(VSL_NEXT(*copy) - *copy) == words);
}

char *
fm_vsl_records_live(const char *name, fm_vsl_record_f *call, void *priv,
    bool *read)
{
	struct fm_vsl *vsl = vsl_new();
	struct VSL_cursor *cursor = NULL;
	enum vsl_status status;
	uint32_t *copy = NULL;
	char *wrong = NULL;
	size_t room = 0;

	if (attach(vsl, name))
		cursor = VSL_CursorVSM(vsl->data, vsl->vsm, VSL_COPT_TAILSTOP);
	*read = cursor != NULL;
	if (!*read)
		wrong = live_error_of(vsl);
	while (*read) {
		status = VSL_Next(cursor);
		/* varnishd has overtaken the cursor: read what is left. */
		if (status == vsl_e_overrun || (status == vsl_more &&
		    !copy_record(cursor, &copy, &room)))
			status = VSL_ResetCursor(cursor) == vsl_end ?
			    vsl_more : vsl_e_abandon;
		else if (status == vsl_more)
			hand_out(copy, call, priv);
		if (status != vsl_more)
			break;
	}
	if (cursor != NULL)
		VSL_DeleteCursor(cursor);
	free(copy);
	vsl_close(vsl);
	return (wrong);
}

#else

/* Ends the process. */
static void
refuse(void)
{
	exit(fm_cli_lacks(FM_CLI_LOG));
}

char *
fm_vsl_read(const char *path, fm_vsl_f *call, void *priv, bool *read)
{
	(void)path;
	(void)call;
	(void)priv;
	(void)read;
	refuse();
	return (NULL);
}

char *
fm_vsl_records(const char *path, fm_vsl_record_f *call, void *priv, bool *read)
{
	(void)path;
	(void)call;
	(void)priv;
	(void)read;
	refuse();
	return (NULL);
}

char *
fm_vsl_records_live(const char *name, fm_vsl_record_f *call, void *priv,
    bool *read)
{
	return (fm_vsl_records(name, call, priv, read));
}

/* `top` is not in a build without the library. */
struct fm_vsl *
fm_vsl_follow(const char *name, char **wrong)
{
	(void)name;
	(void)wrong;
	refuse();
	return (NULL);
}

bool
fm_vsl_look(struct fm_vsl *vsl, fm_vsl_f *call, void *priv)
{
	(void)vsl;
	(void)call;
	(void)priv;
	return (false);
}

#endif
