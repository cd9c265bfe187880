# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""What a varnishd has done with a request, from its log.

    varnishlog -g raw:   32770 BereqHeader    b Fm-Story: 7
"""

import re
import subprocess
import threading
import time

from backend import STEP, STORY

LINE = re.compile(r"^\s*(\d+) (\S+)\s+([-bc]) ?(.*)$")
TAGS = ("Begin,End,Link,ReqHeader,BerespProtocol,BerespStatus,BerespHeader,BerespUnset,"
        "RespStatus,VCL_call,VCL_return,VCL_trace,VCL_Log,TTL")
LINKED = ("fetch", "bgfetch", "pass", "retry", "restart", "esi", "pipe")
WAIT = 60       # seconds, on a busy machine


class Transaction:
    def __init__(self, number):
        self.number = number
        self.records = []
        self.ended = False
        self.linked = []
        self.kind = ""
        self.included = False   # by ESI

    def values(self, tag):
        return [value for name, value in self.records if name == tag]


class Log:
    """The log of a varnishd, as it grows."""

    def __init__(self, program, folder):
        self.lock = threading.Condition()
        self.transactions = {}
        self.steps = {}         # (story, step) -> numbers of the client's requests
        self.process = subprocess.Popen(
            [program, "-n", folder, "-g", "raw", "-i", TAGS, "-t", "60"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.thread.join(5)

    def follow(self):
        for line in self.process.stdout:
            hit = LINE.match(line.decode("latin-1").rstrip("\n"))
            if hit and hit.group(1) != "0":
                with self.lock:
                    self.take(int(hit.group(1)), hit.group(2), hit.group(4))

    def take(self, number, tag, value):
        one = self.transactions.get(number)
        if one is None:
            one = self.transactions[number] = Transaction(number)
        one.records.append((tag, value))
        if tag == "Begin":
            one.kind = " ".join(value.split()[::2])
        elif tag == "Link":
            words = value.split()
            if len(words) >= 3 and words[2] in LINKED:
                one.linked.append(int(words[1]))
        elif tag == "ReqHeader" and value.startswith(STEP + ": ") and \
                one.kind == "req rxreq":
            story = [text for text in one.values("ReqHeader")
                     if text.startswith(STORY + ": ")]
            if story:
                key = (int(story[0].split()[1]), int(value.split()[1]))
                found = self.steps.setdefault(key, [])
                if number not in found:
                    found.append(number)
        elif tag == "End":
            one.ended = True
            self.lock.notify_all()

    def complete(self, number):
        one = self.transactions.get(number)
        return one is not None and one.ended and all(
            self.complete(other) for other in one.linked)

    def wait(self, story, step, most=WAIT):
        """Waits until a step has ended, with all its fetches; returns false if it isn't in
        the log."""
        end = time.monotonic() + most
        key = (story, step)
        with self.lock:
            while not (key in self.steps and all(
                    self.complete(number) for number in self.steps[key])):
                if time.monotonic() > end:
                    return False
                self.lock.wait(0.1)
        return True

    def of(self, story, step):
        """Returns the transactions of a step: the request, then what it led to."""
        found = []

        def add(number, included):
            one = self.transactions.get(number)
            if one and one not in found:
                one.included = included or one.kind == "req esi"
                found.append(one)
                for other in one.linked:
                    add(other, one.included)

        with self.lock:
            for number in self.steps.get((story, step), []):
                add(number, False)
        return found

    def forget(self, story, steps):
        with self.lock:
            for step in range(steps):
                for number in self.steps.pop((story, step), []):
                    self.drop(number)

    def drop(self, number):
        one = self.transactions.pop(number, None)
        for other in one.linked if one else []:
            self.drop(other)
