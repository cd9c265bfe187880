# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a function of a program instruction by instruction, by ptrace(2).

Unlike valgrind, on this very processor, so with the code that Hyperscan and
libc choose for it.
"""

import ctypes
import os
import signal
import struct

from inputs import ENVIRONMENT, Wrong

TRACEME, CONT, SINGLESTEP, GETREGS, SETREGS = 0, 7, 9, 12, 13
NO_RANDOM = 0x0040000

NAMES = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax "
         "rip cs eflags rsp ss fs_base gs_base ds es fs gs").split()
Registers = ctypes.c_uint64 * len(NAMES)
AT = {name: n for n, name in enumerate(NAMES)}
RIP, RSP = AT["rip"], AT["rsp"]

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p,
                        ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(what, pid, data=None):
    if libc.ptrace(what, pid, None, data) < 0:
        raise Wrong("ptrace: " + os.strerror(ctypes.get_errno()))


class Call:
    """What one call did: each step's registers, and the code it ran."""

    def __init__(self, maps, arguments):
        self.maps = maps            # lines of /proc/PID/maps
        self.arguments = arguments
        self.steps = []             # tuples of registers
        self.code = {}              # address: 16 bytes


class Stepper:
    def __init__(self, argv, folder, offset):
        """offset: where the function is in the program's file."""
        self.regs = Registers()
        self.pid = os.fork()
        if self.pid == 0:
            self.child(argv, folder)
        if self.wait() != signal.SIGTRAP:
            raise Wrong("%s can't be run and traced" % argv[0])
        self.mem = open("/proc/%d/mem" % self.pid, "r+b", buffering=0)
        base = next(int(line.split("-")[0], 16) for line in self.maps()
                    if line.rstrip().endswith(os.path.realpath(argv[0])))
        self.function = base + offset
        self.whole = self.peek(self.function, 1)

    @staticmethod
    def child(argv, folder):
        try:
            libc.personality(NO_RANDOM)
            os.chdir(folder)
            null = os.open("/dev/null", os.O_RDWR)
            for n in range(3):
                os.dup2(null, n)
            ptrace(TRACEME, 0)
            os.execve(argv[0], argv, ENVIRONMENT)
        finally:
            os._exit(127)

    def wait(self):
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSTOPPED(status):
            return os.WSTOPSIG(status)
        self.pid = None
        return None

    def peek(self, address, size):
        self.mem.seek(address)
        return self.mem.read(size)

    def poke(self, address, data):
        self.mem.seek(address)
        self.mem.write(data)

    def maps(self):
        with open("/proc/%d/maps" % self.pid, encoding="utf-8") as file:
            return file.readlines()

    def get(self):
        ptrace(GETREGS, self.pid, ctypes.addressof(self.regs))

    def step(self):
        ptrace(SINGLESTEP, self.pid)
        if self.wait() != signal.SIGTRAP:
            raise Wrong("a step ended in something else")
        self.get()

    def next_call(self):
        """Goes on to the next call; whether there is one."""
        self.get()
        if self.regs[RIP] == self.function:
            self.step()
        self.poke(self.function, b"\xcc")
        ptrace(CONT, self.pid)
        stop = self.wait()
        if stop is None:
            return False
        if stop != signal.SIGTRAP:
            raise Wrong("the program got signal %d" % stop)
        self.poke(self.function, self.whole)
        self.get()
        self.regs[RIP] = self.function
        ptrace(SETREGS, self.pid, ctypes.addressof(self.regs))
        return True

    def follow(self, look):
        """Steps through the call to its end; look(call, self) is asked
        before it."""
        self.get()
        call = Call(self.maps(), tuple(self.regs[AT[n]] for n in
                                       ("rdi", "rsi", "rdx")))
        look(call, self)
        stack = self.regs[RSP]
        back, = struct.unpack("<Q", self.peek(stack, 8))
        while not (self.regs[RIP] == back and self.regs[RSP] > stack):
            rip = self.regs[RIP]
            if rip not in call.code:
                call.code[rip] = self.peek(rip, 16)
            call.steps.append(tuple(self.regs))
            self.step()
        return call

    def close(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        self.mem.close()
