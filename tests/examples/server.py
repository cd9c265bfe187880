# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""A varnishd of our own, and a client that keeps its connection."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Failed(Exception):
    """Something could not be set up; the text says what."""


def vmod_path(built):
    """Returns a vmod_path: the folder of the built module, then Varnish's own."""
    if not os.path.isdir(built):
        raise Failed("no such folder: " + built)
    for package in ("varnishapi", "vinylapi"):
        try:
            out = subprocess.run(
                ["pkg-config", "--variable=vmoddir", package],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                universal_newlines=True)
        except FileNotFoundError:
            break
        if out.returncode == 0 and out.stdout.strip():
            return os.path.abspath(built) + ":" + out.stdout.strip()
    return os.path.abspath(built)


def find(*names):
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    for name in names:
        found = shutil.which(name, path=path)
        if found:
            return found
    raise Failed("not installed: " + " or ".join(names))


class Server:
    """Loads every (label, file) of `vcls`, then serves `top`.

    vmods is a vmod_path; "" leaves varnishd its own. `user` is (uid, gid) of another
    user that varnishd is to run as. `program` is the varnishd, if it is not the one that
    is installed; its varnishadm and varnishlog are beside it.

    Listens on a free port of 127.0.0.1, works in a folder of its own, and
    both are gone after the with block.
    """

    def __init__(self, vmods, vcls, top, options=("-a", "127.0.0.1:0"),
                 user=None, program=None):
        self.vmods = vmods
        self.vcls = vcls
        self.top = top
        self.options = list(options)
        self.user = user
        self.program = program
        self.process = None
        self.dir = self.work = ""

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="fmx.")
        self.work = os.path.join(self.dir, "work")
        try:
            if self.user:
                os.chown(self.dir, *self.user)
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.terminate()
            # Vinyl Cache waits for a minute until no worker keeps a VCL.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2)
            # varnishd is a group of its own, with the child.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def become(self):
        uid, gid = self.user
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)

    def start(self):
        self.log = open(os.path.join(self.dir, "log"), "w+")
        self.process = subprocess.Popen(
            [self.program or find("varnishd", "vinyld"), "-F", "-f", "", "-j", "none",
             "-n", self.work, *self.options,
             "-s", "malloc,16m",
             *(["-p", "vmod_path=" + self.vmods] if self.vmods else []),
             # a third of the compiler's time: it is Varnish's own command
             # without optimization
             "-p", "cc_command=%D -O0 -g0",
             # else Varnish itself rewrites Accept-Encoding after vcl_recv
             "-p", "http_gzip_support=off"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            start_new_session=True,
            preexec_fn=self.become if self.user else None)
        self.wait()
        for number, (label, path) in enumerate(self.vcls):
            self.load("v%d" % number, path)
            self.ask("vcl.label", label, "v%d" % number)
        self.load("top", self.top)
        self.ask("vcl.use", "top")
        self.ask("start")
        found = re.search(r"127\.0\.0\.1 (\d+)",
                          self.ask("debug.listen_address"))
        if not found:
            raise Failed("varnishd does not say where it listens")
        self.port = int(found.group(1))

    def wait(self):
        # Until varnishd has opened its command line interface, and written the
        # secret for it, it refuses all questions.
        end = time.monotonic() + 120
        while True:
            try:
                self.ask("ping")
                return
            except Failed:
                if (self.process.poll() is not None or
                        time.monotonic() > end):
                    raise
                time.sleep(0.05)

    def load(self, name, path):
        self.ask("vcl.load", name, path)

    def tool(self, kind):
        """Returns the path of varnishadm ("adm"), or varnishlog ("log")."""
        names = ("varnish" + kind, "vinyl" + kind)
        folder = os.path.dirname(os.path.realpath(self.program or "/"))
        for place in (folder, os.path.join(folder, "..", "bin")):
            for name in names if self.program else ():
                path = os.path.join(place, name)
                if os.access(path, os.X_OK):
                    return path
        return find(*names)

    def ask(self, *words):
        out = subprocess.run(
            [self.tool("adm"), "-t", "120", "-n", self.work] + list(words),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True)
        if out.returncode != 0:
            self.log.flush()
            self.log.seek(0)
            raise Failed("%s:\n%s\n%s" % (
                " ".join(words), out.stdout.strip(), self.log.read()))
        return out.stdout


class Client:
    """One connection.  Answers are (status, reason, headers); `body` is that of the
    last answer."""

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
