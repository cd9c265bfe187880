/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's policy (examples/article) as one would write it by hand who
 * knows it and has C: its hosts and names are tables and code of this file,
 * and it can do nothing else.  The floor that a rule file is measured against.
 *
 * One pass finds the headers, one lookup the host's row; what the row doesn't
 * ask for isn't done, and a User-Agent is scanned only behind the test of the
 * path.  The numbers are those of before.vcl.
 */

#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"

#include "compat.h"
#include "floor_policy.h"
#include "file.h"
#include "listfile.h"
#include "scan.h"
#include "vcc_floor_if.h"

#define FLOOR_LINES	1000	/* of a list */

struct vmod_floor_site {
	unsigned		magic;
#define VMOD_FLOOR_SITE_MAGIC	0x3d60f9b2
	VCL_BACKEND		backends[FLOOR__BACKENDS];
	struct fm_scan		*lists[FLOOR__LISTS];
	struct floor_hosts	hosts;
};

/*--------------------------------------------------------------------
 * Made in vcl_init
 */

/* Every line of the file, without the names of its groups, [like this]. */
static struct fm_scan *
list_compile(const char *path)
{
	struct fm_file *file = fm_file_read(path, FM_LISTFILE_MAX, NULL, NULL);
	struct fm_listfile list = { .name = path };
	struct fm_pattern *patterns[FLOOR_LINES];
	unsigned char matchers[FLOOR_LINES];
	struct fm_scan *scan;
	struct fm_place place;
	struct fm_text line;
	size_t n = 0;

	if (file == NULL)
		return (NULL);
	list.rest = fm_text(file->bytes, file->len);
	while (fm_listfile_next(&list, &line, &place, NULL))
		if (line.b[0] != '[') {
			assert(n < FLOOR_LINES);
			matchers[n] = FM_MATCHER_SCAN;
			patterns[n++] = fm_pattern_new(FM_PATTERN_CONTAINS,
			    line, false, &place, NULL);
		}
	scan = fm_scan_new(patterns, matchers, n, NULL, NULL);
	fm_file_free(&file);
	while (n > 0)
		fm_pattern_free(&patterns[--n]);
	return (scan);
}

VCL_VOID
vmod_site__init(VRT_CTX, struct vmod_floor_site **sitep, const char *name,
    VCL_BACKEND www, VCL_BACKEND media, VCL_BACKEND shop, VCL_BACKEND wiki,
    VCL_BACKEND mobile, VCL_BACKEND api, VCL_STRING phones,
    VCL_STRING handsets)
{
	struct vmod_floor_site *site;

	(void)name;
	AN(sitep);
	AZ(*sitep);
	ALLOC_OBJ(site, VMOD_FLOOR_SITE_MAGIC);
	AN(site);
	*sitep = site;
	site->backends[FLOOR_WWW] = www;
	site->backends[FLOOR_MEDIA] = media;
	site->backends[FLOOR_SHOP] = shop;
	site->backends[FLOOR_WIKI] = wiki;
	site->backends[FLOOR_MOBILE] = mobile;
	site->backends[FLOOR_API] = api;
	fm_floor_hosts_fill(&site->hosts);
	site->lists[FLOOR_PHONES] = list_compile(phones);
	site->lists[FLOOR_HANDSETS] = list_compile(handsets);
	if (site->lists[FLOOR_PHONES] == NULL ||
	    site->lists[FLOOR_HANDSETS] == NULL)
		VRT_fail(ctx, "floor: a list of brands can't be compiled");
}

VCL_VOID
vmod_site__fini(struct vmod_floor_site **sitep)
{
	struct vmod_floor_site *site;

	TAKE_OBJ_NOTNULL(site, sitep, VMOD_FLOOR_SITE_MAGIC);
	fm_scan_free(&site->lists[FLOOR_PHONES]);
	fm_scan_free(&site->lists[FLOOR_HANDSETS]);
	FREE_OBJ(site);
}

/*--------------------------------------------------------------------
 * The headers
 */

/* The headers of a request: their numbers (0: missing), and some values. */
struct seen {
	unsigned	host, encoding, cookie;
	bool		authorization, cache_control, pragma;
	struct fm_text	host_text, encoding_text, cookie_text, agent_text;
};

