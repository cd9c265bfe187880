# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Counts instructions, by valgrind's callgrind.

Of a request: `fastmatch bench --count N` calls fm_bench_counted() for 1 run of
it and then for 1 + N; only what is called from there is counted, and the
difference is that of N runs.  Of loading: what is called from fm_rules_open().

The same build counts the same to the instruction, wherever and however often
(loading but for some thousands of 843 million: names of files are of different
lengths, and so are their copies): the seeds of tables are fixed (src/cli/bench/count.c), there is one thread, and
the machine is the one that valgrind plays.  What the count depends on
otherwise is in counted_with().

Another build of the same may differ by some per cent in what Hyperscan does:
what it makes of the same literals depends on where its memory is
(GLIBC_TUNABLES=glibc.malloc.tcache_count=0 shows it).
"""

import concurrent.futures
import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile

import inputs
from inputs import Wrong

RUNS = 50
FEATURES = ("ssse3", "sse4_2", "avx", "avx2", "bmi2")


# What a count depends on

def text_of(*argv):
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              universal_newlines=True, check=False)
    except OSError:
        return "none"
    return done.stdout.strip() if done.returncode == 0 else "none"


def library(program, name):
    """The file of a library that the program is linked with."""
    hit = re.search(r"\b%s\.so\S* => (\S+)" % name, text_of("ldd", program))
    if hit is None:
        raise Wrong("%s is not linked with %s" % (program, name))
    return ctypes.CDLL(hit.group(1))


def hyperscan(program):
    lib = library(program, "libhs")
    lib.hs_version.restype = ctypes.c_char_p
    return lib.hs_version().decode().split()[0]


def pcre2(program):
    lib = library(program, "libpcre2-8")
    said = ctypes.create_string_buffer(64)
    lib.pcre2_config_8(11, said)            # PCRE2_CONFIG_VERSION
    return said.value.decode().split()[0]


def compiler(program):
    """Which made it, as it says itself."""
    said = text_of("readelf", "-p", ".comment", program)
    made = re.findall(r"\]\s+(GCC:|clang|Debian clang|Ubuntu clang).*?"
                      r"(\d+\.\d+\.\d+)(?!.*\d\.\d)", said)
    names = {"%s %s" % ("gcc" if who == "GCC:" else "clang", version)
             for who, version in made}
    # Debian's crt1.o says which gcc made it, in a program of clang's too.
    clang = {name for name in names if name.startswith("clang")}
    return ", ".join(sorted(clang or names)) or "none"


def flags(build):
    """CFLAGS, as configure was told, and what fastmatch adds to them that
    costs instructions: FM_HARD_CFLAGS must cost none."""
    try:
        makefile = inputs.read(build, "src/cli/Makefile")
    except OSError:
        return "none"
    words = []
    for name in ("CFLAGS", "CPPFLAGS", "LDFLAGS", "FM_SAN_CFLAGS"):
        hit = re.search(r"^%s =(.*)$" % name, makefile, re.M)
        words += hit.group(1).split() if hit else []
    return " ".join(words)


def processor():
    """Valgrind plays a machine that can what this one can, up to AVX2."""
    try:
        line = re.search(r"^flags\s*:(.*)$", inputs.read("/proc/cpuinfo"),
                         re.M)
    except OSError:
        line = None
    has = line.group(1).split() if line else []
    return " ".join(word for word in FEATURES if word in has) or "unknown"


def counted_with(build):
    program = inputs.program(build)
    return {
        "architecture": platform.machine(),
        "processor": processor(),
        "compiler": compiler(program),
        "flags": flags(build),
        "libc": os.confstr("CS_GNU_LIBC_VERSION"),
        "hyperscan": hyperscan(program),
        "pcre2": pcre2(program),
        "xxhash": text_of("pkg-config", "--modversion", "libxxhash"),
        "valgrind": text_of("valgrind", "--version"),
    }


# Counting

def callgrind(folder, name, function, argv):
    """Counts what is called from a function: the number of each call, and
    what the program printed.  Each call begins a new dump; what comes before
    the first is the dump of 0."""
    out = os.path.join(folder, "callgrind." + name)
    said = inputs.run(
        ["valgrind", "--quiet", "--tool=callgrind",
         "--callgrind-out-file=" + out, "--toggle-collect=" + function,
         "--dump-before=" + function, *argv], folder)
    dumps = {}
    for file in os.listdir(folder):
        hit = re.fullmatch(r"callgrind\.%s(?:\.(\d+))?" % re.escape(name),
                           file)
        if hit is None:
            continue
        total = re.search(r"^totals: (\d+)", inputs.read(folder, file), re.M)
        if total is None:
            raise Wrong("callgrind counted nothing in %s" % file)
        dumps[int(hit.group(1) or 1 << 30)] = int(total.group(1))
    calls = [dumps[number] for number in sorted(dumps)][1:]
    if not calls or 0 in calls:
        raise Wrong("%s() was not called, or the compiler has inlined it"
                    % function)
    return calls, said


def count_requests(build, folder, key, rows):
    name = "requests-" + key
    inputs.requests(folder, name, rows)
    calls, said = callgrind(folder, name, "fm_bench_counted",
                            inputs.command(build, key, name, RUNS))
    inputs.check(rows, said)
    if len(calls) != 2 * len(rows):
        raise Wrong("%d requests of %s, %d calls" % (
            len(rows), key, len(calls)))
    return {row["name"]: (calls[2 * n + 1] - calls[2 * n]) / RUNS
            for n, row in enumerate(rows)}


def count_load(build, folder, key, row):
    name = "load-" + key
    inputs.requests(folder, name, [row])
    calls, _ = callgrind(folder, name, "fm_rules_open",
                         inputs.command(build, key, name, 1))
    return calls[0]


def count_load_host(build, folder, row):
    """Of each host but the first, which has to pay for the rest."""
    several = count_load(build, folder, "hosts", row)
    with tempfile.TemporaryDirectory() as alone:
        inputs.prepare(alone, hosts=1)
        first = count_load(build, alone, "hosts", row)
    return (several - first) / (inputs.HOSTS - 1)


def tidy(number):
    """At most a tenth of an instruction: only loading has such."""
    return int(number) if number == int(number) else round(number, 1)


def count_all(build, rows):
    """{name: instructions}, of the inputs in their order, then of loading."""
    if shutil.which("valgrind") is None:
        raise Wrong("valgrind is not installed")
    by_rules = dict(inputs.of_rules(rows))
    with tempfile.TemporaryDirectory(prefix="fastmatch-budget-") as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as two:
        inputs.prepare(folder)
        load = {
            "load-host": two.submit(count_load_host, build, folder,
                                    by_rules["hosts"][0]),
            "load-article": two.submit(count_load, build, folder, "article",
                                       by_rules["article"][0]),
        }
        parts = [two.submit(count_requests, build, folder, key, some)
                 for key, some in by_rules.items()]
        found = {}
        for part in parts:
            found.update(part.result())
        found.update((name, part.result()) for name, part in load.items())
    return {name: tidy(number) for name, number in found.items()}
