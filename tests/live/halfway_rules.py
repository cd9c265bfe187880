# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Random rules, and a model that says what they make of a request.

    rules = Rules(random.Random(1), 0)
    rules.text                  # a rule file
    rules.front                 # the VCL in front of .apply()
    rules.decide(request)       # an Outcome

A statement is a pair: its text, and a function that does the same to a Request
and returns a verdict or None.
"""

import re

HOSTS = ("a.example.com", "b.example.com", "c.example.com")
NAMES = ("X-A", "X-B", "X-C", "X-D", "X-Internal-User", "X-Internal-Role")
SET = NAMES + ("X-Set-1", "X-Set-2", "X-Set-3", "X-Set-4", "X-Forwarded-Proto",
               "User-Agent", "Host")
VALUES = ("https", "v1", "${header.X-A}", "${header.X-Long}", "${query.a}",
          "${path}", "${method} ${host}", "${query.b}-${header.X-B}")
# A pattern of `unset` has a * at its end, or none.
UNSET = NAMES + ("X-Internal-*", "X-Fill-*", "X-Fill-1*", "Cookie")
# Bytes of a name that CGI can't tell from a `-`.
MARKS = "___.!'~|+"
PARAMETERS = ("a", "b", "page", "utm_id", "utm_source")
COOKIES = ("session", "cart", "lang", "_ga", "_gid")
PATHS = ("p", "old", "to", "deny", "pipe", "esi")
# An Accept-Language, and what becomes of it.
LANGUAGES = {"de": "de", "fr, de;q=0.5": "de", "en, de": "en", "fr": "en",
             "en": "en"}
LOCATIONS = ("https://www.example.com${url}", "https://${host}${path}",
             "//www.example.com${path}", "/new${path}", "${path}?from=old",
             "https://www.example.com/?a=${query.a}&l=${header.X-Long}")
# Varnish itself adds these to what a backend gets, or changes them.
VARNISH = {"accept-encoding", "connection", "content-length",
           "transfer-encoding", "via", "x-forwarded-for", "x-varnish"}


class Request:
    """A request as rules see it, and change it; names are in lower case."""

    def __init__(self, number, method, url, fields, body=""):
        self.number = number
        self.method = method
        self.url = url
        self.fields = fields            # [(name, value)]
        self.dropped = set()    # names in Connection that nothing has set since
        self.body = body
        self.absolute = False   # sent with the host in the URL
        self.esi = False
        self.backend = 0

    def copy(self, url=None):
        copy = Request(self.number, self.method, url or self.url,
                       self.fields[:], self.body)
        copy.dropped = set(self.dropped)
        copy.esi = url is not None or self.esi
        return copy

    def get(self, name):
        for field, value in self.fields:
            if field == name:
                return value
        return ""

    def unset(self, name):
        """Takes away the fields, as rules do: X_A and X.A with X-A, too."""
        begin = name[:-1] if name.endswith("*") else None
        self.fields = [field for field in self.fields if not is_named(
            re.sub("[^a-z0-9]", "-", field[0]), name, begin)]

    def unset_in_vcl(self, name):
        self.fields = [field for field in self.fields if field[0] != name]

    def set(self, name, value, unset=unset):
        unset(self, name)
        if value:
            self.fields.append((name, value))
            self.dropped.discard(name)

    def parameter(self, name):
        for piece in self.url.partition("?")[2].split("&"):
            if piece.partition("=")[0] == name:
                return piece.partition("=")[2]
        return ""

    def query(self, change):
        path, mark, text = self.url.partition("?")
        pieces = change(text.split("&")) if mark else []
        self.url = path + ("?" + "&".join(pieces) if pieces else "")

    def cookie(self, keep, names):
        crumbs = self.get("cookie").split("; ")
        left = [crumb for crumb in crumbs if is_in(crumb, names) == keep]
        if left != crumbs:
            self.set("cookie", "; ".join(left))

    def fill(self, template):
        """Returns the template with the values of ${...}."""
        def value(found):
            kind, _, name = found.group(1).partition(".")
            if kind == "header":
                return self.get(name.lower())
            if kind == "query":
                return self.parameter(name)
            return {"url": self.url, "path": self.url.partition("?")[0],
                    "method": self.method, "host": self.host}[kind]
        return re.sub(r"\$\{([^}]+)\}", value, template)


def is_named(field, name, begin):
    return field.startswith(begin) if begin else field == name


def is_in(piece, names):
    name = piece.partition("=")[0]
    return any(name.startswith(one[:-1]) if one.endswith("*") else name == one
               for one in names)


class Outcome:
    """The verdict on a request, and what its backend gets (seen: None, or as
    Echo tells it) where it isn't refused."""

    def __init__(self, verdict, request):
        self.verdict = verdict
        self.seen = self.key = None     # key: of the cache
        if verdict[0] in ("synth", "redirect", "answer"):
            return
        hashed = verdict[0] == "hash"
        self.seen = (request.backend, "GET" if hashed else request.method,
                     request.url, seen_fields(
                         field for field in request.fields
                         if field[0] not in request.dropped),
                     "" if hashed else request.body)
        if hashed:
            self.key = (request.get("host"), request.url)


