# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The backends of both VCLs, on the loopback: each is a port that answers what a story
says, the same for the old and the new VCL.

A request tells by a header of which story and step it is. The n-th request of a step
gets the n-th answer of that step, the last one again and again. If the page includes
others, the n-th request for a URL does, as these come at any time.
"""

import contextlib
import re
import socket
import socketserver
import threading
import time

from answers import MOST, Answer

STORY = "Fm-Story"
STEP = "Fm-Step"
LOST = Answer(200, [("Content-Type", "text/plain"), ("Fm-Lost", "1")])
REASONS = {200: "OK", 204: "No Content", 301: "Moved Permanently", 302: "Found",
           304: "Not Modified", 403: "Forbidden", 404: "Not Found", 410: "Gone",
           500: "Internal Server Error", 502: "Bad Gateway",
           503: "Service Unavailable", 504: "Gateway Timeout"}
# Headers that a 304 has, too.
OF_304 = {"cache-control", "etag", "vary", "expires", "age", "surrogate-control",
          "last-modified", "pragma"}


class Listener(socketserver.ThreadingTCPServer):
    """A backend of a name, for one of the two VCLs."""

    daemon_threads = True
    request_queue_size = 100

    class Handler(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self):
            with contextlib.suppress(OSError, ValueError):
                self.answer()

        def answer(self):
            line = self.rfile.readline().decode("latin-1").split()
            fields = []
            while True:
                text = self.rfile.readline().decode("latin-1").rstrip("\r\n")
                if not text:
                    break
                name, _, value = text.partition(":")
                fields.append((name, value.strip()))
            if len(line) < 2:
                return
            given = {name.lower(): value for name, value in fields}
            self.rfile.read(int(given.get("content-length", "0")))
            raw, is_cut = self.server.backends.answer(
                self.server.side, self.server.name, line[0], line[1], fields, given)
            self.wfile.write(raw)
            if is_cut:
                time.sleep(self.server.backends.pause)

    def __init__(self, backends, side, name):
        super().__init__(("127.0.0.1", 0), Listener.Handler)
        self.backends, self.side, self.name = backends, side, name
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()


ADDED = re.compile(r"\b(\w+)\.add_backend\(\s*(\w+)\s*[,)]")


def directors(texts):
    """Returns {backend: its directors}: which backend one takes may be chance."""
    found = {}
    for text in texts:
        for director, backend in ADDED.findall(text):
            found.setdefault(backend, set()).add(director)
    return {backend: "/".join(sorted(names)) for backend, names in found.items()}


class Backends:
    """All backends of both sides; `asked` has what they were asked.  Backends of a
    director have its name."""

    def __init__(self, texts):
        self.names = directors(texts)
        self.lock = threading.Lock()
        self.listeners = {}
        self.plans = {}         # story -> [answers of each step]
        self.asked = {}         # (side, story, step) -> [(backend, method, url, fields)]
        # Seconds before a body is cut: until then the client has its beginning, else it
        # gets a 503 instead.
        self.pause = 0.0

    def port(self, side, name):
        """Returns the port of a backend; all after the first 60 share one."""
        if len(self.listeners) >= 120:
            name = "others"
        if (side, name) not in self.listeners:
            self.listeners[side, name] = Listener(
                self, side, self.names.get(name, name))
        return self.listeners[side, name].port

    def close(self):
        for listener in self.listeners.values():
            listener.shutdown()
            listener.server_close()

    def plan(self, story, answers):
        with self.lock:
            self.plans[story] = answers

    def forget(self, story):
        with self.lock:
            self.plans.pop(story, None)
            for key in [key for key in self.asked if key[1] == story]:
                del self.asked[key]

    def answer(self, side, name, method, url, fields, given):
        """Returns (bytes, whether more would have to follow); b"": the connection is
        closed."""
        try:
            story, step = int(given[STORY.lower()]), int(given[STEP.lower()])
        except (KeyError, ValueError):
            return made(LOST, method, False, 0), False
        with self.lock:
            asked = self.asked.setdefault((side, story, step), [])
            asked.append((name, method, url, fields))
            plan = self.plans.get(story, [])
            answers = plan[step] if step < len(plan) else []
            parts = any(one.included for one in answers)
            visit = sum(not parts or each[2] == url for each in asked)
        one = answers[min(visit, len(answers)) - 1] if answers else LOST
        if one.slow:
            time.sleep(one.slow)
        if one.broken == "closed":
            return b"", False
        conditional = "if-none-match" in given or "if-modified-since" in given
        # A part includes nothing, else it includes itself.
        included = ' <esi:include src="%s"/>' % one.included.replace("&", "&amp;") \
            if one.included and visit == 1 else ""
        return made(one, method, conditional and one.fresh,
                    "%d.%d" % (step + 1, visit), included), one.broken == "cut"


def made(one, method, fresh, visit, included=""):
    """Returns an answer as bytes; `visit` tells in the body which one it is."""
    status = 304 if fresh else one.status
    body = "" if status in (204, 304) else \
        "<esi:remove>raw </esi:remove>answer %s%s\n" % (visit, included)
    head = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Answer")),
            "Connection: close",
            "Date: " + time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())]
    size = None
    for name, value in one.headers:
        if fresh and name.lower() not in OF_304:
            continue
        if name.lower() == "content-encoding":
            # The body would have to be a real one.
            continue
        if name.lower() == "content-length":
            size = int(value)
            continue
        head.append("%s: %s" % (name, value))
    raw = body.encode("latin-1")
    if status not in (204, 304):
        if size is not None and size <= MOST:
            raw = raw.ljust(size, b".")[:size]
        head.append("Content-Length: %d" % (
            size if size is not None else len(raw) + (
                20 if one.broken == "cut" else 0)))
    return "\r\n".join(head + ["", ""]).encode("latin-1") + (
        b"" if method == "HEAD" else raw)


def client(port, raw):
    """Sends a request on a connection of its own; returns the socket."""
    connection = socket.create_connection(("127.0.0.1", port), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(raw)
    return connection


def read(connection, head_only):
    """Returns (status, reason, [(name, value)], body) of an answer."""
    try:
        with connection, connection.makefile("rb") as file:
            part = file.readline().decode("latin-1").rstrip("\r\n").split(" ", 2)
            if len(part) < 2:
                return 0, "no answer", [], b""
            headers = []
            while True:
                line = file.readline().decode("latin-1").rstrip("\r\n")
                if not line:
                    break
                name, _, value = line.partition(":")
                headers.append((name, value.strip()))
            given = {name.lower(): value for name, value in headers}
            body = b"" if head_only or part[1] in ("204", "304") else \
                content(file, given)
            return int(part[1]), "".join(part[2:]), headers, body
    except OSError:
        return 0, "no answer", [], b""


def content(file, given):
    """Reads a body, of which the end may be missing."""
    if given.get("transfer-encoding") == "chunked":
        body = b""
        while True:
            size = file.readline().strip()
            if not size or int(size, 16) == 0:
                file.readline()
                return body
            body += file.read(int(size, 16))
            file.readline()
    if "content-length" in given:
        return file.read(int(given["content-length"]))
    return file.read()
