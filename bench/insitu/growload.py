# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Measures how long vcl.load takes with large files, and their memory.

Each load has two times: the one that an operator sees, and the difference to the
same VCL with a file of one line.  The targets are about the difference: the rest
is for the C compiler, which Varnish runs for any VCL.  The VCL with one line is
loaded twice: the difference of the two is the noise, and a target within it is
neither met nor missed.  Every repetition has other names in its files, so that
it shares nothing with an earlier load.
"""

import time

import growrules
from harness import Varnish, spread, until

HOSTS, LITERALS, REGEXES = 100000, 10000, 1000
EACH_HOST = 100                         # bytes beside its name, at most

VCL = """vcl 4.1;
import fastmatch;
backend nobody none;
sub vcl_init {
	%s
}
"""

RULES = 'new site = fastmatch.rules("%s");'


class Load:
    """Something large: the object it is for, and what its files hold."""

    def __init__(self, name, title, target, new, lines, rules=None, each=""):
        self.name = name
        self.title = title
        self.target = target            # seconds, at most
        self.new = new                  # VCL, with %s for the file
        self.lines = lines              # seed -> lines of the file
        self.rules = rules              # rules that read it, with %s
        self.each = each                # an entry, without its own name


def host_lines(ending, count=HOSTS):
    return lambda seed: ["www.%s.example%s" % (word, ending)
                         for word in growrules.words(seed, count)]


def literal_lines(seed):
    return [word.capitalize() for word in growrules.words(seed, LITERALS)]


def regex_lines(seed):
    return list(growrules.regexes(seed, REGEXES))


LOADS = (
    Load("rules-hosts", "rules: 100,000 hosts", 1.0, RULES,
         host_lines(" shop"),
         'ruleset shop { query drop utm_*; }\nhosts from "%s";\n', " shop"),
    Load("hosts-hosts", "hosts object: 100,000 hosts", 1.0,
         'new site = fastmatch.hosts(); site.load("%s");',
         host_lines(" shop"), None, " shop"),
    Load("rules-literals", "rules: 10,000 literals", 0.5, RULES,
         literal_lines, 'list many contains from "%s";\n'
         "always { when agent in many { set X-A = b; } }\n"),
    Load("patterns-literals", "patterns object: 10,000 literals", 0.5,
         'new site = fastmatch.patterns(); site.load("%s", contains);',
         literal_lines),
    Load("rules-regexes", "rules: 1,000 mixed regexes", 2.0, RULES,
         regex_lines, 'list many ~ from "%s";\n'
         "always { when agent in many { set X-A = b; } }\n"),
    Load("patterns-regexes", "patterns object: 1,000 mixed regexes", 2.0,
         'new site = fastmatch.patterns(); site.load("%s", regex);',
         regex_lines),
)


def write_files(node, load, name, lines):
    """Writes the files of a load; returns the one that the VCL names."""
    path = node.write(name + ".list", "\n".join(lines) + "\n")
    if load.rules is not None:
        path = node.write(name + ".rules", load.rules % path)
    return path


def timed_load(node, name, vcl):
    begun = time.monotonic()
    node.load(name, vcl)
    return time.monotonic() - begun


def settled(node):
    """Returns the memory once it has stopped changing: memory is freed late."""
    seen = []

    def same():
        seen.append(node.rss())
        return len(seen) > 4 and max(seen[-4:]) - min(seen[-4:]) < 65536
    until("the memory settles", same, 20, 0.2)
    return seen[-1]


def load_once(node, load, seed):
    """Returns one row: seconds and bytes."""
    lines = load.lines(seed)
    vcl = VCL % load.new
    names = ["%s%d" % (name, seed) for name in ("small", "again", "large")]
    paths = [write_files(node, load, name, some) for name, some in
             zip(names, (lines[:1], lines[1:2], lines))]
    less, again = (timed_load(node, names[n], vcl % paths[n]) for n in (0, 1))
    before = settled(node)
    more = timed_load(node, names[2], vcl % paths[2])
    memory = settled(node) - before
    for name in names:
        node.adm("vcl.discard", name)
    own = sum(len(line) - len(load.each) for line in lines)
    return {"vcl_load": more, "net": more - (less + again) / 2,
            "noise": abs(less - again), "bytes": memory,
            "each": (memory - own) / len(lines), "count": len(lines)}


def verdict(net, noise, target):
    if net + noise < target:
        # A negative difference beyond the noise makes no sense: nothing is known.
        return True if net > -noise else None
    return False if net - noise >= target else None


def measure_load(load, build, repeats):
    runs = []
    node = Varnish(build)
    node.steady = True
    with node:
        node.serve([], VCL % "new nothing = fastmatch.hosts();")
        # The engine's tables and the like come with the first one.
        load_once(node, load, 100)
        for repeat in range(repeats):
            runs.append(load_once(node, load, 101 + repeat))
    entry = {"title": load.title, "count": runs[0]["count"],
             "target": load.target, "noise": max(run["noise"] for run in runs)}
    for key in ("vcl_load", "net", "bytes", "each"):
        entry[key] = spread([run[key] for run in runs])
    entry["valid"] = entry["net"]["median"] > entry["noise"]
    entry["met"] = verdict(entry["net"]["median"], entry["noise"],
                           load.target)
    entry["whole_met"] = entry["vcl_load"]["median"] < load.target
    if load.each:
        entry["each_target"] = EACH_HOST
        entry["each_met"] = entry["each"]["median"] < EACH_HOST
    return entry


def measure_loads(build, repeats, names=None, say=lambda text: None):
    """Returns {name: figures}, in seconds and bytes."""
    figures = {}
    for load in LOADS:
        if names and load.name not in names:
            continue
        say(load.title)
        figures[load.name] = measure_load(load, build, repeats)
    return figures
