/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */
"use strict";
(() => {
  const EVERY = 2000, LATE = 300;
  // The parts that change; the first of them are marked when they do.
  const MARKED = ["#generation", "#since", "#digest", "#from"];
  const TABLES = ["#hosts", "#rules", "#never"].flatMap((id) =>
    [id + " caption", id + " thead", id + "-rows"]);
  const PARTS = [...MARKED, "#now", "#errors", "#over", "#counts", ...TABLES,
    "#shadow dl", "#shadow-rows", "#shadow-latest"];
  const find = (part, page = document) => page.querySelector(part);
  // The shadow's messages, and which tables it has: these come and go.
  const shape = (page) => [...page.querySelectorAll("#shadow > *")]
    .map((part) => part.tagName + (part.matches("p") ? part.textContent : ""))
    .join();
  let before = null, timer = null, busy = false;

  // Takes what differs from a page that the server has written just now.  A
  // head without a change stays, for who has scrolled or is about to sort.
  const renew = (page) => {
    const all = shape(page) !== shape(document);
    for (const part of all ? [...PARTS, "#shadow"] : PARTS) {
      const old = find(part), renewed = find(part, page);
      if (!old || !renewed || old.isEqualNode(renewed)) continue;
      if (MARKED.includes(part) && old.textContent !== renewed.textContent)
        renewed.classList.add("new");
      old.replaceWith(renewed);
    }
  };
  // A second between two answers at least: else the clock says too little.
  const rates = () => {
    const rows = [...find("#counts").rows], clock = performance.now();
    const totals = rows.map((row) =>
      Number(row.cells[1].textContent.replace(/\D/g, "")));
    const span = before ? (clock - before.clock) / 1000 : 0;
    if (span >= 1) {
      find("#over").textContent = "Per second: over the last " +
        Math.round(span) + " s";
      rows.forEach((row, n) => {
        const rate = Math.max(0, totals[n] - before.totals[n]) / span;
        row.cells[2].textContent = String(Math.round(rate * 10) / 10);
      });
    }
    before = { clock, totals };
  };
  const outdate = () => {
    const explained = find("#explained"), generation =
      find("#generation").textContent.replace(/\D/g, "");
    if (explained && explained.dataset.generation !== generation)
      explained.textContent = "With generation " +
        explained.dataset.generation + ", which serves no more: explain again";
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
    try {
      const answer = await fetch("?" + query, { cache: "no-store" });
      if (!answer.ok) throw new Error("status " + answer.status);
      renew(new DOMParser().parseFromString(await answer.text(),
        "text/html"));
      rates();
      outdate();
      find("#live").textContent = ", live";
    } catch (e) {
      find("#live").textContent = ", not live any more: " + e.message;
    }
    busy = false;
    if (!document.hidden) timer = setTimeout(look, EVERY);
  };

  const search = find("#search");
  const search_now = () => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of new FormData(search))
      query.set(name, value);
    history.replaceState(null, "", "?" + query);
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
