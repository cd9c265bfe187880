# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""A varnishd whose child counts the instructions of the module's methods.

It runs under valgrind's callgrind, which collects only while one of METHODS is
called, and dumps its count at the next call. VCL knows by the socket which rule
file a request is for: so nothing in the request is there for the measurement.
The decision comes back in the answer.
"""

import collections
import os
import re
import signal
import socket
import subprocess
import time

import inputs
from inputs import Wrong

# METHODS has the function of the module for each call in VCL.
METHODS = {
    "rules.apply": "vmod_rules_apply",
    "rules.apply-synth": "vmod_rules_apply",
    "rules.apply-recv": "vmod_rules_apply",
    "delivery-vcl": "VGC_function_vmod_5f_delivery",
    "rules.host": "vmod_rules_host",
    "hosts.match": "vmod_hosts_match",
    "hosts.string": "vmod_hosts_string",
    "hosts.subroutine": "vmod_hosts_subroutine",
    "patterns.match": "vmod_patterns_match",
    "patterns.pattern": "vmod_patterns_pattern",
    "params.query": "vmod_params_query",
    "params.cookies": "vmod_params_cookies",
    "hosts.match()": "vmod_hosts_match",
    "patterns.match()": "vmod_patterns_match",
    "params.clean_url": "vmod_params_clean_url",
    "params.clean_cookies": "vmod_params_clean_cookies",
    "params.clean_url-2": "vmod_params_clean_url",
    "params.clean_cookies-2": "vmod_params_clean_cookies",
    "patterns.normalize": "vmod_patterns_normalize",
    "normalize": "vmod_normalize",
    "unset": "vmod_unset",
    "builtin": "vmod_builtin",
}
# A request to the objects makes the calls OBJECTS, in order.  IN_PLACE has the
# calls without a text, which read or clean the request itself.  VCL makes those
# that clean twice: the second time there is nothing to do.
OBJECTS = ["hosts.match", "hosts.string", "hosts.subroutine",
           "patterns.match", "patterns.pattern", "params.query",
           "params.cookies", "rules.apply", "rules.host"]
IN_PLACE = ["hosts.match()", "patterns.match()", "params.clean_url",
            "params.clean_cookies", "params.clean_url-2",
            "params.clean_cookies-2", "patterns.normalize", "normalize",
            "unset", "builtin"]
# A hit on DELIVERED calls .apply() in vcl_recv and vcl_deliver, or the sub
# vmod_delivery, which does the same as the rules; its name is that in C above.
DELIVERED = ("delivery", "delivery-vcl")
CALLS = {"objects": OBJECTS, "in-place": IN_PLACE,
         "delivery": ["rules.apply-recv", "rules.apply"],
         "delivery-vcl": ["delivery-vcl"]}


def calls_of(row):
    """Returns the calls that an input makes, in order."""
    return row.get("calls") or CALLS.get(row["rules"], ["rules.apply"])


# How many instructions these take depends on the place of a text in its page, which
# is chance: only their calls are counted.
OF_LIBC = re.compile(r"_*(str|mem|rawmem)\w*_(sse|ssse|avx|evex|erms)\w*(@.*)?$")

VERDICTS = {299: "none", 298: "hash", 297: "pass", 296: "pipe"}
WAIT = 1200                     # seconds: valgrind takes its time
# Sessions and requests are so large that each begins with a page.
OPTIONS = ("vcc_err_unref=off", "thread_pools=1", "thread_pool_min=5",
           "cli_timeout=%d" % WAIT, "ping_interval=0", "workspace_client=96k",
           "workspace_session=16k", "http_max_hdr=128")

# Caches that hold all that a request touches, and are emptied before a call: each
# miss is a line of 64 bytes.  cold.c has the function.
COLD = ["--cache-sim=yes", "--I1=1048576,16,64", "--D1=1048576,16,64",
        "--LL=8388608,16,64"]
COLD_CALL = r'if (std.getenv("FM_COLD")) { } \1'

OBJECTS_INIT = """
	new lookup = fastmatch.hosts();
	lookup.add("example.com", string="apex");
	lookup.add("www.example.com", string="www", sub=site_www);
	lookup.add("*.example.com", string="other");
	new phones = fastmatch.patterns();
	phones.load("%(folder)s/handsets.list", contains);
	new names = fastmatch.params();
	names.add("utm_*");
	names.add("gclid");
	names.add("_ga");
	new codings = fastmatch.patterns();
	codings.add("gzip", string="gzip");
	codings.add("deflate", string="deflate");
