/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Requests from what varnishlog -w wrote, by libvarnishapi, whose format that
 * is: each client request and each ESI sub-request as vcl_recv was given it.
 * What VCL did to it comes behind the record VCL_call, and a restart is the
 * same request again: neither is looked at.
 *
 * libvarnishapi is for one thread, so requests are handed on as text:
 *
 *	the length of the rest (of uint32_t)
 *	"-" or "e" (ESI), and the client's address
 *	method
 *	URL
 *	protocol
 *	Name: value
 *	...
 */

#include "config.h"

#include <stdio.h>

/* Varnish's assert() first: the system's takes its place. */
#ifdef HAVE_VSL
#include <vdef.h>
#include <vas.h>
#include <vapi/vsl.h>
#endif

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli.h"
#include "logs_priv.h"

/* Varnish writes "VSL" and a byte that is a version, or nothing. */
bool
fm_vsl_is(const char *path)
{
	char head[4] = "";
	struct stat st;
	FILE *file;
	bool is;

	/* What was read of a pipe is gone. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return (false);
	file = fopen(path, "re");
	if (file == NULL)
		return (false);
	is = fread(head, 1, sizeof head, file) == sizeof head &&
	    memcmp(head, "VSL", 3) == 0 &&
	    (head[3] == '\0' || (head[3] >= '0' && head[3] <= '9'));
	(void)fclose(file);
	return (is);
}

/*--------------------------------------------------------------------
 * What was handed on
 */

static struct fm_text
take_line(const char **b, const char *end)
{
	const char *start = *b, *newline;

	newline = memchr(start, '\n', (size_t)(end - start));
	*b = newline == NULL ? end : newline + 1;
	return (fm_text_span(start, newline == NULL ? end : newline));
}

const char *
fm_vsl_read(const char *b, const char *end, struct fm_message *message)
{
	struct fm_text line;
	uint32_t len;

	assert((size_t)(end - b) > sizeof len);
	memcpy(&len, b, sizeof len);
	b += sizeof len;
	assert((size_t)(end - b) >= len);
	end = b + len;
	line = take_line(&b, end);
	message->esi = line.b[0] == 'e';
	(void)fm_addr_parse(fm_text(line.b + 1, line.len - 1),
	    &message->client);
	line = take_line(&b, end);
	message->owned_method = fm_cli_copy(line.b, line.len);
	message->method = fm_text(message->owned_method, line.len);
	fm_message_url(message, take_line(&b, end), FM_URL_SENT);
	fm_message_proto(message, take_line(&b, end));
	/* A line without a name is no header: it stays away. */
	while (b < end)
		(void)fm_message_line(message, take_line(&b, end));
	return (end);
}

#ifdef HAVE_VSL

/*--------------------------------------------------------------------
 * Records
 */

struct fm_vsl {
	struct VSL_data		*data;
	struct VSLQ		*queue;
	enum vsl_status		status;		/* of its last look */
	char			*b;		/* not handed on yet: from at */
	size_t			at, len, room;	/* up to len */
	size_t			whole;		/* of len: requests */
	bool			ended;
	struct fm_vsl		*next;		/* given up, too */
};

static void
put_bytes(struct fm_vsl *vsl, const char *b, size_t len)
{
	size_t need = vsl->len + len;

	if (need > vsl->room) {
		vsl->room = 2 * need;
		vsl->b = realloc(vsl->b, vsl->room);
		if (vsl->b == NULL)
			fm_cli_no_memory();
	}
	memcpy(vsl->b + vsl->len, b, len);
	vsl->len += len;
}

/* As a line, which holds no other. */
static void
put_line(struct fm_vsl *vsl, struct fm_text text)
{
	const char *newline = text.len == 0 ? NULL :
	    memchr(text.b, '\n', text.len);

	if (newline != NULL)
		text = fm_text_span(text.b, newline);
	put_bytes(vsl, text.b, text.len);
	put_bytes(vsl, "\n", 1);
}

/* A header that Varnish itself took away again, behind `headers`. */
static void
drop_line(struct fm_vsl *vsl, size_t headers, struct fm_text text)
{
	const char *b = vsl->b + headers, *end = vsl->b + vsl->len, *start;

	while (b < end) {
		start = b;
		if (!fm_text_eq(take_line(&b, end), text))
			continue;
		memmove(vsl->b + (start - vsl->b), b, (size_t)(end - b));
		vsl->len -= (size_t)(b - start);
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

/* "192.0.2.1 port listener" */
static void
put_client(struct fm_vsl *vsl, bool esi, struct fm_text start)
{
	const char *blank = start.len == 0 ? NULL :
	    memchr(start.b, ' ', start.len);

	if (blank != NULL)
		start = fm_text_span(start.b, blank);
	put_bytes(vsl, esi ? "e" : "-", 1);
	put_line(vsl, start);
}

static void
put_request(struct fm_vsl *vsl, const struct VSL_transaction *transaction)
{
	struct fm_text client = fm_text("", 0), method = client, url = client;
	struct fm_text proto = client;
	size_t start = vsl->len, headers = 0;
	const uint32_t *record;
	uint32_t len = 0;

	put_bytes(vsl, (const char *)&len, sizeof len);
	while (VSL_Next(transaction->c) == vsl_more) {
		record = transaction->c->rec.ptr;
		if (VSL_TAG(record) == SLT_VCL_call)
			break;
		switch (VSL_TAG(record)) {
		case SLT_ReqStart:
			client = text_of_record(record);
			break;
		case SLT_ReqMethod:
			method = text_of_record(record);
			break;
		case SLT_ReqURL:
			url = text_of_record(record);
			break;
		case SLT_ReqProtocol:
			proto = text_of_record(record);
			break;
		case SLT_ReqHeader:
			/* The Host of an absolute URL: it comes once more. */
			if (url.len == 0)
				break;
			if (headers == 0) {
				put_client(vsl, transaction->reason ==
				    VSL_r_esi, client);
				put_line(vsl, method);
				put_line(vsl, url);
				put_line(vsl, proto);
				headers = vsl->len;
			}
			put_line(vsl, text_of_record(record));
			break;
		case SLT_ReqUnset:
			if (headers > 0)
				drop_line(vsl, headers, text_of_record(record));
			break;
		default:
			break;
		}
	}
	/* No header at all, or what is no request that VCL has seen. */
	if (headers == 0 || method.len == 0 || url.len == 0) {
		vsl->len = start;
		return;
	}
	len = (uint32_t)(vsl->len - start - sizeof len);
	memcpy(vsl->b + start, &len, sizeof len);
	vsl->whole = vsl->len;
}

static int
on_transactions(struct VSL_data *data, struct VSL_transaction * const all[],
    void *priv)
{
	(void)data;
	for (; *all != NULL; all++)
		if ((*all)->type == VSL_t_req &&
		    (*all)->reason != VSL_r_restart)
			put_request(priv, *all);
	return (0);
}

/*--------------------------------------------------------------------
 * The library
 */

/*
 * It asserts what a damaged file does not keep.  Then it is not asked again,
 * and has its memory for as long as the process lives.
 */
static jmp_buf failed;
static struct fm_vsl *given_up;

static void __attribute__((noreturn))
on_assert(const char *function, const char *file, int line,
    const char *condition, enum vas_e why)
{
	(void)function;
	(void)file;
	(void)line;
	(void)condition;
	(void)why;
	longjmp(failed, 1);
}

/* Whether it came back.  One thread at a time calls it. */
static bool
call_library(struct fm_vsl *vsl, void (*call)(struct fm_vsl *))
{
	bool came_back = false;

	VAS_Fail_Func = on_assert;
	if (setjmp(failed) == 0) {
		call(vsl);
		came_back = true;
	}
	VAS_Fail_Func = NULL;
	return (came_back);
}

static void
look(struct fm_vsl *vsl)
{
	vsl->status = VSLQ_Dispatch(vsl->queue, on_transactions, vsl);
}

static void
look_at_rest(struct fm_vsl *vsl)
{
	(void)VSLQ_Flush(vsl->queue, on_transactions, vsl);
}

static void
give_back(struct fm_vsl *vsl)
{
	if (vsl->queue != NULL)
		VSLQ_Delete(&vsl->queue);
	VSL_Delete(vsl->data);
}

/* It says nothing of a file that ends in the middle of a record. */
static char *
error_of(const struct fm_vsl *vsl)
{
	const char *why = VSL_Error(vsl->data);

	if (why == NULL)
		why = "it ends in the middle";
	return (fm_cli_copy(why, strlen(why)));
}

struct fm_vsl *
fm_vsl_open(const char *path, char **wrong)
{
	struct fm_vsl *vsl = fm_cli_alloc(sizeof *vsl);
	struct VSL_cursor *cursor;

	vsl->data = VSL_New();
	if (vsl->data == NULL)
		fm_cli_no_memory();
	cursor = VSL_CursorFile(vsl->data, path, 0);
	if (cursor != NULL)
		/* By vxid, 7.7 and later leave ESI sub-requests out. */
		vsl->queue = VSLQ_New(vsl->data, &cursor, VSL_g_request, NULL);
	if (vsl->queue == NULL) {
		*wrong = error_of(vsl);
		fm_vsl_close(&vsl);
	}
	return (vsl);
}

void
fm_vsl_close(struct fm_vsl **vslp)
{
	struct fm_vsl *vsl = *vslp;

	*vslp = NULL;
	free(vsl->b);
	vsl->b = NULL;
	if (vsl->data != NULL && !call_library(vsl, give_back))
		vsl->data = NULL;
	if (vsl->data != NULL) {
		free(vsl);
		return;
	}
	vsl->next = given_up;
	given_up = vsl;
}

static void
give_up(struct fm_vsl *vsl, char **wrong)
{
	static const char why[] = "libvarnishapi gave up";

	vsl->data = NULL;
	vsl->ended = true;
	vsl->len = vsl->whole;
	free(*wrong);
	*wrong = fm_cli_copy(why, sizeof why - 1);
}

/* Until there is a chunk of it, or no more. */
static void
dispatch(struct fm_vsl *vsl, size_t enough, char **wrong)
{
	while (!vsl->ended && vsl->len < enough) {
		if (!call_library(vsl, look)) {
			give_up(vsl, wrong);
			return;
		}
		if (vsl->status == vsl_more)
			continue;
		vsl->ended = true;
		if (vsl->status != vsl_e_eof && vsl->status != vsl_end)
			*wrong = error_of(vsl);
		if (!call_library(vsl, look_at_rest))
			give_up(vsl, wrong);
	}
}

size_t
fm_vsl_fill(struct fm_vsl *vsl, char *b, size_t room, char **wrong)
{
	size_t n = 0, bytes;
	uint32_t len;

	if (vsl->at == vsl->len) {
		vsl->at = vsl->len = vsl->whole = 0;
		dispatch(vsl, room, wrong);
	}
	while (vsl->at < vsl->len) {
		memcpy(&len, vsl->b + vsl->at, sizeof len);
		bytes = sizeof len + len;
		if (n + bytes > room && n > 0)
			break;
		/* One that is larger than a chunk is left out. */
		if (bytes <= room) {
			memcpy(b + n, vsl->b + vsl->at, bytes);
			n += bytes;
		}
		vsl->at += bytes;
	}
	return (n);
}

#else

struct fm_vsl *
fm_vsl_open(const char *path, char **wrong)
{
	static const char why[] =
	    "this fastmatch was built without libvarnishapi";

	(void)path;
	*wrong = fm_cli_copy(why, sizeof why - 1);
	return (NULL);
}

void
fm_vsl_close(struct fm_vsl **vsl)
{
	(void)vsl;
}

size_t
fm_vsl_fill(struct fm_vsl *vsl, char *b, size_t room, char **wrong)
{
	(void)vsl;
	(void)b;
	(void)room;
	(void)wrong;
	return (0);
}

#endif
