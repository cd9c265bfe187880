# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""
The answers of 5xx, by the log of Varnish, and whose fault they are.
"""

import collections
import queue
import re
import socket
import subprocess
import threading
from http.client import HTTPException

from node import becomes, end, find, until

# varnishlog says this when the child is killed, and while there is none.
KILLED = re.compile(r"Log abandoned|Log reacquired|"
                    r"Failed to acquire log: No VSL chunk")


# Varnish says this where it has no room left to deliver, in the workspace of the
# client most often, in spite of its words.
NO_ROOM = "workspace_thread overflow"
# bytes: a request may fail here with so much less pipelined behind it than in the
# twin, whose VCL differs.
LESS_ROOM = 32


class Failures:
    """
    Each request is sent to the twin as well, in all the ways in which it was
    sent: one that fails there, too, is no fault of the module.

    How much of a workspace is left to deliver depends on how much of a pipeline
    came with one read(), and that on the load.  So one with NO_ROOM is asked for
    again when all else is over, here and there, with ever more of a pipeline
    behind it.  It is ours where it fails with less behind it than in the twin.
    """

    def __init__(self, world, load):
        self.world = world
        self.load = load
        self.ours, self.theirs = [], collections.Counter()
        self.late = []                  # maybe ours: NO_ROOM
        self.known = collections.defaultdict(dict)
        self.nameless = nameless(load.corpus)
        self.marks, self.seen = 0, set()
        self.said = world.main.path("failures.said")
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                [find("varnishlog", "vinyllog"), "-n", world.main.work, "-t",
                 "20", "-c", "-g", "vxid", "-q",
                 "RespStatus >= 500 and not ReqHeader:X-Rules"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
        world.main.watchers.append(self.process)
        # The twin takes its time, and varnishlog must not wait for it.
        self.queue = queue.Queue()
        self.threads = [threading.Thread(target=step, daemon=True)
                        for step in (self.read, self.judge_all)]
        for thread in self.threads:
            thread.start()
        self.mark()

    def read(self):
        lines = []
        for line in self.process.stdout:
            text = line.decode("utf-8", "replace").rstrip("\n")
            if text.startswith("*") and lines:
                self.queue.put(lines)
                lines = []
            if text:
                lines.append(text)
            if text.startswith("-   End"):
                self.queue.put(lines)
                lines = []
        self.queue.put(None)

    def judge_all(self):
        for lines in iter(self.queue.get, None):
            self.judge(lines)

    def mark(self):
        """Until a 5xx that we have asked for is found: what came before it was
        found, too."""
        def answered():
            self.marks += 1
            word = "mark%d" % self.marks
            try:
                self.world.main.get("/", {"X-Ops": self.world.token,
                                          "X-Fail": word})
            except (OSError, HTTPException):
                return False
            return becomes(lambda: word in self.seen, 5)
        until("the log has the last failure", answered, 300)

    def judge(self, lines):
        text = "\n".join(lines)
        status = re.search(r"RespStatus +(5\d\d)", text)
        if status is None:
            return
        mark = re.search(r"ReqHeader +X-Fail: (mark\d+)", text)
        if mark and "X-Ops: " + self.world.token in text:
            self.seen.add(mark.group(1))
            return
        why = re.findall(r"-   (?:VCL_Error|FetchError|Error|LostHeader) +"
                         r"([^\n]*)", text)
        numbers = self.numbers(text)
        alone = sorted(set().union(*map(self.alone, numbers)))
        if alone and max(alone) >= 500:
            self.theirs["%s, and %d without the module" % (
                status.group(1), max(alone))] += 1
            return
        # A workspace that Varnish itself has overflowed before any VCL ran: it
        # answers 500 to that in any case.  The bytes in the workspace depend
        # on how much of a pipeline came with one read(), so the twin can't be
        # shown all of them.  A restart has not that line, but lacks the header
        # that was lost.
        if overflowed_before(text):
            self.theirs[status.group(1) + ", overflowed before VCL ran"] += 1
            return
        # The client broke off its own body: Varnish could not read all of it.
        if re.search(r"FetchError .*\n(.*FetchError .*\n)*"
                     r"-   Timestamp +ReqBody: ", text):
            self.theirs[status.group(1) + ", the client's body broke off"] += 1
            return
        known = self.late if NO_ROOM in why and numbers else self.ours
        known.append({
            "status": int(status.group(1)), "numbers": numbers,
            "alone": alone, "why": why[:5],
            "what": [self.load.corpus.by_number[number].name
                     for number in numbers], "log": lines[:200]})

    def judge_late(self):
        """Judges the answers with NO_ROOM."""
        for one in self.late:
            one["squeezed"] = [self.squeezed(number)
                               for number in one["numbers"]]
            if all(None not in pair and pair[0] >= pair[1] - LESS_ROOM
                   for pair in one["squeezed"]):
                self.theirs["%d, no room to deliver, and as little without the"
                            " module" % one["status"]] += 1
            else:
                self.ours.append(one)
        self.late = []

    def squeezed(self, number):
        data = self.load.corpus.by_number[number].data
        return [squeezed(node.port, data)
                for node in (self.world.main, self.world.twin)]

    def numbers(self, text):
        """Returns the request's number, by its X-Id, or those of all that it may be."""
        found = re.search(r"ReqHeader +X-Id: (\d+)", text)
        if found:
            number = int(found.group(1))
            return [number] if number < len(self.load.corpus.by_number) else []
        line = [re.search(r"-   Req%s +(\S+)" % part, text)
                for part in ("Method", "URL", "Protocol")]
        return self.nameless[tuple(part.group(1) for part in line)] \
            if all(line) else []

    def alone(self, number):
        """Returns the statuses that Varnish answers by itself to a request, sent
        in each of the ways; 0: nothing.  No more of them than it takes."""
        known = self.known[number]
        for way in self.load.ways(number):
            if max(known.values(), default=0) >= 500:
                break
            if way not in known:
                known[way] = ask(self.world.twin.port, *way)
        return sorted(set(known.values()))

    def count(self):
        return len(self.ours) + sum(self.theirs.values())

    def close(self, killed=False):
        """Why some may be missing; "" if none is.  killed: the child was, and
        with it what its log had last."""
        if not killed and self.process.poll() is None:
            self.mark()
        ended = self.process.poll() is not None
        end(self.process)
        for thread in self.threads:
            thread.join(300)
        with open(self.said, encoding="utf-8", errors="replace") as said:
            wrong = [line for line in said.read().split("\n") if line and
                     not (killed and KILLED.match(line))]
        if ended:
            wrong.append("varnishlog has ended by itself")
        if not self.queue.empty() or \
                any(thread.is_alive() for thread in self.threads):
            wrong.append("not all of them are judged")
        else:
            self.judge_late()
        return "; ".join(wrong)


