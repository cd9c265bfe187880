# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The branches of a vcl_recv, marked so that a request tells which it took.

Each block of an `if` is one, and so is the else that is not there.  The VCL
comes without comments (see harvest.flatten).
"""

import re

MARK = "req.http.Fm-Branches"
TOKEN = re.compile(r'"""(?:.*?)"""|"[^"\n]*"|\{".*?"\}|[A-Za-z_][\w.-]*'
                   r"|&&|\|\||[!=]=|[!=]~|.", re.S)
SET = re.compile(r'set\s+(req\.http\.[\w-]+)\s*=\s*"([^"]*)"\s*;')


class Branch:
    def __init__(self, name, conditions, first=None):
        self.name = name
        # All of these must be true for the branch, its own condition the last one.
        self.conditions = conditions
        # The first token in its block; None: it has none.
        self.first = first


def inverse(condition):
    """Returns the inverse of one comparison; [] where there is more."""
    hit = re.match(r"([^&|!=~]*)(!~|~|==|!=)([^&|]*)$", condition, re.S)
    if not hit:
        return []
    return [hit.group(1) + {"~": "!~", "!~": "~", "==": "!=", "!=": "=="}[
        hit.group(2)] + hit.group(3)]


class Marker:
    def __init__(self, text):
        self.tokens = [token for token in TOKEN.findall(text)]
        self.branches = []
        # (header, value): what must be true where it gets that value.
        self.sets = {}
        # (number of the branch that it is in or None, condition or statement)
        self.texts = []
        self.inside = None
        self.out = []
        self.at = 0

    def words(self):
        """Returns the places of all tokens that are not blanks."""
        return [i for i, token in enumerate(self.tokens)
                if not token.isspace()]

    def subs(self):
        """Returns {name: [(first token, token after)]} of the blocks of all subs."""
        found, words = {}, self.words()
        for i, at in enumerate(words):
            if self.tokens[at] == "sub" and i + 2 < len(words) and \
                    self.tokens[words[i + 2]] == "{":
                found.setdefault(self.tokens[words[i + 1]], []).append(
                    (words[i + 2], self.after(words[i + 2])))
        return found

    def after(self, at):
        """Returns the place after the bracket that closes the ( or { at `at`."""
        opens = self.tokens[at]
        closes = {"(": ")", "{": "}"}[opens]
        depth = 0
        while at < len(self.tokens):
            if self.tokens[at] == opens:
                depth += 1
            elif self.tokens[at] == closes:
                depth -= 1
                if depth == 0:
                    return at + 1
            at += 1
        return at

    def reached(self, names):
        """Returns the blocks of the subs of these names, and of all that they call."""
        subs, wanted, seen, blocks = self.subs(), list(names), set(), []
        while wanted:
            name = wanted.pop()
            if name in seen:
                continue
            seen.add(name)
            for first, after in subs.get(name, []):
                blocks.append((first, after))
                text = "".join(self.tokens[first:after])
                wanted += re.findall(r"\bcall\s+([\w.-]+)", text)
        return sorted(blocks)

    def take(self, until):
        self.out += self.tokens[self.at:until]
        self.at = until

    def next_word(self, at):
        while at < len(self.tokens) and self.tokens[at].isspace():
            at += 1
        return at

    def mark(self, name, conditions, first=None):
        self.out.append(' set %s = %s + "%d,";' % (
            MARK, MARK, len(self.branches)))
        self.inside = len(self.branches)
        self.branches.append(Branch(name, conditions, first))

    def chain(self, conditions):
        """Copies an `if` with all its branches, and marks each of them."""
        names, around = [], self.inside
        while True:
            opens = self.next_word(self.at + 1)
            if self.tokens[opens:opens + 1] != ["("]:
                return self.take(opens)
            block = self.next_word(self.after(opens))
            if self.tokens[block:block + 1] != ["{"]:
                # if(condition, value, other value)
                return self.take(opens)
            condition = "".join(self.tokens[opens + 1:self.after(opens) - 1])
            names.append(" ".join(condition.split()))
            self.take(block + 1)
            inside = conditions + [condition]
            self.mark("if (%s)" % names[-1], inside,
                      self.next_word(block + 1))
            self.texts.append((self.inside, condition))
            self.block(self.after(block), inside)
            self.inside = around
            word = self.next_word(self.at)
            token = self.tokens[word] if word < len(self.tokens) else ""
            if token == "else":
                then = self.next_word(word + 1)
                if self.tokens[then] == "if":
                    self.take(then)
                    continue
                self.take(then + 1)
                inside = conditions + inverse(condition)
                self.mark("else of if (%s)" % names[-1], inside,
                          self.next_word(then + 1))
                self.block(self.after(then), inside)
                self.inside = around
                return None
            if token not in ("elsif", "elseif", "elif"):
                self.out.append(" else {")
                self.mark("not if (%s)" % names[-1],
                          conditions + inverse(condition))
                self.out.append(" }")
                self.inside = around
                return None
            self.take(word)

    def block(self, after, conditions):
        """Copies tokens up to `after`; all before self.at are copied already."""
        while self.at < after:
            if self.tokens[self.at] == "if":
                self.chain(conditions)
                continue
            if self.tokens[self.at] == "set":
                self.note_set(conditions)
            if self.tokens[self.at] == "set" or \
                    self.tokens[self.at].startswith("cookie."):
                self.texts.append((self.inside, self.statement()))
            self.take(self.at + 1)

    def statement(self):
        """Returns the text up to the next semicolon."""
        try:
            end = self.tokens.index(";", self.at)
        except ValueError:
            end = len(self.tokens)
        return "".join(self.tokens[self.at:end])

    def note_set(self, conditions):
        """Notes a `set HEADER = "value";` and its conditions."""
        hit = SET.match("".join(self.tokens[self.at:self.at + 9]))
        if hit and conditions:
            self.sets.setdefault((hit.group(1).lower(), hit.group(2)),
                                 []).append(conditions)


def read(text, names):
    """Returns a Marker that has gone through the subs of these names, and those that
    they call."""
    marker = Marker(text)
    for first, after in marker.reached(names):
        if first < marker.at:
            continue
        marker.take(first + 1)
        marker.inside = None
        marker.block(after, [])
    marker.take(len(marker.tokens))
    return marker


def marked(text):
    """Returns the VCL with marks, its branches in the order of their numbers, the
    branches that set a header to a text, and the texts in each branch."""
    marker = read(text, ["vcl_recv"])
    return ("".join(marker.out), marker.branches, marker.sets, marker.texts)
