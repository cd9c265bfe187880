# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""What memory an x86-64 instruction touches: its text by objdump, its
addresses by the registers before it."""

import os
import re
import subprocess
import tempfile

from inputs import Wrong
from stepper import AT

SLOT = 32               # an instruction, what follows it, and nops: whatever
                        # that is taken for, it ends before the next slot
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8,
         "TBYTE": 10, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
OPERAND = re.compile(r"(?:(\w+) (?:PTR|BCST) )?(?:([c-gs]s):)?"
                     r"(?:\[([^\]]+)\]|(?<=:)(0x[0-9a-f]+))")
LINE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(?:\t(.*))?$")
PREFIXES = re.compile(r"^((rep|repz|repnz|lock|bnd|notrack|data16|cs|ds|es"
                      r"|rex\S*) +)+")
NO_ACCESS = ("lea", "nop", "endbr64")
ONLY_READ = re.compile(r"^(v?u?comis|v?p?test|cmp(?!xchg|s)|bt$|call|jmp|push"
                       r"|i?div|i?mul|prefetch|v?pcmp.str)")


class Instruction:
    def __init__(self, text, length):
        self.length = length
        words = PREFIXES.sub("", text.split("#")[0].strip())
        self.name = words.split()[0] if words else "?"
        self.operands = []      # (bytes, segment, expression, written)
        self.unknown = "(bad)" in text
        if self.name in NO_ACCESS:
            return
        rest = words[len(self.name):].strip()
        for hit in OPERAND.finditer(rest):
            size, segment, inside, absolute = hit.groups()
            if re.search(r"[xyz]mm\d", inside or ""):
                self.unknown = True             # a gather
                continue
            first = "," not in rest[:hit.start()]
            self.operands.append((
                SIZES.get(size, 8), segment, inside or absolute,
                first and not ONLY_READ.match(self.name)))

    def touched(self, regs):
        """(address, bytes, written) of each access."""
        rsp = regs[AT["rsp"]]
        if self.name.startswith(("push", "call")):
            yield rsp - 8, 8, True
        elif self.name.startswith(("pop", "ret")):
            yield rsp, 8, False
        elif self.name == "leave":
            yield regs[AT["rbp"]], 8, False
        for size, segment, inside, written in self.operands:
            at = self.address(inside, regs)
            if segment == "fs":
                at += regs[AT["fs_base"]]
            yield at & (1 << 64) - 1, size, written

    def address(self, inside, regs):
        at = 0
        for sign, term in re.findall(r"([+-]?)([^+-]+)", inside):
            value = 1
            for factor in term.split("*"):
                value *= self.value(factor, regs)
            at += -value if sign == "-" else value
        return at

    def value(self, word, regs):
        if word == "rip":
            return regs[AT["rip"]] + self.length
        if word in AT:
            return regs[AT[word]]
        if "e" + word[1:] == word and "r" + word[1:] in AT:
            return regs[AT["r" + word[1:]]] & 0xffffffff
        if word in ("riz", "eiz"):
            return 0
        return int(word, 0)


def decode(code):
    """{address: Instruction} of {address: its bytes and more}."""
    where = sorted(code)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "code")
        with open(path, "wb") as file:
            for address in where:
                file.write(code[address][:15].ljust(SLOT, b"\x90"))
        done = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M",
             "intel", "-w", "-z", path], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode != 0:
        raise Wrong("objdump: " + done.stderr)
    found = {}
    for line in done.stdout.split("\n"):
        hit = LINE.match(line)
        if hit and int(hit.group(1), 16) % SLOT == 0:
            found[where[int(hit.group(1), 16) // SLOT]] = Instruction(
                hit.group(3) or "(bad)", len(hit.group(2).split()))
    if len(found) != len(where):
        raise Wrong("objdump lost %d of %d instructions" % (
            len(where) - len(found), len(where)))
    return found
