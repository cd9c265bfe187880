/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the client of .page() and .metrics() against an ACL, and the host by
 * which it came to the page, and makes their responses.
 */

#include "config.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsa.h"
#include "vsb.h"

#include "compat.h"
#include "field.h"
#include "operators.h"
#include "rules_edit.h"
#include "rules_view.h"
#include "task.h"
#include "utf8.h"

/*--------------------------------------------------------------------
 * Admitting the client
 */

static bool
same_addr(const struct fm_addr *a, const struct fm_addr *b)
{
	return (a->len == b->len && memcmp(a->b, b->b, a->len) == 0);
}

/*
 * Finds the client as the rules see it.  Returns false if its address is not
 * known.  Varnish has 0.0.0.0 for a unix-domain socket, which no client can be.
 */
static bool
client_find(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    struct fm_addr *client)
{
	static const uint8_t none[4] = { 0 };
	const struct fm_version *version;
	const struct fm_rules_set *set;
	const struct http *hp = ctx->req->http0;
	struct fm_addr came;
	struct fm_view view;
	bool found;

	fm_rules_view(ctx, FM_WANTS_CLIENT, &view);
	version = fm_live_get(rules->object.live);
	AN(version);
	CAST_OBJ_NOTNULL(set, version->payload, FM_RULES_SET_MAGIC);
	found = fm_run_client(set->program, &view, client);
	/* VCL may have removed the header with the client: see http0, too. */
	if (found && same_addr(client, &view.client)) {
		view.fields = (const struct fm_field *)(const void *)
		    (hp->hd + HTTP_HDR_FIRST);
		view.nfields = (unsigned)hp->nhd - HTTP_HDR_FIRST;
		found = fm_run_client(set->program, &view, &came) &&
		    same_addr(client, &came);
	}
	fm_live_put(version);
	return (found && client->len != 0 &&
	    !(client->len == 4 && memcmp(client->b, none, 4) == 0));
}

static bool
acl_has(VRT_CTX, VCL_ACL acl, const struct fm_addr *client)
{
	alignas(max_align_t) char room[sizeof(struct sockaddr_storage) * 2];
	static const uint8_t port[2] = { 0 };
	VCL_IP ip;

	assert(vsa_suckaddr_len <= sizeof room);
	ip = VSA_BuildFAP(room, client->len == 4 ? PF_INET : PF_INET6,
	    client->b, client->len, port, sizeof port);
	AN(ip);
	return (VRT_acl_match(ctx, acl, ip) > 0);
}

static void
refuse(VRT_CTX, const struct vmod_fastmatch_rules *rules, const char *method,
    const char *client)
{
	static const char body[] = "Forbidden\n";
	static const struct fm_operator_answer forbidden = {
		.status = 403,
		.type = "Content-Type: text/plain; charset=utf-8",
		.body = body,
		.len = sizeof body - 1
	};

	VSLb(ctx->vsl, SLT_VCL_Log, "fastmatch: %s.%s(): the ACL does not have"
	    " %s", rules->object.name, method, client);
	fm_operator_answer(ctx, rules, method, &forbidden);
}

/*
 * Answers an include with nothing.  A page of another site may have it, whose
 * scripts could read what an operator's browser gets.
 */
static void
refuse_include(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const char *method)
{
	static const struct fm_operator_answer nothing = {
		.status = 403,
		.type = "Content-Type: text/plain; charset=utf-8",
		.body = ""
	};

	VSLb(ctx->vsl, SLT_VCL_Log, "fastmatch: %s.%s(): it does not answer"
	    " to an include of ESI", rules->object.name, method);
	fm_operator_answer(ctx, rules, method, &nothing);
}

bool
fm_operator_admits(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    VCL_ACL acl, const char *method)
{
	char shown[FM_ADDR_PRINT];
	struct fm_addr client;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (FM_OBJECT_MISSING(ctx, rules))
		return (false);
	CHECK_OBJ_NOTNULL(rules, FM_RULES_MAGIC);
	if (VRT_handled(ctx))
		return (false);
	if (ctx->method != VCL_MET_SYNTH) {
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_misplaced, method, "it does nothing in",
		    fm_sub_name(ctx));
		return (false);
	}
	if (ctx->req->esi_level > 0) {
		refuse_include(ctx, rules, method);
		return (false);
	}
	if (!client_find(ctx, rules, &client)) {
		refuse(ctx, rules, method, "a client without an address");
		return (false);
	}
	if (acl_has(ctx, acl, &client))
		return (true);
	if (!VRT_handled(ctx)) {
		(void)fm_addr_print(&client, shown);
		refuse(ctx, rules, method, shown);
	}
	return (false);
}

/*--------------------------------------------------------------------
 * The host
 */

/*
 * Returns true for a host that another site can't have: an address, or a name
 * of the operators.
 */
static bool
host_is_ours(const struct fm_known_host *host, const char *named)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;
	struct fm_addr addr;

	return (host->name.b != NULL && (host->hit.how == FM_HOSTTAB_EXACT ||
	    fm_text_eq(host->name, fm_text_of("localhost")) ||
	    fm_addr_parse(host->name, &addr) ||
	    (fm_hostname_canon(fm_text_of(named), buf, &canon) ==
	    FM_HOSTNAME_OK && fm_text_eq(host->name, canon))));
}

#define HOST_SHOWN	253	/* bytes: the longest name that is valid */

