/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Messages about a file of rules: place, text, and the lines with a caret.

import { el } from "./tree.js";
import { number } from "./format.js";

// Shows messages { at, text, excerpt }; `all` is how many there are.
export const diagnostics = (messages, all) => [
  messages.map((message) => el("div", { class: "message" },
    el("p", null, message.at && [el("code", null, message.at), " "],
      message.text),
    message.excerpt && el("pre", { tabindex: "0" },
      message.excerpt.replace(/\n+$/, "")))),
  all > messages.length &&
    el("p", { class: "dim" }, "and " + number(all - messages.length) +
      " more, which fastmatch check shows"),
].flat().filter((part) => part);
