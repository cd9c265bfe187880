/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of all VCL objects of this module, from vcl_init to COLD: they are
 * made and filled, and sets are made of them as often as their files change.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "cache/cache.h"
#include "vcl.h"
#include "vsb.h"

#include "compat.h"
#include "jsonbuf.h"
#include "listfile.h"
#include "object.h"
#include "pervcl.h"
#include "process.h"
#include "task.h"

/* One .add(); or one .load(), with a path as its text. */
struct part {
	bool			file;
	struct fm_entry		entry;
};

void *
fm_object_new(VRT_CTX, struct fm_vcl *vcl, const char *name, size_t bytes,
    const struct fm_object_type *type, unsigned options)
{
	struct fm_object *object;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(vcl, FM_VCL_MAGIC);
	AN(name);
	object = calloc(1, bytes);
	if (object != NULL)
		object->name = fm_arena_add(&object->arena, fm_text_of(name));
	if (object == NULL || object->name == NULL) {
		VRT_fail(ctx, "fastmatch: %s: out of memory", name);
		free(object);
		return (NULL);
	}
	object->magic = FM_OBJECT_MAGIC;
	object->refs = 1;
	object->vcl = vcl;
	object->type = type;
	object->options = options;
	fm_counters_init(ctx, &object->counters, object->name,
	    type == NULL ? FM_COUNTERS_RULES : type->counters, true);
	VTAILQ_INSERT_TAIL(&vcl->objects, object, list);
	return (object);
}

void
fm_object_close(struct fm_object *object)
{
	size_t n;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	VTAILQ_REMOVE(&object->vcl->objects, object, list);
	fm_counters_live(&object->counters, NULL);
	if (object->beside != NULL)
		fm_live_close(&object->beside);
	if (object->live != NULL)
		fm_live_close(&object->live);
	for (n = 0; n < object->backends.n; n++)
		VRT_Assign_Backend(FM_GROW_AT(&object->backends, VCL_BACKEND,
		    n), NULL);
	fm_counters_fini(&object->counters);
}

