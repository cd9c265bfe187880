# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""
Reads the answers of 5xx from Varnish's log, and tells whose fault they are.
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


# Varnish logs this if it has no room to deliver an answer.  In spite of the text it is
# the workspace of the client, most often, that is full.
NO_ROOM = "workspace_thread overflow"
# The module logs this where it refuses a delivery.
LATER = (": the response is refused with 503",
         ": the answer is a 503 without a body")
REFUSES = tuple("fastmatch: soak.%s(): " % method
                for method in ("apply", "page", "metrics"))
# A request may fail here with this number of bytes less pipelined after it than
# in the twin, whose VCL differs.
LESS_ROOM = 32


class Failures:
    """
    Each request that failed is sent to the twin as well, in all the ways in which it
    was sent.  If it fails there, too, that is not a fault of the module.

    The room to deliver an answer depends on how much of a pipeline came with one
    read(), which depends on the load.  So a request that failed by NO_ROOM is sent
    again at the end, to both varnishds, with ever more of a pipeline after it.  The
    failure is ours if it takes less of a pipeline than in the twin.
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
        """Asks for a 5xx, and waits until it is found in the log: then all failures
        before it were found, too."""
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
        # The twin has no rules whose delivery can be refused.
        if any(one.startswith(REFUSES) and one.endswith(LATER)
               for one in why):
            self.theirs[status.group(1) + ", a delivery was refused"] += 1
            return
        numbers = self.numbers(text)
        alone = sorted(set().union(*map(self.alone, numbers)))
        if alone and max(alone) >= 500:
            self.theirs["%s, and %d without the module" % (
                status.group(1), max(alone))] += 1
            return
        # Varnish itself has overflowed the workspace before any VCL ran, and answers
        # 500 then.  The bytes in the workspace depend on how much of a pipeline came
        # with one read(), so the same can't be done to the twin.  The log of a restart
        # has no such line, but lacks the header that was lost.
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
        """Returns the number in X-Id, or without one those of all requests that fit."""
        found = re.search(r"ReqHeader +X-Id: (\d+)", text)
        if found:
            number = int(found.group(1))
            return [number] if number < len(self.load.corpus.by_number) else []
        line = [re.search(r"-   Req%s +(\S+)" % part, text)
                for part in ("Method", "URL", "Protocol")]
        return self.nameless[tuple(part.group(1) for part in line)] \
            if all(line) else []

    def alone(self, number):
        """Returns the statuses that the twin answers to a request, sent in each of its
        ways until one is a 5xx; 0: no answer."""
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
        """Ends the reading; returns why failures may be missing, or "".  killed: the
        child was killed, and the last lines of its log are lost."""
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
    """Returns {(method, URL, protocol): numbers of requests without X-Id that may be
    logged so}: garbage, and lines in a header or a body."""
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
    """Returns true if Varnish had filled the workspace before any VCL ran."""
    head = re.split(r"VCL_call +RECV", text)[0]
    return "out of workspace (req)" in head or \
        not re.search(r"ReqHeader +X-Forwarded-For: ", head)


def squeezed(port, data):
    """Returns how many bytes of a next request, sent after this one, make it fail:
    one read() gets both, and the bytes stay in the workspace.  None: it never fails."""
    for more in range(0, 32768, 32):
        if ask(port, data + b"GET /" + more * b"x", 0) >= 500:
            return more
    return None


def ask(port, data, number, seconds=10):
    """Returns the status of the answer `number` to these bytes; 0: no such answer."""
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
