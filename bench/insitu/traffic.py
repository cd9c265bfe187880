#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The traffic of the article's 30 hosts, as browsers send it, from a seed.

    bench/insitu/traffic.py [--log] [SEED [COUNT]]

prints it, one request a line: Host, URL, User-Agent and Cookie, with tabs
between and `-` where there is none.  With --log it prints an access log as
varnishncsa writes it, in which some clients ask for unknown hosts, and one line
in ten thousand is broken.

Visitors are made first, then each request is one visitor's for one page.
Hosts and the pages of a host are drawn by Zipf's law.  The traffic has no request
of a kind that examples/article/after.vcl or rules.vcl say they decide otherwise.
"""

import itertools
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BRANDS = os.path.join(TOP, "lists", "mobile-brands.list")
AGENTS = os.path.join(TOP, "tests", "examples", "agents.txt")

# The busiest first; what is never cached is last.
HOSTS = [
    "www.example.com", "static.example.com", "de.wiki.example",
    "news.example.com", "img.example.com", "www.example.net",
    "media.example.com", "wiki.example", "forum.example.com",
    "games.example.net", "shop.example.com", "m.example.com",
    "www.example.org", "example.com", "blog.example.com", "tv.example.com",
    "search.example.com", "m.wiki.example", "download.example.net",
    "docs.example.org", "media.example.net", "m.example.net",
    "de.m.wiki.example", "example.net", "example.org", "m.example.org",
    "api.example.com", "secure.example.com", "intranet.example.org",
    "dev.staging.example.com"]
FILES = {"static.example.com", "img.example.com", "media.example.com",
         "media.example.net", "download.example.net"}
HOST_EXPONENT = 1.3
PAGE_EXPONENT = 1.0
# Chosen so that some 98 of 100 lookups of a run of 100,000 are hits.
PAGES = 2700
VISITORS = 4000
FRONT_PAGES = 0.105         # of the requests to a host that has one
DECORATED = 0.15            # with parameters that a policy takes away
RESPELLED = 0.01            # Host with a port, capitals or a last dot
MOBILE = 0.20
BOTS = 0.05

SITE_PARAMS = {
    "news.example.com": ("ref=rss", "src=ticker", "ref=front"),
    "wiki.example": ("printable=yes", "useskin=plain"),
    "de.wiki.example": ("printable=yes", "useskin=plain"),
    "m.wiki.example": ("printable=yes", "useskin=plain"),
    "de.m.wiki.example": ("useskin=plain",),
    "shop.example.com": ("aff=%d", "aff_id=%d", "pid=%d"),
    "games.example.net": ("r=%d", "rand=%d", "nocache=1"),
    "docs.example.org": ("highlight=cache", "print=1"),
    "search.example.com": ("client=toolbar", "ie=UTF-8"),
    "download.example.net": ("mirror=%d", "token=%d")}
WORDS = ["autumn", "border", "camera", "delta", "engine", "forest", "garden",
         "harbour", "island", "journey", "kitchen", "letter", "market",
         "north", "orchard", "planet", "quarter", "river", "summer", "theatre",
         "union", "village", "winter", "yellow", "zenith"]

# With what a phone of each kind has around its brand.
PHONES = [
    "{brand}{n}/2.0 (0{d}.{n}) Profile/MIDP-2.0 Configuration/CLDC-1.1",
    "{brand}{n}/1.0 Browser/4.{d} Profile/MIDP-2.0 Configuration/CLDC-1.1"
    " UP.Link/6.{d}.0",
    "Mozilla/4.0 (compatible; MSIE 6.0; Windows CE; {brand}{n}; 240x320)",
    "Mozilla/5.0 (Linux; U; en-gb; {brand}{n} Build/{d}{n}) AppleWebKit/534.30"
    " (KHTML, like Gecko) Version/4.{d} Mobile Safari/534.30",
    "Mozilla/5.0 ({brand}{n}; U; CPU like Mac OS X; en) AppleWebKit/420.{d}"
    " (KHTML, like Gecko) Version/3.0 Mobile/1A{n} Safari/419.3",
    "Opera/9.80 ({brand}{n}; Opera Mini/{d}.0.{n}/28.{n}; U; en)"
    " Presto/2.8.119 Version/11.10"]

BROWSER = ["Accept: text/html,application/xhtml+xml,application/xml;q=0.9,"
           "*/*;q=0.8", "Accept-Language: en-gb,en;q=0.7,de;q=0.3",
           "Accept-Encoding: gzip, deflate", "DNT: 1",
           "Connection: keep-alive"]
PHONE = ["Accept: application/vnd.wap.xhtml+xml,text/html,image/gif,*/*;q=0.5",
         "Accept-Charset: utf-8", "Accept-Language: en",
         "Accept-Encoding: gzip, deflate", "Connection: keep-alive"]
BOT = ["Accept: */*", "From: crawler@example.edu",
       "Accept-Encoding: gzip, deflate", "Connection: keep-alive"]


class Request:
    """One request; `constant` are the headers of its kind of client."""

    __slots__ = ("host", "url", "agent", "cookie", "constant")

    def __init__(self, host, url, agent, cookie=None, constant=None):
        self.host = host
        self.url = url
        self.agent = agent
        self.cookie = cookie
        self.constant = BROWSER if constant is None else constant

    def headers(self):
        """Returns the lines of the headers that follow Host."""
        lines = ["User-Agent: " + self.agent] + self.constant
        return lines + ["Cookie: " + self.cookie] if self.cookie else lines

    def raw(self, variant, host=None):
        """Returns the request as bytes, for a variant."""
        return "\r\n".join(
            ["GET %s HTTP/1.1" % self.url, "Host: " + (host or self.host)] +
            self.headers() +
            ["X-Variant: " + variant, "", ""]).encode("ascii")


class Visitor:
    def __init__(self, agent, constant, cookies, stays):
        self.agent = agent
        self.constant = constant
        self.cookies = cookies
        self.stays = stays      # who chose the full site


def zipf(count, exponent):
    """Returns the cumulative weights of the ranks."""
    return list(itertools.accumulate(
        1 / rank ** exponent for rank in range(1, count + 1)))


def read_entries(path, sections=None):
    """Returns the entries of a list, or of some of its [sections]."""
    section, entries = None, []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and line[0] != "#" and (
                    sections is None or section in sections):
                entries.append(line)
    return entries


def page(rng, host, rank):
    """Returns the canonical URL of one page."""
    pick, number = rng.choice, rng.randrange(10, 10000)
    if host == "search.example.com":
        return "/find?q=%s+%s%s" % (pick(WORDS), pick(WORDS),
                                    pick(("", "", "&page=2")))
    if host == "shop.example.com" and rank % 40 == 39:
        return pick(("/cart", "/checkout", "/account/orders"))
    kind = rng.random()
    if host in FILES or kind < 0.30:
        return "/%s/%s-%d.%s" % (
            pick(("img", "media", "files")), pick(WORDS), number,
            pick(("png", "jpg", "jpeg", "gif", "css", "js", "zip", "ico")))
    if kind < 0.31:
        return "/%s/%s%d.cfm" % (pick(WORDS), pick(WORDS), number)
    if kind < 0.50:
        return "/%s/view.php?id=%d" % (pick(WORDS), number)
    if "wiki" in host:
        return "/wiki/%s_%s_%d" % (pick(WORDS).title(), pick(WORDS), number)
    return "/%d/%02d/%s-%s-%s-%d.html" % (
        rng.randrange(2005, 2013), rng.randrange(1, 13), pick(WORDS),
        pick(WORDS), pick(WORDS), number)


class World:
    """Hosts, their pages and the visitors: the same for the same seed."""

    def __init__(self, seed):
        rng = self.random = random.Random("world %d" % seed)
        self.weights = zipf(len(HOSTS), HOST_EXPONENT)
        total = self.weights[-1]
        self.pages, self.page_weights = {}, {}
        for rank, host in enumerate(HOSTS, 1):
            share = 1 / rank ** HOST_EXPONENT / total
            count = max(12, round(PAGES * share))
            self.pages[host] = [page(rng, host, n) for n in range(count)]
            self.page_weights[host] = zipf(count, PAGE_EXPONENT)
        self.brands = read_entries(BRANDS)
        self.phones = read_entries(AGENTS, ["phone"])
        self.desktops = read_entries(AGENTS, ["desktop", "other"])
        self.bots = read_entries(AGENTS, ["bot"])
        self.visitors = [self.visitor() for _ in range(VISITORS)]

    def phone(self):
        rng = self.random
        if rng.random() < 0.3:
            return rng.choice(self.phones)
        return rng.choice(PHONES).format(
            brand=rng.choice(self.brands), n=rng.randrange(100, 9999),
            d=rng.randrange(1, 10))

    def visitor(self):
        rng = self.random
        kind = rng.random()
        if kind < BOTS:
            return Visitor(rng.choice(self.bots), BOT, [], False)
        number = rng.randrange(10 ** 8, 10 ** 9)
        when = rng.randrange(1354000000, 1355000000)
        cookies = []
        if rng.random() < 0.55:
            cookies += [
                "__utma=1.%d.%d.%d.%d.4" % (number, when, when, when),
                "__utmb=1.3.10.%d" % when, "__utmc=1",
                "__utmz=1.%d.1.1.utmcsr=(direct)|utmccn=(direct)" % when]
        elif rng.random() < 0.5:
            cookies += ["_ga=GA1.2.%d.%d" % (number, when), "_gat=1"]
        if rng.random() < 0.2:
            cookies.append("has_js=1")
        if rng.random() < 0.35:
            cookies.append("session=%x%x" % (number, when))
        if rng.random() < 0.15:
            cookies.append("lang=en")
        if kind < BOTS + MOBILE:
            return Visitor(self.phone(), PHONE, cookies, rng.random() < 0.2)
        return Visitor(rng.choice(self.desktops), BROWSER, cookies, False)


class Traffic:
    """Requests to a world, one stream for each name."""

    def __init__(self, world, stream):
        self.world = world
        self.random = random.Random("requests " + stream)

    def decorate(self, host, url):
        """Returns the URL with one or more parameters that only scripts use."""
        rng = self.random
        kind, number = rng.random(), rng.randrange(10 ** 9, 10 ** 10)
        own = SITE_PARAMS.get(host)
        if "/img/" in url or "/media/" in url or "/files/" in url:
            added = "_=135%d" % number
        elif kind < 0.45:
            added = "utm_source=%s&utm_medium=email&utm_campaign=%s%d" % (
                rng.choice(WORDS), rng.choice(WORDS), number % 20)
        elif kind < 0.60:
            added = "gclid=CJ%dCFQ" % number
        elif kind < 0.75 or not own:
            added = "_=135%d" % number
        elif kind < 0.95:
            added = rng.choice(own)
            added = added % (number % 500) if "%" in added else added
        else:
            added = "PHPSESSID=%x" % number
        return url + ("&" if "?" in url else "?") + added

    def respell(self, host):
        kind = self.random.randrange(3)
        if kind == 0:
            return host + ":80"
        return host.title() if kind == 1 else host + "."

    def one(self):
        rng, world = self.random, self.world
        host = rng.choices(HOSTS, cum_weights=world.weights)[0]
        visitor = rng.choice(world.visitors)
        url = "/"
        if host in FILES or rng.random() >= FRONT_PAGES:
            url = rng.choices(world.pages[host],
                              cum_weights=world.page_weights[host])[0]
        if rng.random() < DECORATED:
            url = self.decorate(host, url)
        cookies = visitor.cookies
        if host in FILES:
            # Most of these have a domain of their own.
            cookies = cookies if rng.random() < 0.3 else []
        elif visitor.constant is not BOT:
            cookies = cookies + self.site_cookies(host, visitor)
        if rng.random() < RESPELLED:
            host = self.respell(host)
        constant = visitor.constant
        if constant is BROWSER and rng.random() < 0.05:
            constant = BROWSER + ["Cache-Control: max-age=0"]
        return Request(host, url, visitor.agent, "; ".join(cookies) or None,
                       constant)

    def site_cookies(self, host, visitor):
        rng = self.random
        number = rng.randrange(10 ** 6)
        if visitor.stays:
            return ["stopMobileRedirect=true"]
        if host == "forum.example.com" and rng.random() < 0.04:
            return ["forum_session=%d" % number]
        if host == "shop.example.com" and rng.random() < 0.10:
            return ["cart=%d" % (number % 30), "currency=EUR"]
        if host.endswith("wiki.example") and rng.random() < 0.01:
            return ["wikiUser=%d" % number]
        return []


def make(seed, count, world=None):
    """Returns the requests that are timed."""
    traffic = Traffic(world or World(seed), "timed %d" % seed)
    return [traffic.one() for _ in range(count)]


def warm_up(seed, count, world=None):
    """Returns other requests, for the same hosts, pages and visitors."""
    traffic = Traffic(world or World(seed), "warm %d" % seed)
    return [traffic.one() for _ in range(count)]


def access_log(seed, count, world=None):
    """Yields the lines of an access log in the combined format."""
    traffic = Traffic(world or World(seed), "log %d" % seed)
    rng = random.Random("log %d" % seed)
    for number in range(count):
        request = traffic.one()
        second = number * 86399 // count
        host = request.host
        if rng.random() < 0.002:
            host = "%s.example.info" % rng.choice(WORDS)
        line = '203.0.%d.%d - - [21/Nov/2026:%02d:%02d:%02d +0000] ' \
            '"GET http://%s%s HTTP/1.1" 200 %d "-" "%s"' % (
                rng.randrange(256), rng.randrange(1, 255), second // 3600,
                second // 60 % 60, second % 60, host, request.url,
                rng.randrange(200, 90000),
                request.agent.replace("\\", "\\\\").replace('"', '\\"'))
        yield line[:rng.randrange(60)] if rng.random() < 0.0001 else line


def main():
    arguments = sys.argv[1:]
    log = arguments[:1] == ["--log"]
    if log:
        arguments.pop(0)
    seed = int(arguments[0]) if arguments else 1
    count = int(arguments[1]) if len(arguments) > 1 else 100000
    if log:
        for line in access_log(seed, count):
            print(line)
        return
    for request in make(seed, count):
        print("\t".join((request.host, request.url, request.agent,
                         request.cookie or "-")))


if __name__ == "__main__":
    main()
