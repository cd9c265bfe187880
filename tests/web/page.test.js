/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { test } from "node:test";
import { facts, refused } from "../../web/page/state.js";
import { pairs, shadow } from "../../web/page/shadow.js";
import { askedHosts, counters, hitRules, hostCommand, hosts, never, ruleCommand,
  rules } from "../../web/page/tables.js";
import { findAll, textOf } from "../../web/parts/tree.js";

const rule = (at, text, hits) => ({ at, column: 5, text, hits, rate: null,
  verdict: /^pass/.test(text) });
const cell = (kind, serving, shadowed, host, requests) => ({ kind,
  header: null, host, serving, shadow: shadowed, requests });
const one = { at: "site.rules:7", text: "pass" };
const two = { at: "next.rules:9", text: "hash" };
const three = { at: "next.rules:3", text: "synth 410" };
const data = {
  now: 1000, name: "site", vcl: "boot", path: "/etc/varnish/site.rules",
  engine: "Hyperscan", log: "verdict", secrets: false, watch: 1,
  generation: 3, digest: "0123456789abcdef", loaded_at: 100, backup: false,
  refused_at: 900, errors: [{ at: "site.rules:4:9", text: "wrong",
    excerpt: null }], error_count: 1, warnings: [{ at: "site.rules:2",
    text: "probably not meant", excerpt: null }], warning_count: 1,
  files: { of: 10001, matched: 10001, rows: ["site.rules"] },
  seconds: 100, counts: [{ what: "requests", total: 50 }], history: null,
  hosts: { of: 4, matched: 4, never: 1, rows: [
    { host: "a.example", hits: 9, rate: 1.5, hit_rate: null, "4xx": null,
      "5xx": null },
    { host: "b.example", hits: 0, rate: 0, hit_rate: null, "4xx": null,
      "5xx": null }] },
  rules: { of: 2, matched: 2, rows: [rule("site.rules:7", "pass", 4),
    rule("site.rules:9", "unset Cookie", 0)] },
  never: { of: 1, matched: 1, rows: [rule("site.rules:9", "unset Cookie",
    0)] },
  rule: null, explain: null,
  shadow: { path: "next.rules", digest: "ff", generation: 1, errors: 0,
    messages: [], sample: 1, since: 200, sampled: 200, differ: 30, more: 0,
    differences: [cell("verdict", one, two, "a.example", 12),
      cell("header", one, three, "a.example", 13),
      cell("verdict", one, two, "b.example", 5)],
    latest: [] },
};

test("the line of state names generation, digest, warnings and the shadow", () => {
  const said = textOf(facts(data));
  for (const part of ["Generation3", "0123456789ab", "1 warning",
    "probably not meant", "10,001 files", "differs in 15.0 %", "15 min"])
    assert.ok(said.includes(part), part + " in " + said);
  assert.ok(findAll(facts(data), "details").every((part) =>
    !part.attributes.open), "files and warnings are folded");
});

test("a search that finds no file says so", () => {
  const none = { ...data, files: { of: 4, matched: 0, rows: [] } };
  assert.match(textOf(facts(none)), /4 filesThe search below finds none of them\./);
  assert.doesNotMatch(textOf(facts(data)), /finds none/);
});

test("a refused file has its place; without a refusal there is nothing", () => {
  assert.match(textOf(refused(data)), /site\.rules:4:9 wrong/);
  assert.deepEqual(refused({ ...data, refused_at: null }), []);
});

test("differences are grouped by the pair of rules, most first", () => {
  assert.deepEqual(pairs(data.shadow.differences).map((pair) =>
    [pair.shadow.at, pair.requests, pair.cells.length]),
  [["next.rules:9", 17, 2], ["next.rules:3", 13, 1]]);
  const shown = shadow(data, null);
  assert.equal(findAll(shown, ".opens").length, 2);
  assert.match(textOf(shown), /30 of 200 requests/);
  assert.match(textOf(shown), /verdicta\.example \+18\.5 %17/);
});

test("a difference of a response is told from one of the request", () => {
  const [first] = data.shadow.differences;
  const said = textOf(shadow({ ...data, shadow: { ...data.shadow,
    differences: [first, { ...first, phase: "response", header: "Vary" }] } },
  null));
  assert.match(said, /verdict, response: verdict Vary/);
});

