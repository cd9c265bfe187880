/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells what a sub of VCL did, and how a fetch went: what the backend answered,
 * which lifetime that has, and what was stored (why.h).
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "why.h"

#define SHOWN	70		/* columns of a value */

static bool
is_named(struct fm_text header, const char *name)
{
	size_t len = strlen(name);

	return (header.len > len && header.b[len] == ':' &&
	    fm_text_eq_nocase(fm_text(header.b, len), fm_text_of(name)));
}

void
fm_why_put_header(FILE *to, struct fm_text header)
{
	bool cookies = is_named(header, "Cookie");
	size_t i = 0;
	bool value = false;

	if (!cookies && !is_named(header, "Set-Cookie") &&
	    !is_named(header, "Authorization")) {
		fm_put_clean(to, header, SHOWN);
		return;
	}
	while (i < header.len && header.b[i] != ':')
		i++;
	fm_put_clean(to, fm_text(header.b, i + 1), 0);
	for (i++; i < header.len; i++) {
		if (!value)
			fm_put_clean(to, fm_text(header.b + i, 1), 0);
		if (!value && (header.b[i] == '=' ||
		    (is_named(header, "Authorization") && i > 15 &&
		    header.b[i] == ' '))) {
			fputs("...", to);
			value = true;
		} else if (value && cookies && header.b[i] == ';') {
			fputc(';', to);
			value = false;
		}
	}
}

/* Writes the headers of these names, each with something before it. */
unsigned
fm_why_put_headers(FILE *to, const struct fm_log_headers *headers,
    const char * const names[], size_t n)
{
	unsigned count = 0;
	size_t i, k;

	for (k = 0; k < n; k++)
		for (i = 0; i < headers->n; i++)
			if (is_named(headers->v[i], names[k])) {
				fputs(count++ == 0 ? " with " : ", ", to);
				fm_why_put_header(to, headers->v[i]);
			}
	return (count);
}

/* Writes what VCL and rules changed in a sub, each in a line. */
static void
put_changes(FILE *to, const struct fm_log_sub *sub)
{
	const struct fm_log_change *change;
	size_t i;

	for (i = 0; i < sub->nchanges; i++) {
		change = &sub->changes[i];
		fputs(change->url ? "\nURL: " : "\n", to);
		if (change->before.b != NULL)
			fm_why_put_header(to, change->before);
		if (change->before.b == NULL)
			fputs("added: ", to);
		else
			fputs(change->after.b == NULL ? " removed" : " -> ",
			    to);
		if (change->after.b != NULL)
			fm_why_put_header(to, change->after);
	}
}

/* Writes the verdict of the rules, from the module's line. */
void
fm_why_put_decided(FILE *to, const struct fm_log_sub *sub)
{
	if (sub->decided.b == NULL)
		return;
	fputs(" The rules decided: ", to);
	fm_put_clean(to, sub->decided, SHOWN);
	fprintf(to, ", by %s at ", sub->builtin ? "`builtin`" : "the rule");
	fm_put_clean(to, fm_run_place(sub->place), 0);
	fputc('.', to);
}

/* Returns true if a line of the module says that a statement did something. */
static bool
is_effect(struct fm_text line)
{
	static const char * const ends[] = { ": false", ": true",
	    ": nothing to do" };
	struct fm_text end;
	size_t i;

	for (i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		end = fm_text_of(ends[i]);
		if (line.len >= end.len && memcmp(line.b + line.len - end.len,
		    end.b, end.len) == 0)
			return (false);
	}
	return (!fm_text_has(line, " generation "));
}

/* Writes the statements that have run, as the module has logged them. */
static void
put_lines(FILE *to, const struct fm_log_sub *sub)
{
	bool first = true;
	size_t i;

	for (i = 0; i < sub->nlines; i++)
		if (is_effect(sub->lines[i])) {
			fputs(first ? "\nThe rules logged:\n" : "\n", to);
			fm_put_clean(to, sub->lines[i], 0);
			first = false;
		}
}

void
fm_why_tell_sub(struct fm_why_story *story, const char *name,
    const struct fm_log_sub *sub, bool always)
{
	struct fm_written text;

	fm_written_begin(&text);
	if (sub->returned.b != NULL && (always || sub->nchanges > 0 ||
	    sub->decided.b != NULL)) {
		fprintf(text.to, "%s returned ", name);
		fm_put_clean(text.to, sub->returned, SHOWN);
		fputc('.', text.to);
		fm_why_put_decided(text.to, sub);
		if (sub->nchanges > 0)
			fputs(" Changed before that:", text.to);
		put_changes(text.to, sub);
		/* With their file, the rules themselves are told. */
		if (!story->has_rules)
			put_lines(text.to, sub);
	}
	fm_why_part_end(story, "VCL", &text);
}

/*--------------------------------------------------------------------
 * The fetch
 */

