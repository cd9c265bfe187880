/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * RE2::Set for C: patterns that need not be at the start, bytes and not UTF-8,
 * as vmod_re2 has them by default.
 */

#include <algorithm>
#include <string>
#include <vector>

#include <re2/re2.h>
#include <re2/set.h>

struct fm_text {
	const char	*b;
	size_t		len;
};

extern "C" {
void *fm_re2_new(const fm_text *, size_t n, bool literal, size_t bytes);
void fm_re2_free(void *);
bool fm_re2_any(const void *, const char *b, size_t len);
size_t fm_re2_first(const void *, const char *b, size_t len);
}

namespace {

struct matcher {
	matcher(const re2::RE2::Options &options, size_t count)
	    : set(options, re2::RE2::UNANCHORED), n(count)
	{
	}

	re2::RE2::Set	set;
	size_t		n;
};

}

void *
fm_re2_new(const fm_text *v, size_t n, bool literal, size_t bytes)
{
	re2::RE2::Options options(re2::RE2::Latin1);
	matcher *m;
	size_t i;

	options.set_log_errors(false);
	options.set_literal(literal);
	options.set_max_mem(static_cast<int64_t>(bytes));
	m = new matcher(options, n);
	for (i = 0; i < n; i++)
		if (m->set.Add(re2::StringPiece(v[i].b, v[i].len),
		    nullptr) < 0)
			break;
	if (i == n && m->set.Compile())
		return (m);
	delete m;
	return (nullptr);
}

void
fm_re2_free(void *priv)
{
	delete static_cast<matcher *>(priv);
}

bool
fm_re2_any(const void *priv, const char *b, size_t len)
{
	const matcher *m = static_cast<const matcher *>(priv);

	return (m->set.Match(re2::StringPiece(b, len), nullptr));
}

size_t
fm_re2_first(const void *priv, const char *b, size_t len)
{
	const matcher *m = static_cast<const matcher *>(priv);
	std::vector<int> found;

	if (!m->set.Match(re2::StringPiece(b, len), &found) || found.empty())
		return (m->n);
	return (static_cast<size_t>(*std::min_element(found.begin(),
	    found.end())));
}
