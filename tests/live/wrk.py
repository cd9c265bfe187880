# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""wrk, told what to ask and what to look at in each answer."""

import json
import os
import signal
import subprocess

from node import HERE, Failed, find


class Load:
    """Runs wrk during the with block, for `seconds` at most; .result then has
    the figures that wrk.lua prints.

    requests: of "Host URL User-Agent" lines; asked in turn.  An answer is
    wrong if its header X-Seen has two different words in it, or none.
    """

    def __init__(self, port, requests, seconds, connections=8):
        self.lines = list(requests)
        self.seconds = seconds
        self.command = [
            find("wrk"), "-t", "2", "-c", str(connections),
            "-d", "%ds" % max(1, round(seconds)), "--timeout", "20s",
            "-s", os.path.join(HERE, "wrk.lua"),
            "http://127.0.0.1:%d/" % port]
        self.result = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
            env=dict(os.environ, FM_REQUESTS="\n".join(self.lines)))
        return self

    def is_running(self):
        return self.process.poll() is None

    def enough(self):
        """Lets wrk print what it has till now, and end."""
        self.process.send_signal(signal.SIGINT)

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
        try:
            said = self.process.communicate(timeout=self.seconds + 60)[0]
        finally:
            if self.is_running():
                self.process.kill()
        if kind is not None:
            return
        last = said.strip().split("\n")[-1]
        try:
            self.result = json.loads(last)
        except ValueError:
            raise Failed("wrk: " + said) from None

    def socket_errors(self):
        return sum(self.result[kind]
                   for kind in ("connect", "read", "write", "timeout"))
