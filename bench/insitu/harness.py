# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Variants of a policy in a varnishd, timed request by request.

    series = measure_pairs(pairs_of(variants), requests, build, 5, warm)
    series.table["rules"]["net"]["mean"]["median"]

    Variant(id, title, vcl, files={}, policy=True, host=None)
        id      letters, digits and dashes
        vcl     text of a whole VCL, `vcl 4.1;` first.  Every .port = "808x"
                becomes that of the one backend; it may have a vcl_recv and a
                vcl_synth with one `return (deliver);`, no vcl_hash, vcl_pass,
                vcl_hit or vcl_miss.  If it has a vcl_deliver, that alone is
                timed; it must not return.
        files   {name: text}: files that the VCL or one of these files names
                in double quotes, exactly so ("/etc/varnish/site.rules"); they
                are written where varnishd can read them, and the names are
                replaced by those paths, in the VCL and in the files.
        policy  False for one that decides nothing (empty): it is left out of
                the comparison of decisions
        host    None, or (number, request) -> the Host it is sent instead of
                request.host; number is from 0, and that in `warm + requests`
                for measure()

    article_variants(build, names=None) -> (variants, {id: why left out})
    empty(file) -> [two that are no more than that file], which measure()
        needs
    delivery_variants() -> variants of vcl_deliver, two empty ones among them
    article_files() -> {name: text}, what rules.vcl and after.vcl need
    pairs_of(variants) -> [Pair], each of them and "empty", which says nothing;
        the id of a pair is that of its variant

    requests: of traffic.Request(host, url, agent, cookie); see
        traffic.make(seed, count) and traffic.warm_up(seed, count)

    check_decisions(variants, requests, build, everyone=None)
        -> [the decision of the first variant with policy on each request];
        Failed at the first request that another one decides otherwise; the
        others are asked for the first `everyone` requests only.  A decision is
        a dictionary: "answer" and "verdict", "location", "was-...".
    measure_pairs(pairs, requests, build, runs=5, warm=(), connections=2)
        -> Series; each pair has a varnishd of its own, in each run
    measure(variants, requests, build, runs=5, warm=(), hash_on=("url",
        "host"), connections=2) -> Series; all in one varnishd, where each has
        the empty one as its base
    measure_kinds(pair, requests, kinds, build, runs=5, warm=())
        -> {kind: {"share": part of the requests, "mean" and "p50": ns by which
        they differ from those of the base, "carries": ns of the mean of all}};
        kinds has a name for each request
    measure_cpu(pairs, lists, build, rounds=8, seconds=2, connections=32)
        -> {list: {id of a pair: {"title", "ns": S, "base_ns": S, "ratio": S,
        "requests", "hit_rate": S or None}}}; ratio is to the base, paired by
        round.  lists is {name: (requests, keys)}; a page is looked up by its
        key, and all of them are in the list "all".

    Series
        .noise  {"mean", "p50", "p90", "p99"}: ns by which the two empty ones
                differ (largest of the runs)
        .table  {id: {"title", "gross": {stat: S}, "base": {stat: S},
                "of_base": {stat: S}, "net": {stat: S}, "valid": {stat: bool},
                "ratio": {other id: S or None}, "hit_rate": S or None,
                "cut": total}}
                where S is {"median", "min", "max"} over the runs.  gross is
                the time of the variant, base that of its base in the same run,
                of_base the quotient of both, net the difference; it is valid
                where it differs from nothing by more than the noise.  ratio is
                net mean / net mean of the other one, paired by run; None
                where one of both is not above the noise.
        .json() {"clock", "cut_off_ns", "noise", "runs" (how many), "table"}

