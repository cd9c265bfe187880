/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_SHARED, pack, unpack } from "../../web/playground/share.js";
import {
  backendsOf, closes, colours, differing, enter, excerptOf, isRules, isVcl,
  spanOf,
} from "../../web/playground/text.js";
import {
  checkOf, importOf, linesOf, messagesOf,
} from "../../web/playground/said.js";
import {
  checkAsked, explainAsked, importAsked, wrongWith,
} from "../../web/playground/ask.js";
import {
  becomes, checked, headline, leadOf, linked, refusedVcl, textRows, translated,
} from "../../web/playground/view.js";
import { engine } from "../../web/playground/engine.js";
import { el, findAll, textOf } from "../../web/parts/tree.js";

/* Links */

test("a link has all of what was shared, and stays small", async () => {
  const state = { mode: "vcl", vcl: "sub vcl_recv { # \u00e4\u20ac\n}\n".repeat(200) };
  const fragment = await pack(state);
  assert.match(fragment, /^1\.[\w-]+$/);
  assert.ok(fragment.length < 300, String(fragment.length));
  assert.deepEqual(await unpack(fragment), state);
});

test("a link that is broken, of another kind or too long gives nothing",
  async () => {
    const good = await pack({ rules: "host a { pass; }" });
    for (const bad of ["", "1.", "1.!", "2" + good.slice(1), good.slice(0, -9),
      good + "x".repeat(MOST_SHARED), "1." + btoa("[1,2]"), await pack(7)])
      assert.equal(await unpack(bad), null, bad.slice(0, 20));
  });

test("a small link does not become a text of megabytes", async () => {
  const stream = new CompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  writer.write(new TextEncoder().encode('{"vcl":"' + " ".repeat(3e6) + '"}'));
  writer.close();
  const bytes = new Uint8Array(await new Response(stream.readable).arrayBuffer());
  const fragment = "1." + Buffer.from(bytes).toString("base64url");
  assert.ok(fragment.length < MOST_SHARED);
  assert.equal(await unpack(fragment), null);
});

/* Texts */

test("VCL is told from rules, whatever comments say", () => {
  for (const vcl of ["vcl 4.1;\n", "# default\nvcl 4.0 ;", "/* x */ \nsub vcl_recv {",
    "backend default {\n", "acl purge {", "sub clean {\n"])
    assert.ok(isVcl(vcl), vcl);
  for (const rules of ["host a { pass; }", "# sub vcl_recv {\nalways { }",
    "host b { backend web; }", "", "/* vcl 4.1; */"])
    assert.ok(!isVcl(rules), rules);
});

test("rules are told from VCL", () => {
  for (const rules of ["host a { pass; }", "# x\nlist a from b;", "always\n{ }"])
    assert.ok(isRules(rules), rules);
  for (const other of ["vcl 4.1;", "", "hosts", "sub vcl_recv { }\nmap x {"])
    assert.ok(!isRules(other), other);
});

test("no text is looked at for seconds", () => {
  for (const text of ["\n".repeat(2e5), " ".repeat(2e5), "{" + " ".repeat(2e5),
    "\"\\".repeat(1e5), "/*".repeat(1e5), "a:1:".repeat(5e4),
    "backend ".repeat(5e4)]) {
    isVcl(text);
    isRules(text);
    backendsOf(text);
    messagesOf(text);
    assert.equal(colours(text, true).map((parts) =>
      parts.map((part) => part.text).join("")).join("\n"), text);
  }
});

test("the backends that rules name are found, but not those of comments", () => {
  assert.deepEqual(backendsOf('host a { backend web; }\nhost b {backend "the shop";\n' +
    "# backend old;\n backend web; } map x { is a -> backend; }"),
  ["web", "the shop"]);
});

test("a caret stands below its place, after tabs and letters of two bytes", () => {
  assert.equal(excerptOf("x\n\t\u00e4b;", 2, 4), "\t\u00e4b;\n\t ^");
  assert.equal(excerptOf("x", 9, 1), "");
  assert.equal(excerptOf("x", 1, null), "x");
});

