#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Draws the figures of bench/insitu as an SVG for the README.

    plot.py insitu.json > insitu.svg

Above, the time in vcl_recv, measured in pairs, net of no vcl_recv at all: bars
are means (medians of the runs), whiskers the least and the largest mean of a
run, marks the percentiles.  Bars too short to be seen beside the longest one
are drawn again, enlarged.  Below, the CPU that the whole process takes for a
request, against the same.

The same JSON gives the same bytes.  The picture has a ground of its own, that
of GitHub's pages, light or dark; it needs no font and no script.
"""

import argparse
import json
import math
import sys
from xml.sax.saxutils import escape

WIDTH = 840
LEFT, RIGHT = 184, 640                  # of what is drawn to scale
VALUE, RATIO = 728, 816                 # right edges of the two columns
ROW, BAR = 27, 13
ENLARGE = 6                             # at least, or it is not worth a panel
REFERENCE = "rules"
MARKS = ("p50", "p90")
BUILTIN = "builtin"
LEFT_OUT = ("empty-again",)

LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "soft": "#59636e",
         "grid": "#e4e8ec", "axis": "#9aa4ae", "other": "#a9b8c9",
         "ours": "#0f7b8a", "near": "#74b3bc", "mark": "#33404d"}
DARK = {"ground": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1",
        "grid": "#232a33", "axis": "#5a6470", "other": "#4a5a6c",
        "ours": "#2ba6b6", "near": "#2a6c77", "mark": "#d5dde6"}

STYLE = """\
text { font: 13px -apple-system, "Segoe UI", "Helvetica Neue", Helvetica, \
Arial, "Liberation Sans", "DejaVu Sans", sans-serif; fill: %(ink)s; }
.ground { fill: %(ground)s; }
.head { font-size: 15px; font-weight: 600; }
.soft { font-size: 12px; fill: %(soft)s; }
.bold { font-weight: 600; }
.number { text-anchor: end; font-variant-numeric: tabular-nums; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: %(grid)s; }
.axis { stroke: %(axis)s; }
.other { fill: %(other)s; }
.ours { fill: %(ours)s; }
.near { fill: %(near)s; }
.whisker { stroke: %(mark)s; stroke-width: 1.2; fill: none; }
.halo { stroke: %(ground)s; stroke-width: 3.2; fill: none; }
.p50 { stroke: %(mark)s; stroke-width: 1.4; fill: %(ground)s; }
.p90 { fill: %(mark)s; }
"""


class Unfit(Exception):
    """The JSON lacks something that the text names."""


class Row:
    """All values that are drawn for a variant."""

    def __init__(self, name, entry):
        self.name = name
        self.title = entry["title"]
        self.net = entry["net"]
        self.valid = entry["valid"]["mean"]
        self.marks = {mark: entry["valid"][mark] for mark in MARKS}
        self.ratio = (entry.get("ratio") or {}).get(REFERENCE)

    def ends(self):
        """Returns the least and the largest value that has to be on the axis."""
        shown = [self.net["mean"]["min"], self.net["mean"]["max"]] + [
            self.net[mark]["median"] for mark in MARKS if self.marks[mark]]
        return min(shown), max(shown)

    def kind(self):
        if self.name in (REFERENCE, "builtin"):
            return "ours"
        return "near" if self.name.startswith("objects") else "other"


class Drawing:
    """SVG, line by line."""

    def __init__(self):
        self.lines = []
        self.y = 0

    def add(self, line):
        self.lines.append(line)

    def text(self, x, y, text, classes=""):
        self.add('<text x="%s" y="%s"%s>%s</text>' % (
            number(x), number(y),
            ' class="%s"' % classes if classes else "", escape(text)))

    def line(self, x1, y1, x2, y2, classes):
        self.add('<path class="%s" d="M%s %sL%s %s"/>' % (
            classes, number(x1), number(y1), number(x2), number(y2)))

    def rect(self, x, y, width, height, classes):
        self.add('<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>' % (
            classes, number(x), number(y), number(width), number(height)))


def number(value):
    """Returns a coordinate with two digits at most, without zeros at the end."""
    return ("%.2f" % value).rstrip("0").rstrip(".")


def time_text(ns):
    if abs(ns) < 999.5:
        text = "%.0f ns" % ns
    elif abs(ns) < 99950:
        text = "%.1f µs" % (ns / 1000)
    else:
        text = "%.0f µs" % (ns / 1000)
    return text.replace("-", "\N{MINUS SIGN}")


def ratio_text(ratio):
    if ratio >= 9.95:
        return "%.0f×" % ratio
    return ("%.1f×" if ratio >= 1.5 else "%.2f×") % ratio


def steps(low, high, count=6):
    """Returns about `count` round numbers from low to high."""
    rough = (high - low) / count
    power = 10 ** math.floor(math.log10(rough))
    step = min((m * power for m in (1, 2, 5, 10)),
               key=lambda s: abs(s - rough))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


class Scale:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def at(self, value):
        return LEFT + (value - self.low) * (RIGHT - LEFT) / (
            self.high - self.low)


def draw_axis(out, scale, ticks, top, bottom, label):
    """Draws the grid behind the bars, and the numbers below its lines."""
    for tick in ticks:
        x = scale.at(tick)
        out.line(x, top, x, bottom, "grid")
        out.text(x, bottom + 17, label(tick), "soft middle")


def draw_whisker(out, scale, y, spread):
    """Draws the least and the largest run, over the bar's end."""
    low, high = scale.at(spread["min"]), scale.at(spread["max"])
    d = "M%s %sH%s" % (number(low), number(y), number(high))
    for x in (low, high):
        d += "M%s %sv7" % (number(x), number(y - 3.5))
    for classes in ("halo", "whisker"):
        out.add('<path class="%s" d="%s"/>' % (classes, d))