Progress goes to stderr.
"""

import array
import mmap
import os
import statistics
import struct
import sys
import tempfile
import time

from variants import (Variant, article_files,  # noqa: F401
                      article_variants, delivery_variants, echoed, empty,
                      label_of, orders, plain, timed, top, written)
from varnishd import Failed, Varnish, Wrk, backend, until
from server import Client

STATS = ("mean", "p50", "p90", "p99")
# No policy takes longer than this: the thread was not running meanwhile.  The means
# of all variants leave such samples out, and say how many there were.
CUT_OFF_NS = 200000
HEAD = struct.Struct("=IIQQQQQ")        # struct watch_head
HEAD_SIZE = 4096
MAGIC = 0x77a7c401
WHERE = {1: "hash", 2: "hit", 3: "miss", 4: "pass", 5: "pipe", 6: "synth",
         7: "deliver"}


def say(text):
    print(text, file=sys.stderr, flush=True)


def spread(values):
    return {"median": statistics.median(values), "min": min(values),
            "max": max(values)}


class Samples:
    """The file of samples that vmod_stopwatch writes."""

    def __init__(self, capacity):
        folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        handle, self.path = tempfile.mkstemp(prefix="fmbench.", dir=folder)
        os.fchmod(handle, 0o666)
        size = HEAD_SIZE + 8 * capacity
        os.ftruncate(handle, size)
        self.capacity = capacity
        self.map = mmap.mmap(handle, size)
        os.close(handle)
        self.map[:HEAD.size] = HEAD.pack(MAGIC, 0, 0, 0, 0, 0, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.map.close()
        os.unlink(self.path)

    def used(self):
        return HEAD.unpack(self.map[:HEAD.size])[2]

    def clock(self):
        return "TSC" if HEAD.unpack(self.map[:HEAD.size])[1] else \
            "clock_gettime"

    def ns_per_tick(self):
        _, _, _, ticks0, ns0, ticks1, ns1 = HEAD.unpack(self.map[:HEAD.size])
        if ticks1 <= ticks0 or ns1 - ns0 < 10 ** 7:
            raise Failed("the stopwatch has no second mark")
        return (ns1 - ns0) / (ticks1 - ticks0)

    def read(self):
        """Returns [(variant, where, ns), ...] in the order in which they began."""
        used = self.used()
        if used > self.capacity:
            raise Failed("%d samples had no room" % (used - self.capacity))
        words = array.array("Q")
        words.frombytes(self.map[HEAD_SIZE:HEAD_SIZE + 8 * used])
        factor = self.ns_per_tick()
        if sys.byteorder == "big":
            return [(word >> 48, WHERE[word >> 32 & 0xffff],
                     (word & 0xffffffff) * factor) for word in words]
        return [(word & 0xffff, WHERE[word >> 16 & 0xffff],
                 (word >> 32) * factor) for word in words]


def percentile(ordered, percent):
    """Returns the smallest value that `percent` of all values do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def summarize(samples):
    """Returns the row of one variant in one run, from samples [(where, ns), ...]."""
    times = sorted(ns for _, ns in samples)
    kept = [ns for ns in times if ns <= CUT_OFF_NS]
    row = {"count": len(times), "cut": len(times) - len(kept),
           "mean": statistics.fmean(kept)}
    for stat in STATS[1:]:
        row[stat] = percentile(times, int(stat[1:]))
    for where in WHERE.values():
        row[where] = sum(1 for seen, _ in samples if seen == where)
    looked_up = row["hit"] + row["miss"]
    row["hit_rate"] = row["hit"] / looked_up if looked_up else None
    return row


class Pair:
    """A variant, and the one that takes turns with it."""

    def __init__(self, variant, base):
        self.variant = variant
        self.base = base
        self.title = variant.title
        self.id = variant.id


def pairs_of(variants):
    base = next(variant for variant in variants if variant.id == "empty")
    return [Pair(variant, base) for variant in variants if variant is not base]


class Series:
    """The measurements of some runs: {id: (title, [(row, row of the base) of
    each run])}."""

    def __init__(self, measured, clock):
        self.measured = measured
        self.clock = clock
        self.runs = len(measured["empty-again"][1])
        self.noise = {stat: max(map(abs, self.net("empty-again", stat)))
                      for stat in STATS}
        self.table = {id: self.row(id) for id in measured}
        for id, row in self.table.items():
            row["ratio"] = {other: self.ratio(id, other) for other in measured}

    def net(self, id, stat):
        return [row[stat] - base[stat] for row, base in self.measured[id][1]]

    def row(self, id):
        title, runs = self.measured[id]
        rates = [row["hit_rate"] for row, _ in runs]
        net = {stat: spread(self.net(id, stat)) for stat in STATS}
        return {
            "title": title, "net": net,
            "valid": {stat: abs(net[stat]["median"]) > self.noise[stat]
                      for stat in STATS},
            "gross": {stat: spread([row[stat] for row, _ in runs])
                      for stat in STATS},
            "base": {stat: spread([base[stat] for _, base in runs])
                     for stat in STATS},
            "of_base": {stat: spread([row[stat] / base[stat]
                                      for row, base in runs])
                        for stat in STATS},
            "hit_rate": spread(rates) if None not in rates else None,
            "cut": sum(row["cut"] for row, _ in runs)}

    def ratio(self, id, other):
        # There is no ratio to a time that is below 0 in any run.
        if min(self.table[one]["net"]["mean"]["median"]
               for one in (id, other)) <= self.noise["mean"] or \
                min(self.net(other, "mean")) <= 0:
            return None
        return spread([above / below for above, below in zip(
            self.net(id, "mean"), self.net(other, "mean"))])

    def json(self):
        return {"clock": self.clock, "cut_off_ns": CUT_OFF_NS,
                "noise": self.noise, "runs": self.runs, "table": self.table}


