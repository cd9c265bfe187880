# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Measures the child's memory, descriptors and threads."""

import collections
import os
import re
import threading

from node import Client, becomes, find

# Growth of memory by fewer bytes is not a leak: a heap in use grows so much by itself.
FLAT = 8 << 20


class Measured:
    """Measures a child at rest."""

    def __init__(self, world, threads):
        node = world.main
        self.discarded = let_go(world, threads)
        becomes(lambda: worker_threads(node) <= threads, 60, 0.3)
        pid = node.child()
        self.pid = pid
        # Varnish drops what its memory pools have not used for ten seconds.
        self.memory = settled(node.rss, 12)
        self.descriptors = settled(lambda: descriptors(pid))
        self.threads = len(os.listdir("/proc/%d/task" % pid))
        stats = node.stats()
        self.objects = sorted(stats)
        self.bytes = stats.get("boot.soak", {}).get("bytes", 0)


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def settled(answer, seconds=1.5):
    """Returns the least value of answer(), once it has not fallen for so long."""
    least = answer()
    while becomes(lambda: answer() < least, seconds):
        least = min(least, answer())
    return least


def worker_threads(node):
    said = node.run(find("varnishstat", "vinylstat"), "-1", "-t", "5", "-f",
                    "MAIN.threads")
    found = re.search(r"MAIN\.threads +(\d+)", said)
    return int(found.group(1)) if found else 0


def closed_by(node):
    """Returns how many connections ended, by reason."""
    said = node.run(find("varnishstat", "vinylstat"), "-1", "-t", "5", "-f",
                    "MAIN.sc_*")
    return collections.Counter({
        name: int(count) for name, count in
        re.findall(r"MAIN\.sc_(\w+) +(\d+)", said)})


def let_go(world, threads):
    """
    Asks all workers at the same time, until no discarded VCL is left: an idle worker
    keeps the VCL that it served last.
    """
    node = world.main

    def ask():
        client = Client(node.port)
        client.get("/", {"X-Ops": world.token, "X-Sleep": "yes"})
        client.close()

    def none():
        if "discarded" not in node.adm("vcl.list"):
            return True
        askers = [threading.Thread(target=ask) for _ in range(threads)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join(30)
        return False
    becomes(none, 90)
    return node.adm("vcl.list").count("discarded")


def flat(check, measured, requests, reloads, why_not):
    """Compares the same child at rest: after the warm-up, later, and at the end."""
    before, middle, after = measured
    check.equal("the same child, from the warm-up to the end", after.pid,
                before.pid)
    check.check("file descriptors stay as many",
                after.descriptors <= before.descriptors, "%d, were %d" % (
                    after.descriptors, before.descriptors))
    check.equal("threads stay as many", after.threads, before.threads)
    check.equal("objects stay as many", after.objects, before.objects)
    check.check("discarded VCLs are gone", after.discarded == 0,
                after.discarded)
    growth = after.memory - before.memory
    check.note("memory %.1f MB after the warm-up, %.1f later, %.1f at the end:"
               " %d requests, %d reloads; the largest set has %.2f MB" % (
                   before.memory / 1e6, middle.memory / 1e6,
                   after.memory / 1e6, requests, reloads, after.bytes / 1e6))
    # A leak would come to a set at each reload, or to 32 bytes at each request,
    # which is the least that an allocation takes.
    leak = max(requests * 32, reloads * after.bytes)
    if why_not:
        check.skip("memory stays flat", why_not)
    elif growth < FLAT and leak < 2 * FLAT:
        check.skip("memory stays flat", "too little was done to tell: %.1f MB"
                   " if all of it leaked" % (leak / 1e6))
    else:
        check.check("memory stays flat", growth < FLAT, "%+.2f MB, %.2f at"
                    " most" % (growth / 1e6, FLAT / 1e6))
