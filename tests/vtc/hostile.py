#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Sends requests that no client sends in good faith.

usage: hostile.py ADDRESS PORT

No answer may be a 5xx, none may be missing, and none may have a header in it
that a client wrote. Varnish itself may refuse a request, by a 400 and the like, or by
closing a connection that has no HTTP on it. It may also fail one by itself: to see
that, the request is sent for another host, of the same length, without rules.
"""

import random
import socket
import sys

address, port = sys.argv[1], int(sys.argv[2])


def send(data):
    """Returns the answer up to the end of its headers; "" from a closed connection."""
    sock = socket.create_connection((address, port), 10)
    try:
        sock.sendall(data)
        answer = b""
        while (more := sock.recv(65536)):
            answer += more
            # a length is not waited for
            if b"\r\n\r\n" in answer and b"\r\nConnection: close" in answer:
                break
    except ConnectionError:
        answer = b""
    finally:
        sock.close()
    return answer.split(b"\r\n\r\n")[0].lower()


def ask(what, data, silent=False):
    head = send(data)
    if not head:
        if silent:
            return 0
        sys.exit(f"{what}: no answer")
    status = int(head.split()[1])
    if status >= 500:
        alone = send(data.replace(b"www.example.com", b"without.example"))
        if not alone or int(alone.split()[1]) < 500:
            sys.exit(f"{what}: {status}\n{head!r}")
    if b"\nevil" in head or b"\revil" in head:
        sys.exit(f"{what}: a header of the client's is in the answer:"
                 f"\n{head!r}")
    return status


def request(url=b"/", headers=(), method=b"GET", host=b"www.example.com"):
    lines = [method + b" " + url + b" HTTP/1.1"]
    if host is not None:
        lines.append(b"Host: " + host)
    lines += headers
    return b"\r\n".join(lines) + b"\r\nConnection: close\r\n\r\n"


def expect(what, status, data):
    got = ask(what, data)
    if got != status:
        sys.exit(f"{what}: {got}, and not {status}")


BIG = [7000, 8000, 8100, 16000, 31000, 32000, 33000, 64000, 65536, 100000]

expect("a plain one", 200, request())
for size in BIG:
    ask(f"a header of {size}", request(headers=[b"X-A: " + b"x" * size]),
        True)
    ask(f"a User-Agent of {size}",
        request(headers=[b"User-Agent: " + b"a" * size + b"!"]), True)
    ask(f"a Cookie of {size}",
        request(headers=[b"Cookie: c1=" + b"x" * size]), True)
    ask(f"a name of {size}",
        request(headers=[b"X-Internal-" + b"n" * size + b": x"]), True)
    ask(f"a URL of {size}", request(b"/" + b"u" * size), True)
    ask(f"a redirected URL of {size}", request(b"/to/" + b"u" * size), True)
    ask(f"a rewritten URL of {size}", request(b"/rw/" + b"u" * size), True)
    ask(f"a query of {size}", request(b"/?b=" + b"q" * size + b"!"), True)
    ask(f"a host of {size}", request(host=b"h" * size), True)
    ask(f"a method of {size}", request(method=b"M" * size), True)

for count in (100, 2000, 8000):
    ask(f"{count} parameters", request(
        b"/?" + b"&".join(b"a%d=%d" % (n, n) for n in range(count))), True)
    ask(f"{count} empty parameters", request(b"/?" + b"&" * count), True)
    ask(f"{count} equal parameters", request(b"/?" + b"x&" * count), True)
for count in (100, 1000):
    ask(f"{count} cookies", request(headers=[b"Cookie: " + b"; ".join(
        b"c%d=%d" % (n, n) for n in range(count))]), True)
for count in range(40, 70):
    ask(f"{count} headers",
        request(headers=[b"X-%d: x" % n for n in range(count)]), True)
    ask(f"{count} Cookie headers",
        request(headers=[b"Cookie: c%d=x" % n for n in range(count)]), True)
    ask(f"{count} Accept headers",
        request(headers=[b"Accept: a/%d" % n for n in range(count)]), True)

for text in (b"a\rEvil: 1", b"a\nEvil: 1", b"a\r\nEvil: 1", b"a\r\n Evil: 1",
             b"a\0Evil: 1", b"\xff\xfe\x80Evil", b"%0d%0aEvil: 1",
             b"%00", b"\x01\x02\x1b[31m", b"\\\r\n\\", b"${url}", b"\\1",
             b"", b" ", b"\t", b";", b"=", b"\xc3\x28", b"a" * 40 + b"!"):
    for name in (b"X-A", b"User-Agent", b"Cookie", b"Accept", b"Host",
                 b"Accept-Encoding", b"Accept-Language"):
        ask(f"{name!r}: {text!r}",
            request(b"/open/x?y", [name + b": " + text]), True)
    for url in (b"/open/?", b"/to/", b"/?b=", b"/rw/", b"//", b"*", b""):
        ask(f"{url + text!r}", request(url + text), True)
    ask(f"host {text!r}", request(b"/to/", host=text), True)

expect("no host", 404, request(host=None))
expect("an empty host", 404, request(host=b""))
expect("not a host", 404, request(host=b"a..b"))
expect("a regex over its limit", 200,
       request(headers=[b"X-A: " + b"x" * 60 + b"!"]))
expect("a redirect", 302, request(b"/to/%0d%0aEvil:1?b"))

random.seed(3)
for n in range(300):
    garbage = bytes(random.randrange(1, 256)
                    for _ in range(random.randrange(1, 400)))
    ask(f"garbage {garbage!r}", request(
        b"/" + garbage.replace(b"\n", b"").replace(b" ", b""),
        [b"X-A: " + garbage.replace(b"\n", b"")]), True)
expect("a plain one, after all", 200, request())
