# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""The fixed inputs: requests, the rules they go to, what must come out.

inputs.json has a row for each, in the order in which they are run:

    name    of the input, and of its request in inputs/NAME.http
    rules   a key of RULES
    about   what it is there for
    answer  what `fastmatch bench --count --json` says of it
"""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", ".."))
HOSTS = 100000

RULES = {
    "article": "examples/article/site.rules",
    "shop": "examples/rules/shop.rules",
    "devices": "examples/rules/devices.rules",
    "hosts": "bench/budget/hosts.rules",
}
SHIPPED = "/usr/share/varnish-fastmatch/lists/"

# What runs, and what it is about, is all that the environment has: the rest
# of ours would be on the program's stack.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class Wrong(Exception):
    """Something is not as it must be to count at all."""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def load():
    return json.loads(read(HERE, "inputs.json"))


def of_rules(inputs):
    """Pairs of a key of RULES and its inputs, in order."""
    for key in RULES:
        rows = [row for row in inputs if row["rules"] == key]
        if rows:
            yield key, rows


def host_list(hosts):
    return "".join("www.site-%d.example all\n" % n for n in range(hosts))


def prepare(folder, hosts=HOSTS):
    """Puts all that is run into a folder, as KEY.rules and lists."""
    for name in os.listdir(os.path.join(TOP, "lists")):
        write(os.path.join(folder, name), read(TOP, "lists", name))
    write(os.path.join(folder, "handsets.list"),
          read(TOP, "examples/article/handsets.list"))
    write(os.path.join(folder, "hosts.list"), host_list(hosts))
    for key, path in RULES.items():
        write(os.path.join(folder, key + ".rules"),
              read(TOP, path).replace(SHIPPED, ""))


def requests(folder, name, rows):
    """A file of these requests; its name."""
    path = os.path.join(folder, name + ".http")
    write(path, "".join(read(HERE, "inputs", row["name"] + ".http")
                        for row in rows))
    return path


def program(build):
    path = os.path.abspath(os.path.join(build, "src/cli/fastmatch"))
    if not os.access(path, os.X_OK):
        raise Wrong("%s was not built" % path)
    return path


def command(build, key, name, count):
    return [program(build), "bench", key + ".rules", "--http", name + ".http",
            "--count", str(count), "--json"]


def in_order(answer):
    """No two edits have the same name; in which order they come is open."""
    return {**answer, "edits": sorted(answer.get("edits", []),
                                       key=lambda edit: edit[0])} \
        if isinstance(answer, dict) else answer


def check(rows, said):
    """That the program decided what the inputs say."""
    try:
        answers = json.loads(said)["answers"]
    except (ValueError, KeyError) as why:
        raise Wrong("no answers: %s" % said[:300]) from why
    if len(answers) != len(rows):
        raise Wrong("%d requests, %d answers" % (len(rows), len(answers)))
    for row, got in zip(rows, answers):
        if in_order(got) != in_order(row["answer"]):
            raise Wrong("%s is answered with\n  %s\n  and not with\n  %s" % (
                row["name"], json.dumps(got), json.dumps(row["answer"])))


def run(argv, folder):
    """Runs it; what it said on stdout."""
    done = subprocess.run(argv, cwd=folder, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True,
                          check=False)
    if done.returncode != 0:
        raise Wrong("%s: status %d\n%s" % (
            " ".join(argv), done.returncode, done.stderr[-2000:]))
    return done.stdout
