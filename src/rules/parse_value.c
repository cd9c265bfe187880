/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values: text with ${...} in it, in parts; MAP(subject).
 */

#include "distance.h"
#include "parse_priv.h"

/* A string, and where its bytes are in the file: escapes take two there. */
struct value_walk {
	struct fm_reader	*reader;
	struct fm_text		text;
	size_t			at;		/* in text */
	const char		*source;	/* of the same byte */
	struct fm_place		place;
	struct fm_part		*first, *last;
};

static const struct {
	const char		*name;
	enum fm_part_kind	kind;
} part_names[] = {
	{ "url", FM_PART_URL },
	{ "path", FM_PART_PATH },
	{ "query", FM_PART_QUERY },
	{ "host", FM_PART_HOST },
	{ "method", FM_PART_METHOD },
	{ "client", FM_PART_CLIENT },
	{ "port", FM_PART_PORT },
	{ "ruleset", FM_PART_RULESET },
	{ "wild", FM_PART_WILD },
}, part_prefixes[] = {
	{ "header.", FM_PART_HEADER },
	{ "cookie.", FM_PART_COOKIE },
	{ "query.", FM_PART_PARAMETER },
};

static void
walk_to(struct value_walk *walk, size_t at)
{

	for (; walk->at < at; walk->at++) {
		if (walk->source[0] == '\\' && (walk->source[1] == '"' ||
		    walk->source[1] == '\\')) {
			walk->source++;
			walk->place.column++;
		}
		walk->source++;
		walk->place.column++;
	}
}

static struct fm_part *
walk_add(struct value_walk *walk, enum fm_part_kind kind, struct fm_text text)
{
	struct fm_parse *parse = walk->reader->parse;
	struct fm_part *part;

	part = fm_parse_alloc(parse, sizeof *part);
	part->kind = kind;
	part->at = walk->place;
	if (text.len > 0)
		part->text = fm_parse_text_copy(parse, text);
	if (walk->first == NULL)
		walk->first = part;
	else
		walk->last->next = part;
	walk->last = part;
	return (part);
}

/* The name between the braces; false: there is no such thing. */
static bool
walk_add_named(struct value_walk *walk, struct fm_text name)
{
	struct fm_text prefix;
	size_t i;

	if (name.len == 1 && name.b[0] >= '1' && name.b[0] <= '9') {
		walk_add(walk, FM_PART_GROUP, fm_text_of(NULL))->group =
		    (unsigned)(name.b[0] - '0');
		return (true);
	}
	for (i = 0; i < sizeof part_names / sizeof part_names[0]; i++)
		if (fm_text_eq(name, fm_text_of(part_names[i].name))) {
			(void)walk_add(walk, part_names[i].kind,
			    fm_text_of(NULL));
			return (true);
		}
	for (i = 0; i < sizeof part_prefixes / sizeof part_prefixes[0]; i++) {
		prefix = fm_text_of(part_prefixes[i].name);
		if (name.len > prefix.len &&
		    memcmp(name.b, prefix.b, prefix.len) == 0) {
			(void)walk_add(walk, part_prefixes[i].kind,
			    fm_text(name.b + prefix.len,
			    name.len - prefix.len));
			return (true);
		}
	}
	return (false);
}

/* Returns which variable was most likely meant, or nothing. */
static const char *
part_meant(struct fm_text name)
{
	static const struct {
		const char	*names;
		const char	*meant;
	} parts[] = {
		{ "url uri request_uri req.url", "did you mean ${url}? " },
		{ "path", "did you mean ${path}? " },
		{ "query args query_string", "did you mean ${query}? " },
		{ "host http_host hostname server_name domain",
		    "did you mean ${host}? " },
		{ "method verb request_method req.method",
		    "did you mean ${method}? " },
		{ "client ip client.ip remote_addr src addr",
		    "did you mean ${client}? " },
		{ "port server_port", "did you mean ${port}? " },
		{ "ruleset", "did you mean ${ruleset}? " },
		{ "wild wildcard", "did you mean ${wild}? " },
		{ "header headers hdr agent user-agent user_agent referer "
		    "req.http http", "did you mean ${header.NAME}? " },
		{ "cookie cookies", "did you mean ${cookie.NAME}? " },
		{ "query. param arg parameter",
		    "did you mean ${query.NAME}? " },
	};
	const char *word;
	size_t i, len, max;

	name = fm_text_trim(name);
	for (i = 0; i < name.len && strchr(". :[", name.b[i]) == NULL; i++)
		continue;
	if (i > 0 && !fm_text_begins(name, "req.") &&
	    !fm_text_begins(name, "client."))
		name.len = i;
	else if (fm_text_begins(name, "req.http."))
		name.len = 8;
	max = fm_distance_max(name);
	for (i = 0; i < sizeof parts / sizeof parts[0]; i++)
		for (word = parts[i].names; *word != '\0';
		    word += len + (word[len] == ' ')) {
			len = strcspn(word, " ");
			if (fm_distance(name, fm_text(word, len), max) <= max)
				return (parts[i].meant);
		}
	return ("");
}


