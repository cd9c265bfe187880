/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Explains what the rules that serve would do to a request that the operator
 * has made up, and to the response to it.  Nothing of this is counted.
 */

#include <string.h>

#include "explanation.h"
#include "page.h"

#define BUDGET		40000	/* bytes after which lists end */
#define LINES_MOST	64	/* headers: the default of http_max_hdr */

/* A request of the query, and the response to it. */
struct asked {
	struct fm_made_request	request, response;
	struct fm_view		view;
	struct fm_explain_to	to;
	bool			responds;	/* there is a response */

	/* What is wrong; NULL: nothing. */
	const char		*wrong;
	const char		*parameter;	/* or NULL */
	unsigned		line;		/* in that; 0: none */
};

/* Says what is wrong.  Returns false. */
static bool
is_wrong(struct asked *asked, const char *parameter, const char *what)
{
	asked->wrong = what;
	asked->parameter = parameter;
	return (false);
}

static bool
take_headers(struct asked *asked, struct fm_made_request *made,
    const char *parameter, struct fm_text text)
{
	struct fm_text line;

	if (text.len > FM_PAGE_HEADERS)
		return (is_wrong(asked, parameter, "longer than 4096 bytes"));
	while (fm_cut_line(&text, &line)) {
		asked->line++;
		if (line.len > 0 && line.b[line.len - 1] == '\r')
			line.len--;
		if (line.len == 0)
			continue;
		if (made->nfields == LINES_MOST)
			return (is_wrong(asked, parameter,
			    "more than 64 headers"));
		asked->wrong = fm_made_line(made, line);
		if (asked->wrong != NULL)
			return (is_wrong(asked, parameter, asked->wrong));
	}
	asked->line = 0;
	return (true);
}

static bool
take_request(struct asked *asked, const struct fm_page_query *query)
{
	struct fm_made_request *made = &asked->request;
	struct fm_text client = query->client;

	if (query->url.len > FM_PAGE_URL)
		return (is_wrong(asked, "url", "longer than 2048 bytes"));
	if (query->method.len > FM_PAGE_METHOD)
		return (is_wrong(asked, "method", "longer than 32 bytes"));
	if (query->method.len > 0)
		made->method = query->method;
	if (client.len == 0)
		client = fm_text_of(FM_MADE_CLIENT);
	if (!fm_addr_parse(client, &made->client))
		return (is_wrong(asked, "client", "not an IP address"));
	fm_made_url(made, query->url, FM_URL_TYPED);
	if (!take_headers(asked, made, "headers", query->headers))
		return (false);
	fm_made_host(made);
	return (true);
}

/* Takes a status of three digits; 200 if there are headers alone. */
static bool
take_status(struct asked *asked, struct fm_text text)
{
	unsigned status = 0;
	size_t i;

	for (i = 0; i < text.len && text.b[i] >= '0' && text.b[i] <= '9'; i++)
		status = status * 10 + (unsigned)(text.b[i] - '0');
	if (text.len != 0 && (text.len != 3 || i != 3 || status < 100))
		return (is_wrong(asked, "status",
		    "not a status of three digits, as 200"));
	asked->to.to.status = text.len == 0 ? 200 : status;
	return (true);
}

static bool
take_response(struct asked *asked, const struct fm_page *page)
{
	const struct fm_page_query *query = &page->query;
	struct fm_made_request *made = &asked->response;

	asked->responds = query->status.len > 0 || query->response.len > 0;
	if (!asked->responds)
		return (true);
	if (!take_status(asked, query->status) ||
	    !take_headers(asked, made, "response", query->response))
		return (false);
	asked->to.params = fm_respond_usual;
	asked->to.to.fields = made->fields;
	asked->to.to.nfields = (unsigned)made->nfields;
	asked->to.to.now = (double)page->now;
	return (true);
}

/* Takes what the query asks for.  Returns false if that is wrong. */
static bool
take(struct asked *asked, const struct fm_page *page)
{
	if (page->query.too_long)
		return (is_wrong(asked, NULL, "the query is too long"));
	if (!take_request(asked, &page->query) || !take_response(asked, page))
		return (false);
	if (asked->request.no_memory || asked->response.no_memory)
		return (is_wrong(asked, NULL, "out of memory"));
	fm_made_view(&asked->request, &asked->view);
	return (true);
}

static void
put_wrong(struct fm_jsonbuf *out, const struct asked *asked)
{
	fm_jsonbuf_print(out, "{\"error\": %s, \"parameter\": %s, \"line\": ",
	    asked->wrong, asked->parameter);
	if (asked->line > 0)
		fm_jsonbuf_print(out, "%ju}", (uintmax_t)asked->line);
	else
		fm_jsonbuf_raw(out, "null}");
}

static void
put_explanation(struct fm_jsonbuf *out, const struct fm_page *page,
    struct asked *asked)
{
	struct fm_explain_of of = { .program = page->what.program,
		.view = &asked->view,
		.client = page->query.client.len == 0 ? NULL :
		    page->query.client.b,
		.to = asked->responds ? &asked->to : NULL,
		.masked = !page->secrets, .path = page->what.path,
		.most = BUDGET };
	struct fm_explained_request *explained = fm_explain_new(&of);

	if (explained == NULL) {
		(void)is_wrong(asked, NULL, "out of memory");
		put_wrong(out, asked);
		return;
	}
	fm_explain_json(out, explained);
	fm_explain_free(&explained);
}

void
fm_page_explain_json(struct fm_jsonbuf *out, const struct fm_page *page)
{
	struct asked asked;

	if (page->what.program == NULL ||
	    (page->query.url.len == 0 && !page->query.too_long)) {
		fm_jsonbuf_raw(out, "null");
		return;
	}
	memset(&asked, 0, sizeof asked);
	fm_made_init(&asked.request);
	fm_made_init(&asked.response);
	if (take(&asked, page))
		put_explanation(out, page, &asked);
	else
		put_wrong(out, &asked);
	fm_made_fini(&asked.request);
	fm_made_fini(&asked.response);
}
