/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// The playground: rules or VCL, a request, and what fastmatch says of both. It runs in
// a worker; what is shown is drawn anew after each answer.

import { draw, el } from "../parts/tree.js";
import { MOST_SHARED, pack, unpack } from "./share.js";
import { closes, differing, enter, isRules, isVcl, spanOf } from "./text.js";
import { checkOf, importOf, linesOf } from "./said.js";
import {
  RULES, VCL, checkAsked, explainAsked, formatAsked, importAsked, wrongWith,
} from "./ask.js";
import {
  becomes, checked, commandShown, digitsOf, refusedVcl, textRows,
  translated, waiting,
} from "./view.js";
import { engine } from "./engine.js";

const LATE = 200;               // ms after a key
const MOST_TEXT_SHOWN = 200000; // letters: more would make typing slow
const FIELDS = ["method", "url", "headers", "client", "status", "response"];

const find = (selector) => document.querySelector(selector);
const field = find("#text"), form = find("#form");
const examples = JSON.parse(find("#examples").textContent);

// What the reader has typed.
const state = { mode: "vcl", vcl: "", rules: "", exact: false };
for (const name of FIELDS) state[name] = "";

// What fastmatch has said of it.
let made = null, bad = new Set(), ran = new Map(), formatted = null;
let shownLine = null, machine = null, turn = 0, timer = null;
let frame = null;

const isVclMode = () => state.mode === "vcl";
const textNow = () => state[state.mode];

/* Drawing */

const marksOf = (name) => {
  const marks = new Map(ran.get(name));
  if (name === (isVclMode() ? VCL : RULES))
    for (const line of bad) marks.set(line, "bad-line");
  if (shownLine && shownLine.file === name) marks.set(shownLine.line, "shown");
  return marks;
};

const drawText = () => {
  const text = textNow();
  find("#editor").style.setProperty("--digits", digitsOf(text));
  draw(find("#back"), textRows(text, marksOf(isVclMode() ? VCL : RULES),
    isVclMode()));
};

// Scrolls to the caret. The browser does so before the line that grows is drawn.
const reveal = () => {
  const box = find("#editor"), before = field.value.slice(0, field.selectionEnd);
  const begin = before.lastIndexOf("\n") + 1;
  const row = find("#back").children[before.split("\n").length - 1];
  const range = document.createRange();
  const letters = document.createTreeWalker(row.lastChild, NodeFilter.SHOW_TEXT);
  let left = before.length - begin, part = letters.nextNode();
  for (let next = part; next && left > part.length;) {
    left -= part.length;
    next = letters.nextNode();
    part = next || part;
  }
  range.setStart(part, Math.min(left, part.length));
  const caret = range.getBoundingClientRect(), seen = box.getBoundingClientRect();
  const gutter = row.firstChild.offsetWidth;
  const down = seen.top + box.clientHeight - caret.bottom;
  const right = seen.left + box.clientWidth - 24 - caret.right;
  if (down < 0) box.scrollTop -= down;
  if (caret.top < seen.top) box.scrollTop -= seen.top - caret.top;
  if (right < 0) box.scrollLeft -= right;
  if (caret.left < seen.left + gutter)
    box.scrollLeft -= seen.left + gutter - caret.left;
};

const drawMade = () => {
  if (!made) return;
  const marks = new Map(made.files.map(({ name }) => [name, marksOf(name)]));
  draw(find("#made"), translated(made, marks, state.exact, state.vcl));
  find("#translated").classList.remove("old");
};

const say = (trees) => draw(find("#state"), trees);

const explain = (trees, old) => {
  find("#outcome").classList.toggle("old", Boolean(old));
  if (trees) draw(find("#explained"), trees);
  find("#legend").hidden = ran.size === 0;
};

const readForm = () => {
  for (const name of FIELDS) state[name] = form.elements[name].value;
};

// Shows the state in the fields.
const drawState = () => {
  for (const radio of document.getElementsByName("mode"))
    radio.checked = radio.value === state.mode;
  find("main").dataset.mode = state.mode;
  field.value = textNow();
  field.setAttribute("aria-label", isVclMode() ? "VCL" : "Rules");
  field.placeholder = isVclMode()
    ? "Paste your default.vcl here."
    : "host www.example.com {\n    query drop utm_*;\n}";
  find("#exact").checked = state.exact;
  for (const name of FIELDS) form.elements[name].value = state[name];
  find("#more").open = Boolean(state.status || state.response);
  made = null;
  bad = new Set();
  ran = new Map();
  drawText();
  find("#editor").scrollTo(0, 0);
};

