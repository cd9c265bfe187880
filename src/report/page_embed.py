# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Makes page_files.h of page.css and page.js: both as strings of C, and the
policy that lets a browser run these and nothing else.

    page_embed.py page.css page.js >page_files.h
"""

import base64
import hashlib
import sys


def string_of(text):
    """The text as a string of C, a line to a line."""
    lines = text.splitlines(keepends=True)
    return "".join(' \\\n    "' + line.replace("\\", "\\\\")
                   .replace('"', '\\"').replace("\n", "\\n") + '"'
                   for line in lines)


def hash_of(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "'sha256-" + base64.b64encode(digest).decode("ascii") + "'"


def main():
    texts = []
    for path in sys.argv[1:3]:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    css, js = texts
    policy = "; ".join([
        "default-src 'none'", "style-src " + hash_of(css),
        "script-src " + hash_of(js), "connect-src 'self'", "img-src data:",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    print("/* Made by page_embed.py */")
    print("#define FM_PAGE_CSS" + string_of(css))
    print("#define FM_PAGE_JS" + string_of(js))
    print('#define FM_PAGE_POLICY "Content-Security-Policy: ' + policy + '"')


main()
