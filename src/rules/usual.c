/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The values of Accept headers that browsers usually send (usual.h).
 */

#include "usual.h"

#define TEXT(s)		{ s, sizeof (s) - 1 }
#define COUNT(a)	(sizeof (a) / sizeof *(a))

/* The current browsers first, then older ones, libraries and tools. */
static const struct fm_text encodings[] = {
	TEXT("gzip, deflate, br, zstd"),
	TEXT("gzip, deflate, br"),
	TEXT("gzip, deflate"),
	TEXT("gzip"),
	TEXT("br"),
	TEXT("gzip,deflate"),
	TEXT("identity"),
	TEXT("*")
};

/* Browsers send the first four for pages, three for images, the others else. */
static const struct fm_text types[] = {
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,image/apng,*/*;q=0.8,"
	    "application/signed-exchange;v=b3;q=0.7"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8"),
	TEXT("text/html,application/xhtml+xml,application/xml;q=0.9,"
	    "image/avif,image/webp,*/*;q=0.8"),
	TEXT("image/avif,image/webp,image/apng,image/svg+xml,image/*,"
	    "*/*;q=0.8"),
	TEXT("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,"
	    "*/*;q=0.5"),
	TEXT("image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,"
	    "video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"),
	TEXT("*/*"),
	TEXT("text/css,*/*;q=0.1"),
	TEXT("application/json, text/plain, */*")
};

static const struct fm_text languages[] = {
	TEXT("en-US,en;q=0.9"),
	TEXT("en-US,en;q=0.5"),
	TEXT("en-GB,en;q=0.9"),
	TEXT("en-US"),
	TEXT("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
	TEXT("fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7"),
	TEXT("es-ES,es;q=0.9"),
	TEXT("en")
};

const struct fm_usual *
fm_usual_of(struct fm_text name)
{
	static const struct fm_usual usual[] = {
		{ "Accept-Encoding", encodings, COUNT(encodings) },
		{ "Accept", types, COUNT(types) },
		{ "Accept-Language", languages, COUNT(languages) }
	};
	size_t i;

	for (i = 0; i < COUNT(usual); i++)
		if (fm_text_eq_nocase(name, fm_text_of(usual[i].header)))
			return (&usual[i]);
	return (NULL);
}
