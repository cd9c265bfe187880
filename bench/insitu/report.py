#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Prints the measurements as tables, the targets, and the machine.

    bench/insitu/report.py [--table] insitu.json

prints again what `run` has printed, or the table of doc/internals/performance.md.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from harness import STATS, Failed   # noqa: E402
from varnishd import TOP, find      # noqa: E402

# Ratios of net means: a name, two variants, the bound, whether it is an upper one.
RATIOS = (
    ("the chain to the rule file", "chain", "rules", 12, False),
    ("split by host to the rule file", "split", "rules", 3.2, False),
    ("selector + re2 to the rule file", "selector", "rules", 3.2, False),
    ("objects to selector + re2", "objects", "selector", 0.5, True))
DELIVERY = 4
OVER_FLOOR_NS = 300
BUILTIN = "builtin"
BUILTINS = ("objects-builtin", BUILTIN)
BUILTIN_TIME = 0.90
BUILTIN_CPU = 1.02
# instructions of .apply(), by the inputs of bench/budget
INSTRUCTIONS = (("page", 3200), ("page-builtin", 3200))
PACKAGES = {"hyperscan": "libhyperscan5", "selector": "varnish-selector",
            "re2": "varnish-re2", "wrk": "wrk"}


def target(name, value, bound, most):
    """Returns a target; one without a valid value is not met."""
    return {"name": name, "value": value, "bound": bound,
            "is": "at most" if most else "at least",
            "met": value is not None and (
                value <= bound if most else value >= bound)}


def targets_of_pairs(table):
    found = []
    for name, one, other, bound, most in RATIOS:
        if one in table and other in table:
            ratio = table[one]["ratio"][other]
            found.append(target(name, ratio and ratio["median"], bound, most))
    if "rules" in table and "floor" in table:
        found.append(target(
            "ns of the rule file over the hand-written VMOD",
            table["rules"]["net"]["mean"]["median"] -
            table["floor"]["net"]["mean"]["median"], OVER_FLOOR_NS, True))
    if BUILTIN in table:
        found.append(target(
            "time with builtin to that without a vcl_recv",
            table[BUILTIN]["of_base"]["mean"]["median"], BUILTIN_TIME, True))
    return found


def targets_of_budget():
    path = os.path.join(TOP, "bench", "budget", "budget.json")
    with open(path, encoding="utf-8") as file:
        counted = json.load(file)["instructions"]
    return [target("instructions, %s of bench/budget" % name, counted[name],
                   bound, True)
            for name, bound in INSTRUCTIONS if name in counted]


def cpu_noise(rows):
    """Returns by how much the ratio of the two empty variants differs from 1."""
    return abs(rows["empty-again"]["ratio"]["median"] - 1)


def targets(figures):
    """Returns the targets whose variants were measured: [{"name", "value",
    "bound", "is": "at most" or "at least", "met"}]."""
    found = targets_of_budget()
    if "pairs" in figures:
        found += targets_of_pairs(figures["pairs"]["table"])
    if "deliver" in figures:
        ratio = figures["deliver"]["table"]["vcl"]["ratio"]["rules"]
        found.append(target("the VCL to the rule file in vcl_deliver",
                            ratio and ratio["median"], DELIVERY, False))
    rows = figures["cpu"]["all"] if "cpu" in figures else {}
    if BUILTIN in rows:
        value = rows[BUILTIN]["ratio"]["median"]
        # A difference that two equal variants show as well means nothing.
        seen = cpu_noise(rows) < BUILTIN_CPU - 1
        found.append(target(
            "CPU a request with builtin to that without a vcl_recv",
            value if seen else None, BUILTIN_CPU, True))
    return found


def said(*command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False,
                             universal_newlines=True)
    except OSError:
        return None
    return out.stdout.strip() if out.returncode == 0 else None


def machine():
    model = None
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
            model = found.group(1) if found else None
    except OSError:
        pass
    varnish = said(find("varnishd", "vinyld"), "-V") or ""
    facts = {"cpu": model or platform.machine(), "cores": os.cpu_count(),
             "kernel": platform.release(),
             "varnish": varnish.split("\n")[0]}
    for name, package in PACKAGES.items():
        facts[name] = said("dpkg-query", "-W", "-f", "${Version}", package)
    facts["commit"] = None
    if os.path.exists(os.path.join(TOP, ".git")):
        facts["commit"] = said("git", "-C", TOP, "describe", "--always",
                               "--dirty", "--exclude=*")
    return facts


def figure(value, text="%.0f"):
    return "-" if value is None else text % value


def range_of(s, text):
    return "(%s..%s)" % (text % s["min"], text % s["max"])


TIMES = "%-22s %7s %17s %7s %7s %7s %8s %15s %7s"


def time_columns(row):
    net, ratio, rate = row["net"], row["ratio"].get("rules"), row["hit_rate"]
    mean, p50, p90 = ("%.0f" % net[stat]["median"] if row["valid"][stat]
                      else "invalid" for stat in STATS[:3])
    return (row["title"], mean, range_of(net["mean"], "%.0f"), p50, p90,
            "%.0f" % row["gross"]["mean"]["median"],
            "%.2f" % ratio["median"] if ratio else "-",
            range_of(ratio, "%.2f") if ratio else "",
            figure(rate and 100 * rate["median"], "%.1f %%"))


