#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""An access log as varnishncsa writes it, for the sites of before.vcl.

    traffic.py [REQUESTS] >access.log
    traffic.py --to PORT SECONDS

It stands for yours in doc/tutorial.rst, and is the same at each run.  With --to
such requests are sent to a port of this machine, over eight connections, with
the cookies that visitors of the shops have.
"""

import http.client
import random
import sys
import threading
import time

AGENTS = [
    (40, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
         "(KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36"),
    (10, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:131.0) "
         "Gecko/20100101 Firefox/131.0"),
    (18, "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) "
         "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 "
         "Mobile/15E148 Safari/604.1"),
    (18, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 "
         "(KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36"),
    (3, "Mozilla/5.0 (Linux; Android 13; SM-X200) AppleWebKit/537.36 "
        "(KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36"),
    (5, "Mozilla/5.0 (compatible; Googlebot/2.1; "
        "+http://www.google.com/bot.html)"),
    (3, "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"),
    (1, "Mozilla/5.0 (compatible; MegaIndex.ru/2.0; "
        "+http://megaindex.com/crawler)"),
    (1, "Mozilla/5.0 zgrab/0.x"),
    (1, "curl/8.9.1"),
]

# Weight, host, paths; a `#` is a number. Where campaigns lead to, there are
# parameters of theirs.
SITES = [
    (26, "www.example.com", [
        "/", "/", "/", "/products/#", "/products/#", "/company/",
        "/newsroom/#", "/app.css?v=12", "/app.js?v=12", "/logo.svg",
        "/careers/internships", "/index.html", "/about-us", "/login"]),
    (26, "shop.example.com", [
        "/", "/", "/category/#", "/item/#", "/item/#", "/item/#", "/cart",
        "/app.css?v=12", "/c/7-shoes", "/gift-cards", "/ajax/stock?item=#"]),
    (8, "shop.example.de", [
        "/", "/item/#", "/item/#", "/warenkorb", "/app.css?v=12"]),
    (5, "shop.example.fr", [
        "/", "/item/#", "/item/#", "/panier", "/app.css?v=12"]),
    (10, "blog.example.com", [
        "/", "/all/", "/20#/", "/20#/?replytocom=#", "/feed.xml",
        "/wp-login.php", "/xmlrpc.php"]),
    (8, "forum.example.com", [
        "/", "/viewtopic?t=#", "/viewtopic?t=#&highlight=shoes",
        "/posting.php"]),
    (5, "docs.example.com", [
        "/", "/2.x/page-#", "/v1/page-#", "/v2/page-#"]),
    (2, "jobs.example.com", ["/", "/offer/#", "/apply"]),
    (4, "search.example.com", [
        "/?q=shoes&page=#", "/?page=#&q=shoes", "/?q=hats&page=#"]),
    (3, "api.example.com", ["/v3/stock/#", "/v3/prices"]),
    (6, "static.example.com", ["/img/#.jpg", "/img/#.jpg", "/font.woff2"]),
    (3, "cdn2.example.com", ["/img/#.jpg"]),
    (3, "m.example.com", ["/", "/products/#"]),
    (1, "new.staging.example.com", ["/", "/app.css?v=13", "/app.js"]),
    (2, "example.com", ["/", "/products/#"]),
    (1, "summer.example.com", ["/"]),
    (1, "partner.example.com", ["/", "/feed?id=#"]),
]
CAMPAIGNS = {"www.example.com", "shop.example.com", "shop.example.de",
             "shop.example.fr", "blog.example.com"}

# Weight, cookies.  They are in no log.
SHOPS = [(85, "lang=de"), (9, "cart=4711; session=s7"), (4, "session=s8"),
         (2, "cart=4712")]
COOKIES = {
    "shop.example.com": SHOPS,
    "shop.example.de": SHOPS,
    "shop.example.fr": [(1, "lang=fr"), (3, "cart=4713; sid=7")],
}
CONNECTIONS = 8


class Random:
    """Of random() alone is it promised that it stays the same."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, end):
        return int(self.random() * end)

    def few(self, end):
        """Small numbers more often than large ones."""
        return int(self.random() ** 3 * end)

    def one(self, weighted):
        left = self.random() * sum(row[0] for row in weighted)
        for row in weighted:
            left -= row[0]
            if left < 0:
                break
        return row


def campaign(rng):
    click = "".join("abcdefghijkmnopqrstuvwxyz0123456789"[rng.below(34)]
                    for _ in range(12))
    return rng.one([
        (6, "utm_source=mail&utm_medium=email&utm_campaign=w%d"
            % (40 + rng.below(8))),
        (5, "gclid=" + click),
        (5, "fbclid=" + click),
        (1, "msclkid=" + click),
    ])[1]


def request(rng):
    """Method, host, URL, User-Agent."""
    site = rng.one(SITES)
    host, paths = site[1:]
    url = paths[rng.below(len(paths))]
    while "#" in url:
        url = url.replace("#", str(10 + rng.few(300)), 1)
    if host in CAMPAIGNS and rng.random() < 0.25 and ".css" not in url:
        url += ("&" if "?" in url else "?") + campaign(rng)
    if rng.random() < 0.004:
        url = ["/.env", "/.git/config", "/phpMyAdmin/"][rng.below(3)]
    if rng.random() < 0.01:
        host += ":443"
    elif rng.random() < 0.003:
        host = host.upper()
    agent = rng.one(AGENTS)[1]
    return "POST" if rng.random() < 0.01 else "GET", host, url, agent


def line(rng, number):
    method, host, url, agent = request(rng)
    return ('203.0.113.%d - - [20/Nov/2026:%02d:%02d:%02d +0000] '
            '"%s http://%s%s HTTP/1.1" 200 %d "-" "%s"' % (
                rng.below(250), number // 3600 % 24, number // 60 % 60,
                number % 60, method, host, url, 500 + rng.below(9000), agent))


class Client(threading.Thread):
    """One connection, that asks until the time is over."""

    def __init__(self, number, port, end):
        super().__init__()
        self.rng = Random(number)
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.end = end
        self.requests = self.failed = 0

    def ask(self):
        method, host, url, agent = request(self.rng)
        headers = {"Host": host, "User-Agent": agent}
        if host in COOKIES:
            headers["Cookie"] = self.rng.one(COOKIES[host])[1]
        self.connection.request(method, url, headers=headers)
        answer = self.connection.getresponse()
        answer.read()
        return answer.status

    def run(self):
        while time.monotonic() < self.end:
            self.requests += 1
            try:
                self.failed += self.ask() >= 500
            except (OSError, http.client.HTTPException):
                self.failed += 1
                self.connection.close()


def send(port, seconds):
    end = time.monotonic() + seconds
    clients = [Client(n, port, end) for n in range(CONNECTIONS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    print("%d requests in %d s, %d of them failed" % (
        sum(client.requests for client in clients), seconds,
        sum(client.failed for client in clients)))


def main():
    if sys.argv[1:2] == ["--to"]:
        send(int(sys.argv[2]), int(sys.argv[3]))
        return
    rng = Random(7)
    for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20000):
        print(line(rng, number))


main()