def write_list(node, name, variants, requests, keys=None):
    """Writes the list for requests.lua; returns (file, {label: file of Hosts})."""
    lines = []
    for number, request in enumerate(requests):
        headers = request.headers()
        if keys is not None:
            headers = headers + ["X-Key: %s" % keys[number]]
        lines.append("\t".join([request.url, request.host] + headers))
    hosts = {}
    for number, variant in enumerate(variants):
        if variant.host is not None:
            hosts[label_of(number)] = node.write(
                label_of(number) + ".hosts", "".join(
                    variant.host(place, request) + "\n"
                    for place, request in enumerate(requests)))
    return node.write(name, "\n".join(lines) + "\n"), hosts


def sampled_once(variants, requests, warm, build, hash_on, connections,
                 behind):
    """Makes one run; returns (clock, {id: [(where, ns) of each request]}), in the
    order of the requests if there is one connection."""
    everything = list(warm) + list(requests)
    expected = len(everything) * len(variants)
    with Samples(expected + 1000) as samples, Varnish(build) as node:
        node.serve([(label_of(number), timed(number, written(
            node, label_of(number), variant, behind.port), hash_on))
            for number, variant in enumerate(variants)],
            top(len(variants), samples.path))
        listed, hosts = write_list(node, "requests", variants, everything)
        labels = list(map(label_of, range(len(variants))))
        with Wrk(node, listed, labels, orders(len(variants)), connections,
                 once=True, hosts=hosts) as wrk:
            seen, since = -1, time.monotonic()
            while samples.used() < expected and not wrk.has_ended():
                now = samples.used()
                if now != seen:
                    seen, since = now, time.monotonic()
                elif time.monotonic() - since > 30:
                    raise Failed("no answers any more, after %d of %d" % (
                        now, expected))
                time.sleep(0.2)
            # The last of them may still be on their way out.
            time.sleep(0.5)
            wrk.stop()
        node.get("/", {"Host": "mark", "X-Variant": "mark"})
        found = [[] for _ in variants]
        for number, where, ns in samples.read():
            found[number].append((where, ns))
        run = {}
        for variant, own in zip(variants, found):
            if len(own) != len(everything):
                raise Failed("%s: %d samples of %d requests" % (
                    variant.id, len(own), len(everything)))
            run[variant.id] = own[len(warm):]
        return samples.clock(), run


def measure_once(*what):
    """Makes one run; returns (clock, {id: row})."""
    clock, run = sampled_once(*what)
    return clock, {id: summarize(samples) for id, samples in run.items()}


def measure_pairs(pairs, requests, build, runs=5, warm=(), connections=2):
    # Each of the two connections asks the variant and its base in strict turn.
    measured = {pair.id: (pair.title, []) for pair in pairs}
    with backend(build) as behind:
        for number in range(runs):
            say("run %d of %d: %d requests to each of %d pairs" % (
                number + 1, runs, len(requests), len(pairs)))
            for pair in pairs:
                clock, run = measure_once(
                    [pair.variant, pair.base], requests, warm, build,
                    ("url", "host"), connections, behind)
                measured[pair.id][1].append((run[pair.variant.id],
                                             run[pair.base.id]))
    return Series(measured, clock)


def measure_kinds(pair, requests, kinds, build, runs=5, warm=()):
    # Both are asked for the same request, one right after the other.
    times = {kind: ([], []) for kind in kinds}
    with backend(build) as behind:
        for number in range(runs):
            say("kinds: run %d of %d" % (number + 1, runs))
            _, run = sampled_once([pair.variant, pair.base], requests, warm,
                                  build, ("url", "host"), 1, behind)
            for kind, (_, own), (_, base) in zip(
                    kinds, run[pair.variant.id], run[pair.base.id]):
                if max(own, base) <= CUT_OFF_NS:
                    times[kind][0].append(own)
                    times[kind][1].append(base)
    everyone = sum(len(own) for own, _ in times.values())
    return {kind: {
        "share": len(own) / everyone,
        "mean": statistics.fmean(own) - statistics.fmean(base),
        "p50": statistics.median(own) - statistics.median(base),
        "carries": (sum(own) - sum(base)) / everyone}
            for kind, (own, base) in times.items() if own}


def measure(variants, requests, build, runs=5, warm=(),
            hash_on=("url", "host"), connections=2):
    measured = {variant.id: (variant.title, []) for variant in variants}
    if {"empty", "empty-again"} - set(measured):
        raise Failed("the series has no empty variant")
    with backend(build) as behind:
        for number in range(runs):
            say("run %d of %d: %d requests to each of %d variants" % (
                number + 1, runs, len(requests), len(variants)))
            clock, run = measure_once(variants, requests, warm, build,
                                      hash_on, connections, behind)
            for id, (_, rows) in measured.items():
                rows.append((run[id], run["empty"]))
    return Series(measured, clock)


