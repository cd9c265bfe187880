# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""
Compares what happened, by the log of Varnish, with what the module has counted.

The VCL logs a word at each step; varnishlog writes the words down, and they are
compared with the counters once no request asks any more.
"""

import collections
import json
import re
import subprocess
import threading
import time
from http.client import HTTPException

from node import becomes, end, find, until

RULES = ("soak", "article", "demo")
OBJECTS = RULES + ("words", "sites", "clean", "crumbs")
VERDICTS = ("pass", "pipe", "hash", "synth", "redirect")
# The module logs one of these where it counts a workspace_overflow.
NO_ROOM = ("out of workspace", "no room for more headers",
           "out of workspace (workspace_client)")
# The counter for each reason for which the log says that a request was refused.
REFUSED = {"no room for more headers (http_max_hdr)": "refused_slots",
           "out of workspace (workspace_client)": "refused_workspace",
           "larger than http_req_size": "refused_size",
           "out of memory": "refused_memory",
           "a regex reached the match limit": "refused_undecided",
           "the URL has a raw '#'": "refused_fragment",
           "the header of 'client from' names no client": "refused_client"}
# The counter for each outcome of a response that was refused.
REFUSED_LATER = {"the fetch is abandoned": "refused_fetch",
                 "the response is abandoned": "refused_response",
                 "the response is refused with 503": "refused_delivery",
                 "the answer is a 503 without a body": "refused_delivery"}
TROUBLE = re.compile(r" fastmatch: (?:(\w+)\.)?\w+\(\): ([^:]*)(.*)")
OVER_LIMIT = re.compile(r": (\d+), undecided statements: (\d+)")
COUNTED = ("lookups", "hits", "exact_hits", "wildcard_hits", "default_hits",
           "regex_limit", "engine_fallback", "workspace_overflow",
           "undecided", "esi_ignored", "misplaced", "unfinished", "bans",
           "bans_failed",
           "out_of_memory", *REFUSED.values(), "refused_fetch",
           "refused_response", "refused_delivery",
           "url_rewrites", "header_edits") + tuple(
               "verdict_" + verdict for verdict in VERDICTS)


def trouble(line):
    """Returns [(object.counter, how many)] for a line that the module logged; the
    object is "" for the functions."""
    object_, what, rest = TROUBLE.search(line).groups("")
    numbers = OVER_LIMIT.match(rest)
    if "the request is refused" in rest:
        told = [(REFUSED[what], 1)]
    elif rest[2:] in REFUSED_LATER and not what.endswith("or no memory"):
        told = [(REFUSED_LATER[rest[2:]], 1)]
    elif "and is not edited" in rest and "workspace" not in what:
        told = []
    elif what in NO_ROOM:
        told = [("workspace_overflow", 1)]
    elif what == "out of memory":
        told = [("out_of_memory", 1)]
    elif what == "it does nothing in":
        told = [("misplaced", 1)]
    elif what == "regexes that reached the match limit" and numbers:
        told = [("regex_limit", int(numbers.group(1))),
                ("undecided", int(numbers.group(2)))]
    else:
        told = [(what, 1)]
    return [("%s.%s" % (object_, counter), count) for counter, count in told]


class Words:
    """
    Counts the words that varnishlog writes, one a line, and the module's lines about
    trouble.
    """

    def __init__(self, node, token):
        self.node = node
        self.counts = collections.Counter()
        self.said = node.path("words.said")
        self.key = token.encode("ascii") + b" "
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                [find("varnishlog", "vinyllog"), "-n", node.work, "-t", "20",
                 "-g", "raw", "-I", "Timestamp:^" + token,
                 "-I", r"Error:^fastmatch: (\w+\.)?\w+\(\): "],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=said)
        node.watchers.append(self.process)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            if b" Timestamp " in line:
                word = line.rpartition(self.key)[2].partition(b":")[0]
                self.counts[word.decode()] += 1
            else:
                for counter, count in trouble(line.decode().rstrip()):
                    self.counts[counter] += count

    def lost(self):
        """Returns what varnishlog says where it could not keep up."""
        with open(self.said, encoding="utf-8", errors="replace") as said:
            return said.read().strip()

    def close(self):
        end(self.process)
        self.thread.join(10)


class Ledger:
    """Compares what was counted from one rest to the next."""

    def __init__(self, world):
        self.world = world
        self.retired = collections.Counter()    # counters of the VCLs in gone
        self.gone = set()                       # VCLs after their last request
        self.words = None
        self.begun = None
        self.marks = 0

    # The counters

    def of_vcl(self, stats, vcl):
        """
        Returns the counters of one VCL, or with None of all that are not in `gone`, by
        (object, counter); the object is "" for the functions.
        """
        total = collections.Counter()
        for owner, counters in stats.items():
            name, _, object_ = owner.partition(".")
            if name not in self.gone if vcl is None else name == vcl:
                for counter in COUNTED:
                    total[object_, counter] += counters.get(counter, 0)
        return total

    def same(self, vcl, seconds):
        """Returns the counters, once they have not changed for `seconds`."""
        node = self.world.main
        last, since = None, time.monotonic()

        def still():
            nonlocal last, since
            now = self.of_vcl(node.stats(), vcl)
            if now != last:
                last, since = now, time.monotonic()
            return time.monotonic() - since > seconds
        until("the counters stay as they are", still, 90, 0.1)
        return last

    def retire(self, vcl):
        """
        Counts a VCL that is not used any more, before it is discarded.  Counters
        are summed up once a second, but later where a set is being made.
        """
        node, seen = self.world.main, set()

        def rounds():
            try:
                self.mark()             # or there may be nothing to sum up
            except (OSError, HTTPException):
                return False            # no child
            seen.add(self.of_vcl(node.stats(), None)["soak", "lookups"])
            return len(seen) > 3
        until("the counters are summed up, three times", rounds, 90, 0.1)
        self.retired += self.same(vcl, 2.5)
        self.gone.add(vcl)

    def idle(self):
        """Waits until no request is under way."""
        def live():
            said = self.world.main.run(
                find("varnishstat", "vinylstat"), "-1", "-j", "-t", "5",
                "-f", "MEMPOOL.*")
            try:
                pools = json.loads(said)["counters"]
            except (ValueError, KeyError):
                return False
            return sum(pool["value"] for name, pool in pools.items()
                       if re.search(r"\.(req|busyobj)\d*\.live$", name)) == 0
        until("requests come to their end", live, 90, 0.2)

    # A window

    def mark(self):
        """Sends a request with a mark; returns the word by which the log tells it."""
        self.marks += 1
        word = "mark%d" % self.marks
        self.world.main.get("/", dict(
            self.world.probe("soak"), **{
                "X-Mark": "%s %s" % (self.world.token, word)}))
        return word

    def now(self):
        """Returns counters and words, both with the last mark; no client asks meanwhile."""
        node = self.world.main
        before = node.stat("boot.soak", "lookups")
        word = self.mark()
        until("the counters are summed up", lambda: node.stat(
            "boot.soak", "lookups") != before, 90, 0.1)
        counters = self.same(None, 1.5)
        until("the log has the last request",
              lambda: self.words.counts[word] > 0, 120)
        return counters + self.retired, collections.Counter(self.words.counts)

    def open(self):
        self.words = Words(self.world.main, self.world.token)
        until("varnishlog writes", lambda: becomes(
            lambda word=self.mark(): self.words.counts[word] > 0, 1), 90)
        self.begun = self.now()

    def close(self):
        """Returns (counted, logged, varnishlog's errors) since the window began."""
        self.idle()
        counted, logged = self.now()
        self.words.close()
        counted.subtract(self.begun[0])
        logged.subtract(self.begun[1])
        return counted, logged, self.words.lost()


def compare(check, name, counted, logged, lost):
    """Compares each counter with what the log says of the same."""
    if lost:
        check.skip(name + ": counters", "varnishlog lost some: " + lost[-200:])
        return False

    def of(*counters):
        return sum(counted[object_, counter] for object_ in RULES
                   for counter in counters)

    def equal(what, have, want):
        pairs.append((what, have, want))

    pairs = []
    for object_ in RULES:
        equal(object_ + ": lookups", counted[object_, "lookups"],
              logged[object_])
    for object_, words in (("words", "apply fetch"), ("sites", "apply ops"),
                           ("clean", "apply"), ("crumbs", "crumbs")):
        equal(object_ + ": lookups", counted[object_, "lookups"],
              sum(logged[word] for word in words.split()))
    for object_ in ("words", "sites", "clean"):
        equal(object_ + ": hits", counted[object_, "hits"], logged[object_])
    equal("crumbs: hits", counted["crumbs", "hits"], logged["dropped"])
    equal("clean: url_rewrites", counted["clean", "url_rewrites"],
          logged["clean"])
    for object_ in OBJECTS + ("",):
        for counter in ("workspace_overflow", "misplaced", "out_of_memory",
                        *REFUSED.values(), "refused_fetch",
                        "refused_response", "refused_delivery"):
            equal("%s: %s" % (object_, counter), counted[object_, counter],
                  logged["%s.%s" % (object_, counter)])
    for object_ in RULES:
        for counter in ("regex_limit", "undecided"):
            equal("%s: %s" % (object_, counter), counted[object_, counter],
                  logged["%s.%s" % (object_, counter)])
    # The log says once for each call of `words` that some regexes met the limit, not how many.
    calls = logged["words.a regex reached the match limit and counts as no"
                   " match"]
    over = counted["words", "regex_limit"]
    equal("words: calls with a regex_limit", min(calls, over) if calls else
          over, calls)
    for object_ in RULES + ("sites",):
        equal(object_ + ": hits of each kind", sum(
            counted[object_, kind] for kind in (
                "exact_hits", "wildcard_hits") + (
                    ("default_hits",) if object_ == "sites" else ())),
            counted[object_, "hits"])
    equal("verdicts, refusals and none", of(
        *("verdict_" + word for word in VERDICTS), *REFUSED.values()) +
          logged["none"], logged["apply"])
    equal("refused", of(*REFUSED.values()), logged["refused"])
    # A sub is called for each request whose rules call it, but if it is refused;
    # and where the workspace has no room for the call's mark, the request fails.
    called = logged["counted"] + logged["denied"]
    due = logged["calls"] - logged["uncalled"]
    equal("subs called", called,
          min(called, due) if name.startswith("starved") else due)
    equal("bans after a sub", of("bans", "bans_failed"), logged["counted"])
    equal("requests that a sub ends", logged["denied"], logged["429"])
    for calls, runs, refused in (
            ("stored", "responses", of("refused_response")),
            ("delivered", "deliveries", of("refused_delivery"))):
        # Deliveries of an error that Varnish made call none.
        equal("subs called by %s" % runs, min(max(
            logged[calls], logged[runs] - refused if runs == "responses" else
            0), logged[runs]), logged[calls])
    for verdict in ("pass", "pipe", "synth", "redirect"):
        given = of("verdict_" + verdict)
        said = logged[verdict] - (logged["own"] if verdict == "pass" else 0)
        # With an overflowed workspace Varnish does not come to vcl_pipe: it
        # may be called less often than the verdict is given, never more.
        if verdict == "pipe" and name.startswith("starved"):
            said = max(said, given)
        equal("verdict_" + verdict, given, said)
    wrong = ["%s: %d, by the log %d" % pair for pair in pairs
             if pair[1] != pair[2]]
    check.check("%s: %d counters are what the log says, of %d runs" % (
        name, len(pairs), logged["apply"]), not wrong and
        logged["apply"] > 0, "; ".join(wrong))
    return not wrong
