# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Reads and writes tables: requests, what the backend answers, and what comes of it.

    == a page is stored
    GET /page
    Host: www.example.com
    client 192.0.2.7
    -- 200
    Cache-Control: max-age=60
    >> asked GET /page
    >> ...

A line `==` begins a step. The lines `--` are the answers of the backend, one for each
time that it is asked: a status, or `broken`, which closes the connection. One of 304
is given to a conditional request only. `background` says that a fetch in the
background follows the answer. The lines `>>` are what has come of the step, as
observed.py has it. A line `== later` is not a request: what has a lifetime of a second
is stale after it.
"""

import collections

Answer = collections.namedtuple("Answer", "status headers")


class Step:
    """A request, with all that belongs to it."""

    def __init__(self, number, title):
        self.number = number
        self.title = title
        self.method = self.url = None
        self.headers = []
        self.client = "127.0.0.1"
        self.background = False
        self.answers = []
        self.recorded = []
        self.text = []      # its lines without what is recorded

    @property
    def later(self):
        return self.title == "later"

    def header(self, name, value):
        (self.answers[-1].headers if self.answers else self.headers).append(
            (name, value))


class Malformed(Exception):
    """A line of a table has no meaning."""


def read(path):
    """Returns the comment before the first step, and the steps."""
    comment, steps = [], []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("== "):
            steps.append(Step(len(steps) + 1, line[3:]))
        elif not steps:
            comment.append(line)
            continue
        step = steps[-1]
        if line.startswith(">> "):
            step.recorded.append(line[3:])
            continue
        step.text.append(line)
        if line.startswith("-- "):
            step.answers.append(Answer(line[3:], []))
        elif line.startswith("client "):
            step.client = line.split()[1]
        elif line == "background":
            step.background = True
        elif line and not line.startswith(("== ", "#")):
            if step.method is None:
                step.method, step.url = line.split()
            elif ": " in line:
                step.header(*line.split(": ", 1))
            elif line.endswith(":"):
                step.header(line[:-1], "")
            else:
                raise Malformed("%s:%d: %s" % (path, number, line))
    return comment, steps


def write(path, comment, steps):
    """Writes what `recorded` of each step has."""
    lines = list(comment)
    for step in steps:
        text = step.text
        while text and not text[-1]:
            text = text[:-1]
        lines += text + [">> " + line for line in step.recorded] + [""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:-1]) + "\n")