def draw_marks(out, scale, y, row):
    if row.marks["p50"]:
        out.add('<circle class="p50" cx="%s" cy="%s" r="3.4"/>' % (
            number(scale.at(row.net["p50"]["median"])), number(y)))
    if row.marks["p90"]:
        out.add('<path class="p90" d="M%s %sl4 4l-4 4l-4 -4z"/>' % (
            number(scale.at(row.net["p90"]["median"])), number(y - 4)))


def draw_times(out, rows, head, note):
    """Draws one panel: a row for each variant, all on one axis."""
    longest = max([0] + [row.ends()[1] for row in rows if row.valid])
    least = min([0] + [row.ends()[0] for row in rows if row.valid])
    ticks = steps(least, longest)
    scale = Scale(least * 1.02, max(longest * 1.02, ticks[-1]))
    out.text(24, out.y, head, "head")
    if note:
        out.y += 19
        out.text(24, out.y, note, "soft")
    out.text(VALUE, out.y, "mean", "soft end")
    out.text(RATIO, out.y, "to rule file", "soft end")
    top = out.y + 10
    bottom = top + len(rows) * ROW + 4
    micro = longest >= 2000
    draw_axis(out, scale, ticks, top, bottom, lambda tick: (
        "%g µs" % round(tick / 1000, 3) if micro else "%g ns" % tick
        ).replace("-", "\N{MINUS SIGN}") if tick else "0")
    for place, row in enumerate(rows):
        draw_row(out, scale, row, top + place * ROW + 2 + ROW / 2)
    out.line(scale.at(0), top, scale.at(0), bottom, "axis")
    out.y = bottom + 17


def draw_row(out, scale, row, y):
    bold = " bold" if row.name == REFERENCE else ""
    out.text(LEFT - 10, y + 4.5, row.title, "end" + bold)
    if not row.valid:
        out.text(LEFT + 8, y + 4.5, "below the noise: not valid", "soft")
        return
    mean = row.net["mean"]
    ends = sorted((scale.at(0), scale.at(mean["median"])))
    out.rect(ends[0], y - BAR / 2, ends[1] - ends[0], BAR, row.kind())
    draw_whisker(out, scale, y, mean)
    draw_marks(out, scale, y, row)
    out.text(VALUE, y + 4.5, time_text(mean["median"]), "number" + bold)
    if row.name == REFERENCE:
        out.text(RATIO, y + 4.5, "1×", "number bold")
    elif row.ratio:
        out.text(RATIO, y + 4.5, ratio_text(row.ratio["median"]), "number")


def draw_legend(out):
    """Draws a line that explains the marks."""
    y = out.y
    x = LEFT
    out.rect(x, y - 9, 18, 10, "other")
    out.text(x + 24, y, "mean", "soft")
    x += 72
    out.add('<path class="whisker" d="M%s %sh20m-20 -3.5v7m20 -7v7"/>' % (
        x, number(y - 4)))
    out.text(x + 26, y, "of the runs, least to largest", "soft")
    x += 206
    out.add('<circle class="p50" cx="%s" cy="%s" r="3.4"/>' % (
        x, number(y - 4)))
    out.text(x + 9, y, "median request", "soft")
    x += 116
    out.add('<path class="p90" d="M%s %sl4 4l-4 4l-4 -4z"/>' % (
        x, number(y - 8)))
    out.text(x + 9, y, "9 of 10 are shorter", "soft")


def percent(spread):
    return {key: (spread[key] - 1) * 100 for key in ("median", "min", "max")}


