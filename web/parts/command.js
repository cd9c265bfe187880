/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// A command for a shell, with a button that copies it.

import { el } from "./tree.js";

// Returns a word for a shell, which keeps what stands in quotes.
export const quoted = (text) => "'" + text.replace(/'/g, "'\\''") + "'";

// The page that shows it listens for clicks on data-action="copy".
export const command = (text) => el("p", { class: "command" },
  el("code", null, text), " ",
  el("button", { type: "button", class: "copy", "data-action": "copy",
    "data-text": text }, "Copy"));

// Shows the command that tells what became of the last request for a URL.
export const whyCommand = (url) => command("fastmatch why " + quoted(url));
