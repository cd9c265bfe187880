#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Sends random requests, for each of which VCL compares two ways to do the same.

usage: twins.py ADDRESS PORT

VCL answers 200 where both ways agree, and 500 with what differs. Both answers of
.match_path() must be seen.
"""

import os
import random
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from seed import SEED, WHOLE                            # noqa: E402

COUNT = 20000 if WHOLE else 3000
HOST_BITS = ["a", "B", "www", "example", "Example", ".", ".", ".", ":", ":80",
             "-", "_", "[", "]", "::1", "[2001:DB8::1]", "x" * 60, "/", "é"]
URL_BITS = ["/", "/", "a", "b", "bc", "news/", ".css", ".CSS", ".jpeg", ".gz",
            ".cfm", "?", "?", "#", "%3f", "x", "é"]
TEXT_BITS = ["a", "b", " ", "\t", ":", ";", ",", "é", "0123456789abcdef"]


def some(rng, bits, most):
    return "".join(rng.choice(bits) for _ in range(rng.randint(0, most)))


def spelled(rng, name):
    return "".join(rng.choice((c.lower(), c.upper())) for c in name)


def request(rng):
    """Returns a request; its Host and fields are in random order and case."""
    text = some(rng, TEXT_BITS, 5).strip(" \t")
    lines = [spelled(rng, "Host") + ": " + (some(rng, HOST_BITS, 6) or "a")]
    if rng.random() < 0.9:
        lines.append("X-Text: " + text)
    # A header often has its value already, or nearly the name of another one.
    for name in ("X-A", "X-B", "X-C", "X-BB", "Y-B", "X_B"):
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            lines.append(spelled(rng, name) + ":" + rng.choice(("", " ")) +
                         rng.choice((text, some(rng, TEXT_BITS, 3))))
    rng.shuffle(lines)
    return "\r\n".join(["GET /%s HTTP/1.1" % some(rng, URL_BITS, 6)] + lines +
                       ["", ""]).encode("utf-8")


def main():
    rng = random.Random(SEED)
    seen = set()
    sock = socket.create_connection((sys.argv[1], int(sys.argv[2])), 30)
    answers = sock.makefile("rb")
    for number in range(COUNT):
        sent = request(rng)
        sock.sendall(sent)
        line = answers.readline().decode("utf-8", "replace").split(None, 2)
        length = 0
        while (field := answers.readline().strip()):
            if field.lower().startswith(b"content-length:"):
                length = int(field.split(b":")[1])
        answers.read(length)
        if len(line) < 3 or line[1] != "200":
            sys.exit("FM_SEED=%d, request %d: %s\n%s" % (
                SEED, number, " ".join(line), sent.decode("utf-8")))
        seen.add(line[2].strip())
    if seen != {"true", "false"}:
        sys.exit("FM_SEED=%d: match_path was only %s" % (SEED, seen))


main()