void
fm_object_drop(void *priv)
{
	struct fm_object *object;

	CAST_OBJ_NOTNULL(object, priv, FM_OBJECT_MAGIC);
	if (__atomic_sub_fetch(&object->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	fm_grow_fini(&object->backends);
	fm_grow_fini(&object->parts);
	free(object->key);
	fm_arena_fini(&object->arena);
	FREE_OBJ(object);
}

/*--------------------------------------------------------------------
 * Logging and messages
 */

void
fm_object_tell(void *priv, bool error, const char *line)
{
	(void)priv;
	VSL(error ? SLT_Error : SLT_VCL_Log, NO_VXID, "%s", line);
	if (error)
		syslog(LOG_ERR, "%s", line);
}

/* Logs the messages; Varnish shows nothing of a vcl.load that succeeds. */
static void
diag_log(const struct fm_diag *diag)
{
	const char *line;
	unsigned n;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSL(SLT_VCL_Log, NO_VXID, "fastmatch: %s", line);
}

/* Prints each message on a line.  Returns the number of errors, as text. */
static const char *
diag_print(struct vsb *vsb, const struct fm_diag *diag, char buf[32])
{
	unsigned n, errors = fm_diag_errors(diag);
	unsigned all = errors + fm_diag_warnings(diag);
	const char *line;

	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		VSB_printf(vsb, "%s\n", line);
	if (all > n)
		VSB_printf(vsb, "(and %u more)\n", all - n);
	if (errors == 0)
		return ("out of memory");
	(void)snprintf(buf, 32, "%u error%s", errors, errors == 1 ? "" : "s");
	return (buf);
}

/*--------------------------------------------------------------------
 * Filling an object, in vcl_init
 */

bool
fm_object_begin(VRT_CTX, const struct fm_object *object, const char *method,
    struct fm_diag **diagp)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(diagp);
	/* An argument may have failed already. */
	if (VRT_handled(ctx) || FM_OBJECT_MISSING(ctx, object))
		return (false);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (ctx->method != VCL_MET_INIT) {
		VRT_fail(ctx, "fastmatch: %s.%s() can only be called from"
		    " vcl_init", object->name, method);
		return (false);
	}
	AN(ctx->msg);
	*diagp = fm_diag_new();
	if (*diagp != NULL)
		return (true);
	VRT_fail(ctx, "fastmatch: %s: out of memory", object->name);
	return (false);
}

void
fm_object_end(VRT_CTX, const struct fm_object *object, struct fm_diag **diagp,
    bool failed)
{
	char buf[32];

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(diagp);
	if (failed || fm_diag_errors(*diagp) > 0)
		VRT_fail(ctx, "fastmatch: %s: %s", object->name,
		    diag_print(ctx->msg, *diagp, buf));
	else
		diag_log(*diagp);
	fm_diag_free(diagp);
}

bool
fm_object_may_read(const struct fm_place *place, VCL_STRING path,
    VCL_DURATION watch, struct fm_diag *diag)
{
	if (path == NULL)
		fm_diag_error(diag, place, "the path is NULL");
	else if (*path != '/')
		fm_diag_error(diag, place, "the path must be absolute, from"
		    " the first / on: '%s'", path);
	else if (!(watch >= 0.))
		fm_diag_error(diag, place, "watch must not be negative");
	else
		return (true);
	return (false);
}

/*
 * Appends a copy of an entry, or of the path of a file, to the parts.  Returns
 * 0, or -1 if there is no memory.
 */
static int
part_append(struct fm_object *object, const struct fm_entry *entry, bool file)
{
	struct part *part;

	part = fm_grow_add(&object->parts, sizeof *part, 1);
	if (part == NULL)
		return (-1);
	*part = (struct part){ .file = file, .entry = *entry };
	part->entry.text.b = fm_arena_add(&object->arena, entry->text);
	if (entry->string.b != NULL)
		part->entry.string.b = fm_arena_add(&object->arena,
		    entry->string);
	return (part->entry.text.b == NULL || (entry->string.b != NULL &&
	    part->entry.string.b == NULL) ? -1 : 0);
}

/* Returns false, with an error in the diag, if the text or a value is NULL. */
static bool
entry_may(const char *noun, const struct fm_entry *entry, struct fm_diag *diag)
{
	unsigned has = entry->value.has;
	const char *null = NULL;

	if ((has & FM_VALUE_STRING) && entry->string.b == NULL)
		null = "string";
	else if ((has & FM_VALUE_BACKEND) && entry->value.backend == NULL)
		null = "backend";
	else if ((has & FM_VALUE_SUB) && entry->value.sub == NULL)
		null = "sub";
	if (entry->text.b == NULL)
		fm_diag_error(diag, &entry->place, "the %s is NULL", noun);
	else if (null != NULL)
		fm_diag_error(diag, &entry->place, "%s is NULL: leave it out,"
		    " and the accessor gives its fallback", null);
	return (entry->text.b != NULL && null == NULL);
}

/*
 * References the backend and the sub of an entry, which belong to the VCL.
 * Returns 0, or -1 if there is no memory.
 */
static int
value_hold(struct fm_object *object, const struct fm_datum *value)
{
	VCL_BACKEND *backend;

	if (fm_value_has(value, FM_VALUE_SUB) &&
	    fm_vcl_add_sub(object->vcl, value->sub) != 0)
		return (-1);
	if (!fm_value_has(value, FM_VALUE_BACKEND))
		return (0);
	backend = fm_grow_add(&object->backends, sizeof *backend, 1);
	if (backend == NULL)
		return (-1);
	VRT_Assign_Backend(backend, value->backend);
	return (0);
}

struct fm_place
fm_object_place(struct fm_object *object, const char *method, unsigned call)
{
	char name[FM_PLACE_LEN];
	const char *kept;

	(void)snprintf(name, sizeof name, "%s.%s()", object->name, method);
	kept = fm_arena_add(&object->arena, fm_text_of(name));
	return ((struct fm_place){ .name = kept == NULL ? method : kept,
	    .call = call });
}

void
fm_object_add(VRT_CTX, struct fm_object *object, const struct fm_entry *given)
{
	struct fm_entry entry = *given;
	struct fm_diag *diag;
	int failed = -1;

	if (!fm_object_begin(ctx, object, "add", &diag))
		return;
	if (object->add.name == NULL)
		object->add = fm_object_place(object, "add", 0);
	object->add.call++;
	entry.place = object->add;
	if (entry_may(object->type->noun, &entry, diag) &&
	    value_hold(object, &entry.value) == 0)
		failed = part_append(object, &entry, false);
	fm_object_end(ctx, object, &diag, failed != 0);
}

void
fm_object_load(VRT_CTX, struct fm_object *object, VCL_STRING path, int kind,
    VCL_DURATION watch)
{
	struct fm_entry entry = { .text = fm_text_of(path), .kind = kind };
	struct fm_diag *diag;
	int failed = -1;

	if (!fm_object_begin(ctx, object, "load", &diag))
		return;
	entry.place = fm_object_place(object, "load", 0);
	if (fm_object_may_read(&entry.place, path, watch, diag))
		failed = part_append(object, &entry, true);
	if (watch > 0. && (object->watch <= 0. || watch < object->watch))
		object->watch = watch;
	fm_object_end(ctx, object, &diag, failed != 0);
}

/*--------------------------------------------------------------------
 * Making the payload of a set, in the thread that loads or reloads
 */

struct filling {
	const struct fm_object	*object;
	struct fm_filled	*filled;
	struct fm_diag		*diag;
	struct fm_place		first;		/* of the first entry */
	bool			failed;		/* the diag may know why */
};

static void
filled_free(void *priv)
{
	struct fm_filled *filled;

	CAST_OBJ_NOTNULL(filled, priv, FM_FILLED_MAGIC);
	if (filled->made != NULL)
		filled->type->free(filled->made);
	fm_grow_fini(&filled->values);
	fm_arena_fini(&filled->arena);
	FREE_OBJ(filled);
}

/* Adds copies of the values of an entry.  Returns 0, or -1: no memory. */
static int
values_add(struct fm_filled *filled, const struct fm_entry *entry)
{
	struct fm_datum *value;

	value = fm_grow_add(&filled->values, sizeof *value, 1);
	if (value == NULL)
		return (-1);
	*value = entry->value;
	value->pattern = fm_arena_add(&filled->arena, entry->text);
	if (entry->string.b != NULL)
		value->string = fm_arena_add(&filled->arena, entry->string);
	return (value->pattern == NULL || (value->string == NULL &&
	    entry->string.b != NULL) ? -1 : 0);
}

static void
entry_add(struct filling *filling, const struct fm_entry *entry)
{
	const struct fm_object_type *type = filling->object->type;

	if (filling->first.name == NULL)
		filling->first = entry->place;
	if (type->add(filling->filled->made,
	    (uint32_t)filling->filled->values.n, entry, filling->diag) != 0) {
		filling->failed = true;
	} else if (type->part != NULL &&
	    values_add(filling->filled, entry) != 0) {
		fm_diag_error(filling->diag, &entry->place, "out of memory");
		filling->failed = true;
	}
}

/*
 * Adds all lines of a file, even after an error.  Payloads remember places, so
 * the place's name is the object's own string.
 */
static void
lines_add(struct filling *filling, const struct fm_entry *load,
    const struct fm_file *file)
{
	const struct fm_object_type *type = filling->object->type;
	struct fm_entry entry = { .kind = load->kind };
	struct fm_listfile list = {
	    .name = load->text.b, .rest = fm_text(file->bytes, file->len) };
	struct fm_text line;
	size_t count = 0;

	while (fm_listfile_next(&list, &line, &entry.place, filling->diag)) {
		if (count++ == type->most) {
			fm_diag_error(filling->diag,
			    &entry.place, "more than %zu "
			    "lines: divide them among several files",
			    type->most);
			return;
		}
		entry.text = line;
		entry.string = fm_text_of(NULL);
		if (type->part != NULL)
			type->part(line, &entry.text, &entry.string);
		entry.value.has = entry.string.b == NULL ? 0 : FM_VALUE_STRING;
		entry_add(filling, &entry);
	}
}

static void
part_add(struct filling *filling, const struct part *part,
    struct fm_sources *sources)
{
	struct fm_file *file;

	if (!part->file) {
		entry_add(filling, &part->entry);
		return;
	}
	file = fm_sources_read(sources, part->entry.text.b, FM_LISTFILE_MAX,
	    NULL, filling->diag);
	if (file == NULL)
		filling->failed = true;
	else
		lines_add(filling, &part->entry, file);
	if (file != NULL)
		fm_file_free(&file);
}

bool
fm_object_is_cut(const struct fm_set *before, const struct fm_sources *sources,
    struct fm_diag *diag)
{
	const struct fm_source *source, *was;
	struct fm_place place;
	bool cut = false;

	if (before == NULL || before->sources == NULL)
		return (false);
	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next) {
		was = fm_sources_find(before->sources, source->path,
		    source->glob);
		if (source->error != 0 || source->len > 0 ||
		    was == NULL || was->error != 0 || was->len == 0)
			continue;
		place = (struct fm_place){ .name = source->path };
		fm_diag_error_bare(diag, &place, source->glob ?
		    "no file is there, and there was before: put one with a "
		    "comment there if that is meant" :
		    "the file is empty, and was not before: write a comment "
		    "into it if that is meant");
		cut = true;
	}
	return (cut);
}

