/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Reads what the command prints: messages with a place, the files of an import, and the
// lines of rules that an explanation is about.

const PLACE = /^(.+?):(\d+):(\d+): (.*)$/;

// Returns messages { file, line, column, text, excerpt } of lines as
//
//   default.vcl:36:3: stays VCL: the ban lurker has no request: ...
//         ban("req.url ~ " + req.url);
//         ^
export const messagesOf = (text) => {
  const messages = [];
  for (const line of text.split("\n")) {
    const found = /^\s/.test(line) ? null : PLACE.exec(line);
    const last = messages[messages.length - 1];
    if (found)
      messages.push({ file: found[1], line: Number(found[2]),
        column: Number(found[3]), text: found[4], excerpt: "" });
    else if (last && /^\s{4}/.test(line))
      last.excerpt += line.slice(4) + "\n";
  }
  return messages;
};

const ERROR = /^error: /, STAYS = /^stays VCL: /;
const COUNTS = /: (\d+) statements? in (\d+) rule files?, (\d+) stays? VCL(.*)/;

// Returns the rule files and the VCL of what import prints without --output: each begins
// with a line "#### /etc/varnish/site.rules", the VCL with "#### VCL".
const filesOf = (text) => {
  const parts = { files: [], rest: "" };
  let at = 0;
  for (const found of text.matchAll(/^#### (.+)\n/gm)) {
    if (parts.files.length > 0)
      parts.files[parts.files.length - 1].text = text.slice(at, found.index);
    at = found.index + found[0].length;
    if (found[1] === "VCL") break;
    parts.files.push({ name: found[1].replace(/^.*\//, ""), text: "" });
  }
  // The command knows no better folder than the one in which it runs.
  parts.rest = text.slice(at).replace(/^\n+|\s+$/g, "")
    .replace(/(fastmatch\.rules\(")[^"]*\//g, "$1/etc/varnish/");
  parts.files = parts.files.map((file) =>
    ({ ...file, text: file.text.replace(/\s*$/, "\n") }));
  return parts;
};

// Returns the names of Varnish's subs in which no rules are called.
const subsWithout = (vcl) => vcl.split(/^(?=sub\s)/m).flatMap((text) => {
  const found = /^sub\s+(vcl_\w+)/.exec(text);
  return !found || /^vcl_(init|fini|recv)$/.test(found[1]) ||
    text.includes(".apply()") ? [] : [found[1]];
}).filter((name, n, all) => all.indexOf(name) === n);

// Returns an import: files, rest, what stays with its reason, notes, counts; or errors.
// `printed` is what import has said with its texts, `told` with --output.
export const importOf = (printed, told) => {
  const said = messagesOf(told.out + told.err);
  const errors = said.filter((message) => ERROR.test(message.text));
  if (told.status !== 0 || printed.status !== 0)
    return { errors: errors.length > 0 ? errors : [{ line: null,
      text: (told.err || told.out || printed.err).trim().split("\n")[0] }] };
  const counts = COUNTS.exec(told.out + told.err);
  const parts = filesOf(printed.out);
  const obsolete = counts && /(\d+) (?:is|are) obsolete/.exec(counts[4]);
  return {
    errors: [], ...parts, subs: subsWithout(parts.rest),
    obsolete: obsolete ? Number(obsolete[1]) : 0,
    stays: said.filter((message) => STAYS.test(message.text)).map((message) =>
      ({ ...message, text: message.text.replace(STAYS, "") })),
    notes: said.filter((message) => !STAYS.test(message.text) &&
      !ERROR.test(message.text)),
    translated: counts ? Number(counts[1]) : null,
    stay: counts ? Number(counts[3]) : null,
  };
};

// Returns messages of `fastmatch check --json`, or null if that is no JSON.
export const checkOf = (out) => {
  try {
    const said = JSON.parse(out);
    const files = said.files || [said];
    return {
      hosts: files[0].hosts, errors: said.errors ?? files[0].diagnostics.length,
      messages: files.flatMap((file) => file.diagnostics),
    };
  } catch {
    return null;
  }
};

const ORDER = ["off", "ran", "acts", "decides"];
const MARKS = { verdict: "decides", none: "ran", ignored: "ran",
  undecided: "ran", left: "ran", stop: "ran", use: "ran" };

// Returns a map of the lines of a file that an explanation is about: "off" for a `when`
// that is not met, "ran", "acts" where something changes, "decides".
export const linesOf = (run, file) => {
  const lines = new Map();
  const parts = [run, run.key, run.fetch, run.response,
    ...(run.delivery || [])];
  for (const part of parts)
    for (const step of (part && part.statements) || []) {
      if (step.file !== file || step.line === null) continue;
      const mark = step.effect === "when"
        ? step.outcome === "true" ? "ran" : "off"
        : MARKS[step.effect] || "acts";
      const before = ORDER.indexOf(lines.get(step.line));
      if (ORDER.indexOf(mark) > before) lines.set(step.line, mark);
    }
  return lines;
};
