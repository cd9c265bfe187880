# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
"""Packs the description of the counters, in a file that vsctool made.

    json_pack.py <VSC_fastmatch.c

Two thirds of that JSON are the same words again.  So the two bytes that are most often
beside each other become one, a byte of 128 or more, again and again.  The array has
then: the length of the JSON, the two bytes of each such byte, and the packed text.
counters_shown.c unpacks it.
"""

import collections
import re
import sys

ARRAY = re.compile(r"(vsc_fastmatch_json)\[\d+\] = \{([\d,\s]*)\}")


def packed(text):
    pairs, text = [], list(text)
    for code in range(128, 256):
        counts = collections.Counter(zip(text, text[1:]))
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        pairs.extend(pair)
        left, text = text[::-1], []
        while left:
            byte = left.pop()
            if left and (byte, left[-1]) == pair:
                left.pop()
                byte = code
            text.append(byte)
    return bytes(pairs), bytes(text)


def unpacked(pairs, text):
    for at in range(254, -1, -2):
        text = text.replace(bytes([128 + at // 2]), pairs[at:at + 2])
    return text


def with_packed(found):
    text = bytes(int(byte) for byte in re.findall(r"\d+", found.group(2)))
    pairs, short = packed(text)
    if max(text) >= 128 or len(text) >= 1 << 16 or \
            unpacked(pairs, short) != text:
        sys.exit("json_pack.py: this JSON can't be packed")
    array = len(text).to_bytes(2, "big") + pairs + short
    lines = "".join("\n\t" + ",".join(map(str, array[at:at + 18])) + ","
                    for at in range(0, len(array), 18))
    return "%s[%d] = {%s\n}" % (found.group(1), len(array), lines)


def main():
    text, n = ARRAY.subn(with_packed, sys.stdin.read())
    if n != 1:
        sys.exit("json_pack.py: there is no vsc_fastmatch_json[]")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
