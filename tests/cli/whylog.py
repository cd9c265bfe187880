# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a log with the reasons for which a page is not cached, for `fastmatch why`.

    python3 whylog.py FOLDER [plain]

Each host of CASES has a reason of its own.  A varnishd with rules, or with plain
VCL, is asked for them, and varnishlog writes FOLDER/why.log meanwhile.
"""

import http.client
import http.server
import os
import re
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "live"))
from node import Node, end, find, until                      # noqa: E402

RULES = """\
always {
    query drop gclid;
    normalize Accept-Encoding to gzip;
}
host rulepass.example { when path below /cart { pass; } }
host redirect.example { redirect 301 "https://www.example.com${url}"; }
host ttl0.example { response { uncacheable 10s; } }
host error.example { response { when status begins 5 { ttl 5s; deliver; } } }
host hfp.example { response { pass 30s; } }
host expired.example { response { ttl 1s; grace 0s; keep 0s; } }
host grace.example { response { ttl 1s; grace 100s; } }
host retry.example { response { retry; } }
host abandon.example { response { abandon; } }
host keyed.example { cookie keep shop; hash; key { header X-Shop Authorization; cookie shop; } }
host cookiehash.example { hash; response { unset Set-Cookie; ttl 1m; deliver; } }
host esi.example { response { when path is /page { esi; } } }
host fragment.example { when path is /a { pass; } }
host builtin.example { builtin; response { builtin; } }
finally { delivery { set X-Cache = "${cache}"; } }
host again.example { response { ttl 1s; grace 100s; } }
host graced.example { builtin; response { grace 1h; builtin; } }
host alive.example { builtin; response { ttl 1h; builtin; } }
host refused.example {
    builtin;
    response { grace 1h; when status begins 5 { uncacheable 5s; } builtin; }
}
"""
# The calls of the rules; the VCL of the plain varnishd, which decides the same.
WITH_RULES = """
import fastmatch;
sub vcl_init { new site = fastmatch.rules("%s", log=%s); }
sub vcl_recv {
    if (req.http.host == "pipe.example") { return (pipe); }
    if (req.method == "PURGE") { return (purge); }
    site.apply();
}
sub vcl_hash { site.apply(); }
sub vcl_backend_fetch { site.apply(); }
sub vcl_backend_response { site.apply(); }
sub vcl_deliver { site.apply(); }
sub vcl_synth { site.apply(); }
"""
PLAIN = """
sub vcl_hash { if (req.http.X-Shop) { hash_data(req.http.X-Shop); } }
sub vcl_recv {
    if (req.http.host == "pipe.example") { return (pipe); }
    if (req.method == "PURGE") { return (purge); }
    if (req.url ~ "#") { return (synth(400)); }
    if (req.url ~ "gclid") {
        set req.url = regsub(req.url, "[?&]gclid=[^&]*", "");
    }
    if (req.http.host == "rulepass.example" && req.url ~ "^/cart") {
        return (pass);
    }
    if (req.http.host == "redirect.example") {
        return (synth(301));
    }
    if (req.http.host ~ "^(cookiehash|keyed)") { return (hash); }
}
sub vcl_backend_response {
    if (bereq.http.host == "ttl0.example") { set beresp.ttl = 0s; }
    if (bereq.http.host == "error.example" && beresp.status >= 500) {
        set beresp.ttl = 5s;
        return (deliver);
    }
    if (bereq.http.host == "hfp.example") { return (pass(30s)); }
    if (bereq.http.host == "expired.example") {
        set beresp.ttl = 1s;
        set beresp.grace = 0s;
        set beresp.keep = 0s;
    }
    if (bereq.http.host ~ "^(grace|again).example$") {
        set beresp.ttl = 1s;
        set beresp.grace = 100s;
    }
    if (bereq.http.host == "cookiehash.example") {
        unset beresp.http.Set-Cookie;
        set beresp.ttl = 1m;
        return (deliver);
    }
    if (bereq.http.host == "esi.example" && bereq.url == "/page") {
        set beresp.do_esi = true;
    }
    if (bereq.http.host == "abandon.example") { return (abandon); }
    if (bereq.http.host == "retry.example" && bereq.retries == 0) {
        return (retry);
    }
}
"""

# What the backend answers, by the first label of the host; others are cached.
CACHED = {"Cache-Control": "max-age=60"}
ANSWERS = {
    "setcookie": {**CACHED, "Set-Cookie": "session=1; path=/"},
    "hfm": {**CACHED, "Set-Cookie": "session=1; path=/"},
    "builtin": {**CACHED, "Set-Cookie": "session=1; path=/"},
    "cookiehash": {**CACHED, "Set-Cookie": "session=1; path=/"},
    "private": {"Cache-Control": "private, max-age=60"},
    "nostore": {"Cache-Control": "no-store"},
    "maxage0": {"Cache-Control": "max-age=0, must-revalidate"},
    "expires": {"Expires": "Thu, 01 Jan 2015 00:00:00 GMT"},
    "default": {},
    "graced": {"Cache-Control": "max-age=0"},
    "alive": {"Cache-Control": "max-age=0", "Set-Cookie": "session=1"},
    "refused": {"Status": "500"},
    "age": {**CACHED, "Age": "100"},
    "both": {"Cache-Control": "no-cache, max-age=0", "Set-Cookie": "session=1"},
    "vary": {**CACHED, "Vary": "User-Agent"},
    "varystar": {**CACHED, "Vary": "*"},
    "error": {"Status": "503"},
    "broken": {"Status": "500", **CACHED},
    "lurked": {**CACHED, "X-Name": "lurked"},
    "notfound": {"Status": "404"},
    "moved": {"Status": "302", "Location": "/other"},
    "teapot": {"Status": "418", **CACHED},
}


class Backend(http.server.BaseHTTPRequestHandler):
    """Answers by the host; the body of esi.example has a part."""

    protocol_version = "HTTP/1.1"
    answers = 0
    busy = threading.Event()        # the slow page is asked for
    enough = threading.Event()      # and may be answered

    def do_GET(self):
        name = self.headers.get("Host", "").split(".")[0]
        headers = dict(ANSWERS.get(name, CACHED))
        if name == "busy" and not self.headers.get("X-Busy"):
            Backend.busy.set()
            Backend.enough.wait(60)
        Backend.answers += 1
        body = b"%d" % Backend.answers
        if name == "esi" and self.path == "/page":
            body = b'<esi:include src="/part"/>'
        length = int(self.headers.get("Content-Length") or 0)
        if length:
            self.rfile.read(length)
        status = int(headers.pop("Status", "200"))
        if name == "cut":
            headers["Content-Length"] = "100"
            self.close_connection = True
        if self.headers.get("Range") and name == "range":
            status, headers["Content-Range"] = 206, "bytes 0-0/9"
            body = b"1"
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        if name != "cut":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_):
        """Nothing."""


class Clock:
    """Asks a varnishd, whose backend counts its answers."""

    def __init__(self, node):
        self.node = node

    def ask(self, host, path="/page", method="GET", **headers):
        client = http.client.HTTPConnection("127.0.0.1", self.node.port,
                                            timeout=60)
        headers = {name.replace("_", "-"): value
                   for name, value in headers.items()}
        client.request(method, path, headers={"Host": host, **headers},
                       body=b"a=1" if method == "POST" else None)
        answer = client.getresponse()
        body = answer.read()
        client.close()
        return answer, body

    def until_new(self, host):
        """Asks until the backend has been asked again."""
        _, first = self.ask(host)
        until("another answer", lambda: self.ask(host)[1] != first)

    def until_stale(self, host):
        """Asks, and again once the first object must have expired."""
        self.ask(host)
        self.pass_a_second()
        self.ask(host)

    def ask_busy(self, host):
        """Asks while another request for the same page is answered."""
        Backend.busy.clear()
        Backend.enough.clear()
        first = threading.Thread(target=self.ask, args=[host])
        first.start()
        Backend.busy.wait(60)
        self.ask(host, X_Busy="1")
        Backend.enough.set()
        first.join()

    def lurk(self, ban):
        """Adds a ban, and returns once the lurker is through with it."""
        self.node.adm("param.set", "ban_lurker_age", "0")
        self.node.adm("ban", ban)
        until("the ban lurker", lambda: not re.search(
            r" [0-9]+ -? *%s" % re.escape(ban), self.node.adm("ban.list")))

    @staticmethod
    def pass_a_second():
        asked = time.monotonic()
        until("a second", lambda: time.monotonic() - asked > 1.1)


def ask_all(node):
    """Asks for each reason; the last request of a host is the one to explain."""
    c = Clock(node)
    c.ask("setcookie.example")
    c.ask("cookie.example", Cookie="session=1; theme=dark")
    c.ask("auth.example", Authorization="Basic YTpi")
    for name in ("private", "nostore", "maxage0", "expires", "default",
                 "varystar", "error", "notfound", "moved", "teapot", "redirect",
                 "ttl0", "builtin", "cookiehash", "fail", "pipe", "esi",
                 "retry", "restart", "abandon", "down", "misspass", "age",
                 "both", "broken", "graced", "alive",
                 "refused"):
        c.ask(name + ".example")
    c.ask("vary.example", User_Agent="Firefox/1")
    c.ask("vary.example", User_Agent="Chrome/2")
    c.ask("post.example", method="POST")
    c.ask("rulepass.example", "/cart/1")
    for _ in range(2):
        c.ask("hfm.example")
        c.ask("hfp.example")
        c.ask("hit.example")
    c.ask("query.example", "/page?utm_source=a&id=1")
    c.ask("query.example", "/page?utm_source=b&id=1")
    c.ask("rewritten.example", "/page?gclid=1")
    for shop in "ba":
        c.ask("keyed.example", X_Shop=shop, Cookie="theme=session=1; shop=session=1",
              Authorization="Basic YTpi")
    c.ask("fragment.example", "/a#b")
    c.ask("range.example", Range="bytes=0-0", Cookie="a=1")
    c.ask("purge.example")
    c.ask("purge.example", method="PURGE")
    c.ask("purged.example")
    c.ask("purged.example", method="PURGE")
    c.ask("purged.example")
    c.ask("banned.example")
    node.adm("ban", "req.http.host == banned.example")
    c.ask("banned.example")
    c.ask("lurked.example")
    c.lurk("obj.http.X-Name == lurked")
    c.ask("lurked.example")
    c.ask_busy("busy.example")
    try:
        c.ask("cut.example")
    except http.client.HTTPException:
        pass  # The client had the beginning before the fetch failed.
    c.ask("backerror.example")
    c.ask("retries.example")
    c.ask("twice.example", Cookie="session=1", cookie="theme=dark")
    c.until_new("expired.example")
    c.until_stale("grace.example")
    c.until_stale("remembered.example")
    c.until_stale("zero.example")
    c.ask("again.example")
    c.pass_a_second()
    c.ask("again.example", method="PURGE")
    c.ask("again.example")
    for host in ("limited.example", "downstale.example"):
        c.ask(host)
    c.pass_a_second()
    for host in ("limited.example", "downstale.example"):
        c.ask(host)


def vcl(backend_port, middle):
    return """vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "%d"; }
