# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The sessions of a page, doc/tutorial.rst, and a shell in which they are typed.

A literal block whose first line starts with "$ " is a session: all such blocks
are typed into one shell, in a folder that has examples/tutorial.  A command
goes on in lines that start with "> ".  After a comment ".. varies: REGEX" the parts
of the next block that the regex finds may differ.
"""

import difflib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(TOP, "doc", "tutorial.rst")
EXAMPLE = os.path.join(TOP, "examples", "tutorial")
sys.path.insert(0, HERE)
from server import Failed, find, vmod_path      # noqa: E402

# The page names FOLDER, LISTS and PORTS; a run puts its own in their place.
FOLDER = "/tmp/tutorial"
LISTS = "/usr/share/varnish-fastmatch/lists"
# The module has lists where it was configured to be installed, and nowhere else.
SHIPPED = (("bots", "nocase contains", "map"),
           ("tracking-parameters", "like", "list"),
           ("static-extensions", "nocase ends", "list"))
PORTS = ["6081", "8081", "8082", "8083", "8084", "8085", "8086"]
SECONDS = 300
LONGER = 60     # for what the page waits for by sleep, on a busy machine
# The page's minute of load, and what of it is enough for a check.
LOAD = ("./traffic.py --to 6081 60", "./traffic.py --to 6081 2")
# This command takes most of the page's time: unless the run is whole (FM_WHOLE=1), it
# has fewer requests, and only its last line must be the same.
PROVE = ("--prove 20000", "--prove 1000")
STORIES = "50"  # ... and fewer stories
WHOLE = os.environ.get("FM_WHOLE", "") not in ("", "0")
END = "---end of it---"


class Session:
    """A literal block; its commands are (lines of the page, output)."""

    def __init__(self, varies):
        self.varies = varies
        self.commands = []

    def mask(self, text):
        return re.sub(self.varies, "*", text) if self.varies else text


def read_page():
    """Returns the page in parts: lines as they are, or a session."""
    with open(PAGE, encoding="latin-1") as file:
        lines = file.read().splitlines()
    parts, varies, at = [], None, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        found = re.match(r"\.\. varies: (.+)", line)
        if found:
            varies = found.group(1)
        if not line.startswith("    $ "):
            parts.append(line)
            continue
        session = Session(varies)
        parts.append(session)
        varies, at = None, at - 1
        while at < len(lines) and re.match("    |$", lines[at]):
            shown = [lines[at][4:]]
            at += 1
            while at < len(lines) and lines[at].startswith("    > "):
                shown.append(lines[at][4:])
                at += 1
            output = []
            while (at < len(lines) and re.match("    |$", lines[at]) and
                   not lines[at].startswith("    $ ")):
                output.append(lines[at][4:])
                at += 1
            while output and not output[-1]:
                output.pop()
            session.commands.append((shown, output))
        while not lines[at - 1]:
            at -= 1
    return parts


class Shell:
    """One bash for all commands, in a folder of its own."""

    def __init__(self, vmods, short=False):
        self.short = short
        self.root = tempfile.mkdtemp(prefix="fmt.")
        # The varnishd of `import --prove` runs as nobody.
        os.chmod(self.root, 0o755)
        self.folder = os.path.join(self.root, "tutorial")
        self.process = None
        sockets = [self.bound() for _ in PORTS]
        # As long as the page's, since fmt breaks lines by their length.
        lists = os.path.join(self.root, "lists").ljust(len(LISTS), "-")
        os.symlink(os.path.join(TOP, "lists"), lists)
        short_lists = os.path.join(self.root, "l")
        os.symlink(os.path.join(TOP, "lists"), short_lists)
        self.places = [('from shipped "%s"' % name, '%s from "%s/%s.%s"' % (
            mode, short_lists, name, ends)) for name, mode, ends in SHIPPED]
        self.places.append(('include shipped "devices"',
                            'include "%s/devices.rules"' % short_lists))
        self.places += [(FOLDER, self.folder), (LISTS, lists),
                        (LISTS, short_lists)]
        self.ports = [(port, str(one.getsockname()[1]))
                      for port, one in zip(PORTS, sockets)]
        for one in sockets:
            one.close()
        self.fill(vmods)

    @staticmethod
    def bound():
        """Returns a socket bound to a port that the system gives to no program that
        asks for any port.  It is closed before the page needs the port."""
        while True:
            one = socket.socket()
            try:
                one.bind(("127.0.0.1", random.randrange(20000, 32000)))
                return one
            except OSError:
                one.close()

    def fill(self, vmods):
        """Fills the folder with the example, and with programs as if installed."""
        bin_folder = os.path.join(self.root, "bin")
        os.mkdir(self.folder)
        os.mkdir(bin_folder)
        for name in os.listdir(EXAMPLE):
            path = os.path.join(self.folder, name)
            shutil.copy(os.path.join(EXAMPLE, name), path)
            os.chmod(path, os.stat(path).st_mode | 0o200)
            with open(path) as file:
                text = self.here(file.read())
            with open(path, "w") as file:
                file.write(text)
        fastmatch = os.environ.get("FASTMATCH", os.path.join(
            TOP, "build", "src", "cli", "fastmatch"))
        if not os.path.exists(fastmatch):
            raise Failed("no such program: " + fastmatch)
        os.symlink(os.path.abspath(fastmatch),
                   os.path.join(bin_folder, "fastmatch"))
        for name in ("varnishstat", "varnishlog", "varnishadm"):
            os.symlink(find(name, name.replace("varnish", "vinyl")),
                       os.path.join(bin_folder, name))
        wrapper = os.path.join(bin_folder, "varnishd")
        module = os.path.join(vmods, "libvmod_fastmatch.so")
        if os.path.exists(module):
            shutil.copy(module, bin_folder)
            vmods = bin_folder
        with open(wrapper, "w") as file:
            file.write('#!/bin/sh\nexec %s "$@" -j none -p vmod_path=%s\n' % (
                find("varnishd", "vinyld"), vmod_path(vmods)))
        os.chmod(wrapper, 0o755)
        self.env = dict(
            os.environ, LC_ALL="C", NO_COLOR="1", COLUMNS="80",
            PATH="%s:%s:/usr/sbin" % (bin_folder, os.environ["PATH"]),
            FASTMATCH_PROVE=os.path.join(TOP, "src", "cli", "import", "prove",
                                         "prove"))
        if self.short and not WHOLE:
            self.env.setdefault("FM_STORIES", STORIES)

    def here(self, text):
        if self.short:
            text = text.replace(*LOAD)
            if not WHOLE:
                text = text.replace(*PROVE)
        for page, real in self.places + self.ports:
            text = re.sub(r"(?<!\d)%s(?!\d)" % re.escape(page), real, text)
        return text

    def there(self, text):
        for page, real in self.places + self.ports:
            text = re.sub(r"(?<!\d)%s(?!\d)" % re.escape(real), page, text)
        return text

    def __enter__(self):
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=self.folder, env=self.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
            encoding="latin-1", start_new_session=True)
        return self

    def __exit__(self, *_):
        for name in os.listdir(self.folder):
            if name.endswith(".pid"):
                with open(os.path.join(self.folder, name)) as file:
                    self.kill(os.kill, file.read())
        self.kill(os.killpg, self.process.pid)
        self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    @staticmethod
    def kill(how, pid):
        try:
            how(int(pid), signal.SIGTERM if how is os.kill else signal.SIGKILL)
        except (ProcessLookupError, ValueError):
            pass

    def run(self, command):
        """Runs a command; returns its lines.  Its status is the next one's `$?`."""
        # All that the shell itself writes into the pipe is the end mark.
        late = threading.Timer(SECONDS, self.kill, (os.killpg,
                                                    self.process.pid))
        late.start()
        try:
            self.process.stdin.write(
                "(exit $status)\n%s\nstatus=$?; echo; echo '%s'\n" % (
                    self.here(command), END))
            self.process.stdin.flush()
            lines = []
            for line in self.process.stdout:
                if line.rstrip("\n") == END:
                    break
                lines.append(self.there(line).rstrip())
            else:
                raise Failed("the shell ended, or took %d seconds: %s" % (
                    SECONDS, command))
        except BrokenPipeError:
            raise Failed("the shell has ended before: " + command)
        finally:
            late.cancel()
        while lines and not lines[-1]:
            lines.pop()
        return lines


