/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From an address to the value of its network, of 500,000 networks of both
 * kinds; beside it an exact host of as large a table, and a loop over all
 * networks, whose answers are the right ones.
 *
 * The time to load them is that of a rule file whose map they are.
 */

#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "hosttab.h"
#include "networks.h"
#include "rules_load.h"

#define NETWORKS	500000
#define VALUES		250		/* as many as there are countries */
#define QUESTIONS	256
#define HOSTS		500000
#define LOADS		3
#define TIMES_A_HOST	5		/* the target */

struct nets {
	struct fm_networks_item	*items;		/* sorted */
	struct fm_networks	*set;
	struct fm_hosttab	*hosts;		/* some addresses, by text */
};

/* A table of hosts is asked for `text`, one of networks for the address. */
struct question {
	struct fm_addr		addr;
	char			text[FM_ADDR_PRINT + 2];
};

static uint64_t state = 0x9e3779b97f4a7c15ULL;

static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state);
}

/* Three fifths are IPv4; of IPv6 a third is in one network of a provider. */
static struct fm_addr
make_addr(void)
{
	uint64_t bytes[2] = { next(), next() };
	struct fm_addr addr;
	uint8_t *b = (uint8_t *)bytes;

	if (next() % 5 < 3)
		return (fm_addr_of(b, 4));
	b[0] = 0x20 | (b[0] & 0x0f);
	if (next() % 3 == 0)
		memcpy(b, "\x20\x01\x0d\xb8", 4);
	addr = fm_addr_of(b, 16);
	return (addr);
}

static struct fm_network
make_network(void)
{
	static const uint8_t bits4[] = { 16, 18, 20, 22, 23, 24, 24, 24, 28,
	    32 };
	static const uint8_t bits6[] = { 32, 40, 44, 48, 48, 48, 56, 64 };
	struct fm_addr addr = make_addr();
	struct fm_network net = { .len = addr.len, .bits = addr.len == 4 ?
	    bits4[next() % sizeof bits4] : bits6[next() % sizeof bits6] };

	net.first = fm_addr_key(&addr);
	net.first.lo = 0;
	net.first.hi &= ~0ULL << (64 - net.bits);
	return (net);
}

static int
item_compare(const void *a, const void *b)
{
	const struct fm_networks_item *one = a, *other = b;

	return (fm_network_compare(&one->network, &other->network));
}

static void
make_items(struct nets *nets)
{
	size_t i, n = 0;

	nets->items = fm_bench_alloc(NETWORKS, sizeof *nets->items);
	while (n < NETWORKS) {
		for (; n < NETWORKS; n++) {
			nets->items[n].network = make_network();
			nets->items[n].value = (uint32_t)(next() % VALUES);
		}
		qsort(nets->items, n, sizeof *nets->items, item_compare);
		for (n = i = 1; i < NETWORKS; i++)
			if (item_compare(&nets->items[n - 1],
			    &nets->items[i]) != 0)
				nets->items[n++] = nets->items[i];
	}
}

static void
put_network(const struct fm_network *net, FILE *to)
{
	uint64_t bytes[2] = { htobe64(net->first.hi), htobe64(net->first.lo) };
	struct fm_addr addr = fm_addr_of((uint8_t *)bytes, net->len);
	char text[FM_ADDR_PRINT];

	(void)fm_addr_print(&addr, text);
	fprintf(to, "%s/%u -> v", text, net->bits);
}

static FILE *
open_file(char *path)
{
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f == NULL)
		fm_bench_die("no temporary file");
	return (f);
}

static double
load_once(const char *path)
{
	struct fm_diag *diag = fm_diag_new();
	uint64_t start = fm_clock_ticks();
	struct fm_program *program;
	double ms;

	program = fm_rules_load(path, NULL, NULL, NULL, diag);
	ms = fm_clock_ns(fm_clock_ticks() - start) / 1e6;
	if (program == NULL)
		fm_bench_die("%s", fm_diag_line(diag, 0));
	fm_program_free(&program);
	fm_diag_free(&diag);
	return (ms);
}

/* Loads rules with a map of all networks, in any order; in milliseconds. */
static double
load(const struct nets *nets, struct fm_bench *bench)
{
	char map[] = "/tmp/fastmatch-bench-XXXXXX", path[sizeof map];
	unsigned i, loads = bench->quick ? 1 : LOADS;
	const struct fm_networks_item *item;
	double ms[LOADS];
	FILE *f;

	strcpy(path, map);
	f = open_file(map);
	for (i = 0; i < NETWORKS; i++) {
		item = &nets->items[(uint64_t)i * 77773 % NETWORKS];
		put_network(&item->network, f);
		fprintf(f, "%u\n", item->value);
	}
	if (fclose(f) != 0)
		fm_bench_die("no temporary file");
	f = open_file(path);
	fprintf(f, "map geo in from \"%s\";\n"
	    "always { set X-Geo = geo(client); }\n", map);
	if (fclose(f) != 0)
		fm_bench_die("no temporary file");
	for (i = 0; i < loads; i++)
		ms[i] = load_once(path);
	(void)unlink(map);
	(void)unlink(path);
	return (fm_spread_of(ms, loads).median);
}