def seen_fields(fields):
    return sorted(field for field in fields if field[0] not in VARNISH)


def builtin(request):
    """Returns the verdict of AFTER."""
    if request.method != "GET" or request.get("authorization") or \
            request.get("cookie"):
        return ("pass",)
    return ("hash",)


### The VCL around the rules

BACKENDS = """backend b0 { .host = "127.0.0.1"; .port = "%d"; }
backend b1 { .host = "127.0.0.1"; .port = "%d"; }
"""
INIT = """new r%(n)d = fastmatch.rules("%(path)s", watch=0s);
r%(n)d.backend("b0", b0);
r%(n)d.backend("b1", b1);
"""
# The VCL may have another default.
DEFAULT = """if (req.restarts == 0) {
	set req.backend_hint = b0;
}
"""
EACH = """if (req.http.X-Rules == "%d") {
%sr%d.apply();
}
"""
# As in builtin.vcl.
AFTER = """if (req.method != "GET" || req.http.Authorization ||
    req.http.Cookie) { return (pass); }
return (hash);
"""
# Leaves X-Eat bytes of the workspace.
EAT = """if (req.http.X-Eat &&
    vtc.workspace_free(client) > std.integer(req.http.X-Eat, 0)) {
	vtc.workspace_alloc(client, 0 - std.integer(req.http.X-Eat, 0));
}
"""
SETS = """set req.http.X-Vcl-1 = "https";
set req.http.X-Vcl-2 = req.http.Host;
set req.http.X-Vcl-3 = "a-" + req.http.X-A;
unset req.http.X-Vcl-4;
"""
# Where a VCL fails after the workspace has overflowed before it ran, Varnish 7.1
# panics.
URL = """if (!vtc.workspace_overflowed(client)) {
	set req.url = regsuball(req.url, "/x//+", "/x/");
	set req.url = std.querysort(req.url);
}
"""
LONG = """set req.http.X-Vcl-1 = req.url + req.http.Cookie + req.url;
unset req.http.X-Vcl-1;
"""


def do_sets(request):
    unset = Request.unset_in_vcl
    request.set("x-vcl-1", "https", unset)
    request.set("x-vcl-2", request.get("host"), unset)
    request.set("x-vcl-3", "a-" + request.get("x-a"), unset)
    unset(request, "x-vcl-4")


def do_url(request):
    request.url = re.sub("/x//+", "/x/", request.url)
    request.query(sorted)


def do_long(request):
    request.unset_in_vcl("x-vcl-1")


FRONTS = (
    (EAT, ()),
    (SETS + EAT, (do_sets,)),
    (EAT + SETS + URL, (do_sets, do_url)),
    (URL + SETS + EAT, (do_url, do_sets)),
    (LONG + URL + EAT, (do_long, do_url)),
    (URL + EAT + LONG, (do_url, do_long)))


