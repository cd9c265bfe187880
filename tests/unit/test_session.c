/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions that are TLS: with a struct sess as a varnishd has it that ends TLS
 * itself, and a VPX_tlv() of the test.
 */

#include <stdint.h>

struct sess {
	const void	*tls;
};

#define HAVE_STRUCT_SESS_TLS 1
#include "../../src/vmod/session.h"
#include "unit.h"

struct req {
	const char	*value;
	int		len, type;
};

int
VPX_tlv(const struct req *req, int type, const void **value, int *len)
{
	*value = req->value;
	*len = req->len;
	return (type == req->type ? 0 : -1);
}

UNIT_TEST(test_session_of_native_tls)
{
	const struct sess tls = { .tls = "" }, plain = { .tls = NULL };

	ck_assert(fm_session_is_tls(&tls));
	ck_assert(!fm_session_is_tls(&plain));
}

static const struct {
	const char	*value;
	int		len, type;
	bool		is;
} tlvs[] = {
	{ "\1\0\0\0\0", 5, 0x20, true }, { "\7\0\0\0\0", 5, 0x20, true },
	{ "\0\0\0\0\0", 5, 0x20, false }, { "\6\0\0\0\0", 5, 0x20, false },
	{ "\1\0\0\0\0", 0, 0x20, false }, { "\1\0\0\0\0", 5, 0x21, false }
};

UNIT_LOOP(test_session_of_a_tlv, UNIT_COUNT(tlvs))
{
	struct req req = { tlvs[_i].value, tlvs[_i].len, tlvs[_i].type };

	ck_assert_int_eq(fm_session_is_proxied(&req), tlvs[_i].is);
}

int
main(void)
{
	return (unit_main("session", 30));
}