/* Writes "the host 'NAME'", or that there is no host, for a sentence. */
static void
host_print(const struct http *hp, struct fm_text host, char *to, size_t room)
{
	const struct fm_text name = fm_text_of("Host");
	unsigned n = fm_field_find(hp, HTTP_HDR_FIRST, name);

	/* A host that is not valid is shown as it came. */
	if (host.b == NULL && n < hp->nhd)
		host = fm_field_value(hp, n, name);
	if (host.len > HOST_SHOWN)
		host.len = HOST_SHOWN;
	if (host.len == 0)
		(void)snprintf(to, room, "a request without a host");
	else
		(void)snprintf(to, room, "the host '%.*s'", (int)host.len,
		    host.b);
	fm_utf8_flatten(to);
}

static void
misdirect(VRT_CTX, const struct vmod_fastmatch_rules *rules, const char *host,
    const char *named, const char *method)
{
	char body[HOST_SHOWN + 300], buf[FM_HOSTNAME_MAX];
	struct fm_operator_answer answer = {
		.status = 421,
		.type = "Content-Type: text/plain; charset=utf-8",
		.body = body
	};
	struct fm_text canon;

	VSLb(ctx->vsl, SLT_VCL_Log, "fastmatch: %s.%s(): it does not answer"
	    " to %s", rules->object.name, method, host);
	if (named != NULL && *named != '\0' &&
	    fm_hostname_canon(fm_text_of(named), buf, &canon) !=
	    FM_HOSTNAME_OK)
		VSLb(ctx->vsl, SLT_VCL_Log, "fastmatch: %s.%s(): host= is not"
		    " the name of a host: '%s'", rules->object.name, method,
		    named);
	answer.len = (size_t)snprintf(body, sizeof body, "This page does not"
	    " answer to %s: open it by an address, by localhost or by a host"
	    " that the rules have without a wildcard, or let VCL name the"
	    " host, .%s(..., host=\"ops.example.com\").\n", host, method);
	assert(answer.len < sizeof body);
	fm_operator_answer(ctx, rules, method, &answer);
}

bool
fm_operator_hosts(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const char *named, const char *method)
{
	char host[HOST_SHOWN + 20], buf[FM_HOSTNAME_MAX];
	const struct fm_version *version;
	const struct fm_rules_set *set;
	struct fm_known_host found;
	bool is_ours;

	version = fm_live_get(rules->object.live);
	AN(version);
	CAST_OBJ_NOTNULL(set, version->payload, FM_RULES_SET_MAGIC);
	/* VCL may have set another Host than the client has sent. */
	fm_rules_view_host(ctx->req->http0, set->program, buf, &found);
	is_ours = host_is_ours(&found, named);
	if (!is_ours)
		host_print(ctx->req->http0, found.name, host, sizeof host);
	fm_live_put(version);
	if (!is_ours)
		misdirect(ctx, rules, host, named, method);
	return (is_ours);
}

/*--------------------------------------------------------------------
 * The answer
 */

/* Headers that each answer has, and headers that must not be left. */
static const char * const ours[] = {
	"Cache-Control: no-store",
	"X-Content-Type-Options: nosniff",
	NULL
};
static const char * const others[] = {
	"Content-Encoding:",
	"Location:",
	"Retry-After:",
	NULL
};

static void
line_unset(struct http *hp, const char *line)
{
	struct fm_text name = fm_text(line, strcspn(line, ":"));
	unsigned n = HTTP_HDR_FIRST;

	while ((n = fm_field_find(hp, n, name)) < hp->nhd)
		fm_field_remove(hp, n);
}

static unsigned
lines_unset(struct http *hp, const char *const *lines)
{
	unsigned n;

	for (n = 0; lines != NULL && lines[n] != NULL; n++)
		line_unset(hp, lines[n]);
	return (n);
}

static void
lines_set(struct http *hp, const char *const *lines)
{
	for (; lines != NULL && *lines != NULL; lines++)
		http_SetHeader(hp, *lines);
}

/* Sets all headers; returns false, and sets none, if there is no room. */
static bool
headers_set(struct http *hp, const struct fm_operator_answer *answer)
{
	unsigned n;

	(void)lines_unset(hp, others);
	line_unset(hp, answer->type);
	n = lines_unset(hp, ours) + lines_unset(hp, answer->lines) + 1 +
	    answer->gzip;
	if (hp->nhd + n + FM_EDIT_SPARE_FIELDS > hp->shd)
		return (false);
	http_SetHeader(hp, answer->type);
	if (answer->gzip)
		http_SetHeader(hp, "Content-Encoding: gzip");
	lines_set(hp, ours);
	lines_set(hp, answer->lines);
	return (true);
}

void
fm_operator_answer(VRT_CTX, const struct vmod_fastmatch_rules *rules,
    const char *method, const struct fm_operator_answer *answer)
{
	struct vsb *body;

	CAST_OBJ_NOTNULL(body, ctx->specific, VSB_MAGIC);
	VSB_clear(body);
	if (headers_set(ctx->http_resp, answer) &&
	    VSB_bcat(body, answer->body, (ssize_t)answer->len) == 0) {
		VRT_l_resp_status(ctx, answer->status);
		if (answer->gzip && !RFC2616_Req_Gzip(ctx->req->http))
			VRT_l_resp_filters(ctx, NULL, TOSTRAND("gunzip"));
	} else {
		VSB_clear(body);
		VRT_l_resp_status(ctx, 503);
		fm_counters_log(ctx, &rules->object.counters,
		    FM_COUNT_workspace_overflow, method,
		    "no room for more headers, or no memory",
		    "the answer is a 503 without a body");
	}
	if (!VRT_handled(ctx))
		VRT_handling(ctx, VCL_RET_DELIVER);
}
