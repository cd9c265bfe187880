# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the cases of tests/cases; README.md there has the format.

All texts are bytes, except for names of files and of engines.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "src", "words"))
import words        # noqa: E402

PLAIN = {word.word: word for word in words.words() if word.section == "PLAIN"}
ENGINES = ("core", "cli", "varnishd")
MAIN = "main.rules"
ESCAPE = re.compile(rb"\\x([0-9a-fA-F]{2})|\\\*(\d+)\{([^}]*)\}")
# Fields of these names are joined to one.
JOINED = {b"cookie": b"; ", b"cache-control": b", "}


class Malformed(Exception):
    """A file of cases is wrong; the text says how and where."""


def expanded(text):
    def replace(found):
        if found.group(1):
            return bytes.fromhex(found.group(1).decode())
        return expanded(found.group(3)) * int(found.group(2))
    return ESCAPE.sub(replace, text)


def field_parts(line):
    name, _, value = line.partition(b":")
    return name, value.strip(b" \t")


class Case:
    """A request, and the expected result."""

    def __init__(self, group, line, title):
        self.group = group
        self.line = line
        self.title = title
        self.engines = ENGINES
        self.reason = ""
        self.method = None
        self.url = None
        self.fields = []            # lines, as they are sent
        self.client = None
        self.esi = False
        self.restarts = 0
        self.proto = b"HTTP/1.1"
        self.verdict = "none"
        self.status = None
        self.text = None            # the reason, the Location
        self.type = self.body = None        # of an answer
        self.after_url = None
        self.any = set()            # of "url", "headers", "backend"
        self.after = []             # (name, value; None: not there)
        self.backend = None
        self.seen = {}              # ruleset, host, rule; None: none
        self.counts = {"undecided": 0, "ignored": 0}

    def place(self):
        return "%s:%d" % (self.group.path, self.line)

    def request_line(self, line):
        if self.method is None:
            method, _, url = line.partition(b" ")
            self.method, self.url = expanded(method), expanded(url)
            self.after_url = self.url
            return
        word, _, rest = line.partition(b" ")
        if word == b"client":
            self.client = rest.decode()
        elif word == b"scheme":
            pass                    # of a connection, which a test has not
        elif word == b"esi":
            self.esi = True
        elif word == b"restarts":
            self.restarts = int(rest)
        elif word == b"proto":
            self.proto = rest
        elif word == b"only":
            names, _, reason = rest.partition(b":")
            self.engines = tuple(names.decode().split())
            self.reason = reason.decode().strip()
            if not self.reason or set(self.engines) - set(ENGINES):
                raise Malformed("'only' names engines and a reason")
        elif b":" in line:
            self.fields.append(expanded(line))
        else:
            raise Malformed("this is not a header")

    def take_verdict(self, rest):
        word, _, rest = rest.partition(b" ")
        self.verdict = word.decode()
        if self.verdict in ("synth", "redirect", "answer"):
            status, _, rest = rest.partition(b" ")
            self.status = int(status)
            if self.verdict == "redirect":
                self.text = expanded(rest)
            elif self.verdict == "answer":
                type_, _, body = rest.partition(b" \"")
                self.type, self.body = expanded(type_), expanded(body[:-1])
            elif rest:
                self.text = expanded(rest[1:-1])
        elif self.verdict == "refuse":
            self.status = 400
        elif self.verdict in PLAIN:
            self.status = int(PLAIN[self.verdict].status) or None
        elif self.verdict != "none":
            raise Malformed("no such verdict")

    def expect_line(self, line):
        no = line.startswith(b"no ")
        word, _, rest = line[3 if no else 0:].partition(b" ")
        word = word.decode()
        if word == "verdict":
            self.take_verdict(rest)
        elif word == "any" and rest.decode() in ("url", "headers", "backend"):
            self.any.add(rest.decode())
        elif word == "url":
            self.after_url = expanded(rest)
        elif word == "header":
            name, value = field_parts(rest)
            self.after.append((name, None if no else expanded(value)))
        elif word == "backend":
            self.backend = rest
        elif word in ("ruleset", "host", "rule"):
            self.seen[word] = None if no else rest
        elif word in ("scans", "undecided", "ignored"):
            self.counts[word] = int(rest)
        elif word == "log":
            pass                # tests/vtc/rules.log_line.vtc has these
        elif word in ("fetch", "key", "calls", "bans") and self.engines == ("cli",):
            pass
        else:
            raise Malformed("no such expectation")

    def headers_before(self):
        """Returns {name in lower case: values} of the request as it is sent."""
        headers = {}
        for line in self.fields:
            name, value = field_parts(line)
            headers.setdefault(name.lower(), []).append(value)
        return headers

    def differences(self, found):
        """Keeps those of (what, expected, actual) that the case looks at."""
        named = {"header " + name.decode("latin-1").lower()
                 for name, _ in self.after}
        return [one for one in found if not (
            one[0] in self.any or "headers" in self.any and
            one[0].startswith("header ") and one[0] not in named)]

    def headers_after(self):
        headers = self.headers_before()
        for name, _ in self.after:
            headers.pop(name.lower(), None)
        for name, value in self.after:
            if value is not None:
                headers.setdefault(name.lower(), []).append(value)
        return headers


