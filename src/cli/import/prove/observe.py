# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""What one side made of a step of a story, as {what: value}, and whether two values
are the same but for the time.

    answer           200 OK
    cache            hit
    logged           one line | another
    asked            web GET /a
    sent cookie      a=1                        to the backend
    stored           1m, grace 10s, keep 0s
    stored x-a       1
    delivered x-a    1
    body             ...
"""

import contextlib
import email.utils
import re
import zlib

# Varnish adds these, or we do.
UNSENT = {"x-varnish", "x-vinyl", "via", "connection", "fm-story", "fm-step",
          "fm-expire", "content-length", "transfer-encoding"}
UNTOLD = {"date", "connection", "content-length", "transfer-encoding", "accept-ranges",
          "x-varnish", "x-vinyl", "via", "age", "warning"}
# These count only where VCL or rules name them; then by being there.
PRESENT = {"x-varnish", "via", "age"}
OWN = ("Varnish", "Vinyl-Cache")
DATE = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
TIMED = re.compile(r"\b\d{10}(?:\.\d+)?\b|\b\d+\.\d{3}\b")
NEAR = 5        # seconds between both sides
INTERNAL = re.compile(r"x-random-\d+$|fastmatch")


def seconds(text):
    """Returns a time of the log in the largest unit that is whole."""
    number = round(float(text))
    if number <= 0:
        return "no time" if number < 0 else "0s"
    for unit, size in (("w", 604800), ("d", 86400), ("h", 3600), ("m", 60)):
        if number and number % size == 0:
            return "%d%s" % (number // size, unit)
    return "%ds" % number


def with_times(value):
    """Returns a value without its times, and these in seconds."""
    times = []

    def date(hit):
        at = email.utils.parsedate_to_datetime(hit.group(0))
        times.append(at.timestamp())
        return "<date>"

    def number(hit):
        times.append(float(hit.group(0)))
        return "<time>"

    return TIMED.sub(number, DATE.sub(date, value)), times


def same(one, other):
    """Returns true if two values are equal, or differ in times that went on."""
    if one == other:
        return True
    if one is None or other is None:
        return False
    one, times = with_times(one)
    other, others = with_times(other)
    return one == other and len(times) == len(others) and all(
        abs(a - b) <= NEAR for a, b in zip(times, others))


def joined(fields, skip):
    """Returns {name: value} of header lines; those of one name are joined."""
    found = {}
    for name, value in fields:
        low = name.lower()
        if low in skip or INTERNAL.match(low) or \
                (low == "server" and value in OWN):
            continue
        found[low] = found[low] + "; " + value if low in found else value
    return found


def put_all(into, kind, fields):
    for name in sorted(fields):
        # An empty header is not none.
        into["%s %s" % (kind, name)] = fields[name] or "(empty)"


def edited(records, kind, start, stop):
    """Returns the headers that records leave, as a list, from `start` to `stop`.  After a
    304 the stored headers are added to its own ones."""
    fields, status = [], ""
    for tag, value in records:
        if tag == kind + "Status":
            status = value
        if tag == start and status != "304":
            fields = []
        if (tag, value) == stop:
            break
        name, _, text = value.partition(":")
        if tag == kind + "Header":
            fields.append((name, text.strip()))
        elif tag == kind + "Unset":
            gone = (name, text.strip())
            if gone in fields:
                fields.remove(gone)
            else:
                fields = [pair for pair in fields if pair[0] != name]
    return fields


def cache(request):
    """Returns what a request was for the cache."""
    found = []
    calls = request.values("VCL_call")
    for call in calls:
        if call in ("HIT", "MISS", "PASS", "PIPE", "PURGE"):
            found.append(call.lower())
    if "hit" in found and any(value.endswith(" bgfetch")
                              for value in request.values("Link")):
        found[found.index("hit")] = "stale hit"
    returns = request.values("VCL_return")
    if "restart" in returns:
        found.append("restart")
    # A hit that ends in a miss or a pass is that.
    if len(found) > 1 and found[0] in ("hit", "stale hit", "miss") and \
            found[1] in ("miss", "pass"):
        found = found[1:]
    return ", ".join(found) or "own answer"


def own_parts(requests):
    """Returns the statuses of the parts of a page (ESI) that no backend is asked for."""
    return [int(one.values("RespStatus")[-1]) for one in requests
            if one.included and cache(one) in ("own answer", "purge")]


def aged(fetch):
    """Returns the age of a response; the log counts a lifetime from when that was 0."""
    found = [value.partition(":")[2].strip() for value in fetch.values("BerespHeader")
             if value.lower().startswith("age:")]
    return int(found[0]) if found and found[0].isdigit() else 0


def lifetime(fetch, passed):
    """Returns what became of a response."""
    ttl = [value.split() for value in fetch.values("TTL")]
    returns = fetch.values("VCL_return")
    calls = fetch.values("VCL_call")
    by_error = "BACKEND_ERROR" in calls
    if "retry" in returns:
        return "tried again"
    if "abandon" in returns or "fail" in returns:
        return "abandoned"
    if "PIPE" in fetch.kind.upper():
        return "piped"
    if passed:
        return "passed"
    if not ttl:
        return "failed"
    kind, last = ttl[-1][0], ttl[-1]
    if "pass" in returns:
        return "not stored, passed for " + seconds(float(last[1]) - aged(fetch))
    if last[-1] == "uncacheable" or kind in ("HFM", "HFP"):
        return "not stored, remembered for " + seconds(float(last[1]) - aged(fetch))
    if float(last[1]) <= 0 and float(last[2]) <= 0 and float(last[3]) <= 0:
        return "failed" if by_error else "stored for no time"
    return "%sstored for %s, grace %s, keep %s" % (
        ("failed, an error page is " if by_error else "",) +
        tuple(seconds(text) for text in last[1:4]))


def timeouts(fetches):
    for fetch in fetches:
        for text in fetch.values("VCL_Log"):
            if text.startswith("fm-timeouts: "):
                yield text.split(": ", 1)[1]


def logged(transactions):
    """Returns the lines that VCL and rules have logged, but for those of ours, and those
    that tell which rules ran."""
    return " | ".join(text for one in transactions for text in one.values("VCL_Log")
                      if not text.startswith(("fm-", "fastmatch:")))


def with_request(transactions):
    """Yields (fetch, its request): each follows the request that it is for."""
    request = None
    for one in transactions:
        if one.kind.startswith("bereq"):
            yield one, request
        else:
            request = one


def in_order(asked, transactions):
    """Returns what backends were asked in the order of the log: parts of a page, and a
    fetch in the background, are asked at any time."""
    numbers = [str(one.number) for one in transactions]

    def place(each):
        for name, value in each[3]:
            if name.lower() in ("x-varnish", "x-vinyl") and value in numbers:
                return numbers.index(value)
        return len(numbers)

    return sorted(asked, key=place)


def unzipped(body, headers):
    """Returns a body without gzip: its checksum tells the number of the request that a
    page of Varnish in an ESI include has."""
    if ("content-encoding", "gzip") in [(name.lower(), value.lower())
                                        for name, value in headers]:
        with contextlib.suppress(zlib.error):
            return zlib.decompressobj(31).decompress(body)
    return body


def observe(answer, asked, transactions, named):
    """Returns what one side made of a step; `named`: header names of VCL and rules."""
    status, reason, headers, body = answer
    seen = {"answer": ("%d %s" % (status, reason)).strip()}
    asked = in_order(asked, transactions)
    requests = [one for one in transactions if one.kind.startswith("req")]
    fetches = list(with_request(transactions))
    whole = [one for one in requests if not one.included]
    own = not whole or "SYNTH" in whole[-1].values("VCL_call")
    seen["cache"] = "own answer" if own and not asked else \
        "; then ".join(cache(one) for one in requests)
    seen["parts"] = own_parts(requests)
    seen["asked"] = ", ".join("%s %s %s" % each[:3] for each in asked) or "nobody"
    if asked:
        put_all(seen, "sent", joined(asked[-1][3], UNSENT))
    if fetches:
        seen["stored"] = ", then ".join(
            lifetime(one, request is not None and
                     "PASS" in request.values("VCL_call"))
            for one, request in fetches)
        if seen["stored"].split(", then ")[-1].find("stored for ") >= 0:
            put_all(seen, "stored", joined(
                edited(fetches[-1][0].records, "Beresp", "BerespProtocol", None), UNTOLD))
        for text in dict.fromkeys(timeouts(one for one, _ in fetches)):
            seen["timeouts"] = text
    delivered = joined(headers, UNTOLD)
    if own and "content-range" in delivered:
        # A page of Varnish has a number of more or fewer digits.
        delivered["content-range"] = "there"
    put_all(seen, "delivered", delivered)
    low = {name.lower() for name, _ in headers}
    for name in PRESENT & named if not own else ():
        seen["delivered " + name] = "there" if name in low else "none"
    seen["logged"] = logged(transactions)
    seen["twice"] = any(TWICE.match(text) for one in transactions
                        for text in one.values("VCL_Log"))
    seen["own"] = "yes" if own else "no"
    seen["body"] = unzipped(body, headers).decode("latin-1")
    seen["xids"] = "|".join(str(one.number) for one in transactions)
    return seen


def drop_chance(seen, request, answers):
    """Drops what is chance: how much of a body that is cut the client gets, and whether
    Varnish gives a part of what it is fetching, of which it knows the length at the end."""
    if any(one.broken == "cut" for one in answers):
        seen.pop("body")
    if any(name.lower() == "range" for name, _ in request.headers) and \
            "hit" not in seen["cache"] and seen["answer"][:3] in ("200", "206", "416"):
        seen["answer"] = "200 or 206"
        for what in ("body", "delivered content-range"):
            seen.pop(what, None)


def without_xids(seen, what):
    """Returns a value without the numbers of the transactions, which VCL may show."""
    value, numbers = seen.get(what), seen.get("xids")
    if value is None or not numbers or what == "answer":
        return value
    return re.sub(r"\b(%s)\b" % numbers, "<xid>", value)


# The first one says for how long it is, and in VCL the last one.
TWICE = re.compile(r"fastmatch: uncacheable\b.*: nothing to do$")
REMEMBERED = re.compile(r"(not stored, (?:remembered|passed) for )(?:no time|\d+\w)")


def for_another_time(old, new):
    """Returns true if two lifetimes differ only in how long a page is remembered as one
    that is not stored, and the rules have not said it, or twice."""
    one, other = old.get("stored", ""), new.get("stored", "")
    return one != other and REMEMBERED.sub(r"\1", one) == REMEMBERED.sub(
        r"\1", other) and all(
            a == b or new["twice"] or b.endswith((" 2m", " 0s", " no time"))
            for a, b in zip(one.split(", then "), other.split(", then ")))


def in_parts(old, new):
    """Returns the differences that are meant where Varnish answers a part of a page: rules
    give it no page, and do nothing for a status below 400, so that a backend is asked."""
    if old["parts"] and min(old["parts"]) >= 400:
        return {"body"} if old["parts"] == new["parts"] else set()
    if not old["parts"] or "; then " not in new["cache"]:
        return set()
    return {what for what in list(old) + list(new)
            if what.split(" ")[0] in ("asked", "cache", "sent", "stored", "timeouts",
                                      "logged", "body")}


def is_stored(seen):
    return "stored for " in seen.get("stored", "")


def is_answered(old, new):
    """Returns true if rules answer a failed fetch, with the usual reason: no hit."""
    return old["answer"] == "503 Backend fetch failed" and new["own"] == "yes" and \
        new["answer"] == "503 Service Unavailable"


def differences(old, new):
    """Returns the names in which two observations differ, the most telling first."""
    if old["asked"] != new["asked"] and old["cache"] != new["cache"] and \
            "nobody" in (old["asked"], new["asked"]):
        # One of both has asked a backend: all else follows from that.
        return ["cache"]
    found = []
    for what in list(old) + [name for name in new if name not in old]:
        if what in ("own", "parts", "twice", "xids") or (what in ("answer", "cache") and
                                       is_answered(old, new)):
            continue
        if what.split(" ")[-1] in PRESENT and old.get("own") != new.get("own"):
            continue
        if what.startswith("stored ") and not (is_stored(old) and is_stored(new)):
            continue
        if not same(old.get(what), new.get(what)) and not same(
                without_xids(old, what), without_xids(new, what)):
            found.append(what)
    return found
