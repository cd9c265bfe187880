# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes up stories: a few requests, and what the backend answers to each.

A life is one request again and again: a miss, a hit, a part of the page, other clients, a
purge, the page gets stale, the backend fails.  A loss is several pages, of which a purge
or a ban takes some.  A sweep is one request after the other, each with a value that VCL or
rules look for in it or in its response.
"""

import copy
import re

from answers import Answer, Answers
from branches import read
from harvest import CLIENT, OUTSIDE, Harvest, clean

SUBS = ["vcl_hash", "vcl_hit", "vcl_miss", "vcl_pass", "vcl_purge", "vcl_pipe",
        "vcl_backend_fetch", "vcl_backend_response", "vcl_backend_error",
        "vcl_backend_refresh", "vcl_deliver", "vcl_synth"]
SWEEP = 6       # requests of a sweep
USUAL_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE",
                 "CONNECT"}
# In these another client differs, if neither VCL nor rules say in what.
DIFFERS = ["cookie", "origin", "x-forwarded-proto", "accept-language", "user-agent",
           "accept-encoding", "authorization"]
VALUES = {"origin": ["https://www.example.com", "https://other.example"],
          "x-forwarded-proto": ["https", "http"],
          "accept-language": ["de", "en", "fr;q=0.5, en"],
          "authorization": ["Basic eDp5"],
          "accept-encoding": ["gzip", "br", "identity"]}
HASHED = re.compile(r"\b(?:req|bereq)\.http\.([\w-]+)")
VARIED = re.compile(r"\bVary\b[^;]*\"([^\"]*)\"", re.I)
# A ban of a header, with what a header of the request says.
BANNED = re.compile(r"\bobj\.http\.([\w-]+)\s*(?:[!=]=|!?~)[^;]{0,20}?"
                    r"\breq\.http\.([\w-]+)")
FORGETS = re.compile(r"\b(?:std\.)?ban\(|\bpurge\b|\bxkey\.")
RANGES = ["bytes=0-3", "bytes=2-", "bytes=-4", "bytes=1-2,4-5", "bytes=90000-"]
PAGES = 3       # beside the one for which a purge or a ban is made


class Step:
    """One request; `answers` are those of the backend.  An `expire` makes stale what is
    stored for it.  All backends are `sick` during such a step."""

    def __init__(self, request, answers, expire=False, sick=False):
        self.request = request
        self.answers = answers
        self.expire = expire
        self.sick = sick


def as_requests(text):
    """Returns VCL with the names of vcl_recv for what a fetch asks."""
    return re.sub(r"\bbereq\.(http|url|method)", r"req.\1", text)


class Stories:
    def __init__(self, texts, words, recv, rng, with_odd):
        self.rng = rng
        self.recv = recv        # the Harvest of vcl_recv
        whole = as_requests("\n".join(texts))
        marker = read(as_requests(texts[0]), SUBS)
        self.branches = marker.branches
        self.harvest = Harvest(whole, rng, marker.branches,
                               {**recv.sets, **marker.sets}, marker.texts, with_odd)
        for into, found in ((self.harvest.literals, words.asked),
                            (self.harvest.regexes, words.regexes)):
            for name, values in found.items():
                for value in values:
                    self.harvest.note(into, name, value)
                if name.startswith("req.http."):
                    self.harvest.names = sorted(set(self.harvest.names) |
                                                {name[len("req.http."):]})
        self.harvest.names = [name for name in self.harvest.names
                              if not name.startswith("fm-")]
        self.answers = Answers("\n".join(texts), words, rng)
        if re.search(r"\bimport\s+xkey\b", whole):
            self.answers.name("xkey")
        self.keys = self.keys_of(texts, words)
        self.methods = [method for method in dict.fromkeys(
            self.harvest.literals.get("req.method", []))
            if method.upper() not in USUAL_METHODS and method.isalpha()]
        self.number = 0
        self.health = "healthy" in whole
        self.included = ["/part", "/part?id=1"] + [
            value for value in self.harvest.literals.get("req.url", [])
            if re.fullmatch(r"/[\w/.?=&-]*", value)] \
            if re.search(r"\besi\b|\bdo_esi\b|\besi_level\b",
                         whole + " ".join(words.words)) else []
        self.forgets = FORGETS.search(whole) is not None
        self.banned = [(name.lower(), by.lower())
                       for name, by in BANNED.findall("\n".join(texts))]
        self.pins = self.mixed(self.answers.pins)
        self.request_pins = self.pins_of_requests()

    def mixed(self, found):
        found = list(dict.fromkeys(found))
        self.rng.shuffle(found)
        return found

    def pins_of_requests(self):
        """Returns (branch, name, value): what the subs after vcl_recv look for first, then
        what rules look for."""
        first = self.mixed([pin for pin in self.harvest.pinned()
                            if pin[1] != "client.ip"])
        rest = self.mixed([(None, name, value) for name, values in
                           self.harvest.literals.items() for value in values
                           if name == "req.url" or name.startswith("req.http.")])
        return first + rest

    def keys_of(self, texts, words):
        """Returns the headers of requests on which a key or a Vary depends."""
        found = []
        for text in texts:
            for hit in re.finditer(r"\bhash_data\(([^;]*)\)\s*;", text):
                found += HASHED.findall(hit.group(1))
            for hit in VARIED.finditer(text):
                found += re.findall(r"[A-Za-z][\w-]+", hit.group(1))
        named = {name.lower() for name in self.harvest.names}
        found += [key for key in words.keys
                  if key in named or "-" in key or key in ("origin", "accept")]
        found = [name.lower() for name in found]
        found = [name for name in dict.fromkeys(found) if name not in ("host", "url") and
                 not name.startswith("fm-")]
        self.cookies = list(dict.fromkeys(words.key_cookies))
        if self.cookies and "cookie" not in found:
            found.append("cookie")
        return found

    # The requests

    def base(self):
        """Returns the request of a life."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.3 and self.recv.corpus:
            request = copy.copy(rng.choice(self.recv.corpus))
            request.headers = list(request.headers)
            request.extra = []
        elif roll < 0.5 and self.branches:
            request = self.harvest.for_branch(rng.choice(self.branches))
        else:
            request = self.harvest.request()
        return self.cacheable(request)

    def cacheable(self, request):
        """Makes it, mostly, one that may be answered from the cache."""
        rng = self.rng
        if rng.random() < 0.85:
            request.method = "GET"
        drop = set()
        if rng.random() < 0.5:
            drop.add("Cookie")
        if rng.random() < 0.8:
            drop |= {"Authorization", "Cache-Control", "Pragma"}
        drop |= {"If-None-Match", "If-Modified-Since", "Range", "Upgrade", "Connection"}
        request.headers = [pair for pair in request.headers if pair[0] not in drop]
        return request

    def put(self, request, name, value):
        title = name.title()
        request.headers = [pair for pair in request.headers if pair[0].lower() != name]
        if value is not None:
            request.headers.append((title, clean(value)))

    def other(self, request, name):
        """Returns the request of a client that differs in one header."""
        rng = self.rng
        changed = copy.copy(request)
        changed.headers = list(request.headers)
        ways = [way for (header, _), all_of_them in self.harvest.sets.items()
                if header == "req.http." + name for way in all_of_them]
        if ways and rng.random() < 0.7:
            # VCL makes this header, of others.
            for condition in rng.choice(ways):
                for what, value in self.harvest.asked(condition).items():
                    if what.startswith("req.http.") and what != "req.http.host":
                        self.put(changed, what[len("req.http."):], value)
            return changed
        now = dict((pair[0].lower(), pair[1]) for pair in request.headers).get(name)
        found = []
        if name == "cookie":
            found = [self.cookie(now) for _ in range(3)] + [None]
        else:
            found += VALUES.get(name, [])
            found += [self.harvest.known(name) for _ in range(2)]
            found += [None, "other"]
        found = [value for value in found if value != now and value != ""]
        self.put(changed, name, rng.choice(found))
        return changed

    def cookie(self, now):
        """Returns a Cookie header of which one cookie differs."""
        rng = self.rng
        parts = [part for part in (now or "").split("; ") if part]
        names = sorted(self.harvest.words["cookie"]) + self.cookies * 3
        if parts and rng.random() < 0.5:
            at = rng.randrange(len(parts))
            parts[at] = parts[at].partition("=")[0] + "=" + rng.choice("pqr")
        elif names:
            parts.append("%s=%s" % (rng.choice(names), rng.choice("123")))
        else:
            parts.append("other=" + rng.choice("123"))
        return "; ".join(parts)

    def purge(self, request, first):
        """Returns a request that may purge, or ban, what the first answer has stored: it
        has the values of headers whose names are alike (X-Tags-Pattern, X-Tags)."""
        rng = self.rng
        method = rng.choice(self.methods or ["PURGE"])
        purge = copy.copy(request)
        purge.headers = list(request.headers)
        for branch in self.recv.branches:
            text = " ".join(branch.conditions)
            if '"%s"' % method in text and rng.random() < 0.5:
                asked = self.recv.for_branch(branch)
                have = {pair[0].lower() for pair in purge.headers}
                purge.headers += [pair for pair in asked.headers
                                  if pair[0].lower() not in have]
                if CLIENT.search(text):
                    purge.client = asked.client
        purge.method = method
        for name, by in self.banned:
            values = [value for this, value in first.headers if this.lower() == name]
            if values and rng.random() < 0.8:
                self.put(purge, by, values[0])
        for name, value in first.headers:
            purge.headers = [
                (other, value.split(" ")[0]) if len(name) > 3 and
                name.lower() in other.lower() and rng.random() < 0.7 else (other, now)
                for other, now in purge.headers]
        if self.recv.clients and rng.random() < 0.6:
            purge.client = rng.choice(self.recv.clients)
        elif rng.random() < 0.2:
            purge.client = OUTSIDE
        return purge

    def elsewhere(self, request):
        """Returns the request for another page, with the same headers."""
        rng = self.rng
        other = copy.copy(request)
        other.headers = list(request.headers)
        if rng.random() < 0.4:
            other.headers = [pair for pair in other.headers
                             if pair[0].lower() != "host"]
            other.headers.insert(0, ("Host", clean(self.recv.host()) or "other.example"))
        elif rng.random() < 0.5:
            path = request.url.partition("?")[0]
            other.url = rng.choice([path + "?other=1", path.rstrip("/") + "/other",
                                    "/other" + path])
        else:
            other.url = self.harvest.url()
        return other

    def part(self, request, first):
        """Returns a request for a part of a page, or for it if it has changed."""
        part = copy.copy(request)
        part.headers = list(request.headers)
        tags = [value for name, value in first.headers if name.lower() == "etag"]
        if tags and self.rng.random() < 0.4:
            self.put(part, "if-none-match", self.rng.choice(tags + ['"other"']))
        else:
            self.put(part, "range", self.rng.choice(RANGES))
        return part

    # The stories

    def answer(self):
        """Returns the answer of a life: one that is mostly stored."""
        answer = self.some_answer()
        if self.included and self.rng.random() < 0.3:
            answer.included = self.rng.choice(self.included)
        return answer

    def some_answer(self):
        rng = self.rng
        if self.pins and rng.random() < 0.6:
            self.pins.append(self.pins.pop(0))
            return self.answers.pinned(self.pins[-1])
        if self.branches and rng.random() < 0.3:
            return self.answers.suited(rng.choice(self.branches).conditions)
        return self.answers.random(plain=rng.random() < 0.75)

    def later(self, first):
        """Returns the answers when the page is stale."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.35:
            again = first.copy()
            again.fresh = True
            if rng.random() < 0.5:
                again.set("Cache-Control", rng.choice(["max-age=30", "max-age=90",
                                                       "private"]))
            return [again]
        if roll < 0.65:
            return [self.answers.failing()]
        if roll < 0.72:
            slow = self.answer()
            slow.slow = 0.1
            return [slow]
        if roll < 0.85:
            return [self.answers.failing(), self.answer()]
        return [self.answer()]

    def life(self):
        rng = self.rng
        request = self.base()
        if self.request_pins and rng.random() < 0.4:
            self.request_pins.append(self.request_pins.pop(0))
            request = self.cacheable(self.harvest.pin(*self.request_pins[-1], False))
        first = self.answer()
        answers = [first] if rng.random() < 0.85 else [self.answers.failing(), first]
        if rng.random() < 0.03:
            first.slow = 0.1
        steps = [Step(request, answers), Step(request, [self.answer()])]
        if rng.random() < 0.25:
            steps.append(Step(self.part(request, first), [self.answer()]))
        if rng.random() < 0.25:
            steps.append(Step(self.elsewhere(request), [self.answer()]))
        names = []
        if self.keys:
            names.append(self.keys[self.number % len(self.keys)])
        names.append(DIFFERS[self.number % len(DIFFERS)])
        if rng.random() < 0.3:
            names.append(rng.choice(DIFFERS + self.harvest.names))
        for name in dict.fromkeys(names):
            if name == "host":
                continue
            steps.append(Step(self.other(request, name), [self.answer()]))
        if rng.random() < 0.5:
            steps.append(Step(self.purge(request, first), [self.answer()]))
            steps.append(Step(request, [self.answer()]))
        if rng.random() < 0.6:
            steps.append(Step(request, [], expire=True))
            if self.health and rng.random() < 0.4:
                steps.append(Step(request, [self.answer()], sick=True))
            steps.append(Step(request, self.later(first)))
            steps.append(Step(request, [self.answer()]))
        return steps

    def loss(self):
        """Several pages, a purge or ban for the first of them, and all of them again."""
        rng = self.rng
        first = self.base()
        pages = [first] + [self.elsewhere(first) for _ in range(PAGES)]
        answers = [self.answer() for _ in pages]
        for answer in answers[1:]:
            for name, _ in self.banned:
                values = [value for this, value in answers[0].headers
                          if this.lower() == name]
                if values and rng.random() < 0.4:
                    answer.set(name.title(), values[0])
        steps = [Step(*pair) for pair in zip(pages, ([one] for one in answers))]
        purge = self.purge(first, answers[0])
        if rng.random() < 0.2:
            purge.url = rng.choice(["/", "/.*", purge.url.rpartition("/")[0] + "/"])
        steps.append(Step(purge, [self.answer()]))
        return steps + [Step(page, [self.answer()]) for page in pages]

    def sweep(self, branch=None):
        rng = self.rng
        steps = []
        for _ in range(SWEEP):
            if branch is not None:
                request = self.harvest.for_branch(branch)
                answer = self.answers.suited(branch.conditions)
                if rng.random() < 0.7:
                    request = self.cacheable(request)
                steps += [Step(request, [answer]), Step(request, [self.answer()])]
                if len(steps) >= SWEEP:
                    break
                continue
            if self.request_pins and rng.random() < 0.7:
                self.request_pins.append(self.request_pins.pop(0))
                request = self.harvest.pin(*self.request_pins[-1],
                                           rng.random() < 0.2)
            else:
                request = self.base()
            if rng.random() < 0.8:
                request = self.cacheable(request)
            answer = self.answer()
            steps.append(Step(request, [answer]))
        return steps

    def made(self, count, given=None):
        """Yields stories: a sweep for each branch, then sweeps and lives in turn; those of
        a log (`given`, its requests) are lives."""
        for request in given or ():
            self.number += 1
            steps = self.life()
            first = steps[0].request
            for step in steps:
                changed = copy.copy(request)
                changed.headers = list(request.headers)
                if step.request is not first:
                    for name, value in step.request.headers:
                        if (name, value) not in first.headers:
                            self.put(changed, name.lower(), value)
                    changed.method = step.request.method if \
                        step.request.method != first.method else request.method
                    changed.client = step.request.client
                step.request = changed
            if possible(steps):
                yield steps
        left = count if given is None else 0
        tried = 0
        while left > 0 and tried < 10 * count:
            tried += 1
            self.number += 1
            if self.number <= min(len(self.branches), count // 3):
                steps = self.sweep(self.branches[self.number - 1])
            elif self.number % 3 == 0:
                steps = self.sweep()
            elif self.forgets and self.number % 6 == 1:
                steps = self.loss()
            else:
                steps = self.life()
            steps = [step for step in steps if possible_request(step.request)]
            if possible(steps):
                left -= 1
                yield steps


def possible(steps):
    return bool(steps) and not steps[0].expire and all(
        possible_request(step.request) for step in steps)


def possible_request(request):
    """Returns true if a request can be a part of a story: one that varnishd answers
    itself, or whose connection becomes a tunnel, tells nothing."""
    return request.version == "HTTP/1.1" and "#" not in request.url and \
        request.url.startswith("/") and request.method not in ("PRI", "CONNECT") and \
        sum(name.lower() == "host" for name, _ in request.headers) == 1


def usual_answers(steps):
    """Makes sure that each step has an answer."""
    for step in steps:
        if not step.answers:
            step.answers = [Answer(200, [("Cache-Control", "max-age=60")])]
    return steps
