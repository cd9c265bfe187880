# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The article's rule file, grown: more hosts, more patterns, more rules.

Each function gives the files that one variant reads, {name: text}, of which
"site.rules" is the rule file.  The hosts that a file grows by have names that no
request of the traffic has, or (spread, suffixes, fleet) are asked for as the rest is.
"""

import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
ARTICLE = os.path.join(TOP, "examples", "article")
SHIPPED = 'from shipped "mobile-brands"'
COPIED = 'contains from "phones.list"'

# The sites of a customer share a name: customer 17 has example-17.com
# and wiki-17.example where the article has example.com and wiki.example.
DOMAIN = r"example(?=\.(?:com|net|org)\b)|(?<=\b)wiki(?=\.example\b)"
HOST = (r"(?<=\s)(?:\*?\.)?(?:[a-z]+\.)*"
        r"(?:example\.(?:com|net|org)|wiki\.example)(?=[\s;])")

FLEET = """
www.example.com example.com: www
www.example.net example.net: net
www.example.org example.org: org
docs.example.org: docs
intranet.example.org: intranet
news.example.com: news
tv.example.com blog.example.com: pages
forum.example.com: forum
games.example.net: games
search.example.com: search
shop.example.com: shop
secure.example.com: secure
media.example.com static.example.com img.example.com media.example.net: media
download.example.net: download
m.example.com m.example.net m.example.org: mobile
.m.wiki.example: mwiki
.wiki.example: wiki
api.example.com: api
*.staging.example.com: staging
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def namesake(host, customer):
    """Returns the same host of another customer; customer 0 is the article."""
    if customer == 0:
        return host
    return re.sub(DOMAIN, lambda found: "%s-%d" % (found.group(0), customer),
                  host, flags=re.IGNORECASE)


def any_customer(rules):
    """Returns the rules with their one regex on hosts extended to all customers."""
    ours = r"wiki\.example$"
    assert rules.count(ours) == 1
    return rules.replace(ours, r"wiki(?:-[0-9]+)?\.example$")


def as_is():
    """Returns the rule file of the article, and the lists that it reads."""
    rules = read(ARTICLE, "site.rules")
    assert rules.count(SHIPPED) == 1
    return {"site.rules": rules.replace(SHIPPED, COPIED),
            "phones.list": read(TOP, "lists", "mobile-brands.list"),
            "handsets.list": read(ARTICLE, "handsets.list")}


def host_patterns(rules):
    """Returns the patterns of the host items."""
    return [found.group(0)
            for item in re.findall(r"(?m)^host[^{;]*", rules)
            for found in re.finditer(HOST, item + " ")]


def padded(hosts):
    """Returns the same rules with more hosts, which nobody asks for."""
    files = as_is()
    more = hosts - len(host_patterns(files["site.rules"]))
    files["padding.hosts"] = "".join(
        "www.%s.example front\n" % word for word in words(1, more))
    files["site.rules"] += '\nhosts from "padding.hosts";\n'
    return files