/* Returns the name of the backend that was asked, or the missing text. */
static struct fm_text
backend_of(const struct fm_transaction *it)
{
	struct fm_text text;
	size_t i, n;

	for (i = 0; i < it->nrecords; i++) {
		text = it->records[i].text;
		if (strcmp(it->records[i].tag, "BackendOpen") != 0)
			continue;
		for (n = 0; n < text.len && text.b[n] != ' '; n++)
			continue;
		if (n == text.len)
			break;
		text = fm_text(text.b + n + 1, text.len - n - 1);
		for (n = 0; n < text.len && text.b[n] != ' '; n++)
			continue;
		return (fm_text(text.b, n));
	}
	return (fm_text(NULL, 0));
}

static void
tell_backend(struct fm_why_story *story, const struct fm_log_fetch *fetch)
{
	static const char * const names[] = { "Cache-Control", "Expires",
	    "Age", "Surrogate-Control", "Set-Cookie", "Vary",
	    "Content-Range" };
	const struct fm_log_ttl *last = fm_log_last_ttl(fetch);
	struct fm_written text;
	struct fm_text backend = backend_of(fetch->it);
	struct fm_text by_vcl = fm_log_failed_sub(fetch);

	fm_written_begin(&text);
	if (fetch->error.returned.b != NULL) {
		fputs(by_vcl.b != NULL ? by_vcl.b : "The fetch failed",
		    text.to);
		if (fetch->failed.b != NULL) {
			fputs(": ", text.to);
			fm_put_clean(text.to, fetch->failed, 0);
		}
		fprintf(text.to, ". Varnish made a %u of it, in "
		    "vcl_backend_error.", fetch->stored.status);
	} else {
		fputs(backend.b != NULL ? "Asked " : "Asked", text.to);
		fm_put_clean(text.to, fm_text_or_empty(backend), SHOWN);
		fputs(" for ", text.to);
		fm_put_clean(text.to, fetch->sent.url, SHOWN);
		fprintf(text.to, " (fetch %llu), it answered %u",
		    (unsigned long long)fetch->it->vxid, fetch->came.status);
		if (fm_why_put_headers(text.to, &fetch->came.headers, names,
		    sizeof names / sizeof names[0]) == 0)
			fputs(", with none of the headers by which Varnish "
			    "decides", text.to);
		fputc('.', text.to);
	}
	if (fetch->refreshed)
		fprintf(text.to, " The object that was stored is still good "
		    "(304)%s.", last == NULL || last->uncacheable ? "" :
		    ", and begins anew");
	fm_why_part_end(story, "Backend", &text);
}

static void
tell_lifetime(struct fm_why_story *story, const struct fm_log_fetch *fetch,
    const struct fm_lifetime *life)
{
	struct fm_written text;

	fm_written_begin(&text);
	if (fetch->nttls > 0 && fetch->ttls[0].core) {
		if (life->ttl < 0) {
			fprintf(text.to, "Varnish's core gives none: %s",
			    life->why);
		} else {
			fputs("Varnish's core gives ", text.to);
			fm_why_put_seconds(text.to, life->ttl);
			fprintf(text.to, ", by %s", life->why);
		}
		if (life->age > 0) {
			fputs(", of which its Age of ", text.to);
			fm_why_put_seconds(text.to, life->age);
			fputs(" has passed", text.to);
		}
		fputs("; grace ", text.to);
		fm_why_put_seconds(text.to, fetch->ttls[0].grace);
		fputs(", keep ", text.to);
		fm_why_put_seconds(text.to, fetch->ttls[0].keep);
		fputc('.', text.to);
	}
	fm_why_part_end(story, "Lifetime", &text);
}

/* Returns true if a record says nothing that the one before it does not. */
static bool
same_ttl(const struct fm_log_ttl *a, const struct fm_log_ttl *b)
{
	return (fabs(a->ttl - b->ttl) < .5 && fabs(a->grace - b->grace) < .5 &&
	    fabs(a->keep - b->keep) < .5 && a->pass == b->pass &&
	    a->uncacheable == b->uncacheable);
}

/* Tells what VCL and rules have made of the lifetime. */
static void
tell_ttls(struct fm_why_story *story, const struct fm_log_fetch *fetch,
    const struct fm_why_judged *judged)
{
	struct fm_written text;
	size_t i, n = fetch->nttls;
	bool first = true;

	fm_written_begin(&text);
	if (judged->by_builtin)
		n -= 2;
	for (i = 0; i < n; i++) {
		if (fetch->ttls[i].core || (i > 0 && same_ttl(&fetch->ttls[i],
		    &fetch->ttls[i - 1])))
			continue;
		fputs(first ? "VCL and rules set: ttl " : "; then ttl ",
		    text.to);
		fm_why_put_seconds(text.to, fetch->ttls[i].ttl);
		fputs(", grace ", text.to);
		fm_why_put_seconds(text.to, fetch->ttls[i].grace);
		fputs(", keep ", text.to);
		fm_why_put_seconds(text.to, fetch->ttls[i].keep);
		if (fetch->ttls[i].pass)
			fputs(", hit-for-pass", text.to);
		else if (fetch->ttls[i].uncacheable)
			fputs(", uncacheable", text.to);
		first = false;
	}
	if (!first)
		fputs(" (the log rounds to seconds).", text.to);
	fm_why_part_end(story, "VCL's ttl", &text);
}