/* Removes a header that only broken or hostile clients send; may be slow. */
static void
header_drop(struct http *hp, unsigned n)
{
	hp->nhd--;
	memmove(hp->hd + n, hp->hd + n + 1, (hp->nhd - n) * sizeof *hp->hd);
	memmove(hp->hdf + n, hp->hdf + n + 1, (hp->nhd - n) * sizeof *hp->hdf);
}

/* name ends in a colon. */
#define header_is(field, name)						\
	(field_is(field, name, sizeof(name) - 1))

static inline bool
field_is(txt field, const char *name, size_t len)
{
	return ((size_t)(field.e - field.b) >= len &&
	    field.b[len - 1] == ':' &&
	    strncasecmp(field.b, name, len - 1) == 0);
}

static inline struct fm_text
header_value(txt field, size_t name)
{
	const char *b = field.b + name + 1;

	while (b < field.e && fm_is_blank(*b))
		b++;
	return (fm_text_span(b, field.e));
}

/* Takes note of header n; false: it has to go. */
static bool
header_note(struct seen *seen, txt field, unsigned n)
{
	switch (field.b[0] | 0x20) {
	case 'a':
		if (header_is(field, "Accept-Encoding:")) {
			if (seen->encoding != 0)
				return (false);
			seen->encoding = n;
			seen->encoding_text = header_value(field, 15);
		} else if (header_is(field, "Authorization:"))
			seen->authorization = true;
		break;
	case 'c':
		if (header_is(field, "Cookie:")) {
			seen->cookie = n;
			seen->cookie_text = header_value(field, 6);
		} else if (header_is(field, "Cache-Control:"))
			seen->cache_control = true;
		break;
	case 'h':
		if (header_is(field, "Host:")) {
			seen->host = n;
			seen->host_text = header_value(field, 4);
		}
		break;
	case 'p':
		seen->pragma |= header_is(field, "Pragma:");
		break;
	case 'u':
		if (seen->agent_text.b == NULL &&
		    header_is(field, "User-Agent:"))
			seen->agent_text = header_value(field, 10);
		break;
	case 'x':
		return (!header_is(field, "X-Site:"));
	}
	return (true);
}

static void
headers_find(struct http *hp, struct seen *seen)
{
	unsigned n;

	memset(seen, 0, sizeof *seen);
	for (n = HTTP_HDR_FIRST; n < hp->nhd; n++)
		if (!header_note(seen, hp->hd[n], n))
			header_drop(hp, n--);
}

/*--------------------------------------------------------------------
 * (1) The host
 */

#define HOST_MAX	253

/* Returns a host without its port and one trailing dot. */
static struct fm_text
host_bare(struct fm_text host)
{
	size_t n = host.len;

	while (n > 0 && host.b[n - 1] >= '0' && host.b[n - 1] <= '9')
		n--;
	if (n > 0 && host.b[n - 1] == ':')
		host.len = n - 1;
	if (host.len > 0 && host.b[host.len - 1] == '.')
		host.len--;
	return (host);
}

/* The header as the policy spells it; false: no workspace. */
static bool
host_write(VRT_CTX, const struct seen *seen, const struct floor_row *row,
    struct fm_text *host)
{
	char *p;
	size_t i;

	if (row->host != NULL) {
		if (seen->host_text.len != row->len ||
		    memcmp(seen->host_text.b, row->host, row->len) != 0)
			http_SetH(ctx->http_req, seen->host, row->header);
		*host = fm_text(row->host, row->len);
		return (true);
	}
	for (i = 0; i < host->len; i++)
		if (host->b[i] >= 'A' && host->b[i] <= 'Z')
			break;
	if (i == seen->host_text.len)
		return (true);
	p = WS_Alloc(ctx->ws, (unsigned)(sizeof "Host: " + host->len));
	if (p == NULL)
		return (false);
	memcpy(p, "Host: ", 6);
	for (i = 0; i < host->len; i++)
		p[6 + i] = (char)fm_lower((unsigned char)host->b[i]);
	p[6 + i] = '\0';
	host->b = p + 6;
	http_SetH(ctx->http_req, seen->host, p);
	return (true);
}

