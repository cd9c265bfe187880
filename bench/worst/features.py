# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""What is asked: features, parts of a request, and how to fill a part.

An input is a unit, bytes that are repeated until a part is as long as it has
to be: so the same input can be had in any length, and a search has little to
change.  In a unit, {n} is a number that grows and {r} one that falls; what is
behind {$} comes once, at the end.

A normal request of the same length is a browser's, in which the same part is as
long, of what such parts are made of.
"""

import os
import re

import maps
import wide
from inputs import TOP, read

# Varnish's own limits: http_req_hdr_len is 8k, http_req_size 32k and
# http_max_hdr 64, of which a few places are taken.
# Short ones are there because engines change with the length.
LENGTHS = {"url": (1000, 8000), "path": (127, 380, 1000, 8000),
           "cookie": (127, 380, 1000, 8000),
           "agent": (127, 135, 200, 380, 1000, 4000, 8000),
           "accept": (1000, 8000), "language": (1000, 8000),
           "encoding": (1000, 8000), "headers": (4000, 20000),
           "forwarded": (127, 1000, 8000), "host": (253,),
           "names": (4000, 24000)}
FIELDS = 55
LONG_FIELDS = 3                 # whose names have all of the length

BROWSER = [
    (b"Host", b"%s"),
    (b"User-Agent", b"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/"
     b"537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"),
    (b"Accept", b"text/html,application/xhtml+xml,application/xml;q=0.9,"
     b"image/avif,image/webp,*/*;q=0.8"),
    (b"Accept-Language", b"en-US,en;q=0.7,de;q=0.3"),
    (b"Accept-Encoding", b"gzip, deflate, br"),
    (b"Connection", b"keep-alive"),
    (b"Cookie", b"_ga=GA1.2.1103219563.1480000000; _gat=1; session=9b1c4f"),
]
FIELD_OF = {"agent": b"User-Agent", "accept": b"Accept", "cookie": b"Cookie",
            "language": b"Accept-Language", "encoding": b"Accept-Encoding",
            "forwarded": b"X-Forwarded-For"}

# What a part is made of in a request that nobody has made up.
NORMAL = {
    "url": b"page{n}=2&sort=price&q{n}=garden+chairs&color=dark%20red&"
           b"utm_source=newsletter&lang=en&size{n}=XL&session=9b1c4f{n}&",
    "path": b"/garden/chairs-and-tables/folding-chair-{n}.html",
    "cookie": b"_ga{n}=GA1.2.1103219563.1480000000; session{n}=9b1c4f7a20; "
              b"cart_{n}=3; wp-settings-time-{n}=1480000000; ",
    "agent": b"Mozilla/5.0 (Linux x86_64) AppleWebKit/537.{n} (KHTML, like "
             b"Gecko) Chrome/126.0.{n}.0 Safari/537.36 ",
    "accept": b"text/html,application/xhtml+xml,application/xml;q=0.9,"
              b"image/avif,image/webp,application/signed-exchange;v=b3;q=0.7,",
    "language": b"en-US,en;q=0.7,de;q=0.3,fr-CH;q=0.2,",
    "encoding": b"gzip, deflate, br;q=0.9, zstd, ",
    "headers": b"X-Forwarded-Port-{n}",
    "names": b"X-Forwarded-Port-",      # and long values
    "host": b"www-{n}.customers.shops.",
    "forwarded": b"203.0.113.{n}, 2001:db8::{n}, ",
}

# By thinking: as many pieces as fit, the dearest bytes for a piece, what
# begins like what is looked for, what is found and found again.
ANY = [b"a", b"%", b"=", b"\\", b"\""]
URL = [b"a&", b"&", b"=&", b"a=&", b"%61&", b"%&", b"%2&", b"a=b&", b"_&",
       b"utm_&", b"utm_a&", b"_id&", b"a_id&", b"_i", b"%5f%69", b"sessio",
       b"session", b"session&", b"page&", b"q&", b"%75%74%6d_&", b"?&", b"{n}&",
       b"{r}&", b"a{r}&", b"aaaaaaaaaaaaaaaa{r}&", b"%61{r}&", b"a={r}&",
       b"%61%61%61%61{r}&", b"u{r}_&", b"g&u&f&_&", b"gclid&", b"b&a&",
       b"_", b"__&", b"ab&", b"aab&", b"ba&", b"aaaa_&", b"_aaaa&",
       b"%61%5f&", b"aaaaaaaa&", b"a=&b=&c=&d=&e=&", b"e&", b"go=/", b"/"]
PATH = [b"/", b"/a", b"../", b"./", b"..", b"/adm", b"/admin", b".ph", b".php",
        b"wp-", b"wp-logi", b"/wp-", b".jpe", b".jp", b"/old/", b"/x.html",
        b"jpg.", b"/a/ab/abc", b"x{$}.y", b".", b"a.x", b"x", b".x{$}y",
        b"p{$}.ph", b"x{$}.html", b"/{$}.html", b"/a{$}.htm", b"+", b"_",
        b"bx/{$}" + 600 * b"b", b"bx/b", b"/a{$}x", b"//a", b"a{$}x",
        b"/index.php", b"index.php"]
SQUARES = [b"ab", b"ab{$};c", b"x", b"x{$};y", b"=", b"=;{$}x", b" ",
           b" {$}x", b"\t", b"a1bx", b"z", b"abc;"]
COOKIE = [b"a;", b";", b"a; ", b"=;", b"a=;", b" ;", b"\t;", b"a=b;", b"__utm;",
          b"__utma;", b"__ut;", b"_ga;", b"_g;", b"cart_;", b"cart;", b"wiki;",
          b"session;", b"sessio;", b"{n};", b"{r};", b"session=; ", b"s=;",
          b"wordpress_logged_in_;", b"wordpress_logged_in_",
          b";wordpress_logged_in_", b"; session=", b"; ", b"ab;", b"aaaa_;",
          b"_aaaa;", b"aaaaaaaab;", b"aaaaaaaa;", b"e;", b"a=;b=;c=;d=;e=;"]
AGENT = [b"android", b"androi", b"Android", b"android m", b"mobil", b"mob",
         b"androidmobil", b"Mozilla Android Mobile ", b"MozillaAndroidMobile",
         b"Mozilla", b"Android Mobile ", b"MozillaAndroidMobileSafar", b"bo",
         b"bot", b"crawlspide", b"bcs", b"iphon", b"ipa", b"windows phone",
         b"windows phonelumi", b"symbian", b"symbianseries ", b"opera ",
         b"opera mopera ", b"curlwgetpython", b"mozilla/0(compatible; ",
         b"iPhoneSafar", b"AndroidMobil", b"\x80", b"\xff", b" ", b";", b"/",
         b"android{$}mobil", b"android{$}mobile", b"android{$}moble mobile",
         b"Mozilla{$}Android Mobile", b"MozillaAndroid{$}Mobile",
         b"MozillaAndroid{$}Mobile Android", b"symbian{$}0", b"0{$}symbian",
         b"Mozilla Android Mobile{$}SafarSafari",
         b"/index.php", b"bingbo", b"ipodipadiphone", b"slurslurp",
         b"feed fetche"]
LIST = [b",", b"a,", b"*,", b"a;", b";", b"a;q=0,", b"a;q=0.5,", b"*;q=0.001,",
        b"a;a=a;", b"a/a;a=a,", b"\"\\\\\"", b"a;a=\"", b"en-", b"en-a,", b"e,",
        b"en;q=1.", b";q=", b"text/html;a=a;", b"text/*;", b"text/html,",
        b"text/plain;format=flowed,", b"text/plain;format=fixed;",
        b"gzip;q=0,", b"x-gzip,", b"gzip,", b"*/*,", b"a/*,", b"q=0;", b"\t,"]
HEADERS = [b"X-Internal-{n}", b"X-Debug-{n}", b"{n}-Token", b"a-Secret-{n}",
           b"X-{n}-Secret-", b"x", b"Cookie", b"Accept", b"Accept-Encoding",
           b"Accept-Language", b"User-Agent", b"Referer", b"-Secret-Secret-{n}",
           b"-Secre-Secre-{n}", b"Cache-Control", b"a{n}", b"-{n}", b"A{n}-Toke",
           b"Accept{n}", b"Cookie{n}", b"X-Forwarded-For", b"X-A", b"X-F",
           b"X-K{n}", b"X-K", b"X-{n}"]
NAMES = [b"X-Internal-", b"X-Debug", b"a", b"-", b"X-", b"-Secre", b"-Secret",
         b"-Toke", b"-Token", b"-Forwarde", b"cd", b"C", b"cC", b"clou", b"X-cd",
         b"x-a{n}-", b"{n}"]
HOST = [b"a.", b"A.", b"a", b"b.a.", b"1.", b"A", b"www.", b"a-", b"_."]
FORWARDED = [b",", b" ", b", ", b"10", b"10.", b"10.1", b",10.", b"192.168",
             b"::ffff:", b"::ffff", b", 192.16", b"1", b"127.0.0.1,",
             b",{$}10."]

UNITS = {"url": ANY + URL, "path": ANY + PATH, "cookie": ANY + COOKIE + SQUARES,
         "agent": ANY + AGENT, "accept": ANY + LIST, "language": ANY + LIST,
         "encoding": ANY + LIST, "headers": HEADERS, "host": HOST, "names": NAMES,
         "forwarded": ANY + FORWARDED}

# Of a rule file: what is asked of which host, and the parts that its rules
# look at.
WORST = {
    "query-drop": ["url"], "query-list": ["url"], "query-keep": ["url"],
    "query-sort": ["url"], "query-unique": ["url"], "query-all": ["url"],
    "query-test": ["url"], "cookie-drop": ["cookie", "headers"],
    "cookie-keep": ["cookie"], "cookie-test": ["cookie"],
    "set": ["url", "cookie"], "unset": ["headers", "names"],
    "accept": ["accept", "headers"], "language": ["language"],
    "encoding": ["encoding"], "few": ["agent"],
    "folded": ["agent"], "robots": ["agent"],
    "brands": ["agent"], "device": ["agent"],
    "dense": ["path", "agent"], "dense-more": ["agent"],
    "like": ["path", "agent"],
    "ends": ["path"], "regex": ["path"], "regex-agent": ["agent"],
    "regex-dots": ["agent"], "regex-cookie": ["cookie"],
    "regex-squares": ["cookie"], "regex-suffix": ["path"],
    "regex-groups": ["path"],
    "all-plus": ["path"], "all-underscore": ["path", "url"],
    "all-slashes": ["path"], "all-groups": ["path"], "all-open": ["path"],
    "nested-path": ["path"], "nested-end": ["agent"],
    "nested-words": ["agent"],
    "counted-class": ["agent"], "counted-agent": ["agent"],
    "counted-path": ["path"], "counted-look": ["agent"],
    "counted-back": ["agent"], "rare": ["agent"],
    "rare-back": ["agent"], "look": ["agent"],
    "looks": ["agent"], "all-looks": ["path"], "all-back": ["path"],
    "traversal": ["path"], "long-piece": ["path"], "long-holes": ["path"],
    "astray": ["path"], "astray-folded": ["path"],
    "limit-one": ["agent"], "limit-dear": ["agent"], "limit-six": ["agent"],
    "folder": ["path", "agent"],
    "nested-lists": ["url", "path", "cookie", "agent"],
    "query-two": ["url"], "query-like": ["url"], "cookie-like": ["cookie"],
    "redirect": ["url", "path", "cookie", "agent"],
    "pieces": ["url", "cookie", "headers"],
    "forwarded": ["forwarded", "headers"], "headers": ["headers", "cookie"],
    "everything": ["accept", "language", "encoding", "headers"],
    "any.wild": ["host", "path"],
    "labels": ["host"],
    "all": list(LENGTHS),
}
LONG = {
    "many": ["agent", "cookie"], "globs": ["agent", "cookie"],
    "many-alone": ["agent"], "globs-alone": ["agent"],
    "pairs": ["agent"], "words": ["agent"], "plain": ["agent"],
    "refs": ["agent"], "seconds": ["agent"], "sites": ["agent"],
    "shared": ["agent"], "grid": ["agent"], "grid-ends": ["agent"],
    "turns": ["agent"], "turns-like": ["agent"],
    "turns-after": ["agent"], "turns-texts": ["agent"],
    "turns-holes": ["agent"], "turns-long": ["agent"],
    "glob-120": ["agent"], "glob-500": ["agent"], "glob-4000": ["agent"],
    "glob-folded": ["agent"], "glob-text": ["agent"],
    "glob-names": ["url", "cookie"], "glob-many": ["agent"],
    "counted-many": ["agent"], "classes-many": ["agent"],
    "affixes": ["path", "url", "cookie"], "ending": ["path", "agent"],
    "names": ["url", "cookie"], "name-ends": ["url", "cookie"],
    "name-words": ["url", "cookie"],
    "lists": ["agent", "cookie"],
    "mixed": ["agent"], "mixed-regexes": ["agent"], "regexes": ["agent"],
    "regex-map": ["agent"], "text-regexes": ["agent"], "whole": ["agent"],
    "prefixes": ["agent"], "prefix-list": ["agent"], "prefix-texts": ["agent"],
    "prefix-turns": ["agent"], "prefix-globs": ["agent"],
    "prefix-mixed": ["agent"], "prefix-both": ["agent"],
    "prefix-ends": ["agent"], "prefix-pieces": ["agent"],
    "prefix-plain": ["agent"], "told": ["agent"],
    "attacks": ["agent", "url"], "attack-list": ["agent"],
}
WIDE = dict.fromkeys(("wide-" + name for name in wide.WIDE), ["agent"])
UNSET = {"unset-more": ["headers", "names"],
         "unset-one": ["headers", "names"]}
HUGE = {"grid-more": ["agent"], "nested-many": ["agent"]}
RULES = {
    "worst": "bench/worst/worst.rules",
    "long": "bench/worst/long.rules",
    "huge": "bench/worst/huge.rules",
    "maps": "bench/worst/maps.rules",
    "unset": "bench/worst/unset.rules",
    "wide": "bench/worst/wide.rules",
    "article": "examples/article/site.rules",
    "demo": "examples/demo/demo.rules",
}
HOSTS = {
    "article": {"front": b"www.example.com", "wiki": b"de.wiki.example",
                "shop": b"shop.example.com"},
    "demo": {"page": b"www.example.com", "shop": b"www.shop.example.com",
             "wiki": b"de.wiki.example"},
}


def features():
    """(rules, name, host, part)"""
    for rules, all_parts in (("worst", WORST), ("long", LONG), ("huge", HUGE),
                             ("maps", dict.fromkeys(maps.MAPS, ["agent"])),
                             ("wide", WIDE), ("unset", UNSET)):
        for name, parts in all_parts.items():
            for part in parts:
                yield rules, name, name.encode() + b".example", part
    for rules, hosts in HOSTS.items():
        for name, host in hosts.items():
            for part in ("url", "path", "cookie", "agent", "language",
                         "encoding", "headers"):
                yield rules, name, host, part


def brands():
    """Three ways to come near to 120 words: all, all but the last byte, all
    but the first."""
    words = [line.strip().encode() for line in
             read(TOP, "lists/mobile-brands.list").split("\n")
             if line.strip() and not line.startswith("#")]
    return [b"".join(words).swapcase(), b"".join(word[:-1] for word in words),
            b"".join(word[1:] for word in words), b"".join(words)]


# Lists that are too long to be written out: of pairs of words, which a client
# can write one behind the other in any order.
PAIRS = [("w%03d" % n, "v%03d" % n) for n in range(300)]
MORE_PAIRS = [("w%03d" % n, "v%03d" % n) for n in range(1000)]


GRID = [(n // 100, n % 100) for n in range(10000)]
LONG_GRID = [(n // 100, n % 100) for n in range(33000)]
TURNS = "qxz xzq zqx qx xz zq qxzq xzqx zqxz qxzqx xzqxz zqxzq".split()
WORDS = [("w%04d" % n,) for n in range(1000)]
PREFIXES = [("w%d" % n,) for n in range(900)]
# Words of attacks, of which a client may write nearly what a regex wants.
ATTACKS = [(word,) for word in (
    "union", "select", "insert", "update", "delete", "drop", "exec", "cast")]
PREFIX_ENDS = [("w%d" % n, "%dw" % n) for n in range(900)]
PREFIX_PAIRS = [("w%d" % n, "u%d" % n) for n in range(900)]
# Where its words begin and end as others do.
PREFIX_PIECES = [("%dw" % n, "w%d" % ((7 * n + 3) % 6303), "w%d" % n)
                 for n in range(900)]
OTHERS = ["other%02d" % n for n in range(20)]


def of_pairs(form, pairs=None):
    return " ".join(form.format(*pair) for pair in pairs or PAIRS)


def of_grid(form):
    return of_pairs(form, GRID)


PAIRS_RULES = "".join((
    "list many nocase ~ {", of_pairs('"{0}[^;]*{1}[^;]*x"'), "}\n",
    "list globs like {", of_pairs("*{0}*{1}*", MORE_PAIRS), "}\n",
    "map pairs nocase {", of_pairs("contains {0} and contains {1}x -> a;"),
    "default b; }\n",
    "map words nocase {", of_pairs("contains {0}x{1} -> a;"),
    "default b; }\n",
    # Each begins as the one before.
    "map affixes {", " ".join(
        "begins /%s and ends %sx -> a;" % ("a" * n, "a" * n)
        for n in range(1, 120)), "default b; }\n",
    "list starts {", " ".join(
        "begins %sb; ends b%s;" % ("a" * n, "a" * n)
        for n in range(1, 120)), "}\n",
    # Names with more to them than what they begin with.
    "list inner-names like {", " ".join(
        "a*b%03d*c" % n for n in range(1000)), "}\n",
    "list name-ends ends {", " ".join(
        "a%03d" % n for n in range(1000)), "}\n",
    "list name-words like {", of_pairs("*{0}*x*", MORE_PAIRS), "}\n",
    # Many begin, or end, with the same piece, or differ before it.
    "list refs like {", " ".join(
        "*ref?x*w%04d*" % n for n in range(1000)), "}\n",
    "list seconds like {", " ".join(
        "*w%04d*ref*a?b*" % n for n in range(1000)), "}\n",
    "list sites like {", " ".join(
        "*/site%04d/*.php?action=*" % n for n in range(500)), " ".join(
        "/site%04d/*.php?action=*" % n for n in range(500)), "}\n",
    # Ten begin with each word, and a thousand go on with the same.
    "list shared like {", " ".join(
        "*w%03d*x%d*v%03d*" % (n // 10, n % 10, n // 10)
        for n in range(10000)), "}\n",
    # Each word of one kind with each of the other.
    "list grid like {", of_grid("*a{0:02}*b{1:02}*"), "}\n",
    "list grid-ends like {", of_grid("a{0:02}*b{1:02}"), "}\n",
    # A few texts that one word has, again and again.
    "map turns {", " ".join(
        "contains %s and contains %s! -> a;" % (word, word)
        for word in TURNS), "default b; }\n",
    "list turns-like like {", " ".join(
        "*%s*!*" % word for word in TURNS + OTHERS), "}\n",
    # Long pieces, of one glob each but for the last two.
    "list glob-120 like { *", 60 * "a?", "b* }\n",
    "list glob-500 like { *", 250 * "a?", "b* }\n",
    "list glob-4000 like { *", 2000 * "a?", "b* }\n",
    "list glob-folded nocase like { *a?", 400 * "a", "b* }\n",
    "list glob-text like { *", 400 * "a", "b* }\n",
    "list glob-names like { *", 240 * "a?", "b* ", "*", 240 * "?a", "b }\n",
    "list glob-many like {", " ".join(
        "*%sa?%02d*" % (150 * "aa?", n) for n in range(40)), "}\n",
    # They are waited for only where something else is.
    "list turns-after like {", " ".join(
        "*!*%s*?*" % ("zxy" * 50)[:n] for n in range(3, 150)), "}\n",
    # What they wait for is there, but for a byte.
    "list turns-holes like {", " ".join(
        "*%s?!*" % ("zxy" * 50)[:n] for n in range(3, 150)), "}\n",
    "list turns-long like {", " ".join(
        "*%s?%s%s*" % ("zxy" * n, word, "zxy" * n)
        for n in (10, 20, 25) for word in "!a*"), "}\n",
    "map turns-texts {", " ".join(
        "like *%s*!* -> a;" % word for word in TURNS + OTHERS), " ".join(
        "contains %s -> b;" % word for word in TURNS), "default c; }\n",
    # Regexes with the same word, and with a few that a client repeats.
    "list counted-many ~ {", " ".join(
        '"foo[0-9]{%d}x"' % n for n in range(1, 61)), "}\n",
    "list classes-many ~ {", " ".join(
        '"w%02d[a-f]+z"' % n for n in range(30)), "}\n",
    # Each word is that of several.
    "map mixed {", of_pairs("like *{0}*{1}* -> a; contains {0} -> c;",
                            MORE_PAIRS), "default b; }\n",
    "map mixed-regexes {", of_pairs(
        'like *{0}*{1}* -> a; ~ "{0}[0-9]z" -> c;', MORE_PAIRS),
    "default b; }\n",
    # Regexes, all of whose words a client can write.
    "list regexes ~ {", of_pairs('"{0}[xyz]u"', MORE_PAIRS), "}\n",
    "map regex-map {", of_pairs('~ "{0}[xyz]u" -> a;', MORE_PAIRS),
    "default b; }\n",
    "map text-regexes {", of_pairs('contains {0} -> a; ~ "{0}[0-9]z" -> c;',
                                   MORE_PAIRS), "default b; }\n",
    # Texts, and regexes that have none.
    "map whole {", of_pairs("contains {0} -> a;", MORE_PAIRS), " ".join(
        '~ "[a-z][0-9]{%d}[a-z]" -> c;' % n for n in range(2, 10)),
    "default b; }\n",
    "map plain {", " ".join("contains w%04d -> a;" % n for n in range(10000)),
    "default b; }\n",
    # A word begins as others do, so that several end near each byte.
    "list prefix-list ~ {", of_pairs('"{0}[xyz]+u"', PREFIXES), "}\n",
    "map prefix-texts {", of_pairs('contains {0} -> a; ~ "{0}[xyz]+u" -> c;',
                                   PREFIXES), "default b; }\n",
    "host prefixes.example { when agent ~ ",
    of_pairs('"{0}[xyz]+u"', PREFIXES), "{ set X-A = 1; } }\n",
    "list prefix-globs like {", of_pairs("*{0}*{1}*", PREFIX_PAIRS), "}\n",
    "map prefix-mixed {", of_pairs('like *{0}*{1}* -> a; ~ "{0}[xyz]+u" -> c;',
                                   PREFIX_PAIRS), "default b; }\n",
    "map prefix-both {", of_pairs("like *{0}*{1}* -> a; contains {0} -> c;",
                                  PREFIX_PAIRS), "default b; }\n",
    "map prefix-ends {", of_pairs(
        "contains {0} -> a; like *{1}* -> b; like *{1}*q* -> c;",
        PREFIX_ENDS), "default b; }\n",
    "list prefix-pieces like {", of_pairs("*{0}*{1}*{2}*q*", PREFIX_PIECES),
    "}\n",
    "list attack-list ~ {", of_pairs('"\\\\b{0}\\\\b.*\\\\b(x|y)\\\\b"', ATTACKS),
    "}\nhost attacks.example {", of_pairs(
        'when agent ~ "(?i)\\\\b{0}\\\\b.*\\\\bfrom\\\\b" {{ set X-A = 1; }} '
        'when url ~ "(?i)\\\\b{0}\\\\b.+\\\\bfrom\\\\b" {{ set X-B = 1; }}',
        ATTACKS), "}\n",
    "map prefix-plain {", " ".join("contains w%d -> a;" % n
                                   for n in range(9000)), "default b; }\n",
    # One is the end of another, too, and has its end within.
    "list prefix-turns ~ {", " ".join(
        '"w%s[xyz]+u"' % ("123456789" * 7)[:n] for n in range(60)), "}\n",
    # Each is the end of the next one, and globs begin to wait among them.
    "map told {", " ".join('contains %s -> a;' % ("kzazax" * 50)[-n:]
                           for n in range(1, 301)),
    'like "*%sq*" "*!*za*q*" "*!*za*qq*" "*!*za*qqq*" -> c; default b; }\n' % (
        "k*a*" * 150),
    # Each ends as all others.
    "list ending contains {", of_pairs("/{0}/index.php"), "}\n"))

# What takes long to compile where instructions are counted.
HUGE_RULES = "".join((
    "list grid-more nocase { like ", of_grid("*a{0:02}*b{1:02}*"),
    "; contains zzzz qqqq; ~ ", of_grid('"a{0:02}[^;]*b{1:02}"'), "; }\n",
    # So many that a trie could not know which it has told.
    "map nested-many {", of_pairs("contains w{0:03}{1:02} -> a;", LONG_GRID),
    " ".join("contains %s -> a;" % ("zxy" * 50)[:n] for n in range(3, 151)),
    "default b; }\n"))


def words(form, pairs=None):
    return of_pairs(form, pairs).replace(" ", "").encode()


def orders(pairs):
    """All words of a pair, but the one behind the other never."""
    forth, back = words("{0}{1}", pairs), words("{1}{0}", pairs)
    first, second = words("{0}", pairs), words("{1}", pairs)
    return [forth, back, first, b"a{$}" + back, first + b"{$}" + back,
            first[:4], first[:8],
            second + b"{$}" + first, second + b"{$}x", first + second]


ORDERS = orders(PAIRS)
GRIDS = [b"".join(b"%c%02d" % (kind, n) for kind in kinds for n in range(100))
         for kinds in (b"ab", b"ba")]
SHARED = words("{0}", MORE_PAIRS) + b"".join(b"x%d" % n for n in range(10))

# Inputs of one feature only.
OWN = {
    "many": ORDERS, "globs": orders(MORE_PAIRS), "many-alone": ORDERS,
    "globs-alone": orders(MORE_PAIRS), "pairs": ORDERS, "lists": ORDERS,
    **dict.fromkeys(("mixed", "mixed-regexes", "regexes", "regex-map",
                     "text-regexes", "whole"), orders(MORE_PAIRS)),
    "words": [*ORDERS, words("{0}x"), words("{0}x{1}")],
    **dict.fromkeys(("prefixes", "prefix-list", "prefix-texts"), [
        b"w1", b"w12", b"w123", b"w12w", b"w99 ", b"w1w2w3", b"w1x w2y w33x",
        b"{n}w", words("{0}", PREFIXES), words("{0}x", PREFIXES)]),
    **dict.fromkeys(("prefix-globs", "prefix-mixed", "prefix-both",
                     "prefix-ends", "prefix-pieces", "prefix-plain"), [
        b"w12", b"w123", b"w12u12", b"w12u12 ", b"{n}w",
        *(words(form, order) for form in ("{0}", "{0}x", "{1}{0}")
          for order in (PREFIX_PAIRS, PREFIX_PAIRS[::-1]))]),
    "prefix-turns": [b"123456789", b"w123456789", b"w12"],
    "told": [b"kzazax", b"zazax", b"!{$}kzazax"],
    **dict.fromkeys(("attacks", "attack-list"), [
        words("{0} ", ATTACKS), words("{0} {0}x fromx ", ATTACKS),
        words("{0} ", ATTACKS) + b"{$}selectx fromx"]),
    "plain": [b"".join(b"w%04d" % n for n in range(2000)),
              b"".join(b"w%03d" % n for n in range(1000))],
    "limit-one": [b"a{$}!"], "limit-six": [b"a{$}!"],
    "limit-dear": [b"({$}c", b"a{$}c"],
    "names": [b"a&", b"aaaab001c&", b"ab001b&", b"ab001c", b"%61&",
              b"a;", b"aaaab001c;", b"ab001b;"],
    "name-ends": [b"a&", b"a001&", b"001&", b"%61001&", b"a;", b"a001;"],
    "name-words": [b"w001x&", b"w001&", words("{0}&", MORE_PAIRS),
                   b"w001x;", b"w001;", words("{0};", MORE_PAIRS)],
    "nested-end": [b"a{$}!"], "nested-words": [b"a{$}!", b"a a{$}!"],
    "counted-class": [999 * b"a" + b"!", b"a"],
    "counted-agent": [199 * b"A" + b"!", 19 * b"A" + b"!", b"A"],
    "counted-path": [49 * b"../" + b"!", 9 * b"../" + b"b", 99 * b"a" + b"!"],
    "counted-look": [199 * b"A" + b"!", 199 * b"A" + b"x", b"A"],
    "counted-back": [99 * b"a" + b"b", b"a", b"ab"],
    "refs": [b"ref{$}" + words("{0}", WORDS[:36]),
             b"ref{$}" + words("{0}", WORDS[:600])],
    "seconds": [b"a1{$}" + words("{0}", WORDS[:n]) + b"ref" + 3000 * b"a1"
                for n in (36, 200, 400)],
    **dict.fromkeys(("grid", "grid-more", "grid-ends"), [
        *GRIDS, GRIDS[1] + b"{$}" + GRIDS[0]]),
    **dict.fromkeys(("turns", "turns-like", "turns-texts"), [b"qxz", b"qx"]),
    **dict.fromkeys(("turns-after", "turns-holes", "turns-long",
                     "nested-many"), [b"zxy", b"zxy{$}!"]),
    "astray": [b"a", b"aaaaaaaac"], "astray-folded": [b"a", b"aaaaaaaac"],
    **dict.fromkeys(("glob-120", "glob-500", "glob-4000", "glob-folded",
                     "glob-text"), [b"a", b"ab", 119 * b"a" + b"b"]),
    "glob-names": [b"a", b"aa&", 500 * b"a" + b"&", b"%61", b"aa;"],
    "glob-many": [b"a", b"aa0", 16 * b"a" + b"00"],
    "counted-many": [b"foo", b"foo1", b"foo12"],
    "classes-many": [b"w01w02w03", b"w01", b"w01a"],
    "shared": [b"w001", SHARED, b"".join(SHARED.partition(b"x")[::-1]) + b"v"],
    "sites": [b"action={$}" + b"".join(b"/site%04d/" % n for n in range(36)) +
              600 * b"action="],
    "dense-more": [b"xxx-", b"zy", b"zyxxxabaw-", b"xX", b"k"],
    "rare": [b"<", b"'", b"<'"],
    "rare-back": [b"#", b"#a", b"##a", b"#a{$}#bb", 25 * b"#" + b"a"],
    "look": [b"<", b"<{$}>", b"<>"],
    "looks": [b"a", b"a a ", b"aa ", b"a{$}bcdefghij", b"a a {$}bcdefghij"],
    "all-looks": [b"~", b"~{$}#", b"~!", b"~#"],
    "all-back": [b"~", 40 * b"~" + b"!", 41 * b"~" + b"a"],
    **{name: own for name, (_, own) in maps.MAPS.items()},
    **{"wide-" + name: own for name, (_, own) in wide.WIDE.items()},
}


NAMED = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}


def unescape(text):
    """A line of a .seeds file."""
    pieces = re.split(r"\\(x[0-9a-fA-F]{2}|[ntr\\])", text)
    for i in range(0, len(pieces), 2):
        pieces[i] = pieces[i].encode("utf-8", "surrogateescape")
    for i in range(1, len(pieces), 2):
        pieces[i] = NAMED.get(pieces[i]) or bytes.fromhex(pieces[i][1:])
    return b"".join(pieces)


def corpus():
    """(part, unit) of what fuzzers found: what is behind `===` is a client's."""
    parts = {"params": ("url", "cookie"), "negotiate": ("accept", "language"),
             "hostname": ("host",), "patset": ("agent",)}
    known = {name.lower(): part for part, name in FIELD_OF.items()}
    for folder in ("seeds", "corpus"):
        for name in (*parts, "run"):
            path = os.path.join(TOP, "tests/fuzz", folder, name + ".seeds")
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = [unescape(line.rstrip("\n")) for line in file
                         if not line.startswith("#")]
            for line in lines:
                client = line.split(b"===\n", 1)[-1]
                if name != "run":
                    for part in parts[name]:
                        yield part, client
                    continue
                for field in client.split(b"\n"):
                    head, colon, value = field.partition(b":")
                    if colon and head.lower() in known:
                        yield known[head.lower()], value
                    elif not colon and b" " in field:
                        yield "url", field.split(b" ", 1)[1]


