# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Requests as clients send them, for --well-formed, and what is the same then:
a cookie and a parameter, whatever separators are left around them, and no
header for an empty one."""

import re

PLAIN = re.compile(r"[^A-Za-z0-9._~-]")


def pairs(text, separator):
    """Returns pairs name=value, each name once, without bytes that no client sends."""
    seen = {}
    for part in re.split(separator, text):
        name, _, value = part.partition("=")
        name = re.sub(r"[^A-Za-z0-9._~\[\]-]", "", name)
        if name:
            seen.setdefault(name, PLAIN.sub("", value) or "1")
    return ["%s=%s" % pair for pair in seen.items()]


def url(text):
    path, _, query = text.partition("?")
    path = "/" + "/".join("x" if "=" in part else part
                          for part in path.lstrip("/").split("/"))
    path = re.sub(r"[^\w.~/%#,()!*'+:@-]", "", path)
    parameters = pairs(query, "[?&]")
    return path + ("?" + "&".join(parameters) if parameters else "")


def host(text, with_port):
    name, _, port = text.lower().partition(":")
    name = re.sub(r"[^a-z0-9.-]", "", name).strip(".-")
    name = re.sub(r"\.\.+", ".", name) or "www.example.com"
    return name + (":" + port if with_port and
                   re.fullmatch("[0-9]{1,5}", port) else "")


def whole_names(cookies, names):
    """Returns a Cookie header in which no name ends with another one that a key has: VCL
    finds that, too, and rules look for whole names."""
    known = "(?:%s)=" % "|".join(map(re.escape, names))
    return re.sub(r"(^|;\s*)(?!%s)[\w.-]+?(?=%s)" % (known, known), r"\1", cookies) \
        if names else cookies


def usual(request, with_port, of_key=()):
    """Makes it one that a client sends; with_port: VCL takes one away; of_key: the names
    of the cookies that a key has."""
    headers = {}
    for name, value in request.headers:
        value = value.strip()
        if name == "Host":
            value = host(value, with_port)
        elif name == "Cookie":
            value = "; ".join(pairs(whole_names(value, of_key), ";"))
        if value:
            headers.setdefault(name, value)
    request.headers = list(headers.items())
    request.url = url(request.url)
    return request


def name_of(parameter):
    return parameter.partition("=")[0]


def tidy_url(text, is_sorted):
    """Returns a URL in which only the order of parameters counts; is_sorted: VCL sorts
    them, by names and values, where rules sort them by names."""
    path, _, query = text.partition("?")
    parts = [part for part in re.split("[?&]", query) if part]
    if is_sorted and parts == sorted(parts, key=name_of):
        parts.sort()
    return path + "?" + "&".join(parts)


def tidy_cookie(text):
    return "; ".join(part.strip() for part in text.split(";") if part.strip())


# The last of the cookies that VCL writes into an answer.
SHOWN = re.compile(r"(\b[\w.-]+=[^;<\s]*);(?=\s*(?:$|<))")


def tidy_step(seen, is_sorted):
    """Drops such separators, and empty headers, from what was seen of a step of a
    story."""
    tidied = {}
    for name, value in seen.items():
        if name == "sent cookie":
            value = tidy_cookie(value)
        elif name == "asked":
            value = " ".join(tidy_url(word, is_sorted).rstrip("?")
                             if word[:1] == "/" else word
                             for word in value.split(" "))
        elif name == "delivered location":
            value = tidy_url(value, is_sorted)
        elif name in ("answer", "body"):
            value = SHOWN.sub(r"\1", value)
        if name.startswith(("sent ", "stored ", "delivered ")) and value in (
                "", "(empty)"):
            continue
        tidied[name] = value
    return tidied


def tidy(seen, is_sorted):
    """Drops separators that say nothing from what was seen of a request."""
    tidied = {}
    for name, value in seen.items():
        if name.startswith("was-") and value.startswith("["):
            value = value[1:-1].strip()
            if name == "was-cookie":
                value = tidy_cookie(value)
            if not value:
                continue
        if name in ("was-url", "location"):
            value = tidy_url(value, is_sorted)
        elif name in ("answer", "body"):
            value = SHOWN.sub(r"\1", value)
        tidied[name] = value
    return tidied
