# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""A varnishd of our own, as its operator has it.

    with Node(vcl) as node:
        node.adm("vcl.list")
        node.get("/", {"Host": "www.example.com"}).status

A node works in a folder of its own, where a worker that runs as another user
may read (and write, in `node.open_folder()`); it listens on a free port of
127.0.0.1; all of it is gone after the with block.  `Built` says what the module
is taken from, and whether with AddressSanitizer.
"""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
MODULE = "libvmod_fastmatch.so"
# More than the 60 that the manager gives the child for an answer.
ADM_SECONDS = "150"
ADM_TRIES = 30


class Failed(Exception):
    """Something could not be done; the text says what."""


def find(*names):
    for name in names:
        found = shutil.which(name, path=PATH)
        if found:
            return found
    raise Failed("not installed: " + " or ".join(names))


def until(what, answer, seconds=60.0, pause=0.05):
    """Returns answer() as soon as it is true; raises Failed if that takes too long."""
    end = time.monotonic() + seconds
    while True:
        value = answer()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed("not within %g s: %s" % (seconds, what))
        time.sleep(pause)


def becomes(answer, seconds=60.0, pause=0.05):
    """Returns true if answer() gets true in that time."""
    try:
        until("", answer, seconds, pause)
        return True
    except Failed:
        return False


class Built:
    """The folder of the module: VMOD_DIR, or the build of ./quickstart."""

    def __init__(self, folder=None, asan=False):
        self.asan = asan
        self.folder = folder or os.environ.get("VMOD_DIR") or os.path.join(
            TOP, "build-asan" if asan else "build", "src/vmod/.libs")
        if not os.path.exists(os.path.join(self.folder, MODULE)):
            raise Failed("no %s in %s" % (MODULE, self.folder))

    @staticmethod
    def varnish_vmods():
        for package in ("varnishapi", "vinylapi"):
            out = subprocess.run(
                ["pkg-config", "--variable=vmoddir", package],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                universal_newlines=True, check=False)
            if out.returncode == 0 and out.stdout.strip():
                return [out.stdout.strip()]
        return []

    def environment(self):
        """Returns what a varnishd that loads the module needs in its environment."""
        if not self.asan:
            return {}
        libraries = []
        for name in ("libasan.so", "libubsan.so"):
            out = subprocess.run(
                ["gcc", "-print-file-name=" + name], check=True,
                stdout=subprocess.PIPE, universal_newlines=True)
            if "/" not in out.stdout:
                raise Failed("gcc has no " + name)
            libraries.append(os.path.realpath(out.stdout.strip()))
        return {"LD_PRELOAD": " ".join(libraries),
                # Workers share Varnish's signal stack, which must not go
                # with the first of them that ends.
                "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:"
                                "use_sigaltstack=0",
                "UBSAN_OPTIONS": "abort_on_error=1:print_stacktrace=1"}


class Answer:
    """The answer to one request; headers by their names in lower case."""

    def __init__(self, response):
        self.status = response.status
        self.reason = response.reason
        self.headers = {name.lower(): value
                        for name, value in response.getheaders()}
        self.body = response.read().decode("utf-8", "replace")


class Client:
    """One connection, kept open."""

    def __init__(self, port, seconds=60):
        self.http = http.client.HTTPConnection("127.0.0.1", port,
                                               timeout=seconds)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, url="/", headers=None):
        self.http.request("GET", url, headers=headers or {})
        return Answer(self.http.getresponse())

    def close(self):
        self.http.close()


class Node:
    """varnishd with the VCL `boot`, the text given here (None: no VCL)."""

    def __init__(self, vcl=None, built=None, params=None, args=(),
                 steady=False):
        self.vcl = vcl
        self.built = built or Built()
        self.params = {"auto_restart": "on", "thread_pools": "1",
                       "thread_pool_min": "20", "thread_pool_max": "20",
                       "vsl_space": "32m", "vsl_reclen": "1k"}
        self.params.update(params or {})
        self.args = list(args)
        self.steady = steady
        self.process = None
        self.watchers = []
        self.dir = tempfile.mkdtemp(prefix="fmlive.")
        os.chmod(self.dir, 0o755)
        self.work = os.path.join(self.dir, "work")

    # Files

    def path(self, *name):
        return os.path.join(self.dir, *name)

    def write(self, name, text):
        """Writes a file aside and renames it, as the manual says."""
        path = self.path(name)
        with open(path + ".new~", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new~", path)
        return path

    def open_folder(self, name):
        """Makes a folder in which the worker may write."""
        os.mkdir(self.path(name))
        os.chmod(self.path(name), 0o777)
        return self.path(name)

    # The life of a node

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for watcher in self.watchers:
            end(watcher)
        if self.process is not None:
            end(self.process)
            self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def environment(self):
        added = self.built.environment()
        if self.steady:
            # jemalloc gives freed memory back to the system at once, so
            # that resident memory is what is in use.
            added["MALLOC_CONF"] = "dirty_decay_ms:0,muzzy_decay_ms:0"
        return dict(os.environ, **added)

    def start(self):
        vmods = self.path("vmods")
        os.mkdir(vmods, 0o755)
        # A worker may be a user who can't look into the folder of the build.
        shutil.copy(os.path.join(self.built.folder, MODULE), vmods)
        os.chmod(os.path.join(vmods, MODULE), 0o755)
        params = dict(self.params)
        params["vmod_path"] = ":".join([vmods] + Built.varnish_vmods())
        # The VCL compiler neither needs a sanitizer nor an optimiser.
        params["cc_command"] = "unset LD_PRELOAD; exec gcc -O0 -fPIC" \
            " -shared -pthread -Wl,-x -o %o %s"
        command = [
            find("varnishd", "vinyld"), "-F", "-f", "", "-n", self.work,
            "-a", "127.0.0.1:0", "-s", "malloc,16m"]
        for name, value in params.items():
            command += ["-p", "%s=%s" % (name, value)]
        self.log = open(self.path("log"), "w+", encoding="utf-8",
                        errors="replace")
        self.process = subprocess.Popen(
            command + self.args, env=self.environment(), cwd=self.dir,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        if not becomes(self.is_answering, 20):
            raise Failed("varnishd doesn't answer:\n" + self.said())
        if self.vcl is not None:
            self.serve(self.vcl)

    def serve(self, vcl):
        """Loads the first VCL: by it the child starts, and answers."""
        self.load("boot", vcl)
        self.adm("vcl.use", "boot")
        self.adm("start")
        self.port = self.find_port()

    def is_answering(self):
        return self.process.poll() is not None or self.try_adm("ping")[0]

    def find_port(self):
        found = re.search(r"127\.0\.0\.1 (\d+)",
                          self.adm("debug.listen_address"))
        if not found:
            raise Failed("varnishd does not say where it listens")
        return int(found.group(1))

    def said(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8",
                  errors="replace") as file:
            return file.read()

    # The command line of varnishd

    def try_adm(self, *words):
        """Gives the CLI a command; returns (whether it was done, its output)."""
        for _ in range(ADM_TRIES):
            begun = time.monotonic()
            out = subprocess.run(
                [find("varnishadm", "vinyladm"), "-t", ADM_SECONDS, "-n",
                 self.work] + list(words), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            said = out.stdout.decode("utf-8", "replace")
            # varnishadm waits 5 s for the greeting, whatever -t says.  A manager
            # that waits for a slow child takes longer; it has no command yet.
            if not said.startswith(("Rejected 400\nCLI communication error",
                                    "No pong received from server")):
                break
            said += "\nafter %.1f s" % (time.monotonic() - begun)
        return out.returncode == 0, said

    def adm(self, *words):
        done, said = self.try_adm(*words)
        if not done:
            raise Failed("%s:\n%s" % (" ".join(words), said.strip()))
        return said

    def try_load(self, name, vcl):
        path = self.write(name + ".vcl", vcl)
        return self.try_adm("vcl.load", name, path)

    def load(self, name, vcl):
        done, said = self.try_load(name, vcl)
        if not done:
            raise Failed("vcl.load %s:\n%s" % (name, said.strip()))

    # The child

    def child(self):
        """Returns the child's process id, or None while there is none."""
        done, said = self.try_adm("pid")
        found = re.search(r"Worker: *(\d+)", said)
        return int(found.group(1)) if done and found else None

    def is_running(self):
        done, said = self.try_adm("status")
        return done and "running" in said

    def rss(self):
        """Returns the bytes of the child's own memory, without the log, the counters
        and the libraries."""
        return process_memory(self.child())

    # Asking

    def get(self, url="/", headers=None):
        client = Client(self.port)
        try:
            return client.get(url, headers)
        finally:
            client.close()

    # Watching

    def stats(self):
        """Returns {object: {counter: value}} of this module; objects as VCL.name."""
        out = subprocess.run(
            [find("varnishstat", "vinylstat"), "-n", self.work, "-1", "-j",
             "-t", "5", "-f", "FASTMATCH.*"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, universal_newlines=True, check=False)
        objects = {}
        try:
            counters = json.loads(out.stdout)["counters"]
        except (ValueError, KeyError):
            return objects
        for name, counter in counters.items():
            owner, counted = name[len("FASTMATCH."):].rsplit(".", 1)
            objects.setdefault(owner, {})[counted] = counter["value"]
        return objects

    def stat(self, owner, counter):
        return self.stats().get(owner, {}).get(counter)

    def watch_log(self, name, *args):
        """Starts varnishlog; returns a function that returns its lines so far."""
        path = self.path(name)
        with open(path, "wb") as file:
            watcher = subprocess.Popen(
                [find("varnishlog", "vinyllog"), "-n", self.work, "-t", "5"] +
                list(args), stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT)
        self.watchers.append(watcher)

        def lines():
            with open(path, encoding="utf-8", errors="replace") as said:
                return said.read().splitlines()
        return lines

    def run(self, program, *args):
        """Returns what one of Varnish's programs says of this varnishd."""
        out = subprocess.run(
            [find(program), "-n", self.work] + list(args), timeout=30,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False)
        return out.stdout.decode("utf-8", "replace")


def end(process):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def process_memory(pid):
    """Returns the bytes that a process has allocated.  "Private" would be more: a page
    of the log, which is shared, is counted as private until another process looks at it."""
    with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as file:
        found = re.search(r"^Anonymous: +(\d+) kB", file.read(), re.M)
    return int(found.group(1)) * 1024


class Thread(threading.Thread):
    """Calls step() again and again until it is stopped; keeps what went
    wrong for whoever stops it."""

    def __init__(self, step, pause=0.0):
        super().__init__(daemon=True)
        self.step = step
        self.pause = pause
        self.over = threading.Event()
        self.error = None

    def run(self):
        try:
            while not self.over.is_set():
                self.step()
                if self.pause:
                    self.over.wait(self.pause)
        except Exception as error:              # pylint: disable=W0718
            self.error = error

    def stop(self):
        self.over.set()
        self.join(60)
        if self.error is not None:
            raise self.error
