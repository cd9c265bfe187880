#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Many clients at once, whose answers are checked against a naive twin.

usage: crowd.py make FOLDER
       crowd.py ask FOLDER ADDRESS PORT CLIENTS REQUESTS

The first writes lists of random hosts, patterns and names into a folder, the
second asks a VCL that has loaded them. FM_SEED in the environment repeats a
run.
"""

import fnmatch
import os
import random
import re
import socket
import sys
import threading
import time

KINDS = ("contains", "exact", "prefix", "suffix", "glob", "regex")


def word(rng, least, most, letters="abcd"):
    return "".join(rng.choice(letters)
                   for _ in range(rng.randint(least, most)))


def make_hosts(rng):
    hosts = set()
    while len(hosts) < 400:
        name = ".".join(word(rng, 1, 2, "ab")
                        for _ in range(rng.randint(1, 4)))
        hosts.add(rng.choice(("{}", "*.{}", "{}.*")).format(name))
    return sorted(hosts, key=lambda _: rng.random())


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
    with open(f"{folder}/hosts", "w", encoding="ascii") as file:
        file.writelines(f"{host}\n" for host in make_hosts(rng))
    for kind in KINDS:
        with open(f"{folder}/{kind}", "w", encoding="ascii") as file:
            file.writelines(f"{make_pattern(rng, kind)}\n"
                            for _ in range(30))
    with open(f"{folder}/names", "w", encoding="ascii") as file:
        file.writelines(f"{word(rng, 1, 3)}{rng.choice(('', '*'))}\n"
                        for _ in range(20))


class Twin:
    """What the VCL should answer, one pattern after the other."""

    def __init__(self, folder):
        def lines(name):
            with open(f"{folder}/{name}", encoding="ascii") as file:
                return file.read().splitlines()

        self.hosts = lines("hosts")
        self.names = lines("names")
        self.patterns = [(kind, text, re.compile(text if kind == "regex"
                                                 else re.escape(text)))
                         for kind in KINDS for text in lines(kind)]

    def host(self, host):
        if host in self.hosts:
            return host
        below = [h for h in self.hosts
                 if h.startswith("*.") and host.endswith(h[1:])]
        above = [h for h in self.hosts
                 if h.endswith(".*") and host.startswith(h[:-1])]
        return max(below or above or [""], key=len)

    @staticmethod
    def fits(kind, text, regex, subject):
        if kind == "contains":
            return text in subject
        if kind == "exact":
            return text == subject
        if kind == "prefix":
            return subject.startswith(text)
        if kind == "suffix":
            return subject.endswith(text)
        if kind == "glob":
            return fnmatch.fnmatchcase(subject, text)
        return regex.search(subject) is not None

    def match(self, subject):
        return [number for number, (kind, text, regex)
                in enumerate(self.patterns, 1)
                if self.fits(kind, text, regex, subject)]

    def replaced(self, subject):
        """Each match of the first regex that matches, in brackets."""
        for kind, _, regex in self.patterns:
            if kind == "regex" and regex.search(subject):
                return regex.sub(r"<\g<0>>", subject)
        return subject

    def filter(self, params):
        return [param for param in params
                if not any(fnmatch.fnmatchcase(param.split("=")[0], name)
                           for name in self.names)]

    def answers(self, host, subject, params):
        found = self.match(subject)
        query = "&".join(self.filter(params))
        return {
            "x-host": self.host(host),
            "x-match": "true" if found else "false",
            "x-first": str(found[0] if found else 0),
            "x-last": str(found[-1] if found else 0),
            "x-n": str(len(found)),
            "x-pattern": self.patterns[found[0] - 1][1] if found else "",
            "x-sub": self.replaced(subject),
            "x-url": "/?" + query if query else "/",
            "x-cookies": "; ".join(self.filter(params)),
        }


class Client(threading.Thread):
    """One connection, and its share of the requests."""

    def __init__(self, twin, rng, address, requests):
        super().__init__()
        self.twin = twin
        self.rng = rng
        self.address = address
        self.requests = requests
        self.wrong = []
        self.hits = 0

    def run(self):
        try:
            with socket.create_connection(self.address, 60) as sock:
                with sock.makefile("rwb") as file:
                    for _ in range(self.requests):
                        self.ask(file)
        except OSError as error:
            self.wrong.append(str(error))

    def ask(self, file):
        rng = self.rng
        host = ".".join(word(rng, 1, 2, "ab")
                        for _ in range(rng.randint(1, 5)))
        subject = " ".join(word(rng, 1, 9) for _ in range(rng.randint(1, 6)))
        params = [f"{word(rng, 1, 4)}={word(rng, 0, 3)}"
                  for _ in range(rng.randint(1, 9))]
        url = "/?" + "&".join(params)
        cookies = "; ".join(params)
        file.write((f"GET {url} HTTP/1.1\r\nHost: {host.upper()}:80\r\n"
                    f"Subject: {subject}\r\nCookie: {cookies}\r\n"
                    "\r\n").encode())
        file.flush()
        status = file.readline().decode().strip()
        got = {}
        while (line := file.readline().decode().strip()):
            name, _, value = line.partition(":")
            got[name.lower()] = value.strip()
        file.read(int(got.get("content-length", 0)))
        expect = self.twin.answers(host, subject, params)
        self.hits += expect["x-match"] == "true"
        for name, value in expect.items():
            if got.get(name) != value:
                self.wrong.append(
                    f"{status}: {name} of '{host}' '{subject}' '{url}'"
                    f" is '{got.get(name)}', not '{value}'")


def ask(folder, address, port, clients, requests, seed):
    twin = Twin(folder)
    crowd = [Client(twin, random.Random(f"{seed} {n}"),
                    (address, int(port)), int(requests))
             for n in range(int(clients))]
    for client in crowd:
        client.start()
    for client in crowd:
        client.join()
    wrong = [line for client in crowd for line in client.wrong]
    hits = sum(client.hits for client in crowd)
    print(f"{clients} clients, {requests} requests each, {hits} matches,"
          f" {len(wrong)} wrong")
    for line in wrong[:20]:
        print(line)
    return 1 if wrong or hits == 0 else 0


def main():
    seed = os.environ.get("FM_SEED")
    if sys.argv[1] == "make":
        seed = seed or str(time.time_ns())
        with open(f"{sys.argv[2]}/seed", "w", encoding="ascii") as file:
            file.write(seed)
        print(f"FM_SEED={seed}")
        make(sys.argv[2], random.Random(seed))
        return 0
    with open(f"{sys.argv[2]}/seed", encoding="ascii") as file:
        return ask(*sys.argv[2:7], file.read())


sys.exit(main())
