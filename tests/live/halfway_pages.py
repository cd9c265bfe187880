# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Random rules for responses, pages to which they apply, and a model that says
what is stored and delivered.

    sites = Sites(random.Random(1), True)
    sites.text                  # a rule file
    page = Page(rng, sites.all[0], 20, 4000, 2000)
    page.stored(), page.delivered(False, {})

A statement is a pair: its text, and a function that does the same to a Message.
"""

import collections
import re
import socket
import threading

from halfway_ask import CLOSE, take_body

SITES = 12
MOST = 10               # headers that the first site adds: more than any other
STATUSES = (200, 200, 200, 404, 410, 502)
NAMES = ("x-a", "x-b", "x-c", "x-secret-key", "x-secret-user")
# Varnish itself adds or changes these.
VARNISH = {"age", "accept-ranges", "connection", "content-encoding",
           "content-length", "content-range", "date", "transfer-encoding",
           "via", "x-varnish"}
END = re.compile(rb"\r\n\r\n")

Answer = collections.namedtuple("Answer", "status fields body")
NONE = Answer(0, [], b"")


class Message:
    """A response as rules see it, and change it; names are in lower case."""

    def __init__(self, status, fields, asked):
        self.status, self.fields = status, fields[:]
        self.asked = asked              # headers of the request
        self.ttl = self.grace = self.keep = None
        self.uncacheable = self.by_default = False
        self.end = None                 # a verdict of delivery
        self.hit = False

    def get(self, name):
        return next((value for field, value in self.fields if field == name),
                    "")

    def all(self, name):
        return [value for field, value in self.fields if field == name]

    def unset(self, name):
        begin = name[:-1] if name.endswith("*") else None
        self.fields = [field for field in self.fields if not (
            field[0].startswith(begin) if begin else field[0] == name)]

    def set(self, name, value):
        self.unset(name)
        if value:
            self.fields.append((name, value))

    def fill(self, template):
        def value(found):
            kind, _, name = found.group(1).rpartition(".")
            if kind == "request.header":
                return self.asked.get(name, "")
            if kind == "header":
                return self.get(name.lower())
            return str(self.status) if name == "status" else (
                "hit" if self.hit else "miss")
        return re.sub(r"\$\{([^}]+)\}", value, template)


### Rules

class Site:
    """A host, and its blocks; n chooses what it has.  Without `stored` it has no
    rules for responses."""

    def __init__(self, rng, n, stored):
        self.rng, self.has_stored = rng, stored
        self.host = "h%d.example.com" % n
        self.response = self.block(self.stored, stored and n % 4 > 0)
        self.delivery = self.block(self.delivered, n % 3 > 0) if n > 0 else \
            [self.set("x-full-%d" % one) for one in range(MOST)]
        self.text = "host %s {\n%s%s}\n" % (
            self.host, text_of("response", self.response),
            text_of("delivery", self.delivery))

    def block(self, make, is_there):
        return [make() for _ in range(self.rng.randint(1, 10))] \
            if is_there else []

    # Statements

    @staticmethod
    def set(name):
        return "set %s = full;" % name, lambda it: it.set(name, "full")

    def edit(self, values):
        rng = self.rng
        kind = rng.randrange(5)
        if kind == 0:
            name = rng.choice(NAMES + ("server", "x-secret-*", "x-fill-1*"))
            return "unset %s;" % name, lambda it: it.unset(name)
        if kind == 1:
            name = rng.choice(NAMES)
            made, value = "x-made-%d" % rng.randrange(3), rng.choice(values)
            return "when header %s present { set %s = \"%s\"; }" % (
                name, made, value), lambda it: it.set(made, it.fill(value)) \
                if it.get(name) else None
        if kind == 2:
            return "when status is 404 { set X-Gone = \"${status}\"; } else" \
                " { unset X-Fill-2*; }", lambda it: it.set(
                    "x-gone", "404") if it.status == 404 else \
                it.unset("x-fill-2*")
        name = rng.choice(("x-set-1", "x-set-2", "x-set-3", "x-set-4",
                           "x-set-5", "x-set-6"))
        value = rng.choice(values)
        return "set %s = \"%s\";" % (name, value), \
            lambda it: it.set(name, it.fill(value))

    def stored(self):
        rng = self.rng
        if rng.random() < 0.6:
            return self.edit(("v1", "${status}", "${header.X-A}-${status}",
                              "w" * rng.choice((10, 200, 900)),
                              "${header.X-B}${header.X-B}"))
        return rng.choice((
            ("ttl 1h;", self.ttl), ("ttl default 10m;", self.ttl_default),
            ("grace 3h;", lambda it: self.life(it, "grace", 10800)),
            ("keep 1m;", lambda it: self.life(it, "keep", 60)),
            ("when header X-C present { uncacheable 5s; }",
             lambda it: self.no_store(it) if it.get("x-c") else None),
            ("unset Set-Cookie;", lambda it: it.unset("set-cookie")),
            ("set-cookie drop a;", self.drop_cookie),
            ("vary add X-Device;", self.vary),
            ("gzip;", lambda it: None), ("esi;", lambda it: None)))

    def delivered(self):
        rng = self.rng
        kind = rng.randrange(13)
        if kind == 0:
            return "when header X-B present and status is 410 { synth 451; }", \
                lambda it: self.ends(it, 451, it.get("x-b"))
        if kind == 1:
            return "when header X-B present and status is 410 " \
                "{ redirect 302 \"/to${request.header.X-Long}\"; }", \
                lambda it: self.ends(it, 302, it.get("x-b"))
        if kind == 2:
            return "when header X-A present and status is 410 " \
                "{ answer 418 \"text/plain\" \"of the rules\"; }", \
                lambda it: self.ends(it, 418, it.get("x-a"))
        if kind == 3:
            return "vary add X-Device;", self.vary
        if kind == 4:
            return "cache-status edge;", lambda it: it.set(
                "cache-status", "edge")
        return self.edit((
            "v2", "${status}-${cache}", "${header.X-A}", "z" * 300,
            "${request.header.X-Long}",
            "${request.header.X-Long}${request.header.X-Long}"))

    # What statements do

    @staticmethod
    def life(it, name, seconds):
        if not it.uncacheable:
            setattr(it, name, seconds)

    def ttl(self, it):
        if not it.uncacheable:
            it.ttl, it.by_default = 3600, False

    @staticmethod
    def ttl_default(it):
        if it.by_default and not it.uncacheable:
            it.ttl, it.by_default = 600, False

    @staticmethod
    def no_store(it):
        it.uncacheable = True

    @staticmethod
    def drop_cookie(it):
        it.fields = [(name, value) for name, value in it.fields
                     if name != "set-cookie" or not value.startswith("a=")]

    @staticmethod
    def vary(it):
        names = [name.strip() for value in it.all("vary")
                 for name in value.split(",") if name.strip()]
        if "x-device" not in (name.lower() for name in names):
            it.set("vary", ", ".join(names + ["X-Device"]))

    @staticmethod
    def ends(it, status, holds):
        if holds and it.status == 410 and it.end is None:
            it.end = status


def text_of(phase, block):
    return "    %s {\n%s    }\n" % (phase, "".join(
        "        %s\n" % text for text, _ in block)) if block else ""


class Sites:
    """A rule file."""

    def __init__(self, rng, stored):
        self.all = [Site(rng, n, stored) for n in range(SITES)]
        self.text = "".join(site.text for site in self.all) + \
            "finally {\n%s    delivery { set X-Last = yes; }\n}\n" % (
                "    response { set X-Last-Stored = yes; }\n" * stored)


### Pages

class Page:
    """What the origin says for a URL."""

    number = 0

    def __init__(self, rng, site, count, size, line):
        Page.number += 1
        self.url = "/%d" % Page.number
        self.site = site
        self.status = rng.choice(STATUSES)
        self.max_age = rng.choice((None, 500))
        self.fields = [("date", "Tue, 01 Jan 2030 00:00:00 GMT"),
                       ("server", "origin-%d" % Page.number)]
        if self.max_age is not None:
            self.fields.append(("cache-control",
                                "max-age=%d" % self.max_age))
        for name in rng.sample(NAMES, rng.randint(0, 4)):
            self.fields.append((name, "of-the-origin"))
        if rng.random() < 0.1:
            self.fields.append(("set-cookie", "a=1"))
        if rng.random() < 0.05:
            self.fields.append(("set-cookie", "b=1"))
        if rng.random() < 0.2:
            self.fields.append(("vary", "X-V"))
        self.body = b"page %d" % Page.number
        while size > 0:
            part = min(size, line, rng.choice((100, 1000, 4000)))
            self.fields.append(("x-long-%d" % len(self.fields), "f" * part))
            size -= part
        # A slot each: the status line has three, the length is one.
        for n in range(100, 100 + count - len(self.fields) - 4):
            self.fields.append(("x-fill-%d" % (n + rng.choice((0, 100))), "f"))

    def encode(self):
        return ("HTTP/1.1 %d Text\r\n%sContent-Length: %d\r\n\r\n" % (
            self.status, "".join("%s: %s\r\n" % field
                                 for field in self.fields),
            len(self.body))).encode() + self.body

    def run(self):
        """Returns the message after the rules for responses."""
        it = Message(self.status, self.fields, {})
        it.grace, it.keep = 10, 0
        if self.status == 502:
            it.ttl = -1
        else:
            it.ttl = self.max_age or 120
            it.by_default = self.max_age is None
        for _, do in self.site.response:
            do(it)
        if self.site.has_stored:
            it.set("x-last-stored", "yes")
        return it

    def is_cacheable(self):
        it = self.run()
        return not it.uncacheable and it.ttl > 0 and not it.get("set-cookie")

    def lifetime(self):
        it = self.run()
        return it.ttl, it.grace, it.keep

    def stored(self):
        return self.status, plain(self.run().fields)

    def delivered(self, hit, asked):
        """Returns (status, headers); of the answer of a verdict only those that are
        sure."""
        it = Message(self.status, self.run().fields, asked)
        it.hit = hit
        cache = hit or self.is_cacheable()
        for _, do in self.site.delivery:
            do(it)
            if it.end:
                return it.end, [("x-last", "yes")]
        it.set("x-last", "yes")
        fields = plain(it.fields)
        # A page that is not stored is a pass.
        return it.status, fields if cache else [
            (name, value.replace("-miss", "-pass")) for name, value in fields]

    def seen(self, answer):
        """Returns the same of an answer."""
        if answer.status in (451, 302, 418):
            return answer.status, [field for field in answer.fields
                                   if field == ("x-last", "yes")]
        return answer.status, plain(answer.fields)

    def is_in(self, answer):
        return self.body in answer.body or any(
            value.startswith(("of-the-origin", "origin-"))
            for _, value in answer.fields)


def plain(fields):
    """Returns sorted fields without those of Varnish; it adds Accept-Encoding to Vary.
    Of Cache-Status the name of the cache is left."""
    left = []
    for name, value in fields:
        if name == "vary":
            value = ", ".join(one for one in re.split(r"[, ]+", value)
                              if one.lower() != "accept-encoding")
        if name == "cache-status":
            value = value.partition(";")[0]
        if value and name not in VARNISH:
            left.append((name, value))
    return sorted(left)


### The two ends

class Origin:
    """A backend: pages[URL] are the bytes of an answer."""

    def __init__(self):
        self.pages = {}
        self.fetched = collections.Counter()
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer = self.sock.accept()[0]
            threading.Thread(target=self.serve, args=(peer,),
                             daemon=True).start()

    def serve(self, peer):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b""
        with peer:
            while True:
                try:
                    more = peer.recv(1 << 16)
                    data += more
                    while END.search(data):
                        head, _, data = data.partition(b"\r\n\r\n")
                        url = head.split(b" ")[1].decode()
                        self.fetched[url] += 1
                        # Nothing for a fetch in the background that comes late.
                        peer.sendall(self.pages.get(url, b""))
                except OSError:
                    return
                if not more:
                    return


class Visitor:
    """A client, with one connection at a time."""

    def __init__(self, port):
        self.port, self.sock = port, None

    def get(self, url, host, fields):
        """Returns an Answer; NONE if there is none."""
        if self.sock is None:
            self.sock = socket.create_connection(("127.0.0.1", self.port), 20)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.sendall(("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (
            url, host, "".join("%s: %s\r\n" % field
                               for field in fields.items()))).encode())
        data = b""
        while True:
            try:
                more = self.sock.recv(1 << 16)
            except ConnectionError:
                more = b""
            data += more
            head = END.search(data)
            found = head and take_body(data, head.end(), not more)
            if found:
                return self.answer(data[:head.end()], found[0], not more)
            if not more:
                self.sock = None
                return NONE

    def answer(self, head, body, closed):
        if closed or CLOSE.search(head):
            self.sock.close()
            self.sock = None
        lines = head.decode("latin-1").split("\r\n")
        return Answer(int(lines[0].split(" ")[1]), [
            (name.lower(), value.strip()) for name, _, value in
            (line.partition(":") for line in lines[1:] if line)], body)
