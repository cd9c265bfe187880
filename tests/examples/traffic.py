# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Requests for the article's 30 hosts, from a seed.

sweep() has every host, brand, parameter, cookie and extension once, alone, where it
decides something.  Traffic has random requests, which mix all of these with near misses and
with things that only a broken client sends.  No request is of a kind that
after.vcl's comment lists as different.
"""

import random

ALPHA_FRONTS = ["www.example.com", "example.com", "news.example.com",
                "www.example.net", "example.net", "www.example.org",
                "example.org"]
BETA_FRONTS = ["games.example.net", "wiki.example", "de.wiki.example",
               "pt-br.wiki.example", "a.b.wiki.example"]
OTHER_HOSTS = [
    "tv.example.com", "blog.example.com", "forum.example.com",
    "shop.example.com", "secure.example.com", "search.example.com",
    "api.example.com", "x.staging.example.com", "a.b.staging.example.com",
    "media.example.com", "static.example.com", "img.example.com",
    "m.example.com", "media.example.net", "download.example.net",
    "m.example.net", "docs.example.org", "intranet.example.org",
    "m.example.org", "m.wiki.example", "de.m.wiki.example",
    "x_1.m.wiki.example"]
HOSTS = ALPHA_FRONTS + BETA_FRONTS + OTHER_HOSTS
STRANGE_HOSTS = [
    "staging.example.com", "wwww.example.com", "www.example.com.evil.test",
    "example.edu", "wikiexample", "xwiki.example", "m.wiki.example.test",
    "localhost", "192.0.2.7", "[2001:db8::1]", "[2001:DB8::1]:8080", "[::1",
    "www.example.com..", ".wiki.example", "..wiki.example",
    "a..wiki.example", "-.wiki.example", "a b.wiki.example", "*.wiki.example",
    "www.example.com:http", "www.example.com:80:80", "www.example.com:8o",
    ":80", ".", "", None, "www.ex%61mple.com", "user@www.example.com",
    "de.wiki.example/", "w\u00fcrst.wiki.example", "www,example.com"]

TRACKING = ["utm_source", "utm_medium", "utm_", "utm_x_%41", "gclid",
            "gclsrc", "dclid", "yclid", "_", "PHPSESSID", "jsessionid",
            "CFID", "CFTOKEN"]
SITE_PARAMS = {
    "news.example.com": ["ref", "src"],
    "wiki.example": ["printable", "useskin"],
    "de.wiki.example": ["printable", "useskin"],
    "m.wiki.example": ["printable", "useskin"],
    "shop.example.com": ["aff", "affiliate", "aff%41", "pid"],
    "games.example.net": ["r", "rand", "nocache"],
    "docs.example.org": ["highlight", "print"],
    "search.example.com": ["q", "page", "lang", "sort"],
    "download.example.net": ["file", "version"]}
PLAIN_PARAMS = ["id", "page", "a", "b", "title", "utm", "utmx", "xutm_a",
                "UTM_source", "amp;utm_source", "gclidx", "_x", "__", "Ref",
                "Q", "na%6de", "x.y", "x+y", "r%", "%", "%zz", "utm%", "",
                "phpsessid", "sort[]", "n" * 700, "utm_" + "n" * 700]
VALUES = ["1", "", "x=y", "a%20b", "1354844750363", "/path?x", "?", "..",
          "a;utm_source=1", "http://www.example.com/?gclid=1", "a+b",
          "%26gclid%3D1", "1%23x", "!$'()*,:@", "v" * 900]

# Noise is made of these bits; a percent sign is not among them, as after.vcl decodes
# names, nor is a raw #, as rules refuse it.
QUERY_BITS = ["&", "&", "&", "=", "=", "?", "_", "utm_", "r", "q", "pid",
              "aff", "ref", "gclid", "print", "/", "+", ";", "\xe4"]
COOKIE_BITS = [";", ";", ";", " ", " ", "=", "=", "\t", "has_js", "__utm",
               "_ga", "session", "cart", "wiki", "x", ",", "\"",
               "stopMobileRedirect=true", "forum_session", "\xe4"]

PATHS = ["/", "/index.cfm", "/a/b.cfm", "/index.cfm/x", "/x.cfmx",
         "/.cfm", "/index.html", "/a/", "/a&b=c", "/a&&gclid=1", "/logo.png",
         "/p.JPG", "/p.jpeg", "/p.jpg.html", "/s.css", "/s.js", "/v.mp4",
         "/f.tar.gz", "/cart", "/cart/1", "/cartoon", "/checkout",
         "/account/", "//", "/a.cfm;x", "/a/../b", "*", "x.cfm", "/%3Fx=1"]
EXTENSIONS = [".jpg", ".jpeg", ".png", ".gif", ".ico", ".mp3", ".mp4", ".flv",
              ".swf", ".gz", ".zip", ".css", ".js", ".html", ".jpgx"]
COOKIES = ["__utma=1.2.3", "__utmz=a|b=c", "__utm", "_ga=GA1.2", "_gat=1",
           "_gax=1", "has_js=1", "has_js", "session=abc", "cart=1,2",
           "currency=EUR", "carts=9", "xcart=9", "wiki=1", "wikiUser=42",
           "Wiki=1", "forum_session=77", "stopMobileRedirect=true",
           "stopMobileRedirect=false", "stopMobileRedirect=trueish", "a=b=c",
           "q=\"a b\"", "lang=de", "=x", "has_js%=1",
           "has_js =1", "session =1", "cart\t", "wiki x", "ses sion=1"]
ENCODINGS = [None, "", "gzip", "gzip, deflate", "deflate, gzip;q=0.5",
             "gzip;q=0", "deflate", "identity", "*", "br", "x-gzip", "GZIP",
             "gzip,deflate,sdch", "br;q=1.0, deflate", " gzip "]


class Request:
    """A request; as text it can be pasted into a bug report."""

    def __init__(self, host, url, method="GET", **headers):
        self.host = host
        self.url = url
        self.method = method
        self.headers = [(name.replace("_", "-"), value)
                        for name, value in headers.items()
                        if value is not None]

    def head(self, variant):
        lines = ["%s %s HTTP/1.1" % (self.method, self.url)]
        if self.host is not None:
            lines.append("Host: " + self.host)
        lines.append("X-Variant: " + variant)
        lines += ["%s: %s" % header for header in self.headers]
        if self.method == "POST":
            lines.append("Content-Length: 0")
        return "\r\n".join(lines) + "\r\n\r\n"

    def raw(self, variant):
        return self.head(variant).encode("latin-1")


def sweep(alpha, beta):
    """Yields a request for each thing that decides something, alone."""
    for host in HOSTS + STRANGE_HOSTS:
        yield Request(host, "/", Accept_Encoding="gzip")
    for fronts, brands in ((ALPHA_FRONTS, alpha), (BETA_FRONTS, beta)):
        for number, brand in enumerate(brands):
            yield Request(fronts[number % len(fronts)], "/",
                          User_Agent="Mozilla/5.0 (%s) x" % brand)
        for host in fronts:
            yield Request(host, "/", User_Agent=brands[0])
            yield Request(host, "/", User_Agent=brands[0],
                          Cookie="stopMobileRedirect=true")
    for number, name in enumerate(TRACKING):
        yield Request(HOSTS[number % 7], "/x?a=1&%s=1&b=2" % name)
    for host, names in SITE_PARAMS.items():
        for name in names:
            yield Request(host, "/x?%s=1&zz=2" % name)
    for cookie in COOKIES:
        for host in ("api.example.com", "shop.example.com", "wiki.example",
                     "forum.example.com", "www.example.com"):
            yield Request(host, "/x", Cookie="zz=1; %s; yy=2" % cookie)
            yield Request(host, "/", Cookie=cookie, User_Agent="Nokia6230")
        # Elsewhere the shop takes all cookies away.
        yield Request("shop.example.com", "/cart", Cookie=cookie)
    for encoding in ENCODINGS:
        yield Request("api.example.com", "/x", Accept_Encoding=encoding)
    for extension in EXTENSIONS:
        yield Request("api.example.com", "/x" + extension, Cookie="zz=1",
                      Accept_Encoding="gzip")


class Traffic:
    """An endless mix of requests, the same for the same seed."""

    def __init__(self, seed, alpha, beta, agents):
        self.random = random.Random(seed)
        self.brands = alpha + beta
        self.agents = agents

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def host(self):
        pick = self.random.choice
        if self.chance(8):
            return pick(STRANGE_HOSTS)
        host = pick(HOSTS)
        if self.chance(15):
            host = "".join(pick((c, c.upper())) for c in host)
        if self.chance(10):
            host += "."
        if self.chance(20):
            host += pick((":80", ":", ":8080", ":080", ":99999999999"))
        return host

    def noise(self, bits):
        return "".join(self.random.choice(bits)
                       for _ in range(self.random.randrange(16)))

    def query(self, host):
        pick = self.random.choice
        if self.chance(15):
            return "?" + self.noise(QUERY_BITS)
        names = TRACKING + SITE_PARAMS.get((host or "").lower(), [])
        parts = []
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 4, 7))):
            if self.chance(8):
                parts.append("")
                continue
            name = pick(names if self.chance(50) else PLAIN_PARAMS)
            parts.append(name if self.chance(10) else
                         name + "=" + pick(VALUES))
        if not parts and self.chance(80):
            return ""
        return "?" + "&".join(parts)

    def agent(self):
        pick = self.random.choice
        kind = self.random.randrange(10)
        if kind < 4:
            return pick(self.agents)
        if kind < 8:
            brand = pick(self.brands)
            if self.chance(15):
                brand = pick((brand.lower(), brand.upper(), brand[:-1]))
            return pick(("%s6230/2.0 (04.44)", "Mozilla/4.0 (%s)",
                         "Mozilla/5.0 (X11; U; %s; en) " + "x" * 200,
                         "%s")) % brand
        return None if kind == 8 else ""

    def cookie(self):
        if self.chance(45):
            return None
        if self.chance(15):
            return self.noise(COOKIE_BITS)
        parts = [self.random.choice(COOKIES)
                 for _ in range(self.random.randrange(6))]
        separator = self.random.choice(("; ",) * 8 + (";", " ; ", ";;", "; ; ",
                                                    "\t;\t"))
        text = separator.join(parts)
        return text + ";" if self.chance(5) else text

    def one(self):
        pick = self.random.choice
        host = self.host()
        path = "/" if self.chance(30) else pick(PATHS)
        return Request(
            host, path + self.query(host),
            pick(("GET",) * 17 + ("HEAD", "HEAD", "POST")),
            User_Agent=self.agent(), Cookie=self.cookie(),
            Accept_Encoding=pick(ENCODINGS),
            Cache_Control=pick((None, None, "no-cache", "max-age=0")),
            Pragma=pick((None, None, "no-cache")),
            Authorization="Basic eDp5" if self.chance(2) else None,
            X_Site="forged" if self.chance(5) else None)