def print_times(title, series, requests, sub="vcl_recv"):
    table = series["table"]
    print("\n%s\nns from %s on, less those where there is no %s; %d"
          " requests, medians of %d runs\n" % (
              title, sub, sub, requests, series["runs"]))
    print(TIMES % ("", "mean", "(runs)", "p50", "p90", "whole", "/ rules",
                   "(runs)", "hits"))
    for id, row in table.items():
        if id != "empty":
            print(TIMES % time_columns(row))
    again = table["empty-again"]
    print("\nNo %s itself: mean %.0f, p50 %.0f, p90 %.0f ns, two"
          " readings of the clock (%s) among it." % (sub, *[
              again["base"][stat]["median"] for stat in STATS[:3]],
              series["clock"]))
    print("Two that are the same differ by: mean %.0f, p50 %.0f, p90 %.0f ns;"
          " what is within that is invalid." % tuple(
              series["noise"][stat] for stat in STATS[:3]))
    print("Left out of the means, as a thread was put aside for more than %d"
          " us: %d samples." % (series["cut_off_ns"] // 1000,
                                sum(row["cut"] for row in table.values())))


def print_builtin(row):
    mean, median = row["of_base"]["mean"], row["of_base"]["p50"]
    print("\n%s: %.3f %s of the time that no vcl_recv at all takes\n(mean"
          " %.0f to %.0f ns), in the median %.3f %s of it." % (
              row["title"], mean["median"], range_of(mean, "%.3f"),
              row["gross"]["mean"]["median"], row["base"]["mean"]["median"],
              median["median"], range_of(median, "%.3f")))


CPU = "%-22s %8s %17s %8s %8s %15s %7s"


def print_cpu(title, rows):
    print("\n%s\n" % title)
    print(CPU % ("", "ns", "(rounds)", "base", "/ base", "(rounds)", "hits"))
    for id, row in rows.items():
        rate = row["hit_rate"]
        print(CPU % (
            row["title"], "%.0f" % row["ns"]["median"],
            range_of(row["ns"], "%.0f"), "%.0f" % row["base_ns"]["median"],
            "%.3f" % row["ratio"]["median"], range_of(row["ratio"], "%.3f"),
            figure(rate and 100 * rate["median"], "%.1f %%")))
    print("\nThe base has no vcl_recv. Two that are the same differ by %.3f." %
          cpu_noise(rows))


KIND = "%-40s %7s %7s %7s %8s"


def print_kinds(kinds):
    print("\nThe mean of the rule file with builtin, by kind of request: ns"
          " from vcl_recv on, less\nthose where there is no vcl_recv, in"
          " pairs of the same request\n")
    print(KIND % ("", "share", "mean", "p50", "carries"))
    for kind, row in sorted(kinds.items(), key=lambda one: -one[1]["carries"]):
        print(KIND % (kind, "%.1f %%" % (100 * row["share"]),
                      *("%.0f" % row[part]
                        for part in ("mean", "p50", "carries"))))


def print_targets(found):
    def three(value):
        return ("%.0f" if value >= 100 else "%.3g") % value

    print()
    for one in found:
        print("%-7s %s: %s, %s %s" % (
            "met" if one["met"] else "NOT MET", one["name"],
            "invalid" if one["value"] is None else three(one["value"]),
            one["is"], three(one["bound"])))


def print_all(figures):
    """Prints all figures that there are."""
    requests = figures["requests"]
    if "pairs" in figures:
        print_times("In pairs, nothing else in the server", figures["pairs"],
                    requests)
        for id in BUILTINS:
            if id in figures["pairs"]["table"]:
                print_builtin(figures["pairs"]["table"][id])
    if "kinds" in figures:
        print_kinds(figures["kinds"])
    if "cold" in figures:
        print_times("Cold: all of them in one server", figures["cold"],
                    requests)
    if "deliver" in figures:
        print_times("vcl_deliver alone, in pairs", figures["deliver"],
                    requests, "vcl_deliver")
    if "cpu" in figures:
        print_cpu("CPU of the whole varnishd a request, at full load, in pairs;"
                  " all requests", figures["cpu"]["all"])
        print_cpu("The same, requests that the policy answers from the cache",
                  figures["cpu"]["cached"])
    if not figures["quick"]:
        print_targets(figures["targets"])


def print_table(figures):
    table = figures["pairs"]["table"]
    print("| | mean | p50 | p90 | to the rule file |\n|---|---|---|---|---|")
    for id, row in table.items():
        if id != "empty-again":
            ratio = row["ratio"].get("rules")
            print("| %s | %s | %s |" % (row["title"], " | ".join(
                "{:,.0f}".format(row["net"][stat]["median"])
                for stat in STATS[:3]),
                figure(ratio and ratio["median"], "%.1f")))
    for id in BUILTINS:
        if id in table:
            print_builtin(table[id])


def check_hits(table, ids):
    """Fails unless some 98 of 100 lookups are hits, as the list is made for."""
    for id in ids:
        rate = table[id]["hit_rate"]
        if rate and not 0.97 <= rate["min"] <= rate["max"] <= 0.99:
            raise Failed("%s: %.4f..%.4f of the lookups are hits, not 98 %%" %
                         (id, rate["min"], rate["max"]))


def main():
    parser = argparse.ArgumentParser(
        description="Prints the JSON of bench/insitu/run.")
    parser.add_argument("json", help="insitu.json")
    parser.add_argument("--table", action="store_true",
                        help="as the table of doc/internals/performance.md")
    args = parser.parse_args()
    with open(args.json, encoding="utf-8") as file:
        figures = json.load(file)
    (print_table if args.table else print_all)(figures)


if __name__ == "__main__":
    main()
