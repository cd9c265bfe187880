# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""The functions that the tests of the command line share.

A test is a function that is given a scratch folder and raises AssertionError,
or Skipped; run() calls each function of a module whose name starts with
"test_", and prints PASS, FAIL or SKIP and its name.  The program is $FASTMATCH,
the manual pages are in $FASTMATCH_DOC.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
PROGRAM = os.path.abspath(os.environ.get(
    "FASTMATCH", os.path.join(SOURCE, "build", "src", "cli", "fastmatch")))
DOC = os.environ.get("FASTMATCH_DOC", os.path.join(SOURCE, "build", "doc"))
ENGINE = os.environ.get("ENGINE")
WHOLE = os.environ.get("FM_WHOLE", "") not in ("", "0")
# RULES_COMMANDS take a file of rules.
RULES_COMMANDS = ("check", "explain", "replay", "diff", "fmt")
COMMANDS = (*RULES_COMMANDS, "lists", "import", "test", "top", "why", "lsp")


class Skipped(Exception):
    """Why a test can't run here, and what to install for it."""


class Answer:
    """The result of a run of the program."""

    def __init__(self, run):
        self.status = run.returncode
        self.out = run.stdout.decode("utf-8", "surrogateescape")
        self.err = run.stderr.decode("utf-8", "surrogateescape")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return "status %d\n%s%s" % (self.status, self.out, self.err)


def fastmatch(*arguments, cwd=None, env=None, stdin=""):
    clean = {k: v for k, v in os.environ.items()
             if k not in ("NO_COLOR", "TERM")}
    clean.update(LC_ALL="C.UTF-8", **(env or {}))
    run = subprocess.run([PROGRAM, *arguments], cwd=cwd, env=clean,
                         input=stdin.encode(), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=120, check=False)
    return Answer(run)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def same(got, wanted):
    assert got == wanted, "got\n%s\nwanted\n%s" % (got, wanted)


def engine_works():
    """Asks $ENGINE whether this machine's engine passes its self-test."""
    if ENGINE is None:
        return True
    said = subprocess.run(ENGINE, shell=True, stdout=subprocess.PIPE,
                          check=True)
    return said.stdout.split()[0] == b"works"


def as_shown(text):
    """Returns what explain says here, from a text with an engine."""
    if engine_works():
        return text
    return re.sub(r"^(\S*Scans     \S*?)header .*(\n {10}\w+, \d+ pattern.*)*",
                  r"\1none", text, flags=re.M)


def golden(name, text):
    """Compares with tests/cli/data/NAME; FM_GOLDEN=write makes it anew."""
    path = os.path.join(HERE, "data", name)
    if os.environ.get("FM_GOLDEN") == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        same(text, as_shown(file.read()))


def run(functions):
    """Runs the tests in a module's globals(); returns the exit status."""
    if not os.access(PROGRAM, os.X_OK):
        print("FAIL program: %s is not there" % PROGRAM)
        sys.exit(1)
    failed = 0
    for name, function in list(functions.items()):
        if not name.startswith("test_"):
            continue
        title = name[len("test_"):].replace("_", " ")
        with tempfile.TemporaryDirectory(prefix="fastmatch-cli-") as folder:
            try:
                function(folder)
                print("PASS %s" % title)
            except Skipped as why:
                print("SKIP %s: %s" % (title, why))
            except Exception:           # pylint: disable=broad-except
                failed += 1
                print("FAIL %s\n     %s" % (
                    title, traceback.format_exc().replace("\n", "\n     ")))
    sys.exit(1 if failed else 0)
