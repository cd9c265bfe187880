/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// What the playground shows: texts with numbered lines, what an import has made, what is
// wrong, and what becomes of a request.

import { el, textOf } from "../parts/tree.js";
import { diagnostics } from "../parts/diagnostics.js";
import { explanation } from "../parts/explain.js";
import { plural } from "../parts/format.js";
import { colours, excerptOf } from "./text.js";

// Returns the rows of a text; `marks` has the class of a line by its number.
export const textRows = (text, marks, vcl) =>
  colours(text, vcl).map((parts, n) => el("div", {
    class: "ln " + (marks.get(n + 1) || "") },
  el("span", { class: "nr" }, String(n + 1)),
  el("span", { class: "tx" }, parts.length === 0 ? "\u200b"
    : parts.map(({ kind, text: part }) => kind
      ? el("span", { class: kind }, part) : part))));

// Returns a text that can be read, and scrolled by keys, but not changed.
export const textBox = (name, text, marks, vcl, lead) => el("div", {
  class: "lines", tabindex: "0", role: "region", "aria-label": name,
  "data-file": name, style: { "--digits": digitsOf(text) } },
textRows(text.replace(/\n$/, ""), marks, vcl).slice(lead));

// Returns how many lines the comment at the top of a file has, with the blank line after
// it.
export const leadOf = (text) => {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return end <= 0 ? 0 : lines[end] === "" ? end + 1 : end;
};

// Returns how many digits the number of the last line has.
export const digitsOf = (text) =>
  String(Math.max(2, String(text.split("\n").length).length));

// Makes places of the named files, as "site.rules:12", buttons that lead to the line. Of
// one file the line is enough.
export const linked = (tree, names) => {
  if (Array.isArray(tree)) return tree.map((one) => linked(one, names));
  if (!tree || typeof tree === "string") return tree;
  const said = textOf(tree), at = said.lastIndexOf(".");
  const found = at >= 0 && /^(\S+?):(\d+)(:\d+)?$/.exec(said);
  const isPlace = tree.attributes.class === "place" || tree.tag === "code";
  if (isPlace && found && names.includes(found[1]))
    return { ...tree, children: [el("button", {
      type: "button", class: "goto", "data-file": found[1],
      "data-line": found[2], title: "Show " + said },
    names.length > 1 ? said
      : tree.tag === "td" ? found[2] : "line " + found[2])] };
  return { ...tree, children: linked(tree.children, names) };
};

/* What is wrong */

// Adds to messages of check how the part `diagnostics` shows them.
const shownWith = (messages, text) => messages.map((message) => ({
  at: message.line ? message.file + ":" + message.line +
    (message.column ? ":" + message.column : "") : null,
  text: (message.severity === "warning" ? "warning: " : "") + message.text,
  excerpt: withoutMargin(message.excerpt || (message.line
    ? excerptOf(text, message.line, message.column) : "")),
}));

// Returns the lines of an excerpt without the blanks that all of them begin with.
const withoutMargin = (excerpt) => {
  const lines = excerpt.trimEnd().split("\n");
  let margin = /^\s*/.exec(lines[0])[0];
  for (const line of lines)
    while (!line.startsWith(margin)) margin = margin.slice(0, -1);
  return lines.map((line) => line.slice(margin.length)).join("\n");
};

const LISTED = 50;

// Lists messages, each with a button that leads to its line.
const listOf = (messages, text) => linked(diagnostics(
  shownWith(messages.slice(0, LISTED), text), messages.length),
[...new Set(messages.map(({ file }) => file))]);

// Shows what check says of rules.
export const checked = (check, text) => {
  if (text.trim() === "")
    return el("p", { class: "dim" }, "Write rules here, paste a VCL, or take an ",
      "example.");
  const warnings = check.messages.length - check.errors;
  return [
    el("p", { class: check.errors > 0 ? "no" : warnings > 0 ? "" : "yes" },
      check.errors > 0 ? plural(check.errors, "mistake") : "No mistakes",
      warnings > 0 && ", " + plural(warnings, "warning")),
    listOf(check.messages, text),
  ];
};

/* An import */

const REFUSED = [
  [/is VCL of version 3/, "This VCL is for Varnish 3. Varnish 4 changed the " +
    "language: bring the file to 'vcl 4.0;' first, as for any newer Varnish."],
  [/there is (neither|no) '|can't (be read|read)/, "A file that this VCL " +
    "includes is not here: paste its text in place of the include line."],
  [/there is no sub in it/, "Rules take the place of subs as vcl_recv or " +
    "vcl_deliver. Paste the whole default.vcl, with what it includes."],
];

// Shows why a VCL can't be read.
export const refusedVcl = (errors, text) => [
  el("p", { class: "no" }, "This VCL can't be translated"),
  REFUSED.filter(([of]) => errors.some((error) => of.test(error.text)))
    .slice(0, 1).map(([, advice]) => el("p", null, advice)),
  listOf(errors, text),
];

