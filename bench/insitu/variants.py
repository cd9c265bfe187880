# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The variants of the article's policy, and the VCL around each of them."""

import glob
import os
import re
import subprocess
import tempfile

from varnishd import HERE, TOP, Built, Failed, built_modules

ARTICLE = os.path.join(TOP, "examples", "article")
ECHO = os.path.join(TOP, "tests", "examples", "echo.vcl")
SHIPPED = "/usr/share/varnish-fastmatch/lists/mobile-brands.list"
FINALLY = "finally { builtin; }"

# id, title, file, the modules it needs beside fastmatch, whether it decides
KNOWN = [
    ("empty", "no vcl_recv at all", "vcl/empty.vcl", (), False),
    ("empty-again", "the same again", "vcl/empty.vcl", (), False),
    ("hash", "return (hash) alone", "vcl/hash.vcl", (), False),
    ("chain", "the chain as it was", "before.vcl", (), True),
    ("split", "split by host", "vcl/split.vcl", (), True),
    ("split-mobile", "split, mobile wrapper", "vcl/split-mobile.vcl", (),
     True),
    ("selector", "selector + re2", "vcl/selector.vcl", ("selector", "re2"),
     True),
    ("objects", "fastmatch objects", "after.vcl", (), True),
    ("objects-builtin", "objects, builtin()", "after.vcl", (), True),
    ("rules", "fastmatch rule file", "rules.vcl", (), True),
    ("builtin", "rule file, builtin", "rules.vcl", (), True),
    ("floor", "hand-written VMOD", "vcl/floor.vcl", ("floor",), True),
]

# The same for vcl_deliver.  Each is followed by delivered.vcl.
DELIVERIES = [
    ("empty", "no vcl_deliver at all", "vcl/deliver-none.vcl"),
    ("empty-again", "the same again", "vcl/deliver-none.vcl"),
    ("vcl", "VCL", "vcl/deliver-vcl.vcl"),
    ("rules", "fastmatch rule file", "vcl/deliver-rules.vcl"),
    ("idle", "a host without a block", "vcl/deliver-rules.vcl"),
]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Variant:
    """See harness.py."""

    def __init__(self, id, title, vcl, files=None, policy=True, host=None):
        self.id = id
        self.title = title
        self.vcl = vcl
        self.files = files or {}
        self.policy = policy
        self.host = host

    def host_of(self, number, request):
        return self.host(number, request) if self.host else request.host


def site_rules(builtin=False):
    """Returns the article's rule file.  With builtin it ends in FINALLY, and says
    `hash` only where builtin would not; else it leaves `hash` to builtin.vcl."""
    text = read(ARTICLE, "site.rules").replace(
        'from shipped "mobile-brands"', 'contains from "%s"' % SHIPPED)
    if not builtin:
        return re.sub(r"\bhash;", "stop;", text.replace(FINALLY, ""))
    text = re.sub(r"(unset Cookie;)\s+hash;", r"\1", text)
    return text if FINALLY in text else text + FINALLY + "\n"


def ended(id, text):
    """Returns the VCL of a variant, which leaves to builtin.vcl what it would look up
    in the cache, as a user's does.  That does not pass for a Cookie, as in empty.vcl.
    The first `return (hash)` of after.vcl is that of vcl_recv; the other one is for
    requests that keep a Cookie, for which fastmatch.builtin() would pass."""
    if id == "hash" or id.startswith("empty"):
        return text
    if id == "objects-builtin":
        return text.replace("return (hash);", "fastmatch.builtin();", 1)
    return text.replace(
        "return (hash);", "call vcl_builtin_recv;\n\treturn (hash);") + \
        re.search(r"sub vcl_req_cookie .*", read(HERE, "vcl", "empty.vcl"),
                  re.S).group()