/*--------------------------------------------------------------------
 * Edits
 */

/* Sets field n to what was made; NULL: there was no room. */
static bool
field_write(struct http *hp, unsigned n, const char *made)
{
	if (made != NULL)
		http_SetH(hp, n, made);
	return (made != NULL);
}

/* (4) to (7), (13) to (19) */
static bool
query_edit(VRT_CTX, const struct floor_row *row, struct fm_text *url,
    size_t path)
{
	char *buf;
	size_t len;

	if (path == url->len ||
	    !fm_floor_query_drops(row->names, *url, path + 1))
		return (true);
	buf = WS_Alloc(ctx->ws, (unsigned)url->len + 1);
	if (buf == NULL)
		return (false);
	len = fm_floor_query_write(row->names, *url, path, buf);
	*url = fm_text(buf, len);
	return (field_write(ctx->http_req, HTTP_HDR_URL, buf));
}

/* (8) (9) */
static void
encoding_edit(struct http *hp, const struct seen *seen,
    enum floor_file file)
{
	struct fm_text value = seen->encoding_text;

	if (file == FLOOR_PACKED) {
		http_Unset(hp, H_Accept_Encoding);
	} else if (memmem(value.b, value.len, "gzip", 4) != NULL) {
		if (value.len != 4)
			http_SetH(hp, seen->encoding, "Accept-Encoding: gzip");
	} else if (memmem(value.b, value.len, "deflate", 7) != NULL) {
		if (value.len != 7)
			http_SetH(hp, seen->encoding,
			    "Accept-Encoding: deflate");
	} else {
		http_Unset(hp, H_Accept_Encoding);
	}
}

/* (11) (12) (20): *cookie is what is left; NULL: the header has to go. */
static bool
cookie_edit(VRT_CTX, const struct seen *seen, enum floor_cookies rule,
    struct fm_text *cookie)
{
	char *buf;
	size_t len;

	switch (rule == FLOOR_COOKIES_NONE ? FLOOR_NOTHING :
	    fm_floor_cookies_left(rule, *cookie)) {
	case FLOOR_ALL:
		return (true);
	case FLOOR_NOTHING:
		*cookie = fm_text(NULL, 0);
		return (true);
	case FLOOR_SOME:
		break;
	}
	/* A separator may get a blank that it did not have. */
	len = sizeof "Cookie: " + 2 * cookie->len;
	buf = WS_Alloc(ctx->ws, (unsigned)len);
	if (buf == NULL)
		return (false);
	memcpy(buf, "Cookie: ", 8);
	len = fm_floor_cookies_write(rule, *cookie, buf + 8);
	*cookie = fm_text(buf + 8, len);
	return (field_write(ctx->http_req, seen->cookie, buf));
}

/*--------------------------------------------------------------------
 * Phones
 */

static bool
agent_hit(void *priv, uint32_t id)
{
	(void)id;
	*(bool *)priv = true;
	return (true);
}

/* From the front page and the old pages, unless the full site was chosen. */
static bool
goes_mobile(const struct vmod_floor_site *site, const struct floor_row *row,
    struct fm_text path, const struct seen *seen)
{
	bool hit = false;

	if (row->mobile == NULL || !fm_floor_path_is_front(path) ||
	    seen->agent_text.len == 0 ||
	    fm_floor_cookies_chose_full(seen->cookie_text))
		return (false);
	(void)fm_scan_run(site->lists[row->list], seen->agent_text, agent_hit,
	    &hit);
	return (hit);
}

/* Redirects to the mobile host: from de.wiki.example to de.m.wiki.example. */
static bool
mobile_synth(VRT_CTX, const struct floor_row *row, struct fm_text host)
{
	const char *to = row->mobile;

	if (*to == '\0')
		to = WS_Printf(ctx->ws, "http://%.*sm.wiki.example",
		    (int)(host.len - strlen("wiki.example")), host.b);
	if (to == NULL)
		return (false);
	VRT_synth(ctx, 752, to);
	VRT_handling(ctx, VCL_RET_SYNTH);
	return (true);
}

/*--------------------------------------------------------------------*/