const copy = (what) => el("button", {
  type: "button", class: "copy", "data-copy": what }, "Copy");

// The comment at the top of rules says where they differ from the VCL.
const notesOf = (text) => text.split("\n").slice(1, leadOf(text))
  .map((line) => line.replace(/^# ?/, "")).join("\n").trimEnd();

const boxed = (file, marks, edit) => [
  el("div", { class: "head" }, el("h3", null, file.name),
    el("span", { class: "buttons" }, copy(file.name),
      edit && el("button", { type: "button", class: "copy",
        "data-edit": file.name }, "Edit"))),
  textBox(file.name, file.text, marks, file.vcl,
    file.vcl ? 0 : leadOf(file.text)),
  !file.vcl && notesOf(file.text) && el("details", null,
    el("summary", null, "Where rules and VCL differ"),
    el("pre", { tabindex: "0" }, notesOf(file.text))),
];

const SENT = "fastmatch import --well-formed default.vcl -o site.rules " +
  "--vcl new.vcl --prove 10000";

const commandOf = (exact) => exact ? SENT.replace("--well-formed ", "") : SENT;

const lists = new Intl.ListFormat("en");

const sumOf = (made) => {
  if (made.files.length === 0) return "Nothing of this VCL becomes rules";
  if (made.translated === null) return "These are the rules";
  return made.stay === 0
    ? "All " + plural(made.translated, "statement") + " become rules"
    : made.translated + " of " + plural(made.translated + made.stay,
      "statement") + " become rules, " + made.stay +
      (made.stay === 1 ? " stays VCL" : " stay VCL");
};

// Shows the rules of an import; `marks` has a map of lines for each file.
export const translated = (made, marks, exact, vcl) => [
  el("p", { class: made.stay === 0 ? "yes" : "sum" }, sumOf(made)),
  made.files.length > 1 && el("p", { class: "dim" },
    "VCL has to run between some rules, so there are " + made.files.length +
      " files, each with a call of its own."),
  made.obsolete > 0 && el("p", { class: "dim" }, "Varnish does without " +
    plural(made.obsolete, "statement") + ", which " +
    (made.obsolete === 1 ? "is" : "are") + " gone."),
  made.subs.length > 0 && el("p", { class: "dim" },
    lists.format(made.subs) + (made.subs.length === 1 ? " stays as it is."
      : " stay as they are.")),
  made.files.map((file) => boxed(file, marks.get(file.name) || new Map(), true)),
  made.stays.length > 0 && [
    el("h3", { id: "stays" }, "What stays VCL, and why"),
    listOf(made.stays, vcl),
  ],
  made.notes.length > 0 && [el("h3", null, "Notes"),
    listOf(made.notes, vcl)],
  el("details", { id: "rest" }, el("summary", null, "The VCL that is left, ",
    plural(made.rest.split("\n").length, "line")),
  boxed({ name: "new.vcl", text: made.rest + "\n", vcl: true }, new Map())),
  made.files.length > 0 && el("details", { id: "prove" }, el("summary", null,
    "Check it on your machine"),
  el("p", null, "This runs both in a Varnish, sends 10,000 requests that try ",
    "each branch of the VCL, and shows every difference:"),
  el("pre", { tabindex: "0" }, commandOf(exact)), copy("prove")),
].flat(Infinity).filter((part) => part);

export const commandShown = commandOf;

/* A request */

const SAYS = {
  hash: "Looked up in the cache",
  pass: "Passed to the backend, and not cached",
  pipe: "Piped to the backend, and not looked at any more",
  purge: "Purges this page from the cache",
  refuse: "Refused",
  none: "The rules do not decide: the rest of vcl_recv does",
  redirect: "Redirected",
  synth: "Answered by Varnish itself",
  answer: "Answered by the rules",
  fail: "Fails",
};

// Returns in a few plain words what becomes of a request.
export const headline = (run) => {
  const said = SAYS[run.verdict] || "The verdict is " + run.verdict;
  const more = [run.status, run.verdict === "redirect" ? run.location
    : run.reason].filter((part) => part !== null && part !== undefined);
  return more.length > 0 ? said + ": " + more.join(" ") : said;
};


// Shows what becomes of a request in each rule file that it reaches.
export const becomes = (runs) => {
  const names = runs.map(({ file }) => file);
  const last = runs.length - 1;
  return runs.flatMap(({ file, run }, n) => [
    last > 0 && el("h3", { class: "part" }, file),
    n < last
      ? el("p", { class: "sum" }, "No decision here. Next, Varnish runs what " +
        "stays VCL, which the playground leaves out, and then " +
        names[n + 1] + ".")
      : el("p", { class: "headline" }, headline(run)),
    // Only where it ends there is a response.
    linked(explanation(n < last
      ? { ...run, summary: null, response: null, delivery: null } : run, ""),
    names),
  ]).flat(Infinity).filter((part) => part);
};

// Says what a request needs before there is something to show.
export const waiting = (text) => el("p", { class: "dim" }, text);