test("a shadow that compares nothing says why", () => {
  const of = (more) => textOf(shadow({ ...data,
    shadow: { ...data.shadow, differences: [], ...more } }, null));
  assert.match(of({ digest: null, errors: 2, messages: ["a:1: wrong"] }),
    /not valid.*a:1: wrong/);
  assert.match(of({ digest: null }), /not there/);
  assert.match(of({ sampled: 0, differ: 0 }), /No request has been compared/);
  assert.deepEqual(shadow({ ...data, shadow: null }, null), []);
});

test("what was never hit is apart, unless the order is that of the files", () => {
  assert.deepEqual(hitRules(data, "rate").map((one) => one.at),
    ["site.rules:7"]);
  assert.equal(hitRules(data, "place").length, 2);
  assert.match(textOf(never(data, null)), /Never hit: 1 rule.*unset Cookie/);
  assert.equal(askedHosts(data, "rate", false).length, 1);
  assert.equal(askedHosts(data, "rate", true).length, 2);
});

test("a rule opens with its text, and the command for its requests", () => {
  const tree = rules(data, data.rules.rows, "rate", false, "site.rules:9:5");
  assert.equal(textOf(findAll(tree, ".whole")), "unset Cookie");
  assert.equal(findAll(tree, ".copy")[0].attributes["data-text"],
    "varnishlog -g request -q " +
    "'VCL_Log ~ \"at /etc/varnish/site.rules:9( |:|$)\"'");
  assert.match(textOf(tree), /only with log=all/);
});

test("an open rule names its hosts, as soon as the server has told them", () => {
  const of = (hosts) => textOf(findAll(rules({ ...data, rule:
    { ...rule("site.rules:7", "pass", 4), hosts } }, data.rules.rows, "rate",
  false, "site.rules:7:5"), ".for"));
  const none = { of: 0, all: false, default: false, rows: [] };
  assert.equal(of({ ...none, all: true }), "For all hosts.");
  assert.match(of({ ...none, default: true }), /\(default\)/);
  assert.equal(of({ ...none, of: 52, rows: [{ host: "a.example", hits: 9 }] }),
    "For 52 host patterns: a.example 9, and 51 more");
  assert.deepEqual(findAll(rules(data, data.rules.rows, "rate", false,
    "site.rules:7:5"), ".for"), []);
});

test("a command is one word for a shell, and one text for varnishlog", () => {
  assert.equal(ruleCommand(rule("it's \"x\".rules:1", "pass", 1), "/e/"),
    "varnishlog -g request -q " +
    "'VCL_Log ~ \"at /e/it'\\''s .x..rules:1( |:|$)\"'");
  for (const [pattern, regex] of [
    ["a.example", "^a[.]example(:|$)"], ["*.example", "[.]example(:|$)"],
    [".example", "(^|[.])example(:|$)"], ["www.*", "^www[.]"], ["*", "."]])
    assert.ok(hostCommand(pattern).includes("~ \"" + regex + "\""), pattern);
});

test("a host that opens shows its commands, why only where it is one host", () => {
  const shown = (host) => findAll(hosts(data, [{ ...data.hosts.rows[0], host }], "rate",
    false, host, null, null), ".copy").map((one) => one.attributes["data-text"]);
  assert.deepEqual(shown("a.example")[1], "fastmatch why 'http://a.example/'");
  for (const pattern of ["*.example", ".example", "www.*"])
    assert.equal(shown(pattern).length, 1);
});

test("hits that are not counted are a dash, and never 0", () => {
  const tree = hosts(data, data.hosts.rows.slice(0, 1), "rate", false, null,
    null, null);
  assert.deepEqual(findAll(tree, "td").map(textOf),
    ["1.5", "9", "\u2013", "\u2013", "\u2013"]);
});

test("counters have a rate as soon as there are two answers", () => {
  const rows = (before) => findAll(counters(data, before), "td").map(textOf);
  assert.deepEqual(rows(null), ["50", "\u2013"]);
  assert.deepEqual(rows({ seconds: 98, counts: [{ total: 30 }] }),
    ["50", "10.0"]);
});