"""
OBJECTS_RECV = """
	if (lookup.match(req.http.Host)) {
		set req.http.X-String = lookup.string();
		call lookup.subroutine(site_none);
	}
	if (phones.match(req.http.User-Agent)) {
		set req.http.X-Pattern = phones.pattern();
	}
	set req.url = names.query(req.url);
	set req.http.Cookie = names.cookies(req.http.Cookie);
	rules_devices.apply();
	set req.http.X-Host = rules_devices.host();
"""
IN_PLACE_RECV = """
	if (lookup.match() && phones.match()) {
		names.clean_url();
		names.clean_cookies();
		names.clean_url();
		names.clean_cookies();
		codings.normalize(req.http.Accept-Encoding);
		fastmatch.normalize(req.http.Accept-Language, "en de");
		fastmatch.unset(req.http.Pragma);
		fastmatch.builtin();
	}
"""
# A page with the headers that the rules unset; the request that fetches it is
# restarted, and hits.
DELIVERY = """
sub vcl_hash {
	# Other rules for this page must not hit.
	hash_data(local.socket);
}
sub vcl_backend_error {
	set beresp.status = 200;
	set beresp.ttl = 1h;
	set beresp.http.Content-Type = "text/html; charset=utf-8";
	set beresp.http.Cache-Control = "max-age=3600";
	set beresp.http.ETag = "5f2d4711";
	set beresp.http.Server = "Apache/2.4.62 (Debian)";
	set beresp.http.X-Powered-By = "PHP/8.2.26";
	set beresp.http.X-Generator = "Drupal 10 (https://www.drupal.org)";
	set beresp.http.X-Drupal-Cache = "MISS";
	set beresp.http.Link = "<https://www.example.com/4711>; rel=shortlink";
	return (deliver);
}
sub vmod_delivery {
	if (obj.hits > 0) {
		set resp.http.X-Cache = "HIT";
	} else {
		set resp.http.X-Cache = "MISS";
	}
	set resp.http.X-Cache-Hits = obj.hits;
	unset resp.http.X-Powered-By;
	unset resp.http.Server;
	unset resp.http.X-Drupal-Cache;
	unset resp.http.X-Varnish;
	unset resp.http.Via;
	unset resp.http.Link;
	unset resp.http.X-Generator;
}
sub vcl_deliver {
	if (obj.hits == 0) { return (restart); }
	if (local.socket == "delivery") {
		rules_delivery.apply();
	} else if (local.socket == "delivery-vcl") {
		call vmod_delivery;
	} else {
		# No request comes here, but the rules see that VCL asks.
		set resp.http.X-Is-Verdict = rules_asks.verdict();
	}
	return (deliver);
}
"""


def vcl(folder, build, rows, cold):
    """Returns a VCL with an object for each rule file; its answers show all edits."""
    names = [key for key in inputs.RULES if inputs.RULES[key]]
    edited = sorted({name for row in rows for name in row["answer"]["edits"]})
    delivered = " || ".join('local.socket == "%s"' % name
                            for name in DELIVERED)
    lines = ["vcl 4.1;", 'import fastmatch from "%s";' % os.path.join(
        os.path.abspath(build), "src/vmod/.libs/libvmod_fastmatch.so"),
        "backend none none;"]
    init, seen = [], set()
    for name in [*names, *inputs.SHADOWED_NAMES]:
        path, _, shadow = name.partition("_")
        options = "" if not shadow else ', shadow="%s/%s.%s", sample=%s' % (
            folder, path, *inputs.SHADOWS[shadow])
        init.append('\tnew rules_%s = fastmatch.rules("%s/%s.rules"%s);' % (
            name, folder, path, options))
        rules = re.sub(r"#.*", "", inputs.read(folder, path + ".rules"))
        for backend in sorted(set(re.findall(r"\bbackend\s+(\w+)\s*;",
                                             rules))):
            init.append('\trules_%s.backend("%s", %s);' % (
                name, backend, backend))
            seen.add(backend)
    lines += ['backend %s { .host = "127.0.0.1"; .port = "9"; }' % name
              for name in sorted(seen)]
    lines += ["sub site_none { }",
              'sub site_www { set req.http.X-Sub = "yes"; }',
              "sub vcl_init {", *init, OBJECTS_INIT % {"folder": folder}, "}",
              "sub vcl_recv {",
              "\tif (req.restarts > 0) { return (hash); }"]
    lines += ['\tif (local.socket == "%s") { rules_%s.apply(); }' % (
        name, name)
              for name in [*names, *inputs.SHADOWED_NAMES]]
    lines += ['\tif (local.socket == "objects") {', OBJECTS_RECV, "\t}",
              '\tif (local.socket == "in-place") {', IN_PLACE_RECV, "\t}",
              "\tif (%s) { return (hash); }" % delivered,
              "\treturn (synth(299));", "}",
              "sub vcl_miss {",
              "\tif (%s) { return (fetch); }" % delivered,
              "\treturn (synth(298));", "}",
              "sub vcl_pass { return (synth(297)); }",
              "sub vcl_pipe { return (synth(296)); }",
              DELIVERY,
              "sub vcl_synth {",
              '\tif (local.socket == "delivery") { rules_delivery.apply(); }',
              "\tset resp.http.X-Is-Url = req.url;",
              "\tset resp.http.X-Is-Backend = req.backend_hint;"]
    lines += ["\tif (req.http.%s) { set resp.http.X-Is-%s = req.http.%s; }" % (
        name, name, name) for name in edited]
    lines += ['\tif (local.socket == "asks" && resp.status == 302) {',
              "\t\trules_asks.apply();", "\t}"]
    text = "\n".join(lines + ["\treturn (deliver);", "}", ""])
    if cold:
        text = re.sub(r"(\w+\.apply\(\);)", COLD_CALL, text)
        text = text.replace("import", "import std;\nimport", 1)
    return text


class Server:
    """A varnishd that `with` starts; its dumps are complete when it has ended."""

    def __init__(self, folder, build, rows, cold=False):
        self.folder = folder
        self.names = [*inputs.SHADOWED_NAMES, *inputs.RULES]
        inputs.write(os.path.join(folder, "count.vcl"),
                     vcl(folder, build, rows, cold))
        argv = ["valgrind", "--quiet", "--tool=callgrind",
                "--fair-sched=try", "--trace-children=yes", "--trace-children-skip=/bin/*,*/gcc*",
                "--callgrind-out-file=%s/callgrind.%%p" % folder,
                # callgrind heeds only the first of several toggles.
                "--toggle-collect=*vmod_*"]
        argv += COLD if cold else []
        argv += ["--dump-before=" + method
                 for method in sorted(set(METHODS.values()))]
        argv += ["varnishd", "-F", "-j", "none", "-n", folder + "/work",
                 "-f", folder + "/count.vcl"]
        for name in self.names:
            argv += ["-a", "%s=%s" % (name, self.path(name))]
        for option in OPTIONS:
            argv += ["-p", option]
        self.argv = argv

    def path(self, name):
        return os.path.join(self.folder, name + ".sock")

    def __enter__(self):
        self.log = open(os.path.join(self.folder, "log"), "w+",
                        encoding="utf-8")
        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=subprocess.STDOUT, env=inputs.seeded(self.folder))
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if self.process.poll() is not None:
                self.failed("varnishd has ended")
            try:
                with self.connect(self.names[-1]):
                    return self
            except OSError:
                time.sleep(0.1)
        self.failed("varnishd does not serve after %d s" % WAIT)
        return None

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT)
        self.log.close()

    def failed(self, why):
        self.process.kill()
        self.log.seek(0)
        raise Wrong("%s\n%s" % (why, self.log.read()[-2000:]))

    def connect(self, name):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(WAIT)
        sock.connect(self.path(name))
        return sock

    def ask(self, row, times):
        """Sends an input again and again, in one connection where it lasts, so
        that one thread serves it. Returns the answers, as inputs.json has them."""
        request = inputs.read(inputs.HERE, "inputs", row["name"] + ".http")
        sock = None
        for _ in range(times):
            sock = sock or self.connect(row["rules"])
            sock.sendall(request.encode())
            status, fields = self.receive(sock, row["name"])
            if fields.get("Connection") == "close":
                sock = sock.close()
            yield self.answer(row, status, fields)
        if sock:
            sock.close()

    def receive(self, sock, name):
        """Returns the status and the fields of an answer."""
        got, wanted = b"", None
        while wanted is None or len(got) < wanted:
            some = sock.recv(65536)
            if not some:
                self.failed("no answer to %s: %r" % (name, got))
            got += some
            head, end, _ = got.partition(b"\r\n\r\n")
            if not end:
                continue
            lines = head.decode().split("\r\n")
            fields = dict(line.split(": ", 1) for line in lines[1:]
                          if ": " in line)
            wanted = len(head) + len(end) + int(fields["Content-Length"])
        return int(lines[0].split()[1]), fields

    @staticmethod
    def answer(row, status, fields):
        want = row["answer"]
        edits = {name: fields.get("X-Is-" + name) for name in want["edits"]}
        if "delivered" in want:
            return {"edits": {}, "delivered": {
                name: fields.get(name) for name in want["delivered"]}}
        return {
            "url": fields.get("X-Is-Url"),
            "verdict": VERDICTS.get(status, "redirect" if 300 <= status < 400
                                    else "synth"),
            "status": 0 if status in VERDICTS else status,
            # A backend that no rule has chosen is the VCL's own.
            "backend": fields.get("X-Is-Backend") if want["backend"] else None,
            "edits": edits,
        }

    def calls(self):
        """Returns [(method, instructions, dump)] of all calls, in order."""
        dumps = []
        for name in os.listdir(self.folder):
            hit = re.fullmatch(r"callgrind\.(\d+)(?:\.(\d+))?", name)
            text = inputs.read(self.folder, name) if hit else ""
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if total is None:
                continue
            why = re.search(r"^desc: Trigger: --dump-before=(\w+)", text, re.M)
            dumps.append((int(hit.group(1)), int(hit.group(2) or 1 << 30),
                          why.group(1) if why else None, text))
        if not dumps:
            raise Wrong("callgrind has counted nothing")
        # The child has a dump a call, the other processes have one each.
        processes = [dump[0] for dump in dumps]
        child = max(processes, key=processes.count)
        mine = sorted(dump[1:] for dump in dumps if dump[0] == child)
        return [(mine[n][1], sum(functions(mine[n + 1][2]).values()),
                 mine[n + 1][2]) for n in range(len(mine) - 1)]


def functions(dump):
    """Returns {name: instructions} of each function that is counted in a dump, without
    its callees."""
    costs = costs_of(dump)[0]
    return collections.Counter({name: costs[name] for name in costs
                                if not OF_LIBC.match(name)})


def counted(dump):
    """Yields (function, what it calls or None, [a number for each event]) of each
    count in a dump: of a call these are the numbers of the callee."""
    names, function, callee, called = {}, None, None, False
    for line in dump.split("\n"):
        hit = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if hit:
            if hit.group(3):
                names[hit.group(2)] = hit.group(3)
            if hit.group(1) == "fn":
                function = hit.group(2)
            else:
                callee = hit.group(2)
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[-+*\d]\S*( \d+)+$", line):
            yield (names[function], names[callee] if called else None,
                   [int(number) for number in line.split()[1:]])
            called = False


def costs_of(dump):
    """Returns {name: instructions} of each function without its callees, and
    another one of each function that is called, with its callees."""
    costs, calls = collections.Counter(), collections.Counter()
    for function, callee, numbers in counted(dump):
        if callee:
            calls[callee] += numbers[0]
        else:
            costs[function] += numbers[0]
    return costs, calls


def cold_lines(dump):
    """Returns {name: [lines of code, lines of data]} of each function: the misses of
    caches that were empty."""
    events = re.search(r"^events: (.*)$", dump, re.M).group(1).split()
    lines = {}
    for function, callee, numbers in counted(dump):
        if callee is None:
            cost = dict(zip(events, numbers))
            own = lines.setdefault(function, [0, 0])
            own[0] += cost.get("I1mr", 0)
            own[1] += cost.get("D1mr", 0) + cost.get("D1mw", 0)
    return lines
