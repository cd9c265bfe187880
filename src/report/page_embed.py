# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Makes page_files.h of web/page: the page in one document, compressed by gzip, as a
string of C, and the policy that lets a browser run its style and its script, and nothing
else.

    page_embed.py web/page/page.html >page_files.h

The document names its styles and its script; the script imports others. All of them
become one script: so no two may have the same name at their top.
web/playground/build makes another page in the same way.
"""

import base64
import gzip
import hashlib
import os
import re
import sys

STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
SCRIPT = re.compile(r'<script type="module" src="([^"]+)"></script>')
IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.M)
NAMED = re.compile(r"^(?:export )?(?:const|let|function|class) (\w+)", re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def modules(path, found=None):
    """Returns the files of a script, each after those that it imports."""
    found = {} if found is None else found
    if path not in found:
        found[path] = None      # a circle ends here
        text = read(path)
        for name in IMPORT.findall(text):
            modules(os.path.normpath(os.path.join(os.path.dirname(path),
                                                  name)), found)
        found[path] = found.pop(path) or text
    return found


def script_of(files):
    """Returns the files as one script, in which nothing is imported."""
    owners = {}
    for path, text in files.items():
        for name in NAMED.findall(text):
            if name in owners:
                sys.exit("page_embed.py: %s: %s is a name of %s, too" % (
                    path, name, owners[name]))
            owners[name] = path
    text = "".join(re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.M)
                   for text in files.values())
    # A browser needs no comments.
    text = re.sub(r"^/\*.*?\*/\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *// .*\n", "", text, flags=re.M)
    if re.search(r"^(import|export) |</script", text, re.M):
        sys.exit("page_embed.py: an import or an export is left, or </script")
    return "\n" + re.sub(r"\n{2,}", "\n", text).lstrip("\n")


def string_of(data):
    """The bytes as a string of C."""
    return "".join(' \\\n    "' + "".join("\\%03o" % byte
                                       for byte in data[at:at + 18]) + '"'
                   for at in range(0, len(data), 18))


def hash_of(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "'sha256-" + base64.b64encode(digest).decode("ascii") + "'"


def style_of(page, beside):
    """Returns the styles that a page names, as one."""
    return "".join(read(os.path.join(beside, name))
                   for name in STYLE.findall(page))


def with_style(page, css):
    """Returns the page with one style in place of those that it names."""
    first, *others = STYLE.findall(page)
    for name in others:
        page = page.replace('<link rel="stylesheet" href="%s">\n' % name, "")
    return page.replace('<link rel="stylesheet" href="%s">' % first,
                        "<style>" + css + "</style>")


def main():
    page, beside = read(sys.argv[1]), os.path.dirname(sys.argv[1])
    css = style_of(page, beside)
    js = script_of(modules(os.path.join(beside,
                                        SCRIPT.search(page).group(1))))
    page = with_style(page, css)
    page = SCRIPT.sub(lambda _: '<script type="module">' + js + "</script>",
                      page)
    policy = "; ".join([
        "default-src 'none'", "style-src " + hash_of(css),
        "script-src " + hash_of(js), "connect-src 'self'", "img-src data:",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    print("/* Made by page_embed.py */")
    print("#define FM_PAGE_GZIP" + string_of(
        gzip.compress(page.encode("utf-8"), mtime=0)))
    print('#define FM_PAGE_POLICY "Content-Security-Policy: ' + policy + '"')


if __name__ == "__main__":
    main()