def knows_builtin(build):
    """Returns true if `fastmatch check` takes a file of FINALLY."""
    with tempfile.NamedTemporaryFile("w", suffix=".rules") as file:
        file.write(FINALLY + "\n")
        file.flush()
        return subprocess.run(
            [os.path.join(build, "src", "cli", "fastmatch"), "check", "-q",
             file.name], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0


def article_files(builtin=False):
    return {SHIPPED: read(TOP, "lists", "mobile-brands.list"),
            "/etc/varnish/handsets.list": read(ARTICLE, "handsets.list"),
            "handsets.list": read(ARTICLE, "handsets.list"),
            "/etc/varnish/site.rules": site_rules(builtin)}


def empty(file="empty.vcl"):
    """Returns two equal variants, which have no policy but only that file."""
    text = read(HERE, "vcl", file)
    return [Variant(id, title, text, policy=False)
            for id, title, _, _, _ in KNOWN if id.startswith("empty")]


def delivery_variants():
    """Returns variants of vcl_deliver, which edit the same headers."""
    rules = read(HERE, "delivery.rules")
    files = {"rules": rules, "idle": rules.replace("always", "host elsewhere")}
    return [Variant(id, title, read(HERE, file) +
                    read(HERE, "vcl", "delivered.vcl"),
                    {"/etc/varnish/delivery.rules": files[id]}
                    if id in files else {}, policy=False)
            for id, title, file in DELIVERIES]


def article_variants(build, names=None):
    """Returns (variants, {id: why it is left out})."""
    unknown = set(names or ()) - {known[0] for known in KNOWN}
    if unknown:
        raise Failed("no such variant: " + ", ".join(sorted(unknown)))
    modules = [os.path.basename(path)
               for folder in Built.varnish_vmods()
               for path in glob.glob(os.path.join(folder, "libvmod_*.so"))]
    modules += [os.path.basename(path) for path in built_modules(build)[1]]
    wanted = set(names or {known[0] for known in KNOWN})
    wanted |= {"empty", "empty-again"}
    variants, missing = [], {}
    for id, title, file, needs, policy in KNOWN:
        if id not in wanted:
            continue
        path = os.path.join(HERE if "/" in file else ARTICLE, file)
        without = [name for name in needs
                   if "libvmod_%s.so" % name not in modules]
        if without:
            missing[id] = "no vmod_" + ", vmod_".join(without)
        elif not os.path.exists(path):
            missing[id] = "no " + file
        elif id == "builtin" and not knows_builtin(build):
            missing[id] = "fastmatch check refuses " + FINALLY
        else:
            variants.append(Variant(id, title, ended(id, read(path)),
                                    article_files(id == "builtin"), policy))
    return variants, missing


def written(node, label, variant, backend_port):
    """Writes the variant's files; returns its VCL with their paths and its backend."""
    names = {name: "%s-%d-%s" % (label, number, os.path.basename(name))
             for number, name in enumerate(variant.files)}

    def localized(text):
        for name, file in names.items():
            text = text.replace('"%s"' % name, '"%s"' % node.path(file))
        return text

    for name, text in variant.files.items():
        node.write(names[name], localized(text))
    return re.sub(r'\.port = "808\d"', '.port = "%d"' % backend_port,
                  localized(variant.vcl))


def label_of(number):
    """Returns a label; all have the same length, so that all requests have, too."""
    return "v%02d" % number


HASHED = {"url": "req.url", "host": "req.http.host", "key": "req.http.X-Key"}


def look_up(label, hash_on):
    """Returns VCL that gives each variant pages of its own: a hit warms no other."""
    return '\thash_data("%s");\n%s\treturn (lookup);\n' % (label, "".join(
        "\thash_data(%s);\n" % HASHED[part] for part in hash_on))


def timed(number, text, hash_on):
    """Returns the VCL, or its vcl_deliver, between two readings of the clock.  X-Variant is taken away
    before the first one: no policy should find it among the headers."""
    stop = "stopwatch.stop(%d);" % number
    if re.search(r"\bsub vcl_(hash|hit|miss|pass|pipe)\b", text):
        raise Failed("a variant has more than vcl_recv and vcl_synth")
    # Rules that answer would end vcl_synth before the clock is read again.
    text = re.sub(r"(sub vcl_synth \{[^}]*\.apply\()\);",
                  r"\1finish=false);\n\treturn (deliver);", text)
    # In vcl_synth the clock stops after the Location is made.
    text, count = re.subn(r"return \(deliver\);", stop + " return (deliver);",
                          text)
    if count != ("sub vcl_synth" in text):
        raise Failed("a variant has %d times `return (deliver);`" % count)
    body = re.sub(r"^\s*vcl 4\.\d;", "", text, count=1)
    if re.search(r"\bsub vcl_deliver\b", text):
        return "".join([
            "vcl 4.1;\nimport stopwatch;\n",
            "sub vcl_recv {\n\tunset req.http.X-Variant;\n}\n",
            "sub vcl_deliver {\n\tstopwatch.start();\n}\n", body,
            "\nsub vcl_deliver {\n\t", stop, "\n}\n",
            "sub vcl_hash {\n", look_up(label_of(number), hash_on), "}\n"])
    return "".join([
        "vcl 4.1;\nimport stopwatch;\n",
        "sub vcl_recv {\n\tunset req.http.X-Variant;\n",
        "\tstopwatch.start();\n}\n",
        "sub vcl_synth {\n\tstopwatch.start();\n}\n",
        body,
        "\nsub vcl_hash {\n\t", stop, "\n",
        look_up(label_of(number), hash_on), "}\n"] + [
            "sub vcl_%s {\n\t%s\n}\n" % (where, stop)
            for where in ("hit", "miss", "pass", "pipe", "synth")])


def plain(number, text, hash_on):
    """Returns the VCL without a stopwatch."""
    return "".join([
        "vcl 4.1;\nsub vcl_recv {\n\tunset req.http.X-Variant;\n}\n",
        re.sub(r"^\s*vcl 4\.\d;", "", text, count=1),
        "\nsub vcl_hash {\n", look_up(label_of(number), hash_on), "}\n"])


def echoed(number, text):
    """Returns VCL that answers with its decision instead of doing it."""
    del number
    return "vcl 4.1;\nsub vcl_recv {\n\tunset req.http.X-Variant;\n}\n" \
        'include "%s";\n%s' % (ECHO, text)


def top(count, samples=None):
    """Returns the VCL that picks the variant."""
    lines = ["vcl 4.1;", "backend nobody none;"]
    if samples:
        lines += ["import stopwatch;",
                  'sub vcl_init { stopwatch.open("%s"); }' % samples]
    lines.append("sub vcl_recv {")
    for label in map(label_of, range(count)):
        lines.append('\tif (req.http.X-Variant == "%s") { return (vcl(%s)); }'
                     % (label, label))
    if samples:
        lines.append('\tif (req.http.X-Variant == "mark")'
                     " { stopwatch.mark(); }")
    lines += ['\tif (req.http.X-Variant ~ "^(mark|end)$")'
              " { return (synth(200)); }",
              "\treturn (synth(500));", "}", ""]
    return "\n".join(lines)


def orders(count):
    """Returns a balanced Latin square: each variant is equally often in each place,
    and equally often right after each other variant."""
    first = [0]
    for step in range(1, count):
        first.append((first[-1] + (step if step % 2 else -step)) % count)
    rows = [[(place + row) % count for place in first]
            for row in range(count)]
    return rows + [row[::-1] for row in rows] if count % 2 else rows
