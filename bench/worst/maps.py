# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Maps whose lines ask for more than one thing, or for none.

A client can write what leads to all lines of such a map, and what denies each
of them.  For each: its lines, and the inputs that are made for it.
"""

LINES = 1000
GRID = 100


def lines(form, n=LINES):
    return " ".join(form.format(i) for i in range(n))


def grid(form):
    return " ".join(form.format(i, k) for i in range(GRID)
                    for k in range(GRID))


def words(form, n=LINES):
    return "".join(form.format(i) for i in range(n)).encode()


WORDS = [words("w{0:04}"), words("w{0:04}", 40), b"w0001"]
MAPS = {
    "and-same": (lines("contains foo and contains w{0:04}x -> a;"),
                 [b"foo", b"foow0001", *WORDS,
                  *(b"foo{$}" + word for word in WORDS)]),
    "and-ends": (lines("begins shop and ends w{0:04} -> a;"),
                 [b"shop", b"shopw0001"]),
    "and-not": (lines("contains w{0:04} and not contains bot -> a;"),
                [b"bot", *WORDS, *(b"bot{$}" + word for word in WORDS)]),
    "and-lists": (lines("contains foo v{0:04} and contains w{0:04} bar"
                        " -> a;"),
                  [b"foo", b"bar", *WORDS, b"foo{$}" + words("v{0:04}")]),
    "and-grid": (grid("contains a{0:02} and contains b{1:02}x -> a;"),
                 [words("a{0:02}", GRID), words("b{0:02}", GRID),
                  words("a{0:02}b{0:02}", GRID),
                  words("b{0:02}xa{0:02}", GRID) + b"a"]),
    "and-regex": (lines('contains w{0:04} and ~ "w{0:04}[^x]*y" -> a;'),
                  [*WORDS, words("w{0:04}") + b"y"]),
    "nots": (lines("not contains w{0:04} -> a;"), WORDS),
    "nots-more": (lines("not contains w{0:04} and not contains foo -> a;"),
                  [b"foo", *WORDS, *(b"foo{$}" + word for word in WORDS)]),
}


def rules():
    return "".join(
        "map %s { %s default b; }\nhost %s.example { set X-A = %s(agent); }\n"
        % (name, text, name, name) for name, (text, _) in MAPS.items())