def decision(answer):
    """Returns the parts of an answer that the VCL decided."""
    status, reason, headers = answer
    seen = {name: value for name, value in headers.items()
            if name in ("verdict", "location") or name.startswith("was-")}
    seen["answer"] = "%d %s" % (status, reason)
    return seen


def check_decisions(variants, requests, build, everyone=None):
    deciding = [variant for variant in variants if variant.policy]
    everyone = len(requests) if everyone is None else everyone
    say("do %d variants decide alike? %d requests" % (
        len(deciding), min(everyone, len(requests))))
    # Varnish would rewrite Accept-Encoding after vcl_recv.
    with Varnish(build, {"http_gzip_support": "off"}) as node:
        node.serve([(label_of(number), echoed(number, written(
            node, label_of(number), variant, 1)))
            for number, variant in enumerate(deciding)], top(len(deciding)))
        clients = [Client(node.port) for _ in deciding]
        decisions = []
        for place, request in enumerate(requests):
            asked = deciding if place < everyone else deciding[:1]
            for number, variant in enumerate(asked):
                clients[number].send(request.raw(
                    label_of(number), variant.host_of(place, request)))
            answers = [decision(clients[number].read(False))
                       for number in range(len(asked))]
            for variant, answer in zip(asked[1:], answers[1:]):
                if answer != answers[0]:
                    raise Failed("request %d\n%s%s: %s\n%s: %s" % (
                        place, request.raw("").decode(), asked[0].id,
                        answers[0], variant.id, answer))
            decisions.append(answers[0])
    return decisions


def cpu_segment(node, listed, label, connections, seconds):
    """Returns (ns of CPU for a request, part of lookups that hit, requests)."""
    counted = ("cache_hit", "cache_miss")
    before, cpu = node.counters(*counted), node.cpu()
    with Wrk(node, listed, [label], [[0]], connections,
             seconds=seconds) as wrk:
        pass
    cpu = node.cpu() - cpu
    after = node.counters(*counted)
    hit, miss = (after[name] - before[name] for name in counted)
    requests = wrk.result["requests"]
    if not requests:
        raise Failed("wrk has no answers")
    return cpu / requests, (hit / (hit + miss) if hit + miss else None), \
        requests


def cpu_of_pair(pair, lists, build, rounds, seconds, connections, behind):
    """Returns {list: [(segment of the variant, segment of its base) per round]}."""
    variants = [pair.variant, pair.base]
    labels = list(map(label_of, range(2)))
    found = {name: [] for name in lists}
    with Varnish(build) as node:
        node.serve([(label, plain(number, written(
            node, label, variant, behind.port), ("key",)))
            for number, (label, variant) in enumerate(zip(labels, variants))],
            top(2))
        files = {name: write_list(node, name, variants, requests, keys)[0]
                 for name, (requests, keys) in lists.items()}
        fill(node, files["all"], labels, connections, 2 * len(lists["all"][0]))
        for number in range(rounds):
            for name, listed in files.items():
                segments = [None, None]
                for place in orders(2)[number % 2]:
                    segments[place] = cpu_segment(
                        node, listed, labels[place], connections, seconds)
                found[name].append(segments)
    return found


def cpu_row(pair, segments):
    own = [own for own, _ in segments]
    rates = [rate for _, rate, _ in own if rate is not None]
    return {"title": pair.title,
            "ns": spread([ns for ns, _, _ in own]),
            "base_ns": spread([ns for _, (ns, _, _) in segments]),
            "ratio": spread([ns / base for (ns, _, _), (base, _, _) in
                             segments]),
            "requests": sum(count for _, _, count in own),
            "hit_rate": spread(rates) if rates else None}


def measure_cpu(pairs, lists, build, rounds=8, seconds=2, connections=32):
    result = {name: {} for name in lists}
    with backend(build) as behind:
        for number, pair in enumerate(pairs):
            say("CPU: pair %d of %d" % (number + 1, len(pairs)))
            found = cpu_of_pair(pair, lists, build, rounds, seconds,
                                connections, behind)
            for name, segments in found.items():
                result[name][pair.id] = cpu_row(pair, segments)
    return result


def fill(node, listed, labels, connections, expected):
    """Gets all pages into the cache, for each of the labels."""
    def asked():
        return node.counters("client_req")["client_req"] >= expected

    with Wrk(node, listed, labels, [list(range(len(labels)))], connections,
             once=True) as wrk:
        # Workers hand in their counts when a connection rests.
        until("all pages are in the cache", lambda: asked() or wrk.has_ended(),
              600, 0.5)
        wrk.stop()