backend dead { .host = "127.0.0.1"; .port = "1"; }
sub vcl_recv {
    if (req.http.host == "limited.example") { set req.grace = 0s; }
    if (req.http.X-Busy) { set req.hash_ignore_busy = true; }
}
%s
sub vcl_backend_fetch {
    if (bereq.http.host == "backerror.example") {
        return (error(500, "No"));
    }
    if (bereq.http.host ~ "^(fail|down).example$" || (bereq.is_bgfetch &&
        bereq.http.host == "downstale.example")) {
        set bereq.backend = dead;
    }
}
sub vcl_backend_error {
    if (bereq.http.host == "down.example") {
        set beresp.ttl = 3s;
        return (deliver);
    }
}
sub vcl_miss {
    if (req.http.host == "misspass.example") { return (pass); }
}
sub vcl_backend_response {
    if (bereq.http.host ~ "^(limited|downstale).example$") {
        set beresp.ttl = 1s;
    }
    if (bereq.http.host == "retries.example") { return (retry); }
    if (bereq.http.host == "remembered.example") {
        set beresp.ttl = 1s;
        set beresp.uncacheable = true;
        return (deliver);
    }
    if (bereq.http.host == "zero.example") {
        set beresp.ttl = 0s;
        set beresp.grace = 60s;
        return (deliver);
    }
}
sub vcl_deliver {
    if (req.http.host == "restart.example" && req.restarts == 0) {
        set req.url = "/restarted";
        return (restart);
    }
}
""" % (backend_port, middle)


class Served:
    """A node with its backend, while `with` lasts."""

    def __init__(self, rules=True, log="verdict", params=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Backend)
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()
        self.node = Node(params=params)
        self.rules = self.node.write("site.rules", RULES)
        middle = WITH_RULES % (self.rules, log) if rules else PLAIN
        self.node.vcl = vcl(self.server.server_address[1], middle)

    def __enter__(self):
        return self.node.__enter__()

    def __exit__(self, *_):
        self.node.__exit__()
        self.server.shutdown()
        self.server.server_close()


def record(node, path, ask, *options):
    """Writes the log of what `ask` asks; returns once it has all of it."""
    with open(path + ".err", "wb") as said:
        writer = subprocess.Popen(
            [find("varnishlog", "vinyllog"), "-n", node.work, "-g", "raw",
             "-w", path, *options], stdin=subprocess.DEVNULL, stdout=said,
            stderr=said)
    try:
        # The first record shows that varnishlog follows.
        until("the log", lambda: node.get("/", {"Host": "first.example"}) and
              os.path.exists(path) and os.path.getsize(path) > 100)
        ask(node)
        size = os.path.getsize(path)
        until("the last record", lambda: node.get(
            "/", {"Host": "last.example"}) and
            os.path.getsize(path) > size + 4096)
    finally:
        end(writer)
    os.remove(path + ".err")


def main():
    folder = sys.argv[1]
    with Served("plain" not in sys.argv[2:]) as node:
        record(node, os.path.join(folder, "why.log"), ask_all)
        print(node.work)


if __name__ == "__main__":
    main()