/* Returns a payload without entries; NULL: no memory. */
static struct fm_filled *
filled_new(const struct fm_object *object)
{
	struct fm_filled *filled;

	ALLOC_OBJ(filled, FM_FILLED_MAGIC);
	if (filled == NULL)
		return (NULL);
	filled->type = object->type;
	filled->made = object->type->begin(object->options);
	if (filled->made != NULL)
		return (filled);
	filled_free(filled);
	return (NULL);
}

/* Frees the room for further entries, and adds the bytes to the facts. */
static void
filled_end(struct fm_filled *filled, struct fm_set_facts *facts)
{
	fm_grow_trim(&filled->values, sizeof(struct fm_datum));
	facts->bytes += sizeof *filled + fm_arena_bytes(&filled->arena) +
	    filled->values.room * sizeof(struct fm_datum);
}

static void *
filled_make(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	struct filling filling = { .diag = diag };
	size_t n;

	CAST_OBJ_NOTNULL(filling.object, priv, FM_OBJECT_MAGIC);
	filling.filled = filled_new(filling.object);
	if (filling.filled == NULL)
		return (NULL);
	for (n = 0; n < filling.object->parts.n; n++)
		part_add(&filling, FM_GROW_AT(&filling.object->parts,
		    struct part, n), sources);
	/* A line that could not be parsed is an error in the diag only. */
	if (fm_object_is_cut(before, sources, diag) ||
	    fm_diag_errors(diag) > 0 ||
	    filling.failed || filling.object->type->end(filling.filled->made,
	    filling.first.name == NULL ? NULL : &filling.first, facts,
	    diag) != 0) {
		filled_free(filling.filled);
		filling.filled = NULL;
	} else
		filled_end(filling.filled, facts);
	return (filling.filled);
}

