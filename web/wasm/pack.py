# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Packs what emscripten has made of the command, for pages and for node.

    pack.py LINKED LISTS LISTS_FOLDER TO

LINKED has run.js and node.js, and a .wasm of each, which are the same. TO gets

    fastmatch.js        a classic script that defines `fastmatch` (run.js here)
    fastmatch.wasm      what it and node/fastmatch run
    fastmatch.inline.js the same script with the WebAssembly in it, in base64
    node/fastmatch      the command for node (node.js here), with the lists
"""

import base64
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = (".list", ".map", ".rules")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(text, *path):
    with open(os.path.join(*path), "w", encoding="utf-8") as file:
        file.write(text)


def script(glue, lists, folder, inline):
    """Returns the classic script; all its names but `fastmatch` are its own."""
    return "".join((
        "(function () {\n", glue,
        "\nconst lists = ", json.dumps(lists, ensure_ascii=False),
        ";\nconst listsFolder = ", json.dumps(folder),
        ";\nconst inline = ", json.dumps(inline), ";\n",
        read(HERE, "run.js"), "})();\n"))


def main(linked, folder, lists_folder, to):
    names = sorted(name for name in os.listdir(folder)
                   if name.endswith(LISTS))
    lists = {name: read(folder, name) for name in names}
    wasm = os.path.join(linked, "run.wasm")
    with open(wasm, "rb") as file, \
            open(os.path.join(linked, "node.wasm"), "rb") as other:
        program = file.read()
        if program != other.read():
            sys.exit("pack.py: run.wasm and node.wasm differ: emscripten "
                     "has linked two programs")
    glue = read(linked, "run.js")
    write(script(glue, lists, lists_folder, ""), to, "fastmatch.js")
    write(script(glue, lists, lists_folder,
                 base64.b64encode(program).decode("ascii")),
          to, "fastmatch.inline.js")
    shutil.copyfile(wasm, os.path.join(to, "fastmatch.wasm"))
    node = os.path.join(to, "node")
    shutil.rmtree(node, ignore_errors=True)
    os.makedirs(os.path.join(node, "lists"))
    for name in names:
        shutil.copyfile(os.path.join(folder, name),
                        os.path.join(node, "lists", name))
    shutil.copyfile(wasm, os.path.join(node, "fastmatch.wasm"))
    write("#!/usr/bin/env node\n" + read(linked, "node.js") +
          read(HERE, "node.js"), node, "fastmatch")
    os.chmod(os.path.join(node, "fastmatch"), 0o755)


main(*sys.argv[1:])
