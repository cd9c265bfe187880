/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// What the shadow would do otherwise: by pair of rules, with hosts, and the last requests.

import { el } from "../parts/tree.js";
import { number, percent, plural, time } from "../parts/format.js";
import { table } from "../parts/table.js";
import { shadowShare } from "./state.js";

const side = (rule) => rule === null ? el("span", { class: "dim" }, "no rule")
  : [el("span", { class: "place" }, rule.at), " ",
    el("code", null, rule.text)];

// A difference is of the request unless it has another phase.
const kindText = (cell) => (cell.phase && cell.phase !== "request"
  ? cell.phase + ": " : "") + cell.kind;
const kindOf = (cell) => cell.header === null ? kindText(cell)
  : [kindText(cell) + " ", el("code", null, cell.header)];

const key = (rule) => rule === null ? "-" : rule.at + " " + rule.text;

// Groups differences by the two rules; the pair with most comes first.
export const pairs = (differences) => {
  const found = new Map();
  for (const cell of differences) {
    const id = key(cell.serving) + "\n" + key(cell.shadow);
    const pair = found.get(id) || { id, serving: cell.serving,
      shadow: cell.shadow, requests: 0, cells: [] };
    pair.requests += cell.requests;
    pair.cells.push(cell);
    found.set(id, pair);
  }
  return [...found.values()].sort((a, b) => b.requests - a.requests);
};

const kinds = (pair) => [...new Set(pair.cells.map((cell) =>
  kindText(cell) + (cell.header === null ? "" : " " + cell.header)))];

// The first host, which has most of the differences, and how many others.
const hostsOf = (pair) => {
  const names = [...new Set(pair.cells.map((cell) => cell.host))];
  return [el("code", null, names[0] === null ? "none" : names[0]),
    names.length > 1 && el("span", { class: "dim" },
      " +" + (names.length - 1))];
};

const detail = (pair) => el("div", { class: "opened" },
  el("dl", null,
    el("dt", null, "Serves"), el("dd", null, side(pair.serving)),
    el("dt", null, "Shadow"), el("dd", null, side(pair.shadow))),
  el("div", { class: "scroll" }, el("table", null,
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "What"),
      el("th", { scope: "col" }, "Host"),
      el("th", { scope: "col", class: "n" }, "Requests"))),
    el("tbody", null, pair.cells.map((cell) => el("tr", null,
      el("td", null, kindOf(cell)),
      el("td", null, el("code", null, cell.host === null ? "none"
        : cell.host)),
      el("td", { class: "n" }, number(cell.requests))))))));

const latest = (data) => data.shadow.latest.length > 0 &&
  el("details", { id: "latest" },
    el("summary", null, "The last requests that differ"),
    el("div", { class: "scroll" }, el("table", { class: "examples" },
      el("thead", null, el("tr", null, ["When", "Request, without its query",
        "Headers tested", "Differs"].map((title, n) =>
        el("th", { scope: "col", class: n === 0 && "place" }, title)))),
      el("tbody", null, data.shadow.latest.map((one) => el("tr", null,
        el("td", { class: "place" }, time(one.at, data.now)),
        el("td", null, el("code", null, one.method + " " +
          (one.host || "") + one.path)),
        el("td", null, one.tested.map((header, n) => [n > 0 && ", ",
          el("code", null, header.name), header.value === null
            ? " not there" : header.value === "[hidden]" ? " hidden"
              : [": ", el("code", null, header.value)]])),
        el("td", null, one.differs.map((cell, n) =>
          [n > 0 && ", ", kindOf(cell)]))))))));

export const shadow = (data, opened) => {
  const of = data.shadow;
  if (of === null) return [];
  const rows = pairs(of.differences);
  return [
    el("h2", null, "Shadow"),
    el("p", { class: "shadow-state" }, el("code", null, of.path), ": ",
      el("strong", null, shadowShare(of)),
      of.digest !== null && of.sampled > 0 && ", " + number(of.differ) +
        " of " + plural(of.sampled, "request") + " compared since " +
        time(of.since, data.now)),
    of.errors > 0 && el("div", { class: "messages" }, of.messages.map((text) =>
      el("p", null, el("code", null, text)))),
    of.digest !== null && table({
      id: "shadow", label: "Differences, by pair of rules", room: 4,
      caption: rows.length === 0 ? "By pair of rules" :
        plural(rows.length, "pair") + " of rules" + (of.more > 0
          ? "; and " + number(of.more) + " rarer differences" : ""),
      columns: [{ title: "Serves" }, { title: "Shadow" },
        { title: "What", class: "what" }, { title: "Hosts", class: "at" },
        { title: "Share", class: "n share" },
        { title: "Requests", class: "n" }],
      rows: rows.map((pair) => ({
        id: pair.id,
        cells: [side(pair.serving), side(pair.shadow),
          kinds(pair).join(", "), hostsOf(pair), percent(Math.min(1, pair.requests /
            of.sampled)), number(pair.requests)],
        detail: opened === pair.id && detail(pair),
      })),
      empty: of.sampled === 0 ? "No request has been compared yet."
        : "No request would be decided or changed otherwise.",
    }),
    latest(data),
  ].flat().filter((part) => part);
};
