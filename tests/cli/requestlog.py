# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Logs for the tests of replay and diff, and what `fastmatch explain` says of
their requests, one by one."""

import random

from clitest import WHOLE, fastmatch

COMBINED = ('%s - - [21/Nov/2026:07:54:01 +0000] "%s http://%s%s HTTP/1.1" '
            '200 1 "-" "%s"')

HOSTS = ["www.example.com", "WWW.example.com", "example.com:80", "example.com",
         "de.wiki.example", "shop.example.com", "empty.example",
         "nobody.example.org", "192.0.2.77", "bad..host"]
PATHS = ["/", "/cart", "/old/page", "/a.jpg", "/b/index.cfm", "/x"]
QUERIES = ["", "", "?utm_source=a", "?utm_source=b&id=1", "?id=1", "?fbclid=2",
           "?id=1&utm_medium=m"]
AGENTS = ["Mozilla/5.0 (iPhone)", "Mozilla/5.0 (X11; Linux)", "an iPad",
          'Opera Mini "x" \\ y', "-"]
METHODS = ["GET", "GET", "GET", "POST", "HEAD"]
# Each different request is explained by a process, which tries the engine first: 0.06 s.
DIFFERENT = 200 if WHOLE else 25
CLIENTS = ["192.0.2.9", "203.0.113.1", "2001:db8::7"]


def requests(seed, count):
    """Yields tuples of client, method, host, URL and agent."""
    rng = random.Random(seed)
    pool = [(rng.choice(CLIENTS), rng.choice(METHODS), rng.choice(HOSTS),
             rng.choice(PATHS) + rng.choice(QUERIES), rng.choice(AGENTS))
            for _ in range(DIFFERENT)]
    for _ in range(count):
        yield rng.choice(pool)


def escape(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def line(request):
    client, method, host, url, agent = request
    return COMBINED % (client, method, host, escape(url), escape(agent))


class Explained:
    """Explains each different request once."""

    def __init__(self, rules, cwd):
        self.rules, self.cwd, self.known = rules, cwd, {}

    def __call__(self, request):
        if request not in self.known:
            client, method, host, url, agent = request
            agents = [] if agent == "-" else ["-H", "User-Agent: " + agent]
            answer = fastmatch("explain", "--json", self.rules, "--raw",
                               "--url", url, "-H", "Host: " + host, "--client",
                               client, "--method", method, *agents,
                               cwd=self.cwd)
            assert answer.status == 0, answer
            self.known[request] = answer.json()
        return self.known[request]
