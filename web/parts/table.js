/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// A table whose rows are one line each, in a box of a fixed height: what comes and goes
// in it moves nothing else.

import { el } from "./tree.js";

const SHOWN = 12;       // rows of the box,
const OPEN = 7;         // and more where one is open

// Returns rows in the order that they had before, as far as they are still there, while
// somebody reads them; new ones come last. `id` names a row.
export const hold = (before, rows, id) => {
  const left = new Map(rows.map((row) => [id(row), row]));
  const kept = [];
  for (const old of before) {
    const row = left.get(id(old));
    if (!row) continue;
    kept.push(row);
    left.delete(id(old));
  }
  return [...kept, ...left.values()];
};

const head = (table, column) => {
  const sorted = column.order && column.order === table.order;
  return el("th", {
    scope: "col",
    class: column.class || null,
    "aria-sort": sorted ? column.up ? "ascending" : "descending" : null,
  }, column.order
    ? el("button", {
      type: "button", class: "sort", "data-action": "sort",
      "data-table": table.id, "data-order": column.order,
      title: "Sort by " + (column.long || column.title).toLowerCase(),
    }, column.title, el("span", { "aria-hidden": "true" },
      sorted ? column.up ? " \u2191" : " \u2193" : ""))
    : column.title);
};

// The first cell of a row opens it.
const line = (table, row) => el("tr", { "data-key": row.id }, row.cells.map((cell, n) =>
  n > 0 ? el("td", { class: table.columns[n].class || null }, cell)
    : el("th", { scope: "row", class: table.columns[n].class || null },
      row.id ? el("button", {
        type: "button", class: "opens", "data-action": "open",
        "data-table": table.id, "data-id": row.id,
        "aria-expanded": row.detail ? "true" : "false",
      }, cell) : cell)));

// table: id, label, caption (one text), columns [{ title, order, up, class }], order, room (rows
// that may come), rows [{ id, cells, detail }], empty.
export const table = (of) => [
  el("p", { class: "caption", id: of.id + "-shown" }, of.caption),
  el("div", {
    class: "box", tabindex: "0", role: "region", "aria-label": of.label,
    style: { "--rows": String(Math.max(1, Math.min(SHOWN, of.room)) +
      (of.rows.some((row) => row.detail) ? OPEN : 0)) },
  }, of.rows.length === 0
    ? el("p", { class: "empty" }, of.empty)
    : el("table", { class: of.id },
      el("thead", null, el("tr", null, of.columns.map((column) =>
        head(of, column)))),
      el("tbody", { id: of.id + "-rows" }, of.rows.map((row) => [
        line(of, row),
        row.detail && el("tr", { class: "detail" },
          el("td", { colspan: String(of.columns.length) }, row.detail)),
      ])))),
];
