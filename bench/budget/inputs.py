# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""The fixed inputs: requests, their rules, and the expected answers.

inputs.json has a row for each, in the order in which they are run:

    name    of the input, and of its request in inputs/NAME.http
    rules   a key of RULES
    about   the purpose of the input
    calls   what is counted, if not what server.CALLS has for the rules
    answer  the expected result; edits has the headers (null: removed), and
            delivered those of the response
"""

import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", ".."))

RULES = {
    "article": "examples/article/site.rules",
    "builtin": "examples/article/site.rules",
    "asks": "examples/article/site.rules",
    "shop": "examples/rules/shop.rules",
    "devices": "examples/rules/devices.rules",
    "hosts": "bench/budget/hosts.rules",
    "delivery": "bench/budget/delivery.rules",
    "objects": None,
    "in-place": None,
    "delivery-vcl": None,
}
# The requests to SHADOWED are counted with a shadow, too: one with the same rules,
# which looks at no request or at each, and one that edits each request otherwise.
# That takes a minute, so only FM_WHOLE=1 does it.
SHADOWED = () if os.environ.get("FM_WHOLE", "") in ("", "0") else ("article",)
SHADOWS = {"unsampled": ("same", "0.0"), "sampled": ("same", "1.0"),
           "differing": ("other", "1.0")}
SHADOWED_NAMES = ["%s_%s" % (key, shadow) for key in SHADOWED
                  for shadow in SHADOWS]
SHIPPED = "/usr/share/varnish-fastmatch/lists/"
FINALLY = "finally { builtin; }"

# The environment of a program that is counted has only these, and SEED: the rest of
# ours would be on the program's stack.  At the end of a page strlen() takes more
# instructions.  So jemalloc, which varnishd is linked with, begins large pieces of
# memory with a page, and each thread has small ones of its own: their places do not
# depend on which thread is first.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
               "MALLOC_CONF": "cache_oblivious:false,narenas:200"}
SEED = "seed.so"                # seed.c, built by prepare() for LD_PRELOAD


class Wrong(Exception):
    """Counting is impossible; the text says why."""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def load():
    return json.loads(read(HERE, "inputs.json"))


def shadowed(rows):
    """Returns rows for the same requests with each of the shadows."""
    return [dict(row, rules="%s_%s" % (row["rules"], shadow),
                 shadow=shadow)
            for shadow in SHADOWS for row in rows
            if row["rules"] in SHADOWED]


def own(rules, request):
    """Returns a row for a rule file and a request that are named on the command
    line.  It expects no particular answer."""
    name, end = os.path.splitext(os.path.abspath(request))
    if end != ".http":
        raise Wrong("--where RULES takes a request, too: a file .http, as a "
                    "client sends it, not '%s'" % request)
    RULES["own"] = os.path.abspath(rules)
    return {"name": name, "rules": "own",
            "answer": {"backend": None, "edits": {}}}


def host_list(hosts):
    return "".join("www.site-%d.example all\n" % n for n in range(hosts))


def rules_of(key, path):
    """Returns the text of a rule file without its `finally`, so that VCL goes on
    after .apply() and tells the decision.  For "builtin", `finally` stays, and
    decides where the article says `hash`."""
    text = read(TOP, path).replace(
        'from shipped "mobile-brands"', 'contains from "mobile-brands.list"')
    if key == "own":
        return text
    if key != "builtin":
        return text.replace(FINALLY, "")
    text = re.sub(r"(unset Cookie;)\s+hash;", r"\1", text)
    return text if FINALLY in text else text + FINALLY + "\n"


def prepare(folder, hosts):
    """Puts all that is run into a folder, as KEY.rules and lists."""
    if "own" in RULES:
        beside = os.path.dirname(RULES["own"])
        for name in os.listdir(beside):
            if name.endswith((".list", ".map", ".rules")):
                shutil.copy(os.path.join(beside, name), folder)
    for name in os.listdir(os.path.join(TOP, "lists")):
        write(os.path.join(folder, name), read(TOP, "lists", name))
    run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", SEED,
         os.path.join(HERE, "seed.c"), os.path.join(HERE, "cold.c")],
        folder, ENVIRONMENT)
    write(os.path.join(folder, "handsets.list"),
          read(TOP, "examples/article/handsets.list"))
    write(os.path.join(folder, "hosts.list"), host_list(hosts))
    write(os.path.join(folder, "nothing.rules"), "always { }\n")
    for key, path in RULES.items():
        if path is not None:
            write(os.path.join(folder, key + ".rules"), rules_of(key, path))
    for key in SHADOWED:
        rules = rules_of(key, RULES[key])
        write(os.path.join(folder, key + ".same"), rules)
        write(os.path.join(folder, key + ".other"),
              rules.replace("always {", "always { set X-Shadow = yes;", 1))


def program(build):
    path = os.path.abspath(os.path.join(build, "src/cli/fastmatch"))
    if not os.access(path, os.X_OK):
        raise Wrong("%s was not built" % path)
    return path


def check(row, answer):
    """Checks that the server did what the input says."""
    if row["rules"] != "own" and answer != row["answer"]:
        raise Wrong("%s is answered with\n  %s\n  and not with\n  %s" % (
            row["name"], json.dumps(answer), json.dumps(row["answer"])))


def seeded(folder):
    """Returns the environment of a program that is counted: its seeds are the same
    in each run."""
    return dict(ENVIRONMENT, LD_PRELOAD=os.path.join(folder, SEED))


def run(argv, folder, environment):
    """Runs a program in a folder; returns its stdout."""
    done = subprocess.run(argv, cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True,
                          check=False)
    if done.returncode != 0:
        raise Wrong("%s: status %d\n%s" % (
            " ".join(argv), done.returncode, done.stderr[-2000:]))
    return done.stdout
