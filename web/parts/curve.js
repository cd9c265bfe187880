/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// A small curve of one number over time, with a readout for mouse and keyboard.

import { el } from "./tree.js";
import { time } from "./format.js";

const WIDE = 360, HIGH = 64;    // of the drawing, in its own units

// Returns the end of the axis: 1, 2 or 5 times a power of ten, at least `least`.
export const top = (values, least) => {
  const most = Math.max(least, ...values.filter((value) => value !== null));
  const ten = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= most);
};

// Returns the place of value n of all, from the left and from above.
const place = (values, n, most) => [
  values.length < 2 ? WIDE : n * WIDE / (values.length - 1),
  HIGH - (HIGH - 2) * Math.min(values[n], most) / most,
].map((x) => Math.round(x * 10) / 10);

// Returns the path of a line through the values; null is a gap. A value between two gaps
// is a dot.
export const path = (values, most) => {
  let text = "", pen = false;
  values.forEach((value, n) => {
    if (value === null) {
      pen = false;
      return;
    }
    const [x, y] = place(values, n, most);
    text += (pen ? "L" : "M") + x + " " + y;
    if (!pen && (n + 1 === values.length || values[n + 1] === null))
      text += "h0";
    pen = true;
  });
  return text;
};

// Returns the path of the area below that line.
export const area = (values, most) => {
  let text = "", first = null;
  values.forEach((value, n) => {
    if (value === null) return;
    const [x, y] = place(values, n, most);
    if (first === null) {
      first = x;
      text += "M" + x + " " + HIGH;
    }
    text += "L" + x + " " + y;
    if (n + 1 === values.length || values[n + 1] === null) {
      text += "L" + x + " " + HIGH + "Z";
      first = null;
    }
  });
  return text;
};

// Returns the value that a key moves the readout to; undefined for other keys.
export const move = (at, key, length) => {
  const from = at === null ? length - 1 : at;
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, PageUp: from - 30,
    PageDown: from + 30, Home: 0, End: length - 1, Escape: null }[key];
  return to === undefined || to === null ? to
    : Math.max(0, Math.min(length - 1, to));
};

// Returns the value at a part of the width, from 0 to 1.
export const nearest = (part, length) =>
  Math.max(0, Math.min(length - 1, Math.round(part * (length - 1))));

// curve: id, title, values (oldest first, null: not known), end (of the last one, in
// seconds), step, show (a value as a text), unit, least, at (a value: the readout; null:
// the last one), now; or `missing`, a text in place of all.
export const curve = (of) => {
  // A unit after the number would move with its digits.
  const title = el("figcaption", null, el("b", null, of.title),
    of.unit && " " + of.unit);
  if (of.missing)
    return el("figure", { class: "curve", id: of.id }, title,
      el("p", { class: "missing" }, of.missing));
  const last = of.values.length - 1;
  const at = of.at === null ? last : Math.min(of.at, last);
  const most = top(of.values, of.least);
  const value = last < 0 ? null : of.values[at];
  const when = last < 0 ? "" : time(of.end - (last - at) * of.step, of.now);
  const shown = of.show(value);
  const [x, y] = place(of.values, Math.max(0, at), most);
  return el("figure", { class: "curve", id: of.id }, title,
    el("p", { class: "value" }, el("strong", null, shown)),
    el("svg", {
      viewBox: "0 0 " + WIDE + " " + HIGH, preserveAspectRatio: "none",
      tabindex: "0", role: "slider", "aria-orientation": "horizontal",
      "aria-label": of.title + ", over time",
      "aria-valuemin": "0", "aria-valuemax": String(Math.max(0, last)),
      "aria-valuenow": String(Math.max(0, at)),
      "aria-valuetext": shown + (of.unit ? " " + of.unit : "") +
        (when && ", at " + when),
    },
    el("path", { class: "area", d: area(of.values, most) }),
    el("path", { class: "line", d: path(of.values, most) }),
    of.at !== null && last >= 0 && [
      el("line", { class: "cursor", x1: x, x2: x, y1: 0, y2: HIGH }),
      value !== null && el("path", { class: "dot", d: "M" + x + " " + y + "h0" }),
    ]),
    el("p", { class: "axis" },
      el("span", null, last < 0 ? "no value yet"
        : of.at !== null ? when
          : "to " + of.show(most).replace(/\.0+$|(\.\d)0$/, "$1")),
      el("span", null, of.at === null && last > 0
        ? of.past(last * of.step) : "")));
};