/*--------------------------------------------------------------------
 * WARM and COLD
 */

int
fm_object_open(struct fm_object *object, struct fm_live_options *options,
    void *priv, struct fm_diag *diag)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	AN(options);
	AZ(object->live);
	options->name = object->name;
	options->vcl = object->vcl;
	options->tell = fm_object_tell;
	options->priv = priv;
	object->live = fm_live_open(options, diag);
	if (object->live == NULL)
		return (-1);
	fm_counters_live(&object->counters, object->live);
	return (0);
}

/*
 * Returns the key, malloc'ed: objects whose key is the same share a set, so it
 * has all that distinguishes them.  NULL, none, if there is no memory; or if an
 * entry is of .add(), as its values may belong to the VCL.  Sets *path to the
 * first file.
 */
static char *
object_key(const struct fm_object *object, const char **path)
{
	struct fm_jsonbuf key = { .bytes = NULL };
	const struct part *part;
	size_t n = object->parts.n;

	key.failed = object->add.call > 0 || n == 0;
	fm_jsonbuf_print(&key, "%s %ju", object->type->noun,
	    (uintmax_t)object->options);
	while (n-- > 0) {
		part = FM_GROW_AT(&object->parts, struct part, n);
		if (part->file)
			*path = part->entry.text.b;
		fm_jsonbuf_print(&key, "\n%ju %ju ",
		    (uintmax_t)part->entry.kind,
		    (uintmax_t)part->entry.text.len);
		fm_jsonbuf_raw(&key, part->entry.text.b);
	}
	return (fm_jsonbuf_finish(&key));
}

