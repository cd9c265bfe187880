# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes up the responses of a backend, from what VCL and rules look at in responses:
statuses, headers with their values, and lifetimes.

    Answer(404, [("Content-Type", "text/html"), ("Set-Cookie", "a=1")])
"""

import re

from alternatives import alternatives
from harvest import TEXTS, Sampler, clean, strings

HEADER = r"(?:be)?resp\.http\.([\w-]+)|obj\.http\.([\w-]+)"
NAMED = re.compile(HEADER)
COMPARED = re.compile(
    r"(?:std\.tolower\(\s*)?\b(?:be)?resp\.http\.([\w-]+)\s*\)?\s*(==|!=|~|!~)\s*" +
    TEXTS, re.S)
STATUS = re.compile(r"\b(?:beresp|resp|obj)\.status\s*(==|!=|>=|<=|>|<)\s*(\d{3})")
STATUS_TEXT = re.compile(r"\b(?:beresp|resp|obj)\.status\s*(?:~|!~)\s*" + TEXTS, re.S)
LIFETIME = re.compile(r"\b(?:beresp|obj)\.ttl\s*(==|!=|>=|<=|>|<)\s*"
                      r"([\d.]+)\s*(ms|s|m|h|d|w|y)\b")
NUMBER = re.compile(r"\bstd\.integer\(\s*(?:be)?resp\.http\.([\w-]+)[^)]*\)"
                    r"\s*(?:==|!=|>=|<=|>|<)\s*(\d+)")
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800,
           "y": 31536000}
# A body of more bytes is not sent: the backend closes the connection first.
MOST = 65536
# Headers that belong to the connection.
UNSENT = {"connection", "transfer-encoding", "date", "via", "x-varnish", "x-vinyl"}

STATUSES = [200] * 14 + [301, 302, 404, 404, 410, 403, 500, 502, 503, 307, 204, 400]
TYPES = ["text/html", "text/html; charset=utf-8", "text/css", "image/png",
         "application/json", "application/javascript", "text/plain",
         "video/mp4", "application/octet-stream"]
USUAL = {
    "cache-control": [
        "max-age=60", "public, max-age=3600", "max-age=0", "private",
        "private, max-age=60", "no-cache", "no-store", "no-cache, no-store, "
        "must-revalidate", "s-maxage=120, max-age=0", "max-age=86400",
        "max-age=600, stale-while-revalidate=30", "public, max-age=30",
        "max-age=60, s-maxage=5, proxy-revalidate"],
    "content-type": TYPES,
    "set-cookie": ["session=1; Path=/", "a=1", "lang=de; Max-Age=600",
                   "PHPSESSID=abc; HttpOnly"],
    "vary": ["Accept-Encoding", "Cookie", "User-Agent", "Origin", "*",
             "Accept-Language", "Accept-Encoding, Origin", "X-Forwarded-Proto"],
    "etag": ['"e1"', 'W/"e2"'],
    "last-modified": ["Mon, 02 Nov 2020 10:00:00 GMT"],
    "age": ["0", "50", "4000"],
    "expires": ["0", "Thu, 01 Jan 1970 00:00:00 GMT",
                "Fri, 31 Dec 2055 23:00:00 GMT"],
    "pragma": ["no-cache", "public"],
    "surrogate-control": ['content="ESI/1.0"', "max-age=60", "no-store",
                          'max-age=120, content="ESI/1.0"'],
    "location": ["/new", "http://www.example.com:8080/new",
                 "https://www.example.com/new"],
    "content-encoding": ["gzip"],
    "content-length": ["10", "2000", "50000"],
    "access-control-allow-origin": ["*", "https://www.example.com"],
    "server": ["Apache/2.4", "nginx"],
    "x-powered-by": ["PHP/8.2"],
    "link": ["</a.css>; rel=preload"],
    "strict-transport-security": ["max-age=60"],
}
# The chance of a header that neither VCL nor rules name.
LIKELY = {"cache-control": 0.5, "content-type": 0.7, "set-cookie": 0.12,
          "vary": 0.15, "etag": 0.3, "last-modified": 0.15, "age": 0.08,
          "expires": 0.06, "pragma": 0.04, "surrogate-control": 0.04, "server": 0.1,
          "x-powered-by": 0.1}


class Answer:
    """What the backend says.  `broken` is "" or how it fails: "closed" (it says nothing),
    "cut" (its body ends too early); `slow` is a time in seconds before it begins; the body
    has an ESI include of `included`, a URL or ""."""

    def __init__(self, status=200, headers=(), broken="", slow=0.0, fresh=False,
                 included=""):
        self.status = status
        self.headers = list(headers)
        self.broken = broken
        self.slow = slow
        # To a conditional request it says 304.
        self.fresh = fresh
        self.included = included

    def copy(self):
        return Answer(self.status, self.headers, self.broken, self.slow, self.fresh,
                      self.included)

    def set(self, name, value):
        self.headers = [pair for pair in self.headers
                        if pair[0].lower() != name.lower()] + [(name, value)]

    def lines(self):
        """Returns how a person may read it."""
        if self.broken == "closed":
            return ["closes the connection without an answer"]
        first = str(self.status)
        if self.fresh:
            first += " (304, where it is asked whether the page has changed)"
        if self.slow:
            first += ", after %g s" % self.slow
        if self.included:
            first += ', with <esi:include src="%s"/>' % self.included
        if self.broken == "cut":
            first += ", and closes the connection before the end of the body"
        return [first] + ["%s: %s" % pair for pair in self.headers]


class Answers:
    """The answers that suit a VCL and its rules."""

    def __init__(self, text, words, rng):
        self.rng = rng
        self.sampler = Sampler(rng, "axz")
        self.values = {}
        self.statuses = []
        self.names = []
        self.pins = []
        for pair in NAMED.findall(text):
            self.name((pair[0] or pair[1]).lower())
        for name, sign, value in COMPARED.findall(text):
            name, value = name.lower(), strings(value)
            found = [one for one, _ in alternatives(value)] if "~" in sign \
                else [value]
            self.known(name, found)
        for sign, status in STATUS.findall(text):
            self.status(int(status))
            for near in {">": (1,), ">=": (-1,), "<": (-1,), "<=": (1,)}.get(sign, ()):
                self.status(int(status) + near)
        for value in STATUS_TEXT.findall(text):
            for one, _ in alternatives(strings(value)):
                self.status(int((re.sub(r"\D", "", one) + "00")[:3]))
        for _, number, unit in LIFETIME.findall(text):
            at = int(float(number) * SECONDS[unit])
            self.known("cache-control", ["max-age=%d" % max(0, at + more)
                                         for more in (-1, 0, 1)])
        for name, number in NUMBER.findall(text):
            self.known(name.lower(), [str(max(0, int(number) + more))
                                      for more in (-1, 1)])
        for name, found in words.answers.items():
            self.known(name, found)
        for name in words.answer_names:
            self.name(name)
        for status in words.statuses:
            self.status(status)

    def name(self, name):
        if name not in self.names and name not in UNSENT:
            self.names.append(name)

    def known(self, name, found):
        """Takes note of values, each of which will be tried."""
        self.name(name)
        for value in found:
            value = clean(value)
            if value and value not in self.values.setdefault(name, []):
                self.values[name].append(value)
                self.pins.append((name, value))

    def status(self, number):
        if 200 <= number <= 599 and number not in self.statuses and \
                number not in (206, 304):
            self.statuses.append(number)
            self.pins.append(("", number))

    def value(self, name):
        """Returns a value of a header."""
        found = self.values.get(name, [])
        usual = USUAL.get(name, [])
        if found and (not usual or self.rng.random() < 0.5):
            return self.rng.choice(found)
        return self.rng.choice(usual or ["1", "abc", "x,y"])

    def pinned(self, pin):
        """Returns an answer that has the status, or the header with the value."""
        answer = self.random(plain=self.rng.random() < 0.6)
        name, value = pin
        if not name:
            answer.status = value
        else:
            answer.set(name.title(), value)
        return self.whole(answer)

    def suited(self, conditions):
        """Returns an answer for which all of these conditions may be true."""
        rng = self.rng
        answer = self.random(plain=rng.random() < 0.7)
        for condition in conditions:
            # Of several alternatives some are true.
            if "||" in condition:
                condition = "||".join(part for part in condition.split("||")
                                      if rng.random() < 0.6)
            for sign, number in STATUS.findall(condition):
                answer.status = int(number) + {">": 1, "<": -1}.get(sign, 0) \
                    if sign != "!=" else 200
            for text in STATUS_TEXT.findall(condition):
                found = alternatives(strings(text))
                if found:
                    answer.status = int((re.sub(
                        r"\D", "", rng.choice(found)[0]) + "00")[:3])
            for name, sign, value in COMPARED.findall(condition):
                value = strings(value)
                if sign == "~":
                    value = self.sampler.text(value)
                if sign in ("~", "==") and value:
                    answer.set(name.title(), clean(value))
            for no, name, compared in re.findall(
                    r"(!?)\s*\(*\s*\b(?:be)?resp\.http\.([\w-]+)\s*(==|!=|!?~)?",
                    condition):
                has = [pair for pair in answer.headers
                       if pair[0].lower() == name.lower()]
                if no and not compared:
                    answer.headers = [pair for pair in answer.headers
                                      if pair not in has]
                elif not compared and not has:
                    answer.set(name.title(), self.value(name.lower()))
            for sign, number, unit in LIFETIME.findall(condition):
                at = int(float(number) * SECONDS[unit])
                at += {">": 60, ">=": 60, "<": -1, "<=": 0}.get(sign, 0)
                answer.set("Cache-Control", "max-age=%d" % max(0, at))
        return self.whole(answer)

    def whole(self, answer):
        """Makes an answer one that a backend may give."""
        if not 200 <= answer.status <= 599 or answer.status in (206, 304):
            answer.status = 200
        if answer.status in (204,):
            answer.headers = [pair for pair in answer.headers if pair[0].lower()
                              not in ("content-length", "content-encoding")]
        answer.headers = [(name, clean(value)) for name, value in answer.headers
                          if name.lower() not in UNSENT]
        sizes = [value for name, value in answer.headers
                 if name.lower() == "content-length"]
        if sizes and not sizes[0].isdigit():
            answer.set("Content-Length", "10")
        elif sizes and int(sizes[0]) > MOST and not answer.broken:
            answer.broken = "cut"
        return answer

    def random(self, plain=False):
        """Returns some answer; `plain`: one that is mostly stored."""
        rng = self.rng
        answer = Answer(rng.choice(STATUSES + self.statuses * 2))
        if plain and rng.random() < 0.7:
            answer.status = 200
        names = list(dict.fromkeys(list(LIKELY) + self.names))
        for name in names:
            likely = LIKELY.get(name, 0)
            if name in self.names:
                likely = max(likely, 0.3)
            if plain and name in ("set-cookie", "vary", "pragma", "age", "expires"):
                likely /= 3
            if name == "location":
                likely = 0
            if name in ("content-encoding", "content-length"):
                likely /= 6
            if rng.random() < likely:
                value = self.value(name)
                answer.headers.append((name.title(), value))
                if name == "set-cookie" and rng.random() < 0.2:
                    answer.headers.append((name.title(), self.value(name)))
        if plain and not self.lasting(answer):
            answer.set("Cache-Control", rng.choice(
                ["max-age=60", "public, max-age=3600", "max-age=600"]))
        if 300 < answer.status < 309:
            answer.headers.append(("Location", self.value("location")))
        answer.fresh = rng.random() < 0.5
        if answer.fresh and rng.random() < 0.8 and not any(
                name.lower() == "etag" for name, _ in answer.headers):
            answer.headers.append(("ETag", '"e1"'))
        return self.whole(answer)

    @staticmethod
    def lasting(answer):
        value = dict((name.lower(), value) for name, value in answer.headers).get(
            "cache-control", "")
        return re.search(r"max-age=[1-9]", value) and "private" not in value and \
            "no-" not in value

    def failing(self):
        """Returns an answer as of a backend in trouble."""
        rng = self.rng
        if rng.random() < 0.5:
            return Answer(broken="closed")
        answer = self.random()
        answer.status = rng.choice([503, 500, 502, 504])
        answer.broken, answer.fresh = "", False
        return self.whole(answer)


class Words:
    """What the rules of a new VCL look at: they are read word by word."""

    WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([{};])|([^\s{};"]+)|#[^\n]*')
    SUBJECTS = {"header": "header", "cookie": "cookie", "set-cookie": "set-cookie",
                "cache-control": "cache-control", "type": "type", "status": "status",
                "path": "url", "url": "url", "host": "host", "agent": "agent",
                "query": "query", "method": "method"}
    MODES = {"is", "begins", "ends", "contains", "like", "nocase", "~", "present", "in",
             "under", "over"}

    def __init__(self, text):
        self.answers = {}
        self.answer_names = []
        self.statuses = []
        self.asked = {}         # as literals of Harvest
        self.regexes = {}
        self.keys = []
        self.key_cookies = []
        text = re.sub(r"(?m)(^|\s)#[^\n]*", " ", text)
        self.words = [quoted or sign or word
                      for quoted, sign, word in self.WORD.findall(text)]
        self.words = [word for word in self.words if word]
        for at, word in enumerate(self.words):
            if word in ("set", "unset", "header", "add") and at + 1 < len(self.words):
                self.names_at(at + 1)
            if word in self.SUBJECTS:
                self.subject(self.SUBJECTS[word], at + 1)
            if word == "key" and self.words[at + 1:at + 2] == ["{"]:
                self.key(at + 2)
            if word == "list" and at + 3 < len(self.words):
                self.listed(at + 2)
            if re.fullmatch(r"[2345]\d\d", word):
                self.statuses.append(int(word))

    def names_at(self, at):
        while at < len(self.words) and re.fullmatch(r"[A-Z][\w-]*", self.words[at]):
            name = self.words[at].lower()
            if name not in self.answer_names:
                self.answer_names.append(name)
            at += 1

    def values(self, at):
        """Returns (regex or not, values) after a subject."""
        modes = []
        while at < len(self.words) and self.words[at] in self.MODES:
            modes.append(self.words[at])
            at += 1
        found = []
        while modes and at < len(self.words) and self.words[at] not in (
                "{", "}", ";", "and", "or", "not", ")"):
            found.append(self.words[at].rstrip(")"))
            at += 1
        if "present" in modes or "in" in modes:
            found = []
        if "like" in modes:
            found = [value.replace("*", "x").replace("?", "x") for value in found]
        return "~" in modes, found

    def note(self, is_regex, name, found):
        into = self.regexes if is_regex else self.asked
        into.setdefault(name, []).extend(found)

    def subject(self, what, at):
        name = ""
        if what in ("header", "cookie", "set-cookie", "cache-control"):
            name, at = self.words[at:at + 1], at + 1
            name = name[0].lower() if name else ""
        is_regex, found = self.values(at)
        plain = [value for value in found if not is_regex] + [
            one for value in found if is_regex for one, _ in alternatives(value)]
        if what == "status":
            for value in found:
                if value.isdigit():
                    self.statuses.append(int((value + "00")[:3]))
        elif what == "type":
            self.answers.setdefault("content-type", []).extend(
                value if "/" in value and value[-1] != "/" else
                value + "html" if value[-1:] == "/" else "text/" + value
                for value in plain)
        elif what == "header":
            self.answers.setdefault(name, []).extend(plain)
            self.note(is_regex, "req.http." + name, found)
        elif what == "set-cookie":
            self.answers.setdefault("set-cookie", []).append(name + "=1")
        elif what == "cache-control":
            self.answers.setdefault("cache-control", []).append(name)
        elif what == "cookie":
            if re.fullmatch(r"[\w.-]+", name) and name not in ("keep", "drop"):
                self.note(False, "req.http.cookie", [
                    "%s=%s" % (name, value or "1") for value in plain or [""]])
        elif what == "url":
            self.note(is_regex, "req.url", found)
        elif what == "host":
            if not found:
                while at < len(self.words) and self.words[at] not in ("{", ";"):
                    found.append(self.words[at].replace("*.", "x."))
                    at += 1
            self.note(is_regex, "req.http.host", found)
        elif what == "agent":
            self.note(is_regex, "req.http.user-agent", found)
        elif what == "method":
            self.note(False, "req.method", found)

    def key(self, at):
        depth, first = 1, ""
        while at < len(self.words) and depth:
            word = self.words[at]
            depth += {"{": 1, "}": -1}.get(word, 0)
            if first == "cookie" and word != ";":
                self.key_cookies.append(word)
            elif re.fullmatch(r"[A-Za-z][\w-]*", word):
                self.keys.append(word.lower())
            first = "" if word in ("{", "}", ";") else first or word
            at += 1

    def listed(self, at):
        """The entries of a list: which subject they are for is not known."""
        while at < len(self.words) and self.words[at] != "{":
            at += 1
        for word in self.words[at + 1:]:
            if word == "}":
                break
            if word[0] in "/.":
                self.note(False, "req.url", [word])
