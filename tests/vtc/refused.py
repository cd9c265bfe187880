#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Does vcl.load refuse each of these VCLs, and say why?

usage: refused.py NAME MODULE <BLOCKS

NAME is varnishd's, MODULE the text after `import`; the VCLs are written to the working
folder.  An empty line ends a block.  A block has lines of a vcl_init, then lines that
begin with "> ", which the answer must have in this order.  A line "# ..." is a comment,
"* sub vcl_fini" begins another sub:

    new h = fastmatch.hosts();
    h.add("a b");
    > h.add(), call 1: error: host pattern 'a b': no host has the byte 0x20
"""

import os
import re
import shutil
import subprocess
import sys

HEAD = """vcl 4.1;
import %s;
backend none none;
backend b { .host = "127.0.0.1"; }
sub nothing { }
sub vcl_recv { call nothing; set req.backend_hint = b; }
sub vcl_init {
"""


def answer_to(name, label, text):
    path = os.path.abspath("refused.vcl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    adm = shutil.which("varnishadm") or shutil.which("vinyladm")
    done = subprocess.run(
        [adm, "-t", "300", "-n", name, "vcl.load", label, path],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def in_order(answer, said):
    for line in said:
        _, found, answer = answer.partition(line)
        if not found:
            return False
    return True


def main():
    name, module = sys.argv[1:]
    wrong = 0
    blocks = sys.stdin.read().split("\n\n")
    for number, block in enumerate(blocks):
        lines = [line.strip() for line in block.splitlines()]
        vcl = [re.sub(r"^\* (.*)", r"} \1 {", line)
               for line in lines if line[:1] not in ("#", ">")]
        said = [line[2:] for line in lines if line.startswith("> ")]
        if not said:
            raise SystemExit("nothing is to be said of: " + block)
        status, answer = answer_to(
            name, "refused_%d_%d" % (os.getpid(), number),
            HEAD % module + "\n".join(vcl) + "\n}\n")
        if status == 0 or not in_order(answer, said):
            wrong += 1
            print("%s\n-- is answered by %d:\n%s" % (block, status, answer))
    print("%d refused, %d otherwise" % (len(blocks) - wrong, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
