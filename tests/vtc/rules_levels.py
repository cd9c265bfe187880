#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Asks rules.starvation.vtc the same at many fill levels of its workspace.

usage: rules_levels.py INSTANCE OBJECT ADDRESS PORT

A status is that of the verdict and 20; plus 1, if the request was edited; plus
2, if the object remembers the run. 299 is the status of no verdict. A request
is edited and remembered, or it is refused with 431, which is counted; a denial
keeps its status. A level at which Varnish alone can't answer (asked with
`without`) is no matter.
"""

import shutil
import socket
import subprocess
import sys
import time

LEVELS = list(range(0, 3072, 16)) + list(range(3072, 8192, 256))
# the verdict's status where there is room
CASES = {"pass": 200, "deny": 403, "redirect": 302, "hash": 200,
         "change": 299, "keep": 299}
REFUSED = 431

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


def counter(which):
    stat = shutil.which("varnishstat") or shutil.which("vinylstat")
    lines = subprocess.run([stat, "-n", instance, "-1", "-f",
                            f"FASTMATCH.{name}.{which}"],
                           check=True, capture_output=True, text=True)
    return int(lines.stdout.split()[1])


def counted_so_far(client):
    """Returns how many were refused, and how many denied without edits, when
    all is summed up.  That is done once a second; the first sum may have begun too early.
    """
    for _ in range(2):
        before = counter("lookups")
        client.ask("none.example", LEVELS[-1])
        end = time.monotonic() + 10
        while counter("lookups") == before:
            if time.monotonic() > end:
                sys.exit("counters are not summed up")
            time.sleep(0.1)
    return counter("refused_workspace"), counter("workspace_overflow")


def alone(client, case, level):
    """Whether Varnish can answer at this level without rules."""
    ways = {"pass": ["pass"], "hash": ["pass", "synth"]}.get(case, ["synth"])
    return all(client.ask("none.example", level, way)[0] in (220, 319)
               for way in ways)


def ask_all(client, case, levels):
    """How many had no room, and after which level all have answers."""
    given = CASES[case]
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
        whole = status == given + 23
        if not whole and status not in (
                [given + 20, given + 22] if case == "deny" else
                [REFUSED + 20]):
            sys.exit(f"{case} at level {level}: status {status}")
        lacking += not whole
        where = "https://www.example/x?b=2" if status == 325 else None
        if headers.get("location") != where:
            sys.exit(f"{case} at level {level}: Location is"
                     f" {headers.get('location')}")
    if not whole:
        sys.exit(f"{case}: there is never room")
    if lacking == 0:
        sys.exit(f"{case}: there is always room")
    return lacking, failed


def main():
    client = Client()
    for case in CASES:
        _, close = ask_all(client, case, LEVELS)
        levels = LEVELS[close:]
        while levels:
            before = counted_so_far(client)
            lacking, close = ask_all(client, case, levels)
            if close:
                # Not the same as when it was tried out.
                levels = levels[close:]
                continue
            after = counted_so_far(client)
            counted = after[case == "deny"] - before[case == "deny"]
            print(f"{case}: {len(levels)} answers in a row, {lacking} without"
                  f" room, {counted} counted")
            if counted != lacking:
                sys.exit(f"{case}: {lacking} had no room, {counted} counted")
            break


main()