class Group:
    """Rules, and the requests for them."""

    def __init__(self, path, line, title):
        self.path = path
        self.line = line
        self.title = title
        self.files = []             # [name, bytes]; the first is the rules
        self.cases = []

    def place(self):
        return "%s:%d" % (self.path, self.line)

    def write(self, folder):
        """Writes the files; returns the path of the rules."""
        for name, text in self.files:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)
        return os.path.join(folder, MAIN)

    def backends(self):
        """Returns the names that the rules give to backends."""
        names = []
        for _, text in self.files:
            for found in re.finditer(rb"\bbackend\s+([^\s;\"]+)\s*;", text):
                if found.group(1).decode() not in names:
                    names.append(found.group(1).decode())
        return names


class Reader:
    """One file, line by line."""

    def __init__(self, path):
        self.path = path
        self.groups = []
        self.text = None            # the file that is being read
        self.take = None
        self.number = 0

    def begin(self, word, rest):
        self.text = self.take = None
        if word == "rules":
            self.groups.append(Group(self.path, self.number, rest))
            self.text = [MAIN, b""]
            self.groups[-1].files.append(self.text)
        elif not self.groups:
            raise Malformed("rules come first")
        elif word == "file":
            self.text = [rest, b""]
            self.groups[-1].files.append(self.text)
        elif word == "request":
            group = self.groups[-1]
            group.cases.append(Case(group, self.number, rest))
            self.take = group.cases[-1].request_line
        elif word == "response" and self.groups[-1].cases:
            case = self.groups[-1].cases[-1]
            if case.engines != ("cli",):
                raise Malformed("responses are for 'only cli'")
            self.take = lambda line: None
            case.expect_line = self.take
        elif word == "expect" and self.groups[-1].cases:
            self.take = self.groups[-1].cases[-1].expect_line
        else:
            raise Malformed("this section does not belong here")

    def read(self):
        with open(self.path, "rb") as file:
            lines = file.read().split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        for self.number, line in enumerate(lines, 1):
            try:
                self.line(line)
            except (Malformed, ValueError) as error:
                raise Malformed("%s:%d: %s: %r" % (
                    self.path, self.number, error, line[:60]))
        return self.groups

    def line(self, line):
        if line.startswith(b"=== "):
            word, _, rest = line[4:].decode().partition(" ")
            self.begin(word, rest)
        elif self.text is not None:
            self.text[1] += line + b"\n"
        elif self.take is not None and line and not line.startswith(b"#"):
            self.take(line)


def read(path):
    return Reader(path).read()


def find(paths, top):
    """Returns the paths given, or all files of cases in the tree."""
    if paths:
        return paths
    folder = os.path.join(top, "tests", "cases")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".case")]


def headers_differ(expected, actual):
    """Yields (name, expected, actual) of each header that differs; []: not there."""
    for name in sorted(set(expected) | set(actual)):
        want, have = expected.get(name, []), actual.get(name, [])
        if name in JOINED:
            want, have = ([JOINED[name].join(values)] if values else []
                          for values in (want, have))
        if want != have:
            yield name, want, have


class Score:
    """Counts what ran and what was left out, and prints failures."""

    def __init__(self, name):
        self.name = name
        self.ran = 0
        self.failed = 0
        self.left = {}

    def leave(self, case):
        self.left[case.reason] = self.left.get(case.reason, 0) + 1

    def result(self, case, differences):
        """Counts a case, and prints its differences: (what, expected, actual) each."""
        differences = case.differences(differences)
        self.ran += 1
        self.failed += bool(differences)
        if not differences:
            return
        print("%s: %s: not as expected%s" % (
            case.place(), self.name, case.title and " (%s)" % case.title))
        print("    %s" % shown(case.method + b" " + case.url))
        for what, expected, actual in differences:
            print("    %-10s expected %s" % (what, shown(expected)))
            print("    %-10s      got %s" % ("", shown(actual)))

    def end(self):
        for reason, count in sorted(self.left.items()):
            print("%s: left out %d: %s" % (self.name, count, reason))
        print("%s: %d cases, %d failed, %d left out" % (
            self.name, self.ran, self.failed, sum(self.left.values())))
        if self.ran == 0:
            print("%s: nothing was tested" % self.name)
        return 0 if self.failed == 0 and self.ran > 0 else 1


def shown(value):
    if isinstance(value, list):
        return ", ".join(shown(part) for part in value) or "nothing"
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    text = ascii(text)[1:-1].replace("\\\\", "\\")
    return text if len(text) < 300 else text[:140] + " ... " + text[-140:]