/* Running */

const linesWithErrors = (messages) => new Set(messages
  .filter((message) => message.line && message.severity !== "warning")
  .map((message) => message.line));

// Explains the request by one rule file after the other, until one decides.
const explainBy = async (files, mine) => {
  const wrong = wrongWith(state);
  if (wrong) {
    ran = new Map();
    explain(waiting(wrong));
    return;
  }
  const runs = [];
  for (const file of files) {
    const results = await machine.ask([explainAsked(state, file,
      runs.length > 0 ? runs[runs.length - 1].run : null)]);
    if (!results || mine !== turn) return;
    const [{ out, err }] = results;
    let run = null;
    try {
      run = JSON.parse(out);
    } catch {
      explain(waiting(err.trim().split("\n")[0].replace(/^fastmatch \w+: /, "")));
      return;
    }
    if (run.diagnostics) return;
    runs.push({ file: file.name, run });
    if (run.verdict !== "none") break;
  }
  ran = new Map(runs.map(({ file, run }) => [file, linesOf(run, file)]));
  explain(becomes(runs));
};

// Returns true where somebody types, and false where another text was pasted.
const isSimilar = (old, next) => {
  const [from, to, text] = differing(old, next);
  return Math.max(to - from, text.length) < Math.min(200, old.length / 2);
};

const runVcl = async (mine) => {
  if (state.vcl.trim() === "") {
    made = null;
    ran.clear();
    find("#translated").classList.remove("old");
    say(el("p", { class: "dim" }, "Paste your VCL above, with the files that " +
      "it includes; or take an example."));
    draw(find("#made"), el("p", { class: "dim" },
      "Here come the rules, and what stays VCL with the reason."));
    explain(waiting("First, a VCL."));
    return;
  }
  const results = await machine.ask(importAsked(state));
  if (!results || mine !== turn) return;
  const next = importOf(...results);
  bad = linesWithErrors(next.errors);
  if (next.errors.length > 0) {
    say(isRules(state.vcl)
      ? el("p", null, "This looks like rules. ", el("button", { type: "button",
        class: "copy", "data-do": "rules" }, "Check them as rules"))
      : refusedVcl(next.errors, state.vcl));
    // A mistake that is just being typed leaves the rules of the VCL before it.
    if (made && !isSimilar(made.of, state.vcl)) made = null;
    find("#translated").classList.toggle("old", Boolean(made));
    if (!made) {
      ran.clear();
      draw(find("#made"), waiting("There are no rules, as this VCL can't be " +
        "read."));
    }
    explain(made ? null : waiting("First, a VCL that can be read."), made);
    drawText();
    return;
  }
  made = { ...next, of: state.vcl };
  say(el("p", { class: "dim" }, "This VCL can be read.",
    made.stays.length > 0 && [" ", el("button", { type: "button",
      class: "goto", "data-do": "stays" }, "What stays VCL, and why")]));
  drawText();
  drawMade();
  if (made.files.length === 0) {
    ran.clear();
    explain(waiting("There are no rules that a request could go through."));
  } else await explainBy(made.files, mine);
  if (mine === turn) drawMade();
};

const runRules = async (mine) => {
  if (isVcl(state.rules)) {
    say(el("p", null, "This looks like VCL. ", el("button", { type: "button",
      class: "copy", "data-do": "translate" }, "Translate it to rules")));
    explain(waiting("First, rules."));
    return;
  }
  const results = await machine.ask([checkAsked(state.rules),
    formatAsked(state.rules)]);
  if (!results || mine !== turn) return;
  const check = checkOf(results[0].out);
  formatted = results[1].status === 0 ? results[1].out : null;
  find("#format").disabled = formatted === null || formatted === state.rules;
  if (!check) {
    say(waiting(results[0].err.trim().split("\n")[0]));
    return;
  }
  const empty = state.rules.trim() === "";
  bad = empty ? new Set() : linesWithErrors(check.messages);
  say(checked(check, state.rules));
  drawText();
  if (empty) explain(waiting("First, rules."));
  else if (check.errors > 0) {
    const before = find("#explained .headline");
    explain(before ? null : waiting("First, rules without a mistake."),
      before);
  } else await explainBy([{ name: RULES, text: state.rules }], mine);
  if (mine === turn) drawText();
};

const busy = (is) => find("main").setAttribute("aria-busy", String(is));

