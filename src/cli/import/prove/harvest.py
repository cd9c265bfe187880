# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes up requests from the conditions of a VCL.

Each text that the VCL compares with is a value; each alternative of a regex gives a
value that it matches.  First come requests for each branch; then those that took the
branch with each value of its condition and of its statements, in both cases of letters;
then all of them mixed, with near misses; some are odd.  A request that is the first to
take a branch is changed a little, again and again.  Half of all requests have a
User-Agent of agents.list in place of one that the VCL asks for.
"""

import copy
import ipaddress
import glob
import os
import re

from alternatives import alternatives, parsed
from odd import odd

HERE = os.path.dirname(os.path.realpath(__file__))
# Varnish's own vcl_path.
FOLDERS = ["/etc/varnish", "/usr/share/varnish/vcl"]
TEXTS = r'((?:(?:"{3}.*?"{3}|"[^"\n]*"|\{".*?"\})\s*\+?\s*)+)'
COMPARED = re.compile(
    r'(?:std\.tolower\(\s*)?\b(req\.(?:url|method|request|http\.[\w-]+))\s*\)?'
    r'\s*(==|!=|~|!~)\s*' + TEXTS, re.S)
# The innermost of nested calls names what the others change, too.
REPLACED = re.compile(
    r'\bregsub(?:all)?\(\s*(?:(?:regsub(?:all)?|std\.\w+)\(\s*)*'
    r'(req\.(?:url|http\.[\w-]+))\s*\)*,\s*' + TEXTS + ',', re.S)
REPLACED_AGAIN = re.compile(r'\)\s*,\s*' + TEXTS + r',\s*' + TEXTS + r'\)',
                            re.S)
NAMED = re.compile(r"\breq\.http\.([\w-]+)")
PRESENT = re.compile(r"(!?)\s*\(*\s*req\.http\.([\w-]+)\s*\)*\s*(?:&&|\|\||$)")
CLIENT = re.compile(r"\bclient\.ip\s*(~|!~)\s*([\w-]+)")
ACL = re.compile(r"\bacl\s+([\w-]+)[^{]*\{([^}]*)\}")
ENTRY = re.compile(r'"([0-9a-fA-F.:]+)(?:"\s*)?(?:/\s*(\d+))?')
# vmod_cookie: a name and a value that it asks for, or a list of names.
ASKED = re.compile(r'\bcookie\.(?:isset|get)\(\s*"([^"\n]*)"\s*\)'
                   r'(?:\s*[=!]=\s*"([^"\n]*)")?')
LISTED = re.compile(r'\bcookie\.(?:keep|filter|filter_except|delete)'
                    r'\(\s*"([^"\n]*)"')
PORT = re.compile(r"\bstd\.port\(\s*server\.ip\s*\)\s*(==|!=)\s*(\d+)")
OUTSIDE = "198.51.100.77"
# Headers that would change what the request is.
UNSENT = ("host", "content-length", "transfer-encoding", "expect")
ODD = 0.2
JOINTS = {"req.url": "", "req.http.cookie": "; "}
STRING = re.compile(r'"{3}(.*?)"{3}|"([^"\n]*)"|\{"(.*?)"\}', re.S)
COMMENT = re.compile(r'("[^"\n]*"|\{".*?"\}|"""(?:.*?)""")'
                     r"|#[^\n]*|//[^\n]*|/\*.*?\*/", re.S)


def agents():
    """Returns the User-Agents of agents.list."""
    with open(os.path.join(HERE, "agents.list"), encoding="ascii") as file:
        lines = re.sub(r"\n +", " ", file.read()).split("\n")
    return [line for line in lines if line and not line.startswith("#")]


def included_path(name, beside, folders):
    """Returns the path of an include as lex.c finds it, in the folders of --vcl-path."""
    here = os.path.join(os.path.dirname(beside), name)
    if name.startswith(("/", "./")):
        return here
    places = [os.path.join(folder, name) for folder in folders or FOLDERS]
    places.insert(len(places) if folders else 0, here)
    return next((place for place in places if os.path.exists(place)), here)


INCLUDE = re.compile(r'\binclude\s+(\+\s*glob\s+)?"([^"]*)"\s*;')


def included_files(hit, path, folders):
    several, name = hit.groups()
    if several:
        return sorted(glob.glob(os.path.join(os.path.dirname(path), name)))
    return [included_path(name, path, folders)]


def blank(text):
    """Returns a blank, and the ends of lines that the text has."""
    return " " + "\n" * text.count("\n")


def rows(path, folders=(), depth=0):
    """Returns (line, path, its number) for all lines of a VCL without comments, with
    those of each included file in place of the include."""
    with open(path, encoding="latin-1") as file:
        text = COMMENT.sub(lambda hit: hit.group(1) or blank(hit.group(0)),
                           file.read())
    if depth > 0:
        text = re.sub(r"(?m)^\s*vcl\s+[\d.]+\s*;",
                      lambda hit: blank(hit.group(0)), text)
    found, at = [], 0

    def take(until):
        first = 1 + text.count("\n", 0, at)
        found.extend((line, path, first + n) for n, line in enumerate(
            text[at:until].split("\n")))

    for hit in INCLUDE.finditer(text):
        files = included_files(hit, path, folders)
        if depth == 16 or not all(os.path.exists(each) for each in files):
            continue
        take(hit.start())
        at = hit.end()
        for each in files:
            found += rows(each, folders, depth + 1)
    take(len(text))
    return found


def flatten(path, folders=()):
    """Returns the text of a VCL without comments, with all that it includes."""
    return "\n".join(row[0] for row in rows(path, folders))


def strings(text):
    return "".join("".join(each) for each in STRING.findall(text))


def stand_in(one):
    """Returns a byte that a class of a regex, or a dot, matches."""
    if one == "\\d":
        return "1"
    if one[0] != "[" or one[1] == "^" or "a-z" in one:
        return "a"
    return {"A-Z": "A", "0-9": "1"}.get(one[1:4], one[1])


class Sampler:
    """Texts that a regex matches; look-arounds are not heeded."""

    def __init__(self, rng, any_byte="axz09-_"):
        self.rng = rng
        self.any_byte = any_byte

    def text(self, regex):
        tree = parsed(regex)
        return None if tree is None else self.of(tree)

    def of(self, tree):
        return "".join(self.one(str(op), value) for op, value in tree)

    def one(self, op, value):
        rng = self.rng
        if op == "LITERAL":
            return chr(value)
        if op == "NOT_LITERAL":
            return "y" if value == ord("x") else "x"
        if op == "ANY":
            return rng.choice(self.any_byte)
        if op == "IN":
            return self.member(value)
        if op == "BRANCH":
            return self.of(rng.choice(value[1]))
        if op == "SUBPATTERN":
            return self.of(value[-1])
        if op == "ATOMIC_GROUP":
            return self.of(value)
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = value
            count = rng.randint(least, min(int(most), least + 3))
            return "".join(self.of(inner) for _ in range(count))
        return ""

    def member(self, members):
        rng = self.rng
        if str(members[0][0]) == "NEGATE":
            bad = "".join(chr(v) for op, v in members[1:]
                          if str(op) == "LITERAL")
            return rng.choice([c for c in "axz09-_" if c not in bad] or ["~"])
        op, value = rng.choice(members)
        if str(op) == "LITERAL":
            return chr(value)
        if str(op) == "RANGE":
            return chr(rng.randint(*value))
        return {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " "}.get(
            str(value), "w")


class Request:
    def __init__(self, method, url, headers, client="127.0.0.1"):
        self.method = method
        self.url = url
        self.headers = headers
        self.client = client
        self.port = 80          # of the server
        self.version = "HTTP/1.1"
        self.extra = []

    def head(self):
        lines = ["%s %s %s" % (self.method, self.url, self.version)]
        lines += ["%s: %s" % header for header in self.headers]
        lines += self.extra
        if self.method not in ("GET", "HEAD", "PURGE", "BAN"):
            lines.append("Content-Length: 0")
        return "\r\n".join(lines) + "\r\n\r\n"

    def raw(self):
        return self.head().encode("latin-1", "replace")


def clean(value):
    """Leaves what may stand in a header."""
    return re.sub(r"[^\x20-\x7e\xa0-\xff]", "", value).strip()


class Harvest:
    PATHS = ["/", "/index.html", "/a/b", "/logo.png", "/x.css", "/api/v1/x",
             "/x.php", "/download/f.zip", "/p/"]
    METHODS = ["GET"] * 12 + ["HEAD", "POST", "PUT", "DELETE", "OPTIONS",
                              "PURGE"]
    VALUES = ["1", "abc", "a%20b", "x,y", "42", "A.b-c", ""]
    ENCODINGS = ["gzip", "gzip, deflate", "br", "deflate", "identity"]

    def __init__(self, text, rng, branches=(), sets=None, texts=(),
                 with_odd=True):
        self.odd = with_odd
        self.rng = rng
        self.sampler = Sampler(rng, "axz09-_" if with_odd else "axz")
        self.literals = {}
        self.regexes = {}
        self.words = {"req.url": set(), "cookie": set()}
        for name, sign, value in COMPARED.findall(text):
            into = self.regexes if "~" in sign else self.literals
            self.note(into, name, strings(value))
        for name, value in REPLACED.findall(text):
            self.note(self.regexes, name, strings(value))
        for name, value in ASKED.findall(text):
            self.note(self.literals, "req.http.cookie",
                      "%s=%s" % (name, value or "1"))
        for names in LISTED.findall(text):
            self.words["cookie"].update(
                name.strip() for name in names.split(",") if name.strip())
        self.acls = {name: self.addresses(entries)
                     for name, entries in ACL.findall(text)}
        self.clients = sorted({address for each in self.acls.values()
                               for address in each})[:12]
        self.ports = sorted({int(port) for _, port in PORT.findall(text)})
        self.corpus = []
        self.took = {}      # the first request that took a branch
        self.texts = texts
        self.untried = 0
        self.branches = branches
        self.sets = sets or {}
        self.made = 0
        self.left = set(range(len(branches)))
        self.names = sorted({name.lower() for name in NAMED.findall(text)} |
                            {"user-agent"})
        self.agents = agents()
        rng.shuffle(self.agents)

    def note(self, into, name, value):
        name = name.lower().replace("req.request", "req.method")
        into.setdefault(name, [])
        if value not in into[name]:
            into[name].append(value)
        key = {"req.url": "req.url", "req.http.cookie": "cookie"}.get(name)
        if key is None and re.search(r"[&?].*=", value):
            key = "req.url"
        if key and into is self.regexes:
            if not self.odd:
                # The character that a class stands for is a part of the name.
                value = re.sub(r"(\[[^]]*\]|(?<!\\)\.|\\[dw])[+*?]*",
                               lambda hit: stand_in(hit.group(1)),
                               self.regex(key, value))
            bare = re.sub(r"\\.|\[[^]]*\]|\(\?[:!=i]+", " ", value)
            self.words[key].update(re.findall(r"[A-Za-z_][\w-]+", bare))

    def regex(self, name, regex):
        """Returns a regex as what clients send fits it: with a dot for each `.` of a
        host, and for one in /cart.php; with nothing for a `.*` before a cookie's name."""
        if self.odd or name not in ("req.http.host", "req.url",
                                    "req.http.cookie"):
            return regex
        if name == "req.http.cookie":
            return re.sub(r"^(\^?\(?)\.\*\??", r"\1", regex)
        if name == "req.url":
            return re.sub(r"(?<=[A-Za-z0-9])\.(?=[A-Za-z])", r"\\.", regex)
        return re.sub(r"(?<!\\)\.(?![*+?{])", r"\\.", regex)

    @staticmethod
    def addresses(entries):
        """Returns an address in each entry of an acl."""
        found = []
        for address, bits in ENTRY.findall(entries):
            try:
                net = ipaddress.ip_network("%s/%s" % (
                    address, bits or (128 if ":" in address else 32)), False)
            except ValueError:
                continue
            found.append(str(net[min(9, net.num_addresses - 1)]))
        return found

    def value(self, name):
        """Returns a value, perhaps nearly right; None: nothing is known of this name."""
        rng = self.rng
        literals = self.literals.get(name, [])
        regexes = self.regexes.get(name, [])
        if not literals and not regexes:
            return None
        chosen = rng.choice(literals + regexes)
        if chosen in regexes and chosen not in literals:
            chosen = self.sampler.text(self.regex(name, chosen)) or ""
        return self.nearly(chosen) if self.odd and rng.random() < 0.2 \
            else chosen

    def nearly(self, value):
        rng = self.rng
        at = rng.randint(0, len(value))
        return rng.choice([value.upper(), value.lower(), value + "x",
                           "x" + value, value[:at] + value[at + 1:],
                           value[:at] + "-" + value[at:]])

    def url(self, value=None):
        rng = self.rng
        if value is None and rng.random() < 0.5:
            value = self.value("req.url")
        path = value if value else rng.choice(self.PATHS)
        if path[0] == "&":
            path = "?" + path[1:].lstrip("&")
        if not path.startswith("/"):
            path = rng.choice(["/", "/p", "/a.html"]) + path
        words = sorted(self.words["req.url"])
        names = ["a", "id", "page"] + words
        if words and rng.random() < 0.5:
            names = words + [word + "x" for word in words[:3]
                             if self.odd]
        params = ["%s=%s" % (rng.choice(names), rng.choice(self.VALUES))
                  for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 4]))]
        if params:
            path += ("&" if "?" in path else "?") + "&".join(params)
        return re.sub(r"[^\x21-\x7e]", "%20", path)

    def cookie(self):
        rng = self.rng
        words = sorted(self.words["cookie"])
        parts = [self.value("req.http.cookie") or "a=1"
                 if rng.random() < 0.3 else
                 "%s=%s" % (rng.choice(["a", "session", "lang"] + words * 2),
                            rng.choice(self.VALUES))
                 for _ in range(rng.randint(1, 4))]
        parts = [part.strip("; ") for part in "; ".join(parts).split(";")]
        return "; ".join(part for part in parts if part) or "a=1"

    def host(self):
        rng = self.rng
        value = self.value("req.http.host")
        if value is None or rng.random() < 0.1:
            value = rng.choice(["www.example.com", "unknown.example"])
        if rng.random() < 0.1:
            value = rng.choice([value + ":80", value + ".", value.upper(),
                                value.title(), value + ":8080"])
        return value

    def request(self, given=None):
        """Returns a random request, or one with the values `given` and a host only."""
        rng = self.rng
        alone = given is not None
        given = dict(given or {})
        if rng.random() < 0.5:
            given.setdefault("req.http.user-agent", self.agent())
        method = given.get("req.method")
        if method is None:
            method = "GET" if alone else rng.choice(
                self.METHODS + self.literals.get("req.method", []))
        headers = [("Host", given.get("req.http.host") or self.host())]
        for name in self.names:
            if name in UNSENT:
                continue
            value = given.get("req.http." + name)
            if value is None and not alone and rng.random() < 0.5:
                value = self.known(name)
            if value is not None:
                headers.append((name.title(), clean(value)))
        method = re.sub(r"[^A-Za-z]", "", method) or "GET"
        client = given.get("client.ip") or "127.0.0.1"
        if not alone and self.clients and rng.random() < 0.4:
            client = rng.choice(self.clients + [OUTSIDE])
        request = Request("POST" if method == "CONNECT" else method,
                          self.url(given.get("req.url")),
                          [(n, clean(v)) for n, v in headers], client)
        if self.ports:
            request.port = int(given.get("server.port") or rng.choice(self.ports + [80]))
        return request

    def agent(self):
        """Returns the next User-Agent: each has its turn."""
        self.agents.append(self.agents.pop(0))
        return self.agents[-1]

    def known(self, name):
        if name == "cookie":
            return self.cookie()
        value = self.value("req.http." + name)
        if value is None and name == "user-agent":
            return self.agent()
        if value is None and name == "accept-encoding":
            return self.rng.choice(self.ENCODINGS)
        return value if value is not None else self.rng.choice(self.VALUES)

    def where_set(self, name, sign, value):
        """Returns the ways in which the VCL gives the header such a value: what
        must be true; []: it does not do that."""
        ways = []
        for (header, text), all_of_them in self.sets.items():
            if header != name:
                continue
            try:
                if text == value if sign == "==" else re.search(value, text):
                    ways += all_of_them
            except re.error:
                pass
        return self.rng.choice(ways) if ways else []

    def asked(self, condition, depth=0):
        """Returns values for which the condition may be true."""
        rng = self.rng
        given = {}
        for no, name in PRESENT.findall(condition):
            if not no:
                given["req.http." + name.lower()] = self.known(name.lower())
        tests = COMPARED.findall(condition)
        rng.shuffle(tests)
        for name, sign, value in tests:
            name = name.lower().replace("req.request", "req.method")
            value = strings(value)
            ways = self.where_set(name, sign, value) if depth < 3 and \
                sign in ("==", "~") and rng.random() < 0.9 else []
            for way in ways:
                given.update(self.asked(way, depth + 1))
            if ways:
                continue
            if sign == "~":
                value = self.sampler.text(self.regex(name, value))
            if sign not in ("==", "~") or value is None:
                continue
            # Texts that two regexes ask for may follow each other.
            if sign == "~" and name in given and rng.random() < 0.6:
                value = given[name] + JOINTS.get(name, " ") + value
            given[name] = value
        for name, value in ASKED.findall(condition):
            given["req.http.cookie"] = "%s=%s" % (name, value or "1")
        for sign, port in PORT.findall(condition):
            if sign == "==":
                given["server.port"] = port
        for sign, name in CLIENT.findall(condition):
            given["client.ip"] = rng.choice(
                self.acls.get(name) or [OUTSIDE]) if sign == "~" else OUTSIDE
        return given

    def for_branch(self, branch):
        given = {}
        for condition in branch.conditions:
            given.update(self.asked(condition))
        if "req.http.host" not in given:
            given["req.http.host"] = self.host()
        # A query that stands in a header, an & before each parameter.
        for value in list(given.values()):
            if value.startswith("&"):
                given["req.url"] = "/p?" + value[1:]
        for name in self.names:
            if self.rng.random() < 0.3:
                given.setdefault("req.http." + name, self.known(name))
        return self.request(given)

    def learn(self, request, taken):
        """Takes note of the branches, by their numbers, that the request took."""
        new = self.left & taken
        for branch in new:
            self.took[branch] = request
        if new:
            self.left -= new
            self.corpus.append(request)

    def values_of(self, text):
        """Yields (name, value, the value in the other case) for all that a condition or
        a statement compares with."""
        for name, sign, value in COMPARED.findall(text):
            name = name.lower().replace("req.request", "req.method")
            value = strings(value)
            for pair in alternatives(self.regex(name, value)) \
                    if "~" in sign else [(value, value.swapcase())]:
                yield (name, *pair)
        for name, value in REPLACED.findall(text):
            regexes = [value] + [again for again, _ in
                                 REPLACED_AGAIN.findall(text)]
            for regex in regexes:
                for one, other in alternatives(self.regex(
                        name.lower(), strings(regex))):
                    # Clients write the names of parameters in one way.
                    yield name.lower(), one, other if self.odd else one
        cookies = ["%s=%s" % (name, value or "1")
                   for name, value in ASKED.findall(text)]
        for names in LISTED.findall(text):
            cookies += [name.strip() + "=1" for name in names.split(",")]
        for cookie in cookies:
            yield ("req.http.cookie", cookie,
                   cookie.swapcase() if self.odd else cookie)
        for _, name in CLIENT.findall(text):
            for address in self.acls.get(name, []):
                yield "client.ip", address, address

    def pinned(self):
        """Returns (branch, name, value) for all values, in both cases of letters: first
        each as it is written."""
        found = [{}, {}]
        for branch, text in self.texts:
            for name, *pair in self.values_of(text):
                for way, value in enumerate(pair):
                    found[way][(branch, name, value)] = None
        return list(dict.fromkeys(list(found[0]) + list(found[1])))

    def pin(self, branch, name, value, full):
        """Returns the request that took the branch, or one that may, with a value; `full`
        has all headers that the VCL names."""
        if branch in self.took:
            request = copy.copy(self.took[branch])
            request.headers = list(request.headers)
        elif branch is not None:
            request = self.for_branch(self.branches[branch])
        else:
            request = self.request({})
        if name == "req.url":
            request.url = self.pinned_url(value, full)
        elif name == "req.method":
            request.method = re.sub(r"[^A-Za-z]", "", value) or "GET"
        elif name == "client.ip":
            request.client = value
        else:
            header = name[len("req.http."):].title()
            if header == "Host" and value[:1] in ("", "."):
                value = "x" + value
            request.headers = [pair for pair in request.headers
                               if pair[0].title() != header]
            request.headers.insert(0 if header == "Host" else
                                   len(request.headers),
                                   (header, clean(value)))
        if full:
            there = {pair[0].lower() for pair in request.headers}
            request.headers += [
                (other.title(), clean(self.known(other)))
                for other in self.names if other not in there and
                other not in UNSENT]
        return request

    def pinned_url(self, value, full):
        if value[:1] == "&":
            value = "?a=1" + value
        if not value.startswith("/"):
            value = self.rng.choice(["/", "/p"]) + value
        if full:
            value += ("&" if "?" in value else "?") + "z=1"
        return re.sub(r"[^\x21-\x7e]", "%20", value)

    def changed(self):
        """Returns a request that was the first to take a branch, with a change."""
        rng = self.rng
        request = copy.copy(rng.choice(self.corpus))
        other = self.for_branch(self.branches[rng.choice(
            sorted(self.left) or range(len(self.branches)))]) \
            if rng.random() < 0.5 else self.request()
        if rng.random() < 0.4:
            request.url = other.url
        if rng.random() < 0.3:
            request.method = other.method
        if rng.random() < 0.3:
            request.client = other.client
        headers = dict(request.headers)
        for name, value in other.headers:
            if name == "Host" and rng.random() < 0.7:
                continue
            if rng.random() < 0.6:
                headers[name] = value
        for name in sorted(headers):
            if name != "Host" and rng.random() < 0.1:
                del headers[name]
        request.headers = sorted(headers.items(),
                                 key=lambda pair: pair[0] != "Host")
        return request

    def requests(self, count):
        """Yields requests: for each branch, with each value, then mixed."""
        rng, made = self.rng, 0
        self.made = count
        words = sorted(self.words["req.url"] | self.words["cookie"])
        for again in range(3):
            for number, branch in enumerate(self.branches):
                if made < count // 3 and (not again or number in self.left):
                    made += 1
                    yield self.for_branch(branch)
        pins = self.pinned()
        self.untried = len(pins)
        for full in (False, True):
            for pin in pins:
                if made >= count - count // 4:
                    break
                made += 1
                self.untried -= full
                yield self.pin(*pin, full)
        while made < count:
            made += 1
            if self.left and rng.random() < 0.1:
                request = self.for_branch(
                    self.branches[rng.choice(sorted(self.left))])
            elif self.corpus and rng.random() < 0.5:
                request = self.changed()
            else:
                request = self.request()
            if self.odd and rng.random() < ODD:
                request = odd(request, rng, words)
            yield request


def listed(path):
    """Yields the requests of a log, as `fastmatch import` has read it."""
    with open(path, encoding="latin-1", newline="\n") as file:
        for request in file.read().split("\n\n")[:-1]:
            first, *lines = request.split("\n")
            method, url = first.split(" ", 1)
            fields = [line.split(":", 1) for line in lines]
            if method != "CONNECT":
                yield Request(method, url, [(name, clean(value))
                                            for name, value in fields])
