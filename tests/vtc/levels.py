#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Asks a VCL the same at many fill levels of its workspace.

usage: levels.py INSTANCE VCL ADDRESS PORT METHOD STATUS CALL...

The VCL leaves as many bytes of its workspace free as the header `level` says,
and then makes the calls that the header `only` names. It takes response
headers away, as that needs no workspace: `bad-*` when something was right,
`short-OBJECT-*` when the call had all the room that it needed. The headers
`short-*` that are left must be as many as the objects' counters say. Calls
with a header `uncounted` are not counted, and come last; the module's functions
have an empty OBJECT. With `only: none` nothing is called: levels at which
Varnish alone can't answer are left out.
"""

import shutil
import socket
import subprocess
import sys
import time

# Levels are closer to each other around 2 KB, which the module leaves to Varnish.
LEVELS = (list(range(0, 1984, 32)) + list(range(1984, 3072, 8)) +
          list(range(3072, 8192, 256)))

instance, vcl, address, port, method, status = sys.argv[1:7]
calls = sys.argv[7:]


class Client:
    """One connection, as long as Varnish likes it."""

    def __init__(self):
        self.file = None

    def ask(self, level, only):
        """Returns status and names of headers; answers have no body (HEAD, 204)."""
        if self.file is None:
            sock = socket.create_connection((address, int(port)), 30)
            self.file = sock.makefile("rwb")
            sock.close()
        self.file.write((f"{method} /starved HTTP/1.1\r\nHost: a.example\r\n"
                         f"level: {level}\r\nonly: {only}\r\n\r\n").encode())
        try:
            self.file.flush()
            answer = self.file.readline().decode().split()
        except ConnectionError:
            sys.exit(f"{only} at level {level}: no answer, a panic")
        names = []
        while (line := self.file.readline()) not in (b"\r\n", b""):
            names.append(line.decode().split(":")[0].lower())
        if answer[1:2] != [status]:
            self.file.close()
            self.file = None
        return (answer + [None, None])[1], names


def counted():
    """Returns {object: how often it had no room}, from the counters."""
    stat = shutil.which("varnishstat") or shutil.which("vinylstat")
    lines = subprocess.run([stat, "-n", instance, "-1", "-f",
                            f"FASTMATCH.{vcl}*.workspace_overflow"],
                           check=True, capture_output=True, text=True)
    counters = {}
    for line in lines.stdout.splitlines():
        name, value = line.split()[:2]
        counters[name.removeprefix("FASTMATCH." + vcl).lstrip(".")
                 .removesuffix("workspace_overflow").rstrip(".")] = int(value)
    return counters


def counted_since(before, wanted):
    """Returns what is new: counters are summed once a second."""
    end = time.monotonic() + 60
    while True:
        after = counted()
        delta = {name: after[name] - before[name] for name in before}
        if delta == wanted or time.monotonic() > end:
            return delta
        time.sleep(0.1)


def starve(client, call, levels, short):
    """Makes one call at all levels, counts in `short` how often an object had no room,
    and returns the number of failures.
    """
    failures = 0
    full = 0
    for level in levels:
        answer, headers = client.ask(level, call)
        bad = [h for h in headers if h.startswith("bad-")]
        if answer != status or bad:
            print(f"{call} at level {level}: {answer} {bad}")
            failures += 1
        left = [h for h in headers if h.startswith("short-")]
        full += not left
        for header in left:
            short[header.split("-")[1]] += 1
    print(f"{call}: with room {full}, without {len(levels) - full}; "
          f"in all without {short}")
    return failures + (full == 0)


def main():
    client = Client()
    levels = [level for level in LEVELS
              if client.ask(level, "none")[0] == status]
    print(f"{len(levels)} of {len(LEVELS)} levels do for Varnish alone")
    failures = len(levels) < len(LEVELS) * 3 // 4
    # At the last level there is room for all calls: they count nothing.
    uncounted = [call for call in calls
                 if "uncounted" in client.ask(LEVELS[-1], call)[1]]
    before = counted()
    short = dict.fromkeys(before, 0)
    for call in calls:
        if call not in uncounted:
            failures += starve(client, call, levels, short)
    delta = counted_since(before, short)
    if delta != short and len(uncounted) < len(calls):
        print(f"without room {short}, but counted {delta}")
        failures += 1
    for call in uncounted:
        failures += starve(client, call, levels, short)
    return 1 if failures else 0


sys.exit(main())