def draw_cpu(out, rows, cpu):
    """Draws how much more CPU is used than without a vcl_recv, in percent."""
    more = {row.name: percent(cpu[row.name]) for row in rows}
    low = min([0] + [spread["min"] for spread in more.values()])
    high = max(spread["max"] for spread in more.values())
    pad = (high - low) * 0.02
    scale = Scale(low - pad if low < 0 else 0, high + pad)
    out.text(24, out.y, "CPU of the whole process for a request, at full "
             "load", "head")
    out.y += 19
    out.text(24, out.y, "more than without a vcl_recv: median of pairs in turn, "
             "least to largest", "soft")
    top = out.y + 10
    bottom = top + len(rows) * ROW + 4
    draw_axis(out, scale, steps(scale.low, scale.high), top, bottom,
              lambda tick: ("%g %%" % tick).replace("-", "\N{MINUS SIGN}")
              if tick else "0")
    for place, row in enumerate(rows):
        y = top + place * ROW + 2 + ROW / 2
        bold = " bold" if row.name == REFERENCE else ""
        spread = more[row.name]
        out.text(LEFT - 10, y + 4.5, row.title, "end" + bold)
        ends = sorted((scale.at(0), scale.at(spread["median"])))
        out.rect(ends[0], y - BAR / 2, ends[1] - ends[0], BAR, row.kind())
        draw_whisker(out, scale, y, spread)
        out.text(VALUE, y + 4.5, ("%+.1f %%" % spread["median"]).replace(
            "-", "\N{MINUS SIGN}"), "number" + bold)
    x = scale.at(0)
    out.line(x, top, x, bottom, "axis")
    out.y = bottom + 17


def draw_builtin(out, figures):
    """Writes how a request with all rules compares to one without any."""
    time = found(figures, "pairs", "table", BUILTIN, "of_base", "mean")
    cpu = found(figures, "cpu", "all", BUILTIN, "ratio")
    said = ["%.2f of %s" % (spread["median"], what) for spread, what in (
        (time, "the time in vcl_recv"), (cpu, "the CPU")) if spread]
    if said:
        out.y += 34
        out.text(24, out.y, "With finally { builtin; }, against no vcl_recv "
                 "at all: " + ", ".join(said), "bold")


def found(figures, *path):
    """Returns the value that the JSON has at the path, or None."""
    for name in path:
        if not isinstance(figures, dict) or name not in figures:
            return None
        figures = figures[name]
    return figures


def note_on_runs(figures):
    if found(figures, "quick"):
        return "--quick: these figures mean nothing"
    return "in a live varnishd, net of no vcl_recv at all; medians of %d " \
        "runs" % figures["pairs"]["runs"]


def read_rows(figures):
    table = found(figures, "pairs", "table")
    if not table:
        raise Unfit("no table of times")
    rows = [Row(name, entry) for name, entry in table.items()
            if name not in LEFT_OUT]
    if not any(row.valid for row in rows):
        raise Unfit("no valid time")
    # The longest first; what could not be measured at the end.
    rows.sort(key=lambda row: (not row.valid, -row.net["mean"]["median"],
                               row.name))
    return rows


def read_cpu(figures, rows):
    """Returns {id: ratio to empty} of the rows that have a ratio."""
    cpu = found(figures, "cpu", "all") or {}
    return {row.name: cpu[row.name]["ratio"] for row in rows
            if found(cpu, row.name, "ratio", "median") is not None}


def draw(figures):
    rows = read_rows(figures)
    out = Drawing()
    out.y = 34
    draw_times(out, rows, "Time in vcl_recv for the article's policy",
               note_on_runs(figures))
    shown = [row for row in rows if row.valid]
    short = [row for row in shown
             if row.ends()[1] * ENLARGE < shown[0].ends()[1]]
    if len(short) > 1:
        out.y += 36
        draw_times(out, short, "The shortest of them, enlarged", "")
    out.y += 30
    draw_legend(out)
    cpu = read_cpu(figures, rows)
    if cpu:
        out.y += 44
        draw_cpu(out, [row for row in rows if row.name in cpu], cpu)
    draw_builtin(out, figures)
    return finish(out, rows)


def finish(out, rows):
    height = math.ceil(out.y + 18)
    said = "; ".join("%s: %s" % (row.title, time_text(
        row.net["mean"]["median"]) if row.valid else "not valid")
        for row in rows)
    dark = "".join("  %s\n" % line for line in
                   (STYLE % DARK).splitlines())
    head = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
        'viewBox="0 0 %d %d" role="img">' % (WIDTH, height, WIDTH, height),
        "<title>Time in vcl_recv, by variant</title>",
        "<desc>%s</desc>" % escape("Means, net of no vcl_recv at all. " + said),
        "<style>\n%s@media (prefers-color-scheme: dark) {\n%s}\n</style>" % (
            STYLE % LIGHT, dark),
        '<rect class="ground" width="%d" height="%d"/>' % (WIDTH, height)]
    return "\n".join(head + out.lines + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description="Draws the JSON of bench/insitu as SVG.")
    parser.add_argument("json", help="insitu.json")
    parser.add_argument("-o", "--output", help="instead of stdout")
    args = parser.parse_args()
    try:
        with open(args.json, encoding="utf-8") as file:
            picture = draw(json.load(file))
    except (OSError, ValueError, Unfit) as wrong:
        print("plot: %s: %s" % (args.json, wrong), file=sys.stderr)
        return 1
    if args.output:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(picture)
    else:
        sys.stdout.buffer.write(picture.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