static void
tell_builtin(struct fm_why_story *story, const struct fm_why_judged *judged,
    const struct fm_log_fetch *fetch)
{
	struct fm_written text;
	size_t i;

	fm_written_begin(&text);
	for (i = 0; judged->by_builtin && i < judged->n; i++)
		if (judged->v[i].actual &&
		    judged->v[i].reason >= FM_WHY_NO_LIFETIME) {
			fprintf(text.to, "%s made it uncacheable: ",
			    fetch->response.builtin ?
			    "`builtin` of the rules" : "builtin.vcl");
			fm_why_put_reason(text.to, &judged->v[i], judged);
			fputc('.', text.to);
			if (!fetch->response.builtin)
				fputs(" (The log of `set beresp.uncacheable = "
				    "true` in VCL could look the same.)",
				    text.to);
			break;
		}
	fm_why_part_end(story, "builtin", &text);
}

/* Tells what was stored, and until when. */
static void
tell_stored(struct fm_why_story *story, const struct fm_log_fetch *fetch,
    bool pass)
{
	const struct fm_log_ttl *ttl = fm_log_last_ttl(fetch);
	struct fm_written text;

	fm_written_begin(&text);
	if (pass || ttl == NULL || fm_text_eq(fetch->response.returned,
	    fm_text_of("abandon"))) {
		fputs(pass ? "Nothing: it was a pass." : "Nothing.", text.to);
	} else if (ttl->uncacheable) {
		fputs("Nothing. For ", text.to);
		fm_why_put_seconds(text.to, fm_log_left(fetch));
		fputs(", until ", text.to);
		fm_why_put_time(text.to, fm_log_expires(fetch));
		fputs(ttl->pass ? ", all requests for it are passed "
		    "(hit-for-pass)." : ", each request for it goes to the "
		    "backend at once (hit-for-miss), unless a response is "
		    "cacheable.", text.to);
	} else if (fm_log_is_cut(fetch)) {
		fputs("Nothing: the body did not come whole.", text.to);
	} else if (ttl->ttl <= 0) {
		fputs("Nothing that a request would find: an object with a "
		    "lifetime of 0 s has no grace either.", text.to);
	} else {
		fprintf(text.to, "Object %llu, for ",
		    (unsigned long long)fetch->it->vxid);
		fm_why_put_seconds(text.to, fm_log_left(fetch));
		fputs(", until ", text.to);
		fm_why_put_time(text.to, fm_log_expires(fetch));
		fputs("; then grace ", text.to);
		fm_why_put_seconds(text.to, ttl->grace);
		fputs(", keep ", text.to);
		fm_why_put_seconds(text.to, ttl->keep);
		fputc('.', text.to);
		if (fm_log_header(&fetch->stored.headers, "Vary").b != NULL) {
			fputs(" It is one variant: Vary: ", text.to);
			fm_put_clean(text.to, fm_log_joined(
			    &fetch->stored.headers, "Vary"), SHOWN);
			fputc('.', text.to);
		}
	}
	fm_why_part_end(story, "Stored", &text);
}

void
fm_why_tell_fetch(struct fm_why_story *story, const struct fm_rules *rules,
    const struct fm_log_request *request, const struct fm_log_fetch *fetch,
    bool pass, struct fm_why_judged *judged)
{
	struct fm_text place = fm_text(NULL, 0), builtin = place;
	size_t i;

	fm_why_tell_sub(story, "vcl_backend_fetch", &fetch->fetch, false);
	tell_backend(story, fetch);
	tell_lifetime(story, fetch, &judged->life);
	if (rules != NULL)
		place = fm_why_tell_response(rules, request, fetch, pass,
		    story, &builtin);
	if (!pass && builtin.b != NULL && fetch->response.builtin)
		fm_why_by_rules(judged, !fm_text_eq(builtin,
		    fm_text_of("no lifetime")));
	if (place.b != NULL && pass && judged->n < FM_WHY_MOST)
		judged->v[judged->n++] = (struct fm_why_because){
		    FM_WHY_RULE_UNCACHEABLE, place, false };
	for (i = 0; place.b != NULL && i < judged->n; i++)
		if (judged->v[i].reason == FM_WHY_VCL_UNCACHEABLE) {
			judged->v[i].reason = FM_WHY_RULE_UNCACHEABLE;
			judged->v[i].detail = place;
		}
	fm_why_tell_sub(story, "vcl_backend_response", &fetch->response, false);
	tell_ttls(story, fetch, judged);
	tell_builtin(story, judged, fetch);
	tell_stored(story, fetch, pass);
}
