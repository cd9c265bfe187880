/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// What an editor has to know of a text of rules or of VCL.

const TEXT = new TextEncoder();

// Returns true for VCL, which somebody may paste where rules are expected.
export const isVcl = (text) =>
  /^[ \t]*(vcl[ \t]+[0-9.]+[ \t]*;|(sub|backend|acl)[ \t]+\w+\s*\{)/m
    .test(withoutComments(text));

// Returns true for rules, which somebody may paste where VCL is expected.
export const isRules = (text) => !isVcl(text) &&
  /^[ \t]*(host|always|default|finally|ruleset|list|map)\b[^;{]*[;{]/m
    .test(withoutComments(text));

const withoutComments = (text) =>
  text.replace(/\/\*[^]*?\*\/|(#|\/\/).*/g, "");

// Returns the names of backends that rules use, each once.
export const backendsOf = (rules) => [...new Set(
  [...rules.replace(/(^|\s)#.*/gm, "$1")
    .matchAll(/(?:^|[\s;{}])backend\s+(?:"([^"]+)"|([^\s;"{}]+))\s*;/g)]
    .map(([, quoted, bare]) => quoted || bare))];

// Returns a line of the text with a caret below the place. Columns count bytes.
export const excerptOf = (text, line, column) => {
  const found = text.split("\n")[line - 1];
  if (found === undefined || !column) return found || "";
  let at = 0, bytes = 0;
  for (const letter of found) {
    if (bytes >= column - 1) break;
    bytes += TEXT.encode(letter).length;
    at += letter.length;
  }
  return found + "\n" + found.slice(0, at).replace(/[^\t]/g, " ") + "^";
};

// Returns what to put in place of a selection when somebody presses Enter: the new line
// begins as the one before it does, and four blanks later after a {. A } right of the
// caret gets a line of its own.
export const enter = (text, start, end) => {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const margin = /^[ \t]*/.exec(line)[0];
  const step = margin.includes("\t") ? "\t" : "    ";
  if (!/\{\s*$/.test(line)) return { text: "\n" + margin, back: 0 };
  return text[end] === "}"
    ? { text: "\n" + margin + step + "\n" + margin, back: margin.length + 1 }
    : { text: "\n" + margin + step, back: 0 };
};

// Returns how many bytes before the caret a } replaces: a line that has only blanks so
// far is one step too far to the right.
export const closes = (text, start) => {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (!/^[ \t]+$/.test(line)) return 0;
  return line.endsWith("\t") ? 1 : Math.min(4, /( *)$/.exec(line)[1].length);
};

// Returns what of a text another one replaces: from, to, and the new part.
export const differing = (old, next) => {
  const most = Math.min(old.length, next.length);
  let from = 0, back = 0;
  while (from < most && old[from] === next[from]) from++;
  while (back < most - from &&
      old[old.length - 1 - back] === next[next.length - 1 - back]) back++;
  return [from, old.length - back, next.slice(from, next.length - back)];
};

// Returns where a line begins and ends.
export const spanOf = (text, line) => {
  let from = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf("\n", from);
    if (next < 0) return [from, text.length];
    from = next + 1;
  }
  const end = text.indexOf("\n", from);
  return [from, end < 0 ? text.length : end];
};

// A comment, a text in quotes, a first word of a statement, or all up to the next of them.
const TOKEN = new RegExp([
  /(?<comment>\/\*.*?(?:\*\/|$)|(?<![^\s;{}])(?:#|\/\/).*)/,
  /(?<string>"(?:\\.|[^"\\])*"?)/,
  /(?<word>(?=[a-z])(?<=^[ \t]*|(?:[;{}]|\*\/)[ \t]*)[a-z-]+(?![\w.]))/,
].map((part) => part.source).join("|"), "g");

// Returns the parts of each line: { kind, text }, where a kind is "comment", "string",
// "word" or "". A comment may go on over lines in VCL.
export const colours = (text, vcl) => {
  let inside = false;
  return text.split("\n").map((line) => {
    const parts = [];
    let at = 0;
    const put = (kind, part) => part && parts.push({ kind, text: part });
    if (inside) {
      const end = line.indexOf("*/");
      at = end < 0 ? line.length : end + 2;
      inside = end < 0;
      put("comment", line.slice(0, at));
    }
    TOKEN.lastIndex = at;
    for (let found; (found = TOKEN.exec(line));) {
      const [kind] = Object.entries(found.groups).find(([, part]) => part);
      if (kind === "comment" && !vcl && found[0][0] === "/") {
        TOKEN.lastIndex = found.index + 1;
        continue;
      }
      put("", line.slice(at, found.index));
      put(kind, found[0]);
      at = TOKEN.lastIndex;
      inside = vcl && found[0].startsWith("/*") && !found[0].endsWith("*/");
    }
    put("", line.slice(at));
    return parts;
  });
};
