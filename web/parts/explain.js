/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// An explanation, as `fastmatch explain --json` prints it (fastmatch(1)): the verdict,
// what changes, and each step.

import { el } from "./tree.js";
import { plural } from "./format.js";

const code = (text) => el("code", null, text);

// "site.rules:12", without the folder of the rules.
export const placeOf = (rule, folder) => {
  const file = rule.file.startsWith(folder) ? rule.file.slice(folder.length)
    : rule.file;
  return rule.line === null ? file : file + ":" + rule.line;
};

const OUTCOMES = {
  "true": ["yes", "yes"], "false": ["no", "no"],
  "undecided": ["no", "undecided"], "not asked": ["dim", "not asked"],
  "fragment": ["no", "the URL has a raw #"],
};
const outcome = (word) => {
  const [style, text] = OUTCOMES[word] || ["dim", word];
  return el("span", { class: style }, text);
};

const change = (step) => step.after === null
  ? [code(step.what), " removed"]
  : [code(step.what), ": ",
    step.before !== null && [code(step.before), " \u2192 "], code(step.after)];

const EFFECTS = {
  none: () => el("span", { class: "dim" }, "nothing to change"),
  changed: change,
  backend: (step) => ["backend ", code(step.what)],
  verdict: (step) => [el("strong", null, "decides"),
    step.what && [" ", code(step.what)]],
  ignored: () => "ignored in an ESI sub-request",
  undecided: () => el("span", { class: "no" }, "undecided"),
  log: (step) => ["logs ", code(step.after)],
  call: (step) => ["calls ", code(step.what)],
  ban: (step) => step.after === null ? "bans nothing, as a value is empty"
    : ["bans ", code(step.after)],
  key: (step) => ["adds to the key: ", step.after === null ? "nothing"
    : code(step.after)],
  left: (step) => ["leaves out: ", step.after],
  stop: () => "leaves the block",
  use: () => "runs it",
  when: (step) => outcome(step.outcome),
};
const effect = (step) =>
  (EFFECTS[step.effect] || (() => step.effect))(step);

const tested = (test) => test.outcome === "not asked" ? null
  : test.subject === null ? ", not there" : [", ", code(test.subject)];

// Returns rows of the statements, each with the tests of its when below it.
export const steps = (run, folder) => {
  let block = null;
  return run.statements.flatMap((step, n) => {
    const rows = [];
    if (step.block !== block) {
      block = step.block;
      rows.push(el("tr", { class: "block" }, el("th", {
        colspan: "3", scope: "rowgroup" }, code(block))));
    }
    const tests = run.tests.filter((one) => one.statement === n);
    // One test says the same as its when, but for what was tested.
    const alone = tests.length === 1 &&
      step.text === "when " + tests[0].text ? tests.pop() : null;
    rows.push(el("tr", { class: "depth" + Math.min(step.depth, 4) },
      el("td", { class: "place" }, placeOf(step, folder)),
      el("td", null, code(step.text)), el("td", null, effect(step),
        alone && tested(alone))));
    for (const test of tests)
      rows.push(el("tr", {
        class: "test depth" + Math.min(step.depth + 1, 4) },
      el("td", { class: "place" }, placeOf(test, folder)),
      el("td", null, code(test.text)),
      el("td", null, outcome(test.outcome), tested(test))));
    return rows;
  });
};

const stepsTable = (run, folder, title) =>
  run.statements.length > 0 && [
    el("h3", null, title),
    el("div", { class: "scroll" }, el("table", { class: "steps" },
      el("thead", null, el("tr", null,
        ["Place", "Rule", "Outcome"].map((text) =>
          el("th", { scope: "col" }, text)))),
      el("tbody", null, steps(run, folder)))),
    run.more > 0 && el("p", { class: "dim" }, "and " +
      plural(run.more, "step") + " more, which fastmatch explain shows"),
  ];

const row = (name, ...value) => [el("dt", null, name), el("dd", null, value)];

const WHY = {
  undecided: "a regex reached the match limit",
  fragment: "the URL has a raw #",
  client: "a rule needs the client, which is unknown",
};

const verdict = (run, folder) => [
  row("Verdict", el("span", { class: "verdict" }, el("strong", null,
    run.verdict === "refuse" ? "refused" : run.verdict || "none",
    run.status !== null && run.status !== undefined ? " " + run.status : ""),
  run.verdict === "none" && ", VCL goes on",
  run.refused && ": " + (WHY[run.refused] || run.refused)),
  run.location && [" ", code(run.location)],
  run.reason && [" ", code(run.reason)],
  run.type && [" ", code(run.type)]),
  run.rule && row("By", el("span", { class: "place" },
    placeOf(run.rule, folder)), " ", code(run.rule.text)),
];

const edits = (list) => list.length === 0
  ? row("Request", "stays as it came")
  : list.map((edit) => edit.kind === "url"
    ? row("URL", code(edit.value))
    : edit.kind === "set" ? row("Set", code(edit.name + ": " + edit.value))
      : row("Unset", code(edit.name)));

const headers = (list) => el("pre", { tabindex: "0" },
  list.map(([name, value]) => name + ": " + value).join("\n"));

const seconds = (value) => Math.round(value * 1000) / 1000 + " s";

const stored = (response, folder) => response && [
  el("h3", null, "Response"),
  el("dl", null, response.verdict && verdict(response, folder),
    response.core && row("From Varnish", seconds(response.core.ttl), ", ",
      response.core.why),
    row("Lifetime", seconds(response.ttl), ", grace ",
      seconds(response.grace), ", keep ", seconds(response.keep))),
  stepsTable(response, folder, "Rules for the response"),
];

const deliveries = (list, folder) => (list || []).map((one) => [
  el("h3", null, "Delivery" + (one.cache ? ", " + one.cache : "")),
  stepsTable(one, folder, "Rules for the delivery"),
  headers(one.headers),
]);

const request = (run, folder) => el("dl", null, verdict(run, folder),
  row("Host", run.host === null ? "none, or not a valid one"
    : code(run.host)),
  row("Entry", run.entry === null ? run.ruleset === "default" ? "default"
    : "none"
    : [code(run.entry.pattern), run.entry.wild && [", * is ",
      code(run.entry.wild)], " ",
    el("span", { class: "place" }, placeOf(run.entry, folder))]),
  row("Block", run.ruleset === null ? "none" : code(run.ruleset)),
  run.backend && row("Backend", code(run.backend)),
  edits(run.edits));

// Shows an explanation, or what is wrong with the request: { error, parameter, line }.
export const explanation = (run, folder) => {
  if (run.error)
    return [el("p", { class: "no", role: "alert" },
      run.parameter && (run.line ? "Line " + run.line + " of " : "In ") +
        run.parameter + ": ", run.error)];
  return [
    run.summary && el("div", { class: "summary" },
      run.summary.split("\n").map((line) => el("p", null, line))),
    request(run, folder),
    stepsTable(run, folder, "Step by step"),
    run.key && stepsTable(run.key, folder, "Key"),
    run.fetch && stepsTable(run.fetch, folder, "Fetch"),
    stored(run.response, folder),
    deliveries(run.delivery, folder),
  ].flat(Infinity).filter((part) => part);
};
