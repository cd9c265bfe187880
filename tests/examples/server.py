# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""A varnishd that serves several VCLs by their labels, and a client that sends
what it is given."""

import os
import socket
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "live"))
from node import Built, Failed, Node, find       # noqa: E402,F401


def vmod_path(built):
    """The folder of the built module, then Varnish's own."""
    if not os.path.isdir(built):
        raise Failed("no such folder: " + built)
    return ":".join([os.path.abspath(built)] + Built.varnish_vmods())


class Server(Node):
    """Serves `top` once every (label, file) of `vcls` is loaded; the first
    folder of `vmods`, a vmod_path, is that of the built module."""

    def __init__(self, vmods, vcls, top, params=()):
        # Else Varnish itself rewrites Accept-Encoding after vcl_recv.
        super().__init__(None, Built(vmods.split(":")[0]),
                         dict(params, http_gzip_support="off"),
                         ["-j", "none"])
        self.more_vmods = vmods.split(":")
        self.vcls = vcls
        self.top = top

    def start(self):
        super().start()
        for number, (label, path) in enumerate(self.vcls):
            self.adm("vcl.load", "v%d" % number, path)
            self.adm("vcl.label", label, "v%d" % number)
        with open(self.top, encoding="utf-8") as file:
            self.serve(file.read())


class Client:
    """One connection.  Answers are (status, reason, headers), `body` the last
    one's."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.body = b""

    def send(self, raw):
        self.socket.sendall(raw)

    def read(self, head_only):
        line = self.file.readline().decode("latin-1").rstrip("\r\n")
        part = line.split(" ", 2)
        if len(part) != 3:
            raise Failed("no answer, but %r" % line)
        headers = {}
        while True:
            line = self.file.readline().decode("latin-1").rstrip("\r\n")
            if not line:
                break
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        self.body = b"" if head_only else self.file.read(
            int(headers.get("content-length", "0")))
        return int(part[1]), part[2], headers