const run = () => {
  clearTimeout(timer);
  const mine = ++turn;
  readForm();
  busy(true);
  if (!machine) return;
  if (textNow().length > MOST_TEXT_SHOWN) {
    say(el("p", { class: "no" }, "This is more than 200,000 letters: the " +
      "playground is for less. The command itself takes any size."));
    busy(false);
    return;
  }
  (isVclMode() ? runVcl(mine) : runRules(mine)).catch((error) =>
    say(el("p", { class: "no" }, "This page has a fault: " + error)))
    .then(() => mine === turn && busy(false));
};

// What is asked of an older text has no answer any more.
const later = () => {
  busy(true);
  turn++;
  clearTimeout(timer);
  timer = setTimeout(run, LATE);
};

/* What the reader does */

// A link in the address bar is of what it was made of: when that changes, it goes.
const changed = () => {
  find("#shared").textContent = "";
  find("#example").value = "";
  if (location.hash) history.replaceState(null, "", location.pathname +
    location.search);
};

const take = (next) => {
  Object.assign(state, { vcl: "", rules: "", exact: false });
  for (const name of FIELDS) state[name] = "";
  Object.assign(state, next);
  drawState();
  run();
};

// Puts a text in place of the selection, so that the browser can undo it.
const put = (text) => {
  if (!document.execCommand("insertText", false, text)) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
};

const setMode = (mode) => {
  if (state.mode === mode) return;
  state.mode = mode;
  drawState();
  run();
};

// A text that is put in comes in an event for each of its lines: they are drawn once.
field.addEventListener("input", () => {
  state[state.mode] = field.value;
  busy(true);
  turn++;
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = null;
    shownLine = null;
    bad = new Set();
    if (!isVclMode()) ran.clear();
    changed();
    drawText();
    reveal();
    later();
  });
});

// VCL that is pasted in place of all rules is translated, and rules are rules in the
// place of VCL, too.
field.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  const mode = isVcl(text) ? "vcl" : isRules(text) ? "rules" : state.mode;
  setTimeout(() => {
    if (field.value.trim() !== text.replaceAll("\r\n", "\n").trim()) return;
    state[mode] = field.value;
    setMode(mode);
    field.focus();
    field.setSelectionRange(0, 0);
  });
});

field.addEventListener("keydown", (event) => {
  if (event.altKey && event.shiftKey && event.code === "KeyF") {
    event.preventDefault();
    format();
  } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey &&
      !event.isComposing) {
    event.preventDefault();
    const { text, back } = enter(field.value, field.selectionStart,
      field.selectionEnd);
    put(text);
    if (back) field.selectionStart = field.selectionEnd =
      field.selectionEnd - back;
  } else if (event.key === "}" && field.selectionStart === field.selectionEnd) {
    const step = closes(field.value, field.selectionStart);
    if (step > 0) field.selectionStart -= step;
  }
});

const format = () => {
  if (isVclMode() || formatted === null || formatted === field.value) return;
  const { selectionStart: at } = field, { scrollTop } = find("#editor");
  const [from, to, text] = differing(field.value, formatted);
  field.focus();
  field.setSelectionRange(from, to);
  put(text);
  field.setSelectionRange(at, at);
  find("#editor").scrollTop = scrollTop;
};

find("#format").addEventListener("click", format);
find("#clear").addEventListener("click", () => {
  field.focus();
  field.select();
  put("");
});
for (const radio of document.getElementsByName("mode"))
  radio.addEventListener("change", () => {
    changed();
    // Somebody who has no rules yet goes on with those of the VCL.
    if (radio.value === "rules" && state.rules.trim() === "" && made &&
        made.files.length === 1)
      state.rules = made.files[0].text;
    setMode(radio.value);
  });