static bool
row_passes(const struct floor_row *row, struct fm_text path,
    struct fm_text cookie)
{
	switch (row->cookies) {
	case FLOOR_COOKIES_OTHERS:
		return (true);
	case FLOOR_COOKIES_SHOP:
		return (fm_floor_path_is_checkout(path));
	case FLOOR_COOKIES_FORUM:
	case FLOOR_COOKIES_WIKI:
		return (cookie.b != NULL);
	case FLOOR_COOKIES_NONE:
		break;
	}
	return (false);
}

/* Applies a site's row to a request; false: there was no workspace. */
static bool
row_apply(VRT_CTX, const struct vmod_floor_site *site,
    const struct floor_row *row, const struct seen *seen, struct fm_text host)
{
	struct http *hp = ctx->http_req;
	struct fm_text url, path, cookie = seen->cookie_text;
	enum floor_cookies rule = row->cookies;
	enum floor_file file;
	const char *query;
	bool mobile;

	url = fm_text_span(hp->hd[HTTP_HDR_URL].b, hp->hd[HTTP_HDR_URL].e);
	query = memchr(url.b, '?', url.len);
	path = query == NULL ? url : fm_text_span(url.b, query);
	if (!query_edit(ctx, row, &url, path.len))
		return (false);
	file = fm_floor_path_file(path);
	mobile = goes_mobile(site, row, path, seen);
	if (mobile)
		rule = FLOOR_COOKIES_OTHERS;
	else if (rule == FLOOR_COOKIES_FORUM &&
	    !fm_floor_cookies_have_session(cookie))
		rule = FLOOR_COOKIES_NONE;
	else if (rule == FLOOR_COOKIES_SHOP &&
	    !fm_floor_path_is_checkout(path))
		rule = FLOOR_COOKIES_NONE;

	/* Edits in place come first, then those that move headers. */
	if (file != FLOOR_PAGE)					/* (10) */
		cookie = fm_text(NULL, 0);
	else if (seen->cookie != 0 &&
	    !cookie_edit(ctx, seen, rule, &cookie))
		return (false);
	if (seen->encoding != 0)
		encoding_edit(hp, seen, file);
	if (seen->cookie != 0 && cookie.b == NULL)
		http_Unset(hp, H_Cookie);
	if (seen->cache_control)				/* (2) */
		http_Unset(hp, H_Cache_Control);
	if (seen->pragma)					/* (3) */
		http_Unset(hp, H_Pragma);

	if (mobile)
		return (mobile_synth(ctx, row, host));
	if (row_passes(row, path, cookie))
		VRT_handling(ctx, VCL_RET_PASS);
	return (true);
}

static bool
method_is(const struct http *hp, const char *method, size_t len)
{
	txt t = hp->hd[HTTP_HDR_METHOD];

	return ((size_t)(t.e - t.b) == len && memcmp(t.b, method, len) == 0);
}

VCL_VOID
vmod_site_apply(VRT_CTX, struct vmod_floor_site *site)
{
	struct http *hp = ctx->http_req;
	const struct floor_row *row = NULL;
	struct fm_text host;
	struct seen seen;

	CHECK_OBJ_NOTNULL(site, VMOD_FLOOR_SITE_MAGIC);
	headers_find(hp, &seen);
	host = host_bare(seen.host_text);
	if (host.len > 0 && host.len <= HOST_MAX)
		row = fm_floor_hosts_find(&site->hosts, host);
	if (row == NULL) {
		VRT_synth(ctx, 404, "Unknown virtual host");
		VRT_handling(ctx, VCL_RET_SYNTH);
		return;
	}
	if (!host_write(ctx, &seen, row, &host)) {
		VRT_fail(ctx, "floor: out of workspace");
		return;
	}
	VRT_l_req_backend_hint(ctx, site->backends[row->backend]);
	http_SetHeader(hp, row->label);
	if (seen.authorization ||
	    (!method_is(hp, "GET", 3) && !method_is(hp, "HEAD", 4)))
		VRT_handling(ctx, VCL_RET_PASS);
	else if (!row_apply(ctx, site, row, &seen, host))
		VRT_fail(ctx, "floor: out of workspace");
}
