# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The varnishd that is measured, the one behind it, and wrk in front."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# These folders come last: two of their files have the same name as one here.
sys.path.append(os.path.join(TOP, "tests", "live"))
sys.path.append(os.path.join(TOP, "tests", "examples"))
from node import Built, Failed, Node, becomes, find, until  # noqa: E402,F401

# The backend gives a small page for whatever is asked, good for a day.
BACKEND = """vcl 4.1;
backend nobody none;
sub vcl_recv { return (synth(200)); }
sub vcl_synth {
	set resp.http.Cache-Control = "max-age=86400";
	set resp.http.Content-Type = "text/html; charset=utf-8";
	set resp.body = "<!DOCTYPE html><title>Page</title><p>%s</p>";
	return (deliver);
}
""" % ("The quick brown fox jumps over the lazy dog. " * 20)


def built_modules(build):
    """Returns the build of the module, and the paths of the benchmark's modules."""
    built = Built(os.path.join(build, "src", "vmod", ".libs"))
    folder = os.path.join(build, "bench", "insitu", ".libs")
    modules = sorted(glob.glob(os.path.join(folder, "libvmod_*.so")))
    if os.path.join(folder, "libvmod_stopwatch.so") not in modules:
        raise Failed("no libvmod_stopwatch.so in %s: `make check` there makes"
                     " it" % folder)
    return built, modules


class Varnish(Node):
    """A varnishd with Varnish's own compiler flags and a cache in which all
    variants have room."""

    def __init__(self, build, params=None):
        built, self.modules = built_modules(build)
        Node.__init__(self, built=built)
        self.params = {"auto_restart": "off", "thread_pools": "1",
                       # No thread ends, so that its CPU time stays counted.
                       "thread_pool_min": "100", "thread_pool_max": "100"}
        self.params.update(params or {})

    def start(self):
        vmods = self.path("vmods")
        os.mkdir(vmods, 0o755)
        for module in [os.path.join(self.built.folder,
                                    "libvmod_fastmatch.so")] + self.modules:
            shutil.copy(module, vmods)
        os.chmod(vmods, 0o755)
        params = dict(self.params, vmod_path=":".join(
            [vmods] + Built.varnish_vmods()))
        command = [find("varnishd", "vinyld"), "-F", "-f", "",
                   "-n", self.work, "-a", "127.0.0.1:0", "-s", "malloc,768m"]
        for name, value in params.items():
            command += ["-p", "%s=%s" % (name, value)]
        self.log = open(self.path("log"), "w+", encoding="utf-8",
                        errors="replace")
        self.process = subprocess.Popen(
            command, env=self.environment(), cwd=self.dir,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        if not becomes(self.is_answering, 20) or \
                self.process.poll() is not None:
            raise Failed("varnishd doesn't answer:\n" + self.said())

    def serve(self, vcls, top):
        """Loads all of vcls, [(label, text)], and `top`, and starts the child."""
        for label, text in vcls:
            self.load("the-" + label, text)
            self.adm("vcl.label", label, "the-" + label)
        self.load("top", top)
        self.adm("vcl.use", "top")
        self.adm("start")
        self.port = self.find_port()
        self.pid = self.child()

    def cpu(self):
        """Returns the CPU time of all threads of the child, in ns."""
        total = 0
        folder = "/proc/%d/task" % self.pid
        for task in os.listdir(folder):
            with open(os.path.join(folder, task, "schedstat"),
                      encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total

    def counters(self, *names):
        out = self.run("varnishstat", "-1", *[
            word for name in names for word in ("-f", "MAIN." + name)])
        found = dict(re.findall(r"^MAIN\.(\w+) +(\d+)", out, re.M))
        return {name: int(found[name]) for name in names}


def backend(build):
    """Returns the Node of the backend, which `with` starts."""
    return Node(BACKEND, built=built_modules(build)[0])


class Wrk:
    """wrk with requests.lua, while the with block runs; .result afterwards."""

    def __init__(self, node, listed, names, orders, connections,
                 seconds=86400, once=False, hosts=None):
        self.environment = dict(
            os.environ, BENCH_LIST=listed, BENCH_NAMES=" ".join(names),
            BENCH_ORDERS=",".join(
                " ".join(str(n + 1) for n in order) for order in orders),
            BENCH_ONCE="1" if once else "0",
            BENCH_HOSTS=" ".join("%s=%s" % pair
                                 for pair in (hosts or {}).items()))
        self.command = [
            find("wrk"), "-t", "1", "-c", str(connections),
            "-d", "%ds" % seconds, "--timeout", "20s",
            "-s", os.path.join(HERE, "requests.lua"),
            "http://127.0.0.1:%d/" % node.port]
        self.seconds = seconds
        self.result = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
            env=self.environment)
        return self

    def has_ended(self):
        return self.process.poll() is not None

    def stop(self):
        """Lets the program print what it has, and end."""
        if not self.has_ended():
            self.process.send_signal(signal.SIGINT)

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
        try:
            said = self.process.communicate(timeout=self.seconds + 60)[0]
        finally:
            if not self.has_ended():
                self.process.kill()
                self.process.wait()
        if kind is not None:
            return
        try:
            self.result = json.loads(said.strip().split("\n")[-1])
        except ValueError:
            raise Failed("wrk: " + said) from None
        wrong = {name: self.result[name] for name in
                 ("connect", "read", "write", "timeout", "status")
                 if self.result[name]}
        if wrong:
            raise Failed("wrk counted errors: %s" % wrong)