test("a new line begins as the one before it, or a step later in a block", () => {
  assert.deepEqual(enter("  pass;", 7, 7), { text: "\n  ", back: 0 });
  assert.deepEqual(enter("host a {", 8, 8), { text: "\n    ", back: 0 });
  assert.deepEqual(enter("\tif (x) {}", 9, 9), { text: "\n\t\t\n\t", back: 2 });
  assert.deepEqual(enter("a {\nb", 5, 5), { text: "\n", back: 0 });
  assert.equal(closes("host a {\n        ", 17), 4);
  assert.equal(closes("\t\t", 2), 1);
  assert.equal(closes("  x ", 4), 0);
});

test("a formatted text replaces only what differs", () => {
  for (const [old, next] of [["host  a {}", "host a {}"], ["", "x"], ["x", ""],
    ["aaa", "aa"], ["same", "same"], ["ab", "ba"]]) {
    const [from, to, text] = differing(old, next);
    assert.equal(old.slice(0, from) + text + old.slice(to), next);
  }
  assert.deepEqual(spanOf("ab\ncd\n", 2), [3, 5]);
  assert.deepEqual(spanOf("ab", 7), [0, 2]);
});

test("colours leave each letter of a text, and know comments over lines", () => {
  const vcl = 'sub x { /* a\n b */ set req.url = "/*"; // c\n}\n# "d';
  const lines = colours(vcl, true);
  assert.equal(lines.map((parts) => parts.map(({ text }) => text).join(""))
    .join("\n"), vcl);
  assert.deepEqual(lines[1].map(({ kind, text }) => kind + ":" + text),
    ["comment: b */", ": ", "word:set", ": req.url = ", 'string:"/*"', ":; ",
      "comment:// c"]);
  const [rules] = colours("when path is /a//b /*c { pass; } # d", false);
  assert.deepEqual(rules.filter(({ kind }) => kind === "comment")
    .map(({ text }) => text), ["# d"]);
});

/* What the command says */

const WHY = "the ban lurker has no request: write " +
  '`response { set X-Url = "${url}"; }`, and ban obj.http.X-Url';
const TOLD = { status: 0, err: "", out: [
  "default.vcl:36:3: stays VCL: " + WHY,
  '      ban("req.url ~ " + req.url);', "      ^",
  "default.vcl:40:1: note: something else", "    x", "    ^",
  "default.vcl: 28 statements in 2 rule files, 1 stays VCL (1 of them as rules",
  ""].join("\n") };
const PRINTED = { status: 0, err: "", out: [
  "#### /w/site.rules", "# Made by fastmatch import of default.vcl, from line 1 on.",
  "# In this rules and VCL are not quite the same:", "#  - something", "",
  "always { pass; }", "", "#### /w/site-2.rules", "always { hash; }", "",
  "#### VCL", "", "vcl 4.1;", "#### VCL", "# a comment",
  'new site = fastmatch.rules("/w/site.rules");', ""].join("\n") };

