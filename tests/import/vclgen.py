# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Makes a random vcl_recv, with statements that rules can express and others.

It has few headers and few values, so that statements depend on each other: an
import that moves one over another that it depends on is found out.
"""

HEADERS = ["X-A", "X-B", "X-C", "Cookie", "Accept", "User-Agent", "Host",
           "Accept-Encoding"]
OWN = ["X-A", "X-B", "X-C", "X-D"]
VALUES = ["a", "b", "ab", "Ab", "a b", "a=1", "www.example.com", "x; y=2"]
REGEXES = ["a", "^a", "b$", "^a$", "(a|b)", "^(a|b)?$", "(?i)ab", "[ab]c?",
           "a.*b", "^$", "(?i)^A", "a|b$", "^(?!a)", "\\.", "(^|; )a=",
           "^[^?]*$", "a{2}", "\\d+"]
URLS = ["^/a", "/b/", "\\?", "\\.(png|css)$", "^/(a|b)/", "[?&]a=", "^/$",
        "//+", "&$", "(?i)/A", "^/a/b", "b=[^&]*", "([?&])a=[^&]*", "[?&]+$",
        "^/.*$", "(.)b", "^/a(/|$)", "#.*$",
        "^[^?]*\\.(png|css)(\\?.*)?$", "\\.(png|css)(\\?|$)",
        "^\\/a\\/.*$", "(?i)^/A/b(\\?.*)?$"]
TEXTS = ["", "/", "\\1", "/x", "?", "\\0", "\\0\\0", "&", "/c\\1"]


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.subs = []

    def header(self):
        return "req.http." + self.rng.choice(HEADERS)

    def test(self):
        rng = self.rng
        kind = rng.randint(0, 11)
        if kind < 2:
            return self.header()
        if kind < 4:
            return '%s %s "%s"' % (self.header(), rng.choice(["==", "!="]),
                                   rng.choice(VALUES + [""]))
        if kind < 7:
            return '%s %s "%s"' % (self.header(), rng.choice(["~", "!~"]),
                                   rng.choice(REGEXES))
        if kind < 9:
            return 'req.url %s "%s"' % (rng.choice(["~", "!~"]),
                                        rng.choice(URLS))
        if kind == 9:
            return 'req.method %s "%s"' % (rng.choice(["==", "!="]),
                                           rng.choice(["GET", "POST"]))
        if kind == 10:
            return 'std.tolower(%s) %s "%s"' % (
                self.header(), rng.choice(["==", "~", "!~"]),
                rng.choice(["ab", "a", "www.example.com"]))
        return rng.choice(["client.ip ~ inside", "client.ip !~ inside",
                           "req.restarts %s %d" % (
                               rng.choice(["==", "!=", "<", ">", "<=", ">="]),
                               rng.randint(0, 2)),
                           "%s == req.http.X-B" % self.header()])

    def condition(self, depth=2):
        rng = self.rng
        kind = rng.randint(0, 5 if depth else 1)
        if kind < 3:
            return self.test()
        if kind == 3:
            return "!(%s)" % self.condition(depth - 1)
        sign = " && " if kind == 4 else " || "
        parts = [self.condition(depth - 1) for _ in range(rng.randint(2, 3))]
        return sign.join("(%s)" % part if "&&" in part or "||" in part
                         else part for part in parts)

    def value(self):
        rng = self.rng
        kind = rng.randint(0, 6)
        if kind < 3:
            return '"%s"' % rng.choice(VALUES + ["", " a"])
        if kind == 3:
            return '"%s" + %s' % (rng.choice(VALUES), self.header())
        if kind == 4:
            return '%s + "%s" + req.url' % (self.header(), rng.choice(VALUES))
        if kind == 5:
            return 'regsub(%s, "%s", "%s")' % (
                self.header(), rng.choice(REGEXES), rng.choice(["", "c"]))
        return self.header()

    def url(self):
        rng = self.rng
        if rng.random() < 0.15:
            return rng.choice(['"/new"', '"/p" + req.url',
                               'req.url + "&z=1"', "std.querysort(req.url)"])
        return '%s(req.url, "%s", "%s")' % (
            rng.choice(["regsub", "regsuball"]), rng.choice(URLS),
            rng.choice(TEXTS))

    def verdict(self):
        return self.rng.choice([
            "return (pass);", "return (pipe);", "return (hash);",
            'return (synth(404, "none"));', "return (synth(403));",
            'return (synth(750, "https://www.example.com" + req.url));',
            'return (synth(750, "https://" + req.http.Host + "/x"));',
            'return (synth(751, "/y"));'])

    def chain(self):
        """Returns a chain that sets one header by another one, as a map does."""
        rng = self.rng
        name, of = rng.choice(OWN), self.header()
        arms = ['if (%s ~ "%s") {\n set req.http.%s = "%d";\n}' % (
            of, rng.choice(REGEXES), name, n) for n in range(4)]
        text = " els".join(arms).replace(" elsif", " elsif")
        if rng.random() < 0.5:
            text += ' else {\n set req.http.%s = "none";\n}' % name
        if rng.random() < 0.6:
            text = 'set req.http.%s = "pc";\n%s' % (name, text)
        return text

    def statement(self, depth):
        rng = self.rng
        kind = rng.randint(0, 16)
        if kind == 16:
            return self.default()
        if kind < 4:
            return "set req.http.%s = %s;" % (rng.choice(OWN), self.value())
        if kind < 5:
            return "unset req.http.%s;" % rng.choice(HEADERS[:6])
        if kind < 8:
            return "set req.url = %s;" % self.url()
        if kind < 9:
            return "set req.backend_hint = %s;" % rng.choice(["one", "two"])
        if kind < 10 and self.subs:
            return "call %s;" % rng.choice(self.subs)
        if kind < 11:
            return self.chain()
        if depth == 0:
            return "set req.http.X-D = \"%d\";" % rng.randint(0, 9)
        text = "if (%s) {\n%s\n}" % (self.condition(), self.block(depth - 1))
        while rng.random() < 0.3:
            text += " elsif (%s) {\n%s\n}" % (self.condition(),
                                             self.block(depth - 1))
        if rng.random() < 0.3:
            text += " else {\n%s\n}" % self.block(depth - 1)
        return text

    def default(self):
        """Returns a set of a header that may be empty, and an if that asks for it."""
        rng = self.rng
        name = "req.http." + rng.choice(OWN[:3] + ["Cookie"])
        lines = ['set %s = regsub(%s, "%s", "%s");' % (
            name, rng.choice([name, self.header(), "req.url"]),
            rng.choice(REGEXES + URLS), rng.choice(TEXTS))]
        asks = rng.choice(['%s == ""', '%s != ""', "!%s", "%s", '%s ~ "^$"',
                           '%s == "a" || %s == ""', '"" == %s'])
        lines.append("if (%s) { %s }" % (asks.replace("%s", name), rng.choice([
            'set %s = "en";' % name, "unset %s;" % name, "",
            'set req.http.X-D = %s;' % name])))
        if rng.random() < 0.5:
            lines[1] += ' else { set req.http.X-D = "x"; }'
        if rng.random() < 0.3:
            lines = ["if (%s) {" % self.condition(1)] + lines + ["}"]
        return "\n".join(lines)

    def block(self, depth, most=4):
        rng = self.rng
        lines = [self.statement(depth) for _ in range(rng.randint(1, most))]
        if depth < 2 and rng.random() < 0.06:
            lines.append(self.verdict())
        return rng.choice(["\n", "\n", " ", " /* { */ "]).join(lines)


def vcl(rng):
    maker = Maker(rng)
    subs = []
    for name in ("first", "second", "third"):
        body = maker.block(1)
        maker.subs.append(name)
        subs.append("sub %s {\n%s\n}\n" % (name, body))
    # After this check a URL begins with a slash, until it is changed.
    recv = rng.choice(["", 'if (req.url !~ "^/") {\nreturn (synth(400));\n}\n'])
    recv += "\n".join(maker.statement(2) for _ in range(25))
    recv += "\ncall first;\ncall second;\ncall third;\n"
    return """vcl 4.1;
import std;
backend one { .host = "127.0.0.1"; }
backend two { .host = "127.0.0.1"; }
acl inside { "10.0.0.0"/8; "127.0.0.1"; }
%s
sub vcl_recv {
if (client.ip ~ inside) { set req.backend_hint = two; }
%s
}
sub vcl_synth {
if (resp.status == 750) {
 set resp.http.Location = resp.reason;
 set resp.status = 301;
 return (deliver);
} elsif (resp.status == 751 || resp.status == 752) {
 set resp.http.Location = resp.reason + req.url;
 set resp.status = 302;
 return (deliver);
}
}
""" % ("".join(subs), recv)
