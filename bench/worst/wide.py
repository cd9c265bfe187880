# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Regexes with long lists of alternatives, or much else that PCRE2 tries and its
limit doesn't count; none that a table decides.  For each: the regex, and the
inputs that are made for it.
"""


def alternatives(count, size, byte="a"):
    return "|".join(byte * size + chr(ord("b") + i % 20)
                    for i in range(count))


def repeated(form, count):
    return "|".join([form] * count)


ENDED = [b"a", b"a{$}b", b"a{$};!"]
WIDE = {
    "long": (r"(?:%s)\b" % alternatives(100, 200), ENDED),
    "middle": (r"(?:%s)\b" % alternatives(50, 50), ENDED),
    "look": (r"(?=%s)." % alternatives(100, 200), ENDED),
    "denied": (r"a(?!%s)\b" % alternatives(100, 20), ENDED),
    "behind": (r"(?<=%s|b)c" % repeated("a", 200), [b"cd", b"ac"]),
    "behind-long": (r"(?<=%s)a" % alternatives(60, 20), ENDED),
    "back": (r"(?:%s)(x?)\1" % alternatives(100, 200), ENDED),
    "nocase": (r"(?i)(?:%s)\b" % alternatives(100, 60), [b"aA", *ENDED]),
    "atomic": (r"(?>%s)\b" % alternatives(100, 100), ENDED),
    "condition": (r"(?(?=a)(?:%s)|b)\b" % alternatives(60, 100), ENDED),
    "short": (r"(?:%s)\b" % repeated("ab", 500), ENDED),
    "empty": (r"a(?:%sb)(?!a)x?(?=b)" % ("|" * 300), ENDED),
    "classes": (r"(?:%s)\b" % repeated("[a-y][a-y][a-y]z", 200), ENDED),
    "escapes": (r"(?:%s)\b" % repeated(r"\x61\141" * 15 + "b", 60), ENDED),
    "counted": (r"(?:%s)\b" % repeated("[a-y]{15}z", 200), ENDED),
    "counted-blanks": (r"(?x) (?<!x)[a-z]{200} b", [199 * b"a" + b"!"]),
    "borders": (r"^(?:a|%s)+\b!(?=x)" % repeated(r"\B\B\B!", 100),
                [b"a{$}!x"]),
    "turns": (r"^(?!x)(?:[b-z]|[a-y])+(?:a|b)+c\B", [b"a{$}c!"]),
    "nested": (r"%saaaab%s\b" % (22 * "(", 22 * "|aaac)"), ENDED),
    "nested-deep": (r"%saaaab%s\b" % (60 * "(", 60 * "|aaac)"), ENDED),
    "groups": (r"(?:%s)\b" % repeated("(a)b", 200), ENDED),
    "refs": (r"(?=(a{1,4000}))(?:%s)" % repeated(r"\1b", 100), ENDED),
    "refs-named": (r"(?=(?<n>a{1,4000}))(?:%s)" % repeated(r"\k<n>b", 100),
                   ENDED),
    "refs-condition": (r"(?(?=(a{1,4000}))(?:%s)|b)" % repeated(r"\1b", 100),
                       ENDED),
    "refs-repeated": (r"(.{50})\1{99}b", ENDED),
    "calls": (r"(?:(%s)|c(?1))\b" % alternatives(20, 50), ENDED),
    "called-first": (r"((?1)|a)\bx", ENDED),
    "text": (r"(?<!b)%sb\b" % (300 * "a"), ENDED),
}


def rules():
    return "".join('host wide-%s.example { when agent ~ "%s" { pass; } }\n' %
                   (name, regex) for name, (regex, _) in WIDE.items())