/* At a `${`.  false: it has no end, and nor has the string any more parts. */
static bool
walk_braces(struct value_walk *walk)
{
	struct fm_diag *diag = walk->reader->parse->diag;
	struct fm_text rest, shown;
	const char *end;
	char what[FM_SHOWN_LEN];

	rest = fm_text(walk->text.b + walk->at, walk->text.len - walk->at);
	end = memchr(rest.b, '}', rest.len);
	if (end == NULL) {
		fm_diag_error(diag, &walk->place, FM_MSG_PART_OPEN);
		return (false);
	}
	shown = fm_text_span(rest.b, end + 1);
	if (!walk_add_named(walk, fm_text_span(rest.b + 2, end)))
		fm_diag_error(diag, &walk->place, FM_MSG_PART_UNKNOWN,
		    fm_text_shown(shown, what),
		    part_meant(fm_text_span(rest.b + 2, end)));
	walk_to(walk, walk->at + shown.len);
	return (true);
}

static void
walk_string(struct value_walk *walk)
{
	const char *b = walk->text.b, *found;
	size_t len;
	bool more = true;

	while (walk->at < walk->text.len && more) {
		len = walk->text.len - walk->at;
		found = memmem(b + walk->at, len, "${", 2);
		if (found != NULL)
			len = (size_t)(found - (b + walk->at));
		if (len > 0)
			(void)walk_add(walk, FM_PART_TEXT,
			    fm_text(b + walk->at, len));
		walk_to(walk, walk->at + len);
		if (found != NULL)
			more = walk_braces(walk);
	}
}

struct fm_value *
fm_make_value(struct fm_reader *reader, const struct fm_word *word,
    const struct fm_span *span)
{
	struct fm_parse *parse = reader->parse;
	struct value_walk walk = { .reader = reader };
	struct fm_value *value;

	if (!word->quoted || parse->nomem || memmem(word->text.b,
	    word->text.len, "${", 2) == NULL) {
		value = fm_make_plain_value(parse, word->text, &word->at);
		value->quoted = word->quoted;
		return (value);
	}
	walk.text = word->text;
	walk.source = reader->bytes + span->start + 1;
	walk.place = word->at;
	walk.place.column++;			/* behind the quote */
	walk_string(&walk);
	value = fm_parse_alloc(parse, sizeof *value);
	value->at = word->at;
	value->raw = word->text;
	value->quoted = true;
	value->parts = walk.first;
	return (value);
}

struct fm_value *
fm_make_reason(struct fm_reader *reader, const struct fm_word *word,
    const struct fm_span *span)
{

	if (word == NULL || reader->parse->nomem || word->text.len == 0 ||
	    memmem(word->text.b, word->text.len, "${", 2) == NULL)
		return (NULL);
	return (fm_make_value(reader, word, span));
}

struct fm_value *
fm_make_plain_value(struct fm_parse *parse, struct fm_text text,
    const struct fm_place *at)
{
	struct fm_value *value;

	value = fm_parse_alloc(parse, sizeof *value);
	value->at = *at;
	value->raw = fm_parse_text_copy(parse, text);
	if (text.len > 0) {
		value->parts = fm_parse_alloc(parse, sizeof *value->parts);
		value->parts->kind = FM_PART_TEXT;
		value->parts->text = value->raw;
		value->parts->at = *at;
	}
	return (value);
}

struct fm_value *
fm_make_map_value(struct fm_reader *reader, struct fm_word *map,
    const struct fm_subject *subject)
{
	struct fm_value *value;

	value = fm_parse_alloc(reader->parse, sizeof *value);
	value->at = map->at;
	value->raw = map->text;
	value->map = map;
	value->subject = *subject;
	return (value);
}
