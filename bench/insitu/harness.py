# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Variants of a policy in one varnishd, timed request by request.

    series = measure(variants, requests, build, runs=5, warm=warm)
    series.table["rules"]["net"]["mean"]["median"]

    Variant(id, title, vcl, files={}, policy=True, host=None)
        id      letters, digits and dashes
        vcl     text of a whole VCL, `vcl 4.1;` first.  Every .port = "808x"
                becomes that of the one backend; it may have a vcl_recv and a
                vcl_synth with one `return (deliver);`, no vcl_hash, vcl_pass,
                vcl_hit or vcl_miss.
        files   {name: text}: files that the VCL or one of these files names
                in double quotes, exactly so ("/etc/varnish/site.rules"); they
                are written where varnishd can read them, and the names are
                replaced by those paths, in the VCL and in the files.
        policy  False for one that decides nothing (empty): it is left out of
                the comparison of decisions and of the hit rate
        host    None, or (number, request) -> the Host it is sent instead of
                request.host; number is from 0, and that in `warm + requests`
                for measure()

    article_variants(build, names=None) -> (variants, {id: why left out})
    empty() -> [the two empty ones], which every series needs
    article_files() -> {name: text}, what rules.vcl and after.vcl need

    requests: of traffic.Request(host, url, agent, cookie); see
        traffic.make(seed, count) and traffic.warm_up(seed, count)

    check_decisions(variants, requests, build, everyone=None)
        -> [the decision of the first variant with policy on each request];
        Failed at the first request that another one decides otherwise; the
        others are asked for the first `everyone` requests only.  A decision is
        a dictionary: "answer" and "verdict", "location", "was-...".
    measure(variants, requests, build, runs=5, warm=(), hash_on=("url",
        "host"), connections=2) -> Series
    measure_cpu(variants, requests, build, keys=None, rounds=10, seconds=2,
        connections=32) -> {id: {"ns", "ratio": S, "requests",
        "hit_rate"}}; ratio is to empty, paired by round.  With keys, one for
        each request, a page is looked up by its key.

    Series
        .runs   [{id: {"mean", "p50", "p90", "p99", "count", "cut", "hit",
                "miss", "pass", "synth", "hit_rate"}}, ...], times in ns
        .noise  {"mean", "p50", "p90", "p99"}: ns by which the two empty ones
                differ (largest of the runs)
        .table  {id: {"title", "gross": {stat: S}, "net": {stat: S},
                "valid": {stat: bool}, "ratio": {other id: S or None},
                "hit_rate": S or None, "cut": total}}
                where S is {"median", "min", "max"} over the runs, and ratio
                is net mean / net mean of the other one, paired by run; None
                where one of both is not above the noise
        .json() {"runs", "noise", "table"}

All net figures are those of a variant less those of "empty" in the same run.
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
                      article_variants, echoed, empty, label_of, orders, plain,
                      timed, top, written)
from varnishd import Failed, Varnish, Wrk, backend, until
from server import Client

STATS = ("mean", "p50", "p90", "p99")
# A sample above this is of a thread that was put aside: no policy takes so
# long.  The means leave these out, the same for all, and say how many.
CUT_OFF_NS = 200000
HEAD = struct.Struct("=IIQQQQQ")        # struct watch_head
HEAD_SIZE = 4096
MAGIC = 0x77a7c401
WHERE = {1: "hash", 2: "hit", 3: "miss", 4: "pass", 5: "pipe", 6: "synth"}


def say(text):
    print(text, file=sys.stderr, flush=True)


def spread(values):
    return {"median": statistics.median(values), "min": min(values),
            "max": max(values)}


