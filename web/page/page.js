/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// The page: asks for the numbers every two seconds, and draws what has changed.

import { draw, el } from "../parts/tree.js";
import { move, nearest } from "../parts/curve.js";
import { explanation } from "../parts/explain.js";
import { whyCommand } from "../parts/command.js";
import { plural, span, time } from "../parts/format.js";
import { hold } from "../parts/table.js";
import { curves, facts, refused, wholeHistory } from "./state.js";
import { shadow } from "./shadow.js";
import {
  askedHosts, counters, folderOf, hitRules, hosts, never, ruleId, rules,
} from "./tables.js";

const EVERY = 2000, LATE = 300;         // ms: between answers; after a key
const FOR_HISTORY = 10;                 // seconds: then a curve has a new value
const EXPLAIN = ["url", "method", "headers", "client", "status", "response"];
const KEPT = ["q", "n", "hosts", "rules", ...EXPLAIN];

const find = (selector) => document.querySelector(selector);
const query = new URLSearchParams(location.search);

// What the reader does to the page: the row that is open in each table, and the value
// of the readout of curves.
const open = { hosts: null, rules: null, never: null, shadow: null };
const readout = { at: null, of: "" };

let data = null, older = null, history = null, asked_at = 0;
let explained = null, explained_by = null;
let shown = { hosts: [], rules: [] };
let timer = null, busy = false, again = false;

const keep = () => {
  const kept = new URLSearchParams();
  for (const name of KEPT)
    if (query.get(name)) kept.set(name, query.get(name));
  window.history.replaceState(null, "", "?" + kept + location.hash);
};

/* Drawing */

// While somebody reads a table its rows stay where they are.
const isRead = (id) => open[id] !== null ||
  find("#" + id + ":hover") || find("#" + id).contains(document.activeElement);

const rowsOf = (id, rows, name) => {
  shown[id] = isRead(id) ? hold(shown[id], rows, name) : rows;
  return shown[id];
};

const drawCurves = () => {
  if (!history || !history.all) {
    draw(find("#all-curves"), el("p", { class: "missing" },
      "There is no history yet."));
    return;
  }
  const all = history.all, at = readout.of === "all" ? readout.at : null;
  draw(find("#all-curves"), curves(all, data, at, "all-"));
  draw(find("#past"), "A value for each " + all.step + " s, since " +
    time(history.since, data.now));
};

const drawTables = () => {
  const at = readout.of === "host" ? readout.at : null;
  const searched = Boolean(query.get("q"));
  // The server sorts by hits where no rate is known yet.
  const rated = data.hosts.rows.some((host) => host.rate !== null);
  const usual = rated ? "rate" : "hits";
  const by = { hosts: query.get("hosts") || usual,
    rules: query.get("rules") || usual };
  draw(find("#hosts"), hosts(data, rowsOf("hosts",
    askedHosts(data, by.hosts, searched), (host) => host.host), by.hosts, searched,
  open.hosts, history, at));
  draw(find("#rules"), rules(data, rowsOf("rules",
    hitRules(data, by.rules), ruleId), by.rules, searched,
  open.rules));
  draw(find("#never"), never(data, open.never));
  draw(find("#counters"), counters(data, older));
};

const drawExplained = () => {
  if (explained === null) return;
  draw(find("#explained"), [
    el("h3", null, "With generation " + explained_by),
    ...explanation(explained, folderOf(data.path)),
    !explained.error && query.get("url") && [
      el("p", { class: "why" }, "Was it cached, and why not? On this machine:"),
      whyCommand(query.get("url")),
    ],
  ]);
};

const drawAll = () => {
  document.title = data.name + " \u2013 fastmatch";
  draw(find("#name"), data.name);
  draw(find("#vcl"), "the rules of the VCL " + data.vcl + ", as of");
  draw(find("#now"), time(data.now, data.now));
  draw(find("#state"), facts(data));
  draw(find("#refused"), refused(data));
  draw(find("#shadow"), shadow(data, open.shadow));
  find("#shadow").hidden = find("#to-shadow").hidden = data.shadow === null;
  drawCurves();
  drawTables();
  drawExplained();
  find("#loading").hidden = true;
  find("main").hidden = find("nav").hidden = false;
};

/* Asking */

