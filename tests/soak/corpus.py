# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes the corpus: requests in good faith and others, as bytes.

Each request has a number, X-Id, by which the log tells which one it was.  Any client
may send the requests in `together`, wrk too.  `apart` has those after which a client
must close its connection (no answer, an answer to a HEAD, a connection given up).
"""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "bench", "insitu"))
import traffic                                          # noqa: E402

POLICIES = ("soak", "article", "demo")
SIZES = (200, 254, 255, 256, 1000, 2000, 4000, 7000, 8000, 8180, 8200, 9000,
         12000, 16000, 24000, 31000, 32700, 33000)
PHONE = "Nokia6230/2.0 (iPhone, or so it says)"

# Values for a header, a host or a URL, without an end of line in it.
ODD = (b"", b" ", b"\t", b";", b"=", b"&", b"?", b"%", b"%0", b"%zz", b"%00",
       b"%0d%0aEvil: 1", b"\xff\xfe\x80", b"\xc3\x28", b"\x01\x02\x1b[31m",
       b"${url}", b"\\1", b"\\", b"a" * 60 + b"!", b"x" * 60 + b"!",
       b"a,b;q=2,*;q=0.5,;;,q=0", b"../../etc/passwd", b"'\"<>(){}[]",
       b"%" * 300, b"." * 300, b"-", b"*", b"\xe4\xf6\xfc")
HOSTS = (b"", b".", b"..", b"a..b", b".example.com", b"www.example.com.",
         b"WWW.Example.COM:8080", b"www.example.com:", b"www.example.com:http",
         b"[::1]:80", b"[::1", b"[]", b"::1", b"127.0.0.1", b"%77ww.example",
         b"a.wild.example", b"a.b.c.wild.example.:80", b"-.wild.example",
         b"_x.wild.example", b".wild.example", b"a..wild.example",
         b"wild.example", b"x" * 63 + b".wild.example", b"shop.example.com",
         b"h7.example.net", b"h1999.example.net", b"h2000.example.net",
         b"www.example.com evil", b"www.example.com,evil", b"a/b", b"a@b",
         b"\xff.wild.example", b"x" * 254, b"x" * 300, b"a." * 127,
         b"elsewhere.test")


class Request:
    """`name` says what is odd about it."""

    def __init__(self, number, name, data):
        self.number = number
        self.name = name
        self.data = data


class Corpus:
    """All requests, by their numbers."""

    def __init__(self, seed):
        self.random = random.Random("soak %d" % seed)
        self.by_number = []
        self.normal, self.hostile, self.apart = [], [], []
        self.of_article(seed, 600)
        self.of_demo()
        self.of_soak(200)
        self.of_sizes()
        self.of_counts()
        self.of_odd()
        self.of_garbage(300)
        self.of_bad_http()
        self.together = self.mix()

    def mix(self):
        """
        Returns each hostile request, mixed with twice as many in good faith.  Eight of
        the latter come first: wrk itself looks at their answers.
        """
        mixed = [self.random.choice(self.normal)
                 for _ in range(2 * len(self.hostile))] + self.hostile
        self.random.shuffle(mixed)
        return self.normal[:8] + mixed

    # How one is made

    def add(self, where, name, url=b"/", headers=(), host=b"www.example.com",
            policy="soak", method=b"GET", version=b"HTTP/1.1", body=b""):
        number = len(self.by_number)
        lines = [b"%s %s %s" % (method, url, version), b"X-Id: %d" % number,
                 b"X-Policy: " + policy.encode("ascii")]
        if host is not None:
            lines.append(b"Host: " + host)
        lines += headers
        self.put(where, name, b"\r\n".join(lines) + b"\r\n\r\n" + body)

    def put(self, where, name, data):
        """Adds a request of the bytes `data`, which may have an X-Id in them."""
        request = Request(len(self.by_number), name, data)
        self.by_number.append(request)
        where.append(request)

    # In good faith

    def of_article(self, seed, count):
        for asked in traffic.make(seed, count):
            self.add(self.normal, "article", asked.url.encode("ascii"), [
                line.encode("ascii") for line in asked.headers()],
                asked.host.encode("ascii"), "article")

    def of_demo(self):
        agent = b"User-Agent: " + PHONE.encode("ascii")
        for host, url, headers in (
                (b"www.example.com", b"/?utm_source=mail&page=2&gclid=1", []),
                (b"WWW.Example.COM:80", b"/?page=2", [agent]),
                (b"books.shop.example.com", b"/",
                 [b"Cookie: _ga=1; session=s; cart_1=c"]),
                (b"shop.example.org", b"/cart", []),
                (b"de.wiki.example.", b"/wiki/Varnish?b=2&fbclid=3&a=1",
                 [b"Accept-Language: de-AT, en;q=0.5"]),
                (b"admin.example.com", b"/", []),
                (b"[::1]:80", b"/", [b"Cookie: a=1"]),
                (b"elsewhere.test", b"/", [])):
            self.add(self.normal, "demo", url, headers, host, "demo")

    def of_soak(self, count):
        pick = self.random.choice
        for n in range(count):
            self.add(self.normal, "soak", b"%s%d?%s" % (
                pick((b"/p/", b"/pass/", b"/to/", b"/gone/", b"/none/",
                      b"/esi/", b"/rw/", b"/restart/", b"/open/", b"/x/",
                      b"/call/", b"/deny/")),
                n % 100, pick((b"", b"b=2&a=1&utm_x=3", b"_ga=1&c=%20",
                               b"b=x!"))), [
                b"User-Agent: " + pick((b"Mozilla/5.0", PHONE.encode("ascii"),
                                        b"iPad", b"sqlmap/1.0")),
                b"Accept-Encoding: gzip, br;q=0.9",
                b"Cookie: session=%d; _ga=2; c1x=3" % n],
                pick((b"www.example.com", b"shop.example.com",
                      b"a.wild.example", b"h%d.example.net" % (n % 2500),
                      b"elsewhere.test")))

    # In bad faith

    def of_sizes(self):
        for size in SIZES:
            for policy in POLICIES:
                for name, url, headers in (
                        ("a header", b"/", [b"X-A: " + b"x" * size]),
                        ("a User-Agent", b"/",
                         [b"User-Agent: " + b"a" * size + b"!"]),
                        ("a cookie", b"/", [b"Cookie: c1=" + b"x" * size]),
                        ("cookies", b"/", [b"Cookie: " + b"".join(
                            b"c%d=%d; " % (n, n)
                            for n in range(size // 12))]),
                        ("a name", b"/",
                         [b"X-Internal-" + b"n" * size + b": x"]),
                        ("a plain name", b"/", [b"n" * size + b": x"]),
                        ("a URL", b"/" + b"u" * size, []),
                        ("a URL to", b"/to/" + b"u" * size, []),
                        ("a URL to be rewritten", b"/rw/" + b"u" * size, []),
                        ("a restart", b"/restart/" + b"u" * size, []),
                        ("a page with parts", b"/esi/" + b"u" * size, []),
                        ("a pass", b"/pass/" + b"u" * size, []),
                        ("a query", b"/?b=" + b"q" * size + b"!", []),
                        ("percents", b"/?" + b"%61%6" * (size // 5), []),
                        ("an Accept", b"/",
                         [b"Accept: " + b"a/b;q=0.1," * (size // 10)])):
                    self.add(self.hostile, "%s of %d" % (name, size), url,
                             headers, policy=policy)
            self.add(self.hostile, "a host of %d" % size, b"/", [],
                     b"h" * size)
            self.add(self.hostile, "a method of %d" % size,
                     method=b"M" * size)
            # Headers of a middle size that fill a request.
            self.add(self.hostile, "headers of %d in all" % size, b"/a", [
                b"X-%d: %s" % (n, b"y" * 400) for n in range(size // 400)])

    def of_counts(self):
        for count in (10, 100, 1000, 3000):
            for name, query in (
                    ("parameters", b"&".join(b"a%d=%d" % (n * 7 % count, n)
                                             for n in range(count))),
                    ("empty parameters", b"&" * count),
                    ("equal parameters", b"x&" * count),
                    ("spelled parameters", b"&".join(
                        b"%%%02x=%d" % (n % 256, n) for n in range(count)))):
                for policy in POLICIES:
                    self.add(self.hostile, "%d %s" % (count, name),
                             b"/?" + query[:31000], policy=policy)
        for count in (20, 26, 27, 28, 29, 30, 31, 32, 40, 50, 54, 56, 57, 58,
                      59, 60, 61, 62, 63, 64, 65, 66):
            for name, header in (
                    ("headers", b"X-%d: x"), ("cookie headers",
                                              b"Cookie: c%d=x"),
                    ("Accepts", b"Accept: a/%d"), ("internal headers",
                                                   b"X-Internal-%d: x")):
                for policy in POLICIES:
                    self.add(self.hostile, "%d %s" % (count, name), b"/to/",
                             [header % n for n in range(count)],
                             policy=policy)

    def of_odd(self):
        for text in ODD:
            for name in (b"X-A", b"X-Eater", b"User-Agent", b"Cookie",
                         b"Accept", b"Accept-Encoding", b"Accept-Language",
                         b"Authorization", b"X-Restart", b"Range",
                         b"If-None-Match", b"Content-Type"):
                self.add(self.hostile, "%r: %r" % (name, text), b"/p/x?y",
                         [name + b": " + text])
            safe = text.replace(b" ", b"").replace(b"\t", b"")
            for url in (b"/open/?", b"/to/", b"/?b=", b"/rw/", b"//", b"*",
                        b"", b"http://www.example.com", b"http://",
                        b"http://a.wild.example/", b"HTTPS://[::1]:1/?b="):
                for policy in POLICIES:
                    self.add(self.hostile, "URL %r" % (url + text),
                             url + safe, policy=policy)
            self.add(self.hostile, "host %r" % text, b"/to/", host=text)
        for host in HOSTS:
            for policy in POLICIES:
                self.add(self.hostile, "host %r" % host, b"/p/1", host=host,
                         policy=policy)
        self.add(self.hostile, "no host", host=None)
        # Each header brings a regex over its limit; there are six such regexes.
        for count in (1, 4, 6):
            self.add(self.hostile, "%d eaters" % count, b"/p/e", [
                b"X-Eater%d: %s!" % (n, b"a" * 64) for n in range(count)])
        self.add(self.hostile, "an eater in a query",
                 b"/?b=" + b"!x" * 2000)

    def of_garbage(self, count):
        rng = self.random
        for n in range(count):
            garbage = bytes(rng.randrange(1, 256)
                            for _ in range(rng.randrange(1, 400)))
            garbage = garbage.replace(b"\n", b"").replace(b"\r", b"")
            self.add(self.hostile, "garbage %d" % n,
                     b"/" + garbage.replace(b" ", b""),
                     [b"X-A: " + garbage, b"Cookie: " + garbage[::-1]],
                     policy=rng.choice(POLICIES))

    def of_bad_http(self):
        """Adds requests after which the end of an answer can't be known, if one comes."""
        add, apart = self.add, self.apart
        for text in (b"a\rEvil: 1", b"a\nEvil: 1", b"a\r\n Evil: 1",
                     b"a\0Evil: 1", b"a\r\n\r\nGET /pass/ HTTP/1.1\r\n\r\n"):
            for name in (b"X-A", b"Host", b"Cookie", b"User-Agent"):
                add(apart, "%r: %r" % (name, text), b"/p/",
                    [name + b": " + text])
            add(apart, "URL %r" % text, b"/to/" + text)
        add(apart, "a HEAD", method=b"HEAD")
        for n in range(10):
            add(apart, "a pipe", b"/pipe/%d" % n)
        add(apart, "a pipe of much", b"/pipe/" + b"u" * 7000)
        add(apart, "OPTIONS *", b"*", method=b"OPTIONS")
        add(apart, "CONNECT", b"a:1", method=b"CONNECT")
        add(apart, "HTTP/1.0", version=b"HTTP/1.0")
        add(apart, "HTTP/1.0 without a host", version=b"HTTP/1.0", host=None)
        add(apart, "HTTP/3", version=b"HTTP/3")
        add(apart, "no version", version=b"")
        add(apart, "expects", b"/pass/", [b"Expect: 100-continue",
                                         b"Content-Length: 3"],
            method=b"POST", body=b"abc")
        add(apart, "a body", b"/pass/", [b"Content-Length: 70000"],
            method=b"POST", body=b"b" * 70000)
        add(apart, "half a body", b"/pass/", [b"Content-Length: 70000"],
            method=b"POST", body=b"b" * 100)
        add(apart, "chunks", b"/pass/", [b"Transfer-Encoding: chunked"],
            method=b"POST", body=b"3\r\nabc\r\n0\r\n\r\n")
        add(apart, "no chunks", b"/pass/", [b"Transfer-Encoding: chunked"],
            method=b"POST", body=b"zz\r\nabc\r\n0\r\n\r\n")
        add(apart, "two lengths", b"/pass/", [
            b"Content-Length: 3", b"Content-Length: 4"], method=b"POST",
            body=b"abcd")
        add(apart, "length and chunks", b"/pass/", [
            b"Content-Length: 3", b"Transfer-Encoding: chunked"],
            method=b"POST", body=b"0\r\n\r\n")
        add(apart, "two hosts", b"/", [b"Host: a.wild.example"])
        add(apart, "70 hosts", b"/", [b"Host: a.wild.example"] * 69)
        for size in (40000, 100000, 1000000):
            add(apart, "a header of %d" % size, b"/",
                [b"X-A: " + b"x" * size])
            add(apart, "a URL of %d" % size, b"/" + b"u" * size)
        for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 100, b"\n\n\n",
                     b"GET / HTTP/1.1\n\n", b"GET  / HTTP/1.1\r\n\r\n",
                     b" GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n", b"x" * 100000,
                     bytes(range(256)) * 4):
            self.put(apart, "no HTTP: %r" % text[:20], text)
