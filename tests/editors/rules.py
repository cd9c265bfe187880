# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Rules that an editor has to show right, and the parser's tokens of them."""

import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(TOP, "src", "words"))
import words        # noqa: E402
BUILT = os.path.join(TOP, "build")
PROGRAM = os.path.abspath(os.environ.get(
    "FASTMATCH", os.path.join(BUILT, "src", "cli", "fastmatch")))
TOKENS = os.environ.get("TOKENS", os.path.join(BUILT, "tests", "tokens"))
WHERE = ("examples/*", "lists", "bench/*", "tests/cli/data",
         "tests/cli/data/fmt", "tests/fail/everything*", "tests/golden")

# TRAPS go wrong where words are looked for in words, or quotes in comments.
TRAPS = r'''a#b c #d "e" f
"g # h" i "\"j\\" # k "l
"${url} and ${header.X-Y}" is"when"is list{pass}not(host)and;or;
host.example.com list-of hosts2 x-host 404 404x x404 40.4 /404/
=#m
a=b a~b ~c =d ~"e" -> f a->b - -f
unset list.host; # when
set X="a"; ~#n
é"ü" when#not'''


def read(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def keywords():
    return [word.word for word in words.words() if word.word != "~"]


def is_clean(text):
    """Returns true if a text has no syntax error: only then must tokens agree."""
    done = subprocess.run([PROGRAM, "fmt", "-"], stdout=subprocess.DEVNULL,
                          input=text.encode("utf-8", "surrogateescape"),
                          stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def texts():
    """Pairs of a name and a text: the files of the tree, words and traps."""
    found = [("keywords", "".join("%s %sx x%s %s;\n" % ((word,) * 4)
                                  for word in keywords())),
             ("traps", TRAPS)]
    for where in WHERE:
        for name in sorted(glob.glob(os.path.join(TOP, where, "*.rules"))):
            text = read(name)
            if is_clean(text):
                found.append((os.path.relpath(name, TOP), text))
    assert len(found) > 50, len(found)
    return found


def tokens(text):
    """Yields (line, column, length, class) of each token, as tokens.c says."""
    done = subprocess.run([TOKENS], stdout=subprocess.PIPE, check=True,
                          input=text.encode("utf-8", "surrogateescape"))
    for line in done.stdout.decode().splitlines():
        row = line.split()
        yield (*map(int, row[:3]), row[3])
