#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Reads the table of the rule language, words.h, for what is not C.

    src/words/words.py counters fastmatch.vsc.in

prints the file with the counters of the verdicts instead of its line ".. verdicts".
"""

import os
import re
import sys
import textwrap
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
SECTION = re.compile(r"^#define FM_(\w+)\([A-Z, ]+\)\t+\\\n((?:.*\\\n)*.*)",
                     re.M)
ROW = re.compile(r'\b[TSVMO]\((\w+), "([^"]+)", (\w+)((?:,\s*(?:"[^"]*"|\w+))*)\)')

# How editors show the words of a class: the group of Vim, and the scope of TextMate.
SHOWN = {"ITEM": ("fastmatchItem", "storage.type.fastmatch"),
         "STATEMENT": ("fastmatchStatement", "keyword.other.statement.fastmatch"),
         "CONDITIONAL": ("fastmatchConditional", "keyword.control.fastmatch"),
         "TEST": ("fastmatchTest", "keyword.operator.word.fastmatch"),
         "SUBJECT": ("fastmatchSubject", "support.type.subject.fastmatch"),
         "OPTION": ("fastmatchOption", "keyword.other.option.fastmatch")}

# The columns of words.h.  A word that is not a statement has no `manual`.
Word = namedtuple("Word", "section name word shown manual phases ends counter"
                  " returns status esi", defaults=(None,) * 7)


def words():
    """Returns all words, in the order of the table."""
    with open(os.path.join(HERE, "words.h"), encoding="utf-8") as file:
        text = file.read()
    found = []
    for section, body in SECTION.findall(text):
        body = re.sub(r'"\s+"', "", body.replace("\\\n", ""))
        for name, word, shown, more in ROW.findall(body):
            columns = [quoted or bare for quoted, bare in
                       re.findall(r'"([^"]*)"|(\w+)', more)]
            if section == "MODES":
                columns = []
            found.append(Word(section, name, word, shown, *columns))
    assert len(found) > 50, found
    return found


def statements():
    return [word for word in words() if word.manual is not None]


def verdicts():
    """Returns the statements that are verdicts, in the order of reports."""
    found = [word for word in statements() if word.counter is not None]
    return [word for section in ("PLAIN", "ANSWERS") for word in found
            if word.section == section]


def counters(text):
    """Returns the text of fastmatch.vsc.in with the counters of the verdicts."""
    def entry(verdict):
        returns = "return (%s)" % verdict.returns.lower()
        sub = "vcl_backend_response" if verdict.phases == "STORED" else "vcl_recv"
        said = "Of *rules*: how often ``.apply()`` ended ``%s`` with *%s*%s." \
            % (sub, returns, "" if verdict.section == "PLAIN" else
               ", for ``%s`` in the rules" % verdict.word)
        return (".. @V@_vsc:: %s\n\t:type:\t\tcounter\n\t:level:\t\tinfo\n"
                "\t:oneliner:\tVerdicts %s\n\n%s\n" % (
                    verdict.counter, verdict.word,
                    textwrap.indent(textwrap.fill(said, 72), "\t")))

    before, after = text.split("\n.. verdicts\n")
    return "%s\n%s%s" % (before, "\n".join(map(entry, verdicts())), after)


def editors(text):
    """Returns the text of a grammar of editors/ with the words of the table."""
    for shown, (group, scope) in SHOWN.items():
        found = [word.word for word in words() if word.shown == shown]
        text, changed = re.subn(
            r'(syntax match %s \+\\%%\(|"%s",\n +"match": "\(\?:)'
            r'[a-z|\\-]+?(?=\\?\))' % (group, re.escape(scope)),
            lambda hit: hit[1] + (r"\|" if hit[1].startswith("syntax") else
                                  "|").join(found), text)
        assert changed == 1, (shown, changed)
    return text


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "counters":
        sys.exit("usage: src/words/words.py counters FILE")
    with open(sys.argv[2], encoding="utf-8") as file:
        sys.stdout.write(counters(file.read()))


if __name__ == "__main__":
    main()
