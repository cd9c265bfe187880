/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */
"use strict";
(() => {
  const EVERY = 2000, LATE = 300;
  const by = (id) => document.getElementById(id);
  const number = (n) => n === null ? "\u2013" :
    String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const time = (t) => t ? new Date(t * 1000).toISOString()
    .replace("T", " ").replace(/\..*/, " UTC") : "\u2013";
  let before = null, timer = null, busy = false;

  // Text alone ever gets into the page.
  const make = (name, text, kind) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const set = (id, text) => {
    const element = by(id);
    if (element.textContent === text) return;
    element.textContent = text;
    if (before) element.classList.add("new");
  };
  const coded = (name, text) => {
    const element = make(name, "");
    if (name === "th") element.scope = "row";
    element.append(make("code", text));
    return element;
  };
  const fill = (id, rows, cells) => {
    const body = by(id);
    body.replaceChildren(...rows.map((row) => {
      const tr = make("tr", "");
      tr.append(...cells(row));
      return tr;
    }));
  };
  const shown = (id, rows) => {
    by(id + "-shown").textContent =
      number(rows.rows.length) + " of " + number(rows.matched);
  };

  const error = (message) => {
    const line = make("p", "");
    line.append(make("code", message.at), " " + message.text);
    return message.excerpt === null ? [line] :
      [line, make("pre", message.excerpt)];
  };
  const errors = (page) => {
    by("errors").hidden = page.refused_at === null;
    by("refused").textContent = time(page.refused_at);
    const messages = page.errors.flatMap(error);
    if (page.error_count > page.errors.length)
      messages.push(make("p", "Errors in all: " + page.error_count));
    const old = by("messages");
    const renewed = make("div", "");
    renewed.id = "messages";
    renewed.append(...messages);
    if (old.textContent.replace(/\s+/g, "") !==
      renewed.textContent.replace(/\s+/g, "")) old.replaceWith(renewed);
  };

  // A second between two answers at least: else the clock says too little.
  const counts = (page) => {
    const rows = page.counts, last = before;
    const span = last && last.clock + 1000 <= page.clock ?
      (page.clock - last.clock) / 1000 : 0;
    by("over").textContent = "Per second: over the last " +
      Math.round(span || page.seconds) + " s";
    fill("counts", rows, (row) => {
      const was = span && last.counts.find((r) => r.what === row.what);
      const rate = was ? Math.max(0, row.total - was.total) / span :
        page.seconds > 0 ? row.total / page.seconds : 0;
      const what = make("th", row.what);
      what.scope = "row";
      return [what, make("td", number(row.total), "n"),
        make("td", String(Math.round(rate * 10) / 10), "n")];
    });
  };
  const tables = (page) => {
    const rule = (row) =>
      [make("td", row.at, "place"), coded("th", row.text)];
    shown("hosts", page.hosts);
    by("hosts-never").textContent = number(page.hosts.never);
    fill("hosts-rows", page.hosts.rows, (row) =>
      [coded("th", row.host), make("td", number(row.hits), "n")]);
    shown("rules", page.rules);
    fill("rules-rows", page.rules.rows, (row) =>
      [...rule(row), make("td", number(row.hits), "n")]);
    shown("never", page.never);
    fill("never-rows", page.never.rows, rule);
  };
  const side = (rule) => {
    const cell = make("td", rule ? "" : "\u2013");
    if (rule)
      cell.append(make("span", rule.at, "place"), " ",
        make("code", rule.text));
    return cell;
  };
  const shadow = (told) => {
    by("shadow-sampled").textContent = number(told.sampled);
    by("shadow-differ").textContent = number(told.differ);
    fill("shadow-rows", told.differences, (row) => {
      const kind = make("th", row.kind);
      kind.scope = "row";
      if (row.header !== null) kind.append(" ", make("code", row.header));
      return [kind, coded("td", row.host || ""), side(row.serving),
        side(row.shadow), make("td", number(row.requests), "n")];
    });
  };
  const show = (page) => {
    for (const element of document.querySelectorAll(".new"))
      element.classList.remove("new");
    by("now").textContent = time(page.now);
    set("generation", number(page.generation));
    set("since", time(page.loaded_at));
    set("digest", page.digest || "");
    set("from", page.backup ? "the backup, as the file is not valid" :
      "the file");
    const explained = by("explained");
    if (explained && explained.dataset.generation !== String(page.generation))
      explained.textContent = "With generation " +
        explained.dataset.generation + ", which serves no more: explain again";
    errors(page);
    counts(page);
    tables(page);
    if (page.shadow && by("shadow-rows")) shadow(page.shadow);
    before = page;
  };

  const look = async () => {
    clearTimeout(timer);
    if (busy) {
      timer = setTimeout(look, LATE);
      return;
    }
    busy = true;
    const query = new URLSearchParams(location.search);
    for (const name of ["method", "url", "headers", "client"])
      query.delete(name);
    query.set("json", "1");
    try {
      const answer = await fetch("?" + query, { cache: "no-store" });
      if (!answer.ok) throw new Error("status " + answer.status);
      const page = await answer.json();
      page.clock = performance.now();
      show(page);
      by("live").textContent = ", live";
    } catch (e) {
      by("live").textContent = ", not live any more: " + e.message;
    }
    busy = false;
    if (!document.hidden) timer = setTimeout(look, EVERY);
  };

  const search = by("search");
  const search_now = () => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of new FormData(search))
      query.set(name, value);
    history.replaceState(null, "", "?" + query);
    for (const link of document.querySelectorAll("thead a")) {
      const to = new URL(link.href);
      for (const name of ["q", "n"]) to.searchParams.set(name,
        query.get(name) || "");
      link.href = to.search + to.hash;
    }
    look();
  };
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    search_now();
  });
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search_now, LATE);
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) look();
  });
  look();
})();
