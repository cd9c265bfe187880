#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Many clients at once get the answers that one alone gets.

usage: crowd.py make FOLDER
       crowd.py ask ADDRESS PORT CLIENTS REQUESTS

The first writes lists of random hosts, patterns and names into a folder, the
second asks a VCL that has loaded them: each request first by itself, then by
clients at the same time. FM_SEED in the environment repeats a run.
"""

import os
import random
import socket
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from seed import SEED   # noqa: E402

KINDS = ("contains", "exact", "prefix", "suffix", "glob", "regex")
VARYING = ("date", "x-varnish", "x-vinyl", "age")


def word(rng, least, most, letters="abcd"):
    return "".join(rng.choice(letters)
                   for _ in range(rng.randint(least, most)))


def make_host(rng):
    name = ".".join(word(rng, 1, 2, "ab") for _ in range(rng.randint(1, 4)))
    return rng.choice(("{}", "*.{}", "{}.*")).format(name)


def make_pattern(rng, kind):
    if kind == "glob":
        return "*" + word(rng, 3, 4) + "?" + word(rng, 1, 2) + "*"
    if kind == "regex":
        return rng.choice((
            f"{word(rng, 2, 3)}.{word(rng, 2, 3)}",
            f"^{word(rng, 1, 2)}[ab]+{word(rng, 2, 2)}",
            f"({word(rng, 2, 2)}|{word(rng, 3, 3)})\\1",
            f"{word(rng, 3, 3)}(?!{word(rng, 1, 1)})",
            f"(?<={word(rng, 2, 2)}){word(rng, 2, 3)}$"))
    return word(rng, 4, 6) if kind == "contains" else word(rng, 2, 5)


def make(folder, rng):
    lists = {"hosts": {make_host(rng) for _ in range(400)},
             "names": {word(rng, 1, 3) + rng.choice(("", "*"))
                       for _ in range(20)}}
    for kind in KINDS:
        lists[kind] = [make_pattern(rng, kind) for _ in range(30)]
    for name, lines in lists.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in sorted(lines))


def make_request(rng):
    host = ".".join(word(rng, 1, 2, "ab") for _ in range(rng.randint(1, 5)))
    subject = " ".join(word(rng, 1, 9) for _ in range(rng.randint(1, 6)))
    params = [f"{word(rng, 1, 4)}={word(rng, 0, 3)}"
              for _ in range(rng.randint(1, 9))]
    return (f"GET /?{'&'.join(params)} HTTP/1.1\r\nHost: {host.upper()}:80\r\n"
            f"Subject: {subject}\r\nCookie: {'; '.join(params)}\r\n"
            "\r\n").encode()


def answer(file, request):
    """Returns an answer's status and headers, without those that always differ."""
    file.write(request)
    file.flush()
    lines = [file.readline().decode().strip()]
    length = 0
    while (line := file.readline().decode().strip()):
        name, _, value = line.lower().partition(":")
        if name == "content-length":
            length = int(value)
        if name not in VARYING:
            lines.append(line)
    file.read(length)
    return lines


def ask_all(address, requests, expected, wrong):
    """Asks on one connection, and compares with `expected`; an answer to a request
    that is not in it is put there.
    """
    try:
        with socket.create_connection(address, 60) as sock:
            with sock.makefile("rwb") as file:
                for request in requests:
                    got = answer(file, request)
                    if expected.setdefault(request, got) != got:
                        wrong.append(f"{request} is {got},"
                                     f" not {expected[request]}")
    except OSError as error:
        wrong.append(str(error))


def ask(address, port, clients, count, rng):
    address = address, int(port)
    requests = [make_request(rng) for _ in range(int(count))]
    expected, wrong = {}, []
    ask_all(address, requests, expected, wrong)
    hits = sum("X-Match: true" in lines for lines in expected.values())
    threads = []
    for _ in range(int(clients)):
        mixed = rng.sample(requests, len(requests))
        threads.append(threading.Thread(target=ask_all, args=(
            address, mixed, expected, wrong)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{clients} clients, {count} requests each, {hits} of them match,"
          f" {len(wrong)} wrong")
    print("\n".join(wrong[:20]))
    return 1 if wrong or not 0 < hits < len(requests) else 0


def main():
    print(f"FM_SEED={SEED}")
    if sys.argv[1] == "make":
        make(sys.argv[2], random.Random(SEED))
        return 0
    return ask(*sys.argv[2:6], random.Random(SEED))


sys.exit(main())