test("an import has its files, what stays with its line, and the sums", () => {
  const made = importOf(PRINTED, TOLD);
  assert.deepEqual(made.errors, []);
  assert.deepEqual(made.files.map(({ name }) => name),
    ["site.rules", "site-2.rules"]);
  assert.match(made.files[0].text, /^# Made[^]*always \{ pass; \}\n$/);
  assert.equal(made.files[1].text, "always { hash; }\n");
  assert.equal(made.rest, "vcl 4.1;\n#### VCL\n# a comment\n" +
    'new site = fastmatch.rules("/etc/varnish/site.rules");');
  assert.deepEqual(made.stays, [{ file: "default.vcl", line: 36, column: 3,
    text: WHY,
    excerpt: '  ban("req.url ~ " + req.url);\n  ^\n' }]);
  assert.deepEqual(made.notes.map(({ text }) => text), ["note: something else"]);
  assert.deepEqual([made.translated, made.stay, made.obsolete], [28, 1, 0]);
});

test("what is obsolete, and subs without rules, are told", () => {
  const made = importOf({ ...PRINTED, out: PRINTED.out +
    "sub vcl_recv { }\nsub vcl_hash {\n\tsite.apply();\n}\nsub own { }\n" +
    "sub vcl_synth { }\nsub vcl_deliver { }\nsub vcl_synth { }" },
  { ...TOLD, out: "a.vcl: 1 statement in 1 rule file, 0 stay VCL, 2 are obsolete\n" });
  assert.equal(made.obsolete, 2);
  assert.deepEqual(made.subs, ["vcl_synth", "vcl_deliver"]);
  assert.match(textOf(translated(made, new Map(), false, "")),
    /without 2 statements.*vcl_synth and vcl_deliver stay as they are/s);
});

test("an import that fails has its error, with or without a place", () => {
  const at = { status: 1, out: "default.vcl:2:1: error: no\n    x\n    ^\n",
    err: "" };
  assert.equal(importOf(at, at).errors[0].line, 2);
  const none = { status: 2, out: "", err: "fastmatch import: no memory\n" };
  assert.equal(importOf(none, none).errors[0].text, "fastmatch import: no memory");
  assert.deepEqual(messagesOf("nothing at all"), []);
});

test("check says its numbers; anything but JSON is nothing", () => {
  const diagnostics = [{ file: "site.rules", line: 1, column: 1,
    severity: "warning", text: "w" }];
  assert.deepEqual(checkOf(JSON.stringify({ ok: true, errors: 0, warnings: 1,
    files: [{ hosts: 1, diagnostics }] })),
  { hosts: 1, errors: 0, messages: diagnostics });
  assert.equal(checkOf("Segmentation fault"), null);
});

const step = (line, effect, outcome) => ({ file: "site.rules", line, effect,
  outcome });

test("a line has the mark of the most that it did, in all phases", () => {
  const run = { statements: [step(1, "when", "false"), step(2, "when", "true"),
    step(3, "none"), step(3, "changed"), step(4, "changed"), step(4, "verdict"),
    { ...step(5, "changed"), file: "other" }],
  response: { statements: [step(1, "none")] },
  delivery: [{ statements: [step(6, "call")] }] };
  assert.deepEqual([...linesOf(run, "site.rules")], [[1, "ran"], [2, "ran"],
    [3, "acts"], [4, "decides"], [6, "acts"]]);
});

/* What it is asked */

const state = { vcl: "", url: " https://a.example/ ", method: "", client: "",
  headers: "A: 1\n\n B: 2", status: "", response: "", exact: false };

test("a form that can't be asked says why", () => {
  assert.equal(wrongWith(state), null);
  assert.match(wrongWith({ ...state, url: " " }), /Type a URL/);
  assert.match(wrongWith({ ...state, headers: "A: 1\nno" }), /request.*'no'/);
  assert.match(wrongWith({ ...state, response: ": 1" }), /response.*': 1'/);
  assert.match(wrongWith({ ...state, status: "20" }), /three digits/);
});

test("the arguments have all of the request, and the backends", () => {
  assert.deepEqual(explainAsked(state, { name: "site.rules",
    text: "host a { backend web; }" }).args,
  ["explain", "--json", "--backend", "web", "--header", "A: 1", "--header", "B: 2",
    "--url", "https://a.example/", "site.rules"]);
  const { args } = explainAsked({ ...state, status: "404", response: "Age: 1" },
    { name: "b", text: "" }, { url: "/b", headers: [["Host", "x"]] });
  assert.deepEqual(args, ["explain", "--json", "--header", "Host: x", "--status",
    "404", "--response", "Age: 1", "--url", "/b", "b"]);
  assert.deepEqual(checkAsked("host a { backend web; }").args,
    ["check", "--json", "--backend", "web", "site.rules"]);
  assert.ok(importAsked(state).every(({ args: all }) =>
    all.includes("--well-formed")));
  assert.ok(importAsked({ ...state, exact: true }).every(({ args: all }) =>
    !all.includes("--well-formed")));
});

/* What is shown */

test("places of rules become buttons, other texts don't", () => {
  const tree = [el("td", { class: "place" }, "site.rules:7"),
    el("td", { class: "place" }, "other.rules:7"), el("code", null, "/a:7")];
  const [seven, ...others] = linked(tree, ["site.rules"]);
  assert.deepEqual(findAll(seven, "button").map((button) =>
    [button.attributes["data-line"], textOf(button)]), [["7", "7"]]);
  assert.deepEqual(findAll(others, "button"), []);
  assert.equal(textOf(linked(tree, ["site.rules", "b"])[0]), "site.rules:7");
});

test("each line has its number and its mark", () => {
  const rows = textRows("a\n\nb", new Map([[3, "acts"]]), false);
  assert.deepEqual(rows.map(textOf), ["1a", "2\u200b", "3b"]);
  assert.match(rows[2].attributes.class, /acts/);
  assert.equal(leadOf("# a\n# b\n\nhost"), 3);
  assert.equal(leadOf("host"), 0);
});

test("an import says how much became rules, what stays, and how to prove it", () => {
  const made = importOf(PRINTED, TOLD);
  const said = textOf(translated(made, new Map(), false, ""));
  for (const part of ["28 of 29 statements become rules, 1 stays VCL", "2 files",
    "line 36", WHY, "4 lines",
    "import --well-formed default.vcl -o site.rules --vcl new.vcl --prove 10000",
    "something"])
    assert.ok(said.includes(part), part + " in " + said);
  assert.ok(!textOf(translated(made, new Map(), true, ""))
    .includes("--well-formed"));
  assert.match(textOf(translated({ ...made, files: [] }, new Map(), false, "")),
    /^Nothing of this VCL/);
});

test("a VCL that can't be read gets advice, the line and a caret", () => {
  const said = textOf(refusedVcl([{ file: "default.vcl", line: 1, column: 3,
    text: "error: 'lookup' is VCL of version 3, which import does not read" }],
  "  lookup;"));
  assert.match(said, /for Varnish 3.*line 1.*error.*lookup;\n\^/s);
});

test("mistakes and warnings are counted, and have their line", () => {
  const said = checked({ errors: 1, messages: [
    { file: "site.rules", line: 1, column: 1, severity: "error", text: "bad" },
    { file: "site.rules", line: 1, column: 1, severity: "warning", text: "hm" },
  ] }, "x");
  assert.match(textOf(said), /^1 mistake, 1 warning.*line 1.*bad.*warning: hm/s);
  assert.match(textOf(checked({ errors: 0, messages: [] }, " ")), /paste a VCL/);
});

const run = { verdict: "hash", status: null, reason: null, rule: null,
  refused: null, host: "a", entry: null, ruleset: null, edits: [], statements: [],
  tests: [] };

test("a request is told in plain words, and in each file that it reaches", () => {
  assert.equal(headline(run), "Looked up in the cache");
  assert.equal(headline({ ...run, verdict: "synth", status: 404, reason: "no" }),
    "Answered by Varnish itself: 404 no");
  assert.equal(headline({ ...run, verdict: "redirect", status: 301,
    location: "/b" }), "Redirected: 301 /b");
  assert.equal(headline({ ...run, verdict: "later" }), "The verdict is later");
  const said = textOf(becomes([{ file: "a.rules", run: { ...run, verdict: "none" } },
    { file: "b.rules", run }]));
  assert.match(said, /a\.rulesNo decision here.*b\.rules.*Looked up/s);
});

/* The worker */

class Fake {
  constructor() {
    this.posted = [];
    Fake.all.push(this);
  }

  postMessage(message) {
    this.posted.push(message);
  }

  terminate() {
    this.ended = true;
  }

  answer(data) {
    this.onmessage({ data });
  }
}

test("a newer ask takes the place of one that waits", async () => {
  Fake.all = [];
  const { ask } = engine(() => new Fake(), () => {});
  const [worker] = Fake.all;
  const first = ask(["1"]);
  assert.equal(worker.posted.length, 0);
  worker.answer({ ready: true });
  const second = ask(["2"]), third = ask(["3"]);
  assert.equal(await second, null);
  worker.answer({ id: 1, results: ["one"] });
  assert.deepEqual(await first, ["one"]);
  worker.answer({ id: 1, results: ["again"] });
  worker.answer({ id: 3, results: ["three"] });
  assert.deepEqual(await third, ["three"]);
  assert.deepEqual(worker.posted.map(({ runs }) => runs[0]), ["1", "3"]);
});

test("a run that takes too long is given up, and the next one begins anew",
  async () => {
    Fake.all = [];
    const said = [];
    const { ask } = engine(() => new Fake(), (what) => said.push(what), 1);
    Fake.all[0].answer({ ready: true });
    assert.equal(await ask(["slow"]), null);
    assert.ok(Fake.all[0].ended);
    assert.deepEqual(said, [{ ready: true }, { slow: 1 }]);
    const next = ask(["quick"]);
    Fake.all[1].answer({ ready: true });
    Fake.all[1].answer({ id: 2, results: ["quick"] });
    assert.deepEqual(await next, ["quick"]);
  });