find("#exact").addEventListener("change", () => {
  state.exact = find("#exact").checked;
  changed();
  run();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.addEventListener("input", () => {
  changed();
  later();
});

const copyText = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is not allowed here";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
};

const textOfFile = (name) => name === "prove" ? commandShown(state.exact)
  : name === "new.vcl" ? made.rest + "\n"
    : made.files.find((file) => file.name === name).text;

// Leads to a line: of the field, or of a text beside it.
const show = (file, line) => {
  shownLine = { file, line };
  const mine = file === (isVclMode() ? VCL : RULES);
  drawText();
  if (isVclMode()) drawMade();
  const box = mine ? find("#editor") : [...document.querySelectorAll(".lines")]
    .find((one) => one.dataset.file === file);
  const row = box && box.querySelector(".ln.shown");
  if (!row) return;
  if (mine) {
    const [from, to] = spanOf(field.value, line);
    field.focus({ preventScroll: true });
    field.setSelectionRange(from, to);
  } else {
    box.focus({ preventScroll: true });
  }
  box.scrollTop += row.getBoundingClientRect().top -
    box.getBoundingClientRect().top - box.clientHeight / 3;
  box.scrollIntoView({ block: "nearest" });
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { file, line, copy: copied, edit, do: what } = button.dataset;
  if (line) show(file, Number(line));
  if (copied) copyText(textOfFile(copied), button);
  if (edit) {
    changed();
    state.rules = textOfFile(edit);
    setMode("rules");
    field.focus({ preventScroll: true });
  }
  if (what === "stays")
    find("#stays").scrollIntoView({ block: "start" });
  if (what === "rules") {
    state.rules = state.vcl;
    setMode("rules");
  }
  if (what === "translate") {
    state.vcl = state.rules;
    setMode("vcl");
  }
});

/* Examples, and links */

const choose = find("#example");
draw(choose, [el("option", { value: "" }, "Choose one"),
  ...["vcl", "rules"].map((mode) => el("optgroup", {
    label: mode === "vcl" ? "VCL, to be translated" : "Rules" },
  examples.map((example, n) => example.mode === mode &&
    el("option", { value: String(n) }, example.title))))]);
choose.addEventListener("change", () => {
  const chosen = choose.value;
  if (chosen === "") return;
  changed();
  choose.value = chosen;
  take(examples[Number(chosen)].state);
});

const SHARED = ["mode", "vcl", "rules", "exact", ...FIELDS];

const share = async () => {
  readForm();
  const kept = {};
  for (const name of SHARED)
    if (state[name] && name !== (isVclMode() ? "rules" : "vcl"))
      kept[name] = state[name];
  const fragment = await pack(kept);
  if (fragment.length > MOST_SHARED) {
    find("#shared").textContent = "This is too much for a link: it has " +
      (fragment.length / 1024).toFixed(1) + " KB, and a link has at most 8 KB. " +
      "Shorten the text, or send it as a file.";
    return;
  }
  history.replaceState(null, "", "#" + fragment);
  const where = (place) => { find("#shared").textContent = "The link is " +
    place + ". It holds all of this page, and no server gets it."; };
  where("in the address bar");
  // A browser may forbid to copy: the address bar is enough then.
  try {
    await navigator.clipboard.writeText(location.href);
    where("in the address bar, and copied");
  } catch { /* It stays there. */ }
};
find("#share").addEventListener("click", share);

// Takes what a link has; only texts of a known name count.
const takeLink = async () => {
  const found = await unpack(location.hash.slice(1));
  if (!found) {
    find("#shared").textContent = "This link is broken: a part of it is " +
      "missing, or another version of this page has made it.";
    return false;
  }
  const next = { mode: found.mode === "rules" ? "rules" : "vcl",
    exact: found.exact === true };
  for (const name of ["vcl", "rules", ...FIELDS])
    if (typeof found[name] === "string") next[name] = found[name];
  take(next);
  return true;
};

window.addEventListener("hashchange", () => {
  if (location.hash.length > 20) takeLink();
});

/* The beginning */

const WHERE = "Keep fastmatch.js in the folder of this page, and load the page again.";

const says = ({ ready, version, broken, slow }) => {
  if (ready) performance.mark("ready");
  if (version) find("#version").textContent = version.split("\n")[0];
  if (slow) say(el("p", { class: "no" }, "fastmatch was at this for " +
    slow / 1000 + " seconds, and was stopped. Is there a very large text, or a " +
    "regex that takes long?"));
  if (broken) explain(el("p", { class: "no" }, "fastmatch can't run here: " +
    broken));
};

// The script with fastmatch may come later than this one.
const begin = () => {
  if (!window.fastmatchWorker) {
    explain(el("p", { class: "no" }, "fastmatch was not found. " + WHERE));
    return;
  }
  const url = URL.createObjectURL(new Blob(window.fastmatchWorker,
    { type: "text/javascript" }));
  delete window.fastmatchWorker;
  machine = engine(() => new Worker(url), says);
  run();
};

drawState();
if (location.hash.length > 20)
  takeLink().then((taken) => taken || take(examples[0].state));
else take(examples[0].state);
if (document.readyState === "complete") begin();
else window.addEventListener("load", begin);
