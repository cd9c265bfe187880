# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes trouble for a varnishd that serves: files that change, good and bad;
VCLs that come and go; thread pools that grow and shrink; requests that rules
have no room for; a child that is killed."""

import collections
import json
import os
import random
import re
import signal
import threading
import time
from http.client import HTTPException

from halfway_ask import Asked
from halfway_rules import Limits, Requests
from node import becomes, until

PATIENCE = 30           # seconds for a file to be read; more where it is slow


class Reloader:
    """
    Writes the rules of one object, version after version.  One in four is bad: it must
    be refused, and the version before it must serve on.
    """

    def __init__(self, world, name, seed, slow):
        self.world = world
        self.name = name
        self.node = world.main
        self.path = name + ".rules"
        self.slow = slow
        self.random = random.Random("reload %s %d" % (name, seed))
        self.lock = threading.Lock()
        self.number = self.serves = 1
        self.good = self.refused = 0
        self.bad_from = None            # since when the file is bad
        self.bad_until = 0.0
        self.kinds = {}
        self.wrong = []

    # Asking

    def report(self):
        """Returns the report; asks again where there is no room for it."""
        told = []

        def asked():
            try:
                told.append(json.loads(self.node.get("/" + self.name, {
                    "X-Ops": self.world.token}).body))
            except (OSError, HTTPException):
                return False
            return True
        until("there is a report", asked, PATIENCE * self.slow)
        return told[0]

    def version(self):
        """
        Returns the version that serves, as its answers tell; "" without an answer.
        Asks again if a connection is lost, or if there is no room for the answer: in
        the smallest workspace there may be none.
        """
        told = [""]

        def asked():
            try:
                told.append(self.told())
            except (OSError, HTTPException):
                return False
            return re.match(r"v\d+$", told[-1])
        return told[-1] if becomes(asked, PATIENCE * self.slow) else ""

    def told(self):
        return self.node.get("/", self.world.probe(self.name)).reason

    def was_bad(self, since):
        """Returns true if the file was bad at some time since then."""
        return self.bad_from is not None or self.bad_until >= since

    def counted(self, counter):
        """Returns a counter of the object in the first VCL.  The VCL in use may be
        another one, whose object looks at the files at other times."""
        return self.node.stat("boot." + self.name, counter) or 0

    def awaits(self, counter, before, what):
        """Waits until what was written is read: before there is more to read."""
        if not becomes(lambda: self.counted(counter) > before,
                       PATIENCE * self.slow):
            self.wrong.append("not counted as %s: %s" % (counter, what))

    # A single step

    def step(self):
        with self.lock:
            if self.random.random() < 0.25:
                self.spoil()
            self.renew()

    def write(self):
        """Writes the files of the present version."""
        self.node.write(self.path, self.world.rules(self.name, self.number))

    def renew(self):
        """Writes the next version, and waits until it serves."""
        self.number += 1
        before = self.counted("reload")
        self.write()
        if not becomes(lambda: self.version() == "v%d" % self.number,
                       PATIENCE * self.slow):
            self.wrong.append("v%d does not serve, but %s" % (
                self.number, self.version()))
        self.awaits("reload", before, "v%d" % self.number)
        if self.bad_from is not None:
            self.bad_from, self.bad_until = None, time.monotonic()
        self.serves = self.number
        self.good += 1

    def spoil(self):
        """Writes a bad file, and checks that the last good version serves on."""
        kind = self.random.choice(sorted(self.bad()))
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        before = self.counted("reload_fail")
        self.bad_from = time.monotonic()
        self.bad()[kind]()
        self.awaits("reload_fail", before, kind)
        report = self.report()
        if "last_error" not in report and \
                report != {"error": "out of workspace"}:
            self.wrong.append("no report, but " + json.dumps(report))
        self.stays(kind)
        self.refused += 1

    def stays(self, kind):
        """
        Checks that the last good version serves.  A VCL that was loaded before
        that version was written, and is in use now, may serve an older one for
        a while.
        """
        told = []

        def serves():
            told.append(self.version())
            return told[-1] == "v%d" % self.serves
        becomes(serves, PATIENCE * self.slow)
        if told[-1] != "v%d" % self.serves or any(
                int(one[1:] or 0) > self.serves for one in told):
            self.wrong.append("%s instead of v%d, after %s" % (
                ", ".join(told[-5:]), self.serves, kind))

    def bad(self):
        """Returns {name of a bad file: function that writes it}."""
        text = self.world.rules(self.name, self.number + 1000000)
        half = self.random.randrange(len(text) // 4, len(text) // 2)

        def put(bytes_):
            path = self.node.path(self.path)
            with open(path + ".new~", "wb") as file:
                file.write(bytes_)
            os.replace(path + ".new~", path)

        return {
            "broken": lambda: put(text.encode() + b"\nnonsense one;\n"),
            "half": lambda: put(text[:half].encode() + b"\n{"),
            "empty": lambda: put(b""),
            "gone": lambda: os.unlink(self.node.path(self.path)),
            "bytes": lambda: put(self.random.randbytes(20000)),
            "no list": lambda: put(text.replace(".list", ".lost").encode()),
            "a backend": lambda: put(
                text.encode() + b"host nowhere.example { backend lost; }\n"),
            "mistakes": lambda: put(
                text.encode() + b"host x y z use no ; list {\n" * 3000)}


class Lists(Reloader):
    """Writes the files of patterns, hosts and params, in the same way."""

    def __init__(self, world, seed, slow):
        super().__init__(world, "sites", seed, slow)

    def told(self):
        return self.node.get("/sites", {
            "X-Ops": self.world.token}).body.strip()

    def write(self):
        self.world.write_lists(self.number)

    def spoil(self):
        before = self.counted("reload_fail")
        self.bad_from = time.monotonic()
        self.node.write("sites.list", "version.example v0\n" * 2)
        self.awaits("reload_fail", before, "a host twice")
        self.stays("a host twice")
        self.kinds["a host twice"] = self.kinds.get("a host twice", 0) + 1
        self.refused += 1


REFUSED = """vcl 4.1;
import fastmatch;
backend none none;
sub vcl_init { new x = fastmatch.rules("%s"); }
"""

MANY = """vcl 4.1;
import fastmatch;
backend be { .host = "127.0.0.1"; }
sub vcl_init {
	new many = fastmatch.patterns(case_sensitive=false);
	many.load("%(dir)s/many.list", regex);
	new other = fastmatch.rules("%(dir)s/article.rules", watch=0.2s);
	other.backend("www", be);
	other.backend("media", be);
	other.backend("shop", be);
	other.backend("wiki", be);
	other.backend("mobile", be);
	other.backend("api", be);
}
"""


class Churn:
    """VCLs that are loaded, used and discarded."""

    def __init__(self, world, ledger, reloaders):
        self.world = world
        self.ledger = ledger
        self.node = world.main
        self.reloaders = reloaders
        self.lock = threading.Lock()
        self.number = 0
        self.loaded = self.used = self.discarded = self.refused = 0
        self.spoilt = 0                 # loads that met a bad file
        self.wrong = []

    def prepare(self):
        self.node.write("spoilt.rules", "always { nonsense; }\n")
        self.node.write("many.list", "".join(
            "(word%d|%d)[a-z]{2,5}x%d\n" % (n, n, n) for n in range(800)))

    def step(self):
        with self.lock:
            self.number += 1
            (self.use, self.pass_by, self.use, self.refuse)[
                self.number % 4]()

    def load(self, name, vcl):
        begun = time.monotonic()
        done, said = self.node.try_load(name, vcl)
        os.unlink(self.node.path(name + ".vcl"))
        if done:
            self.loaded += 1
        elif any(reloader.was_bad(begun) for reloader in self.reloaders) \
                and re.search(r"\.(rules|list)\b", said):
            self.spoilt += 1
        else:
            self.wrong.append("vcl.load %s: %s" % (name, said[-500:]))
        return done

    def discard(self, name):
        self.node.adm("vcl.discard", name)
        self.discarded += 1

    def use(self):
        name = "v%d" % self.number
        if not self.load(name, self.world.vcl()):
            return
        self.node.adm("vcl.use", name)
        self.used += 1
        becomes(lambda: (self.node.stat(name + ".soak", "lookups") or 0) >
                200, 3)
        self.node.adm("vcl.use", "boot")
        self.ledger.retire(name)
        self.discard(name)

    def pass_by(self):
        """Loads two VCLs that are never used; the second one is slow to compile."""
        name = "p%d" % self.number
        if self.load(name, self.world.vcl(watch=0)):
            self.discard(name)
        name = "m%d" % self.number
        if self.load(name, MANY % {"dir": self.node.dir}):
            self.discard(name)

    def refuse(self):
        done, said = self.node.try_load("r%d" % self.number, REFUSED %
                                        self.node.path("spoilt.rules"))
        if done or "spoilt.rules:1:" not in said:
            self.wrong.append("a VCL with broken rules: " + said[-500:])
        os.unlink(self.node.path("r%d.vcl" % self.number))
        self.refused += 1


class Operator:
    """Looks at the page, its numbers, an explanation and the metrics."""

    ASKED = {
        "/page": lambda body: "<title>" in body,
        "/page?json": lambda body: "generation" in json.loads(body),
        "/page?json&url=http://www.example.com/pass/%3Fb=1":
            lambda body: "explain" in json.loads(body),
        "/metrics": lambda body: "\nfastmatch_" in body}

    def __init__(self, world):
        self.world = world
        self.answers = collections.Counter()    # (path, status)
        self.wrong = []

    def step(self):
        for path, is_good in self.ASKED.items():
            try:
                answer = self.world.main.get(path, {
                    "X-Ops": self.world.token, "Host": "www.example.com"})
            except (OSError, HTTPException):
                continue                # no child, or no room
            self.answers[path, answer.status] += 1
            if answer.status == 200 and not is_good(answer.body):
                self.wrong.append("%s: %s" % (path, answer.body[-200:]))


class Pools:
    """Thread pools that grow and shrink."""

    def __init__(self, world, count, usual):
        self.node = world.main
        self.count = count              # threads there are
        self.usual = usual
        self.grown = self.shrunk = 0
        self.wrong = []
        self.most, self.least = 0, 1 << 30

    def set(self, least, most):
        """Sets both parameters in an order in which min is never above max."""
        self.node.adm("param.set", "thread_pool_max", "1000")
        self.node.adm("param.set", "thread_pool_min", str(least))
        self.node.adm("param.set", "thread_pool_max", str(most))

    def step(self):
        self.set(80, 300)
        self.grown += self.awaits("80 at least", lambda n: n >= 80)
        self.most = max(self.most, self.count())
        self.set(5, 70)
        self.shrunk += self.awaits("less than 75", lambda n: n < 75)
        self.least = min(self.least, self.count())

    def awaits(self, what, reached):
        done = becomes(lambda: reached(self.count()), 60, 0.3)
        if not done:
            self.wrong.append("%d threads, not %s" % (self.count(), what))
        return done

    def reset(self):
        self.set(*self.usual)


class Halfway:
    """Requests around the limits: each is done as rules say, or not at all."""

    LIMITS = (Limits(), Limits(32))

    def __init__(self, world, seed):
        self.node = world.main
        self.random = random.Random("halfway %d" % seed)
        self.requests = Requests(self.random, self.LIMITS[0])
        self.asked = Asked(world.echo, world.halfway, self.requests)

    def step(self):
        self.requests.limits = self.random.choice(self.LIMITS)
        try:
            self.asked.ask(self.node.port, 8)
        except OSError:
            pass                        # no child


class Killer:
    """Kills the child by SIGKILL; another one must come, and serve the same rules."""

    def __init__(self, check, world, churn, reloaders, slow):
        self.check = check
        self.world = world
        self.node = world.main
        self.locks = [churn.lock] + [one.lock for one in reloaders]
        self.reloaders = reloaders
        self.slow = slow
        self.kills = 0
        self.seconds = []

    def kill(self, broken):
        """Kills the child.  broken: a rule file is broken, so its copy must serve."""
        for lock in self.locks:
            lock.acquire()
        try:
            soak = self.reloaders[0]
            if broken:
                soak.spoil()
            begun = time.monotonic()
            back = self.comes_back()
            self.kills += 1
            self.seconds.append(round(time.monotonic() - begun, 2))
            name = "killed%s: " % (", a file broken" if broken else "")
            self.check.check(
                name + "it comes back, and serves what it served", back,
                "%s\n%s" % ([(one.name, one.version(), one.serves)
                             for one in self.reloaders],
                            self.node.said()[-1500:]))
            self.check.check(name + "the copy serves where the file can't",
                             becomes(lambda: self.node.stat(
                                 "boot.soak", "backup") == int(broken), 10),
                             self.node.stats().get("boot.soak"))
            if broken:
                soak.renew()
        finally:
            for lock in self.locks:
                lock.release()

    def comes_back(self):
        """Kills the child; returns true if another one comes and serves."""
        child = self.node.child()
        os.kill(child, signal.SIGKILL)
        return becomes(lambda: self.node.child() not in (None, child) and
                       self.node.is_running() and all(
                           one.version() == "v%d" % one.serves
                           for one in self.reloaders), 60 * self.slow)
