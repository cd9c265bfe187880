/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { test } from "node:test";
import { area, curve, move, nearest, path, top }
  from "../../web/parts/curve.js";
import { rate } from "../../web/parts/format.js";
import { findAll, textOf } from "../../web/parts/tree.js";
import { curves, valuesOf, whole } from "../../web/page/state.js";

test("the axis ends at a round number that is not below any value", () => {
  const cases = [[[0, 0], 0.1], [[3], 5], [[20], 20], [[21], 50],
    [[9999], 10000], [[null, 0.3], 0.5], [[], 0.1]];
  for (const [values, want] of cases) assert.equal(top(values, 0.1), want);
});

test("a value that is not known is a gap, and no 0", () => {
  assert.equal(path([0, null, 10], 10), "M0 64h0M360 2h0");
  assert.equal(path([10, 5, null], 10), "M0 2L180 33");
  assert.equal(area([null, 10, 10], 10), "M180 64L180 2L360 2L360 64Z");
  assert.equal(path([null, null], 10), "");
});

test("keys move the readout within the curve", () => {
  assert.equal(move(null, "ArrowLeft", 60), 58);
  assert.equal(move(0, "ArrowLeft", 60), 0);
  assert.equal(move(59, "ArrowRight", 60), 59);
  assert.equal(move(10, "PageUp", 60), 0);
  assert.equal(move(10, "End", 60), 59);
  assert.equal(move(10, "Escape", 60), null);
  assert.equal(move(10, "Tab", 60), undefined);
  assert.equal(nearest(0.5, 61), 30);
  assert.equal(nearest(2, 61), 60);
});

const counted = {
  step: 10, end: 1000, requests: [100, 0, 50], hits: [60, 0, 20],
  misses: [20, 0, 20], passes: [20, 0, 0], refused: [0, 0, 1],
  "4xx": [5, 0, 0], "5xx": [0, 0, 0],
};
const data = { now: 1000, name: "site" };

test("the hit rate is of hits, misses and passes; without any it is not known",
  () => {
    assert.deepEqual(valuesOf(counted, "hit-rate"), [0.6, null, 0.5]);
    assert.deepEqual(valuesOf(counted, "requests"), [10, 0, 5]);
  });

test("what is not counted says what to do, and is never 0 %", () => {
  const unknown = { ...counted, hits: null, misses: null, passes: null,
    "4xx": null, "5xx": null };
  const shown = curves(unknown, data, null, "all-");
  assert.equal(shown.length, 7);
  assert.equal(textOf(shown[1]),
    "Hit ratecall site.apply() in vcl_deliver to see hits");
  assert.doesNotMatch(textOf(shown), /0 %/);
  assert.match(textOf(shown[0]), /^Requests a second5\.0/);
});

test("the readout has a value and its time, in words for a screen reader", () => {
  const shown = curve({ id: "x", title: "Requests", values: [1, 2, 3],
    end: 1000, step: 10, show: String, unit: "a second", least: 1, at: 0,
    now: 1000, past: () => "" });
  const [svg] = findAll(shown, "svg");
  assert.match(svg.attributes["aria-valuetext"], /^1 a second, at /);
  assert.equal(svg.attributes["aria-valuemax"], "2");
  assert.equal(textOf(findAll(shown, ".value")), "1");
  assert.equal(findAll(shown, ".cursor").length, 1);
  const axis = (values) => textOf(findAll(curve({ id: "x", title: "x", values,
    end: 1000, step: 10, show: rate, unit: "", least: 0.1, at: null, now: 1000,
    past: () => "" }), ".axis"));
  assert.deepEqual([[20], [0.3], [0.07], [900]].map(axis),
    ["to 20", "to 0.5", "to 0.1", "to 1,000"]);
});

test("a point that is not over is left out, and not taken for a fall", () => {
  assert.deepEqual(whole(counted, 1000).requests, [100, 0, 50]);
  const cut = whole({ ...counted, end: 1007, hits: null }, 1000);
  assert.deepEqual(cut.requests, [100, 0]);
  assert.equal(cut.end, 997);
  assert.equal(cut.hits, null);
});

test("a worker without a whole point yet has no value, and no 0", () => {
  const shown = curves({ ...counted, requests: [], hits: [], misses: [],
    passes: [], refused: [], "4xx": [], "5xx": [] }, data, null, "all-");
  assert.match(textOf(shown[0]), /^Requests a second\u2013/);
  assert.match(textOf(shown[1]), /^Hit rate\u2013/);
});
