# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""What comes of a step in one varnishd: what the backend is asked, what is stored and
for how long, and what the client gets."""

import re

STEP = "X-Step"
TEMPLATE = "X-Template"
# Varnish adds these itself, or the harness does.
UNSENT = {"host", "x-step", "x-template", "accept-encoding", "x-varnish", "x-vinyl",
          "via", "connection", "content-length"}
UNTOLD = {"date", "connection", "content-length", "transfer-encoding", "accept-ranges",
          "x-vinyl"}
# These are there or not; their values are Varnish's.
PRESENT = {"age", "x-varnish", "x-varnish-xid", "via"}
DATE = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
# In Cache-Status the lifetime goes down, and the rule is at a line that moves.
MOVING = re.compile(r'(?<=ttl=)-?\d+|(?<=:)\d+(?=")')
BODY = re.compile(r"(raw )?answer (\d+)\.(\d+)")


def told(fields):
    """Returns a set of "Name: value", of those headers that are looked at."""
    lines = []
    for name, value in fields:
        low = name.lower()
        if low == "x-vinyl":
            name, low = "X-Varnish", "x-varnish"
        if low in UNTOLD or (low == "server" and value in ("Varnish", "Vinyl-Cache")):
            continue
        if low == "cache-status":
            value = MOVING.sub("N", value)
        value = "*" if low in PRESENT or low.startswith("fastmatch-") else DATE.sub("DATE", value)
        lines.append("%s: %s" % (name, value) if value else name + ":")
    return lines


def seconds(text):
    """Returns a time of the log, in the largest unit that is whole."""
    number = round(float(text))
    for unit, size in (("w", 604800), ("d", 86400), ("h", 3600), ("m", 60)):
        if number and number % size == 0:
            return "%d%s" % (number // size, unit)
    return "%ds" % number


class Log:
    """The transactions of a varnishd, by their step."""

    BEGIN = re.compile(r"^\*\s+<<\s+(\w+)\s+>>\s+(\d+)")
    LINE = re.compile(r"^-+\s+(\S+)\s*(.*)$")

    def __init__(self, text):
        self.steps = {}
        records = []
        for line in text.splitlines():
            begun = self.BEGIN.match(line)
            if begun:
                records = [("Kind", begun.group(1))]
                continue
            found = self.LINE.match(line)
            if found:
                records.append(found.groups())
                if found.group(1) == "End":
                    self.keep(records)

    def keep(self, records):
        for tag, value in records:
            if tag in ("ReqHeader", "BereqHeader") and value.startswith(STEP + ": "):
                self.steps.setdefault(int(value.split()[1]), []).append(records)
                return

    def of(self, number, kind):
        return [records for records in self.steps.get(number, [])
                if records[0][1] == kind]

    def is_complete(self, number):
        """Returns true if the request of a step has ended, and with it a fetch in the
        background, if it has begun one."""
        requests = self.of(number, "Request")
        return bool(requests) and not sum(
            tag == "Link" and value.endswith(" bgfetch")
            for records in requests for tag, value in records) > sum(
                tag == "Begin" and value.endswith(" bgfetch")
                for records in self.of(number, "BeReq") for tag, value in records)


def kept(records):
    """Returns the headers of the object that a request is answered with, or None."""
    fields = []
    for tag, value in records:
        if tag == "RespHeader":
            name, _, text = value.partition(":")
            fields.append((name, text.strip()))
        elif tag == "VCL_call" and value == "DELIVER":
            return fields
        elif tag == "VCL_call" and value == "SYNTH":
            return None
    return None


def lifetime(log, number):
    """Returns what has become of each fetch of a step."""
    lines = []
    calls = {value for records in log.of(number, "Request") for tag, value in records
             if tag == "VCL_call"}
    for records in log.of(number, "BeReq"):
        ttl = [value.split() for tag, value in records if tag == "TTL"]
        returns = [value for tag, value in records if tag == "VCL_return"]
        if "PIPE" in calls:
            lines.append("piped")
        elif "abandon" in returns or "fail" in returns:
            lines.append("abandoned")
        elif "retry" in returns:
            lines.append("retried")
        elif "PASS" in calls or not ttl:
            lines.append("passed" if "PASS" in calls else "failed")
        elif "pass" in returns:
            lines.append("hit for pass, for " + seconds(ttl[-1][1]))
        elif ttl[-1][-1] == "uncacheable":
            lines.append("not stored, for " + seconds(ttl[-1][1]))
        else:
            lines.append("stored for %s, grace %s, keep %s" % tuple(
                seconds(text) for text in ttl[-1][1:4]))
    return lines


def observe(step, answer, asked, log):
    """Returns the lines of what has come of a step.

    answer is (status, headers, body), asked a list of (method, url, headers).
    """
    status, headers, body = answer
    lines = ["asked %s %s" % (method, url) for method, url, _ in asked]
    for _, _, fields in asked[-1:]:
        lines += sorted("sent %s: %s" % (name, value) for name, value in fields
                        if name.lower() not in UNSENT)
    lines += lifetime(log, step.id)
    made = BODY.search(body)
    if made:
        lines.append("status %d, %sanswer %s.%s" % (
            status, "" if made.group(1) or status == 304 else "after ESI, ",
            *made.groups()[1:]))
    else:
        lines.append("status %d%s" % (status, ", its own" if body else ", empty"))
    got = told(headers)
    requests = log.of(step.id, "Request")
    stored = kept(requests[-1]) if requests else None
    stored = got if stored is None else told(stored)
    both = [line for line in stored if line in got]
    lines += sorted(both)
    lines += sorted("stored " + line for line in stored if line not in both)
    lines += sorted("client " + line for line in got if line not in both)
    return lines
