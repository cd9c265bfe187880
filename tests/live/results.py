# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""Prints what a script of tests/live has found: lines PASS, FAIL and SKIP, then
"N passed, N failed"."""

import argparse
import os
import signal
import sys
import time
import traceback

import node

# automake takes this exit status for "skipped".
SKIPPED = 77


class Results:
    """Counts, and prints as it goes."""

    def __init__(self, script):
        self.script = script
        self.passed = self.failed = self.skipped = 0
        self.begun = time.monotonic()

    def check(self, name, holds, why=""):
        """Checks one thing; its name says what is broken otherwise."""
        if holds:
            self.passed += 1
            print("PASS %s: %s" % (self.script, name), flush=True)
        else:
            self.failed += 1
            print("FAIL %s: %s: %s" % (self.script, name, why), flush=True)
        return bool(holds)

    def equal(self, name, have, want):
        return self.check(name, have == want, "%r, should be %r" % (
            have, want))

    def skip(self, name, why):
        self.skipped += 1
        print("SKIP %s: %s: %s" % (self.script, name, why), flush=True)

    def note(self, text):
        """Prints a remark, which decides nothing."""
        print("     %s" % text, flush=True)

    def status(self):
        print("%d passed, %d failed%s (%.0f s)" % (
            self.passed, self.failed,
            ", %d skipped" % self.skipped if self.skipped else "",
            time.monotonic() - self.begun), flush=True)
        if self.failed:
            return 1
        return 0 if self.passed else SKIPPED


def options(doc, seconds=None):
    """Returns a parser with the arguments that all scripts have."""
    parser = argparse.ArgumentParser(
        description=doc.strip().split("\n")[0], epilog=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vmods", nargs="?", help="folder of "
                        "libvmod_fastmatch.so (or VMOD_DIR, or that of build/)")
    parser.add_argument("--asan", action="store_true", help="the module is "
                        "built with --enable-sanitizers (build-asan/)")
    if seconds is not None:
        parser.add_argument("--seconds", type=float, default=seconds,
                            help="how long under load (%g)" % seconds)
        parser.add_argument("--minutes", type=float, help="the same")
    return parser


def main(doc, parser, tests):
    """Runs tests(results, built, arguments); returns the exit status."""
    # A test that is ended stops its programs and removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    args = parser.parse_args()
    if getattr(args, "minutes", None):
        args.seconds = args.minutes * 60
    results = Results(os.path.basename(sys.argv[0]))
    try:
        tests(results, node.Built(args.vmods, args.asan), args)
    except node.Failed as failed:
        results.check("set up", False, failed)
    except Exception:                           # pylint: disable=W0718
        results.check("goes on to its end", False, traceback.format_exc())
    return results.status()