def clean(part, unit):
    """Without what no client can send there."""
    unit = re.sub(rb"\{(?![nr$]\})|[\0\r\n]", b"", unit)
    if not unit.partition(b"{$}")[0]:
        return b""
    if part in ("url", "path", "host"):
        unit = re.sub(rb"[ \t]", b"", unit)
    if part == "path":
        unit = unit.replace(b"?", b"")
    if part in ("headers", "names"):
        unit = b"".join(re.findall(rb"\{[nr]\}|[-\w]", unit))
    return unit


def fill(unit, length):
    """The unit again and again: so many bytes."""
    unit, _, tail = unit.partition(b"{$}")
    if tail:
        return fill(unit, max(0, length - len(tail))) + tail[:length]
    if b"{" not in unit:
        return (unit * (length // len(unit) + 1))[:length]
    pieces, total, n = [], 0, 0
    while total < length:
        pieces.append(unit.replace(b"{n}", b"%d" % (n * 7919 % 100003))
                      .replace(b"{r}", b"%05d" % (99999 - n)))
        total += len(pieces[-1])
        n += 1
    return b"".join(pieces)[:length]


def many_fields(unit, length):
    """So many headers, of this name."""
    size = length // FIELDS
    for n in range(FIELDS):
        name = unit.replace(b"{n}", b"%d" % n).replace(b"{r}", b"%d" % -n)
        yield name, b"v" * max(1, size - len(name) - 4)


def long_names(unit, length):
    """A few headers, which have as long names; but in a normal request as long
    values."""
    size = length // LONG_FIELDS
    for n in range(LONG_FIELDS):
        if unit == NORMAL["names"]:
            yield b"%s%d" % (unit, n), b"v" * (size - len(unit) - 5)
        else:
            yield b"%s%d" % (fill(unit, size - 6), n), b"v"


def request(host, part, unit, length):
    """As `fastmatch bench --http` reads it."""
    url = b"/"
    fields = dict(BROWSER)
    more = []
    if part == "url":
        url = b"/?" + fill(unit, length)
    elif part == "path":
        url = b"/" + fill(unit, length).lstrip(b"/")
    elif part == "host":
        host = fill(unit, length - len(host) - 1).rstrip(b".") + b"." + host
    elif part == "headers":
        more = list(many_fields(unit, length))
    elif part == "names":
        more = list(long_names(unit, length))
    else:
        fields[FIELD_OF[part]] = fill(unit, length)
    fields[b"Host"] = host
    lines = [b"GET %s HTTP/1.1" % url]
    lines += [b"%s: %s" % field for field in [*fields.items(), *more]]
    return b"\n".join(lines) + b"\n\n"
