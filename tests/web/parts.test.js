/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { test } from "node:test";
import { number, percent, plural, rate, span } from "../../web/parts/format.js";
import { hold, table } from "../../web/parts/table.js";
import { diagnostics } from "../../web/parts/diagnostics.js";
import { el, findAll, textOf } from "../../web/parts/tree.js";

test("numbers are as people read them", () => {
  assert.equal(number(1234567), "1,234,567");
  assert.equal(number(null), "\u2013");
  assert.equal(rate(0), "0");
  assert.equal(rate(0.001), "<0.01");
  assert.equal(rate(12.34), "12.3");
  assert.equal(rate(99.96), "100");
  assert.equal(span(59), "59 s");
  assert.equal(span(7500), "2 h 5 min");
  assert.equal(span(90000), "1 d 1 h");
  assert.equal(plural(1, "file"), "1 file");
  assert.equal(plural(0, "file"), "0 files");
});

test("a share that is not all is not 100 %, one that is not nothing not 0 %",
  () => {
    assert.equal(percent(1), "100 %");
    assert.equal(percent(0.99999), ">99.9 %");
    assert.equal(percent(0.00001), "<0.1 %");
    assert.equal(percent(0), "0 %");
    assert.equal(percent(null), "\u2013");
  });

test("a text is a text, whatever is in it", () => {
  const tree = el("p", null, "<b>", null, false, 7, ["x"]);
  assert.deepEqual(tree.children, ["<b>", "7", "x"]);
});

test("rows keep their order while they are read", () => {
  const before = ["a", "b", "c"], id = (row) => row;
  assert.deepEqual(hold(before, ["c", "d", "a"], id), ["a", "c", "d"]);
  assert.deepEqual(hold([], ["c", "a"], id), ["c", "a"]);
});

const rows = [{ id: "a", cells: ["a", "1"], detail: "more" },
  { id: "b", cells: ["b", "2"], detail: false }];
const of = { id: "hosts", label: "Hosts", caption: "two", order: "name",
  room: 30, columns: [{ title: "Host", order: "name", up: true },
    { title: "Hits", order: "hits", class: "n" }], rows, empty: "none" };

test("a table says how it is sorted, and which row is open", () => {
  const tree = table(of);
  assert.deepEqual(findAll(tree, "th").slice(0, 2)
    .map((head) => head.attributes["aria-sort"]), ["ascending", null]);
  assert.deepEqual(findAll(tree, ".opens")
    .map((row) => row.attributes["aria-expanded"]), ["true", "false"]);
  assert.equal(textOf(findAll(tree, ".detail")), "more");
  assert.deepEqual(findAll(tree, "tr").map((row) =>
    row.attributes["data-key"]), [undefined, "a", undefined, "b"]);
});

test("a table has the room of its rows before they are there", () => {
  const height = (more) => findAll(table({ ...of, ...more }), ".box")[0]
    .attributes.style["--rows"];
  assert.equal(height({ rows: [] }), height({ rows: rows.slice(1) }));
  assert.ok(Number(height({ rows: [], room: 3 })) <
    Number(height({ rows: [] })));
  assert.match(textOf(table({ ...of, rows: [] })), /none/);
});

test("messages have their place, their line, and how many are not shown", () => {
  const tree = diagnostics([{ at: "a:1:2", text: "wrong",
    excerpt: "    x\n    ^\n" }], 7);
  assert.equal(textOf(findAll(tree, "code")), "a:1:2");
  assert.equal(textOf(findAll(tree, "pre")), "    x\n    ^");
  assert.match(textOf(tree), /and 6 more/);
});