/*--------------------------------------------------------------------
 * Contestants
 */

static const struct question *
question_of(struct fm_text text)
{
	const void *p = text.b - offsetof(struct question, text);

	return (p);
}

static uint64_t
find(const void *priv, struct fm_text text)
{
	const struct nets *nets = priv;

	return (fm_networks_find(nets->set, &question_of(text)->addr));
}

static uint64_t
find_text(const void *priv, struct fm_text text)
{
	const struct nets *nets = priv;
	struct fm_addr addr;

	(void)fm_addr_parse(text, &addr);
	return (fm_networks_find(nets->set, &addr));
}

static uint64_t
find_host(const void *priv, struct fm_text text)
{
	const struct nets *nets = priv;
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;

	(void)fm_hosttab_lookup(nets->hosts, text, buf, &text, &hit);
	return (hit.entry);
}

/* A loop over all networks; the longest prefix counts. */
static uint64_t
naive(const struct nets *nets, const struct fm_addr *addr)
{
	struct fm_addr_key key = fm_addr_key(addr);
	const struct fm_networks_item *item = nets->items;
	uint64_t value = FM_NETWORKS_NONE;
	int bits = -1;

	for (; item < nets->items + NETWORKS; item++)
		if (item->network.len == addr->len && item->network.bits >
		    bits && (key.hi ^ item->network.first.hi) >>
		    (64 - item->network.bits) == 0) {
			bits = item->network.bits;
			value = item->value;
		}
	return (value);
}

static void
add_host(struct fm_hosttab *tab, const char *name, uint32_t entry)
{
	const struct fm_place place = { .name = "hosts" };

	if (fm_hosttab_add(tab, fm_text_of(name), entry, &place, NULL) != 0)
		fm_bench_die("no table");
}

/* The host table has the addresses that are asked, and as many names. */
static void
make_questions(struct nets *nets, struct question *q, struct fm_text *texts,
    uint64_t *want)
{
	char name[64];
	unsigned i;

	nets->hosts = fm_hosttab_new();
	if (nets->hosts == NULL)
		fm_bench_die("no memory");
	for (i = 0; i < HOSTS; i++) {
		(void)snprintf(name, sizeof name, "www%u.example.com", i);
		add_host(nets->hosts, name, i);
	}
	for (i = 0; i < QUESTIONS; i++) {
		do
			q[i].addr = make_addr();
		while (q[i].addr.len != (i % 2 == 0 ? 4 : 16) ||
		    naive(nets, &q[i].addr) == FM_NETWORKS_NONE);
		want[i] = naive(nets, &q[i].addr);
		(void)fm_addr_print(&q[i].addr, name);
		(void)snprintf(q[i].text, sizeof q[i].text,
		    q[i].addr.len == 4 ? "%s" : "[%s]", name);
		texts[i] = fm_text_of(q[i].text);
		add_host(nets->hosts, q[i].text, (uint32_t)want[i]);
	}
	fm_hosttab_seal(nets->hosts);
	nets->set = fm_networks_new(nets->items, NETWORKS);
	if (nets->set == NULL)
		fm_bench_die("no memory");
}

/* Compares as many answers as there is time for. */
static void
compare(struct nets *nets, struct fm_bench *bench)
{
	unsigned i, n = bench->quick ? 1000 : 100000;
	struct fm_addr addr;

	for (i = 0; i < n; i++) {
		addr = make_addr();
		if (fm_networks_find(nets->set, &addr) != naive(nets, &addr))
			fm_bench_die("another answer than a loop");
	}
	fm_bench_note(bench, "%u addresses of both kinds: the answers of a "
	    "loop", n);
}

int
main(int argc, char **argv)
{
	static struct question q[QUESTIONS];
	struct fm_text texts[QUESTIONS];
	uint64_t want[QUESTIONS];
	struct nets nets;
	struct fm_contest c = { .questions = texts, .want = want,
	    .n = QUESTIONS, .what = "500000 networks", .v = {
	    { "fastmatch", find, &nets, NULL },
	    { "from its text", find_text, &nets, NULL },
	    { "an exact host", find_host, &nets, NULL } }, .nv = 3 };
	struct fm_bench bench;

	fm_bench_init(&bench, "networks", argc, argv, 0, "");
	fm_bench_title(&bench, "From an address to the value of its network");
	make_items(&nets);
	make_questions(&nets, q, texts, want);
	compare(&nets, &bench);
	fm_bench_target(&bench, "500000 networks, loaded",
	    load(&nets, &bench), 1000, "ms");
	fm_bench_fact(&bench, "500000 networks, memory",
	    (double)fm_networks_bytes(nets.set) / NETWORKS,
	    "bytes a network");
	fm_contest_run(&bench, &c);
	if (bench.mode[FM_MODE_WARM])
		fm_bench_target(&bench, "a network, in a loop",
		    1 / c.score[FM_MODE_WARM][2].ratio, TIMES_A_HOST,
		    "times an exact host");
	fm_networks_free(&nets.set);
	fm_hosttab_free(&nets.hosts);
	free(nets.items);
	fm_bench_fini(&bench);
	return (0);
}
