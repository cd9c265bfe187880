/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// The top of the page: what serves, what was refused, and curves.

import { el } from "../parts/tree.js";
import { curve } from "../parts/curve.js";
import { diagnostics } from "../parts/diagnostics.js";
import { number, percent, plural, rate, span, time } from "../parts/format.js";

const fact = (id, title, ...value) => el("div", { class: "fact " + id },
  el("dt", null, title), el("dd", { id }, value));

const folded = (id, summary, ...inside) => el("details", { class: "fact", id },
  el("summary", null, summary), inside);

export const shadowShare = (shadow) => !shadow ? null
  : shadow.digest === null ? "its file is not " +
    (shadow.errors > 0 ? "valid" : "there")
    : shadow.sampled === 0 ? "nothing compared yet"
      : "differs in " + percent(shadow.differ / shadow.sampled);

// The line of what serves.
export const facts = (data) => [
  el("dl", { class: "facts" },
    fact("since", "Serving since",
      el("time", null, time(data.loaded_at, data.now)), " ",
      el("span", { class: "dim" }, data.loaded_at
        ? span(data.now - data.loaded_at) : "")),
    fact("generation", "Generation", String(data.generation)),
    fact("digest", "Digest", el("code", { title: data.digest || "" },
      data.digest === null ? "none" : data.digest.slice(0, 12))),
    fact("from", "From", data.backup ? el("span", { class: "no" },
      "the backup: the file is not valid") : "the file",
    data.watch > 0 ? ", looked at every " + data.watch + " s"
      : ", read when told to"),
    data.shadow && fact("differs", "Shadow",
      el("a", { href: "#shadow" }, shadowShare(data.shadow)))),
  el("div", { class: "folded" },
    folded("warnings", data.warning_count === 0 ? "No warnings"
      : plural(data.warning_count, "warning"),
    data.warning_count === 0
      ? el("p", { class: "dim" }, "fastmatch check finds nothing, either.")
      : diagnostics(data.warnings, data.warning_count)),
    folded("files", plural(data.files.of, "file"),
      el("div", { class: "list", tabindex: "0" }, el("ul", null,
        data.files.rows.map((file) => el("li", null,
          el("code", null, file))))),
      data.files.matched === 0 && el("p", { class: "dim" },
        "The search below finds none of them."),
      data.files.matched > data.files.rows.length && el("p", { class: "dim" },
        "and " + number(data.files.matched - data.files.rows.length) +
        " more: the search below finds files, too")),
    folded("more", "Engine", el("p", null, data.engine))),
];

// What was refused, and why; nothing if the last reload was not.
export const refused = (data) => data.refused_at === null ? []
  : [el("section", { class: "bad", id: "errors", role: "alert" },
    el("h2", null, "Refused at ", time(data.refused_at, data.now),
      ": the file is not valid; what served goes on"),
    diagnostics(data.errors, data.error_count),
    data.errors.some((error) => error.excerpt) ? null
      : el("p", { class: "dim" }, "fastmatch check ", el("code", null,
        data.path), " shows the lines."))];

const sum = (...lists) => lists.some((list) => !list) ? null
  : lists[0].map((_, n) => lists.reduce((all, list) => all + list[n], 0));

const share = (part, all) => !part || !all ? null
  : part.map((n, i) => all[i] === 0 ? null : n / all[i]);

const LISTS = ["requests", "hits", "misses", "passes", "refused", "4xx", "5xx"];

// Returns what was counted without the last point if that is not over yet: it would
// look like a fall.
export const whole = (counted, now) => {
  if (counted.end <= now) return counted;
  const cut = { ...counted, end: counted.end - counted.step };
  for (const name of LISTS)
    if (counted[name]) cut[name] = counted[name].slice(0, -1);
  return cut;
};

// The same for all curves of a history.
export const wholeHistory = (history, now) => ({ ...history,
  all: whole(history.all, now),
  hosts: history.hosts.map((one) => whole(one, now)),
});

const CURVES = [
  ["requests", "Requests"], ["hit-rate", "Hit rate"], ["misses", "Misses"],
  ["passes", "Passes"], ["refused", "Refused"], ["4xx", "4xx"], ["5xx", "5xx"],
];

// Returns the values of a curve: shares, or numbers a second; null: not counted.
export const valuesOf = (counted, id) => {
  if (id === "hit-rate")
    return share(counted.hits,
      sum(counted.hits, counted.misses, counted.passes));
  return counted[id] && counted[id].map((n) => n / counted.step);
};

// Draws the curves of what was counted. `at` is the value of the readout, or null.
export const curves = (counted, data, at, prefix) =>
  CURVES.map(([id, title]) => {
    const values = valuesOf(counted, id), hits = id === "hit-rate";
    return curve({
      id: prefix + id, title, at, values, now: data.now,
      end: counted.end, step: counted.step,
      show: hits ? percent : rate, unit: hits ? "" : "a second",
      least: hits ? 1 : 0.1,
      past: (seconds) => "last " + span(seconds),
      missing: values ? null
        : "call " + data.name + ".apply() in vcl_deliver to see " +
          (hits ? "hits" : title.toLowerCase()),
    });
  });
