#!/usr/bin/env python3
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""A backend that answers with what it was asked.

    backend.py PORT...
"""

import http.server
import sys
import threading


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = ["%s %s" % (self.command, self.path)]
        asked += ["%s=%s" % (name, self.headers[name])
                  for name in ("X-Site", "X-Device", "X-Lang", "Cookie")
                  if name in self.headers]
        body = (" ".join(asked) + "\n").encode("latin-1")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=60")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *_):
        pass


def main():
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Echo)
               for port in sys.argv[1:]]
    for server in servers[1:]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    servers[0].serve_forever()


try:
    main()
except KeyboardInterrupt:
    pass