def last_line(text):
    return text.splitlines()[-1:]


def check(session, shell, write, waited=False):
    """Returns how many commands of the session printed something else.  Output after
    a wait may come later."""
    different = 0
    for number, (shown, output) in enumerate(session.commands):
        command = "\n".join(line[2:] for line in shown)
        fewer = shell.short and not WHOLE and PROVE[0] in command
        mask = last_line if fewer else session.mask
        end = time.monotonic() + (LONGER if waited and not write else 0)
        while True:
            now = shell.run(command)
            same = mask("\n".join(output)) == mask("\n".join(now))
            if same or time.monotonic() > end:
                break
            time.sleep(0.5)
        waited = waited or command.startswith("sleep ")
        if write and not same:
            session.commands[number] = (shown, now)
            print("NEW  " + shown[0])
        elif same:
            print("PASS " + shown[0])
        else:
            print("FAIL " + shown[0])
            for line in difflib.unified_diff(
                    output, now, os.path.relpath(PAGE, TOP), "now",
                    lineterm=""):
                print("    " + line)
        different += not same
    return different


def write_page(parts):
    lines = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
            continue
        for shown, output in part.commands:
            lines += [("    " + line).rstrip() for line in shown + output]
    with open(PAGE, "w", encoding="latin-1") as file:
        file.write("\n".join(lines) + "\n")


def built(arguments):
    """Returns the module's folder: the first argument, $VMOD_DIR, or that of build/."""
    return (arguments + [os.environ.get("VMOD_DIR") or os.path.join(
        TOP, "build", "src", "vmod", ".libs")])[0]


def main(make_shell, start=(), waited=False):
    """Types all commands of the page; --write puts into it what comes out."""
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    parts = read_page()
    different = count = 0
    try:
        with make_shell(built(arguments[write:]), write) as shell:
            for command in start:
                shell.run(command)
            for part in parts:
                if isinstance(part, Session):
                    count += len(part.commands)
                    different += check(part, shell, write, waited)
    except Failed as failed:
        print("FAIL %s" % failed)
        return 1
    if write:
        write_page(parts)
    print("%d commands, %d of them with another output" % (count, different))
    # A page without a command fails.
    return 1 if count == 0 or (different > 0 and not write) else 0
