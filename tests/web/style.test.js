/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../../web/parts/parts.css", import.meta.url),
  "utf-8");

// The colours of both schemes, the light one first.
const schemes = [...css.matchAll(/:root \{(.*?)\}/gs)].map(([, text]) =>
  Object.fromEntries([...text.matchAll(/--(\S+): (#[0-9a-f]+)/g)]
    .map(([, name, colour]) => [name, colour])));

const channels = (colour) => (colour.length === 4
  ? [...colour.slice(1)].map((digit) => digit + digit)
  : colour.slice(1).match(/../g)).map((two) => parseInt(two, 16) / 255);

const luminance = (colour) => {
  const [r, g, b] = channels(colour).map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

test("text has a contrast of 4.5 to all that it stands on, light and dark",
  () => {
    assert.equal(schemes.length, 2);
    assert.ok(Math.abs(contrast("#000", "#ffffff") - 21) < 0.01);
    for (const scheme of schemes) {
      for (const ink of ["ink", "dim", "link", "bad", "good"])
        for (const paper of ["paper", "card", "code"])
          assert.ok(contrast(scheme[ink], scheme[paper]) >= 4.5,
            `${ink} on ${paper}: ` + contrast(scheme[ink], scheme[paper]));
      for (const [ink, paper] of [["bad", "bad-card"], ["ink", "bad-card"],
        ["dim", "bad-card"], ["link", "bad-card"], ["good", "bad-card"],
        ["ink", "mark"], ["dim", "mark"], ["link", "mark"], ["good", "mark"],
        ["card", "link"]])
        assert.ok(contrast(scheme[ink], scheme[paper]) >= 4.5,
          `${ink} on ${paper}: ` + contrast(scheme[ink], scheme[paper]));
    }
  });

test("curves, fields and the focus have a contrast of 3", () => {
  for (const scheme of schemes)
    for (const line of ["curve", "dim", "link"])
      assert.ok(contrast(scheme[line], scheme.card) >= 3, line);
});

test("each colour of one scheme is there in the other", () => {
  assert.deepEqual(Object.keys(schemes[0]), Object.keys(schemes[1]));
});
