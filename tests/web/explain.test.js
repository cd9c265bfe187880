/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { test } from "node:test";
import { explanation, placeOf, steps } from "../../web/parts/explain.js";
import { whyCommand } from "../../web/parts/command.js";
import { findAll, textOf } from "../../web/parts/tree.js";

const at = { file: "/etc/varnish/site.rules", line: 7, column: 5 };
const run = {
  verdict: "redirect", status: 302, location: "https://m.example/",
  reason: null, type: null, body: null, refused: null,
  rule: { ...at, text: "redirect 302 \"https://m.example/\"" },
  host: "www.example", entry: { ...at, pattern: ".example", wild: "www" },
  ruleset: "shop", backend: null, edits: [
    { kind: "url", value: "/a" }, { kind: "set", name: "X-A", value: "<b>" },
    { kind: "unset", name: "Cookie" }],
  statements: [
    { ...at, text: "when path is / and agent in bots", block: "always",
      depth: 0, effect: "when", outcome: "false" },
    { ...at, text: "query clean", block: "shop", depth: 1, effect: "changed",
      what: "url", before: "/a?", after: "/a" },
    { ...at, text: "unset Cookie", block: "shop", depth: 0,
      effect: "changed", what: "Cookie", before: "a=1", after: null },
    { ...at, text: "something new", block: "shop", depth: 0,
      effect: "a later word" }],
  tests: [
    { ...at, text: "path is /", outcome: "false", subject: "/a",
      statement: 0 },
    { ...at, text: "agent in bots", outcome: "not asked", subject: null,
      statement: 0 }],
};

test("a place is without the folder of the rules", () => {
  assert.equal(placeOf(at, "/etc/varnish/"), "site.rules:7");
  assert.equal(placeOf(at, "/srv/"), "/etc/varnish/site.rules:7");
});

test("each when has its tests below it, each block its name above it", () => {
  const rows = steps(run, "/etc/varnish/").map(textOf);
  assert.deepEqual(rows, ["always",
    "site.rules:7when path is / and agent in botsno",
    "site.rules:7path is /no, /a", "site.rules:7agent in botsnot asked",
    "shop", "site.rules:7query cleanurl: /a? \u2192 /a",
    "site.rules:7unset CookieCookie removed",
    "site.rules:7something newa later word"]);
});

test("a when with one test is one row, with what was tested", () => {
  const rows = steps({
    statements: [{ ...run.statements[0], text: "when path is /" }],
    tests: [run.tests[0]],
  }, "/etc/varnish/").map(textOf);
  assert.deepEqual(rows, ["always", "site.rules:7when path is /no, /a"]);
});

test("it says the verdict, by which rule, and all that changes", () => {
  const said = textOf(explanation(run, "/etc/varnish/"));
  for (const part of ["redirect 302", "https://m.example/", "site.rules:7",
    ".example, * is www", "X-A: <b>", "UnsetCookie"])
    assert.ok(said.includes(part), part + " in " + said);
});

test("a request that is refused, passed on or wrong says so", () => {
  assert.match(textOf(explanation({ ...run, verdict: "refuse", status: 400,
    refused: "fragment" }, "")), /refused 400: the URL has a raw #/);
  assert.match(textOf(explanation({ ...run, verdict: "none", status: null,
    rule: null, edits: [] }, "")), /none, VCL goes on.*stays as it came/);
  const wrong = explanation({ error: "no ':' in it", parameter: "headers",
    line: 2 }, "");
  assert.equal(textOf(wrong), "Line 2 of headers: no ':' in it");
  assert.equal(findAll(wrong, "p")[0].attributes.role, "alert");
});

test("a response has its summary first, its lifetime, and its deliveries", () => {
  const said = textOf(explanation({ ...run, summary: "cached: 1h",
    response: { ...run, verdict: null, core: { ttl: 120, why: "default_ttl" },
      ttl: 3600, grace: 10, keep: 0 },
    delivery: [{ ...run, cache: "hit", headers: [["Age", "1800"]] }] }, ""));
  assert.match(said, /^cached: 1h/);
  assert.match(said, /3600 s, grace 10 s/);
  assert.match(said, /Delivery, hit/);
  assert.match(said, /Age: 1800/);
});

test("each line of a summary is a paragraph", () => {
  const [said] = findAll(explanation({ ...run,
    summary: "cached: no; to cache it: set-cookie drop\nnot cached" }, ""), ".summary");
  assert.deepEqual(findAll(said, "p").map(textOf),
    ["cached: no; to cache it: set-cookie drop", "not cached"]);
});

test("the command that tells why can be copied, whatever the URL has", () => {
  for (const [url, shown] of [
    ["http://a.example/?b=1", "fastmatch why 'http://a.example/?b=1'"],
    ["/a'; b", "fastmatch why '/a'\\''; b'"]]) {
    const shows = whyCommand(url);
    assert.equal(textOf(findAll(shows, "code")), shown);
    assert.equal(findAll(shows, ".copy")[0].attributes["data-text"], shown);
  }
});
