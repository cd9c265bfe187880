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
    """Returns how often something was left undone, when all is summed up.
    That is done once a second; the first sum may have begun too early.
    """
    for _ in range(2):
        before = counter("lookups")
        client.ask("none.example", LEVELS[-1])
        end = time.monotonic() + 10
        while counter("lookups") == before:
            if time.monotonic() > end:
                sys.exit("counters are not summed up")
            time.sleep(0.1)
    return counter("workspace_overflow")


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


def counted_of(client, enough, before):
    """Asks at the levels of each case: how often something was lacking, and
    the counter before and after.
    """
    failed = True
    while failed:
        failed = False
        lacking = 0
        for case, levels in enough.items():
            missing, close = ask_all(client, case, levels)
            print(f"{case}: {len(levels)} answers in a row, {missing} lacking"
                  " something")
            lacking += missing
            if close:
                # Not the same as when it was tried out.
                enough[case] = levels[close:]
                failed = True
        after = counted_so_far(client)
        if failed:
            before = after
    return lacking, before, after


def main():
    client = Client()
    enough = {case: LEVELS[ask_all(client, case, LEVELS)[1]:]
              for case in CASES}
    deny = {"deny": enough.pop("deny")}
    lacking, before, after = counted_of(client, enough,
                                        counted_so_far(client))
    if after - before != lacking:
        sys.exit(f"{lacking} times something was left undone, and"
                 f" {after - before} times counted")
    # No status tells whether there was room for the reason, too.
    lacking, before, after = counted_of(client, deny, after)
    if after - before < lacking:
        sys.exit(f"deny: {lacking} times something was left undone, and"
                 f" {after - before} times counted")


main()