/* Opens the live of an object that was filled. */
static int
object_compile(struct fm_object *object, struct fm_diag *diag)
{
	static const struct fm_set_type type = {
		.make = filled_make,
		.free = filled_free,
		.free_recipe = fm_object_drop
	};
	struct fm_live_options options = {
		.type = &type,
		.recipe = object,
		.watch = object->watch,
		.starting = fm_process_starting()
	};

	free(object->key);
	object->key = object_key(object, &options.path);
	options.key = object->key;
	(void)__atomic_add_fetch(&object->refs, 1, __ATOMIC_RELAXED);
	return (fm_object_open(object, &options, NULL, diag));
}

/* Ends a step of WARM: prints why it failed, or logs its warnings. */
static void
object_report(VRT_CTX, const struct fm_object *object, struct fm_diag **diagp,
    int failed)
{
	char buf[32];

	AN(ctx->msg);
	if (failed)
		VSB_printf(ctx->msg, "fastmatch: %s: %s\n", object->name,
		    diag_print(ctx->msg, *diagp, buf));
	else
		diag_log(*diagp);
	fm_diag_free(diagp);
}

int
fm_object_open_filled(VRT_CTX, struct fm_object *object)
{
	struct fm_diag *diag;
	int failed = -1;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->type == NULL || object->live != NULL)
		return (0);
	diag = fm_diag_new();
	/* Without a diag no error would be seen. */
	if (diag != NULL)
		failed = object_compile(object, diag);
	object_report(ctx, object, &diag, failed);
	return (failed);
}

int
fm_object_open_beside(VRT_CTX, struct fm_object *object)
{
	struct fm_diag *diag;
	int failed = -1;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->open_beside == NULL || object->beside != NULL)
		return (0);
	diag = fm_diag_new();
	if (diag != NULL)
		failed = object->open_beside(object, diag);
	object_report(ctx, object, &diag, failed);
	return (failed);
}

int
fm_object_warm(VRT_CTX, struct fm_object *object)
{
	const struct fm_version *version;
	struct fm_diag *diag;
	int failed = -1;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	diag = fm_diag_new();
	if (diag != NULL)
		failed = fm_live_warm(object->live, diag);
	if (!failed && object->type != NULL && object->watch <= 0.) {
		version = fm_live_get(object->live);
		AN(version);
		object->fixed = version->payload;
		fm_live_put(version);
	}
	object_report(ctx, object, &diag, failed);
	return (failed);
}

int
fm_object_warm_beside(VRT_CTX, const struct fm_object *object)
{
	struct fm_diag *diag;
	int failed = -1;

	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->beside == NULL)
		return (0);
	diag = fm_diag_new();
	if (diag != NULL)
		failed = fm_live_warm(object->beside, diag);
	object_report(ctx, object, &diag, failed);
	return (failed);
}

void
fm_object_cold(struct fm_object *object)
{
	CHECK_OBJ_NOTNULL(object, FM_OBJECT_MAGIC);
	if (object->beside != NULL)
		fm_live_cold(object->beside);
	if (object->live != NULL)
		fm_live_cold(object->live);
}

/*--------------------------------------------------------------------
 * Asking an object, in a request
 */

bool
fm_object_misused(VRT_CTX, const struct fm_object *object, const char *method)
{
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->method == VCL_MET_INIT)
		VRT_fail(ctx, "fastmatch: %s.%s() cannot be called from"
		    " vcl_init", object->name, method);
	return (false);
}
