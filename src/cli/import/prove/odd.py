# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Requests as no browser sends them, and some client does."""

import copy


def _query(request, rng, words):
    word = rng.choice(words or ["a"])
    add = rng.choice([word, word + "&b=1", "&&" + word + "=1", "&", "&&",
                      word + "==1", "a=1?" + word + "=2", ";" + word + "=1",
                      "%%%02x%s=1" % (ord(word[0]), word[1:]),
                      word.upper() + "=1", "=1", "=", word + "=a=b&", "%",
                      word + "=1&" + word + "=1", "?"])
    request.url += ("&" if "?" in request.url else "?") + add


def _url(request, rng, words):
    del words
    host = dict(request.headers).get("Host", "www.example.com")
    request.url = rng.choice([
        "*", "http://" + host + request.url, "https://" + host + request.url,
        "HTTP://" + host, request.url + "?", request.url + "#x",
        request.url.replace("?", "&"), "/" + request.url,
        request.url.lstrip("/") or "x", "@" + host + "/", "." + host + "/",
        request.url.replace("/", "//"), request.url.replace("=", ""),
        request.url.replace("?", "?&"), "?", "/%2e%2e/x"])


def _cookie(request, rng, words):
    word = rng.choice(words or ["a"])
    value = dict(request.headers).get("Cookie", "a=1")
    _set(request, "Cookie", rng.choice([
        ";", ";;", " ", "=", "=1", word, word + "=1;b=2", "a=1;" + word,
        value + ";", ";" + value, value + "; " + word, value + ";;b=2",
        word + " =1; " + value, value.replace("; ", ";"),
        value.replace("; ", " ;  "), 'a="' + word + '=1; b"',
        word + "=1, " + value, value.upper(), value + "; " + word + "="]))


def _host(request, rng, words):
    del words
    value = dict(request.headers).get("Host", "www.example.com")
    _set(request, "Host", rng.choice([
        value.upper(), value + ":80", value + ":8080", value + ".",
        value + ".:80", value + "..", value + ":", value + ":80:80", "",
        "a b", "[::1]:80", "192.0.2.1", "-" + value, value + "/x",
        "x." + value, value + ".x", value.replace(".", "x", 1)]))


def _no_host(request, rng, words):
    del rng, words
    request.version = "HTTP/1.0"
    request.headers = [pair for pair in request.headers if pair[0] != "Host"]


def _repeat(request, rng, words):
    del words
    # varnishd refuses a second one of this.
    names = [pair for pair in request.headers if pair[0] != "Host"]
    if names:
        name, value = rng.choice(names)
        other = rng.choice(names)[1]
        request.headers.insert(rng.randint(1, len(request.headers)),
                               (name, rng.choice([value, other, "x", ""])))


def _empty(request, rng, words):
    del words
    others = [pair[0] for pair in request.headers if pair[0] != "Host"]
    if others:
        _set(request, rng.choice(others), rng.choice(["", " ", "\t", "a\t "]))


def _method(request, rng, words):
    del words
    request.method = rng.choice(["HEAD", "POST", "PURGE", "BAN", "get",
                                 "OPTIONS", "PATCH", "X", "PRI", "DELETE"])


def _set(request, name, value):
    for i, (this, _) in enumerate(request.headers):
        if this == name:
            request.headers[i] = (name, value)
            return
    request.headers.append((name, value))


WAYS = [_query, _query, _url, _cookie, _cookie, _host, _no_host, _repeat,
        _empty, _method]


def odd(request, rng, words):
    """Returns a copy, odd in one or two ways; words: names of parameters, cookies."""
    request = copy.copy(request)
    request.headers = list(request.headers)
    for _ in range(rng.choice([1, 1, 2])):
        rng.choice(WAYS)(request, rng, words)
    return request
