#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""The backend of the demo: a page that explains the request it gets.

    explain.py FASTMATCH RULES

demo.vcl sends a request as the rules left it, and as it came in headers
Was-*. The page is what `fastmatch explain` says of the latter, and below it the
former. Listens on a free port of 127.0.0.1, and prints it.
"""

import http.server
import subprocess
import sys

# Headers that Varnish adds itself, and those of the demo.
NOT_OURS = ("was-", "x-varnish", "x-forwarded-for", "via", "connection")


class Page(http.server.BaseHTTPRequestHandler):
    """One request, explained."""

    def explained(self):
        command = [self.server.fastmatch, "explain", self.server.rules,
                   "--color=never", "--method", self.command,
                   "--client", self.headers.get(
                       "X-Forwarded-For", "127.0.0.1").split(",")[-1].strip(),
                   "--url=" + self.headers.get("Was-URL", self.path)]
        for name, value in self.headers.items():
            name = name.lower()
            if name.startswith("was-") and value and \
                    name not in ("was-url", "was-status", "was-location"):
                command += ["-H", "%s: %s" % (
                    name[len("was-"):].title(), value)]
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode("utf-8", "replace")

    def arrived(self):
        lines = ["%s %s" % (self.command, self.path)]
        lines += ["%s: %s" % item for item in self.headers.items()
                  if not item[0].lower().startswith(NOT_OURS)]
        return "".join("    %s\n" % line for line in lines)

    def do_GET(self):
        text = self.explained()
        if not self.headers.get("Was-Status"):
            text += "\nWhat varnishd sent to the backend:\n\n" + \
                self.arrived()
        page = text.encode("utf-8", "replace")
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page)

    do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_GET

    def log_message(self, *_):
        """Nothing: varnishlog says more."""


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.fastmatch, server.rules = sys.argv[1:]
    print(server.server_address[1], flush=True)
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