class Samples:
    """The file that vmod_stopwatch writes."""

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
        """[(variant, where, ns), ...] in the order of their beginning."""
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
    """The smallest that so many are not above."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def summarize(samples):
    """Of one variant in one run: [(where, ns), ...]."""
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


class Series:
    """What some runs have measured."""

    def __init__(self, variants, runs, clock):
        self.variants = variants
        self.runs = runs
        self.clock = clock
        self.noise = {
            stat: max(abs(run["empty-again"][stat] - run["empty"][stat])
                      for run in runs) for stat in STATS}
        self.table = {variant.id: self.row(variant) for variant in variants}
        for row in self.table.values():
            row["ratio"] = {other: self.ratio(row, self.table[other])
                            for other in self.table}

    def net(self, id, stat):
        return [run[id][stat] - run["empty"][stat] for run in self.runs]

    def row(self, variant):
        id = variant.id
        rates = [run[id]["hit_rate"] for run in self.runs]
        row = {"id": id, "title": variant.title,
               "gross": {stat: spread([run[id][stat] for run in self.runs])
                         for stat in STATS},
               "net": {stat: spread(self.net(id, stat)) for stat in STATS},
               "hit_rate": spread(rates) if None not in rates else None,
               "cut": sum(run[id]["cut"] for run in self.runs)}
        row["valid"] = {stat: row["net"][stat]["median"] > self.noise[stat]
                        for stat in STATS}
        return row

    def ratio(self, row, other):
        if not (row["valid"]["mean"] and other["valid"]["mean"]):
            return None
        pairs = list(zip(self.net(row["id"], "mean"),
                         self.net(other["id"], "mean")))
        # A run whose own net is not above nothing has no ratio.
        if any(below <= 0 for _, below in pairs):
            return None
        return spread([above / below for above, below in pairs])

    def json(self):
        return {"clock": self.clock, "cut_off_ns": CUT_OFF_NS,
                "noise": self.noise, "runs": self.runs, "table": self.table}


def write_list(node, variants, requests, keys=None):
    """For requests.lua: (the file, {label: file of other Hosts})."""
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
    return node.write("requests", "\n".join(lines) + "\n"), hosts


def measure_once(variants, requests, warm, build, hash_on, connections,
                 behind):
    """One run: (clock, {id: row})."""
    everything = list(warm) + list(requests)
    expected = len(everything) * len(variants)
    with Samples(expected + 1000) as samples, Varnish(build) as node:
        node.serve([(label_of(number), timed(number, written(
            node, label_of(number), variant, behind.port), hash_on))
            for number, variant in enumerate(variants)],
            top(len(variants), samples.path))
        listed, hosts = write_list(node, variants, everything)
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
            run[variant.id] = summarize(own[len(warm):])
        return samples.clock(), run


def measure(variants, requests, build, runs=5, warm=(),
            hash_on=("url", "host"), connections=2):
    if {"empty", "empty-again"} - {variant.id for variant in variants}:
        raise Failed("the series has no empty variant")
    measured = []
    with backend(build) as behind:
        for number in range(runs):
            say("run %d of %d: %d requests to each of %d variants" % (
                number + 1, runs, len(requests), len(variants)))
            clock, run = measure_once(variants, requests, warm, build,
                                      hash_on, connections, behind)
            measured.append(run)
    return Series(variants, measured, clock)


def decision(answer):
    """What of an answer was decided by the VCL."""
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


def cpu_segment(node, listed, labels, connections, seconds, hosts):
    """(ns of CPU a request, hits of 100 lookups, requests)"""
    counted = ("cache_hit", "cache_miss")
    before, cpu = node.counters(*counted), node.cpu()
    with Wrk(node, listed, labels, [list(range(len(labels)))], connections,
             seconds=seconds, hosts=hosts) as wrk:
        pass
    cpu = node.cpu() - cpu
    after = node.counters(*counted)
    hit, miss = (after[name] - before[name] for name in counted)
    requests = wrk.result["requests"]
    if not requests:
        raise Failed("wrk has no answers")
    return cpu / requests, (hit / (hit + miss) if hit + miss else None), \
        requests


def measure_cpu(variants, requests, build, keys=None, rounds=10, seconds=2,
                connections=32):
    labels = list(map(label_of, range(len(variants))))
    turns = orders(len(variants))
    found = {variant.id: [] for variant in variants}
    with backend(build) as behind, Varnish(build) as node:
        node.serve([(label, plain(number, written(
            node, label, variant, behind.port),
            ("url", "host") if keys is None else ("key",)))
            for number, (label, variant) in enumerate(zip(labels, variants))],
            top(len(variants)))
        listed, hosts = write_list(node, variants, requests, keys)
        # All pages into the cache, for each of them.
        fill(node, listed, labels, connections, hosts,
             len(requests) * len(variants))
        for number in range(rounds):
            say("CPU: round %d of %d" % (number + 1, rounds))
            for place in turns[number % len(turns)]:
                found[variants[place].id].append(cpu_segment(
                    node, listed, [labels[place]], connections, seconds,
                    hosts))
    result = {}
    for variant in variants:
        own = found[variant.id]
        rates = [rate for _, rate, _ in own if rate is not None]
        result[variant.id] = {
            "title": variant.title,
            "ns": spread([ns for ns, _, _ in own]),
            "ratio": spread([ns / base for (ns, _, _), (base, _, _) in
                             zip(own, found["empty"])]),
            "requests": sum(count for _, _, count in own),
            "hit_rate": spread(rates) if rates else None}
    return result


def fill(node, listed, labels, connections, hosts, expected):
    def asked():
        return node.counters("client_req")["client_req"] >= expected

    with Wrk(node, listed, labels, [list(range(len(labels)))], connections,
             once=True, hosts=hosts) as wrk:
        # Workers hand in their counts when a connection rests.
        until("all pages are in the cache", lambda: asked() or wrk.has_ended(),
              600, 0.5)
        wrk.stop()