const wants = () => {
  const params = new URLSearchParams({ json: "" });
  for (const name of ["q", "n", "hosts", "rules"])
    if (query.get(name)) params.set(name, query.get(name));
  if (open.rules || open.never) params.set("rule", open.rules || open.never);
  if (history && Date.now() - asked_at < FOR_HISTORY * 1000)
    params.set("history", "no");
  if (query.get("url") && (!data || explained_by !== data.generation))
    for (const name of EXPLAIN)
      if (query.get(name)) params.set(name, query.get(name));
  return params;
};

const take = (answer) => {
  if (!older || older.generation !== answer.generation) older = data;
  else if (data && answer.seconds - data.seconds > 0.5) older = data;
  if (answer.history) {
    history = wholeHistory(answer.history, answer.now);
    asked_at = Date.now();
  }
  if (answer.explain) {
    explained = answer.explain;
    explained_by = answer.generation;
  }
  const first = data === null;
  data = answer;
  drawAll();
  if (first) performance.mark("numbers");
};

const look = async () => {
  clearTimeout(timer);
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  again = false;
  try {
    const answer = await fetch("?" + wants(), { cache: "no-store" });
    if (!answer.ok) throw new Error("status " + answer.status);
    take(await answer.json());
    draw(find("#live"), ", live");
  } catch (e) {
    draw(find("#live"), el("span", { class: "no" },
      ", not live any more: " + e.message));
    if (!data) draw(find("#loading"), "The numbers can't be read: " +
      e.message + ". The page asks again every two seconds.");
  }
  busy = false;
  if (!document.hidden || again)
    timer = setTimeout(look, again ? 0 : EVERY);
};

/* What the reader does */

const ACTIONS = {
  sort: ({ table, order }) => {
    query.set(table, order);
    shown[table] = [];
    keep();
    look();
  },
  open: ({ table, id }) => {
    open[table] = open[table] === id ? null : id;
    if (table === "rules") open.never = null;
    if (table === "never") open.rules = null;
    drawAll();
    if (table === "rules" || table === "never") look();
  },
  copy: async ({ text }, button) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch (e) {
      // Without https there is no clipboard: the text is selected instead.
      getSelection().selectAllChildren(button.previousElementSibling ||
        button.parentNode.firstChild);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, EVERY);
  },
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) ACTIONS[button.dataset.action](button.dataset, button);
});

const readAt = (svg, at) => {
  readout.of = svg === null ? "" : svg.closest(".small") ? "host" : "all";
  readout.at = at;
  if (data) {
    drawCurves();
    drawTables();
  }
};
const lengthOf = (svg) => Number(svg.getAttribute("aria-valuemax")) + 1;

document.addEventListener("pointermove", (event) => {
  const svg = event.target.closest(".curve svg");
  if (!svg) return;
  const box = svg.getBoundingClientRect();
  readAt(svg, nearest((event.clientX - box.left) / box.width, lengthOf(svg)));
});
document.addEventListener("pointerout", (event) => {
  if (event.target.closest(".curve svg") && !(event.relatedTarget &&
      event.relatedTarget.closest && event.relatedTarget.closest(".curve svg")))
    readAt(null, null);
});
document.addEventListener("keydown", (event) => {
  const svg = event.target.closest(".curve svg");
  if (!svg || event.ctrlKey || event.altKey || event.metaKey) return;
  const at = move(readout.at, event.key, lengthOf(svg));
  if (at === undefined) return;
  event.preventDefault();
  readAt(svg, at);
});
document.addEventListener("focusout", (event) => {
  if (event.target.closest(".curve svg")) readAt(null, null);
});

const search = find("#search"), explain = find("#explain-form");
const searchNow = () => {
  for (const [name, value] of new FormData(search)) query.set(name, value);
  shown = { hosts: [], rules: [] };
  keep();
  look();
};
search.addEventListener("submit", (event) => {
  event.preventDefault();
  searchNow();
});
search.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(searchNow, LATE);
});
explain.addEventListener("submit", (event) => {
  event.preventDefault();
  for (const [name, value] of new FormData(explain)) query.set(name, value);
  explained_by = null;
  keep();
  look();
});

for (const form of [search, explain])
  for (const field of form.elements)
    if (field.name && query.get(field.name))
      field.value = query.get(field.name);
find("#explain-more").open = ["headers", "client", "status", "response"]
  .some((name) => query.get(name));

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden) look();
});
find("#never").addEventListener("toggle", () => data && drawTables());
look();
