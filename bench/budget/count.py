# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Counts instructions, by valgrind's callgrind.

The count of a request is what a method of the module takes in a varnishd that
serves (server.py), that of loading what `fastmatch check` takes.

The same build counts the same however often: seed.c fixes the seeds of its hash
tables, and what depends on places in memory is left out (server.OF_LIBC).
counted_with() has what the count depends on otherwise.
"""

import collections
import concurrent.futures
import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile

import inputs
import server
from inputs import Wrong

RUNS = 4                # of each input: the number that is seen most counts
SERVED = 1000           # hosts: a lookup takes as long among more
LOADED = 100000
FEATURES = ("ssse3", "sse4_2", "avx", "avx2", "bmi2")

# A count depends on these: libraries, compiler, processor

def text_of(*argv):
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              universal_newlines=True, check=False)
    except OSError:
        return "none"
    return done.stdout.strip() if done.returncode == 0 else "none"


def library(program, name):
    """Loads a library that the program is linked with; None: it is not."""
    hit = re.search(r"\b%s\.so\S* => (\S+)" % name, text_of("ldd", program))
    return hit and ctypes.CDLL(hit.group(1))


def hyperscan(program):
    lib = library(program, "libhs")
    if lib is None:
        return "none"
    lib.hs_version.restype = ctypes.c_char_p
    return lib.hs_version().decode().split()[0]


def pcre2(program):
    lib = library(program, "libpcre2-8")
    if lib is None:
        return "none"
    said = ctypes.create_string_buffer(64)
    lib.pcre2_config_8(11, said)            # PCRE2_CONFIG_VERSION
    return said.value.decode().split()[0]


def compiler(program):
    """Returns the compilers of the program, as they name themselves in its .comment
    section: with the distribution, whose flags are others."""
    names = set(re.findall(r"\]\s+(.*\S)", text_of("readelf", "-p", ".comment",
                                                  program)))
    # Debian's crt1.o says which gcc made it, in a program of clang's too.
    clang = {name for name in names if "clang" in name}
    return ", ".join(sorted(clang or names)) or "none"


def flags(build):
    """Returns CFLAGS as configure was told, with what fastmatch adds to them at
    the cost of instructions.  FM_HARD_CFLAGS is left out: it must cost none."""
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
    """Returns the features of this processor that valgrind uses, up to AVX2."""
    try:
        line = re.search(r"^flags\s*:(.*)$", inputs.read("/proc/cpuinfo"),
                         re.M)
    except OSError:
        line = None
    has = line.group(1).split() if line else []
    return " ".join(word for word in FEATURES if word in has) or "unknown"


def varnish():
    try:
        said = subprocess.run(["varnishd", "-V"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              universal_newlines=True).stdout
    except OSError:
        return "none"
    return re.sub(r"^\S+ \((\S+).*", r"\1", said.split("\n", 1)[0])


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
        "urcu": text_of("pkg-config", "--modversion", "liburcu"),
        "valgrind": text_of("valgrind", "--version"),
        "varnish": varnish(),
    }


# Counting

def most_seen(numbers):
    """Returns the most frequent number: the first call of a thread also allocates."""
    seen = collections.Counter(numbers)
    return min(seen, key=lambda number: (-seen[number], number))


def calls_of(build, folder, rows, cold=False):
    """Returns [(row, call, instructions, dump)] of all calls, in order."""
    wanted = []
    with server.Server(folder, build, rows, cold) as varnishd:
        for row in rows:
            for answer in varnishd.ask(row, RUNS):
                inputs.check(row, answer)
                wanted += [(row, call) for call in server.calls_of(row)]
    calls = varnishd.calls()
    if [server.METHODS[call] for _, call in wanted] != [
            method for method, _, _ in calls]:
        raise Wrong("%d calls were counted, and %d were made" % (
            len(calls), len(wanted)))
    return [(*made, *counted[1:]) for made, counted in zip(wanted, calls)]


def count_requests(build, folder, rows):
    """Returns {name: instructions}.  The name of an .apply() is that of its
    input; other calls have their own names."""
    numbers = collections.defaultdict(list)
    for row, call, instructions, dump in calls_of(build, folder, rows):
        if "shadow" in row:
            # A shadow keeps ten requests a second as examples: that is not a cost
            # of every request.
            instructions -= server.costs_of(dump)[1]["note_example"]
        numbers[(row["name"], row.get("shadow"))
                if call == "rules.apply" else call].append(instructions)
    return {name: most_seen(some) for name, some in numbers.items()}


def without_shadows(counts):
    """Returns the counts by name, and {shadow: {name: count / that without it}}."""
    shadows = collections.defaultdict(dict)
    for key in [key for key in counts if isinstance(key, tuple)]:
        number = counts.pop(key)
        name, shadow = key
        if shadow is None:
            counts[name] = number
        else:
            shadows[shadow][name] = number / counts[name]
    return counts, shadows


def usual_dump(build, row, wanted, cold=False):
    """Returns the dump of a call that takes the usual number of instructions."""
    with tempfile.TemporaryDirectory(prefix="fastmatch-budget-") as folder:
        inputs.prepare(folder, SERVED)
        calls = [(instructions, dump) for _, call, instructions, dump in
                 calls_of(build, folder, [row], cold) if call == wanted]
    usual = most_seen([instructions for instructions, _ in calls])
    return next(dump for count, dump in calls if count == usual)


def where(build, row, wanted):
    """Returns [(function, instructions)] of a call, the dearest first."""
    return server.functions(usual_dump(build, row, wanted)).most_common()


def cold(build, row, wanted):
    """Returns {function: [lines of code, lines of data]} of a call to .apply() that
    finds empty caches."""
    return server.cold_lines(usual_dump(build, row, wanted, True))


def count_check(build, hosts, name):
    """Counts what `fastmatch check` of a file takes, with so many hosts."""
    with tempfile.TemporaryDirectory(prefix="fastmatch-budget-") as folder:
        inputs.prepare(folder, hosts)
        out = os.path.join(folder, "callgrind.check")
        inputs.run(["valgrind", "--quiet", "--tool=callgrind",
                    "--callgrind-out-file=" + out, inputs.program(build),
                    "check", name + ".rules"], folder, inputs.seeded(folder))
        return int(re.search(r"^(?:totals|summary): (\d+)",
                             inputs.read(out), re.M).group(1))


def count_loads(build):
    """Counts the load of one host more, and of the article's rules; a file with
    one host, and a file without rules, are subtracted."""
    hosts = [count_check(build, many, "hosts") for many in (LOADED, 1)]
    article = [count_check(build, 1, name) for name in ("article", "nothing")]
    return {"load-host": round((hosts[0] - hosts[1]) / (LOADED - 1), 1),
            "load-article": article[0] - article[1]}


def count_all(build, rows):
    """Returns {name: instructions} of all inputs, then of loading; and the same
    inputs with shadows."""
    if shutil.which("valgrind") is None:
        raise Wrong("valgrind is not installed")
    with tempfile.TemporaryDirectory(prefix="fastmatch-budget-") as folder, \
            concurrent.futures.ThreadPoolExecutor(1) as beside:
        loads = beside.submit(count_loads, build)
        inputs.prepare(folder, SERVED)
        found, shadows = without_shadows(count_requests(
            build, folder, rows + inputs.shadowed(rows)))
        found.update(loads.result())
    return found, shadows
