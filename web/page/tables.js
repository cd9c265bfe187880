/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Hosts and rules, by rate or hits; what was never hit; all counters.

import { el, textOf } from "../parts/tree.js";
import { NONE, number, percent, plural, rate } from "../parts/format.js";
import { table } from "../parts/table.js";
import { command, quoted, whyCommand } from "../parts/command.js";
import { curves } from "./state.js";

// The command that shows the requests that ran a rule; `folder` is that of the rules.
export const ruleCommand = (rule, folder) => "varnishlog -g request -q " +
  quoted('VCL_Log ~ "at ' + (rule.at.startsWith("/") ? "" : folder) +
    rule.at.replace(/[\\"]/g, ".") + '( |:|$)"');

// The command that shows the requests of a host, or of those that a pattern finds.
export const hostCommand = (pattern) => {
  const name = pattern.replace(/^\*?\./, "").replace(/\.\*$/, "")
    .replace(/\./g, "[.]");
  const regex = pattern === "*" ? "." :
    pattern.startsWith("*.") ? "[.]" + name + "(:|$)" :
      pattern.startsWith(".") ? "(^|[.])" + name + "(:|$)" :
        pattern.endsWith(".*") ? "^" + name + "[.]" : "^" + name + "(:|$)";
  return "varnishlog -g request -q " +
    quoted('ReqHeader:Host ~ "' + regex + '"');
};

export const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);

// "5 of 6 host patterns were asked for"; of a search: "2 of 3 that it finds".
const caption = (rows, of, searched, never, what, done) => searched
  ? number(rows) + " of " + number(of.matched) + " that the search finds"
  : number(of.of - never) + " of " + number(of.of) + " " + what + "s were " +
    done + (rows < of.of - never ? "; the first " + number(rows) + " are here"
    : "");

/* Rules */

// Names a rule: no two begin at the same place.
export const ruleId = (rule) => rule.at + ":" + rule.column;

// The hosts that a rule is for, with the requests of each.
const ruleHosts = (hosts) => hosts.all ? "For all hosts."
  : [hosts.of === 0 ? hosts.default ? "For hosts that no other block has" +
    " (default)." : "For no host."
    : ["For " + plural(hosts.of, "host pattern") +
      (hosts.default ? ", and others" : "") + ": ",
    hosts.rows.map((host, n) => [n > 0 && ", ", el("code", null, host.host),
      host.hits !== null && el("span", { class: "dim" }, " " +
        number(host.hits))]),
    hosts.of > hosts.rows.length && ", and " +
      number(hosts.of - hosts.rows.length) + " more"]];

const ruleDetail = (rule, asked, data) => {
  const hosts = asked && ruleId(asked) === ruleId(rule) && asked.hosts;
  return el("div", { class: "opened" },
    el("p", null, el("code", { class: "whole" }, rule.text)),
    el("p", { class: "dim" }, rule.at + ", column " + rule.column + ": " +
      (rule.hits === null ? "not counted" : plural(rule.hits, "hit")) +
      (rule.rate === null || rule.rate === undefined ? ""
        : ", " + rate(rule.rate) + " a second")),
    hosts && el("p", { class: "for", "data-key": textOf(el("p", null,
      ruleHosts(hosts))) }, ruleHosts(hosts)),
    command(ruleCommand(rule, folderOf(data.path))),
    data.log !== "all" && !rule.verdict && el("p", { class: "dim" },
      "The log has this line only with log=all: rules(\u2026, log=all) in" +
      " vcl_init."),
    data.log === "none" && rule.verdict && el("p", { class: "dim" },
      "The log has this line only with log=verdict, or log=all."));
};

const ruleRow = (rule, data, opened) => ({
  id: ruleId(rule),
  cells: [[el("code", null, rule.text), " ",
    el("span", { class: "place" }, rule.at)],
  rate(rule.rate), number(rule.hits)],
  detail: opened === ruleId(rule) && ruleDetail(rule, data.rule, data),
});

// The rules that were hit; all, where they are sorted by place or nothing is counted.
export const hitRules = (data, order) => data.rules.rows.filter((rule) =>
  order === "place" || rule.hits === null || rule.hits > 0);

export const rules = (data, rows, order, searched, opened) => [
  el("h2", null, "Rules"),
  table({
    id: "rules", label: "Rules", order,
    room: data.rules.matched,
    caption: caption(rows.length, data.rules, searched,
      data.never.of, "rule", "hit"),
    columns: [{ title: "Rule", order: "place", long: "place", up: true },
      { title: "Rate", order: "rate", long: "hits a second", class: "n" },
      { title: "Hits", order: "hits", class: "n" }],
    rows: rows.map((rule) => ruleRow(rule, data, opened)),
    empty: data.rules.matched === 0 ? "The search finds no rule."
      : "No rule has been hit yet.",
  }),
];

export const never = (data, opened) => [
  el("summary", null, el("h2", null, "Never hit: ",
    plural(data.never.matched, "rule"))),
  data.never.matched === 0
    ? el("p", { class: "dim" }, "Each rule that the search finds was hit.")
    : table({
      id: "never", label: "Rules that no request has reached",
      room: data.never.matched,
      caption: number(data.never.rows.length) + " of " +
        number(data.never.matched) + " rules that no request has reached",
      columns: [{ title: "Rule" }, { title: "Rate", class: "n" },
        { title: "Hits", class: "n" }],
      rows: data.never.rows.map((rule) => ruleRow(rule, data, opened)),
      empty: "",
    }),
];

/* Hosts */

const hostDetail = (host, data, history, at) => {
  const counted = history && (history.hosts || []).find((one) =>
    one.host === host.host);
  return el("div", { class: "opened" },
    el("p", null, el("code", { class: "whole" }, host.host)),
    counted ? el("div", { class: "curves small" },
      curves(counted, data, at, "host-"))
      : history && el("p", { class: "dim" },
        "The busiest " + (history.hosts || []).length +
        " hosts have curves; this is none of them."),
    command(hostCommand(host.host)),
    !host.host.includes("*") && !host.host.startsWith(".") &&
      whyCommand("http://" + host.host + "/"));
};

// The hosts that were asked for; all, where they are sorted by name or searched.
export const askedHosts = (data, order, searched) =>
  data.hosts.rows.filter((host) => order === "name" || searched ||
    host.hits === null || host.hits > 0);

export const hosts = (data, rows, order, searched, opened, history, at) => [
  el("h2", null, "Hosts"),
  table({
    id: "hosts", label: "Hosts", order, room: data.hosts.matched,
    caption: caption(rows.length, data.hosts, searched,
      data.hosts.never, "host pattern", "asked for"),
    columns: [{ title: "Host", order: "name", up: true },
      { title: "Rate", order: "rate", long: "requests a second", class: "n" },
      { title: "Requests", order: "hits", class: "n hits" },
      { title: "Hit rate", class: "n share" },
      { title: "4xx", order: "4xx", class: "n errors four" },
      { title: "5xx", order: "5xx", class: "n errors" }],
    rows: rows.map((host) => ({
      id: host.host,
      cells: [el("code", null, host.host), rate(host.rate),
        number(host.hits), percent(host.hit_rate), number(host["4xx"]),
        host["5xx"] > 0 ? el("span", { class: "no" }, number(host["5xx"]))
          : number(host["5xx"])],
      detail: opened === host.host && hostDetail(host, data, history, at),
    })),
    empty: data.hosts.matched === 0 ? "The search finds no host."
      : "No request yet.",
  }),
];

/* Counters */

// Adds what was counted in each second since `before`, an older answer.
export const counters = (data, before) => {
  const seconds = before ? data.seconds - before.seconds : 0;
  return [
    el("summary", null, el("h2", null, "All counters")),
    el("div", { class: "scroll" }, el("table", { class: "counters" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "What"),
        el("th", { scope: "col", class: "n" }, "In all"),
        el("th", { scope: "col", class: "n" }, "A second"))),
      el("tbody", { id: "counts" }, data.counts.map((count, n) =>
        el("tr", null, el("th", { scope: "row" }, count.what),
          el("td", { class: "n" }, number(count.total)),
          el("td", { class: "n" }, seconds > 0.5
            ? rate(Math.max(0, count.total - before.counts[n].total) /
              seconds) : NONE)))))),
  ];
};
