/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// What fastmatch is asked: its arguments and files for what is on the page.

import { backendsOf } from "./text.js";

export const RULES = "site.rules", VCL = "default.vcl";

// Returns what is wrong with the form, or null.
export const wrongWith = (state) => {
  if (state.url.trim() === "") return "Type a URL, to see what becomes of it.";
  const list = [["headers", "the request"], ["response", "the response"]];
  for (const [name, what] of list)
    for (const line of linesIn(state[name]))
      if (!/^[^\s:]+\s*:/.test(line))
        return "A header of " + what + " is 'Name: value', and not '" + line +
          "'.";
  return state.status !== "" && !/^[1-9]\d\d$/.test(state.status.trim())
    ? "A status has three digits, as 200." : null;
};

const linesIn = (text) => text.split("\n").map((line) => line.trim())
  .filter((line) => line !== "");

const backends = (rules) => backendsOf(rules).flatMap((name) =>
  ["--backend", name]);

export const checkAsked = (rules) => ({
  args: ["check", "--json", ...backends(rules), RULES],
  files: { [RULES]: rules },
});

export const formatAsked = (rules) => ({ args: ["fmt", "-"], files: {},
  stdin: rules });

// The request goes to one rule file. `after` is the explanation of the file before it.
export const explainAsked = (state, file, after) => {
  const headers = after ? after.headers.map((pair) => pair.join(": "))
    : linesIn(state.headers);
  const args = ["explain", "--json", ...backends(file.text)];
  for (const header of headers) args.push("--header", header);
  if (state.method.trim()) args.push("--method", state.method.trim());
  if (state.client.trim()) args.push("--client", state.client.trim());
  if (state.status.trim()) args.push("--status", state.status.trim());
  for (const header of linesIn(state.response))
    args.push("--response", header);
  args.push("--url", after ? after.url : state.url.trim(), file.name);
  return { args, files: { [file.name]: file.text } };
};

// The import is asked twice: for its texts, and for what it says of them.
export const importAsked = (state) => {
  const args = ["import", ...(state.exact ? [] : ["--well-formed"])];
  const files = { [VCL]: state.vcl };
  return [{ args: [...args, VCL], files },
    { args: [...args, "--output", RULES, "--vcl", "left.vcl", VCL], files }];
};
