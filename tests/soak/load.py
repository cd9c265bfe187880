# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The clients: wrk, with one request at a time and with several in one go; and others
that give up, are slow, or speak no HTTP."""

import collections
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import threading

from corpus import HERE
from node import Failed, Thread, find

TOGETHER = 4
ERRORS = ("connect", "read", "write", "timeout")        # wrk's


class Wrk:
    """Runs wrk until stop()."""

    def __init__(self, node, requests, together, connections, delay):
        path = node.path("requests.%d" % together)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                for request in requests:
                    file.write(b"%d\n" % len(request.data) + request.data)
        self.process = subprocess.Popen(
            [find("wrk"), "-t", "2", "-c", str(connections), "-d", "3600s",
             "--timeout", "30s", "-s", os.path.join(HERE, "soak.lua"),
             "http://127.0.0.1:%d/" % node.port],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
            env=dict(os.environ, FM_REQUESTS=path, FM_DELAY=str(delay),
                     FM_TOGETHER=str(together)))
        node.watchers.append(self.process)

    def stop(self):
        """Returns what wrk has seen: {"requests": ..., "statuses": ..., and the
        errors of each of ERRORS}."""
        said = None
        # More than one signal: wrk loses one that comes before it begins to wait.
        for _ in range(20):
            self.process.send_signal(signal.SIGINT)
            try:
                said = self.process.communicate(timeout=5)[0]
                break
            except subprocess.TimeoutExpired:
                pass
        if said is None:
            self.process.kill()
            raise Failed("wrk does not end")
        try:
            return json.loads(said.strip().split("\n")[-1])
        except ValueError:
            raise Failed("wrk: " + said) from None


class Rude:
    """A client that sends half requests, sends slowly, or does not read."""

    def __init__(self, port, corpus, seed, sent):
        self.port = port
        self.sent = sent                # is told what went out together
        self.corpora = (corpus.apart, corpus.together)
        self.random = random.Random("rude %d" % seed)
        self.ways = (self.whole, self.half, self.slow, self.deaf, self.many,
                     self.whole)
        self.counts = collections.Counter()

    def pick(self):
        return self.random.choice(self.random.choice(self.corpora))

    def step(self):
        way = self.random.choice(self.ways)
        request = self.pick()
        self.counts[way.__name__] += 1
        try:
            with socket.create_connection(("127.0.0.1", self.port),
                                          5) as sock:
                sock.settimeout(0.5)
                way(sock, request)
        except OSError:
            # The node may refuse a client, or close without an answer.
            self.counts["socket errors"] += 1

    @staticmethod
    def reset(sock):
        """Makes close() reset the connection."""
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))

    def read(self, sock, asked, at_most=65536):
        """Reads until there is nothing for a while.  Bytes that come back through
        a pipe are not Varnish's answer."""
        have = 0
        while have < at_most:
            more = sock.recv(65536)
            if not more:
                return
            have += len(more)
            if b"/pipe/" not in asked:
                self.counts["5xx"] += len(re.findall(
                    rb"^HTTP/1\.1 5\d\d ", more, re.M))

    def whole(self, sock, request):
        sock.sendall(request.data)
        sock.shutdown(socket.SHUT_WR)
        self.read(sock, request.data)

    def half(self, sock, request):
        data = request.data[:self.random.randrange(len(request.data) + 1)]
        self.sent(request.number, (data, 0))
        sock.sendall(data)
        if self.random.random() < 0.7:
            self.reset(sock)

    def slow(self, sock, request):
        data = request.data
        cuts = sorted(self.random.randrange(len(data) + 1) for _ in range(4))
        for start, stop in zip([0] + cuts, cuts + [len(data)]):
            sock.sendall(data[start:stop])
            threading.Event().wait(0.02)
        self.read(sock, data)

    def deaf(self, sock, request):
        """Sends a request, and never reads the answer."""
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        sock.sendall(request.data)
        threading.Event().wait(0.05)
        self.reset(sock)

    def many(self, sock, request):
        """Sends a pipeline, and resets the connection in the middle of the answers."""
        requests = [request] + [self.pick() for _ in range(5)]
        data = b"".join(one.data for one in requests)
        for place, one in enumerate(requests):
            self.sent(one.number, (data, place))
        sock.sendall(data)
        self.read(sock, data, self.random.choice((0, 300, 65536)))
        self.reset(sock)


class Load:
    """Runs all clients, from start() to stop()."""

    def __init__(self, node, corpus, seed):
        self.node = node
        self.corpus = corpus
        self.seed = seed
        self.wrks, self.rude = [], []
        self.seen = collections.defaultdict(
            lambda: collections.deque(maxlen=20))
        self.places = collections.defaultdict(list)
        for place, request in enumerate(corpus.together):
            self.places[request.number].append(place)
        self.total = collections.Counter()
        self.statuses = collections.Counter()
        self.errors = collections.Counter()

    def start(self):
        self.seed += 1
        requests = self.corpus.together
        self.wrks = [Wrk(self.node, requests, 1, 16, 3),
                     Wrk(self.node, requests, TOGETHER, 8, 12)]
        self.rude = [Rude(self.node.port, self.corpus, 10 * self.seed + n,
                          lambda number, way: self.seen[number].append(way))
                     for n in range(3)]
        self.threads = [Thread(rude.step, 0.01) for rude in self.rude]
        for thread in self.threads:
            thread.start()

    def ways(self, number):
        """
        Returns all ways in which a request was sent: (bytes, its place among the
        requests in them).  It was sent alone, with others after it, which Varnish keeps
        in its workspace, or in part.
        """
        together = self.corpus.together
        ways = {(self.corpus.by_number[number].data, 0)}
        for place in self.places[number]:
            batch = together[place - place % TOGETHER:][:TOGETHER]
            ways.add((b"".join(one.data for one in batch), place % TOGETHER))
        return sorted(ways | set(self.seen[number]),
                      key=lambda way: len(way[0]))

    def stop(self):
        """Returns what was sent and answered since the start, in short, and wrk's
        errors."""
        for thread in self.threads:
            thread.stop()
        said = [wrk.stop() for wrk in self.wrks]
        statuses, errors = collections.Counter(), collections.Counter()
        for one in said:
            for status, count in one["statuses"].items():
                statuses[int(status)] += count
            errors.update({kind: one[kind] for kind in ERRORS})
        sent = collections.Counter(wrk=sum(one["requests"] for one in said))
        for rude in self.rude:
            sent.update(rude.counts)
        self.statuses += statuses
        self.total += sent
        self.errors += errors
        return sent, statuses, errors
