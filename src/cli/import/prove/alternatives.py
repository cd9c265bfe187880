# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Texts that a regex matches: each alternative, class and optional part of it is in one
of them.

    \\.(css|js)(\\?.*)?$        .css?x .js
"""

import re
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        from re import _parser as regex_parser
    except ImportError:
        import sre_parse as regex_parser

# Words of PCRE2 that Python has another word for, or none.
PCRE = [(r"\(\?<(?![=!])", "(?P<"), (r"\(\?\|", "(?:"), (r"\\K", ""),
        (r"\\[hR]", " "), (r"\\z", r"\\Z"), (r"\[:(alpha|lower):\]", "a-z"),
        (r"\[:alnum:\]", "a-z0-9"), (r"\[:digit:\]", "0-9"),
        (r"\[:space:\]", " "), (r"\[:upper:\]", "A-Z"), (r"\[:word:\]", r"\\w"),
        (r"\(\?[a-z]+\)", "")]
QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.S)
MOST = 2000     # texts of a regex


def parsed(regex):
    """Returns the tree of a regex; None: Python does not understand it."""
    regex = QUOTED.sub(lambda hit: re.escape(hit.group(1)), regex)
    # In ESI/1.0 the dot is one.
    regex = re.sub(r"(?<=\d)\.(?=\d)", r"\\.", regex)
    for pcre, python in PCRE:
        regex = re.sub(pcre, python, regex)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex_parser.parse(regex)
    except (re.error, OverflowError, RecursionError, AssertionError):
        return None


def alternatives(regex):
    """Returns pairs of a text, and the text with its letters in the other case, but for
    those that stand for a class; [] if Python does not understand the regex."""
    tree = parsed(regex)
    return list(dict.fromkeys(row(tree)))[:MOST] if tree is not None else []


def row(tree):
    """Returns texts for parts in a row: the n-th of each part, or its last one."""
    parts = [node(str(op), value) for op, value in tree]
    return [tuple("".join(part[min(n, len(part) - 1)][case] for part in parts)
                  for case in (0, 1))
            for n in range(max([1] + [len(part) for part in parts]))]


def node(op, value):
    if op == "LITERAL":
        return [(chr(value), chr(value).swapcase())]
    if op in ("NOT_LITERAL", "ANY"):
        return [("y" if value == ord("x") else "x",) * 2]
    if op == "IN":
        return [(text, text) for text in members(value)]
    if op == "BRANCH":
        return [text for each in value[1] for text in row(each)]
    if op == "SUBPATTERN":
        return row(value[-1])
    if op == "ATOMIC_GROUP":
        return row(value)
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = value
        times = max(1, min(int(least), 100))
        texts = [(one * times, two * times) for one, two in row(inner)]
        return texts + [("", "")] if least == 0 else texts
    return [("", "")]


def members(value):
    if str(value[0][0]) == "NEGATE":
        bad = {chr(v) for op, v in value[1:] if str(op) == "LITERAL"}
        return [next((c for c in "xyz0-_a" if c not in bad), "~")]
    found = []
    for op, what in value:
        if str(op) == "LITERAL":
            found.append(chr(what))
        elif str(op) == "RANGE":
            found += [chr(what[0]), chr(what[1])]
        else:
            found.append({"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " "}.get(
                str(what), "w"))
    return found
