# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Prints a story that differs: the requests, what the backend answered, the old and the
new side by side, and the lines that did it."""

import os
import re

WIDTH = 34
NAMES = {"answer": "status", "cache": "outcome in the cache", "asked": "fetch",
         "stored": "lifetime", "timeouts": "timeouts of the fetch", "body": "body",
         "logged": "log lines"}
KINDS = {"sent": "header %s to the backend", "stored": "stored header %s",
         "delivered": "delivered header %s"}
SHOWN = 12      # lines of differences
LIFETIME = r"\b(ttl|grace|keep|uncacheable|pass|deliver|abandon|retry|stale|builtin|" \
    r"hit_for_pass|error)\b"
WORDS = {"answer": r"\b(synth|status|answer|redirect|error|restart|retry|purge|ban)\b",
         "cache": r"\b(hash_data|purge|ban|vary|pass|pipe)\b|beresp.http.Vary|return ?\(hash|"
         r"^(header|cookie|text|hash) ?",
         "asked": r"\b(req\.url|backend|backend_hint|return|rewrite|set url|query|pass|"
         r"key|hash_data)\b",
         "stored": LIFETIME, "timeouts": r"timeout",
         "logged": r"\blog\b",
         "body": r"\b(synthetic|body|answer|do_esi|esi|gzip|gunzip|retry)\b"}
LINES = 3
# A rule that ran, as the module logs it.
RULE = re.compile(r"fastmatch: .+? at (\S+):(\d+)(:? .*)?$")


def named(what):
    """Returns how a person says what differs."""
    kind, _, name = what.partition(" ")
    if name:
        return KINDS[kind] % name.title()
    return NAMES[kind]


def cut(text):
    text = "none" if text is None else text.replace("\n", " ").replace("\r", "")
    return text if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def head_of(request):
    lines = ["%s %s" % (request.method, request.url)]
    lines += ["%s: %s" % pair for pair in request.headers]
    if request.client != "127.0.0.1":
        lines.append("(from %s)" % request.client)
    if request.port != 80:
        lines.append("(to port %s)" % request.port)
    return lines


def steps_told(steps):
    """Prints the requests of a story and what the backend says to each."""
    told = {}
    for number, step in enumerate(steps, 1):
        lines = head_of(step.request)
        key = tuple(lines)
        if step.expire:
            print("  (what is stored for it gets stale)")
            continue
        if key in told:
            print("%3d  request %d again" % (number, told[key]))
        else:
            told[key] = number
            print("%3d  %s" % (number, lines[0]))
            for line in lines[1:]:
                print("     " + line)
        if step.sick:
            print("     while all backends are sick")
        for one in step.answers:
            lines = one.lines()
            print("     the backend, if asked: %s" % lines[0])
            for line in lines[1:]:
                print("         " + line)


def mentioned(what):
    """Returns a regex of the statements that may have to do with it."""
    kind, _, name = what.partition(" ")
    if name:
        name = re.escape(name)
        return re.compile(r"(?i)(\bhttp\.%s\b|(?<![\w.-])%s(?![\w-]))" % (name, name))
    return re.compile(WORDS[kind])


def lines_of(label, played, what, codes):
    """Returns "place: statement" of what ran on a side and may have done it."""
    pattern, found = mentioned(what), []
    for one in played:
        ran = [each for each in one.ran[label] if each.kind.startswith("bereq") or
               what.split(" ")[0] not in ("stored", "timeouts")]
        for place, text in codes[label].ran(ran):
            if pattern.search(text):
                found.append("%s: %s" % (short(place), text[:90]))
        for transaction in ran:
            for text in transaction.values("VCL_Log"):
                found += rule_of(text, pattern)
    found = list(dict.fromkeys(reversed(found)))[:LINES]
    return found[::-1]


def rule_of(text, pattern):
    """Returns ["place: line"] of a rule that ran and changed something, or []."""
    hit = RULE.match(text)
    if not hit or (hit.group(3) or "").startswith((": nothing", ": false")):
        return []
    try:
        with open(hit.group(1), encoding="latin-1") as file:
            line = file.read().split("\n")[int(hit.group(2)) - 1]
    except (OSError, IndexError):
        line = text
    return ["%s:%s: %s" % (short(hit.group(1)), hit.group(2), line.strip()[:90])] \
        if pattern.search(line) else []


def short(place):
    return os.path.basename(place)


def story(steps, played, found, codes):
    """Prints a story of which the last step differs."""
    print("a story that differs in its %s request:" % ordinal(
        sum(not step.expire for step in steps)))
    steps_told(steps)
    last = played[len(steps) - 1]
    print("  %-30s  %-*s  %s" % ("", WIDTH, "old", "new"))
    for what in found[:SHOWN]:
        old, new = last.old.get(what), last.new.get(what)
        if cut(old) == cut(new):
            print("  %s\n    old: %s\n    new: %s" % (
                named(what), (old or "").replace("\n", " "),
                (new or "").replace("\n", " ")))
        else:
            print("  %-30s  %-*s  %s" % (named(what), WIDTH, cut(old), cut(new)))
    if len(found) > SHOWN:
        print("  and %d more" % (len(found) - SHOWN))
    for what in ("answer", "cache", "asked", "stored"):
        if what not in found:
            print("  %-30s  %-*s  %s" % (
                named(what), WIDTH, cut(last.old.get(what)), cut(last.new.get(what))))
    for label in ("old", "new"):
        lines = lines_of(label, played[:len(steps)], found[0], codes)
        print("  %s: %s" % (label, ("\n" + " " * 7).join(lines) if lines else
                            "nothing that ran has to do with it"))


def ordinal(number):
    return {1: "first", 2: "second", 3: "third"}.get(number, "%dth" % number)
