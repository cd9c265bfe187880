# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""What was measured as tables, the targets, and the machine it was on."""

import os
import platform
import re
import subprocess

from harness import STATS, Failed
from varnishd import TOP, find

# what, one variant, the other, the bound, whether it is the most it may be
TARGETS = [
    ("rule file against the hand-written VMOD", "rules", "floor", 1.05, True),
    ("the chain against the rule file", "chain", "rules", 30, False),
    ("split by host against the rule file", "split", "rules", 8, False),
    ("selector + re2 against the rule file", "selector", "rules", 11, False),
    ("objects against selector + re2", "objects", "selector", 1 / 3, True)]
CPU_MOST = 1.03
PACKAGES = {"hyperscan": "libhyperscan5", "selector": "varnish-selector",
            "re2": "varnish-re2", "wrk": "wrk"}


def met(value, bound, most):
    return value <= bound if most else value >= bound


def cpu_noise(rows):
    """By which the two empty ones differ, of 1."""
    return abs(rows["empty-again"]["ratio"]["median"] - 1)


def targets(series, cpu):
    """Of those whose variants were there: [{"name", "value", "bound",
    "is": "at most" or "at least", "met"}]; a value that is not valid is None,
    and not met."""
    found = []
    for name, one, other, bound, most in TARGETS:
        if one in series.table and other in series.table:
            ratio = series.table[one]["ratio"][other]
            value = ratio["median"] if ratio else None
            found.append({
                "name": name, "value": value, "bound": bound,
                "is": "at most" if most else "at least",
                "met": value is not None and met(value, bound, most)})
    if cpu and "rules" in cpu["cached"]:
        value = cpu["cached"]["rules"]["ratio"]["median"]
        # What two empty ones differ by more than can't be seen at all.
        if cpu_noise(cpu["cached"]) >= CPU_MOST - 1:
            value = None
        found.append({"name": "CPU a request against an empty vcl_recv",
                      "value": value, "bound": CPU_MOST, "is": "at most",
                      "met": value is not None and
                      met(value, CPU_MOST, True)})
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
    return "%s..%s" % (text % s["min"], text % s["max"])


def print_times(series, requests, runs):
    print("Time in vcl_recv, ns a request, less that of the empty one;"
          " %d requests, %d run%s" % (requests, runs, "s" * (runs > 1)))
    print()
    print("%-22s %7s %17s %7s %7s %7s %9s %15s %7s" % (
        "", "mean", "(runs)", "p50", "p90", "p99", "/ rules", "(runs)",
        "hits"))
    for row in series.table.values():
        if row["id"] == "empty":
            continue
        net, ratio = row["net"], row["ratio"].get("rules")
        columns = [row["title"][:22]]
        for stat in STATS:
            columns.append("%.0f" % net[stat]["median"]
                           if row["valid"][stat] else "invalid")
        columns.insert(2, "(%s)" % range_of(net["mean"], "%.0f"))
        columns.append("%.2f" % ratio["median"] if ratio else "-")
        columns.append("(%s)" % range_of(ratio, "%.2f") if ratio else "")
        rate = row["hit_rate"]
        columns.append(figure(rate and 100 * rate["median"], "%.1f %%"))
        print("%-22s %7s %17s %7s %7s %7s %9s %15s %7s" % tuple(columns))
    empty = series.table["empty"]["gross"]
    print()
    print("The empty one itself: mean %.0f, p50 %.0f, p90 %.0f, p99 %.0f ns,"
          " two readings of the clock (%s) among it." % (*[
              empty[stat]["median"] for stat in STATS], series.clock))
    print("Noise, by which two empty ones differ: mean %.0f, p50 %.0f, p90"
          " %.0f, p99 %.0f ns; what is not above it is invalid." % tuple(
              series.noise[stat] for stat in STATS))
    print("Means are without samples above %d us, when a thread was put aside:"
          " %s." % (series.json()["cut_off_ns"] // 1000, ", ".join(
              "%d of %s" % (row["cut"], row["id"])
              for row in series.table.values()) or "none"))


def print_cpu(title, rows):
    print()
    print(title)
    print()
    print("%-22s %8s %17s %9s %15s %7s" % (
        "", "ns", "(rounds)", "/ empty", "(rounds)", "hits"))
    for row in rows.values():
        rate = row["hit_rate"]
        print("%-22s %8.0f %17s %9.3f %15s %7s" % (
            row["title"][:22], row["ns"]["median"],
            "(%s)" % range_of(row["ns"], "%.0f"), row["ratio"]["median"],
            "(%s)" % range_of(row["ratio"], "%.2f"),
            figure(rate and 100 * rate["median"], "%.1f %%")))
    print()
    print("Noise, by which two empty ones differ: %.3f." % cpu_noise(rows))


def print_targets(found):
    print()
    for target in found:
        print("%-4s %s: %s, %s %.3g" % (
            "met" if target["met"] else "NOT", target["name"],
            figure(target["value"], "%.3f") if target["value"] is not None
            else "invalid", target["is"], target["bound"]))


def check_hits(series):
    """Fails where the list does not do to the caches what it is made for."""
    for variant in series.variants:
        rate = series.table[variant.id]["hit_rate"]
        if variant.policy and rate and not (
                0.97 <= rate["min"] and rate["max"] <= 0.99):
            raise Failed("%s: %.4f..%.4f of the lookups are hits, not 98 %%" %
                         (variant.id, rate["min"], rate["max"]))
