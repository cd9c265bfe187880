#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the texts that the language server shows, from fastmatch.rules(5).

    src/cli/lsp/manual.py doc/fastmatch.rules.5.rst >manual.h

Prints rows of a table of C, { kind, words, Markdown }:

    { "statement", "query drop", "```\\nquery drop NAME...;\\n..." },

The kinds are item, statement, subject, mode, variable and condition, the last
for all words that join tests.
"""

import re
import sys

HEADING = re.compile(r"^(?P<title>\S.*)\n(?P<line>[=-])(?P=line){2,}\n", re.M)
KINDS = {"ITEMS": "item", "STATEMENTS": "statement",
         "STATEMENTS OF RESPONSES": "statement"}
# Sections below CONDITIONS and VALUES, whose entries are definitions.
LISTS = {"SUBJECTS": "subject", "MODES": "mode", "VALUES": "variable"}
ENTRY = re.compile(r"^(?P<term>``.*)\n(?P<text>(?:    .*\n|\n)+)", re.M)


def sections(text):
    """Yields (part, title, text) of each section; part is the heading above it."""
    found = list(HEADING.finditer(text))
    part = ""
    for hit, after in zip(found, found[1:] + [None]):
        if hit["line"] == "=":
            part = hit["title"]
        yield (part, hit["title"],
               text[hit.end():after.start() if after else len(text)])


def markdown(text):
    """Paragraphs and literal blocks; comments and tables go."""
    text = re.sub(r"^ *\.\. file .*\n\n *::\n\n((?: +.*\n|\n)+)", "", text,
                  flags=re.M)
    text = re.sub(r"^ *\.\. .*\n", "", text, flags=re.M)
    text = re.sub(r"^[+|].*\n", "", text, flags=re.M)
    text = re.sub(r"``(.+?)``", r"`\1`", text, flags=re.S)
    text = re.sub(r"^ *::\n\n((?: {4}.*\n|\n)+)", lambda hit: "```\n%s\n```\n\n"
                  % strip(hit[1]), text, flags=re.M)
    text = re.sub(r"`([^`]+)`_", r"\1", text)
    text = re.sub(r"(?<=\w)_(?=[\s,.;:)]|$)", "", text)
    text = text.replace("\\(", "(").replace("\\*", "*")
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def strip(block):
    """A block without its indentation."""
    lines = block.strip("\n").split("\n")
    indent = min(len(line) - len(line.lstrip()) for line in lines if line)
    return "\n".join(line[indent:] for line in lines)


def words_of(title):
    return [word.strip() for word in title.split(",")]


def rows(text):
    for part, title, body in sections(text):
        if part in KINDS and title != part:
            for words in words_of(title):
                yield KINDS[part], words, markdown(body)
        elif title == "CONDITIONS":
            yield "condition", "", markdown(body)
        elif title in LISTS:
            for hit in ENTRY.finditer(body):
                for term in re.findall(r"``(.+?)``", hit["term"]):
                    yield LISTS[title], term.strip("${}"), "`%s`\n\n%s" % (
                        term, markdown(strip(hit["text"]) + "\n"))
            nocase = re.search(r"^``nocase``(?:.+\n)+", body, re.M)
            if nocase:
                yield "mode", "nocase", markdown(nocase[0])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    count = 0
    print("/* Made by src/cli/lsp/manual.py of doc/fastmatch.rules.5.rst. */")
    for kind, words, shown in rows(text):
        count += 1
        print('{ "%s", "%s",' % (kind, words))
        for line in shown.split("\n"):
            print('    "%s\\n"' % line.replace("\\", "\\\\").replace(
                '"', '\\"').replace("?", "\\?"))
        print("},")
    if count < 50:
        sys.exit("%s: only %d entries" % (sys.argv[1], count))


main()