def customers_for(hosts):
    """Returns how many customers give at least this many hosts."""
    return -(-hosts // len(host_patterns(as_is()["site.rules"])))


def every_customer(rules, customers):
    """Returns the rules with each host repeated for each customer."""
    return re.sub(HOST, lambda found: "\n    ".join(
        namesake(found.group(0), number) for number in range(customers)),
        any_customer(rules))


def spread(customers):
    """Returns files with all customers' hosts, by full name, in blocks and maps."""
    files = as_is()
    files["site.rules"] = every_customer(
        whole_names(files["site.rules"]), customers)
    return files


def whole_names(rules):
    """Returns the rules with full names in place of `ends` in the map of sites."""
    for ending, names in (
            (".m.wiki.example", "de.m.wiki.example en.m.wiki.example"),
            (".wiki.example", "de.wiki.example en.wiki.example"),
            (".staging.example.com", "dev.staging.example.com")):
        line = re.compile(r"(?m)^    ends %s " % re.escape(ending))
        assert len(line.findall(rules)) == 1
        rules = line.sub("    is %s " % names, rules)
    return rules


def suffixes(customers):
    """Returns the files of spread(), with three `ends` for each customer."""
    files = as_is()
    files["site.rules"] = every_customer(files["site.rules"], customers)
    return files


def fleet(customers):
    """Returns rulesets, and a file with the hosts of so many customers."""
    files = as_is()
    files["site.rules"] = any_customer(read(HERE, "fleet.rules")).replace(
        SHIPPED, COPIED)
    lines = []
    for number in range(customers):
        for line in FLEET.strip().splitlines():
            hosts, ruleset = line.split(": ")
            lines += ["%s %s\n" % (namesake(host, number), ruleset)
                      for host in hosts.split()]
    files["fleet.hosts"] = "".join(lines)
    return files


def fleet_customers(hosts):
    return -(-hosts // len(re.findall(r"\S+(?= |:)", FLEET)))


def words(seed, count, avoid=""):
    """Makes `count` different words that are not a part of `avoid`."""
    pick = random.Random(seed)
    seen = set()
    while len(seen) < count:
        word = "".join(pick.choice("bdfgklmnprstvz") + pick.choice("aeiou")
                       for _ in range(pick.randint(3, 5)))
        word += pick.choice(["", pick.choice("lnrstx"),
                             "%d" % pick.randint(1, 99)])
        if word not in seen and word not in avoid:
            seen.add(word)
            yield word


def brands(seed, count, agents):
    """Yields names like those of phones, which no agent contains."""
    text = "\n".join(agents)
    for word in words(seed, count, text):
        name = word.capitalize()
        yield name + ("-" if name not in text and name[-1].isdigit() else "")


def many_patterns(count, agents):
    """Returns a list of phones with more brands, which do not exist."""
    files = as_is()
    ours = [line for line in files["phones.list"].splitlines()
            if line and not line.startswith("#")]
    text = "\n".join(agents)
    more = [name for name in brands(2, 2 * count, agents)
            if name not in text][:count - len(ours)]
    assert len(ours) + len(more) == count
    random.Random(3).shuffle(more)
    files["phones.list"] = "\n".join(ours + more) + "\n"
    return files


def statements(names, count):
    """Returns rules like those of the article's hosts, each with names of its own."""
    out = []
    for number in range(count):
        a, b, c = next(names), next(names), next(names)
        out.append((
            "query drop %s %s*;" % (a, b),
            "when path is /%s /%s or path begins /%s/ { pass; }" % (a, b, c),
            "when agent contains %s %s and not cookie %s is true"
            ' { redirect 302 "http://%s.example${url}"; }' % (
                a.upper(), b.upper(), c, a),
            "when path like /%s/*.cfm and agent in handsets"
            ' { set X-Site = %s; }' % (a, b),
            'when url ~ "^/%s/[0-9]+/%s" { set X-Site = %s; }' % (a, b, c),
            "cookie drop %s %s*;" % (a, b))[number % 6])
    return out


def longer(times):
    """Returns rules whose blocks, except those of the front pages, are so many
    times as long."""
    files = as_is()
    names = words(4, 1000000)

    def lengthen(found):
        body = found.group(2)
        more = (times - 1) * max(1, body.count(";"))
        return "%s{\n    %s\n%s}" % (
            found.group(1), "\n    ".join(statements(names, more)), body)

    rules = re.sub(r"(?ms)^(host [^{;]*|default )\{((?:[^{}]|\{[^{}]*\}"
                   r"|\{(?:[^{}]|\{[^{}]*\})*\})*)\}",
                   lengthen, files["site.rules"])
    files["site.rules"] = rules
    return files


def many_rulesets(count):
    """Returns more hosts, which nobody asks for, each with six rules of its own."""
    files = as_is()
    names = words(5, 1000000)
    for word in words(6, count):
        files["site.rules"] += "host www.%s.example {\n    %s\n    hash;\n}\n" \
            % (word, "\n    ".join(statements(names, 6)))
    return files


def regexes(seed, count):
    """Yields regexes of all kinds that block lists and rules have."""
    names = words(seed, 4 * count)
    for number in range(count):
        a, b, c = next(names), next(names), next(names)
        yield ("^/%s/[0-9]+(/|$)" % a,
               "%s[a-z]*-?%s" % (a, b),
               "(?i)%s/[0-9]+\\.[0-9]+" % a,
               "(%s|%s|%s)bot" % (a, b, c),
               "\\b%s.{0,20}%s" % (a, b),
               "[?&]%s=[^&]*%s" % (a, b),
               "^(.*\\.)?%s\\.example$" % a,
               "%s\\s+(%s|%s)$" % (a, b, c))[number % 8]
