/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Runs fastmatch in a worker, so that typing never waits. One ask is at work, at most one
// waits: a newer one takes its place, and the older one gets null.

export const SLOW = 20000;      // ms: after these a run is given up

// `start` makes a worker, which says { ready: true } or { broken }, and answers each
// { id, runs } with { id, results }. `says` is told { ready }, { broken } and { slow }.
export const engine = (start, says, slow = SLOW) => {
  let worker = null, ready = false, active = null, waiting = null, timer = null;
  let id = 0;

  const begin = () => {
    worker = start();
    worker.onmessage = ({ data }) => {
      if (data.ready) ready = true;
      if (data.ready || data.broken) says(data);
      if (data.results && active && data.id === active.id) end(data.results);
      next();
    };
    worker.onerror = (event) => says({ broken: event.message || "no worker" });
  };
  const end = (results) => {
    clearTimeout(timer);
    const { done } = active;
    active = null;
    done(results);
  };
  const next = () => {
    if (!ready || active || !waiting) return;
    active = waiting;
    waiting = null;
    timer = setTimeout(() => {
      worker.terminate();
      ready = false;
      says({ slow });
      end(null);
      begin();
    }, slow);
    worker.postMessage({ id: active.id, runs: active.runs });
  };
  begin();
  return {
    ask: (runs) => new Promise((done) => {
      if (waiting) waiting.done(null);
      waiting = { id: ++id, runs, done };
      next();
    }),
  };
};
