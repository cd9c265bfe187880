#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Asks rules.starvation.vtc the same at many fill levels of its workspace.

usage: rules_levels.py INSTANCE OBJECT ADDRESS PORT

A status is that of the verdict and 20; plus 1, if the request was edited; plus
2, if the object remembers the run. 299 is the status of no verdict. Whatever
was left undone must have been counted. A level at which Varnish alone can't
answer (asked with `without`) is no matter.
"""

import shutil
import socket
import subprocess
import sys
import time

LEVELS = list(range(0, 3072, 16)) + list(range(3072, 8192, 256))
# the verdict's status where there is room, and where there is none
CASES = {"pass": (200, 200), "deny": (403, 403), "redirect": (302, 299),
         "hash": (200, 299), "change": (299, 299), "keep": (299, 299)}
# What a deny may lack beside: its reason, which no status tells.
UNTOLD = {"deny"}

instance, name, address, port = sys.argv[1:5]


class Client:
    """One connection, as long as Varnish likes it."""

    def __init__(self):
        self.file = None

    def ask(self, host, level, without=None):
        """Status and headers; answers have no body."""
        if self.file is None:
            sock = socket.create_connection((address, int(port)), 30)
            self.file = sock.makefile("rwb")
            sock.close()
        more = f"without: {without}\r\n" if without else ""
        self.file.write((f"HEAD /x?utm_a=1&b=2 HTTP/1.1\r\nHost: {host}\r\n"
                         f"level: {level}\r\n{more}\r\n").encode())
        try:
            self.file.flush()
            answer = self.file.readline().decode().split()
        except ConnectionError:
            sys.exit(f"{host} at level {level}: no answer, a panic")
        headers = {}
        while (line := self.file.readline()) not in (b"\r\n", b""):
            key, _, value = line.decode().partition(":")
            headers[key.lower()] = value.strip()
        status = int(answer[1]) if answer else 0
        if not answer or status >= 500 or \
                headers.get("connection") == "close":
            self.file.close()
            self.file = None
        return status, headers


def counted():
    stat = shutil.which("varnishstat") or shutil.which("vinylstat")
    lines = subprocess.run([stat, "-n", instance, "-1", "-f",
                            f"FASTMATCH.{name}.workspace_overflow"],
                           check=True, capture_output=True, text=True)
    return int(lines.stdout.split()[1])


def counted_so_far():
    """The same when all is summed up, which is done once a second."""
    now = counted()
    since = time.monotonic()
    while time.monotonic() < since + 2.5:
        time.sleep(0.1)
        before, now = now, counted()
        if now != before:
            since = time.monotonic()
    return now


def counted_since(before, wanted):
    """What is new, as soon as it is as much as that."""
    end = time.monotonic() + 5
    while counted() - before < wanted and time.monotonic() < end:
        time.sleep(0.05)
    return counted() - before


def alone(client, case, level):
    """Whether Varnish can answer at this level without rules."""
    ways = {"pass": ["pass"], "hash": ["pass", "synth"]}.get(case, ["synth"])
    return all(client.ask("none.example", level, way)[0] in (220, 319)
               for way in ways)


def ask_all(client, case, levels):
    """How many lacked something, and after which level all have answers."""
    given, dropped = CASES[case]
    lacking = failed = 0
    for number, level in enumerate(levels, 1):
        status, headers = client.ask(f"a.{case}.example", level)
        if status in (0, 500, 503, 599):
            if alone(client, case, level):
                sys.exit(f"{case} at level {level}: status {status}, and"
                         " without rules there is an answer")
            lacking = 0
            failed = number
            continue
        for verdict, edited in ((given, 1), (dropped, 0)):
            for known in (0, 2):
                if status == verdict + 20 + edited + known:
                    break
            else:
                continue
            break
        else:
            sys.exit(f"{case} at level {level}: status {status}")
        if not edited or not known:
            lacking += 1
        where = "https://www.example/x?b=2" if verdict == 302 else None
        if headers.get("location") != where:
            sys.exit(f"{case} at level {level}: Location is"
                     f" {headers.get('location')}")
    if not (edited and known):
        sys.exit(f"{case}: there is never room")
    if case != "pass" and lacking == 0:
        sys.exit(f"{case}: there is always room")
    return lacking, failed


def check(client, case, levels, before):
    """What is counted at these levels is what is lacking; the counter."""
    lacking, failed = ask_all(client, case, levels)
    while failed:
        # It was close: not the same as when it was tried out.
        levels = levels[failed:]
        before = counted_so_far()
        lacking, failed = ask_all(client, case, levels)
    delta = counted_since(before, lacking)
    if case in UNTOLD and delta >= lacking:
        delta = lacking = counted_so_far() - before
    if delta != lacking:
        sys.exit(f"{case}: {lacking} times something was left undone, and"
                 f" {delta} times counted")
    print(f"{case}: {len(levels)} answers in a row, {lacking} lacking"
          " something")
    return before + delta


def main():
    client = Client()
    enough = {case: LEVELS[ask_all(client, case, LEVELS)[1]:]
              for case in CASES}
    total = counted_so_far()
    for case, levels in enough.items():
        total = check(client, case, levels, total)
    if counted_so_far() != total:
        sys.exit("more is counted than was left undone")


main()