def vcl_of(fronts, path, ports):
    """Returns the parts of a VCL that has rules r0, r1, ... with these texts in
    front of them; path(n) is the file of one."""
    return {
        "backends": BACKENDS % tuple(ports),
        "init": "".join(INIT % {"n": n, "path": path(n)}
                        for n in range(len(fronts))),
        "recv": DEFAULT + "".join(EACH % (n, front, n)
                        for n, front in enumerate(fronts)) + AFTER,
        "synth": "".join(EACH % (n, "", n) for n in range(len(fronts)))}


### Rules

class Rules:
    """A rule file; n chooses the VCL in front of it."""

    def __init__(self, rng, n):
        self.rng = rng
        self.front, self.does = FRONTS[n % len(FRONTS)]
        self.always = self.block(rng.randint(0, 4), 1)
        self.blocks = {host: self.block(rng.randint(0, 8), 2) +
                       self.end() for host in HOSTS[:2]}
        self.otherwise = self.end()
        self.text = "always {\n%s\n}\n" % text_of(self.always) + "".join(
            "host %s {\n%s\n}\n" % (host, text_of(block))
            for host, block in self.blocks.items()) + \
            "default {\n%s\n}\n" % text_of(self.otherwise)

    def decide(self, request):
        """Returns the Outcome of one run of vcl_recv, which edits."""
        request.host = request.get("host")
        for do in self.does:
            do(request)
        block = self.blocks.get(request.host, self.otherwise)
        return Outcome(run(self.always, request) or run(block, request) or
                       builtin(request), request)

    def outcomes(self, request):
        """Returns [Outcome]: the last one is the client's, those before it belong to
        the run before a restart, or to ESI includes."""
        came = request.copy()
        first = self.decide(request)
        if first.seen is None or first.verdict[0] == "pipe":
            return [first]
        if request.get("x-again"):
            return [first, self.decide(request)]
        return [self.decide(came.copy(url))
                for url in includes(first.seen[2])] + [first]

    # Statements

    def block(self, count, depth):
        kinds = [self.set, self.set, self.unset, self.cookie, self.query,
                 self.sort, self.normalize, self.rewrite, self.backend]
        if depth > 0:
            kinds += [lambda: self.when(depth)] * 4
        return [self.rng.choice(kinds)() for _ in range(count)]

    def end(self):
        """Returns the end of a block: a verdict mostly."""
        rng = self.rng
        pipe = self.under("path begins /pipe/", is_below("/pipe/"),
                          [("pipe;", lambda request: ("pipe",))])
        lookup = self.under("not method is GET", lambda request:
                            request.method != "GET", [self.pass_()])
        hash_ = ("hash;", lambda request: ("hash",))
        return [self.denial(), pipe] + rng.choice((
            [], [], [self.pass_()], [lookup, hash_], [lookup, hash_],
            [("unset Cookie;", lambda request: request.unset("cookie"))]))

    def denial(self):
        """Returns a denial or a redirect under a condition."""
        path = self.rng.choice(("/deny/", "/to/"))
        return self.under("path begins " + path, is_below(path), [
            self.redirect() if path == "/to/" else self.synth()])

    @staticmethod
    def under(condition, test, block):
        return ("when %s {\n%s\n}" % (condition, text_of(block)),
                lambda request: run(block, request) if test(request) else None)

    def when(self, depth):
        condition, test = self.rng.choice((self.has_header, self.has_query,
                                           self.has_cookie, self.is_path))()
        block = self.block(self.rng.randint(1, 3), depth - 1)
        if self.rng.random() < 0.15:
            block.append(self.rng.choice((
                self.synth, self.redirect, self.answer, self.pass_))())
        if self.rng.random() < 0.2:
            condition, was = "not " + condition, test
            return self.under(condition, lambda request: not was(request),
                              block)
        return self.under(condition, test, block)

    def has_header(self):
        name = self.rng.choice(NAMES)
        return "header %s present" % name, \
            lambda request: request.get(name.lower())

    def has_query(self):
        name = self.rng.choice(PARAMETERS[:3])
        return "query %s present" % name, \
            lambda request: request.parameter(name)

    def has_cookie(self):
        return "cookie session present", lambda request: any(
            is_in(crumb, ("session",))
            for crumb in request.get("cookie").split("; "))

    def is_path(self):
        path = "/%s/" % self.rng.choice(PATHS + ("inc", "inc"))
        return "path begins " + path, is_below(path)

    def set(self):
        name, value = self.rng.choice(SET), self.rng.choice(VALUES)
        if name == "Host":
            value = self.rng.choice(HOSTS)
        return 'set %s = "%s";' % (name, value), lambda request: request.set(
            name.lower(), request.fill(value))

    def unset(self):
        names = self.rng.sample(UNSET, 2)

        def do(request):
            for name in names:
                request.unset(name.lower())
        return "unset %s %s;" % tuple(names), do

    def cookie(self):
        how = self.rng.choice(("keep", "drop"))
        names = self.rng.sample(COOKIES, 2) + ["_g*"]
        return "cookie %s %s;" % (how, " ".join(names)), \
            lambda request: request.cookie(how == "keep", names)

    def query(self):
        names = self.rng.choice((["utm_*"], ["utm_*", "a"], ["b", "pad"]))
        return "query drop %s;" % " ".join(names), \
            lambda request: request.query(lambda pieces: [
                piece for piece in pieces if not is_in(piece, names)])

    @staticmethod
    def sort():
        return "query sort;", lambda request: request.query(
            lambda pieces: sorted(pieces, key=lambda piece:
                                  piece.partition("=")[0]))

    @staticmethod
    def normalize():
        return "normalize Accept-Language to en de else en;", \
            lambda request: request.set("accept-language", LANGUAGES.get(
                request.get("accept-language"), ""))

    @staticmethod
    def rewrite():
        def do(request):
            if request.url.startswith("/old/"):
                request.url = "/new/" + request.url[5:]
        return 'rewrite ~ "^/old/" to "/new/";', do

    @staticmethod
    def backend():
        def do(request):
            request.backend = 1
        return "backend b1;", do

    @staticmethod
    def pass_():
        return "pass;", lambda request: ("pass",)

    @staticmethod
    def synth():
        return 'synth 403 "not here";', lambda request: ("synth", 403)

    @staticmethod
    def answer():
        return 'answer 404 "text/plain" "of the rules";', lambda request: (
            "answer", 404, b"" if request.esi else b"of the rules")

    def redirect(self):
        status = self.rng.choice((301, 302, 307))
        location = self.rng.choice(LOCATIONS)
        return 'redirect %d "%s";' % (status, location), lambda request: \
            None if request.esi else (
                "redirect", status, request.fill(location))


