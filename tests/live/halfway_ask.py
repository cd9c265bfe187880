# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Clients, and a backend that tells what it got, in one loop of one thread; and
what must hold of their requests.

    echo = Echo()                       # the backend: echo.ports
    asked = Asked(echo, rules, requests)
    asked.ask(port, 100)
    asked.wrong                         # what was done half
"""

import collections
import re
import selectors
import socket
import time

from halfway_rules import Request, encode, includes, seen_fields

TOGETHER = 24           # clients that ask at the same time
PATIENCE = 20           # seconds for the answers of these
HEAD = re.compile(rb"HTTP/1\.1 (\d\d\d)[^\n]*\r\n(?:[^\r\n]+\r\n)*\r\n")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.I)
CLOSE = re.compile(rb"\r\nconnection: *close", re.I)
LOCATION = re.compile(rb"\r\nlocation: *([^\r]*)", re.I)
ANSWER = """HTTP/1.1 200 OK\r
Content-Length: %d\r
Cache-Control: max-age=600\r
%s\r
%s"""
# These statuses say that nothing was done with a request; 0: no answer.
REFUSALS = (0, 400, 431, 500, 503)

Answer = collections.namedtuple("Answer", "status locations body")
NONE = Answer(0, [], b"")


def take_body(data, head, closed):
    """Returns the body after a head that ends there, and where it ends
    itself; None where there is more to come."""
    length = LENGTH.search(data[:head])
    if length:
        end = head + int(length.group(1))
        return (data[head:end], end) if len(data) >= end else None
    if not CHUNKED.search(data[:head]):
        return (data[head:], len(data)) if closed else None
    body, at = b"", head
    while True:
        line = data.find(b"\r\n", at)
        if line < 0:
            return None
        size = int(data[at:line], 16)
        at = line + 2 + size + 2
        if len(data) < at:
            return None
        if size == 0:
            return body, at
        body += data[line + 2:line + 2 + size]


class Echo:
    """The backends b0 and b1.  The body of an answer is <p>#N, and seen[N] is
    (X-Id, (backend, method, URL, fields, body))."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.seen = []
        self.ports = []
        for number in (0, 1):
            sock = socket.create_server(("127.0.0.1", 0), backlog=500)
            self.ports.append(sock.getsockname()[1])
            self.watch(sock, lambda sock=sock, number=number:
                       Backend(self, sock.accept()[0], number))

    def watch(self, sock, act):
        self.selector.register(sock, selectors.EVENT_READ, act)

    def run(self, done, seconds):
        """Serves until done(), or for so long."""
        end = time.monotonic() + seconds
        while not done() and time.monotonic() < end:
            for key, _ in self.selector.select(1):
                key.data()


class Peer:
    """A connection from which bytes come."""

    def __init__(self, echo, sock):
        self.echo, self.sock, self.data = echo, sock, b""
        self.closed = False
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        echo.watch(sock, self.read)

    def read(self):
        try:
            more = self.sock.recv(1 << 18)
        except OSError:
            more = b""
        self.data += more
        if not more:
            self.close()
        self.take()

    def close(self):
        if not self.closed:
            self.closed = True
            self.echo.selector.unregister(self.sock)
            self.sock.close()


class Backend(Peer):
    """A connection that Varnish has made."""

    def __init__(self, echo, sock, number):
        super().__init__(echo, sock)
        self.number = number

    def take(self):
        while not self.closed:
            head = self.data.find(b"\r\n\r\n") + 4
            if head < 4:
                return
            has_body = LENGTH.search(self.data[:head]) or \
                CHUNKED.search(self.data[:head])
            found = take_body(self.data, head, False) if has_body else \
                (b"", head)
            if found is None:
                return
            lines = self.data[:head - 4].decode("latin-1").split("\r\n")
            self.data = self.data[found[1]:]
            self.answer(lines, found[0].decode("latin-1"))

    def answer(self, lines, body):
        method, url = lines[0].split(" ")[:2]
        fields = [(name.lower(), value.strip()) for name, _, value in
                  (line.partition(":") for line in lines[1:])]
        number = int(dict(fields).get("x-id", -1))
        text = "<p>#%d" % len(self.echo.seen) + "".join(
            '<esi:include src="%s"/>' % one for one in includes(url))
        self.echo.seen.append((number, (
            self.number, method, url, seen_fields(fields), body)))
        # After a pipe it is Varnish that waits for the end.
        close = "Connection: close\r\n" if url.startswith("/pipe/") else ""
        try:
            self.sock.sendall((ANSWER % (len(text), close, text)).encode())
        except OSError:
            close = "already"
        if close:
            self.close()


class Client(Peer):
    """Sends bytes, and gets `want` answers; NONE stands for one that did not come."""

    def __init__(self, echo, port):
        sock = socket.create_connection(("127.0.0.1", port), PATIENCE)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 19)
        super().__init__(echo, sock)
        self.want, self.answers = 0, []

    def send(self, data, want):
        self.want, self.answers = want, []
        try:
            self.sock.sendall(data)
        except OSError:
            self.close()
            self.take()

    def take(self):
        while len(self.answers) < self.want:
            head = HEAD.match(self.data)
            found = head and take_body(self.data, head.end(), self.closed)
            if not found:
                break
            self.answers.append(Answer(
                int(head.group(1)), LOCATION.findall(head.group()), found[0]))
            self.data = self.data[found[1]:]
            if CLOSE.search(head.group()):
                self.close()
        if self.closed:
            self.answers += [NONE] * (self.want - len(self.answers))


