# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""A folder of its own to build in, for tools/scan and tools/coverage."""

import os
import shutil
import signal
import subprocess
import sys
import threading

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = len(os.sched_getaffinity(0))
SHOWN = 30              # lines of a log

os.environ["LC_ALL"] = "C.UTF-8"


class Broken(Exception):
    """A tool could not do its work: whether all is well is unknown."""


class Children:
    """Runs programs in sessions of their own: they end when this one does."""

    def __init__(self):
        self.lock = threading.RLock()
        self.running = set()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.end)

    def run(self, command, **how):
        """Runs a program as subprocess.run() does, without an input."""
        with self.lock:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                     start_new_session=True, **how)
            self.running.add(child)
        try:
            said = child.communicate()[0]
        finally:
            with self.lock:
                self.running.discard(child)
        return subprocess.CompletedProcess(command, child.returncode, said)

    def end(self, number, _):
        with self.lock:
            for child in self.running:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            sys.stdout.flush()
            os._exit(128 + number)


CHILDREN = Children()


class Folder:
    """A build folder, configured for gcc, as the tools read what gcc leaves there."""

    def __init__(self, name, *arguments):
        self.path = os.path.join(TOP, name)
        # For its owner only: tests/run-vtc then lets varnishd stay who it is,
        # so that what it leaves here is written.
        os.makedirs(os.path.join(self.path, "logs"), exist_ok=True)
        os.chmod(self.path, 0o700)
        if source_of(self.path) != TOP:
            # Makefiles and dependencies name another place.
            shutil.rmtree(self.path)
            os.makedirs(os.path.join(self.path, "logs"), mode=0o700)
        configure = os.path.join(TOP, "configure")
        if not os.path.exists(configure):
            self.logged("bootstrap", os.path.join(TOP, "bootstrap"))
        if not os.path.exists(os.path.join(self.path, "config.status")):
            self.logged("configure", configure, "--quiet", "CC=gcc",
                        "--enable-all-tests", *arguments)

    def logged(self, name, *command):
        log = os.path.join("logs", name + ".log")
        with open(os.path.join(self.path, log), "w+", encoding="utf-8",
                  errors="replace") as out:
            status = CHILDREN.run(command, cwd=self.path, stdout=out,
                                  stderr=subprocess.STDOUT).returncode
            out.seek(0)
            said = out.read()
        if status != 0:
            raise Broken("%s failed, all of it: %s\n%s" % (
                name, os.path.relpath(os.path.join(self.path, log), TOP),
                "\n".join(said.splitlines()[-SHOWN:])))

    def make(self, folder, *what):
        self.logged("make-" + folder.replace("/", "-"), "make", "-C", folder,
                    "-j%d" % JOBS, *what)


def source_of(folder):
    """Returns the source tree for which a folder was configured, or None."""
    try:
        with open(os.path.join(folder, "Makefile"),
                  encoding="utf-8") as makefile:
            for line in makefile:
                if line.startswith("abs_top_srcdir = "):
                    return line.split(" = ")[1].strip()
    except FileNotFoundError:
        pass
    return None


def files_below(folder, ending):
    for where, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(ending):
                yield os.path.join(where, name)


def below_top(*path):
    """Returns a path relative to the tree; outside of it, one that begins with ../"""
    return os.path.relpath(os.path.realpath(os.path.join(*path)),
                           os.path.realpath(TOP))