def is_below(path):
    return lambda request: request.url.startswith(path)


def text_of(block):
    return "\n".join(text for text, _ in block)


def run(block, request):
    for _, do in block:
        verdict = do(request)
        if verdict:
            return verdict
    return None


def includes(url):
    """Returns what a page of this URL includes."""
    found = re.match(r"/esi/(\d+)", url)
    return ["/inc/%s/%s" % (found.group(1), end)
            for end in ("1", "2?b=1&utm_id=2&a=3")] if found else []


### Requests

class Limits:
    """Varnish's parameters that requests are made around."""

    def __init__(self, http_max_hdr=64, http_req_size=32768,
                 http_req_hdr_len=8192):
        self.fields = http_max_hdr - 6
        self.bytes = http_req_size
        self.line = http_req_hdr_len


class Requests:
    """Makes random requests, with numbers of their own."""

    def __init__(self, rng, limits):
        self.rng = rng
        self.limits = limits
        self.number = 0

    def pair(self, n):
        """Returns a request for the rules n, and a plain one of the same URL
        and Host."""
        first = self.first(n)
        return first, self.request(n, "GET", first.url, first.get("host"))

    def request(self, n, method, url, host):
        self.number += 1
        return Request(self.number, method, url, [
            ("host", host), ("x-id", str(self.number)), ("x-rules", str(n))])

    def first(self, n):
        rng = self.rng
        kind = rng.choice(PATHS + ("p", "p", "p", "esi"))
        request = self.request(n, "GET", "/", rng.choice(HOSTS))
        request.url = "/%s/%d%s%s" % (
            kind, request.number, rng.choice(("", "/x//y")), self.some_query())
        self.some_fields(request)
        # Varnish itself needs workspace for an absolute URL, before VCL.
        request.absolute = rng.random() < 0.1
        if kind in ("p", "deny") and rng.random() < 0.1:
            request.method = "POST"
            # The body must not be taken for a request.
            request.body = "GET /body HTTP/1.1\r\nHost: a\r\n\r\n" * \
                rng.randint(1, 200)
            request.set("content-length", str(len(request.body)))
        elif kind != "esi" and rng.random() < 0.1:
            request.set("x-again", "1")
        if rng.random() < 0.3:
            request.set("x-eat", str(
                8 * rng.randint(1, rng.choice((8, 64, 256, 512, 1024)))))
        if rng.random() < 0.3:
            self.grow(request)
        if rng.random() < 0.4:
            self.add(request, self.limits.fields - rng.choice((0, 5, 10, 20)) +
                     rng.randint(-3, 3))
        return request

    def some_query(self):
        names = self.rng.sample(PARAMETERS, self.rng.randint(0, 4))
        return "?" + "&".join("%s=%d" % (name, self.rng.randint(1, 99))
                              for name in names) if names else ""

    def some_fields(self, request):
        rng = self.rng
        for name in rng.sample(NAMES, rng.randint(0, 4)):
            request.fields.append((name.lower(), "of-the-client"))
            if rng.random() < 0.2:
                request.fields.append(rng.choice((
                    (name.lower(), "again"),
                    (name.lower().replace("-", rng.choice(MARKS)), "spelled"),
                    (name.lower().replace("-", rng.choice(MARKS), 1),
                     "spelled"))))
        if rng.random() < 0.2:
            request.dropped = {name.lower() for name in rng.sample(NAMES, 3)}
            request.fields.append(("connection", ", ".join(
                sorted(request.dropped))))
        if rng.random() < 0.5:
            request.set("cookie", "; ".join(
                "%s=%d" % (name, rng.randint(1, 99))
                for name in rng.sample(COOKIES, rng.randint(1, 4))))
        if rng.random() < 0.3:
            request.set("accept-language", rng.choice(list(LANGUAGES)))
        if rng.random() < 0.05:
            request.set("authorization", "Basic YTpi")
        for name in ("x-vcl-1", "x-vcl-4"):
            if rng.random() < 0.2:
                request.set(name, "of-the-client")

    def grow(self, request):
        """Makes a request large, most often nearly as large as it may be."""
        rng, limits = self.rng, self.limits
        room = limits.bytes - len(encode(request)) + len(request.body)
        size = rng.choice((rng.randint(0, room), room + rng.randint(-600, 20),
                           rng.randint(0, 8192)))
        line = min(size, limits.line - 200)
        way = rng.choice(("url", "cookie", "line", "lines"))
        if way == "url":
            request.url += "&?"["?" not in request.url] + "pad=" + "u" * size
        elif way == "cookie":
            request.set("cookie", "session=1; _ga=" + "c" * line)
        elif way == "line":
            request.set("x-long", "l" * line)
        for n in range(size // line if way == "lines" and line > 0 else 0):
            request.fields.append(("x-long" if n == 0 else "x-fill-%d" % n,
                                   "f" * line))

    @staticmethod
    def add(request, count):
        """Adds fields until there are `count`."""
        for n in range(100, 100 + count - len(request.fields)):
            request.fields.append((
                "x_fill-%d" % n if n % 10 == 0 else "x-fill-%d" % n, "f"))


def encode(request):
    """Returns the bytes of it."""
    begin, fields = "", request.fields
    if request.absolute:
        begin = "http://" + request.get("host")
        fields = [field for field in fields if field[0] != "host"]
    return ("%s %s%s HTTP/1.1\r\n%s\r\n%s" % (
        request.method, begin, request.url, "".join(
            "%s: %s\r\n" % field for field in fields),
        request.body)).encode("latin-1")