def nameless(corpus):
    """{(method, URL, protocol): the numbers of those that may be logged so, and
    have no X-Id}: garbage, and what stands in a header or a body."""
    found = collections.defaultdict(list)
    for request in corpus.by_number:
        lines = re.split(rb"\r?\n", request.data)
        if b"X-Id: " in request.data:
            lines = lines[1:]
        for line in lines:
            words = tuple(line.decode("utf-8", "replace").split())
            if len(words) == 3 and words[2].startswith("HTTP/"):
                found[words].append(request.number)
    return found


def overflowed_before(text):
    """Varnish's own workspace was full before any VCL ran."""
    head = re.split(r"VCL_call +RECV", text)[0]
    return "out of workspace (req)" in head or \
        not re.search(r"ReqHeader +X-Forwarded-For: ", head)


def squeezed(port, data):
    """With how many bytes of a next request behind it, all in one read(), a
    request fails, as they stay in the workspace; None: with none."""
    for more in range(0, 32768, 32):
        if ask(port, data + b"GET /" + more * b"x", 0) >= 500:
            return more
    return None


def ask(port, data, number, seconds=10):
    """The status of one of the answers to these bytes; 0 without it."""
    answer, found = b"", []
    try:
        with socket.create_connection(("127.0.0.1", port), seconds) as sock:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while len(found) <= number:
                more = sock.recv(65536)
                if not more:
                    break
                answer += more
                found = re.findall(rb"HTTP/1\.[01] ([2-5]\d\d) ", answer)
    except OSError:
        pass
    return int(found[number]) if len(found) > number else 0