class Asked:
    """Pairs of requests, and whether they were done as rules say, or not at
    all."""

    def __init__(self, echo, rules, requests):
        self.echo, self.rules, self.requests = echo, rules, requests
        self.clients = {}
        self.wrong = []
        self.statuses = collections.Counter()
        self.cached = self.missing = self.again = 0

    def ask(self, port, count):
        """Asks pairs, of any of the rules."""
        rng = self.requests.rng
        while count > 0:
            pairs = [self.requests.pair(rng.randrange(len(self.rules)))
                     for _ in range(min(count, 2 * TOGETHER))]
            count -= len(pairs)
            self.echo.seen.clear()
            trials = {}
            for n in (0, 1):
                self.wave(port, [pair[n] for pair in pairs], trials)
            self.judge(pairs, trials)

    def wave(self, port, requests, trials):
        """Sends all requests, some of them two in one go, and adds them to trials,
        {number: (request, outcomes, answer)}."""
        left, slots = requests[:], range(TOGETHER)
        while left:
            busy = []
            for slot in slots:
                together = left[:self.many(left)]
                del left[:len(together)]
                if together:
                    busy.append((self.client(slot, port), together))
            for client, together in busy:
                client.send(b"".join(map(encode, together)), len(together))
            self.echo.run(lambda busy=busy: all(
                len(client.answers) == client.want for client, _ in busy),
                PATIENCE)
            for client, together in busy:
                client.answers += [NONE] * (client.want - len(client.answers))
                if client.data and NONE not in client.answers:
                    self.tell("an answer to nothing", client.data, *together)
                for request, answer in zip(together, client.answers):
                    trials[request.number] = (request, self.outcomes(request),
                                              answer)

    def many(self, left):
        """Returns how many to send in one go: nothing is after a pipe."""
        return 2 if left and not left[0].url.startswith("/pipe/") and \
            self.requests.rng.random() < 0.2 else 1

    def client(self, slot, port):
        client = self.clients.get((slot, port))
        if client is None or client.closed or client.data or \
                len(client.answers) < client.want:
            if client is not None:
                client.close()
            client = self.clients[slot, port] = Client(self.echo, port)
        return client

    def outcomes(self, request):
        return self.rules[int(request.get("x-rules"))].outcomes(request.copy())

    # The checks

    def judge(self, pairs, trials):
        for number, seen in self.echo.seen:
            if number not in trials:
                # A request of an earlier wave may come late.
                if not 0 < number < pairs[0][0].number:
                    self.tell("the backend got what no client sent", seen)
                continue
            request, outcomes, answer = trials[number]
            wanted = [outcome.seen for outcome in outcomes]
            if seen not in wanted:
                self.tell("the backend got what the rules don't say", request,
                          answer, seen, *wanted)
            elif answer.status in (400, 431) and not request.get("x-again"):
                self.tell("a request was refused, and got to the backend",
                          request, answer, seen)
        for trial in [trials[one.number] for pair in pairs for one in pair]:
            wrong = self.answer(*trial, trials)
            if wrong:
                request, outcomes, answer = trial
                self.tell(wrong, request, answer, outcomes[-1].verdict)

    def answer(self, request, outcomes, answer, trials):
        """Returns what is wrong with the answer, if anything."""
        verdict = outcomes[-1].verdict
        self.statuses[answer.status] += 1
        if answer.status in REFUSALS:
            self.again += answer.status == 431 and bool(request.get("x-again"))
            return None
        if verdict[0] == "synth" and answer.status != verdict[1]:
            return "a denial was none"
        if verdict[0] == "redirect" and (answer.status, answer.locations) != (
                verdict[1], [verdict[2].encode("latin-1")]):
            return "a redirect is none, or leads elsewhere"
        if verdict[0] == "answer" and (answer.status, answer.body) != (
                verdict[1], verdict[2]):
            return "an answer is none, or half of one"
        if verdict[0] in ("synth", "redirect", "answer"):
            return None
        if answer.status != 200 or b"#" not in answer.body:
            return "the answer is none of the backend's"
        return self.page(request, outcomes, answer, trials)

    def page(self, request, outcomes, answer, trials):
        """Returns what is wrong with a page."""
        if b"<title>" in answer.body or b"of the rules" in answer.body:
            return "a page has an answer of the rules in its middle"
        numbers = [int(number) for number in
                   re.findall(rb"#(\d+)", answer.body)]
        if request.url.startswith("/esi/"):
            self.missing += max(0, 3 - len(numbers))
        keys = [outcome.key for outcome in outcomes if outcome.key]
        for number in numbers:
            maker, seen = self.echo.seen[number]
            if maker == request.number:
                continue
            self.cached += 1
            if not any(outcome.seen == seen and outcome.key in keys
                       for outcome in trials.get(maker, (0, []))[1]):
                return "the cache has what the rules did not put there"
        return None

    def tell(self, what, *about):
        """Keeps a fault; the first few with their requests and rules."""
        self.wrong.append(what)
        if len(self.wrong) > 3:
            return
        self.wrong[-1] += ":" + "".join(
            "\n    " + show(one) for one in about)
        for one in about:
            if isinstance(one, Request):
                rules = self.rules[int(one.get("x-rules"))]
                self.wrong[-1] += "\n" + rules.front + rules.text


def show(one):
    """Returns a request, or what the backend saw, as a short text."""
    text = repr(encode(one) if isinstance(one, Request) else one)
    return re.sub(r"([a-z])\1{30,}", r"\1...", text)[:2000]
